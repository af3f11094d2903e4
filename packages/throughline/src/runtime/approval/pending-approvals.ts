/** The calls of a session that wait for a decision, with the data for deciding. */
import { loadSession } from "../../extension/commit.ts";
import { eventsOf } from "../../extension/lists.ts";
import type { SessionId, StepId, TurnId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { PendingCall, ToolCall } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import { decisionsOf, type Pause, undecided } from "../../session/pending-calls.ts";
import type { LoadedSession, TurnRow } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";

/** Returns the pending calls of a session's running turn. Depending on the agent, a message that arrived meanwhile counts as a decision. */
export function pauseOf(loaded: LoadedSession, agent: Pick<Agent, "onMessageWhilePaused"> | undefined, now: number): Pause | undefined {
  const running = loaded.turns.find(({ status }) => status === "running");
  if (running === undefined) return undefined;
  const interrupted = agent?.onMessageWhilePaused === "reject" && hasOther(loaded, running.number);
  return decisionsOf(
    loaded.journal.map((stored) => decodeEvent(stored)),
    { now, interrupted },
  );
}

/** Whether a message waits that the turn does not answer. */
export const hasOther = ({ waiting }: Pick<LoadedSession, "waiting">, turn: number): boolean => waiting.some((message) => message.turn !== turn);

/** A pending call of a paused turn, or a question of one. */
export interface Pending extends PendingCall {
  /** Arguments of the call if it is approved unchanged. */
  readonly arguments: JsonObject;
  /** The waiting turn. */
  readonly turn_id: TurnId;
  /** Time of the question. */
  readonly asked_at: number;
}

/** Dependencies for reading pauses. Agents that are not registered have no effect on them. */
export type Looking = Pick<RuntimeContext, "store" | "agents" | "clock">;

/** Returns the current session and the pending calls of its turn. The agent need not be registered. */
export async function pendingOf(
  runtime: Looking,
  session_id: SessionId,
): Promise<{ readonly loaded: LoadedSession; readonly pending: readonly Pending[] }> {
  const loaded = await loadSession(runtime, session_id);
  const running = loaded.turns.find(({ status }) => status === "running");
  const pause = pauseOf(loaded, runtime.agents.get(loaded.session.agent), runtime.clock.now());
  const undecidedCalls = undecided(pause);
  if (running === undefined || pause === undefined || undecidedCalls.length === 0) return { loaded, pending: [] };
  const own = await callsOf(runtime, running, pause.step_id);
  const pending: Pending[] = [];
  for (const { call, asked_at } of undecidedCalls) {
    const args = call.child === undefined ? (call.arguments ?? own.get(call.call_id)) : await childArguments(runtime, call, call.child);
    // A call that the child no longer waits for was decided there.
    if (args !== undefined) pending.push({ ...call, arguments: args, turn_id: running.turn_id, asked_at });
  }
  return { loaded, pending };
}

/** Returns the arguments of a child agent's call. The parent's id for it is `parent call/child call`. */
async function childArguments(runtime: Looking, { call_id, index, arguments_hash }: PendingCall, child: SessionId): Promise<JsonObject | undefined> {
  if ((await runtime.store.open({ session_id: child })) === undefined) return undefined;
  const { pending } = await pendingOf(runtime, child);
  return pending.find((one) => call_id.endsWith(`/${one.call_id}`) && one.index === index && one.arguments_hash === arguments_hash)?.arguments;
}

/** Returns the arguments of each call in a step's message. */
async function callsOf(runtime: Looking, turn: TurnRow, step_id: StepId): Promise<ReadonlyMap<string, JsonObject>> {
  const { session_id, turn_id, trace_id, started_offset = 0 } = turn;
  let calls: readonly ToolCall[] = [];
  for await (const stored of eventsOf(runtime.store, { session_id, min_offset: started_offset, kinds: ["message"], trace_id })) {
    const event = decodeEvent(stored);
    if (event.kind === "message" && event.turn_id === turn_id && event.data.origin?.step_id === step_id) calls = event.data.calls ?? calls;
  }
  return new Map(calls.map((call) => [call.call_id, call.arguments]));
}
