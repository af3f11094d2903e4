import type { SafetyLevel } from "../assessment.ts";
import { answerOf, levelOfAnswer } from "./answer.ts";
import { compilePacks, type CompiledPacks } from "./compiled.ts";
import { compose, isExplicit, risksOf, type Composed } from "./compose.ts";
import { contextReader } from "./context.ts";
import { evidenceOf, type Evidence } from "./evidence.ts";
import { framed, type Meant } from "./framing.ts";
import { languageOf } from "./language.ts";
import { withoutLeaveTaking } from "./leave-taking.ts";
import type { Word } from "./matcher.ts";
import type { RulePack } from "./pack.ts";
import type { Screen, ScreenContext, Screened, ScreenMatch } from "./screened.ts";
import { tokenize } from "./tokens.ts";
import { weigh } from "./weigh.ts";
import { readWords } from "./words.ts";

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
export interface Looked {
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
