/** Changing an owner's memory: one commit on what stands then, made anew if it has changed meanwhile. */
import type { OwnerId } from "../../kernel/id.ts";
import type { MemorySnapshot } from "../control/snapshot.ts";
import type { EntryWrite } from "../entry.ts";
import type { SessionChange } from "../../store/port.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import type { RuntimeContext } from "../../runtime/context.ts";
import { readMemory } from "./read-memory.ts";

/** Whose memory it is, and as of which version of the owner. */
export interface Owner {
  readonly owner_id: OwnerId;
  readonly version: number;
  /** What holds a change that a stage or a tool of a turn makes; a person's own needs nothing. */
  readonly fence?: Fence;
}

/** Refuses changes of a turn that is another worker's, or that was shown words which were taken back since. */
export interface Fence {
  /** What a change besides depends on. Throws `turn.fenced` if words were taken back by anybody else. */
  readonly check: (owner: Owner) => Promise<Required<Pick<SessionChange, "session_id" | "depends">>>;
  /** Hears of what was written: a tool may forget something and remember it in other words. */
  readonly wrote: (writes: readonly EntryWrite[]) => void;
}

/** What is written, and what the caller is told once it is. */
export interface MemoryChange<Result> {
  readonly writes: readonly EntryWrite[];
  readonly result: Result;
}

type MemoryContext = Pick<RuntimeContext, "store" | "clock" | "ids" | "logger" | "memory">;

/** Decides on the memory as it stands and writes what was decided; nothing if there is nothing to write. */
export async function changeMemory<Result>(
  runtime: MemoryContext,
  whose: () => Promise<Owner>,
  decide: (memory: MemorySnapshot) => MemoryChange<Result> | Promise<MemoryChange<Result>>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    // The version is read before the entries: whatever comes between the two is refused.
    const owner = await whose();
    const { owner_id, version, fence } = owner;
    const { writes, result } = await decide(await readMemory(runtime.store, owner_id));
    if (writes.length === 0) return result;
    const session = await fence?.check(owner);
    const committed = await commitOnce(runtime, {
      owner: { owner_id, depends: { version }, entries: writes },
      ...(session === undefined ? {} : { session }),
    });
    if (committed.outcome === "committed") {
      fence?.wrote(writes);
      runtime.memory.touched(owner_id, whose);
      return result;
    }
    if ((committed.reason !== "stale_version" && committed.reason !== "owner_missing") || tries === changes)
      throw refused(committed, session?.session_id);
  }
}
