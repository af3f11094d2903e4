/** Creates the service and checks whether its database answers. */
import { readFileSync } from "node:fs";
import type { Runtime, Agent, Store } from "throughline";
import { present } from "throughline/internal";
import { type Clock, systemClock, ThroughlineError, createIds, type Ids, type SessionId, type Logger, silentLogger } from "throughline/kernel";
import { createApp, openApiOf } from "./app.ts";
import { createAudit } from "./audit-log.ts";
import { createAccess } from "./auth/access.ts";
import { createInspectorLink } from "./inspector-link.ts";
import { addInspectorPage } from "./inspector-page.ts";
import { type JobOptions, Jobs } from "./jobs/background-jobs.ts";
import { createAnswered } from "./kept-answers.ts";
import { addMetricsRoute, countedWaiters } from "./metrics-route.ts";
import type { Metrics } from "throughline/telemetry";
import { createRateLimiter } from "./rate-limits.ts";
import type { Limits, Readiness, Service, TokenTtl } from "./service.ts";
import { createSocketServer, listen } from "./socket.ts";
import type { Callbacks } from "./webhooks/callbacks.ts";
import { addSourceRoute } from "./webhooks/source-route.ts";
import type { WebhookSource } from "./webhooks/webhook-source.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

/** Options of {@link createServer}. */
export interface ServerOptions {
  /** The runtime. Its store also holds keys, jobs and idempotent responses. */
  readonly runtime: Runtime;
  /** The runtime's agents. */
  readonly agents: readonly Agent[];
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** 8420 by default; 0 selects a free port. */
  readonly port?: number;
  /** Host names in addition to `host`. Requests for other names are rejected. If any name is not a loopback name, the service requires keys. */
  readonly hosts?: readonly string[];
  /** Origins of web pages that may call the service, such as `https://app.example.com`; none by default. */
  readonly origins?: readonly string[];
  /** Secrets for signing tokens, at least 32 characters each. The first one signs; all of them verify. By default the database holds a key. */
  readonly tokenSecrets?: readonly string[];
  /** Default token lifetimes in milliseconds, for requests that name none. */
  readonly tokenTtl?: Partial<TokenTtl>;
  readonly limits?: Partial<Limits>;
  readonly jobs?: JobOptions;
  /** Delivers events to other servers. The runtime needs its `store`. */
  readonly webhooks?: Webhooks;
  /** Receives webhooks of other services at `/webhooks/{name}`. */
  readonly webhookSources?: readonly WebhookSource[];
  /** Sends the callbacks of runs. Without it, the service starts no run with a `callback_url`. */
  readonly callbacks?: Callbacks;
  /** Also serves these metrics at `/metrics`, in the Prometheus text format. By default the caller needs the scope `usage:read`. */
  readonly metrics?: Metrics;
  /** Serves the metrics to everyone who reaches the service; false by default. */
  readonly openMetrics?: boolean;
  /** Also serves a customer chat at `/demo/`, and the inspector; false by default. */
  readonly demo?: boolean;
  /**
   * Also serves the inspector at `/inspector/`; false by default. With `link`, the service requires keys even if the database has none, and `listen`
   * returns an address that admits one browser to the inspector.
   */
  readonly inspector?: boolean | "link";
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly logger?: Logger;
}

/** An HTTP service that can listen on a socket. */
export interface ThroughlineServer {
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>;
  /** Starts listening. Throws `auth.unconfigured` if other machines can reach the service and no keys exist. */
  listen(): Promise<{
    readonly url: string;
    readonly port: number;
    /** The one-time address of the inspector, if the option `inspector` is `link`. It expires after ten minutes. */
    readonly inspector?: string;
  }>;
  /** Stops accepting requests and tells streams to reconnect elsewhere. Waits up to `drainMs` (5,000 by default) for running requests. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/** Default limits of a service. */
export const defaultLimits: Limits = {
  bodyBytes: 1024 * 1024,
  eventBytes: 256 * 1024,
  pageEvents: 1000,
  waiters: 10_000,
  requestsPerMinute: 0,
  eventReadsPerMinute: 0,
  customer: { waiters: 20, requestsPerMinute: 600, eventReadsPerMinute: 1200 },
  slowReaderMs: 30_000,
  heartbeatMs: 15_000,
  waitMs: 60_000,
  headersMs: 10_000,
  requestMs: 60_000,
};

/** Default token lifetimes. */
export const defaultTokenTtl: TokenTtl = { customerMs: 900_000, streamMs: 60_000 };

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { readonly version: string };

/** Creates an HTTP service for the sessions of a runtime. */
export async function createServer(options: ServerOptions): Promise<ThroughlineServer> {
  const { runtime, agents, clock = systemClock, ids = createIds({ clock }), logger = silentLogger } = options;
  const { store } = runtime;
  const { host = "127.0.0.1", port = 8420, hosts = [], origins = [], webhooks, callbacks } = options;
  let document: Promise<string> | undefined;
  const draining = new AbortController();
  const limits = { ...defaultLimits, ...options.limits };
  const tokenTtl = { ...defaultTokenTtl, ...options.tokenTtl };
  const link = options.inspector === "link" ? createInspectorLink({ clock }) : undefined;
  const access = createAccess({ ...options, host, tokenTtl, store, clock, ids, logger, limits, draining: draining.signal, ...present({ link }) });
  const jobs = new Jobs({ store, clock, ids, logger }, options.jobs);
  const service: Service = Object.freeze({
    runtime,
    store,
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    clock,
    ids,
    logger,
    limits,
    ...access,
    ...(options.metrics === undefined ? {} : { waiters: countedWaiters(access.waiters, options.metrics) }),
    reach: { host, hosts: new Set(hosts.map((name) => name.toLowerCase())), origins: new Set(origins) },
    answered: createAnswered({ runtime, store, clock, ids, logger, draining: draining.signal }),
    rates: createRateLimiter({ limits, store, clock, ids, logger, draining: draining.signal }),
    audit: createAudit({ runtime, store, clock, ids, logger, draining: draining.signal }),
    readiness: createReadiness({ store, clock }),
    version,
    openApi: () => (document ??= openApiOf(app, version).then((specs) => JSON.stringify(specs))),
    jobs,
    ...present({ webhooks, callbacks }),
    draining: draining.signal,
  });
  const app = createApp(service);
  const { demo = false, inspector = demo } = options;
  if (demo || inspector !== false) addInspectorPage(app, { ...present({ link }), chat: demo });
  addSourceRoute(app, service, {
    sources: options.webhookSources ?? [],
    counted: (source, result) => options.metrics?.webhooksReceived.add({ source, result }),
  });
  if (options.metrics !== undefined) addMetricsRoute(app, service, { metrics: options.metrics, open: options.openMetrics === true });
  const server = createSocketServer(app.fetch, service);
  return {
    fetch: async (request) => app.fetch(request),
    listen: async () => {
      await access.authenticator.assertConfigured();
      await webhooks?.start({ through: store, counted: (result) => options.metrics?.webhookDeliveries.add({ result }) });
      callbacks?.start({ counted: (result) => options.metrics?.callbackDeliveries.add({ result }) });
      jobs.start();
      const listening = await listen(server, { host, port });
      return { ...listening, ...present({ inspector: link?.addressAt(listening.url) }) };
    },
    close: async ({ drainMs = 5_000 } = {}) => {
      draining.abort();
      const settled = Promise.all([jobs.close(drainMs), webhooks?.close({ drainMs }), callbacks?.close({ drainMs })]);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection whose stream has just ended would otherwise stay open for the next request.
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), drainMs);
      await Promise.all([closed, settled]);
      clearTimeout(timer);
      clearInterval(sweep);
    },
  };
}

/** Timeout of the database check in milliseconds. */
const patienceMs = 1_000;
/** Milliseconds for which a check result is reused, however often readiness is requested. */
const freshMs = 500;
/** A session id that does not exist. Looking it up is the smallest possible read. */
const nobody = `ses_${"0".repeat(26)}` as SessionId;

/** Checks whether a store answers. */
function createReadiness({ store, clock }: { readonly store: Pick<Store, "open">; readonly clock: Clock }): Readiness {
  let lastCheck: { readonly answer: Promise<void>; readonly at: number } | undefined;
  const ask = async (): Promise<void> => {
    const answered = new AbortController();
    const late = clock.sleep(patienceMs, answered.signal).then(() => {
      throw new ThroughlineError("store.unreachable", `The database has not answered within ${patienceMs} ms.`);
    });
    try {
      await Promise.race([store.open({ session_id: nobody }), late]);
    } finally {
      answered.abort();
      late.catch(() => {});
    }
  };
  return {
    check() {
      const now = clock.monotonic();
      if (lastCheck === undefined || now - lastCheck.at >= freshMs) lastCheck = { answer: ask(), at: now };
      return lastCheck.answer;
    },
  };
}
