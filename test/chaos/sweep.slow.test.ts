/** Death at every commit of a turn that calls tools of every kind, a child agent and people: before it is written, and when it is. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Store, openStore } from "../../packages/throughline/src/index.ts";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import { type Left, live } from "./lives.ts";
import type { Death } from "../../packages/throughline/src/testing/mortal-store.ts";

async function stores(kind: "memory" | "sqlite"): Promise<() => Promise<Store>> {
  if (kind === "memory") return async () => openMemoryStore();
  const folder = await mkdtemp(join(tmpdir(), "throughline-sweep-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let count = 0;
  return () => openStore(join(folder, `${(count += 1)}.db`), { durability: "relaxed" });
}

/** So many turns side by side: most of each is waiting. */
const together = 6;

/** Every death there is, until the process lives to the end of the turn. */
async function sweep(open: () => Promise<Store>, number: number, at: Death["at"]): Promise<readonly Left[]> {
  const all: Left[] = [];
  for (let commit = 1; ; commit += together) {
    const lives = Array.from({ length: together }, async (_, index) => {
      const store = await open();
      const left = await live(store, { number, death: { at, commit: commit + index } });
      await store.close();
      return left;
    });
    const left = await Promise.all(lives);
    all.push(...left);
    if (left.some(({ survived }) => survived)) return all;
  }
}

const plans = [
  ["everything in one reply, and a child that waits for an approval", 3],
  ["a question and a child that asks one, after tools", 7],
  ["an edited approval, then a tool that takes the state", 2],
] as const;

describe("a process that dies at any commit", () => {
  test.each([...plans.map((plan) => ["memory", ...plan] as const), ["sqlite", ...plans[0]] as const])("(%s) %s", async (kind, _name, number) => {
    const open = await stores(kind);
    for (const at of ["before", "after"] as const) {
      const all = await sweep(open, number, at);
      for (const [index, { violations, status }] of all.entries())
        expect({ commit: index + 1, at, violations, status }).toEqual({ commit: index + 1, at, violations: [], status: "completed" });
      // A sweep in which nobody died, or all effects were known, proves nothing.
      expect(all.filter(({ survived }) => !survived).length).toBeGreaterThan(6);
      expect(all.filter(({ counts }) => counts.unknown > 0).length).toBeGreaterThan(0);
    }
  });
});

test.each([
  ["begun", "unknown"],
  ["done", "unknown"],
] as const)("what must not happen twice, and was %s when its process died, is unknown and not repeated", async (when, result) => {
  for (const tool of ["charge", "publish", "ask"]) {
    const left = await live(openMemoryStore(), { number: 0, inside: { tool, when } });
    expect(left).toMatchObject({ survived: false, status: "completed", violations: [] });
    const results = left.events.flatMap((event) => (event.kind === "tool" && event.data.type === "returned" ? [event.data] : []));
    const id = { charge: "call_1_1_3", publish: "call_1_1_5", ask: "call_1_1_6" }[tool];
    expect(results.find(({ call_id }) => call_id === id)?.result.type).toBe(result);
  }
});

test("what may be repeated, and was done when its process died, is repeated under its key", async () => {
  const left = await live(openMemoryStore(), { number: 0, inside: { tool: "save", when: "done" } });
  expect(left).toMatchObject({ survived: false, status: "completed", violations: [], counts: { repeated: 1 } });
});
