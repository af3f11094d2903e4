/** The options of {@link subagent}, and their inferred types. */
import type { Budget } from "../../execution/ledger.ts";
import type { DeltaOf, InputOf, StartOf, StateDefinition, StateOf, WritableName } from "../../state/define.ts";
import type { ReducerOf } from "../../state/reducer.ts";
import type { ApprovalRule, ArgumentsOf, ParametersGiven } from "../../tools/tool.ts";
import type { TypedAgent } from "../agent/agent.ts";

type IsUntyped<D extends StateDefinition> = string extends keyof D["fields"] ? true : false;
type Present<T> = Exclude<T, undefined>;
/** The text of the child's message is its prompt, which does not come from the state. */
type Givable<D extends StateDefinition> = Exclude<keyof StartOf<D> & string, "message">;
type Fitting<D extends StateDefinition, Value> = {
  [Name in Givable<D>]: Present<Value> extends Present<StartOf<D>[Name & keyof StartOf<D>]> ? Name : never;
}[Givable<D>];

/** Maps a field of the parent's state to the child's `input` or `start` field that receives its value. */
export type ChildInputs<Parent extends StateDefinition, Child extends StateDefinition> =
  IsUntyped<Parent> extends true
    ? { readonly [field: string]: Givable<Child> }
    : { readonly [Name in keyof StateOf<Parent> & string]?: Fitting<Child, StateOf<Parent>[Name]> };

type UpdateOf<D extends StateDefinition, Name> = Name extends keyof DeltaOf<D> ? Present<DeltaOf<D>[Name]> : never;
type SourceFor<Child extends StateDefinition, Update> = {
  [Name in keyof StateOf<Child> & string]: Present<StateOf<Child>[Name]> extends Update ? Name : never;
}[keyof StateOf<Child> & string];

/** The child's value for one field: a field of its state after its turn, or its reply if `source` is left out. */
export type ChildOutput<Source extends string, Update, Reducer> = { readonly reducer?: Reducer } & (string extends Update
  ? { readonly source?: Source }
  : { readonly source: Source });

/** Maps a field of the parent's state to the value that is written to it. */
export type ChildOutputs<Parent extends StateDefinition, Child extends StateDefinition> =
  IsUntyped<Parent> extends true
    ? { readonly [field: string]: { readonly source?: keyof StateOf<Child> & string; readonly reducer?: ReducerOf<never> } }
    : {
        readonly [Name in WritableName<Parent>]?: ChildOutput<
          SourceFor<Child, UpdateOf<Parent, Name>>,
          UpdateOf<Parent, Name>,
          ReducerOf<Present<StateOf<Parent>[Name & keyof StateOf<Parent>]>>
        >;
      };

/** Default parameters of a child agent. */
export interface PromptParameter {
  readonly prompt: string;
}

type GivenArguments<P> = P extends ParametersGiven ? ArgumentsOf<P> : PromptParameter;

/** Options of {@link subagent}. */
export interface SubagentOptions<Child extends StateDefinition, Parent extends StateDefinition, P extends ParametersGiven | undefined> {
  /** The child agent, with its own state and tools. A runtime registers the children of its agents automatically. */
  readonly agent: TypedAgent<Child>;
  /** Tool name for the model. Defaults to the child's name. Letters, digits, `-` and `_`, at most 64. */
  readonly name?: string;
  /** Tool description for the model. */
  readonly description: string;
  /** Parameters of the tool. Defaults to `{ prompt: string }`. */
  readonly parameters?: P;
  /** Returns the text of the child's message from the validated arguments. Defaults to the argument `prompt`. */
  readonly prompt?: (args: GivenArguments<P>) => string;
  /** Returns values of the child's other `input` fields. */
  readonly input?: (args: GivenArguments<P>) => Partial<InputOf<Child>>;
  /** The parent's state definition, against which the compiler checks the maps. They are checked again when the parent is built. */
  readonly state?: Parent;
  /** Fields of the child that receive values of the parent's state. They take precedence over `input`. */
  readonly inputsFromState?: ChildInputs<NoInfer<Parent>, NoInfer<Child>>;
  /** Values of the child to write to the parent's state. */
  readonly outputsToState?: ChildOutputs<NoInfer<Parent>, NoInfer<Child>>;
  /** Limits of one call, in addition to the child's own and the parent's remaining budget. The strictest applies. */
  readonly budget?: Budget;
  /** Maximum nesting depth at which this child may be called. 1 permits only agents that are not children themselves. Defaults to 3. */
  readonly maxDepth?: number;
  /** Milliseconds that one call may take, without pauses. Defaults to 600,000. */
  readonly timeoutMs?: number;
  /** Whether calls require human approval. `true` requires it for each call, within 24 hours. */
  readonly approval?: boolean | Partial<ApprovalRule>;
}
