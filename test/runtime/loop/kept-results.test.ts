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
  type Hook,
  type Logger,
  type Session,
  type StateDefinition,
  type Tool,
} from "../../../src/index.ts";
import { mortalStore } from "../../chaos/mortal-store.ts";
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
