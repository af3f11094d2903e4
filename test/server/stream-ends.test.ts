import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { defaultLimits } from "../../packages/server/src/server/create-server.ts";
import { FrameStream } from "../../packages/server/src/server/delivery/frame-stream.ts";

test("a stream that has ended is held by nothing of the service, also after garbage was collected", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const draining = new AbortController().signal;
  const service = { clock: systemClock, limits: defaultLimits, logger: silentLogger, draining };
  const readers = Array.from({ length: 20 }, () => {
    const stream = new FrameStream(service, {
      content: { open: () => [], begin: () => "retry: 1000\n\n", frame: () => undefined, heartbeat: () => "", bye: () => "" },
      idleMs: undefined,
      place: { ended: new AbortController().signal, leave: () => {} },
      left: new AbortController().signal,
      request_id: "test",
      cut: undefined,
    });
    return stream.body().getReader();
  });
  for (const reader of readers) await reader.read();
  expect(getEventListeners(draining, "abort")).toHaveLength(20);
  await delay(1);
  collect();
  for (const reader of readers) await reader.cancel();
  expect(getEventListeners(draining, "abort")).toEqual([]);
});
