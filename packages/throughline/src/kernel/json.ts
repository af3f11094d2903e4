/** JSON values: checked, frozen, compared and measured; JSON Pointers (RFC 6901) into them; and text that every database stores unchanged. */
import { seen, ThroughlineError } from "./error.ts";
import type { Json, JsonArray, JsonObject, JsonPrimitive } from "./json-type.ts";

export type { Json, JsonArray, JsonObject, JsonPrimitive };

/** Whether `value` is an object literal or an object without a prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The members of an object; those that can be undefined are optional. */
export type Present<Members extends object> = {
  readonly [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  readonly [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/** Returns an object without the members that are undefined. */
export const present = <Members extends object>(members: Members): Present<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;

/** Maximum nesting depth. Writing, comparing and freezing JSON are recursive, so deeper values could overflow the stack. */
const deepest = 512;

/** Returns the argument of a call. Throws `input.invalid` if it is not an object. */
export function objectGiven<Given extends object>(given: Given, call: string): Given {
  if (isPlainObject(given)) return given;
  throw new ThroughlineError("input.invalid", `${call} takes an object, got ${seen(given)}.`);
}

/** Returns why a value is not JSON: the JSON Pointer of the first invalid part, and a description of it. Returns undefined if the value is JSON. */
export function notJson(value: unknown): { readonly path: string; readonly seen: string } | undefined {
  const ancestors = new Set<object>();
  const visit = (current: unknown, path: string): { path: string; seen: string } | undefined => {
    if (current === null || typeof current === "string" || typeof current === "boolean") return undefined;
    if (typeof current === "number") return Number.isFinite(current) ? undefined : { path, seen: String(current) };
    if (typeof current !== "object") return { path, seen: seen(current) };
    if (ancestors.has(current)) return { path, seen: "a cycle" };
    if (ancestors.size === deepest) return { path, seen: `a value nested deeper than ${deepest} levels` };
    if (!Array.isArray(current) && !isPlainObject(current)) return { path, seen: `an instance of ${current.constructor?.name ?? "a class"}` };
    ancestors.add(current);
    for (const key of Object.keys(current)) {
      const found = visit((current as Record<string, unknown>)[key], `${path}/${escapeSegment(key)}`);
      if (found !== undefined) return found;
    }
    if (Array.isArray(current) && Object.keys(current).length !== current.length) return { path, seen: "an array with holes" };
    ancestors.delete(current);
    return undefined;
  };
  return visit(value, "");
}

/** Returns the value, typed as JSON. Throws `json.invalid` with the path and the value seen if it is not JSON. */
export function assertJson(value: unknown, name = "value"): Json {
  const offence = notJson(value);
  if (offence === undefined) return value as Json;
  throw new ThroughlineError("json.invalid", `${name}${offence.path} is not JSON: ${offence.seen}.`, {
    details: { path: offence.path, seen: offence.seen },
  });
}

/** Returns JSON text with sorted keys. Equal values have equal texts. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const object = value as JsonObject;
    const members = Object.keys(object)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] as Json)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}

/** Whether two JSON values are equal. The order of keys does not matter. */
export function jsonEqual(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item: Json, index) => jsonEqual(item, right[index] as Json));
  }
  const a = left as JsonObject;
  const b = right as JsonObject;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key] as Json, b[key] as Json));
}

/** Freezes a value and everything in it that is not frozen yet, and returns the value. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) for (const item of value as readonly unknown[]) deepFreeze(item);
  else for (const key of Reflect.ownKeys(value)) deepFreeze((value as Record<PropertyKey, unknown>)[key]);
  return value;
}

/** Returns the length of a text in bytes, as UTF-8. */
export const byteLength = (text: string): number => Buffer.byteLength(text);

/** Whether every database stores and compares the text unchanged: it has no NUL and no unpaired surrogate. Names must satisfy this. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000");

/** Keys that can reach an object's prototype. No pointer may contain them. */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a key may be a segment of a path: any key except `__proto__`, `constructor` and `prototype`. */
export const isSafeSegment = (segment: string): boolean => !forbidden.has(segment);

/** Escapes a segment for use in a pointer. */
export function escapeSegment(segment: string): string {
  return segment.includes("~") || segment.includes("/") ? segment.replaceAll("~", "~0").replaceAll("/", "~1") : segment;
}

/** Formats segments as a pointer: `["a/b", 0]` gives `/a~1b/0`. No segments give the pointer to the whole document. */
export function formatPointer(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${escapeSegment(String(segment))}`).join("");
}

/** Parses a pointer to its segments. Throws `patch.invalid` if it is malformed or contains `__proto__`, `constructor` or `prototype`. */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw invalidPointer(pointer, "does not begin with `/`");
  const segments = pointer.slice(1).split("/");
  return segments.map((raw) => {
    if (/~(?![01])/.test(raw)) throw invalidPointer(pointer, "has a `~` that is neither `~0` nor `~1`");
    const segment = raw.includes("~") ? raw.replaceAll("~1", "/").replaceAll("~0", "~") : raw;
    if (!isSafeSegment(segment)) throw invalidPointer(pointer, `goes through \`${segment}\``);
    return segment;
  });
}

/** Parses a segment as an index in an array of `length` elements. `-` is the end of the array. Returns undefined if the segment is not an index. */
export function parseIndex(segment: string, length: number): number | undefined {
  if (segment === "-") return length;
  return /^(?:0|[1-9]\d{0,15})$/.test(segment) ? Number(segment) : undefined;
}

function invalidPointer(pointer: string, why: string): ThroughlineError {
  return new ThroughlineError("patch.invalid", `The path ${seen(pointer)} ${why}.`, { details: { path: pointer } });
}
