/** Metadata is the integration's alone: it is planted wherever it can be given, and looked for wherever an agent, a model, a reader of traces or of logs could meet it. */
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiSdk, type AiSdkCall } from "../../packages/throughline/src/ai.ts";
import {
  defineAgent,
  defineState,
  defineTool,
  exportSession,
  hook,
  importBundle,
  input,
  loop,
  openaiCompatible,
  openStore,
  persona,
  recentMessages,
  reduced,
  section,
  stage,
  stateFields,
  subagent,
  variable,
  variables,
  type Agent,
  type Event,
  type JsonObject,
  type Logger,
  type Model,
  type Session,
  type Tracer,
} from "../../packages/throughline/src/index.ts";
import { hookPoints } from "../../packages/throughline/src/runtime/hooks/points.ts";
import { choice, startProvider } from "../model/provider-server.ts";
import { collect, started } from "./harness.ts";

const canary = "c4nary";
const planted: JsonObject = { [`key_${canary}`]: `value ${canary}`, external_id: canary, session_key: canary };
const state = defineState({ message: input(z.string()), note: reduced(z.string(), { show: "output" }) });

/** Everything that any function was given, any model was sent, or anybody was told. */
class Watch {
  readonly seen: [where: string, what: string][] = [];
  note(where: string, what: unknown): void {
    this.seen.push([where, inspect(what, { depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null })]);
  }
  readonly tracer: Tracer = {
    span: (name, attributes, work) => {
      this.note("span", { name, attributes });
      return work();
    },
  };
  readonly logger: Logger = Object.fromEntries(
    ["debug", "info", "warn", "error"].map((level) => [level, (...line: unknown[]) => this.note("log", line)]),
  ) as unknown as Logger;
}

/** An agent with a function of every kind, each of which keeps what it was given. */
function watched(watch: Watch, model: Model): Agent {
  const keep =
    (where: string) =>
    (...given: unknown[]): undefined => {
      watch.note(where, given);
    };
  const all = [persona("Be kind."), variables, stateFields("known", ["note"] as never), section("watched", keep("section")), recentMessages];
  const bound = [
    variable("orders", { refresh: (context) => (watch.note("refresh", context), 1) }),
    variable("failing", { refresh: () => Number.NaN }),
  ];
  const hooks = hookPoints.map((point) => hook(`h-${point}`, { [point]: keep(`hook ${point}`) }));
  const child = defineAgent({ name: "child", version: 1, state, sections: all, variables: bound, reply: loop({ model, hooks }) });
  const look = defineTool({
    name: "look",
    description: "Looks.",
    parameters: z.object({}),
    execute: (args, context) => (watch.note("tool", [args, context]), "seen"),
  });
  const tools = [look, subagent({ agent: child, name: "ask_child", description: "Asks.", state })];
  const stages = [stage("watched", { state, writes: [] }, keep("stage"))];
  return defineAgent({ name: "desk", version: 1, state, stages, sections: all, variables: bound, reply: loop({ model, tools, hooks }) });
}

/** A service that asks for both tools first, and answers then. */
async function provider(watch: Watch) {
  const served = await startProvider((reply) => {
    watch.note("request", [reply.asked.body, reply.asked.headers]);
    const asks = reply.asked.body.messages.at(-1)?.["role"] === "user" && JSON.stringify(reply.asked.body["tools"] ?? "").includes("ask_child");
    if (asks) {
      const call = (index: number, name: string, args: string) => ({ index, id: `c${index}`, type: "function", function: { name, arguments: args } });
      reply.send(choice({ tool_calls: [call(0, "look", "{}"), call(1, "ask_child", '{"prompt":"what is new?"}')] }));
      reply.finish("tool_calls");
    } else {
      reply.text("Well, ", "well.");
      reply.finish();
    }
  });
  return openaiCompatible({ baseURL: served.baseURL, model: "m-1" });
}

/** The same over a language model of the AI SDK. */
function sdkModel(watch: Watch): Model {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  return aiSdk({
    specificationVersion: "v4",
    provider: "mock.chat",
    modelId: "m-1",
    doStream: async (call: AiSdkCall) => {
      const { abortSignal: _signal, ...asked } = call;
      watch.note("request", asked);
      const prompt = asked.prompt as readonly { readonly role: string }[];
      const asks = prompt.at(-1)?.role === "user" && JSON.stringify(asked.tools ?? "").includes("ask_child");
      const tool = (toolCallId: string, toolName: string, given: string) => ({ type: "tool-call", toolCallId, toolName, input: given });
      const said = [
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "Well." },
        { type: "text-end", id: "1" },
      ];
      const parts = asks ? [tool("a", "look", "{}"), tool("b", "ask_child", '{"prompt":"what is new?"}')] : said;
      const reason = { unified: asks ? "tool-calls" : "stop", raw: "raw" };
      return { stream: ReadableStream.from([...parts, { type: "finish", usage, finishReason: reason }]) };
    },
  } as never);
}

/** What of an event is not the integration's own. */
const shownOf = ({ metadata: _own, ...event }: Event): unknown => event;

/** Plants it on customer, session, fork and every kind of event that takes it, and lets all of it be answered. */
async function plantAndTalk(watch: Watch, model: Model): Promise<void> {
  const agent = watched(watch, model);
  const { sessions, customers, store } = await started({ agents: [agent], tracer: watch.tracer, logger: watch.logger });
  await customers.create({ id: "c1", name: "Ada", metadata: planted, variables: { tier: "gold" } });
  const session = await sessions.create({ agent: "desk", customer: "c1", metadata: planted, title: "t", labels: ["l"] });
  const reading = new AbortController();
  const drafts = (async () => {
    for await (const item of session.live({ signal: reading.signal })) watch.note("stream", "kind" in item ? shownOf(item) : item);
  })().catch(() => {});
  await session.setMetadata({ set: { more: canary } });
  await customers.setMetadata("c1", { set: { more: canary } });
  await session.postCustom({ page: 1 }, { metadata: planted });
  await session.postOperator("Ann here.", { name: "Ann", metadata: planted });
  await session.edit({ note: "by hand" }, { metadata: planted });
  const result = await session.send("hi", { metadata: planted });
  expect(result).toMatchObject({ status: "completed" });
  watch.note("result", result);
  const fork = await session.fork({ metadata: planted });
  await fork.send("and now?", { metadata: planted });
  const moved = await openStore(":memory:");
  await importBundle(moved, exportSession(store, session.id), { keepIds: true });
  const elsewhere = await started({ store: moved, agents: [agent], tracer: watch.tracer, logger: watch.logger });
  const imported = await elsewhere.sessions.get(session.id);
  expect((await imported.info()).metadata.values).toMatchObject(planted);
  await imported.send("still there?", { metadata: planted });
  for (const one of [session, fork, imported, ...(await childrenOf(sessions))])
    for (const event of await collect(one)) watch.note("event", shownOf(event));
  reading.abort();
  await drafts;
}

async function childrenOf(sessions: { list(filter: object): Promise<{ items: readonly { id: string }[] }>; get(id: string): Promise<Session> }) {
  const { items } = await sessions.list({ labels: ["subagent"] });
  return Promise.all(items.map(({ id }) => sessions.get(id)));
}

describe("metadata", () => {
  it.each(["a service of chat completions", "a model of the AI SDK"])("reaches nobody but the integration, over %s", async (kind) => {
    const watch = new Watch();
    await plantAndTalk(watch, kind.startsWith("a service") ? await provider(watch) : sdkModel(watch));
    const places = new Set(watch.seen.map(([where]) => where));
    const wanted = ["section", "stage", "tool", "refresh", "request", "span", "log", "stream", "event", "result"];
    expect([...places]).toEqual(expect.arrayContaining([...wanted, "hook beforeModel", "hook afterTool", "hook afterExecution"]));
    // What everybody may know is there, so whatever else is there would be found as well.
    expect(watch.seen.filter(([where, what]) => where === "request" && what.includes("gold")).length).toBeGreaterThan(2);
    expect(watch.seen.filter(([, what]) => what.includes(canary))).toEqual([]);
  });
});
