/** Checks the result of a hook's function before anything is applied, because hooks are foreign code. */
import { type StopReason, stopReasons, type StopSignal } from "../../execution/step.ts";
import { seen } from "../../kernel/error.ts";
import { deepFreeze, isPlainObject, type JsonObject, notJson, present } from "../../kernel/json.ts";
import type { ModelRequest, ModelToolCall } from "../../model/model-port.ts";
import type { ToolResult } from "../../session/event.ts";
import { nearest } from "../../state/document.ts";
import type { HookKey, HookPoint } from "./points.ts";

/** The checked requests of a hook. Values other than plain JSON are copied and frozen. */
export interface HookRequests {
  readonly delta?: JsonObject;
  readonly stop?: StopSignal;
  readonly request?: Partial<ModelRequest>;
  readonly answer?: { readonly text?: string; readonly calls?: readonly ModelToolCall[] };
  readonly arguments?: JsonObject;
  readonly block?: string;
  readonly approval?: string | true;
  readonly result?: ToolResult;
  readonly continue?: true | { readonly waives: readonly StopReason[] };
  readonly retry?: true;
  readonly fallback?: string;
}

/** A result without requests. */
const nothing: HookRequests = Object.freeze({});

const common = ["delta", "stop"] as const;
const allowed: Readonly<Record<HookPoint, readonly HookKey[]>> = {
  beforeExecution: common,
  beforeStep: common,
  beforeModel: [...common, "request"],
  afterModel: [...common, "answer"],
  beforeTool: [...common, "arguments", "block", "approval"],
  afterTool: [...common, "result"],
  afterStep: [...common, "continue"],
  onStop: [...common, "continue"],
  onError: [...common, "retry", "fallback"],
  afterExecution: ["delta"],
};

/** Describes the defect of a value, or returns undefined for a valid one. */
type Check = (value: unknown) => string | undefined;

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** Describe the defect in the value of a key. They name shapes, not texts, which may come from a customer. */
const checks: Readonly<Record<Exclude<HookKey, "continue">, Check>> = {
  delta: (value) => (isPlainObject(value) ? undefined : "is no object of updates by field"),
  stop: wrongStop,
  request: wrongRequest,
  answer: wrongAnswer,
  arguments: (value) => (isPlainObject(value) ? notJsonAt(value) : "is no object"),
  block: (value) => (isText(value) ? undefined : "is no text with a reason"),
  approval: (value) => (value === true || isText(value) ? undefined : "is neither true nor a question"),
  result: wrongResult,
  retry: (value) => (value === true ? undefined : "is not true"),
  fallback: (value) => (isText(value) ? undefined : "is no text"),
};

/** Reads the result of a function at a point. If it is invalid, returns a description that continues "it returned". */
export function readReturned(point: HookPoint, returned: unknown): HookRequests | string {
  if (returned === undefined) return nothing;
  if (!isPlainObject(returned)) return `${shapeOf(returned)}, which is neither an object nor undefined`;
  const given = Object.entries(returned).filter(([, value]) => value !== undefined);
  for (const [key, value] of given) {
    const known = allowed[point].find((name) => name === key);
    if (known === undefined) return `${seen(key)}, which ${point} may not; ${hintFor(point, key)}`;
    const wrong = known === "continue" ? wrongContinue(point, value) : checks[known](value);
    if (wrong !== undefined) return `"${key}", which ${wrong}`;
  }
  const { delta, stop, ...rest } = Object.fromEntries(given) as { readonly delta?: JsonObject; readonly stop?: { readonly reason?: StopReason } };
  return {
    // Copied, because a hook could modify its result later. Updates may hold values that are not JSON; the state copies those.
    ...(deepFreeze(structuredClone(rest)) as HookRequests),
    ...present({ delta }),
    ...(stop === undefined ? {} : { stop: deepFreeze(structuredClone({ ...stop, reason: stop.reason ?? "stop_requested" })) as StopSignal }),
  };
}

function hintFor(point: HookPoint, key: string): string {
  const near = nearest(key, allowed[point]);
  return near === undefined ? `it may return ${allowed[point].join(", ")}` : `"${near}" may be meant`;
}

const shapeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`);

function notJsonAt(value: unknown): string | undefined {
  const offence = notJson(value);
  return offence === undefined ? undefined : `is not JSON at ${offence.path === "" ? "its root" : offence.path}`;
}

const isReason = (value: unknown): boolean => typeof value === "string" && Object.hasOwn(stopReasons, value);

function wrongStop(value: unknown): string | undefined {
  if (!isPlainObject(value)) return "is no object with a message";
  const { reason, message, context, ...rest } = value;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `has ${seen(unknown)}; it takes reason, message and context`;
  if (reason !== undefined && !isReason(reason)) return `has an unknown reason; the reasons are ${Object.keys(stopReasons).join(", ")}`;
  if (!isText(message)) return "has no message";
  return context === undefined || (isPlainObject(context) && notJson(context) === undefined) ? undefined : "has a context that is no JSON object";
}

function wrongContinue(point: HookPoint, value: unknown): string | undefined {
  if (point === "afterStep") return value === true ? undefined : "is not true";
  const waives: unknown = isPlainObject(value) && Object.keys(value).length === 1 ? value["waives"] : undefined;
  return Array.isArray(waives) && waives.every(isReason) ? undefined : "does not say which reasons it waives: { waives: [] }";
}

function wrongAnswer(value: unknown): string | undefined {
  if (!isPlainObject(value)) return "is no object with text or calls";
  const { text, calls, ...rest } = value;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `has ${seen(unknown)}; it takes text and calls`;
  if (text !== undefined && typeof text !== "string") return "has a text that is no text";
  return calls === undefined ? undefined : wrongCalls(calls);
}

function wrongCalls(calls: unknown): string | undefined {
  if (!Array.isArray(calls)) return "has calls that are no list";
  const ids = new Set<unknown>();
  for (const call of calls as readonly unknown[]) {
    if (!isPlainObject(call) || !isText(call["call_id"]) || !isText(call["name"]) || !isPlainObject(call["arguments"]))
      return "has a call without call_id, name or arguments";
    if (notJson(call) !== undefined) return "has a call that is no JSON";
    if (ids.has(call["call_id"])) return "has two calls with one call_id";
    ids.add(call["call_id"]);
  }
  return undefined;
}

const isString = (value: unknown): boolean => typeof value === "string";

type Fault = string | undefined;

const isSection = (value: unknown): boolean => isPlainObject(value) && isString(value["name"]) && isString(value["text"]);
const isTool = (value: unknown): boolean =>
  isPlainObject(value) && isString(value["name"]) && isString(value["description"]) && isPlainObject(value["parameters"]);

function isMessage(value: unknown): boolean {
  if (!isPlainObject(value) || !isString(value["text"])) return false;
  if (value["role"] === "tool") return isString(value["call_id"]);
  return ["user", "assistant", "system"].some((role) => role === value["role"]) && (value["calls"] === undefined || Array.isArray(value["calls"]));
}

const listOf = (value: unknown, test: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && (value as readonly unknown[]).every((item) => test(item)) && notJson(value) === undefined;

/** Checks of the parts of a request, by name. */
const parts: Readonly<Record<keyof ModelRequest, (value: unknown) => boolean>> = {
  sections: (value) => listOf(value, isSection),
  messages: (value) => listOf(value, isMessage),
  tools: (value) => listOf(value, isTool),
  response_format: (value) => notJson(value) === undefined,
  max_output_tokens: (value) => Number.isInteger(value) && Number(value) >= 1,
};

/** Describes the defect in the parts with which a hook wants to replace those of a request. */
export function wrongRequest(value: unknown): Fault {
  if (!isPlainObject(value)) return "is no object with parts of a request";
  for (const [name, part] of Object.entries(value)) {
    const known = Object.keys(parts).find((key) => key === name) as keyof ModelRequest | undefined;
    if (known === undefined) return `has ${seen(name)}; it takes ${Object.keys(parts).join(", ")}`;
    if (part !== undefined && !parts[known](part)) return `has ${name} of the wrong shape`;
  }
  return undefined;
}

/** Describes the defect of parts for this request: a tool that it does not offer, which nothing could run. */
export function wrongTools(request: ModelRequest, parts: Partial<ModelRequest> | undefined): Fault {
  const added = parts?.tools?.find(({ name }) => !request.tools.some((tool) => tool.name === name));
  return added === undefined ? undefined : `a request with the tool ${seen(added.name)}, which was not offered before`;
}

/** Returns the request with a hook's parts. */
export const withParts = (request: ModelRequest, parts: Partial<ModelRequest>): ModelRequest =>
  Object.freeze({ ...request, ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) });

const isPart = (part: unknown): boolean =>
  isPlainObject(part) && ((part["type"] === "text" && isString(part["text"])) || (part["type"] === "json" && "value" in part));

/** Checks of the result types. */
const shapes: Readonly<Record<string, (result: Readonly<Record<string, unknown>>) => boolean>> = {
  ok: ({ value, shown, not_stored }) =>
    value !== undefined && not_stored === undefined && (shown === undefined || (Array.isArray(shown) && shown.every((part) => isPart(part)))),
  error: ({ error }) => isPlainObject(error) && isString(error["code"]) && isString(error["message"]) && isString(error["hint"]),
  blocked: ({ by, reason }) => isString(by) && isString(reason),
  skipped: ({ reason }) => isString(reason),
  unknown: () => true,
};

/** Describes the defect in the result with which a hook wants to replace a call's. */
export function wrongResult(value: unknown): string | undefined {
  const type: unknown = isPlainObject(value) ? value["type"] : undefined;
  if (!isPlainObject(value) || typeof type !== "string" || !Object.hasOwn(shapes, type))
    return `is no result; its type is one of ${Object.keys(shapes).join(", ")}`;
  if (shapes[type]?.(value) !== true) return `is no result of type ${type}`;
  return notJson(value) === undefined ? undefined : "is no JSON";
}
