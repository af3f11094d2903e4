/** Closing records: an episode that must be closed. The record survives its process, and its key sorts by due time. */
import type { SessionId } from "../../kernel/id.ts";
import type { ConsolidationReport } from "../write/consolidate.ts";
import type { RecordChange, RecordRow } from "../../store/port.ts";

/** Kind of closing records. */
export const closingKind = "memory.closing";

/** An episode that must be closed. */
export interface Closing {
  readonly session_id: SessionId;
  /** Name of the session's agent. A process without this agent skips the record. */
  readonly agent: string;
  readonly episode: number;
  /** Time of the next check. */
  readonly due: number;
  /** Offset of the first remembered message. */
  readonly from: number;
  /** The worker that closes the episode, and the time until which no other worker tries. */
  readonly held?: { readonly by: string; readonly until: number };
  /** Number of failed attempts. */
  readonly failures?: number;
}

/** Report of a closed episode. */
export interface EpisodeReport extends ConsolidationReport {
  readonly session_id: SessionId;
  readonly episode: number;
}

/** Keys sort by code points, so the time is padded to a fixed length. */
const keyOf = ({ due, session_id, episode }: Closing): string => `${String(Math.max(0, Math.floor(due))).padStart(16, "0")}/${session_id}/${episode}`;

/** Returns the write of a closing record. The record is erased with its session and contains no user text. */
export const closingRecord = (closing: Closing, depends?: { readonly version: number }): RecordChange => ({
  kind: closingKind,
  key: keyOf(closing),
  data: { ...closing, ...(closing.held === undefined ? {} : { held: { ...closing.held } }) },
  session_id: closing.session_id,
  ...(depends === undefined ? {} : { depends }),
});

/** Returns the write that removes a closing record. */
export const closingDone = ({ key, version }: Pick<RecordRow, "key" | "version">): RecordChange => ({
  kind: closingKind,
  key,
  data: null,
  depends: { version },
});

/** Decodes a closing record. Only this module writes records of this kind. */
export const closingOf = ({ data }: RecordRow): Closing => data as unknown as Closing;
