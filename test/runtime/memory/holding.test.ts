/** How long a memory holds its process up: measured generously, since other work of the machine counts too. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openStore } from "../../../packages/throughline/src/index.ts";
import { systemClock } from "../../../packages/throughline/src/kernel/clock.ts";
import type { OwnerId, SessionId } from "../../../packages/throughline/src/kernel/id.ts";
import { silentLogger } from "../../../packages/throughline/src/kernel/log.ts";
import { doInSlices } from "../../../packages/throughline/src/kernel/slices.ts";
import { emptyProfile, turnEntryId } from "../../../packages/throughline/src/memory/entry.ts";
import { createTextReader } from "../../../packages/throughline/src/memory/recall/language.ts";
import { memory } from "../../../packages/throughline/src/memory/memory-extension.ts";
import { consolidate } from "../../../packages/throughline/src/memory/write/consolidate.ts";
import { encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { comparing } from "../../../packages/throughline/src/memory/write/key.ts";
import { ruleExtractor } from "../../../packages/throughline/src/memory/write/rule-extractor.ts";
import { MemoryCache } from "../../../packages/throughline/src/memory/keep/memory-cache.ts";
import { fact, source } from "../../memory/write/entries.ts";
import { cpuMs } from "../../setup/cpu-time.ts";

const { signal } = new AbortController();
/** Each took two to ten times as long at once. */
const longestMs = 100;

/** The longest work between two turns of the event loop while something is done. */
async function held(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const since = (): readonly [number, number] => [performance.now(), cpuMs()];
  let last = since();
  const look = (): void => {
    const now = since();
    longest = Math.max(longest, Math.min(now[0] - last[0], now[1] - last[1]));
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  await delay(1);
  return longest;
}

describe("what holds the process up", () => {
  it("timing: not making four languages ready", { retry: 1 }, async () => {
    expect(await held(() => doInSlices(createTextReader().prepare()))).toBeLessThan(longestMs);
  });

  it("timing: not reading an episode by rules, the first time either", { retry: 1 }, async () => {
    const turns = Array.from({ length: 300 }, (_, offset) => ({
      ...{ offset, at: offset },
      text: `I live in Lisbon. My sister Anna loves day ${offset}. I am worried about my exam tomorrow!`,
    }));
    expect(await held(() => ruleExtractor().extract({ turns, replies: [], known: [] }, { signal }))).toBeLessThan(longestMs);
  });

  it("timing: not reading a memory of 5,000 entries", { retry: 1 }, async () => {
    const store = await openStore(":memory:");
    const owner_id = "somebody" as OwnerId;
    const session_id = "ses_00000000000000000000000001" as SessionId;
    const entries = Array.from({ length: 5_000 }, (_, offset) =>
      encodeEntry(turnEntryId(session_id, offset), {
        ...{ type: "turn", text: `Word${offset % 700} and other${offset} words were said of the garden`, source: { session_id, offset, at: offset } },
        ...{ episode: 0, recorded_at: offset, sensitivity: "ordinary" },
      }),
    );
    for (let from = 0; from < entries.length; from += 500)
      await store.commit({
        commit_id: `entries ${from}`,
        at: from,
        owner: { owner_id, entries: entries.slice(from, from + 500), ...(from === 0 ? { create: {} } : {}) },
      });
    const cache = new MemoryCache({ store, clock: systemClock, logger: silentLogger }, { mostBytes: Number.POSITIVE_INFINITY });
    const read = async (): Promise<void> => {
      const { completing, view } = await cache.of(owner_id, memory());
      await completing;
      expect(view.index.size).toBe(entries.length);
    };
    expect(await held(read)).toBeLessThan(longestMs);
    await store.close();
  });

  it("timing: not holding an episode against 10,000 facts of one predicate", { retry: 1 }, async () => {
    const likes = (id: string, offset: number) =>
      fact({ predicate: "LIKES", category: "preference", object: { type: "Thing", id }, sources: [source(offset)] });
    const facts = Array.from({ length: 10_000 }, (_, place) => ({
      entry_id: `fact:${place}`,
      version: place + 1,
      entry: likes(`kind ${place} of coloured glass`, place),
    }));
    const turns = Array.from({ length: 60 }, (_, offset) => ({
      offset,
      at: 1e9 + offset,
      text: `I love jar ${offset} and I keep jar ${offset} safe.`,
    }));
    const candidates = turns.map(({ offset }) => ({
      ...({ type: "fact", category: "preference", subject: { type: "User", id: "user" }, predicate: "LIKES" } as const),
      ...({ object: { type: "Thing", id: `jar ${offset}` }, quote: `I love jar ${offset}`, offset, confidence: "medium", reason: "said" } as const),
    }));
    const all = async (): Promise<void> => {
      await doInSlices(comparing(facts.map(({ entry }) => entry)));
      const arc = { summary: `jars: ${candidates.map(({ object }) => object.id).join(", ")}`, themes: [], open_loops: [], resolved: [] };
      const { report } = consolidate({
        ...{ owner_id: "somebody", memory: { facts, arcs: [], profile: emptyProfile, bars: [], masks: [] }, now: 2e9 },
        episode: { session_id: "ses_00000000000000000000000002" as SessionId, episode: 0, turns },
        extraction: { candidates, arc, reason: "said" },
      });
      expect(report.written).toHaveLength(60);
    };
    expect(await held(all)).toBeLessThan(2 * longestMs);
  });
});
