/** What is known of a session before a decision: its header, its open turns, and the marks in its metadata. */
import { present } from "../kernel/json.ts";
import type { SessionId, TraceId, TurnId } from "../kernel/id.ts";
import type { Handover, HeaderChange, LoadedSession, SessionMode, SessionRow, TurnCause } from "../store/port.ts";
import type { VariableVersions } from "./session-variables.ts";

/** A turn that has not ended. */
export interface OpenTurn {
  readonly number: number;
  readonly turn_id: TurnId;
  readonly trace_id: TraceId;
  readonly cause: TurnCause;
  readonly status: "queued" | "running";
  /** Whether the log holds its `turn` started event. */
  readonly started: boolean;
}

/** The fold of a session's control events, on which decisions rest. A store keeps the same values in the session's row. */
export interface SessionView {
  readonly session_id: SessionId;
  readonly agent: string;
  /** The session's customer; absent for an anonymous session. The log does not hold it. */
  readonly customer?: { readonly id: string; readonly name?: string };
  /** Version of the agent's definition that wrote the state. */
  readonly definition: number;
  readonly mode: SessionMode;
  /** Status of the last handover to human operators. */
  readonly handover?: Handover;
  readonly title: string | null;
  readonly episode: number;
  readonly head: number;
  readonly state_offset: number;
  /** Time of the last event. */
  readonly updated_at: number;
  /** Unanswered customer messages, in order. `turn`: number of the turn that the message is assigned to. */
  readonly waiting: readonly { readonly offset: number; readonly turn?: number }[];
  readonly turns: readonly OpenTurn[];
  /** Versions of the existing variables. They are recorded as seen by a turn that is ended before it started. */
  readonly variables?: VariableVersions;
}

/** Builds the view from a store's session row, waiting messages and open turns. */
export function viewOf(loaded: Pick<LoadedSession, "session" | "waiting" | "turns">): SessionView {
  const { session } = loaded;
  const customer = customerOf(session);
  return {
    session_id: session.session_id,
    agent: session.agent,
    ...present({ customer }),
    definition: session.agent_version,
    mode: session.mode,
    ...present({ handover: session.handover }),
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

/** Returns the session's customer; undefined for an anonymous session. */
export const customerOf = ({ customer_id: id, customer_name: name }: SessionRow): SessionView["customer"] =>
  id === undefined ? undefined : { id, ...present({ name }) };

export const runningTurn = (view: SessionView): OpenTurn | undefined => view.turns.find((turn) => turn.status === "running");

export const queuedTurn = (view: SessionView): OpenTurn | undefined => view.turns.find((turn) => turn.status === "queued");

/** Returns the offsets of the messages that are assigned to a turn. */
export const takenUpBy = (view: SessionView, turn: number): readonly number[] =>
  view.waiting.filter((message) => message.turn === turn).map((message) => message.offset);

/**
 * Metadata key that marks an incognito session: nothing is remembered from it and nothing is recalled for it. Only Throughline writes it, when it
 * opens the session.
 */
const incognitoKey = "incognito";

/** Whether the session is incognito: nothing is remembered from it and nothing is recalled for it. */
export const isIncognito = ({ metadata }: Pick<SessionRow, "metadata">): boolean => metadata[incognitoKey] === true;

/** Returns the header of a new session, marked as incognito if requested. */
export const withIncognito = (header: HeaderChange, incognito: boolean): HeaderChange =>
  incognito ? { ...header, metadata: { ...header.metadata, [incognitoKey]: true } } : header;

/** Label of the sessions of child agents. */
export const subagentLabel = "subagent";

/** Whether a session is a child agent's: the label alone saves others a read. */
export const isLabelled = ({ labels }: Pick<SessionRow, "labels">): boolean => labels.includes(subagentLabel);
