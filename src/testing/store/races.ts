/** Races: what two writers do with one session at the same time, and what must come of it. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { Claim, CommitResult, Committed, LoadedSession, Refusal, SessionChange, Store } from "../../store/port.ts";
import { type Parts, asked, commitOf, created, event, ids, message, queue } from "./fixtures.ts";

/** A session that is raced for, and what must be known of it by now: each race raises what it has written. */
export interface Arena {
  readonly session_id: SessionId;
  readonly owner_id: OwnerId;
  readonly customer_id: string;
  readonly known: {
    head: number;
    state_offset: number;
    /** What the state counts. */
    count: number;
    version: number;
    epoch: number;
    episode: number;
    last_turn: number;
    /** Of the owner, and of its variables. */
    owner_version: number;
  };
}

/** One pair of writers. Each has a store of its own, or both have one. */
export interface Pair {
  readonly writers: readonly [Store, Store];
  /** Different in every pair of a session. */
  readonly number: number;
  readonly arena: Arena;
}

/** What the loser was told: why its commit was refused, or that it was there already, or that there was nothing to claim or release. */
export type Loss = Refusal["reason"] | "replayed" | "not_claimed" | "not_released";

/** Runs one pair; `"none"` for pairs without a loser. Rejects if the outcome violates the contract. */
export type Race = (pair: Pair) => Promise<Loss | "none">;

/** The number that the state holds. */
export const countOf = ({ base, patches }: LoadedSession): number => Number((patches.at(-1)?.data ?? base.state)["count"]);

/** Both writers look, and both must see all that was written before. */
export async function look({ writers, arena }: Pick<Pair, "writers" | "arena">): Promise<void> {
  for (const loaded of await Promise.all(writers.map((store) => store.load({ session_id: arena.session_id, messages: 1 })))) {
    ok(loaded !== undefined, "The session is not there.");
    const { head, state_offset, version, epoch, episode, last_turn } = loaded.session;
    const seen = { head, state_offset, count: countOf(loaded), version, epoch, episode, last_turn, owner_version: loaded.variables.version };
    deepStrictEqual(seen, arena.known, "What a writer reads is not what was acknowledged.");
  }
}

type Won = NonNullable<Committed["session"]> & { readonly writer: number };

/** Both commit at once: one must be accepted, and the other refused in just this way. */
async function oneWins(pair: Pair, parts: (writer: number) => Parts, refusal: (won: Won) => Refusal): Promise<Loss> {
  const results = await Promise.all(pair.writers.map((store, writer) => store.commit(commitOf(parts(writer)))));
  const writer = results.findIndex(({ outcome }) => outcome === "committed");
  const [winner, loser] = writer === 1 ? [results[1], results[0]] : results;
  const told = (): string => `Of two writers one must win: ${JSON.stringify(results)}`;
  ok(winner?.outcome === "committed" && loser?.outcome === "refused", told());
  const { first_offset = 0, head = 0 } = winner.session ?? {};
  const expected: CommitResult = { outcome: "refused", ...refusal({ writer, ...winner.session, first_offset, head }) };
  deepStrictEqual(loser, expected, "The loser must be told why.");
  if (winner.session !== undefined && parts(writer).session?.session_id === pair.arena.session_id) {
    strictEqual(first_offset, pair.arena.known.head + 1, "The offsets have a gap, or one was given twice.");
    pair.arena.known.head = head;
  }
  return expected.reason;
}

/** One of two changes of the session wins. */
const raceFor =
  (change: (pair: Pair, writer: number) => Omit<SessionChange, "session_id">, after: (arena: Arena, won: Won, pair: Pair) => Refusal): Race =>
  (pair) => {
    const { session_id } = pair.arena;
    return oneWins(
      pair,
      (writer) => ({ session: { session_id, ...change(pair, writer) } }),
      (won) => after(pair.arena, won, pair),
    );
  };

const textOf = ({ number }: Pair, writer: number): string => `pair ${number}, writer ${writer}`;

/** So many state events without a checkpoint that loading stays cheap. */
const checkpointEvery = 50;

const base = raceFor(
  ({ arena: { known } }) => ({
    events: [event("state", { count: known.count + 1 })],
    depends: { base: known.state_offset },
    ...((known.count + 1) % checkpointEvery === 0 ? { checkpoint: { count: known.count + 1 } } : {}),
  }),
  ({ known }, { first_offset }) => {
    known.count += 1;
    known.state_offset = first_offset;
    return { reason: "stale_base", state_offset: first_offset };
  },
);

const version = raceFor(
  ({ arena: { known } }, writer) => ({ header: { consumers: { [`writer_${writer}`]: known.version } }, depends: { version: known.version } }),
  ({ known }) => ({ reason: "stale_version", version: ++known.version }),
);

const epoch = raceFor(
  (pair, writer) => ({ events: [message(textOf(pair, writer))], fence: true, depends: { epoch: pair.arena.known.epoch } }),
  ({ known }) => ({ reason: "fenced", epoch: ++known.epoch }),
);

const episode = raceFor(
  ({ arena: { known } }) => ({ events: [event("session")], header: { episode: known.episode + 1 }, depends: { episode: known.episode } }),
  ({ known }) => ({ reason: "stale_episode", episode: ++known.episode }),
);

const head = raceFor(
  (pair, writer) => ({ events: [message(textOf(pair, writer))], depends: { head: pair.arena.known.head } }),
  (_arena, won) => ({ reason: "stale_head", head: won.head }),
);

const key = raceFor(
  (pair, writer) => ({
    events: [event("status"), message(textOf(pair, writer))],
    idempotency: { key: `pair-${pair.number}`, body_hash: `writer-${writer}` },
  }),
  (_arena, won) => ({ reason: "key_used", offset: won.head, body_hash: `writer-${won.writer}` }),
);

/** Room for one more message, and two that come; then the turn that they are for is over. */
const waiting: Race = async (pair) => {
  const { session_id, known } = pair.arena;
  const loss = await raceFor(
    (_pair, writer) => ({ events: [asked(textOf(pair, writer))], queue: queue({ limit: 1 }) }),
    (_arena, won) => {
      strictEqual(won.queued_turn, ++known.last_turn);
      return { reason: "too_many_waiting", waiting: 1 };
    },
  )(pair);
  await mustCommit(pair.writers[0], { session: { session_id, dequeue_turns: [known.last_turn], withdraw_from: known.head } });
  return loss;
};

async function mustCommit(store: Store, parts: Parts): Promise<void> {
  const result = await store.commit(commitOf(parts));
  ok(result.outcome === "committed", `A commit that nothing stands against was refused: ${JSON.stringify(result)}`);
}

/** Both send the same commit: it is written once, and both get the same answer. */
const commitId: Race = async (pair) => {
  const { session_id, known } = pair.arena;
  const commit = commitOf({ session: { session_id, events: [message(textOf(pair, 0))], depends: { head: known.head } } });
  const results = await Promise.all(pair.writers.map((store) => store.commit(commit)));
  const session = { first_offset: known.head + 1, head: known.head + 1 };
  const replays = results.filter((result) => result.outcome === "committed" && result.replayed);
  strictEqual(replays.length, 1, `One commit that is sent twice at once is written once: ${JSON.stringify(results)}`);
  for (const result of results) deepStrictEqual(result.outcome === "committed" && result.session, session);
  known.head += 1;
  return "replayed";
};

/** Neither depends on anything: both are accepted, one after the other. */
const appends: Race = async (pair) => {
  const { session_id, known } = pair.arena;
  const results = await Promise.all(
    pair.writers.map((store, writer) =>
      store.commit(commitOf({ session: { session_id, events: [message(textOf(pair, writer)), ...(writer === 1 ? [event("status")] : [])] } })),
    ),
  );
  const offsets = results.flatMap((result) => {
    ok(result.outcome === "committed" && result.session !== undefined, `What depends on nothing was refused: ${JSON.stringify(result)}`);
    const { first_offset: first, head: last } = result.session;
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  const expected = [1, 2, 3].map((step) => known.head + step);
  deepStrictEqual(
    offsets.toSorted((left, right) => left - right),
    expected,
    "The offsets have a gap, or one was given twice.",
  );
  known.head += 3;
  return "none";
};

const variables: Race = ({ arena, writers, number }) =>
  oneWins(
    { arena, writers, number },
    (writer) => ({
      owner: {
        owner_id: arena.owner_id,
        depends: { version: arena.known.owner_version },
        variables: [{ name: "count", value: arena.known.owner_version + 1 }, ...(writer === 1 ? [{ name: "second", value: number }] : [])],
      },
    }),
    () => ({ reason: "stale_version", version: ++arena.known.owner_version }),
  );

/** Both open a session under one key. */
const openKey: Race = (pair) => {
  const sessions = [ids.next("session"), ids.next("session")] as const;
  const create = { owner_id: pair.arena.owner_id, agent: "race", agent_version: 1, open_key: `${pair.arena.session_id}-${pair.number}` };
  return oneWins(
    pair,
    (writer) => ({ session: { session_id: sessions[writer === 0 ? 0 : 1], create, events: [created()] } }),
    (won) => ({ reason: "session_exists", session_id: sessions[won.writer === 0 ? 0 : 1] }),
  );
};

/** Both create the customer with one id. */
const customer: Race = (pair) => {
  const customer_id = `${pair.arena.customer_id}-${pair.number}`;
  const owners = [ids.next("owner"), ids.next("owner")] as const;
  return oneWins(
    pair,
    (writer) => ({ owner: { owner_id: owners[writer === 0 ? 0 : 1], create: { customer_id } } }),
    () => ({ reason: "owner_exists" }),
  );
};

async function claimed({ writers, arena }: Pair): Promise<{ readonly claim: Claim; readonly holder: Store; readonly other: Store }> {
  const { session_id, known } = arena;
  const claims = await Promise.all(writers.map((store, n) => store.claim({ kind: "session", session_id, worker: `w${n}`, lease_ms: 600_000 })));
  const [claim, second] = claims[0] === undefined ? [claims[1], claims[0]] : claims;
  ok(claim !== undefined && second === undefined, `Of two workers one must get the turn: ${JSON.stringify(claims)}`);
  deepStrictEqual([claim.epoch, claim.turn.number, claim.turn.attempts], [++known.epoch, known.last_turn, 1]);
  const [holder, other] = claims[0] === undefined ? [writers[1], writers[0]] : writers;
  return { claim, holder, other };
}

async function queued({ writers, arena: { session_id, known } }: Pair): Promise<void> {
  await mustCommit(writers[0], { session: { session_id, events: [asked("for a worker")], queue: queue() } });
  known.head += 1;
  known.last_turn += 1;
}

/** Both claim the turn, then both end it: who has no lease is fenced. */
const claim: Race = async (pair) => {
  await queued(pair);
  const { claim: held, holder, other } = await claimed(pair);
  const { session_id, known } = pair.arena;
  const ending = (epoch: number): Parts => ({
    session: { session_id, events: [event("turn", {}, { turn: held.turn.number })], end_turns: [held.turn.number], depends: { epoch } },
  });
  const [kept, late] = await Promise.all([holder.commit(commitOf(ending(held.epoch))), other.commit(commitOf(ending(held.epoch - 1)))]);
  known.head += 1;
  ok(kept.outcome === "committed" && !kept.replayed);
  deepStrictEqual(kept.session, { first_offset: known.head, head: known.head });
  deepStrictEqual(late, { outcome: "refused", reason: "fenced", epoch: held.epoch });
  return "not_claimed";
};

/** Both release one lease: it is released once. */
const release: Race = async (pair) => {
  await queued(pair);
  const { claim: held } = await claimed(pair);
  const { session_id } = pair.arena;
  const given = await Promise.all(pair.writers.map((store) => store.release({ session_id, epoch: held.epoch, counted: false })));
  strictEqual(given.filter((done) => done).length, 1, "A lease is given back once.");
  await mustCommit(pair.writers[0], { session: { session_id, end_turns: [held.turn.number] } });
  return "not_released";
};

/** Both give an anonymous session to a customer, each to another one. */
const identity: Race = async (pair) => {
  const [anonymous, session_id] = [ids.next("owner"), ids.next("session")];
  const customers = [ids.next("owner"), ids.next("owner")] as const;
  const [store] = pair.writers;
  const create = { owner_id: anonymous, agent: "race", agent_version: 1 };
  await mustCommit(store, { owner: { owner_id: anonymous, create: {} }, session: { session_id, create, events: [created()] } });
  for (const owner_id of customers) await mustCommit(store, { owner: { owner_id, create: { customer_id: `race-${owner_id}` } } });
  const customerOf = (writer: number): OwnerId => customers[writer === 0 ? 0 : 1];
  let winner = anonymous;
  const loss = await oneWins(
    pair,
    (writer) => ({ session: { session_id, owner_id: customerOf(writer) } }),
    (won) => {
      winner = customerOf(won.writer);
      return { reason: "not_anonymous", owner_id: winner };
    },
  );
  for (const reader of pair.writers) strictEqual((await reader.open({ session_id }))?.owner_id, winner);
  return loss;
};

/** Both let a log begin later. */
const retention: Race = async (pair) => {
  const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
  const create = { owner_id, agent: "race", agent_version: 1 };
  const events = [created(), message("one"), message("two"), message("three")];
  await mustCommit(pair.writers[0], { owner: { owner_id, create: {} }, session: { session_id, create, events } });
  return oneWins(
    pair,
    () => ({ session: { session_id, cut: { first_offset: 2, state: {} } } }),
    () => ({ reason: "cut_out_of_range", first_offset: 2, last_offset: 3 }),
  );
};

/** Both write one record, which is there already, or is not. */
const record =
  (version: 0 | 1): Race =>
  async (pair) => {
    const [kind, key] = ["race", `${pair.arena.session_id}-${pair.number}`];
    const [store] = pair.writers;
    if (version === 1) await mustCommit(store, { records: [{ kind, key, data: {} }] });
    let winner = -1;
    const loss = await oneWins(
      pair,
      (writer) => ({ records: [{ kind, key, data: { writer }, depends: { version } }] }),
      (won) => {
        winner = won.writer;
        return { reason: "stale_record", kind, key, version: version + 1 };
      },
    );
    for (const reader of pair.writers) {
      const [row] = (await reader.list({ of: "records", kind, key })).items;
      deepStrictEqual([row?.version, row?.data], [version + 1, { writer: winner }]);
    }
    return loss;
  };

/** Every race, by what is raced for. */
export const races: Readonly<Record<string, Race>> = {
  "the base of a patch": base,
  "the version of the header": version,
  "the epoch": epoch,
  "the episode": episode,
  "the head": head,
  "an idempotency key": key,
  "the last place in the queue": waiting,
  "one commit, sent twice": commitId,
  "the next offset": appends,
  "the version of an owner": variables,
  "the key of a new session": openKey,
  "the id of a new customer": customer,
  "a turn to run": claim,
  "a lease to give back": release,
  "the owner of an anonymous session": identity,
  "where a log begins": retention,
  "a record": record(1),
  "the key of a new record": record(0),
};

/** A new session with a customer of its own, to be raced for. */
export async function newArena(store: Store): Promise<Arena> {
  const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
  const customer_id = `race-${session_id}`;
  await mustCommit(store, {
    owner: { owner_id, create: { customer_id } },
    session: { session_id, create: { owner_id, agent: "race", agent_version: 1 }, events: [created({ count: 0 })] },
  });
  const known = { head: 0, state_offset: 0, count: 0, version: 0, epoch: 0, episode: 1, last_turn: 0, owner_version: 0 };
  return { session_id, owner_id, customer_id, known };
}
