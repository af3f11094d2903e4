/** Where memory meets the rest: retention, forks, child agents, failures, people who answer, bundles. */
import { describe, expect, it } from "vitest";
import { exportCustomer, importBundle, loop, scripted, stage, type Session, type Store } from "../../../packages/throughline/src/index.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { transfers } from "../approval/harness.ts";
import { askOnce, childOfOnly, family } from "../subagent-harness.ts";
import { memory } from "../../../packages/throughline/src/memory.ts";
import { emptyStore, started } from "../harness.ts";
import { remembering, rowsOf, State } from "./harness.ts";

const minute = 60_000;
const still = { pollMs: 3_600_000, leaseMs: 600_000, heartbeatMs: 1_000 };
const texts = [
  "My sister Ana lives in Lisbon and she called me last night.",
  "I am worried about the exam on Thursday, it never leaves my head.",
  "The exam worries me so much that I hardly sleep at the moment.",
  "My brother Tom plays the cello in an orchestra.",
];
const talk = async (session: Session, said: readonly string[] = texts): Promise<void> => {
  for (const text of said) await session.send(text);
};
const turnTexts = async (runtime: Parameters<typeof rowsOf>[0]) => {
  const last = new Map((await rowsOf(runtime, "ada")).map((row) => [row.entry_id, row]));
  return [...last.values()].filter(({ kind, data }) => kind === "turn" && data !== null).map(({ data }) => data?.["text"]);
};

const notesOf = async ({ store }: { readonly store: Store }) =>
  (await store.list({ of: "records", kind: "memory.closing" })).items.map(({ data }) => ({ episode: data["episode"], from: data["from"] }));

async function talked(said = texts) {
  const clock = fixedClock();
  const { agent, requests } = remembering();
  const runtime = await started({ agents: [agent], clock, ...still });
  const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
  await talk(session, said);
  return { clock, agent, requests, runtime, session };
}

describe("a log whose beginning was cut", () => {
  it("its episode is closed with what is left of it, and what was remembered stays", async () => {
    const { clock, runtime, session } = await talked();
    expect(await runtime.retain({ keepEvents: 24 })).toMatchObject({ cut: 1 });
    clock.advance(21 * minute);
    const [report] = await runtime.closeEpisodes();
    expect(report).toMatchObject({ episode: 1, session_id: session.id });
    expect(JSON.stringify(await rowsOf(runtime, "ada"))).toContain('"id":"Tom"');
    expect(JSON.stringify(await rowsOf(runtime, "ada"))).not.toContain('"id":"Ana"');
    expect(await turnTexts(runtime)).toEqual(texts);
    expect((await session.usage()).turns).toBe(3);
  });

  it("an episode of which nothing is left takes nothing of the next one", async () => {
    const { clock, runtime, session } = await talked(texts.slice(0, 2));
    await session.endEpisode();
    await talk(session, ["My uncle Max lives in Porto.", "I worry about Max in Porto.", "I am worried about Max."]);
    expect(await runtime.retain({ keepEvents: 30 })).toMatchObject({ cut: 1 });
    clock.advance(21 * minute);
    const reports = await runtime.closeEpisodes();
    expect(reports.map(({ episode, written }) => [episode, written.length > 0])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it("all can be forgotten still, in this log and in others", async () => {
    const { runtime } = await talked();
    const other = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "other" });
    await other.send("My sister Ana called again.");
    await runtime.retain({ keepEvents: 12 });
    const report = await runtime.customers.memory("ada").clear({ messages: true });
    expect(report).toMatchObject({ turns: 5 });
    expect(report.redacted.map(({ session_id }) => session_id)).toContain(other.id);
    expect(await turnTexts(runtime)).toEqual([]);
  });

  it("a session that nobody has used for long takes its note along, and leaves the customer what was remembered", async () => {
    const { clock, runtime } = await talked();
    clock.advance(200 * minute);
    expect(await runtime.retain({ olderThanMs: 100 * minute, deleteSessions: true })).toMatchObject({ deleted: 1 });
    expect(await notesOf(runtime)).toEqual([]);
    expect(await turnTexts(runtime)).toEqual(texts);
  });
});

describe("who speaks", () => {
  it("a child agent's question is its parent's, and is not remembered; in an incognito session it is incognito too", async () => {
    const { agent } = family({ parent: askOnce("done", "Where does my sister Bea live?"), childAgent: { memory: memory() } });
    const runtime = await started({ agents: [agent] });
    const [open, secret] = [
      await runtime.sessions.open({ agent: "desk", customer: "ada", key: "1" }),
      await runtime.sessions.open({ agent: "desk", customer: "ada", key: "2", incognito: true }),
    ];
    for (const session of [open, secret]) expect((await session.send("go")).reply).toBe("done");
    expect(await rowsOf(runtime, "ada")).toEqual([]);
    const { child } = await childOfOnly(runtime, secret);
    expect((await child.info()).metadata.values).toMatchObject({ incognito: true });
  });

  it("a turn that failed before all gates have spoken is remembered when it is done again, once", async () => {
    let broken = true;
    const gate = stage("gate", { state: State, writes: [] }, () => {
      if (broken) throw new Error("gate down");
      return undefined;
    });
    const { agent } = remembering({}, { stages: [gate] });
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    expect(await session.send("My sister is Ana.")).toMatchObject({ status: "failed" });
    expect(await turnTexts(runtime)).toEqual([]);
    broken = false;
    await session.retry();
    await expect.poll(() => turnTexts(runtime)).toEqual(["My sister is Ana."]);
  });

  it("a turn whose model failed is remembered at once, and once when it is done again", async () => {
    let broken = true;
    const { agent } = remembering(
      {},
      {
        reply: loop({
          model: scripted(() => {
            if (broken) throw new Error("model down");
            return "ok";
          }),
        }),
      },
    );
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    expect(await session.send("My sister is Ana.")).toMatchObject({ status: "failed" });
    expect(await turnTexts(runtime)).toEqual(["My sister is Ana."]);
    broken = false;
    await session.retry();
    await expect.poll(async () => (await session.pending()).turns.length).toBe(0);
    expect((await rowsOf(runtime, "ada")).filter(({ kind, data }) => kind === "turn" && data !== null)).toHaveLength(1);
  });

  it.each(["reject", "approve"] as const)(
    "a turn that waits for a word keeps its episode open, and is remembered when it has ended: %s",
    async (decision) => {
      const clock = fixedClock();
      const { tool } = transfers({ expiresMs: 600 * minute });
      const model = scripted(({ messages }) =>
        messages.at(-1)?.text.includes("rent") ? { calls: [{ call_id: "c1", name: "transfer", arguments: { amount: 5 } }] } : "ok",
      );
      const { agent } = remembering({}, { reply: loop({ model, tools: [tool] }) });
      const runtime = await started({ agents: [agent], clock, ...still });
      const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
      await session.send("My sister is Ana.");
      await session.post("Pay the rent, please.");
      await expect.poll(async () => (await session.pending()).calls.length).toBe(1);
      clock.advance(90 * minute);
      expect(await runtime.closeEpisodes()).toEqual([]);
      const [note] = (await runtime.store.list({ of: "records", kind: "memory.closing" })).items;
      expect(note?.data["due"]).toBe(clock.now() + 20 * minute);
      expect(await turnTexts(runtime)).toEqual(["My sister is Ana."]);
      const { call_id, arguments_hash } = (await session.pending()).calls[0]!;
      await session.decide({ call_id, arguments_hash, decision });
      await expect.poll(async () => (await session.pending()).turns.length).toBe(0);
      expect(await turnTexts(runtime)).toEqual(["My sister is Ana.", "Pay the rent, please."]);
      clock.advance(21 * minute);
      expect(await runtime.closeEpisodes()).toMatchObject([{ episode: 1 }]);
    },
  );

  it("what a person said to people is remembered by the turn that answers it, once the agent has the session again", async () => {
    const { runtime, session } = await talked(["Hello there."]);
    await session.handOver({ reason: "asked for it" });
    await session.post("My sister Ana lives in Lisbon.");
    await session.postOperator("My colleague Bea will call you.");
    expect(await turnTexts(runtime)).toEqual(["Hello there."]);
    await session.handBack({});
    await session.send("Thank you.");
    expect(await turnTexts(runtime)).toEqual(["Hello there.", "My sister Ana lives in Lisbon.", "Thank you."]);
  });
});

it("notes of an agent that this process does not have hold up none of its own, however many there are", async () => {
  const { clock, runtime } = await talked();
  const note = { session_id: "ses_00000000000000000000000000", agent: "another", episode: 1, due: 0, from: 1 };
  const records = Array.from({ length: 120 }, (_, index) => ({ kind: "memory.closing", key: `${"0".repeat(16)}/${index}/1`, data: note }));
  await runtime.store.commit({ commit_id: "notes", at: 1, records });
  clock.advance(21 * minute);
  expect(await runtime.closeEpisodes()).toHaveLength(1);
  expect((await runtime.store.list({ of: "records", kind: "memory.closing" })).total).toBe(120);
});

describe("a customer's bundle in another database", () => {
  it("is remembered, barred and closed there as here", async () => {
    const { clock, agent, requests, runtime, session } = await talked();
    const mine = runtime.customers.memory("ada");
    await mine.forget((await mine.find("cello")).map(({ entry_id }) => entry_id));
    const secret = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "2", incognito: true });
    await secret.send("My uncle Max is ill.");
    const lines = await Array.fromAsync(exportCustomer(runtime.store, "ada"));
    const redacted = await Array.fromAsync(exportCustomer(runtime.store, "ada", { redacted: true }));
    expect(redacted.join("\n")).not.toMatch(/Ana|Lisbon|exam|Tom|cello|Max/);
    const store = await emptyStore("memory");
    const other = await started({ agents: [agent], clock, store, ...still });
    const { sessions } = await importBundle(store, lines, { clock });
    expect(await notesOf(other)).toEqual([{ episode: 1, from: 1 }]);
    clock.advance(21 * minute);
    const [there] = await other.closeEpisodes();
    const [here] = await runtime.closeEpisodes();
    const { session_id, arc, ...report } = there!;
    expect({ session_id, arc, ...report }).toEqual({ ...here, session_id: sessions[session.id], arc: `arc:${sessions[session.id]}:1` });
    expect(JSON.stringify((await rowsOf(other, "ada")).filter(({ kind }) => kind !== "bar"))).not.toMatch(/Tom|cello/);
    expect(await notesOf(other)).toEqual([]);
    const told = [];
    for (const one of [runtime, other]) {
      await (await one.sessions.open({ agent: "friend", customer: "ada", key: "3" })).send("Where does my sister live, and who plays the cello?");
      told.push(requests.at(-1)?.sections);
    }
    expect(told[1]).toEqual(told[0]);
    expect(JSON.stringify(told)).toContain("Ana lives in Lisbon");
    const again = await emptyStore("memory");
    await importBundle(again, await Array.fromAsync(exportCustomer(store, "ada")), { clock });
    // Only the question after it stands in an episode that is open.
    expect(await notesOf({ store: again })).toMatchObject([{ episode: 1, from: 1 }]);
  });
});
