/** Deliveries under `kill -9` at every write: the next process goes on, nothing is lost, and at most the event that was under way comes twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWebhooks } from "../../packages/server/src/server/webhooks/webhooks.ts";
import { createRuntime } from "../../packages/throughline/src/create-runtime.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { databases, echo, newLocation } from "../setup/server.ts";
import { startReceiver } from "../setup/webhook-receiver.ts";

/** Lives once. Returns whether the process ended by itself. */
async function live(given: object): Promise<boolean> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "deliver-child.ts"), JSON.stringify(given)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  await once(child, "exit");
  expect([0, null]).toContain(child.exitCode);
  return child.signalCode === null;
}

const perSession = 3;

/** Posts events of two sessions that nobody delivers yet. */
async function post(location: string, url: string): Promise<readonly string[]> {
  const store = await openStore(location);
  const targets = [{ name: "crm", url, kinds: ["custom"] as const }];
  const { store: noting } = createWebhooks({ store, agents: [echo], allowHosts: ["127.0.0.1"], targets });
  const runtime = await createRuntime({ store: noting, agents: [echo], work: false });
  // A target gets no events from before it, so that it has to be known first.
  await createWebhooks({ store, agents: [echo], allowHosts: ["127.0.0.1"], targets }).list();
  const ids: string[] = [];
  for (let index = 0; index < 2; index++) {
    const session = await runtime.sessions.create({ agent: "a1" });
    for (let value = 0; value < perSession; value++) await session.postCustom(value);
    ids.push(session.id);
  }
  await runtime.close();
  await store.close();
  return ids;
}

test.each(databases)("a process that dies while it delivers, on %s", { timeout: 300_000 }, async (database) => {
  let deaths = 0;
  // Until a process writes less than that.
  for (let count = 1, survived = false; !survived; count += database === "SQLite" ? 1 : 3) {
    const { url, received } = await startReceiver();
    const location = await newLocation(database);
    const ids = await post(location, url);
    const at = count % 2 === 0 ? "after" : "before";
    survived = await live({ location, url, later: 0, doom: { at, count, ms: 0 } });
    if (!survived) {
      deaths += 1;
      expect(await live({ location, url, later: 120_000 })).toBe(true);
    }
    for (const id of ids) {
      const own = received.filter(({ headers }) => headers["x-session-id"] === id);
      const offsets = own.map(({ body }) => (JSON.parse(body) as { readonly offset: number }).offset);
      expect(offsets).toEqual(offsets.toSorted((one, other) => one - other));
      expect([...new Set(offsets)]).toEqual([1, 2, 3]);
      expect(offsets.length).toBeLessThanOrEqual(perSession + (survived ? 0 : 1));
      // A repetition has the id of the first one.
      expect(new Set(own.map(({ headers }) => headers["webhook-id"])).size).toBe(perSession);
    }
  }
  expect(deaths).toBeGreaterThan(3);
});
