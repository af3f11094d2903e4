import { expect, test } from "vitest";
import { rereading } from "../../src/server/auth/rereading.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import { systemClock } from "../../src/kernel/clock.ts";

/** What is read, which can be told to fail, and the time. */
function source() {
  const at = { now: 0, fails: false, value: "first", reads: 0 };
  const clock: Clock = { ...systemClock, monotonic: () => at.now };
  const read = rereading(clock, async () => {
    at.reads += 1;
    if (at.fails) throw new Error("away");
    return at.value;
  });
  return { at, read };
}

test("reads once for two seconds, however many ask", async () => {
  const { at, read } = source();
  expect(await Promise.all([read(), read()])).toEqual(["first", "first"]);
  at.now = 1_999;
  await read();
  expect(at.reads).toBe(1);
  Object.assign(at, { now: 2_000, value: "second" });
  expect([await read(), at.reads]).toEqual(["second", 2]);
});

test("what was read holds for ten minutes where it cannot be read again, and is asked for each time", async () => {
  const { at, read } = source();
  await read();
  Object.assign(at, { now: 599_999, fails: true, value: "second" });
  expect([await read(), await read(), at.reads]).toEqual(["first", "first", 3]);
  at.now = 600_000;
  await expect(read()).rejects.toThrow("away");
  at.fails = false;
  expect(await read()).toBe("second");
});

test("what could never be read fails, and is read again by whoever asks next", async () => {
  const { at, read } = source();
  at.fails = true;
  await expect(read()).rejects.toThrow("away");
  at.fails = false;
  expect(await read()).toBe("first");
});
