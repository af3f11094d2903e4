/** The way to people's memories: loaded when an agent that has one runs its first turn. */
import type { OwnerId } from "../../kernel/id.ts";
import type { SessionRow } from "../../store/port.ts";
import type { RuntimeContext } from "../../runtime/context.ts";
import type { MemoryCache } from "./memory-cache.ts";
import type { EpisodeReport } from "./close-episode.ts";

/** Whose a memory is, and the version that the owner has now. */
export type Whose = () => Promise<{ readonly owner_id: OwnerId; readonly version: number }>;

/** Who looks after memories. */
export interface Keeper {
  /** Hears of each owner that was touched. */
  touched(owner: OwnerId, whose: Whose): void;
  look(session: SessionRow): Promise<readonly EpisodeReport[]>;
}

/** The memories of a process. */
export interface MemoryDoor {
  /** The cache, made when it is first asked for. */
  cache(): Promise<MemoryCache>;
  /** Forgets what this process has read of an owner, if it has read anything. */
  drop(owner: OwnerId): void;
  /** Notes that something was written to an owner's memory: whoever keeps it looks after it soon. */
  touched(owner: OwnerId, whose: Whose): void;
  /** Closes the episodes of a session that are over; without a keeper, where no agent has a memory, there are none. */
  close(session: SessionRow): Promise<readonly EpisodeReport[]>;
  /** Who looks after memories in this process; one. */
  keptBy(keeper: Keeper): void;
}

/** Opens on {@link MemoryCache}. `mostBytes`: what all indexes of this process may take. */
export function memoryDoor(runtime: Pick<RuntimeContext, "store" | "clock" | "logger">, options: { readonly mostBytes: number }): MemoryDoor {
  let opened: Promise<MemoryCache> | undefined;
  let keeper: Keeper | undefined;
  return Object.freeze({
    cache: () => (opened ??= import("./memory-cache.ts").then(({ MemoryCache }) => new MemoryCache(runtime, options))),
    drop: (owner: OwnerId) => void opened?.then((cache) => cache.drop(owner)),
    touched: (owner: OwnerId, whose: Whose) => keeper?.touched(owner, whose),
    close: async (session: SessionRow) => (await keeper?.look(session)) ?? [],
    keptBy: (kept: Keeper) => {
      keeper = kept;
    },
  });
}
