/** Who looks after the memories of a runtime, without any of the code that does: whoever asks for it may have no memory. */
import { headerOf } from "../../extension/commit.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { SessionRow } from "../../store/port.ts";
import type { EpisodeReport } from "./closing-record.ts";

/** Whose a memory is, and the version that the owner has now. */
export type Whose = () => Promise<{ readonly owner_id: OwnerId; readonly version: number }>;

/** Whose memory a session's is: its customer's, or its own. */
export const whoseSession =
  (runtime: Pick<ExtensionContext, "store">, session_id: SessionId): Whose =>
  async () => {
    const { owner_id, owner_version } = await headerOf(runtime, session_id);
    return { owner_id, version: owner_version };
  };

/** Who looks after the memories of a runtime in the background. */
interface Keeper {
  /** Hears of each owner to whose memory something was written. */
  touched(owner: OwnerId, whose: Whose): void;
  closeEpisodes(session?: SessionRow): Promise<readonly EpisodeReport[]>;
}

const keepers = new WeakMap<object, Keeper>();

/** Says who looks after the memories of a runtime; one. */
export const keptBy = (context: object, keeper: Keeper): void => void keepers.set(context, keeper);

/** Notes that something was written to an owner's memory: whoever keeps it looks after it soon. */
export const touched = (context: object, owner: OwnerId, whose: Whose): void => keepers.get(context)?.touched(owner, whose);

/** Closes the episodes that are over, of one session only if that is given; where no agent has a memory, there are none. */
export const closeEpisodes = async (context: object, session?: SessionRow): Promise<readonly EpisodeReport[]> =>
  (await keepers.get(context)?.closeEpisodes(session)) ?? [];
