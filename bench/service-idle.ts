/** What open streams cost in which nothing happens. */
import { setTimeout as delay } from "node:timers/promises";
import type { Figure } from "./figures.ts";
import { round } from "./figures.ts";
import { Sender, StreamReader } from "./load.ts";
import type { ServiceBench } from "./service-bench.ts";

/** Streams of many sessions, all of them read to their end. */
export async function idleStreams({ engine, quick, second, sessions }: ServiceBench): Promise<readonly Figure[]> {
  const sender = new Sender(second);
  const readers: StreamReader[] = [];
  const open = async (session: string): Promise<void> => {
    const reader = new StreamReader(await sender.open("GET", `/v1/sessions/${session}/events?format=sse`));
    await reader.until(0);
    readers.push(reader);
  };
  // The first ones warm up what is made once, such as the connections.
  const warm = 20;
  for (const session of sessions.slice(0, warm)) await open(session);
  await delay(500);
  const before = await second.ask("spent", {});
  for (const session of sessions.slice(warm)) await open(session);
  await delay(500);
  const after = await second.ask("spent", {});
  const seconds = quick ? 2 : 20;
  await delay(seconds * 1000);
  const idle = await second.ask("spent", {});
  for (const reader of readers) reader.close();
  sender.close();
  const count = sessions.length - warm;
  const [heap, rss] = [after.heap_mb - before.heap_mb, after.rss_mb - before.rss_mb].map((mb) => (mb / count) * 1000);
  return [
    {
      id: `${engine.name}.streams_queries`,
      what: `statements of a service with ${sessions.length} open streams in which nothing happens, over ${seconds} s`,
      value: round(idle.statements / seconds),
      unit: "per second",
      // The keys of waiting callers are read again every second, by one statement for all of them.
      limit: 1.5,
      timing: false,
      details: { processor_percent: round(idle.processor_ms / seconds / 10) },
    },
    {
      id: `${engine.name}.streams_memory`,
      what: "memory of 1,000 open streams, the larger of heap and resident memory",
      value: round(Math.max(heap ?? 0, rss ?? 0)),
      unit: "MB",
      limit: 128,
      // How much of what was garbage the process has given back differs from run to run.
      timing: true,
      details: { heap_mb: round(heap ?? 0), rss_mb: round(rss ?? 0) },
    },
  ];
}
