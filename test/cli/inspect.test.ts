/** Commands for those who look into sessions: filters of a list, effects, forks that reuse results, edits to try. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  type Session,
} from "../../packages/throughline/src/index.ts";
import { command, type Done } from "./in-process.ts";
import { diary } from "./run-cli.ts";

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: z.object({ amount: z.number() }),
  effects: "once",
  execute: ({ amount }) => ({ paid: amount }),
});

const clerk = defineAgent({
  name: "clerk",
  version: 1,
  state: defineState({ message: input(z.string()), note: reduced(z.string()) }),
  reply: loop({
    tools: [pay],
    model: scripted(({ messages }) =>
      messages.at(-1)?.text === "pay" ? { calls: [{ call_id: "c0", name: "pay", arguments: { amount: 5 } }] } : "done",
    ),
  }),
});

/** A database that two sessions were made in, and the command line over it. */
async function office(): Promise<{ readonly run: (...words: readonly string[]) => Promise<Done>; readonly ada: Session; readonly nobody: Session }> {
  const folder = await mkdtemp(join(tmpdir(), "throughline-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const location = join(folder, "office.db");
  const store = await openStore(location);
  const runtime = await createRuntime({ store, agents: [clerk] });
  const ada = await runtime.sessions.open({ agent: "clerk", customer: "ada", title: "Bill", labels: ["vip"] });
  await ada.send("pay");
  await ada.edit({ note: "paid" }, { operator: "Bob" });
  const nobody = await runtime.sessions.create({ agent: "clerk" });
  await nobody.handOver({ operator: "eve" });
  await runtime.close();
  await store.close();
  return { run: (...words) => command(["--db", location, ...words], { folder }), ada, nobody };
}

test("sessions list takes the filters that people type, and says who answers", async () => {
  const { run, ada, nobody } = await office();
  const listed = async (...words: readonly string[]): Promise<readonly string[]> =>
    (JSON.parse((await run("--json", "sessions", "list", ...words)).out) as { sessions: readonly { id: string }[] }).sessions.map(({ id }) => id);
  expect(await listed()).toEqual([nobody.id, ada.id]);
  for (const words of [
    ["--customer", "ada"],
    ["--mode", "auto"],
    ["--label", "vip"],
    ["--search", "bill"],
  ])
    expect(await listed(...words)).toEqual([ada.id]);
  for (const words of [
    ["--handover", "assigned"],
    ["--operator", "eve"],
  ])
    expect(await listed(...words)).toEqual([nobody.id]);
  expect(await listed("--after", "2000-01-01")).toHaveLength(2);
  expect(await listed("--before", "2000-01-01")).toEqual([]);
  expect((await run("sessions", "list")).out).toMatch(new RegExp(`${nobody.id} +clerk +- +eve +- +0`, "u"));
  expect((await run("sessions", "list", "--label", "none")).err).toBe("No session matches.\n");
  expect(await run("sessions", "list", "--customer", "bob")).toMatchObject({ error: "customer.not_found" });
  expect(await run("sessions", "list", "--after", "yesterday")).toMatchObject({ error: "cli.usage" });
});

test("sessions effects lists calls, and sessions fork --reuse marks the fork", async () => {
  const { run, ada } = await office();
  expect((await run("sessions", "effects", ada.id)).out).toMatch(/\d+ +once +ok +pay\(\{"amount":5\}\)/u);
  const fork = (await run("sessions", "fork", ada.id, "--at", "0", "--reuse")).out.trim();
  expect((await run("events", "list", fork)).out).toMatch(/forked at 0, reuses results recorded up to \d+/u);
  expect((await run("sessions", "effects", fork)).err).toContain("No call with effects.");
});

test("state writers names who wrote a field last", async () => {
  const { run, ada } = await office();
  expect((await run("state", "writers", ada.id)).out).toMatch(/note +\d+ +operator Bob/u);
});

test("state edit shows what it would do with --dry-run, and does it without", async () => {
  const folder = await mkdtemp(join(tmpdir(), "throughline-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const location = join(folder, "diary.db");
  const run = (...words: readonly string[]): Promise<Done> => command(["--db", location, ...words], { folder });
  const { loadAgent } = await import("../../packages/server/src/cli/load-agent.ts");
  const agent = await loadAgent(diary[1]);
  const store = await openStore(location);
  const runtime = await createRuntime({ store, agents: [agent], work: false });
  const { id } = await runtime.sessions.create({ agent: agent.name });
  await runtime.close();
  await store.close();
  const tried = await run("state", "edit", '{"user_name":"Ada"}', "--session", id, "--dry-run", ...diary);
  expect(tried).toMatchObject({ out: '{"op":"add","path":"/user_name","value":"Ada"}\n' });
  expect(tried.err).toContain("nothing was changed");
  expect((await run("state", "get", id)).out).not.toContain("Ada");
  const wrong = await run("state", "edit", '{"user_name":5,"nothing":1}', "--session", id, "--dry-run", ...diary);
  expect(wrong.out.split("\n").map((line) => line.split(":")[0])).toEqual(["user_name", "nothing", ""]);
  expect(await run("state", "edit", '{"user_name":5}', "--session", id, ...diary)).toMatchObject({ error: "state.invalid_value" });
  expect(await run("state", "edit", "[1]", "--session", id, ...diary)).toMatchObject({ error: "cli.usage" });
  expect((await run("state", "edit", '{"user_name":"Ada"}', "--session", id, "--by", "Bob", ...diary)).err).toMatch(/edited at offset 1/u);
  expect((await run("state", "get", id)).out).toContain('"user_name": "Ada"');
});
