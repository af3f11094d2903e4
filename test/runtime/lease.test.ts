/** How a lease is kept and lost, on a clock that the test moves: nothing here waits in real time. */
import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { ThroughlineError, type Store } from "../../packages/throughline/src/index.ts";
import { holdLease, type HeldLease, renewDueLeases } from "../../packages/throughline/src/runtime/turn/lease.ts";
import type { Claim } from "../../packages/throughline/src/store/port.ts";
import { fixedClock, type FixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { append, asked, event, newSession, queue } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { emptyStore } from "./harness.ts";

const [leaseMs, heartbeatMs] = [30_000, 5_000];
const unreachable = new ThroughlineError("store.unreachable");

interface Held {
  readonly below: Store;
  readonly claim: Claim;
  readonly clock: FixedClock;
  readonly lease: HeldLease;
  /** Renewals that were requested so far. */
  readonly renewals: () => number;
}

/** A lease on a turn. `renew` answers its renewals, `watch` replaces how the store waits for the log to grow. */
async function held(
  kind: "memory" | "sqlite",
  { renew, watch }: { readonly renew?: (store: Store, claim: Claim) => Promise<Claim | undefined>; readonly watch?: Store["watch"] } = {},
): Promise<Held> {
  const below = await emptyStore(kind);
  const session_id = await newSession(below);
  await append(below, session_id, { events: [asked("a")], queue: queue() });
  const claim = await below.claim({ kind: "session", session_id, worker: "w1", lease_ms: 3_600_000 });
  if (claim === undefined) throw new Error("No turn to claim.");
  let renewals = 0;
  const store: Store = {
    ...forwarding(below),
    ...(watch === undefined ? {} : { watch }),
    claim: (request) => {
      renewals += 1;
      return renew === undefined ? below.claim(request) : renew(below, claim);
    },
  };
  const clock = fixedClock();
  const lease = holdLease(store, claim, { leaseMs, heartbeatMs, clock });
  onTestFinished(() => lease.stop());
  return { below, claim, clock, lease, renewals: () => renewals };
}

/** Resolves with the reason once the work under the lease is aborted. */
const ended = ({ signal }: HeldLease): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
  });

/** Moves the clock in steps of one heartbeat; what each step wakes runs before the next one. */
async function advance(clock: FixedClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= heartbeatMs) {
    clock.advance(Math.min(left, heartbeatMs));
    await settled();
  }
}

describe.each(["memory", "sqlite"] as const)("%s: the end of a turn from outside", (kind) => {
  test("a stop that somebody else commits aborts the work before the next renewal", async () => {
    const { below, claim, clock, lease, renewals } = await held(kind);
    clock.advance(100);
    await append(below, claim.session_id, { events: [event("status", {}, { source: "system" })], end_turns: [1], fence: true });
    expect(await ended(lease)).toMatchObject({
      code: "turn.fenced",
      message: expect.stringContaining("stopped, withdrawn or taken over") as string,
    });
    expect(renewals()).toBe(0);
  });

  test("a takeover by a person aborts the work with session.manual", async () => {
    const { below, claim, clock, lease, renewals } = await held(kind);
    clock.advance(100);
    await settled();
    await append(below, claim.session_id, {
      events: [event("session", { type: "mode", mode: "manual" }, { source: "system" })],
      header: { mode: "manual" },
      fence: true,
    });
    expect(await ended(lease)).toMatchObject({ code: "session.manual" });
    expect(renewals()).toBe(0);
  });

  test("the erasure of its session aborts the work", async () => {
    const { below, claim, clock, lease, renewals } = await held(kind);
    clock.advance(100);
    await below.erase({ session_id: claim.session_id });
    expect(await ended(lease)).toMatchObject({ code: "turn.fenced", message: expect.stringContaining("its session was erased") as string });
    expect(renewals()).toBe(0);
  });

  test("an event that does not fence the turn leaves the work alone, and a later stop is still seen", async () => {
    const { below, claim, clock, lease } = await held(kind);
    clock.advance(100);
    const { signal } = lease;
    await append(below, claim.session_id, { events: [event("custom", {}, { source: "system" })] });
    await settled();
    expect(signal.aborted).toBe(false);
    await append(below, claim.session_id, { events: [event("status", {}, { source: "system" })], end_turns: [1], fence: true });
    expect(await ended(lease)).toMatchObject({ code: "turn.fenced" });
  });
});

test("a store that cannot wait for events is asked again after a heartbeat", async () => {
  let watches = 0;
  const watch = (): Promise<never> => {
    watches += 1;
    return Promise.reject(unreachable);
  };
  // Renewals get no answer, so only the poll can see the stop.
  const { below, claim, clock, lease } = await held("memory", { watch, renew: () => new Promise(() => {}) });
  clock.advance(100);
  await settled();
  expect(watches).toBe(1);
  await append(below, claim.session_id, { events: [event("status", {}, { source: "system" })], end_turns: [1], fence: true });
  await settled();
  expect([watches, lease.signal.aborted]).toEqual([1, false]);
  clock.advance(heartbeatMs);
  expect(await ended(lease)).toMatchObject({ code: "turn.fenced" });
});

test("a turn that ends within a tenth of a second costs no read", async () => {
  let reads = 0;
  const watch: Store["watch"] = () => {
    reads += 1;
    return new Promise(() => {});
  };
  const { clock, lease } = await held("memory", { watch });
  clock.advance(99);
  await settled();
  lease.stop();
  clock.advance(1);
  await settled();
  expect(reads).toBe(0);
});

describe("renewals", () => {
  test("keep the lease for as long as the store grants them, one per heartbeat", async () => {
    const { clock, lease, renewals } = await held("memory");
    await advance(clock, 10 * leaseMs);
    expect([lease.signal.aborted, renewals()]).toEqual([false, (10 * leaseMs) / heartbeatMs]);
  });

  test("end when the lease is stopped", async () => {
    const { clock, lease, renewals } = await held("memory");
    await advance(clock, heartbeatMs);
    lease.stop();
    await advance(clock, 2 * leaseMs);
    expect([lease.signal.aborted, renewals()]).toEqual([false, 1]);
  });

  test("that the store refuses end the work", async () => {
    const { clock, lease } = await held("memory", { renew: async () => undefined });
    await advance(clock, heartbeatMs);
    expect(lease.signal.reason).toMatchObject({ code: "turn.fenced", message: expect.stringContaining("another worker has the session") as string });
  });

  test("that a closed store cannot grant end the work at once", async () => {
    const { clock, lease } = await held("memory", { renew: () => Promise.reject(new ThroughlineError("store.closed")) });
    await advance(clock, heartbeatMs);
    expect(lease.signal.reason).toMatchObject({ code: "turn.fenced", message: expect.stringContaining("the store is closed") as string });
  });

  test("that fail cost the lease one heartbeat before its time is up, and not sooner", async () => {
    const { clock, lease } = await held("memory", { renew: () => Promise.reject(unreachable) });
    await advance(clock, leaseMs - 2 * heartbeatMs);
    expect(lease.signal.aborted).toBe(false);
    await advance(clock, heartbeatMs);
    expect(lease.signal.reason).toMatchObject({ code: "turn.fenced", message: expect.stringContaining("did not answer in time") as string });
  });

  test("are no longer asked for once the lease was given up, so that it runs out while the work ends", async () => {
    let down = true;
    const renew = async (_store: Store, claim: Claim): Promise<Claim> => {
      if (down) throw unreachable;
      return claim;
    };
    const { clock, lease, renewals } = await held("memory", { renew });
    await advance(clock, leaseMs);
    expect(lease.signal.aborted).toBe(true);
    down = false;
    const before = renewals();
    await advance(clock, 2 * heartbeatMs);
    await renewDueLeases({ leases: new Set([lease]) });
    expect(renewals()).toBe(before);
  });

  test("count from the request: an answer that took long does not lengthen the lease", async () => {
    const answers: ((claim: Claim) => void)[] = [];
    const renew = (_store: Store, claim: Claim): Promise<Claim> =>
      answers.length > 0 ? Promise.reject(unreachable) : new Promise((resolve) => answers.push(() => resolve(claim)));
    const { claim, clock, lease } = await held("memory", { renew });
    // Requested at 5 s and granted at 25 s, so the lease runs out at 35 s; the next renewal fails at 30 s.
    await advance(clock, heartbeatMs + 20_000);
    answers[0]?.(claim);
    await settled();
    expect(lease.signal.aborted).toBe(false);
    await advance(clock, heartbeatMs);
    expect(lease.signal.reason).toMatchObject({ code: "turn.fenced", message: expect.stringContaining("did not answer in time") as string });
  });

  test("that were granted start the time anew", async () => {
    let fails = false;
    const renew = async (_store: Store, claim: Claim): Promise<Claim> => {
      if (fails) throw unreachable;
      return claim;
    };
    const { clock, lease } = await held("memory", { renew });
    await advance(clock, 20_000);
    fails = true;
    await advance(clock, leaseMs - 2 * heartbeatMs);
    expect(lease.signal.aborted).toBe(false);
    await advance(clock, heartbeatMs);
    expect(lease.signal.aborted).toBe(true);
  });
});
