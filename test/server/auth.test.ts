import { expect, it } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import type { Scope } from "../../packages/server/src/protocol/wire-auth.ts";
import { createKey, listKeys, noteUse, revokeKey } from "../../packages/server/src/server/auth/api-keys.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { databases, newLocation, startServer } from "../setup/server.ts";

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const keyFor = async (store: Store, ...scopes: readonly Scope[]) => createKey(store, { name: "backend", scopes });

/** A clock that stands at the time of the database, which does not stand. */
const clockNow = () => fixedClock(systemClock.now());

it("keeps of a key what tells it again, and nothing that makes it", async () => {
  const { store } = await startServer();
  const { key, info } = await createKey(store, { name: " backend ", scopes: ["sessions:read", "tokens", "tokens"] });

  expect(key).toMatch(/^tl_live_[0-9a-z]{16}_[\w-]{43}$/);
  expect(info).toMatchObject({ name: "backend", scopes: ["sessions:read", "tokens"] });
  expect(await listKeys(store)).toEqual([info]);
  const { items } = await store.list({ of: "records", kind: "api_key" });
  expect(JSON.stringify(items)).not.toContain(key.slice(-43));
});

it.each([
  ["no name", { name: " ", scopes: ["admin"] as const }],
  ["a name that is no text", { name: 7 as never, scopes: ["admin"] as const }],
  ["a long name", { name: "x".repeat(101), scopes: ["admin"] as const }],
  ["no scope", { name: "x", scopes: [] }],
  ["a scope that there is not", { name: "x", scopes: ["everything" as Scope] }],
  ["an end in the past", { name: "x", scopes: ["admin"] as const, expiresAt: 1 }],
])("makes no key with %s", async (_what, given) => {
  const { store } = await startServer();
  await expect(createKey(store, given)).rejects.toMatchObject({ code: "input.invalid" });
  expect(await listKeys(store)).toEqual([]);
});

it("lets in whoever has a key, and tells what is missing", async () => {
  const { store, request } = await startServer();
  const { key, info } = await keyFor(store, "customers:read");
  const other = await keyFor(store, "admin");
  const forged = `tl_live_${info.id}_${other.key.slice(-43)}`;
  const get = (headers: Record<string, string>) => request("GET", "/v1/customers", undefined, headers);

  expect((await get(bearer(key))).status).toBe(200);
  expect((await get({ authorization: `bearer  ${key}` })).status).toBe(200);
  expect((await get(bearer(other.key))).status).toBe(200);
  const refused = [
    await get({}),
    await get(bearer(forged)),
    await get(bearer(`${key}x`)),
    await get(bearer("tl_live_")),
    await get({ authorization: `Basic ${btoa(`x:${key}`)}` }),
    await get({ authorization: "Bearer" }),
    await get(bearer(key.toUpperCase())),
    await request("GET", `/v1/customers?stream_token=${key}`),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
    [401, "auth.required"],
    [401, "auth.invalid"],
    [401, "auth.invalid"],
    [401, "auth.invalid"],
    [401, "auth.invalid"],
    [401, "auth.invalid"],
    [401, "auth.invalid"],
    [401, "auth.required"],
  ]);
  expect(refused.every(({ headers }) => headers.get("www-authenticate") === `Bearer realm="throughline"`)).toBe(true);
  const forbidden = await request("POST", "/v1/customers", {}, bearer(key));
  expect([forbidden.status, forbidden.body.code, forbidden.body.details]).toEqual([403, "auth.forbidden", { scope: "customers:write" }]);
});

it("M5 says without a key whether it lives", async () => {
  const { store, request } = await startServer();
  await keyFor(store, "admin");
  for (const path of ["/health", "/livez", "/readyz", "/version", "/openapi.json", "/errors/auth.required"])
    expect((await request("GET", path)).status, path).toBe(200);
});

it("asks for keys as soon as there is one, and does not open up again when the last is revoked", async () => {
  const clock = clockNow();
  const { store, request } = await startServer({ clock });
  expect((await request("GET", "/v1/customers")).status).toBe(200);

  const { key, info } = await keyFor(store, "admin");
  expect((await request("GET", "/v1/customers", undefined, bearer(key))).status).toBe(200);
  clock.advance(2_000);
  expect((await request("GET", "/v1/customers")).body.code).toBe("auth.required");

  await revokeKey(store, info.id);
  clock.advance(5_000);
  expect((await request("GET", "/v1/customers", undefined, bearer(key))).body.code).toBe("auth.invalid");
  expect((await request("GET", "/v1/customers")).body.code).toBe("auth.required");
});

it("refuses a key from the moment that it expires", async () => {
  const clock = clockNow();
  const { store, request } = await startServer({ clock });
  const { key } = await createKey(store, { name: "short", scopes: ["admin"], expiresAt: clock.now() + 60_000 }, { clock });
  const get = () => request("GET", "/v1/customers", undefined, bearer(key));
  clock.advance(59_999);
  expect((await get()).status).toBe(200);
  clock.advance(1);
  expect((await get()).body.code).toBe("auth.invalid");
});

it("notes when a key was last used, to the minute", async () => {
  const clock = clockNow();
  const begun = clock.now();
  const { store, request } = await startServer({ clock });
  const { key } = await keyFor(store, "admin");
  const lastUsed = async () => (await listKeys(store))[0]?.last_used_at;
  const use = () => request("GET", "/v1/customers", undefined, bearer(key));

  await use();
  await expect.poll(lastUsed).toBe(begun);
  clock.advance(59_000);
  await use();
  clock.advance(2_000);
  await use();
  await expect.poll(lastUsed).toBe(begun + 61_000);
});

it("revokes a key once, and lets no note of its use take that back", async () => {
  const { store } = await startServer();
  const { info } = await keyFor(store, "admin");
  const [before] = (await store.list({ of: "records", kind: "api_key" })).items;
  const revoked = await revokeKey(store, info.id);
  if (before !== undefined) await noteUse(store, before, systemClock);
  expect(await listKeys(store)).toEqual([revoked]);
  expect(await revokeKey(store, info.id)).toEqual(revoked);
  await expect(revokeKey(store, "0".repeat(16))).rejects.toMatchObject({ code: "key.not_found" });
  await expect(revokeKey(store, "../x")).rejects.toMatchObject({ code: "key.not_found" });
});

it.each([
  ["a public address", { host: "0.0.0.0" }],
  ["every address of IPv6", { host: "::" }],
  ["a name that others know", { hosts: ["api.example.com"] }],
])("does not listen on %s without keys", async (_what, reach) => {
  await expect(startServer(reach)).rejects.toMatchObject({ code: "auth.unconfigured" });
});

it.each([
  ["a proxy has passed on", { "x-forwarded-for": "203.0.113.9" }, 401, "auth.required"],
  ["a foreign page sends", { origin: "https://evil.example" }, 403, "auth.forbidden"],
  ["a sandboxed page sends", { origin: "null" }, 403, "auth.forbidden"],
  ["a foreign page navigates to", { "sec-fetch-site": "cross-site" }, 403, "auth.forbidden"],
])("takes nothing without a key that %s", async (_what, headers, status, code) => {
  const { request } = await startServer();
  const answer = await request("POST", "/v1/customers", {}, headers);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

it("takes what its own pages send, and those of origins that it lists", async () => {
  const { url, request } = await startServer({ origins: ["https://app.example.com"] });
  for (const origin of [url, "https://app.example.com"]) expect((await request("POST", "/v1/customers", {}, { origin })).status, origin).toBe(201);
});

it.each(databases)(
  "refuses a key that was revoked elsewhere within two seconds, and knows one that was made elsewhere at once, on %s",
  async (database) => {
    const clock = clockNow();
    const location = await newLocation(database);
    const one = await startServer({ location, clock });
    const two = await startServer({ location, clock });
    const { key, info } = await keyFor(one.store, "admin");
    const get = () => two.request("GET", "/v1/customers", undefined, bearer(key));

    expect((await get()).status).toBe(200);
    await revokeKey(one.store, info.id);
    clock.advance(5_000);
    expect((await get()).body.code).toBe("auth.invalid");
  },
);
