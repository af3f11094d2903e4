/** Tools, the options of defineTool, and their inferred types. */
import type { ErrorInfo } from "../kernel/error.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { InferInput, InferOutput, Schema } from "../kernel/schema.ts";
import type { SessionMemoryControl } from "../memory/control/owner-memory.ts";
import type { ModelTool } from "../model/model-port.ts";
import type { Controlled } from "../session/control.ts";
import type { MessagePart, ToolEffects } from "../session/event.ts";
import type { DeltaOf, StateDefinition, StateOf, WritableName } from "../state/define.ts";
import type { AnyReducer, ReducerOf } from "../state/reducer.ts";
import type { Immutable } from "../state/value.ts";

/** Retries of a failed call, in the same step. Calls with effects `once` are never retried. */
export interface ToolRetry {
  /** Total number of tries. Defaults to 1. */
  readonly tries: number;
  /** Milliseconds before the second try, doubled before each further one. Defaults to 200. */
  readonly backoffMs: number;
}

/** The write of a tool to one field of the state. */
export interface StateOutput {
  /** Key of the result to write. Defaults to the whole result. */
  readonly source?: string;
  /** Reducer for this write, in place of the field's own. */
  readonly reduce?: AnyReducer;
}

/** Human approval that a call needs before it runs. */
export interface ApprovalRule {
  /** Whether a call needs approval, and the question. Defaults to always. Undefined or false: it needs none. */
  readonly when?: (args: JsonObject) => boolean | string | undefined;
  /** Milliseconds after which a request counts as rejected. Defaults to 24 hours. */
  readonly expiresMs: number;
}

/** The state of a tool that takes it. The tool reads its own writes. Other code sees them after the call has succeeded. */
export interface SharedState<Definition extends StateDefinition = StateDefinition> {
  /** The current state, including the tool's own writes, frozen. */
  readonly data: StateOf<Definition>;
  /** Returns the value of a field, or the fallback (undefined by default) if it is absent. */
  get<Name extends keyof StateOf<Definition>>(name: Name): StateOf<Definition>[Name];
  get<Name extends keyof StateOf<Definition>, Fallback>(name: Name, fallback: Fallback): Exclude<StateOf<Definition>[Name], undefined> | Fallback;
  /** Whether a field has a value. `null` is one. */
  has(name: string): boolean;
  /** Joins a value to a field. `using` names another reducer for one write. Throws the errors of applyDelta, and then nothing has changed. */
  set<Name extends keyof DeltaOf<Definition>>(name: Name, update: DeltaOf<Definition>[Name]): void;
}

/** The context of a running tool. */
export interface ToolContext<State = Readonly<Record<string, unknown>>> {
  readonly call_id: string;
  /** Idempotency key of the call, the same whenever it is repeated. Pass it to an external service, so that the service does the work once. */
  readonly key: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** The state at the start of the call, frozen. A tool that takes the state gets an object that reads its own writes. */
  readonly state: State;
  /** The runtime's clients and secrets. */
  readonly resources: Readonly<Record<string, unknown>>;
  readonly session_id: string;
  readonly turn_id: string;
  readonly variables: JsonObject;
  /** Operations on the customer's memory. Undefined for an agent without memory. */
  readonly memory?: SessionMemoryControl;
  /** Aborts when the call's time is over, the turn is stopped, or the budget is exhausted. */
  readonly signal: AbortSignal;
  /**
   * Asks a human, and returns the answer. The turn pauses until then. The call is then repeated from its start and this returns the answer, so
   * ask before any side effect. Throws `tool.rejected` if the question was rejected.
   */
  readonly interrupt: (question: Json) => Promise<Json>;
  /**
   * Reports the progress of the call to readers of the turn's stream, as JSON of at most 65,536 characters. It is not stored, and newer progress
   * replaces older: readers get at most ten reports per second. Ignored once the call has ended. Never throws: any other value is
   * dropped, with a warning of the logger.
   */
  readonly progress: (progress: Json) => void;
  /**
   * Headers that make a request to another service part of the turn's trace, such as `traceparent`. Empty unless an extension, such as telemetry, sets
   * them.
   */
  readonly traceHeaders: Readonly<Record<string, string>>;
}

/** A tool as the runtime uses it: checked and frozen. Create it with {@link defineTool}. */
export interface Tool<Definition extends StateDefinition = StateDefinition> {
  readonly type: "tool";
  readonly name: string;
  readonly description: string;
  readonly effects: ToolEffects;
  /** Milliseconds that one try may take. Defaults to 60,000. */
  readonly timeoutMs: number;
  readonly retry: ToolRetry;
  readonly approval: ApprovalRule | undefined;
  /** The state definition that types its maps. Undefined for a tool that is checked when an agent is built. */
  readonly state: Definition | undefined;
  /** Whether it gets the state itself, to read and write. No other call that uses the state then runs at the same time. */
  readonly takesState: boolean;
  /** Maps a field of the state to the parameter that receives its value. */
  readonly inputsFromState: Readonly<Record<string, string>>;
  /** Maps a field of the state to the value that is written to it. */
  readonly outputsToState: Readonly<Record<string, StateOutput>>;
  /** Bound parameters that the model may set nevertheless. */
  readonly overridable: readonly string[];
  /** JSON Schema of all parameters, including those that the state sets. */
  readonly parameters: JsonObject;
  /** The tool's description for a model, without bound parameters that the model may not override. */
  readonly model: ModelTool;
  /** Returns the arguments for the tool, or the error for the model to correct. */
  bind(given: JsonObject, state: Readonly<Record<string, unknown>>): BoundArguments;
  /** Runs the tool once. Its output is not checked yet. */
  execute(args: unknown, context: ToolContext<never>): unknown;
  /** Returns the part of a result for a field, if it is neither the value itself nor its member `source`. Undefined writes nothing. */
  take?(value: Json, source: string | undefined): Json | undefined;
  /** Returns what the model reads, if it is not the value itself. */
  show?(value: Json): readonly MessagePart[] | undefined;
}

/** Bound arguments. `live` holds those for the tool. */
export type BoundArguments = { readonly ok: true; readonly live: unknown } | { readonly ok: false; readonly error: ErrorInfo };

/** Parameters of a tool: a Standard Schema of an object with a JSON Schema, or a JSON Schema. */
export type ParametersGiven = Schema | JsonObject;

/** A sentence that the compiler shows, if the parameters are neither. */
type FittingParameters<P> = P extends ParametersGiven | undefined ? unknown : "`parameters` is one schema, such as z.object({ … }), or a JSON Schema";

/** The values that a constant JSON Schema describes. `unknown` if they cannot be inferred. */
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

declare const noParameters: unique symbol;
/** The arguments of a tool that declares no parameters: none. */
export interface NoParameters {
  readonly [noParameters]?: never;
}
/** The arguments of `execute`. */
export type ArgumentsOf<P> = P extends Schema ? InferOutput<P> : P extends JsonObject ? ArgumentsFrom<FromJsonSchema<P>> : NoParameters;
type ArgumentsFrom<T> = unknown extends T ? Record<string, unknown> : T;
/** The arguments from a model or the state. */
type GivenOf<P> = P extends Schema ? InferInput<P> : ArgumentsOf<P>;

type ParameterOf<P> = P extends ParametersGiven ? keyof GivenOf<P> & string : never;
type IsUntyped<D extends StateDefinition> = string extends keyof D["fields"] ? true : false;
type Present<T> = Exclude<T, undefined>;
/** The parameters that accept a field's value. */
type FittingParameter<P, Value> = {
  [Name in ParameterOf<P>]: unknown extends Present<GivenOf<P>[Name & keyof GivenOf<P>]>
    ? Name
    : Present<Value> extends Immutable<Present<GivenOf<P>[Name & keyof GivenOf<P>]>>
      ? Name
      : never;
}[ParameterOf<P>];

/** The names that fit, or else a sentence that the compiler shows. */
type OrSentence<Fitting, Sentence> = [Fitting] extends [never] ? Sentence : Fitting;

/** Maps a field of the state to the parameter that receives its value. */
export type InputsFromState<D extends StateDefinition, P> =
  IsUntyped<D> extends true
    ? { readonly [field: string]: ParameterOf<P> }
    : {
        readonly [Name in keyof StateOf<D> & string]?: OrSentence<
          FittingParameter<P, StateOf<D>[Name]>,
          `No parameter takes the type of the field "${Name}"`
        >;
      };

type SourceOf<R> = unknown extends R ? string : R extends readonly unknown[] ? never : R extends object ? keyof R & string : never;
type ReducerFor<D extends StateDefinition, Name> = Name extends keyof StateOf<D> ? ReducerOf<Present<StateOf<D>[Name]>> : never;

/** The part of a result for one field: the whole or a member, through the field's reducer or another. */
export interface OutputGiven<Source extends string, Reducer> {
  /** Name of the member of the result to write. Defaults to the whole result. A missing member writes nothing. */
  readonly source?: Source;
  /** Reducer for this write, in place of the field's own. */
  readonly reduce?: Reducer;
}
/** The part of a result of which only members fit the field. */
interface MemberGiven<Source extends string, Reducer> extends OutputGiven<Source, Reducer> {
  readonly source: Source;
}

/** Maps a field of the state to the value that is written to it. */
export type OutputsToState<D extends StateDefinition, R> =
  IsUntyped<D> extends true
    ? { readonly [field: string]: OutputGiven<SourceOf<R>, ReducerOf<never>> }
    : {
        readonly [Name in WritableName<D>]?: FittingOutput<D, R, Name>;
      };
/** The whole result or a member of it, as the field takes it, or else a sentence that the compiler shows. */
type FittingOutput<D extends StateDefinition, R, Name extends string> =
  Fits<R, UpdateOf<D, Name>> extends true
    ? OutputGiven<OrSentence<FittingSource<R, UpdateOf<D, Name>>, `The result has no member that the field "${Name}" takes`>, ReducerFor<D, Name>>
    : [FittingSource<R, UpdateOf<D, Name>>] extends [never]
      ? `The field "${Name}" takes neither the result nor a member of it`
      : MemberGiven<FittingSource<R, UpdateOf<D, Name>>, ReducerFor<D, Name>>;
/** Whether a field takes a whole result. Undefined counts as null. */
type Fits<R, Update> = unknown extends R
  ? true
  : [Immutable<Exclude<R, undefined | void>> | (undefined extends R ? null : never)] extends [Update]
    ? true
    : false;

type UpdateOf<D extends StateDefinition, Name> = Name extends keyof DeltaOf<D> ? DeltaOf<D>[Name] : never;
/** The members of a result that a field accepts. */
type FittingSource<R, Update> = unknown extends R
  ? string
  : { [Name in SourceOf<R>]: Present<Immutable<R[Name & keyof R]>> extends Update ? Name : never }[SourceOf<R>];

/** The argument of `show`: the result as JSON. */
type Shown<R> = [R] extends [Json] ? R : Json;

/** The state for a tool's code. */
export type StateGiven<D extends StateDefinition, Takes extends boolean> = Takes extends true ? SharedState<D> : StateOf<D>;

/** Options of {@link defineTool}. */
export interface ToolOptions<P, D extends StateDefinition, Takes extends boolean, R> {
  /** Letters, digits, `-` and `_`, at most 64. */
  readonly name: string;
  /** Description for the model: the tool's function, and when to use it. */
  readonly description: string;
  /** Defaults to none. The model's arguments are validated, and the model reads the errors. */
  readonly parameters?: P & FittingParameters<P>;
  /** The state definition against which the compiler checks the maps. They are checked again when an agent is built. */
  readonly state?: D;
  /** Parameters that receive a field of the state. The model cannot see or set them, unless they are `overridable`. */
  readonly inputsFromState?: InputsFromState<D, P>;
  /** Parts of the result to write to the state. */
  readonly outputsToState?: OutputsToState<NoInfer<D>, NoInfer<R>>;
  /**
   * Side effects of a call. `"none"`: it has none. `"idempotent"`: it may be repeated under the call's `key`. `"once"`, the default: it must not
   * happen twice, so a call that may have happened before a crash is never repeated.
   */
  readonly effects?: ToolEffects;
  /** Milliseconds that one try may take. Defaults to 60,000. */
  readonly timeoutMs?: number;
  /** Retries after a failure. Defaults to none, and is not allowed for effects `once`. */
  readonly retry?: Partial<ToolRetry>;
  /** Whether calls require human approval. `true` requires it for each call, within 24 hours. */
  readonly approval?: boolean | Partial<ApprovalRule>;
  /** Passes the state itself, to read and write at any time. No other call that uses the state then runs at the same time. */
  readonly takesState?: Takes;
  /** Bound parameters that the model may set nevertheless. Its value then takes precedence. */
  readonly overridable?: readonly ParameterOf<P>[];
  /**
   * Returns the text or parts that the model reads instead of a result. If it returns undefined or throws, the model reads the result itself. Write
   * it after `execute`, so that the type of the result is inferred.
   */
  readonly show?: (value: Shown<NoInfer<R>>) => string | readonly MessagePart[] | undefined;
  /**
   * Runs the tool. Its result must be JSON, or undefined, which counts as null. The model reads a failure. A result from `withControl` can also hand
   * the session to operators, or back to the agent, after the turn. A later tool overrides only what it sets.
   */
  execute(args: ArgumentsOf<P>, context: ToolContext<StateGiven<D, Takes>>): R | Controlled<R> | Promise<R | Controlled<R>>;
}
