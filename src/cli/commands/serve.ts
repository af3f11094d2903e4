import { createServer } from "../../server/create-server.ts";
import type { ServiceContext } from "../context.ts";
import { shown } from "../location.ts";
import { serverOptions } from "../program/server-options.ts";
import { namesOf, openService, type Service } from "../program/service.ts";
import { drain, listenForSignals, type Signals } from "../signals.ts";
import { printable } from "../text.ts";
import { told } from "../turn-count.ts";

/** `serve`: answers requests, and runs turns, until it is told to end: by SIGTERM or SIGINT, gracefully; by a second one, at once. */
export async function serve(context: ServiceContext): Promise<void> {
  const signals = listenForSignals();
  try {
    const service = await openService(context);
    try {
      await answerRequests(context, service, signals);
    } catch (error) {
      // Turns that were taken up meanwhile are given back, instead of waiting until their leases run out.
      await service.runtime.close({ drainMs: 0 });
      await service.store.close();
      throw error;
    }
  } finally {
    signals.stop();
  }
}

async function answerRequests(context: ServiceContext, service: Service, signals: Signals): Promise<void> {
  const { output, location, settings, file, clock } = context;
  const { agents, store, runtime, logger, count } = service;
  const server = await createServer({ ...serverOptions(settings), runtime, store, agents, clock, logger });
  const { url, port } = await server.listen();
  const work = settings.worker.enabled ? `up to ${settings.worker.concurrency} turns at the same time` : "no turns";
  const configured = file === undefined ? "" : `, configured by ${file}`;
  if (output.json) output.out.line(JSON.stringify({ ready: { url, port, process: process.pid } }));
  else
    output.out.line(printable(`Ready: ${url} serves ${namesOf(agents)} from ${shown(location)}, ${work}, as process ${process.pid}${configured}.`));
  const signal = await signals.first;
  logger.info("draining", { signal });
  const requestsMs = settings.server.drain_seconds * 1000;
  const turnsMs = settings.worker.drain_seconds * 1000;
  const close = async ({ drainMs }: { readonly drainMs: number }): Promise<void> => {
    // Side by side: whoever waits for an answer over HTTP waits for a turn that is at work.
    await Promise.all([server.close({ drainMs: Math.min(drainMs, requestsMs) }), runtime.close({ drainMs: Math.min(drainMs, turnsMs) })]);
    await store.close();
  };
  await drain(close, Math.max(requestsMs, turnsMs), signals.second);
  (output.json ? output.err : output.out).line(told(count, signal));
}
