/** Whether memory stays flat while clients do everything that a client does. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Figure } from "./figures.ts";
import { round } from "./figures.ts";
import { type Sender, StreamReader, repeat } from "./load.ts";
import { message, offsetOf, type ServiceBench } from "./service-bench.ts";

/** The life of a session: made, written to, read in every way, and deleted. */
async function live(sender: Sender): Promise<void> {
  const once = (): Readonly<Record<string, string>> => ({ "idempotency-key": randomUUID() });
  const { id } = JSON.parse(await sender.send(201, "POST", "/v1/sessions", { agent: "bench" }, once())) as { readonly id: string };
  const path = `/v1/sessions/${id}/events`;
  const reader = new StreamReader(await sender.open("GET", `${path}?format=sse`));
  for (let number = 0; number < 10; number++) {
    const from = offsetOf(await sender.send(201, "POST", path, message, once())) + 1;
    const [posted] = await Promise.all([
      sender.send(201, "POST", path, { kind: "custom", data: { number } }),
      sender.send(200, "GET", `${path}?min_offset=${from}&wait=30`),
    ]);
    await reader.until(offsetOf(posted));
    await sender.send(200, "GET", `${path}?limit=20`);
  }
  reader.close();
  await sender.send(200, "PATCH", `/v1/sessions/${id}`, { title: "Read", labels: { add: ["done"] } });
  await sender.send(204, "DELETE", `/v1/sessions/${id}`);
}

/** The line through the samples: how steep it is, and how sure that is (the slope in standard errors). */
export function slopeOf(samples: readonly (readonly [x: number, y: number])[]): { readonly slope: number; readonly sure: number } {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middle, level] = [mean(samples.map(([x]) => x)), mean(samples.map(([, y]) => y))];
  const spread = samples.reduce((sum, [x]) => sum + (x - middle) ** 2, 0);
  const slope = samples.reduce((sum, [x, y]) => sum + (x - middle) * (y - level), 0) / spread;
  const left = samples.reduce((sum, [x, y]) => sum + (y - level - slope * (x - middle)) ** 2, 0);
  return { slope, sure: slope / Math.sqrt(left / Math.max(1, samples.length - 2) / spread) };
}

/** A growth needs this many samples, also where a busy machine takes each of them late. */
const fewestSamples = 6;

/** Memory after garbage was collected, again and again, under load. */
export async function soak({ engine, quick, minutes, first, sender }: ServiceBench): Promise<readonly Figure[]> {
  const ms = minutes * 60_000;
  const samples: { readonly minute: number; readonly rss: number; readonly heap: number }[] = [];
  const began = performance.now();
  const loading = repeat(16, ms, () => live(sender));
  const every = ms / 60;
  while (performance.now() - began < ms - every || samples.length < fewestSamples) {
    await delay(every);
    const { rss_mb, heap_mb } = await first.ask("spent", {});
    samples.push({ minute: (performance.now() - began) / 60_000, rss: rss_mb, heap: heap_mb });
  }
  const { requests: sessions, errors } = await loading;
  // The first third fills what is remembered: compiled code, keys, prepared statements.
  const settled = samples.slice(Math.floor(samples.length / 3));
  const growth = (of: "rss" | "heap"): { readonly percent: number; readonly sure: number } => {
    const { slope, sure } = slopeOf(settled.map((sample) => [sample.minute, sample[of]]));
    const level = settled.reduce((sum, sample) => sum + sample[of], 0) / settled.length;
    return { percent: round(((slope * minutes) / level) * 100), sure: round(sure) };
  };
  const [rss, heap] = [growth("rss"), growth("heap")];
  return [
    {
      id: `${engine.name}.soak_errors`,
      what: `sessions of ${sessions} in ${minutes} minutes in which a request failed`,
      value: errors,
      unit: "sessions",
      limit: 0,
      timing: false,
    },
    {
      id: `${engine.name}.soak_memory`,
      what: "memory after garbage was collected, resident or heap: how much it grows in that time",
      value: Math.max(rss.percent, heap.percent),
      unit: "%",
      // Less than a minute shows what a process learns when it begins.
      ...(quick ? {} : { limit: 10 }),
      timing: true,
      details: {
        rss_percent: rss.percent,
        rss_sure: rss.sure,
        heap_percent: heap.percent,
        heap_sure: heap.sure,
        rss_mb: round(samples.at(-1)?.rss ?? 0),
        samples: samples.length,
      },
    },
  ];
}
