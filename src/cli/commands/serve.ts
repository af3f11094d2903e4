import { createServer } from "../../server/create-server.ts";
import type { ServiceContext } from "../context.ts";
import { shown } from "../location.ts";
import { serverOptions } from "../server-options.ts";
import { namesOf, openService } from "../service.ts";
import { drain, listenForSignals } from "../signals.ts";
import { printable } from "../text.ts";
import { told } from "../turn-count.ts";

/** `serve`: answers requests, and runs turns, until it is told to end: by SIGTERM or SIGINT, gracefully; by a second one, at once. */
export async function serve(context: ServiceContext): Promise<void> {
  const { output, location, settings, file, clock } = context;
  const signals = listenForSignals();
  try {
    const { agents, store, runtime, logger, count } = await openService(context);
    const server = await createServer({ ...serverOptions(settings), runtime, store, agents, clock, logger });
    const { url, port } = await server.listen();
    const work = settings.worker.enabled ? `up to ${settings.worker.concurrency} turns at the same time` : "no turns";
    const configured = file === undefined ? "" : `, configured by ${file}`;
    const ready = `Ready: ${url} serves ${namesOf(agents)} from ${shown(location)}, ${work}, as process ${process.pid}${configured}.`;
    if (output.json) output.out.line(JSON.stringify({ ready: { url, port, process: process.pid } }));
    else output.out.line(printable(ready));
    const signal = await signals.first;
    logger.info("draining", { signal });
    const longestMs = Math.max(settings.server.drain_seconds, settings.worker.enabled ? settings.worker.drain_seconds : 0) * 1000;
    await drain(
      async ({ drainMs }) => {
        // Side by side: whoever waits for an answer over HTTP waits for a turn that is at work.
        await Promise.all([
          server.close({ drainMs: Math.min(drainMs, settings.server.drain_seconds * 1000) }),
          runtime.close({ drainMs: Math.min(drainMs, settings.worker.drain_seconds * 1000) }),
        ]);
        await store.close();
      },
      longestMs,
      signals.second,
    );
    (output.json ? output.err : output.out).line(told(count, signal));
  } finally {
    signals.stop();
  }
}
