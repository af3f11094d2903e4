/** How a process that was told to stop closes what it has open. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { drain } from "../../packages/server/src/cli/commands/service-commands.ts";
import type { Logger } from "throughline/kernel";

const never = new Promise<never>(() => {});

function recording(): { readonly logger: Logger; readonly warned: readonly string[] } {
  const warned: string[] = [];
  const silent = (): void => {};
  return { logger: { debug: silent, info: silent, warn: (what) => void warned.push(what), error: silent }, warned };
}

describe("a process that was told to stop", () => {
  test("closes once within the time for draining, and warns of nothing", async () => {
    const { logger, warned } = recording();
    const close = vi.fn(async () => {});
    await drain(close, { drainMs: 60_000, hurry: never, logger });
    expect(close.mock.calls).toEqual([[{ drainMs: 60_000 }]]);
    expect(warned).toEqual([]);
  });

  test("closes at once after the second signal", async () => {
    const { logger, warned } = recording();
    const close = vi.fn(({ drainMs }: { readonly drainMs: number }) => (drainMs === 0 ? Promise.resolve() : never));
    await drain(close, { drainMs: 60_000, hurry: Promise.resolve(), logger });
    expect(close).toHaveBeenCalledTimes(2);
    expect(warned).toEqual([]);
  });

  test.each([
    ["", 10, never],
    [" after the second signal", 60_000, Promise.resolve()],
  ])("leaves what never closes%s, and says so", async (_, drainMs, hurry) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { logger, warned } = recording();
    const drained = drain(() => never, { drainMs, hurry, logger });
    await vi.advanceTimersByTimeAsync(2_010);
    await drained;
    expect(warned).toEqual(["drain.unfinished"]);
  });

  test("fails as what it closes fails", async () => {
    const { logger } = recording();
    await expect(drain(() => Promise.reject(new Error("disk")), { drainMs: 60_000, hurry: never, logger })).rejects.toThrow("disk");
  });
});
