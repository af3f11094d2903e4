/** Registry of memory workers per runtime. It does not load the worker's code, since its callers may have no memory. */
import { headerOf } from "../../extension/commit.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { SessionRow } from "../../store/port.ts";
import type { EpisodeReport } from "./closing-record.ts";

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
interface Keeper {
  /** Reports a write to an owner's memory. */
  touched(owner: OwnerId, whose: Whose): void;
  closeEpisodes(session?: SessionRow): Promise<readonly EpisodeReport[]>;
}

const keepers = new WeakMap<object, Keeper>();

/** Registers the memory worker of a runtime. There is one per runtime. */
export const keptBy = (context: object, keeper: Keeper): void => void keepers.set(context, keeper);

/** Reports a write to an owner's memory, so that the worker processes it soon. */
export const touched = (context: object, owner: OwnerId, whose: Whose): void => keepers.get(context)?.touched(owner, whose);

/** Closes the episodes that are over, optionally of one session only. Returns an empty list if no agent has a memory. */
export const closeEpisodes = async (context: object, session?: SessionRow): Promise<readonly EpisodeReport[]> =>
  (await keepers.get(context)?.closeEpisodes(session)) ?? [];
