/** The screen: reads one message with the rule packs and determines its level. */
import { present } from "../../kernel/json.ts";
import type { SafetyLevel } from "../assessment.ts";
import { type Evidence, evidenceOf, type FoundFrame } from "./evidence.ts";
import { framed, type Meant, withoutDoing, withoutLeaveTaking } from "./framing.ts";
import { type LanguageWeights, spokenWords, strangeness } from "./language-weights.ts";
import { learnedLevel, readLearned } from "./learned.ts";
import type { Word } from "./matcher.ts";
import { type CompiledPack, type CompiledPacks, compilePacks, type ConceptId, type FrameId, type RulePack } from "./rule-pack.ts";
import { compose, type Composed, composeEmergency, type ComposedEmergency, isExplicit, risksOf } from "./screen-rules.ts";
import { scriptOf, standsAlone, tokenize } from "./screen-tokens.ts";
import { contextReader, type Screen, type ScreenContext, type Screened, type ScreenMatch } from "./screened.ts";
import { readWords } from "./spelling.ts";

/** Characters that are read at the start and at the end of a longer text. */
export const mostRead = 4_000;
/** After this many unclear turns within the last ten, another unclear turn counts as level 2. */
const unclearBefore = 2;

/** Returns the words of a text, or of the start and the end of a long one, which share no sentence. */
function wordsIn(text: string, { vocabulary }: CompiledPacks): readonly Word[] {
  const read = (part: string, offset: number): readonly Word[] => readWords(tokenize(part, offset), vocabulary, { text: part, offset });
  if (text.length <= 2 * mostRead) return read(text, 0);
  const head = read(text.slice(0, mostRead), 0);
  const last = (head.at(-1)?.sentence ?? 0) + 1;
  const clause = (head.at(-1)?.clause ?? 0) + 1;
  const tail = read(text.slice(-mostRead), text.length - mostRead);
  return [...head, ...tail.map((word) => ({ ...word, sentence: word.sentence + last, clause: word.clause + clause }))];
}

/** Returns the reported matches, each concept once per position. Framed ones are soft; those that support a level 3 are hard. */
function matchesOf(
  meant: readonly Meant[],
  decided: { readonly level: SafetyLevel; readonly ground: readonly Meant[] },
  packs: CompiledPacks["packs"],
): readonly ScreenMatch[] {
  const matches = new Map<string, ScreenMatch>();
  for (const one of meant) {
    if (one.most === 0 || one.concept === "distress") continue;
    const hard = (decided.level === 3 && decided.ground.includes(one)) || (one.strength === "hard" && one.most === 3);
    const id = `${packs[one.pack]?.language ?? ""}/${one.concept}`;
    const key = `${id} ${one.from}`;
    const before = matches.get(key);
    const strength = hard || before?.strength === "hard" ? "hard" : "soft";
    matches.set(key, { id, strength, span: [one.from, Math.max(one.to, before?.span[1] ?? 0)] });
  }
  return [...matches.values()].toSorted((one, other) => one.span[0] - other.span[0]);
}

/** The matches in a text, and the result of the rules. */
interface Looked {
  readonly language: ReturnType<typeof languageOf>;
  readonly evidence: Evidence;
  readonly meant: readonly Meant[];
  readonly decided: Composed;
  /** An emergency that is not suicide. */
  readonly emergency: ComposedEmergency | undefined;
  /** The text says no more than that something will be done. */
  readonly isPlain: boolean;
}

/** Concepts that nobody states without a subject but of themselves: "want to die". */
const ownStated: ReadonlySet<ConceptId> = new Set(["wish_to_die", "kill_self", "injure_self", "ideation"]);

/** Returns what is meant in a conversation about another person: what names nobody in its clause is about that one, too. */
const asTheirs = (meant: readonly Meant[], { words }: Evidence, packs: CompiledPacks["packs"]): readonly Meant[] =>
  meant.map((one) => {
    const { concept, strength, pack, clause, lastClause } = one;
    const isOwn =
      (strength === "hard" && ownStated.has(concept)) ||
      (words[pack] ?? []).some((word) => word.clause >= clause && word.clause <= lastClause && packs[pack]?.self.has(word.forms[0] ?? "") === true);
    return isOwn ? one : { ...one, other: true };
  });

/** Evaluates a text with rules alone. */
export function look(text: string, context: ScreenContext, compiled: CompiledPacks): Looked {
  const words = wordsIn(text, compiled);
  const language = languageOf(text, words, compiled.packs, context.language);
  const evidence = evidenceOf(words, compiled, language.pack);
  const given = { evidence, packs: compiled.packs, language: language.pack };
  const found = framed(given);
  const theirs = context.about === "other" ? asTheirs(found, evidence, compiled.packs) : found;
  const timed = context.reaches === true ? theirs.filter(({ concept }) => concept !== "time_near") : theirs;
  const said = withoutLeaveTaking(timed, given, context);
  const meant = withoutDoing(said, given, context);
  const decided = compose(meant, context);
  const deliberate = evidence.frames.some(({ frame }) => frame === "deliberate");
  const troubled = (context.highest ?? 0) > 0 || context.asked !== undefined;
  return { language, evidence, meant, decided, emergency: composeEmergency(meant, decided, { deliberate, troubled }), isPlain: meant !== said };
}

const isOfOther = ({ ground }: Composed): boolean => ground.length > 0 && ground.every(({ other }) => other);

/** Frames that make light of what sounds grave, and what a frame can take back. */
const lightening: ReadonlySet<FrameId> = new Set(["idiom", "joke", "past_recovered", "bereavement"]);
const retractable: ReadonlySet<ConceptId> = new Set(["kill_self", "injure_self", "wish_to_die", "ideation"]);

/** Tells whether the rules read a text as lighter than it sounds. */
const isLight = ({ language, evidence, meant }: Looked): boolean =>
  evidence.frames.some(({ frame, pack }) => pack === language.pack && lightening.has(frame)) ||
  meant.some(({ concept, most }) => most === 0 && retractable.has(concept));

/** Most words of a message that tells no more than an ordinary worry, or a denial. */
const wordsOfWorry = 18;

/**
 * Tells whether a short message tells what it is about: an ordinary worry, with nothing unclear before; or, after something unclear, that the person does
 * not mean that.
 */
function isTold({ language, evidence }: Looked, { highest = 0, unclear = 0 }: ScreenContext): boolean {
  const { pack } = language;
  if ((evidence.words[pack ?? 0]?.length ?? 0) > wordsOfWorry) return false;
  const has = (frame: FrameId): boolean => evidence.frames.some((one) => one.frame === frame && one.pack === pack);
  return has(highest > 0 || unclear > 0 ? "denial" : "worry");
}

/** Both ends of a long text, or the whole of another. */
const endsOf = (text: string): readonly { readonly text: string; readonly offset: number }[] =>
  text.length <= 2 * mostRead
    ? [{ text, offset: 0 }]
    : [
        { text: text.slice(0, mostRead), offset: 0 },
        { text: text.slice(-mostRead), offset: text.length - mostRead },
      ];

/** A level, and the places that explain it where the weights changed what the rules found. */
interface Leveled {
  readonly level: SafetyLevel;
  readonly places: readonly (readonly [from: number, to: number])[];
}

/** Returns the level by rules and learned weights. The weights are not used for answers to a question about danger, or in a crisis. */
function leveled(text: string, looked: Looked, context: ScreenContext, { packs }: CompiledPacks): Leveled {
  const { evidence, decided } = looked;
  const { pack } = looked.language;
  const { weights, language = "" } = pack === undefined ? {} : (packs[pack] ?? {});
  const raises = weights?.raises[language];
  const words = evidence.words[pack ?? 0]?.length ?? 0;
  const ruled = { level: decided.level, places: [] };
  if (weights === undefined || raises === undefined || asksForDanger(context)) return ruled;
  if ((context.highest ?? 0) >= 2 && context.doubtful !== true) return ruled;
  // Nothing changes a plain plan or a level 3, so that a long text of grave sentences is not read again.
  if (decided.level === 3 || looked.isPlain || looked.emergency !== undefined) return ruled;
  const learned = readLearned(endsOf(text), weights);
  const level = learnedLevel(learned, raises, {
    level: decided.level,
    sure: isExplicit(decided),
    other: isOfOther(decided),
    light: isLight(looked),
    told: isTold(looked, context),
    words,
  });
  // What answers a question about people can be graver than the rules read it, and never lighter.
  if (level === decided.level || (context.asked !== undefined && level < decided.level)) return ruled;
  const places = level > decided.level ? learned.heaviest(level === 2 ? "grave" : "unclear") : [];
  return { level, places: places.length === 0 ? [[0, text.length]] : places };
}

function read(text: string, context: ScreenContext, compiled: CompiledPacks): Screened {
  const looked = look(text, context, compiled);
  const { language, evidence, meant, decided, emergency } = looked;
  const { level: weighed, places } = leveled(text, looked, context, compiled);
  const spokenIn: Spoken = { text, evidence, packs: compiled.packs, language: language.pack, context };
  const own = ownFrames(spokenIn);
  const near = nearIn(spokenIn, own);
  const said = answerOf(spokenIn, own, meant);
  // "Yes, they are in my bag" does not say who is there.
  const answer = near.length > 0 && said === "yes" && !asksForDanger(context) ? "evasion" : said;
  const undone = undoneBy(spokenIn, own);
  const retracts = undone === "unclear" ? undefined : undone;
  const retracted = undone !== undefined || ((context.highest ?? 0) >= 1 && evidence.frames.some(({ frame }) => frame === "retraction"));
  // Where the person said how, or was asked about a suspicion, a message that names no more than a time says when.
  const isOfTime = context.detailed === true || (context.doubtful === true && context.asked === "suicide");
  const isWhen = isOfTime && answer !== "yes" && isTimeAlone(meant, spokenIn);
  const answered = Math.max(
    levelOfAnswer(answer, meant, context),
    retracts === undefined ? 0 : levelOfAnswer("yes", meant, { ...context, asked: retracts }),
    near.length > 0 || isWhen ? 3 : 0,
  );
  const found = Math.max(weighed, answered, retracted ? 1 : 0);
  // While a danger is only suspected, a question left unanswered is no sign by itself.
  const isSign = context.doubtful !== true || weighed > 0 || retracted;
  const alone: SafetyLevel = found === 1 && isSign && (context.unclear ?? 0) >= unclearBefore ? 2 : (([0, 1, 2, 3] as const)[found] ?? 3);
  const counted = meant.filter(({ most, concept }) => most > 0 && concept !== "distress");
  // A few words can belong to any language. Those of an emergency are in that of the pack that found them.
  const ground = emergency?.ground ?? [];
  const pack = ground.some((one) => one.pack === language.pack) ? language.pack : (ground[0]?.pack ?? language.pack);
  const spoken = pack === undefined ? undefined : compiled.packs[pack]?.language;
  const tooLong = text.length > 2 * mostRead;
  // A yes to a question about suicide is of the writer's own life, whatever else the message tells.
  const alarm = emergency?.risk === undefined || answered >= 2 ? undefined : emergency.risk;
  const beside = alarm === undefined ? alone : decided.level;
  const level = emergency !== undefined && emergency.level > beside ? emergency.level : beside;
  const risks = alarm === undefined ? [...new Set([...(emergency === undefined ? [] : (["suicide"] as const)), ...risksOf(counted)])] : [alarm];
  const ruling = alarm === undefined || emergency === undefined ? decided : emergency;
  return {
    level,
    matches: [
      ...matchesOf(meant, ruling, compiled.packs),
      ...places.map((span) => ({ id: `${spoken ?? ""}/words`, strength: "soft" as const, span })),
      ...near.map(({ pack, from, to }) => ({
        id: `${compiled.packs[pack]?.language ?? ""}/means_in_hand`,
        strength: "hard" as const,
        span: [from, to] as const,
      })),
    ],
    risk_types: level > 0 && risks.length === 0 ? ["suicide"] : risks,
    subject: isOfOther(ruling) ? "other" : "self",
    quality: tooLong || !language.covered ? "degraded" : "full",
    ...(tooLong ? { why_degraded: "too_long" as const } : !language.covered && { why_degraded: "language" as const }),
    distress: meant.some(({ concept, most }) => concept === "distress" && most > 0),
    ...present({ language: spoken, answer, retracts }),
    concepts: [...new Set([...counted.filter(({ other }) => !other).map(({ concept }) => concept), ...near.map(() => "means_in_hand")])],
  };
}

/** The last compilation per first pack. Every turn that runs by itself creates its agent anew, and compiling takes longer than the turn. */
const last = new WeakMap<RulePack, { readonly packs: readonly RulePack[]; readonly compiled: CompiledPacks }>();

function compiledOnce(packs: readonly RulePack[]): CompiledPacks {
  const [first] = packs;
  const known = first === undefined ? undefined : last.get(first);
  if (known?.packs.length === packs.length && known.packs.every((pack, place) => pack === packs[place])) return known.compiled;
  const compiled = compilePacks(packs);
  if (first !== undefined) last.set(first, { packs: [...packs], compiled });
  return compiled;
}

/** Creates a screen from rule packs. Packs are compiled once and must not change afterwards. Throws `safety.invalid` for an invalid pattern. */
export function createScreen(packs: readonly RulePack[]): Screen {
  const versions = Object.freeze(Object.fromEntries(packs.map(({ language, version }) => [language, version])));
  const compiled = compiledOnce(packs);
  const screen = (text: string, context: ScreenContext = {}): Screened => read(text, context, compiled);
  const asks = (text: string): ScreenContext["asked"] => {
    const { frames } = evidenceOf(wordsIn(text, compiled), compiled, undefined);
    if (frames.some(({ frame }) => frame === "plan_question")) return "plan";
    return frames.some(({ frame }) => frame === "safety_question") ? "suicide" : undefined;
  };
  return Object.freeze(Object.assign(screen, { versions, contextOf: contextReader(screen, asks) }));
}

type Answer = NonNullable<Screened["answer"]>;

/** An answer starts within this many words; later text is about something else. */
const wordsOfAnswer = 12;
/** A yes starts within fewer words: a final "…, I guess" does not answer the question. */
const wordsOfYes = 5;
/** An answer in another language than the conversation's consists of no more words. */
const wordsOfForeign = 2;
/** Words beside a time in a message that names no more. */
const wordsBesideTime = 1;
/** A word that denies does so for this many words. */
const denyReach = 5;

const isAnswer = (frame: FrameId): boolean => frame === "yes" || frame === "no" || frame === "evasion" || frame === "denial";

/** Concepts that answer a question about how, when or with which means by naming it. */
const named = new Set<ConceptId>(["means", "means_in_hand", "time_near", "lethal_place", "do_it", "plan", "kill_self", "preparation"]);

const asksForDetail = ({ asked }: ScreenContext): boolean => asked === "plan" || asked === "means" || asked === "time";
const asksForDanger = (context: ScreenContext): boolean => context.asked === "suicide" || asksForDetail(context);

const names = (meant: readonly Meant[]): boolean => meant.some(({ concept, most, other }) => most > 0 && !other && named.has(concept));
/** Beside words that take it back, a time is one of what went wrong: "I was being dramatic, my exam went badly". */
const namesDespite = (meant: readonly Meant[]): boolean =>
  names(meant.filter(({ concept, strength }) => concept !== "time_near" && strength === "hard"));

/** A text in the language of its conversation. */
interface Spoken {
  readonly text: string;
  readonly evidence: Evidence;
  readonly packs: readonly CompiledPack[];
  /** Index of the pack for the text's language. */
  readonly language: number | undefined;
  readonly context: ScreenContext;
}

/**
 * Returns the frames in the language of the text or the conversation: "ja" is a yes in German and "já" is none in Portuguese. If these have no answer,
 * one in another language counts if the text says nothing else, and nothing that is a word of these languages.
 */
function ownFrames({ evidence, packs, language, context }: Spoken): readonly FoundFrame[] {
  const isOwn = (pack: number): boolean => pack === language || packs[pack]?.language === context.language;
  const { frames, words } = evidence;
  // A short text alone does not tell its language.
  if (!packs.some(({ language: spoken }) => spoken === context.language)) return frames;
  const own = frames.filter(({ pack }) => isOwn(pack));
  if (own.some(({ frame }) => isAnswer(frame))) return own;
  const isKnown = (word: Word): boolean => packs.some(({ detect }, pack) => isOwn(pack) && word.forms.some((form) => detect.has(form)));
  const said = words[0] ?? [];
  return said.length > wordsOfForeign || said.some(isKnown) ? own : frames;
}

/** Tells whether a frame or concept is denied in its clause ("I never tried"), or is said of another person. */
function isDenied(one: FoundFrame | Meant, { evidence, packs }: Spoken): boolean {
  const { pack, first, after, clause, lastClause } = one;
  const { deny, because, contrast, negatesBehind = false } = packs[pack] ?? {};
  const words = evidence.words[pack] ?? [];
  const denies = (place: number): boolean => words[place]?.forms.some((form) => deny?.has(form)) === true;
  for (let place = first - 1; place >= first - denyReach && words[place]?.clause === clause; place -= 1) {
    const form = words[place]?.forms[0] ?? "";
    if (because?.has(form) === true || contrast?.has(form) === true) break;
    if (denies(place)) return true;
  }
  if (negatesBehind && words[after]?.clause === lastClause && denies(after)) return true;
  // "They" are the pills that are at hand.
  if ("frame" in one && one.frame === "at_hand") return false;
  return evidence.frames.some(
    (other) => other.frame === "subject_other" && other.pack === pack && other.clause === clause && other.from < (words[after - 1]?.to ?? 0),
  );
}

/** Tells whether the text has a frame that is not denied. */
const states = (spoken: Spoken, own: readonly FoundFrame[], ...ids: readonly FrameId[]): boolean =>
  own.some((frame) => ids.includes(frame.frame) && !isDenied(frame, spoken));

const scale = /^[^\p{L}\p{N}]*(?:[\p{L}\p{M}]+[^\p{L}\p{N}]+){0,3}(\d{1,2})\s*(?:\/|out of|of|von|de|sur|dari|من)\s*10(?!\d)/iu;

/** Returns the answer in a text that begins with a point on a scale: "8/10". Zero is a no. */
function scaleOf({ text }: Spoken): Answer | undefined {
  const point = scale.exec(text.normalize("NFKC").slice(0, 80))?.[1];
  return point === undefined ? undefined : Number(point) > 0 ? "yes" : "no";
}

/** Tells whether a text names a time and little else: "tonight". */
function isTimeAlone(meant: readonly Meant[], { evidence, language = 0 }: Spoken): boolean {
  const times = meant.filter(({ concept, most, other }) => concept === "time_near" && most > 0 && !other);
  const besides = (evidence.words[language] ?? []).filter((word) => !times.some(({ from, to }) => from <= word.from && word.to <= to));
  return times.length > 0 && besides.length <= wordsBesideTime;
}

/** Returns the words by which means that were spoken of before are near: "they are in my bag". Only in a crisis in which they were. */
const nearIn = (spoken: Spoken, own: readonly FoundFrame[]): readonly FoundFrame[] =>
  spoken.context.detailed === true && (spoken.context.highest ?? 0) >= 2
    ? own.filter((frame) => frame.frame === "at_hand" && !isDenied(frame, spoken))
    : [];

/**
 * Returns the question whose earlier no the text takes back. That the no was a lie counts as long as the plan is open. "Actually yes" and "I did try"
 * count right after the no; later the first is unclear, because it can be about something else. After another question it answers that one.
 */
function undoneBy(spoken: Spoken, own: readonly FoundFrame[]): NonNullable<ScreenContext["asked"]> | "unclear" | undefined {
  const { denied, asked } = spoken.context;
  if (denied === undefined) return undefined;
  const { question, lately } = denied;
  if (states(spoken, own, "lied")) return question;
  if (lately && !asksForDanger(spoken.context) && states(spoken, own, "avowal")) return "suicide";
  if (asked !== undefined || !states(spoken, own, "after_all")) return undefined;
  return lately ? question : "unclear";
}

const overlap = (one: Pick<FoundFrame, "from" | "to">, other: Pick<FoundFrame, "from" | "to">): boolean => one.from < other.to && other.from < one.to;

/** Tells whether a yes to a question about danger goes on about an everyday matter, and nothing grave: "yes, I'd like some tea". */
const isElsewhere = (yes: FoundFrame, { context, evidence, packs }: Spoken, own: readonly FoundFrame[], meant: readonly Meant[]): boolean =>
  asksForDanger(context) &&
  meant.every(({ most, concept }) => most === 0 || concept === "time_near" || concept === "distress") &&
  own.some(
    (matter) =>
      matter.frame === "elsewhere" &&
      matter.sentence === yes.sentence &&
      matter.to > yes.from &&
      // "Yes, but" is a yes, whatever follows.
      !(evidence.words[yes.pack] ?? []).slice(yes.after, matter.first).some(({ forms }) => packs[yes.pack]?.contrast.has(forms[0] ?? "") === true) &&
      !own.some((later) => later.frame === "yes" && later.from >= matter.to),
  );

/** Tells whether a yes to how or with what follows words that put it off, and says when: "not tonight. probably after payday". */
const isLater = (yes: FoundFrame, { context }: Spoken, own: readonly FoundFrame[]): boolean =>
  (context.asked === "plan" || context.asked === "means") && own.some(({ frame, to }) => frame === "unsure" && to <= yes.from);

/**
 * Returns the frames that answer the question. Asked for people, neither a time nor what is denied of dying does: "sometimes", "I do not want to die
 * anymore".
 */
function answersAmong({ context }: Spoken, own: readonly FoundFrame[]): readonly FoundFrame[] {
  const answers = own.filter(({ frame, first }) => isAnswer(frame) && first < (frame === "yes" ? wordsOfYes : wordsOfAnswer));
  if (context.asked !== "someone" && context.asked !== "willing") return answers;
  const isOfPeople = (answer: FoundFrame): boolean =>
    answer.frame !== "denial" &&
    !own.some(({ frame, from, to }) => frame === (answer.frame === "yes" ? "often" : "denial") && overlap({ from, to }, answer));
  return answers.filter(isOfPeople);
}

/**
 * Returns the answer to the last question. The first of yes, no and evasion counts. Naming a place, means or time is a yes, and so is what says it
 * without a name: "no, but I did try". A no that is uncertain, or that the person takes back at once, is an evasion, and so is a yes to
 * something else.
 */
function answerOf(spoken: Spoken, own: readonly FoundFrame[], meant: readonly Meant[]): Answer | undefined {
  const { context } = spoken;
  if (context.asked === undefined) return undefined;
  if (asksForDanger(context) && states(spoken, own, "avowal")) return "yes";
  const scale = asksForDanger(context) ? scaleOf(spoken) : undefined;
  if (scale !== undefined) return scale;
  const [first] = answersAmong(spoken, own).toSorted((one, other) => one.from - other.from || other.to - one.to);
  if (first?.frame === "yes") return isElsewhere(first, spoken, own, meant) || isLater(first, spoken, own) ? "evasion" : "yes";
  // A way that is named answers also beside "I don't know", unless its clause denies it.
  if (asksForDetail(context) && (first === undefined || first.frame === "evasion")) {
    const said = first === undefined ? meant : meant.filter((one) => one.concept !== "time_near" && !isDenied(one, spoken));
    const isNamed = own.some(({ frame }) => frame === "retraction") ? namesDespite(said) : names(said);
    if (isNamed || states(spoken, own, "method", "at_hand")) return "yes";
  }
  if (first === undefined || first.frame === "evasion") return "evasion";
  const isNo = ({ clause }: { readonly clause: number }): boolean =>
    own.some((other) => (other.frame === "no" || other.frame === "denial") && other.clause === clause);
  const isWeak = own.some(
    (later) =>
      later.pack === first.pack &&
      later.first < wordsOfAnswer &&
      ((later.frame === "yes" && later.from >= first.to && !isNo(later)) || (later.frame === "unsure" && later.to > first.to)),
  );
  return isWeak ? "evasion" : "no";
}

/** Returns the level of an answer: evasion 1, no 0, yes 2. A yes about a plan, means or a time is 3 after an earlier level 2, or if the text names one. */
function levelOfAnswer(answer: Answer | undefined, meant: readonly Meant[], context: ScreenContext): SafetyLevel {
  const { asked, highest = 0 } = context;
  if (answer === undefined || asked === undefined || asked === "someone" || asked === "willing") return 0;
  if (answer === "evasion") return 1;
  if (answer === "no") return 0;
  return asked !== "suicide" && (highest >= 2 || names(meant)) ? 3 : 2;
}

/** A text with fewer words can be a name or a sound, so it does not count as an uncovered language. */
const leastWords = 4;
/** Least share of a text's words that must be frequent words of its language. */
const leastShare = 0.15;

/** The detected language of a text, and whether a pack covers it. */
interface Language {
  /** Index of the pack, or undefined. */
  readonly pack: number | undefined;
  readonly covered: boolean;
}

/** Tells whether most letters are in an unknown script. It reads the original letters, because folding turns Cyrillic look-alikes into Latin. */
function foreign(text: string): boolean {
  if (/^[\0-\x7F]*$/.test(text)) return false;
  let letters = 0;
  let known = 0;
  for (const character of text.normalize("NFKC")) {
    if (!/\p{L}/u.test(character)) continue;
    letters += 1;
    if (scriptOf(character) !== "other") known += 1;
  }
  return letters > 3 && known * 2 < letters;
}

/** Returns the distinct words of a text with their counts. Repeated words share one list of forms. */
function tally(words: readonly Word[]): readonly { readonly word: Word; readonly times: number }[] {
  const counts = new Map<readonly string[], { readonly word: Word; times: number }>();
  for (const word of words) {
    const known = counts.get(word.forms);
    if (known === undefined) counts.set(word.forms, { word, times: 1 });
    else known.times += 1;
  }
  return [...counts.values()];
}

/** Fewer letters can be a sound, a name or an abbreviation. */
const leastLetters = 7;
/** Log-odds from which a text is in a language that no pack covers, by how much there is to go by. */
const strange = { oneWord: 4, short: 2, usual: 0, unspoken: -1.5 };

const isName = (text: string): boolean => /^(?:\p{Lu}[\p{L}\p{M}'’-]+[\s.,!?]*){1,3}$/u.test(text.trim());

/** What is known beside the weights: the language of earlier messages, and whether the text has frequent words of a pack. */
interface Known {
  readonly spoken: string | undefined;
  readonly isSpoken: boolean;
}

/** Tells whether a text is in none of the languages that the weights know as covered. A few words after a covered message rather belong to its language. */
function isStrange(text: string, weights: LanguageWeights, { spoken, isSpoken }: Known): boolean {
  if (isName(text)) return false;
  const words = spokenWords(text);
  if (words.length === 0 || words.reduce((sum, { length }) => sum + length, 0) < leastLetters) return false;
  const many = words.length < leastWords ? (spoken === undefined ? "usual" : "short") : isSpoken ? "usual" : "unspoken";
  return strangeness(words, weights) > strange[words.length === 1 ? "oneWord" : many];
}

/**
 * Detects the language of a text by its script and its frequent words, and by the language weights whether a pack covers it. If two packs match equally,
 * the `spoken` language of earlier messages decides.
 */
function languageOf(text: string, words: readonly Word[], packs: readonly CompiledPack[], spoken?: string): Language {
  if (foreign(text.slice(0, 600))) return { pack: undefined, covered: false };
  const said = tally(words);
  const scripts = new Map<string, number>();
  for (const { word, times } of said) {
    const [form = ""] = word.forms;
    const script = scriptOf(form);
    scripts.set(script, (scripts.get(script) ?? 0) + times * (standsAlone(form) ? 0.5 : 1));
  }
  const [script] = [...scripts].toSorted((one, other) => other[1] - one[1])[0] ?? ["Latin"];
  const weights = packs.find((pack) => pack.languages !== undefined)?.languages;
  if (script !== "Latin") {
    const pack = packs.findIndex((candidate) => candidate.script === script);
    // Words without blanks between them cannot be told apart, so the script decides.
    const covered =
      pack !== -1 &&
      (script === "Han" || weights === undefined || packs[pack]?.languages === undefined || !isStrange(text, weights, { spoken, isSpoken: true }));
    return { pack: covered ? pack : undefined, covered };
  }
  let best = { pack: -1, count: 0 };
  for (const [pack, { detect, abbreviations, language }] of packs.entries()) {
    let count = 0;
    for (const { word, times } of said)
      if (word.forms.some((form) => detect.has(form)) || abbreviations.has(word.written ?? word.forms[0] ?? "")) count += times;
    if (count > best.count || (count === best.count && count > 0 && language === spoken)) best = { pack, count };
  }
  const share = words.length === 0 ? 1 : best.count / words.length;
  const marked = /[\u00C0-\u024F\u1E00-\u1EFF]/.test(text);
  const isSpoken = share >= leastShare;
  // The weights know only the packs that carry them. Of another pack, its own frequent words tell.
  const isOwn = isSpoken && best.count > 0 && packs[best.pack]?.languages === undefined;
  const isShort = words.length < (marked ? 2 : leastWords);
  const covered = weights === undefined || isOwn ? isSpoken || isShort : !isStrange(text, weights, { spoken, isSpoken });
  return { pack: best.count > 0 && share >= leastShare ? best.pack : undefined, covered };
}
