/** Rate limits across processes: what is admitted, how often the database is asked, and what happens when a process or the database is gone. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Principal } from "../../packages/server/src/server/principal.ts";
import { rateKind } from "../../packages/server/src/server/rate-limits.ts";
import type { RateLimiter } from "../../packages/server/src/server/service.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { forwarding, type Store } from "../../packages/throughline/src/store/port.ts";
import { type FixedClock, fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { counting } from "../setup/counting-store.ts";
import { inTurn, limiterOn } from "./rate-limiters.ts";

const ada: Principal = { type: "customer", customer: "ada", version: "v", expires_at: Number.MAX_SAFE_INTEGER };
const limitsOf = (requestsPerMinute: number) => ({
  ...{ requestsPerMinute: 0, eventReadsPerMinute: 0, waiters: 100 },
  customer: { requestsPerMinute, eventReadsPerMinute: requestsPerMinute, waiters: 100 },
});
const leaseMs = 5_000;

const isAdmitted = async (limiter: RateLimiter, clock: FixedClock): Promise<boolean> =>
  (await inTurn(clock, limiter.take(ada, "listSessions"))).retryAfter === undefined;

/** The most requests that may be admitted in `ms`: a full bucket, and what refills it from the oldest lease on. */
const mostIn = (limit: number, ms: number): number => limit + Math.ceil((limit * (ms + leaseMs)) / 60_000);

/** Fails if more of the times than `most` lie within any stretch of time. */
function expectFew(times: readonly number[], most: (ms: number) => number): void {
  for (const [first, from] of times.entries())
    for (const [index, to] of times.slice(first).entries()) expect(index + 1).toBeLessThanOrEqual(most(to - from));
}

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant("burst" as const), process: fc.nat(2), requests: fc.integer({ min: 1, max: 60 }) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("rest" as const), ms: fc.integer({ min: 1, max: 15_000 }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("crash" as const), process: fc.nat(2) }) },
  ),
  { minLength: 5, maxLength: 25 },
);

it("never admits more than the limit and its bound, however processes burst, rest and crash, and asks once a second", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 2, 6, 30, 200), steps, async (limit, actions) => {
      const clock = fixedClock();
      const store = await openStore(":memory:");
      const statements: { readonly of: number; readonly at: number }[] = [];
      const admitted: number[] = [];
      let lives = 0;
      const start = (): Promise<RateLimiter> => {
        const of = lives++;
        const note = (): void => void statements.push({ of, at: clock.monotonic() });
        const noting: Store = {
          ...forwarding(store),
          commit: (commit) => {
            note();
            return store.commit(commit);
          },
          list: (query) => {
            note();
            return store.list(query);
          },
        };
        return limiterOn({ clock, limits: limitsOf(limit), store: noting });
      };
      const processes = [await start(), await start(), await start()];
      for (const action of actions) {
        if (action.type === "rest") clock.advance(action.ms);
        if (action.type === "crash") processes[action.process] = await start();
        if (action.type !== "burst") continue;
        const limiter = processes[action.process] ?? expect.fail();
        const all = Array.from({ length: action.requests }, async () => {
          if ((await limiter.take(ada, "listSessions")).retryAfter === undefined) admitted.push(clock.monotonic());
        });
        await inTurn(clock, Promise.all(all));
      }
      expectFew(admitted, (ms) => mostIn(limit, ms));
      for (let of = 0; of < lives; of++) {
        const times = statements.filter((statement) => statement.of === of).map(({ at }) => at);
        // An exchange that another process was faster than takes up to six statements, and then waits for as many seconds.
        expectFew(times, (ms) => ms / 1_000 + 6);
      }
      await store.close();
    }),
    { numRuns: 60 },
  );
}, 60_000);

it("shares a small limit exactly between processes that take turns", async () => {
  const clock = fixedClock();
  const store = await openStore(":memory:");
  const [one, other] = [await limiterOn({ clock, store, limits: limitsOf(6) }), await limiterOn({ clock, store, limits: limitsOf(6) })];
  const began = clock.monotonic();
  let admitted = 0;
  while ((await isAdmitted(admitted % 2 === 0 ? one : other, clock)) && admitted < 20) admitted += 1;
  const refilled = Math.floor((clock.monotonic() - began) / 10_000);
  expect(admitted).toBeGreaterThanOrEqual(6);
  expect(admitted).toBeLessThanOrEqual(6 + refilled);
});

it("lets one process use the whole limit at once, with two statements for a burst", async () => {
  const clock = fixedClock();
  const { store, calls } = counting(await openStore(":memory:"));
  const limiter = await limiterOn({ clock, store, limits: limitsOf(600) });
  const rates = await inTurn(clock, Promise.all(Array.from({ length: 700 }, () => limiter.take(ada, "listSessions"))));
  expect(rates.filter(({ retryAfter }) => retryAfter === undefined)).toHaveLength(600);
  expect(calls).toEqual(["commit", "commit"]);
});

it("refuses at once, and lets a burst wait about two seconds at most, while processes take turns", async () => {
  const clock = fixedClock();
  const store = await openStore(":memory:");
  const processes = await Promise.all([1, 2].map(() => limiterOn({ clock, store, limits: limitsOf(60) })));
  const waits: { readonly ms: number; readonly isOver: boolean }[] = [];
  let admitted = 0;
  for (let burst = 0; burst < 6; burst++) {
    const all = Array.from({ length: 160 }, async (_, index) => {
      const began = clock.monotonic();
      const { retryAfter } = (await processes[index % 2]?.take(ada, "listSessions")) ?? expect.fail();
      waits.push({ ms: clock.monotonic() - began, isOver: retryAfter !== undefined });
      if (retryAfter === undefined) admitted += 1;
    });
    await inTurn(clock, Promise.all(all));
    if (burst === 0) expect(admitted).toBeGreaterThanOrEqual(60);
    clock.advance(3_000);
  }
  expect(Math.max(...waits.map(({ ms }) => ms))).toBeLessThanOrEqual(2_200);
  // What the bucket had at the beginning, and what refilled it.
  expect(admitted).toBeLessThanOrEqual(mostIn(60, clock.monotonic()));
});

it("uses no token whose lease has ended", async () => {
  const clock = fixedClock();
  const { store, calls } = counting(await openStore(":memory:"));
  const limiter = await limiterOn({ clock, store, limits: limitsOf(60) });
  // Of 30 leased tokens, 3 are left: too few to give back.
  for (let used = 0; used < 27; used++) expect(await isAdmitted(limiter, clock)).toBe(true);
  clock.advance(leaseMs - 1);
  expect(await isAdmitted(limiter, clock)).toBe(true);
  expect(calls).toEqual(["commit"]);
  clock.advance(1);
  expect(await isAdmitted(limiter, clock)).toBe(true);
  expect(calls).toEqual(["commit", "commit"]);
});

it("gives the leased tokens of a process that is idle to the others, and those of a dead one come back by themselves", async () => {
  const clock = fixedClock();
  const store = await openStore(":memory:");
  const [idle, other] = [await limiterOn({ clock, store, limits: limitsOf(60) }), await limiterOn({ clock, store, limits: limitsOf(60) })];
  expect(await isAdmitted(idle, clock)).toBe(true);
  const stored = async (): Promise<number> => Number((await store.list({ of: "records", kind: rateKind, limit: 1 })).items[0]?.data["left"]);
  expect(await stored()).toBe(30);
  await inTurn(clock, clock.sleep(leaseMs + 100));
  expect(await stored()).toBeGreaterThan(58);

  // This one never gives back: its clock stands still, as that of a dead process.
  const dead = await limiterOn({ clock: fixedClock(clock.now()), store, limits: limitsOf(60) });
  expect((await dead.take(ada, "listSessions")).retryAfter).toBeUndefined();
  clock.advance(61_000);
  let admitted = 0;
  while (admitted < 200 && (await isAdmitted(other, clock))) admitted += 1;
  expect(admitted).toBeGreaterThanOrEqual(60);
});

it("counts by itself while the database fails or is silent, asks it once a second, and reports what it admitted", async () => {
  const clock = fixedClock();
  const store = await openStore(":memory:");
  let state: "up" | "failing" | "silent" = "up";
  let asked = 0;
  const faulty: Store = {
    ...forwarding(store),
    commit: async (commit) => {
      asked += 1;
      if (state === "failing") throw new ThroughlineError("store.unreachable");
      if (state === "silent") return new Promise(() => {});
      return store.commit(commit);
    },
    list: async (query) => {
      if (state !== "up") throw new ThroughlineError("store.unreachable");
      return store.list(query);
    },
  };
  const told: string[] = [];
  const tell = (message: string): void => void told.push(message);
  const logger = { debug: tell, info: tell, warn: tell, error: tell };
  const limiter = await limiterOn({ clock, store: faulty, limits: limitsOf(6), logger });
  for (const away of ["failing", "silent"] as const) {
    state = away;
    asked = 0;
    const began = clock.monotonic();
    let admitted = 0;
    while (admitted < 20 && (await isAdmitted(limiter, clock))) admitted += 1;
    // Not open: the process has its own limit. Not closed: it has all of it.
    expect(admitted).toBeGreaterThanOrEqual(6);
    expect(admitted).toBeLessThanOrEqual(6 + Math.floor((clock.monotonic() - began) / 10_000));
    expect(await isAdmitted(limiter, clock)).toBe(false);
    state = "up";
    clock.advance(10_000);
    // The first request after the pause asks in the background, and the bucket is charged for what was admitted.
    expect(await isAdmitted(limiter, clock)).toBe(true);
    await expect.poll(async () => (await store.list({ of: "records", kind: rateKind, limit: 1 })).items[0]?.data["left"]).toBeLessThan(2);
    clock.advance(90_000);
  }
  expect(told).toEqual(
    Array.from({ length: 2 }, () => [
      "requests are counted in this process only, until the database answers",
      "requests are counted in the database again",
    ]).flat(),
  );
});

it("keeps no name of a caller in the database, and no bucket for longer than two minutes", async () => {
  const clock = fixedClock(Date.now());
  const store = await openStore(":memory:");
  const limiter = await limiterOn({ clock, store, limits: limitsOf(6) });
  await limiter.take(ada, "listSessions");
  const { items } = await store.list({ of: "records", kind: rateKind, limit: 10 });
  expect(items).toMatchObject([{ key: expect.stringMatching(/^[0-9a-f]{32}$/), version: 1, data: { left: 3, at: clock.now() } }]);
  expect((items[0]?.expires_at ?? 0) - (items[0]?.created_at ?? 0)).toBeLessThanOrEqual(125_000);
});

it("refills a bucket whose time is ahead, and takes none whose content is not one for a bucket", async () => {
  const clock = fixedClock();
  const store = await openStore(":memory:");
  const first = await limiterOn({ clock, store, limits: limitsOf(60) });
  expect(await isAdmitted(first, clock)).toBe(true);
  const row = (await store.list({ of: "records", kind: rateKind, limit: 1 })).items[0] ?? expect.fail();
  const put = (data: { left: number; at: number } | { left: string }): Promise<unknown> =>
    store.commit({ commit_id: `cmt_${crypto.randomUUID()}`, at: clock.now(), records: [{ kind: rateKind, key: row.key, data, keep_ms: 120_000 }] });
  await put({ left: 0, at: clock.now() + 3_600_000 });
  const second = await limiterOn({ clock, store, limits: limitsOf(60) });
  expect(await isAdmitted(second, clock)).toBe(false);
  clock.advance(2_000);
  expect(await isAdmitted(second, clock)).toBe(true);
  await put({ left: "many" });
  const third = await limiterOn({ clock, store, limits: limitsOf(60) });
  expect(await isAdmitted(third, clock)).toBe(true);
});
