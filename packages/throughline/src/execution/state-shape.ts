/** Shapes of values read from outside. A shape returns a checked copy, or throws `execution.invalid` with the path of the first error. */
import { errorCatalogue, type ErrorCode } from "../kernel/error-catalogue.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { assertJson, isPlainObject, jsonEqual, notJson, type Json, type JsonObject, escapeSegment } from "../kernel/json.ts";
import { stopReasons, type StopReason } from "./step.ts";

/** Checks a value at a path (a JSON Pointer). */
export type Shape<Value> = (value: unknown, path: string) => Value;

type Shapes = { readonly [key: string]: Shape<unknown> };
type ValueOf<Of> = Of extends Shape<infer Value> ? Value : never;
type ObjectOf<Required extends Shapes, Optional extends Shapes> = { readonly [Key in keyof Required]: ValueOf<Required[Key]> } & {
  readonly [Key in keyof Optional]?: ValueOf<Optional[Key]>;
};

/** Returns the error for a value of the wrong shape. */
export const misshapen = (path: string, wanted: string, value: unknown): ThroughlineError =>
  new ThroughlineError("execution.invalid", `${path === "" ? "The state" : path} must be ${wanted}, got ${seen(value)}.`, { details: { path } });

export const text: Shape<string> = (value, path) => {
  if (typeof value === "string") return value;
  throw misshapen(path, "a text", value);
};

/** A text that is not blank. Branded ids are texts too. */
export const name: Shape<never> = (value, path) => {
  if (typeof value === "string" && value.trim() !== "") return value as never;
  throw misshapen(path, "a text that is not blank", value);
};

/** A marker that is true or absent. */
export const mark: Shape<true> = (value, path) => {
  if (value === true) return true;
  throw misshapen(path, "true, or left out", value);
};

export const flag: Shape<boolean> = (value, path) => {
  if (typeof value === "boolean") return value;
  throw misshapen(path, "true or false", value);
};

/** A whole number from 0: counts, positions, and times in milliseconds. */
export const whole: Shape<number> = (value, path) => {
  if (Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0)) return Number(value);
  throw misshapen(path, "a whole number from 0", value);
};

export const amount: Shape<number> = (value, path) => {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value + 0;
  throw misshapen(path, "a number from 0", value);
};

export const json: Shape<Json> = (value, path) => {
  const offence = notJson(value);
  if (offence === undefined) return structuredClone(assertJson(value));
  throw new ThroughlineError("execution.invalid", `${path}${offence.path} is not JSON: ${offence.seen}.`, { details: { path: path + offence.path } });
};

export const jsonObject: Shape<JsonObject> = (value, path) => {
  if (isPlainObject(value)) return json(value, path) as JsonObject;
  throw misshapen(path, "an object", value);
};

/** One of several texts. */
export const oneOf =
  <Value extends string>(...values: readonly Value[]): Shape<Value> =>
  (value, path) => {
    const found = values.find((known) => known === value);
    if (found !== undefined) return found;
    throw misshapen(path, `one of ${values.join(", ")}`, value);
  };

/** A list of items with a shape. */
export const list =
  <Item>(item: Shape<Item>): Shape<readonly Item[]> =>
  (value, path) => {
    if (Array.isArray(value)) return Array.from(value, (entry: unknown, index) => item(entry, `${path}/${index}`));
    throw misshapen(path, "a list", value);
  };

/** An object with any names. */
export const record =
  <Item>(item: Shape<Item>): Shape<{ readonly [name: string]: Item }> =>
  (value, path) => {
    if (isPlainObject(value)) return Object.fromEntries(Object.keys(value).map((key) => [key, item(value[key], `${path}/${escapeSegment(key)}`)]));
    throw misshapen(path, "an object", value);
  };

/** An object with exactly these names. An unknown name would be lost when the state is written again. */
export const object =
  <Required extends Shapes, Optional extends Shapes = Record<never, never>>(
    required: Required,
    optional?: Optional,
  ): Shape<ObjectOf<Required, Optional>> =>
  (value, path) => {
    if (!isPlainObject(value)) throw misshapen(path, "an object", value);
    const shapes: Shapes = { ...required, ...optional };
    const missing = Object.keys(required).find((key) => !Object.hasOwn(value, key));
    if (missing !== undefined) throw misshapen(`${path}/${missing}`, "there", undefined);
    const read = Object.keys(value).map((key): [string, unknown] => {
      const shape = Object.hasOwn(shapes, key) ? shapes[key] : undefined;
      if (shape === undefined) throw misshapen(`${path}/${escapeSegment(key)}`, "left out: there is no such member", value[key]);
      return [key, shape(value[key], `${path}/${key}`)];
    });
    return Object.fromEntries(read) as ObjectOf<Required, Optional>;
  };

/** One of several objects, distinguished by the text of one member. */
export const tagged =
  <Cases extends Shapes>(member: string, cases: Cases): Shape<ValueOf<Cases[keyof Cases]>> =>
  (value, path) => {
    if (!isPlainObject(value)) throw misshapen(path, "an object", value);
    const kind = oneOf(...Object.keys(cases))(value[member], `${path}/${member}`);
    return cases[kind]?.(value, path) as ValueOf<Cases[keyof Cases]>;
  };

const reason = oneOf(...(Object.keys(stopReasons) as StopReason[]));
/** An error as plain data. */
export const error = object({ code: oneOf(...(Object.keys(errorCatalogue) as ErrorCode[])), message: text, hint: text }, { details: jsonObject });
/** A stop signal. */
export const signal = object({ reason, message: text }, { source: text, context: jsonObject });
const call = object({ call_id: text, name: text, arguments: jsonObject }, { malformed: text });
const usage = object({ input: amount, output: amount, cache_write: amount, cache_read: amount, reasoning: amount });
const range = object({ from: whole, to: whole });
const tags = object({ agent_id: name, execution_id: name, step_id: name }, { is_trace: mark });

const role = oneOf("user", "assistant", "system", "tool");
const saidWith = { name: text, calls: list(call), call_id: text, metadata: jsonObject };
/** Content of a message. */
export const messageGivenShape = object({ role, text }, saidWith);
/** A message of the log. */
export const messageShape = object({ id: whole, created_at: whole, role, text }, { ...saidWith, tags });

const outcome = tagged("type", {
  ok: object({ type: oneOf("ok"), value: json }),
  error: object({ type: oneOf("error"), error }),
  blocked: object({ type: oneOf("blocked"), by: text, reason: text }),
  skipped: object({ type: oneOf("skipped"), reason: text }),
  unknown: object({ type: oneOf("unknown") }),
});
/** A tool call and its result. */
export const toolExecution = object({ call_id: text, name: text, arguments: jsonObject, result: outcome, started_at: whole, ended_at: whole });
/** A model's answer. */
export const response = object(
  { text, calls: list(call), usage, finish_reason: oneOf("stop", "length", "tool_calls", "content_filter", "error", "other") },
  { model: text },
);
const open = { step_id: name, started_at: whole, input_upto: whole, tool_executions: list(toolExecution), errors: list(error) };
const openStep = object(open, { response });
const closedStep = object({ ...open, ended_at: whole, output: range, signals_upto: whole }, { response });
/** A continuation request. */
export const continuation = object({ source: text, waives: list(reason), lasts: oneOf("step", "execution"), pending: flag });

const work = { execution_id: name, started_at: whole, steps: list(closedStep), errors: list(error), signals: list(signal) };
const goingOn = { step: openStep, continuation };
const ended = tagged("type", {
  completed: object({ type: oneOf("completed"), answer: text, warnings: list(error) }),
  stopped: object({ type: oneOf("stopped"), signal }),
  failed: object({ type: oneOf("failed"), error }),
});
const execution = tagged("phase", {
  idle: object({ phase: oneOf("idle") }),
  running: object({ ...work, phase: oneOf("running") }, goingOn),
  paused: object({ ...work, phase: oneOf("paused"), reason: text }, goingOn),
  done: object({ ...work, phase: oneOf("done"), ended_at: whole, outcome: ended }, { continuation }),
});

const context = object({
  messages: (value: unknown, path: string) => (Array.isArray(value) ? list(messageShape)(value, path) : object({ upto: whole })(value, path)),
  sections: record(list(range)),
  summaries: list(object({ from: whole, to: whole, text, created_at: whole })),
  metadata: jsonObject,
  system_prompt: text,
  response_format: json,
});

/** Name and version of the JSON schema. */
export const schemaName = "throughline.agent_state";
export const schemaVersion = 1;

/** A state as JSON. */
export const stateShape = object(
  {
    schema: oneOf(schemaName),
    version: whole,
    agent_id: name,
    created_at: whole,
    updated_at: whole,
    execution_count: whole,
    context,
    execution,
  },
  { parent_agent_id: name, model: name },
);

/** Tells whether two values are equal as JSON, regardless of key order. */
export const sameJson = (left: unknown, right: unknown): boolean =>
  left !== undefined && right !== undefined && jsonEqual(left as Json, right as Json);
