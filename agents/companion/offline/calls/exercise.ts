/** The calls `exercise_selection` and `exercise_reply`: what rules can say where the exercises' own rules were not sure. */
import type { Json } from "throughline";
import { says } from "../cues/all.ts";
import { approachOf } from "../understand/style.ts";
import { folded, lengthOf } from "../words/fold.ts";
import type { Asked } from "./asked.ts";

/** Which of the exercises on offer suits what somebody says of how they are; each by what stands in its id. */
const suits: readonly (readonly [hint: RegExp, cues: RegExp])[] = [
  [/breath/u, /breath|calm|panic|tense|sleep|asleep|stress|heart|anx|atem|ruhig|respir|calma|dormir|dorm|呼吸|冷静|睡/u],
  [
    /grounding_5|senses|grounding(?!_box)/u,
    /ground|overwhelm|unreal|spinning|spiral|far away|flashback|dissoc|here and now|überfordert|abrumad|submerg|sobrecarreg|崩溃/u,
  ],
  [/thought|record/u, /thought|thinking|believ|self-crit|mistake|failure|what if|worr|gedanke|pensamient|pensée|pensament|想法|担心/u],
  [/value|compass/u, /value|matter|meaning|purpose|direction|import|decid|werte|valor|valeur|价值|意义/u],
];

const byApproach: Readonly<Record<string, RegExp>> = {
  dbt_skills: /grounding|breath/u,
  pfa: /grounding|breath/u,
  cbt: /thought/u,
  act: /value|compass|defusion/u,
};

interface Offered {
  readonly id: string;
}

const offeredIn = ({ members }: Asked): readonly Offered[] => {
  const given = members["exercises"] ?? members["available"];
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) =>
    typeof one === "object" && one !== null && "id" in one && typeof one.id === "string" ? [{ id: one.id }] : [],
  );
};

/** Chooses by what the message says, then by the message before it, then by the approach they call for; else none. */
export function exerciseSelection(asked: Asked): Json {
  const offered = offeredIn(asked);
  const earlier = asked.before.findLast(({ role }) => role === "user")?.text ?? "";
  for (const [text, confidence] of [
    [folded(asked.message), "high"],
    [folded(earlier), "medium"],
  ] as const) {
    const hint = suits.find(([ids, cues]) => cues.test(text) && offered.some(({ id }) => ids.test(id)))?.[0] ?? byApproach[approachOf(text)];
    const chosen = hint === undefined ? undefined : offered.find(({ id }) => hint.test(id));
    if (chosen !== undefined) return { exercise_type: chosen.id, reasoning: "suits what they say of how they are", confidence };
  }
  return { exercise_type: "", reasoning: "nothing says which", confidence: "low" };
}

/** What an answer does to its step. Whoever wants to stop may stop; a tie stays where it is. */
export function exerciseReply({ message, members }: Asked): Json {
  const text = folded(message);
  const answer = (result: "complete" | "hold" | "stuck" | "exit", reasoning: string): Json => ({ result, reasoning });
  if (says(text, "exits")) return answer("exit", "wants to stop");
  const stuck = says(text, "stuck");
  const holds = says(text, "holds");
  const done = says(text, "done");
  if (holds || (stuck && done)) return answer("hold", "is still at it");
  if (stuck) return answer("stuck", "cannot do the step");
  if (done) return answer("complete", "says that it is done");
  const isAsking = /[?？]\s*$/u.test(text);
  // A step that is to be confirmed is not done by talk of something else.
  const { step } = members;
  const confirms = typeof step === "object" && step !== null && "completion_mode" in step && step.completion_mode === "confirmation";
  return isAsking || confirms || lengthOf(text) < 3
    ? answer("hold", "nothing says that it is done")
    : answer("complete", "an answer in words of their own");
}
