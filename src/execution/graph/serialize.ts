import { ThroughlineError, seen } from "../../kernel/error.ts";
import { deepFreeze, isPlainObject, type JsonObject } from "../../kernel/json.ts";
import { AppendList } from "../append-list.ts";
import { addUsage, noUsage } from "../usage.ts";
import { stepErrors, type ClosedStep } from "./agent-step.ts";
import type { AgentExecution, AgentState } from "./agent-state.ts";
import { assertConsistent } from "./consistent.ts";
import type { AgentMessage } from "./message.ts";
import { list, misshapen, whole } from "./shape.ts";
import { messageShape, schemaName, schemaVersion, stateShape } from "./state-shape.ts";

/** The whole log of an agent's messages, by id: what {@link agentStateFromJSON} needs for a state that only refers to it. */
export const messageLog = ({ context }: AgentState): readonly AgentMessage[] => context.messages.toArray();

/**
 * The state as JSON. Messages are referred to by their number; `full: true` writes them out. Steps refer to messages in both forms, so the
 * size grows with what happened and with nothing else.
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
    // Every part is a plain value of JSON types; interfaces have no index signature to say so.
  } as unknown as JsonObject;
}

function executionToJSON(execution: AgentExecution): object {
  if (execution.phase === "idle") return execution;
  // The sums follow from the steps.
  const { steps, usage: _usage, error_count: _count, ...others } = execution;
  return { ...others, steps: steps.toArray() };
}

/**
 * A state from its JSON, of either form; one that refers to messages needs the log of them. Nothing is guessed or dropped: `execution.invalid` names the
 * path of the first thing that is wrong, missing or not known, and errors and results stay plain data.
 */
export function agentStateFromJSON(value: unknown, options: { readonly messages?: readonly AgentMessage[] } = {}): AgentState {
  const { schema: _schema, version, context, execution, ...identity } = stateShape(value, "");
  if (version !== schemaVersion) throw misshapen("/version", `${schemaVersion}, the version that is known`, version);
  const messages = listOf(isList(context.messages) ? context.messages : referred(context.messages.upto, checkedOptions(options).messages));
  const state: AgentState = { ...identity, context: { ...context, messages }, execution: executionFrom(execution) };
  assertConsistent(state);
  return deepFreeze(state);
}

// A list keeps its items to itself, so they are frozen before they enter it.
const listOf = <Item>(items: readonly Item[]): AppendList<Item> => AppendList.of(deepFreeze(items));

/** Options are an object, also where a program without types gives them. */
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
