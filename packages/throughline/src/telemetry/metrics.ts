/** Metrics of a process: of turns, by an extension that observes them, and of the store, by a wrapper. */
import {
  defineExtension,
  type Extension,
  type ExtensionContext,
  type ExtensionSettings,
  type ObservedWork,
  type WorkEnd,
} from "../extension/port.ts";
import { systemClock } from "../kernel/clock.ts";
import { ThroughlineError } from "../kernel/error.ts";
import { forwarding, type Store } from "../store/port.ts";
import { type Counter, createRegistry, type Gauge, type MetricRegistry } from "./metric-registry.ts";
import { errorTypeOf } from "./span-names.ts";

/** Metrics of a process. Declare it among the runtime's extensions, and open the runtime on `measured(store)`. */
export interface Metrics extends MetricRegistry, ExtensionSettings {
  /** Counts deliveries of webhooks by result. Whoever delivers increments it. */
  readonly webhookDeliveries: Counter<"result">;
  /** Counts attempts of callbacks of runs by result. Whoever sends increments it. */
  readonly callbackDeliveries: Counter<"result">;
  /** Counts received webhooks by source and result. The service increments it. */
  readonly webhooksReceived: Counter<"source" | "result">;
  /** The requests that wait for events now. The service sets it. */
  readonly readers: Gauge;
  /** Returns the store with its calls measured. */
  measured(store: Store): Store;
}

/**
 * Creates the metrics of a process. All their labels have few values: names of agents, models and tools, results and codes.
 * @example const metrics = createMetrics(); createRuntime({ store: metrics.measured(store), agents: [agent], extensions: [metrics] }); metrics.text()
 */
export function createMetrics(): Metrics {
  const registry = createRegistry();
  const extension = turnMetrics(registry);
  const measured = storeMetrics(registry);
  const webhookDeliveries = registry.counter({
    name: "throughline_webhook_deliveries_total",
    help: "Deliveries of webhooks by result: delivered, failed (it is tried again), or dead (it is not).",
    labels: ["result"],
  });
  const callbackDeliveries = registry.counter({
    name: "throughline_callback_deliveries_total",
    help: "Attempts of callbacks of runs by result: delivered, failed (it is tried again), or dead (it is not).",
    labels: ["result"],
  });
  const webhooksReceived = registry.counter({
    name: "throughline_webhooks_received_total",
    help: "Received webhooks by source and result: accepted, repeated, unsigned, limited, refused (the delivery is wrong), or failed (the sender tries again).",
    labels: ["source", "result"],
  });
  const readers = registry.gauge({ name: "throughline_readers", help: "Long polls and streams that wait for events in this process." });
  readers.set({}, 0);
  return Object.freeze({ ...registry, extension: () => extension, measured, webhookDeliveries, callbackDeliveries, webhooksReceived, readers });
}

/** Observes turns. */
function turnMetrics(registry: MetricRegistry): Extension {
  const turns = registry.counter({
    name: "throughline_turns_total",
    help: "Attempts of turns that ended in this process, by outcome: completed, stopped, failed, paused, waiting (a human has taken over), lost or released.",
    labels: ["agent", "outcome"],
  });
  const errors = registry.counter({
    name: "throughline_turn_errors_total",
    help: "Failed turns by the code of their error.",
    labels: ["agent", "code"],
  });
  const waited = registry.histogram({
    name: "throughline_turn_wait_seconds",
    help: "Time from the acceptance of a turn to its claim.",
    labels: ["agent"],
  });
  const first = registry.histogram({
    name: "throughline_turn_first_delta_seconds",
    help: "Time from the acceptance of a turn to the first text of its reply that readers see.",
    labels: ["agent"],
  });
  const lasted = registry.histogram({ name: "throughline_turn_seconds", help: "Time from the acceptance of a turn to its end.", labels: ["agent"] });
  const lost = registry.counter({
    name: "throughline_leases_lost_total",
    help: "Turns that this process lost while it ran them: to another process, a stop or a withdrawal.",
  });
  const waiting = registry.gauge({ name: "throughline_turns_waiting", help: "Turns that wait in this process for a free slot." });
  const running = registry.gauge({ name: "throughline_turns_running", help: "Sessions whose turns this process runs." });
  const calls = registry.counter({
    name: "throughline_model_calls_total",
    help: "Model calls by the reason of their end, or the code of their error.",
    labels: ["model", "result"],
  });
  const tokens = registry.counter({
    name: "throughline_model_tokens_total",
    help: "Tokens of model calls: input, output, cache_read, cache_write, reasoning.",
    labels: ["model", "kind"],
  });
  const cost = registry.counter({
    name: "throughline_model_cost_total",
    help: "Cost of model calls, in the unit of the price table.",
    labels: ["model"],
  });
  const asked = registry.histogram({ name: "throughline_model_call_seconds", help: "Duration of model calls.", labels: ["model"] });
  const tools = registry.counter({
    name: "throughline_tool_calls_total",
    help: "Tool calls by result: ok, error, blocked, skipped, unknown, waiting (for a decision), or failed.",
    labels: ["tool", "result"],
  });
  const called = registry.histogram({ name: "throughline_tool_call_seconds", help: "Duration of tool calls.", labels: ["tool"] });
  const levels = registry.counter({ name: "throughline_gate_levels_total", help: "Assessments of the gate by level.", labels: ["level"] });
  const recalled = registry.histogram({ name: "throughline_retrieval_seconds", help: "Duration of retrieval from memory." });

  /** Counts a turn. Its agent is known once it has begun. */
  function countTurn(
    { claim }: Extract<ObservedWork, { kind: "turn" }>,
    end: WorkEnd,
    agent: string,
    ms: { readonly wait: number; readonly ran: number },
  ): void {
    const { outcome } = end;
    turns.add({ agent, outcome: outcome?.status ?? (isLost(end.error) ? "lost" : "released") });
    if (isLost(end.error)) lost.add({});
    if (outcome?.status === "failed") errors.add({ agent, code: outcome.error.code });
    // A later attempt, or one after a pause, would count the time in which nothing ran.
    if (claim.turn.attempts > 1 || claim.turn.started_offset !== undefined) return;
    waited.observe({ agent }, ms.wait / 1000);
    if (end.first_ms !== undefined) first.observe({ agent }, (ms.wait + end.first_ms) / 1000);
    if (outcome?.status === "completed" || outcome?.status === "failed" || outcome?.status === "stopped")
      lasted.observe({ agent }, (ms.wait + ms.ran) / 1000);
  }

  const agents = new WeakMap<object, string>();
  return defineExtension({
    name: "metrics",
    background: ({ turns: counts }: ExtensionContext) => {
      const stop = registry.beforeText(() => {
        waiting.set({}, counts.waiting);
        running.set({}, counts.running);
      });
      return {
        start: () => {},
        look: () => Promise.resolve(),
        close: () => {
          stop();
          waiting.set({}, 0);
          running.set({}, 0);
          return Promise.resolve();
        },
      };
    },
    observe: async (work, next) => {
      const { clock } = "context" in work ? work.context : work.turn.runtime;
      const began = clock.monotonic();
      const seconds = (): number => (clock.monotonic() - began) / 1000;
      switch (work.kind) {
        case "turn": {
          const wait = Math.max(0, clock.now() - work.claim.turn.created_at);
          const end = await next();
          return countTurn(work, end, agents.get(work.claim) ?? "unknown", { wait, ran: seconds() * 1000 });
        }
        case "answer":
          agents.set(work.turn.claim, work.turn.agent.name);
          return next();
        case "model": {
          const model = work.model.name;
          const end = await next();
          asked.observe({ model }, seconds());
          calls.add({ model, result: end.finish_reason ?? errorTypeOf(end) ?? "none" });
          if (end.usage !== undefined)
            for (const [kind, count] of Object.entries(end.usage) as [string, number][]) tokens.add({ model, kind }, count);
          if (end.cost !== undefined) cost.add({ model }, end.cost);
          return undefined;
        }
        case "tool": {
          const end = await next();
          called.observe({ tool: work.name }, seconds());
          tools.add({ tool: work.name, result: end.error === undefined ? (end.result?.type ?? "waiting") : "failed" });
          return undefined;
        }
        case "guardrail": {
          const { level } = await next();
          if (level !== undefined) levels.add({ level: String(level) });
          return undefined;
        }
        case "retrieval":
          await next();
          return recalled.observe({}, seconds());
        default:
          return next();
      }
    },
  });
}

const isLost = (error: unknown): boolean => ThroughlineError.is(error, "turn.fenced", "turn.stopped", "session.manual");

/** Measures a store. Calls that wait for something to happen are left out: their duration says nothing of the database. */
function storeMetrics(registry: MetricRegistry): (store: Store) => Store {
  const took = registry.histogram({
    name: "throughline_store_seconds",
    help: "Duration of the store's calls, with the wait for a connection.",
    labels: ["operation"],
  });
  const failed = registry.counter({
    name: "throughline_store_errors_total",
    help: "Failed calls of the store by code.",
    labels: ["operation", "code"],
  });
  const commits = registry.counter({
    name: "throughline_commits_total",
    help: "Commits by result: committed, repeated, the reason of a refusal, or error.",
    labels: ["result"],
  });
  return (store) => {
    const measured = async <Result>(operation: string, call: () => Promise<Result>): Promise<Result> => {
      const began = systemClock.monotonic();
      try {
        return await call();
      } catch (error) {
        failed.add({ operation, code: ThroughlineError.from(error).code });
        throw error;
      } finally {
        took.observe({ operation }, (systemClock.monotonic() - began) / 1000);
      }
    };
    return {
      ...forwarding(store),
      open: (selector) => measured("open", () => store.open(selector)),
      load: (request) => measured("load", () => store.load(request)),
      read: (request) => measured("read", () => store.read(request)),
      list: (query) => measured("list", () => store.list(query)),
      appends: (request) => measured("appends", () => store.appends(request)),
      entries: (request) => measured("entries", () => store.entries(request)),
      claim: (request) => measured("claim", () => store.claim(request)),
      release: (request) => measured("release", () => store.release(request)),
      erase: (target) => measured("erase", () => store.erase(target)),
      writeDraft: (piece) => measured("write_draft", () => store.writeDraft(piece)),
      commit: async (commit) => {
        try {
          const result = await measured("commit", () => store.commit(commit));
          commits.add({ result: result.outcome === "refused" ? result.reason : result.replayed ? "repeated" : "committed" });
          return result;
        } catch (error) {
          commits.add({ result: "error" });
          throw error;
        }
      },
    };
  };
}
