/** An alert about a person in danger, and where it stands. */
import type { EscalationEvent } from "./assessment.ts";

/** Where an alert stands: it waits for the sink; the sink has it; somebody has seen to it; it is over; nobody could be told. */
export const escalationStates = ["queued", "delivered", "acknowledged", "closed", "failed"] as const;
/** One of them. */
export type EscalationState = (typeof escalationStates)[number];

/** An alert, and where it stands. */
export interface Escalation extends EscalationEvent {
  readonly agent: string;
  readonly state: EscalationState;
  /** Tries that the sink did not take. */
  readonly attempts: number;
  readonly next_at: number;
  /** When somebody is to have seen to it, and when it was noticed that nobody had. */
  readonly due_at?: number;
  readonly missed_at?: number;
  /** Who has seen to it: the operator's own id of a person. */
  readonly by?: string;
}
