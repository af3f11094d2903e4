import { expect, onTestFinished, test } from "vitest";
import { sqlitePlace } from "./place.ts";
import { reportOn } from "./report.ts";
import { storm } from "./storm.ts";

test("30 kills of turns with parallel tools, child agents and approvals repeat nothing and lose nothing", { timeout: 240_000 }, async () => {
  const place = await sqlitePlace();
  onTestFinished(() => place.remove());
  const seed = 20_260_103;
  const aftermath = await storm({ location: place.location, kills: 30, seed, sessions: 0, toolSessions: 4, workers: 2, clients: 2, messages: 120 });
  onTestFinished(() => aftermath.store.close());
  const report = await reportOn(aftermath);
  expect(report.violations, `seed ${seed}\n${report.logs.join("\n\n")}`).toEqual([]);
  expect(report).toMatchObject({ lost: 0, doubled: 0 });
  // A storm without effects, or without decisions, proves nothing.
  expect(report.answered).toBeGreaterThan(10);
  expect(report.once).toBeGreaterThan(5);
  expect(report.children).toBeGreaterThan(0);
  expect(report.approved + report.edited + report.answered_questions).toBeGreaterThan(0);
  expect(report.turned_down).toBeGreaterThan(0);
  expect(report.delivered).toBe(report.events * 2);
});
