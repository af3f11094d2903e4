import { expect, it } from "vitest";
import type { Principal } from "../../packages/server/src/server/principal.ts";
import { createWaiters } from "../../packages/server/src/server/waiting-places.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { startServer } from "../setup/server.ts";
import { inTurn, limiterOn } from "./rate-limiters.ts";

const none = { requestsPerMinute: 0, eventReadsPerMinute: 0, waiters: 100 };
const local: Principal = { type: "local" };
const customer = (name: string): Principal => ({ type: "customer", customer: name, version: "v", expires_at: Number.MAX_SAFE_INTEGER });

it("M10 says when to come again, and counts those who read events apart", async () => {
  const { request } = await startServer({ limits: { requestsPerMinute: 3, eventReadsPerMinute: 2 } });
  const began = performance.now();
  const { body: session, headers } = await request("POST", "/v1/sessions", { agent: "a1" });
  expect([headers.get("ratelimit-policy"), headers.get("ratelimit")]).toEqual([`"requests";q=3;w=60`, `"requests";r=2;t=20`]);
  /** What was admitted before the first refusal, and that refusal. */
  const until429 = async (path: string) => {
    for (let admitted = 0; ; admitted++) {
      const answer = await request("GET", `/v1/sessions/${session.id}${path}`);
      if (answer.status === 429) return { admitted, answer };
      expect(answer.status).toBe(200);
    }
  };
  const requests = await until429("");
  const events = await until429("/events");
  // A slow machine gives the bucket time to refill.
  const refilled = (limit: number): number => Math.floor(((performance.now() - began) * limit) / 60_000);
  expect(requests.admitted).toBeGreaterThanOrEqual(2);
  expect(requests.admitted).toBeLessThanOrEqual(2 + refilled(3));
  expect(events.admitted).toBeGreaterThanOrEqual(2);
  expect(events.admitted).toBeLessThanOrEqual(2 + refilled(2));
  const { body, headers: refusal } = requests.answer;
  expect(body.code).toBe("limit.rate");
  expect(refusal.get("retry-after")).toBe(String(body.retry_after));
  expect(body.retry_after).toBeGreaterThanOrEqual(1);
  expect(body.retry_after).toBeLessThanOrEqual(20);
  expect(refusal.get("ratelimit")).toMatch(/^"requests";r=0;t=(?:[4-5]\d|60)$/);
  expect(events.answer.headers.get("ratelimit-policy")).toBe(`"events";q=2;w=60`);
  for (const path of ["/livez", "/readyz", "/openapi.json"]) expect((await request("GET", path)).status).toBe(200);
});

it("counts each key and each customer apart", async () => {
  const { request, store } = await startServer({ limits: { requestsPerMinute: 2, customer: { ...none, requestsPerMinute: 2 } } });
  const keyOf = async (name: string) => `Bearer ${(await createKey(store, { name, scopes: ["admin"] })).key}`;
  const issuer = { authorization: await keyOf("issuer") };
  await request("POST", "/v1/customers", { id: "ada" }, issuer);
  const { token } = (await request("POST", "/v1/tokens", { customer_id: "ada" }, issuer)).body;
  for (const authorization of [`Bearer ${token}`, await keyOf("one"), await keyOf("two")]) {
    const get = async () => (await request("GET", "/v1/sessions", undefined, { authorization })).status;
    expect([await get(), await get(), await get()]).toEqual([200, 200, 429]);
  }
});

it("does not count without a limit, and never more than a minute's worth", async () => {
  const clock = fixedClock();
  const unlimited = await limiterOn({ clock, limits: { ...none, customer: none } });
  expect(await unlimited.take(local, "listSessions")).toEqual({ headers: {} });
  expect(unlimited.takeHere(local, "listSessions")).toEqual({ headers: {} });
  const limited = await limiterOn({ clock, limits: { ...none, requestsPerMinute: 2, customer: none } });
  clock.advance(3_600_000);
  const takes = [];
  for (let n = 0; n < 3; n++) takes.push((await inTurn(clock, limited.take(local, "listSessions"))).retryAfter);
  expect(takes).toEqual([undefined, undefined, 30]);
});

it("remembers those who came last, however many come", async () => {
  const limiter = await limiterOn({ clock: fixedClock(), limits: { ...none, customer: { ...none, requestsPerMinute: 1 } } });
  const isOver = (name: string): boolean => limiter.takeHere(customer(name), "listSessions").retryAfter !== undefined;
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
