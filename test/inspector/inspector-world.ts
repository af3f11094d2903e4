/** A service with conversations for tests of the inspector, and a browser that reports what the page must not do. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { z } from "zod";
import {
  type Agent,
  counter,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  reduced,
  scripted,
  type Session,
  stage,
} from "../../packages/throughline/src/index.ts";
import { gate } from "../runtime/harness.ts";
import { emptyPostgresDatabase } from "../setup/database.ts";
import { openServer, type TestServer } from "../setup/server.ts";

const state = defineState({ message: input(z.string()), topic: reduced(z.string()), count: reduced(z.number(), { reduce: counter() }) });

/** What a test controls. */
export interface InspectorWorld extends TestServer {
  readonly agent: Agent;
  /** From now on, the model waits in the middle of a reply until the returned function is called. */
  hold(): () => void;
  /** A new session of a customer with these messages, each answered. */
  talk(customer: string, ...messages: readonly string[]): Promise<Session>;
  close(): Promise<void>;
}

/** Where the service keeps its sessions. */
export type WorldDatabase = "SQLite" | "PostgreSQL";

/** Starts a service that serves the inspector. The agent gets the `wait` of a scripted reply in two pieces, which can be held between them. */
export async function startWorld(database: WorldDatabase, agentWith: (waits: () => () => Promise<void>) => Agent): Promise<InspectorWorld> {
  let held: Promise<void> | undefined;
  let talks = 0;
  const agent = agentWith(() => {
    let pieces = 0;
    return async () => {
      pieces += 1;
      if (pieces === 2) await held;
    };
  });
  const folder = mkdtempSync(join(tmpdir(), "throughline-inspector-"));
  const location = database === "SQLite" ? join(folder, "store.db") : await emptyPostgresDatabase();
  const server = await openServer({ location, agents: [agent], inspector: true, runtime: { pollMs: 50 } });
  return {
    ...server,
    agent,
    hold() {
      const more = gate();
      held = more.opened;
      return () => {
        held = undefined;
        more.open();
      };
    },
    async talk(customer, ...messages) {
      const session = await server.runtime.sessions.open({ agent: agent.name, customer, key: `talk-${(talks += 1)}` });
      for (const message of messages) await session.send(message);
      return session;
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a service whose agent looks up the weather, pays after an approval, and repeats any other message. */
export function startInspected(database: WorldDatabase = "SQLite"): Promise<InspectorWorld> {
  const lookUp = defineTool({
    ...{ name: "look_up", description: "l", parameters: z.object({ of: z.string() }), effects: "none" },
    execute: ({ of }) => `${of}: 21 degrees`,
  });
  const pay = defineTool({
    ...{ name: "pay", description: "p", parameters: z.object({ amount: z.number() }), effects: "once", approval: true },
    execute: ({ amount }) => ({ paid: amount }),
  });
  return startWorld(database, (waits) => {
    const model = scripted(({ messages }) => {
      const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
      if (messages.at(-1)?.role === "tool") return { text: ["It is ", "warm."] };
      if (text === "pay") return { calls: [{ call_id: "", name: "pay", arguments: { amount: 5 } }] };
      if (text === "weather") return { calls: [{ call_id: "", name: "look_up", arguments: { of: "Rome" } }] };
      return { text: ["You said ", `${text}.`], wait: waits() };
    });
    return defineAgent({
      ...{ name: "desk", version: 1, state },
      stages: [stage("sort", { state, writes: ["topic", "count"] }, ({ state: { message } }) => ({ topic: message.slice(0, 200), count: 1 }))],
      reply: loop({ model, tools: [lookUp, pay] }),
    });
  });
}

/** A page of the inspector, with everything that it must not do. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the console, dialogs, and requests to other hosts. */
  readonly faults: string[];
  /** Requests to the service, as method and path. */
  readonly requests: string[];
}

/** Opens a page that is watched. */
export async function watchedPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    // The browser itself reports each refused request, such as those that the page expects.
    if (["error", "warning"].includes(message.type()) && !message.text().startsWith("Failed to load resource")) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const address = new URL(request.url());
    if (address.origin !== new URL(url).origin && address.protocol !== "data:") faults.push(`request to ${address.origin}`);
    requests.push(`${request.method()} ${address.pathname}`);
  });
  return { page, context, faults, requests };
}
