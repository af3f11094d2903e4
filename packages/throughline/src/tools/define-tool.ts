/** Declares a tool: checks its options one by one, and binds its arguments from the values of the model and the state. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { deepFreeze, isPlainObject, type Json, type JsonObject, escapeSegment, isSafeSegment, present } from "../kernel/json.ts";
import type { SchemaIssue } from "../kernel/schema.ts";
import type { ModelTool } from "../model/model-port.ts";
import { type MessagePart, toolEffects, type ToolEffects } from "../session/event.ts";
import { isStateDefinition, type StateDefinition } from "../state/define.ts";
import { isReducer } from "../state/reducer.ts";
import { nearest } from "../state/document.ts";
import { type Parameters, parametersOf, type Refuse, withOptional, withoutMembers } from "./parameters.ts";
import type { ApprovalRule, BoundArguments, ParametersGiven, StateOutput, Tool, ToolContext, ToolOptions, ToolRetry } from "./tool.ts";

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
 * Declares a tool: a function that a model may call, with its reads and writes of the state. Throws `tool.invalid`, which names the option.
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
  const P extends ParametersGiven | object | undefined = undefined,
  D extends StateDefinition = StateDefinition,
  Takes extends boolean = false,
  R = unknown,
>(options: ToolOptions<P, D, Takes, R>): Tool<D> {
  return createTool(options, options?.state);
}

/** The options may come from an untyped program, so they are checked as unknown values. */
function createTool<D extends StateDefinition>(options: unknown, declared: D | undefined): Tool<D> {
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
    state: declared,
    takesState: takesState,
    inputsFromState: inputs,
    outputsToState: outputsOf(options["outputsToState"], refuse),
    overridable,
    parameters: parameters.schema,
    model,
    bind: (given: JsonObject, values: Readonly<Record<string, unknown>>) => bindArguments(binding, given, values),
    execute: (args: unknown, context: ToolContext<never>): unknown => (execute as Execute)(args, context),
    ...(show === undefined ? {} : { show: (value: Json) => partsOf((show as Show)(value)) }),
  } satisfies Tool<D>);
}

/** Returns the tool's description for the model. It leaves out parameters that the model cannot set, and does not require those that it need not set. */
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

const longest = 2_147_483_647;
const day = 86_400_000;

/** Returns a default for an omitted value. `null` is not omitted. */
const orDefault = (given: unknown, fallback: unknown): unknown => (given === undefined ? fallback : given);

/** Throws for unknown keys, with a suggestion for a similar one. */
export function checkKeys(given: object, known: readonly string[], what: string, refuse: Refuse): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) refuse(`has no ${what} ${seen(unknown)}; it has ${known.join(", ")}`, suggestion(unknown, known));
}

/** Returns a hint with the most similar name. */
function suggestion(name: string, known: readonly string[]): string | undefined {
  const near = nearest(name, known);
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}

/** Checks a whole number of at least `least`. */
function wholeFrom(least: number, given: unknown, what: string, refuse: Refuse): number {
  if (typeof given === "number" && Number.isInteger(given) && given >= least && given <= longest) return given;
  return refuse(`\`${what}\` is a whole number from ${least}; saw ${seen(given)}`);
}

/** Checks the side effects of a call. Undeclared effects count as `once`. */
function effectsOf(given: unknown, refuse: Refuse): ToolEffects {
  const effects = toolEffects.find((name) => name === orDefault(given, "once"));
  return effects ?? refuse(`\`effects\` is ${toolEffects.map((name) => `"${name}"`).join(", ")}; saw ${seen(given)}`);
}

/** Checks the retries. */
function retryOf(given: unknown, effects: ToolEffects, refuse: Refuse): ToolRetry {
  const options = objectOf(given, "retry", refuse);
  checkKeys(options, ["tries", "backoffMs"], "`retry`", refuse);
  const tries = wholeFrom(1, orDefault(options["tries"], 1), "retry.tries", refuse);
  if (tries > 1 && effects === "once")
    refuse(
      `\`retry\` asks for ${tries} tries, and a call with effects "once" is never tried again`,
      'Declare `effects: "idempotent"` if it may be repeated under one key, or "none" if it changes nothing.',
    );
  return Object.freeze({ tries, backoffMs: wholeFrom(0, orDefault(options["backoffMs"], 200), "retry.backoffMs", refuse) });
}

/** Checks the approval rule. */
function approvalOf(given: unknown, refuse: Refuse): ApprovalRule | undefined {
  if (given === undefined || given === false) return undefined;
  if (given !== true && !isPlainObject(given)) return refuse(`\`approval\` is \`true\` or an object; saw ${seen(given)}`);
  const options = given === true ? {} : given;
  checkKeys(options, ["when", "expiresMs"], "`approval`", refuse);
  const { when } = options;
  if (when !== undefined && typeof when !== "function") refuse(`\`approval.when\` is a function of the arguments; saw ${seen(when)}`);
  const expiresMs = wholeFrom(1, orDefault(options["expiresMs"], day), "approval.expiresMs", refuse);
  return Object.freeze({ expiresMs, ...(when === undefined ? {} : { when: when as (args: JsonObject) => boolean | string | undefined }) });
}

/** Checks the map from fields to parameters. */
function inputsOf(given: unknown, { members }: Parameters, refuse: Refuse): Readonly<Record<string, string>> {
  const inputs = new Map<string, string>();
  const taken = new Map<string, string>();
  for (const [field, parameter] of Object.entries(objectOf(given, "inputsFromState", refuse))) {
    if (typeof parameter !== "string") return refuse(`\`inputsFromState.${field}\` is the name of a parameter; saw ${seen(parameter)}`);
    if (!members.names.includes(parameter))
      refuse(
        `\`inputsFromState.${field}\` names the parameter ${seen(parameter)}, which it does not have; it has ${members.names.join(", ") || "none"}`,
        suggestion(parameter, members.names),
      );
    const other = taken.get(parameter);
    if (other !== undefined) refuse(`\`inputsFromState\` gives the parameter ${seen(parameter)} two values, from ${seen(other)} and ${seen(field)}`);
    taken.set(parameter, field);
    inputs.set(field, parameter);
  }
  return Object.freeze(Object.fromEntries(inputs));
}

/** Checks the writes to fields. */
function outputsOf(given: unknown, refuse: Refuse): Readonly<Record<string, StateOutput>> {
  const outputs = Object.entries(objectOf(given, "outputsToState", refuse)).map(([field, output]) => {
    const place = `outputsToState.${field}`;
    if (!isPlainObject(output)) return refuse(`\`${place}\` is an object; saw ${seen(output)}`, "Write `{}` for the whole result.");
    checkKeys(output, ["source", "reduce"], `\`${place}\``, refuse);
    const { source, reduce } = output;
    if (source !== undefined && (typeof source !== "string" || source === ""))
      return refuse(`\`${place}.source\` is the name of a member of the result; saw ${seen(source)}`, "Leave `source` out for the whole result.");
    if (reduce !== undefined && !isReducer(reduce))
      return refuse(`\`${place}.reduce\` is not a reducer; saw ${seen(reduce)}`, "Use a stock reducer, or make one with defineReducer.");
    return [field, Object.freeze(present({ source, reduce }))] as const;
  });
  return Object.freeze(Object.fromEntries(outputs));
}

/** Checks the bound parameters that the model may set. */
function overridableOf(given: unknown, inputs: Readonly<Record<string, string>>, refuse: Refuse): readonly string[] {
  if (given === undefined) return Object.freeze([]);
  const bound = Object.values(inputs);
  if (!Array.isArray(given)) return refuse(`\`overridable\` is a list of parameters; saw ${seen(given)}`);
  const names = given.map((name: unknown) => {
    if (typeof name !== "string" || !bound.includes(name))
      return refuse(
        `\`overridable\` names ${seen(name)}, which \`inputsFromState\` does not bind; it binds ${bound.join(", ") || "none"}`,
        typeof name === "string" ? suggestion(name, bound) : undefined,
      );
    return name;
  });
  return Object.freeze([...new Set(names)]);
}

function objectOf(given: unknown, what: string, refuse: Refuse): Readonly<Record<string, unknown>> {
  if (given === undefined) return {};
  return isPlainObject(given) ? given : refuse(`\`${what}\` is an object; saw ${seen(given)}`);
}

/** The sources of the parameters' values. */
interface Binding {
  readonly tool: string;
  readonly parameters: Parameters;
  /** Maps a field of the state to the parameter that receives its value. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly overridable: readonly string[];
}

/**
 * Joins the arguments of the model with those from the state, and validates the result. Values of the state take precedence, unless the parameter is
 * overridable. If the field is absent, the tool's own default applies. The tool gets copies that it may change without side effects.
 */
function bindArguments(binding: Binding, given: JsonObject, state: Readonly<Record<string, unknown>>): BoundArguments {
  const { tool, parameters, inputs, overridable } = binding;
  if (!isPlainObject(given)) return refused(binding, [{ path: "", message: `arguments are an object; saw ${seen(given)}` }]);
  const unsafe = Object.keys(given).find((name) => !isSafeSegment(name));
  if (unsafe !== undefined) return refused(binding, [{ path: `/${unsafe}`, message: "is not a parameter" }]);
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) args[name] = isolate(value);
  const fromState = new Map<string, string>();
  for (const [field, parameter] of Object.entries(inputs)) {
    if (overridable.includes(parameter) && Object.hasOwn(args, parameter)) continue;
    delete args[parameter];
    fromState.set(parameter, field);
    const value = Object.hasOwn(state, field) ? state[field] : undefined;
    if (value !== undefined) args[parameter] = isolate(value);
  }
  try {
    const result = parameters.check(args);
    return result.ok ? { ok: true, live: result.value } : refused(binding, explained(result.issues, fromState, args));
  } catch (error) {
    const failure = new ThroughlineError("tool.failed", `The parameters of "${tool}" could not be checked.`, { cause: error });
    return { ok: false, error: failure.toJSON() };
  }
}

/** A model can neither correct nor read values of the state, so the error only names the place. */
function explained(
  issues: readonly SchemaIssue[],
  fromState: ReadonlyMap<string, string>,
  args: Readonly<Record<string, unknown>>,
): readonly SchemaIssue[] {
  const all = issues.map((issue) => {
    const parameter = named(issue);
    const field = parameter === undefined ? undefined : fromState.get(parameter);
    if (field === undefined) return issue;
    const why = args[parameter ?? ""] === undefined ? "which is not set yet" : "whose value does not fit";
    return { path: `/${escapeSegment(parameter ?? "")}`, message: `is taken from the field ${seen(field)} of the state, ${why}` };
  });
  return all.filter(({ path, message }, index) => index === all.findIndex((other) => other.path === path && other.message === message));
}

/** Returns the parameter of an issue. */
function named({ path }: SchemaIssue): string | undefined {
  const [, segment] = path.split("/");
  return segment?.replaceAll("~1", "/").replaceAll("~0", "~");
}

function refused({ tool, parameters, inputs, overridable }: Binding, found: readonly SchemaIssue[]): BoundArguments {
  const bound = new Set(Object.values(inputs).filter((name) => !overridable.includes(name)));
  const expected = parameters.members.names.filter((name) => !bound.has(name));
  const issues = found.map(({ path, message }) => {
    const near = message === "is not a parameter" ? nearest(path.slice(1), expected) : undefined;
    return { path, message: near === undefined ? message : `${message}; did you mean ${seen(near)}?` };
  });
  const said = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  const error = new ThroughlineError("tool.arguments_invalid", `The arguments of "${tool}" are wrong. ${said}.`, {
    hint: expected.length === 0 ? "It takes no arguments." : `It takes ${expected.join(", ")}. Correct the arguments and call it again.`,
    details: { issues, expected },
  });
  return { ok: false, error: error.toJSON() };
}

/** Returns a copy that can be changed without changing the original. Class instances are not copied. */
function isolate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(isolate);
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [isolate(key), isolate(item)]));
  if (value instanceof Set) return new Set([...value].map(isolate));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, isolate(item)]));
}
