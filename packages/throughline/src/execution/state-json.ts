/** Converts an agent's state to JSON and back, and checks that its parts are consistent. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { stepIdOf } from "../kernel/id.ts";
import { deepFreeze, isPlainObject, type JsonObject } from "../kernel/json.ts";
import type { AgentMessage } from "./agent-message.ts";
import type { AgentExecution, AgentState, AgentWork } from "./agent-state.ts";
import { AppendList } from "./append-list.ts";
import { addUsage, noUsage } from "./ledger.ts";
import { list, messageShape, misshapen, schemaName, schemaVersion, stateShape, whole } from "./state-shape.ts";
import { stepErrors, type ClosedStep, type OpenStep } from "./step.ts";

/** Returns the complete message log by id. {@link agentStateFromJSON} needs it for a state that only refers to messages. */
export const messageLog = ({ context }: AgentState): readonly AgentMessage[] => context.messages.toArray();

/**
 * Returns the state as JSON. It refers to messages by their number; with `full: true` it includes them. Steps always refer to messages, so the size
 * grows only with the amount of work.
 */
export function agentStateToJSON(state: AgentState, options: { readonly full?: boolean } = {}): JsonObject {
  const { full = false } = checkedOptions(options);
  if (!(Reflect.get(Object(state?.context), "messages") instanceof AppendList)) throw misshapen("", "made by createAgentState or read back", state);
  const { context, execution, ...identity } = state;
  const { messages } = context;
  const written = { schema: schemaName, version: schemaVersion, ...identity };
  return {
    ...written,
    context: { ...context, messages: full ? messages.toArray() : { upto: messages.length } },
    execution: executionToJSON(execution),
    // Every part is a plain JSON value, but interfaces have no index signature to express this.
  } as unknown as JsonObject;
}

function executionToJSON(execution: AgentExecution): object {
  if (execution.phase === "idle") return execution;
  // Sums are derived from the steps.
  const { steps, usage: _usage, error_count: _count, ...others } = execution;
  return { ...others, steps: steps.toArray() };
}

/**
 * Restores a state from either form of its JSON. A state that refers to messages needs their log. Throws `execution.invalid` with the path of the
 * first part that is wrong, missing or unknown. Errors and results stay plain data.
 */
export function agentStateFromJSON(value: unknown, options: { readonly messages?: readonly AgentMessage[] } = {}): AgentState {
  const { schema: _schema, version, context, execution, ...identity } = stateShape(value, "");
  if (version !== schemaVersion) throw misshapen("/version", `${schemaVersion}, the version that is known`, version);
  const messages = listOf(isList(context.messages) ? context.messages : referred(context.messages.upto, checkedOptions(options).messages));
  const state: AgentState = { ...identity, context: { ...context, messages }, execution: executionFrom(execution) };
  assertConsistent(state);
  return deepFreeze(state);
}

// The list hides its items from `deepFreeze`, so they are frozen first.
const listOf = <Item>(items: readonly Item[]): AppendList<Item> => AppendList.of(deepFreeze(items));

/** Checks that options are an object, for callers without types. */
function checkedOptions<Options extends object>(options: Options): Options {
  if (isPlainObject(options)) return options;
  throw new ThroughlineError("execution.invalid", `The options must be an object, got ${seen(options)}.`);
}

const isList = <Item>(value: readonly Item[] | { readonly upto: number }): value is readonly Item[] => Array.isArray(value);

function referred(upto: number, messages: readonly AgentMessage[] | undefined): readonly AgentMessage[] {
  const known = messages?.length ?? 0;
  if (known >= upto) return list(messageShape)(messages?.slice(0, upto) ?? [], "/messages");
  throw new ThroughlineError("execution.invalid", `/context/messages refers to ${whole(upto, "")} messages, and ${known} were given.`, {
    hint: "Give the log of messages, or JSON that was written with `full: true`.",
    details: { path: "/context/messages" },
  });
}

type Written = ReturnType<typeof stateShape>["execution"];

function executionFrom(execution: Written): AgentExecution {
  if (execution.phase === "idle") return execution;
  const steps: readonly ClosedStep[] = execution.steps;
  const usage = steps.reduce((sum, { response }) => (response === undefined ? sum : addUsage(sum, response.usage)), noUsage);
  const error_count = steps.reduce((sum, step) => sum + stepErrors(step).length, 0);
  return { ...execution, steps: listOf(steps), usage, error_count };
}

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
  // A summary may cover a call whose result was appended later. Views leave that result out.
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
    const requested = step.response?.calls.length ?? 0;
    if (step.tool_executions.length !== requested)
      throw misshapen(`${path}/tool_executions`, `one for each of ${requested} calls`, step.tool_executions.length);
  }
  if (work.step !== undefined) checkStep(work.step, work.steps.length, end, "/execution/step");
}

function checkStep(step: OpenStep, index: number, end: number, path: string): void {
  const wanted = stepIdOf(index + 1);
  if (step.step_id !== wanted) throw misshapen(`${path}/step_id`, wanted, step.step_id);
  if (step.input_upto > end) throw misshapen(`${path}/input_upto`, `at most ${end}`, step.input_upto);
  const requested = new Map((step.response?.calls ?? []).map((call) => [call.call_id, call.name]));
  for (const [position, { call_id, name }] of step.tool_executions.entries()) {
    if (requested.get(call_id) !== name)
      throw misshapen(`${path}/tool_executions/${position}`, "of a call that the step asks for, each once", { call_id, name });
    requested.delete(call_id);
  }
}
