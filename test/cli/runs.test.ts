/** `throughline runs`: starting, listing, showing and cancelling runs beside a process that does their work. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRuntime, openStore } from "../../packages/throughline/src/index.ts";
import { root } from "../../scripts/root.ts";
import { place } from "../config/place.ts";
import { runner } from "../setup/sample-requests.ts";
import { command } from "./in-process.ts";

async function desk() {
  const { folder, write } = place();
  const location = join(folder, "app.db");
  write("agent.ts", `export { runner as agent } from ${JSON.stringify(join(root, "test/setup/sample-requests.ts"))};\n`);
  write("throughline.yaml", `store: ${location}\nagents: [./agent.ts]\n`);
  const store = await openStore(location);
  const runtime = await createRuntime({ store, agents: [runner], pollMs: 20 });
  onTestFinished(async () => {
    await runtime.close({ drainMs: 100 });
    await store.close();
  });
  const runs = (...words: readonly string[]) => command(["runs", ...words], { folder });
  const json = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const { out, message } = await runs(...words, "--json");
    if (out === "") throw new Error(message);
    return JSON.parse(out) as Readonly<Record<string, unknown>>;
  };
  return { runtime, runs, json };
}

test("a run is started once per key, and shown with its output", async () => {
  const { runs, json } = await desk();
  const start = ["start", "instant", "--input", '{"n":"five"}', "--key", "k", "--keep", "3600"];
  const { id = "" } = (await json(...start)) as { readonly id?: string };
  expect(await json(...start)).toMatchObject({ id });
  await expect
    .poll(() => json("show", id), { timeout: 10_000 })
    .toMatchObject({ status: "completed", output: { n: "five" }, erasure: { sessions: 1 } });
  const { out } = await runs("show", id);
  expect(out).toMatch(/^run +run_/);
  for (const line of [
    /^routine +instant, version 1, of runner$/m,
    /^status +completed$/m,
    /^erased +1 session, \d+ events/m,
    /^output +\{"n":"five"\}$/m,
  ])
    expect(out).toMatch(line);
  expect(await runs("start", "instant", "--input", "five")).toMatchObject({ error: "cli.usage" });
  expect(await runs("start", "nothing")).toMatchObject({ error: "routine.not_found" });
  expect(await runs("start", "instant", "--input", '{"n":"a"}', "--callback-url", "https://desk.example.com/")).toMatchObject({
    error: "outbound.refused",
  });
  expect(await runs("show", "run_1")).toMatchObject({ error: "run.not_found" });
  expect(await runs("resend", id)).toMatchObject({ error: "cli.usage" });
  expect(await runs("resend", id, "--callback-url", "https://desk.example.com/")).toMatchObject({ error: "outbound.refused" });
});

test("runs are listed by routine, status and session, page by page, and cancelled", async () => {
  const { runtime, runs, json } = await desk();
  const session = await runtime.sessions.create({ agent: "runner" });
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) ids.push(String((await json("start", "patient", "--session", session.id))["id"]));
  const other = await runtime.runs.start("instant", { n: "a" });
  for (const id of ids) await expect.poll(async () => (await json("show", id))["status"], { timeout: 10_000 }).toBe("waiting");
  const listed = async (...words: readonly string[]) =>
    ((await json("list", ...words)) as { readonly items: readonly { readonly id: string }[] }).items.map(({ id }) => id);
  expect((await listed("--session", session.id)).toSorted()).toEqual(ids.toSorted());
  expect(await listed("--routine", "instant")).toEqual([other.id]);
  const first = await runs("list", "--status", "waiting", "--limit", "2");
  expect(first.out).toMatch(/^ID +ROUTINE +STATUS +STARTED +SESSION +ERROR\nrun_/);
  const [, cursor = ""] = /--cursor (\S+)/.exec(first.err) ?? [];
  expect(await listed("--status", "waiting", "--limit", "2", "--cursor", cursor)).toHaveLength(1);
  const cancelled = ids[0] ?? "";
  expect((await runs("cancel", cancelled)).out).toMatch(/^status +cancelled: cancelled, The run was cancelled\.$/m);
  expect(await listed("--status", "cancelled")).toEqual([cancelled]);
  expect((await runs("list", "--status", "failed")).err).toContain("There are no such runs.");
  expect(await runs("list", "--status", "over")).toMatchObject({ error: "cli.usage" });
});
