/** What must stay out wherever it would come in by a side door: other people's sessions, what an extractor is shown, and a memory of which the end is not read yet. */
import { describe, expect, it } from "vitest";
import { loop, scripted, stage, type Store } from "../../../packages/throughline/src/index.ts";
import type { ExtractionInput, Extractor } from "../../../packages/throughline/src/memory/write/check-candidate.ts";
import { encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { turn } from "../../memory/write/entries.ts";
import { firstRows } from "../../../packages/throughline/src/memory/keep/memory-cache.ts";
import { code, emptyStore, gate, started } from "../harness.ts";
import { remembering, rowsOf, State } from "./harness.ts";

const session = { agent: "friend", customer: "ada" };

describe("another person's session", () => {
  it("is not forgotten by its id, nor is told of", async () => {
    const runtime = await started({ agents: [remembering().agent], store: await emptyStore("memory") });
    const own = await runtime.sessions.open(session);
    await own.send("My sister Ana plays the cello.");
    const other = await runtime.sessions.open({ agent: "friend", customer: "bob" });
    await other.send("My brother Tom plays the harp.");
    const report = await runtime.customers.memory("ada").forget([`session:${other.id}`], { messages: true });
    expect(report).toMatchObject({ turns: 0, masked: [], redacted: [] });
    expect((await other.messages()).map(({ text }) => text)).toEqual(["My brother Tom plays the harp.", "ok"]);
    expect(await rowsOf(runtime, "bob")).toHaveLength(1);
    expect(await code(runtime.customers.memory("ada").get(`session:${other.id}`))).toBe("memory.entry_not_found");
  });

  it("of one's own, messages that were taken back go too", async () => {
    const runtime = await started({ agents: [remembering().agent], store: await emptyStore("memory") });
    const own = await runtime.sessions.open(session);
    await own.send("My sister Ana plays the cello.");
    const taken = await own.send("The harp is what I play.");
    const from = (await own.messages()).find(({ text }) => text.startsWith("The harp"))?.offset ?? 0;
    expect(taken.status).toBe("completed");
    await own.withdraw({ from });
    await runtime.customers.memory("ada").forget([`session:${own.id}`], { messages: true });
    const page = await runtime.store.read({ session_id: own.id, withdrawn: true });
    expect(JSON.stringify(page?.events)).not.toMatch(/harp|cello/u);
  });
});

describe("what an extractor is shown", () => {
  it("is neither what was forgotten nor what replies to that, or to what was kept out, say of it", async () => {
    const inputs: ExtractionInput[] = [];
    const extractor: Extractor = {
      name: "looking",
      extract: async (input) => (inputs.push(input), { candidates: [], arc: null, reason: "Nothing." }),
    };
    const model = scripted((request) => `You said: ${request.messages.at(-1)?.text}`);
    const { agent } = remembering({ extractor }, { reply: loop({ model }) });
    const runtime = await started({ agents: [agent], store: await emptyStore("memory") });
    const talk = await runtime.sessions.open(session);
    for (const text of ["My sister Ana plays the cello.", "crisis and the bridge", "Tom has a harp. The exam is on Thursday.", "I like tea."])
      await talk.send(text);
    const rows = await rowsOf(runtime, "ada");
    const cello = rows.find(({ data }) => JSON.stringify(data).includes("cello"));
    await runtime.customers.memory("ada").forget([cello?.entry_id ?? ""]);
    await talk.closeEpisode();
    const [input] = inputs;
    expect(input?.turns.map(({ text }) => text)).toEqual(["Tom has a harp. The exam is on Thursday.", "I like tea."]);
    // A reply that is older than the forgetting may rest on what went, whatever it answers.
    expect(input?.replies).toEqual([]);
  });
});

describe("requests that are kept", () => {
  it("do not tell what was forgotten while their turn was at work", async () => {
    const waiting = gate();
    const began = gate();
    const wait = stage("wait", { state: State, writes: [] }, async ({ state: { message } }) => {
      if (message !== "Hm.") return undefined;
      began.open();
      await waiting.opened;
      return undefined;
    });
    const { agent, requests } = remembering({}, { keepRequests: true, stages: [wait] });
    const runtime = await started({ agents: [agent], store: await emptyStore("memory") });
    const talk = await runtime.sessions.open(session);
    await talk.send("My sister Ana plays the cello.");
    const sent = talk.send("Hm.");
    await began.opened;
    await runtime.customers.memory("ada").clear();
    waiting.open();
    await sent;
    expect(JSON.stringify(requests.at(-1))).not.toContain("cello");
    expect((await talk.prompt())?.body).not.toContain("cello");
    await talk.send("What now?");
    expect((await talk.prompt())?.body).not.toContain("cello");
  });
});

/** A store of which the older entries of a memory do not come. */
const withoutOlder = (store: Store): Store => ({
  ...store,
  entries: async (request) =>
    request.entry_id === undefined && request.newest === true && request.max_version !== undefined && request.max_version < 200
      ? new Promise(() => {})
      : store.entries(request),
});

describe("a memory of which the end is not read yet", () => {
  it("is not brought up by somebody who does not want that, and nothing of a private episode is remembered", async () => {
    const store = await emptyStore("memory");
    const { agent, requests } = remembering({ readDeadlineMs: 2_000 });
    const first = await started({ agents: [agent], store });
    const talk = await first.sessions.open(session);
    await talk.memory.setRecall(false);
    await talk.send("Please don't remember anything from this conversation.");
    const { owner_id } = await first.customers.get("ada");
    const rows = Array.from({ length: firstRows + 400 }, (_, index) =>
      encodeEntry(`turn:other:${index}`, turn(`Note ${index} of the garden.`, { source: { session_id: talk.id, offset: 1_000 + index, at: index } })),
    );
    await store.commit({ commit_id: "cmt_rows", at: 1, owner: { owner_id, entries: rows } });
    const before = (await rowsOf(first, "ada")).length;
    await first.close();
    const runtime = await started({ agents: [agent], store: withoutOlder(store) });
    const again = await runtime.sessions.open(session);
    const { diagnostics } = await again.send("What do you know of the garden?");
    expect(diagnostics).toMatchObject({ retrieval_path: "token_recall", proactive_recall: false });
    expect(requests.length).toBe(2);
    expect(await rowsOf(runtime, "ada")).toHaveLength(before);
  });
});
