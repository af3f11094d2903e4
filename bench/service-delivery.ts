/** How soon a post to one process reaches a reader of another one. */
import { setTimeout as delay } from "node:timers/promises";
import { type Figure, quantile, round } from "./figures.ts";
import { Sender, StreamReader } from "./load.ts";
import { message, offsetOf, type ServiceBench } from "./service-bench.ts";

/** From sending a post to the first process until its event comes on a stream of the second one. */
export async function delivery({ engine, quick, second, sender, sessions: [session = ""] }: ServiceBench): Promise<readonly Figure[]> {
  const other = new Sender(second);
  const path = `/v1/sessions/${session}/events`;
  const reader = new StreamReader(await other.open("GET", `${path}?format=sse`));
  const took: number[] = [];
  const [warmUp, count] = quick ? [5, 40] : [50, 400];
  for (let number = 0; number < warmUp + count; number++) {
    // Pauses of 5 to 45 milliseconds: readers have gone to sleep again, and timers of theirs do not fall into step.
    await delay(5 + ((number * 17) % 41));
    const began = performance.now();
    let came = Number.NaN;
    const offset = offsetOf(await sender.send(201, "POST", path, message));
    const answered = performance.now();
    await reader.until(offset);
    came = performance.now();
    if (number >= warmUp) took.push(Math.max(came, answered) - began);
  }
  reader.close();
  other.close();
  const figure = (id: string, part: number, limit: number): Figure => ({
    id: `${engine.name}.${id}`,
    what: `from sending a post until its event comes on a stream of another process, ${part === 0.5 ? "median" : "99 of 100"}`,
    value: round(quantile(took, part)),
    unit: "ms",
    limit,
    timing: true,
  });
  return [figure("delivery", 0.5, 20), figure("delivery_p99", 0.99, 150)];
}
