/** `throughline memory …`, and what a chat does with the memory of whoever talks. */
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createRuntime, defineAgent, defineState, loop, openStore, scripted } from "../../packages/throughline/src/index.ts";
import { memory } from "../../packages/throughline/src/memory/memory-extension.ts";
import { root } from "../../scripts/root.ts";
import { command, type Done } from "./in-process.ts";
import { diary, newFolder, run } from "./run-cli.ts";

const agent = defineAgent({
  ...{ name: "friend", version: 1, state: defineState({}), memory: memory() },
  ...{ sections: [], reply: loop({ model: scripted(() => "I see.") }) },
});
const friend = join(root, "examples", "friend", "agent.ts");

let folder: string;
let database: string;
/** The session that was used last, of the customer ada; the episode before it is remembered. */
let session: string;

beforeEach(async () => {
  folder = newFolder();
  database = join(folder, "t.db");
  const store = await openStore(database);
  const runtime = await createRuntime({ store, agents: [agent] });
  const first = await runtime.sessions.open({ agent: "friend", customer: "ada" });
  await first.send("My sister Marta lives in Turin with her dog Pepper.");
  await first.closeEpisode();
  const second = await runtime.sessions.create({ agent: "friend", customer: "ada" });
  await second.send("What is the name of my sister Marta's dog?");
  session = second.id;
  await runtime.customers.memory("ada").remember({ quote: "I live in Bonn.", predicate: "LIVES_IN", object: "Bonn" });
  await runtime.close();
  await store.close();
});

const mine = (...words: readonly string[]): Promise<Done> => command(["memory", ...words, "--db", database], { folder });

interface Listed {
  readonly entry_id: string;
  readonly text: string;
  readonly placement?: string;
  readonly in_force?: boolean;
}
/** What the documents of the commands hold, as far as it is looked at. */
interface Documents {
  readonly status: Readonly<Record<string, unknown>>;
  readonly items: readonly Listed[];
  readonly why: { readonly items: readonly unknown[] };
  readonly fact: { readonly entry_id: string; readonly entry: unknown };
  readonly entry: { readonly entry: unknown };
  readonly forgotten: unknown;
}
const document = async (...words: readonly string[]): Promise<Documents> => JSON.parse((await mine(...words, "--json")).out) as Documents;
const idOf = async (words: string): Promise<string> =>
  (await document("list", "--kind", "fact")).items.find(({ text }) => text.includes(words))?.entry_id ?? "";

describe("throughline memory", () => {
  it("shows how much there is, what it is, and why a turn was told it", async () => {
    const { status } = await document("status", "--customer", "ada");
    expect(status).toMatchObject({ facts: 1, turns: 2, recall_enabled: false });
    expect((await document("status")).status).toEqual(status);
    expect((await mine("status")).out).toMatch(/^facts +\d+\n/u);
    expect((await mine("list", "--kind", "fact")).out).toMatch(/fact +\d+ +- +\S+ +.*Bonn/u);
    expect(await document("list", "--limit", "1")).toMatchObject({ items: [{}], next_cursor: "1" });
    const found = await document("search", "Marta's", "dog");
    expect(found.items.find(({ placement }) => placement === "in prompt")?.text).toContain("Pepper");
    expect((await mine("search", "Marta's dog")).out).toMatch(/in prompt +[\d.]+ +words/u);
    expect((await document("why", session)).why.items[0]).toMatchObject({ placement: "in prompt" });
    expect((await mine("why")).out).toContain("My sister Marta");
    expect((await mine("export", "--customer", "ada")).out).toContain("# What is remembered of you");
    expect(await document("export")).toMatchObject({ format: "throughline.memory/1" });
  });

  it("puts right, marks, and says what may be brought up", async () => {
    const bonn = await idOf("Bonn");
    const { fact } = await document("correct", bonn, "Ulm", "--quote", "I live in Ulm now.");
    expect(fact.entry).toMatchObject({ object: { id: "Ulm" }, quote: "I live in Ulm now.", authority: "person" });
    expect((await document("pin", fact.entry_id)).entry.entry).toMatchObject({ pinned: true });
    expect((await document("never-recall", fact.entry_id)).entry.entry).toMatchObject({ pinned: true, never_recall: true });
    expect((await document("never-recall", fact.entry_id, "--undo")).entry.entry).not.toHaveProperty("never_recall");
    expect((await document("list", "--all", "--kind", "fact")).items.map(({ in_force }) => in_force)).toContain(false);
    expect((await document("recall", "on")).status.recall_enabled).toBe(true);
    expect((await mine("recall", "off")).out).toContain("does not mention memories");
  });

  it("forgets what is named, for good", async () => {
    expect((await mine("forget", "--query", "zebra", "--yes")).out).toBe("No memory contains these words.\n");
    expect((await document("forget", await idOf("Bonn"), "--yes")).forgotten).toMatchObject({ facts: 1 });
    expect((await mine("forget", "--query", "Marta", "--messages", "--yes")).out).toMatch(/with removed text: [1-9]/u);
    expect((await document("search", "Marta")).items).toEqual([]);
    expect((await mine("clear", "--yes")).out).toMatch(/^Forgotten: /u);
    expect((await document("status")).status).toMatchObject({ facts: 0, turns: 0, arcs: 0 });
  });

  it("clears only at the exact word, typed", () => {
    const clear = (input: string) => run(["memory", "clear", "--customer", "ada", "--db", database], { cwd: folder, input });
    for (const other of ["y\n", "yes\n", "CLEAR\n", "clear it\n", ""]) {
      const { code, err, out } = clear(other);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain("Nothing was done");
    }
    expect(clear("clear\n").out).toMatch(/^Forgotten: facts [1-9]/u);
  });

  it.each([
    [["list", "--customer", "nobody"], "customer.not_found"],
    [["list", "--customer", "ada", "--session", "ses_0"], "cli.usage"],
    [["list", "--cursor", "x"], "cursor.invalid"],
    [["list", "--kind", "thing"], "cli.usage"],
    [["status", "--session", `ses_${"0".repeat(26)}`], "session.not_found"],
    [["why", "--turn", "trn_0"], "turn.not_found"],
    [["correct", "nothing", "x"], "memory.entry_not_found"],
    [["pin", "nothing"], "memory.entry_not_found"],
    [["forget"], "cli.usage"],
    [["forget", "nothing", "--yes"], "memory.entry_not_found"],
    [["recall", "maybe"], "cli.usage"],
    [["search", " "], "cli.usage"],
  ])("refuses %j with %s", async (words, code) => {
    expect((await mine(...words)).error).toBe(code);
  });
});

it("doctor counts what is remembered, and names what cannot be read", async () => {
  const checkOf = async (): Promise<string> => (await command(["doctor", "--agent", friend, "--db", database], { folder })).out;
  expect(await checkOf()).toMatch(/ok +memory +[1-9]\d* entries\n/u);
  const store = await openStore(database);
  const customer = (await store.list({ of: "customers", limit: 1 })).items[0];
  if (customer === undefined) throw new Error("There is no customer.");
  const { owner_id, version } = customer;
  const entries = [{ entry_id: "odd", kind: "fact", data: { type: "fact", quote: 7 } }];
  await store.commit({ commit_id: "odd", at: 1, owner: { owner_id, depends: { version }, entries } });
  await store.close();
  expect(await checkOf()).toMatch(/fail +memory +[1-9]\d* entries; 1 cannot be read: fact odd: /u);
});

it("a chat shows what is remembered, forgets it after a yes, and ends its episode", () => {
  const input = [
    "I live in Ulm with my brother Karl.",
    "/end",
    "/memory Karl",
    "/recall on",
    "/forget Karl",
    "/forget yes",
    "/memory Karl",
    "/incognito",
  ];
  const talk = (lines: readonly string[], ...words: readonly string[]) =>
    run(["chat", "--agent", friend, "--db", database, ...words], { cwd: folder, input: lines.map((line) => `${line}\n`).join("") });
  const { code, err } = talk(input, "--customer", "eve");
  expect(code).toBe(0);
  for (const said of [
    /left no fact/u,
    /turn +1 .*Karl/u,
    /may mention memories on its own/u,
    /Answer with \/forget yes/u,
    /No memory contains that/u,
    /--incognito/u,
  ])
    expect(err).toMatch(said);
  expect(talk(["hello", "/memory", "/incognito", "/recall on"], "--incognito").err).toMatch(
    /incognito +this session neither[^]*This cannot be changed[^]*memory\.incognito/u,
  );
  const without = run(["chat", ...diary, "--db", database], { cwd: folder, input: "/memory\nhello\n" });
  expect(without.code).toBe(0);
  expect(without.err).toContain("memory.off");
});
