import type { Budget } from "../../execution/budget.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { SessionMemoryControl } from "../../memory/control/owner-memory.ts";
import type { MemorySettings } from "../../memory/settings.ts";
import type { Assessment } from "../../safety/assessment.ts";
import type { Extension } from "../../extension/port.ts";
import type { Recalled } from "../../memory/recalled.ts";
import type { PromptOptions } from "../../context/prompt-options.ts";
import type { PromptPart } from "../../context/section.ts";
import type { SessionStage } from "../../context/session-stage.ts";
import type { Controlled } from "../../session/control.ts";
import type { MessageData } from "../../session/event.ts";
import type { Message } from "../../session/messages.ts";
import { textOf } from "../../session/result-text.ts";
import type { Variables } from "../../session/variables.ts";
import type { DeltaOf, StateDefinition, StateOf, WritableName } from "../../state/define.ts";
import type { Migration } from "../../state/migrate.ts";
import type { SessionMode, TurnCause } from "../../store/port.ts";
import type { SessionId, TraceId, TurnId } from "../../kernel/id.ts";
import type { Reply } from "../loop/reply.ts";
import type { Variable } from "../variables/variable.ts";

/** Read-only facts about a turn for its stages; nothing of it is stored. */
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
  /** What the turn was given of the person's memory; undefined before that, and for an agent without one. */
  readonly memory?: Recalled;
  /** What the gate has found; undefined for an agent without one. */
  readonly assessment?: Assessment;
  /** The gate answers the turn itself: of the agent's own stages only those run that always do. */
  readonly interrupted?: true;
  /** Where the episode stands, this turn's messages included; undefined unless the agent's `prompt.stage` asks for it. */
  readonly stage?: SessionStage;
}

/** Clients, caches and secrets of the runtime: never stored, never shown to a model. */
export type Resources = Readonly<Record<string, unknown>>;

/** The arguments of a stage. */
export interface StageContext<State> {
  readonly state: State;
  readonly context: TurnInfo;
  readonly resources: Resources;
  /** What the person can do with what is remembered of them; undefined in an agent without a memory. */
  readonly memory?: SessionMemoryControl;
  /** Aborts when the turn is stopped or its lease is lost. */
  readonly signal: AbortSignal;
}

/** A named function of a turn: state in, delta out. */
export interface Stage<Definition extends StateDefinition = StateDefinition> {
  readonly type: "stage";
  readonly name: string;
  readonly state: Definition;
  readonly writes: readonly string[];
  /** `ordinary`: not in a turn whose gate has found something; `always`: in that too, after the gate. */
  readonly runs: "ordinary" | "always";
  run(context: StageContext<StateOf<Definition>>): unknown;
}

/** The updates that a stage may return: those of the fields it declares. */
export type StageDelta<Definition extends StateDefinition, Writes extends WritableName<Definition>> = Pick<
  DeltaOf<Definition>,
  Writes & keyof DeltaOf<Definition>
>;

type StageResult<Delta> = Delta | Controlled<Delta> | undefined | void;

const namePattern = /^[a-z][a-z0-9_-]{0,59}$/i;

/** Refuses a name that is none; `what` needs it. */
export function checkName(name: unknown, what: string): asserts name is string {
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
  options: {
    readonly state: Definition;
    readonly writes: readonly Writes[];
    /** `"always"`: also in a turn whose gate has found something, where other stages are passed over. What fails there is logged and holds nothing up. `"ordinary"` by default. */
    readonly runs?: "ordinary" | "always";
  },
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
  const { runs = "ordinary" } = options;
  if (runs !== "ordinary" && runs !== "always")
    throw new ThroughlineError("agent.invalid", `Stage "${name}" runs ${seen(runs)}; it is "ordinary" or "always".`);
  return Object.freeze({ type: "stage", name, state: options.state, writes: Object.freeze([...options.writes]), runs, run });
}

/** An agent as the runtime uses it: checked and frozen. */
export interface Agent {
  readonly name: string;
  readonly version: number;
  readonly state: StateDefinition;
  readonly stages: readonly Stage[];
  readonly reply: Reply;
  readonly sections: readonly PromptPart[];
  readonly prompt: PromptOptions;
  /** Milliseconds that the request of a step is kept; undefined: it is not. */
  readonly keepRequestsMs: number | undefined;
  readonly memory: MemorySettings | undefined;
  /** What takes part in its turns, those with the last word first. */
  readonly extensions: readonly Extension[];
  readonly variables: readonly Variable[];
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

/** What the customer reads when a turn fails, unless the agent says otherwise. */
export const defaultApology = "Sorry, something went wrong on my side. Your message is kept; please try again in a moment.";

/** What the customer reads when a turn fails, also when the agent is not known. */
export const apologyOf = (agent: Agent | undefined): string => agent?.apology ?? defaultApology;

/** Input values of a turn: the text of its last message under `message`, and what came with it. */
export function inputValues(agent: Agent, said: Pick<MessageData, "parts" | "input"> | undefined): JsonObject {
  const { parts = [], input = {} } = said ?? {};
  return Object.hasOwn(agent.state.fields, "message") && agent.state.fields["message"]?.lifecycle === "input"
    ? { message: textOf(parts), ...input }
    : input;
}
