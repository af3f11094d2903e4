import { expect, test } from "vitest";
import { openStore, type Store } from "../../../packages/throughline/src/index.ts";
import { code, started } from "../harness.ts";
import { clockAt, dayMs } from "./clock-at.ts";
import { gated } from "./harness.ts";

const noon = Date.parse("2026-11-20T12:00:00Z");

const feedbackIn = async (store: Store) => (await store.list({ of: "records", kind: "feedback" })).items.map(({ data }) => data);

async function opened(store?: Store) {
  const clock = clockAt(noon);
  const opening = store ?? (await openStore(":memory:", { clock }));
  const runtime = await started({ agents: [gated().agent], store: opening, clock });
  return { clock, store: opening, runtime };
}

test("companion 3.10: a label with the count of turns, of nobody who can be named, for 180 days; each time anew", async () => {
  const { clock, store, runtime } = await opened();
  await runtime.customers.create({ id: "ada" });
  const session = await runtime.sessions.create({ agent: "companion", customer: "ada" });
  await session.send("Good morning");
  const given = await session.feedback("negative", { source: "cli_end" });
  await session.feedback("negative", { source: "cli_end" });
  const all = await feedbackIn(store);
  expect(all).toHaveLength(2);
  expect(all).toContainEqual(given);
  expect(given).toMatchObject({ label: "negative", source: "cli_end", turn_count_at_end: 1, recorded_at: noon, schema_version: 1 });
  expect(JSON.stringify(all)).not.toMatch(/\bada\b|ses_/u);
  expect(new Set(all.map(({ session_ref }) => session_ref)).size).toBe(1);
  clock.set(noon + 180 * dayMs - 1);
  expect(await feedbackIn(store)).toHaveLength(2);
  clock.set(noon + 180 * dayMs);
  expect(await feedbackIn(store)).toEqual([]);
});

test("of an incognito session nothing leads back to anybody", async () => {
  const { runtime } = await opened();
  const session = await runtime.sessions.create({ agent: "companion", incognito: true });
  const [first, second] = [await session.feedback("skip"), await session.feedback("skip")];
  expect(first?.subject_ref).toBeNull();
  expect(first?.session_ref).not.toBe(second?.session_ref);
});

test("a label or source that there is not is refused; a store that fails is null", async () => {
  const { clock, store } = await opened();
  let fails = false;
  const failing: Store = { ...store, commit: (commit) => (fails ? Promise.reject(new Error("away")) : store.commit(commit)) };
  const { runtime } = await opened(failing);
  const session = await runtime.sessions.create({ agent: "companion" });
  expect(await code(session.feedback("great" as never))).toBe("input.invalid");
  expect(await code(session.feedback("positive", { source: "post" as never }))).toBe("input.invalid");
  fails = true;
  expect(await session.feedback("positive")).toBeNull();
  expect(clock.now()).toBe(noon);
});
