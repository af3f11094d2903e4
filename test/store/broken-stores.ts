/** Stores with one defect each, to show that the kits find it. */
import { setImmediate as aTick } from "node:timers/promises";
import type { Clock } from "../../packages/throughline/src/kernel/clock.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import type {
  Claim,
  ClaimRequest,
  Commit,
  CommitResult,
  Refusal,
  ReleaseRequest,
  SessionDepends,
  Store,
} from "../../packages/throughline/src/store/port.ts";
import type { MortalStore } from "../../packages/throughline/src/testing.ts";

/** A sound store with some methods of another. */
const flawed = (flaw: (store: Store) => Partial<Store>): Store => {
  const store = openMemoryStore();
  return { ...store, ...flaw(store) };
};

const changed = (commit: Commit, change: Partial<NonNullable<Commit["session"]>>): Commit =>
  commit.session === undefined ? commit : { ...commit, session: { ...commit.session, ...change } };

/** Looks at what a commit depends on, and forgets to hold it until the write. */
async function lookThenWrite(store: Store, commit: Commit): Promise<CommitResult> {
  const row = commit.session && (await store.open({ session_id: commit.session.session_id }));
  const { base, ...rest } = commit.session?.depends ?? {};
  if (base !== undefined && row !== undefined && base !== row.state_offset)
    return { outcome: "refused", reason: "stale_base", state_offset: row.state_offset };
  await aTick();
  return store.commit(changed(commit, { depends: rest }));
}

const ignoring =
  (name: keyof SessionDepends) =>
  (store: Store): Partial<Store> => ({
    commit: (commit) => {
      const { [name]: _ignored, ...depends } = commit.session?.depends ?? {};
      return store.commit(changed(commit, { depends }));
    },
  });

/** Says that it has done what it should have refused. */
const accepting =
  (reason: Refusal["reason"]) =>
  (store: Store): Partial<Store> => ({
    commit: async (commit) => {
      const result = await store.commit(commit);
      return result.outcome === "refused" && result.reason === reason ? { outcome: "committed", replayed: false } : result;
    },
  });

/** A commit whose records depend on nothing. */
const anyVersion = ({ records, ...commit }: Commit): Commit =>
  records === undefined ? commit : { ...commit, records: records.map(({ depends: _depends, ...record }) => record) };

let renamed = 0;

/** By the check that must find it. */
export const brokenByRaces: Readonly<Record<string, readonly [what: string, flaw: (store: Store) => Partial<Store>]>> = {
  "two writers race for the base of a patch": ["loses an update", (store) => ({ commit: (commit) => lookThenWrite(store, commit) })],
  "two writers race for the epoch": ["ignores the epoch", ignoring("epoch")],
  "two writers race for a turn to run": ["ignores the epoch at the end of a turn", ignoring("epoch")],
  "two writers race for the version of the header": ["ignores the version", ignoring("version")],
  "two writers race for the episode": ["ignores the episode", ignoring("episode")],
  "two writers race for the head": ["ignores the head", ignoring("head")],
  "two writers race for an idempotency key": [
    "does not keep keys",
    (store) => ({
      commit: ({ session, ...rest }) => {
        const { idempotency: _key, ...change } = session ?? {};
        return store.commit(session === undefined ? rest : { ...rest, session: { ...change, session_id: session.session_id } });
      },
    }),
  ],
  "two writers race for the last place in the queue": [
    "lets everybody wait",
    (store) => ({
      commit: (commit) => {
        const { limit: _limit, ...queue } = commit.session?.queue ?? {};
        return store.commit("cause" in queue ? changed(commit, { queue }) : commit);
      },
    }),
  ],
  "two writers race for one commit, sent twice": [
    "forgets what it has written",
    (store) => ({ commit: (commit) => store.commit({ ...commit, commit_id: `${commit.commit_id}-${++renamed}` }) }),
  ],
  "two writers race for the next offset": [
    "takes the next offset before it writes",
    (store) => ({
      async commit(commit) {
        const head = commit.session === undefined ? undefined : (await store.open({ session_id: commit.session.session_id }))?.head;
        await aTick();
        const result = await store.commit(commit);
        if (result.outcome === "refused" || result.session === undefined || head === undefined) return result;
        return { ...result, session: { ...result.session, first_offset: head + 1 } };
      },
    }),
  ],
  "two writers race for the version of an owner": [
    "ignores the version of an owner",
    (store) => ({
      commit: ({ owner, ...rest }) => {
        const { depends: _depends, ...change } = owner ?? {};
        return store.commit(owner === undefined ? rest : { ...rest, owner: { ...change, owner_id: owner.owner_id } });
      },
    }),
  ],
  "two writers race for the key of a new session": [
    "opens two sessions under one key",
    (store) => ({
      commit: (commit) => {
        if (commit.session?.create === undefined) return store.commit(commit);
        const { open_key: _key, ...create } = commit.session.create;
        return store.commit(changed(commit, { create }));
      },
    }),
  ],
  "two writers race for the id of a new customer": [
    "creates a customer twice",
    (store) => ({
      commit: ({ owner, ...rest }) =>
        store.commit(owner?.create === undefined ? { ...rest, ...(owner && { owner }) } : { ...rest, owner: { ...owner, create: {} } }),
    }),
  ],
  "two writers race for a lease to give back": [
    "takes every lease back",
    (store) => ({ release: async (request) => (await store.release(request)) || request.epoch > 0 }),
  ],
  "two writers race for the owner of an anonymous session": ["gives a session away twice", accepting("not_anonymous")],
  "two writers race for where a log begins": ["cuts a log twice", accepting("cut_out_of_range")],
  "two writers race for a record": ["ignores the version of a record", (store) => ({ commit: (commit) => store.commit(anyVersion(commit)) })],
  "two writers race for the key of a new record": [
    "looks whether a record is there before it writes",
    (store) => ({
      async commit(commit) {
        for (const { kind, key, depends } of commit.records ?? []) {
          const version = (await store.list({ of: "records", kind, key })).items[0]?.version ?? 0;
          if (depends !== undefined && depends.version !== version) return { outcome: "refused", reason: "stale_record", kind, key, version };
        }
        await aTick();
        return store.commit(anyVersion(commit));
      },
    }),
  ],
  "writers that count one number together lose nothing": ["loses an update", (store) => ({ commit: (commit) => lookThenWrite(store, commit) })],
  "readers see each event once and in order while others write": [
    "shows the last event of a page again",
    (store) => ({
      read: async (request) => {
        const page = await store.read(request);
        return page === undefined || page.events.length < 2 ? page : { ...page, next_offset: page.next_offset - 1 };
      },
    }),
  ],
  "readers of all sessions see each commit once while others write": [
    "passes a commit that becomes visible late",
    (store) => {
      const late = new Set<number>();
      return {
        appends: async (request) => {
          const { appends, last } = await store.appends(request);
          const [first, ...rest] = appends;
          if (first === undefined || rest.length === 0 || first.position % 5 > 0 || late.has(first.position)) return { appends, last };
          late.add(first.position);
          return { appends: rest, last };
        },
      };
    },
  ],
  "a commit is told to readers of all sessions in all processes": ["tells nobody of a commit", () => ({ watchAppends: async () => () => {} })],
  "workers that look for work together share it": ["gives a turn to two workers", (store) => ({ claim: twice(store) })],
  "what is erased while others write is gone for all of them": [
    "only says that it erased",
    () => ({ erase: async () => ({ sessions: 1, events: 1 }) }),
  ],
  "an erasure is told in all processes": ["tells nobody of an erasure", () => ({ watchErasures: async () => () => {} })],
};

/** Gives every second worker what the one before got. */
function twice(store: Store): Store["claim"] {
  let last: Claim | undefined;
  return async (request: ClaimRequest) => {
    const given = last;
    last = undefined;
    return given ?? (last = await store.claim(request));
  };
}

/** A store whose answers are wrong in a way that only their text shows. */
export const wrongReason = (): Store =>
  flawed((store) => ({
    commit: async (commit) => {
      const result = await store.commit(commit);
      return result.outcome === "refused" && result.reason === "stale_base" ? { outcome: "refused", reason: "stale_version", version: 0 } : result;
    },
  }));

export const openBroken = (flaw: (store: Store) => Partial<Store>) => async (): Promise<Store> => flawed(flaw);

type Line =
  | { readonly at: number; readonly commit: Commit }
  | { readonly at: number; readonly claim: ClaimRequest }
  | { readonly at: number; readonly release: ReleaseRequest }
  | { readonly at: number; readonly erase: Parameters<Store["erase"]>[0] };

/** What a crash does to what was written. */
export interface CrashFlaw {
  /** Not every line reaches the disk. */
  readonly keeps?: (line: Line) => boolean;
  /** What is left of the lines when the process is killed. */
  readonly kill?: (lines: readonly Line[]) => readonly Line[];
  /** How a line is read again. */
  readonly reads?: (line: Line) => Line;
  /** Acknowledges before the line is on disk. */
  readonly late?: boolean;
}

async function replay(store: Store, line: Line): Promise<void> {
  if ("commit" in line) await store.commit(line.commit);
  else if ("claim" in line) await store.claim(line.claim);
  else if ("release" in line) await store.release(line.release);
  else await store.erase(line.erase);
}

/** A store that lives as long as its lines do, with a process that can be killed. */
export function mortal(clock: Clock, flaw: CrashFlaw = {}): () => Promise<MortalStore> {
  const disk: Line[] = [];
  return async () => {
    const time = { now: 0 };
    const store = openMemoryStore({ clock: { ...clock, now: () => time.now } });
    for (const line of disk) {
      time.now = line.at;
      await replay(store, flaw.reads?.(line) ?? line);
    }
    let dead = false;
    let doom: { left: number; readonly moment: "before" | "after" } | undefined;
    const buffer: Line[] = [];
    const die = (): void => {
      if (dead) return;
      dead = true;
      disk.splice(0, disk.length, ...(flaw.kill?.([...disk]) ?? disk));
    };
    const alive = (): void => {
      if (dead) throw new ThroughlineError("store.unreachable");
    };
    const written = async (line: Line): Promise<void> => {
      if (flaw.keeps?.(line) === false) return;
      if (flaw.late !== true) disk.push(line);
      else {
        buffer.push(line);
        void aTick().then(async () => {
          await aTick();
          if (!dead) disk.push(...buffer.splice(0));
        });
      }
    };
    const call = async <Result>(work: () => Promise<Result>, line?: (result: Result, at: number) => Line | undefined): Promise<Result> => {
      await aTick();
      alive();
      time.now = clock.now();
      const result = await work();
      const entry = line?.(result, time.now);
      if (entry !== undefined) await written(entry);
      return result;
    };
    return {
      ...store,
      open: (selector) => call(() => store.open(selector)),
      load: (request) => call(() => store.load(request)),
      read: (request) => call(() => store.read(request)),
      list: (query) => call(() => store.list(query)),
      entries: (request) => call(() => store.entries(request)),
      async commit(commit) {
        if (doom !== undefined) doom.left -= 1;
        const fatal = doom?.left === 0 ? doom.moment : undefined;
        if (fatal === "before") die();
        const result = await call(
          () => store.commit(commit),
          (answer, at) => (answer.outcome === "committed" && !answer.replayed ? { at, commit } : undefined),
        );
        if (fatal === "after") die();
        alive();
        return result;
      },
      claim: (request) =>
        call(
          () => store.claim(request),
          (claim, at) => (claim === undefined ? undefined : { at, claim: request }),
        ),
      release: (request) =>
        call(
          () => store.release(request),
          (given, at) => (given ? { at, release: request } : undefined),
        ),
      erase: (target) =>
        call(
          () => store.erase(target),
          (_erased, at) => ({ at, erase: target }),
        ),
      kill: async () => die(),
      doom: async (commit, moment) => void (doom = { left: commit, moment }),
      close: async () => die(),
    };
  };
}

/** The last commit with an owner and a session, changed. */
const lastDeed = (lines: readonly Line[], change: (commit: Commit) => Commit): readonly Line[] => {
  const index = lines.findLastIndex((line) => "commit" in line && line.commit.owner?.entries !== undefined && line.commit.session !== undefined);
  return lines.map((line, at) => (at === index && "commit" in line ? { ...line, commit: change(line.commit) } : line));
};

const killed = "a store that is killed while it writes has all that it acknowledged, and nothing by half";
const answered = "a commit whose answer died gives its first result when it is sent again";

/** What is wrong, and the check that must find it. */
export const brokenByCrashes: readonly (readonly [what: string, found: string, flaw: CrashFlaw])[] = [
  ["loses what it wrote last", killed, { kill: (lines) => lines.slice(0, -1) }],
  ["acknowledges before it writes", killed, { late: true }],
  ["writes an owner after its session", killed, { kill: (lines) => lastDeed(lines, ({ owner: _owner, ...commit }) => commit) }],
  ["writes records after the rest", killed, { kill: (lines) => lastDeed(lines, ({ records: _records, ...commit }) => commit) }],
  [
    "writes events one by one",
    killed,
    { kill: (lines) => lastDeed(lines, (commit) => changed(commit, { events: commit.session?.events?.slice(0, 1) ?? [] })) },
  ],
  [
    "forgets the ids of commits in a crash",
    answered,
    { reads: (line) => ("commit" in line ? { ...line, commit: { ...line.commit, commit_id: `${line.commit.commit_id}-${++renamed}` } } : line) },
  ],
  [
    "forgets idempotency keys in a crash",
    answered,
    {
      reads: (line) => {
        if (!("commit" in line) || line.commit.session === undefined) return line;
        const { idempotency: _key, ...session } = line.commit.session;
        return { ...line, commit: { ...line.commit, session } };
      },
    },
  ],
  ["keeps leases in memory only", "the lease of a dead worker holds, runs out, and fences", { keeps: (line) => !("claim" in line) }],
  [
    "keeps a lease for ever",
    "the lease of a dead worker holds, runs out, and fences",
    { reads: (line) => ("claim" in line ? { ...line, claim: { ...line.claim, lease_ms: 600_000 } } : line) },
  ],
  ["forgets that a lease was given back", "a lease that was given back stays free", { keeps: (line) => !("release" in line) }],
  ["undoes an erasure in a crash", "what is erased stays erased", { keeps: (line) => !("erase" in line) }],
];
