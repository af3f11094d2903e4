import { expect, test } from "vitest";
import { openStore, type Clock } from "../../../src/index.ts";
import type { AssessmentRecord } from "../../../src/safety.ts";
import { code, started, until } from "../harness.ts";
import { calm, gated, saying } from "./harness.ts";

const dayMs = 24 * 60 * 60 * 1_000;
const noon = Date.parse("2026-11-20T12:00:00Z");

/** A clock that stands where it is put; waiting takes real time. */
function clockAt(at: number): Clock & { set(to: number): void } {
  let now = at;
  return {
    now: () => now,
    set: (to) => void (now = to),
    monotonic: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, Math.min(ms, 20));
        signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
      }),
  };
}

test("the days of an audit stay when their assessments have gone, and what has gone is on record", async () => {
  const clock = clockAt(noon);
  const store = await openStore(":memory:", { clock });
  const { agent } = gated({ retentionDays: 3 });
  const runtime = await started({ agents: [agent], store, clock });
  const session = await runtime.sessions.create({ agent: "companion" });
  await session.send("Good morning");
  await session.send("I want to die. I live in Canada.");
  const { totals, referrals, days } = await runtime.safety.report();
  expect(totals).toMatchObject({ events_total: 2, by_level: { "0": 1, "2": 1 }, replies_total: 1, replies_completed: 1, referrals_total: 1 });
  expect(referrals).toEqual({ "2026": { CA: 1 } });
  expect(JSON.stringify(days)).not.toContain((await runtime.safety.assessments()).items[0]?.audit_id);
  const again = await runtime.safety.report();
  expect(again.days).toEqual(days);

  clock.set(noon + 10 * dayMs);
  const later = await runtime.safety.report();
  expect((await runtime.safety.assessments()).items).toEqual([]);
  expect(later.days).toEqual(days);
  expect(later.purged).toEqual([{ day: "2026-11-20", removed: 2, left: 0, at: clock.now() }]);
  clock.set(noon + 11 * dayMs);
  expect((await runtime.safety.report()).purged).toEqual(later.purged);
});
