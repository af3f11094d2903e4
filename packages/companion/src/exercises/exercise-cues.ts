/** Detects cues and named items in a message. It checks all languages, because the language of a message is not known. */
import { exerciseCatalog, type ExerciseLanguage, namesOf } from "./exercise-definition.ts";
import de from "./words/de.data.json" with { type: "json" };
import en from "./words/en.data.json" with { type: "json" };
import es from "./words/es.data.json" with { type: "json" };
import fr from "./words/fr.data.json" with { type: "json" };
import pt from "./words/pt.data.json" with { type: "json" };
import zh from "./words/zh.data.json" with { type: "json" };

/** Kinds of cue, as `words.schema.json` describes them. Earlier kinds win. */
const cueKinds = ["exit_clear", "turn", "exit", "unwell", "stuck", "hold", "skip", "advance", "felt", "did", "yes", "nothing"] as const;
type CueKind = (typeof cueKinds)[number];

/** Sources of regular expressions, as `words.schema.json` describes them. */
interface ExerciseWords {
  /** Absent if the script identifies the language. */
  readonly tells?: string;
  readonly before: string;
  readonly after: string;
  readonly cues: Readonly<Record<CueKind, readonly string[]>>;
  readonly later: readonly string[];
  readonly none: readonly string[];
  readonly outcome: string;
  readonly back: readonly string[];
  readonly another: readonly string[];
  readonly turn_to: readonly string[];
  readonly away: readonly string[];
  readonly resume: readonly string[];
  readonly clarify: readonly string[];
  readonly explain: readonly string[];
  readonly memory: readonly string[];
  readonly lookup: readonly string[];
  readonly orders: { readonly memory: readonly string[]; readonly lookup: readonly string[] };
  readonly requests: {
    readonly start: readonly string[];
    readonly anywhere: readonly string[];
    readonly list: string;
    readonly unless: string;
    readonly elsewhere: string;
    readonly everyday: readonly string[];
  };
  readonly needs: Readonly<Record<string, string>>;
}

export const exerciseWords: Readonly<Record<ExerciseLanguage, ExerciseWords>> = { en, es, de, fr, pt, zh };

/** Limits for reading cues: a message of ten thousand characters does not just say that a step is done. */
const mostCharacters = 4_000;
const mostClauses = 200;

/** Normalizes spelling variants: lowercase, straight apostrophes, single spaces. */
export const folded = (text: string): string =>
  text
    .slice(0, mostCharacters)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’‘`´]/gu, "'")
    .replaceAll(/[ \t\u00A0]+/gu, " ")
    .trim();

/** Quotes of other people and written-down thoughts are not cues. An apostrophe starts no quotation. */
const quoted = /["“«「『„][^"”“»」』]{1,400}["”“»」』]/gu;

/** Returns the clauses of a folded text, without quotations and surrounding marks. */
export const clausesOf = (text: string): readonly string[] =>
  text
    .replaceAll(quoted, " … ")
    .split(
      /[.!?;,:\n…。！？；，、：¿¡()]+|\s[-–—]+\s|\s(?:but|pero|aber|porém|mais(?=\s(?:je|tu|il|elle|on|ça|ce|pas|les?|la|mon|ma|mes|maintenant|là|en|encore|toujours|plus)\s|\s[jc]'))\s|但是|可是|不过/u,
    )
    .map((clause) => clause.replaceAll(/^[\s"'*_~#>-]+|[\s"'*_~-]+$/gu, ""))
    .filter((clause) => clause !== "")
    .slice(0, mostClauses);

/** A clause and its cue. `content`: no cue. */
export interface ReadClause {
  readonly text: string;
  readonly kind: CueKind | "content";
}

/** Requests in a message other than an answer to the step. */
interface Asides {
  readonly resume: boolean;
  readonly clarify: boolean;
  readonly explain: boolean;
  readonly memory: boolean;
  readonly lookup: boolean;
}

interface Compiled {
  readonly before: RegExp;
  readonly after: RegExp;
  readonly cues: readonly (readonly [CueKind, RegExp])[];
  readonly later: RegExp;
  readonly none: RegExp;
  readonly outcome: RegExp;
  readonly back: RegExp;
  readonly another: RegExp;
  readonly turnTo: RegExp;
  readonly away: RegExp;
  readonly resume: RegExp;
  readonly clarify: RegExp;
  readonly explain: RegExp;
  readonly memory: RegExp;
  readonly lookup: RegExp;
  readonly memoryOrders: RegExp;
  readonly lookupOrders: RegExp;
}

const never = "(?!)";
let name: string | undefined;

/** Returns the alternatives of patterns as one, with the names of the catalog's exercises for `\{name\}`. */
const joinedPatterns = (patterns: readonly string[]): string => {
  name ??= [...new Set(exerciseCatalog.flatMap(namesOf).map(folded))]
    .toSorted((a, b) => b.length - a.length)
    .map((one) => one.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`).replaceAll(/[ -]/gu, "[ -]"))
    .join("|");
  return `(?:${patterns.join("|")})`.replaceAll(String.raw`\{name\}`, `(?:${name})`);
};
const whole = (patterns: readonly string[]): RegExp => new RegExp(`^${joinedPatterns(patterns)}$`, "u");
const from = (patterns: readonly string[]): RegExp => new RegExp(`^${joinedPatterns(patterns)}`, "u");
const anywhere = (patterns: readonly string[]): RegExp => new RegExp(joinedPatterns(patterns), "u");

const compiled = ({
  before,
  after,
  cues,
  later,
  none,
  outcome,
  back,
  another,
  turn_to,
  away,
  resume,
  clarify,
  explain,
  memory,
  lookup,
  orders,
}: ExerciseWords): Compiled => ({
  before: new RegExp(`^${before}`, "u"),
  after: new RegExp(`${after}$`, "u"),
  cues: cueKinds.map((kind) => [kind, whole(cues[kind])] as const),
  later: whole(later),
  none: whole(none),
  outcome: new RegExp(outcome, "u"),
  back: whole(back),
  another: whole(another),
  turnTo: anywhere(turn_to),
  away: anywhere(away),
  resume: anywhere(resume),
  clarify: anywhere(clarify),
  explain: from(explain),
  memory: from(memory),
  lookup: from(lookup),
  memoryOrders: from([never, ...orders.memory]),
  lookupOrders: from([never, ...orders.lookup]),
});

let packs: readonly Compiled[] | undefined;

/** Returns the compiled words of all languages. Compiles them for the first message. */
const allPacks = (): readonly Compiled[] => (packs ??= Object.values(exerciseWords).map(compiled));

/** Returns a clause, also without the courtesies before and after it. */
function variants(clause: string, { before, after }: Compiled): readonly string[] {
  const shorter = (text: string, pattern: RegExp): readonly string[] => {
    const found = [text];
    for (let rest = text; found.length < 6;) {
      const next = rest.replace(pattern, "");
      if (next === rest || next === "") break;
      found.push((rest = next));
    }
    return found;
  };
  return shorter(clause, before).flatMap((text) => shorter(text, after));
}

function kindOf(clause: string): ReadClause["kind"] {
  const kinds = new Set(
    allPacks().flatMap((pack) => {
      const texts = variants(clause, pack);
      return pack.cues.filter(([, pattern]) => texts.some((text) => pattern.test(text))).map(([kind]) => kind);
    }),
  );
  return cueKinds.find((kind) => kinds.has(kind)) ?? "content";
}

/** Returns the clauses of a message with their cues. */
export const readClauses = (message: string): readonly ReadClause[] => clausesOf(folded(message)).map((text) => ({ text, kind: kindOf(text) }));

/** Words by which a message that leaves a step can mean more than the step. */
const ofMore =
  /(?<!\p{L})(?:live|living|life|alive|die|dying|dead|death|kill|end|ending|world|everything|all|forever|vivir|vida|vivo|viva|morir|muerte|muerto|muerta|matar|todo|mundo|acabar|terminar|leben|lebe|sterben|tod|tot|töten|alles|welt|ende|beenden|schluss|vivre|vie|vivant|mourir|mort|morte|tuer|tout|monde|finir|viver|morrer|morto|morta|tudo|encerrar)(?!\p{L})|[活死命]|一切|世界|结束/u;

/** Tells whether a message only leaves the step or says that it does not work: each clause does, and no word of it is about more. */
export function onlyLeaves(message: string): boolean {
  const kinds = readClauses(message).map(({ kind }) => kind);
  const leaves = kinds.some((kind) => kind === "exit" || kind === "exit_clear" || kind === "stuck");
  const fits = (kind: ReadClause["kind"]): boolean => ["exit", "exit_clear", "stuck", "hold", "nothing", "yes"].includes(kind);
  return leaves && kinds.every(fits) && !ofMore.test(folded(message));
}

/** Lists of patterns for whole clauses that count only in some places: see `words.schema.json`. */
type ClauseList = "later" | "none" | "back" | "another";

const isOf = (clause: string, list: ClauseList): boolean => allPacks().some((pack) => variants(clause, pack).some((text) => pack[list].test(text)));

/** Tells whether a clause of the message is of a list. */
export const hasClause = (message: string, list: ClauseList): boolean => clausesOf(folded(message)).some((clause) => isOf(clause, list));

/** Tells whether a message consists of such clauses, apart from courtesies. */
export function isOnly(message: string, list: ClauseList): boolean {
  const clauses = clausesOf(folded(message)).filter((clause) => kindOf(clause) !== "nothing");
  return clauses.length > 0 && clauses.every((clause) => isOf(clause, list));
}

/** Tells whether a message only asks to go on with a paused exercise. */
export function wantsBack(message: string): boolean {
  const clauses = clausesOf(folded(message)).map((clause) => (isOf(clause, "back") ? "back" : kindOf(clause)));
  const goesOn = clauses.some((kind) => kind === "back" || kind === "advance");
  return goesOn && clauses.every((kind) => kind === "back" || kind === "advance" || kind === "yes" || kind === "nothing");
}

/** How a message leaves the step: for another topic, or with news or a strong feeling. Undefined if it does not. */
export function leavingIn(message: string): "topic" | "away" | undefined {
  const text = folded(message).replaceAll(quoted, " … ");
  if (allPacks().some(({ turnTo }) => turnTo.test(text))) return "topic";
  return allPacks().some(({ away }) => away.test(text)) ? "away" : undefined;
}

/** How an exercise went, in the person's words. */
export interface Outcome {
  readonly went: "better" | "worse" | "after";
  readonly said: string;
}

/** Longest quotation of an outcome, in characters. */
const mostQuoted = 100;

/** Returns a quotation of a text: on one line, without double quotation marks, cut at a word if it is long. */
export function quotation(text: string, most = mostQuoted): string {
  const line = text
    .replaceAll(/["“”„«»]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/[.!。！]+$/u, "");
  if (line.length <= most) return line;
  const cut = line.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
  return `${/\p{Script=Han}/u.test(line) ? cut : cut.replace(/\s\S*$/u, "")}…`;
}

/** Returns the sentence or clause of a message, as it is written, that contains a clause. */
function asWritten(message: string, clause: string): string {
  const parts = message.split(/(?<=[.!?;。！？；\n])\s*|\n+/u).flatMap((part) => (part.length > mostQuoted ? part.split(/(?<=[,，])\s*/u) : [part]));
  return (parts.find((part) => folded(part).includes(clause)) ?? message).replace(/[,;，；]\s*$/u, "");
}

/** Returns how an exercise went, if a message says so: a feeling, or a word for the body or a change. A question, news and another topic do not. */
export function outcomeIn(message: string): Outcome | undefined {
  if (leavingIn(message) !== undefined || /[?？]\s*$/u.test(message.trim())) return undefined;
  const clauses = readClauses(message);
  if (clauses.some(({ kind }) => kind === "turn" || kind === "exit_clear")) return undefined;
  const worse = clauses.find(({ kind }) => kind === "unwell");
  const better = clauses.find(({ kind }) => kind === "felt");
  const told = clauses.find(({ kind, text }) => kind === "content" && allPacks().some(({ outcome }) => outcome.test(text)));
  const found = worse ?? better ?? told;
  if (found === undefined) return undefined;
  return { went: found === worse ? "worse" : found === better ? "better" : "after", said: asWritten(message, found.text) };
}

const stems = (text: string): ReadonlySet<string> =>
  new Set(
    [...folded(text).matchAll(/\p{Script=Han}{2}|[\p{L}]{4,}/gu)].flatMap(([word]) =>
      common.test(word) ? [] : [word.slice(0, /\p{Script=Han}/u.test(word) ? 2 : 5)],
    ),
  );

/** Words that a question about anything can share with a step. */
const common =
  /^(?:what|when|where|which|that|this|with|have|tell|your|them|they|then|does|would|could|should|there|like|time|right|about|from|what's|cuando|cuándo|dime|para|como|cómo|tiene|puede|puedes|esto|esta|donde|dónde|cosa|cosas|wenn|sag|mach|dann|eine|einen|diese|dieser|kannst|könnte|dich|dass|dis-moi|quand|c'est|fait|dans|pour|avec|cette|qu'est|quelle|quel|quando|tiver|feito|você|isso|este|essa|fazer|coisa|告诉|什么|这个|一下|可以|怎么|做好)$/u;

/** Tells whether a message and the text of a step share a word that matters. */
export function sharesWords(message: string, step: string): boolean {
  const words = stems(step);
  return [...stems(message)].some((word) => words.has(word));
}

/** Questions on the manner of a step, in any exercise: how long, which posture, aloud or not, whether it is allowed. */
const manner =
  /^(?:(?:so|and|but|ok|okay|wait|y|pero|und|aber|et|mais|e|那)[, ]+)?(?:how (?:long|many|much|slow|fast|often|deep|hard|exact)|¿?cuánt[oa]s?|wie (?:lange|viele?|oft|fest|tief|schnell|langsam)|combien|quant[oa]s?|por quanto)|多久|几次|多长时间|(?<!\p{L})(?:my eyes|eyes (?:open|closed|shut)|out loud|aloud|in my head|lie down|lying down|sit(?:ting)?|stand(?:ing)?|los ojos|en voz alta|tumb\p{L}+|sentad[oa]|de pie|die augen|augen (?:zu|auf|offen|schließen)|laut sagen|hinlegen|im liegen|(?:am i|did i|do i) (?:doing |do )?(?:it|this|that)|(?:is|was) (?:this|that|it) right|richtig so|les yeux|à voix haute|allong\p{L}+|assise?|os olhos|em voz alta|deitad[oa]|de olhos)(?!\p{L})|闭眼|睁眼|大声|躺着|坐着|站着/u;

/** Tells whether a question is about the step: about how it is done, or with a word of the step. */
export const asksAboutStep = (message: string, texts: readonly string[]): boolean =>
  manner.test(folded(message)) || texts.some((text) => sharesWords(message, text));

/** Words by which a question turns to the companion, and by which a person speaks of themselves. */
const addressed =
  /(?<!\p{L})(?:you|your|yourself|tú|te|tu|puedes|sabes|crees|conoces|du|dir|dich|dein|weißt|kannst|kennst|peux-tu|sais-tu|você|sabe|pode|conhece)(?!\p{L})|你/u;
const ofSelf =
  /(?<!\p{L})(?:i|i'm|me|my|mine|we|us|our|yo|mí|mi|mis|ich|mir|mich|mein\p{L}*|wir|uns|je|j'\p{L}+|moi|mon|ma|mes|eu|meu|minha)(?!\p{L})|我/u;

/** Tells whether a question can be the thought that a step asks for: about oneself, and not to the companion. */
export const isOwnQuestion = (message: string): boolean => ofSelf.test(folded(message)) && !addressed.test(folded(message));

/**
 * Detects requests other than an answer to the step. Their form counts: a question or an order to the companion, at the start or as a separate
 * clause. `isAction`: the step asks for an action, so an order can be the answer. Single words such as "current", "forget", "source" or "search" in
 * an answer do not count.
 */
export function asidesOf(message: string, { isAction = false }: { readonly isAction?: boolean } = {}): Asides {
  const text = folded(message);
  // Sentences keep their question marks, which separate questions from answers.
  const sentences = text
    .split(/(?<=[.!?。！？])\s*|\n+/u)
    .filter((sentence) => sentence !== "")
    .slice(0, 40);
  const matches = (pattern: (pack: Compiled) => RegExp): boolean =>
    allPacks().some((pack) =>
      sentences
        .map((sentence) => sentence.replaceAll(/^[¿¡\s]+|[.!。！\s]+$/gu, ""))
        // With the question mark, for patterns that require one, and without.
        .flatMap((sentence) => [sentence, sentence.replace(/\s*[?？]+$/u, "")])
        .some((sentence) => variants(sentence, pack).some((one) => pattern(pack).test(one))),
    );
  return {
    resume: allPacks().some(({ resume }) => resume.test(text)),
    clarify: allPacks().some(({ clarify }) => clarify.test(text)),
    explain: matches(({ explain }) => explain),
    memory: matches(({ memory }) => memory) || (!isAction && matches(({ memoryOrders }) => memoryOrders)),
    lookup: matches(({ lookup }) => lookup) || (!isAction && matches(({ lookupOrders }) => lookupOrders)),
  };
}

/** Starts of questions that are typed without a question mark. */
const questionStart =
  /^(?:(?:so|and|but|wait|ok|okay|y|und|et|e|那)[, ]+)?(?:what|how|why|when|where|who|which|is|are|does|do|can|could|qué|cómo|cuánto|por qué|was|wie|warum|wieso|wann|quel|quoi|comment|pourquoi|qu'est-ce|o que|como|quanto|什么|怎么|为什么)(?![\p{L}])/iu;

/** Tells whether a message asks or orders, rather than answers. Only then can a model's decision alone leave an exercise. */
export const isAsking = (message: string): boolean => {
  const asides = asidesOf(message);
  return (
    /[?？؟]\s*$/u.test(message.trim()) || questionStart.test(message.trim()) || asides.memory || asides.lookup || asides.explain || asides.clarify
  );
};

/** Starts of questions without a question mark that no answer has: with a verb after the question word, so that "how she smiled" is none. */
const plainQuestion =
  /^(?:(?:so|and|but|wait|ok|okay|hey|y|pero|oye|und|aber|et|mais|e|mas|那)[, ]+)?(?:(?:what|how|why|when|where|who|which)(?:'s|'re| (?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|am))(?! .{2,60} (?:is|was|are|were) )(?!\p{L})|what (?:time|day|year|kind of|sort of)(?!\p{L})|how (?:many|much|long|old|far|tall|big|hot|cold)(?!\p{L})|¿?(?:qué|cuál(?:es)?|cómo|cuándo|dónde|quién(?:es)?|cuánt[oa]s?|por qué|que hora|cual es|como se|donde est[aá]|quien es)(?!\p{L})|(?:was|wie|warum|wieso|weshalb|wann|wo|wer|welche[rs]?)(?: (?:viele?|lange|spät|alt|weit|\p{Lu}\p{L}+))? (?:ist|sind|war|hat|haben|kann|kannst|machst|macht|soll|wird|geht|heißt|bedeutet|findest|meinst|glaubst|weißt)(?!\p{L})|(?:qu'est-ce|est-ce que|c'est quoi|quel(?:le)?s? (?:est|sont|temps|heure|jour|âge)|comment (?:ça|on|tu|est|vas|faire|dit)|pourquoi|combien|où (?:est|sont|se)|qui (?:est|a|sont)|quand (?:est|a|aura|commence))(?!\p{L})|(?:o que (?:é|são|significa|você)|qual (?:é|o|a)|quais|como (?:é|está|vai|se|faço|você)|quando (?:é|será|vai|começa)|onde|quem (?:é|foi|são)|quant[oa]s?|por qu[eê])(?!\p{L})|(?:为什么|怎么|什么(?:是|时候)|哪[里儿个]|几点|谁是|多少))|(?<![没知道]|不知道.{0,8})(?:怎么样|是什么|几点|在哪里?|吗)$/u;

/** Tells whether a message is a question, also without a question mark. */
export const isQuestion = (message: string): boolean =>
  /[?？؟]\s*$/u.test(message.trim()) || plainQuestion.test(folded(message).replace(/[.!。！]+$/u, ""));

/** News: somebody did something bad to the person, or something bad came to them. */
const news =
  /(?<!\p{L})(?:(?:fired|sacked|dumped|left|beat|hit|robbed|cheated on|betrayed|yelled at|screamed at|shouted at|evicted|laid off|broke up with|kicked) (?:me|us)(?!\p{L})|(?:i|we) (?:got|was|were|have been|'ve been) (?:just )?(?:fired|sacked|laid off|dumped|robbed|evicted|beaten|mugged|diagnosed)|(?:i|we) (?:just )?(?:lost (?:my|our) (?:job|home|flat|house)|failed (?:my|the) \p{L}+)|(?:my|our) [\p{L} ]{2,20}(?:died|passed away|is in (?:the )?hospital|had an accident)|(?:me|nos) (?:han? |ha )?(?:despidió|despidieron|despedido|echó|echaron|echado|dejó|dejado|engañó|engañado|pegó|pegado|robaron|robado|gritó|gritado)(?!\p{L})|perdí (?:mi|el) (?:trabajo|empleo)|(?:murió|falleció|ha muerto)(?!\p{L})|(?:hat|haben) (?:mich|mir|uns) .{0,30}(?:gekündigt|gefeuert|entlassen|rausgeworfen|verlassen|geschlagen|betrogen|angeschrien|bestohlen)|(?:wurde|bin) .{0,20}(?:gekündigt|gefeuert|entlassen|ausgeraubt|überfallen)|(?:gekündigt|gefeuert) worden|ist .{0,20}gestorben|(?:m'a|m'ont|nous a|nous ont) (?:\p{L}+ )?(?:virée?|licenciée?|renvoyée?|quittée?|trompée?|frappée?|crié|volée?|larguée?)|(?:j'ai|on a) (?:\p{L}+ )?(?:été (?:virée?|licenciée?|renvoyée?)|perdu (?:mon|notre))|est (?:morte?|décédée?)(?!\p{L})|(?:me|nos) (?:demitiu|demitiram|despediu|despediram|mandou embora|mandaram embora|largou|deixou|traiu|bateu|roubaram|roubou|gritou)|(?:fui|fomos) (?:demitid|despedid|assaltad|roubad)[oa]|perdi (?:meu|o|a minha|minha) \p{L}+|(?:morreu|faleceu)(?!\p{L}))|(?:开除|解雇|辞退|炒|打|骂|骗|甩|抛弃)了我|我被(?:.{0,6})?(?:开除|解雇|辞退|炒|裁|打|骂|骗|甩|抢)|(?:去世|过世|住院)了|分手了|失业了/u;

/** Starts of a turn to something else. */
const turning =
  /^(?:actually|in fact|listen|oh|hey|wait|look|anyway|to be honest|la verdad|en realidad|oye|mira|escucha|eigentlich|ehrlich gesagt|hör mal|du|ach|weißt du|en fait|écoute|tiens|dis|na verdade|olha|escuta|sabe|其实|说实话|话说|诶|哎)(?:[, ，]|(?<=\p{Script=Han}))/u;

/** How certainly a message tells news instead of answering: it turns and tells, only tells, or only turns. Undefined if it does neither. */
export function newsIn(message: string): "turned" | "told" | undefined {
  const text = folded(message).replaceAll(quoted, " … ");
  if (!news.test(text)) return undefined;
  return turning.test(text) ? "turned" : "told";
}

const joined = /\s(?:and|or|plus|also|then|y|e|o|u|und|oder|sowie|et|ou|mas)\s|\s?[&+/]\s?|(?:^|\s)\d{1,2}[.):]\s|[和与與跟及]|还有|還有/u;

/** Most words of an item. Longer text is a story, not an item. */
const mostWords = 7;
const telling =
  /\b(?:i (?:feel|think|can'?t|cannot|don'?t|keep|am so|was|had|want|need|hate|wish)|i'm (?:so|not|just|really)|me siento|no puedo|ich (?:fühle|kann|habe|will)|je (?:me sens|ne)|eu (?:me sinto|não)|(?:my|our|the) \p{L}+ (?:has|have|had|says?|said|told|asked|called|texted|wants?|wanted|thinks?|thought|left|died)|we (?:talked|had|were|are|went)|(?:meine?|unsere?) \p{L}+ (?:hat|haben|sagt|will)|mi \p{L}+ (?:ha|dijo|dice|llamó|quiere)|(?:mon|ma) \p{L}+ (?:a|m'a|dit|veut)|(?:meu|minha) \p{L}+ (?:disse|ligou|quer|falou))(?!\p{L})|我(?:觉得|感到|不能|不想|妈|爸|老板|朋友)/u;
const opening =
  /^(?:(?:i )?(?:can )?(?:also )?(?:see|hear|feel|smell|taste|notice)\b:?|there(?:'s| is| are)|it'?s|the|a|an|my|some|veo|oigo|siento|hay|ich (?:sehe|höre|spüre|rieche)|da ist|je (?:vois|entends|sens)|il y a|(?:eu )?(?:vejo|ouço|sinto)|有|我(?:看到|看见|听到|闻到|感觉到|尝到))\s*/u;

/** Counts the words of a text. Each Han character counts as one. */
export const wordsIn = (text: string): number => [...text.matchAll(/\p{Script=Han}|[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)].length;

/** Returns the items named in the content clauses. Returns undefined if the clauses tell a story instead, unless an item may be one (`open`). */
export function itemsIn(clauses: readonly ReadClause[], { open = false }: { readonly open?: boolean } = {}): readonly string[] | undefined {
  const items = clauses
    .filter(({ kind }) => kind === "content")
    .flatMap(({ text }) => (open && wordsIn(text) > mostWords ? [text] : text.split(joined)))
    .map((item) => item.trim().replace(opening, "").trim())
    .filter((item) => /[\p{L}\p{N}]/u.test(item));
  const isTold =
    clauses.some(({ kind, text }) => kind === "content" && telling.test(text)) ||
    items.some((item) => wordsIn(item) > mostWords * (/\p{Script=Han}/u.test(item) ? 2 : 1));
  return isTold && !open ? undefined : [...new Set(items)];
}

const numberWords: readonly (readonly [number, RegExp])[] = [
  [1, /^(?:one|uno|una|eins|eine|un|une|um|uma|一)$/u],
  [2, /^(?:two|dos|zwei|deux|dois|duas|二|两)$/u],
  [3, /^(?:three|tres|drei|trois|três|三)$/u],
  [4, /^(?:four|cuatro|vier|quatre|quatro|四)$/u],
  [5, /^(?:five|cinco|fünf|cinq|五)$/u],
  [6, /^(?:six|seis|sechs|六)$/u],
  [7, /^(?:seven|siete|sieben|sept|sete|七)$/u],
  [8, /^(?:eight|ocho|acht|huit|oito|八)$/u],
  [9, /^(?:nine|nueve|neun|neuf|nove|九)$/u],
  [10, /^(?:ten|diez|zehn|dix|dez|十)$/u],
];
const middle = /\b(?:(?:in the |somewhere in the )?middle|half ?way|mitad|mitte|milieu|meio)\b|中间/u;
const lower = /\b(?:nearer to|close to|around|about) (?:1|one)\b|\b(?:very |quite )?low\b/u;
const higher = /\b(?:nearer to|close to|around|about) (?:10|ten)\b|\b(?:very |quite )?high\b/u;

/** Returns the rating in an answer on a scale, or the rough position; undefined if there is none. */
export function ratingIn(clauses: readonly ReadClause[], { from, to }: { readonly from: number; readonly to: number }): number | undefined {
  const text = clauses.map((clause) => clause.text).join(" ");
  const digits = [...text.matchAll(/(?<![\p{L}\d])\d{1,3}(?:[.,]\d)?(?![\p{L}\d])/gu)].map(([number]) => Number(number.replace(",", ".")));
  const inRange = digits.find((number) => number >= from && number <= to);
  if (inRange !== undefined) return inRange;
  if (digits.length > 0) return undefined;
  const pieces = text.split(/[^\p{L}]+/u);
  const word = numberWords.find(([number, pattern]) => number >= from && number <= to && pieces.some((piece) => pattern.test(piece)));
  if (word !== undefined) return word[0];
  if (middle.test(text)) return (from + to) / 2;
  return lower.test(text) ? from : higher.test(text) ? to : undefined;
}
