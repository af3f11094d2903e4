/** Changes an owner's memory in one commit, and decides again if the memory has changed in between. */
import { present } from "../../kernel/json.ts";
import type { OwnerId, StepId } from "../../kernel/id.ts";
import { snapshotKinds, snapshotOf, type MemorySnapshot } from "../control/snapshot-listing.ts";
import { takenBackAfter, takenBackSince, wordsGone } from "../../extension/forgotten.ts";
import { entriesOf } from "../../extension/lists.ts";
import type { ExtensionTurn, WriterContext } from "../../extension/port.ts";
import { touched } from "./memory-work.ts";
import type { EntryWrite } from "../entry.ts";
import type { SessionChange, Store } from "../../store/port.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";

/** Owner of a memory, at a version. */
export interface Owner {
  readonly owner_id: OwnerId;
  readonly version: number;
  /** Checks for changes that a stage or tool of a turn makes. Changes by the user need none. */
  readonly fence?: Fence;
}

/** Rejects changes of a turn that another worker owns, or that saw words which were withdrawn since. */
export interface Fence {
  /** Returns additional dependencies of a change. Throws `turn.fenced` if another writer withdrew words. */
  readonly check: (owner: Owner) => Promise<Required<Pick<SessionChange, "session_id" | "depends">>>;
  /** Reports the committed writes. A tool may forget an entry and remember it in other words. */
  readonly wrote: (writes: readonly EntryWrite[]) => void;
}

/** Writes of a change, and the result for the caller after the commit. */
export interface MemoryChange<Result> {
  readonly writes: readonly EntryWrite[];
  readonly result: Result;
}

/** Reads an owner's memory page by page, so that a long memory does not block the process. Vectors are not read, only whether there are any. */
export async function readMemory(store: Pick<Store, "entries">, owner_id: OwnerId): Promise<MemorySnapshot> {
  const rows = await Array.fromAsync(entriesOf(store, { owner_id, kinds: snapshotKinds }));
  const [vector] = await store.entries({ owner_id, kinds: ["vector"], limit: 1, newest: true });
  return snapshotOf(owner_id, rows, { vectors: vector !== undefined });
}

/** Decides on the current memory and commits the writes. Without writes, nothing is committed. */
export async function changeMemory<Result>(
  runtime: WriterContext,
  whose: () => Promise<Owner>,
  decide: (memory: MemorySnapshot) => MemoryChange<Result> | Promise<MemoryChange<Result>>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    // The version is read before the entries, so a write between the two reads is rejected.
    const owner = await whose();
    const { owner_id, version, fence } = owner;
    const { writes, result } = await decide(await readMemory(runtime.store, owner_id));
    if (writes.length === 0) return result;
    const session = await fence?.check(owner);
    const committed = await commitOnce(runtime, {
      owner: { owner_id, depends: { version }, entries: writes },
      ...present({ session }),
    });
    if (committed.outcome === "committed") {
      fence?.wrote(writes);
      touched(runtime, owner_id, whose);
      return result;
    }
    if ((committed.reason !== "stale_version" && committed.reason !== "owner_missing") || tries === changes)
      throw refused(committed, session?.session_id);
  }
}

/** The turn whose stage or tool changes a memory. For a tool, also the step in which the model requested the call. */
export interface MemoryUser {
  readonly turn: ExtensionTurn;
  readonly step_id?: StepId | undefined;
}

/** Returns the fence for memory changes of a turn's stage or tool. The next commit of the turn itself releases the turn. */
export function fenceOf({ turn: { runtime, claim, loaded, shown }, step_id }: MemoryUser): Fence {
  const { session_id, epoch } = claim;
  const own = new Set<string>();
  // A model of an earlier attempt requested the call, so it saw the memory at that time.
  const asked = loaded.journal.find(({ data }) => step_id !== undefined && data["type"] === "step" && data["step_id"] === step_id);
  const isTakenBack = async ({ owner_id, version }: Owner): Promise<boolean> => {
    if (asked !== undefined) return takenBackAfter(runtime.store, owner_id, asked.created_at);
    const since = owner_id === loaded.session.owner_id ? shown.version : undefined;
    return since !== undefined && since < version && takenBackSince(runtime.store, { owner_id, version: since, except: own });
  };
  return {
    check: async (owner) => {
      if (await isTakenBack(owner)) throw wordsGone(claim);
      const { version } = owner;
      return { session_id, depends: { epoch, owner_version: version } };
    },
    wrote: (writes) => {
      for (const { entry_id } of writes) own.add(entry_id);
    },
  };
}
