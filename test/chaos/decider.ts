/** People who decide what turns wait with: as it comes, in time or not. */
import { type DecideOptions, type JsonObject, type Pending, type Session, ThroughlineError } from "../../packages/throughline/src/index.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";

/** What a call of any of the tools is told. */
export const textOf = ({ text }: JsonObject): string => (typeof text === "string" ? text : "");

/** A word on a call; none, for somebody who leaves it to its expiry. */
export function wordOn({ call_id, index, arguments_hash, kind, arguments: given }: Pending, seed: number): DecideOptions | undefined {
  const dice = createChooser(seed);
  // Always the same calls: whoever looks again leaves them alone too.
  if (/^[01]/.test(arguments_hash)) return undefined;
  const on = { call_id, index, arguments_hash, by: "somebody" };
  if (dice.chance(0.15)) return { ...on, decision: "reject", feedback: "Not like this." };
  // Nothing that anybody knows is a rejection.
  if (dice.chance(0.1)) return { ...on, decision: "perhaps" };
  if (kind === "question") return { ...on, decision: "answer", answer: dice.integer(0, 9) };
  return dice.chance(0.6)
    ? { ...on, decision: "approve" }
    : { ...on, decision: "edit", arguments: { text: `${textOf(given)} edited ${dice.integer(0, 9)}` } };
}

/** Looks at what a session waits with, and says a word on it. A decision that somebody else has made is no fault. */
export async function decideAll(session: Session, seed: number): Promise<void> {
  const { calls } = await session.pending();
  for (const [index, call] of calls.entries()) {
    const word = wordOn(call, seed + index);
    if (word === undefined) continue;
    try {
      await session.decide(word);
    } catch (error) {
      if (!ThroughlineError.is(error, "approval.not_pending", "approval.stale", "session.conflict")) throw error;
    }
  }
}
