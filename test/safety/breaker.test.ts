import { describe, expect, test } from "vitest";
import { createBreaker } from "../../packages/throughline/src/kernel/breaker.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";

const broken = (clock = fixedClock()) => {
  const breaker = createBreaker({ clock });
  for (let count = 0; count < 3; count += 1) breaker.failed();
  return { breaker, clock };
};

describe("a breaker", () => {
  test("opens after three failures in a row, not after three with a success between", () => {
    const breaker = createBreaker({ clock: fixedClock() });
    breaker.failed();
    breaker.failed();
    breaker.succeeded();
    breaker.failed();
    expect([breaker.state, breaker.allows()]).toEqual(["closed", true]);
    breaker.failed();
    breaker.failed();
    expect([breaker.state, breaker.allows()]).toEqual(["open", false]);
  });

  test("opens when a fifth of the calls of 30 s has failed, of ten at least", () => {
    const clock = fixedClock();
    const breaker = createBreaker({ clock });
    const call = (ok: boolean): void => (ok ? breaker.succeeded() : breaker.failed());
    for (const ok of [false, true, true, true, false, true, true, true]) call(ok);
    expect(breaker.state).toBe("closed");
    call(true);
    call(false);
    expect(breaker.state).toBe("open");
  });

  test("forgets what is older than 30 s", () => {
    const clock = fixedClock();
    const breaker = createBreaker({ clock });
    for (let count = 0; count < 8; count += 1) breaker.succeeded();
    breaker.failed();
    clock.advance(30_000);
    breaker.failed();
    expect(breaker.state).toBe("closed");
  });

  test("lets one call through every 15 s, and closes with the first that succeeds", () => {
    const { breaker, clock } = broken();
    clock.advance(14_999);
    expect(breaker.allows()).toBe(false);
    clock.advance(1);
    expect([breaker.allows(), breaker.state, breaker.allows()]).toEqual([true, "half_open", false]);
    breaker.failed();
    expect([breaker.state, breaker.allows()]).toEqual(["open", false]);
    clock.advance(15_000);
    expect(breaker.allows()).toBe(true);
    breaker.succeeded();
    expect([breaker.state, breaker.allows()]).toEqual(["closed", true]);
    breaker.failed();
    expect(breaker.state).toBe("closed");
  });

  test("is not held up by a probe that never reports back", () => {
    const { breaker, clock } = broken();
    clock.advance(15_000);
    expect(breaker.allows()).toBe(true);
    clock.advance(15_000);
    expect(breaker.allows()).toBe(true);
  });

  test("is not kept open by calls that began before and fail late", () => {
    const { breaker, clock } = broken();
    clock.advance(10_000);
    breaker.failed();
    clock.advance(5_000);
    expect(breaker.allows()).toBe(true);
  });

  test("takes no notice of a clock that is set", () => {
    const { breaker, clock } = broken();
    clock.advance(-1_000_000);
    clock.advance(15_000);
    expect(breaker.allows()).toBe(true);
  });
});
