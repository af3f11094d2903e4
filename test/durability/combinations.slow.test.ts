/** Laws that hold whatever features meet: random commands, at once, on trees of forks, from two runtimes. */
import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Store, openStore } from "../../packages/throughline/src/index.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { type Command, World, commands } from "./world.ts";

const encryption = { keys: [{ id: "key", key: randomBytes(32) }] };

interface Place {
  readonly open: () => Promise<readonly [Store, Store]>;
  /** Everything that is in the database, as text. */
  readonly dump?: () => string;
}

const dumped = (path: string): string => {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const text = tables.map(({ name }) => {
    const statement = database.prepare(`SELECT * FROM "${String(name)}"`);
    statement.setReadBigInts(true);
    return statement.all().map((row) => Object.values(row).join(" "));
  });
  database.close();
  return text.flat().join("\n");
};

const places: Readonly<Record<string, () => Promise<Place>>> = {
  memory: async () => ({
    open: async () => {
      const store = await openStore(":memory:");
      return [store, store];
    },
  }),
  SQLite: async () => {
    const path = newSqliteFile();
    return { open: () => bothAt(path, {}), dump: () => dumped(path) };
  },
  "encrypted SQLite": async () => {
    const path = newSqliteFile();
    return { open: () => bothAt(path, { encryption }), dump: () => dumped(path) };
  },
  PostgreSQL: async () => {
    const url = await newPostgresDatabase();
    return { open: () => bothAt(url, {}) };
  },
};

async function bothAt(location: string, options: Parameters<typeof openStore>[1]): Promise<readonly [Store, Store]> {
  const open = (): Promise<Store> => openStore(location, { durability: "relaxed", ...options });
  return [await open(), await open()];
}

const runs = (ofTests: number): number => Number(process.env["COMBINATION_RUNS"] ?? ofTests);
const seed = process.env["COMBINATION_SEED"];

describe.each([
  ["memory", 25],
  ["SQLite", 8],
  ["encrypted SQLite", 3],
  ["PostgreSQL", 2],
] as const)("%s: whatever features meet", (name, numRuns) => {
  test("logs, states, answers, forks and erasures keep their laws", { timeout: 600_000 }, async ({ skip }) => {
    if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
    await fc.assert(
      fc.asyncProperty(commands, async (list: readonly Command[]) => {
        const { open, dump } = await places[name]!();
        const stores = await open();
        const world = await World.begin(stores);
        try {
          for (const command of list) await world.make(command);
          await world.settle();
          await world.expectLawful();
          const text = dump?.();
          if (text !== undefined) expect(world.erasedWords().filter((word) => text.includes(word))).toEqual([]);
        } finally {
          await world.end();
          await Promise.all([...new Set(stores)].map((store) => store.close()));
        }
      }),
      {
        plugins: [fc.timeout(20_000)],
        numRuns: runs(numRuns),
        ...(seed === undefined ? {} : { seed: Number(seed) }),
        endOnFailure: process.env["COMBINATION_SHRINK"] === undefined,
      },
    );
  });
});
