/** What a loop does where nobody looks: strange names, stops that were waived, results and tests of no kind, signals after the end. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  approveTools,
  blockTools,
  cancelWhen,
  defineAgent,
  defineState,
  defineTool,
  exitOn,
  hook,
  input,
  loop,
  scripted,
  stopOnFinishReason,
  stopWhen,
  subagent,
  ThroughlineError,
  type ErrorCode,
  type Tool,
} from "../../../packages/throughline/src/index.ts";
import {
  agentStateFromJSON,
  agentStateToJSON,
  createAgentState,
  stepErrors,
  stepsOf,
  type StopReason,
} from "../../../packages/throughline/src/execution.ts";
import { errorCatalogue } from "../../../packages/throughline/src/kernel.ts";
import { collect } from "../harness.ts";
import { calling, callsIn, conversation, toolState } from "./harness.ts";

const tool = (name: string, options: object = {}): Tool =>
  defineTool({ name, description: "A tool.", effects: "none", execute: () => `${name} ran`, ...options });
const look = tool("look");

/** A hook that has the execution go on once in spite of a reason. */
const goOnce = (reason: StopReason) =>
  hook("go_on", {
    onStop: ({ stop, execution }) => (stop.reason === reason && stepsOf(execution).length < 2 ? { continue: { waives: [reason] } } : undefined),
  });

describe("a stop that a hook waives for a step", () => {
  test("does not keep the calls of that step from running, and an answer that comes with it is the answer", async () => {
    const { session } = await conversation([calling(["look"]), { ...calling(["look"]) }, "done"], {
      loop: { tools: [look], hooks: [stopWhen("once", ({ execution }) => stepsOf(execution).length === 1), goOnce("stop_requested")] },
    });
    // The second step ran its call; nobody waives the stop after it.
    expect(await session.send("?")).toMatchObject({ status: "stopped", reason: "stop_requested" });
    expect(callsIn(await collect(session))).toEqual(["called look", "returned look ok", "called look", "returned look ok"]);
    const answering = await conversation([calling(["look"]), "done"], {
      loop: { tools: [look], hooks: [stopWhen("enough", ({ execution }) => stepsOf(execution).length >= 1), goOnce("stop_requested")] },
    });
    expect(await answering.session.send("?")).toMatchObject({ status: "completed", reply: "done" });
    expect(answering.model.requests.length).toBe(2);
  });

  test("lets calls run in spite of a limit of tokens", async () => {
    const { session } = await conversation([{ ...calling(["look"]), usage: { input: 10 } }, calling(["look"]), "done"], {
      loop: { tools: [look], hooks: [goOnce("token_limit")] },
      agent: { budget: { tokens: 10 } },
    });
    expect(await session.send("?")).toMatchObject({ status: "stopped", reason: "token_limit" });
    expect(callsIn(await collect(session))).toEqual(["returned look skipped", "called look", "returned look ok"]);
  });

  test("lets a model and a call take their time in spite of a limit of it", async () => {
    const slow = tool("slow", { execute: () => new Promise((resolve) => setTimeout(resolve, 80, "slow ran")) });
    const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
    const { session } = await conversation([calling(["slow"]), { text: "done", wait }], {
      loop: { tools: [slow], hooks: [goOnce("time_limit")] },
      agent: { budget: { seconds: 0.03 } },
    });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "done" });
  });
});

describe("what is settled before a pause", () => {
  test("stays: a tool that was withheld from the model does not run because another call was approved", async () => {
    const ran: string[] = [];
    const secret = tool("secret", { execute: () => ran.push("secret") });
    const ask = tool("ask", { approval: true });
    const withhold = hook("withhold", {
      beforeModel: ({ request }) => ({ request: { tools: request.tools.filter(({ name }) => name !== "secret") } }),
    });
    const { session, model } = await conversation([calling(["secret"], ["ask"]), "done"], { loop: { tools: [secret, ask], hooks: [withhold] } });
    const { offset, status } = await session.send("?");
    expect(status).toBe("paused");
    const [call] = (await session.pending()).calls;
    await session.decide({ call_id: call?.call_id ?? "", arguments_hash: call?.arguments_hash ?? "", decision: "approve" });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "done" });
    expect(ran).toEqual([]);
    expect(model.requests[1]?.messages.flatMap((message) => (message.role === "tool" ? [message.text] : []))).toEqual([
      expect.stringContaining("tool.not_found"),
      "ask ran",
    ]);
  });

  test("is not asked about again: a hook sees a call that it blocked once", async () => {
    let asked = 0;
    const block = hook("block", { tools: ["look"], beforeTool: () => ((asked += 1), { block: "No." }) });
    const { session } = await conversation([calling(["look"], ["ask"]), "done"], {
      loop: { tools: [look, tool("ask", { approval: true })], hooks: [block] },
    });
    const { offset } = await session.send("?");
    const [call] = (await session.pending()).calls;
    await session.decide({ call_id: call?.call_id ?? "", arguments_hash: call?.arguments_hash ?? "", decision: "reject" });
    expect(await session.outcome(offset)).toMatchObject({ reply: "done" });
    expect(asked).toBe(1);
  });
});

describe("a call", () => {
  test("of a tool named like a member of every object is counted like any other", async () => {
    const { session } = await conversation([calling(["constructor"], ["__proto__"], ["constructor"], ["toString"]), "done"], {
      loop: { tools: [look, tool("toString")] },
    });
    const { diagnostics } = await session.send("?");
    const counts = Object.entries(diagnostics.tool_calls ?? {});
    expect(counts.map(([name, count]) => `${name} ${count}`)).toEqual(["constructor 2", "__proto__ 1", "toString 1"]);
  });

  test("that ended well is not aborted when its turn ends", async () => {
    let aborted = 0;
    const order = tool("order", {
      execute: (_args: unknown, { signal }: { readonly signal: AbortSignal }) => signal.addEventListener("abort", () => (aborted += 1)),
    });
    const { session } = await conversation([calling(["order"]), "done"], { loop: { tools: [order] } });
    await session.send("?");
    await session.send("?").catch(() => undefined);
    expect(aborted).toBe(0);
  });

  test("that fails is an error of its step, whatever its tool takes, in the order of the calls", async () => {
    const seen: string[] = [];
    const fail = (name: string, takesState: boolean): Tool =>
      tool(name, {
        takesState,
        execute: () => {
          throw new Error(`${name} is broken`);
        },
      });
    const watch = hook("watch", {
      afterStep: ({ step }) => {
        seen.push(...stepErrors(step).map(({ message }) => message));
      },
    });
    const { session } = await conversation([calling(["a"], ["b"], ["ghost"]), "done"], {
      loop: { tools: [fail("a", true), fail("b", false)], hooks: [watch] },
    });
    await session.send("?");
    expect(seen).toEqual(["a is broken", "b is broken", expect.stringContaining("ghost")]);
  });

  test("that throws an error of the library's own kinds is an error like any other", async () => {
    const codes = Object.keys(errorCatalogue) as ErrorCode[];
    const left = [...codes];
    const odd = tool("odd", {
      execute: () => {
        throw new ThroughlineError(left.shift() ?? "internal");
      },
    });
    const { session } = await conversation([calling(...codes.map(() => ["odd"] as const)), "done"], { loop: { tools: [odd], concurrency: 1 } });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "done" });
  });

  test.each<readonly [string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "It broke."],
    ["an object without a prototype", Object.create(null)],
    ["an error without a message", new Error("")],
    ["an abort that nobody asked for", new DOMException("x", "AbortError")],
  ])("that throws %s is an error that the model reads", async (_name, thrown) => {
    const odd = tool("odd", {
      execute: () => {
        throw thrown;
      },
    });
    const { session, model } = await conversation([calling(["odd"]), "done"], { loop: { tools: [odd] } });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "done" });
    expect(model.requests[1]?.messages.at(-1)?.text).toContain("tool.failed");
  });
});

test.each([
  ["once", new Error("socket hang up"), { tool: "odd", doubt: "The call may have taken effect before this error. Do not repeat it without asking." }],
  ["once", new ThroughlineError("tool.failed", "Card declined."), undefined],
  ["idempotent", new Error("socket hang up"), { tool: "odd" }],
  ["none", new Error("socket hang up"), { tool: "odd" }],
] as const)("a tool with effects %s that throws %s leaves the details %j", async (effects, thrown, details) => {
  const odd = tool("odd", {
    effects,
    execute: () => {
      throw thrown;
    },
  });
  const { session, model } = await conversation([calling(["odd"]), "done"], { loop: { tools: [odd] } });
  await session.send("?");
  const error = { code: "tool.failed", message: thrown.message, ...(details === undefined ? {} : { details }) };
  expect(model.requests[1]?.messages.at(-1)?.text).toBe(JSON.stringify({ error }));
});

describe("the end of a loop", () => {
  test("at the limit of steps is a final answer in words, also where only a tool ends it", async () => {
    const { session, model } = await conversation([calling(["look"]), "In short."], {
      loop: { tools: [look, tool("save")], exit: exitOn.tools("save"), finalAnswer: true },
      agent: { budget: { steps: 2 } },
    });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "In short." });
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([2, 0]);
  });

  test("keeps a step for the final answer from child agents", async () => {
    const child = defineAgent({
      ...{ name: "child", version: 1, state: defineState({ message: input(z.string()) }) },
      reply: loop({ model: scripted((_request, call) => (call % 2 === 0 ? calling(["look"]) : "found")), tools: [look] }),
    });
    const { session } = await conversation((request) => (request.tools.length === 0 ? "In short." : calling(["child", { prompt: "?" }])), {
      loop: { tools: [subagent({ agent: child, description: "A child." })], finalAnswer: true },
      agent: { budget: { steps: 5 } },
    });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "In short." });
  });

  test("by a test that is passed without a word said answers with what was returned", async () => {
    const { session } = await conversation([calling(["look"])], { loop: { tools: [look], exit: exitOn.when(() => true) } });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "look ran" });
  });

  test("is not by a test that is asynchronous: a promise would pass every time", async () => {
    const exit = exitOn.when((async () => false) as never);
    const { session } = await conversation([calling(["look"]), "done"], { loop: { tools: [look], exit } });
    expect(await session.send("?")).toMatchObject({ status: "failed", error: { code: "agent.invalid" } });
  });

  test.each([undefined, {}, "gpt"])("is a failure that says so when the model that was chosen is %j", async (chosen) => {
    const { session } = await conversation([], { loop: { model: () => chosen as never } });
    expect(await session.send("?")).toMatchObject({ status: "failed", error: { code: "agent.invalid" } });
  });
});

describe("a definition that makes no sense is refused by name", () => {
  const model = scripted([]);
  const nonsense: readonly unknown[] = [
    null,
    0,
    -1,
    Number.NaN,
    "",
    "x",
    true,
    [null],
    { a: 1 },
    () => 1,
    Symbol("s"),
    10n,
    new Map(),
    Object.create(null),
  ];
  const code = (make: () => unknown): string => {
    try {
      make();
      return "none";
    } catch (error) {
      return ThroughlineError.is(error) ? error.code : `not an error of the library: ${String(error)}`;
    }
  };

  test.each<readonly [string, string, (value: never) => unknown]>([
    ["a loop's tools", "agent.invalid", (value) => loop({ model, tools: value })],
    ["a tool of a loop", "agent.invalid", (value) => loop({ model, tools: [value] })],
    ["a tool that nobody has made", "agent.invalid", (value) => loop({ model, tools: [{ type: "tool", name: value } as never] })],
    ["a hook that nobody has made", "agent.invalid", (value) => loop({ model, hooks: [{ type: "hook", name: value } as never] })],
    ["the names of an exit", "agent.invalid", (value) => loop({ model, exit: { type: "tools", names: value } })],
    [
      "an agent's stages",
      "agent.invalid",
      (value) => defineAgent({ name: "a", version: 1, state: toolState, reply: loop({ model }), stages: value }),
    ],
  ])("%s", (_name, expected, make) => {
    for (const value of nonsense) expect([value, code(() => make(value as never))]).toEqual([value, expected]);
  });

  test("the test of an exit, a final answer, and the options of guards", () => {
    for (const value of nonsense.filter((one) => typeof one !== "function"))
      expect([value, code(() => loop({ model, exit: { type: "when", test: value as never } }))]).toEqual([value, "agent.invalid"]);
    for (const value of nonsense.filter((one) => typeof one !== "boolean"))
      expect([value, code(() => loop({ model, finalAnswer: value as never }))]).toEqual([value, "agent.invalid"]);
    const guards: readonly ((options: never) => unknown)[] = [
      (options) => stopOnFinishReason(["length"], options),
      (options) => stopWhen("w", () => true, options),
      (options) => cancelWhen(() => true, options),
      (options) => blockTools(["t"], "No.", options),
      (options) => approveTools(["t"], "Yes?", options),
    ];
    for (const guard of guards)
      for (const value of [null, 0, "x", [], { nme: "n" }]) expect([value, code(() => guard(value as never))]).toEqual([value, "hook.invalid"]);
    expect(code(() => stopWhen("w", () => true, { reason: "because" as never }))).toBe("hook.invalid");
  });

  test("an agent's state, written and read", () => {
    const state = createAgentState({ agent_id: "a", at: 1 });
    for (const value of nonsense) {
      expect([value, code(() => createAgentState(value as never))]).toEqual([value, "input.invalid"]);
      expect([value, code(() => agentStateToJSON(value as never))]).toEqual([value, "execution.invalid"]);
      expect([value, code(() => agentStateFromJSON(value as never))]).toEqual([value, "execution.invalid"]);
    }
    for (const value of [null, 0, "x", []]) {
      expect([value, code(() => agentStateToJSON(state, value as never))]).toEqual([value, "execution.invalid"]);
      expect([value, code(() => agentStateFromJSON(agentStateToJSON(state), value as never))]).toEqual([value, "execution.invalid"]);
    }
  });

  test("a price, a budget, and a decision", async () => {
    const negative = nonsense.filter((one) => one !== 0);
    for (const value of negative) {
      expect([value, code(() => loop({ model, prices: { m: { input: value as never, output: 1 } } }))]).toEqual([value, "budget.invalid"]);
      const budget = { steps: value as never };
      expect([value, code(() => defineAgent({ name: "a", version: 1, state: toolState, reply: loop({ model }), budget }))]).toEqual([
        value,
        "budget.invalid",
      ]);
    }
    const { session } = await conversation([calling(["ask"])], { loop: { tools: [tool("ask", { approval: true })] } });
    await session.send("?");
    const [call] = (await session.pending()).calls;
    const fits = { call_id: call?.call_id ?? "", arguments_hash: call?.arguments_hash ?? "", decision: "edit" };
    const wrong = nonsense.filter((one) => typeof one !== "string" && !(typeof one === "object" && one !== null && "a" in one));
    for (const value of wrong)
      for (const name of ["call_id", "arguments_hash", "arguments"])
        if (!(name === "arguments" && Object.getPrototypeOf(Object(value)) === null))
          await expect(session.decide({ ...fits, [name]: value }), `${name}: ${typeof value}`).rejects.toMatchObject({
            code: "input.invalid",
          });
    await expect(session.decide(undefined as never)).rejects.toSatisfy((error) => ThroughlineError.is(error));
    expect((await session.pending()).calls.length).toBe(1);
  });
});
