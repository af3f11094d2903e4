/** A chat for browser tests: an agent whose model and tool wait where a test says, behind a server whose connections a test can cut. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  type Agent,
  type Runtime,
  type Session,
} from "../../packages/throughline/src/index.ts";
import { gate } from "../runtime/harness.ts";

/** What a test controls. */
export interface ChatWorld {
  readonly agent: Agent;
  readonly runtime: Runtime;
  /** From now on, models wait before the second piece and tools before their result, until the returned function is called. */
  hold(): () => void;
  session(id: string): Promise<Session>;
}

export async function startWorld(): Promise<ChatWorld & { close(): Promise<void> }> {
  let held: Promise<void> | undefined;
  const lookUp = defineTool({
    ...{ name: "look_up", description: "l", parameters: z.object({ of: z.string() }), effects: "none" },
    execute: async ({ of }) => {
      await held;
      return `${of}: 21`;
    },
  });
  const refund = defineTool({
    ...{ name: "refund", description: "r", parameters: z.object({ amount: z.number() }), effects: "once", approval: true },
    execute: ({ amount }) => `paid ${amount}`,
  });
  const model = scripted(({ messages }) => {
    const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
    if (messages.at(-1)?.role === "tool") return { text: ["It ", "is done."] };
    if (text === "fail") throw new Error("the key of the provider is wrong");
    if (text === "look_up") return { calls: [{ call_id: "", name: "look_up", arguments: { of: "Rome" } }] };
    if (text === "refund") return { calls: [{ call_id: "", name: "refund", arguments: { amount: 5 } }] };
    let pieces = 0;
    const wait = async (): Promise<void> => {
      pieces += 1;
      if (pieces === 2) await held;
    };
    return { text: ["One ", `two ${text}.`], wait };
  });
  const state = defineState({ message: input(z.string()), tone: input(z.string().default("plain")), topic: reduced(z.string()) });
  const agent = defineAgent({
    ...{ name: "a1", version: 1, state, apology: { failed: "Sorry, that did not work." } },
    stages: [stage("sort", { state, writes: ["topic"] }, ({ state: { message } }) => ({ topic: message.slice(0, 50) }))],
    reply: loop({ model, tools: [lookUp, refund] }),
  });
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [agent], pollMs: 50 });
  return {
    ...{ agent, runtime },
    hold() {
      const more = gate();
      held = more.opened;
      return () => {
        held = undefined;
        more.open();
      };
    },
    session: (id) => runtime.sessions.open({ agent: "a1", customer: "ada", key: id }),
    async close() {
      await runtime.close({ drainMs: 0 });
      await store.close();
    },
  };
}

/** A server of a page and the routes that it calls. */
export interface PageServer {
  readonly url: string;
  /** Cuts all connections. */
  cut(): void;
  close(): Promise<void>;
}

/** Serves a page with its script, and everything below `/api` or `/v1` by a listener. */
export async function servePage(script: string, listener: RequestListener): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (/^\/(api|v1)\//.test(pathname)) return listener(request, response);
    if (pathname === "/page.js") return void response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    const page = `<!doctype html><html lang="en"><title>Chat</title><div id="root"></div><script type="module" src="/page.js"></script></html>`;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
