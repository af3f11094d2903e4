/** The wording of an exercise: its language, and the phrases around its steps. */
import { exerciseWords, type Outcome, quotation } from "./exercise-cues.ts";
import { type ExerciseDefinition, type ExerciseLanguage, exerciseLanguages, type ExerciseStep } from "./exercise-definition.ts";
import type { ExerciseMove } from "./exercise-turn.ts";
import de from "./phrases/de.data.json" with { type: "json" };
import en from "./phrases/en.data.json" with { type: "json" };
import es from "./phrases/es.data.json" with { type: "json" };
import fr from "./phrases/fr.data.json" with { type: "json" };
import pt from "./phrases/pt.data.json" with { type: "json" };
import zh from "./phrases/zh.data.json" with { type: "json" };

interface Telling {
  readonly language: ExerciseLanguage;
  readonly words: RegExp;
}

let telling: readonly Telling[] | undefined;

/** Returns the words that identify each language. Compiles them for the first text. */
const tellingWords = (): readonly Telling[] =>
  (telling ??= exerciseLanguages.flatMap((language) => {
    const { tells } = exerciseWords[language];
    return tells === undefined ? [] : [{ language, words: new RegExp(`(?<!\\p{L})(?:${tells})(?!\\p{L})`, "gu") }];
  }));

const known = (language: string | undefined): ExerciseLanguage | undefined => {
  const [primary] = (language ?? "").toLowerCase().split("-");
  return exerciseLanguages.find((one) => one === primary);
};

/** Detects the language of a text by its most common words; undefined if there are too few. */
export function languageIn(text: string): ExerciseLanguage | undefined {
  const folded = text.slice(0, 2_000).toLowerCase().replaceAll("’", "'");
  if (/\p{Script=Han}/u.test(folded) && !/[ぁ-ヿ가-힣]/u.test(folded)) return "zh";
  const counts = tellingWords()
    .map(({ language, words }) => ({ language, hits: new Set(folded.match(words)).size }))
    .toSorted((a, b) => b.hits - a.hits);
  const [best, second] = counts;
  return best !== undefined && best.hits >= 2 && best.hits > (second?.hits ?? 0) ? best.language : undefined;
}

/** Returns the language of the reply: that of the message, then of earlier messages, newest first, then the gate's, then English. */
export const languageFor = (message: string, before: readonly string[], given?: string): ExerciseLanguage =>
  [message, ...before.slice(-8).toReversed()].map(languageIn).find((language) => language !== undefined) ?? known(given) ?? "en";

/** Phrases, as `phrases.schema.json` describes them. A declared type keeps the JSON out of the package's declarations. */
type ExercisePhrases = Readonly<Record<Exclude<Spoken, "next"> | "some" | "practical" | "offer" | "offer_one" | "none", string>> & {
  readonly next: readonly string[];
  readonly record: Readonly<Record<"did" | "words" | Outcome["went"], string>>;
};

export const exercisePhrases: Readonly<Record<ExerciseLanguage, ExercisePhrases>> = { en, es, de, fr, pt, zh };

/** The kind of text: a move of the exercise, or a side answer. */
type Spoken = ExerciseMove | "skipped" | "unwell" | "ask" | "waiting" | "aside" | "later" | "glad" | "sorry" | "noted" | "clarify" | "explain";

/** Input of a directive. */
export interface SpokenMove {
  readonly move: Spoken;
  readonly exercise: ExerciseDefinition;
  /** The person's current step; the last one at the end and on exit. */
  readonly index: number;
  readonly language: ExerciseLanguage;
  /** Items named on the step so far. */
  readonly items?: number;
}

const filled = (template: string, values: Readonly<Record<string, string | number>>): string =>
  template.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => String(values[name] ?? whole));

/** Returns the display name of an exercise. */
const nameIn = ({ translations, display_name }: ExerciseDefinition, language: ExerciseLanguage): string =>
  translations[language]?.display_name ?? display_name;

/** Returns a language that the exercise is fully written in, so that a reply never mixes two. */
const spokenIn = ({ translations }: ExerciseDefinition, language: ExerciseLanguage): ExerciseLanguage =>
  translations[language] === undefined ? "en" : language;

function textOfStep(
  { translations }: ExerciseDefinition,
  step: ExerciseStep,
  language: ExerciseLanguage,
): { readonly step: string; readonly smaller: string } {
  const { instruction, smaller = instruction } = translations[language]?.steps[step.id] ?? step;
  return { step: instruction, smaller };
}

/** Returns the text of a move, without a model. */
function wordsOf({ move, exercise, index, language: wanted, items = 0 }: SpokenMove): string {
  const language = spokenIn(exercise, wanted);
  const phrases = exercisePhrases[language];
  const step = exercise.steps[index] ?? exercise.steps[0];
  const stepText = step === undefined ? { step: "", smaller: "" } : textOfStep(exercise, step, language);
  const template =
    move === "next"
      ? (phrases.next[(index - 1) % phrases.next.length] ?? phrases.next[0] ?? "")
      : move === "hold" && items > 0
        ? phrases.some
        : phrases[move];
  const { rationale: why, practical = phrases.practical } = exercise.translations[language] ?? exercise;
  return filled(template, { ...stepText, why, practical, name: nameIn(exercise, language), steps: exercise.steps.length, count: items });
}

const names = (exercises: readonly ExerciseDefinition[], language: ExerciseLanguage): string =>
  exercises.map((exercise) => nameIn(exercise, language)).join(language === "zh" ? "、" : ", ");

/** Returns the text if the requested exercise is unclear or none is available. */
const offerOf = (available: readonly ExerciseDefinition[], language: ExerciseLanguage): string =>
  available.length === 0
    ? exercisePhrases[language].none
    : filled(exercisePhrases[language][available.length === 1 ? "offer_one" : "offer"], { names: names(available, language) });

const orders: Readonly<Record<Spoken, string>> = {
  start: "Introduce the exercise in a few words, then give exactly this step and no other.",
  next: "Acknowledge their answer in a few words of your own, then give exactly this step and no other.",
  skipped: "They leave a step out. Accept that in a few words, without praise, then give exactly this step and no other.",
  hold: "Encourage them briefly, then say the same step again. Do not go on.",
  stuck: "Show that being stuck is fine, then give this smaller version of the same step. Do not go on.",
  waiting: "The step was just said. Say in a few words that you are there and that they can take their time; do not say the step again.",
  ask: "It is not clear whether this answers the step. Respond to what they said in a few words, then ask whether to stay with the exercise or to talk about it.",
  aside: "They want to talk about something else. Say that the exercise can wait, and ask what is on their mind. Do not say the step again.",
  later: "They will do this step later. Encourage them in a few words and say that the exercise waits. Do not say the step again.",
  unwell:
    "It does them no good. Take that seriously, tell them to breathe as their body wants, offer to stop, and only then the smaller version. Do not go on.",
  resume: "Welcome them back in a few words, then say the same step again. Do not go on.",
  restart: "Say that the exercise begins again, then give exactly this step and no other.",
  exit: "The exercise is over because they want that. Accept it without asking why, and ask what would help.",
  finish: "The exercise is complete. Name it, ask them to notice their body, ask one open question. Begin no new exercise.",
  glad: "The exercise is complete, and they say what has become better. Acknowledge it in a few words of your own, and begin nothing new.",
  sorry: "The exercise is complete, and they say that they feel worse. Take it seriously, thank them, ask what would help, and begin nothing new.",
  noted: "The exercise is complete, and they say how it was. Acknowledge it in a few words of your own, and begin nothing new.",
  clarify: "They ask how this step is done. Answer that first, do not advance, then offer to go on.",
  explain: "The exercise is paused at this step. Explain briefly why it helps, do not advance, then offer to go on.",
};

const mostCharacters = 900;
const sayMark = "\nSay: ";

/**
 * Returns the prompt text of a move: the person's position, the instruction, and after `Say:` the text that suffices without a model. At most 900
 * characters.
 */
export function directiveOf(spoken: SpokenMove): string {
  const { move, exercise, index } = spoken;
  const head = `Guided exercise "${exercise.display_name}", step ${index + 1} of ${exercise.steps.length} (${move}).`;
  return `${head}\n${orders[move]} In the person's language; keep numbers as they are.${sayMark}${wordsOf(spoken)}`.slice(0, mostCharacters);
}

/**
 * Returns what memory keeps of a completed exercise: the exercise and the day, then what the person wrote as its last step, and how it went. In the
 * language of the conversation.
 */
export function recordOf(
  exercise: ExerciseDefinition,
  {
    language: wanted,
    at,
    words,
    outcome,
  }: { readonly language: ExerciseLanguage; readonly at: number; readonly words?: string | undefined; readonly outcome?: Outcome | undefined },
): string {
  const language = spokenIn(exercise, wanted);
  const { record } = exercisePhrases[language];
  const day = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" }).format(at);
  return [
    filled(record.did, { name: nameIn(exercise, language), day }),
    words === undefined ? "" : filled(record.words, { said: quotation(words, 70) }),
    outcome === undefined ? "" : filled(record[outcome.went], { said: quotation(outcome.said) }),
  ].join("");
}

/** Returns the prompt text if the requested exercise is unclear. */
export const offerDirective = (available: readonly ExerciseDefinition[], language: ExerciseLanguage): string =>
  `An exercise was asked for, and it is not clear which one. Name those that there are, and no others; begin none.${sayMark}${offerOf(available, language)}`.slice(
    0,
    mostCharacters,
  );

/** Returns the prompt text of a paused exercise. */
export const pausedDirective = (exercise: ExerciseDefinition, index: number): string =>
  `The guided exercise "${exercise.display_name}" is paused at step ${index + 1} of ${exercise.steps.length}. ` +
  "Respond to what they say now and do not say the step again; then mention in a few words that the exercise waits.";

/** Returns the text after `Say:` in a directive; undefined if it has none. */
export function saidIn(directive: string): string | undefined {
  const at = directive.indexOf(sayMark);
  return at < 0 ? undefined : directive.slice(at + sayMark.length);
}
