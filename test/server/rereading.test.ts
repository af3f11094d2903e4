import { expect, test } from "vitest";
import { rereading, rereadingEach } from "../../packages/server/src/server/auth/rereading.ts";
import type { Clock } from "../../packages/throughline/src/kernel/clock.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";

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

test("reads once a second, however many ask", async () => {
  const { at, read } = source();
  expect(await Promise.all([read(), read()])).toEqual(["first", "first"]);
  at.now = 999;
  await read();
  expect(at.reads).toBe(1);
  Object.assign(at, { now: 1_000, value: "second" });
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

test("a fresh reading is made at once, serves whoever asks next, and fails where the source does", async () => {
  const { at, read } = source();
  await read();
  at.value = "second";
  expect([await read({ fresh: true }), await read(), at.reads]).toEqual(["second", "second", 2]);
  at.fails = true;
  await expect(read({ fresh: true })).rejects.toThrow("away");
  expect(await read()).toBe("second");
});

test("keeps a reading for each key", async () => {
  const reads: string[] = [];
  const read = rereadingEach({ ...systemClock, monotonic: () => 0 }, async (key) => reads.push(key));
  expect(await Promise.all([read("a"), read("b"), read("a")])).toEqual([1, 2, 1]);
});
