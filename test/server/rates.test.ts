import { expect, it } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import type { Principal } from "../../packages/server/src/server/principal.ts";
import { createRateLimiter, createWaiters } from "../../packages/server/src/server/caller-limits.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { startServer } from "../setup/server.ts";

const clockNow = () => fixedClock(systemClock.now());
const none = { requestsPerMinute: 0, eventReadsPerMinute: 0, waiters: 100 };
const local: Principal = { type: "local" };
const customer = (name: string): Principal => ({ type: "customer", customer: name, version: "v", expires_at: Number.MAX_SAFE_INTEGER });

it("M10 says when to come again, and counts those who read events apart", async () => {
  const clock = clockNow();
  const { request } = await startServer({ clock, limits: { requestsPerMinute: 6, eventReadsPerMinute: 3 } });
  const { body: session } = await request("POST", "/v1/sessions", { agent: "a1" });
  const read = () => request("GET", `/v1/sessions/${session.id}`);
  const events = () => request("GET", `/v1/sessions/${session.id}/events`);
  for (let used = 2; used <= 6; used++) {
    const { status, headers } = await read();
    expect([status, headers.get("ratelimit-policy"), headers.get("ratelimit")]).toEqual([
      200,
      `"requests";q=6;w=60`,
      `"requests";r=${6 - used};t=${used * 10}`,
    ]);
  }
  const over = await read();
  expect([over.status, over.body.code, over.headers.get("retry-after"), over.body.retry_after]).toEqual([429, "limit.rate", "10", 10]);
  expect(over.headers.get("ratelimit")).toBe(`"requests";r=0;t=60`);

  for (let used = 1; used <= 3; used++) expect((await events()).status).toBe(200);
  expect((await events()).headers.get("ratelimit")).toBe(`"events";r=0;t=60`);
  for (const path of ["/livez", "/readyz", "/openapi.json"]) expect((await request("GET", path)).status).toBe(200);

  clock.advance(9_999);
  expect((await read()).status).toBe(429);
  clock.advance(1);
  expect((await read()).status).toBe(200);
  expect((await read()).status).toBe(429);
});

it("counts each key and each customer apart", async () => {
  const { request, store } = await startServer({ limits: { requestsPerMinute: 3, customer: { ...none, requestsPerMinute: 3 } } });
  await request("POST", "/v1/customers", { id: "ada" });
  const token = (await request("POST", "/v1/tokens", { customer_id: "ada" })).body.token;
  const keys = [(await createKey(store, { name: "one", scopes: ["admin"] })).key, (await createKey(store, { name: "two", scopes: ["admin"] })).key];
  for (const credential of [token, ...keys]) {
    const get = async () => (await request("GET", "/v1/sessions", undefined, { authorization: `Bearer ${credential}` })).status;
    expect([await get(), await get(), await get(), await get()]).toEqual([200, 200, 200, 429]);
  }
});

it("does not count without a limit, and never more than a minute's worth", () => {
  const clock = fixedClock();
  const unlimited = createRateLimiter({ clock, limits: { ...none, customer: none } });
  expect(unlimited.take(local, "listSessions")).toEqual({ headers: {} });
  const limited = createRateLimiter({ clock, limits: { ...none, requestsPerMinute: 2, customer: none } });
  clock.advance(3_600_000);
  const takes = [1, 2, 3].map(() => limited.take(local, "listSessions").retryAfter);
  expect(takes).toEqual([undefined, undefined, 30]);
});

it("remembers those who came last, however many come", () => {
  const limiter = createRateLimiter({ clock: fixedClock(), limits: { ...none, customer: { ...none, requestsPerMinute: 1 } } });
  const isOver = (name: string): boolean => limiter.take(customer(name), "listSessions").retryAfter !== undefined;
  expect(isOver("first")).toBe(false);
  for (let index = 0; index < 5_000; index++) isOver(`c${index}`);
  expect(isOver("first")).toBe(true);
  for (let index = 5_000; index < 20_000; index++) isOver(`c${index}`);
  expect(isOver("c19999")).toBe(true);
  expect(isOver("first")).toBe(false);
});

it("gives so many places to those who wait, and takes them back when they may wait no more", async () => {
  const clock = fixedClock();
  let holds = true;
  const draining = new AbortController();
  const waiters = createWaiters({
    limits: { ...none, customer: { ...none, waiters: 2 } },
    authenticator: { holds: async () => holds },
    clock,
    draining: draining.signal,
  });
  const [one, two] = [waiters.enter(customer("ada")), waiters.enter({ type: "stream", sessions: [], behalf: customer("ada") })];
  expect(() => waiters.enter(customer("ada"))).toThrow(expect.objectContaining({ code: "limit.waiters", details: { limit: 2, retry_after: 1 } }));
  waiters.enter(customer("bob")).leave();

  one.leave();
  one.leave();
  const three = waiters.enter(customer("ada"));
  expect(() => waiters.enter(customer("ada"))).toThrow(expect.objectContaining({ code: "limit.waiters" }));

  clock.advance(2_000);
  await expect.poll(() => two.ended.aborted).toBe(false);
  holds = false;
  await expect
    .poll(() => {
      clock.advance(2_000);
      return two.ended.aborted && three.ended.aborted;
    })
    .toBe(true);
  expect(one.ended.aborted).toBe(false);
  draining.abort();
});
