import { deepFreeze } from "../../kernel/json.ts";
import { outcomeText } from "../../state/tool-outcome.ts";
import type { Running } from "../execution.ts";
import { addUsage } from "../usage.ts";
import { agentStepType, stepErrors, type ClosedStep, type OpenStep } from "./agent-step.ts";
import type { AgentContext, AgentState, AgentWork } from "./agent-state.ts";
import { appended, type Change } from "./conversation.ts";
import type { AgentMessageGiven } from "./message.ts";
import type { ToolExecution } from "./tool-execution.ts";

/** The context and the execution with a step closed. Calls that were not run are on record as skipped, so that each has its result. */
export function closedStep(
  { agent_id, context }: AgentState,
  running: Running<AgentWork>,
  open: OpenStep,
  { at }: Change,
): { readonly context: AgentContext; readonly work: Running<AgentWork> } {
  const step: OpenStep = { ...open, tool_executions: allExecutions(open, at) };
  const type = agentStepType(step);
  const is_trace = type === "error" || type === "tool_execution";
  const tags = { agent_id, execution_id: running.execution_id, step_id: step.step_id, ...(is_trace ? { is_trace } : {}) } as const;
  const after = appended(context, stepMessages(step), { at, tags });
  const output = { from: context.messages.length, to: after.messages.length };
  const closed: ClosedStep = deepFreeze({ ...step, ended_at: at, output, signals_upto: running.signals.length });
  const { step: _open, ...others } = running;
  return {
    context: after,
    work: {
      ...others,
      steps: running.steps.with(closed),
      usage: step.response === undefined ? running.usage : addUsage(running.usage, step.response.usage),
      error_count: running.error_count + stepErrors(step).length,
    },
  };
}

/** One execution of each call, in the order of the calls. */
function allExecutions({ response, tool_executions }: OpenStep, at: number): readonly ToolExecution[] {
  const known = new Map(tool_executions.map((execution) => [execution.call_id, execution]));
  return (response?.calls ?? []).map(
    ({ call_id, name, arguments: args }) =>
      known.get(call_id) ?? {
        call_id,
        name,
        arguments: args,
        result: { type: "skipped", reason: "The step ended before this call was made." },
        started_at: at,
        ended_at: at,
      },
  );
}

/** What a step adds to the conversation: one message with prose and calls, then the results. A step without an answer adds nothing. */
function stepMessages({ response, tool_executions }: OpenStep): readonly AgentMessageGiven[] {
  if (response === undefined || (response.calls.length === 0 && response.text === "")) return [];
  const { text, calls } = response;
  return [
    { role: "assistant", text, ...(calls.length === 0 ? {} : { calls }) },
    ...tool_executions.map(({ call_id, result }): AgentMessageGiven => ({ role: "tool", call_id, text: outcomeText(result) })),
  ];
}
