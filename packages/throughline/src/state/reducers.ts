/** The stock reducers, and which one a field has by default. Those that append or drop elements emit their own operations, so a write costs only what it changes. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";
import { canonicalJson, isPlainObject, type Json, jsonEqual, type JsonObject, notJson } from "../kernel/json.ts";
import { jsonSchemaOf, type Schema } from "../kernel/schema.ts";
import { type AnyReducer, type Clear, isClear, noChange, type NoChange, type Reducer, stockReducer } from "./reducer.ts";

/** One element, or a list of elements. */
type ItemOrItems<Item> = Item | readonly Item[];
type ListReducer<Item> = Reducer<readonly Item[], ItemOrItems<Item>>;
type Key<Item> = Extract<keyof Item, string>;

/** Replaces the value with the update. */
export function replace<Value>(): Reducer<Value, Value> {
  return stockReducer({ name: "replace", validates: "result", reduce: (_current, update) => update });
}

/**
 * Creates a reducer of lists. `join` returns the new list from the old list and the elements to write. If both lists have the same elements, the
 * value keeps its reference.
 */
function listReducer<Item>(
  name: string,
  join: (list: readonly Item[], items: readonly Item[]) => readonly Item[],
  rest: Pick<ListReducer<Item>, "options" | "operations"> = {},
): ListReducer<Item> {
  return stockReducer<readonly Item[], ItemOrItems<Item>>({
    name,
    ...rest,
    validates: "update",
    reduce(current, update) {
      const list = listOf(current);
      const next = join(list, itemsOf(name, update));
      return list === current && next.length === list.length && next.every((item, index) => item === list[index]) ? list : next;
    },
  });
}

/** Appends an element, or each element of a list. */
export function append<Item>(): ListReducer<Item> {
  return listReducer<Item>("append", (list, items) => [...list, ...items], { operations: additions });
}

/**
 * Appends the elements that the list does not hold yet. Two elements are the same if they are equal as JSON, or if their members `by` are. The first
 * one stays.
 */
export function appendUnique<Item>(options: { readonly by?: Key<Item> } = {}): ListReducer<Item> {
  const { by } = options;
  const name = "appendUnique";
  const identity = (item: Item): string => identityOf(name, by === undefined ? item : keyOf(name, item, by));
  const join = (list: readonly Item[], items: readonly Item[]): readonly Item[] => {
    const known = new Set(list.map(identity));
    const fresh = items.filter((item) => {
      const id = identity(item);
      return !known.has(id) && known.add(id);
    });
    return [...list, ...fresh];
  };
  return listReducer(name, join, { ...(by === undefined ? {} : { options: { by } }), operations: additions });
}

/**
 * Computes the union of two sets that are stored as lists. Elements that are equal as JSON count as one, in the order of their first occurrence. The
 * result holds no element twice.
 */
export function union<Item>(): ListReducer<Item> {
  const join = (list: readonly Item[], items: readonly Item[]): readonly Item[] => {
    const members = new Map<string, Item>();
    for (const item of [...list, ...items]) {
      const id = identityOf("union", item);
      if (!members.has(id)) members.set(id, item);
    }
    return [...members.values()];
  };
  return listReducer("union", join, {
    operations: (current, next) => (current.every((item, index) => item === next[index]) ? additions(current, next) : undefined),
  });
}

/** Replaces the element with the same key, or appends the element. */
export function upsertBy<Item>(key: Key<Item>): ListReducer<Item> {
  const join = (list: readonly Item[], items: readonly Item[]): readonly Item[] => {
    const places = new Map(list.map((item, index) => [keyOf("upsertBy", item, key), index]));
    const next = [...list];
    for (const item of items) {
      const id = keyOf("upsertBy", item, key);
      const place = places.get(id) ?? next.length;
      places.set(id, place);
      if (place === next.length || notJson(item) !== undefined || !jsonEqual(next[place] as Json, item as Json)) next[place] = item;
    }
    return next;
  };
  return listReducer("upsertBy", join, { options: { key } });
}

/** Appends elements and keeps the last `count`. Throws `state.definition_invalid` if `count` is not a whole number from 1. */
export function lastN<Item>(count: number): ListReducer<Item> {
  if (!Number.isSafeInteger(count) || count < 1)
    throw new ThroughlineError("state.definition_invalid", `lastN() keeps a whole number of elements from 1; saw ${seen(count)}.`);
  return listReducer<Item>("lastN", (list, items) => [...list, ...items].slice(-count), {
    options: { count },
    operations(current, next) {
      const kept = overlap(current, next);
      const removals = current.slice(0, current.length - kept).map((): PatchOperation => ({ op: "remove", path: "/0" }));
      return removals.length > kept ? undefined : [...removals, ...additions(next.slice(0, kept), next)];
    },
  });
}

/** Update of {@link merge}. A member that is left out or undefined stays; `clear()` removes it. */
export type Members<Value> = { readonly [Member in keyof Value]?: Value[Member] | Clear | undefined };

/** Merges objects member by member. A member that is an object is replaced, not merged. */
export function merge<Value extends object>(): Reducer<Value, Members<Value>> {
  return stockReducer({
    name: "merge",
    validates: "result",
    reduce: (current, update) => mergeObjects("merge", current, update, (_old, value) => value) as Value,
  });
}

/** Update of {@link mergeDeep}. */
type DeepMembers<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Member in keyof Value]?: DeepMembers<Value[Member]> | Clear | undefined }
    : Value;

/** Merges objects at every depth. A value that is not an object on both sides is replaced; so are lists. */
export function mergeDeep<Value extends object>(): Reducer<Value, DeepMembers<Value>> {
  const join = (old: unknown, value: unknown): unknown =>
    isPlainObject(value) ? mergeObjects("mergeDeep", isPlainObject(old) ? old : undefined, value, join) : value;
  return stockReducer({
    name: "mergeDeep",
    validates: "result",
    reduce: (current, update) => mergeObjects("mergeDeep", current, update, join) as Value,
  });
}

/** Adds a number. An absent counter starts at 0. */
export function counter(): Reducer<number, number> {
  return stockReducer({
    name: "counter",
    validates: "result",
    reduce: (current, update) => numberOf(current ?? 0) + numberOf(update),
  });
}

/** Keeps the greater of two numbers, or the later of two strings in code unit order (as for ISO dates). */
export function max<Value extends number | string>(): Reducer<Value, Value> {
  return stockReducer({
    name: "max",
    validates: "result",
    reduce(current, update): Value | NoChange {
      const comparable = typeof update === "string" || (typeof update === "number" && !Number.isNaN(update));
      if (!comparable || (current !== undefined && current !== null && typeof current !== typeof update))
        throw mismatch("max", `compares numbers with numbers and texts with texts; saw ${seen(update)} for ${seen(current)}`);
      return current === undefined || current === null || update > current ? update : noChange;
    },
  });
}

/** Returns `add` operations for the elements of `next` beyond the length of `current`. */
function additions(current: readonly unknown[], next: readonly unknown[]): readonly PatchOperation[] {
  return next.slice(current.length).map((value) => ({ op: "add", path: "/-", value: value as Json }));
}

/** Returns the largest number of last elements of `current` that are the first elements of `next`. */
function overlap(current: readonly unknown[], next: readonly unknown[]): number {
  const longest = Math.min(current.length, next.length);
  for (let size = longest; size > 0; size--) {
    const from = current.length - size;
    if (current[from] === next[0] && current.slice(from).every((item, index) => item === next[index])) return size;
  }
  return 0;
}

function listOf<Item>(current: ItemOrItems<Item> | null | undefined): readonly Item[] {
  if (current === undefined || current === null) return [];
  return isList(current) ? current : [current];
}

function itemsOf<Item>(name: string, update: ItemOrItems<Item>): readonly Item[] {
  if (update === null || update === undefined)
    throw mismatch(name, `takes an element or a list of elements; saw ${seen(update)}`, "To add null itself, give it in a list: `[null]`.");
  return isList(update) ? update : [update];
}

const isList = <Item>(value: ItemOrItems<Item>): value is readonly Item[] => Array.isArray(value);

/** Returns a string that is the same for equal values. */
function identityOf(name: string, value: unknown): string {
  const offence = notJson(value);
  if (offence === undefined) return canonicalJson(value as Json);
  throw mismatch(
    name,
    `compares elements as JSON; saw ${offence.seen}`,
    "Give a `by` whose values are JSON, or keep the elements themselves as JSON.",
  );
}

function keyOf(name: string, item: unknown, key: string): unknown {
  if (isPlainObject(item) && Object.hasOwn(item, key)) return item[key];
  throw mismatch(name, `needs elements with a member ${seen(key)}; saw ${seen(item)}`);
}

function mergeObjects(name: string, current: unknown, update: unknown, join: (old: unknown, value: unknown) => unknown): Record<string, unknown> {
  if (current !== undefined && current !== null && !isPlainObject(current))
    throw mismatch(name, `merges into an object; the field holds ${seen(current)}`);
  if (!isPlainObject(update)) throw mismatch(name, `takes an object; saw ${seen(update)}`);
  const next: Record<string, unknown> = { ...current };
  for (const [member, value] of Object.entries(update)) {
    if (member === "__proto__") throw mismatch(name, "takes no member `__proto__`");
    if (isClear(value)) delete next[member];
    else if (value !== undefined) next[member] = join(Object.hasOwn(next, member) ? next[member] : undefined, value);
  }
  return next;
}

function numberOf(value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw mismatch("counter", `takes finite numbers; saw ${seen(value)}`);
}

function mismatch(name: string, why: string, hint?: string): ThroughlineError {
  return new ThroughlineError("state.reducer_mismatch", `The reducer ${name} ${why}.`, hint === undefined ? {} : { hint });
}

/**
 * Default reducer for a schema that does not describe its output. Each write then chooses between append and replace, by the current value and the
 * validated update. This reducer itself never runs.
 */
export const byValue: AnyReducer = stockReducer({ name: "by_value", validates: "update", reduce: (_current, update) => update });

/** Returns the default reducer of a schema. Throws `state.reducer_ambiguous` if the schema returns lists as well as other values. */
export function defaultReducerOf(schema: Schema): AnyReducer {
  const kinds = kindsOf(jsonSchemaOf(schema, "output"));
  if (kinds.has("list") && (kinds.has("other") || kinds.has("tuple"))) {
    throw new ThroughlineError("state.reducer_ambiguous", "A field that may hold a list or something else names no reducer.");
  }
  if (kinds.has("any")) return byValue;
  return kinds.has("list") ? append() : replace();
}

type Kind = "list" | "tuple" | "null" | "other" | "any";

function kindsOf(schema: Json): ReadonlySet<Kind> {
  if (!isPlainObject(schema)) return new Set<Kind>(["any"]);
  const { type, anyOf, oneOf, const: constant, enum: values } = schema;
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return new Set(alternatives.flatMap((alternative: Json) => [...kindsOf(alternative)]));
  if (typeof type === "string") return new Set([kindOf(type, schema)]);
  if (Array.isArray(type)) return new Set(type.map((name: Json) => kindOf(name, schema)));
  if (Array.isArray(values)) return new Set(values.map(kindOfValue));
  return new Set<Kind>([constant === undefined ? "any" : kindOfValue(constant)]);
}

function kindOf(type: Json, schema: JsonObject): Kind {
  if (type === "null") return "null";
  if (type !== "array") return "other";
  return schema["prefixItems"] === undefined ? "list" : "tuple";
}

const kindOfValue = (value: Json): Kind => (value === null ? "null" : Array.isArray(value) ? "tuple" : "other");
