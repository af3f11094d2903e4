/** Webhooks: what is delivered where, in which order, how often, and until when. */
import type { ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { describe, expect, onTestFinished, test } from "vitest";
import { createWebhooks, type WebhookOptions, type Webhooks } from "../../packages/server/src/server/webhooks/webhooks.ts";
import { redactMessages } from "../../packages/throughline/src/extension/redact.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { type FixedClock, fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { databases, echo, newLocation, startServer, type TestServer } from "../setup/server.ts";
import { type Received, startReceiver } from "../setup/webhook-receiver.ts";

/** The library by which receivers verify. It is loaded at run time, so that the project compiles without it. */
const { Webhook } = createRequire(import.meta.url)("standardwebhooks") as {
  readonly Webhook: new (secret: string) => { verify(body: string, headers: Readonly<Record<string, string>>): unknown };
};

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes!!!!").toString("base64")}`;
const other = `whsec_${Buffer.from("another one of thirty-two bytes!").toString("base64")}`;

interface Started extends TestServer {
  readonly hooks: Webhooks;
  readonly location: string;
}

/** A service with webhooks. Attempts follow the given clock. */
async function start(
  options: Partial<WebhookOptions> & Pick<WebhookOptions, "targets">,
  { database = "SQLite", at }: { readonly database?: "SQLite" | "PostgreSQL"; readonly at?: string } = {},
): Promise<Started> {
  const location = at ?? (await newLocation(database));
  const store = await openStore(location);
  onTestFinished(() => store.close());
  const hooks = createWebhooks({ store, agents: [echo], allowHosts: ["127.0.0.1"], pollMs: 50, ...options });
  return { ...(await startServer({ store: hooks.store, webhooks: hooks })), hooks, location };
}

const session = async ({ request }: TestServer, body: object = {}): Promise<string> => {
  const created = await request("POST", "/v1/sessions", { agent: "a1", ...body });
  expect(created.status).toBe(201);
  return (created.body as { readonly id: string }).id;
};

const say = async ({ runtime }: TestServer, id: string, text: string): Promise<void> => {
  expect(await (await runtime.sessions.get(id)).send(text)).toMatchObject({ status: "completed" });
};

const note = async ({ request }: TestServer, id: string, data: unknown): Promise<number> => {
  const posted = await request("POST", `/v1/sessions/${id}/events`, { kind: "custom", data });
  expect(posted.status).toBe(201);
  return (posted.body as { readonly offset: number }).offset;
};

const polled = async ({ request }: TestServer, id: string): Promise<readonly string[]> => {
  const { text } = await request("GET", `/v1/sessions/${id}/events?kinds=message,tool,status,custom,session`);
  return (JSON.parse(text) as { readonly items: readonly unknown[] }).items.map((item) => JSON.stringify(item));
};

const offsets = (received: readonly Received[]): readonly number[] =>
  received.map(({ body }) => (JSON.parse(body) as { readonly offset: number }).offset);

/** Waits until nothing is left to deliver. */
async function drained({ store }: TestServer): Promise<void> {
  while ((await store.list({ of: "records", kind: "webhook_due" })).items.length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Waits until the position of a session has changed as expected. */
async function until(is: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** The headers that a verifier reads. */
const plain = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));

const kinds = ["message", "tool", "status", "custom", "session"] as const;

describe.each(databases)("on %s", (database) => {
  test("J1: each event of a turn is one POST whose body is the polled JSON, signed for standardwebhooks", async () => {
    const { url, received } = await startReceiver();
    const service = await start({ targets: [{ name: "crm", url, secrets: [secret], kinds }] }, { database });
    const id = await session(service);
    await say(service, id, "hi");
    await drained(service);
    const events = await polled(service, id);
    expect(events.length).toBeGreaterThan(3);
    expect(received.map(({ body }) => body)).toEqual(events);
    const verifier = new Webhook(secret);
    for (const one of received) {
      const { headers, body } = one;
      const signed = plain(one);
      expect(verifier.verify(body, signed)).toEqual(JSON.parse(body));
      expect(() => new Webhook(other).verify(body, signed)).toThrow();
      expect(headers["x-session-id"]).toBe(id);
      expect(headers["content-type"]).toBe("application/json");
      expect(headers.authorization).toBeUndefined();
    }
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(received.length);
  });

  test("J3: a failing receiver gets the event again after growing delays, under the same id", async () => {
    const clock = fixedClock();
    const times: number[] = [];
    const { url, received, count } = await startReceiver((_one, index) => {
      times.push(clock.now());
      return index < 2 ? 500 : 200;
    });
    const service = await start({ targets: [{ name: "crm", url, secrets: [secret], kinds: ["custom"] }], clock }, { database });
    const id = await session(service);
    await note(service, id, 1);
    await count(1);
    for (const [index, delay] of [5_000, 30_000].entries()) {
      await until(async () => (await service.hooks.positions(id as never))[0]?.attempts === index + 1);
      expect((await service.hooks.positions(id as never))[0]).toMatchObject({ error: "500", next_at: clock.now() + delay });
      clock.advance(delay - 1);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(received).toHaveLength(index + 1);
      clock.advance(1);
      await count(index + 2);
    }
    await drained(service);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(3);
    expect(received).toHaveLength(3);
  });

  test("J5: a failing event holds the later ones of its session until it is a dead letter, and no other session", async () => {
    const clock = fixedClock();
    const { url, received, count } = await startReceiver(({ body }) => (body.includes("poison") ? 500 : 200));
    const service = await start({ targets: [{ name: "crm", url, secrets: [secret], kinds: ["custom"] }], clock, retryMs: [1_000] }, { database });
    const [one, two] = [await session(service), await session(service)];
    const poison = await note(service, one, "poison");
    await count(1);
    const held = await note(service, one, "held");
    await note(service, two, "free");
    await count(2);
    expect(received.map(({ body }) => (JSON.parse(body) as { data: { value: unknown } }).data.value)).toEqual(["poison", "free"]);
    await until(async () => (await service.hooks.positions(one as never))[0]?.attempts === 1);
    clock.advance(1_000);
    await count(4);
    await drained(service);
    expect(offsets(received.filter(({ headers }) => headers["x-session-id"] === one))).toEqual([poison, poison, held]);
    const { items } = await service.hooks.deadLetters();
    expect(items).toMatchObject([{ target: "crm", session_id: one, offset: poison, attempts: 2, error: "500" }]);
  });

  test("a failing target holds no events of its session for the other targets, also those that another process commits", async () => {
    const clock = fixedClock();
    const broken = await startReceiver(() => 500);
    const healthy = await startReceiver();
    const targets = [
      { name: "broken", url: broken.url, secrets: [secret], kinds: ["custom"] },
      { name: "healthy", url: healthy.url, secrets: [secret], kinds: ["custom"] },
    ] as const;
    const service = await start({ targets, clock }, { database });
    const id = await session(service);
    await note(service, id, 1);
    const position = async () => (await service.hooks.positions(id as never)).find(({ target }) => target === "broken");
    await until(async () => (await position())?.attempts === 1);
    for (let value = 2; value <= 4; value++) {
      await note(service, id, value);
      await healthy.count(value);
    }
    const elsewhere = await openStore(service.location);
    onTestFinished(() => elsewhere.close());
    const { store } = createWebhooks({ store: elsewhere, agents: [echo], allowHosts: ["127.0.0.1"], targets });
    await note(await startServer({ store }), id, 5);
    clock.advance(1_000);
    await healthy.count(5);
    expect(offsets(healthy.received)).toEqual([1, 2, 3, 4, 5]);
    expect(offsets(broken.received)).toEqual([1]);
    expect(await position()).toMatchObject({ next_offset: 1, attempts: 1 });
    clock.advance(4_000);
    await broken.count(2);
    expect(offsets(broken.received)).toEqual([1, 1]);
  });

  test("J10: after a change of the session's address only later events go to the new one, however late earlier ones are delivered", async () => {
    const clock = fixedClock();
    let isDown = true;
    const [old, fresh] = [await startReceiver(() => (isDown ? 503 : 200)), await startReceiver()];
    const targets = [{ name: "session", hosts: ["127.0.0.1"], secrets: [secret], kinds: ["custom"] }] as const;
    const service = await start({ targets, clock, retryMs: [1_000, 1_000] }, { database });
    const id = await session(service, { metadata: { event_webhook_url: old.url } });
    const first = await note(service, id, 1);
    const second = await note(service, id, 2);
    await old.count(1);
    expect((await service.request("PATCH", `/v1/sessions/${id}`, { metadata: { event_webhook_url: fresh.url } })).status).toBe(200);
    const third = await note(service, id, 3);
    await until(async () => (await service.hooks.positions(id as never))[0]?.attempts === 1);
    expect(fresh.received).toHaveLength(0);
    isDown = false;
    clock.advance(1_000);
    await drained(service);
    expect(offsets(old.received)).toEqual([first, first, second]);
    expect(offsets(fresh.received)).toEqual([third]);
    await service.request("PATCH", `/v1/sessions/${id}`, { metadata: { event_webhook_url: null } });
    await note(service, id, 4);
    await drained(service);
    expect(fresh.received).toHaveLength(1);
  });

  test("nothing is delivered after an erasure, also if an attempt was pending", async () => {
    const clock = fixedClock();
    const { url, received, count } = await startReceiver(() => 500);
    const service = await start({ targets: [{ name: "crm", url, secrets: [secret], kinds: ["custom"] }], clock, retryMs: [1_000] }, { database });
    await service.request("POST", "/v1/customers", { id: "c1" });
    const [one, two] = [await session(service), await session(service, { customer_id: "c1" })];
    await note(service, one, 1);
    await note(service, two, 2);
    await count(2);
    for (const id of [one, two]) await until(async () => (await service.hooks.positions(id as never))[0]?.attempts === 1);
    expect((await service.request("DELETE", `/v1/sessions/${one}`)).status).toBe(204);
    expect((await service.request("DELETE", "/v1/customers/c1")).status).toBe(202);
    await drained(service);
    clock.advance(3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(received).toHaveLength(2);
    for (const kind of ["webhook_due", "webhook_cursor", "webhook_dead", "webhook_url"])
      expect((await service.store.list({ of: "records", kind })).items).toEqual([]);
  });

  test("two processes deliver each event once while both live, and one takes over from the other", async () => {
    const { url, received } = await startReceiver();
    const targets = [{ name: "crm", url, secrets: [secret], kinds: ["custom"] }] as const;
    const one = await start({ targets }, { database });
    const two = await start({ targets }, { at: one.location });
    const ids = await Promise.all(Array.from({ length: 6 }, () => session(one)));
    await Promise.all(
      ids.map(async (id, index) => {
        for (let value = 0; value < 5; value++) await note(value % 2 === 0 ? one : two, id, index * 10 + value);
      }),
    );
    await drained(one);
    for (const id of ids) expect(offsets(received.filter(({ headers }) => headers["x-session-id"] === id))).toEqual([1, 2, 3, 4, 5]);
  });

  test("a process without deliveries notes events, and another one delivers them", async () => {
    const { url, received, count } = await startReceiver();
    const targets = [{ name: "crm", url, secrets: [secret], kinds: ["custom"] }] as const;
    const one = await start({ targets }, { database });
    const store = await openStore(one.location);
    onTestFinished(() => store.close());
    const silent = await startServer({ store: createWebhooks({ store, agents: [echo], targets, allowHosts: ["127.0.0.1"] }).store });
    const id = await session(silent);
    await note(silent, id, "from elsewhere");
    await count(1);
    expect(received[0]?.headers["x-session-id"]).toBe(id);
  });
});

describe("addresses", () => {
  test.each([
    "http://127.0.0.1:9/",
    "http://localhost:9/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://2130706433/",
    "ftp://hooks.example.com/",
    "https://elsewhere.example.org/",
    "no address",
  ])("J8: %s in the metadata of a session or a customer is refused", async (url) => {
    const service = await start({ targets: [{ name: "session", hosts: ["*.example.com", "127.0.0.1", "localhost", "10.0.0.1"] }], allowHosts: [] });
    const id = await session(service);
    const patched = await service.request("PATCH", `/v1/sessions/${id}`, { metadata: { event_webhook_url: url } });
    // A name is looked up when it is used.
    if (url.includes("localhost")) return expect(patched.status).toBe(200);
    expect(patched.status).toBe(422);
    expect(["outbound.refused", "variables.invalid"]).toContain((patched.body as { readonly code: string }).code);
    expect(await service.request("POST", "/v1/sessions", { agent: "a1", metadata: { event_webhook_url: url } })).toMatchObject({ status: 422 });
    expect(await service.request("POST", "/v1/customers", { id: "c9", metadata: { event_webhook_url: url } })).toMatchObject({ status: 422 });
  });

  test("J8: a name that leads inside and a redirect are failures, and reach nothing", async () => {
    const clock = fixedClock();
    const inside = await startReceiver();
    const outside = await startReceiver((_one, _index, response) => {
      response.writeHead(302, { location: inside.url });
      response.end();
      return undefined;
    });
    const targets = [
      { name: "inside", url: `http://inside.example.com:${inside.port}/`, secrets: [secret], kinds: ["custom"] },
      { name: "outside", url: outside.url, secrets: [secret], kinds: ["custom"] },
    ] as const;
    const service = await start({ targets, clock, lookup: async () => ["127.0.0.1"], retryMs: [] });
    const id = await session(service);
    await note(service, id, 1);
    await drained(service);
    const { items } = await service.hooks.deadLetters();
    expect(items.map(({ target, error }) => [target, error])).toEqual([
      ["inside", "outbound.refused"],
      ["outside", "302"],
    ]);
    expect(inside.received).toHaveLength(0);
  });

  test("an address of a customer counts for all of its sessions, and that of a session precedes it", async () => {
    const [customers, own] = [await startReceiver(), await startReceiver()];
    const service = await start({ targets: [{ name: "named", hosts: ["127.0.0.1"], secrets: [secret], kinds: ["custom"] }] });
    await service.request("POST", "/v1/customers", { id: "c1", metadata: { event_webhook_url: customers.url } });
    const one = await session(service, { customer_id: "c1" });
    const two = await session(service, { customer_id: "c1", metadata: { event_webhook_url: own.url } });
    await note(service, one, 1);
    await note(service, two, 2);
    await note(service, await session(service), 3);
    await drained(service);
    expect(customers.received.map(({ headers }) => headers["x-session-id"])).toEqual([one]);
    expect(own.received.map(({ headers }) => headers["x-session-id"])).toEqual([two]);
  });

  test("without a target with hosts the metadata is nothing but metadata", async () => {
    const service = await start({ targets: [] });
    const id = await session(service, { metadata: { event_webhook_url: "http://127.0.0.1:9/" } });
    await note(service, id, 1);
    await drained(service);
  });
});

describe("targets", () => {
  test("filters decide by kind, agent and customer, and scopes what is shown", async () => {
    const [all, customers, none, full] = [await startReceiver(), await startReceiver(), await startReceiver(), await startReceiver()];
    const service = await start({
      targets: [
        { name: "all", url: all.url, kinds: ["message"] },
        { name: "customers", url: customers.url, customers: ["c1"], kinds: ["custom"] },
        { name: "none", url: none.url, agents: ["another"] },
        { name: "full", url: full.url, kinds: ["custom"], scopes: ["metadata:read"] },
      ],
    });
    await service.request("POST", "/v1/customers", { id: "c1" });
    const [one, two] = [await session(service, { customer_id: "c1" }), await session(service)];
    await service.request("POST", `/v1/sessions/${one}/events`, { kind: "custom", data: 1, metadata: { ticket: "t1" } });
    await note(service, two, 2);
    await say(service, two, "hi");
    await drained(service);
    const messages = all.received.map(({ body }) => JSON.parse(body) as { readonly kind: string; readonly session_id: string });
    expect(messages.map(({ kind, session_id }) => [kind, session_id])).toEqual([
      ["message", two],
      ["message", two],
    ]);
    expect(customers.received).toHaveLength(1);
    expect(customers.received[0]?.body).not.toContain("t1");
    expect(full.received).toHaveLength(2);
    expect(full.received.some(({ body }) => body.includes("t1"))).toBe(true);
    expect(none.received).toHaveLength(0);
  });

  test("a new target gets no events from before it, and a fork none of its origin", async () => {
    const { url, received } = await startReceiver();
    const before = await start({ targets: [] });
    const id = await session(before);
    for (let value = 0; value < 5; value++) await note(before, id, value);
    await before.server.close();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const service = await start({ targets: [{ name: "crm", url, kinds: ["custom"] }] }, { at: before.location });
    const later = await note(service, id, "later");
    await drained(service);
    expect(offsets(received)).toEqual([later]);
    const fork = (await service.request("POST", `/v1/sessions/${id}/fork`, { at: later })).body as { readonly id: string };
    const forked = await note(service, fork.id, "forked");
    await drained(service);
    expect(received.slice(1).map(({ body }) => JSON.parse(body) as { readonly offset: number; readonly session_id: string })).toMatchObject([
      { offset: forked, session_id: fork.id },
    ]);
  });

  test.each([
    [{ name: "A B", url: "https://a.example/" }, /name/],
    [{ name: "a" }, /either/],
    [{ name: "a", url: "https://a.example/", hosts: ["*"] }, /either/],
    [{ name: "a", url: "http://127.0.0.1/" }, /public server/],
    [{ name: "a", url: "https://a.example/", secrets: ["whsec_c2hvcnQ="] }, /24 to 64/],
    [{ name: "a", hosts: ["https://a.example"] }, /hosts look like/],
    [{ name: "a", url: "https://a.example/", kinds: ["speech"] }, /kinds/],
    [{ name: "a", url: "https://a.example/", scopes: ["admin"] }, /scope/],
  ])("%j is refused", async (target, message) => {
    const store = await openStore(":memory:");
    onTestFinished(() => store.close());
    expect(() => createWebhooks({ store, agents: [], targets: [target as never] })).toThrow(message);
  });

  test("a runtime without the store of the webhooks is refused", async () => {
    const store = await openStore(":memory:");
    onTestFinished(() => store.close());
    await expect(startServer({ store, webhooks: createWebhooks({ store, agents: [echo], targets: [] }) })).rejects.toThrow(
      /must be given the `store`/,
    );
  });
});

describe("secrets", () => {
  const verified = (given: string, one: Received): boolean => {
    try {
      new Webhook(given).verify(one.body, plain(one));
      return true;
    } catch {
      return false;
    }
  };

  test("all configured secrets sign", async () => {
    const { url, received } = await startReceiver();
    const service = await start({ targets: [{ name: "crm", url, secrets: [secret, other], kinds: ["custom"] }] });
    await note(service, await session(service), 1);
    await drained(service);
    for (const one of [secret, other]) expect(verified(one, received[0] ?? expect.fail())).toBe(true);
    await expect(service.hooks.rotate("crm")).rejects.toMatchObject({ code: "input.invalid" });
    await expect(service.hooks.rotate("nobody")).rejects.toMatchObject({ code: "webhook.not_found" });
  });

  test("a rotated secret of the database signs beside the new one for a day", async () => {
    const clock = fixedClock(Date.now());
    const { url, received } = await startReceiver();
    const service = await start({ targets: [{ name: "crm", url, kinds: ["custom"] }], clock });
    const id = await session(service);
    const first = (await service.hooks.rotate("crm")).secret;
    const second = (await service.hooks.rotate("crm")).secret;
    await note(service, id, 1);
    await drained(service);
    expect([verified(first, received[0] ?? expect.fail()), verified(second, received[0] ?? expect.fail())]).toEqual([true, true]);
    clock.advance(86_400_000);
    await note(service, id, 2);
    await drained(service);
    const last = received[1] ?? expect.fail();
    expect(String(last.headers["webhook-signature"]).split(" ")).toHaveLength(1);
  });
});

test("what was redacted or withdrawn after it was read is not delivered with its old text", async () => {
  const { received, port } = await startReceiver();
  const [asked, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lookup = async (): Promise<readonly string[]> => {
    asked.resolve();
    await changed.promise;
    return ["127.0.0.1"];
  };
  const targets = [{ name: "crm", url: `http://hooks.test:${port}/`, secrets: [secret], kinds: ["message"] }] as const;
  const service = await start({ targets, lookup, allowHosts: ["hooks.test"] });
  await service.hooks.pause("crm");
  const id = await session(service);
  for (const text of ["hidden", "hello", "taken back"]) await say(service, id, text);
  await service.hooks.resume("crm");
  await asked.promise;
  const talk = await service.runtime.sessions.get(id);
  const messages = await talk.messages();
  const hidden = messages.flatMap(({ text, offset }) => (text.includes("hidden") ? [offset] : []));
  expect(hidden.length).toBeGreaterThan(1);
  await redactMessages({ store: service.store, clock: systemClock, ids: createIds(), logger: silentLogger }, talk.id, hidden);
  await talk.withdraw({ from: messages.find(({ text }) => text === "taken back")?.offset ?? expect.fail("no message") });
  changed.resolve();
  await drained(service);
  const { text } = await service.request("GET", `/v1/sessions/${id}/events?kinds=message`);
  expect(received.map(({ body }) => JSON.parse(body) as unknown)).toEqual((JSON.parse(text) as { readonly items: readonly unknown[] }).items);
  expect(received.length).toBeGreaterThan(hidden.length);
  expect(JSON.stringify(received)).not.toMatch(/hidden|taken back/);
});

describe("dead letters and pauses", () => {
  const failing = async (clock: FixedClock, options: Partial<WebhookOptions> = {}, react: () => number = () => 500) => {
    const receiver = await startReceiver(() => react());
    const service = await start({
      targets: [{ name: "crm", url: receiver.url, secrets: [secret], kinds: ["custom"] }],
      clock,
      retryMs: [],
      ...options,
    });
    return { receiver, service };
  };

  test("a dead letter is sent again on request, under its first id, and forgotten when it is accepted", async () => {
    let status = 500;
    const { receiver, service } = await failing(fixedClock(), {}, () => status);
    const id = await session(service);
    await note(service, id, 1);
    await drained(service);
    const [letter] = (await service.hooks.deadLetters({ target: "crm" })).items;
    const { id: dead } = letter ?? expect.fail("no dead letter");
    await expect(service.hooks.resend(dead)).rejects.toMatchObject({ code: "outbound.failed" });
    expect((await service.hooks.deadLetters()).items[0]?.attempts).toBe(2);
    status = 204;
    await service.hooks.resend(dead);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect((await service.hooks.deadLetters()).total).toBe(0);
    await expect(service.hooks.resend(dead)).rejects.toMatchObject({ code: "webhook.not_found" });
  });

  test("a dead letter goes where its target now leads, and nowhere if the target no longer covers it", async () => {
    const { receiver, service } = await failing(fixedClock());
    const id = await session(service);
    await note(service, id, 1);
    await drained(service);
    const [letter] = (await service.hooks.deadLetters()).items;
    const { id: dead } = letter ?? expect.fail("no dead letter");
    await service.hooks.close();
    let status = 500;
    const moved = await startReceiver(() => status);
    const hooksWith = (target: Omit<WebhookOptions["targets"][number], "name">): Webhooks =>
      createWebhooks({ store: service.store, agents: [echo], allowHosts: ["127.0.0.1"], targets: [{ name: "crm", secrets: [secret], ...target }] });
    await expect(hooksWith({ url: moved.url, agents: ["another"] }).resend(dead)).rejects.toMatchObject({ code: "outbound.refused" });
    await expect(hooksWith({ hosts: ["hooks.example.com"] }).resend(dead)).rejects.toMatchObject({ code: "outbound.refused" });
    expect(moved.received).toHaveLength(0);
    await expect(hooksWith({ url: moved.url }).resend(dead)).rejects.toMatchObject({ code: "outbound.failed" });
    expect((await service.hooks.deadLetters()).items).toMatchObject([{ host: `127.0.0.1:${moved.port}`, attempts: 2 }]);
    status = 200;
    await hooksWith({ url: moved.url }).resend(dead);
    expect(offsets(moved.received)).toEqual([1, 1]);
    expect(receiver.received).toHaveLength(1);
    expect((await service.hooks.deadLetters()).total).toBe(0);
  });

  test("an address is paused after dead letters in a row, keeps later events, and gets them in order when it is resumed", async () => {
    let status = 500;
    const { receiver, service } = await failing(fixedClock(), { pauseAfter: 3 }, () => status);
    const id = await session(service);
    for (let value = 1; value <= 5; value++) await note(service, id, value);
    await until(async () => (await service.hooks.list())[0]?.paused !== undefined);
    expect(await service.hooks.list()).toMatchObject([{ name: "crm", endpoint: "crm", failures: 3, paused: { reason: "failures" } }]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.received).toHaveLength(3);
    status = 200;
    await service.hooks.resume("crm");
    await drained(service);
    expect(offsets(receiver.received)).toEqual([1, 2, 3, 4, 5]);
    expect(await service.hooks.list()).toEqual([{ name: "crm", endpoint: "crm", host: `127.0.0.1:${receiver.port}`, failures: 0 }]);
  });

  test("a success ends the row of dead letters", async () => {
    const answers = [500, 200, 500, 200];
    const { receiver, service } = await failing(fixedClock(), { pauseAfter: 2 }, () => answers.shift() ?? 200);
    const id = await session(service);
    for (let value = 1; value <= 5; value++) await note(service, id, value);
    await drained(service);
    expect(receiver.received).toHaveLength(5);
    expect((await service.hooks.list())[0]?.paused).toBeUndefined();
  });

  test("410 pauses at once, and an operator pauses and resumes", async () => {
    let status = 410;
    const { receiver, service } = await failing(fixedClock(), {}, () => status);
    const id = await session(service);
    await note(service, id, 1);
    await until(async () => (await service.hooks.list())[0]?.paused?.reason === "gone");
    status = 200;
    await service.hooks.resume("crm");
    await drained(service);
    expect(offsets(receiver.received)).toEqual([1, 1]);
    await service.hooks.pause("crm");
    await note(service, id, 2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.received).toHaveLength(2);
    await service.hooks.resume("crm");
    await drained(service);
    expect(receiver.received).toHaveLength(3);
    await expect(service.hooks.pause("nobody")).rejects.toMatchObject({ code: "webhook.not_found" });
  });

  test("a receiver can ask for a longer pause with Retry-After", async () => {
    const clock = fixedClock();
    const receiver = await startReceiver((_one, index, response) => {
      response.writeHead(index === 0 ? 429 : 200, { "retry-after": "120" });
      response.end();
      return undefined;
    });
    const service = await start({ targets: [{ name: "crm", url: receiver.url, secrets: [secret], kinds: ["custom"] }], clock });
    const id = await session(service);
    await note(service, id, 1);
    await until(async () => (await service.hooks.positions(id as never))[0]?.attempts === 1);
    expect((await service.hooks.positions(id as never))[0]?.next_at).toBe(clock.now() + 120_000);
  });

  test("J6: an answer that is too late counts as a failure, and the receiver gets the event again", async () => {
    const clock = fixedClock();
    const receiver = await startReceiver((_one, index) => (index === 0 ? undefined : 200));
    const service = await start({ targets: [{ name: "crm", url: receiver.url, secrets: [secret], kinds: ["custom"] }], clock, timeoutMs: 1_000 });
    const id = await session(service);
    await note(service, id, 1);
    await receiver.count(1);
    clock.advance(1_000);
    await until(async () => (await service.hooks.positions(id as never))[0]?.error === "outbound.failed");
    clock.advance(5_000);
    await drained(service);
    expect(offsets(receiver.received)).toEqual([1, 1]);
  });
});

test("a delivery that was under way when the process stopped is delivered by the next one", async () => {
  const first = await startReceiver(() => undefined);
  const service = await start({ targets: [{ name: "crm", url: first.url, secrets: [secret], kinds: ["custom"] }] });
  const id = await session(service);
  await note(service, id, 1);
  await first.count(1);
  await service.hooks.close({ drainMs: 0 });
  await service.server.close({ drainMs: 0 });
  first.close();
  const second = await startReceiver();
  const next = await start({ targets: [{ name: "crm", url: second.url, secrets: [secret], kinds: ["custom"] }] }, { at: service.location });
  await drained(next);
  expect(offsets(second.received)).toEqual([1]);
});

/** A receiver that answers nothing until it is released. */
async function startSlow() {
  const held: ServerResponse[] = [];
  let isReleased = false;
  const receiver = await startReceiver((_one, _index, response) => {
    if (isReleased) return 200;
    held.push(response);
    return undefined;
  });
  const release = (): void => {
    isReleased = true;
    for (const response of held) response.end();
  };
  return { ...receiver, release };
}

test("a slow receiver holds no later events of its session for the other targets, and gets its own in order", async () => {
  const [slow, quick] = [await startSlow(), await startReceiver()];
  const targets = [
    { name: "slow", url: slow.url, secrets: [secret], kinds: ["custom"] },
    { name: "quick", url: quick.url, secrets: [secret], kinds: ["custom"] },
  ] as const;
  const service = await start({ targets, timeoutMs: 60_000, pollMs: 60_000 });
  const id = await session(service);
  await note(service, id, 1);
  await slow.count(1);
  for (let value = 2; value <= 4; value++) {
    await note(service, id, value);
    await quick.count(value);
  }
  expect(offsets(slow.received)).toEqual([1]);
  slow.release();
  await slow.count(4);
  await drained(service);
  expect(offsets(slow.received)).toEqual([1, 2, 3, 4]);
  expect(offsets(quick.received)).toEqual([1, 2, 3, 4]);
});

test("an address that hangs takes a quarter of the places, and others of its target go on", async () => {
  const [hanging, other] = [await startSlow(), await startReceiver()];
  const targets = [{ name: "named", hosts: ["127.0.0.1"], secrets: [secret], kinds: ["custom"] }] as const;
  const service = await start({ targets, concurrency: 8, timeoutMs: 60_000, pollMs: 60_000 });
  for (let index = 0; index < 10; index++) await note(service, await session(service, { metadata: { event_webhook_url: hanging.url } }), index);
  await hanging.count(2);
  for (let index = 0; index < 3; index++) await note(service, await session(service, { metadata: { event_webhook_url: other.url } }), index);
  await other.count(3);
  expect(hanging.received).toHaveLength(2);
  hanging.release();
  await hanging.count(10);
  await drained(service);
  expect(hanging.received).toHaveLength(10);
});

test("of an address in metadata nothing is kept after a success, and of its failures for a week", async () => {
  let status = 500;
  const { url, count } = await startReceiver(() => status);
  const targets = [{ name: "named", hosts: ["127.0.0.1"], secrets: [secret], kinds: ["custom"] }] as const;
  const service = await start({ targets, retryMs: [] });
  const id = await session(service, { metadata: { event_webhook_url: url } });
  const kept = async () => (await service.store.list({ of: "records", kind: "webhook_endpoint" })).items.filter(({ key }) => key.includes(":"));
  await note(service, id, 1);
  await until(async () => (await kept()).length === 1);
  const [record] = await kept();
  expect(record).toMatchObject({ data: { failures: 1 } });
  expect((record?.expires_at ?? 0) - Date.now()).toBeGreaterThan(6 * 86_400_000);
  const endpoint = record?.key ?? "";
  expect(await service.hooks.pause(endpoint)).toMatchObject({ paused: { reason: "operator" } });
  expect((await kept())[0]?.expires_at).toBeUndefined();
  await service.hooks.resume(endpoint);
  status = 200;
  await note(service, id, 2);
  await count(2);
  await until(async () => (await kept()).length === 0);
  expect(await service.hooks.list()).toEqual([]);
});
