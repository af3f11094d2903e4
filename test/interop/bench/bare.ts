/** The floor: two rows a turn, and nothing else. No state, no history of it, no check of versions. */
import { DatabaseSync } from "node:sqlite";
import { Pool } from "pg";
import type { Contestant, Conversation } from "./contestant.ts";
import { postgresQuery } from "./places.ts";
import { syncLevel } from "./sqlite-file.ts";

const schema = `CREATE TABLE events (session TEXT NOT NULL, "offset" INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (session, "offset"))`;

export const bareSqlite = (synchronous: "FULL" | "NORMAL"): Contestant => ({
  name: `bare insert, ${synchronous}`,
  versions: `node:sqlite ${process.versions.sqlite}`,
  engine: "sqlite",
  commit: "one transaction, 2 rows",
  async open(location) {
    const database = new DatabaseSync(location);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; ${schema}`);
    const insert = database.prepare(`INSERT INTO events (session, "offset", role, text) VALUES (?, ?, ?, ?)`);
    const last = database.prepare(`SELECT role, text FROM events WHERE session = ? ORDER BY "offset" DESC LIMIT 20`);
    const begin = async (id: string): Promise<Conversation> => {
      let head = 0;
      return {
        async commit({ asked, answered }) {
          database.exec("BEGIN");
          insert.run(id, head++, "user", asked);
          insert.run(id, head++, "assistant", answered);
          database.exec("COMMIT");
        },
        load: async () => last.all(id).length,
        append: async () => void insert.run(id, head++, "custom", "noted"),
        remove: async () => void database.prepare("DELETE FROM events WHERE session = ?").run(id),
      };
    };
    return {
      begin,
      durability: async () => syncLevel(database.prepare("PRAGMA synchronous").get()?.["synchronous"]),
      close: async () => database.close(),
    };
  },
});

export const barePostgres: Contestant = {
  name: "bare insert",
  versions: "pg 8.23.1",
  engine: "postgres",
  commit: "one statement, 2 rows",
  async open(location) {
    await postgresQuery(location, schema);
    const pool = new Pool({ connectionString: location });
    const text = `INSERT INTO events (session, "offset", role, text) VALUES ($1, $2, 'user', $3), ($1, $2 + 1, 'assistant', $4)`;
    const one = `INSERT INTO events (session, "offset", role, text) VALUES ($1, $2, 'custom', $3)`;
    const begin = async (id: string): Promise<Conversation> => {
      let head = 0;
      return {
        async commit({ asked, answered }) {
          await pool.query({ name: "commit", text, values: [id, head, asked, answered] });
          head += 2;
        },
        load: async () => (await pool.query(`SELECT role, text FROM events WHERE session = $1 ORDER BY "offset" DESC LIMIT 20`, [id])).rows.length,
        append: async () => void (await pool.query({ name: "append", text: one, values: [id, head++, "noted"] })),
        remove: async () => void (await pool.query("DELETE FROM events WHERE session = $1", [id])),
      };
    };
    return {
      begin,
      durability: async () => `synchronous_commit=${String((await postgresQuery(location, "SHOW synchronous_commit"))[0]?.["synchronous_commit"])}`,
      close: () => pool.end(),
    };
  },
};
