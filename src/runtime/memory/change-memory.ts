/** Changing an owner's memory: one commit on what stands then, made anew if it has changed meanwhile. */
import type { OwnerId } from "../../kernel/id.ts";
import type { MemorySnapshot } from "../../memory/control/snapshot.ts";
import type { EntryWrite } from "../../memory/entry.ts";
import { changes, commitOnce, refused } from "../commit.ts";
import type { RuntimeContext } from "../context.ts";
import { readMemory } from "./read-memory.ts";

/** Whose memory it is, and as of which version of the owner. */
export interface Owner {
  readonly owner_id: OwnerId;
  readonly version: number;
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
    const { owner_id, version } = await whose();
    const { writes, result } = await decide(await readMemory(runtime.store, owner_id));
    if (writes.length === 0) return result;
    const committed = await commitOnce(runtime, { owner: { owner_id, depends: { version }, entries: writes } });
    if (committed.outcome === "committed") {
      runtime.memory.touched(owner_id, whose);
      return result;
    }
    if ((committed.reason !== "stale_version" && committed.reason !== "owner_missing") || tries === changes) throw refused(committed, undefined);
  }
}
