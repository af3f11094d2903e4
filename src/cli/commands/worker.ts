import { ThroughlineError } from "../../kernel/error.ts";
import type { ServiceContext } from "../context.ts";
import { shown } from "../location.ts";
import { namesOf, openService } from "../program/service.ts";
import { drain, listenForSignals } from "../signals.ts";
import { printable } from "../text.ts";
import { told } from "../turn-count.ts";

/** `worker`: runs the turns of one database until it is told to end: by SIGTERM or SIGINT, gracefully; by a second one, at once. */
export async function worker(context: ServiceContext): Promise<void> {
  const { output, location, settings } = context;
  if (location === ":memory:")
    throw new ThroughlineError("cli.usage", "A worker needs a database that other processes can open; :memory: is not shared.", {
      hint: "Name it: --store ./app.db, or a postgres:// URL.",
    });
  const signals = listenForSignals();
  try {
    const { agents, store, runtime, count } = await openService({
      ...context,
      settings: { ...settings, worker: { ...settings.worker, enabled: true } },
    });
    const { concurrency, drain_seconds } = settings.worker;
    const ready = `Ready: running ${namesOf(agents)} on ${shown(location)}, up to ${concurrency} turns at the same time, as process ${process.pid}.`;
    (output.json ? output.err : output.out).line(printable(ready));
    const signal = await signals.first;
    await drain((options) => runtime.close(options).then(() => store.close()), drain_seconds * 1000, signals.second);
    if (output.json) output.document({ signal, turns_ended: count.ended, turns_left: count.left });
    else output.out.line(told(count, signal));
  } finally {
    signals.stop();
  }
}
