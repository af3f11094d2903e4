/** Work of the memory workers: closing records, which survive their process, and the worker of each runtime. It loads no worker, since callers may have none. */
import { present } from "../../kernel/json.ts";
import { headerOf } from "../../extension/commit.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { RecordChange, RecordRow, SessionRow } from "../../store/port.ts";
import type { ConsolidationReport } from "../write/consolidate.ts";

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
  ...present({ depends }),
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

/** Returns the owner of a memory and the owner's current version. */
export type Whose = () => Promise<{ readonly owner_id: OwnerId; readonly version: number }>;

/** Returns the owner of a session's memory: its customer, or the session itself. */
export const whoseSession =
  (runtime: Pick<ExtensionContext, "store">, session_id: SessionId): Whose =>
  async () => {
    const { owner_id, owner_version } = await headerOf(runtime, session_id);
    return { owner_id, version: owner_version };
  };

/** Background worker for the memories of a runtime. */
interface Worker {
  /** Reports a write to an owner's memory. */
  touched(owner: OwnerId, whose: Whose): void;
  closeEpisodes(session?: SessionRow): Promise<readonly EpisodeReport[]>;
}

const workers = new WeakMap<object, Worker>();

/** Registers the memory worker of a runtime. There is one per runtime. */
export const registerWorker = (context: object, worker: Worker): void => void workers.set(context, worker);

/** Reports a write to an owner's memory, so that the worker processes it soon. */
export const touched = (context: object, owner: OwnerId, whose: Whose): void => workers.get(context)?.touched(owner, whose);

/** Closes the episodes that are over, optionally of one session only. Returns an empty list if no agent has a memory. */
export const closeEpisodes = async (context: object, session?: SessionRow): Promise<readonly EpisodeReport[]> =>
  (await workers.get(context)?.closeEpisodes(session)) ?? [];
