/** What a value read from outside must look like. A shape gives back a checked copy, or throws `execution.invalid` with the path of the first offence. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { assertJson, isPlainObject, notJson, type Json, type JsonObject } from "../../kernel/json.ts";
import { escapeSegment } from "../../kernel/json-pointer.ts";

/** Checks a value at a path (a JSON Pointer). */
export type Shape<Value> = (value: unknown, path: string) => Value;

type Shapes = { readonly [key: string]: Shape<unknown> };
type ValueOf<Of> = Of extends Shape<infer Value> ? Value : never;
type ObjectOf<Required extends Shapes, Optional extends Shapes> = { readonly [Key in keyof Required]: ValueOf<Required[Key]> } & {
  readonly [Key in keyof Optional]?: ValueOf<Optional[Key]>;
};

/** The error for a value that is not what it must be. */
export const misshapen = (path: string, wanted: string, value: unknown): ThroughlineError =>
  new ThroughlineError("execution.invalid", `${path === "" ? "The state" : path} must be ${wanted}, got ${seen(value)}.`, { details: { path } });

export const text: Shape<string> = (value, path) => {
  if (typeof value === "string") return value;
  throw misshapen(path, "a text", value);
};

/** A text that is not blank; branded ids are texts, too. */
export const name: Shape<never> = (value, path) => {
  if (typeof value === "string" && value.trim() !== "") return value as never;
  throw misshapen(path, "a text that is not blank", value);
};

/** A mark that is there or not. */
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

/** One of some texts. */
export const oneOf =
  <Value extends string>(...values: readonly Value[]): Shape<Value> =>
  (value, path) => {
    const found = values.find((known) => known === value);
    if (found !== undefined) return found;
    throw misshapen(path, `one of ${values.join(", ")}`, value);
  };

/** A list of what has a shape. */
export const list =
  <Item>(item: Shape<Item>): Shape<readonly Item[]> =>
  (value, path) => {
    if (Array.isArray(value)) return Array.from(value, (entry: unknown, index) => item(entry, `${path}/${index}`));
    throw misshapen(path, "a list", value);
  };

/** An object of any names. */
export const record =
  <Item>(item: Shape<Item>): Shape<{ readonly [name: string]: Item }> =>
  (value, path) => {
    if (isPlainObject(value)) return Object.fromEntries(Object.keys(value).map((key) => [key, item(value[key], `${path}/${escapeSegment(key)}`)]));
    throw misshapen(path, "an object", value);
  };

/** An object of these names and no other: a name that is not known would be lost at the next writing. */
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

/** One of several objects, told apart by the text of one member. */
export const tagged =
  <Cases extends Shapes>(member: string, cases: Cases): Shape<ValueOf<Cases[keyof Cases]>> =>
  (value, path) => {
    if (!isPlainObject(value)) throw misshapen(path, "an object", value);
    const kind = oneOf(...Object.keys(cases))(value[member], `${path}/${member}`);
    return cases[kind]?.(value, path) as ValueOf<Cases[keyof Cases]>;
  };
