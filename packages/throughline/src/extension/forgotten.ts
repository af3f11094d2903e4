/**
 * What an owner has had forgotten, for the turns of every agent: messages that no turn is shown again, and whether words were taken back since a turn was shown
 * them. A store that is slow, or hangs, holds no conversation up.
 */
import { abortable } from "../kernel/deadline.ts";
import type { Clock } from "../kernel/clock.ts";
import * as deadline from "../kernel/deadline.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { OwnerId } from "../kernel/id.ts";
import type { Logger } from "../kernel/log.ts";
import { maskedOffsets, masksOf, type Mask, withoutMasked } from "../session/masks.ts";
import type { EntryRow, Store } from "../store/port.ts";
import { headerOf } from "./commit.ts";
import { entriesOf } from "./lists.ts";
import type { Beginning, ExtensionTurn, ShownHistory, WaysToRead } from "./port.ts";

/** Milliseconds that a turn waits for what it needs of its owner's entries, unless an extension says otherwise. */
export const defaultReadMs = 3_000;

/** What reading an owner's entries comes to, or `memory.late`. The work itself goes on: what was read is there for the next turn. */
export const inTime = <Result>(
  { clock }: { readonly clock: Clock },
  { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal | undefined },
  work: () => Promise<Result>,
): Promise<Result> => {
  const late = (): Error => new ThroughlineError("memory.late", `What the memory needs did not come within ${ms} ms.`, { details: { ms } });
  const read = deadline.inTime(clock, work(), { ms, late });
  return signal === undefined ? read : abortable(read, signal);
};

/** An owner's entries were not read: said in the log, by a code, without what the store said. */
export const logUnread = ({ logger }: { readonly logger: Logger }, message: string, error: unknown): void =>
  logger.warn(message, { code: ThroughlineError.from(error).code });

/** The masks of an owner, as the store has them. */
export const readMasks = async (store: Pick<Store, "entries">, owner_id: OwnerId): Promise<readonly Mask[]> =>
  masksOf(await Array.fromAsync(entriesOf(store, { owner_id, kinds: ["mask"] })));

/**
 * The messages without those that said what was forgotten: neither stages nor models see them again. What the turn answers stays; and it alone where the masks
 * cannot be read.
 */
export async function withoutForgotten({ context, loaded, answers, signal, messages }: Beginning, ways: WaysToRead = {}): Promise<ShownHistory> {
  const { owner_id, owner_version } = loaded.session;
  const { readMs = defaultReadMs } = ways;
  // An owner of whom nothing is kept has had nothing forgotten.
  if (owner_version === 0) return { messages, version: 0, readMs };
  const read = ways.masks ?? (async () => ({ masks: await readMasks(context.store, owner_id), version: owner_version }));
  try {
    const { masks, version } = await inTime(context, { ms: readMs, signal }, read);
    const masked = new Set(maskedOffsets(loaded.messages, masks));
    for (const offset of answers) masked.delete(offset);
    return { messages: withoutMasked(messages, masked), version, readMs };
  } catch (error) {
    signal.throwIfAborted();
    logUnread(context, "turn without the conversation before it: memory cannot be read", error);
    return { messages: messages.filter(({ offset }) => answers.includes(offset)), version: undefined, readMs };
  }
}

/** Entries that can quote a person, and those that say that something was forgotten. */
const kinds = ["fact", "turn", "arc", "profile", "mask", "bar", "semantic", "episodic", "procedural"] as const;

/** Whether an entry's row takes words back: it was removed or withdrawn, or it bars or masks what was forgotten. */
const takesBack = ({ kind, data }: EntryRow): boolean => data === null || kind === "mask" || kind === "bar";

/** Whether words were taken back in an owner's memory after a version of it. */
export async function takenBackSince(
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
export async function renewBasis({
  runtime,
  claim,
  loaded,
  signal,
  shown,
  began_at,
}: Pick<ExtensionTurn, "runtime" | "claim" | "loaded" | "signal" | "shown" | "began_at">): Promise<number> {
  const { owner_id, owner_version } = await headerOf(runtime, claim.session_id);
  // Nothing of a memory was shown.
  if (shown.version === undefined) return owner_version;
  const since = shown.version;
  const look = async (): Promise<boolean> => {
    if (owner_id === loaded.session.owner_id) return takenBackSince(runtime.store, { owner_id, version: since });
    // The session became a customer's meanwhile, whose entries have versions of their own.
    const [last] = await runtime.store.entries({ owner_id, kinds: ["mask", "bar"], newest: true, limit: 1 });
    return last !== undefined && last.created_at >= began_at;
  };
  const isTakenBack = await inTime(runtime, { ms: shown.readMs, signal }, look).catch((error: unknown) => {
    signal.throwIfAborted();
    logUnread(runtime, "turn taken up again: memory cannot be read", error);
    return true;
  });
  if (!isTakenBack) return owner_version;
  const { session_id, epoch } = claim;
  await runtime.store.release({ session_id, epoch, counted: false }).catch(() => false);
  throw wordsGone(claim);
}

/** Words that a turn may have been shown were taken back. */
export const wordsGone = ({ turn: { turn_id } }: ExtensionTurn["claim"]): ThroughlineError =>
  new ThroughlineError("turn.fenced", `Words that turn ${turn_id} may have been shown were taken back: it is taken up again without them.`);
