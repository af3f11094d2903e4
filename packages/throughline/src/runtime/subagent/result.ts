/** The result of a child agent's session for the call that opened it. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Event, Outcome } from "../../session/event.ts";
import { isSuperseded } from "../../session/decide-command.ts";
import { textOf } from "../../session/session-messages.ts";
import { spentOf } from "../turn/spent.ts";
import { decodeEvent } from "../../session/fold.ts";
import { messagesField } from "../../state/messages-field.ts";
import { fieldsOf } from "../../state/views.ts";
import type { RuntimeContext } from "../context.ts";
import { eventsOf } from "../../extension/lists.ts";
import { viewAt } from "../reading/outcome.ts";
import type { SubagentRun } from "./run.ts";
import type { Subagent, SubagentResult } from "./subagent.ts";

/** The child's session, and its message. */
interface Asked {
  readonly child: SessionId;
  readonly offset: number;
}

/** Returns the child's answer and its cost, or the reason why there is none. For a running child, returns its cost so far. */
export async function resultOfChild(
  runtime: RuntimeContext,
  tool: Subagent,
  { child, offset }: Asked,
): Promise<Exclude<SubagentRun, { type: "paused" }>> {
  const stored = eventsOf(runtime.store, { session_id: child, kinds: ["message", "tool", "turn"] });
  const events = await Array.fromAsync(stored, (event) => decodeEvent(event));
  const spent = spentOf(events);
  const ended = endOf(events, offset);
  const failed = (why: string, details: JsonObject = {}): SubagentRun & { readonly type: "failed" } => {
    const all = { agent: tool.name, session_id: child, ...details };
    return { type: "failed", error: new ThroughlineError("subagent.failed", `Agent "${tool.name}" ${why}`, { details: all }), child, spent };
  };
  if (ended === undefined) return failed("has not answered: its message was taken back.");
  const { outcome, own } = ended;
  const blank = isBlank(outcome);
  if (outcome.status === "failed" && !blank) return failed(`failed: ${outcome.error.message}`, { code: outcome.error.code });
  const view = await stateOf(runtime, child, ended);
  const names = new Set([...fieldsOf(tool.child.agent.state, "output"), ...tool.child.sources].filter((name) => name !== messagesField));
  const value: SubagentResult = {
    reply: replyOf(own, outcome),
    status: outcome.status === "stopped" ? "stopped" : "completed",
    ...(outcome.status === "stopped" ? { reason: outcome.reason } : {}),
    output: Object.fromEntries(Object.entries(view).filter(([name]) => names.has(name))),
  };
  return { type: "done", value: value as unknown as JsonObject, child, spent };
}

/** The end of the turn that answered a message. */
interface Ended {
  readonly at: number;
  readonly outcome: Outcome;
  readonly answers: readonly number[];
  /** The turn's events. */
  readonly own: readonly Event[];
}

function endOf(events: readonly Event[], offset: number): Ended | undefined {
  for (const event of events.toReversed()) {
    if (event.kind !== "turn" || event.data.type !== "ended" || isSuperseded(event.data.outcome)) continue;
    const own = events.filter(({ turn_id }) => turn_id === event.turn_id);
    const answers = own.flatMap(({ kind, data }) => (kind === "turn" && data.type === "started" ? data.answers : []));
    if (answers.includes(offset)) return { at: event.offset, outcome: event.data.outcome, answers, own };
  }
  return undefined;
}

/** An empty answer fails a turn that a customer waits for. A parent learns that there is no answer. */
const isBlank = (outcome: Outcome): boolean =>
  outcome.status === "failed" && outcome.error.code === "model.invalid_response" && outcome.error.details?.["finish_reason"] !== undefined;

/** Returns the answer. For a stopped turn, returns its last intermediate text. */
function replyOf(own: readonly Event[], outcome: Outcome): string | null {
  const said = own.flatMap(({ kind, data }) => (kind === "message" && data.role === "assistant" ? [data] : []));
  const wanted =
    outcome.status === "completed"
      ? said.findLast(({ origin }) => origin?.is_trace !== true)
      : said.findLast(({ calls, parts }) => calls !== undefined && textOf(parts).trim() !== "");
  return outcome.status === "failed" || wanted === undefined ? null : textOf(wanted.parts);
}

/** Returns the child's state at the end of its turn, including turn fields. */
function stateOf(runtime: RuntimeContext, child: SessionId, { at, answers, own }: Ended): Promise<JsonObject> {
  const patches = own.flatMap(({ kind, data }) => (kind === "turn" && (data.type === "stage" || data.type === "fields") ? (data.patch ?? []) : []));
  return viewAt(runtime, child, { at, answers, patches, view: "internal" });
}
