/** Throw-away runs leave no row behind: what each leaves has an end. On each database. */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, input, loop, openStore, scripted } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { places } from "../../packages/throughline/src/store/sql/erasure/places.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { started } from "../runtime/harness.ts";
import { emptyPostgresDatabase, newSqliteFile, runSql } from "../setup/database.ts";

const State = defineState({ message: input(z.string()), ...routineFields() });
const instant = defineRoutine({
  ...{ id: "instant", title: "Instant", state: State, autonomous: true },
  output: z.object({ ok: z.boolean() }),
  nodes: { emit: { emit_output: { output: () => ({ ok: true }) } } },
});
const dayMs = 86_400_000;

/** Returns the number of rows of each table with data. */
async function rowsIn(location: string): Promise<Record<string, number>> {
  const isFile = !location.startsWith("postgres");
  const database = isFile ? new DatabaseSync(location, { readOnly: true }) : undefined;
  const tables = [...new Set(places.filter(({ only }) => only !== "postgres").map(({ table }) => table))];
  const counts: [string, number][] = [];
  for (const table of tables) {
    const from = `FROM ${isFile ? "" : "throughline."}${table}`;
    const rows = database?.prepare(`SELECT count(*) AS n ${from}`).all() ?? (await runSql(location, `SELECT count(*) AS n ${from}`));
    if (table !== "meta" && table !== "schema_migrations") counts.push([table, Number(rows[0]?.["n"])]);
  }
  database?.close();
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
}

describe.each(["SQLite", "PostgreSQL"] as const)("the rows of throw-away runs on %s", (database) => {
  const opened = async () => {
    const location = database === "SQLite" ? newSqliteFile() : await emptyPostgresDatabase();
    const clock = fixedClock();
    const store = await openStore(location, { clock });
    const agent = defineAgent({
      ...{ name: "desk", state: State, extensions: [routines({ routines: [instant] })] },
      reply: loop({ model: scripted(() => "nothing") }),
    });
    const runtime = await started({ agents: [agent], pollMs: 20, clock, store });
    const poll = <Value>(read: () => Promise<Value>) =>
      expect.poll(
        () => {
          clock.advance(30);
          return read();
        },
        { timeout: 20_000, interval: 10 },
      );
    const hints = async () => (await store.list({ of: "records", kind: "routine.run_due" })).items.length;
    /** Runs several, and lets all of their results expire. */
    const batch = async (runs: number) => {
      const ids: string[] = [];
      for (let run = 0; run < runs; run++) ids.push((await runtime.runs.start(instant, undefined, { idempotencyKey: `${clock.now()} ${run}` })).id);
      for (const id of ids) await poll(async () => (await runtime.runs.get(id)).erasure?.sessions).toBe(1);
      clock.advance(dayMs);
      await poll(hints).toBe(0);
      return ids;
    };
    return { location, clock, store, runtime, batch };
  };

  it("K: return to a constant when their receipts have expired", async () => {
    const { location, clock, store, batch } = await opened();
    await batch(2);
    clock.advance(31 * dayMs);
    await batch(2);
    const constant = await rowsIn(location);
    clock.advance(31 * dayMs);
    await batch(12);
    expect((await store.list({ of: "erasures" })).total).toBeGreaterThanOrEqual(12);
    clock.advance(31 * dayMs);
    await batch(2);
    expect(await rowsIn(location)).toEqual(constant);
  });

  it("K: include a receipt as long as the run gives it", async () => {
    const { clock, store, runtime, batch } = await opened();
    const [id = ""] = await batch(1);
    clock.advance(29 * dayMs);
    await expect(runtime.runs.get(id)).rejects.toMatchObject({ code: "run.expired", details: { erasure: { sessions: 1 } } });
    expect((await store.list({ of: "erasures" })).items.some(({ sessions }) => sessions === 1)).toBe(true);
    clock.advance(2 * dayMs);
    await expect(runtime.runs.get(id)).rejects.toMatchObject({ code: "run.not_found" });
    expect((await store.list({ of: "erasures" })).total).toBe(0);
  });
});
