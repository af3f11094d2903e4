/** Retention on every engine: a log that begins later, its forks, and what must stay. */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import type { OwnerId, SessionId } from "../../packages/throughline/src/kernel/id.ts";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import {
  append,
  asked,
  commitOf,
  event,
  expectError,
  ids,
  message,
  newOwner,
  newSession,
  queue,
  trace,
  write,
} from "../../packages/throughline/src/testing/store/fixtures.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../setup/database.ts";

interface Engine {
  readonly store: Store;
  /** How many rows a table holds; undefined where there are none to count. */
  readonly count?: (table: string) => Promise<number>;
}

const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  memory: async () => ({ store: openMemoryStore() }),
  SQLite: async () => {
    const path = newSqliteFile();
    const count = async (table: string): Promise<number> => {
      const database = new DatabaseSync(path, { readOnly: true });
      const row = database.prepare(`SELECT count(*) AS n FROM ${table}`).get();
      database.close();
      return Number(row?.["n"]);
    };
    return { store: await openSqliteStore(path), count };
  },
  PostgreSQL: async () => {
    const url = await emptyPostgresDatabase();
    return {
      store: await openPostgresStore(url),
      count: async (table) => Number((await runSql(url, `SELECT count(*)::int AS n FROM throughline.${table}`))[0]?.["n"]),
    };
  },
};

const patch = (value: number) => event("state", { patch: [{ op: "add", path: "/n", value }] }, { metadata: { value } });

/** A log of offsets 0 to 20: ten times a message and a patch that sets `n`. */
async function longSession(store: Store, owner_id: OwnerId): Promise<SessionId> {
  const session_id = await newSession(store, { owner_id, state: { n: 0 } });
  for (let n = 1; n <= 10; n++)
    await append(store, session_id, { events: [message(`m${n}`), patch(n)], ...(n === 4 ? { checkpoint: { n: 4 } } : {}) });
  return session_id;
}

const cutTo = (store: Store, session_id: SessionId, first_offset: number, state: { readonly n: number }) =>
  store.commit(commitOf({ session: { session_id, cut: { first_offset, state } } }));

async function fork(store: Store, owner_id: OwnerId, session_id: SessionId, at: number): Promise<SessionId> {
  const child = ids.next("session");
  const forked = event("session", { type: "forked", at }, { trace_id: trace });
  await write(store, {
    session: { session_id: child, create: { owner_id, agent: "diary", agent_version: 1, fork: { session_id, at } }, events: [forked] },
  });
  return child;
}

/** State at an offset, as the last patch says. */
async function stateAt(store: Store, session_id: SessionId, at: number): Promise<unknown> {
  const loaded = await store.load({ session_id, at });
  const last = loaded?.patches.at(-1)?.data["patch"] as readonly { readonly value: number }[] | undefined;
  return last?.[0]?.value ?? loaded?.base.state["n"];
}

describe.each(Object.entries(engines))("a log that is cut on %s", (name, prepare) => {
  const on = (requirement: string, body: (engine: Engine) => Promise<void>): void =>
    test(requirement, async ({ skip }) => {
      if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
      const engine = await prepare();
      onTestFinished(() => engine.store.close());
      await body(engine);
    });

  on("begins later: state, reads and pages from there on are as before, below is refused", async ({ store, count }) => {
    const session_id = await longSession(store, await newOwner(store, "crm-1"));
    const before = await Promise.all([11, 12, 13, 20].map((at) => stateAt(store, session_id, at)));
    const events = (await store.read({ session_id, min_offset: 11, limit: 100 }))?.events;
    expect(await cutTo(store, session_id, 11, { n: 5 })).toMatchObject({ outcome: "committed" });
    expect((await store.open({ session_id }))?.first_offset).toBe(11);
    expect(await Promise.all([11, 12, 13, 20].map((at) => stateAt(store, session_id, at)))).toEqual(before);
    expect((await store.read({ session_id, limit: 100 }))?.events).toEqual(events);
    expect((await store.load({ session_id, messages: 100 }))?.messages.map(({ offset }) => offset)).toEqual([11, 13, 15, 17, 19]);
    await expectError(store.read({ session_id, min_offset: 10 }), "log.retained_from");
    await expectError(store.load({ session_id, at: 10 }), "log.retained_from");
    await append(store, session_id, { events: [patch(11)] });
    expect(await stateAt(store, session_id, 21)).toBe(11);
    if (count === undefined) return;
    expect([await count("events"), await count("event_extras"), await count("checkpoints"), await count("erasures")]).toEqual([11, 11, 1, 0]);
  });

  on("cannot begin earlier again, after its head, or after what waits or runs", async ({ store }) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await longSession(store, owner_id);
    await append(store, session_id, { events: [asked("a")], queue: queue() });
    const out = (first_offset: number) => ({ outcome: "refused", reason: "cut_out_of_range", first_offset, last_offset: 21 });
    expect(await cutTo(store, session_id, 22, { n: 10 })).toEqual(out(0));
    expect(await cutTo(store, session_id, 21, { n: 10 })).toMatchObject({ outcome: "committed" });
    expect(await cutTo(store, session_id, 21, { n: 10 })).toEqual(out(21));
    expect((await store.load({ session_id }))?.waiting).toEqual([{ offset: 21, turn: 1 }]);
    const claim = await store.claim({ kind: "session", session_id, worker: "w", lease_ms: 60_000 });
    await append(store, session_id, {
      events: [event("turn", { type: "started" }, { turn: 1 }), event("turn", {}, { turn: 1 })],
      start_turn: { number: 1, event: 0 },
    });
    await append(store, session_id, { events: [message("later")] });
    expect(await cutTo(store, session_id, 23, { n: 10 })).toEqual(out(21));
    await append(store, session_id, { events: [event("turn", {}, { turn: 1 })], end_turns: [1], depends: { epoch: claim?.epoch ?? 0 } });
    expect(await cutTo(store, session_id, 24, { n: 10 })).toMatchObject({ outcome: "committed" });
    expect((await store.read({ session_id, kinds: ["turn"] }))?.events[0]?.trace_id).toBe(trace);
  });

  on("keeps what its forks share, and a fork that is cut lets go of it", async ({ store, count }) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await longSession(store, owner_id);
    const child = await fork(store, owner_id, session_id, 6);
    const late = await fork(store, owner_id, session_id, 14);
    const seen = (await store.read({ session_id: child, limit: 100 }))?.events;
    await cutTo(store, session_id, 17, { n: 8 });
    expect((await store.read({ session_id: child, limit: 100 }))?.events).toEqual(seen);
    expect([await stateAt(store, child, 4), await stateAt(store, child, 7), await stateAt(store, late, 12)]).toEqual([2, 3, 6]);
    const refused = store.commit(
      commitOf({
        session: {
          session_id: ids.next("session"),
          create: { owner_id, agent: "a", agent_version: 1, fork: { session_id, at: 9 } },
          events: [event("session", {}, { trace_id: trace })],
        },
      }),
    );
    expect(await refused).toEqual({ outcome: "refused", reason: "origin_out_of_range", first_offset: 17, head: 20 });
    await cutTo(store, late, 13, { n: 6 });
    expect([await stateAt(store, late, 13), await stateAt(store, late, 14), await stateAt(store, late, 15)]).toEqual([6, 7, 7]);
    expect((await store.read({ session_id: late }))?.events.map(({ offset }) => offset)).toEqual([13, 14, 15]);
    const grandchild = await fork(store, owner_id, late, 14);
    expect([await stateAt(store, grandchild, 13), await stateAt(store, grandchild, 15)]).toEqual([6, 7]);
    expect((await store.read({ session_id: child, limit: 100 }))?.events).toEqual(seen);
    if (count !== undefined) expect(await count("events")).toBe(4 + 7 + 1 + 2 + 1 + 1);
    await store.erase({ session_id });
    await store.erase({ session_id: late });
    expect([await stateAt(store, grandchild, 13), await stateAt(store, child, 6)]).toEqual([6, 3]);
    await append(store, child, { events: [message("own")] });
    await cutTo(store, child, 8, { n: 3 });
    expect([await stateAt(store, child, 8), (await store.read({ session_id: child }))?.events.map(({ offset }) => offset)]).toEqual([3, [8]]);
    if (count !== undefined) expect(await count("events")).toBe(1 + 2 + 1);
    await store.erase({ session_id: grandchild });
    await store.erase({ session_id: child });
    if (count !== undefined)
      for (const table of ["events", "event_extras", "checkpoints", "segments", "sessions", "turns"]) expect(await count(table)).toBe(0);
  });
});
