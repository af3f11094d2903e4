/** Stages: the named functions of a turn that an agent, or an extension, adds. */
import type { SessionStage } from "../context/session-stage.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { SessionId, TraceId, TurnId } from "../kernel/id.ts";
import type { SessionMemoryControl } from "../memory/control/owner-memory.ts";
import type { Recalled } from "../memory/recalled.ts";
import type { Assessment } from "../safety/assessment.ts";
import type { Controlled } from "../session/control.ts";
import type { Message } from "../session/session-messages.ts";
import type { Variables } from "../session/session-variables.ts";
import type { DeltaOf, StateDefinition, StateOf, WritableName } from "../state/define.ts";
import type { SessionMode, TurnCause } from "../store/port.ts";

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
