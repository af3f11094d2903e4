/** Handing a session to people, and back. */
import type { BodyFor, Caller, RequestOptions, ResultOf } from "./operation-call.ts";

/** Where a hand-over stands. */
export type HandoverStanding = ResultOf<"handOver">;

/** Handing a session to people, and back. */
export interface SessionHandover {
  /** Hands the session to people: the agent falls silent at once. */
  handOver(request?: BodyFor<"handOver">, options?: RequestOptions): Promise<HandoverStanding>;
  /** Assigns the session to a person. `handover.taken` if another person has it whom `from` does not name. */
  assign(assignment: BodyFor<"assignSession">, options?: RequestOptions): Promise<HandoverStanding>;
  /** Puts it back into the queue. */
  unassign(options?: RequestOptions): Promise<HandoverStanding>;
  /** Hands it back to the agent. */
  handBack(request?: BodyFor<"handBack">, options?: RequestOptions): Promise<HandoverStanding>;
}

/** The hand-over of one session. */
export function sessionHandover(call: Caller, session_id: string): SessionHandover {
  const path = { session_id };
  return {
    handOver: (body = {}, options = {}) => call("handOver", { ...options, path, body }),
    assign: (body, options) => call("assignSession", { ...options, path, body }),
    unassign: (options) => call("unassignSession", { ...options, path }),
    handBack: (body = {}, options = {}) => call("handBack", { ...options, path, body }),
  };
}
