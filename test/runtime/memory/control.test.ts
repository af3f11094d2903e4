import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  defineAgent,
  loop,
  openStore,
  scripted,
  stage,
  type Agent,
  type Runtime,
  type Session,
  type Store,
} from "../../../packages/throughline/src/index.ts";
import { encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { turnEntryId } from "../../../packages/throughline/src/memory/entry.ts";
import { memory } from "../../../packages/throughline/src/memory/memory-extension.ts";
import { memoryControl, memoryTools } from "../../../packages/throughline/src/memory/turn/memory-control.ts";
import { factGiven } from "../../../packages/throughline/src/memory/control/change-entries.ts";
import { echo, echoState, gate, started } from "../harness.ts";

const spoken = "my sister Ana lives in Lyon";

const keeper = (options: Partial<Parameters<typeof defineAgent<typeof echoState>>[0]> = {}): Agent =>
  defineAgent({
    ...{ name: "a1", version: 1, state: echoState, memory: memory(), stages: [memoryControl({ state: echoState })], reply: loop({ model: echo() }) },
    ...options,
  });

interface Begun {
  readonly runtime: Runtime & { readonly store: Store };
  readonly session: Session;
  /** What the agent answers. */
  readonly say: (text: string) => Promise<string | undefined>;
}

async function begun(options: Partial<Parameters<typeof started>[0]> & { readonly agent?: Agent } = {}): Promise<Begun> {
  const { agent = keeper(), ...rest } = options;
  const runtime = await started({ agents: [agent], ...rest });
  const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
  return { runtime, session, say: async (text) => (await session.send(text)).reply ?? undefined };
}

/** A fact in the owner's memory, as an extraction leaves it, with the message that said it. */
async function extracted({ runtime, session }: Begun, quote = spoken): Promise<string> {
  const { offset } = (await session.messages()).find(({ role, text }) => role === "user" && text.includes(quote)) ?? { offset: 1 };
  const { owner_id } = (await runtime.store.open({ session_id: session.id })) ?? {};
  const source = { session_id: session.id, offset, at: 1 };
  const fact = {
    ...factGiven({ quote, object: { type: "Person", id: "Ana" }, predicate: "KNOWS" }, { now: 1, source }),
    authority: "extraction" as const,
  };
  if (owner_id === undefined) throw new Error("no owner");
  const { entry_id, kind, data } = encodeEntry("fact:ana", fact);
  await runtime.store.commit({
    commit_id: `cmt_${quote}`,
    at: 1,
    owner: { owner_id, entries: [{ entry_id, kind, data }] },
  });
  return "fact:ana";
}

const everything = async (store: Store, session: Session): Promise<string> => {
  const row = await store.open({ session_id: session.id });
  const entries = row === undefined ? [] : await store.entries({ owner_id: row.owner_id });
  const records = (await Promise.all(["prompt", "answer"].map((kind) => store.list({ of: "records", kind })))).flatMap(({ items }) => items);
  return JSON.stringify([entries, records]);
};

describe("a person and their memory, in a conversation", () => {
  test("case 33: an ordinary message is answered as ever; case 35: a yes to the question deletes, and the memory says nothing of it any more", async () => {
    const given = await begun();
    const { say, session, runtime } = given;
    expect(await say(`Well, ${spoken}.`)).toBe(`re:Well, ${spoken}.`);
    await extracted(given);
    expect(await say("What do you remember about me?")).toContain(`1. “${spoken}”`);
    expect(await say("forget what I said about Ana")).toContain("Shall I delete this for good?");
    expect(await session.memory.pending()).toMatchObject({ type: "delete", target: { entry_id: "fact:ana" } });
    expect(await say("yes but not that")).toContain("deleted nothing");
    expect((await session.memory.status()).facts).toBe(1);
    expect(await say("Yes, please.")).toBe("It is deleted, and I will not save it again.");
    expect(await session.memory.status()).toMatchObject({ facts: 0, turns: 0 });
    expect(await everything(runtime.store, session)).not.toContain("Ana");
    expect(await say("yes")).toBe("re:yes");
  });

  test("what was forgotten is in no request to a model: neither the message, nor the listing, nor the question", async () => {
    const model = echo();
    const given = await begun({ agent: keeper({ reply: loop({ model }) }) });
    await given.say(`Well, ${spoken}.`);
    await extracted(given);
    for (const text of ["What do you remember about me?", "forget fact 1", "yes"]) await given.say(text);
    await given.say("How are you?");
    const request = JSON.stringify(model.requests.at(-1));
    expect(request).toContain("How are you?");
    expect(request).not.toMatch(/Ana|Lyon/);
  });

  test("a conversation that is forgotten is shown to no model again, whoever said what in it", async () => {
    const model = echo();
    const given = await begun({ agent: keeper({ reply: loop({ model }) }) });
    await given.say(`Well, ${spoken}.`);
    expect(await given.say("forget this conversation")).toContain("Shall I delete this session for good");
    await given.say("yes");
    await given.say("How are you?");
    expect(model.requests.at(-1)?.messages.map(({ text }) => text)).toEqual(["How are you?"]);
    expect(await given.session.memory.status()).toMatchObject({ turns: 1 });
  });

  test("case 36: a change of subject lets go of the question, and is answered", async () => {
    const given = await begun();
    await given.say(`Well, ${spoken}.`);
    await extracted(given);
    await given.say("forget fact 1");
    expect(await given.say("I had a rough day at work today")).toBe("re:I had a rough day at work today");
    expect(await given.session.memory.pending()).toBeNull();
    await given.say("yes");
    expect((await given.session.memory.status()).facts).toBe(1);
  });

  test("case 45: what has gone meanwhile is said to be gone; case 46: without a question nothing is deleted", async () => {
    const given = await begun();
    await given.say(`Well, ${spoken}.`);
    const id = await extracted(given);
    const { memory: mine } = given.session;
    await mine.control({ type: "forget_by_index", kind: "fact", index: 1 });
    const row = await given.runtime.store.open({ session_id: given.session.id });
    await given.runtime.store.commit({
      ...{ commit_id: "cmt_gone", at: 2 },
      owner: { owner_id: row?.owner_id as never, entries: [{ entry_id: id, kind: "fact", data: null }] },
    });
    expect(await mine.control({ type: "confirm_pending" })).toMatchObject({
      effects: "delete_memory",
      pending: null,
      reply: expect.stringContaining("gone already") as unknown,
    });
    expect(await mine.control({ type: "confirm_pending" })).toMatchObject({
      effects: "none",
      reply: expect.stringContaining("nothing waiting") as unknown,
    });
  });

  test("a turn that is resumed after it has deleted does nothing twice, and answers the same", async () => {
    const given = await begun();
    await given.say(`Well, ${spoken}.`);
    await extracted(given);
    await given.say("forget fact 1");
    const { memory: mine } = given.session;
    const first = await mine.answer("yes", { key: "turn-1", turn: "turn-1" });
    const again = await mine.answer("yes", { key: "turn-1", turn: "turn-1" });
    expect([first?.reply, again?.reply]).toEqual(["It is deleted, and I will not save it again.", "It is deleted, and I will not save it again."]);
  });

  test("a message about the memory is not remembered itself", async () => {
    const given = await begun();
    await given.say("What do you remember about me?");
    await given.say("remember that I prefer short answers");
    expect(await given.session.memory.status()).toMatchObject({ turns: 0, rules: 1 });
  });

  test("case 48: a yes for which the model calls no tool deletes nothing, and the question stands", async () => {
    const model = scripted((request) => `re:${request.messages.findLast(({ role }) => role === "user")?.text ?? ""}`);
    const given = await begun({ agent: keeper({ stages: [], reply: loop({ model, tools: [...memoryTools()] }) }) });
    await given.say(`Well, ${spoken}.`);
    await extracted(given);
    await given.session.memory.control({ type: "forget_by_index", kind: "fact", index: 1 });
    expect(await given.say("yes")).toBe("re:yes");
    expect(await given.session.memory.pending()).toMatchObject({ type: "delete" });
    expect((await given.session.memory.status()).facts).toBe(1);
  });

  test("case 50: a model uses the tools; what its own turn has asked it cannot confirm", async () => {
    const steps = [
      { calls: [{ name: "show_memory_status", arguments: {} }] },
      { calls: [{ name: "prepare_memory_deletion_by_index", arguments: { kind: "fact", index: 1 } }] },
      { calls: [{ name: "confirm_memory_deletion", arguments: {} }] },
      "Shall I?",
      { calls: [{ name: "confirm_memory_deletion", arguments: {} }] },
      "Done.",
    ];
    let step = -1;
    const model = scripted((request) => {
      if (request.messages.findLast(({ role }) => role === "user")?.text.startsWith("Well")) return "I see.";
      // What is forgotten in a turn is forgotten for that turn too: its answer is asked for once more, without it.
      const next = steps[(step += 1)] ?? steps.at(-1);
      return typeof next === "string" || next === undefined
        ? (next ?? "")
        : { calls: next.calls.map((call, index) => ({ call_id: `c${step}${index}`, ...call })) };
    });
    const given = await begun({ agent: keeper({ stages: [], reply: loop({ model, tools: [...memoryTools()] }) }) });
    await given.say(`Well, ${spoken}.`);
    await extracted(given);
    expect(await given.say("please forget the first fact")).toBe("Shall I?");
    expect((await given.session.memory.status()).facts).toBe(1);
    expect(await given.session.memory.pending()).toMatchObject({ type: "delete" });
    expect(await given.say("yes")).toBe("Done.");
    expect((await given.session.memory.status()).facts).toBe(0);
  });
});

describe("a person's memory as programs reach it", () => {
  test("what is written, corrected, pinned and kept from models is listed with numbers that stay", async () => {
    const { runtime, session } = await begun();
    const mine = runtime.customers.memory("ada");
    const first = await mine.remember({ quote: "I live in Berlin", predicate: "LIVES_IN", object: { type: "Place", id: "Berlin" } });
    await mine.remember({ quote: "I have a cat", object: "cat", predicate: "HAS" });
    const moved = await mine.correct(first.entry_id, { object: "Lyon", quote: "no, I live in Lyon" });
    expect(moved.entry).toMatchObject({ authority: "person", predicate: "LIVES_IN", object: { type: "Place", id: "Lyon" } });
    expect(await mine.get(first.entry_id)).toMatchObject({ in_force: false, entry: { superseded_by: moved.entry_id } });
    await mine.pin(moved.entry_id);
    await mine.neverRecall(moved.entry_id);
    expect((await mine.get(moved.entry_id)).entry).toMatchObject({ pinned: true, never_recall: true });
    expect((await mine.pin(moved.entry_id, false)).entry).not.toHaveProperty("pinned");
    expect((await mine.find("Lyon")).map(({ entry_id }) => entry_id)).toEqual([moved.entry_id]);
    const page = await mine.list({ kind: "fact", limit: 1 });
    expect([page.items.length, page.total]).toEqual([1, 2]);
    expect((await mine.list({ kind: "fact", limit: 1, cursor: page.next_cursor ?? "" })).items[0]?.index).toBe(2);
    expect((await mine.list({ kind: "fact", all: true })).total).toBe(3);
    expect(await session.memory.status()).toMatchObject({ facts: 2, never_recalled: 1 });
    expect(await mine.conflicts()).toEqual([]);
    const exported = await mine.export({ format: "json" });
    expect(exported.facts.length).toBe(3);
    expect(await mine.export({ format: "markdown" })).toContain("> no, I live in Lyon");
    expect((await mine.setRecall(true)).recall_enabled).toBe(true);
  });

  test("two corrections at once are both kept, and neither is lost", async () => {
    const { runtime } = await begun();
    const mine = runtime.customers.memory("ada");
    const kept = await Promise.all(
      Array.from({ length: 8 }, (_, index) => mine.remember({ quote: `I like number ${index}`, object: `n${index}`, predicate: "LIKES" })),
    );
    await Promise.all(kept.map(({ entry_id }, index) => mine.correct(entry_id, { object: `m${index}` })));
    expect(
      (await mine.list({ kind: "fact" })).items.map(({ entry }) => ("type" in entry && entry.type === "fact" ? entry.object.id : "")).toSorted(),
    ).toEqual(Array.from({ length: 8 }, (_, index) => `m${index}`));
  });

  test("what was forgotten can be kept again in the person's own words, and is barred to everybody else until then", async () => {
    const { runtime } = await begun();
    const mine = runtime.customers.memory("ada");
    const fact = { quote: spoken, object: "Ana", predicate: "KNOWS" };
    const { entry_id } = await mine.remember(fact);
    const report = await mine.forget([entry_id]);
    expect(report).toMatchObject({ facts: 1, masked: [] });
    expect(report.bars).toBeGreaterThan(0);
    await mine.remember(fact);
    expect((await mine.list({ kind: "fact" })).total).toBe(1);
  });

  test.each([
    ["memory.entry_not_found", (mine: Session["memory"]) => mine.get("fact:none")],
    ["memory.entry_not_found", (mine: Session["memory"]) => mine.forget(["fact:none"])],
    ["memory.entry_not_found", (mine: Session["memory"]) => mine.correct("fact:none", { object: "x" })],
    ["memory.entry_not_found", (mine: Session["memory"]) => mine.pin("profile/none")],
    ["memory.invalid", (mine: Session["memory"]) => mine.forget([])],
    ["memory.invalid", (mine: Session["memory"]) => mine.savePreference(" ")],
    ["memory.invalid", (mine: Session["memory"]) => mine.savePreference("never mention hotlines")],
    ["memory.invalid", (mine: Session["memory"]) => mine.remember({ quote: "x".repeat(281) })],
    ["cursor.invalid", (mine: Session["memory"]) => mine.list({ cursor: "x" })],
  ] as const)("%s is said of what cannot be done (%#)", async (code, act) => {
    const { session } = await begun();
    await expect(act(session.memory)).rejects.toMatchObject({ code });
  });

  test("case 70, case 96: an incognito session reads as empty, and changes nothing", async () => {
    const given = await begun();
    const { runtime } = given;
    await runtime.customers.memory("ada").remember({ quote: spoken });
    const hidden = await runtime.sessions.create({ agent: "a1", customer: "ada", incognito: true });
    expect(await hidden.memory.status()).toMatchObject({ facts: 0, incognito: true });
    expect((await hidden.memory.list()).items).toEqual([]);
    for (const act of [() => hidden.memory.setRecall(true), () => hidden.memory.clear(), () => hidden.memory.remember({ quote: "x" })])
      await expect(act()).rejects.toMatchObject({ code: "memory.incognito" });
    expect((await hidden.send("forget everything")).reply).toContain("incognito");
    expect((await runtime.customers.memory("ada").status()).facts).toBe(1);
  });

  test("an agent without a memory has none to control, and its stages are given none", async () => {
    let seen: unknown = "unset";
    const look = stage("look", { state: echoState, writes: [] }, ({ memory: mine }) => void (seen = mine));
    const agent = defineAgent({
      name: "a1",
      version: 1,
      state: echoState,
      stages: [look, memoryControl({ state: echoState })],
      reply: loop({ model: echo() }),
    });
    const { session, say } = await begun({ agent });
    expect(await say("forget everything")).toBe("re:forget everything");
    expect(seen).toBeUndefined();
    await expect(session.memory.status()).rejects.toMatchObject({ code: "memory.off" });
  });
});

describe("no trace", () => {
  test("after forgetting with messages, the words are in no row, no stored request and nowhere in the file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "throughline-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "test.db");
    const store = await openStore(file);
    const given = await begun({ store, agent: keeper({ keepRequests: true }) });
    const secret = "xylophone quartz";
    await given.say(`I keep a ${secret} under my bed. And I work as a nurse.`);
    await given.say("What do you remember about me?");
    const { offset } = (await given.session.messages()).find(({ text }) => text.includes(secret)) ?? { offset: 0 };
    const report = await given.session.memory.forget([turnEntryId(given.session.id, offset)], { messages: true });
    expect(report).toMatchObject({ turns: 1, prompts: 1 });
    expect(report.redacted[0]?.offsets).toContain(offset);
    const texts = (await given.session.messages({ last: 100 })).map(({ text }) => text).join();
    expect(texts).not.toContain(secret);
    expect(await everything(store, given.session)).not.toContain(secret);
    await given.runtime.close({ drainMs: 0 });
    await store.close();
    const bytes = await readFile(file);
    expect(bytes.includes(Buffer.from(secret))).toBe(false);
    expect(bytes.includes(Buffer.from("nurse"))).toBe(false);
  });

  test("a turn at work meanwhile loses no correction", async () => {
    const held = gate();
    const slow = stage("slow", { state: echoState, writes: [] }, async () => held.opened);
    const given = await begun({ agent: keeper({ stages: [memoryControl({ state: echoState }), slow] }) });
    const answer = given.say("I live in Berlin now.");
    const { entry_id } = await given.session.memory.remember({ quote: "I live in Bonn", object: "Bonn", predicate: "LIVES_IN" });
    await given.session.memory.correct(entry_id, { object: "Berlin" });
    held.open();
    await answer;
    expect((await given.session.memory.find("Berlin")).map(({ kind }) => kind)).toEqual(["fact", "turn"]);
  });
});
