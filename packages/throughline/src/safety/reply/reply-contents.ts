/** Checks that a model's crisis reply contains what it must: a response to the message, the question of the plan, and help. */
import type { PlanStep } from "../crisis-plan.ts";
import type { Expanded } from "../resources/resource-lookup.ts";
import type { ScreenContext } from "../screen/screened.ts";
import { folded, type SafetyPhrases } from "./safety-phrases.ts";

/** What a reply lacks. The audit names it beside what the guard removed. */
export const missingKinds = ["missing_response", "missing_question", "missing_help"] as const;
/** What a reply lacks. */
export type MissingKind = (typeof missingKinds)[number];

/** A reply to check. */
interface Written {
  /** As the model wrote it, with placeholders. */
  readonly text: string;
  readonly expanded: Pick<Expanded, "resources" | "directory" | "emergency">;
  /** The safety question that it asks, as the screen reads it. */
  readonly asks: ScreenContext["asked"];
  readonly step: PlanStep;
  /** The message that it answers. */
  readonly message: string;
  readonly phrases: readonly SafetyPhrases[];
}

const sentence = /[^.!?？؟。！।\n]+[.!?？؟。！।]*/gu;
const placeholders = /\[{2,}[^[\]\n]*\]{2,}|\{{2,}[^{}\n]*\}{2,}/gu;
const sentencesOf = (text: string): readonly string[] => text.replaceAll(placeholders, "\n").match(sentence) ?? [];
const isQuestion = (text: string): boolean => /[?？؟]/u.test(text);

/** Letters of a word that two forms of it share, and of a script that is written without spaces. */
const wordBeginning = 5;
const spaceless = /[\p{Script=Han}]{2}/gu;

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set([
    ...(text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []).filter((word) => word.length >= wordBeginning).map((word) => word.slice(0, wordBeginning)),
    ...(text.match(spaceless) ?? []),
  ]);

/** Tells whether a statement, not a question, takes up what was said: with a word of the message, or in words that acknowledge it. */
function responds({ text, message, phrases }: Written): boolean {
  const statements = sentencesOf(text)
    .filter((one) => !isQuestion(one))
    .join(" ")
    .toLowerCase();
  const said = wordsOf(message);
  return (
    phrases.some(({ acknowledges }) => acknowledges.some((part) => statements.includes(part.toLowerCase()))) ||
    [...wordsOf(statements)].some((word) => said.has(word))
  );
}

/** The questions of the plan that the screen tells apart. The others are asked in too many ways. */
const readAs: Partial<Readonly<Record<NonNullable<PlanStep["ask"]>, readonly ScreenContext["asked"][]>>> = {
  suicide: ["suicide"],
  last_time: ["suicide", undefined],
  plan: ["plan", undefined],
  means: ["plan", undefined],
  time: ["plan", undefined],
};

/** Tells whether a question has words of one of the plan; any question can ask how it was, where somebody is, or whether they are safe. */
function isAbout(question: string, ask: NonNullable<PlanStep["ask"]>, phrases: readonly SafetyPhrases[]): boolean {
  if (ask === "location" || ask === "reached" || ask === "check_in" || ask === "safe") return true;
  const said = folded(question);
  return phrases.some(({ asks }) => asks[ask].some((part) => said.includes(folded(part).trim())));
}

/** Tells whether the last sentence asks the question of the step. Without one, the reply asks no safety question. */
function asksFor({ text, step: { ask }, asks, phrases }: Written): boolean {
  if (ask === undefined) return asks === undefined;
  const last = sentencesOf(text).findLast((one) => one.trim() !== "");
  return last !== undefined && isQuestion(last) && (readAs[ask] ?? [undefined]).includes(asks) && isAbout(last, ask, phrases);
}

/** Tells whether the reply names the services and the emergency number that the step gives. */
const names = ({ expanded: { resources, directory, emergency }, step: { give } }: Written): boolean =>
  (!give.includes("resources") || resources.length > 0 || directory) &&
  (!(give.includes("emergency") || give.includes("emergency_if") || give.includes("pause")) || emergency);

/** Returns what the reply lacks. */
export function missingIn(written: Written): readonly MissingKind[] {
  return [
    ...(responds(written) ? [] : ["missing_response" as const]),
    ...(asksFor(written) ? [] : ["missing_question" as const]),
    ...(names(written) ? [] : ["missing_help" as const]),
  ];
}
