/** What {@link defineTool} takes, and the types it infers. */
import type { Json, JsonObject } from "../kernel/json.ts";
import type { InferInput, InferOutput, Schema } from "../kernel/schema.ts";
import type { Controlled } from "../session/control.ts";
import type { MessagePart, ToolEffects } from "../session/event.ts";
import type { DeltaOf, StateDefinition, StateOf, WritableName } from "../state/define.ts";
import type { ReducerOf } from "../state/reducer.ts";
import type { Immutable } from "../state/value.ts";
import type { ApprovalRule, SharedState, ToolContext, ToolRetry } from "./tool.ts";

/** Parameters of a tool: a Standard Schema of an object that can tell its JSON Schema, or a JSON Schema. */
export type ParametersGiven = Schema | JsonObject;

/** The values that a JSON Schema, written as a constant, describes; `unknown` where it cannot be told. */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "number" | "integer" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "null" }
            ? null
            : S extends { readonly type: "array" }
              ? S extends { readonly items: infer Item }
                ? FromJsonSchema<Item>[]
                : unknown[]
              : S extends { readonly properties: infer Members }
                ? Known<Members, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
                : S extends { readonly type: "object" }
                  ? Record<string, unknown>
                  : unknown;

type Known<Members, Required> = string extends keyof Members
  ? Record<string, unknown>
  : { [Name in keyof Members as Name extends Required ? Name : never]: FromJsonSchema<Members[Name]> } & {
      [Name in keyof Members as Name extends Required ? never : Name]?: FromJsonSchema<Members[Name]>;
    };

/** The arguments that `execute` is called with. */
export type ArgumentsOf<P> = P extends Schema ? InferOutput<P> : P extends JsonObject ? ArgumentsFrom<FromJsonSchema<P>> : Record<string, never>;
type ArgumentsFrom<T> = unknown extends T ? Record<string, unknown> : T;
/** The arguments as a model, or the state, gives them. */
type GivenOf<P> = P extends Schema ? InferInput<P> : ArgumentsOf<P>;

type ParameterOf<P> = P extends ParametersGiven ? keyof GivenOf<P> & string : never;
type IsUntyped<D extends StateDefinition> = string extends keyof D["fields"] ? true : false;
type Present<T> = Exclude<T, undefined>;
/** The parameters that a field's value fits. */
type FittingParameter<P, Value> = {
  [Name in ParameterOf<P>]: unknown extends Present<GivenOf<P>[Name & keyof GivenOf<P>]>
    ? Name
    : Present<Value> extends Immutable<Present<GivenOf<P>[Name & keyof GivenOf<P>]>>
      ? Name
      : never;
}[ParameterOf<P>];

/** Field of the state to the parameter that takes its value. */
export type InputsFromState<D extends StateDefinition, P> =
  IsUntyped<D> extends true
    ? { readonly [field: string]: ParameterOf<P> }
    : { readonly [Name in keyof StateOf<D> & string]?: FittingParameter<P, StateOf<D>[Name]> };

type SourceOf<R> = unknown extends R ? string : R extends readonly unknown[] ? never : R extends object ? keyof R & string : never;
type ReducerFor<D extends StateDefinition, Name> = Name extends keyof StateOf<D> ? ReducerOf<Present<StateOf<D>[Name]>> : never;

/** The part of a result for one field: the whole or a member, through the field's reducer or another. */
export interface OutputGiven<Source extends string, Reducer> {
  /** Name of the member of the result to take; the whole result if left out. A member that a result does not have writes nothing. */
  readonly source?: Source;
  /** Joins this write in place of the field's own reducer. */
  readonly reducer?: Reducer;
}

/** Field of the state to what is written to it. */
export type OutputsToState<D extends StateDefinition, R> =
  IsUntyped<D> extends true
    ? { readonly [field: string]: OutputGiven<SourceOf<R>, ReducerOf<never>> }
    : { readonly [Name in WritableName<D>]?: OutputGiven<FittingSource<R, UpdateOf<D, Name>>, ReducerFor<D, Name>> };

type UpdateOf<D extends StateDefinition, Name> = Name extends keyof DeltaOf<D> ? DeltaOf<D>[Name] : never;
/** The members of a result that a field takes. */
type FittingSource<R, Update> = unknown extends R
  ? string
  : { [Name in SourceOf<R>]: Present<Immutable<R[Name & keyof R]>> extends Update ? Name : never }[SourceOf<R>];

/** What `show` is given: the result as JSON. */
type Shown<R> = [R] extends [Json] ? R : Json;

/** The state for a tool's code. */
export type StateGiven<D extends StateDefinition, Takes extends boolean> = Takes extends true ? SharedState<D> : StateOf<D>;

/** What {@link defineTool} takes. */
export interface ToolOptions<P extends ParametersGiven | undefined, D extends StateDefinition, Takes extends boolean, R> {
  /** Letters, digits, `-` and `_`; at most 64. */
  readonly name: string;
  /** What the model reads: what it does, and when to use it. */
  readonly description: string;
  /** None if left out. What the model sends is validated, and it is told what is wrong. */
  readonly parameters?: P;
  /** The state that the maps are checked against by the compiler; they are checked again when an agent is built. */
  readonly state?: D;
  /** Parameters that take their value from a field of the state. The model does not see them and cannot set them, unless they are `overridable`. */
  readonly inputsFromState?: InputsFromState<D, P>;
  /** What of the result is written to the state. */
  readonly outputsToState?: OutputsToState<NoInfer<D>, NoInfer<R>>;
  /**
   * What running it does outside: `"none"`, nothing; `"idempotent"`, something that may be repeated under the call's `key`; `"once"`, the default,
   * something that must not happen twice, so that a call which may have happened before a crash is never run again.
   */
  readonly effects?: ToolEffects;
  /** Milliseconds that one try may take; 60,000 by default. */
  readonly timeoutMs?: number;
  /** Further tries after a failure; none by default, and none for effects `once`. */
  readonly retry?: Partial<ToolRetry>;
  /** Whether a person has to approve each call, or some; `true` is each, within 24 hours. */
  readonly approval?: boolean | Partial<ApprovalRule>;
  /** Gives it the state itself, to read and write at any time; then no other call that uses the state runs meanwhile. */
  readonly takesState?: Takes;
  /** Bound parameters that the model may set all the same; then its value wins. */
  readonly overridable?: readonly ParameterOf<P>[];
  /** What the model reads of a result: a text or parts; undefined for the result itself. When it throws, the model reads the result itself.
   * Written after `execute`, it knows the type of the result. */
  readonly show?: (value: Shown<NoInfer<R>>) => string | readonly MessagePart[] | undefined;
  /**
   * Does the work. Its result must be JSON, or undefined, which counts as null; a failure is told to the model. A result that comes `withControl` also hands
   * the session to people, or asks for the agent, once the turn has ended; what a later tool does not speak of stays so.
   */
  execute(args: ArgumentsOf<P>, context: ToolContext<StateGiven<D, Takes>>): R | Controlled<R> | Promise<R | Controlled<R>>;
}
