import { createBudget, type Budget } from "../execution/budget.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import type { HistoryWindow, PromptPart, Section } from "../context/section.ts";
import type { MessageData } from "../session/event.ts";
import type { Message } from "../session/messages.ts";
import { textOf } from "../session/result-text.ts";
import type { Variables } from "../session/variables.ts";
import { assertProjectedMessages, isStateDefinition, type DeltaOf, type StateDefinition, type StateOf, type WritableName } from "../state/define.ts";
import { assertMigrations, type Migration } from "../state/migrate.ts";
import type { SessionMode, TurnCause } from "../store/port.ts";
import type { SessionId, TraceId, TurnId } from "../kernel/id.ts";
import { checkTools } from "../tools/check.ts";
import { checkHooks } from "./hooks/check.ts";
import { exitTools } from "./loop/exit.ts";
import { loopSettings } from "./loop/is-loop.ts";
import type { Reply } from "./loop/reply.ts";

/** What a stage may know about its turn: read-only, nothing of it is stored. */
export interface TurnInfo {
  readonly session_id: SessionId;
  readonly turn_id: TurnId;
  readonly trace_id: TraceId;
  readonly cause: TurnCause;
  /** 1 for the first try; more after a crash. */
  readonly attempt: number;
  /** Time at which this attempt began, in milliseconds. */
  readonly now: number;
  readonly mode: SessionMode;
  readonly episode: number;
  readonly customer: { readonly id: string; readonly name?: string } | undefined;
  /** The customer messages that the turn answers, oldest first. */
  readonly messages: readonly Message[];
  /** The conversation as a model sees it. */
  readonly history: readonly Message[];
  readonly variables: Variables;
}

/** Clients, caches and secrets that the runtime was given: never stored, never shown to a model. */
export type Resources = Readonly<Record<string, unknown>>;

/** What a stage is given. */
export interface StageContext<State> {
  readonly state: State;
  readonly context: TurnInfo;
  readonly resources: Resources;
  /** Aborts when the turn is stopped or its lease is lost. */
  readonly signal: AbortSignal;
}

/** What a stage asks of the turn: returned, never written. */
export interface Control {
  /** Answer with this text and skip the stages that follow and the reply. */
  readonly reply?: string;
  /** Hand the session to a person when this turn has ended. */
  readonly mode?: SessionMode;
}

const controlled: unique symbol = Symbol("throughline.controlled");

/** A delta together with a control. */
export interface Controlled<Delta> {
  readonly [controlled]: true;
  readonly delta: Delta | undefined;
  readonly control: Control;
}

/** What a stage returns when it also asks something of the turn. `input.invalid` if the reply is blank or no text, or the mode is none. */
export const withControl = <Delta extends object>(control: Control, delta?: Delta): Controlled<Delta> =>
  Object.freeze({ [controlled]: true as const, delta, control: checkedControl(control) });

/** What is asked of a turn is stored and sent to people, so it is looked at where it is asked. */
function checkedControl(control: Control): Control {
  const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("input.invalid", message, { details: { path } });
  if (!isPlainObject(control)) throw wrong("", `withControl takes an object with a reply or a mode, got ${seen(control)}.`);
  const { reply, mode, ...rest } = control;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw wrong(unknown, `withControl has no option ${seen(unknown)}; it has reply and mode.`);
  if (reply !== undefined && (typeof reply !== "string" || reply.trim() === ""))
    throw wrong("reply", `A reply is a text that is not blank, got ${seen(reply)}.`);
  if (mode !== undefined && mode !== "auto" && mode !== "manual") throw wrong("mode", `A session's mode is "auto" or "manual", not ${seen(mode)}.`);
  return Object.freeze({ ...(reply === undefined ? {} : { reply }), ...(mode === undefined ? {} : { mode }) });
}

/** Takes apart what a stage returned. */
export function controlOf(result: unknown): { readonly delta: unknown; readonly control: Control } {
  return typeof result === "object" && result !== null && controlled in result ? (result as Controlled<unknown>) : { delta: result, control: {} };
}

/** A named function of a turn: state in, delta out. */
export interface Stage<Definition extends StateDefinition = StateDefinition> {
  readonly type: "stage";
  readonly name: string;
  readonly state: Definition;
  readonly writes: readonly string[];
  run(context: StageContext<StateOf<Definition>>): unknown;
}

/** The updates that a stage may return: those of the fields it declares. */
export type StageDelta<Definition extends StateDefinition, Writes extends WritableName<Definition>> = Pick<
  DeltaOf<Definition>,
  Writes & keyof DeltaOf<Definition>
>;

type StageResult<Delta> = Delta | Controlled<Delta> | undefined | void;

const namePattern = /^[a-z][a-z0-9_-]{0,59}$/i;

function checkName(name: unknown, what: string): asserts name is string {
  if (typeof name === "string" && namePattern.test(name)) return;
  throw new ThroughlineError(
    "agent.invalid",
    `${what} needs a name of letters, digits, "-" and "_" that begins with a letter (at most 60), got ${seen(name)}.`,
  );
}

/**
 * A stage. It declares the fields that it writes; its delta may hold nothing else, which the compiler and the runtime both check. It runs before the
 * reply, in the order of the agent's `stages`, once a turn: after a crash a stage whose delta is on record is not run again.
 * @example stage("triage", { state: Diary, writes: ["topic"] }, ({ state }) => ({ topic: state.message.slice(0, 20) }))
 */
export function stage<Definition extends StateDefinition, const Writes extends WritableName<Definition>>(
  name: string,
  options: { readonly state: Definition; readonly writes: readonly Writes[] },
  run: (
    context: StageContext<StateOf<Definition>>,
  ) => StageResult<StageDelta<Definition, Writes>> | Promise<StageResult<StageDelta<Definition, Writes>>>,
): Stage<Definition> {
  checkName(name, "A stage");
  if (typeof run !== "function") throw new ThroughlineError("agent.invalid", `Stage "${name}" needs a function, got ${seen(run)}.`);
  const unknown = options.writes.find((field) => !Object.hasOwn(options.state.fields, field));
  if (unknown !== undefined)
    throw new ThroughlineError("agent.invalid", `Stage "${name}" declares that it writes "${unknown}", which the state does not have.`);
  const input = options.writes.find((field) => options.state.fields[field]?.lifecycle === "input");
  if (input !== undefined)
    throw new ThroughlineError("agent.invalid", `Stage "${name}" declares that it writes "${input}", which is an input field.`);
  return Object.freeze({ type: "stage", name, state: options.state, writes: Object.freeze([...options.writes]), run });
}

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

/** An agent as the runtime uses it: checked and frozen. */
export interface Agent {
  readonly name: string;
  readonly version: number;
  readonly state: StateDefinition;
  readonly stages: readonly Stage[];
  readonly reply: Reply;
  readonly sections: readonly PromptPart[];
  readonly budget: Budget;
  readonly migrations: readonly Migration[];
  readonly episodeSilenceMs: number | undefined;
  readonly waitingLimit: number | undefined;
  readonly apology: string;
  readonly onNewMessage: "queue" | "supersede";
  readonly onMessageWhilePaused: "reject" | "wait";
}

/** An agent whose state's types are known to the compiler. */
export interface TypedAgent<Definition extends StateDefinition> extends Agent {
  readonly state: Definition;
}

const defaultApology = "Sorry, something went wrong on my side. Your message is kept; please try again in a moment.";

/** What the customer reads when a turn fails, also when the agent is not known. */
export const apologyOf = (agent: Agent | undefined): string => agent?.apology ?? defaultApology;

const optionNames = [
  "name",
  "version",
  "state",
  "stages",
  "reply",
  "sections",
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
  const { stages = [], sections = [], migrations = [], apology = defaultApology, onNewMessage = "queue", onMessageWhilePaused = "reject" } = options;
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
  assertProjectedMessages(options.state);
  assertMigrations(options.version, migrations);
  // Stages and sections read the state of this very definition, which the check above and the compiler made sure of.
  return Object.freeze({
    name: options.name,
    version: options.version,
    state: options.state,
    stages: Object.freeze([...stages]) as readonly Stage[],
    reply: options.reply,
    sections: Object.freeze([...sections]) as readonly PromptPart[],
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

/** Input values of a turn: the text of its last message under `message`, and what came with it. */
export function inputValues(agent: Agent, said: Pick<MessageData, "parts" | "input"> | undefined): JsonObject {
  const { parts = [], input = {} } = said ?? {};
  return Object.hasOwn(agent.state.fields, "message") && agent.state.fields["message"]?.lifecycle === "input"
    ? { message: textOf(parts), ...input }
    : input;
}
