/** Random commands for the model-based check. */
import type { OwnerId, SessionId, TraceId } from "../../kernel/id.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import {
  agentOwnerId,
  type Commit,
  eventKinds,
  eventSources,
  handoverStatuses,
  type NewEvent,
  type OwnerChange,
  type RecordChange,
  type SessionChange,
  sessionOwnerId,
  type Store,
  turnCauses,
} from "../../store/port.ts";
import type { Chooser } from "../test-clock.ts";

/** Names used by commands, and the commits so far. */
export interface World {
  readonly sessions: readonly SessionId[];
  readonly owners: readonly OwnerId[];
  readonly traces: readonly TraceId[];
  readonly past: Commit[];
}

/** Calls to make on a store. The calls of one command do not depend on their order. */
export interface Command {
  readonly name: string;
  readonly calls: readonly ((store: Store) => Promise<unknown>)[];
}

const hour = 3_600_000;
const texts = ["", "a", "é\u0000", "😀 'quoted' \"twice\"", "\ud800"];

const someData = (choose: Chooser): JsonObject => ({
  text: choose.one(texts),
  n: choose.integer(0, 9),
  ...choose.maybe(0.3, () => ({ b: [null, { a: true }], a: 1.5 })),
});

function someEvent(choose: Chooser, world: World, queues: boolean): NewEvent {
  const kind = choose.one(eventKinds);
  const place = choose.integer(0, 9);
  const turn = queues && place < 5 ? ("queued" as const) : place > 7 ? choose.integer(1, 2) : undefined;
  return {
    kind,
    source: choose.one(eventSources),
    data: someData(choose),
    ...present({ turn }),
    ...(turn === undefined || choose.chance(0.5) ? { trace_id: choose.one(world.traces) } : {}),
    ...choose.maybe(0.2, () => ({ metadata: someData(choose) })),
    ...choose.maybe(0.2, () => ({ version: choose.integer(1, 3) })),
    ...(kind === "message" ? { waiting: choose.chance(0.6) } : {}),
  };
}

function someHeader(choose: Chooser): NonNullable<SessionChange["header"]> {
  return {
    ...choose.maybe(0.3, () => ({ mode: choose.one(["auto", "auto", "manual"] as const) })),
    ...choose.maybe(0.2, () => ({ title: choose.one([null, ...texts]) })),
    ...choose.maybe(0.2, () => ({ metadata: { external_id: choose.one(["x", "y"]) } })),
    ...choose.maybe(0.2, () => ({ labels: choose.list(2, () => choose.one(["l", "m", "\u0000"])) })),
    ...choose.maybe(0.2, () => ({ consumers: { inbox: choose.integer(0, 9) } })),
    ...choose.maybe(0.2, () => ({ episode: choose.integer(1, 3) })),
    ...choose.maybe(0.1, () => ({ agent_version: choose.integer(1, 3) })),
    ...choose.maybe(0.2, () => ({
      handover: {
        status: choose.one(handoverStatuses),
        since: choose.integer(0, 3),
        ...choose.maybe(0.5, () => ({ operator: choose.one(["ann", "ben"]) })),
        ...choose.maybe(0.5, () => ({ reason: choose.one(texts) })),
        ...choose.maybe(0.3, () => ({ alert: choose.integer(1, 2) })),
      },
    })),
  };
}

function someDepends(choose: Chooser): NonNullable<SessionChange["depends"]> {
  return {
    ...choose.maybe(0.08, () => ({ epoch: choose.integer(0, 3) })),
    ...choose.maybe(0.08, () => ({ base: choose.integer(0, 4) })),
    ...choose.maybe(0.05, () => ({ head: choose.integer(0, 12) })),
    ...choose.maybe(0.08, () => ({ version: choose.integer(0, 4) })),
    ...choose.maybe(0.05, () => ({ episode: choose.integer(1, 2) })),
    ...choose.maybe(0.04, () => ({ owner_version: choose.integer(0, 2) })),
  };
}

function someTurnWork(choose: Chooser, events: number): Partial<SessionChange> {
  return {
    ...(events > 0 ? choose.maybe(0.2, () => ({ start_turn: { number: choose.integer(1, 3), event: choose.integer(0, events - 1) } })) : {}),
    ...choose.maybe(0.25, () => ({ end_turns: choose.list(2, () => choose.integer(1, 4)) })),
    ...choose.maybe(0.15, () => ({ dequeue_turns: choose.list(2, () => choose.integer(1, 4)) })),
    ...choose.maybe(0.1, () => ({ fence: true })),
    ...choose.maybe(0.2, () => ({ progress: choose.integer(1, 3) })),
    ...choose.maybe(0.15, () => ({ park: { turn: choose.integer(1, 3), ...choose.maybe(0.5, () => ({ until: 1_700_000_000_000 + hour })) } })),
    ...choose.maybe(0.15, () => ({ wake: true })),
    ...choose.maybe(0.2, () => ({ withdraw_from: choose.integer(0, 15) })),
  };
}

function someSessionChange(choose: Chooser, world: World): SessionChange {
  const session_id = choose.one(world.sessions);
  const creates = choose.chance(0.1);
  const queues = choose.chance(0.4);
  const events = choose.list(3, () => someEvent(choose, world, queues));
  const first: NewEvent = {
    kind: "session",
    source: "system",
    data: { type: "created", state: someData(choose) },
    trace_id: choose.one(world.traces),
  };
  const create = (): Partial<SessionChange> => ({
    create: {
      owner_id: choose.one(world.owners),
      agent: choose.one(["diary", "coach"]),
      agent_version: 1,
      ...choose.maybe(0.5, () => ({ open_key: choose.one(["k", "l"]) })),
      ...choose.maybe(0.3, () => ({ fork: { session_id: choose.one(world.sessions), at: choose.integer(0, 12) } })),
    },
  });
  const queue = (): Partial<SessionChange> => ({
    queue: {
      cause: choose.one(turnCauses),
      trace_id: choose.one(world.traces),
      ...choose.maybe(0.3, () => ({ limit: choose.integer(0, 4) })),
      ...choose.maybe(0.2, () => ({ urgent: true as const })),
    },
  });
  return {
    session_id,
    ...(creates ? create() : {}),
    events: creates ? [first, ...events] : events,
    ...(queues ? queue() : {}),
    ...someTurnWork(choose, events.length),
    ...(queues ? choose.maybe(0.2, () => ({ end_turns: ["queued" as const, choose.integer(1, 4)] })) : {}),
    depends: someDepends(choose),
    header: someHeader(choose),
    ...choose.maybe(0.15, () => ({ idempotency: { key: choose.one(["k1", "k2", "k3"]), body_hash: choose.one(["a", "b"]) } })),
    ...choose.maybe(0.2, () => ({ checkpoint: someData(choose) })),
    ...(creates ? {} : choose.maybe(0.15, () => ({ redact: choose.list(3, () => ({ offset: choose.integer(1, 14), data: someData(choose) })) }))),
    ...(creates ? {} : choose.maybe(0.08, () => ({ owner_id: choose.one(world.owners) }))),
  };
}

/** Owners that only have variables. */
export const scopeOwners = (world: World): readonly OwnerId[] => [agentOwnerId("diary"), ...world.sessions.map(sessionOwnerId)];

const someVariable = (choose: Chooser): string => choose.one(["a", "b", "é"]);

function someOwnerChange(choose: Chooser, world: World): OwnerChange {
  return {
    owner_id: choose.one(choose.chance(0.3) ? scopeOwners(world).slice(0, 4) : world.owners),
    ...choose.maybe(0.4, () => ({ create: choose.maybe(0.6, () => ({ customer_id: choose.one(["crm-1", "crm-2"]) })) })),
    ...choose.maybe(0.2, () => ({ depends: { version: choose.integer(0, 2) } })),
    ...choose.maybe(0.3, () => ({ name: choose.one([null, ...texts]) })),
    ...choose.maybe(0.3, () => ({ metadata: someData(choose) })),
    ...choose.maybe(0.4, () => ({
      variables: choose.list(3, () => ({ name: someVariable(choose), value: choose.one([undefined, null, 0, "x", { deep: [1] }]) })),
    })),
    ...choose.maybe(0.3, () => ({ checked: choose.list(2, () => ({ name: someVariable(choose), stale: choose.chance(0.5) })) })),
    ...choose.maybe(0.3, () => ({
      entries: choose.list(2, () => ({ entry_id: choose.one(["e", "f"]), kind: "fact", data: choose.chance(0.3) ? null : someData(choose) })),
    })),
  };
}

/** Kinds of records, few enough to collide. */
export const recordKinds = ["job", "key"] as const;

function someRecord(choose: Chooser, world: World): RecordChange {
  return {
    kind: choose.one(recordKinds),
    key: choose.one(["a", "a/1", "a/2", "é", "😀"]),
    data: choose.chance(0.2) ? null : someData(choose),
    ...choose.maybe(0.3, () => ({ depends: { version: choose.integer(0, 2) } })),
    ...choose.maybe(0.3, () => ({ expires_at: choose.one([1, 4_000_000_000_000]) })),
    ...choose.maybe(0.3, () => ({ owner_id: choose.one([...world.owners, ...scopeOwners(world).slice(0, 2)]) })),
    ...choose.maybe(0.3, () => ({ session_id: choose.one(world.sessions) })),
  };
}

function someCommit(choose: Chooser, world: World): Commit {
  const withOwner = choose.chance(0.35);
  const records = choose.chance(0.3) ? choose.list(3, () => someRecord(choose, world)) : [];
  const onlyRecords = records.length > 0 && choose.chance(0.5);
  const commit: Commit = {
    commit_id: `cmt_${world.past.length}`,
    at: 1_700_000_000_000 + choose.integer(-1000, 1000),
    ...(withOwner && !onlyRecords ? { owner: someOwnerChange(choose, world) } : {}),
    ...((!withOwner || choose.chance(0.5)) && !onlyRecords ? { session: someSessionChange(choose, world) } : {}),
    ...(records.length > 0 ? { records } : {}),
  };
  world.past.push(commit);
  return commit;
}

const described = (commit: Commit): string => `commit ${JSON.stringify(commit)}`;

function someLease(choose: Chooser, world: World): Command {
  const session_id = choose.one(world.sessions);
  const behind = choose.one([0, 0, 0, 1]);
  const counted = choose.chance(0.5);
  const epochOf = async (store: Store): Promise<number> => ((await store.open({ session_id }))?.epoch ?? 0) - behind;
  const commands: readonly Command[] = [
    { name: "claim next", calls: [(store) => store.claim({ kind: "next", worker: "w", lease_ms: hour })] },
    { name: "claim next, urgent", calls: [(store) => store.claim({ kind: "next", worker: "w", lease_ms: hour, urgent: true })] },
    { name: `claim ${session_id}`, calls: [(store) => store.claim({ kind: "session", session_id, worker: "w", lease_ms: hour })] },
    {
      name: `renew ${session_id}, ${behind} behind`,
      calls: [async (store) => store.claim({ kind: "renew", session_id, epoch: await epochOf(store), lease_ms: hour })],
    },
    {
      name: `release ${session_id}, ${behind} behind, ${counted ? "" : "not "}counted`,
      calls: [async (store) => store.release({ session_id, epoch: await epochOf(store), counted, ...(behind === 0 ? {} : { retry_in_ms: hour }) })],
    },
  ];
  return choose.one(commands);
}

/** Appends to different sessions at the same time. In any order, each session's results must be the same. */
function parallelAppends(choose: Chooser, world: World): Command {
  const commits = world.sessions.map((session_id): Commit => {
    const events = choose
      .list(4, () => someEvent(choose, world, false))
      .map(({ turn: _turn, ...rest }) => ({ trace_id: choose.one(world.traces), ...rest }));
    const commit: Commit = { commit_id: `cmt_${world.past.length}`, at: 1_700_000_000_000, session: { session_id, events } };
    world.past.push(commit);
    return commit;
  });
  return { name: `at once: ${commits.map(described).join("; ")}`, calls: commits.map((commit) => (store: Store) => store.commit(commit)) };
}

const committed = (commit: Commit): Command => ({ name: described(commit), calls: [(store) => store.commit(commit)] });

/** Forks a session. Three consecutive sessions have different owners, and a fork has its origin's owner, so most forks, and forks of forks, are allowed. */
function someFork(choose: Chooser, world: World): Command {
  const of = choose.integer(0, world.sessions.length - 1);
  const owner = of % world.owners.length;
  const free = world.sessions.filter((_, index) => index >= createdFirst && index % world.owners.length === owner);
  const change = someSessionChange(choose, world);
  const first: NewEvent = { kind: "session", source: "system", data: someData(choose), trace_id: choose.one(world.traces) };
  const fork = { session_id: choose.one(world.sessions.slice(of, of + 1)), at: choose.integer(0, 8) };
  const create = { owner_id: choose.one(world.owners.slice(owner, owner + 1)), agent: "diary", agent_version: 1, fork };
  const session = { ...change, session_id: choose.one(free), create, events: [first, ...(change.events ?? [])], depends: {} };
  const commit: Commit = { commit_id: `cmt_${world.past.length}`, at: 1_700_000_000_000, session };
  world.past.push(commit);
  return committed(commit);
}

/** Number of sessions created at the start. The others are created by forks. */
const createdFirst = 4;

/** Returns the commands that create the first sessions and every owner, as a basis for the random ones. */
export function firstCommands(choose: Chooser, world: World): readonly Command[] {
  return world.sessions.slice(0, createdFirst).map((session_id, index) => {
    const owner_id = world.owners[index % world.owners.length] as OwnerId;
    const commit: Commit = {
      commit_id: `cmt_${world.past.length}`,
      at: 1_700_000_000_000 + index,
      ...(index < world.owners.length ? { owner: { owner_id, create: index === 0 ? {} : { customer_id: `crm-${index}` } } } : {}),
      session: {
        session_id,
        create: { owner_id, agent: "diary", agent_version: 1 },
        events: [{ kind: "session", source: "system", data: { type: "created", state: someData(choose) }, trace_id: choose.one(world.traces) }],
      },
    };
    world.past.push(commit);
    return committed(commit);
  });
}

/** Returns the counts of an erasure. Its id and times differ between stores. */
async function erased(store: Store, target: Parameters<Store["erase"]>[0]): Promise<unknown> {
  const { sessions, events } = await store.erase(target);
  return { sessions, events };
}

/** Lists data that belongs to no session or customer, or lists a queue. */
function someList(choose: Chooser, world: World): Command {
  const version = choose.integer(0, 4);
  const at = 1_700_000_000_000 + choose.integer(-1000, 1000);
  const owner_id = choose.one([...world.owners, ...scopeOwners(world).slice(0, 4)]);
  const prefix = choose.one(["", "a", "a/", "é"]);
  const handover = choose.one(handoverStatuses);
  const order = choose.one(["asc", "desc"] as const);
  const session_ids = world.sessions.slice(-100);
  const messages = 1 + (version % 3);
  return {
    name: `list ${owner_id}, ${version}, ${at}, "${prefix}", ${handover}, ${order}`,
    calls: [
      (store) => store.list({ of: "variables", owner_id, version }),
      (store) => store.list({ of: "variables", owner_id, at }),
      (store) => store.list({ of: "records", kind: recordKinds[0], prefix, order, limit: 2 }),
      (store) => store.list({ of: "sessions", by: "handover", handover, order, limit: 2 }),
      (store) => store.list({ of: "sessions", operator: "ann" }),
      (store) => store.list({ of: "sessions", running: true }),
      (store) => store.list({ of: "tails", session_ids, messages }),
      (store) => store.list({ of: "tails", session_ids, messages, messages_only: true }),
    ],
  };
}

/** Returns the next command. */
export function commandFrom(choose: Chooser, world: World): Command {
  const kind = choose.integer(1, 100);
  if (kind <= 14) return someFork(choose, world);
  if (kind <= 60) return committed(someCommit(choose, world));
  if (kind <= 68) {
    const commit = choose.one(world.past);
    return { name: `again ${commit.commit_id}`, calls: [(store) => store.commit(commit)] };
  }
  if (kind <= 84) return someLease(choose, world);
  if (kind <= 94) return parallelAppends(choose, world);
  if (kind <= 96) return someList(choose, world);
  if (kind <= 98) {
    const labels = choose.list(2, () => choose.one(["l", "m"]));
    return {
      name: `list ${labels.join()}`,
      calls: [(store) => store.list({ of: "sessions", labels }), (store) => store.list({ of: "sessions", external_id: "x", mode: "auto" })],
    };
  }
  const target = choose.chance(0.7) ? { session_id: choose.one(world.sessions) } : { owner_id: choose.one(world.owners) };
  return { name: `erase ${JSON.stringify(target)}`, calls: [(store) => erased(store, target)] };
}
