/** Reading values whose shape nobody has checked: each function gives the value, or throws `memory.invalid` with its path. */
import { ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";

/** An object that was read, and where it stands: what the path of a complaint begins with. */
export interface Shape {
  readonly at: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** What a value is; not what it says, which is somebody's memory and has no business in an error. */
const kindOf = (value: unknown): string => {
  if (value === undefined || value === null) return "nothing";
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
};

const wrong = (path: string, wanted: string, value: unknown): ThroughlineError =>
  new ThroughlineError("memory.invalid", `${path} must be ${wanted}, got ${kindOf(value)}.`, { details: { path } });

/** The value as an object to read from. */
export function shapeOf(value: unknown, at: string): Shape {
  if (!isPlainObject(value)) throw wrong(at, "an object", value);
  return { at, members: value };
}

/** The first of the names that has a value: older entries had other names for some members. Null counts as none. */
export function member({ at, members }: Shape, ...names: readonly [string, ...string[]]): { readonly path: string; readonly value: unknown } {
  const name = names.find((name) => Object.hasOwn(members, name) && members[name] !== undefined && members[name] !== null) ?? names[0];
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return { path: `${at}/${name}`, value: value ?? undefined };
}

/** A text. */
export function text(shape: Shape, ...names: readonly [string, ...string[]]): string {
  const { path, value } = member(shape, ...names);
  if (typeof value !== "string") throw wrong(path, "a text", value);
  return value;
}

/** A text, or undefined. */
export function optionalText(shape: Shape, ...names: readonly [string, ...string[]]): string | undefined {
  return member(shape, ...names).value === undefined ? undefined : text(shape, ...names);
}

/** One of a few texts, `fallback` if there is none. */
export function oneOf<Value extends string>(shape: Shape, name: string, values: readonly Value[], fallback?: Value): Value {
  const { path, value } = member(shape, name);
  if (value === undefined && fallback !== undefined) return fallback;
  const found = values.find((known) => known === value);
  if (found === undefined) throw wrong(path, `one of ${values.join(", ")}`, value);
  return found;
}

/** A finite number. */
export function number(shape: Shape, ...names: readonly [string, ...string[]]): number {
  const { path, value } = member(shape, ...names);
  if (typeof value !== "number" || !Number.isFinite(value)) throw wrong(path, "a number", value);
  return value;
}

/** A finite number, or undefined. */
export function optionalNumber(shape: Shape, ...names: readonly [string, ...string[]]): number | undefined {
  return member(shape, ...names).value === undefined ? undefined : number(shape, ...names);
}

/** A time in milliseconds; older entries have it as an ISO 8601 text. */
export function optionalTime(shape: Shape, ...names: readonly [string, ...string[]]): number | undefined {
  const { path, value } = member(shape, ...names);
  if (typeof value !== "string") return optionalNumber(shape, ...names);
  const time = Date.parse(value);
  if (Number.isNaN(time)) throw wrong(path, "a time", value);
  return time;
}

/** A list, each item read by `read`; empty if there is none. */
export function list<Item>(shape: Shape, names: readonly [string, ...string[]], read: (value: unknown, path: string) => Item): readonly Item[] {
  const { path, value } = member(shape, ...names);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(path, "a list", value);
  return value.map((item: unknown, index) => read(item, `${path}/${index}`));
}

/** A list of texts; empty if there is none. */
export function texts(shape: Shape, ...names: readonly [string, ...string[]]): readonly string[] {
  return list(shape, names, (value, path) => {
    if (typeof value !== "string") throw wrong(path, "a text", value);
    return value;
  });
}

/** An object of texts by name, or undefined. */
export function optionalTextsByName(shape: Shape, name: string): Readonly<Record<string, string>> | undefined {
  const { path, value } = member(shape, name);
  if (value === undefined) return undefined;
  const inner = shapeOf(value, path);
  return Object.fromEntries(Object.keys(inner.members).map((name) => [name, text(inner, name)]));
}

/** An object of numbers by name; empty if there is none. */
export function numbersByName(shape: Shape, name: string): Readonly<Record<string, number>> {
  const { path, value } = member(shape, name);
  if (value === undefined) return {};
  const inner = shapeOf(value, path);
  return Object.fromEntries(Object.keys(inner.members).map((name) => [name, number(inner, name)]));
}

/** The members that have a value: an entry as it is stored has none that are undefined. */
export function defined<Value extends object>(value: Value): { [Name in keyof Value]: Exclude<Value[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [Name in keyof Value]: Exclude<Value[Name], undefined>;
  };
}
