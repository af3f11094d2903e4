/** A child agent, as a tool of its parent. */
import { invalidAgent } from "../../extension/failure.ts";
import { type Budget, createBudget } from "../../execution/ledger.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { deepFreeze, isPlainObject, type Json, type JsonObject } from "../../kernel/json.ts";
import {
  type DeltaOf,
  type InputOf,
  isStateDefinition,
  type StartOf,
  type StateDefinition,
  type StateOf,
  type WritableName,
} from "../../state/define.ts";
import { nearest } from "../../state/document.ts";
import type { Field } from "../../state/field.ts";
import { messagesField } from "../../state/messages-field.ts";
import type { ReducerOf } from "../../state/reducer.ts";
import { viewSchema } from "../../state/views.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { ApprovalRule, ArgumentsOf, ParametersGiven, Tool } from "../../tools/tool.ts";
import type { Agent } from "../agent/agent.ts";
import { loopSettings } from "../loop/loop-settings.ts";

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
export type ChildOutput<Source extends string, Update, Reducer> = { readonly reduce?: Reducer } & (string extends Update
  ? { readonly source?: Source }
  : { readonly source: Source });

/** Maps a field of the parent's state to the value that is written to it. */
export type ChildOutputs<Parent extends StateDefinition, Child extends StateDefinition> =
  IsUntyped<Parent> extends true
    ? { readonly [field: string]: { readonly source?: keyof StateOf<Child> & string; readonly reduce?: ReducerOf<never> } }
    : {
        readonly [Name in WritableName<Parent>]?: ChildOutput<
          SourceFor<Child, UpdateOf<Parent, Name>>,
          UpdateOf<Parent, Name>,
          ReducerOf<Present<StateOf<Parent>[Name & keyof StateOf<Parent>]>>
        >;
      };

/** Default parameters of a child agent. */
interface PromptParameter {
  readonly prompt: string;
}

type GivenArguments<P> = P extends ParametersGiven ? ArgumentsOf<P> : PromptParameter;

/** Options of {@link subagent}. */
export interface SubagentOptions<Child extends StateDefinition, Parent extends StateDefinition, P extends ParametersGiven | undefined> {
  /** The child agent, with its own state and tools. A runtime registers the children of its agents automatically. */
  readonly agent: Agent & { readonly state: Child };
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

/** The result of a child for its parent, as stored in the log. */
export interface SubagentResult {
  /** The child's answer. `null` if there is none. */
  readonly reply: string | null;
  /** `stopped`: a limit or a stop request ended its turn. The partial result is included. */
  readonly status: "completed" | "stopped";
  readonly reason?: string;
  /** The output view of its state, and the fields that the parent's maps use. */
  readonly output: JsonObject;
}

/** A child agent, as a tool. Create it with {@link subagent}. */
export interface Subagent extends Tool {
  /** The agent that runs when the tool is called. */
  readonly child: {
    readonly agent: Agent;
    /** Limits of one call, in addition to the child's own. Undefined if there are none. */
    readonly budget: Budget | undefined;
    readonly maxDepth: number;
    readonly prompt: (args: JsonObject) => unknown;
    readonly input: ((args: JsonObject) => unknown) | undefined;
    /** Fields of its state that the parent's maps use. */
    readonly sources: readonly string[];
  };
}

/** Whether a tool is a child agent. */
export const isSubagent = (tool: Tool): tool is Subagent => "child" in tool;

const optionNames = [
  "agent",
  "name",
  "description",
  "parameters",
  "prompt",
  "input",
  "state",
  "inputsFromState",
  "outputsToState",
  "budget",
  "maxDepth",
  "timeoutMs",
  "approval",
];

const promptParameters: JsonObject = {
  type: "object",
  properties: { prompt: { type: "string", minLength: 1, description: "What it is to do, with all that it needs to know." } },
  required: ["prompt"],
  additionalProperties: false,
};

/**
 * Creates a tool from a child agent. Each call is a turn in the child's own session, in the same store and with the same owner. It runs the child's
 * stages, tools and loop under a budget that the parent reserves. After a crash it is resumed automatically. Throws `tool.invalid`, which names the
 * option.
 * @example subagent({ agent: researcher, description: "Looks things up.", state: Desk, outputsToState: { findings: { source: "facts" } } })
 */
export function subagent<
  Child extends StateDefinition,
  Parent extends StateDefinition = StateDefinition,
  const P extends ParametersGiven | undefined = undefined,
>(options: SubagentOptions<Child, Parent, P>): Tool {
  // The options may come from an untyped program, so they are checked as unknown values from here on.
  return createSubagent(options);
}

function createSubagent(options: unknown): Subagent {
  if (!isPlainObject(options)) throw wrong("", `subagent takes one object of options, got ${seen(options)}`);
  const agent = options["agent"] as Agent | undefined;
  if (!isStateDefinition(agent?.state) || agent.reply?.type !== "reply")
    throw wrong("", `needs an \`agent\` made by defineAgent, got ${seen(options["agent"])}`);
  const { name = agent.name, prompt, input, state, budget, maxDepth = 3 } = options;
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw wrong(name, `has no option ${seen(unknown)}; it has ${optionNames.join(", ")}`, nearest(unknown, optionNames));
  for (const [option, value] of Object.entries({ prompt, input }))
    if (value !== undefined && typeof value !== "function") throw wrong(name, `\`${option}\` is a function; saw ${seen(value)}`);
  if (options["parameters"] !== undefined && prompt === undefined)
    throw wrong(name, "has `parameters`, so it needs `prompt`, which makes a text of them");
  if (!Number.isInteger(maxDepth) || Number(maxDepth) < 1) throw wrong(name, `\`maxDepth\` is a whole number from 1; saw ${seen(maxDepth)}`);
  const inputs = childInputs(name, agent, options["inputsFromState"]);
  const { parameters = promptParameters, description, outputsToState, timeoutMs = 600_000, approval } = options;
  const given = { name, description, parameters, state, outputsToState, timeoutMs, approval, effects: "idempotent", execute: notRunHere };
  const tool = defineTool(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never);
  const sources = Object.values(tool.outputsToState).flatMap(({ source }) => (source === undefined ? [] : [checkSource(name, agent, source)]));
  return Object.freeze({
    ...tool,
    inputsFromState: inputs,
    parameters: parametersWith(tool.parameters, agent, inputs),
    child: Object.freeze({
      agent,
      budget: budget === undefined ? undefined : createBudget(budget as Budget),
      maxDepth: Number(maxDepth),
      prompt: (prompt as Subagent["child"]["prompt"] | undefined) ?? ((args) => args["prompt"]),
      input: input as Subagent["child"]["input"],
      sources: Object.freeze([...new Set(sources)]),
    }),
    take: (value: Json, source: string | undefined) => {
      const { reply, output } = value as unknown as SubagentResult;
      return source === undefined ? (reply ?? undefined) : output[source];
    },
    show: (value: Json) => [{ type: "text", text: shownText(value as unknown as SubagentResult) } as const],
  } satisfies Subagent);
}

const wrong = (name: unknown, why: string, near?: string): ThroughlineError =>
  new ThroughlineError(
    "tool.invalid",
    `${typeof name === "string" && name !== "" ? `Child agent "${name}": ` : "A child agent: "}${why}.`,
    near === undefined ? {} : { hint: `Did you mean \`${near}\`?` },
  );

/** Throws, because the loop itself runs a child: the loop needs the child's cost, and may have to wait for a decision. */
function notRunHere(): never {
  throw new ThroughlineError("tool.failed", "A child agent runs only in the loop of its parent.");
}

/** Returns the text for the model: the answer and its status. */
function shownText({ reply, status, reason = "unknown" }: SubagentResult): string {
  if (status === "completed") return reply ?? "The agent returned no text.";
  const notice = `The agent was stopped before it finished: ${reason}.`;
  return reply === null ? notice : `${reply}\n\n${notice}`;
}

/** Checks the map from the parent's fields to the child's. Each of these child fields must be settable when a turn starts. */
function childInputs(name: unknown, agent: Agent, given: unknown = {}): Readonly<Record<string, string>> {
  if (!isPlainObject(given)) throw wrong(name, `\`inputsFromState\` is an object; saw ${seen(given)}`);
  const { fields } = agent.state;
  const givable = Object.entries(fields).flatMap(([field, declared]) => (isGivable(field, declared) ? [field] : []));
  const taken = new Map<string, string>();
  for (const [from, to] of Object.entries(given)) {
    const place = `\`inputsFromState.${from}\``;
    if (typeof to !== "string" || !Object.hasOwn(fields, to)) {
      const near = typeof to === "string" ? nearest(to, givable) : undefined;
      throw wrong(name, `${place} names a field that "${agent.name}" does not have: ${seen(to)}; it takes ${givable.join(", ") || "none"}`, near);
    }
    if (!givable.includes(to))
      throw wrong(name, `${place} names the field "${to}", which is neither an input field other than \`message\` nor a \`start\` field`);
    if (taken.has(to)) throw wrong(name, `\`inputsFromState\` gives the field "${to}" two values, from ${seen(taken.get(to))} and ${seen(from)}`);
    taken.set(to, from);
  }
  return Object.freeze({ ...(given as Readonly<Record<string, string>>) });
}

/** The text of the message is the prompt, so it does not come from the state. */
const isGivable = (name: string, { lifecycle, start }: Field): boolean => (lifecycle === "input" && name !== "message") || start;

function checkSource(name: unknown, { name: child, state }: Agent, source: string): string {
  const fields = Object.keys(state.fields).filter((field) => field !== messagesField);
  if (fields.includes(source)) return source;
  throw wrong(
    name,
    `\`outputsToState\` takes ${seen(source)} of "${child}", which has no such field; it has ${fields.join(", ") || "none"}`,
    nearest(source, fields),
  );
}

/** Returns the parameters against which the parent's fields are checked. `start` fields take updates, which no schema describes. */
function parametersWith(parameters: JsonObject, { state }: Agent, inputs: Readonly<Record<string, string>>): JsonObject {
  const described = viewSchema(state, "input")["properties"] as JsonObject;
  const taken = Object.values(inputs).map((field) => [field, state.fields[field]?.lifecycle === "input" ? (described[field] ?? {}) : {}] as const);
  return deepFreeze({ ...parameters, properties: { ...(parameters["properties"] as JsonObject | undefined), ...Object.fromEntries(taken) } });
}

/** Collects agents by name: the given agents, and recursively the child agents among their tools. Throws `agent.invalid` for two agents with the same name. */
export function collectAgents(agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const byName = new Map<string, Agent>();
  for (const agent of agents) {
    if (!isStateDefinition(agent?.state) || agent.reply?.type !== "reply")
      throw invalidAgent(`createRuntime takes agents made by defineAgent, got ${seen(agent)}.`);
    if (byName.has(agent.name)) throw invalidAgent(`Two agents are named "${agent.name}".`);
    byName.set(agent.name, agent);
  }
  const queue = [...byName.values()];
  for (let agent = queue.shift(); agent !== undefined; agent = queue.shift()) {
    for (const child of childrenOf(agent)) {
      const known = byName.get(child.name);
      if (known === child) continue;
      if (known !== undefined) throw invalidAgent(`Two agents are named "${child.name}": one of them is a child agent of "${agent.name}".`);
      byName.set(child.name, child);
      queue.push(child);
    }
  }
  return byName;
}

const childrenOf = ({ reply }: Agent): readonly Agent[] =>
  (loopSettings(reply)?.tools ?? []).flatMap((tool) => (isSubagent(tool) ? [tool.child.agent] : []));
