/** Puts the service together, and says whether its database answers. */
import { readFileSync } from "node:fs";
import type { Runtime } from "../create-runtime.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { ThroughlineError } from "../kernel/error.ts";
import { createIds, type Ids, type SessionId } from "../kernel/id.ts";
import { type Logger, silentLogger } from "../kernel/log.ts";
import type { Agent } from "../runtime/agent/agent.ts";
import type { Store } from "../store/port.ts";
import { createApp, openApiOf } from "./app.ts";
import { createAudit } from "./audit-log.ts";
import { createAccess } from "./auth/access.ts";
import { createRateLimiter } from "./caller-limits.ts";
import { addDemoPage } from "./demo-page.ts";
import { type JobOptions, Jobs } from "./jobs/background-jobs.ts";
import { createAnswered } from "./kept-answers.ts";
import type { Limits, Readiness, Service, TokenTtl } from "./service.ts";
import { createSocketServer, listen } from "./socket.ts";

/** Options of {@link createServer}. */
export interface ServerOptions {
  readonly runtime: Runtime;
  /** The runtime's store: keys, jobs and answers to requests are kept there. */
  readonly store: Store;
  /** The runtime's agents. */
  readonly agents: readonly Agent[];
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** 8420 by default; 0 for any that is free. */
  readonly port?: number;
  /** Names that it goes by besides `host`: a request for another one is refused. Any name but those of this machine makes it one that needs keys. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may call it, such as `https://app.example.com`; none by default. */
  readonly origins?: readonly string[];
  /** What tokens are signed with, at least 32 characters each: the first signs, the others are taken too. By default the database holds a key. */
  readonly tokenSecrets?: readonly string[];
  /** How long tokens are good for whose request does not say, in milliseconds. */
  readonly tokenTtl?: Partial<TokenTtl>;
  readonly limits?: Partial<Limits>;
  readonly jobs?: JobOptions;
  /** Also serves the example page of a conversation, at `/demo/`; false by default. */
  readonly demo?: boolean;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly logger?: Logger;
}

/** A service that can be listened with. */
export interface ThroughlineServer {
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>;
  /** Begins to listen. `auth.unconfigured` if others could reach it and there are no keys. */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Takes no more requests, tells streams to come back elsewhere, and waits up to `drainMs` (5,000 by default) for those at work. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/** The limits of a service, unless it is told others. */
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

/** How long tokens are good for, unless a service is told otherwise. */
export const defaultTokenTtl: TokenTtl = { customerMs: 900_000, streamMs: 60_000 };

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { readonly version: string };

/** A service over HTTP for the sessions of a runtime. */
export async function createServer(options: ServerOptions): Promise<ThroughlineServer> {
  const { runtime, store, agents, clock = systemClock, ids = createIds({ clock }), logger = silentLogger } = options;
  const { host = "127.0.0.1", port = 8420, hosts = [], origins = [] } = options;
  let document: Promise<string> | undefined;
  const draining = new AbortController();
  const limits = { ...defaultLimits, ...options.limits };
  const tokenTtl = { ...defaultTokenTtl, ...options.tokenTtl };
  const access = createAccess({ ...options, host, tokenTtl, store, clock, ids, logger, limits, draining: draining.signal });
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
    reach: { host, hosts: new Set(hosts.map((name) => name.toLowerCase())), origins: new Set(origins) },
    answered: createAnswered({ runtime, store, clock, ids, logger, draining: draining.signal }),
    rates: createRateLimiter({ limits, clock }),
    audit: createAudit({ runtime, store, clock, ids, logger, draining: draining.signal }),
    readiness: createReadiness({ store, clock }),
    version,
    openApi: () => (document ??= openApiOf(app, version).then((specs) => JSON.stringify(specs))),
    jobs,
    draining: draining.signal,
  });
  const app = createApp(service);
  if (options.demo === true) addDemoPage(app);
  const server = createSocketServer(app.fetch, service);
  return {
    fetch: async (request) => app.fetch(request),
    listen: async () => {
      await access.authenticator.assertConfigured();
      jobs.start();
      return listen(server, { host, port });
    },
    close: async ({ drainMs = 5_000 } = {}) => {
      draining.abort();
      const settled = jobs.close(drainMs);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection whose stream has ended meanwhile would be kept for another request.
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), drainMs);
      await Promise.all([closed, settled]);
      clearTimeout(timer);
      clearInterval(sweep);
    },
  };
}

/** The database has so long to answer. */
const patienceMs = 1_000;
/** However often somebody asks, it is asked this often. */
const freshMs = 500;
/** A session that there is not: its look-up is the smallest read. */
const nobody = `ses_${"0".repeat(26)}` as SessionId;

/** Asks a store whether it answers. */
function createReadiness({ store, clock }: { readonly store: Pick<Store, "open">; readonly clock: Clock }): Readiness {
  let asked: { readonly answer: Promise<void>; readonly at: number } | undefined;
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
      if (asked === undefined || now - asked.at >= freshMs) asked = { answer: ask(), at: now };
      return asked.answer;
    },
  };
}
