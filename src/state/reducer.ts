/** What a reducer is, and the four things that are not a value: no change, clear, a reducer for one write, and nothing at all. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";

/** Returned by a reducer, or written in a delta: the field stays as it is. */
export const noChange: unique symbol = Symbol.for("throughline.no_change");
/** The type of {@link noChange}. */
export type NoChange = typeof noChange;

declare const cleared: unique symbol;
/** See {@link clear}. */
export interface Clear {
  readonly [cleared]: true;
}
const clearMark = Symbol.for("throughline.clear");
const clearing = Object.freeze({ [clearMark]: true }) as unknown as Clear;

/** Written in a delta or returned by a reducer: the field goes back to its declared `initial`, or to being absent. */
export const clear = (): Clear => clearing;
/** Whether a value is {@link clear}'s. */
export const isClear = (value: unknown): value is Clear => typeof value === "object" && value !== null && clearMark in value;

declare const joined: unique symbol;

/** A reducer of values of one type, whatever updates it takes. */
export interface ReducerOf<Value> {
  readonly name: string;
  /** Raise it when the same update leads to another value. */
  readonly version: number;
  /** Parameters of a stock reducer, such as the key of upsertBy; part of its identity. */
  readonly options?: JsonObject;
  /**
   * What the field's schema is run on. `"update"`: on the update, as a list of elements, which makes an append cost what is appended.
   * `"result"`: on what the reducer returns.
   */
  readonly validates: "update" | "result";
  [joined]?(value: Value): Value;
}

/**
 * A pure join of a field's current value and an update. It must neither change its arguments (they are frozen) nor depend on anything else:
 * it runs again when another writer came first. What it did is stored as operations, so replaying a log never runs it.
 */
export interface Reducer<Value, Update> extends ReducerOf<Value> {
  /** `current` is undefined while the field is absent. */
  reduce(current: Value | undefined, update: Update): Value | NoChange | Clear;
  /**
   * The operations that lead from `current` to `next`, their paths relative to the field; undefined leaves it to the differ. Stock reducers
   * know what they changed; a custom one need not have this.
   */
  operations?(current: Value, next: Value): readonly PatchOperation[] | undefined;
}

/** A reducer whose types are not known here. Methods compare bivariantly, so every reducer fits without a cast. */
export interface AnyReducer extends Reducer<unknown, unknown> {}

/** What {@link defineReducer} takes. */
export interface ReducerOptions<Value, Update> {
  /** Together with `version` how serialised states refer to it; the names of the stock reducers are taken. */
  readonly name: string;
  readonly version: number;
  readonly reduce: (current: Value | undefined, update: Update) => Value | NoChange | Clear;
}

const stockNames = new Set(["by_value", "replace", "append", "appendUnique", "merge", "mergeDeep", "upsertBy", "union", "counter", "max", "lastN"]);
const allowedKeys = new Set(["name", "version", "reduce"]);

/**
 * Declares a reducer of your own. Its result is validated by the field's schema; its update may be of any type.
 * Throws `state.definition_invalid`.
 */
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

/** A reducer of ours, version 1. Only these may validate the update alone: they are known to put nothing else into the result. */
export function stockReducer<Value, Update>(reducer: Omit<Reducer<Value, Update>, "version">): Reducer<Value, Update> {
  return register({ ...reducer, version: 1 });
}

/** A plain function as the reducer of a single write; it has no name to be stored by. */
export const inlineReducer = (reduce: AnyReducer["reduce"]): AnyReducer =>
  register<unknown, unknown>({ name: "inline", version: 1, validates: "result", reduce });

const registered = new WeakSet<object>();

/** Whether a reducer is one of ours: its name and options say all about it. */
export const isStock = ({ name }: AnyReducer): boolean => stockNames.has(name);

function register<Value, Update>(reducer: Reducer<Value, Update>): Reducer<Value, Update> {
  registered.add(Object.freeze(reducer));
  return reducer;
}

/** Whether a value is a stock reducer or one made with {@link defineReducer}. */
export const isReducer = (value: unknown): value is AnyReducer => typeof value === "object" && value !== null && registered.has(value);

const override: unique symbol = Symbol.for("throughline.using");

/** An update with a reducer of its own, see {@link using}. */
export interface Using<Value> {
  readonly [override]: ReducerOf<Value>;
  readonly update: unknown;
}

/** Writes one update through another reducer than the field's: `{ tags: using(replace(), ["a"]) }`. */
export function using<Value, Update>(reducer: Reducer<Value, Update>, update: Update): Using<Value> {
  if (!isReducer(reducer))
    throw new ThroughlineError("input.invalid", `using() expects a reducer; saw ${seen(reducer)}.`, {
      hint: "Pass a stock reducer or one made with defineReducer.",
    });
  return Object.freeze({ [override]: reducer, update });
}

/** The reducer and the update of a value made by {@link using}; undefined for any other value. */
export function overrideOf(value: unknown): { readonly reducer: AnyReducer; readonly update: unknown } | undefined {
  if (typeof value !== "object" || value === null || !(override in value)) return undefined;
  const { [override]: reducer, update } = value as { [override]: AnyReducer; update: unknown };
  return { reducer, update };
}

/** How a reducer is referred to in stored data and messages. */
export interface ReducerReference {
  readonly name: string;
  readonly version: number;
  readonly options?: JsonObject;
}

/** The reference of a reducer. */
export function referenceOf({ name, version, options }: AnyReducer): ReducerReference {
  return options === undefined ? { name, version } : { name, version, options };
}
