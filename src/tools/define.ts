/** Declaring a tool. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { deepFreeze, isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { ModelTool } from "../model/port.ts";
import type { MessagePart } from "../session/event.ts";
import { isStateDefinition, type StateDefinition } from "../state/define.ts";
import { bindArguments } from "./bind.ts";
import { approvalOf, checkKeys, effectsOf, inputsOf, orDefault, outputsOf, overridableOf, retryOf, wholeFrom } from "./settings.ts";
import { withoutMembers, withOptional } from "./members.ts";
import type { ParametersGiven, ToolOptions } from "./options.ts";
import { type Parameters, parametersOf, type Refuse } from "./parameters.ts";
import type { Tool, ToolContext } from "./tool.ts";

const optionNames = [
  "name",
  "description",
  "parameters",
  "state",
  "inputsFromState",
  "outputsToState",
  "effects",
  "timeoutMs",
  "retry",
  "approval",
  "takesState",
  "overridable",
  "show",
  "execute",
];
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Declares a tool: a function that a model may call, with its reads and writes of the state. Throws `tool.invalid`, naming the option.
 * @example
 * const greet = defineTool({
 *   name: "greet",
 *   description: "Greets somebody in a language.",
 *   parameters: z.object({ language: z.string(), name: z.string() }),
 *   inputsFromState: { user_name: "name" },
 *   execute: ({ language, name }) => `${name}, in ${language}`,
 * });
 */
export function defineTool<
  const P extends ParametersGiven | undefined = undefined,
  D extends StateDefinition = StateDefinition,
  Takes extends boolean = false,
  R = unknown,
>(options: ToolOptions<P, D, Takes, R>): Tool {
  // What is given may come from a program without types; from here on it is read as anything.
  return createTool(options);
}

function createTool(options: unknown): Tool {
  if (!isPlainObject(options)) throw new ThroughlineError("tool.invalid", `defineTool takes one object of options, got ${seen(options)}.`);
  const { name, description, state, execute, show, takesState = false } = options;
  const refuse: Refuse = (why, hint) => {
    const title = typeof name === "string" && name !== "" ? `Tool "${name}": ` : "A tool: ";
    throw new ThroughlineError("tool.invalid", `${title}${why}.`, hint === undefined ? {} : { hint });
  };
  checkKeys(options, optionNames, "option", refuse);
  if (typeof name !== "string" || !namePattern.test(name)) refuse(`\`name\` is 1 to 64 letters, digits, "-" and "_"; saw ${seen(name)}`);
  if (typeof description !== "string" || description.trim() === "") refuse(`\`description\` is a text for the model; saw ${seen(description)}`);
  if (typeof execute !== "function") refuse(`\`execute\` is a function; saw ${seen(execute)}`);
  if (show !== undefined && typeof show !== "function") refuse(`\`show\` is a function; saw ${seen(show)}`);
  if (state !== undefined && !isStateDefinition(state)) refuse(`\`state\` is made by defineState; saw ${seen(state)}`);
  if (typeof takesState !== "boolean") refuse(`\`takesState\` is true or false; saw ${seen(takesState)}`);
  const parameters = parametersOf(options["parameters"], refuse);
  const inputs = inputsOf(options["inputsFromState"], parameters, refuse);
  const overridable = overridableOf(options["overridable"], inputs, refuse);
  const effects = effectsOf(options["effects"], refuse);
  const model = modelTool({ name: name, description: description }, parameters, { inputs, overridable });
  const binding = { tool: model.name, parameters, inputs, overridable };
  return Object.freeze({
    type: "tool",
    name: model.name,
    description: model.description,
    effects,
    timeoutMs: wholeFrom(1, orDefault(options["timeoutMs"], 60_000), "timeoutMs", refuse),
    retry: retryOf(options["retry"], effects, refuse),
    approval: approvalOf(options["approval"], refuse),
    state: state,
    takesState: takesState,
    inputsFromState: inputs,
    outputsToState: outputsOf(options["outputsToState"], refuse),
    overridable,
    parameters: parameters.schema,
    model,
    bind: (given: JsonObject, values: Readonly<Record<string, unknown>>) => bindArguments(binding, given, values),
    execute: (args: unknown, context: ToolContext<never>): unknown => (execute as Execute)(args, context),
    ...(show === undefined ? {} : { show: (value: Json) => partsOf((show as Show)(value)) }),
  } satisfies Tool);
}

/** What a model is told. What it cannot set it does not see; what it need not set is not required. */
function modelTool(
  { name, description }: Pick<ModelTool, "name" | "description">,
  { schema }: Parameters,
  { inputs, overridable }: Pick<Tool, "overridable"> & { readonly inputs: Tool["inputsFromState"] },
): ModelTool {
  const bound = Object.values(inputs);
  const hidden = new Set(bound.filter((parameter) => !overridable.includes(parameter)));
  const parameters = withOptional(withoutMembers(schema, hidden), new Set(overridable));
  return deepFreeze({ name, description, parameters });
}

type Execute = (args: unknown, context: ToolContext<never>) => unknown;
type Show = (value: Json) => string | readonly MessagePart[] | undefined;

const partsOf = (shown: string | readonly MessagePart[] | undefined): readonly MessagePart[] | undefined =>
  typeof shown === "string" ? [{ type: "text", text: shown }] : shown;
