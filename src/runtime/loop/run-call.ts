import { ThroughlineError, type ErrorInfo } from "../../kernel/error.ts";
import type { PendingCall, ToolResult } from "../../session/event.ts";
import type { Tool } from "../../tools/tool.ts";
import { isSubagent } from "../subagent/subagent.ts";
import { noteReturned, tryCall, type Going } from "./call.ts";
import { runChild } from "./child.ts";
import type { OpenCall } from "./open-step.ts";
import { plain } from "./prepare.ts";
import type { Work } from "./work.ts";

/** Runs a call that may start. Sets its result, or returns the questions that it waits for. */
export async function runCall(work: Work, call: OpenCall, going: Going): Promise<readonly PendingCall[]> {
  const { turn, hooks } = work;
  const { tool } = call;
  if (tool === undefined) return [];
  call.started = true;
  if (tool.effects === "none") work.started({ call_id: call.call.call_id, name: tool.name });
  const began = turn.runtime.clock.monotonic();
  const attributes = { turn_id: turn.claim.turn.turn_id, tool: tool.name, call_id: call.call.call_id };
  const ran = await turn.runtime.tracer.span(`tool ${tool.name}`, attributes, () =>
    isSubagent(tool) ? runChild(work, call, { tool, limit: going.limit }) : tryCall(work, call, going),
  );
  call.ms += Math.round(turn.runtime.clock.monotonic() - began);
  if ("pending" in ran) return ran.pending;
  if (ran.control !== undefined) call.control = ran.control;
  const { call_id, name } = call.call;
  try {
    const result = await hooks.afterTool(work.execution, { call_id, name, arguments: call.arguments }, ran.result);
    call.result = result.type === "ok" && ran.not_stored !== undefined ? { ...result, not_stored: ran.not_stored } : result;
  } catch (error) {
    if (ThroughlineError.is(error, "hook.failed")) noteReturned(work, call, withheld(tool, ran.result, plain(error)));
    throw error;
  }
  return [];
}

/**
 * What is on record of a call that a hook failed on: that it was made, or may have been. What it returned is not, because the hook may have been there to
 * mask it. A call without effects has failed, and can be made again.
 */
function withheld({ effects }: Tool, result: ToolResult, error: ErrorInfo): ToolResult {
  if (result.type === "unknown" || result.type === "skipped") return result;
  if (result.type !== "ok" || effects === "none") return { type: "error", error };
  return { type: "ok", value: "[withheld: a hook failed on it]", not_stored: error };
}
