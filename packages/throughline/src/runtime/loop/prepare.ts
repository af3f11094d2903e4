/** Settles the calls of a step as far as possible before any of them runs: tools, hooks, approvals, arguments. */
import type { Clock } from "../../kernel/clock.ts";
import { type ErrorInfo, seen, ThroughlineError } from "../../kernel/error.ts";
import { jsonEqual, type JsonObject, present } from "../../kernel/json.ts";
import type { Decision, PendingCall, ToolResult } from "../../session/event.ts";
import { argumentsHash, reasonOfRejection } from "../../session/pending-calls.ts";
import { nearest } from "../../state/document.ts";
import { readsFrom, useOf } from "../../tools/schedule.ts";
import type { Tool } from "../../tools/tool.ts";
import { isSubagent } from "../subagent/subagent.ts";
import type { OpenCall, OpenStep } from "./record.ts";
import { stateFor, type Work } from "./work.ts";

/** Known answers and decisions for pending calls. */
export interface Known {
  decisionOn(call_id: string, index: number): { readonly decision: Decision; readonly arguments_hash: string } | undefined;
}

const failed = (error: ThroughlineError): ToolResult => ({ type: "error", error: plain(error) });

/** Returns an error in the form for the log and the model. */
export const plain = (error: ThroughlineError): ErrorInfo => error.toJSON();

/**
 * Settles each call as far as possible before any of them runs: its tool, the results of hooks and decisions, and its arguments. Returns the calls
 * that wait for a decision. If there are any, no call runs yet.
 */
export async function prepare(work: Work, open: OpenStep, known: Known): Promise<readonly PendingCall[]> {
  const pending: PendingCall[] = [];
  // Includes calls with a result from an earlier attempt, because the result may still have to be merged.
  for (const call of open.calls) call.tool = work.settings.tools.find(({ name }) => name === call.call.name);
  for (const call of open.calls) {
    if (call.result !== undefined) continue;
    const others = open.calls.filter((other) => other !== call);
    const waits = await prepareCall(work, call, others, known);
    if (waits !== undefined) pending.push(waits);
  }
  return pending;
}

async function prepareCall(work: Work, call: OpenCall, others: readonly OpenCall[], known: Known): Promise<PendingCall | undefined> {
  const { tool } = call;
  const offered = tool !== undefined && work.offered.includes(tool.name);
  // The recorded effects count. A later change of the tool does not undo the possible effects of the call.
  if (call.called === "once" || (call.called === "idempotent" && !offered)) {
    call.result = { type: "unknown" };
    return undefined;
  }
  if (!offered) {
    call.result = failed(notFound(call.call.name, work.offered));
    return undefined;
  }
  const waits = call.called !== undefined || call.suspended ? unanswered(work, call, known) : await admitted(work, call, tool, known);
  if (waits !== undefined || call.result !== undefined) return waits;
  bind(work, call, tool);
  // The values that it takes from the state may exist once the calls that write them have run.
  const parameters = { ...useOf(call), takesState: false };
  if (call.result !== undefined && others.some((other) => readsFrom(parameters, useOf(other)))) call.result = undefined;
  return undefined;
}

/** Binds a call's arguments to the current state. A call that may already have been made, and cannot be repeated exactly, gets the result `unknown`. */
export function bind(work: Work, call: OpenCall, tool: Tool): void {
  const bound = tool.bind(call.arguments, stateFor(work, tool));
  if (bound.ok) call.live = bound.live;
  else call.result = call.mayHaveRun ? { type: "unknown" } : { type: "error", error: bound.error };
}

function notFound(name: string, offered: readonly string[]): ThroughlineError {
  const near = nearest(name, offered);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return new ThroughlineError("tool.not_found", `There is no tool ${seen(name)}.${hint} There are: ${offered.join(", ") || "none"}.`, {
    details: { name: name.slice(0, 64), tools: [...offered] },
  });
}

/** Returns the unanswered question that a call stopped at, if there is one. */
function unanswered(work: Work, { call }: OpenCall, known: Known): PendingCall | undefined {
  const last = work.record.pending.find((one) => one.call_id === call.call_id && one.kind === "question");
  if (last === undefined || last.child !== undefined) return undefined;
  return known.decisionOn(call.call_id, last.index) === undefined ? last : undefined;
}

/** Applies hooks and decisions to a call before its first start. */
async function admitted(work: Work, call: OpenCall, tool: Tool, known: Known): Promise<PendingCall | undefined> {
  const { call_id, name } = call.call;
  const verdict = await work.hooks.beforeTool(work.execution, { call_id, name, arguments: call.arguments });
  if (verdict.call.name !== name)
    call.result = failed(new ThroughlineError("tool.not_found", `A hook changed the call's tool to ${seen(verdict.call.name)}.`));
  call.arguments = verdict.call.arguments;
  if (verdict.block !== undefined) {
    call.result = { type: "blocked", ...verdict.block };
    return undefined;
  }
  await reuse(work, call, tool);
  // A call that does not run needs no approval.
  if (call.result !== undefined) return undefined;
  const request = verdict.approval ?? ruled(tool, call.arguments);
  return request === undefined ? undefined : approval(work, call, { ...request, tool, known });
}

/** Settles a call with its recorded result, if the session reuses results. Blocks a call that must not run in such a session. */
async function reuse(work: Work, call: OpenCall, tool: Tool): Promise<void> {
  const recorded = await work.recorded();
  if (recorded === undefined) return;
  const found = await recorded.find(tool.name, hashStored(work, call.arguments));
  if (found !== undefined) {
    call.result = found.result;
    call.reused_from = found.offset;
    if (found.control !== undefined) call.control = found.control;
  } else if (tool.effects === "once" || isSubagent(tool)) {
    const reason = `This session reuses recorded results, and there is none of "${tool.name}" for these arguments. The call did not run.`;
    call.result = { type: "blocked", by: "fork", reason };
  }
}

interface ApprovalRequest {
  readonly by: string;
  readonly question: string | undefined;
}

/** Whether the tool itself requires approval. A rule that throws requires it. */
function ruled(tool: Tool, args: JsonObject): ApprovalRequest | undefined {
  if (tool.approval === undefined) return undefined;
  let when: boolean | string | undefined = true;
  try {
    when = tool.approval.when === undefined ? true : tool.approval.when(args);
  } catch {
    when = true;
  }
  if (when === false || when === undefined) return undefined;
  return { by: tool.name, question: typeof when === "string" ? when : undefined };
}

/** Default milliseconds until an unanswered question counts as rejected. */
export const usualExpiryMs = 24 * 3_600_000;

/** Returns when a question that is asked now counts as rejected. */
export const expiryOf = ({ approval: rule }: Tool, clock: Clock): number => clock.now() + (rule?.expiresMs ?? usualExpiryMs);

async function approval(
  work: Work,
  call: OpenCall,
  { by, question, tool, known }: ApprovalRequest & { readonly tool: Tool; readonly known: Known },
): Promise<PendingCall | undefined> {
  const { call_id, name } = call.call;
  const arguments_hash = hashStored(work, call.arguments);
  const decided = known.decisionOn(call_id, 0);
  // A decision on different arguments does not apply to this call.
  if (decided !== undefined && decided.arguments_hash === arguments_hash) return obey(work, call, tool, decided.decision);
  const before = work.record.pending.find((one) => one.call_id === call_id && one.arguments_hash === arguments_hash);
  return (
    before ?? {
      ...{ call_id, name, kind: "approval", index: 0, arguments_hash, by },
      expires_at: expiryOf(tool, work.turn.runtime.clock),
      ...present({ question }),
      ...changed(call),
    }
  );
}

/** Returns the arguments if they differ from the model's, because the operator must see the arguments that they decide on. */
export const changed = (call: OpenCall): Pick<PendingCall, "arguments"> =>
  jsonEqual(call.arguments, call.call.arguments) ? {} : { arguments: call.arguments };

/** Returns the hash of the stored form of arguments, because a turn that continues after a decision has only that form. */
export const hashStored = ({ turn: { runtime } }: Work, args: JsonObject): string =>
  argumentsHash(runtime.rewrite === undefined ? args : runtime.rewrite.value(args, { of: "event", name: "message" }));

/** Applies a decision. A decision that is neither an approval nor an edit is a rejection. */
async function obey(work: Work, call: OpenCall, tool: Tool, decision: Decision): Promise<undefined> {
  if (decision.type === "approve") return;
  if (decision.type !== "edit") {
    call.result = rejection(decision);
    return;
  }
  call.arguments = decision.arguments;
  // Arguments that an operator entered are approved. Hooks can still prevent the call.
  const { call_id, name } = call.call;
  const { block } = await work.hooks.beforeTool(work.execution, { call_id, name, arguments: call.arguments });
  if (block !== undefined) call.result = { type: "blocked", ...block };
  else await reuse(work, call, tool);
}

/** Returns the result of a rejected call. */
export function rejection(decision: Decision): ToolResult {
  const by = decision.type === "reject" ? decision.cause : "person";
  return { type: "blocked", by, reason: reasonOfRejection(decision) ?? "The call was rejected." };
}
