/** Converts field values to frozen JSON. */
import { seen } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject, escapeSegment } from "../kernel/json.ts";
import { isClear } from "./reducer.ts";

/** Makes a type deeply readonly. Functions, dates and regular expressions stay as they are. */
export type Immutable<Value> = 0 extends 1 & Value
  ? Value
  : Value extends string | number | boolean | bigint | symbol | null | undefined | ((...parameters: never) => unknown) | Date | RegExp
    ? Value
    : Value extends ReadonlyMap<infer Key, infer Item>
      ? ReadonlyMap<Immutable<Key>, Immutable<Item>>
      : Value extends ReadonlySet<infer Item>
        ? ReadonlySet<Immutable<Item>>
        : unknown extends Value
          ? Value
          : { readonly [Key in keyof Value]: Immutable<Value[Key]> };

/** Why a value cannot be stored: a JSON Pointer, and a description of the value there. */
export interface Offence {
  readonly path: string;
  readonly seen: string;
}

/** Deeper values are rejected, because schemas, diffs and JSON functions recurse and would overflow the stack. */
const maximumDepth = 256;

type Snapshot = { readonly json: Json } | { readonly offence: Offence };

/**
 * Returns a deeply frozen JSON copy of a value, or the value itself if it already is one. Like `JSON.stringify`, it leaves out members that are
 * `undefined`. Any other value that is not JSON gives an {@link Offence}.
 */
export const snapshot = (value: unknown): Snapshot => attempt(value, 0);

/** Returns the same for a whole document, whose members may each have the maximum depth. */
export const snapshotDocument = (document: unknown): Snapshot => attempt(document, -1);

function attempt(value: unknown, depth: number): Snapshot {
  try {
    return { json: freeze(value, "", depth) };
  } catch (error) {
    if (error instanceof NotJson) return { offence: { path: error.path, seen: error.seen } };
    throw error;
  }
}

class NotJson extends Error {
  readonly path: string;
  readonly seen: string;

  constructor(path: string, what: string) {
    super();
    this.path = path;
    this.seen = what;
  }
}

function freeze(value: unknown, path: string, depth: number): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new NotJson(path, String(value));
    // JSON has no negative zero, and a value must not change when it is read back.
    return value === 0 ? 0 : value;
  }
  if (typeof value !== "object") throw new NotJson(path, seen(value));
  if (depth === maximumDepth) throw new NotJson(path, `a value nested deeper than ${maximumDepth} levels, or a cycle`);
  if (Array.isArray(value)) return freezeArray(value, path, depth);
  if (isClear(value)) throw new NotJson(path, "clear()");
  if (isPlainObject(value)) return freezeObject(value, path, depth);
  throw new NotJson(path, `an instance of ${value.constructor?.name ?? "a class"}`);
}

function freezeArray(array: readonly unknown[], path: string, depth: number): Json {
  let same = Object.isFrozen(array);
  const copy: Json[] = [];
  for (let index = 0; index < array.length; index++) {
    const item = freeze(array[index], `${path}/${index}`, depth + 1);
    same &&= Object.is(item, array[index]);
    copy.push(item);
  }
  return same ? (array as readonly Json[]) : Object.freeze(copy);
}

function freezeObject(object: Record<string, unknown>, path: string, depth: number): Json {
  let same = Object.isFrozen(object);
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (key === "__proto__") throw new NotJson(path, "a key `__proto__`");
    if (value === undefined) {
      same = false;
      continue;
    }
    const member = freeze(value, `${path}/${escapeSegment(key)}`, depth + 1);
    same &&= Object.is(member, value);
    copy[key] = member;
  }
  return same ? (object as JsonObject) : Object.freeze(copy);
}

/** Freezes the lists and plain objects of a value, and returns the value. A class instance, such as a Date or a Map, is not frozen. */
export function freezePlain(value: unknown): unknown {
  if ((!Array.isArray(value) && !isPlainObject(value)) || Object.isFrozen(value)) return value;
  for (const child of Object.values(Object.freeze(value))) freezePlain(child);
  return value;
}

/** Returns the value at a JSON Pointer in any value; undefined if there is none. For error messages only. */
export function valueAt(value: unknown, path: string): unknown {
  let current = value;
  for (const segment of path.split("/").slice(1)) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string, unknown>)[segment.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return current;
}
