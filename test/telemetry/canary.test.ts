/** A word is planted in everything that people, models, tools and integrations write. It appears in no span, no metric and no line of the log. */
import { expect, it } from "vitest";
import { inspect } from "node:util";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  defineTool,
  hook,
  input,
  loop,
  openStore,
  reduced,
  stage,
  variable,
  type Logger,
  type Model,
} from "../../packages/throughline/src/index.ts";
import { memory } from "../../packages/throughline/src/memory.ts";
import { createMetrics, telemetry } from "../../packages/throughline/src/telemetry.ts";
import { logLines } from "../../packages/server/src/cli/commands/service-commands.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { code, started } from "../runtime/harness.ts";
import { recordSpans } from "./harness.ts";

const canary = "quagmarinth";
const usage = { input: 10, output: 5, cache_read: 0, cache_write: 0, reasoning: 0 };
const State = defineState({ message: input(z.string()), note: reduced(z.string(), { initial: "" }) });

const tools = [
  defineTool({
    name: "find",
    description: `Finds ${canary}.`,
    effects: "none",
    parameters: z.object({ what: z.string() }),
    execute: ({ what }) => ({ what, found: `${canary} in the result` }),
  }),
  defineTool({
    name: "break",
    description: "Breaks.",
    effects: "once",
    parameters: z.object({ what: z.string() }),
    execute: ({ what }): string => {
      throw Object.assign(new Error(`${what} ${canary}`), { name: canary });
    },
  }),
];

/** Calls both tools, answers with the word, and then fails with it. */
const model: Model = {
  name: "m",
  async *stream({ messages }) {
    const last = messages.at(-1);
    if (last?.text.includes("fail") === true) throw new Error(`${canary} in an error`, { cause: new Error(canary) });
    if (last?.role === "tool") {
      yield { type: "text_delta", text: `I found ${canary}.` };
      yield { type: "finish", reason: "stop", usage };
      return;
    }
    for (const name of ["find", "break"]) yield { type: "tool_call", call: { call_id: name, name, arguments: { what: canary } } };
    yield { type: "finish", reason: "tool_calls", usage };
  },
};

it("nothing of what was written is in the telemetry", async () => {
  const recorded = recordSpans();
  const metrics = createMetrics();
  const lines: string[] = [];
  const logger: Logger = logLines((line) => lines.push(line), {
    level: "debug",
    format: "json",
    clock: systemClock,
    hide: (text) => text,
    thrown: false,
  });
  const agent = defineAgent({
    name: "desk",
    version: 1,
    state: State,
    memory: memory(),
    variables: [variable("plan", { refresh: () => Promise.reject(new Error(`${canary} in a variable`)) })],
    stages: [
      stage("triage", { state: State, writes: ["note"] }, ({ context }) => {
        if (context.messages.some(({ text }) => text.includes("stage"))) throw new Error(`${canary} in a stage`);
        return { note: canary };
      }),
    ],
    reply: loop({ model, tools, hooks: [hook("watch", { beforeModel: () => undefined, onError: () => undefined })] }),
  });
  const { sessions, customers } = await started({
    store: metrics.measured(await openStore(":memory:")),
    agents: [agent],
    extensions: [metrics, await telemetry({ metadata: ["tenant"] })],
    logger,
  });
  await customers.create({ id: canary, name: canary, variables: { word: canary }, metadata: { word: canary } });
  await customers
    .memory(canary)
    .remember({ quote: `my sister ${canary} plays the cello`, predicate: "KNOWS", object: { type: "Person", id: canary } });
  const session = await sessions.create({
    agent: "desk",
    customer: canary,
    title: canary,
    metadata: { secret: canary, external_id: canary, tenant: "t-1", session_key: "TICKET-7" },
  });
  const sent = { metadata: { word: canary } };
  await session.send(`Where is ${canary}?`, { ...sent, idempotencyKey: canary });
  await session.send(`fail ${canary}`, sent);
  await session.send(`break the stage ${canary}`, sent);
  await session.postCustom({ page: canary }, sent);
  expect(await code(session.send("x", { traceparent: canary }))).toBe("input.invalid");

  const spans = recorded.spans();
  expect(spans.length).toBeGreaterThan(15);
  for (const name of ["stage triage", "chat m", "execute_tool find", "execute_tool break", "search_memory", "variable plan", "hook watch"])
    expect(recorded.named(name).length, name).toBeGreaterThan(0);
  const shown = spans.map(({ name, attributes, events, links, status, resource }) =>
    inspect(
      { name, attributes, events, links, status, resource: resource.attributes },
      { depth: Infinity, maxStringLength: null, maxArrayLength: null },
    ),
  );
  expect(shown.filter((one) => one.includes(canary))).toEqual([]);
  expect(shown.some((one) => one.includes("t-1"))).toBe(true);
  expect(metrics.text()).not.toContain(canary);
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter((line) => line.includes(canary))).toEqual([]);
  await recorded.end();
});
