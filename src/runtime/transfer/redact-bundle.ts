/** Takes what people wrote out of an export and leaves its shape: how long a text was, how a value was built, what happened when. */
import type { Json, JsonObject } from "../../kernel/json.ts";
import { escapeSegment, parsePointer } from "../../kernel/json-pointer.ts";
import type { EventKind } from "../../store/port.ts";

const isObject = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** A text of the same length. */
export const maskText = (text: string): string => "x".repeat(text.length);

/** A value of the same shape: texts by their length, numbers as 0, names of an object's members by their place. */
export function maskValue(value: Json): Json {
  if (typeof value === "string") return maskText(value);
  if (typeof value === "number") return 0;
  if (typeof value === "boolean") return false;
  if (value === null) return null;
  if (Array.isArray(value)) return (value as readonly Json[]).map(maskValue);
  return maskObject(value as JsonObject);
}

export const maskObject = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.values(value).map((member, index) => [`member_${index + 1}`, maskValue(member)]));

/** The fields of a state keep their names, which are the agent's. */
export const maskState = (state: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(state).map(([field, value]) => [field, maskValue(value)]));

/** A path into the state: the field stays, and places in lists; other names are masked. */
const maskPath = (path: string): string =>
  parsePointer(path)
    .map((segment, index) => `/${index === 0 || /^(?:\d+|-)$/.test(segment) ? escapeSegment(segment) : maskText(segment)}`)
    .join("");

const maskPatch = (patch: Json | undefined): Json =>
  (Array.isArray(patch) ? (patch as readonly JsonObject[]) : []).map((operation) =>
    Object.fromEntries(
      Object.entries(operation).map(([name, value]) => {
        if (name === "op") return [name, value];
        if (name === "value" && operation["path"] === "" && isObject(value)) return [name, maskState(value)];
        return [name, (name === "path" || name === "from") && typeof value === "string" ? maskPath(value) : maskValue(value)];
      }),
    ),
  );

/** For each kind, members that hold Throughline's and the agent's own words; what is not named is masked. */
const kept: Readonly<Record<EventKind, readonly string[]>> = {
  message: ["role", "origin", "redacted"],
  tool: ["type", "call_id", "name", "effects"],
  status: ["status", "stage"],
  custom: [],
  state: ["definition"],
  turn: ["type", "cause", "answers", "retries", "versions", "model", "name", "ms", "step_id", "usage", "finish_reason", "call_id", "index", "calls"],
  session: ["type", "agent", "definition", "episode", "mode", "closed", "opened", "reason", "from", "at", "offsets", "given", "text_version"],
  assessment: ["audit_id", "level"],
};

/** An object of which these members stay, and others masked under the names that the format gives them. */
const maskBut = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, names.includes(name) ? member : maskValue(member)]));

/** Of what a paused turn waits with: which call, of which tool. What is asked, and the hash of what would be done, are a person's. */
const pendingKept = ["call_id", "name", "kind", "index", "by", "expires_at", "child"];

/** Members whose shape says more than that of any value. */
const special: Readonly<Record<string, (value: Json) => Json>> = {
  patch: maskPatch,
  state: (value) => (isObject(value) ? maskState(value) : maskValue(value)),
  parts: (value) =>
    Array.isArray(value) ? (value as readonly Json[]).map((part) => (isObject(part) ? keepType(part) : maskValue(part))) : maskValue(value),
  writer: (value) => {
    if (!isObject(value)) return maskValue(value);
    // The name of an operator is a person's, that of a stage the agent's.
    return value["type"] === "stage" || value["type"] === "tool" ? value : keepType(value);
  },
  handover: (value) => (isObject(value) ? maskBut(value, ["status", "since", "alert"]) : maskValue(value)),
  control: (value) => (isObject(value) ? maskBut(value, ["mode"]) : maskValue(value)),
  outcome: (value) => (isObject(value) ? keepType(value, "status") : maskValue(value)),
  decision: (value) => (isObject(value) ? maskBut(value, ["type", "cause"]) : maskValue(value)),
  pending: (value) =>
    Array.isArray(value)
      ? (value as readonly Json[]).map((call) => (isObject(call) ? maskBut(call, pendingKept) : maskValue(call)))
      : maskValue(value),
};

/** An object whose `type` stays; the rest is masked under the names that the format gives it. */
const keepType = (value: JsonObject, type = "type"): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, name === type || typeof member === "number" ? member : maskValue(member)]));

/** The data of an event without what people wrote. */
export function redactEvent(kind: EventKind, data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      if (kept[kind].includes(name)) return [name, value];
      return [name, (special[name] ?? maskValue)(value)];
    }),
  );
}
