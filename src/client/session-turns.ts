/** Turns of a session, what they wait for, and its state. */
import type { BodyFor, Caller, QueryFor, RequestOptions, ResultOf } from "./operation-call.ts";
import { pagesOf } from "./pages.ts";

/** The turns of a session, and its state. */
export interface SessionTurns {
  /** A page of turns. */
  turns(query?: QueryFor<"listTurns">, options?: RequestOptions): Promise<ResultOf<"listTurns">>;
  /** One turn. */
  turn(turn_id: string, options?: RequestOptions): Promise<ResultOf<"getTurn">>;
  /** What a turn recalled of the person, and why. */
  turnMemory(turn_id: string, options?: RequestOptions): Promise<ResultOf<"getTurnMemory">>;
  /** What a model was asked, as it was sent; `prompt.not_kept` if the agent keeps no requests. */
  prompt(query?: QueryFor<"getPrompt">, options?: RequestOptions): Promise<ResultOf<"getPrompt">>;
  /** Lets the agent speak: it answers what waits. */
  resume(options?: RequestOptions & BodyFor<"startTurn">): Promise<ResultOf<"startTurn">>;
  /** Stops a turn that has not ended. */
  stopTurn(turn_id: string, options?: RequestOptions & BodyFor<"stopTurn">): Promise<ResultOf<"stopTurn">>;
  /** Has answered again what the last turn failed, or was stopped, to answer. */
  retryTurn(turn_id: string, options?: RequestOptions): Promise<ResultOf<"retryTurn">>;
  /** The calls that wait for a decision. */
  pending(options?: RequestOptions): Promise<ResultOf<"listPending">["items"]>;
  /** Gives that word. */
  decide(turn_id: string, decision: BodyFor<"decideCall">, options?: RequestOptions): Promise<ResultOf<"decideCall">>;
  /** The state now, or as it was at an offset. */
  state(query?: QueryFor<"getState">, options?: RequestOptions): Promise<ResultOf<"getState">>;
  /** Changes the state by hand, through the agent's reducers. */
  editState(edit: BodyFor<"editState">, options?: RequestOptions): Promise<ResultOf<"editState">>;
}

/** The turns of one session. */
export function sessionTurns(call: Caller, session_id: string): SessionTurns {
  const path = { session_id };
  return {
    turns: (query = {}, options = {}) => call("listTurns", { ...options, path, query }),
    turn: (turn_id, options = {}) => call("getTurn", { ...options, path: { session_id, turn_id } }),
    turnMemory: (turn_id, options = {}) => call("getTurnMemory", { ...options, path: { session_id, turn_id } }),
    prompt: (query = {}, options = {}) => call("getPrompt", { ...options, path, query }),
    resume: ({ cause, ...options } = {}) => call("startTurn", { ...options, path, body: cause === undefined ? {} : { cause } }),
    stopTurn: (turn_id, { message, ...options } = {}) =>
      call("stopTurn", { ...options, path: { session_id, turn_id }, body: message === undefined ? {} : { message } }),
    retryTurn: (turn_id, options = {}) => call("retryTurn", { ...options, path: { session_id, turn_id } }),
    pending: (options = {}) => Array.fromAsync(pagesOf((query) => call("listPending", { ...options, path, query }))),
    decide: (turn_id, body, options = {}) => call("decideCall", { ...options, path: { session_id, turn_id }, body }),
    state: (query = {}, options = {}) => call("getState", { ...options, path, query }),
    editState: (body, options = {}) => call("editState", { ...options, path, body }),
  };
}
