/** Ends and erases the sessions of child agents whose call or parent is over. */
import { eventsOf, itemsOf } from "../../extension/lists.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Command } from "../../session/decide-command.ts";
import { decodeEvent } from "../../session/fold.ts";
import { isLabelled, subagentLabel } from "../../session/session-view.ts";
import type { Erased, LoadedSession, SessionRow, SessionSelector, Store, TurnRow } from "../../store/port.ts";
import { execute, type Executed, type ExecuteOptions } from "../commands/execute.ts";
import type { RuntimeContext } from "../context.ts";
import { childKeyOf, parentOf } from "./parent-turn.ts";

/** Commits a command that may end the running turn from outside. Then ends the work of that turn's child agents. */
export async function executeEnding(
  runtime: RuntimeContext,
  session_id: SessionId,
  command: (loaded: LoadedSession) => Command | Promise<Command>,
  options: ExecuteOptions = {},
): Promise<Executed | undefined> {
  let open: TurnRow | undefined;
  const result = await execute(
    runtime,
    session_id,
    (loaded) => {
      open = loaded.turns.find(({ status }) => status === "running");
      return command(loaded);
    },
    options,
  );
  if (result?.fenced === true && open !== undefined) await stopChildren(runtime, open);
  return result;
}

/** Ends the turn of a child agent, and the work of its own children. */
export async function stopChild(runtime: RuntimeContext, session_id: SessionId, message: string): Promise<void> {
  await executeEnding(runtime, session_id, () => ({ type: "stop_turn", message }));
}

/** Ends the child agent's work for the call with that key, if it exists. */
export async function stopCall(runtime: RuntimeContext, key: string): Promise<void> {
  const child = await runtime.store.open({ open_key: childKeyOf(key) });
  if (child !== undefined && isLabelled(child)) await stopChild(runtime, child.session_id, "Its call has ended.");
}

/** Ends the work of child agents for the calls without a result of an ended turn. The turn's end is final, even if this fails. */
async function stopChildren(runtime: RuntimeContext, turn: TurnRow): Promise<void> {
  try {
    for (const key of await openCalls(runtime, turn)) await stopCall(runtime, key);
  } catch (error) {
    runtime.logger.warn("child agents not stopped", { turn_id: turn.turn_id, code: ThroughlineError.from(error).code }, error);
  }
}

/** Returns keys of the calls of a turn that were started and have no result. */
async function openCalls(runtime: RuntimeContext, { session_id, turn_id, trace_id, started_offset }: TurnRow): Promise<readonly string[]> {
  const keys = new Map<string, string>();
  if (started_offset === undefined) return [];
  for await (const stored of eventsOf(runtime.store, { session_id, min_offset: started_offset, kinds: ["tool"], trace_id, withdrawn: true })) {
    const { kind, data, turn_id: its } = decodeEvent(stored);
    if (kind !== "tool" || its !== turn_id) continue;
    if (data.type === "called") keys.set(data.call_id, data.key);
    else keys.delete(data.call_id);
  }
  return [...keys.values()];
}

/**
 * Erases a session, then the sessions of its child agents. Returns the receipt of the session itself. With `head`, erases nothing if the log has
 * grown past it. A fork of this session keeps its log, but not the children's.
 */
export async function eraseFamily(store: Store, target: { readonly session_id: SessionId; readonly head?: number }): Promise<Erased> {
  // Their ids are in the log, which the erasure deletes.
  const children = await childrenOf(store, target.session_id);
  const erased = await store.erase(target);
  if (erased.erasure_id === undefined) return erased;
  for (const session_id of children) await eraseFamily(store, { session_id });
  return erased;
}

/** Returns the sessions of child agents for calls of this session. Calls in shared events belong to the other session. */
async function childrenOf(store: Store, session_id: SessionId): Promise<readonly SessionId[]> {
  const session = await store.open({ session_id });
  if (session === undefined) return [];
  const children: SessionId[] = [];
  for (const selector of await callsIn(store, session)) {
    const child = await store.open(selector);
    // An imported copy with a new id names child sessions that are not its own.
    if (child !== undefined && (await parentOf({ store }, child))?.session_id === session_id) children.push(child.session_id);
  }
  if (session.first_offset === 0) return children;
  // Retention has deleted the calls at the beginning. The first events of their sessions name the parent.
  for await (const row of itemsOf(store, { of: "sessions", owner_id: session.owner_id, labels: [subagentLabel] }))
    if (!children.includes(row.session_id) && (await parentOf({ store }, row))?.session_id === session_id) children.push(row.session_id);
  return children;
}

/** Returns how to find the sessions of the calls in a log. A finished call names its session; an unfinished one is found by its key. */
async function callsIn(store: Store, { session_id, first_offset }: SessionRow): Promise<Iterable<SessionSelector>> {
  const calls = new Map<string, SessionSelector>();
  for await (const stored of eventsOf(store, { session_id, min_offset: first_offset, kinds: ["tool"], withdrawn: true })) {
    const { kind, data } = decodeEvent(stored);
    if (kind !== "tool" || stored.origin !== undefined) continue;
    if (data.type === "called" && data.effects === "idempotent") calls.set(data.call_id, { open_key: childKeyOf(data.key) });
    if (data.type === "returned" && data.child === undefined) calls.delete(data.call_id);
    if (data.type === "returned" && data.child !== undefined) calls.set(data.call_id, { session_id: data.child });
  }
  return calls.values();
}
