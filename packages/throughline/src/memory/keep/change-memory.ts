/** Changing an owner's memory: one commit on what stands then, made anew if it has changed meanwhile. */
import type { OwnerId, StepId } from "../../kernel/id.ts";
import { snapshotKinds, snapshotOf, type MemorySnapshot } from "../control/snapshot.ts";
import { takenBackAfter, takenBackSince, wordsGone } from "../../extension/forgotten.ts";
import { entriesOf } from "../../extension/lists.ts";
import type { ExtensionTurn, WriterContext } from "../../extension/port.ts";
import { touched } from "./keeper-of.ts";
import type { EntryWrite } from "../entry.ts";
import type { SessionChange, Store } from "../../store/port.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";

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

/** An owner's memory as it stands: read page by page, so that a long one holds no process up for long. Vectors are not read; whether there are any is. */
export async function readMemory(store: Pick<Store, "entries">, owner_id: OwnerId): Promise<MemorySnapshot> {
  const rows = await Array.fromAsync(entriesOf(store, { owner_id, kinds: snapshotKinds }));
  const [vector] = await store.entries({ owner_id, kinds: ["vector"], limit: 1, newest: true });
  return snapshotOf(owner_id, rows, { vectors: vector !== undefined });
}

/** Decides on the memory as it stands and writes what was decided; nothing if there is nothing to write. */
export async function changeMemory<Result>(
  runtime: WriterContext,
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
      touched(runtime, owner_id, whose);
      return result;
    }
    if ((committed.reason !== "stale_version" && committed.reason !== "owner_missing") || tries === changes)
      throw refused(committed, session?.session_id);
  }
}

/** What changes a memory: a stage or a tool of a turn, and for a tool the step in which a model asked for it. */
export interface MemoryUser {
  readonly turn: ExtensionTurn;
  readonly step_id?: StepId | undefined;
}

/** What holds the memory changes of a turn's stage or tool. The turn itself is given back by its own next commit. */
export function fenceOf({ turn: { runtime, claim, loaded, shown }, step_id }: MemoryUser): Fence {
  const { session_id, epoch } = claim;
  const own = new Set<string>();
  // An earlier attempt's model asked for the call: it was shown the memory as it was then.
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
