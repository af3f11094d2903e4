/** The rows about runs and think nodes on each database, with two processes that run the turns, and a third one that starts and reads them. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRuntime, openStore, type Runtime, type Store } from "../../packages/throughline/src/index.ts";
import { emptyPostgresDatabase } from "../setup/database.ts";
import { databases } from "../setup/server.ts";
import { createRows, patient, sort, work, wrong } from "./rows-agent.ts";

describe.each(databases)("runs in two processes on %s", (database) => {
  let outside: string;
  let store: Store;
  let runtime: Runtime;
  let extension: ReturnType<typeof createRows>["extension"];
  let startWorker: () => number | undefined;
  const stops: (() => unknown)[] = [];

  beforeAll(async () => {
    outside = await mkdtemp(join(tmpdir(), "throughline-rows-"));
    writeFileSync(join(outside, "effects"), "");
    const location = database === "SQLite" ? join(outside, "rows.db") : await emptyPostgresDatabase();
    store = await openStore(location);
    const rows = createRows(outside);
    ({ extension } = rows);
    runtime = await createRuntime({ store, agents: [rows.agent], work: false });
    startWorker = () => {
      const child = spawn(process.execPath, [join(import.meta.dirname, "rows-child.ts"), location, outside], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      stops.push(() => child.kill("SIGKILL"));
      return child.pid;
    };
    for (let count = 0; count < 2; count++) startWorker();
  }, 120_000);

  afterAll(async () => {
    for (const stop of stops) stop();
    await runtime.close();
    await store.close();
    await rm(outside, { recursive: true, force: true });
  });

  const patience = { timeout: 120_000, interval: 50 };
  const settled = async (id: string) => {
    await expect.poll(async () => (await runtime.runs.get(id)).status, patience).toMatch(/completed|failed|cancelled/u);
    return runtime.runs.get(id);
  };

  test("K8, K10, K11: keep only valid outputs, of both think nodes, and every visit of a node that is visited twice", async () => {
    const session = await runtime.sessions.create({ agent: "rows" });
    const run = await runtime.runs.start(sort, { text: "Buy now" }, { session_id: session.id });
    expect(await settled(run.id)).toMatchObject({ status: "completed", output: { category: "sales", urgent: true } });
    const { values } = (await session.info()).metadata;
    expect(values["step_outputs"]).toMatchObject({ classify: { category: "sales" }, rate: { urgent: true } });
    expect(JSON.stringify(values["step_visits"])).toMatch(/spam.*sales/u);
    expect(JSON.stringify(values)).not.toMatch(/other|very/u);
  }, 150_000);

  test("K15: an output that never fits fails the run within its tries", async () => {
    const run = await runtime.runs.start(wrong);
    expect(await settled(run.id)).toMatchObject({ status: "failed", error: { code: "output_validation_failed" } });
  }, 150_000);

  test("a wait for an event and one for a time go on, whichever process hears of it", async () => {
    const session = await runtime.sessions.create({ agent: "rows" });
    const run = await runtime.runs.start(patient, undefined, { session_id: session.id });
    await expect.poll(async () => (await runtime.runs.get(run.id)).status, patience).toBe("waiting");
    await session.extension(extension).event("parcel");
    expect(await settled(run.id)).toMatchObject({ status: "completed", output: { ok: true } });
  }, 150_000);

  test("K16: a run that waits for longer than its time fails, and what comes later changes nothing", async () => {
    const session = await runtime.sessions.create({ agent: "rows" });
    const run = await runtime.runs.start(patient, undefined, { session_id: session.id, timeout_seconds: 1 });
    expect(await settled(run.id)).toMatchObject({ status: "failed", error: { code: "timeout" } });
    await session.extension(extension).event("parcel");
    await expect.poll(async () => (await session.pending()).turns.length, patience).toBe(0);
    expect(await runtime.runs.get(run.id)).toMatchObject({ status: "failed", error: { code: "timeout" } });
    expect((await session.extension(extension).position()).frames).toEqual([]);
  }, 150_000);

  test("K18: a process that is killed in a run is followed by the other, which repeats no finished call", async () => {
    const session = await runtime.sessions.create({ agent: "rows" });
    const run = await runtime.runs.start(work, undefined, { session_id: session.id });
    const effects = () => (existsSync(join(outside, "effects")) ? readFileSync(join(outside, "effects"), "utf8").trim().split("\n") : []);
    const dwelling = () => effects().flatMap((line) => /^dwells (\d+)$/u.exec(line)?.[1] ?? []);
    await expect.poll(() => dwelling().length, patience).toBe(1);
    process.kill(Number(dwelling()[0]), "SIGKILL");
    expect(await settled(run.id)).toMatchObject({ status: "completed", output: { ok: true } });
    expect(effects().filter((line) => line.startsWith("paid"))).toHaveLength(1);
    const [first, second] = dwelling();
    expect(second).toBeDefined();
    expect(second).not.toBe(first);
  }, 150_000);
});
