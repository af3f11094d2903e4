/** Rate limits of two real processes on one database, one of which is killed while it holds tokens. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { databases, newLocation } from "../setup/server.ts";

const limit = 120;
const leaseSeconds = 5;

interface Taking {
  readonly child: ChildProcess;
  admitted: number;
  refused: number;
  /** The most statements beyond one a second. */
  excess: number;
}

function startTaking(location: string): Taking {
  const child = spawn(process.execPath, [join(root, "test/server/rate-child.ts"), location, String(limit)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const taking: Taking = { child, admitted: 0, refused: 0, excess: 0 };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { admitted, statements, seconds } = JSON.parse(line) as {
      readonly admitted: boolean;
      readonly statements: number;
      readonly seconds: number;
    };
    if (admitted) taking.admitted += 1;
    else taking.refused += 1;
    taking.excess = Math.max(taking.excess, statements - seconds);
  });
  return taking;
}

test.each(databases)("M10 two processes on %s admit one limit together, and go on when one is killed", { timeout: 180_000 }, async (database) => {
  const location = await newLocation(database);
  const began = performance.now();
  const [doomed, other] = [startTaking(location), startTaking(location)];
  const total = (): number => doomed.admitted + other.admitted;
  const patient = { timeout: 60_000, interval: 20 };
  await expect.poll(() => Math.min(doomed.admitted, other.admitted), patient).toBeGreaterThan(0);
  doomed.child.kill("SIGKILL");
  const held = doomed.admitted;
  // What the dead process held comes back as the bucket refills.
  await expect.poll(() => other.admitted, patient).toBeGreaterThan(limit - held);
  await expect.poll(total, patient).toBeGreaterThan(limit);
  const seconds = (performance.now() - began) / 1_000;
  expect(total()).toBeLessThanOrEqual(limit + Math.ceil((limit * (seconds + leaseSeconds)) / 60));
  await expect.poll(() => other.refused, patient).toBeGreaterThan(0);
  for (const { excess } of [doomed, other]) expect(excess).toBeLessThanOrEqual(6);
});
