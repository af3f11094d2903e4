/** The first turn of a session recalls the last one, whether that was ended, fell silent, or was left behind. */
import { describe, expect, it } from "vitest";
import type { Runtime, Session, Store } from "../../../packages/throughline/src/index.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { collect, emptyStore, started } from "../harness.ts";
import { remembering, rowsOf } from "./harness.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const texts = [
  "My sister Ana lives in Lisbon and she called me last night.",
  "I am worried about the exam on Thursday, it never leaves my head.",
  "The exam worries me so much that I hardly sleep at the moment.",
];
/** No worker looks by itself: what is not closed stays so. */
const still = { pollMs: 3_600_000, leaseMs: 600_000, heartbeatMs: 1_000 };

async function talked(options: Parameters<typeof remembering>[0] = {}) {
  const clock = fixedClock();
  const store = await emptyStore("memory");
  const { agent, requests } = remembering(options);
  const runtime = await started({ agents: [agent], store, clock, ...still });
  const session = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "first" });
  for (const text of texts) await session.send(text);
  return { clock, store, runtime, session, requests };
}

/** Ids of the arcs that each turn of a session caught up on. */
async function caughtUp(session: Session): Promise<readonly (readonly string[])[]> {
  const events = await collect(session, { kinds: ["turn"] });
  return events.flatMap((event) => {
    if (event.kind !== "turn" || event.data.type !== "stage" || event.data.recall === undefined) return [];
    const { entries } = event.data.recall as unknown as { readonly entries: readonly { readonly entry_id: string; readonly catch_up?: true }[] };
    return [entries.filter(({ catch_up }) => catch_up === true).map(({ entry_id }) => entry_id)];
  });
}

const arcsOf = async (runtime: Runtime & { readonly store: Store }) => {
  const live = new Map((await rowsOf(runtime, "ada")).map((row) => [row.entry_id, row]));
  return [...live.values()].filter(({ kind, data }) => kind === "arc" && data !== null);
};

describe("the first turn of a new session", () => {
  it.each([
    ["a moment later, without an end", 1_000],
    ["after the silence that ends it", 21 * minute],
    ["90 days later", 90 * day],
  ])("recalls the last session: %s", async (_when, later) => {
    const { clock, runtime, session, requests } = await talked();
    clock.advance(later);
    const next = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "next" });
    await next.send("Hello again.");
    const shown = JSON.stringify(requests.at(-1));
    await next.send("Just a moment, please.");
    expect(await caughtUp(next)).toEqual([[`arc:${session.id}:1`], []]);
    expect(shown).toContain("last session [");
    expect(shown).toContain("exam on Thursday");
  });

  it("recalls the last episode of its own session, days after it fell silent", async () => {
    const { clock, session } = await talked();
    clock.advance(3 * day);
    await session.send("Hello again.");
    expect(await caughtUp(session)).toEqual([[], [], [], [`arc:${session.id}:1`]]);
  });

  it("leaves the other session open, and its end replaces the arc", async () => {
    const { clock, runtime, session } = await talked();
    const next = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "next" });
    await next.send("Hello again.");
    expect((await session.info()).episode).toBe(1);
    await session.send("The exam went really well and I am so happy about it.");
    clock.advance(21 * minute);
    const reports = await runtime.closeEpisodes({ session: session.id });
    expect(reports).toMatchObject([{ episode: 1, arc: `arc:${session.id}:1` }]);
    const [arc, ...more] = await arcsOf(runtime);
    expect(more).toEqual([]);
    expect(arc?.data).toMatchObject({ turn_count: 4 });
  });

  it("sees what was said since another session made the arc", async () => {
    const { clock, runtime, session } = await talked();
    const open = (key: string) => runtime.sessions.open({ agent: "friend", customer: "ada", key });
    await (await open("next")).send("Hello again.");
    clock.advance(minute);
    await session.send("The exam went really well and I am so happy about it.");
    clock.advance(minute);
    const third = await open("third");
    await third.send("Hello.");
    expect(await caughtUp(third)).toEqual([[`arc:${session.id}:1`]]);
    const [arc] = await arcsOf(runtime);
    expect(arc?.data).toMatchObject({ turn_count: 4 });
  });

  it("does not recall what the person asked to keep out", async () => {
    const { runtime, session } = await talked();
    const open = (key: string) => runtime.sessions.open({ agent: "friend", customer: "ada", key });
    await (await open("next")).send("Hello again.");
    expect(await arcsOf(runtime)).toHaveLength(1);
    await session.send("Please don't save this session.");
    expect(await arcsOf(runtime)).toEqual([]);
    const third = await open("third");
    await third.send("Hello.");
    expect(await caughtUp(third)).toEqual([[]]);
  });

  it("asks no model, and writes no fact", async () => {
    let asked = 0;
    const { runtime, session } = await talked({
      extractor: { name: "counted@1", extract: async () => ((asked += 1), { candidates: [], arc: null, reason: "nothing" }) },
    });
    const next = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "next" });
    await next.send("Hello again.");
    expect(await caughtUp(next)).toEqual([[`arc:${session.id}:1`]]);
    expect(asked).toBe(0);
    expect((await rowsOf(runtime, "ada")).filter(({ kind }) => kind === "fact")).toEqual([]);
    // The model finds nothing to keep, so the arc of the rules goes.
    await session.endEpisode();
    await runtime.closeEpisodes({ session: session.id });
    expect(asked).toBe(1);
    expect(await arcsOf(runtime)).toEqual([]);
  });

  it("recalls the arc that a worker writes at the same moment", async () => {
    const { clock, store, runtime, session } = await talked();
    const looked = Promise.withResolvers<void>();
    const racing: Store = {
      ...store,
      list: async (query) => {
        if (query.of === "records" && query.kind === "memory.closing") {
          if (query.session_id === session.id) await runtime.closeEpisodes();
          else looked.resolve();
        }
        return store.list(query);
      },
    };
    const other = await started({ agents: [remembering().agent], store: racing, clock, ...still });
    // The worker of a runtime looks once at its start. It must not close the episode instead.
    await looked.promise;
    clock.advance(21 * minute);
    const next = await other.sessions.open({ agent: "friend", customer: "ada", key: "next" });
    await next.send("Hello again.");
    expect(await caughtUp(next)).toEqual([[`arc:${session.id}:1`]]);
    expect((await session.info()).episode).toBe(2);
  });

  it("is answered without the arc if it cannot be written", async () => {
    const { clock, store, session } = await talked();
    const failing: Store = {
      ...store,
      commit: async (commit) => {
        if (commit.owner?.entries?.some(({ kind }) => kind === "arc") === true) throw new Error("the disk is full");
        return store.commit(commit);
      },
    };
    const other = await started({ agents: [remembering().agent], store: failing, clock, ...still });
    const next = await other.sessions.open({ agent: "friend", customer: "ada", key: "next" });
    expect((await next.send("Hello again.")).status).toBe("completed");
    expect(await caughtUp(next)).toEqual([[]]);
    expect((await session.info()).episode).toBe(1);
  });
});
