/** Serves the metrics of the process at `/metrics` in the Prometheus text format, to callers with the scope `usage:read`. */
import { createServer } from "node:http";
import type { Hono } from "hono";
import { type Metrics, metricsContentType } from "throughline/telemetry";
import type { Operation } from "../protocol/operation.ts";
import type { Environment } from "./app.ts";
import { authorize } from "./handle-request.ts";
import type { Service, Waiters } from "./service.ts";
import { listen } from "./socket.ts";

/** The request as the check of its sender sees it. It is no operation of the API, because its answer is no JSON and describes one process. */
const scrape = {
  method: "GET",
  path: "/metrics",
  tag: "usage",
  summary: "The metrics of the process",
  scope: "usage:read",
  answers: {},
  errors: [],
} as const satisfies Operation;

/** Options of the route. */
export interface MetricsOptions {
  readonly metrics: Metrics;
  /** Whether it needs no key. */
  readonly open: boolean;
}

/** Adds the route to an application. */
export function addMetricsRoute(app: Hono<Environment>, { authenticator }: Pick<Service, "authenticator">, { metrics, open }: MetricsOptions): void {
  app.get(scrape.path, async (context) => {
    context.set("route", scrape.path);
    if (!open) {
      const principal = await authenticator.authenticate(context.req.raw, scrape);
      context.set("principal", principal);
      authorize(principal, scrape);
    }
    return new Response(metrics.text(), { headers: { "content-type": metricsContentType, "cache-control": "no-store" } });
  });
}

/** Serves metrics at `/metrics` of a port of their own, without keys. Throws `service.cannot_listen`. */
export async function listenForMetrics(
  metrics: Metrics,
  place: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== scrape.path) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": metricsContentType, "cache-control": "no-store" }).end(metrics.text());
  });
  const { url } = await listen(server, place);
  return {
    url: `${url}${scrape.path}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns the places of waiting requests, counted by the metrics. */
export function countedWaiters(waiters: Waiters, { readers }: Pick<Metrics, "readers">): Waiters {
  let taken = 0;
  const change = (by: 1 | -1): void => readers.set({}, (taken += by));
  return {
    enter: (principal) => {
      const place = waiters.enter(principal);
      let left = false;
      change(1);
      return {
        ended: place.ended,
        leave: () => {
          place.leave();
          if (!left) change(-1);
          left = true;
        },
      };
    },
  };
}
