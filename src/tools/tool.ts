import type { ErrorInfo } from "../kernel/error.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { SessionMemoryControl } from "../memory/control/owner-memory.ts";
import type { ModelTool } from "../model/port.ts";
import type { MessagePart, ToolEffects } from "../session/event.ts";
import type { DeltaOf, StateDefinition, StateOf } from "../state/define.ts";
import type { AnyReducer } from "../state/reducer.ts";

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
