/** Whether words of an owner were taken back: a text that may rest on them must not be committed, or handed out, any more. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, StepId } from "../../kernel/id.ts";
import { defaultReadDeadlineMs } from "../settings.ts";
import type { EntryRow, Store } from "../../store/port.ts";
import type { Turn } from "../../runtime/turn/begin.ts";
import { headerOf } from "../../extension/commit.ts";
import { entriesOf } from "../../extension/lists.ts";
import type { Fence, Owner } from "../keep/change-memory.ts";
import { inTime, logUnread } from "./in-time.ts";

/** Entries that can quote a person, and those that say that something was forgotten. */
const kinds = ["fact", "turn", "arc", "profile", "mask", "bar", "semantic", "episodic", "procedural"] as const;

/** Whether an entry's row takes words back: it was removed or withdrawn, or it bars or masks what was forgotten. */
const takesBack = ({ kind, data }: EntryRow): boolean => data === null || kind === "mask" || kind === "bar";

/** Whether words were taken back in an owner's memory after a version of it. */
async function takenBackSince(
  store: Pick<Store, "entries">,
  { owner_id, version, except }: { readonly owner_id: OwnerId; readonly version: number; readonly except?: ReadonlySet<string> },
): Promise<boolean> {
  for await (const row of entriesOf(store, { owner_id, kinds, min_version: version + 1 }))
    if (takesBack(row) && except?.has(row.entry_id) !== true) return true;
  return false;
}

/** The clocks of two processes may differ by so many milliseconds. */
const skewMs = 5_000;
/** Rows of one page, read from the newest. */
const pageRows = 200;

/** When words were last taken back in an owner's memory, at `since` or later; undefined if they were not. */
export async function lastTakenBack(store: Pick<Store, "entries">, owner_id: OwnerId, since: number): Promise<number | undefined> {
  for (let max: number | undefined; ;) {
    const rows = await store.entries({ owner_id, kinds, newest: true, limit: pageRows, ...(max === undefined ? {} : { max_version: max }) });
    const last = rows.findLast((row) => takesBack(row) && row.created_at >= since);
    if (last !== undefined) return last.created_at;
    const [oldest] = rows;
    if (oldest === undefined || rows.length < pageRows || oldest.created_at < since || oldest.version <= 1) return undefined;
    max = oldest.version - 1;
  }
}

/** Whether words were taken back in an owner's memory since a time, as another process may have told it. */
export const takenBackAfter = async (store: Pick<Store, "entries">, owner_id: OwnerId, time: number): Promise<boolean> =>
  (await lastTakenBack(store, owner_id, time - skewMs)) !== undefined;

/**
 * The owner's version at which a turn may go on committing, after the owner has moved on. If words were taken back since the turn was shown the memory, what
 * it has made of them and not committed yet is dropped: the lease is given back, so that the turn is taken up again and reads what is left. Throws `turn.fenced` then.
 */
export async function renewBasis({ runtime, claim, loaded, agent, signal, memory, began_at }: Turn): Promise<number> {
  const { owner_id, owner_version } = await headerOf(runtime, claim.session_id);
  // Nothing of a memory was shown.
  if (memory.version === undefined) return owner_version;
  const since = memory.version;
  const look = async (): Promise<boolean> => {
    if (owner_id === loaded.session.owner_id) return takenBackSince(runtime.store, { owner_id, version: since });
    // The session became a customer's meanwhile, whose entries have versions of their own.
    const [last] = await runtime.store.entries({ owner_id, kinds: ["mask", "bar"], newest: true, limit: 1 });
    return last !== undefined && last.created_at >= began_at;
  };
  const isTakenBack = await inTime(runtime, { ms: agent.memory?.readDeadlineMs ?? defaultReadDeadlineMs, signal }, look).catch((error: unknown) => {
    signal.throwIfAborted();
    logUnread(runtime, "turn taken up again: memory cannot be read", error);
    return true;
  });
  if (!isTakenBack) return owner_version;
  const { session_id, epoch, turn } = claim;
  await runtime.store.release({ session_id, epoch, counted: false }).catch(() => false);
  throw fenced(turn);
}

const fenced = ({ turn_id }: Turn["claim"]["turn"]): ThroughlineError =>
  new ThroughlineError("turn.fenced", `Words that turn ${turn_id} may have been shown were taken back: it is taken up again without them.`);

/** What changes a memory: a stage or a tool of a turn, and for a tool the step in which a model asked for it. */
export interface MemoryUser {
  readonly turn: Turn;
  readonly step_id?: StepId | undefined;
}

/** What holds the memory changes of a turn's stage or tool. The turn itself is given back by its own next commit. */
export function fenceOf({ turn: { runtime, claim, loaded, memory }, step_id }: MemoryUser): Fence {
  const { session_id, epoch, turn } = claim;
  const own = new Set<string>();
  // An earlier attempt's model asked for the call: it was shown the memory as it was then.
  const asked = loaded.journal.find(({ data }) => step_id !== undefined && data["type"] === "step" && data["step_id"] === step_id);
  const isTakenBack = async ({ owner_id, version }: Owner): Promise<boolean> => {
    if (asked !== undefined) return takenBackAfter(runtime.store, owner_id, asked.created_at);
    const since = owner_id === loaded.session.owner_id ? memory.version : undefined;
    return since !== undefined && since < version && takenBackSince(runtime.store, { owner_id, version: since, except: own });
  };
  return {
    check: async (owner) => {
      if (await isTakenBack(owner)) throw fenced(turn);
      const { version } = owner;
      return { session_id, depends: { epoch, owner_version: version } };
    },
    wrote: (writes) => {
      for (const { entry_id } of writes) own.add(entry_id);
    },
  };
}
