/** What {@link subagent} takes, and the types that it infers. */
import type { Budget } from "../../execution/budget.ts";
import type { DeltaOf, InputOf, StartOf, StateDefinition, StateOf, WritableName } from "../../state/define.ts";
import type { ReducerOf } from "../../state/reducer.ts";
import type { ApprovalRule, ArgumentsOf, ParametersGiven } from "../../tools/tool.ts";
import type { TypedAgent } from "../agent/agent.ts";

type IsUntyped<D extends StateDefinition> = string extends keyof D["fields"] ? true : false;
type Present<T> = Exclude<T, undefined>;
/** The text of the child's message is its prompt, which is not taken from the state. */
type Givable<D extends StateDefinition> = Exclude<keyof StartOf<D> & string, "message">;
type Fitting<D extends StateDefinition, Value> = {
  [Name in Givable<D>]: Present<Value> extends Present<StartOf<D>[Name & keyof StartOf<D>]> ? Name : never;
}[Givable<D>];

/** Field of the parent's state to the child's `input` field, or `start` field, that takes its value. */
export type ChildInputs<Parent extends StateDefinition, Child extends StateDefinition> =
  IsUntyped<Parent> extends true
    ? { readonly [field: string]: Givable<Child> }
    : { readonly [Name in keyof StateOf<Parent> & string]?: Fitting<Child, StateOf<Parent>[Name]> };

type UpdateOf<D extends StateDefinition, Name> = Name extends keyof DeltaOf<D> ? Present<DeltaOf<D>[Name]> : never;
type SourceFor<Child extends StateDefinition, Update> = {
  [Name in keyof StateOf<Child> & string]: Present<StateOf<Child>[Name]> extends Update ? Name : never;
}[keyof StateOf<Child> & string];

/** What of the child is written to one field: a field of its state after its turn, or its reply if `source` is left out. */
export type ChildOutput<Source extends string, Update, Reducer> = { readonly reducer?: Reducer } & (string extends Update
  ? { readonly source?: Source }
  : { readonly source: Source });

/** Field of the parent's state to what is written to it. */
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

/** The parameters of a child agent unless others are given. */
export interface PromptParameter {
  readonly prompt: string;
}

type GivenArguments<P> = P extends ParametersGiven ? ArgumentsOf<P> : PromptParameter;

/** What {@link subagent} takes. */
export interface SubagentOptions<Child extends StateDefinition, Parent extends StateDefinition, P extends ParametersGiven | undefined> {
  /** The child: an agent like any other, with a state and tools of its own. Runtimes with an agent that has it as a tool register it too. */
  readonly agent: TypedAgent<Child>;
  /** What the model calls it; the child's name by default. Letters, digits, `-` and `_`; at most 64. */
  readonly name?: string;
  /** What the model reads of it. */
  readonly description: string;
  /** What the model gives it; `{ prompt: string }` by default. */
  readonly parameters?: P;
  /** The text of the child's message; the argument `prompt` by default. Called with what the model gave, validated. */
  readonly prompt?: (args: GivenArguments<P>) => string;
  /** Values of the child's other `input` fields. */
  readonly input?: (args: GivenArguments<P>) => Partial<InputOf<Child>>;
  /** The parent's state that the maps are checked against by the compiler; they are checked again when the parent is built. */
  readonly state?: Parent;
  /** Fields of the child that take their value from the parent's state. They win over `input`. */
  readonly inputsFromState?: ChildInputs<NoInfer<Parent>, NoInfer<Child>>;
  /** What of the child is written to the parent's state. */
  readonly outputsToState?: ChildOutputs<NoInfer<Parent>, NoInfer<Child>>;
  /** Limits of one call, besides the child's own and what is left to the parent: the strictest holds. */
  readonly budget?: Budget;
  /** How deep children may nest for this one to be called: 1 only from an agent that is no child itself; 3 by default. */
  readonly maxDepth?: number;
  /** Milliseconds that one call may take, pauses aside; 600,000 by default. */
  readonly timeoutMs?: number;
  /** Whether a person has to approve each call, or some; `true` is each, within 24 hours. */
  readonly approval?: boolean | Partial<ApprovalRule>;
}
