/** A running turn, as the functions of the turn and its reply use it. */
import type { PromptSources } from "../../context/assemble.ts";
import type { StageProgress } from "../../context/session-stage.ts";
import type { DraftEnd, ExtensionTurn, StartedCall } from "../../extension/port.ts";
import { type Json, present } from "../../kernel/json.ts";
import type { Control } from "../../session/control.ts";
import type { Message } from "../../session/session-messages.ts";
import type { Variables } from "../../session/session-variables.ts";
import type { Claim, LoadedSession, TurnCause } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import type { ReplyTurn, Waiting } from "../loop/reply-port.ts";
import type { Journal } from "./journal.ts";
import type { Cause } from "./open-turn.ts";

/** A running turn: its starting data and its journal. */
export interface Turn {
  readonly runtime: RuntimeContext;
  readonly claim: Claim;
  readonly agent: Agent;
  readonly signal: AbortSignal;
  readonly loaded: LoadedSession;
  readonly journal: Journal;
  readonly variables: Variables;
  /** Milliseconds that each variable's refresh took for this turn. */
  readonly refreshed: Readonly<Record<string, number>> | undefined;
  readonly messages: readonly Message[];
  /** Offsets of the events that the turn answers. */
  readonly answers: readonly number[];
  /** Events at those offsets. */
  readonly causes: readonly Cause[];
  /** The customer messages that the turn answers. */
  readonly answered: readonly Message[];
  /** Custom events of the customer since the last reply, as text. A gate reads them together with the messages that the turn answers. */
  readonly reported: readonly Message[];
  /** Time of each answered event, by offset. */
  readonly saidAt: ReadonlyMap<number, number>;
  /** Stage of the episode at this turn. Undefined for an agent that does not use stages of an episode. */
  readonly stage: StageProgress | undefined;
  /** Offset of the event that started the turn. Until that event is committed, the offset of the head before it. The agent's events follow it. */
  readonly started: number;
  /** Offset at which the first attempt started, if the turn is retried. Calls since then count as calls of this turn. */
  readonly attempted: number;
  readonly began_at: number;
  /** Control requests for the turn so far, in this attempt and earlier ones. */
  readonly asked: { control: Control };
  /** The owner's data that the turn was shown first. */
  readonly shown: ExtensionTurn["shown"];
  /** Data that extensions provide to the stages, hooks and tools of the turn. */
  readonly told: ExtensionTurn["told"];
  /** Stages that an earlier attempt finished. */
  readonly journaled: ReadonlySet<string>;
  /** The calls that the turn paused for and still waits for. Undefined for a turn that can continue. */
  readonly waits: Waiting | undefined;
  /** Whether an earlier attempt showed readers the status "typing" and has not paused since. */
  readonly typing: boolean;
  /** Milliseconds that each stage took. */
  readonly timings: Record<string, number>;
  /** Diagnostics that extensions add to the turn's end. */
  readonly diagnostics: Record<string, Json>;
}

/** Causes of turns that nobody waits for. They may end without a reply. */
const unprompted: ReadonlySet<TurnCause> = new Set(["greeting", "trigger", "schedule"]);

/** Whether a turn answers nobody. A message that arrived before the turn started has joined it. */
export const isUnprompted = ({ turn }: Claim, answers: number): boolean => unprompted.has(turn.cause) && answers === 0;

/** Returns the parts of a turn's prompt that are the same for all steps. */
export function promptSources({ variables, answered, started, loaded, stage, told }: Turn): Omit<PromptSources, "state" | "messages"> {
  const { customer_name } = loaded.session;
  const { memory: recalled } = told;
  return {
    ...present({ memory: recalled }),
    ...(stage === undefined ? {} : { stage: stage.stage }),
    variables,
    started,
    answers: answered.map(({ offset }) => offset),
    ...present({ customer_name }),
  };
}

/** Key under which the runtime stores additional data for a loop. */
export const inner = Symbol("throughline.turn");

/** Ends the current draft, because its text is intermediate work or will be rewritten. */
export type EndDraft = (reason: DraftEnd) => void;

/** A turn with the additional data for a loop. */
export interface LoopTurn extends ReplyTurn {
  readonly [inner]: {
    readonly turn: Turn;
    readonly endDraft: EndDraft;
    /** Shows live readers a started call that is not in the log yet. */
    readonly started: (call: StartedCall) => void;
  };
}
