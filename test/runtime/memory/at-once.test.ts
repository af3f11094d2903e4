/** What happens to a memory while a turn is at work, an episode is being closed, or after something was forgotten. */
import type { FactCandidate } from "../../../packages/throughline/src/memory/entry.ts";
import { describe, expect, test } from "vitest";
import type { Session } from "../../../packages/throughline/src/index.ts";
import type { Extractor } from "../../../packages/throughline/src/memory/write/check-candidate.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { emptyStore, gate, started } from "../harness.ts";
import { remembering, rowsOf, withWait } from "./harness.ts";

const still = { pollMs: 3_600_000, leaseMs: 600_000, heartbeatMs: 1_000 };
const secret = "My aunt Zelda keeps a xylophone.";

describe("while a turn is at work", () => {
  test("what it says and another process forgets is not remembered by it", async () => {
    const store = await emptyStore("memory");
    const elsewhere = await started({ agents: [remembering().agent], store, work: false });
    const held = gate();
    const { agent, requests } = remembering();
    const runtime = await started({ agents: [agent], store });
    const one = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "1" });
    await one.send(secret);
    await runtime.close();
    const slow = await started({ agents: [withWait(agent, held.opened)], store });
    const two = await slow.sessions.open({ agent: "friend", customer: "ada", key: "2" });
    const answer = two.send(`${secret} I said so before.`);
    await expect.poll(async () => (await two.pending()).turns.some(({ status }) => status === "running")).toBe(true);
    const mine = elsewhere.customers.memory("ada");
    const [found] = await mine.find("xylophone");
    await mine.forget([found?.entry_id ?? ""]);
    held.open();
    expect((await answer).status).toBe("completed");
    expect(JSON.stringify(await rowsOf(slow, "ada"))).not.toContain("xylophone");
    await two.send("What does my aunt keep?");
    expect(JSON.stringify(requests.at(-1))).not.toContain("xylophone");
  });
});

const candidate = (quote: string, object: string, more: Partial<FactCandidate> = {}): FactCandidate => ({
  ...{ type: "fact", category: "context", subject: { type: "User", id: "user" }, predicate: "LIKES", object: { type: "Thing", id: object } },
  ...{ quote, offset: 0, confidence: "high", reason: "said" },
  ...more,
});

/** Proposes what it is told to. */
async function scriptedMemory() {
  const clock = fixedClock();
  let next: readonly FactCandidate[] = [];
  const extractor: Extractor = {
    name: "scripted@1",
    extract: async ({ turns }) => {
      const arc = { summary: turns.map(({ text }) => text).join(" "), themes: ["music"], open_loops: [], resolved: [] };
      return { candidates: next, arc, reason: "told so" };
    },
  };
  const runtime = await started({ agents: [remembering({ extractor }).agent], clock, ...still });
  const mine = () => runtime.customers.memory("ada");
  let sessions = 0;
  const episode = async (said: string, proposed: readonly FactCandidate[]): Promise<Session> => {
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada", key: `${sessions++}` });
    await session.send(said);
    next = proposed;
    clock.advance(21 * 60_000);
    await runtime.closeEpisodes();
    return session;
  };
  const facts = async () => (await mine().export({ format: "json" })).facts.map(({ entry }) => entry.object.id);
  return { runtime, mine, episode, facts };
}

describe("what was forgotten", () => {
  const again: readonly (readonly [string, string, FactCandidate])[] = [
    ["the same words", "I like the blue xylophone.", candidate("I like the blue xylophone", "blue xylophone")],
    ["other capitals and marks", "I LIKE - the blue xylophone!!", candidate("I LIKE - the blue xylophone", "Blue Xylophone")],
    ["another article", "You know I like my blue xylophone.", candidate("I like my blue xylophone", "my blue xylophone")],
    ["other words for the same", "The blue xylophone is what I like.", candidate("The blue xylophone is what I like", "blue xylophone")],
    ["the same words in a longer message", "Well, I like the blue xylophone a lot.", candidate("I like the blue xylophone a lot", "instrument")],
    [
      "the same of another kind",
      "The blue xylophone helps me.",
      candidate("The blue xylophone helps me", "the blue xylophones", { category: "context" }),
    ],
    ["a part of it", "I like the blue xylophone.", candidate("the blue xylophone", "xylophone")],
  ];
  test.each(again)("is not written again by an extraction: %s", async (_name, said, proposed) => {
    const { mine, episode, facts } = await scriptedMemory();
    await episode("I like the blue xylophone.", [candidate("I like the blue xylophone", "the blue xylophone")]);
    expect(await facts()).toEqual(["the blue xylophone"]);
    const [fact] = await mine().find("xylophone");
    await mine().forget([fact?.entry_id ?? ""]);
    await episode(said, [proposed]);
    expect(await facts()).toEqual([]);
    // Something else is written as ever.
    await episode("I like green tea.", [candidate("I like green tea", "green tea")]);
    expect(await facts()).toEqual(["green tea"]);
  });

  test("said again on purpose it is kept, and found again from then on", async () => {
    const { mine, episode, facts } = await scriptedMemory();
    await episode("I like the blue xylophone.", [candidate("I like the blue xylophone", "the blue xylophone")]);
    const [fact] = await mine().find("xylophone");
    await mine().forget([fact?.entry_id ?? ""]);
    await mine().remember({ quote: "I like the blue xylophone", predicate: "LIKES", object: { type: "Thing", id: "the blue xylophone" } });
    await mine().savePreference("Mention the blue xylophone.");
    expect(await facts()).toEqual(["the blue xylophone"]);
    expect((await mine().status()).rules).toBe(1);
    await episode("I like the blue xylophone.", [candidate("I like the blue xylophone", "the blue xylophone")]);
    expect((await mine().export({ format: "json" })).facts.map(({ entry }) => entry.sources.length)).toEqual([2]);
  });
});
