/**
 * A store in one file. A store in memory does the work. The first line of the file is the image of that store when the file was begun, and every other line
 * is a call that has changed it since: opening the file makes these calls again.
 */
import type { FileHandle } from "node:fs/promises";
import { type Clock, systemClock, ThroughlineError } from "throughline";
import { type Claim, type ClaimRequest, type Commit, type CommitResult, type Erased, openMemoryStore } from "throughline/store";
import type { MemoryImage, MemoryStore, ReleaseRequest, Store } from "throughline/store";
import { append, begin, lock, read } from "./journal.ts";

/** A call that may change something, by the name of its method; and what it may answer. */
type Call = { readonly commit: Commit } | { readonly claim: ClaimRequest } | { readonly release: ReleaseRequest } | { readonly erase: Target };
type Target = Parameters<Store["erase"]>[0];
type Answer = CommitResult | Claim | Erased | boolean | undefined;

const journal = 2;
type FirstLine = { readonly journal: number; readonly image: MemoryImage };
type Lines = readonly [FirstLine?, ...(Call & { readonly at: number })[]];

function make(memory: Store, call: Call): Promise<Answer> {
  if ("commit" in call) return memory.commit(call.commit);
  if ("claim" in call) return memory.claim(call.claim);
  return "release" in call ? memory.release(call.release) : memory.erase(call.erase);
}

function hasChanged(answer: Answer): boolean {
  if (typeof answer !== "object") return answer === true;
  return !("outcome" in answer) || (answer.outcome === "committed" && !answer.replayed);
}

/** Whether a call removes something that the lines before it hold. */
const removes = (call: Call): boolean =>
  "erase" in call ||
  ("commit" in call &&
    ((call.commit.session?.cut ?? call.commit.session?.redact ?? call.commit.session?.owner_id) !== undefined ||
      call.commit.owner?.entries?.some(({ data }) => data === null) === true));

/**
 * Opens the journal at `path`, or begins one. What is acknowledged is on disk, and what is erased is not. All of it is held in memory, and one store has
 * the file open at a time (`store.busy`).
 */
export async function openJournalStore(path: string, options: { readonly clock?: Clock } = {}): Promise<Store> {
  const { clock = systemClock } = options;
  const held = await lock(path);
  try {
    // Leases go by the time of their call, also when it is made again.
    const time = { now: 0 };
    const memory = await restored(path, { ...clock, now: () => time.now }, (at) => (time.now = at));
    const file = await begin(path, { journal, image: memory.image() });
    return journaled({ path, memory, file, tick: () => (time.now = clock.now()), unlock: () => held.close() });
  } catch (error) {
    held.close();
    throw error;
  }
}

/** The store in memory, as the file tells it. */
async function restored(path: string, clock: Clock, setTime: (at: number) => void): Promise<MemoryStore> {
  const [first, ...calls] = (await read(path)) as Lines;
  if (first !== undefined && first.journal !== journal) throw new ThroughlineError("store.corrupt", `${path} is no journal of version ${journal}.`);
  const memory = openMemoryStore({ clock, ...(first && { image: first.image }) });
  for (const [index, call] of calls.entries()) {
    setTime(call.at);
    if (!hasChanged(await make(memory, call)))
      throw new ThroughlineError("store.corrupt", `Line ${index + 2} of ${path} does not follow from the lines before it.`);
  }
  return memory;
}

interface Parts {
  readonly path: string;
  readonly memory: MemoryStore;
  readonly file: FileHandle;
  /** Sets the clock of `memory`, and gives its time. */
  readonly tick: () => number;
  readonly unlock: () => void;
}

function journaled({ path, memory, tick, unlock, ...parts }: Parts): Store {
  let { file } = parts;
  let last: Promise<unknown> = Promise.resolve();
  let broken: ThroughlineError | undefined;
  let closing: Promise<void> | undefined;

  /** One call after the other, reads too: nobody sees what is not on disk yet. */
  const inTurn = <Result>(work: (at: number) => Promise<Result>): Promise<Result> => {
    const next = last.then(() => {
      if (broken !== undefined) throw broken;
      return work(tick());
    });
    last = next.catch(() => {});
    return next;
  };
  const write = async (call: Call, at: number): Promise<void> => {
    if (!removes(call)) return append(file, { at, ...call });
    await file.close();
    file = await begin(path, { journal, image: memory.image() });
  };
  /** Makes a call, and writes it down if it has changed anything. */
  const change = <Result extends Answer>(call: Call, answer: () => Promise<Result>): Promise<Result> =>
    inTurn(async (at) => {
      const result = await answer();
      try {
        if (hasChanged(result)) await write(call, at);
      } catch (cause) {
        // Memory is ahead of the file now, and must not be shown: only the file says what happened.
        broken = new ThroughlineError("store.failed", "The journal could not be written; close the store and open it again.", { cause });
        throw broken;
      }
      return result;
    });

  return {
    ...memory,
    open: (selector) => inTurn(() => memory.open(selector)),
    load: (request) => inTurn(() => memory.load(request)),
    read: (request) => inTurn(() => memory.read(request)),
    appends: (request) => inTurn(() => memory.appends(request)),
    list: (query) => inTurn(() => memory.list(query)),
    entries: (request) => inTurn(() => memory.entries(request)),
    commit: (commit) => change({ commit }, () => memory.commit(commit)),
    claim: (claim) => change({ claim }, () => memory.claim(claim)),
    release: (release) => change({ release }, () => memory.release(release)),
    erase: (target) => change({ erase: target }, () => memory.erase(target)),
    async watch(session, after, signal) {
      const head = await memory.watch(session, after, signal);
      // Memory tells of a commit at once; whoever hears of it hears after it is on disk.
      await inTurn(async () => {});
      return head;
    },
    close: () =>
      (closing ??= last.then(async () => {
        await memory.close();
        await file.close();
        unlock();
      })),
  };
}
