import { describe, expect, it } from "vitest";
import type { Clock } from "../../packages/throughline/src/kernel/clock.ts";
import { inSlices } from "../../packages/throughline/src/kernel/slices.ts";

describe("work in slices", () => {
  it("is over after its time, counts only what was worked, and lets others work while it rests", async () => {
    let now = 0;
    const clock: Clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() };
    const slices = inSlices({ clock, sliceMs: 4 });
    now = 3.9;
    expect(slices.isOver).toBe(false);
    now = 5;
    expect(slices.isOver).toBe(true);
    let others = 0;
    setImmediate(() => {
      others += 1;
      now = 100;
    });
    await slices.rest();
    expect(others).toBe(1);
    expect(slices.isOver).toBe(false);
    expect(slices.workedMs).toBe(5);
    now = 102;
    expect(slices.workedMs).toBe(7);
  });
});
