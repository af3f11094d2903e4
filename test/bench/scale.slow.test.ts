import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Cost, Costs } from "../../bench/costs.ts";
import { type Machines, boundsOf, ratesOf, utilisationOf } from "../../bench/scale-model.ts";
import { type MeasuredCosts, withTables } from "../../bench/scale-page.ts";
import { simulate } from "../../bench/scale-simulation.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { newSqliteFile } from "../setup/database.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const cost = (process_ms: number, database_ms: number): Cost => ({ process_ms, database_ms, wait_ms: process_ms + database_ms });
const costs: Costs = { open: cost(2, 1), post: cost(2, 1), turn: cost(4, 2), page: cost(1, 0.5) };
const population = { sessions: 1_000_000, turns_per_session_per_day: 4, peak: 3, pages_per_turn: 2, opens_per_turn: 0.2, streams: 0.02 };

describe("the page on scale", () => {
  test("has the tables that its script computes from the costs that were measured", () => {
    const page = read("docs/reference/scale.md");
    expect(withTables(page, JSON.parse(read("bench/costs.json")) as MeasuredCosts)).toBe(page);
  });
});

describe("the tables of the database", () => {
  /** The first column of each table's primary key. */
  async function firstKeys(): Promise<ReadonlyMap<string, string>> {
    const path = newSqliteFile();
    await (await openStore(path)).close();
    const database = new DatabaseSync(path);
    const keys = database
      .prepare(`SELECT m.name AS name, c.name AS key FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.pk = 1 WHERE m.type = 'table'`)
      .all();
    database.close();
    return new Map(keys.map(({ name, key }) => [String(name), String(key)]));
  }

  test("that a turn writes begin with the key of a session or an owner, and the page knows all of them", async () => {
    const page = read("docs/reference/scale.md");
    const keys = await firstKeys();
    // `scope` is a session, or minus an owner; the rows of sessions and owners have the key itself.
    const own = new Set(["session", "owner", "scope"]);
    const keyed = [...keys].filter(([, key]) => own.has(key)).map(([name]) => name);
    expect(keyed.toSorted()).toEqual(
      [
        "checkpoints",
        "commits",
        "due",
        "entries",
        "event_extras",
        "events",
        "idempotency",
        "inputs",
        "segments",
        "turns",
        "variables",
        "withdrawn",
      ].toSorted(),
    );
    for (const name of [...keyed, "sessions", "owners", "owner_keys", "records"]) expect(page).toContain(`\`${name}\``);
    const others = [...keys.keys()].filter((name) => !page.includes(`\`${name}\``));
    expect(others.toSorted()).toEqual(["erasures", "meta", "schema_migrations", "session_labels", "tombstones"]);
  });
});

describe("a simulation of many sessions", () => {
  const rates = ratesOf(population);
  const machines: Machines = { partitions: 4, processes: 2, cores: 2 };

  test("asks for as much as people do", () => {
    expect(rates.turn).toBeCloseTo((1_000_000 * 4 * 3) / 86_400);
    const { requests } = simulate(rates, costs, machines, { seconds: 20 });
    const expected = 20 * (rates.open + rates.post + rates.turn + rates.page);
    expect(Math.abs(requests - expected) / expected).toBeLessThan(0.05);
  });

  test("keeps its machines as busy as their work is", () => {
    const expected = utilisationOf(rates, costs, machines);
    const seen = simulate(rates, costs, machines, { seconds: 60 });
    for (const part of ["process", "database"] as const) {
      expect(seen[part]).toBeGreaterThan(expected[part]);
      expect(seen[part]).toBeLessThan(expected[part] * 1.15);
    }
  });

  test.each([0.3, 0.6, 0.8])("waits as a queue with one server does that is busy for %f of the time", (busy) => {
    const none = cost(0, 0);
    const one: Costs = { open: none, post: cost(10, 0), turn: none, page: none };
    const only = { open: 1e-9, post: busy * 100, turn: 1e-9, page: 1e-9 };
    const seen = simulate(only, one, { partitions: 1, processes: 1, cores: 0 }, { seconds: 4000 });
    // The time in an M/M/1 queue is exponential, with the mean of the work over what is left.
    const mean = 10 / (1 - busy);
    expect(Math.abs(seen.post_p50 / (mean * Math.log(2)) - 1)).toBeLessThan(0.08);
    expect(Math.abs(seen.post_p99 / (mean * Math.log(100)) - 1)).toBeLessThan(0.15);
  });

  test("plays the same for the same seed, and something else for another one", () => {
    const play = (seed: number) => simulate(rates, costs, machines, { seconds: 5, seed });
    expect(play(7)).toEqual(play(7));
    expect(play(7)).not.toEqual(play(8));
  });

  test("does better with more partitions, and does not keep up with too few", () => {
    const busy = ratesOf({ ...population, turns_per_session_per_day: 40 });
    const [few, many] = [4, 16].map((partitions) => simulate(busy, costs, { ...machines, partitions }, { seconds: 10 }));
    expect(few?.process).toBeGreaterThan(0.99);
    expect(many?.process).toBeLessThan(0.6);
    expect(many!.delay_p99).toBeLessThan(few!.delay_p99 / 10);
  });

  test("says what breaks first", () => {
    const bounds = boundsOf(population, { ...costs, heard_ms: 0.01 }, { partitions: 1, processes: 1, cores: 8 }, 80);
    expect(bounds[0]?.what).toBe("processors of the service");
    expect(boundsOf(population, { ...costs, heard_ms: 0.01 }, { partitions: 1, processes: 40, cores: 1 }, 80)[0]?.what).toBe(
      "processors of the database",
    );
    expect(boundsOf(population, { ...costs, heard_ms: 0.01 }, { partitions: 1, processes: 1, cores: 8 }, 80_000)[0]?.what).toBe("memory for streams");
    expect(bounds).toEqual(bounds.toSorted((a, b) => a.sessions - b.sessions));
  });
});
