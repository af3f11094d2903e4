/** The screen: reads one message with the rule packs, and finds its level. */
import type { SafetyLevel } from "../assessment.ts";
import { type Evidence, evidenceOf } from "./evidence.ts";
import { framed, type Meant, withoutLeaveTaking } from "./framing.ts";
import type { Word } from "./matcher.ts";
import { type CompiledPacks, compilePacks, type ConceptId, type FrameId, type RulePack } from "./rule-pack.ts";
import { compose, type Composed, isExplicit, risksOf } from "./screen-rules.ts";
import { contextReader, type Screen, type ScreenContext, type Screened, type ScreenMatch } from "./screened.ts";
import { readWords } from "./spelling.ts";
import { languageOf } from "./text-language.ts";
import { tokenize } from "./screen-tokens.ts";
import { weigh } from "./weigh-words.ts";

/** Of a text that is longer, so much is read of its beginning and as much of its end. */
export const mostRead = 4_000;
/** This many turns that were unclear, of the last ten, and one more is held to be a disclosure. */
const unclearBefore = 2;

/** Words of a text; of a long one, of its beginning and end, which share no sentence. */
function wordsIn(text: string, { vocabulary }: CompiledPacks): readonly Word[] {
  const read = (part: string, offset: number): readonly Word[] => readWords(tokenize(part, offset), vocabulary, { text: part, offset });
  if (text.length <= 2 * mostRead) return read(text, 0);
  const head = read(text.slice(0, mostRead), 0);
  const last = (head.at(-1)?.sentence ?? 0) + 1;
  const clause = (head.at(-1)?.clause ?? 0) + 1;
  const tail = read(text.slice(-mostRead), text.length - mostRead);
  return [...head, ...tail.map((word) => ({ ...word, sentence: word.sentence + last, clause: word.clause + clause }))];
}

/** What is reported of what was found: each concept once per place, framed ones as soft, those of the gravest level as hard. */
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

/** What there is in a text, and what the rules make of it. */
interface Looked {
  readonly language: ReturnType<typeof languageOf>;
  readonly evidence: Evidence;
  readonly meant: readonly Meant[];
  readonly decided: Composed;
}

/** Looks at a text with rules alone. */
export function look(text: string, context: ScreenContext, compiled: CompiledPacks): Looked {
  const words = wordsIn(text, compiled);
  const language = languageOf(text, words, compiled.packs, context.language);
  const evidence = evidenceOf(words, compiled, language.pack);
  const meant = withoutLeaveTaking(framed({ evidence, packs: compiled.packs, language: language.pack }), words, context);
  return { language, evidence, meant, decided: compose(meant, context) };
}

const isOfOther = ({ ground }: Composed): boolean => ground.length > 0 && ground.every(({ other }) => other);

/** The level by rules and words together: the words do not tell of whom they are said. Who answers a question, or is in a crisis already, is not taken at their words as a whole. */
function leveled({ language: { pack }, evidence, decided }: Looked, context: ScreenContext, { packs }: CompiledPacks): SafetyLevel {
  const weights = pack === undefined ? undefined : packs[pack]?.weights;
  if (pack === undefined || weights === undefined || context.asked !== undefined || (context.highest ?? 0) >= 2) return decided.level;
  if (isOfOther(decided)) return decided.level;
  return weigh(evidence.words[pack] ?? [], weights, { level: decided.level, sure: isExplicit(decided) });
}

function read(text: string, context: ScreenContext, compiled: CompiledPacks): Screened {
  const looked = look(text, context, compiled);
  const { language, evidence, meant, decided } = looked;
  const weighed = leveled(looked, context, compiled);
  const answer = answerOf(evidence, meant, context);
  const retracted = (context.highest ?? 0) >= 1 && evidence.frames.some(({ frame }) => frame === "retraction");
  const found = Math.max(weighed, levelOfAnswer(answer, meant, context), retracted ? 1 : 0);
  const level: SafetyLevel = found === 1 && (context.unclear ?? 0) >= unclearBefore ? 2 : (([0, 1, 2, 3] as const)[found] ?? 3);
  const counted = meant.filter(({ most, concept }) => most > 0 && concept !== "distress");
  const spoken = language.pack === undefined ? undefined : compiled.packs[language.pack]?.language;
  const tooLong = text.length > 2 * mostRead;
  const risks = risksOf(counted);
  return {
    level,
    matches: [
      ...matchesOf(meant, decided, compiled.packs),
      ...(weighed === decided.level ? [] : [{ id: `${spoken ?? ""}/words`, strength: "soft" as const, span: [0, text.length] as const }]),
    ],
    risk_types: level > 0 && risks.length === 0 ? ["suicide"] : risks,
    subject: isOfOther(decided) ? "other" : "self",
    quality: tooLong || !language.covered ? "degraded" : "full",
    ...(tooLong ? { why_degraded: "too_long" as const } : !language.covered && { why_degraded: "language" as const }),
    distress: meant.some(({ concept, most }) => concept === "distress" && most > 0),
    ...(spoken !== undefined && { language: spoken }),
    ...(answer !== undefined && { answer }),
    concepts: [...new Set(counted.filter(({ other }) => !other).map(({ concept }) => concept))],
  };
}

/** What was compiled last, by the first of its packs: an agent is made for each turn that is run by itself, and compiling takes longer than the turn. */
const last = new WeakMap<RulePack, { readonly packs: readonly RulePack[]; readonly compiled: CompiledPacks }>();

function compiledOnce(packs: readonly RulePack[]): CompiledPacks {
  const [first] = packs;
  const known = first === undefined ? undefined : last.get(first);
  if (known?.packs.length === packs.length && known.packs.every((pack, place) => pack === packs[place])) return known.compiled;
  const compiled = compilePacks(packs);
  if (first !== undefined) last.set(first, { packs: [...packs], compiled });
  return compiled;
}

/** A screen over rule packs. Packs are compiled once, and must not be changed afterwards; `safety.invalid` names a pattern that is wrong. */
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

/** An answer is at the beginning of a message; what is said later is about something else. */
const wordsOfAnswer = 12;
/** A yes comes sooner than that: "…, I guess" at the end of a sentence about something else is none. */
const wordsOfYes = 5;

const isAnswer = (frame: FrameId): boolean => frame === "yes" || frame === "no" || frame === "evasion" || frame === "denial";

/** What answers a question about how, when or with what, by naming it. */
const named = new Set<ConceptId>(["means", "means_in_hand", "time_near", "lethal_place", "do_it", "plan", "kill_self", "preparation"]);

const asksForDetail = ({ asked }: ScreenContext): boolean => asked === "plan" || asked === "means" || asked === "time";

const names = (meant: readonly Meant[]): boolean => meant.some(({ concept, most, other }) => most > 0 && !other && named.has(concept));

/** How a text answers what was asked: whichever of yes, no and evasion comes first; what names a place or a time is a yes; anything else an evasion. */
function answerOf({ frames }: Evidence, meant: readonly Meant[], context: ScreenContext): Answer | undefined {
  if (context.asked === undefined) return undefined;
  const [first] = frames
    .filter(({ frame, first: place }) => isAnswer(frame) && place < (frame === "yes" ? wordsOfYes : wordsOfAnswer))
    .toSorted((one, other) => one.from - other.from || other.to - one.to);
  if (first?.frame === "yes" || (first === undefined && asksForDetail(context) && names(meant))) return "yes";
  return first === undefined || first.frame === "evasion" ? "evasion" : "no";
}

/** What an answer means, by what was asked: yes to thoughts of suicide is a disclosure; yes to a plan, means or a time after it is imminent. */
function levelOfAnswer(answer: Answer | undefined, meant: readonly Meant[], context: ScreenContext): SafetyLevel {
  const { asked, highest = 0 } = context;
  if (answer === undefined || asked === undefined || asked === "someone" || asked === "willing") return 0;
  if (answer === "evasion") return 1;
  if (answer === "no") return 0;
  return asked !== "suicide" && (highest >= 2 || names(meant)) ? 3 : 2;
}
