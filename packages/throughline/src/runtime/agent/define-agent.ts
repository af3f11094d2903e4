/** Defines an agent, and checks its parts against each other. */
import { type Apologies, checkApologies } from "../../extension/apology.ts";
import { invalidAgent } from "../../extension/failure.ts";
import { checkPrompt, type PromptOptions } from "../../context/prompt-options.ts";
import { type FittingPart, persona, type PromptPart } from "../../context/section.ts";
import { type Budget, createBudget } from "../../execution/ledger.ts";
import { checkExtensions, type Declared, type ExtensionSettings } from "../../extension/port.ts";
import { checkName, type Stage } from "../../extension/stage.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, present } from "../../kernel/json.ts";
import { assertProjectedMessages, defineState, isStateDefinition, type StateDefinition, type StateOf } from "../../state/define.ts";
import type { AgentTypes } from "../../state/edge-types.ts";
import { nearest } from "../../state/document.ts";
import { assertMigrations, type Migration } from "../../state/migrate-state.ts";
import { checkTools } from "../../tools/check-tools.ts";
import type { Tool } from "../../tools/tool.ts";
import { checkHooks } from "../hooks/hook.ts";
import { loop, withTools } from "../loop/loop.ts";
import { exitTools, type LoopOptions, loopSettings } from "../loop/loop-settings.ts";
import type { Reply } from "../loop/reply-port.ts";
import { checkVariables, type Variable } from "../variables/variable.ts";
import type { Agent } from "./agent.ts";

/** Options of `defineAgent`. An agent needs a name and a model, or a reply. */
export type AgentOptions<Definition extends StateDefinition, Name extends string = string> = AgentSettings<Definition, Name> &
  ({ readonly model: LoopOptions["model"] } | { readonly reply: Reply });

/** Options of `defineAgent`, without what an agent needs. */
export interface AgentSettings<Definition extends StateDefinition, Name extends string = string> {
  readonly name: Name;
  /** Who the agent is and how it behaves: short for `persona(text)` as the first of its sections. */
  readonly instructions?: string;
  /** The model that answers: `model` and `tools` are short for `reply: loop({ model, tools })`. */
  readonly model?: LoopOptions["model"];
  /** Tools that the model may call. */
  readonly tools?: LoopOptions["tools"];
  /** How the agent answers, such as `loop` with its options. Required without `model`. */
  readonly reply?: Reply;
  /** Version of the definition, from 1, the default. Raise it with every change that is incompatible with stored state, and add a migration. */
  readonly version?: number;
  /** Typed fields that stages, tools and sections share. Defaults to the conversation alone. */
  readonly state?: Definition;
  /** Run before the reply, in order. They were declared for this state. */
  readonly stages?: readonly Stage[];
  /** Parts of the prompt, in order. The conversation is always part of it; `recentMessages` sets how much. */
  readonly sections?: readonly PromptPart[];
  /** Which response styles see which sections, and the maximum length of the prompt. */
  readonly prompt?: PromptOptions;
  /** Keeps the exact request of every step for `session.prompt()`: `true` for 7 days, or for a number of days. */
  readonly keepRequests?: KeepRequests;
  /** Long-term memory, created by `memory`. Without it the agent remembers nothing beyond its session. */
  readonly memory?: ExtensionSettings;
  /** A gate that every message passes first, created by `safety`. The state must declare the fields of `safetyFields()`. */
  readonly safety?: ExtensionSettings;
  /** Extensions of its turns, in addition to the gate and the memory. */
  readonly extensions?: readonly Declared[];
  /** Variables that are described to the model, or refreshed at the start of a turn. The model sees other variables by name and value only. */
  readonly variables?: readonly Variable[];
  /** Limits of one turn's execution. Defaults to 20 steps. */
  readonly budget?: Budget;
  readonly migrations?: readonly Migration[];
  /** Milliseconds of silence that end an episode. Defaults to 20 minutes. */
  readonly episodeSilenceMs?: number;
  /** Maximum number of messages that wait for an answer. Defaults to 50. */
  readonly waitingLimit?: number;
  /**
   * What the customer reads if a turn ends without an answer: one text, or a text each for `failed` (a defect), `limit` (the budget is used up) and
   * `stopped` (a deliberate stop). Each has a default.
   */
  readonly apology?: string | Partial<Apologies>;
  /**
   * What happens to a message that arrives while a turn runs. `"queue"`, the default: the next turn answers it. `"supersede"`: if the turn has shown
   * nothing yet, it is stopped, and one new turn answers its messages and the new one. Otherwise the message is queued.
   */
  readonly onNewMessage?: "queue" | "supersede";
  /**
   * What happens to a message that arrives while a turn waits for an approval or an answer. `"reject"`, the default: it rejects all pending calls, so
   * that the turn ends and the message is answered next. No message then waits behind an approval. `"wait"`: the message waits until the turn has
   * ended.
   */
  readonly onMessageWhilePaused?: "reject" | "wait";
}

/** The stages, sections and tools of an agent, each of which fits its state or is refused with a sentence that the compiler shows. */
interface FittingParts<Definition extends StateDefinition, Part, Of, Has> {
  readonly sections?: readonly (Part & FittingPart<Part, StateOf<Definition>>)[];
  readonly stages?: readonly (Of & FittingStage<Of, Definition>)[];
  readonly tools?: readonly (Has & FittingTool<Has, Definition>)[] | undefined;
}
type FittingStage<Of, Definition extends StateDefinition> =
  Of extends Stage<infer Other>
    ? StateDefinition extends Other
      ? Of
      : [Definition, Other] extends [Other, Definition]
        ? Of
        : "This stage was declared for another state"
    : Of;
/** A tool fits a state with the fields that it declares. The agent checks which of them the tool needs. */
type FittingTool<Has, Definition extends StateDefinition> =
  Has extends Tool<infer Other>
    ? StateDefinition extends Other
      ? Has
      : Definition["fields"] extends Other["fields"]
        ? Has
        : "This tool was declared for another state"
    : Has;

/** An agent with a statically typed state. */
export interface TypedAgent<Definition extends StateDefinition, Name extends string = string> extends Agent {
  readonly name: Name;
  readonly state: Definition;
  /** The types of the agent's data, for clients that know only its type. No agent has this member at run time. */
  readonly "~types"?: AgentTypes<Definition>;
  /**
   * Returns a variant of the agent with other options. The variant is checked like a new agent. Options that are left out stay, and so does the
   * state. Throws `agent.invalid`.
   * @example const thrifty = agent.with({ budget: { steps: 5 } })
   */
  with<const Other extends string = Name, Part extends PromptPart = PromptPart, Of extends Stage = Stage, Has extends Tool = Tool>(
    changes: AgentChanges<Definition, Other> & FittingParts<Definition, Part, Of, Has>,
  ): TypedAgent<Definition, Other>;
}

/** Options that a variant of an agent replaces. */
export type AgentChanges<Definition extends StateDefinition, Name extends string = string> = Partial<Omit<AgentSettings<Definition, Name>, "state">>;

/** The state of an agent that declares none: the conversation. */
const conversation = defineState({});

const optionNames = [
  "name",
  "instructions",
  "model",
  "tools",
  "reply",
  "version",
  "state",
  "stages",
  "sections",
  "prompt",
  "keepRequests",
  "memory",
  "safety",
  "extensions",
  "variables",
  "budget",
  "migrations",
  "episodeSilenceMs",
  "waitingLimit",
  "apology",
  "onNewMessage",
  "onMessageWhilePaused",
];

/**
 * Checks the parts of an agent against each other and freezes them. An agent needs a name and a model; everything else has a default. Throws
 * `agent.invalid`, which names the defect.
 * @example defineAgent({ name: "desk", instructions: "You answer in one sentence.", model, tools: [refund] })
 */
export function defineAgent<
  Definition extends StateDefinition = typeof conversation,
  const Name extends string = string,
  Part extends PromptPart = PromptPart,
  Of extends Stage = Stage,
  Has extends Tool = Tool,
>(options: AgentOptions<Definition, Name> & FittingParts<NoInfer<Definition>, Part, Of, Has>): TypedAgent<Definition, Name> {
  if (!isPlainObject(options)) throw invalidAgent(`defineAgent takes one object of options, got ${seen(options)}.`);
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw invalidAgent(`defineAgent has no option "${unknown}"; it has ${optionNames.join(", ")}.`);
  checkName(options.name, "An agent");
  const { version = 1, stages = [], variables = [], migrations = [], onNewMessage = "queue", onMessageWhilePaused = "reject" } = options;
  checkNumbers({ ...options, version });
  const given = replyOf(options);
  // Without a given state the compiler has inferred the default one.
  const state = (options.state ?? conversation) as Definition;
  if (!isStateDefinition(state) || options.state === null) throw invalidAgent(`Agent "${options.name}" needs a state made by defineState.`);
  if (onNewMessage !== "queue" && onNewMessage !== "supersede")
    throw invalidAgent(`Agent "${options.name}" has onNewMessage ${seen(onNewMessage)}; it is "queue" or "supersede".`);
  if (onMessageWhilePaused !== "reject" && onMessageWhilePaused !== "wait")
    throw invalidAgent(`Agent "${options.name}" has onMessageWhilePaused ${seen(onMessageWhilePaused)}; it is "reject" or "wait".`);
  const apology = checkApologies(options.name, options.apology);
  checkStages(options.name, state, stages);
  checkSections(options.name, state, options.sections ?? []);
  checkReply(options.name, state, given);
  const declared = [options.safety, options.memory, ...(options.extensions ?? [])].filter((one) => one !== undefined);
  const tools = loopSettings(given)?.tools.map(({ name }) => name);
  const extensions = checkExtensions({ name: options.name, state, stages: stages.map(({ name }) => name), tools }, declared);
  const reply = withTools(given, extensions);
  checkTools(options.name, state, loopSettings(reply)?.tools ?? []);
  const parts: readonly PromptPart[] = Object.freeze([...instructionsOf(options), ...(options.sections ?? [])]);
  const prompt = checkPrompt(options.name, { prompt: options.prompt, parts, fields: Object.keys(state.fields) });
  assertProjectedMessages(state);
  assertMigrations(version, migrations);
  // The check above and the compiler have verified that stages and sections read the state of this definition.
  return Object.freeze({
    name: options.name,
    version,
    state,
    stages: Object.freeze([...stages]) as readonly Stage[],
    reply,
    sections: parts,
    prompt,
    keepRequestsMs: keptFor(options.name, options.keepRequests),
    extensions,
    variables: checkVariables(options.name, variables),
    budget: createBudget(options.budget ?? { steps: 20 }),
    migrations: Object.freeze([...migrations]),
    episodeSilenceMs: options.episodeSilenceMs,
    waitingLimit: options.waitingLimit,
    apology,
    onNewMessage,
    onMessageWhilePaused,
    // Without a new name the variant has the agent's, which `Other` then stands for.
    with: <const Other extends string = Name>(changes: AgentChanges<Definition, Other>) =>
      defineAgent<Definition, Other>({ ...options, ...checkedChanges(options, changes) } as AgentOptions<Definition, Other>),
  });
}

/** Returns the reply of an agent: its own, or the loop of its model and its tools. */
function replyOf({ name, reply, model, tools }: Pick<AgentSettings<never>, "name" | "reply" | "model" | "tools">): Reply {
  if (reply === undefined && model !== undefined) return loop({ model, ...present({ tools }) });
  if (model !== undefined || tools !== undefined)
    throw invalidAgent(
      `Agent "${name}" has ${reply === undefined ? "tools, but no model" : "a reply, and a model or tools: pass them to the reply"}.`,
    );
  if (reply?.type !== "reply") throw invalidAgent(`Agent "${name}" needs a model, or a reply, such as loop({ model }).`);
  return reply;
}

/** Returns the section with the agent's instructions, if it has any. */
function instructionsOf({
  name,
  instructions,
  sections = [],
}: Pick<AgentSettings<never>, "name" | "instructions" | "sections">): readonly PromptPart[] {
  if (instructions === undefined) return [];
  if (typeof instructions !== "string" || instructions.trim() === "")
    throw invalidAgent(`Agent "${name}" needs instructions that are a text, got ${seen(instructions)}.`);
  const own = persona(instructions);
  if (sections.some((part) => part.type === "section" && part.name === own.name))
    throw invalidAgent(`Agent "${name}" has instructions and a section "${own.name}", which is the same. Keep one of them.`);
  return [own];
}

/** Checks that the changes of a variant are options, and do not replace the state that its stages and sections were declared for. */
function checkedChanges<Changes extends object>({ name, state }: Pick<AgentSettings<StateDefinition>, "name" | "state">, changes: Changes): Changes {
  if (!isPlainObject(changes)) throw invalidAgent(`A variant of agent "${name}" takes an object of options, got ${seen(changes)}.`);
  if ("state" in changes && changes.state !== state)
    throw invalidAgent(`A variant of agent "${name}" keeps the agent's state. Define another agent for another state.`);
  return changes;
}

/** Checks the tools and hooks of a loop against their shared state. */
function checkReply(agent: string, state: StateDefinition, reply: Reply): void {
  const settings = loopSettings(reply);
  if (settings === undefined) return;
  const { tools, hooks, exit } = settings;
  for (const part of [settings, ...exit])
    if (typeof part === "object" && "state" in part && part.state !== undefined && part.state !== state)
      throw invalidAgent(`The ${part === settings ? "loop" : "test of exitOn.when"} of agent "${agent}" was declared for another state.`);
  checkTools(agent, state, tools);
  const names = tools.map(({ name }) => name);
  checkHooks(agent, state, hooks, names);
  const missing = exitTools(exit).find((name) => !names.includes(name));
  if (missing !== undefined) throw invalidAgent(`Agent "${agent}" ends with the tool "${missing}", which it does not have.`);
}

function checkNumbers({
  name,
  version,
  waitingLimit,
  episodeSilenceMs,
}: Pick<AgentSettings<never>, "name" | "version" | "waitingLimit" | "episodeSilenceMs">): void {
  const whole = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 2_147_483_647;
  const wrong = (what: string, value: unknown): ThroughlineError =>
    new ThroughlineError("agent.invalid", `Agent "${name}" needs ${what}, got ${seen(value)}.`);
  if (!whole(version)) throw wrong("a version that is a whole number from 1 to 2,147,483,647", version);
  if (waitingLimit !== undefined && !whole(waitingLimit)) throw wrong("a waitingLimit that is a whole number from 1", waitingLimit);
  if (episodeSilenceMs !== undefined && !(typeof episodeSilenceMs === "number" && episodeSilenceMs >= 0))
    throw wrong("an episodeSilenceMs that is a number from 0", episodeSilenceMs);
}

function checkSections(agent: string, state: StateDefinition, sections: unknown): void {
  const parts: readonly unknown[] | undefined = Array.isArray(sections) ? sections : undefined;
  if (parts === undefined) throw invalidAgent(`Agent "${agent}" needs a list of sections, got ${seen(sections)}.`);
  for (const part of parts) {
    const type: unknown = (typeof part === "object" || typeof part === "function") && part !== null && "type" in part ? part.type : undefined;
    if (type !== "section" && type !== "history")
      throw invalidAgent(`Agent "${agent}" has a section that was not made by section(...) or recentMessages: ${seen(part)}.`);
    checkPart(agent, state, part as PromptPart);
  }
}

/** Checks that the state has the fields that a part of the prompt names. */
function checkPart(agent: string, state: StateDefinition, part: PromptPart): void {
  if (part.type === "history") {
    if (part.summary !== undefined && state.fields[part.summary]?.lifecycle !== "reduced")
      throw invalidAgent(`The summary of recentMessages must be a reduced field of agent "${agent}"; "${part.summary}" is none.`);
    return;
  }
  if (part.state !== undefined && part.state !== state)
    throw invalidAgent(`Section "${part.name}" was declared for another state than that of agent "${agent}".`);
  const unknown = part.fields?.find((field) => !Object.hasOwn(state.fields, field));
  if (unknown === undefined) return;
  const near = nearest(unknown, Object.keys(state.fields));
  throw new ThroughlineError(
    "agent.invalid",
    `Section "${part.name}" of agent "${agent}" names the field "${unknown}", which the state does not have.`,
    present({ hint: near === undefined ? undefined : `Did you mean "${near}"?` }),
  );
}

function checkStages(agent: string, state: StateDefinition, stages: readonly Pick<Stage, "type" | "name" | "state">[]): void {
  const given: unknown = stages;
  if (!Array.isArray(given)) throw invalidAgent(`Agent "${agent}" needs a list of stages, got ${seen(given)}.`);
  const names = new Set<string>();
  for (const current of stages) {
    if (current?.type !== "stage") throw invalidAgent(`Agent "${agent}" has a stage that was not made by stage(...): ${seen(current)}.`);
    if (current.state !== state) throw invalidAgent(`Stage "${current.name}" was declared for another state than that of agent "${agent}".`);
    if (names.has(current.name)) throw invalidAgent(`Agent "${agent}" has two stages named "${current.name}".`);
    names.add(current.name);
  }
}

/** How long requests are kept. */
export type KeepRequests = boolean | { readonly days: number };

const dayMs = 86_400_000;
/** Days that a request is kept by default. */
const usualDays = 7;
const mostDays = 365;

/** Returns the retention of requests in milliseconds, or undefined if they are not kept. Throws `agent.invalid` for an invalid number of days. */
function keptFor(agent: string, keep: KeepRequests | undefined): number | undefined {
  if (keep === undefined || keep === false) return undefined;
  const days: unknown = keep === true ? usualDays : typeof keep === "object" && keep !== null ? keep.days : keep;
  if (typeof days === "number" && days > 0 && days <= mostDays) return Math.ceil(days * dayMs);
  throw invalidAgent(`Agent "${agent}" keeps requests for true or { days } from above 0 to ${mostDays}, got ${seen(keep)}.`);
}
