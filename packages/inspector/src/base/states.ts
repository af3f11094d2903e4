/** States of a session at offsets, as the service folds them. Those that were read lately are kept: a state at an offset never changes. */
import type { ResultOf } from "@throughline/client";
import { key } from "./page-access.ts";
import { readWith } from "./page-actions.ts";
import { client } from "./page-service.ts";

/** The scope that more than the public part of a state needs. */
export const stateScope = "state:read";

export type StateAt = ResultOf<"getState">;

/** How many states are kept. */
const mostKept = 60;
const kept = new Map<string, StateAt>();

/** Reads the state at an offset: the whole one, or its public part without the scope for it. */
export async function stateAt(session_id: string, at: number, signal: AbortSignal): Promise<StateAt> {
  // Another key may not see what this one sees.
  const name = `${session_id} ${at} ${key.peek() ?? ""}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const state = await readWith(stateScope, (isWhole) =>
    client().call("getState", { path: { session_id }, query: { at, view: isWhole ? "internal" : "public" }, signal }),
  );
  kept.set(name, state);
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  return state;
}

/** Two states of one session. */
export interface StatePair {
  readonly before: StateAt | undefined;
  readonly after: StateAt;
}

/** The state at an offset, and the one before its last change. */
export async function stateWithLast(session_id: string, at: number, signal: AbortSignal): Promise<StatePair> {
  const after = await stateAt(session_id, at, signal);
  const before = after.state_offset === 0 ? undefined : await stateAt(session_id, after.state_offset - 1, signal);
  return { before, after };
}

/** The states at two offsets. */
export async function statesAt(session_id: string, from: number, to: number, signal: AbortSignal): Promise<StatePair> {
  const [before, after] = await Promise.all([stateAt(session_id, from, signal), stateAt(session_id, to, signal)]);
  return { before, after };
}
