/** The example of triage under `kill -9` after every commit, and by two processes at once: one ticket, one result, one callback. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openStore } from "../../packages/throughline/src/index.ts";
import { emptyPostgresDatabase } from "../setup/database.ts";
import { databases } from "../setup/server.ts";
import { startReceiver } from "../setup/webhook-receiver.ts";

const ended = z.object({
  id: z.string(),
  session_id: z.string(),
  status: z.string(),
  output: z.object({ category: z.string(), urgent: z.boolean(), ticket: z.string() }),
  callback: z.object({ status: z.string(), attempts: z.number() }),
  erasure: z.object({ sessions: z.number() }),
});

/** Lives once, and returns the run, or undefined if the process was killed. */
async function live(given: object): Promise<z.output<typeof ended> | undefined> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "triage-child.ts"), JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  child.stdout.on("data", (piece: Buffer) => (told += piece.toString()));
  await once(child, "close");
  if (child.signalCode === "SIGKILL") return undefined;
  expect(child.exitCode).toBe(0);
  return ended.parse(JSON.parse(told));
}

async function folder(): Promise<string> {
  const outside = await mkdtemp(join(tmpdir(), "throughline-triage-"));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  return outside;
}

const ticketsIn = (outside: string): readonly string[] => {
  const file = join(outside, "tickets");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};

describe.each(databases)("the example of triage on %s", (database) => {
  const placeIn = (outside: string): string | Promise<string> => (database === "SQLite" ? join(outside, "desk.db") : emptyPostgresDatabase());

  test("K18: goes on at the node, whichever commit was the last of its process", async () => {
    let deaths = 0;
    for (let count = 1; ; count++) {
      const outside = await folder();
      const receiver = await startReceiver();
      const given = { outside, location: await placeIn(outside), url: receiver.url };
      const survived = await live({ ...given, doom: { at: "after", count, ms: 0 } });
      const run = survived ?? (await live(given)) ?? expect.fail("the second process died");
      const tickets = ticketsIn(outside);
      const { output, status, callback } = run;
      expect({ count, status, callback: callback.status }).toEqual({ count, status: "completed", callback: "delivered" });
      // K10: both nodes have an output. A ticket that may have been opened is not opened again.
      expect({ count, output }).toEqual({
        count,
        output: { category: "complaint", urgent: true, ticket: tickets.length === 1 ? output.ticket : "unknown" },
      });
      expect(["opened", "unknown"]).toContain(output.ticket);
      expect(tickets.length).toBeLessThanOrEqual(1);
      if (output.ticket === "opened") expect({ count, tickets: tickets.length }).toEqual({ count, tickets: 1 });
      // K20: a receiver may hear it twice, under one id.
      const heard = new Set(receiver.received.map(({ headers, body }) => `${String(headers["webhook-id"])} ${body}`));
      expect({ count, heard: heard.size }).toEqual({ count, heard: 1 });
      expect(receiver.received.length).toBeLessThanOrEqual(2);
      const store = await openStore(given.location);
      expect((await store.list({ of: "sessions" })).items).toEqual([]);
      await store.close();
      receiver.close();
      if (survived !== undefined) break;
      deaths += 1;
    }
    // A sweep in which nobody died proves nothing.
    expect(deaths).toBeGreaterThan(8);
  }, 900_000);

  test("K1: is started, followed and called back once by two processes", async () => {
    const outside = await folder();
    const receiver = await startReceiver();
    const given = { outside, location: await placeIn(outside), url: receiver.url, leaseMs: 60_000 };
    const [one, two] = await Promise.all([live(given), live(given)]);
    expect(two).toEqual(one);
    expect(one).toMatchObject({
      status: "completed",
      output: { ticket: "opened" },
      callback: { status: "delivered", attempts: 1 },
      erasure: { sessions: 1 },
    });
    expect(ticketsIn(outside)).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  }, 300_000);
});
