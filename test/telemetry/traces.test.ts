/** Traces of turns by the real SDK: their spans, names, groups, versions and headers. */
import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  defineTool,
  hook,
  input,
  loop,
  reduced,
  scripted,
  stage,
  subagent,
  ThroughlineError,
  type Model,
  type ModelRequest,
} from "../../packages/throughline/src/index.ts";
import { defineExtension } from "../../packages/throughline/src/extension.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { telemetry } from "../../packages/throughline/src/telemetry.ts";
import { loadOtelApi } from "../../packages/throughline/src/telemetry/otel-api.ts";
import { code, emptyStore, started } from "../runtime/harness.ts";
import { gated } from "../runtime/safety/harness.ts";
import { idOf, parentOf, recordSpans, traceOf, type RecordedSpans } from "./harness.ts";

const State = defineState({ message: input(z.string()), note: reduced(z.string(), { initial: "" }) });

let recorded: RecordedSpans | undefined;
const spans = (): RecordedSpans => (recorded ??= recordSpans());
afterEach(async () => {
  await recorded?.end();
  recorded = undefined;
});

const look = defineTool({
  name: "look_up",
  description: "Looks up an order.",
  effects: "none",
  parameters: z.object({ order: z.string() }),
  execute: ({ order }, { traceHeaders }) => ({ order, traceparent: traceHeaders["traceparent"] ?? "none" }),
});

const aNumber: unknown = expect.any(Number);
const aString: unknown = expect.any(String);

const usage = { input: 10, output: 5, cache_read: 3, cache_write: 0, reasoning: 2 };

/** A model of a provider that calls the tool, and then answers. */
function clerk(seen: { request: ModelRequest; headers: Readonly<Record<string, string>> | undefined }[] = []): Model {
  return {
    name: "clerk",
    provider: "openai.responses",
    model: "gpt-9",
    async *stream(request, { headers }) {
      seen.push({ request, headers });
      if (request.messages.at(-1)?.role === "tool") {
        yield { type: "text_delta", text: "It is on its way." };
        yield { type: "finish", reason: "stop", usage };
        return;
      }
      yield { type: "tool_call", call: { call_id: "c", name: "look_up", arguments: { order: "17" } } };
      yield { type: "finish", reason: "tool_calls", usage };
    },
  };
}

const desk = (model: Model, more: object = {}) =>
  defineAgent({
    name: "desk",
    version: 3,
    state: State,
    stages: [stage("triage", { state: State, writes: ["note"] }, () => ({ note: "sorted" }))],
    reply: loop({ model, tools: [look], prices: { clerk: { input: 1, output: 2 } }, hooks: [hook("watch", { beforeModel: () => undefined })] }),
    ...more,
  });

describe("the spans of a turn", () => {
  it("are those of the agent, its stages, hooks, model calls and tools, each within the one that caused it", async () => {
    spans();
    const seen: { request: ModelRequest; headers: Readonly<Record<string, string>> | undefined }[] = [];
    const { sessions } = await started({ agents: [desk(clerk(seen))], extensions: [await telemetry()] });
    const session = await sessions.create({ agent: "desk" });
    const { turn_id } = await session.send("Where is order 17?");
    const accepted = spans().one("accept");
    const turn = spans().one("turn");
    const agent = spans().one("invoke_agent");
    expect(parentOf(accepted)).toBeUndefined();
    expect(parentOf(turn)).toBe(idOf(accepted));
    expect(parentOf(agent)).toBe(idOf(turn));
    const within = spans()
      .spans()
      .filter((span) => parentOf(span) === idOf(agent));
    expect(within.map(({ name }) => name)).toEqual(["stage triage", "hook watch", "chat gpt-9", "execute_tool look_up", "hook watch", "chat gpt-9"]);
    expect(new Set(spans().spans().map(traceOf)).size).toBe(1);
    expect(turn.name).toBe("turn desk");
    expect(turn.attributes).toMatchObject({
      "throughline.turn.id": turn_id,
      "throughline.turn.cause": "message",
      "throughline.turn.attempt": 1,
      "throughline.turn.outcome": "completed",
      "gen_ai.conversation.id": session.id,
      "session.id": session.id,
      "gen_ai.usage.input_tokens": 26,
      "gen_ai.usage.output_tokens": 14,
    });
    expect(agent.attributes).toMatchObject({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk", "gen_ai.agent.version": "3" });
    expect(spans().named("chat")[0]?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-9",
      "gen_ai.usage.input_tokens": 13,
      "gen_ai.usage.output_tokens": 7,
      "gen_ai.usage.cache_read.input_tokens": 3,
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "throughline.step": 1,
      "throughline.cost": aNumber,
    });
    expect(spans().one("execute_tool").attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look_up",
      "gen_ai.tool.call.id": aString,
      "throughline.tool.effects": "none",
      "throughline.tool.result": "ok",
    });
  });

  it("go on in the services that models and tools call", async () => {
    spans();
    const seen: { request: ModelRequest; headers: Readonly<Record<string, string>> | undefined }[] = [];
    const { sessions } = await started({ agents: [desk(clerk(seen))], extensions: [await telemetry()] });
    await (await sessions.create({ agent: "desk" })).send("Where is order 17?");
    const of = (name: string): string[] =>
      spans()
        .named(name)
        .map((span) => `00-${traceOf(span)}-${idOf(span)}-01`);
    expect(seen.map(({ headers }) => headers?.["traceparent"])).toEqual(of("chat"));
    expect(seen[1]?.request.messages.at(-1)?.text).toContain(of("execute_tool")[0]);
  });

  it("end with the code of an error, without its text", async () => {
    spans();
    const failing: Model = {
      name: "down",
      // eslint-disable-next-line require-yield
      async *stream() {
        throw new Error("the secret of Ada");
      },
    };
    const { sessions } = await started({ agents: [desk(failing)], extensions: [await telemetry()] });
    expect(await (await sessions.create({ agent: "desk" })).send("Hello")).toMatchObject({ status: "failed" });
    expect(spans().one("chat").attributes).toMatchObject({ "error.type": "model.failed" });
    expect(spans().one("turn").attributes).toMatchObject({ "error.type": "model.failed", "throughline.turn.outcome": "failed" });
    expect(spans().one("turn").status).toEqual({ code: 2 });
    expect(
      JSON.stringify(
        spans()
          .spans()
          .map(({ attributes, events, status, name }) => ({ attributes, events, status, name })),
      ),
    ).not.toContain("Ada");
  });

  it("of retrieval and guardrails tell what was found", async () => {
    spans();
    const watching = defineExtension({
      name: "watching",
      answer: async (turn, { draft, next }) => {
        await turn.observed(
          { kind: "guardrail", name: "watching" },
          () => Promise.resolve(2),
          (level) => ({ level }),
        );
        await turn.observed(
          { kind: "retrieval", name: "search_memory" },
          () => Promise.resolve(["a"]),
          ({ length }) => ({ found: length }),
        );
        return next(draft);
      },
    });
    const { sessions } = await started({ agents: [desk(clerk())], extensions: [await telemetry(), watching] });
    await (await sessions.create({ agent: "desk" })).send("Hello");
    expect(spans().one("apply_guardrail").attributes).toMatchObject({ "throughline.guardrail.name": "watching", "throughline.guardrail.level": 2 });
    expect(spans().one("search_memory").attributes).toMatchObject({ "gen_ai.operation.name": "search_memory", "throughline.retrieval.found": 1 });
  });
});

it("the nodes of a routine are visits under the turn with their calls, without what is in them", async () => {
  spans();
  const Routed = defineState({ message: input(z.string()), ...routineFields() });
  const sort = defineRoutine({
    ...{ id: "sort", title: "Sort", state: Routed, autonomous: true, input: z.object({ text: z.string() }), output: z.object({ kind: z.string() }) },
    nodes: {
      classify: { think: { instructions: "Classify.", output: z.object({ kind: z.string() }) }, next: "which" },
      which: { branch: {}, next: [{ to: "broken", when: ({ input: given }) => given.text === "broken" }, { to: "hold" }] },
      broken: { tool: { name: "nothing_there" }, next: "end" },
      hold: { wait: { event: "go" }, next: "emit" },
      emit: { emit_output: { output: ({ outputs }) => ({ kind: outputs.classify?.kind ?? "" }) } },
    },
  });
  const broken = defineTool({
    ...{ name: "nothing_there", description: "Fails.", parameters: z.object({}), effects: "none", retry: { tries: 1, backoffMs: 1 } },
    execute: () => {
      throw new Error("canary");
    },
  });
  const model = scripted(({ tools: [tool] }) =>
    tool === undefined ? "nothing" : { calls: [{ call_id: "1", name: tool.name, arguments: { kind: "canary" } }] },
  );
  const extension = routines({ routines: [sort], tools: [broken] });
  const agent = defineAgent({ name: "router", version: 1, state: Routed, extensions: [extension], reply: loop({ model }) });
  const runtime = await started({ agents: [agent], extensions: [await telemetry()] });
  const session = await runtime.sessions.create({ agent: "router" });
  const statusOf = (id: string) => expect.poll(async () => (await runtime.runs.get(id)).status, { timeout: 10_000 });
  const visits = () =>
    spans()
      .named("visit_node")
      .map(
        ({ name, attributes }) => `${name} ${String(attributes["throughline.routine.node.kind"])} ${String(attributes["throughline.routine.visit"])}`,
      );

  const run = await runtime.runs.start(sort, { text: "canary" }, { session_id: session.id });
  await statusOf(run.id).toBe("waiting");
  await expect.poll(() => spans().named("turn").length, { timeout: 10_000 }).toBe(1);
  expect(visits()).toEqual(["visit_node sort.classify think left", "visit_node sort.which branch left", "visit_node sort.hold wait waiting"]);
  expect(spans().named("visit_node").map(parentOf)).toEqual(Array(3).fill(idOf(spans().one("invoke_agent"))));
  expect(spans().named("visit_node")[0]?.attributes).toMatchObject({
    ...{ "throughline.routine": "sort", "throughline.routine.version": 1, "throughline.routine.node": "classify" },
    "gen_ai.conversation.id": session.id,
  });
  const [classify] = spans().named("visit_node");
  const [call] = spans().named("chat");
  expect(classify?.duration[1]).toBeGreaterThanOrEqual(call?.duration[1] ?? Infinity);

  await session.extension(extension).event("go");
  await statusOf(run.id).toBe("completed");
  await expect.poll(() => spans().named("turn").length, { timeout: 10_000 }).toBe(2);
  expect(visits().slice(3)).toEqual(["visit_node sort.hold wait left", "visit_node sort.emit emit_output left"]);

  await statusOf((await runtime.runs.start(sort, { text: "broken" }, { session_id: session.id })).id).toBe("failed");
  await expect.poll(() => spans().named("turn").length, { timeout: 10_000 }).toBe(3);
  expect(visits().slice(5)).toContain("visit_node sort.broken tool failed");
  const namesById = new Map(
    spans()
      .spans()
      .map((span) => [idOf(span), span.name]),
  );
  const calls = [...spans().named("chat"), ...spans().named("execute_tool")].map((span) => `${span.name} in ${namesById.get(parentOf(span) ?? "")}`);
  expect(new Set(calls)).toEqual(
    new Set([
      ...["chat scripted in visit_node sort.classify", "execute_tool sort__classify in visit_node sort.classify"],
      ...["execute_tool sort__emit in visit_node sort.emit", "execute_tool nothing_there in visit_node sort.broken"],
    ]),
  );
  expect(
    JSON.stringify(
      spans()
        .spans()
        .map(({ name, attributes, events }) => [name, attributes, events]),
    ),
  ).not.toContain("canary");
});

it("the safety gate is a guardrail, with the level that it found", async () => {
  spans();
  const { sessions } = await started({ agents: [gated().agent], extensions: [await telemetry()] });
  const session = await sessions.create({ agent: "companion" });
  await session.send("What is the weather like?");
  await session.send("I want to kill myself tonight");
  expect(
    spans()
      .named("apply_guardrail")
      .map(({ attributes }) => attributes["throughline.guardrail.level"]),
  ).toEqual([0, 3]);
  const [, answered] = spans().named("invoke_agent");
  expect(parentOf(spans().named("apply_guardrail")[1] ?? spans().one("none"))).toBe(answered === undefined ? "" : idOf(answered));
});

describe("M1: with a session_key", () => {
  it("every turn's trace is named and grouped by it", async () => {
    spans();
    const { sessions } = await started({ agents: [desk(clerk())], extensions: [await telemetry()] });
    const session = await sessions.create({ agent: "desk", metadata: { session_key: "TICKET-7" } });
    await session.send("one");
    await session.send("two");
    const roots = spans()
      .spans()
      .filter((span) => parentOf(span) === undefined);
    expect(roots.map(({ name }) => name)).toEqual(["TICKET-7", "TICKET-7"]);
    expect(new Set(roots.map(traceOf)).size).toBe(2);
    const turns = spans()
      .spans()
      .filter(({ attributes }) => attributes["throughline.turn.id"] !== undefined);
    expect(turns.map(({ name }) => name)).toEqual(["TICKET-7", "TICKET-7"]);
    expect(
      new Set(
        spans()
          .spans()
          .map(({ attributes }) => attributes["session.id"]),
      ),
    ).toEqual(new Set(["TICKET-7"]));
    expect(
      new Set(
        spans()
          .spans()
          .map(({ attributes }) => attributes["gen_ai.conversation.id"]),
      ),
    ).toEqual(new Set([session.id]));
  });
});

describe("M3: the snapshot of a turn", () => {
  it("has its versions and the names of its variables, and metadata only from the list", async () => {
    spans();
    const { sessions, customers } = await started({ agents: [desk(clerk())], extensions: [await telemetry({ metadata: ["tenant", "plan"] })] });
    await customers.create({ id: "ada", name: "Ada", variables: { tier: "gold" } });
    const session = await sessions.create({ agent: "desk", customer: "ada", metadata: { tenant: "t-1", secret: "s-1", plan: { size: 3 } } });
    await session.send("one");
    const { attributes } = spans().one("invoke_agent");
    expect(attributes).toMatchObject({
      "throughline.snapshot.head": aNumber,
      "throughline.snapshot.state": aNumber,
      "throughline.snapshot.owner": aNumber,
      "throughline.snapshot.variables": 1,
      "throughline.variables": ["tier"],
      "throughline.metadata.tenant": "t-1",
      "throughline.metadata.plan": '{"size":3}',
    });
    const all = JSON.stringify(
      spans()
        .spans()
        .map((span) => span.attributes),
    );
    for (const absent of ["s-1", "gold", "Ada"]) expect(all).not.toContain(absent);
  });
});

describe("content", () => {
  it("is recorded only where it is asked for, in the form of the conventions", async () => {
    spans();
    const { sessions } = await started({ agents: [desk(clerk())], extensions: [await telemetry({ content: true })] });
    await (await sessions.create({ agent: "desk" })).send("Where is order 17?");
    const [first, last] = spans().named("chat");
    expect(JSON.parse(String(first?.attributes["gen_ai.input.messages"]))).toEqual([
      { role: "user", parts: [{ type: "text", content: "Where is order 17?" }] },
    ]);
    expect(JSON.parse(String(last?.attributes["gen_ai.output.messages"]))).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "It is on its way." }], finish_reason: "stop" },
    ]);
    expect(spans().one("execute_tool").attributes).toMatchObject({ "gen_ai.tool.call.arguments": '{"order":"17"}' });
  });
});

describe("the trace of a message", () => {
  const caller = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 };

  it("continues that of the traceparent that came with it", async () => {
    spans();
    const { sessions } = await started({ agents: [desk(clerk())], extensions: [await telemetry()] });
    const session = await sessions.create({ agent: "desk" });
    await session.send("one", { traceparent: `00-${caller.traceId}-${caller.spanId}-01` });
    expect(spans().named("accept")).toEqual([]);
    const turn = spans().one("turn");
    expect([traceOf(turn), parentOf(turn)]).toEqual([caller.traceId, caller.spanId]);
    expect(turn.attributes["throughline.trace.id"]).toBe(caller.traceId);
    expect(await code(session.send("two", { traceparent: "00-nonsense" }))).toBe("input.invalid");
  });

  it("continues that of the program's active span", async () => {
    spans();
    const { sessions } = await started({ agents: [desk(clerk())], extensions: [await telemetry()] });
    const session = await sessions.create({ agent: "desk" });
    await context.with(trace.setSpanContext(ROOT_CONTEXT, caller), () => session.send("one"));
    expect(parentOf(spans().one("turn"))).toBe(caller.spanId);
  });

  it("is linked by the turn that answers it together with others, which leaves nothing of any of them in the database", async () => {
    spans();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow: Model = {
      name: "slow",
      async *stream() {
        begun.resolve();
        await go.promise;
        yield { type: "text_delta", text: "Hello." };
        yield { type: "finish", reason: "stop", usage };
      },
    };
    const { sessions, store } = await started({ agents: [desk(slow)], extensions: [await telemetry()] });
    const session = await sessions.create({ agent: "desk" });
    await session.post("one");
    await begun.promise;
    await session.post("two");
    const { offset } = await session.post("three");
    go.resolve();
    await session.outcome(offset);
    const [, second, third] = spans().named("accept");
    const [, answering] = spans().named("turn");
    expect(spans().named("turn")).toHaveLength(2);
    const both = [second, third].map((span) => (span === undefined ? "" : idOf(span)));
    const linked = answering?.links.map((link) => link.context.spanId) ?? [];
    expect(new Set([answering === undefined ? "" : parentOf(answering), ...linked])).toEqual(new Set(both));
    expect((await store.list({ of: "records", kind: "telemetry" })).items).toEqual([]);
  });

  it("leaves nothing in the database once the turn has ended", async () => {
    spans();
    const { sessions, store } = await started({ agents: [desk(clerk())], extensions: [await telemetry()] });
    await (await sessions.create({ agent: "desk" })).send("one");
    expect((await store.list({ of: "records", kind: "telemetry" })).items).toEqual([]);
  });

  it("holds the turns of child agents within the call of the parent", async () => {
    spans();
    const child = defineAgent({
      name: "finder",
      version: 1,
      state: defineState({ message: input(z.string()) }),
      reply: loop({ model: scripted(["Found."]) }),
    });
    const parent = defineAgent({
      name: "boss",
      version: 1,
      state: defineState({ message: input(z.string()) }),
      reply: loop({
        model: scripted([{ calls: [{ call_id: "1", name: "find", arguments: { task: "look" } }] }, "Done."]),
        tools: [
          subagent({ agent: child, name: "find", description: "Finds.", parameters: z.object({ task: z.string() }), prompt: ({ task }) => task }),
        ],
      }),
    });
    const { sessions } = await started({ agents: [parent], extensions: [await telemetry()] });
    await (await sessions.create({ agent: "boss", metadata: { session_key: "K-1" } })).send("go");
    const call = spans().one("execute_tool");
    const inner = spans()
      .spans()
      .find((span) => parentOf(span) === idOf(call));
    expect(inner?.attributes).toMatchObject({ "gen_ai.agent.name": "finder", "session.id": "K-1" });
    expect(call.attributes).toMatchObject({ "throughline.tool.agent": "finder" });
    expect(new Set(spans().spans().map(traceOf)).size).toBe(1);
  });
});

describe("without", () => {
  it("the package of the API, the error names it and how to install it", async () => {
    const missing = loadOtelApi(() => Promise.reject(new Error("Cannot find package")));
    await expect(missing).rejects.toMatchObject({ code: "package.missing" });
    await expect(missing).rejects.toThrow(/"@opentelemetry\/api"/);
    expect(await missing.catch((error: unknown) => ThroughlineError.is(error) && error.hint)).toContain("npm install @opentelemetry/api");
  });

  it("a registered SDK, turns run and nothing is written", async () => {
    const { sessions, store } = await started({ agents: [desk(clerk())], extensions: [await telemetry()] });
    expect(await (await sessions.create({ agent: "desk" })).send("one")).toMatchObject({ status: "completed" });
    expect((await store.list({ of: "records", kind: "telemetry" })).items).toEqual([]);
  });

  it("valid options, it is refused", async () => {
    for (const wrong of [{ metadata: "tenant" }, { content: "yes" }, { tracerProvider: {} }, { sample: 1 }])
      expect(await code(telemetry(wrong as never))).toBe("input.invalid");
  });
});

describe("a turn that goes on in another process", () => {
  it("links to the span that began it, once that is recorded with the turn's first commit", async () => {
    spans();
    const store = await emptyStore("memory");
    const begun = Promise.withResolvers<void>();
    let hangs = true;
    const slow = defineTool({
      name: "look_up",
      description: "Looks up an order.",
      effects: "idempotent",
      parameters: z.object({ order: z.string() }),
      execute: async ({ order }, { signal }) => {
        if (!hangs) return order;
        begun.resolve();
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("ended"))));
      },
    });
    const agent = desk(clerk(), { reply: loop({ model: clerk(), tools: [slow] }) });
    const before = await started({ store, agents: [agent], extensions: [await telemetry()] });
    const session = await before.sessions.create({ agent: "desk" });
    const { offset } = await session.post("Where is order 17?");
    await begun.promise;
    await before.close({ drainMs: 0 });
    const [first] = spans().named("turn");
    hangs = false;
    const after = await started({ store, agents: [agent], extensions: [await telemetry()] });
    expect(await (await after.sessions.get(session.id)).outcome(offset)).toMatchObject({ status: "completed" });
    await after.close();
    const [, second] = spans().named("turn");
    expect(second?.links.map(({ context: { spanId, traceId } }) => ({ spanId, traceId }))).toEqual([
      { spanId: first === undefined ? "" : idOf(first), traceId: first === undefined ? "" : traceOf(first) },
    ]);
    expect((await store.list({ of: "records", kind: "telemetry" })).items).toEqual([]);
  });

  it("links also where it waited for a decision", async () => {
    spans();
    const asking = defineTool({
      name: "look_up",
      description: "Looks up an order.",
      effects: "once",
      approval: true,
      parameters: z.object({ order: z.string() }),
      execute: ({ order }) => order,
    });
    const agent = desk(clerk(), { reply: loop({ model: clerk(), tools: [asking] }) });
    const { sessions } = await started({ agents: [agent], extensions: [await telemetry()] });
    const session = await sessions.create({ agent: "desk" });
    const result = await session.send("Where is order 17?");
    const [first] = spans().named("turn");
    expect(first?.attributes["throughline.turn.outcome"]).toBe("paused");
    const [call] = result.pending ?? [];
    if (call === undefined) throw new Error("nothing waits");
    await session.approve(call);
    await session.outcome(result.offset);
    const [, second] = spans().named("turn");
    expect(second?.links.map((link) => link.context.spanId)).toEqual([first === undefined ? "" : idOf(first)]);
  });
});
