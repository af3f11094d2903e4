import { expect, onTestFinished, test } from "vitest";
import { openPlace } from "./places.ts";
import { gateRun } from "./run.ts";

test("500 turns in which everything fails: every message has its reply, and every reply its assessment", async () => {
  const seed = 20_261_121;
  const place = await openPlace("memory", undefined);
  onTestFinished(() => place.remove());
  const { violations, ...report } = await gateRun({ turns: 500, seed, open: place.open });
  expect(violations, `seed ${seed}`).toEqual([]);
  // A run in which little failed, or nobody was in danger, proves nothing.
  expect(report.store_failures).toBeGreaterThan(100);
  expect(report.unsaved).toBeGreaterThan(30);
  expect(report.by_level["3"]).toBeGreaterThan(50);
  expect(report.by_level["1"]).toBeGreaterThan(50);
  expect(report.by_level["0"]).toBeGreaterThan(20);
  expect(report.audited).toBeGreaterThanOrEqual(500);
});
