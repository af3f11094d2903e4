/** What the service takes over HTTP: requests at once, events that come from another process, waiting readers, and what stays in memory. */
import type { Engine } from "./engine.ts";
import type { Figure } from "./figures.ts";
import { Sender } from "./load.ts";
import { startService } from "./service-child.ts";
import { delivery } from "./service-delivery.ts";
import { idleStreams } from "./service-idle.ts";
import { requests } from "./service-requests.ts";
import { soak } from "./service-soak.ts";

/** Measures two services on one database. */
export async function service(engine: Engine, quick: boolean, minutes: number): Promise<readonly Figure[]> {
  const database = await engine.create();
  const first = await startService(database.location);
  const second = await startService(database.location);
  const sender = new Sender(first);
  try {
    const sessions = await first.ask("sessions", { count: quick ? 120 : 1020 });
    const bench = { engine, quick, minutes, first, second, sender, sessions };
    return [...(await idleStreams(bench)), ...(await delivery(bench)), ...(await requests(bench)), ...(await soak(bench))];
  } finally {
    sender.close();
    await Promise.all([first.stop(), second.stop()]);
    await database.remove();
  }
}
