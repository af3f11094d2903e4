/** The port between a turn and the reply of its agent. */
import type { AgentState, AgentStateIn } from "../../execution/agent-state.ts";
import type { Budget } from "../../execution/budget.ts";
import type { ClosedStep } from "../../execution/step.ts";
import type { DraftEnd, StartedCall } from "../../extension/port.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { ExecutionId, StepId } from "../../kernel/id.ts";
import type { ModelRequest } from "../../model/port.ts";
import type { EndedBy, PendingCall } from "../../session/event.ts";
import type { Turn } from "../turn/begin.ts";

/** The operations of a reply on its turn. */
export interface ReplyTurn {
  readonly execution_id: ExecutionId;
  /** The agent's state before the execution: the messages that the turn answers. */
  readonly state: AgentState;
  /** When the turn began. */
  readonly began_at: number;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The request for the next step, assembled from the state as it is now. */
  request(): ModelRequest;
  /** Shows a piece of the reply to live readers. The first piece of each message makes everything before it durable. */
  write(text: string): Promise<void>;
  /** Notes a closed step. */
  closed(step: ClosedStep): void;
}

/** A reply that waits for a decision: the turn is parked until it comes. */
export interface Waiting {
  readonly phase: "waiting";
  readonly step_id: StepId;
  readonly pending: readonly PendingCall[];
}

/** A reply that is over. */
export interface Replied {
  readonly phase: "done";
  readonly state: AgentStateIn<"done">;
  /** What is said though the execution was stopped: its last step had answered. */
  readonly answer?: string;
  /** The call that ended the execution, and whose result is the answer. */
  readonly ended_by?: EndedBy;
}

/** How an agent answers. */
export interface Reply {
  readonly type: "reply";
  /** Shown to people: what answers. */
  readonly name: string;
  run(turn: ReplyTurn): Promise<Replied | Waiting>;
}

/** Where the runtime keeps what a loop needs of its turn besides. */
export const inner = Symbol("throughline.turn");

/** Ends what was shown as a draft: it is work on the way, or is written anew. */
export type EndDraft = (reason: DraftEnd) => void;

/** A turn as a loop is given it. */
export interface LoopTurn extends ReplyTurn {
  readonly [inner]: {
    readonly turn: Turn;
    readonly endDraft: EndDraft;
    /** Shows live readers that a call has started that is not in the log yet. */
    readonly started: (call: StartedCall) => void;
  };
}
