import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../packages/throughline/src/index.ts";
import { eventKinds, eventSources, type NewEvent } from "../packages/throughline/src/store/port.ts";
import type { Database, Durability, Engine, Floor } from "./engine.ts";
import { createBareSession } from "./session.ts";

function bytesOf(path: string): number {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    const [{ page_count: pages }, { page_size: size }] = [database.prepare("PRAGMA page_count").get()!, database.prepare("PRAGMA page_size").get()!];
    return Number(pages) * Number(size);
  } finally {
    database.close();
  }
}

const insertEvent = `INSERT INTO events (session, "offset", kind, source, turn, created_at, data) VALUES (1, ?1, ?2, ?3, 1, ?4, ?5)`;

/** Prepared statements on a connection of its own. */
async function createFloor(path: string, durability: Durability): Promise<Floor> {
  const store = await openStore(path);
  await createBareSession(store, { turn: true });
  await store.close();
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  const event = database.prepare(insertEvent);
  const session = database.prepare("UPDATE sessions SET head = ?1, updated_at = ?2 WHERE id = 1");
  const commit = database.prepare("INSERT INTO commits (scope, commit_id, first_offset, head, queued_turn) VALUES (1, ?1, ?2, ?3, NULL)");
  let head = 1;
  return {
    write(events: readonly NewEvent[], round: number) {
      database.exec("BEGIN IMMEDIATE");
      const first = head + 1;
      for (const { kind, source, data } of events)
        event.run(++head, eventKinds.indexOf(kind), eventSources.indexOf(source), round, JSON.stringify(data));
      session.run(head, round);
      commit.run(round, first, head);
      database.exec("COMMIT");
    },
    close: async () => database.close(),
  };
}

export const sqlite: Engine = {
  name: "sqlite",
  limits: { bytesRatio: 2.8, commitRatio: { full: 2, relaxed: 4 }, loadMs: 1, httpRatio: 10 },
  async create(): Promise<Database> {
    const folder = await mkdtemp(join(tmpdir(), "throughline-bench-"));
    const location = join(folder, "bench.db");
    return {
      location,
      tidy: async () => {},
      bytes: async () => bytesOf(location),
      async run(sql) {
        const database = new DatabaseSync(location, { timeout: 5000 });
        database.exec(sql);
        database.close();
      },
      floor: (durability) => createFloor(join(folder, `floor-${durability}.db`), durability),
      fsyncs: async () => undefined,
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
  close: async () => {},
};
