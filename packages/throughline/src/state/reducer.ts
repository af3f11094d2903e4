/** Reducers, and the updates that are not values: `noChange`, `clear()` and `using()`. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";

/** Leaves the field unchanged, in a delta or as a reducer's result. */
export const noChange: unique symbol = Symbol.for("throughline.no_change");
/** The type of {@link noChange}. */
export type NoChange = typeof noChange;

declare const cleared: unique symbol;
/** The type of {@link clear}'s result. */
export interface Clear {
  readonly [cleared]: true;
}
const clearMark = Symbol.for("throughline.clear");
const clearing = Object.freeze({ [clearMark]: true }) as unknown as Clear;

/** Resets the field to its declared `initial`, or to absent. Works in a delta or as a reducer's result. */
export const clear = (): Clear => clearing;
/** Whether {@link clear} returned the value. */
export const isClear = (value: unknown): value is Clear => typeof value === "object" && value !== null && clearMark in value;

declare const joined: unique symbol;

/** A reducer of values of one type, with any update type. */
export interface ReducerOf<Value> {
  readonly name: string;
  /** Increase it when the same update produces another value. */
  readonly version: number;
  /** Parameters of a stock reducer, such as the key of upsertBy. They are part of its identity. */
  readonly options?: JsonObject;
  /**
   * What the field's schema validates. `"update"`: the update as a list of elements, so an append costs only the appended elements. `"result"`: the
   * reducer's result.
   */
  readonly validates: "update" | "result";
  [joined]?(value: Value): Value;
}

/**
 * A pure function of a field's current value and an update. It must not change its arguments, which are frozen, or depend on anything else. It runs
 * again if another writer commits first. Its effect is stored as operations, so replaying a log never runs it.
 */
export interface Reducer<Value, Update> extends ReducerOf<Value> {
  /** `current` is undefined while the field is absent. */
  reduce(current: Value | undefined, update: Update): Value | NoChange | Clear;
  /**
   * Returns the operations from `current` to `next`, with paths relative to the field. Undefined: a diff is computed instead. Only stock reducers
   * that validate updates provide it.
   */
  operations?(current: Value, next: Value): readonly PatchOperation[] | undefined;
}

/** A reducer of unknown types. TypeScript compares methods bivariantly, so every reducer fits without a cast. */
export interface AnyReducer extends Reducer<unknown, unknown> {}

/** Options of {@link defineReducer}. */
export interface ReducerOptions<Value, Update> {
  /** Serialized states refer to the reducer by this name and `version`. The names of stock reducers are reserved. */
  readonly name: string;
  readonly version: number;
  readonly reduce: (current: Value | undefined, update: Update) => Value | NoChange | Clear;
}

const stockNames = new Set(["by_value", "replace", "append", "appendUnique", "merge", "mergeDeep", "upsertBy", "union", "counter", "max", "lastN"]);
const allowedKeys = new Set(["name", "version", "reduce"]);

/** Declares a custom reducer. The field's schema validates its result; its update may have any type. Throws `state.definition_invalid`. */
export function defineReducer<Value, Update = Value>(options: ReducerOptions<Value, Update>): Reducer<Value, Update> {
  const refuse = (why: string): never => {
    throw new ThroughlineError("state.definition_invalid", `defineReducer: ${why}.`);
  };
  if (!isPlainObject(options)) return refuse(`expects an object; saw ${seen(options)}`);
  const { name, version, reduce } = options;
  const unknownKey = Object.keys(options).find((key) => !allowedKeys.has(key));
  if (unknownKey !== undefined) refuse(`unknown option ${seen(unknownKey)}`);
  if (typeof name !== "string" || name === "") refuse(`\`name\` must be a non-empty string; saw ${seen(name)}`);
  if (stockNames.has(name)) refuse(`the name ${seen(name)} belongs to a stock reducer`);
  if (!Number.isSafeInteger(version) || version < 1) refuse(`\`version\` of ${seen(name)} must be a whole number from 1; saw ${seen(version)}`);
  if (typeof reduce !== "function") refuse(`\`reduce\` of ${seen(name)} must be a function; saw ${seen(reduce)}`);
  return register<Value, Update>({ name, version, validates: "result", reduce });
}

/** Creates a stock reducer, version 1. Only stock reducers may validate just the update, because they add nothing else to the result. */
export function stockReducer<Value, Update>(reducer: Omit<Reducer<Value, Update>, "version">): Reducer<Value, Update> {
  return register({ ...reducer, version: 1 });
}

/** Wraps a plain function as the reducer of a single write. It has no name under which it could be stored. */
export const inlineReducer = (reduce: AnyReducer["reduce"]): AnyReducer =>
  register<unknown, unknown>({ name: "inline", version: 1, validates: "result", reduce });

const registered = new WeakSet<object>();

/** Whether a reducer is a stock reducer. Its name and options then identify it completely. */
export const isStock = ({ name }: AnyReducer): boolean => stockNames.has(name);

function register<Value, Update>(reducer: Reducer<Value, Update>): Reducer<Value, Update> {
  registered.add(Object.freeze(reducer));
  return reducer;
}

/** Whether a value is a stock reducer or was created by {@link defineReducer}. */
export const isReducer = (value: unknown): value is AnyReducer => typeof value === "object" && value !== null && registered.has(value);

const override: unique symbol = Symbol.for("throughline.using");

/** An update with its own reducer, see {@link using}. */
export interface Using<Value> {
  readonly [override]: ReducerOf<Value>;
  readonly update: unknown;
}

/** Applies one update with a reducer other than the field's: `{ tags: using(replace(), ["a"]) }`. Throws `input.invalid` if `reducer` is not a reducer. */
export function using<Value, Update>(reducer: Reducer<Value, Update>, update: Update): Using<Value> {
  if (!isReducer(reducer))
    throw new ThroughlineError("input.invalid", `using() expects a reducer; saw ${seen(reducer)}.`, {
      hint: "Pass a stock reducer or one made with defineReducer.",
    });
  return Object.freeze({ [override]: reducer, update });
}

/** Returns the reducer and the update of a value from {@link using}; undefined for any other value. */
export function overrideOf(value: unknown): { readonly reducer: AnyReducer; readonly update: unknown } | undefined {
  if (typeof value !== "object" || value === null || !(override in value)) return undefined;
  const { [override]: reducer, update } = value as { [override]: AnyReducer; update: unknown };
  return { reducer, update };
}

/** How stored data and messages refer to a reducer. */
export interface ReducerReference {
  readonly name: string;
  readonly version: number;
  readonly options?: JsonObject;
}

/** Returns the reference of a reducer. */
export function referenceOf({ name, version, options }: AnyReducer): ReducerReference {
  return options === undefined ? { name, version } : { name, version, options };
}
