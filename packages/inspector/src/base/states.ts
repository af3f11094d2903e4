/** States of a session at offsets, as the service folds them. Those that were read lately are kept: a state at an offset never changes. */
import { RequestError, type ResultOf } from "@throughline/client";
import { client } from "./page-service.ts";

export type StateAt = ResultOf<"getState">;
type View = "internal" | "output" | "public";

/** How many states are kept. */
const mostKept = 60;
const kept = new Map<string, StateAt>();
const views = ["internal", "output", "public"] as const satisfies readonly View[];
/** The first view that the caller may read. */
let view = 0;

/** Reads the state at an offset, in the widest view that the key allows. */
export async function stateAt(session_id: string, at: number, signal: AbortSignal): Promise<StateAt> {
  const name = `${session_id} ${at}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  for (;;) {
    try {
      const state = await client().call("getState", { path: { session_id }, query: { at, view: views[view] ?? "public" }, signal });
      kept.set(name, state);
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
      return state;
    } catch (error) {
      if (!RequestError.is(error, "auth.forbidden") || view >= views.length - 1) throw error;
      view += 1;
    }
  }
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
