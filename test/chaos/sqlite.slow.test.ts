import { expect, onTestFinished, test } from "vitest";
import { sqlitePlace } from "./place.ts";
import { reportOn } from "./report.ts";
import { storm } from "./storm.ts";

test("50 kills on SQLite lose nothing and double nothing", { timeout: 240_000 }, async () => {
  const place = await sqlitePlace();
  onTestFinished(() => place.remove());
  const seed = 20_260_101;
  const aftermath = await storm({ location: place.location, kills: 50, seed, sessions: 3, workers: 2, clients: 2, messages: 250 });
  onTestFinished(() => aftermath.store.close());
  const report = await reportOn(aftermath);
  expect(report.violations, `seed ${seed}\n${report.logs.join("\n\n")}`).toEqual([]);
  expect(report).toMatchObject({ lost: 0, doubled: 0 });
  // A storm in which nothing happened, or nothing was interrupted, proves nothing.
  expect(report.acknowledged).toBeGreaterThan(150);
  // A busy machine answers many messages with one reply.
  expect(report.answered).toBeGreaterThan(30);
  expect(report.resent).toBeGreaterThan(1);
  expect(report.superseded).toBeGreaterThan(1);
  expect(report.delivered).toBe(report.events * 2);
  expect(report.checkpoints, "a session has state enough for a checkpoint").toBeGreaterThan(0);
});
