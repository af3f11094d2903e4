/** Detects cues and named items in a message. It checks all languages, because the language of a message is not known. */
import { exerciseCatalog, type ExerciseLanguage, namesOf } from "./exercise-definition.ts";
import de from "./words/de.data.json" with { type: "json" };
import en from "./words/en.data.json" with { type: "json" };
import es from "./words/es.data.json" with { type: "json" };
import fr from "./words/fr.data.json" with { type: "json" };
import pt from "./words/pt.data.json" with { type: "json" };
import zh from "./words/zh.data.json" with { type: "json" };

/** Kinds of cue, as `words.schema.json` describes them. Earlier kinds win. */
const cueKinds = ["exit_clear", "exit", "unwell", "stuck", "hold", "skip", "advance", "yes", "nothing"] as const;
type CueKind = (typeof cueKinds)[number];

/** Sources of regular expressions, as `words.schema.json` describes them. */
interface ExerciseWords {
  /** Absent if the script identifies the language. */
  readonly tells?: string;
  readonly before: string;
  readonly after: string;
  readonly cues: Readonly<Record<CueKind, readonly string[]>>;
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
  };
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
    .split(/[.!?;,:\n…。！？；，、：¿¡()]+|\s[-–—]+\s|\s(?:but|pero|aber|mais|porém)\s|但是|可是|不过/u)
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

const compiled = ({ before, after, cues, resume, clarify, explain, memory, lookup, orders }: ExerciseWords): Compiled => ({
  before: new RegExp(`^${before}`, "u"),
  after: new RegExp(`${after}$`, "u"),
  cues: cueKinds.map((kind) => [kind, whole(cues[kind])] as const),
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

const joined = /\s(?:and|or|plus|also|then|y|e|o|u|und|oder|sowie|et|ou|mas)\s|\s?[&+/]\s?|(?:^|\s)\d{1,2}[.):]\s|[和与與跟及]|还有|還有/u;

/** Most words of an item. Longer text is a story, not an item. */
const mostWords = 7;
const telling =
  /\b(?:i (?:feel|think|can'?t|cannot|don'?t|keep|am so|was|had|want|need|hate|wish)|i'm (?:so|not|just|really)|me siento|no puedo|ich (?:fühle|kann|habe|will)|je (?:me sens|ne)|eu (?:me sinto|não))\b|我(?:觉得|感到|不能|不想)/u;
const opening =
  /^(?:(?:i )?(?:can )?(?:also )?(?:see|hear|feel|smell|taste|notice)\b:?|there(?:'s| is| are)|it'?s|the|a|an|my|some|veo|oigo|siento|hay|ich (?:sehe|höre|spüre|rieche)|da ist|je (?:vois|entends|sens)|il y a|(?:eu )?(?:vejo|ouço|sinto)|有|我(?:看到|看见|听到|闻到|感觉到|尝到))\s*/u;

/** Counts the words of a text. Each Han character counts as one. */
export const wordsIn = (text: string): number => [...text.matchAll(/\p{Script=Han}|[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)].length;

/** Returns the items named in the content clauses. Returns undefined if the clauses tell a story instead. */
export function itemsIn(clauses: readonly ReadClause[]): readonly string[] | undefined {
  const items = clauses
    .filter(({ kind }) => kind === "content")
    .flatMap(({ text }) => text.split(joined))
    .map((item) => item.trim().replace(opening, "").trim())
    .filter((item) => /[\p{L}\p{N}]/u.test(item));
  const isTold =
    clauses.some(({ kind, text }) => kind === "content" && telling.test(text)) ||
    items.some((item) => wordsIn(item) > mostWords * (/\p{Script=Han}/u.test(item) ? 2 : 1));
  return isTold ? undefined : [...new Set(items)];
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
