/** Whole turns with tools, and a provider that fails in every way that providers do: typed outcomes, no hang, and nothing that was done is lost. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineTool,
  loop,
  openaiCompatible,
  type Event,
  type JsonObject,
  type LoopOptions,
  type Session,
  type TurnResult,
} from "../../../packages/throughline/src/index.ts";
import type { OpenaiCompatibleOptions } from "../../../packages/throughline/src/model.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { stepIdOf } from "../../../packages/throughline/src/kernel/id.ts";
import { openStepOf } from "../../../packages/throughline/src/runtime/loop/record.ts";
import { answers, choice, startProvider, type Provider, type Script } from "../../model/provider-server.ts";
import { collect, started } from "../harness.ts";
import { callsIn, toolState } from "./harness.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** A reply that calls tools, with arguments as they are on the wire. */
const asks =
  (...calls: readonly (readonly [name: string, args: string, id?: string])[]): Script =>
  (reply) => {
    reply.send(
      ...calls.map(([name, args, id], index) =>
        choice({ tool_calls: [{ index, ...(id === undefined ? {} : { id }), function: { name, arguments: args } }] }),
      ),
    );
    reply.finish("tool_calls", usage);
  };
const saves = asks(["save", `{"text":"one"}`, "a"]);
const done = answers("Done.");
const half = (reply: Parameters<Script>[0]): void => reply.text("half ", "an answer ");

interface Ran {
  readonly session: Session;
  readonly provider: Provider;
  readonly result: TurnResult;
  readonly events: readonly Event[];
  readonly saved: readonly string[];
  readonly drafts: readonly string[];
}

interface Given {
  readonly budget?: Parameters<typeof defineAgent<typeof toolState>>[0]["budget"];
  readonly loop?: Partial<LoopOptions>;
  readonly model?: Partial<OpenaiCompatibleOptions>;
  /** A script that hangs, and how many milliseconds pass once it does. */
  readonly hangs?: { readonly script: Script; readonly ms: number };
}

/** One turn of an agent that can save, with a provider that plays the scripts. For the model no time passes but that of scripts which hang. */
async function turnWith(scripts: readonly Script[], { budget = { steps: 6 }, loop: options = {}, model = {}, hangs }: Given = {}): Promise<Ran> {
  const clock = fixedClock();
  const pass = (): void => clock.advance(hangs?.ms ?? 0);
  // A script that shows half an answer hangs once the half has arrived, any other one at once.
  const played = scripts.map((script): Script =>
    script === half || script !== hangs?.script ? script : async (...on) => (await script(...on), pass()),
  );
  const provider = await startProvider(...played);
  const saved: string[] = [];
  const save = defineTool({
    name: "save",
    description: "Saves.",
    parameters: z.object({ text: z.string() }),
    effects: "once",
    outputsToState: { docs: { source: "saved" } },
    execute: ({ text }) => {
      saved.push(text);
      return { saved: [text.slice(0, 20)] };
    },
  });
  const asked = openaiCompatible({ baseURL: provider.baseURL, model: "m-1", retries: 0, clock, ...model });
  const agent = defineAgent({
    name: "a1",
    version: 1,
    state: toolState,
    apology: "Sorry.",
    budget,
    reply: loop({ model: asked, tools: [save], ...options }),
  });
  const runtime = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "a1" });
  const drafts: string[] = [];
  const watching = (async () => {
    for await (const item of session.live()) {
      if ("type" in item) drafts.push(item.type === "draft.delta" ? item.text : item.type);
      if (hangs?.script === half && drafts.at(-1) === "an answer ") pass();
      if ("kind" in item && item.kind === "turn" && item.data.type === "ended") return;
    }
  })();
  const result = await session.send("please save");
  await watching;
  return { session, provider, result, events: await collect(session), saved, drafts };
}

const turnEvents = (events: readonly Event[], type: string): readonly JsonObject[] =>
  events.flatMap((event) => (event.kind === "turn" && event.data.type === type ? [event.data as unknown as JsonObject] : []));
const resultsIn = (provider: Provider): readonly string[] =>
  (provider.asked.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => (typeof content === "string" ? content : ""));

describe("a provider that fails after a step", () => {
  type Case = [name: string, script: Script, code: string, options?: Partial<OpenaiCompatibleOptions>, hangsMs?: number];
  const silent: Script = (reply) => reply.open();
  const cases: Case[] = [
    ["does not begin to answer", () => {}, "model.failed", { firstByteMs: 40_000 }, 40_000],
    ["opens a stream and says nothing", silent, "model.failed", { firstByteMs: 40_000 }, 40_000],
    ["stops in the middle of a text", half, "model.failed", { stallMs: 20_000 }, 20_000],
    ["takes longer than a call may", half, "model.failed", { timeoutMs: 40_000, stallMs: 80_000 }, 40_000],
    ["refuses with 429 and Retry-After", (reply) => reply.refuse(429, {}, { "retry-after-ms": "60" }), "model.failed"],
    ["refuses with 500", (reply) => reply.refuse(500), "model.failed"],
    ["refuses with 503 and no JSON", (reply) => reply.refuse(503, "<html>"), "model.failed"],
    ["is cut after a text", (reply) => (half(reply), reply.end()), "model.invalid_response"],
    ["is destroyed after a text", async (reply) => (half(reply), await reply.pause(20), reply.cut()), "model.invalid_response"],
    [
      "is cut in the middle of a call",
      (reply) => (reply.send(choice({ tool_calls: [{ index: 0, id: "b", function: { name: "save", arguments: `{"te` } }] })), reply.end()),
      "model.invalid_response",
    ],
    ["tells of an error in its stream", (reply) => (reply.send({ error: { code: 500, message: "no" } }), reply.end()), "model.failed"],
    ["sends what is no JSON", (reply) => (reply.raw("data: <html>\n\n"), reply.end()), "model.invalid_response"],
  ];

  test.each<Case>(cases)("that %s fails the turn by its code, and keeps the step", async (_name, script, code, model = {}, ms = 0) => {
    const { result, events, saved, drafts } = await turnWith([saves, script], { model, hangs: { script, ms } });
    expect(result).toMatchObject({ status: "failed", error: { code }, diagnostics: { tool_calls: { save: 1 } } });
    expect(saved).toEqual(["one"]);
    expect(callsIn(events)).toEqual(["called save", "returned save ok"]);
    expect(turnEvents(events, "step")).toMatchObject([{ step_id: "stp_1", usage: { input: 10, output: 5 }, finish_reason: "tool_calls" }]);
    expect(events.some(({ kind, data }) => kind === "state" && JSON.stringify(data).includes("one"))).toBe(true);
    // Half an answer that somebody has seen is taken back.
    if (drafts.includes("half ")) expect(drafts).toEqual(["half ", "an answer ", "draft.reset"]);
  });

  const again = cases.filter(([name]) => /stops|429|503|is cut/.test(name));
  test.each<Case>(again)(
    "that %s is asked again as often as the budget says, and the turn completes",
    async (_name, script, code, model = {}, ms = 0) => {
      const given = { model, budget: { steps: 6, attempts: 3 }, hangs: { script, ms } };
      const { result, events, saved, drafts, provider } = await turnWith([saves, script, script, done], given);
      expect(result).toMatchObject({ status: "completed", reply: "Done.", diagnostics: { steps: 2 } });
      expect(saved).toEqual(["one"]);
      expect(provider.asked.length).toBe(4);
      expect(turnEvents(events, "attempt")).toMatchObject([
        { step_id: "stp_2", error: { code } },
        { step_id: "stp_2", error: { code } },
      ]);
      // Each half that was shown is taken back before the next one begins.
      if (drafts.includes("half "))
        expect(drafts.filter((draft) => draft !== "an answer ")).toEqual(["half ", "draft.reset", "half ", "draft.reset", "Done.", "draft.reset"]);
    },
  );

  test("is not asked more often than the budget says", async () => {
    const { result, events, provider } = await turnWith([saves, (reply) => reply.refuse(500)], { budget: { steps: 6, attempts: 2 } });
    expect(result).toMatchObject({ status: "stopped", reason: "attempts_limit" });
    expect(turnEvents(events, "attempt").length).toBe(2);
    expect(provider.asked.length).toBe(3);
  });

  test("and asks to be left alone for an hour is not asked again", async () => {
    const { result, provider } = await turnWith([(reply) => reply.refuse(429, {}, { "retry-after": "3600" })], { budget: { steps: 6, attempts: 5 } });
    expect(result).toMatchObject({ status: "failed", error: { code: "model.failed", details: { retry_after_ms: 3_600_000 } } });
    expect(provider.asked.length).toBe(1);
  });
});

describe("a call that nobody can run is answered, and the model corrects itself", () => {
  const long = "x".repeat(5_000);
  test.each<readonly [name: string, script: Script, code: string, seen: string]>([
    ["malformed JSON", asks(["save", `{"text": "one`, "b"]), "tool.arguments_invalid", "must be one JSON object"],
    ["JSON with something after it", asks(["save", `{"text":"a"}{"text":"b"}`, "b"]), "tool.arguments_invalid", "one JSON object"],
    ["a list", asks(["save", `["one"]`, "b"]), "tool.arguments_invalid", "one JSON object"],
    ["a string", asks(["save", `"one"`, "b"]), "tool.arguments_invalid", "one JSON object"],
    ["a number", asks(["save", "7", "b"]), "tool.arguments_invalid", "one JSON object"],
    ["null", asks(["save", "null", "b"]), "tool.arguments_invalid", "one JSON object"],
    ["much that is no JSON", asks(["save", long, "b"]), "tool.arguments_invalid", "..."],
    ["nothing", asks(["save", "", "b"]), "tool.arguments_invalid", "/text"],
    ["another type", asks(["save", `{"text":1}`, "b"]), "tool.arguments_invalid", "/text"],
    ["an unknown tool", asks(["sav", "{}", "b"]), "tool.not_found", `Did you mean "save"`],
    ["a tool with a strange name", asks([`sa ve";--\n∞`, "{}", "b"]), "tool.not_found", "save"],
    ["a tool with a very long name", asks([long, "{}", "b"]), "tool.not_found", "save"],
    ["a tool that is named like a member of every object", asks(["__proto__", "{}", "b"]), "tool.not_found", "save"],
  ])("%s", async (_name, script, code, seen) => {
    const { result, saved, provider, events } = await turnWith([script, saves, done]);
    expect(result).toMatchObject({ status: "completed", reply: "Done.", diagnostics: { steps: 3 } });
    expect(saved).toEqual(["one"]);
    const [told = ""] = resultsIn(provider);
    expect(told).toContain(code);
    expect((JSON.parse(told) as { error: { message: string } }).error.message).toContain(seen);
    expect(told.length).toBeLessThan(1_000);
    // Services refuse names and arguments that are not what they expect.
    const [again] = (provider.asked[1]?.body.messages ?? []).flatMap(({ tool_calls }) => (tool_calls ?? []) as readonly JsonObject[]);
    const { name, arguments: args } = (again?.["function"] ?? {}) as { name: string; arguments: string };
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(JSON.parse(args)).toBeTypeOf("object");
    expect(callsIn(events).at(-1)).toBe("returned save ok");
  });

  test("and is on record as what it was, so that it is not run without arguments after a crash", async () => {
    const { events } = await turnWith([asks(["save", "{", "b"]), done]);
    const [asked] = events.flatMap((event) => (event.kind === "message" ? (event.data.calls ?? []) : []));
    expect(asked).toEqual({ call_id: "call_1_1_1", name: "save", arguments: {}, malformed: "{" });
    const data = { type: "step", step_id: stepIdOf(1), usage: {}, finish_reason: "tool_calls", ms: 1 } as const;
    const calls = asked === undefined ? [] : [{ call: asked, merged: false, suspended: false }];
    expect(openStepOf({ data, ended_at: 1, text: "", calls }, 1).calls).toMatchObject([
      { result: { type: "error", error: { code: "tool.arguments_invalid" } }, recorded: false },
    ]);
  });
});

describe("a reply that is unusual", () => {
  test("text together with calls: the text is work, shown and taken back", async () => {
    const { result, drafts, saved } = await turnWith([
      async (reply) => {
        reply.text("I will save. ");
        await reply.pause(20);
        await saves(reply, 0);
      },
      done,
    ]);
    expect(result).toMatchObject({ status: "completed", reply: "Done." });
    expect(saved).toEqual(["one"]);
    expect(drafts.join(" ")).toContain("I will save.");
  });

  test("50 calls in one reply all run, at most 4 at a time, in their order", async () => {
    const calls = Array.from({ length: 50 }, (_, index) => ["save", JSON.stringify({ text: `t${index}` }), `c${index}`] as const);
    const { result, saved, session } = await turnWith([asks(...calls), done]);
    expect(result).toMatchObject({ status: "completed", diagnostics: { tool_calls: { save: 50 } } });
    expect(saved.length).toBe(50);
    const { document } = await session.state();
    expect(document["docs"]).toEqual(calls.map((_, index) => `t${index}`));
  });

  test.each<readonly [string, Script]>([
    ["the same id", asks(["save", `{"text":"a"}`, "x"], ["save", `{"text":"b"}`, "x"])],
    ["no ids", asks(["save", `{"text":"a"}`], ["save", `{"text":"b"}`])],
  ])("calls with %s are two calls with two results", async (_name, script) => {
    const { saved, provider } = await turnWith([script, done]);
    expect(saved).toEqual(["a", "b"]);
    const told = (provider.asked[1]?.body.messages ?? []).filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id);
    expect(new Set(told).size).toBe(2);
  });

  test("arguments of 5 MB arrive whole", async () => {
    const { saved, result } = await turnWith([asks(["save", JSON.stringify({ text: "x".repeat(5_000_000) }), "a"]), done]);
    expect(result).toMatchObject({ status: "completed" });
    expect(saved.map(({ length }) => length)).toEqual([5_000_000]);
  });

  test.each<readonly [name: string, script: Script, expected: object]>([
    ["163 nothing at all, again and again", (reply) => reply.finish("stop", usage), { status: "failed", error: { code: "model.invalid_response" } }],
    ["163 tool_calls without calls", (reply) => reply.finish("tool_calls", usage), { status: "failed", error: { code: "model.invalid_response" } }],
    [
      "163 tool_calls without calls, with text",
      (reply) => (reply.text("ok"), reply.finish("tool_calls", usage)),
      { status: "completed", reply: "ok" },
    ],
    ["163 an unknown reason", (reply) => (reply.text("ok"), reply.finish("because", usage)), { status: "completed", reply: "ok" }],
    ["163 a text that was cut at the limit", (reply) => (reply.text("ok"), reply.finish("length", usage)), { status: "completed", reply: "ok" }],
    [
      "163 a filter in the middle",
      (reply) => (half(reply), reply.finish("content_filter", usage)),
      { status: "failed", error: { code: "model.filtered" } },
    ],
    ["163 an error as the reason", (reply) => (half(reply), reply.finish("error", usage)), { status: "failed", error: { code: "model.failed" } }],
  ])("%s", async (_name, script, expected) => {
    const { result, events } = await turnWith([script]);
    expect(result).toMatchObject(expected);
    expect(turnEvents(events, "step")[0]).toMatchObject({ step_id: "stp_1", usage: { input: 10, output: 5 } });
  });

  test.each(["content_filter", "error", "length"])("calls of a reply that ended with %s do not run, whole or not", async (reason) => {
    const { saved, events } = await turnWith([
      (reply) => {
        reply.send(choice({ tool_calls: [{ index: 0, id: "a", function: { name: "save", arguments: `{"text":"one"}` } }] }));
        if (reason !== "error") reply.send(choice({ tool_calls: [{ index: 1, id: "b", function: { name: "save", arguments: `{"te` } }] }));
        reply.finish(reason, usage);
      },
      done,
    ]);
    expect(saved).toEqual([]);
    expect(callsIn(events)).toEqual(["returned save skipped"]);
  });

  test("a blank one is asked anew, and what it cost is counted", async () => {
    const { result, events } = await turnWith([(reply) => reply.finish("stop", usage), saves, done]);
    expect(result).toMatchObject({ status: "completed", diagnostics: { steps: 3 } });
    expect(turnEvents(events, "step").length).toBe(3);
  });
});
