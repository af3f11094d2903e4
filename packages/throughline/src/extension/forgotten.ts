/**
 * Applies forgetting to the turns of every agent. It hides forgotten messages, and checks whether words were withdrawn after a turn saw them. A slow
 * or hanging store does not block a conversation.
 */
import { present } from "../kernel/json.ts";
import { abortable } from "../kernel/deadline.ts";
import type { Clock } from "../kernel/clock.ts";
import * as deadline from "../kernel/deadline.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { OwnerId } from "../kernel/id.ts";
import type { Logger } from "../kernel/log.ts";
import { maskedOffsets, masksOf, type Mask, withoutMasked } from "../session/masks.ts";
import type { EntryRow, Store } from "../store/port.ts";
import { ofTurn } from "./failure.ts";
import { headerOf } from "./commit.ts";
import { entriesOf } from "./lists.ts";
import type { Beginning, ExtensionTurn, ShownHistory, WaysToRead } from "./port.ts";

/** Milliseconds that a turn waits for its owner's entries, unless an extension sets another limit. */
export const defaultReadMs = 3_000;

/**
 * Returns the result of reading an owner's entries, or throws `memory.late` after the time limit. The work continues, so its result is available to
 * the next turn.
 */
export const inTime = <Result>(
  { clock }: { readonly clock: Clock },
  { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal | undefined },
  work: () => Promise<Result>,
): Promise<Result> => {
  const late = (): Error => new ThroughlineError("memory.late", `The memory was not read within ${ms} ms.`, { details: { ms } });
  const read = deadline.inTime(clock, work(), { ms, late });
  return signal === undefined ? read : abortable(read, signal);
};

/** Logs that an owner's entries were not read, with the error code only. */
export const logUnread = ({ logger }: { readonly logger: Logger }, message: string, error: unknown): void =>
  logger.warn(message, { code: ThroughlineError.from(error).code }, error);

/** Returns the masks of an owner from the store. */
export const readMasks = async (store: Pick<Store, "entries">, owner_id: OwnerId): Promise<readonly Mask[]> =>
  masksOf(await Array.fromAsync(entriesOf(store, { owner_id, kinds: ["mask"] })));

/**
 * Returns the messages without forgotten ones, for stages and models. Messages that the turn answers always stay. If the masks cannot be read, only
 * those are returned.
 */
export async function withoutForgotten({ context, loaded, answers, signal, messages }: Beginning, ways: WaysToRead = {}): Promise<ShownHistory> {
  const { owner_id, owner_version } = loaded.session;
  const { readMs = defaultReadMs } = ways;
  // An owner without entries has nothing forgotten.
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

/** Kinds of entries that can quote a user, or that record a forgetting. */
const kinds = ["fact", "turn", "arc", "profile", "mask", "bar", "semantic", "episodic", "procedural"] as const;

/** Tells whether a row withdraws words: the entry was removed or withdrawn, or it bars or masks forgotten words. */
const takesBack = ({ kind, data }: EntryRow): boolean => data === null || kind === "mask" || kind === "bar";

/** Tells whether words were withdrawn in an owner's memory after a version. */
export async function takenBackSince(
  store: Pick<Store, "entries">,
  { owner_id, version, except }: { readonly owner_id: OwnerId; readonly version: number; readonly except?: ReadonlySet<string> },
): Promise<boolean> {
  for await (const row of entriesOf(store, { owner_id, kinds, min_version: version + 1 }))
    if (takesBack(row) && except?.has(row.entry_id) !== true) return true;
  return false;
}

/** Assumed maximum difference between the clocks of two processes, in milliseconds. */
const skewMs = 5_000;
/** Rows per page, read from the newest. */
const pageRows = 200;

/** Returns the time of the last withdrawal in an owner's memory, at `since` or later, or undefined. */
export async function lastTakenBack(store: Pick<Store, "entries">, owner_id: OwnerId, since: number): Promise<number | undefined> {
  for (let max: number | undefined; ;) {
    const rows = await store.entries({ owner_id, kinds, newest: true, limit: pageRows, ...present({ max_version: max }) });
    const last = rows.findLast((row) => takesBack(row) && row.created_at >= since);
    if (last !== undefined) return last.created_at;
    const [oldest] = rows;
    if (oldest === undefined || rows.length < pageRows || oldest.created_at < since || oldest.version <= 1) return undefined;
    max = oldest.version - 1;
  }
}

/** Tells whether words were withdrawn in an owner's memory since a time by another process's clock. */
export const takenBackAfter = async (store: Pick<Store, "entries">, owner_id: OwnerId, time: number): Promise<boolean> =>
  (await lastTakenBack(store, owner_id, time - skewMs)) !== undefined;

/**
 * Returns the owner version at which a turn may continue to commit after the owner has changed. If words were withdrawn since the turn saw the
 * memory, its uncommitted work is dropped. The lease is released, so that the turn is retried without those words, and `turn.fenced` is thrown.
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
  // The turn saw no memory.
  if (shown.version === undefined) return owner_version;
  const since = shown.version;
  const look = async (): Promise<boolean> => {
    if (owner_id === loaded.session.owner_id) return takenBackSince(runtime.store, { owner_id, version: since });
    // The session was assigned to a customer in the meantime, whose entries have separate versions.
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

/** Returns the error for withdrawn words that a turn may have seen. */
export const wordsGone = ({ turn: { turn_id } }: ExtensionTurn["claim"]): ThroughlineError =>
  ofTurn(new ThroughlineError("turn.fenced", `Turn ${turn_id} may have seen messages that were withdrawn. It is retried without them.`));
