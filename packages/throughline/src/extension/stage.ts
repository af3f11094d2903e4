/** Stages: named functions of a turn that an agent or an extension adds. */
import { invalidAgent } from "./failure.ts";
import type { SessionStage } from "../context/session-stage.ts";
import { seen } from "../kernel/error.ts";
import type { Json } from "../kernel/json.ts";
import type { SessionId, TraceId, TurnId } from "../kernel/id.ts";
import type { SessionMemoryControl } from "../memory/control/owner-memory.ts";
import type { Recalled } from "../memory/recalled.ts";
import type { Assessment } from "../safety/assessment.ts";
import type { Controlled } from "../session/control.ts";
import type { Message } from "../session/session-messages.ts";
import type { Variables } from "../session/session-variables.ts";
import type { DeltaMistake, DeltaOf, StateDefinition, StateOf, WritableName } from "../state/define.ts";
import type { SessionMode, TurnCause } from "../store/port.ts";

/** Read-only facts about a turn for its stages. They are not stored. */
export interface TurnInfo {
  readonly session_id: SessionId;
  readonly turn_id: TurnId;
  readonly trace_id: TraceId;
  readonly cause: TurnCause;
  /** 1 for the first attempt, more after a crash. */
  readonly attempt: number;
  /** Start time of this attempt in milliseconds. */
  readonly now: number;
  readonly mode: SessionMode;
  readonly episode: number;
  readonly customer: { readonly id: string; readonly name?: string } | undefined;
  /** The customer messages that the turn answers, oldest first. */
  readonly messages: readonly Message[];
  /** The conversation as a model sees it. */
  readonly history: readonly Message[];
  readonly variables: Variables;
  /** The turn's recalled memory. Undefined before recall, and for an agent without memory. */
  readonly memory?: Recalled;
  /** The gate's assessment. Undefined for an agent without a gate. */
  readonly assessment?: Assessment;
  /** The gate replies itself. Only the agent's stages with `runs: "always"` run. */
  readonly interrupted?: true;
  /** Stage of the episode, including this turn's messages. Undefined unless the agent's `prompt.stage` enables it. */
  readonly stage?: SessionStage;
}

/** Clients, caches and secrets of the runtime. They are never stored and never shown to a model. */
export type Resources = Readonly<Record<string, unknown>>;

/** Arguments of a stage. */
export interface StageContext<State> {
  readonly state: State;
  readonly context: TurnInfo;
  readonly resources: Resources;
  /** The user's memory and the operations on it. Undefined in an agent without memory. */
  readonly memory?: SessionMemoryControl;
  /** Aborts when the turn is stopped, its lease is lost, or the stage waits for an answer. */
  readonly signal: AbortSignal;
  /**
   * Asks a human, and returns the answer. The turn pauses until then. The stage is then run again from its start and this returns the answer, so ask
   * before any side effect. Throws `stage.rejected` if the question was rejected; a stage that does not catch it stops the turn. In a turn that the
   * gate interrupts, every question is rejected.
   */
  readonly interrupt: (question: Json) => Promise<Json>;
}

/**
 * Arguments of a stage's work ahead. The state and the facts are those at the start of the turn: no stage has run, the gate has not judged, and
 * nothing was recalled.
 */
export type AheadContext<State> = Omit<StageContext<State>, "interrupt">;

/** A named function of a turn that maps the state to a delta. */
export interface Stage<Definition extends StateDefinition = StateDefinition> {
  readonly type: "stage";
  readonly name: string;
  readonly state: Definition;
  readonly writes: readonly string[];
  /** `ordinary`: skipped in a turn that the gate interrupts. `always`: also runs in such a turn, after the gate. */
  readonly runs: "ordinary" | "always";
  ahead?(context: AheadContext<StateOf<Definition>>): Promise<unknown>;
  /** `ahead` returns the result of the work ahead. Without it, the work is done now. */
  run(context: StageContext<StateOf<Definition>>, ahead?: () => Promise<unknown>): unknown;
}

/** The updates that a stage may return: those of its declared fields. */
export type StageDelta<Definition extends StateDefinition, Writes extends WritableName<Definition>> = Pick<
  DeltaOf<Definition>,
  Writes & keyof DeltaOf<Definition>
>;

/** What a stage may return. */
type Returns<Delta> = Delta | Controlled<Delta> | undefined | void;
/** A sentence about what is wrong with a stage's result. `never` if nothing is. */
type ResultMistake<Result, Definition extends StateDefinition, Writes> =
  Result extends Controlled<infer Delta> ? DeltaMistake<Delta, Definition, Writes> : DeltaMistake<Result, Definition, Writes>;
type Fitting<Result, Definition extends StateDefinition, Writes> = [ResultMistake<Awaited<Result>, Definition, Writes>] extends [never]
  ? unknown
  : ResultMistake<Awaited<Result>, Definition, Writes>;

const namePattern = /^[a-z][a-z0-9_-]{0,59}$/i;

/** Throws `agent.invalid` for an invalid name. `what` describes the named part. */
export function checkName(name: unknown, what: string): asserts name is string {
  if (typeof name === "string" && namePattern.test(name)) return;
  throw invalidAgent(`${what} needs a name of letters, digits, "-" and "_" that begins with a letter (at most 60), got ${seen(name)}.`);
}

/**
 * Defines a stage. It declares the fields that it writes, and its delta may have no others; the compiler and the runtime check this. It runs before
 * the reply, in the order of the agent's `stages`, once per turn. After a crash, a stage with a recorded delta is not run again. A slow question to a
 * model can start ahead: `ahead` runs beside the gate and the stages before, and the stage awaits its result.
 * @example stage("triage", { state: Diary, writes: ["topic"] }, ({ state }) => ({ topic: state.message.slice(0, 20) }))
 */
export function stage<
  Definition extends StateDefinition,
  const Writes extends WritableName<Definition>,
  const Result extends Returns<StageDelta<Definition, Writes>> | object = Returns<StageDelta<Definition, Writes>>,
  Ahead = undefined,
>(
  name: string,
  options: {
    readonly state: Definition;
    readonly writes: readonly Writes[];
    /**
     * `"always"`: also runs in a turn that the gate interrupts, where other stages are skipped. Failures there are logged and do not block the turn.
     * Default `"ordinary"`.
     */
    readonly runs?: "ordinary" | "always";
    /**
     * Work that starts at the beginning of the turn, in parallel with everything before the stage. It must have no effects: the turn may end without
     * the stage, which aborts it and discards its result. The gate starts it unless its rules already found a plain danger.
     */
    readonly ahead?: (context: AheadContext<StateOf<Definition>>) => Promise<Ahead>;
  },
  run: ((context: StageContext<StateOf<Definition>>, ahead: () => Promise<Ahead>) => Result | Promise<Result>) & Fitting<Result, Definition, Writes>,
): Stage<Definition> {
  checkName(name, "A stage");
  if (typeof run !== "function") throw invalidAgent(`Stage "${name}" needs a function, got ${seen(run)}.`);
  const unknown = options.writes.find((field) => !Object.hasOwn(options.state.fields, field));
  if (unknown !== undefined) throw invalidAgent(`Stage "${name}" declares that it writes "${unknown}", which the state does not have.`);
  const input = options.writes.find((field) => options.state.fields[field]?.lifecycle === "input");
  if (input !== undefined) throw invalidAgent(`Stage "${name}" declares that it writes "${input}", which is an input field.`);
  const { runs = "ordinary", ahead } = options;
  if (ahead !== undefined && typeof ahead !== "function") throw invalidAgent(`Stage "${name}" needs a function as ahead, got ${seen(ahead)}.`);
  if (runs !== "ordinary" && runs !== "always") throw invalidAgent(`Stage "${name}" runs ${seen(runs)}; it is "ordinary" or "always".`);
  const work = async (context: AheadContext<StateOf<Definition>>): Promise<Ahead | undefined> => ahead?.(context);
  return Object.freeze({
    ...{ type: "stage" as const, name, state: options.state, writes: Object.freeze([...options.writes]), runs },
    ...(ahead === undefined ? {} : { ahead: work }),
    // What was started ahead is the result of this stage's own work.
    run: (context: StageContext<StateOf<Definition>>, started = () => work(context)) => run(context, started as () => Promise<Ahead>),
  });
}
