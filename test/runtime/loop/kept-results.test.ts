/** Results that are on record when a turn ends: the state has them however it ended, or the log and the model say why not. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineReducer,
  defineTool,
  defineState,
  exitOn,
  hook,
  input,
  reduced,
  ThroughlineError,
  withControl,
  type Hook,
  type Logger,
  type Script,
  type Session,
  type StateDefinition,
  type Tool,
} from "../../../packages/throughline/src/index.ts";
import { refused } from "../../../packages/throughline/src/tools/results.ts";
import { mortalStore } from "../../../packages/throughline/src/testing/mortal-store.ts";
import { collect, emptyStore, gate, started, until } from "../harness.ts";
import { calling, conversation, scriptedAgent, toolState } from "./harness.ts";

const output = { state: toolState, outputsToState: { docs: { source: "docs" } } } as const;

/** A call that returns at once, and writes behind one that is still at work. */
const fast = defineTool({ name: "fast", description: "Is done at once.", effects: "once", ...output, execute: () => ({ docs: ["fast"] }) });
const slowWith = (execute: (signal: AbortSignal) => unknown): Tool =>
  defineTool({
    ...{ name: "slow", description: "Takes its time.", effects: "idempotent", ...output },
    execute: async (_args, { signal }) => (await execute(signal), { docs: ["slow"] }),
  });
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

const docsOf = async (session: Session): Promise<unknown> => (await session.state()).document["docs"] ?? [];
const untilReturned = async (session: Session): Promise<void> => {
  for await (const { kind, data } of session.events()) if (kind === "tool" && data.type === "returned") return;
};
const mergedIn = async (session: Session): Promise<readonly string[]> =>
  (await collect(session, { withdrawn: true })).flatMap(({ kind, data }) => (kind === "turn" && data.type === "merged" ? data.calls : []));

const acts: readonly (readonly [string, (session: Session) => Promise<unknown>, readonly string[]])[] = [
  ["is stopped", (session) => session.stop("enough"), ["fast"]],
  ["is handed to people", (session) => session.handOver(), ["fast"]],
  ["is set to manual", (session) => session.setMode("manual"), ["fast"]],
  ["is withdrawn", (session) => session.withdraw({ from: 1 }), []],
];

describe("a result on record", () => {
  test.each(acts)("when its turn %s", async (_name, act, expected) => {
    const { session } = await conversation([calling(["slow"], ["fast"]), "done"], { loop: { tools: [slowWith(untilAborted), fast] } });
    const { offset } = await session.post("go");
    await untilReturned(session);
    await act(session);
    expect((await session.outcome(offset)).status).toBe(expected.length === 0 ? "withdrawn" : "stopped");
    expect(await docsOf(session)).toEqual(expected);
    expect(await mergedIn(session)).toEqual(expected.length === 0 ? [] : ["call_1_1_2"]);
  });

  test("when its process has died, and another one that runs no turns stops the turn", async () => {
    const store = await emptyStore("sqlite");
    const mortal = mortalStore(store);
    const { agent } = scriptedAgent([calling(["slow"], ["fast"]), "done"], { loop: { tools: [slowWith(untilAborted), fast] } });
    const dying = await createRuntime({ store: mortal.store, agents: [agent] });
    const { id } = await dying.sessions.create({ agent: "a1" });
    const client = await started({ store, agents: [agent], work: false });
    const session = await client.sessions.get(id);
    await (await dying.sessions.get(id)).post("go");
    await untilReturned(session);
    mortal.die();
    await mortal.died;
    await session.stop();
    expect(await docsOf(session)).toEqual(["fast"]);
  });

  test("when a hook fails", async () => {
    const fails = hook("fails", {
      tools: ["slow"],
      afterTool: () => {
        throw new Error("no");
      },
    });
    const ended = gate();
    const told: Hook = hook("told", { tools: ["fast"], afterTool: () => void setTimeout(() => ended.open(), 0) });
    const { session } = await conversation([calling(["slow"], ["fast"]), "done"], {
      loop: { tools: [slowWith(() => ended.opened), fast], hooks: [fails, told] },
    });
    expect(await session.send("go")).toMatchObject({ status: "failed", error: { code: "hook.failed" } });
    expect(await docsOf(session)).toEqual(["fast"]);
  });

  test("when its turn fails repeatedly", async () => {
    const store = await emptyStore("memory");
    const client = await started({ store, agents: [scriptedAgent([]).agent], work: false });
    const session = await client.sessions.create({ agent: "a1" });
    const { offset } = await session.post("go");
    for (let life = 1; life <= 2; life += 1) {
      const mortal = mortalStore(store);
      const dies = slowWith(async () => {
        await until(() => life > 1 || fastDone);
        mortal.die();
        return new Promise(() => {});
      });
      let fastDone = false;
      const watched = {
        ...mortal.store,
        commit: async (given: Parameters<typeof store.commit>[0]) => {
          const result = await mortal.store.commit(given);
          fastDone ||= given.session?.events?.some(({ kind, data }) => kind === "tool" && data["type"] === "returned") === true;
          return result;
        },
      };
      const { agent } = scriptedAgent([calling(["slow"], ["fast"]), "done"], { loop: { tools: [dies, fast] } });
      await createRuntime({ store: watched, agents: [agent], pollMs: 5 });
      await mortal.died;
    }
    const { agent } = scriptedAgent(["done"], { loop: { tools: [slowWith(() => {}), fast] } });
    const runtime = await createRuntime({ store, agents: [agent], pollMs: 5 });
    expect(await session.outcome(offset)).toMatchObject({ status: "failed", error: { code: "turn.poisoned" } });
    await runtime.close();
    expect(await docsOf(session)).toEqual(["fast"]);
  });
});

const broken = defineReducer<string, string>({
  ...{ name: "broken", version: 1 },
  reduce: () => {
    throw new Error("a defect of the reducer");
  },
});

const atMostOne = defineReducer<readonly string[], readonly string[]>({
  ...{ name: "at_most_one", version: 1 },
  reduce: (current, update) => {
    if ((current ?? []).length > 0) throw new Error("There is one.");
    return update;
  },
});

/** States that refuse what the call writes. */
const refusals: Readonly<Record<string, StateDefinition>> = {
  "a schema": defineState({ message: input(z.string()), last: reduced(z.number()) }),
  "a reducer that throws": defineState({ message: input(z.string()), last: reduced(z.string(), { reduce: broken }) }),
};

interface Line {
  readonly message: string;
  readonly fields: unknown;
}

/** A logger that keeps the errors. */
function listening(): { readonly logger: Logger; readonly errors: Line[] } {
  const errors: Line[] = [];
  return { errors, logger: { debug() {}, info() {}, warn() {}, error: (message, fields) => void errors.push({ message, fields }) } };
}

describe("a result that the state refuses", () => {
  test.each(Object.entries(refusals))("by %s is whole in the log, told to the model as done, and an error of the developer", async (_name, state) => {
    const pay = defineTool({
      ...{ name: "pay", description: "Pays.", effects: "once", state, outputsToState: { last: { source: "receipt" } } },
      execute: () => ({ receipt: "R-4711", euros: 5 }),
    });
    const { agent, model } = scriptedAgent([calling(["pay"]), "ok"], {
      loop: { tools: [pay], exit: [exitOn.text, exitOn.tools("pay")] },
      agent: { state } as never,
    });
    const { logger, errors } = listening();
    const runtime = await started({ agents: [agent], logger });
    const session = await runtime.sessions.create({ agent: "a1" });
    // A call whose result is not in the state does not end the loop: the model says what has happened.
    expect(await session.send("go")).toMatchObject({ status: "completed", reply: "ok" });
    const results = (await collect(session)).flatMap(({ kind, data }) => (kind === "tool" && data.type === "returned" ? [data.result] : []));
    expect(results).toEqual([
      { type: "ok", value: { receipt: "R-4711", euros: 5 }, not_stored: expect.objectContaining({ code: "tool.output_invalid" }) as object },
    ]);
    const told = JSON.parse(model.requests[1]?.messages.at(-1)?.text ?? "") as object;
    expect(told).toMatchObject({ done: { receipt: "R-4711", euros: 5 }, not_stored: { code: "tool.output_invalid" } });
    expect(errors).toEqual([
      {
        message: "result not stored",
        fields: expect.objectContaining({ tool: "pay", call_id: "call_1_1_1", code: "tool.output_invalid" }) as object,
      },
    ]);
    expect(JSON.stringify(errors)).not.toContain("4711");
    expect((await session.state()).document).not.toHaveProperty("last");
  });

  test("only together with another one of its reply is told so, too", async () => {
    const state = defineState({ message: input(z.string()), docs: reduced(z.array(z.string()), { reduce: atMostOne }) });
    const add = defineTool({
      ...{
        name: "add",
        description: "Adds.",
        effects: "once",
        state,
        parameters: z.object({ text: z.string() }),
        outputsToState: { docs: { source: "docs" } },
      },
      execute: ({ text }) => ({ docs: [text] }),
    });
    const { agent } = scriptedAgent([calling(["add", { text: "a" }], ["add", { text: "b" }]), "ok"], {
      loop: { tools: [add], concurrency: 1 },
      agent: { state } as never,
    });
    const { logger, errors } = listening();
    const runtime = await started({ agents: [agent], logger });
    const session = await runtime.sessions.create({ agent: "a1" });
    expect(await session.send("go")).toMatchObject({ status: "completed" });
    const results = (await collect(session)).flatMap(({ kind, data }) => (kind === "tool" && data.type === "returned" ? [data.result] : []));
    expect(results.map((result) => [result.type, "not_stored" in result])).toEqual([
      ["ok", false],
      ["ok", true],
    ]);
    expect([await docsOf(session), errors.length]).toEqual([["a"], 1]);
  });
});

/** A model that makes a call again for as long as it is told that the call failed. */
const repeating: Script = ({ messages }) => {
  const last = messages.at(-1);
  return last?.role === "tool" && !last.text.startsWith('{"error"') ? `told: ${last.text}` : calling(["pay"]);
};

const circle: Record<string, unknown> = { receipt: "R-4711" };
circle["left"] = circle;
circle["right"] = circle;
let nested: unknown = "bottom";
for (let depth = 0; depth < 300; depth += 1) nested = { nested };
class Money {
  readonly cents = 500;
}
const tooLarge = new ThroughlineError("tool.output_invalid", "The result is too large.");

/** What a call returns, what of it is kept, and where it is no JSON. */
const unstorable: readonly (readonly [name: string, returned: () => unknown, kept: unknown, path: string | undefined])[] = [
  ["NaN", () => ({ receipt: "R-4711", cents: Number.NaN, note: null }), { receipt: "R-4711", cents: "[not stored: NaN]", note: null }, "/cents"],
  ["a bigint", () => ({ receipt: "R-4711", cents: 5n }), { receipt: "R-4711", cents: "[not stored: 5n]" }, "/cents"],
  ["a map", () => ({ receipt: "R-4711", lines: [new Map()] }), { receipt: "R-4711", lines: ["[not stored: [object Map]]"] }, "/lines/0"],
  ["an instance", () => ({ receipt: "R-4711", sum: new Money() }), { receipt: "R-4711", sum: "[not stored: [object Object]]" }, "/sum"],
  [
    "a cycle",
    () => circle,
    { receipt: "R-4711", left: "[not stored: a cycle]", right: "[not stored: a cycle]" },
    expect.stringMatching(/^(\/left)+$/) as string,
  ],
  ["a nest", () => ({ receipt: "R-4711", nested }), expect.objectContaining({ receipt: "R-4711" }), expect.stringMatching(/^(\/nested)+$/) as string],
  [
    "a getter that throws",
    () => ({
      receipt: "R-4711",
      get more(): never {
        throw new Error("no");
      },
    }),
    { receipt: "R-4711", more: "[not stored: a value that cannot be read]" },
    undefined,
  ],
  ["a symbol", () => Symbol("R-4711"), "[not stored: Symbol(R-4711)]", ""],
  ["a wish that it may not have", () => withControl({ reply: "no" }, { receipt: "R-4711" }), { receipt: "R-4711" }, undefined],
  ["what is too large", () => refused('{"receipt":"R-4711', tooLarge), '{"receipt":"R-4711', undefined],
];

describe("a result that cannot be stored as it is", () => {
  const output = { state: toolState, outputsToState: { name: { source: "receipt" } } } as const;

  test.each(unstorable.flatMap((row) => (["once", "idempotent"] as const).map((effects) => [...row, effects] as const)))(
    "%s: the call was made, and is made once (%#)",
    async (_name, returned, kept, path, effects) => {
      let paid = 0;
      const pay = defineTool({ name: "pay", description: "Pays.", effects, ...output, execute: () => ((paid += 1), returned()) });
      const { agent } = scriptedAgent(repeating, { loop: { tools: [pay] }, agent: { budget: { steps: 3 } } });
      const { logger, errors } = listening();
      const runtime = await started({ agents: [agent], logger });
      const session = await runtime.sessions.create({ agent: "a1" });
      const { status, reply } = await session.send("go");
      const results = (await collect(session)).flatMap(({ kind, data }) => (kind === "tool" && data.type === "returned" ? [data.result] : []));
      expect([status, paid]).toEqual(["completed", 1]);
      expect(results).toEqual([{ type: "ok", value: kept, not_stored: expect.objectContaining({ code: "tool.output_invalid" }) as object }]);
      expect(reply).toMatch(/^told: \{"done":.*"not_stored":\{"reason":"This call was made\. Do not repeat it\./u);
      expect(reply).toContain("R-4711");
      const fields = { tool: "pay", call_id: "call_1_1_1", code: "tool.output_invalid" };
      expect(errors).toMatchObject([{ message: "result not stored", fields: path === undefined ? fields : { ...fields, path } }]);
      expect((await session.state()).document).not.toHaveProperty("name");
    },
  );

  test("is kept up to a limit, with what came first", async () => {
    const many = { receipt: "R-4711", cents: 5n, list: Array.from({ length: 200_000 }, () => "line"), text: "x".repeat(200_000) };
    const pay = defineTool({ name: "pay", description: "Pays.", effects: "once", execute: () => many });
    const { session } = await conversation(repeating, { loop: { tools: [pay] } });
    const { reply = "" } = await session.send("go");
    expect(reply).toContain("R-4711");
    expect(reply.length).toBeLessThan(300_000);
  });

  test("is an error of a tool without effects", async () => {
    const look = defineTool({ name: "look", description: "Looks.", effects: "none", execute: () => ({ found: 5n }) });
    const { session, model } = await conversation([calling(["look"]), "ok"], { loop: { tools: [look] } });
    expect(await session.send("go")).toMatchObject({ status: "completed" });
    expect(model.requests[1]?.messages.at(-1)?.text).toMatch(/^\{"error":\{"code":"tool\.output_invalid"/u);
  });

  test("passes the hooks, which can mask it", async () => {
    const pay = defineTool({ name: "pay", description: "Pays.", effects: "once", execute: () => ({ card: "4111", cents: 5n }) });
    const masks = hook("masks", { afterTool: ({ result }) => ({ result: { ...result, value: { card: "****" } } as typeof result }) });
    const { session } = await conversation(repeating, { loop: { tools: [pay], hooks: [masks] } });
    expect((await session.send("go")).reply).toContain('"done":{"card":"****"},"not_stored"');
    expect(JSON.stringify(await collect(session))).not.toContain("4111");
  });

  test("and an answer that nobody can read leaves a `once` call unknown", async () => {
    const pay = defineTool({
      ...{ name: "pay", description: "Pays.", effects: "once" },
      execute: () => Promise.reject(new ThroughlineError("tool.output_invalid", "The server answered a page.")),
    });
    const { agent } = scriptedAgent(repeating, { loop: { tools: [pay] }, agent: { budget: { steps: 3 } } });
    const { logger, errors } = listening();
    const runtime = await started({ agents: [agent], logger });
    const session = await runtime.sessions.create({ agent: "a1" });
    expect((await session.send("go")).reply).toMatch(/^told: \{"unknown"/u);
    expect(errors).toMatchObject([{ message: "tool result not read", fields: { tool: "pay", why: "The server answered a page." } }]);
  });
});

/** Hooks that fail on a result, each in its own way. */
const failing: readonly (readonly [name: string, fail: () => object | undefined])[] = [
  [
    "throws",
    () => {
      throw new Error("no");
    },
  ],
  ["misspells a member", () => ({ reslt: {} })],
  ["puts in a result that is none", () => ({ result: { type: "ok", value: 5n } })],
  ["writes what does not fit", () => ({ delta: { total: "much" } })],
];

describe("a call that a hook fails on", () => {
  test.each(failing)("because it %s, is on record as made, and a retry does not make it again", async (_name, fail) => {
    let paid = 0;
    let failed = false;
    const pay = defineTool({
      ...{ name: "pay", description: "Pays.", effects: "once", state: toolState, outputsToState: { name: { source: "receipt" } } },
      execute: () => ((paid += 1), { receipt: "R-4711" }),
    });
    const shaky = hook("shaky", {
      state: toolState,
      writes: ["total"],
      afterTool: () => {
        if (failed) return undefined;
        failed = true;
        return fail();
      },
    });
    const { session } = await conversation(repeating, { loop: { tools: [pay], hooks: [shaky] } });
    expect(await session.send("go")).toMatchObject({ status: "failed", error: { code: "hook.failed" } });
    const results = (await collect(session)).flatMap(({ kind, data }) => (kind === "tool" && data.type === "returned" ? [data.result] : []));
    expect(results).toMatchObject([{ type: "ok", not_stored: { code: "hook.failed" } }]);
    expect(JSON.stringify(await collect(session))).not.toContain("R-4711");
    const { turn_id } = await session.retry();
    const again = await session.outcome(turn_id);
    expect(again.status).toBe("completed");
    expect(again.reply).toContain("This call was made. Do not repeat it.");
    expect(paid).toBe(1);
  });

  test("stays unknown if it is, and is an error if it has no effects", async () => {
    for (const [effects, expected] of [
      ["once", "unknown"],
      ["none", "error"],
    ] as const) {
      const pay = defineTool({
        ...{ name: "pay", description: "Pays.", effects },
        execute: () => (effects === "once" ? Promise.reject(new ThroughlineError("tool.lost", "It is gone.")) : "seen"),
      });
      const shaky = hook("shaky", { afterTool: () => Promise.reject(new Error("no")) });
      const { session } = await conversation(repeating, { loop: { tools: [pay], hooks: [shaky] } });
      expect(await session.send("go")).toMatchObject({ status: "failed", error: { code: "hook.failed" } });
      const results = (await collect(session)).flatMap(({ kind, data }) => (kind === "tool" && data.type === "returned" ? [data.result.type] : []));
      expect(results).toEqual([expected]);
    }
  });
});

test("a turn that is done again, however often, sees what its earlier attempts have called", async () => {
  let paid = 0;
  let asked = 0;
  const pay = defineTool({ name: "pay", description: "Pays.", effects: "once", execute: () => ({ receipt: `R-${(paid += 1)}` }) });
  const shaky = hook("shaky", {
    beforeStep: () => {
      asked += 1;
      if (asked === 2 || asked === 3) throw new Error("no");
    },
  });
  const { session, model } = await conversation(repeating, { loop: { tools: [pay], hooks: [shaky] } });
  expect((await session.send("go")).status).toBe("failed");
  expect((await session.outcome((await session.retry()).turn_id)).status).toBe("failed");
  expect(await session.outcome((await session.retry()).turn_id)).toMatchObject({ status: "completed", reply: 'told: {"receipt":"R-1"}' });
  expect(paid).toBe(1);
  expect(model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  // The next turn sees none of it, as of any other turn before.
  await session.send("go on");
  expect(paid).toBe(2);
});

test("a call without effects that was at work when its turn was stopped is not told as one that was never made", async () => {
  const atWork = gate();
  const look = defineTool({
    name: "look",
    description: "Looks.",
    effects: "none",
    execute: (_args, { signal }) => (atWork.open(), untilAborted(signal)),
  });
  const { session } = await conversation([calling(["look"]), "ok"], { loop: { tools: [look] } });
  const { offset } = await session.post("go");
  await atWork.opened;
  await session.stop();
  expect((await session.outcome(offset)).status).toBe("stopped");
  const told = (await session.messages()).find(({ role }) => role === "tool")?.text;
  expect(told).toBe('{"skipped":{"reason":"The turn ended before this call returned. It has changed nothing."}}');
});
