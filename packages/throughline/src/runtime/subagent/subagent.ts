/** A child agent, as a tool of its parent. */
import { createBudget, type Budget } from "../../execution/ledger.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { deepFreeze, isPlainObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { isStateDefinition, type StateDefinition } from "../../state/define.ts";
import type { Field } from "../../state/field.ts";
import { messagesField } from "../../state/messages-field.ts";
import { nearest } from "../../state/document.ts";
import { viewSchema } from "../../state/views.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { ParametersGiven, Tool } from "../../tools/tool.ts";
import type { Agent } from "../agent/agent.ts";
import type { SubagentOptions } from "./options.ts";

/** The result of a child for its parent, as stored in the log. */
export interface SubagentResult {
  /** The child's answer. `null` if there is none. */
  readonly reply: string | null;
  /** `stopped`: a limit or a stop request ended its turn. The partial result is included. */
  readonly status: "completed" | "stopped";
  readonly reason?: string;
  /** The output view of its state, and the fields that the parent's maps use. */
  readonly output: JsonObject;
}

/** A child agent, as a tool. Create it with {@link subagent}. */
export interface Subagent extends Tool {
  /** The agent that runs when the tool is called. */
  readonly child: {
    readonly agent: Agent;
    /** Limits of one call, in addition to the child's own. Undefined if there are none. */
    readonly budget: Budget | undefined;
    readonly maxDepth: number;
    readonly prompt: (args: JsonObject) => unknown;
    readonly input: ((args: JsonObject) => unknown) | undefined;
    /** Fields of its state that the parent's maps use. */
    readonly sources: readonly string[];
  };
}

/** Whether a tool is a child agent. */
export const isSubagent = (tool: Tool): tool is Subagent => "child" in tool;

const optionNames = [
  "agent",
  "name",
  "description",
  "parameters",
  "prompt",
  "input",
  "state",
  "inputsFromState",
  "outputsToState",
  "budget",
  "maxDepth",
  "timeoutMs",
  "approval",
];

const promptParameters: JsonObject = {
  type: "object",
  properties: { prompt: { type: "string", minLength: 1, description: "What it is to do, with all that it needs to know." } },
  required: ["prompt"],
  additionalProperties: false,
};

/**
 * Creates a tool from a child agent. Each call is a turn in the child's own session, in the same store and with the same owner. It runs the child's
 * stages, tools and loop under a budget that the parent reserves. After a crash it is resumed automatically. Throws `tool.invalid`, which names the
 * option.
 * @example subagent({ agent: researcher, description: "Looks things up.", state: Desk, outputsToState: { findings: { source: "facts" } } })
 */
export function subagent<
  Child extends StateDefinition,
  Parent extends StateDefinition = StateDefinition,
  const P extends ParametersGiven | undefined = undefined,
>(options: SubagentOptions<Child, Parent, P>): Tool {
  // The options may come from an untyped program, so they are checked as unknown values from here on.
  return createSubagent(options);
}

function createSubagent(options: unknown): Subagent {
  if (!isPlainObject(options)) throw wrong("", `subagent takes one object of options, got ${seen(options)}`);
  const agent = options["agent"] as Agent | undefined;
  if (!isStateDefinition(agent?.state) || agent.reply?.type !== "reply")
    throw wrong("", `needs an \`agent\` made by defineAgent, got ${seen(options["agent"])}`);
  const { name = agent.name, prompt, input, state, budget, maxDepth = 3 } = options;
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw wrong(name, `has no option ${seen(unknown)}; it has ${optionNames.join(", ")}`, nearest(unknown, optionNames));
  for (const [option, value] of Object.entries({ prompt, input }))
    if (value !== undefined && typeof value !== "function") throw wrong(name, `\`${option}\` is a function; saw ${seen(value)}`);
  if (options["parameters"] !== undefined && prompt === undefined)
    throw wrong(name, "has `parameters`, so it needs `prompt`, which makes a text of them");
  if (!Number.isInteger(maxDepth) || Number(maxDepth) < 1) throw wrong(name, `\`maxDepth\` is a whole number from 1; saw ${seen(maxDepth)}`);
  const inputs = childInputs(name, agent, options["inputsFromState"]);
  const { parameters = promptParameters, description, outputsToState, timeoutMs = 600_000, approval } = options;
  const given = { name, description, parameters, state, outputsToState, timeoutMs, approval, effects: "idempotent", execute: notRunHere };
  const tool = defineTool(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never);
  const sources = Object.values(tool.outputsToState).flatMap(({ source }) => (source === undefined ? [] : [checkSource(name, agent, source)]));
  return Object.freeze({
    ...tool,
    inputsFromState: inputs,
    parameters: parametersWith(tool.parameters, agent, inputs),
    child: Object.freeze({
      agent,
      budget: budget === undefined ? undefined : createBudget(budget as Budget),
      maxDepth: Number(maxDepth),
      prompt: (prompt as Subagent["child"]["prompt"] | undefined) ?? ((args) => args["prompt"]),
      input: input as Subagent["child"]["input"],
      sources: Object.freeze([...new Set(sources)]),
    }),
    take: (value: Json, source: string | undefined) => {
      const { reply, output } = value as unknown as SubagentResult;
      return source === undefined ? (reply ?? undefined) : output[source];
    },
    show: (value: Json) => [{ type: "text", text: shownText(value as unknown as SubagentResult) } as const],
  } satisfies Subagent);
}

const wrong = (name: unknown, why: string, near?: string): ThroughlineError =>
  new ThroughlineError(
    "tool.invalid",
    `${typeof name === "string" && name !== "" ? `Child agent "${name}": ` : "A child agent: "}${why}.`,
    near === undefined ? {} : { hint: `Did you mean \`${near}\`?` },
  );

/** Throws, because the loop itself runs a child: the loop needs the child's cost, and may have to wait for a decision. */
function notRunHere(): never {
  throw new ThroughlineError("tool.failed", "A child agent runs only in the loop of its parent.");
}

/** Returns the text for the model: the answer and its status. */
function shownText({ reply, status, reason = "unknown" }: SubagentResult): string {
  if (status === "completed") return reply ?? "The agent had nothing to say.";
  const notice = `The agent was stopped before it was done: ${reason}.`;
  return reply === null ? notice : `${reply}\n\n${notice}`;
}

/** Checks the map from the parent's fields to the child's. Each of these child fields must be settable when a turn starts. */
function childInputs(name: unknown, agent: Agent, given: unknown = {}): Readonly<Record<string, string>> {
  if (!isPlainObject(given)) throw wrong(name, `\`inputsFromState\` is an object; saw ${seen(given)}`);
  const { fields } = agent.state;
  const givable = Object.entries(fields).flatMap(([field, declared]) => (isGivable(field, declared) ? [field] : []));
  const taken = new Map<string, string>();
  for (const [from, to] of Object.entries(given)) {
    const place = `\`inputsFromState.${from}\``;
    if (typeof to !== "string" || !Object.hasOwn(fields, to)) {
      const near = typeof to === "string" ? nearest(to, givable) : undefined;
      throw wrong(name, `${place} names a field that "${agent.name}" does not have: ${seen(to)}; it takes ${givable.join(", ") || "none"}`, near);
    }
    if (!givable.includes(to))
      throw wrong(name, `${place} names the field "${to}", which is neither an input field other than \`message\` nor a \`start\` field`);
    if (taken.has(to)) throw wrong(name, `\`inputsFromState\` gives the field "${to}" two values, from ${seen(taken.get(to))} and ${seen(from)}`);
    taken.set(to, from);
  }
  return Object.freeze({ ...(given as Readonly<Record<string, string>>) });
}

/** The text of the message is the prompt, so it does not come from the state. */
const isGivable = (name: string, { lifecycle, start }: Field): boolean => (lifecycle === "input" && name !== "message") || start;

function checkSource(name: unknown, { name: child, state }: Agent, source: string): string {
  const fields = Object.keys(state.fields).filter((field) => field !== messagesField);
  if (fields.includes(source)) return source;
  throw wrong(
    name,
    `\`outputsToState\` takes ${seen(source)} of "${child}", which has no such field; it has ${fields.join(", ") || "none"}`,
    nearest(source, fields),
  );
}

/** Returns the parameters against which the parent's fields are checked. `start` fields take updates, which no schema describes. */
function parametersWith(parameters: JsonObject, { state }: Agent, inputs: Readonly<Record<string, string>>): JsonObject {
  const described = viewSchema(state, "input")["properties"] as JsonObject;
  const taken = Object.values(inputs).map((field) => [field, state.fields[field]?.lifecycle === "input" ? (described[field] ?? {}) : {}] as const);
  return deepFreeze({ ...parameters, properties: { ...(parameters["properties"] as JsonObject | undefined), ...Object.fromEntries(taken) } });
}
