/** Closing episodes: by silence, by a word, by whoever comes first; once, whatever happens. */
import { describe, expect, it } from "vitest";
import type { Session } from "../../../packages/throughline/src/index.ts";
import type { Extractor } from "../../../packages/throughline/src/memory/write/check-candidate.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { collect, emptyStore, started } from "../harness.ts";
import { remembering, rowsOf } from "./harness.ts";

const minute = 60_000;
const texts = [
  "My sister Ana lives in Lisbon and she called me last night.",
  "I am worried about the exam on Thursday, it never leaves my head.",
  "The exam worries me so much that I hardly sleep at the moment.",
];
const talk = async (session: Session, said: readonly string[] = texts): Promise<void> => {
  for (const text of said) await session.send(text);
};
const kindsOf = async (runtime: Parameters<typeof rowsOf>[0]): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { kind, data } of await rowsOf(runtime, "ada")) if (data !== null) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};
const typesOf = async (session: Session) =>
  (await collect(session, { kinds: ["session"] })).map((event) => (event.kind === "session" ? event.data.type : ""));
/** A poll that never comes by itself: the test looks. */
const still = { pollMs: 3_600_000, leaseMs: 600_000, heartbeatMs: 1_000 };

async function talked() {
  const clock = fixedClock();
  const { agent } = remembering();
  const store = await emptyStore("memory");
  const runtime = await started({ agents: [agent], store, clock, ...still });
  const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
  await talk(session);
  return { clock, agent, store, runtime, session };
}

describe("an episode that is over", () => {
  it("case 95: is closed by silence without a word, and leaves an arc; before that nothing is written", async () => {
    const { clock, runtime, session } = await talked();
    expect(await runtime.closeEpisodes()).toEqual([]);
    expect(await kindsOf(runtime)).toEqual({ turn: 3 });
    clock.advance(21 * minute);
    const [report] = await runtime.closeEpisodes();
    expect(report).toMatchObject({ episode: 1, session_id: session.id, arc: `arc:${session.id}:1` });
    expect(await kindsOf(runtime)).toMatchObject({ turn: 3, arc: 1 });
    expect((await typesOf(session)).slice(-2)).toEqual(["episode", "remembered"]);
    expect((await session.info()).episode).toBe(2);
    expect(await runtime.closeEpisodes()).toEqual([]);
  });

  it("case 95: a message that comes in time keeps it open", async () => {
    const { clock, runtime, session } = await talked();
    clock.advance(15 * minute);
    await session.send("Still here.");
    clock.advance(15 * minute);
    expect(await runtime.closeEpisodes()).toEqual([]);
    clock.advance(6 * minute);
    expect(await runtime.closeEpisodes()).toHaveLength(1);
  });

  it("one that was ended by a word is closed when it is asked for, with no silence", async () => {
    const { runtime, session } = await talked();
    await session.endEpisode();
    expect(await runtime.closeEpisodes({ session: session.id })).toHaveLength(1);
    expect((await typesOf(session)).filter((type) => type === "episode")).toHaveLength(1);
  });

  it("each episode of a session has an arc of its own, and the next one begins with the last", async () => {
    const { clock, runtime, session } = await talked();
    clock.advance(21 * minute);
    await runtime.closeEpisodes();
    await talk(session, [
      "I finally slept for nine hours last night, and I feel so happy about it.",
      "The exam went really well, I passed it.",
      "I am going to visit Ana in Lisbon next month.",
    ]);
    const turns = (await collect(session, { kinds: ["turn"] })).flatMap((event) =>
      event.kind === "turn" && event.data.type === "stage" ? [event.data.recall] : [],
    );
    const caughtUp = turns.filter((recall) => recall !== undefined).map((recall) => JSON.stringify(recall).includes('"catch_up":true'));
    expect(caughtUp).toEqual([false, false, false, true, false, false]);
    clock.advance(21 * minute);
    await runtime.closeEpisodes();
    expect(await kindsOf(runtime)).toMatchObject({ arc: 2 });
  });

  it("an extractor that fails is tried again later, and harms no conversation", async () => {
    const clock = fixedClock();
    let fails = true;
    const extractor: Extractor = {
      name: "test@1",
      extract: async () => {
        if (fails) throw new Error("the model is away");
        return { candidates: [], arc: { summary: "They talked about an exam.", themes: ["exam"], open_loops: [], resolved: [] }, reason: "ok" };
      },
    };
    const { agent } = remembering({ extractor });
    const runtime = await started({ agents: [agent], clock, ...still });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    await talk(session);
    clock.advance(21 * minute);
    expect(await runtime.closeEpisodes()).toEqual([]);
    expect((await session.send("Are you there?")).status).toBe("completed");
    fails = false;
    expect(await runtime.closeEpisodes()).toEqual([]);
    clock.advance(minute);
    expect(await runtime.closeEpisodes()).toMatchObject([{ episode: 1, arc: `arc:${session.id}:1` }]);
  });

  it("two processes that close it at once write it once", async () => {
    const { clock, runtime, store, session } = await talked();
    const { agent } = remembering();
    // It looks for episodes only when it is asked, and not while it starts.
    const other = await started({ agents: [agent], store, clock, ...still, work: false });
    clock.advance(21 * minute);
    const reports = (await Promise.all([runtime.closeEpisodes(), other.closeEpisodes()])).flat();
    expect(reports).toHaveLength(1);
    expect((await typesOf(session)).filter((type) => type === "remembered")).toHaveLength(1);
    expect(await kindsOf(runtime)).toMatchObject({ arc: 1 });
  });

  it("one whose process died while it was at it is closed by another when its hold is over", async () => {
    const { clock, runtime, store } = await talked();
    clock.advance(21 * minute);
    const { items } = await store.list({ of: "records", kind: "memory.closing" });
    const [row] = items;
    if (row === undefined) throw new Error("no note");
    await store.commit({
      commit_id: "x",
      at: 1,
      records: [{ kind: row.kind, key: row.key, data: { ...row.data, held: { by: "dead", until: clock.now() + minute } } }],
    });
    expect(await runtime.closeEpisodes()).toEqual([]);
    clock.advance(2 * minute);
    expect(await runtime.closeEpisodes()).toHaveLength(1);
  });

  it("a session that was deleted meanwhile leaves no note", async () => {
    const { clock, runtime, store, session } = await talked();
    await runtime.sessions.delete(session.id);
    clock.advance(21 * minute);
    expect(await runtime.closeEpisodes()).toEqual([]);
    expect((await store.list({ of: "records", kind: "memory.closing" })).items).toEqual([]);
  });

  it("happens by itself where turns are run", async () => {
    const { agent } = remembering({}, { episodeSilenceMs: 100 });
    const runtime = await started({ agents: [agent], pollMs: 20 });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
    await talk(session);
    await expect.poll(async () => kindsOf(runtime)).toMatchObject({ arc: 1 });
  });
});
