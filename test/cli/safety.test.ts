import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRuntime, openStore } from "../../packages/throughline/src/index.ts";
import { gated } from "../runtime/safety/harness.ts";
import { command } from "./in-process.ts";

let folder = "";
const database = (): string => join(folder, "safety.db");
const run = (...words: readonly string[]) => command(["--db", database(), ...words], { folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "throughline-"));
  const store = await openStore(database());
  const runtime = await createRuntime({ store, agents: [gated().agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  await session.send("Good morning");
  await session.send("I want to die. I live in Canada.");
  await runtime.close();
  await store.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("what gates have found", () => {
  test("safety report: sums and no word that a person wrote", async () => {
    const { out } = await run("safety", "report");
    expect(out).toContain("2 assessments on 1 days");
    expect(out).toMatch(/Referrals \d{4}: CA 1/u);
    expect(out).not.toContain("want to die");
  });

  test("safety report as JSON, of days without any", async () => {
    const { out } = await run("--json", "safety", "report", "--from", "2020-01-01", "--to", "2020-01-31");
    expect(JSON.parse(out)).toMatchObject({ report: { totals: { events_total: 0 }, days: [], reply_completion_rate: null, spool_waiting: 0 } });
  });

  test("safety assessments, all and of a level", async () => {
    expect((await run("safety", "assessments")).out.trim().split("\n")).toHaveLength(2);
    expect((await run("safety", "assessments", "--level", "2")).out).toMatch(/level 2 {2}union/u);
    expect((await run("safety", "assessments", "--day", "2020-01-01")).err).toContain("There are no assessments.");
  });

  test.each([
    [["safety", "report", "--from", "2020-02-30"], "input.invalid"],
    [["safety", "assessments", "--level", "4"], "cli.usage"],
  ])("%j is refused", async (words, error) => {
    expect((await run(...words)).error).toBe(error);
  });
});

test("safety protocol: of the companion by default, from its configuration", async () => {
  const { out } = await run("safety", "protocol");
  expect(out).toMatch(/^# Safety protocol of companion\n/u);
  expect(out).toContain("https://findahelpline.com");
});
