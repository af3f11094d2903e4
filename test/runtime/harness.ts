import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  ThroughlineError,
  type Agent,
  type Draft,
  type Event,
  type Runtime,
  type RuntimeOptions,
  type Session,
  type Store,
  type TraceId,
} from "../../packages/throughline/src/index.ts";

/** A model that answers `m` with `re:m`. */
export const echo = (): ReturnType<typeof scripted> =>
  scripted((request) => `re:${request.messages.findLast((message) => message.role === "user")?.text ?? ""}`);

export const echoState = defineState({ message: input(z.string()), count: reduced(z.number()), seen: reduced(z.array(z.string())) });

/** The agent that the cases call a1. */
export const echoAgent = (options: { readonly model?: ReturnType<typeof scripted>; readonly name?: string } = {}): Agent =>
  defineAgent({ name: options.name ?? "a1", version: 1, state: echoState, reply: loop({ model: options.model ?? echo() }) });

/** An empty store of a kind, closed and removed when the test ends. */
export async function emptyStore(kind: "memory" | "sqlite"): Promise<Store> {
  if (kind === "memory") return openStore(":memory:");
  const folder = await mkdtemp(join(tmpdir(), "throughline-"));
  const store = await openStore(join(folder, "test.db"));
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

/** A runtime over an empty store with agent a1, closed when the test ends. */
export async function started(
  options: Partial<RuntimeOptions> & { readonly kind?: "memory" | "sqlite" } = {},
): Promise<Runtime & { readonly store: Store }> {
  const { kind = "memory", store = await emptyStore(kind), agents = [echoAgent()], ...rest } = options;
  const runtime = await createRuntime({ store, agents, leaseMs: 500, heartbeatMs: 100, pollMs: 50, ...rest });
  onTestFinished(() => runtime.close({ drainMs: 0 }));
  return { ...runtime, store };
}

/** A runtime over a store that others may use too; a store that is opened here is closed when the test ends. */
export async function runtimeOver(location: string | Store, agent: Agent, work = true): Promise<{ runtime: Runtime; store: Store }> {
  const store = typeof location === "string" ? await openStore(location) : location;
  const runtime = await createRuntime({ store, agents: [agent], leaseMs: 500, heartbeatMs: 100, pollMs: 50, work });
  onTestFinished(async () => {
    await runtime.close({ drainMs: 0 });
    if (typeof location === "string") await store.close();
  });
  return { runtime, store };
}

export async function collect(session: Session, filter: Parameters<Session["events"]>[0] = {}): Promise<readonly Event[]> {
  return Array.fromAsync(session.events({ follow: false, ...filter }));
}

/** One short word for each event, such as `customer:hi`, `status:ready`, `turn:ended`. */
export const outline = (events: readonly Event[]): readonly string[] =>
  events.map((event) => {
    switch (event.kind) {
      case "message":
        return `${event.source === "customer" ? "customer" : event.source === "ai_agent" ? "agent" : event.source}:${event.data.parts.map((part) => (part.type === "text" ? part.text : "")).join("")}`;
      case "status":
        return `status:${event.data.status}`;
      case "turn":
      case "session":
        return `${event.kind}:${event.data.type}`;
      default:
        return event.kind;
    }
  });

/** What a draft shows: its text, the name of a tool, or why it is over. */
export const wordOf = (draft: Draft): string =>
  draft.type === "draft.delta" ? draft.text : draft.type === "tool.started" ? draft.name : draft.reason;

/** A promise and how to settle it. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

export const trace = (digit: string): TraceId => digit.repeat(32) as TraceId;

/** Resolves once the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** The code of the error that the work ends with. */
export async function code(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return ThroughlineError.is(error) ? error.code : `no ThroughlineError: ${String(error)}`;
}
