/** The session of a child agent's call. It is the same one whichever process opens it, and however often. */
import type { Budget } from "../../execution/ledger.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import { createdEvent } from "../../session/new-event.ts";
import { initialState } from "../../state/document.ts";
import { project } from "../../state/views.ts";
import type { Turn } from "../turn/begin.ts";
import { commitOnce, loadSession, refused } from "../../extension/commit.ts";
import { agentOf } from "../context.ts";
import type { AnyState } from "../turn/journal.ts";
import { isIncognito, subagentLabel, withIncognito } from "../../session/session-view.ts";
import { accept } from "../turn/turn.ts";
import { childKeyOf } from "./lineage.ts";
import type { Subagent } from "./subagent.ts";

/** A call of a child agent from its parent's loop. */
export interface SubagentCall {
  readonly call_id: string;
  /** Idempotency key, the same whenever the call is repeated. */
  readonly key: string;
  /** The bound and validated arguments. */
  readonly args: unknown;
  /** The parent's state. */
  readonly state: AnyState;
  /** Aborts with the parent's turn, or when the budget's time has run out. */
  readonly signal: AbortSignal;
  /** The part of the parent's budget that is reserved for it. */
  readonly budget: Budget;
}

/** Maximum number of changes of the session's owner during the creation. */
const tries = 5;

/** Returns the session of the call. Creates it under the same owner if necessary. */
export async function openChild(turn: Turn, { child }: Subagent, call: SubagentCall, depth: number): Promise<SessionId> {
  const { runtime, claim } = turn;
  const agent = agentOf(runtime, child.agent.name);
  const { session_id, turn: row } = claim;
  const { call_id, budget } = call;
  const open_key = childKeyOf(call.key);
  const parent = { session_id, turn_id: row.turn_id, call_id, depth, budget: budget as JsonObject };
  const created = createdEvent({ agent: agent.name, definition: agent.version, state: initialState(agent.state), parent }, row.trace_id);
  // An incognito session has incognito child sessions.
  const header = withIncognito({ labels: [subagentLabel] }, isIncognito(turn.loaded.session));
  let { owner_id } = turn.loaded.session;
  for (let attempt = 1; ; attempt++) {
    const there = await runtime.store.open({ open_key });
    if (there !== undefined) return there.session_id;
    const id = runtime.ids.next("session");
    const create = { owner_id, agent: agent.name, agent_version: agent.version, open_key };
    const result = await commitOnce(runtime, { session: { session_id: id, create, events: [created], header } });
    if (result.outcome === "committed") return id;
    if (result.reason === "session_exists") return result.session_id;
    if (result.reason !== "owner_missing" || attempt === tries) throw refused(result, id);
    // The parent's session was identified in between, and belongs to another owner now.
    ({ owner_id } = (await loadSession(runtime, session_id)).session);
  }
}

/** Sends the child its task, once. Returns the offset of the message. */
export async function askChild(turn: Turn, tool: Subagent, call: SubagentCall, session_id: SessionId): Promise<number> {
  const { runtime } = turn;
  const agent = agentOf(runtime, tool.child.agent.name);
  const incoming = { ...messageOf(turn, tool, call), idempotencyKey: "call", traceId: turn.claim.turn.trace_id };
  try {
    const { offset } = await accept(runtime, { session_id, agent, fenced: () => {}, hurried: () => {} }, incoming);
    return offset;
  } catch (error) {
    // The parent's state has changed since the first message. The child works on that first message.
    const first = ThroughlineError.is(error, "session.idempotency_mismatch") ? error.details["offset"] : undefined;
    if (typeof first !== "number") throw error;
    return first;
  }
}

function messageOf({ agent }: Turn, { name, child, inputsFromState }: Subagent, { args, state }: SubagentCall) {
  const given = args as JsonObject;
  const text = child.prompt(given);
  if (typeof text !== "string" || text.trim() === "")
    throw new ThroughlineError("tool.arguments_invalid", `Agent "${name}" needs a prompt that is not blank.`);
  const asked = child.input?.(given) ?? {};
  if (!isPlainObject(asked)) throw new ThroughlineError("tool.failed", `The \`input\` of child agent "${name}" made no object.`);
  const values = Object.keys(inputsFromState).length === 0 ? {} : project(agent.state, state, "internal");
  const input: Record<string, unknown> = { ...asked };
  const start: Record<string, unknown> = {};
  for (const [from, to] of Object.entries(inputsFromState)) {
    const value = values[from];
    if (value === undefined) continue;
    if (child.agent.state.fields[to]?.lifecycle === "input") input[to] = value;
    else start[to] = value;
  }
  return {
    text,
    ...(Object.keys(input).length === 0 ? {} : { input: input as JsonObject }),
    ...(Object.keys(start).length === 0 ? {} : { start: start as JsonObject }),
  };
}
