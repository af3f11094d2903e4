/** What a tool is called with: the model's arguments and the state's values, joined and validated. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import { escapeSegment, isSafeSegment } from "../kernel/json-pointer.ts";
import type { SchemaIssue } from "../kernel/schema.ts";
import { nearest } from "../state/suggest.ts";
import type { Parameters } from "./parameters.ts";
import type { BoundArguments } from "./tool.ts";

/** How parameters get their values. */
export interface Binding {
  readonly tool: string;
  readonly parameters: Parameters;
  /** Field of the state to the parameter that takes its value. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly overridable: readonly string[];
}

/**
 * Joins the arguments of a model with those from the state, and validates the whole. What the state gives wins, unless the parameter may be
 * overridden; a field that is absent leaves its parameter to the tool's own default. The tool gets copies: it can change them, and nothing else.
 */
export function bindArguments(binding: Binding, given: JsonObject, state: Readonly<Record<string, unknown>>): BoundArguments {
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

/** A model cannot correct what comes from the state, and is not to read it: it is told where the trouble is and no more. */
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

/** The parameter that an issue is about. */
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

/** A copy that can be changed without changing the original. A class instance is as immutable as its class. */
function isolate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(isolate);
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [isolate(key), isolate(item)]));
  if (value instanceof Set) return new Set([...value].map(isolate));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, isolate(item)]));
}
