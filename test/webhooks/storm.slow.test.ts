/** Two services and two receivers that fail, hang, answer late or redirect: every event arrives, in order, and none after an erasure. */
import { expect, onTestFinished, test } from "vitest";
import { createWebhooks } from "../../packages/server/src/server/webhooks/webhooks.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { databases, echo, newLocation, startServer, type TestServer } from "../setup/server.ts";
import { type Reaction, startReceiver } from "../setup/webhook-receiver.ts";

const sessions = 120;
const perSession = 42;

test.each(databases)("a storm on %s", { timeout: 600_000 }, async (database) => {
  const location = await newLocation(database);
  const inside = await startReceiver();
  const accepted = [new Map<string, number[]>(), new Map<string, number[]>()];
  const erased = new Set<string>();
  const tooLate: string[] = [];
  const moody =
    (into: Map<string, number[]>): Reaction =>
    ({ body }, index, response) => {
      const { session_id, offset } = JSON.parse(body) as { readonly session_id: string; readonly offset: number };
      if (erased.has(session_id)) tooLate.push(session_id);
      if (index % 17 === 3) return 500;
      if (index % 23 === 5) {
        response.writeHead(302, { location: inside.url });
        response.end();
        return undefined;
      }
      // Hangs until the sender gives up.
      if (index % 499 === 7) return undefined;
      into.set(session_id, [...(into.get(session_id) ?? []), offset]);
      if (index % 29 !== 11) return 200;
      setTimeout(() => response.end(), 50);
      return undefined;
    };
  const receivers = await Promise.all(accepted.map((into) => startReceiver(moody(into))));
  const services: TestServer[] = [];
  for (const _each of receivers) {
    const store = await openStore(location);
    onTestFinished(() => store.close());
    const targets = receivers.map(({ url }, index) => ({ name: `r${index}`, url, kinds: ["custom"] as const }));
    const webhooks = createWebhooks({
      ...{ store, agents: [echo], allowHosts: receivers.map(({ port }) => `127.0.0.1:${port}`), targets },
      ...{ pollMs: 100, timeoutMs: 1_000, pauseAfter: 1_000_000, retryMs: Array.from({ length: 20 }, () => 50) },
    });
    services.push(await startServer({ store: webhooks.store, webhooks }));
  }
  const service = (index: number): TestServer => services[index % services.length] ?? expect.fail();
  const ids = await Promise.all(
    Array.from({ length: sessions }, async (_, index) => (await service(index).runtime.sessions.create({ agent: "a1" })).id),
  );
  await Promise.all(
    ids.map(async (id, index) => {
      for (let value = 0; value < perSession; value++) await (await service(value).runtime.sessions.get(id)).postCustom(value);
      if (index % 10 !== 0) return;
      // What another process had sent by then may still arrive for a moment.
      await service(index).runtime.sessions.delete(id);
      setTimeout(() => erased.add(id), 1_000);
    }),
  );
  const due = async (): Promise<number> => (await service(0).store.list({ of: "records", kind: "webhook_due", limit: 1 })).total;
  while ((await due()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const offsets = Array.from({ length: perSession }, (_, index) => index + 1);
  for (const into of accepted)
    for (const [index, id] of ids.entries()) {
      if (index % 10 === 0) continue;
      const got = into.get(id) ?? [];
      // In the order of their first arrival: a receiver may take up a request late whose sender has given it up.
      expect([...new Set(got)]).toEqual(offsets);
    }
  expect(tooLate).toEqual([]);
  expect(inside.received).toHaveLength(0);
});
