/** Services for tests: on a real port, over a real database. */
import { onTestFinished } from "vitest";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import type { Clock } from "../../packages/throughline/src/kernel/clock.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import type { Agent } from "../../packages/throughline/src/runtime/agent/agent.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { createRuntime, type Runtime } from "../../packages/throughline/src/create-runtime.ts";
import type { RuntimeOptions } from "../../packages/throughline/src/runtime/runtime.ts";
import { createServer, type ServerOptions, type ThroughlineServer } from "../../packages/server/src/server/create-server.ts";
import { recentMessages } from "../../packages/throughline/src/context/section.ts";
import { rules } from "../../packages/throughline/src/model/scripted.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input } from "../../packages/throughline/src/state/field.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { z } from "zod";
import { breachOf } from "./contract.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres } from "./database.ts";

/** The databases that a service is tested on. */
export const databases: readonly ("SQLite" | "PostgreSQL")[] = noPostgres === undefined ? ["SQLite", "PostgreSQL"] : ["SQLite"];

/** Where a new database is, removed when the test ends. */
export const newLocation = async (database: "SQLite" | "PostgreSQL"): Promise<string> =>
  database === "SQLite" ? newSqliteFile() : newPostgresDatabase();

/** An agent that answers a message m with `re:m`. */
export const echo: Agent = defineAgent({
  name: "a1",
  version: 1,
  state: defineState({ message: input(z.string()) }),
  stages: [],
  reply: loop({ model: rules([({ text }) => `re:${text}`]) }),
  sections: [recentMessages],
});

/** What an answer was. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if there is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what it expects
  readonly body: any;
}

/** A service that listens. */
export interface TestServer {
  readonly url: string;
  readonly server: ThroughlineServer;
  readonly runtime: Runtime;
  readonly store: Store;
  /** Sends a request; a body that is an object goes as JSON. */
  readonly request: (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answered>;
}

/** Options of a service for a test: over `location` (memory if left out), or a store that is open. */
export interface TestServerOptions extends Partial<Omit<ServerOptions, "runtime" | "store" | "agents">> {
  readonly location?: string;
  readonly store?: Store;
  readonly agents?: readonly Agent[];
  readonly clock?: Clock;
  readonly runtime?: Partial<RuntimeOptions>;
}

/** Starts a service on a free port, with a worker of its own; it is closed when the test ends. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { close, ...started } = await openServer(options);
  onTestFinished(close);
  return started;
}

/** The same for several tests, which close it after the last. */
export async function openServer(options: TestServerOptions = {}): Promise<TestServer & { readonly close: () => Promise<void> }> {
  const { location = ":memory:", agents = [echo], clock, runtime: settings, store: given, ...rest } = options;
  const timed = clock === undefined ? {} : { clock, ids: createIds({ clock }) };
  const store = given ?? (await openStore(location));
  const runtime = await createRuntime({ store, agents, pollMs: 200, ...timed, ...settings });
  const server = await createServer({ runtime, agents, port: 0, ...timed, ...rest });
  const { url } = await server.listen();
  const close = async (): Promise<void> => {
    await server.close({ drainMs: 500 });
    await runtime.close({ drainMs: 500 });
    if (given === undefined) await store.close();
  };
  return { url, server, runtime, store, close, request: (method, path, body, headers) => send(url, method, path, body, headers) };
}

/** Sends one request and reads its answer, which must be one that the service's description promises. */
export async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const json = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(json === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(json === undefined ? {} : { body: json }),
  });
  const text = await response.text();
  const breach = breachOf({ method, path, status: response.status, headers: response.headers, text });
  if (breach !== undefined) throw new Error(breach);
  const isJson = /json/.test(response.headers.get("content-type") ?? "") && !/ndjson/.test(response.headers.get("content-type") ?? "");
  const parsed: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body: parsed };
}
