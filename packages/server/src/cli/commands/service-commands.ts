/** `serve` and `worker` run until they are stopped; `openapi` prints the OpenAPI document. */
import { describeThrown, isLoopback, present } from "throughline/internal";
import type { Settings } from "../../config/config-settings.ts";
import { type Clock, seen, ThroughlineError, type Json, type JsonObject, type Logger, type Tracer } from "throughline/kernel";
import { scripted, openStore, type Agent, defineAgent, loop, createRuntime, type Runtime, defineState, type Store } from "throughline";
import { createMetrics, type Metrics } from "throughline/telemetry";
import { createServer, type ServerOptions } from "../../server/create-server.ts";
import { listenForMetrics } from "../../server/metrics-route.ts";
import type { Limits } from "../../server/service.ts";
import { type Callbacks, createCallbacks } from "../../server/webhooks/callbacks.ts";
import { routinesOf } from "throughline/internal/runtime";
import { sourceByRules, type WebhookSource } from "../../server/webhooks/webhook-source.ts";
import { createOutbound } from "../../server/webhooks/outbound.ts";
import type { Path } from "../../config/violation.ts";
import { createWebhooks, type Webhooks } from "../../server/webhooks/webhooks.ts";
import type { PlainContext, ServiceContext } from "../command-context.ts";
import { type InspectorPlace, openInspector } from "../inspector-service.ts";
import { loadAgents } from "../load-agent.ts";
import { missingFolder, openLocation, shown, spoolBeside, withoutSecret } from "../database-location.ts";
import { cut, jsonText, printable } from "../terminal-text.ts";
import { tracesFor } from "../trace-export.ts";

/** `serve`: answers requests and runs turns until SIGTERM or SIGINT stops it gracefully. A second signal stops it immediately. */
export async function serve(context: ServiceContext): Promise<void> {
  const signals = listenForSignals();
  try {
    const service = await openService(context);
    try {
      await answerRequests(context, service, signals);
    } catch (error) {
      // Releases the claimed turns instead of letting their leases expire.
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
  const { agents, store, runtime, webhooks, callbacks, logger, count, metrics, flush } = service;
  const openMetrics = settings.telemetry.metrics === "open";
  const given = { ...present({ metrics, webhooks, callbacks }), webhookSources: webhookSourcesOf(settings, agents) };
  const server = await createServer({ ...serverOptions(settings), ...given, runtime, agents, clock, logger, openMetrics });
  const { url, port } = await server.listen();
  const work = settings.worker.enabled ? `up to ${settings.worker.concurrency} turns at the same time` : "no turns";
  const configured = file === undefined ? "" : `, configured by ${file}`;
  if (output.json) output.out.line(JSON.stringify({ ready: { url, port, process: process.pid } }));
  else
    output.out.line(printable(`Ready: ${url} serves ${namesOf(agents)} from ${shown(location)}, ${work}, as process ${process.pid}${configured}.`));
  const { demo, inspector } = serverOptions(settings);
  if (!output.json && demo === true) output.out.line(`Chat: ${url}/demo/`);
  if (!output.json && output.out.stream.isTTY && (demo === true || inspector === true)) output.out.line(`Inspector: ${url}/inspector/`);
  const signal = await signals.first;
  logger.info("draining", { signal });
  const requestsMs = settings.server.drain_seconds * 1000;
  const turnsMs = settings.worker.drain_seconds * 1000;
  const close = async ({ drainMs }: { readonly drainMs: number }): Promise<void> => {
    // In parallel, because HTTP callers may wait for a running turn.
    await Promise.all([server.close({ drainMs: Math.min(drainMs, requestsMs) }), runtime.close({ drainMs: Math.min(drainMs, turnsMs) })]);
    await Promise.all([store.close(), flush()]);
  };
  await drain(close, { drainMs: Math.max(requestsMs, turnsMs), hurry: signals.second, logger });
  (output.json ? output.err : output.out).line(summary(count, signal));
}

/** `worker`: runs the turns of one database until SIGTERM or SIGINT stops it gracefully. A second signal stops it immediately. */
export async function worker(context: ServiceContext): Promise<void> {
  const { output, location, settings } = context;
  if (location === ":memory:")
    throw new ThroughlineError("cli.usage", "A worker needs a database that other processes can open; :memory: is not shared.", {
      hint: "Name it: --store ./app.db, or a postgres:// URL.",
    });
  const signals = listenForSignals();
  try {
    const { agents, store, runtime, webhooks, callbacks, logger, count, metrics, flush } = await openService({
      ...context,
      settings: { ...settings, worker: { ...settings.worker, enabled: true } },
    });
    const { worker_host: host, worker_port: port } = settings.telemetry;
    const measuring =
      metrics === undefined || port === undefined
        ? undefined
        : await listenForMetrics(metrics, { host, port }).catch(async (error: unknown) => {
            await runtime.close();
            await Promise.all([store.close(), flush()]);
            throw error;
          });
    await webhooks?.start({ through: runtime.store, counted: (result) => metrics?.webhookDeliveries.add({ result }) });
    callbacks?.start({ counted: (result) => metrics?.callbackDeliveries.add({ result }) });
    const { concurrency, drain_seconds } = settings.worker;
    if (measuring !== undefined) output.err.line(printable(`Metrics at ${measuring.url}.`));
    const ready = `Ready: running ${namesOf(agents)} on ${shown(location)}, up to ${concurrency} turns at the same time, as process ${process.pid}.`;
    (output.json ? output.err : output.out).line(printable(ready));
    const signal = await signals.first;
    const close = async (options: { readonly drainMs: number }): Promise<void> => {
      await Promise.all([runtime.close(options), webhooks?.close(options), callbacks?.close(options)]);
      await Promise.all([store.close(), flush(), measuring?.close()]);
    };
    await drain(close, { drainMs: drain_seconds * 1000, hurry: signals.second, logger });
    if (output.json) output.document({ signal, turns_ended: count.ended, turns_left: count.left });
    else output.out.line(summary(count, signal));
  } finally {
    signals.stop();
  }
}

/** `inspect`: serves the inspector of one database behind a one-time address until SIGTERM or SIGINT. It runs no turns. */
export async function inspect(context: ServiceContext, { host, port }: InspectorPlace): Promise<void> {
  const { output, location, settings, clock } = context;
  const signals = listenForSignals();
  try {
    const hide = (text: string): string => withoutSecret(text, location);
    const logger = logLines((line) => output.err.line(line), { level: "warn", format: "text", clock, hide, thrown: false });
    const agents = await loadAgents(settings.agents);
    const store = await openLocation(context, { create: false, logger });
    try {
      const inspector = await openInspector({ store, agents, clock, logger, host, port });
      if (output.json) output.out.line(JSON.stringify({ ready: { inspector: inspector.address, process: process.pid } }));
      else {
        output.out.line(inspector.address);
        output.err.line(printable(`It shows ${shown(location)}. The address works once, within ten minutes. Ctrl-C ends the inspector.`));
      }
      await signals.first;
      await drain(inspector.close, { drainMs: 1000, hurry: signals.second, logger });
    } finally {
      await store.close();
    }
  } finally {
    signals.stop();
  }
}

/** A runtime needs an agent; the OpenAPI document names none. */
const nobody = defineAgent({ name: "nobody", version: 1, state: defineState({}), reply: loop({ model: scripted([]) }) });

/** `openapi`: prints the document of a service without data. */
export async function printOpenApi({ output }: PlainContext): Promise<void> {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [nobody], work: false });
  try {
    const server = await createServer({ runtime, agents: [] });
    const answer = await server.fetch(new Request("http://127.0.0.1:8420/openapi.json"));
    if (!answer.ok) throw new ThroughlineError("internal", `The service answered with ${answer.status} to the request for its document.`);
    output.document(await answer.json());
  } finally {
    await runtime.close();
    await store.close();
  }
}

/** A database and a runtime that works on it. */
interface Service {
  readonly agents: readonly Agent[];
  readonly store: Store;
  readonly runtime: Runtime;
  readonly webhooks: Webhooks | undefined;
  readonly callbacks: Callbacks | undefined;
  readonly logger: Logger;
  readonly count: TurnCount;
  readonly metrics: Metrics | undefined;
  /** Sends the spans that are left. */
  readonly flush: () => Promise<void>;
}

/** How many times a lease is renewed before it expires. */
const renewals = 6;

/** Opens the database and starts the agents according to the settings. */
async function openService(context: ServiceContext): Promise<Service> {
  const { settings, output, clock, location } = context;
  const { worker, log } = settings;
  const hide = (text: string): string => withoutSecret(text, location);
  // Thrown errors may quote users, so a log that is collected has them only at the level that is for finding defects.
  const thrown = log.level === "debug" || output.err.stream.isTTY;
  const logger = logLines((line) => output.err.line(line), { ...log, clock, hide, thrown });
  const agents = await loadAgents(settings.agents);
  const folder = missingFolder(location);
  const store = await openLocation(context, { create: true, logger });
  if (folder !== undefined && context.located) output.err.line(`The folder ${printable(folder)} did not exist and was created for the database.`);
  const count: TurnCount = { ended: 0, left: 0 };
  const leaseMs = worker.lease_seconds * 1000;
  const safetySpool = await spoolBeside(location);
  const metrics = settings.telemetry.metrics === "off" ? undefined : createMetrics();
  try {
    const traces = await tracesFor(settings.telemetry.traces);
    const measured = metrics === undefined ? store : metrics.measured(store);
    const webhooks = webhooksOf(settings, { store: measured, agents, clock, logger });
    const runtime = await createRuntime({
      store: webhooks?.store ?? measured,
      agents,
      extensions: [...(metrics === undefined ? [] : [metrics]), ...traces.extensions],
      ...present({ safetySpool }),
      work: worker.enabled,
      callbacks: settings.callbacks.secrets.length > 0,
      concurrency: worker.concurrency,
      leaseMs,
      heartbeatMs: Math.floor(leaseMs / renewals),
      logger,
      tracer: counting(count),
    });
    const callbacks = callbacksOf(settings, { runtime, clock, logger });
    return { agents, store, runtime, webhooks, callbacks, logger, count, metrics, flush: traces.flush };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The deliveries that the settings name; undefined if there are none. */
export function webhooksOf(
  { webhooks }: Settings,
  context: { readonly store: Store; readonly agents: readonly Agent[]; readonly clock: Clock; readonly logger: Logger },
): Webhooks | undefined {
  if (webhooks.targets.length === 0) return undefined;
  return createWebhooks({
    ...context,
    targets: webhooks.targets.map(({ name, url, hosts, secrets, kinds, agents, customers, scopes }) => ({
      name,
      ...present({ url, hosts, kinds, agents, customers }),
      secrets: secrets.map((one) => one.reveal()),
      scopes,
    })),
    allowHosts: webhooks.allow_hosts,
    retryMs: webhooks.retry_seconds.map((pause) => pause * 1000),
    pauseAfter: webhooks.pause_after,
    timeoutMs: webhooks.timeout_seconds * 1000,
    concurrency: webhooks.concurrency,
  });
}

/** The targets whose address no request can have, with the reason. */
export function unreachableTargets({ webhooks: { targets, allow_hosts } }: Settings): readonly { readonly path: Path; readonly message: string }[] {
  const outbound = createOutbound({ allowHosts: allow_hosts });
  return targets.flatMap(({ url }, index) => {
    try {
      if (url !== undefined) outbound.check(url);
      return [];
    } catch (error) {
      return [{ path: ["webhooks", "targets", index, "url"], message: ThroughlineError.from(error).message }];
    }
  });
}

/** Throws `routine.not_found` if a rule starts a routine that no agent can run. `agent`: a name, or what selects one for each delivery. */
function checkRun(agents: readonly Agent[], { run, agent, place }: { readonly run: string; readonly agent: unknown; readonly place: string }): void {
  const byName = new Map(agents.map((one) => [one.name, one]));
  const having = agents.filter(({ name }) => routinesOf({ agents: byName }, name)?.get(run)?.autonomous !== undefined);
  const which = typeof agent === "string" ? having.filter(({ name }) => name === agent) : having;
  if (which.length === 1 || (which.length > 1 && agent !== undefined)) return;
  const message =
    which.length === 0
      ? `there is no autonomous routine ${seen(run)}${typeof agent === "string" ? ` of agent ${seen(agent)}` : ""}`
      : `several agents have the routine ${seen(run)}, so the rule needs \`agent\`: ${which.map(({ name }) => name).join(", ")}`;
  throw new ThroughlineError("routine.not_found", `${place}: ${message}.`);
}

/** The services whose webhooks the settings receive. Throws `agent.not_found` and `routine.not_found` if a rule names what was not loaded. */
export const webhookSourcesOf = ({ webhooks }: Settings, agents: readonly Agent[]): readonly WebhookSource[] =>
  webhooks.sources.map(({ name, scheme, secrets, rules }, source) => {
    for (const [index, { agent }] of rules.entries())
      if (typeof agent === "string" && !agents.some((one) => one.name === agent))
        throw new ThroughlineError(
          "agent.not_found",
          `webhooks.sources[${source}].rules[${index}].agent: there is no agent ${seen(agent)}; the loaded ones are ${agents.map((one) => one.name).join(", ")}.`,
        );
    for (const [index, { run, agent, session_id }] of rules.entries())
      if (typeof run === "string") checkRun(agents, { run, agent: agent ?? session_id, place: `webhooks.sources[${source}].rules[${index}].run` });
    return sourceByRules({ name, scheme, secrets: secrets.map((one) => one.reveal()), rules: rules.map((rule) => present(rule)) });
  });

/** The callbacks of runs; undefined if no secret signs them. */
function callbacksOf(
  { callbacks: { secrets, allow_hosts, retry_seconds, timeout_seconds } }: Settings,
  context: { readonly runtime: Runtime; readonly clock: Clock; readonly logger: Logger },
): Callbacks | undefined {
  if (secrets.length === 0) return undefined;
  return createCallbacks({
    ...context,
    secrets: secrets.map((one) => one.reveal()),
    allowHosts: allow_hosts,
    retryMs: retry_seconds.map((pause) => pause * 1000),
    timeoutMs: timeout_seconds * 1000,
  });
}

/** Agents by name and version. */
const namesOf = (agents: readonly Agent[]): string => agents.map(({ name, version }) => `${name} (definition ${version})`).join(", ");

const allowance = (given: Settings["server"]["limits"]["customer"]): Limits["customer"] => ({
  waiters: given.waiters,
  requestsPerMinute: given.requests_per_minute,
  eventReadsPerMinute: given.event_reads_per_minute,
});

/** Converts the settings to server options. */
export function serverOptions({ server, auth }: Settings): Omit<ServerOptions, "runtime" | "store" | "agents"> {
  const { host, port, limits, base_url } = server;
  const { token_secret, former_token_secrets } = auth;
  const own = base_url === undefined ? [] : [new URL(base_url).hostname];
  return {
    host,
    port,
    hosts: [...server.hosts, ...own],
    origins: server.cors.origins,
    demo: server.demo,
    inspector: server.inspector ?? [host, ...server.hosts, ...own].every(isLoopback),
    ...(token_secret === undefined ? {} : { tokenSecrets: [token_secret, ...former_token_secrets].map((one) => one.reveal()) }),
    tokenTtl: { customerMs: auth.token_ttl_seconds * 1000, streamMs: auth.stream_token_ttl_seconds * 1000 },
    limits: {
      bodyBytes: limits.body_bytes,
      eventBytes: limits.event_bytes,
      pageEvents: limits.page_events,
      ...allowance(limits),
      customer: allowance(limits.customer),
      slowReaderMs: limits.slow_reader_seconds * 1000,
      heartbeatMs: server.heartbeat_seconds * 1000,
      waitMs: limits.wait_seconds * 1000,
      headersMs: server.headers_seconds * 1000,
      requestMs: server.request_seconds * 1000,
    },
  };
}

/** The signals received. */
interface Signals {
  readonly first: Promise<NodeJS.Signals>;
  readonly second: Promise<NodeJS.Signals>;
  stop(): void;
}

/** Listens for SIGTERM and SIGINT. */
function listenForSignals(): Signals {
  const first = Promise.withResolvers<NodeJS.Signals>();
  const second = Promise.withResolvers<NodeJS.Signals>();
  let received = 0;
  const receive = (signal: NodeJS.Signals): void => {
    received += 1;
    (received === 1 ? first : second).resolve(signal);
  };
  const names = ["SIGTERM", "SIGINT"] as const;
  for (const name of names) process.on(name, receive);
  return {
    first: first.promise,
    second: second.promise,
    stop: () => {
      for (const name of names) process.off(name, receive);
    },
  };
}

/** Milliseconds after the second signal, or after the time for draining, before the process exits anyway. Remaining leases then expire. */
const patienceMs = 2_000;

/** Closes within `drainMs`, or immediately after the second signal. What does not close in time is left. `close` may be called twice. */
export async function drain(
  close: (options: { readonly drainMs: number }) => Promise<void>,
  { drainMs, hurry, logger }: { readonly drainMs: number; readonly hurry: Promise<unknown>; readonly logger: Logger },
): Promise<void> {
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number): Promise<boolean> => new Promise((resolve) => timers.push(setTimeout(() => resolve(false), ms)));
  const closed = (ms: number): Promise<boolean> => close({ drainMs: ms }).then(() => true);
  const hurried = hurry.then(() => Promise.race([closed(0), after(patienceMs)]));
  const inTime = await Promise.race([closed(drainMs), hurried, after(drainMs + patienceMs)]);
  for (const timer of timers) clearTimeout(timer);
  if (!inTime)
    logger.warn("drain.unfinished", { hint: "Something did not stop in time. Its leases expire, and another process continues its turns." });
}

/** The number of turns that ended here, and of turns left for another process. */
interface TurnCount {
  ended: number;
  left: number;
}

/** Counts turns. Their outcomes are in the log. */
const counting = (count: TurnCount): Tracer => ({
  async span(name, _attributes, work) {
    if (name !== "turn") return work();
    try {
      const result = await work();
      count.ended += 1;
      return result;
    } catch (error) {
      count.left += 1;
      throw error;
    }
  },
});

/** The summary at the end. */
const summary = ({ ended, left }: TurnCount, signal: string): string =>
  `Ended on ${signal}: ${ended} turns ended here, ${left} were left for another process.`;

/** Log levels in ascending order. */
const levels = ["debug", "info", "warn", "error"] as const;

export interface LogOptions {
  /** The lowest level that is logged. */
  readonly level: (typeof levels)[number] | "silent";
  /** One JSON document per line, or plain text. */
  readonly format: "json" | "text";
  readonly clock: Pick<Clock, "now">;
  /** Removes secrets from a text, such as the database password. */
  readonly hide?: (text: string) => string;
  /** Whether thrown errors are written with message and stack, which may quote users. Defaults to false. */
  readonly thrown?: boolean;
}

/** Names of fields that contain credentials. Token counts do not match. */
const secretive = /password|secret|authorization|cookie|token$|key$/iu;

/** Maximum length of a logged string. Ids and codes are shorter. */
const longest = 500;

/** Creates a logger that writes lines. */
export function logLines(write: (line: string) => void, { level, format, clock, hide = (text) => text, thrown: shows = false }: LogOptions): Logger {
  const clean = (value: Json, name: string): Json => {
    if (typeof value === "string") return secretive.test(name) ? "***" : cut(hide(value), longest);
    if (Array.isArray(value)) return value.map((item: Json) => clean(item, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([inner, part]) => [inner, clean(part, inner)]));
  };
  const line =
    (weight: (typeof levels)[number]): Logger["info"] =>
    (message, fields = {}, thrown) => {
      if (level === "silent" || levels.indexOf(weight) < levels.indexOf(level)) return;
      const cleaned = Object.entries(fields).map(([name, value]) => [name, clean(value, name)] as const);
      const stack = shows && thrown !== undefined ? hide(describeThrown(message, fields, thrown)) : undefined;
      if (format === "json") write(asJson(clock.now(), weight, hide(message), stack === undefined ? cleaned : [...cleaned, ["thrown", stack]]));
      else write([asText(weight, hide(message), cleaned), ...(stack === undefined ? [] : [stack])].join("\n"));
    };
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}

type LogFields = readonly (readonly [name: string, value: Json])[];

function asJson(now: number, level: string, message: string, cleaned: LogFields): string {
  const head: JsonObject = { time: new Date(now).toISOString(), level, message };
  return jsonText({ ...head, ...Object.fromEntries(cleaned.filter(([name]) => !(name in head))) });
}

function asText(level: string, message: string, cleaned: LogFields): string {
  const rest = cleaned.map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return printable(`${level === "warn" ? "warning" : level}: ${message}${rest.join("")}`).replaceAll("\n", " ");
}
