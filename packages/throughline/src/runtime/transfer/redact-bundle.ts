/** Removes texts from an export and keeps their shape: the length of a text, the structure of a value, and the times. */
import { type ObjectShape, optionOf, type Shape } from "../../kernel/descriptor.ts";
import { type Json, type JsonObject, escapeSegment, parsePointer } from "../../kernel/json.ts";
import { eventDeclarations } from "../../session/event.ts";
import type { EventKind } from "../../store/port.ts";

const isObject = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a text of the same length. */
export const maskText = (text: string): string => "x".repeat(text.length);

/** Returns a value of the same shape. Texts keep their length, numbers become 0, and member names become their position. */
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

/** Masks a state. Its fields keep their names, which come from the agent. */
export const maskState = (state: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(state).map(([field, value]) => [field, maskValue(value)]));

/** Masks a path into the state. The field and list indexes stay; other names are masked. */
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

/** Masks a value by its declaration. Members declared as plain stay, and declared member names stay. */
function redacted(node: Shape, value: Json): Json {
  if (node.state === "patch") return maskPatch(value);
  if (node.state === "document") return isObject(value) ? maskState(value) : maskValue(value);
  switch (node.type) {
    case "list":
      return Array.isArray(value) ? (value as readonly Json[]).map((item) => redacted(node.of, item)) : maskValue(value);
    case "nullable":
    case "record":
    case "json":
      return maskValue(value);
    case "union":
      return isObject(value) ? redactedMembers(optionOf(node, value), value) : maskValue(value);
    case "object":
      return isObject(value) ? redactedMembers(node, value) : maskValue(value);
    default:
      return value;
  }
}

const redactedMembers = (node: ObjectShape | undefined, value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const declared = node !== undefined && Object.hasOwn(node.members, name) ? node.members[name] : undefined;
      return [name, declared?.plain === true ? redacted(declared, member) : maskValue(member)];
    }),
  );

/** Masks the data of an event. */
export const redactEvent = (kind: EventKind, data: JsonObject): JsonObject => redacted(eventDeclarations[kind].data.node, data) as JsonObject;
