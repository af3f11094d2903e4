import { createBudget, type Budget } from "../../execution/budget.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import { checkPrompt, type PromptOptions } from "../../context/prompt-options.ts";
import { checkExtensions, type Declared, type ExtensionSettings } from "../../extension/port.ts";
import type { HistoryWindow, PromptPart, Section } from "../../context/section.ts";
import { assertProjectedMessages, isStateDefinition, type StateDefinition, type StateOf } from "../../state/define.ts";
import { assertMigrations, type Migration } from "../../state/migrate-state.ts";
import { checkTools } from "../../tools/check-tools.ts";
import { defaultApology, type TypedAgent } from "./agent.ts";
import { checkName, type Stage } from "../../extension/stage.ts";
import { checkHooks } from "../hooks/hook.ts";
import { exitTools, loopSettings } from "../loop/settings.ts";
import { keptFor, type KeepRequests } from "../turn/keep-requests.ts";
import type { Reply } from "../loop/reply.ts";
import { checkVariables, type Variable } from "../variables/variable.ts";

/** The parts of an agent. */
export interface AgentOptions<Definition extends StateDefinition> {
  readonly name: string;
  /** Version of the definition, from 1; raise it with every change that stored state does not survive, and add a migration. */
  readonly version: number;
  readonly state: Definition;
  readonly stages?: readonly Stage<Definition>[];
  readonly reply: Reply;
  /** Parts of the prompt, in order. */
  readonly sections?: readonly (PromptPart | Section<StateOf<Definition>>)[];
  /** Which response styles see what, and how long the prompt may be. */
  readonly prompt?: PromptOptions;
  /** Keeps the exact request of every step, to look at with `session.prompt()`: `true` for 7 days, or for so many. */
  readonly keepRequests?: KeepRequests;
  /** Long-term memory, made by `memory`; an agent without it remembers nothing beyond its session. */
  readonly memory?: ExtensionSettings;
  /** A gate that every message passes first, made by `safety`; its state declares the fields of `safetyFields()`. */
  readonly safety?: ExtensionSettings;
  /** Features that take part in its turns, besides the gate and the memory. */
  readonly extensions?: readonly Declared[];
  /** Variables that are described to the model, or refreshed when a turn begins; of others it sees name and value. */
  readonly variables?: readonly Variable[];
  /** Limits of one turn's execution; 20 steps by default. */
  readonly budget?: Budget;
  readonly migrations?: readonly Migration[];
  /** A silence of this many milliseconds closes an episode; 20 minutes by default. */
  readonly episodeSilenceMs?: number;
  /** At most so many messages may wait for an answer; 50 by default. */
  readonly waitingLimit?: number;
  /** What the customer reads when a turn fails. */
  readonly apology?: string;
  /**
   * What a message does that comes while a turn runs. `"queue"`, the default: the next turn answers it. `"supersede"`: a turn that has shown nothing
   * yet is stopped, and one turn answers its messages and the new one together; once it has shown something, the message is queued.
   */
  readonly onNewMessage?: "queue" | "supersede";
  /**
   * What a message does that comes while a turn waits for somebody's approval or answer. `"reject"`, the default: it counts as a rejection of all that
   * is asked, the turn goes on and ends, and the message is answered next, so that nobody is left unanswered behind an approval. `"wait"`: the message
   * waits until the turn has ended.
   */
  readonly onMessageWhilePaused?: "reject" | "wait";
}

const optionNames = [
  "name",
  "version",
  "state",
  "stages",
  "reply",
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

/** Checks the parts of an agent against each other and freezes them; `agent.invalid` names what is wrong. */
export function defineAgent<Definition extends StateDefinition>(options: AgentOptions<Definition>): TypedAgent<Definition> {
  if (!isPlainObject(options)) throw new ThroughlineError("agent.invalid", `defineAgent takes one object of options, got ${seen(options)}.`);
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw new ThroughlineError("agent.invalid", `defineAgent has no option "${unknown}"; it has ${optionNames.join(", ")}.`);
  checkName(options.name, "An agent");
  checkNumbers(options);
  if (options.reply?.type !== "reply") throw new ThroughlineError("agent.invalid", `Agent "${options.name}" needs a reply, such as loop({ model }).`);
  if (!isStateDefinition(options.state)) throw new ThroughlineError("agent.invalid", `Agent "${options.name}" needs a state made by defineState.`);
  const {
    stages = [],
    sections = [],
    variables = [],
    migrations = [],
    apology = defaultApology,
    onNewMessage = "queue",
    onMessageWhilePaused = "reject",
  } = options;
  if (onNewMessage !== "queue" && onNewMessage !== "supersede")
    throw new ThroughlineError("agent.invalid", `Agent "${options.name}" has onNewMessage ${seen(onNewMessage)}; it is "queue" or "supersede".`);
  if (onMessageWhilePaused !== "reject" && onMessageWhilePaused !== "wait")
    throw new ThroughlineError(
      "agent.invalid",
      `Agent "${options.name}" has onMessageWhilePaused ${seen(onMessageWhilePaused)}; it is "reject" or "wait".`,
    );
  if (typeof apology !== "string" || apology.trim() === "")
    throw new ThroughlineError("agent.invalid", `Agent "${options.name}" has an apology that is no text: ${seen(apology)}.`);
  checkStages(options.name, options.state, stages);
  checkSections(options.name, options.state, sections);
  checkReply(options.name, options.state, options.reply);
  const declared = [options.safety, options.memory, ...(options.extensions ?? [])].filter((one) => one !== undefined);
  const extensions = checkExtensions({ name: options.name, state: options.state, stages: stages.map(({ name }) => name) }, declared);
  const parts = Object.freeze([...sections]) as readonly PromptPart[];
  const prompt = checkPrompt(options.name, { prompt: options.prompt, parts, fields: Object.keys(options.state.fields) });
  assertProjectedMessages(options.state);
  assertMigrations(options.version, migrations);
  // Stages and sections read the state of this very definition, which the check above and the compiler made sure of.
  return Object.freeze({
    name: options.name,
    version: options.version,
    state: options.state,
    stages: Object.freeze([...stages]) as readonly Stage[],
    reply: options.reply,
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
  });
}

/** The tools and hooks of a loop, against the state that they share. */
function checkReply(agent: string, state: StateDefinition, reply: Reply): void {
  const settings = loopSettings(reply);
  if (settings === undefined) return;
  const { tools, hooks, exit } = settings;
  checkTools(agent, state, tools);
  const names = tools.map(({ name }) => name);
  checkHooks(agent, state, hooks, names);
  const missing = exitTools(exit).find((name) => !names.includes(name));
  if (missing !== undefined) throw new ThroughlineError("agent.invalid", `Agent "${agent}" ends with the tool "${missing}", which it does not have.`);
}

function checkNumbers({
  name,
  version,
  waitingLimit,
  episodeSilenceMs,
}: Pick<AgentOptions<never>, "name" | "version" | "waitingLimit" | "episodeSilenceMs">): void {
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
  if (parts === undefined) throw new ThroughlineError("agent.invalid", `Agent "${agent}" needs a list of sections, got ${seen(sections)}.`);
  for (const part of parts) {
    const type: unknown = (typeof part === "object" || typeof part === "function") && part !== null && "type" in part ? part.type : undefined;
    if (type !== "section" && type !== "history")
      throw new ThroughlineError(
        "agent.invalid",
        `Agent "${agent}" has a section that was not made by section(...) or recentMessages: ${seen(part)}.`,
      );
    const summary = (part as PromptPart).type === "history" ? (part as HistoryWindow).summary : undefined;
    if (summary !== undefined && state.fields[summary]?.lifecycle !== "reduced")
      throw new ThroughlineError("agent.invalid", `The summary of recentMessages must be a reduced field of agent "${agent}"; "${summary}" is none.`);
  }
}

function checkStages(agent: string, state: StateDefinition, stages: readonly Pick<Stage, "type" | "name" | "state">[]): void {
  const given: unknown = stages;
  if (!Array.isArray(given)) throw new ThroughlineError("agent.invalid", `Agent "${agent}" needs a list of stages, got ${seen(given)}.`);
  const names = new Set<string>();
  for (const current of stages) {
    if (current?.type !== "stage")
      throw new ThroughlineError("agent.invalid", `Agent "${agent}" has a stage that was not made by stage(...): ${seen(current)}.`);
    if (current.state !== state)
      throw new ThroughlineError("agent.invalid", `Stage "${current.name}" was declared for another state than that of agent "${agent}".`);
    if (names.has(current.name)) throw new ThroughlineError("agent.invalid", `Agent "${agent}" has two stages named "${current.name}".`);
    names.add(current.name);
  }
}
