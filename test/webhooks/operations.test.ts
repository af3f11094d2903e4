/** What operators see and change of webhooks: over HTTP, by the client, and at the command line. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { createWebhooks, type Webhooks } from "../../packages/server/src/server/webhooks/webhooks.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { command } from "../cli/in-process.ts";
import { place } from "../config/place.ts";
import { newPostgresDatabase } from "../setup/database.ts";
import { databases, echo, startServer } from "../setup/server.ts";
import { startReceiver } from "../setup/webhook-receiver.ts";

/** A service whose target `crm` refuses events with `poison` while it is broken. */
async function start(location = ":memory:") {
  const at = { broken: true };
  const receiver = await startReceiver(({ body }) => (at.broken && body.includes("poison") ? 500 : 200));
  const store = await openStore(location);
  onTestFinished(() => store.close());
  const webhooks: Webhooks = createWebhooks({
    ...{ store, agents: [echo], allowHosts: ["127.0.0.1"], pollMs: 50, retryMs: [], pauseAfter: 100 },
    targets: [{ name: "crm", url: receiver.url, kinds: ["custom"] }],
  });
  const server = await startServer({ store: webhooks.store, webhooks });
  const session = await server.runtime.sessions.create({ agent: "a1" });
  const values = (): readonly unknown[] =>
    receiver.received.map(({ body }) => (JSON.parse(body) as { readonly data: { readonly value: unknown } }).data.value);
  return { at, receiver, store, server, session, values, client: createClient({ baseUrl: server.url, retries: 0 }) };
}

test("a paused webhook gets nothing until it is resumed, then everything in order", async () => {
  const { server, session, client, values, receiver } = await start();
  expect(await client.webhooks.list()).toEqual([{ name: "crm", endpoint: "crm", host: `127.0.0.1:${receiver.port}`, failures: 0 }]);
  await session.postCustom("first");
  await expect.poll(values, { timeout: 10_000 }).toEqual(["first"]);
  expect(await client.webhooks.pause("crm")).toMatchObject({ endpoint: "crm", paused: { reason: "operator" } });
  for (const value of ["second", "third"]) await session.postCustom(value);
  await expect.poll(async () => (await client.webhooks.positions(session.id))[0]?.next_offset, { timeout: 10_000 }).toBe(2);
  expect(values()).toEqual(["first"]);
  expect((await client.webhooks.resume("crm")).paused).toBeUndefined();
  await expect.poll(values, { timeout: 10_000 }).toEqual(["first", "second", "third"]);
  await expect.poll(async () => (await client.webhooks.positions(session.id))[0]?.next_offset, { timeout: 10_000 }).toBe(4);
  const { text } = await server.request("GET", "/v1/audit");
  for (const operation of ["pauseWebhook", "resumeWebhook"]) expect(text).toContain(`"${operation}"`);
});

test("a dead letter is listed, and delivered once more under its first id", async () => {
  const { at, session, client, values, receiver } = await start();
  for (const value of ["poison 1", "poison 2", "sound"]) await session.postCustom(value);
  await expect.poll(values, { timeout: 10_000 }).toEqual(["poison 1", "poison 2", "sound"]);
  await expect.poll(async () => (await client.webhooks.deadLetters()).total, { timeout: 10_000 }).toBe(2);
  const page = await client.webhooks.deadLetters({ target: "crm", limit: 1 });
  expect(page).toMatchObject({ items: [{ target: "crm", session_id: session.id, offset: 1, attempts: 1, error: "500" }], total: 2 });
  expect((await client.webhooks.deadLetters({ limit: 1, cursor: page.next_cursor ?? "" })).items).toMatchObject([{ offset: 2 }]);
  expect((await client.webhooks.deadLetters({ target: "cr" })).items).toEqual([]);
  expect(JSON.stringify(page)).not.toMatch(/poison|\/hook/);
  const id = page.items[0]?.id ?? "";
  await expect(client.webhooks.resend(id)).rejects.toMatchObject({ code: "outbound.failed" });
  at.broken = false;
  expect(await client.webhooks.resend(id)).toMatchObject({ id, offset: 1 });
  await expect(client.webhooks.resend(id)).rejects.toMatchObject({ code: "webhook.not_found" });
  expect((await client.webhooks.deadLetters()).total).toBe(1);
  expect(new Set(receiver.received.filter(({ body }) => body.includes("poison 1")).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

test("a rotated secret is shown once, and not kept for a repetition of the request", async () => {
  const { server, store } = await start();
  const rotate = async (): Promise<string> =>
    (JSON.parse((await server.request("POST", "/v1/webhooks/crm/rotate", undefined, { "idempotency-key": "k" })).text) as { readonly secret: string })
      .secret;
  const [first, second] = [await rotate(), await rotate()];
  expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(second).not.toBe(first);
  const kept = (await store.list({ of: "records", kind: "response" })).items;
  expect(JSON.stringify(kept)).not.toContain(second.slice(6));
});

test("each request needs the scope, and a service without webhooks has none", async () => {
  const store = await openStore(":memory:");
  onTestFinished(() => store.close());
  const { request, runtime } = await startServer({ store });
  const session = await runtime.sessions.create({ agent: "a1" });
  const keyOf = async (scope: "webhooks" | "sessions:read"): Promise<Readonly<Record<string, string>>> => ({
    authorization: `Bearer ${(await createKey(store, { name: scope, scopes: [scope] })).key}`,
  });
  const [may, mayNot] = [await keyOf("webhooks"), await keyOf("sessions:read")];
  const requests = [
    ["GET", "/v1/webhooks", undefined, { items: [] }],
    ["GET", "/v1/webhooks/dead-letters", undefined, { items: [], next_cursor: null, total: 0 }],
    ["GET", `/v1/sessions/${session.id}/webhooks`, undefined, { items: [], next_cursor: null, total: 0 }],
    ["POST", "/v1/webhooks/crm/pause", undefined, { code: "webhook.not_found" }],
    ["POST", "/v1/webhooks/crm/resume", undefined, { code: "webhook.not_found" }],
    ["POST", "/v1/webhooks/crm/rotate", undefined, { code: "webhook.not_found" }],
    ["POST", "/v1/webhooks/dead-letters/resend", { id: "x" }, { code: "webhook.not_found" }],
  ] as const;
  for (const [method, path, body, expected] of requests) {
    expect((await request(method, path, body, mayNot)).body, path).toMatchObject({ code: "auth.forbidden", details: { scope: "webhooks" } });
    expect((await request(method, path, body, may)).body, path).toMatchObject(expected);
  }
});

test("the command does the same beside a running service, which follows", async () => {
  const { folder, write } = place();
  const location = join(folder, "app.db");
  const { receiver, session, values, client } = await start(location);
  write(
    "throughline.yaml",
    `store: ${location}\nwebhooks:\n  targets:\n    - {name: crm, url: "${receiver.url}", kinds: [custom]}\n  allow_hosts: [127.0.0.1]\n`,
  );
  const webhooks = (...words: readonly string[]) => command(["webhooks", ...words], { folder });
  await session.postCustom("first");
  await expect.poll(values, { timeout: 10_000 }).toEqual(["first"]);
  expect((await webhooks("list")).out).toMatch(/^crm {2}127\.0\.0\.1:\d+ {2}active, 0 dead letters since the last success\n$/);
  expect((await webhooks("pause", "crm")).out).toContain("paused since");
  expect(JSON.parse((await webhooks("list", "--json")).out)).toMatchObject({ items: [{ endpoint: "crm", paused: { reason: "operator" } }] });
  // The service reads the pause with its next poll, or when it is asked.
  expect((await client.webhooks.list())[0]?.paused).toBeDefined();
  await session.postCustom("poison");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(values()).toEqual(["first"]);
  expect((await webhooks("resume", "crm")).out).toContain("active");
  await expect.poll(values, { timeout: 20_000 }).toEqual(["first", "poison"]);
  await expect.poll(async () => (await webhooks("dead")).out, { timeout: 10_000 }).toContain("1 attempts: 500");
  const id = (await webhooks("dead")).out.split("  ")[0] ?? "";
  expect(await webhooks("resend", id)).toMatchObject({ error: "outbound.failed" });
  expect((await webhooks("positions", session.id)).out).toBe("crm  next event 3\n");
  expect((await webhooks("rotate", "crm")).out).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  expect(await webhooks("pause", "nothing")).toMatchObject({ error: "webhook.not_found" });
  write("throughline.yaml", `store: ${location}\n`);
  expect(await webhooks("list")).toMatchObject({ error: "webhook.not_found", message: expect.stringContaining("webhooks.targets") as unknown });
});

test("webhooks are listed page by page, and by the client at once", async () => {
  const store = await openStore(":memory:");
  onTestFinished(() => store.close());
  const names = ["a", "b", "c", "d", "e"];
  const targets = names.map((name) => ({ name, url: `http://127.0.0.1/${name}` }));
  const webhooks = createWebhooks({ store, agents: [echo], allowHosts: ["127.0.0.1"], targets });
  const { request, url } = await startServer({ store: webhooks.store, webhooks });
  const page = async (query: string) => (await request("GET", `/v1/webhooks?${query}`)).body as Readonly<Record<string, unknown>>;
  const first = await page("limit=2");
  expect(first).toMatchObject({ items: [{ name: "a" }, { name: "b" }], next_cursor: expect.any(String) as unknown, total: 5 });
  const second = await page(`limit=3&cursor=${String(first["next_cursor"])}`);
  expect(second).toMatchObject({ items: [{ name: "c" }, { name: "d" }, { name: "e" }], next_cursor: null });
  expect(await page("cursor=x")).toMatchObject({ code: "cursor.invalid" });
  expect(await page("limit=0")).toMatchObject({ status: 422 });
  const { webhooks: listed } = createClient({ baseUrl: url, retries: 0 });
  expect((await listed.list()).map(({ name }) => name)).toEqual(names);
});

test.each(databases)("positions in a session are listed page by page, by the client at once, and at the command line: %s", async (database) => {
  const { folder, write } = place();
  const location = database === "SQLite" ? join(folder, "app.db") : await newPostgresDatabase();
  const receiver = await startReceiver();
  const store = await openStore(location);
  onTestFinished(() => store.close());
  const names = ["a", "b", "c", "d", "e"];
  const targets = names.map((name) => ({ name, url: receiver.url, kinds: ["custom"] as const }));
  const webhooks = createWebhooks({ store, agents: [echo], allowHosts: ["127.0.0.1"], pollMs: 50, targets });
  const { request, url, runtime } = await startServer({ store: webhooks.store, webhooks });
  const [session, other] = [await runtime.sessions.create({ agent: "a1" }), await runtime.sessions.create({ agent: "a1" })];
  for (const one of [session, other]) await one.postCustom("first");
  await receiver.count(10);
  const { webhooks: listed } = createClient({ baseUrl: url, retries: 0 });
  const reached = names.map((target) => ({ target, next_offset: 2, attempts: 0 }));
  await expect.poll(() => listed.positions(session.id), { timeout: 10_000 }).toEqual(reached);
  const page = async (query: string) =>
    (await request("GET", `/v1/sessions/${session.id}/webhooks?${query}`)).body as Readonly<Record<string, unknown>>;
  const first = await page("limit=2");
  expect(first).toEqual({ items: reached.slice(0, 2), next_cursor: expect.any(String) as unknown, total: 5 });
  expect(await page(`limit=3&cursor=${String(first["next_cursor"])}`)).toEqual({ items: reached.slice(2), next_cursor: null, total: 5 });
  expect(await page("cursor=x")).toMatchObject({ code: "cursor.invalid" });
  expect(await page("limit=0")).toMatchObject({ status: 422 });
  write("throughline.yaml", `store: ${location}\nwebhooks:\n  targets:\n    - {name: a, url: "${receiver.url}"}\n  allow_hosts: [127.0.0.1]\n`);
  const positions = async (...words: readonly string[]) => (await command(["webhooks", "positions", session.id, ...words], { folder })).out;
  const shown = await positions("--limit", "4");
  expect(shown.split("\n").slice(0, 4)).toEqual(["a", "b", "c", "d"].map((name) => `${name}  next event 2`));
  expect(await positions("--cursor", /--cursor (\S+)/.exec(shown)?.[1] ?? "")).toBe("e  next event 2\n");
});
