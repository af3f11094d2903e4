/** The note that an episode will have to be closed: a record, so that it outlives its process, under a key that sorts by when it is due. */
import type { SessionId } from "../../kernel/id.ts";
import type { ConsolidationReport } from "../write/consolidate.ts";
import type { RecordChange, RecordRow } from "../../store/port.ts";

/** The kind of these records. */
export const closingKind = "memory.closing";

/** An episode that will have to be closed. */
export interface Closing {
  readonly session_id: SessionId;
  /** Name of the session's agent: who does not have it passes over the note. */
  readonly agent: string;
  readonly episode: number;
  /** When it is looked at. */
  readonly due: number;
  /** Offset of its first message that is remembered. */
  readonly from: number;
  /** Who closes it, and until when nobody else tries. */
  readonly held?: { readonly by: string; readonly until: number };
  /** How often closing it failed. */
  readonly failures?: number;
}

/** An episode that was closed, and what it left in memory. */
export interface EpisodeReport extends ConsolidationReport {
  readonly session_id: SessionId;
  readonly episode: number;
}

/** Keys sort by code points, so the time has always as many digits. */
const keyOf = ({ due, session_id, episode }: Closing): string => `${String(Math.max(0, Math.floor(due))).padStart(16, "0")}/${session_id}/${episode}`;

/** The write of a note. It goes with its session, and is nobody's text. */
export const closingRecord = (closing: Closing, depends?: { readonly version: number }): RecordChange => ({
  kind: closingKind,
  key: keyOf(closing),
  data: { ...closing, ...(closing.held === undefined ? {} : { held: { ...closing.held } }) },
  session_id: closing.session_id,
  ...(depends === undefined ? {} : { depends }),
});

/** The write that takes a note away. */
export const closingDone = ({ key, version }: Pick<RecordRow, "key" | "version">): RecordChange => ({
  kind: closingKind,
  key,
  data: null,
  depends: { version },
});

/** A note as it was written: only this module writes records of the kind. */
export const closingOf = ({ data }: RecordRow): Closing => data as unknown as Closing;
