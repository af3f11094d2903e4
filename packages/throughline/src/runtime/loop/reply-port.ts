/** The port between a turn and its agent's reply. */
import type { AgentState, AgentStateIn } from "../../execution/agent-state.ts";
import type { Budget } from "../../execution/ledger.ts";
import type { ClosedStep } from "../../execution/step.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { ExecutionId, StepId } from "../../kernel/id.ts";
import type { ModelRequest } from "../../model/model-port.ts";
import type { EndedBy, PendingCall } from "../../session/event.ts";

/** The operations of a reply on its turn. */
export interface ReplyTurn {
  readonly execution_id: ExecutionId;
  /** The agent's state before the execution. It contains the messages that the turn answers. */
  readonly state: AgentState;
  /** Time at which the turn started. */
  readonly began_at: number;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Returns the request for the next step, assembled from the current state. */
  request(): ModelRequest;
  /** Shows a piece of the reply to live readers. The first piece of each message commits everything before it. */
  write(text: string): Promise<void>;
  /** Records a closed step. */
  closed(step: ClosedStep): void;
}

/** A reply that waits for a decision. The turn is parked until then. */
export interface Waiting {
  readonly phase: "waiting";
  readonly step_id: StepId;
  readonly pending: readonly PendingCall[];
}

/** A finished reply. */
export interface Replied {
  readonly phase: "done";
  readonly state: AgentStateIn<"done">;
  /** The answer of a stopped execution whose last step had produced one. */
  readonly answer?: string;
  /** The call that ended the execution. Its result is the answer. */
  readonly ended_by?: EndedBy;
}

/** An agent's way of answering. */
export interface Reply {
  readonly type: "reply";
  /** Display name of the replier. */
  readonly name: string;
  run(turn: ReplyTurn): Promise<Replied | Waiting>;
}
