/** The four kinds of fields, one per lifecycle. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type Json, present } from "../kernel/json.ts";
import { type InferInput, type InferOutput, isSchema, type Schema } from "../kernel/schema.ts";
import { defaultReducerOf, replace } from "./reducers.ts";
import { type AnyReducer, isReducer, type ReducerOf } from "./reducer.ts";
import type { Immutable } from "./value.ts";

/**
 * Lifecycle of a field. `input`: the caller sets it when a turn starts. `reduced`: it persists across turns. `loaded`: it is fetched in each turn.
 * `turn`: it is new in each turn.
 */
export type Lifecycle = "input" | "reduced" | "loaded" | "turn";

/** Who sees a field. `internal`: only stages and tools. `output`: also the caller of a turn. `public`: also clients and the customer. */
export type Show = "internal" | "output" | "public";

/** Encoding of values that are not JSON. `decode(encode(value))` must equal `value`. */
export interface Codec<Value> {
  encode(value: Value): Json;
  decode(json: Json): Value;
}

/** The types of a field. */
export interface FieldTypes {
  readonly lifecycle: Lifecycle;
  /** Type that a stage reads. */
  readonly value: unknown;
  /** Type that a caller passes when a turn starts. */
  readonly given: unknown;
  /** Type that a delta holds. */
  readonly update: unknown;
  /** Type of its stored JSON, if it has a codec, and `never` otherwise. */
  readonly encoded: unknown;
  readonly show: Show;
  readonly start: boolean;
  /** Whether the field has a value in every turn. */
  readonly present: boolean;
  /** Whether a caller must pass a value. */
  readonly required: boolean;
}

declare const types: unique symbol;

/** A field of a state, created by {@link input}, {@link reduced}, {@link loaded} or {@link turn}. */
export interface Field<Types extends FieldTypes = FieldTypes> {
  readonly lifecycle: Types["lifecycle"];
  readonly schema: Schema;
  readonly show: Types["show"];
  readonly start: Types["start"];
  readonly reducer: AnyReducer;
  /** The declared default, or a function that creates it. */
  readonly initial?: unknown;
  readonly codec?: Codec<unknown>;
  readonly [types]?: Types;
}

type Given<S extends Schema> = Immutable<InferInput<S>>;

/** Options of {@link input} and {@link loaded}. */
export interface FieldOptions<S extends Schema> {
  /** Who sees the field. Default `"internal"`. */
  readonly show?: Show;
  /** The declared default: a value, or a function that creates one. */
  readonly initial?: Given<S> | (() => Given<S>);
  /** Required if the schema's output is not JSON. */
  readonly codec?: Codec<InferOutput<S>>;
}

/** Options of {@link turn}. */
export interface TurnOptions<S extends Schema> extends FieldOptions<S> {
  /** Reducer that applies writes. By default, lists append and everything else is replaced. */
  readonly reduce?: ReducerOf<Immutable<InferOutput<S>>>;
}

/** Options of {@link reduced}. */
export interface ReducedOptions<S extends Schema> extends TurnOptions<S> {
  /** Lets a caller pass an update when a turn starts; the reducer applies it. Default false. */
  readonly start?: boolean;
}

/** The value's type. With a codec it stays as inferred, because a mapped type would drop a class's private members. */
type ValueOf<S extends Schema, O> = O extends { readonly codec: object } ? InferOutput<S> : Immutable<InferOutput<S>>;

type IsAny<T> = 0 extends 1 & T ? true : false;
type IsTuple<T> = T extends readonly unknown[] ? (number extends T["length"] ? false : true) : false;
/** Update type of the default reducer: an element or a list of elements for a list, otherwise the value. */
type DefaultUpdate<T> = IsAny<T> extends true ? unknown : T extends readonly (infer Item)[] ? (IsTuple<T> extends true ? T : Item | T) : T;

type HasList<T> = true extends (T extends readonly unknown[] ? (IsTuple<T> extends true ? false : true) : false) ? true : false;
type HasOther<T> = true extends (T extends readonly unknown[] ? false : true) ? true : false;
/** Whether a value may be a list or another non-null value. Such a schema has no default reducer. */
type IsAmbiguous<T> =
  IsAny<T> extends true ? false : unknown extends T ? false : HasList<NonNullable<T>> extends true ? HasOther<NonNullable<T>> : false;

/** A schema that has a default reducer. */
type Unambiguous<S extends Schema> =
  IsAmbiguous<InferOutput<S>> extends true ? { readonly "a list or something else must name its reducer": never } : S;
type NamesReducer<S extends Schema> = IsAmbiguous<InferOutput<S>> extends true ? { readonly reduce: object } : unknown;

type Update<S extends Schema, O> = O extends { readonly reduce: infer R }
  ? R extends { reduce(current: never, update: infer U): unknown }
    ? U
    : never
  : DefaultUpdate<O extends { readonly codec: object } ? InferInput<S> : Given<S>>;

/** The types of a field, as its options declare them. Programs never write it; their declarations name it. */
export interface DeclaredTypes<L extends Lifecycle, S extends Schema, O, U> {
  readonly lifecycle: L;
  readonly value: ValueOf<S, O>;
  readonly given: L extends "reduced" ? U : O extends { readonly codec: object } ? InferInput<S> : Given<S>;
  readonly update: U;
  readonly encoded: O extends { readonly codec: { encode(value: never): infer Encoded } } ? Encoded : never;
  readonly show: O extends { readonly show: infer V extends Show } ? V : "internal";
  readonly start: O extends { readonly start: true } ? true : false;
  readonly present: O extends { readonly initial: unknown } ? true : L extends "input" ? (undefined extends InferOutput<S> ? false : true) : false;
  readonly required: L extends "input" ? (O extends { readonly initial: unknown } ? false : undefined extends InferInput<S> ? false : true) : false;
}

/** Declares a field that the caller sets when a turn starts. Nothing can write it afterwards. */
export function input<S extends Schema, O extends FieldOptions<S> = object>(schema: S, options?: O): Field<DeclaredTypes<"input", S, O, never>> {
  return createField("input", schema, options);
}

/** Declares a field that is fetched in each turn. A write replaces its value. */
export function loaded<S extends Schema, O extends FieldOptions<S> = object>(
  schema: S,
  options?: O,
): Field<DeclaredTypes<"loaded", S, O, O extends { readonly codec: object } ? InferInput<S> : Given<S>>> {
  return createField("loaded", schema, options);
}

/** Declares a field that persists across turns. Its reducer applies each write. */
export function reduced<S extends Schema>(schema: S & Unambiguous<S>): Field<DeclaredTypes<"reduced", S, object, Update<S, object>>>;
export function reduced<S extends Schema, O extends ReducedOptions<S>>(
  schema: S,
  options: O & NamesReducer<S>,
): Field<DeclaredTypes<"reduced", S, O, Update<S, O>>>;
export function reduced(schema: Schema, options?: object): Field {
  return createField("reduced", schema, options);
}

/** Declares a field that lasts for one turn. A turn starts with it absent, or at its declared default. */
export function turn<S extends Schema>(schema: S & Unambiguous<S>): Field<DeclaredTypes<"turn", S, object, Update<S, object>>>;
export function turn<S extends Schema, O extends TurnOptions<S>>(
  schema: S,
  options: O & NamesReducer<S>,
): Field<DeclaredTypes<"turn", S, O, Update<S, O>>>;
export function turn(schema: Schema, options?: object): Field {
  return createField("turn", schema, options);
}

const spelled = "The option is called `reduce`.";
const optionsOf: Readonly<Record<Lifecycle, readonly string[]>> = {
  input: ["show", "initial", "codec"],
  reduced: ["show", "initial", "codec", "reduce", "start"],
  loaded: ["show", "initial", "codec"],
  turn: ["show", "initial", "codec", "reduce"],
};

const fields = new WeakSet<object>();

/** Whether a value was created by one of the four builders. */
export const isField = (value: unknown): value is Field => typeof value === "object" && value !== null && fields.has(value);

/** Creates a field. Callers without type checking get the same errors at run time. Throws `state.definition_invalid`. */
function createField<Types extends FieldTypes>(lifecycle: Types["lifecycle"], schema: unknown, options: unknown = {}): Field<Types> {
  const refuse = (why: string, hint?: string): never => {
    throw new ThroughlineError("state.definition_invalid", `${lifecycle}(): ${why}.`, hint === undefined ? {} : { hint });
  };
  if (!isSchema(schema))
    return refuse(
      `the schema is not a Standard Schema; saw ${seen(schema)}`,
      "Use a schema of Zod, Valibot, ArkType or another Standard Schema library.",
    );
  if (!isPlainObject(options)) return refuse(`options must be an object; saw ${seen(options)}`);
  const unknownKey = Object.keys(options).find((key) => !optionsOf[lifecycle].includes(key));
  if (unknownKey !== undefined)
    refuse(
      `unknown option ${seen(unknownKey)}; it takes ${optionsOf[lifecycle].join(", ")}`,
      unknownKey === "reducer" && optionsOf[lifecycle].includes("reduce") ? spelled : undefined,
    );
  const { show = "internal", start = false, reduce, codec, initial } = options;
  if (show !== "internal" && show !== "output" && show !== "public") return refuse(`\`show\` is "internal", "output" or "public"; saw ${seen(show)}`);
  if (typeof start !== "boolean") return refuse(`\`start\` is true or false; saw ${seen(start)}`);
  if (reduce !== undefined && reduce !== null && !isReducer(reduce))
    return refuse(`\`reduce\` is not a reducer; saw ${seen(reduce)}`, "Use a stock reducer, or make one with defineReducer.");
  if (codec !== undefined && !isCodec(codec)) return refuse(`\`codec\` needs the functions encode and decode; saw ${seen(codec)}`);
  const reducer = lifecycle === "input" || lifecycle === "loaded" ? replace() : (reduce ?? defaultReducerOf(schema));
  const field: Field<Types> = Object.freeze({
    lifecycle,
    schema,
    show,
    start,
    reducer,
    ...present({ initial, codec }),
  });
  fields.add(field);
  return field;
}

function isCodec(value: unknown): value is Codec<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "encode" in value &&
    typeof value.encode === "function" &&
    "decode" in value &&
    typeof value.decode === "function"
  );
}
