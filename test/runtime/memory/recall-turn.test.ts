/** Memory in whole turns: what a turn is given, what it leaves, and what neither must ever be. */
import { describe, expect, it } from "vitest";
import { defineAgent, type Session } from "../../../packages/throughline/src/index.ts";
import { memory } from "../../../packages/throughline/src/memory.ts";
import { collect, emptyStore, started } from "../harness.ts";
import { remembering, rowsOf, withLook, withWait } from "./harness.ts";

const promptOf = (request: unknown): string => JSON.stringify(request);
const turnsOf = async (session: Session) =>
  (await collect(session, { kinds: ["turn"] })).flatMap((event) => (event.kind === "turn" ? [event.data] : []));
const recallsOf = async (session: Session) =>
  (await turnsOf(session)).flatMap((data) => (data.type === "stage" && data.recall !== undefined ? [data.recall] : []));

describe("a turn with a memory", () => {
  it("what was said in one conversation is found in the next, by the commit that ends the turn", async () => {
    const { agent, requests } = remembering();
    const runtime = await started({ agents: [agent] });
    const one = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "1" });
    await one.send("My sister Ana plays the cello in Lisbon.");
    const two = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "2" });
    const { diagnostics } = await two.send("What does my sister play?");
    expect(promptOf(requests.at(-1))).toContain("Ana plays the cello");
    expect(diagnostics).toMatchObject({
      semantic_hits: 1,
      semantic_store_size: 1,
      episodic_store_size: 0,
      procedural_count: 0,
      retrieval_path: "token_recall",
    });
    expect(Number(diagnostics?.["load_memory_ms"])).toBeGreaterThan(0);
  });

  it("is the same for an agent that declares it among its extensions", async () => {
    const { agent, requests } = remembering();
    const { name, version, state, sections, reply } = agent;
    const runtime = await started({ agents: [defineAgent({ name, version, state, sections, reply, extensions: [memory()] })] });
    const one = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "1" });
    await one.send("My sister Ana plays the cello in Lisbon.");
    const two = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "2" });
    expect((await two.send("What does my sister play?")).diagnostics).toMatchObject({ semantic_hits: 1, retrieval_path: "token_recall" });
    expect(promptOf(requests.at(-1))).toContain("Ana plays the cello");
  });

  it("what it has left is looked after by a process whose agent declares none", async () => {
    const { agent } = remembering();
    const { name, version, state, sections, reply } = agent;
    const store = await emptyStore("memory");
    const here = await started({ store, agents: [agent] });
    const session = await here.sessions.open({ agent: "friend", customer: "ada" });
    const { offset } = await session.send("My sister Ana plays the cello.");
    expect((await rowsOf(here, "ada")).filter(({ kind, data }) => kind === "turn" && data !== null)).toHaveLength(1);
    await here.close();
    const there = await started({ store, agents: [defineAgent({ name, version, state, sections, reply })] });
    await (await there.sessions.get(session.id)).withdraw({ from: offset });
    expect((await rowsOf(there, "ada")).filter(({ kind, data }) => kind === "turn" && data !== null)).toEqual([]);
  });

  it("case 63: a recall gives the state exactly working_memory, session_memory, procedural_profile and diagnostics", async () => {
    const seen: Record<string, unknown>[] = [];
    const { agent } = remembering();
    const runtime = await started({ agents: [withLook(agent, seen)] });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    await session.send("hello");
    await session.send("My sister is Ana.");
    const [before, after] = seen;
    expect(Object.keys(before ?? {}).toSorted()).toEqual(
      ["diagnostics", "message", "messages", "procedural_profile", "session_memory", "working_memory"].filter((name) => name in (before ?? {})),
    );
    expect(after).toMatchObject({
      working_memory: [],
      session_memory: { summary: "", active_concerns: [], open_loops: [], current_goal: null },
      procedural_profile: { proactive_recall_enabled: false, procedural_rules: [] },
      diagnostics: { semantic_store_size: 1 },
    });
  });

  it("the journal has ids, versions, scores and placements, and no text", async () => {
    const { agent } = remembering();
    const runtime = await started({ agents: [agent] });
    const one = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "1" });
    await one.send("My sister Ana plays the cello.");
    const two = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "2" });
    await two.send("sister cello");
    const [recall] = await recallsOf(two);
    expect(recall).toMatchObject({ entries: [{ version: 1, placement: "in prompt" }] });
    expect(JSON.stringify(recall)).toContain('"words":');
    expect(JSON.stringify(recall)).not.toMatch(/Ana|cello/);
  });

  it.each([
    ["a message that a gate keeps out of memory", "crisis: I cannot go on", {}],
    ["a message that asks not to be remembered", "Please don't remember this: the code is 4711.", {}],
    ["a message of an incognito session", "My code is 4711.", { incognito: true }],
  ])("%s leaves nothing", async (_name, text, options) => {
    const { agent } = remembering();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada", ...options });
    await session.send(text);
    expect((await rowsOf(runtime, "ada")).filter(({ data }) => data !== null)).toEqual([]);
    expect(await runtime.store.list({ of: "records", kind: "memory.closing" })).toMatchObject({ items: [] });
  });

  it("a wish to keep a whole conversation out of memory takes what was said in it before, and after", async () => {
    const { agent } = remembering();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    await session.send("My sister is Ana.");
    await session.send("Please don't save anything from this conversation.");
    await session.send("She lives in Lisbon.");
    expect(JSON.stringify(await rowsOf(runtime, "ada"))).not.toMatch(/Ana|Lisbon/);
  });

  it("case 70: an incognito session is given nothing of what is remembered, and neither is its fork", async () => {
    const { agent, requests } = remembering();
    const runtime = await started({ agents: [agent] });
    await (await runtime.sessions.open({ agent: "friend", customer: "ada", key: "1" })).send("My sister Ana plays the cello.");
    const secret = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "incognito", incognito: true });
    const { diagnostics } = await secret.send("Which instrument does my sister play?");
    expect(promptOf(requests.at(-1))).not.toContain("cello");
    expect(diagnostics).not.toHaveProperty("semantic_hits", 1);
    await (await secret.fork()).send("And my sister?");
    expect(promptOf(requests.at(-1))).not.toContain("cello");
    expect(await recallsOf(secret)).toEqual([]);
    await expect(secret.setMetadata({ unset: ["incognito"] })).rejects.toMatchObject({ code: "metadata.reserved" });
  });

  it("another customer's memory is never given", async () => {
    const { agent, requests } = remembering();
    const runtime = await started({ agents: [agent] });
    await (await runtime.sessions.open({ agent: "friend", customer: "ada", key: "1" })).send("My sister Ana plays the cello.");
    await (await runtime.sessions.open({ agent: "friend", customer: "bob", key: "1" })).send("Which instrument does my sister Ana play?");
    expect(promptOf(requests.at(-1))).not.toContain("plays the cello");
  });

  it("what was taken back in the conversation is taken back in memory, in one commit", async () => {
    const { agent } = remembering();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    await session.send("My brother is Tom.");
    const { offset } = (await collect(session, { kinds: ["message"] })).at(0) ?? { offset: 0 };
    await session.send("My sister is Ana.");
    const second = (await collect(session, { kinds: ["message"] })).find((event) => event.source === "customer" && event.offset > offset);
    await session.withdraw({ from: second?.offset ?? 0 });
    expect((await rowsOf(runtime, "ada")).filter(({ data }) => data !== null).map(({ data }) => data?.["text"])).toEqual(["My brother is Tom."]);
  });

  it("a turn at work while its session is given to a customer is remembered for the customer", async () => {
    const { promise: identified, resolve } = Promise.withResolvers<void>();
    const { agent } = remembering();
    const slow = withWait(agent, identified);
    const runtime = await started({ agents: [slow] });
    const session = await runtime.sessions.create({ agent: "friend" });
    const sent = session.send("My sister is Ana.");
    await expect.poll(async () => (await session.pending()).turns.some(({ status }) => status === "running")).toBe(true);
    await session.identify({ customer: "ada" });
    resolve();
    expect((await sent).status).toBe("completed");
    expect((await rowsOf(runtime, "ada")).map(({ data }) => data?.["text"])).toEqual(["My sister is Ana."]);
  });

  it("a long memory answers from its newest entries first, and says that it is partial", async () => {
    const { agent } = remembering();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    const { owner_id } = await runtime.customers.get("ada");
    const entry = (offset: number, text: string) => ({
      entry_id: `turn:old:${offset}`,
      kind: "turn",
      data: {
        type: "turn",
        text,
        source: { session_id: "ses_00000000000000000000000001", offset, at: offset },
        episode: 1,
        recorded_at: offset,
        sensitivity: "ordinary",
      },
    });
    const entries = Array.from({ length: 2_600 }, (_, index) =>
      entry(index + 1, index === 0 ? "The zebra lives at the harbour." : `Note ${index} about bread.`),
    );
    await runtime.store.commit({ commit_id: "fill", at: 1, owner: { owner_id, entries } });
    const first = await session.send("Where does the zebra live?");
    expect((await recallsOf(session))[0]).toMatchObject({ diagnostics: { index: "partial" } });
    await expect
      .poll(async () => {
        await session.send("Where does the zebra live, really?");
        return (await recallsOf(session)).at(-1);
      })
      .toMatchObject({ diagnostics: { index: "whole" } });
    expect(first.status).toBe("completed");
    const last = (await recallsOf(session)).at(-1) as { readonly entries: readonly { readonly entry_id: string }[] };
    expect(last.entries.map(({ entry_id }) => entry_id)).toContain("turn:old:1");
  });
});
