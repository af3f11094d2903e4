/** A store in one file: every call that changes something is a line of a journal, and opening the store applies them again. */
import { type Clock, openStore, systemClock, ThroughlineError } from "throughline";
import type { Store } from "throughline/store";
import { cleared, takesAway } from "./clear.ts";
import { accepted, claimOf, type Entry, replay } from "./entry.ts";
import { Journal } from "./journal.ts";
import { lock } from "./lock.ts";

/**
 * Opens the journal at `path`, or begins one. What is acknowledged is on disk, and what is erased is not. Everything is held in memory, so a journal is as
 * long as memory and patience at opening allow, and one process has it open at a time (`store.busy`).
 */
export async function openJournalStore(path: string, options: { readonly clock?: Clock } = {}): Promise<Store> {
  const { clock = systemClock } = options;
  const unlock = await lock(path);
  // Leases go by the time of the call, which the journal keeps, and not by that of its replay.
  const time = { now: 0 };
  const memory = await openStore(":memory:", { clock: { ...clock, now: () => time.now } });
  try {
    const { journal, entries } = await Journal.open<Entry>(path);
    for (const [index, entry] of entries.entries()) {
      time.now = entry.at;
      await replay(memory, entry, index + 2);
    }
    const clear = async (): Promise<void> => journal.rewrite(await cleared(memory, await journal.read()));
    // An erasure whose process died before the file was rewritten.
    if (entries.some((entry) => takesAway(entry) && entry.done !== true)) await clear();
    const record = async (entry: Entry): Promise<void> => {
      await journal.append(entry);
      if (takesAway(entry)) await clear();
    };
    const release = async (): Promise<void> => {
      await journal.close();
      await unlock();
    };
    return journaled({ memory, record, release, tick: () => (time.now = clock.now()) });
  } catch (error) {
    await unlock();
    throw error;
  }
}

interface Parts {
  readonly memory: Store;
  /** Writes an entry; resolves when it is on disk. */
  readonly record: (entry: Entry) => Promise<void>;
  readonly release: () => Promise<void>;
  /** Sets the clock of `memory`, and gives its time. */
  readonly tick: () => number;
}

/** One call after the other, reads too: nobody sees what is not on disk yet. */
function queueOf({ record, tick }: Parts): {
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  recorded<Result>(call: () => Promise<Result>, entryOf: (result: Result, at: number) => Entry | undefined): Promise<Result>;
} {
  let last: Promise<unknown> = Promise.resolve();
  let broken: ThroughlineError | undefined;
  const write = async (entry: Entry): Promise<void> => {
    try {
      await record(entry);
    } catch (cause) {
      // Memory is ahead of the file now, and must not be shown: only the file says what happened.
      broken = new ThroughlineError("store.failed", "The journal could not be written; close the store and open it again.", { cause });
      throw broken;
    }
  };
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = last.then(() => {
      if (broken !== undefined) throw broken;
      return work();
    });
    last = next.catch(() => {});
    return next;
  };
  return {
    inTurn,
    recorded: (call, entryOf) =>
      inTurn(async () => {
        const at = tick();
        const result = await call();
        const entry = entryOf(result, at);
        if (entry !== undefined) await write(entry);
        return result;
      }),
  };
}

function journaled(parts: Parts): Store {
  const { memory, release } = parts;
  const queue = queueOf(parts);
  let closing: Promise<void> | undefined;
  return {
    open: (selector) => queue.inTurn(() => memory.open(selector)),
    load: (request) => queue.inTurn(() => memory.load(request)),
    read: (request) => queue.inTurn(() => memory.read(request)),
    list: (query) => queue.inTurn(() => memory.list(query)),
    entries: (owner, since) => queue.inTurn(() => memory.entries(owner, since)),
    commit: (commit) =>
      queue.recorded(
        () => memory.commit(commit),
        (result, at) => {
          if (result.outcome === "refused" || result.replayed) return undefined;
          return { at, commit: accepted(commit), ...(result.session && { first: result.session.first_offset }) };
        },
      ),
    claim: (request) =>
      queue.recorded(
        () => memory.claim(request),
        (claim, at) => claim && { at, claim: claimOf(request, claim.session_id), epoch: claim.epoch },
      ),
    release: (request) =>
      queue.recorded(
        () => memory.release(request),
        (given, at) => (given ? { at, release: request } : undefined),
      ),
    erase: (target) =>
      queue.recorded(
        () => memory.erase(target),
        (_erased, at) => ({ at, erase: target }),
      ),
    async watch(session, after, signal) {
      const head = await memory.watch(session, after, signal);
      // Memory tells of a commit at once; whoever hears of it hears after it is on disk.
      await queue.inTurn(async () => {});
      return head;
    },
    writeDraft: (piece) => memory.writeDraft(piece),
    watchDrafts: (session, listen) => memory.watchDrafts(session, listen),
    watchTurns: (listen) => memory.watchTurns(listen),
    migrate: () => memory.migrate(),
    close() {
      closing ??= queue
        .inTurn(async () => {})
        .catch(() => {})
        .then(() => memory.close())
        .then(release);
      return closing;
    },
  };
}
