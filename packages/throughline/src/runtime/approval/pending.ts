/** What a session waits with for somebody's word, with all that is needed to decide. */
import type { SessionId, StepId, TurnId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { PendingCall, ToolCall } from "../../session/event.ts";
import { undecided } from "../../session/pending-calls.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { LoadedSession, TurnRow } from "../../store/port.ts";
import { loadSession } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import { eventsOf } from "../../extension/lists.ts";
import { pauseOf } from "./pause-of.ts";

/** A call, or a question of one, that a paused turn waits with. */
export interface Pending extends PendingCall {
  /** What the call runs with if it is approved as it is. */
  readonly arguments: JsonObject;
  /** The turn that waits. */
  readonly turn_id: TurnId;
  /** When it was asked. */
  readonly asked_at: number;
}

/** What it takes to look at pauses; agents that are not there have no say. */
export type Looking = Pick<RuntimeContext, "store" | "agents" | "clock">;

/** A session as it stands, and what its turn waits with; for one whose agent is not registered too. */
export async function pendingOf(
  runtime: Looking,
  session_id: SessionId,
): Promise<{ readonly loaded: LoadedSession; readonly pending: readonly Pending[] }> {
  const loaded = await loadSession(runtime, session_id);
  const running = loaded.turns.find(({ status }) => status === "running");
  const pause = pauseOf(loaded, runtime.agents.get(loaded.session.agent), runtime.clock.now());
  const asked = undecided(pause);
  if (running === undefined || pause === undefined || asked.length === 0) return { loaded, pending: [] };
  const own = await callsOf(runtime, running, pause.step_id);
  const pending: Pending[] = [];
  for (const { call, asked_at } of asked) {
    const args = call.child === undefined ? (call.arguments ?? own.get(call.call_id)) : await childArguments(runtime, call, call.child);
    // What a child does not wait with any more was decided there.
    if (args !== undefined) pending.push({ ...call, arguments: args, turn_id: running.turn_id, asked_at });
  }
  return { loaded, pending };
}

/** The arguments of a child agent's call, which its parent knows as `call/call of the child`. */
async function childArguments(runtime: Looking, { call_id, index, arguments_hash }: PendingCall, child: SessionId): Promise<JsonObject | undefined> {
  if ((await runtime.store.open({ session_id: child })) === undefined) return undefined;
  const { pending } = await pendingOf(runtime, child);
  return pending.find((one) => call_id.endsWith(`/${one.call_id}`) && one.index === index && one.arguments_hash === arguments_hash)?.arguments;
}

/** What the message of a step asks for: arguments by call. */
async function callsOf(runtime: Looking, turn: TurnRow, step_id: StepId): Promise<ReadonlyMap<string, JsonObject>> {
  const { session_id, turn_id, trace_id, started_offset = 0 } = turn;
  let calls: readonly ToolCall[] = [];
  for await (const stored of eventsOf(runtime.store, { session_id, min_offset: started_offset, kinds: ["message"], trace_id })) {
    const event = decodeEvent(stored);
    if (event.kind === "message" && event.turn_id === turn_id && event.data.origin?.step_id === step_id) calls = event.data.calls ?? calls;
  }
  return new Map(calls.map((call) => [call.call_id, call.arguments]));
}
