/** The way to people's memories: loaded when an agent that has one runs its first turn. */
import type { OwnerId } from "../../kernel/id.ts";
import type { RuntimeContext } from "../context.ts";
import type { MemoryCache } from "./cache.ts";

/** Whose a memory is, and the version that the owner has now. */
export type Whose = () => Promise<{ readonly owner_id: OwnerId; readonly version: number }>;

/** The memories of a process. */
export interface MemoryDoor {
  /** The cache, made when it is first asked for. */
  cache(): Promise<MemoryCache>;
  /** Forgets what this process has read of an owner, if it has read anything. */
  drop(owner: OwnerId): void;
  /** Notes that something was written to an owner's memory: whoever keeps it looks after it soon. */
  touched(owner: OwnerId, whose: Whose): void;
  /** Calls `listen` for each owner that was touched; one listener. */
  listen(listen: (owner: OwnerId, whose: Whose) => void): void;
}

/** Opens on {@link MemoryCache}. `mostBytes`: what all indexes of this process may take. */
export function memoryDoor(runtime: Pick<RuntimeContext, "store" | "clock" | "logger">, options: { readonly mostBytes: number }): MemoryDoor {
  let opened: Promise<MemoryCache> | undefined;
  let hear: ((owner: OwnerId, whose: Whose) => void) | undefined;
  return Object.freeze({
    cache: () => (opened ??= import("./cache.ts").then(({ MemoryCache }) => new MemoryCache(runtime, options))),
    drop: (owner: OwnerId) => void opened?.then((cache) => cache.drop(owner)),
    touched: (owner: OwnerId, whose: Whose) => hear?.(owner, whose),
    listen: (listen: (owner: OwnerId, whose: Whose) => void) => {
      hear = listen;
    },
  });
}
