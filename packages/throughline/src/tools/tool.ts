/** What a tool is, what defineTool takes, and the types that it infers. */
import type { ErrorInfo } from "../kernel/error.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { InferInput, InferOutput, Schema } from "../kernel/schema.ts";
import type { SessionMemoryControl } from "../memory/control/owner-memory.ts";
import type { ModelTool } from "../model/port.ts";
import type { Controlled } from "../session/control.ts";
import type { MessagePart, ToolEffects } from "../session/event.ts";
import type { DeltaOf, StateDefinition, StateOf, WritableName } from "../state/define.ts";
import type { AnyReducer, ReducerOf } from "../state/reducer.ts";
import type { Immutable } from "../state/value.ts";

/** How a call that failed is tried again, in the same step. Calls with effects `once` are never tried again. */
export interface ToolRetry {
  /** Tries in all; 1 by default. */
  readonly tries: number;
  /** Milliseconds before the second try, doubled before each further one; 200 by default. */
  readonly backoffMs: number;
}

/** The write of a tool to one field of the state. */
export interface StateOutput {
  /** Key of the result to take; the whole result if left out. */
  readonly source?: string;
  /** Joins this write in place of the field's own reducer. */
  readonly reducer?: AnyReducer;
}

/** A person's approval that a call needs before it runs. */
export interface ApprovalRule {
  /** Whether this call needs it, and what to ask; always, if left out. Undefined or false: no. */
  readonly when?: (args: JsonObject) => boolean | string | undefined;
  /** Milliseconds after which it counts as rejected; 24 hours by default. */
  readonly expiresMs: number;
}

/** The state of a tool that takes it: it reads its own writes, and others see them after the call has succeeded. */
export interface SharedState<Definition extends StateDefinition = StateDefinition> {
  /** The state as it is now, the tool's own writes included; frozen. */
  readonly data: StateOf<Definition>;
  /** The value of a field, or the fallback (undefined) while it is absent. */
  get<Name extends keyof StateOf<Definition>>(name: Name): StateOf<Definition>[Name];
  get<Name extends keyof StateOf<Definition>, Fallback>(name: Name, fallback: Fallback): Exclude<StateOf<Definition>[Name], undefined> | Fallback;
  /** Whether a field has a value; null is one. */
  has(name: string): boolean;
  /** Joins a value to a field; `using` names another reducer for one write. Throws what applyDelta throws, and then nothing has changed. */
  set<Name extends keyof DeltaOf<Definition>>(name: Name, update: DeltaOf<Definition>[Name]): void;
}

/** The context of a running tool. */
export interface ToolContext<State = Readonly<Record<string, unknown>>> {
  readonly call_id: string;
  /** The same whenever this call is run again: give it to a service outside, so that it does the work once. */
  readonly key: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** The state as it is when the call begins, frozen; for a tool that takes the state, a face that reads its own writes. */
  readonly state: State;
  /** The runtime's clients and secrets, and what the turn is about. */
  readonly resources: Readonly<Record<string, unknown>>;
  readonly session_id: string;
  readonly turn_id: string;
  readonly variables: JsonObject;
  /** What the person can do with what is remembered of them; undefined in an agent without a memory. */
  readonly memory?: SessionMemoryControl;
  /** Aborts when the call may take no longer, the turn is stopped, or the budget is over. */
  readonly signal: AbortSignal;
  /**
   * Asks a person, and returns the answer. The turn pauses, for as long as it takes; then the call is run again from its beginning and this returns
   * what was answered, so ask before anything is done. Throws `tool.rejected` when the question was turned down.
   */
  readonly interrupt: (question: Json) => Promise<Json>;
}

/** A tool as the runtime uses it: checked and frozen. {@link defineTool} makes one. */
export interface Tool {
  readonly type: "tool";
  readonly name: string;
  readonly description: string;
  readonly effects: ToolEffects;
  /** Milliseconds that one try may take; 60,000 by default. */
  readonly timeoutMs: number;
  readonly retry: ToolRetry;
  readonly approval: ApprovalRule | undefined;
  /** The state that its maps were typed against; undefined for a tool that is checked when an agent is built. */
  readonly state: StateDefinition | undefined;
  /** Whether it is given the state itself, to read and write: then no other call that uses the state runs meanwhile. */
  readonly takesState: boolean;
  /** Field of the state to the parameter that takes its value. */
  readonly inputsFromState: Readonly<Record<string, string>>;
  /** Field of the state to what is written to it. */
  readonly outputsToState: Readonly<Record<string, StateOutput>>;
  /** Bound parameters that the model may give all the same. */
  readonly overridable: readonly string[];
  /** JSON Schema of all parameters, those that the state gives included. */
  readonly parameters: JsonObject;
  /** What a model is told: bound parameters are not in it, unless it may override them. */
  readonly model: ModelTool;
  /** The arguments that the tool is called with, or the error that the model is told to correct. */
  bind(given: JsonObject, state: Readonly<Record<string, unknown>>): BoundArguments;
  /** Runs it once. What it returns is not checked yet. */
  execute(args: unknown, context: ToolContext<never>): unknown;
  /** What of a result a field takes, where it is neither the value itself nor its member `source`; undefined writes nothing. */
  take?(value: Json, source: string | undefined): Json | undefined;
  /** What the model reads of a result, where it is not the value itself. */
  show?(value: Json): readonly MessagePart[] | undefined;
}

/** Arguments, ready for a call; `live` are those for the tool. */
export type BoundArguments = { readonly ok: true; readonly live: unknown } | { readonly ok: false; readonly error: ErrorInfo };

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
