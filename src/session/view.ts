import type { SessionId, TraceId, TurnId } from "../kernel/id.ts";
import type { Handover, LoadedSession, SessionMode, SessionRow, TurnCause } from "../store/port.ts";
import type { VariableVersions } from "./join-variables.ts";

/** A turn that has not ended. */
export interface OpenTurn {
  readonly number: number;
  readonly turn_id: TurnId;
  readonly trace_id: TraceId;
  readonly cause: TurnCause;
  readonly status: "queued" | "running";
  /** Whether its `turn` started event is in the log. */
  readonly started: boolean;
}

/** What a decision about a session rests on: the fold of its control events. A store keeps the same values in the session's row. */
export interface SessionView {
  readonly session_id: SessionId;
  readonly agent: string;
  /** Who the session's customer is; absent for an anonymous session. The log does not hold it. */
  readonly customer?: { readonly id: string; readonly name?: string };
  /** Version of the agent's definition that wrote the state. */
  readonly definition: number;
  readonly mode: SessionMode;
  /** Where its last hand-over to people stands. */
  readonly handover?: Handover;
  readonly title: string | null;
  readonly episode: number;
  readonly head: number;
  readonly state_offset: number;
  /** Time of the last event. */
  readonly updated_at: number;
  /** Customer messages without an answer, in order; `turn` is the number of the turn that has taken them up. */
  readonly waiting: readonly { readonly offset: number; readonly turn?: number }[];
  readonly turns: readonly OpenTurn[];
  /** The variables that there are, which a turn that is ended before it has begun would have seen; for a decision. */
  readonly variables?: VariableVersions;
}

/** The view that a store's row, waiting room and queue stand for. */
export function viewOf(loaded: Pick<LoadedSession, "session" | "waiting" | "turns">): SessionView {
  const { session } = loaded;
  const customer = customerOf(session);
  return {
    session_id: session.session_id,
    agent: session.agent,
    ...(customer === undefined ? {} : { customer }),
    definition: session.agent_version,
    mode: session.mode,
    ...(session.handover === undefined ? {} : { handover: session.handover }),
    title: session.title,
    episode: session.episode,
    head: session.head,
    state_offset: session.state_offset,
    updated_at: session.updated_at,
    waiting: loaded.waiting,
    turns: loaded.turns
      .filter((turn) => turn.status !== "ended")
      .map((turn) => ({
        number: turn.number,
        turn_id: turn.turn_id,
        trace_id: turn.trace_id,
        cause: turn.cause,
        status: turn.status === "running" ? "running" : "queued",
        started: turn.started_offset !== undefined,
      })),
  };
}

/** Who a session's customer is; undefined for an anonymous one. */
export const customerOf = ({ customer_id: id, customer_name: name }: SessionRow): SessionView["customer"] =>
  id === undefined ? undefined : { id, ...(name === undefined ? {} : { name }) };

/** The running turn, if there is one. */
export const runningTurn = (view: SessionView): OpenTurn | undefined => view.turns.find((turn) => turn.status === "running");

/** The queued turn, if there is one. */
export const queuedTurn = (view: SessionView): OpenTurn | undefined => view.turns.find((turn) => turn.status === "queued");

/** Offsets of the messages that a turn answers. */
export const takenUpBy = (view: SessionView, turn: number): readonly number[] =>
  view.waiting.filter((message) => message.turn === turn).map((message) => message.offset);
