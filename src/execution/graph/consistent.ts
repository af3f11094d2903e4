/** What must hold between the parts of a state that was read, besides their shape. */
import { stepIdOf } from "../../kernel/id.ts";
import type { OpenStep } from "./agent-step.ts";
import type { AgentState, AgentWork } from "./agent-state.ts";
import { misshapen } from "./shape.ts";

/** Throws `execution.invalid` with the path of the first part that contradicts another. */
export function assertConsistent(state: AgentState): void {
  const { created_at, updated_at, context, execution } = state;
  if (updated_at < created_at) throw misshapen("/updated_at", `at or after ${created_at}`, updated_at);
  checkContext(context);
  if (execution.phase === "idle") return;
  if (state.execution_count === 0) throw misshapen("/execution_count", "at least 1, as there is an execution", 0);
  checkWork(execution, context.messages.length);
}

function checkContext({ messages, sections, summaries }: AgentState["context"]): void {
  messages.toArray().forEach(({ id }, index) => {
    if (id !== index) throw misshapen(`/context/messages/${index}/id`, String(index), id);
  });
  for (const [name, ranges] of Object.entries(sections))
    ranges.forEach((range, index) => checkRange(range, messages.length, `/context/sections/${name}/${index}`));
  // A summary may cover a call whose result was appended later: views leave that result out.
  summaries.forEach((summary, index) => {
    const path = `/context/summaries/${index}`;
    checkRange(summary, messages.length, path);
    const before = summaries[index - 1]?.to ?? 0;
    if (summary.from < before) throw misshapen(`${path}/from`, `at or after ${before}, the end of the summary before`, summary.from);
  });
}

function checkRange({ from, to }: { readonly from: number; readonly to: number }, end: number, path: string, least = 1): void {
  if (to - from < least || to > end) throw misshapen(path, `a range of messages up to ${end}`, { from, to });
}

function checkWork(work: AgentWork, end: number): void {
  for (const [index, step] of work.steps.toArray().entries()) {
    const path = `/execution/steps/${index}`;
    checkStep(step, index, end, path);
    checkRange(step.output, end, `${path}/output`, 0);
    if (step.signals_upto > work.signals.length) throw misshapen(`${path}/signals_upto`, `at most ${work.signals.length}`, step.signals_upto);
    const asked = step.response?.calls.length ?? 0;
    if (step.tool_executions.length !== asked)
      throw misshapen(`${path}/tool_executions`, `one for each of ${asked} calls`, step.tool_executions.length);
  }
  if (work.step !== undefined) checkStep(work.step, work.steps.length, end, "/execution/step");
}

function checkStep(step: OpenStep, index: number, end: number, path: string): void {
  const wanted = stepIdOf(index + 1);
  if (step.step_id !== wanted) throw misshapen(`${path}/step_id`, wanted, step.step_id);
  if (step.input_upto > end) throw misshapen(`${path}/input_upto`, `at most ${end}`, step.input_upto);
  const asked = new Map((step.response?.calls ?? []).map((call) => [call.call_id, call.name]));
  for (const [position, { call_id, name }] of step.tool_executions.entries()) {
    if (asked.get(call_id) !== name)
      throw misshapen(`${path}/tool_executions/${position}`, "of a call that the step asks for, each once", { call_id, name });
    asked.delete(call_id);
  }
}
