/** Work ahead of stages: when it starts, what becomes of it, and that nothing waits for it in vain. */
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createRuntime, defineAgent, defineState, input, loop, reduced, scripted, stage } from "../../packages/throughline/src/index.ts";
import type { Extension } from "../../packages/throughline/src/extension.ts";
import { emptyStore, gate, started, until } from "./harness.ts";

const State = defineState({ message: input(z.string()), notes: reduced(z.array(z.string()), { initial: [] }) });

interface Parts {
  readonly order: string[];
  readonly ahead: (signal: AbortSignal) => Promise<string>;
  readonly first?: () => Promise<void>;
  readonly extensions?: readonly Extension[];
  readonly awaits?: boolean;
}

/** An agent whose second stage starts its work ahead. */
function agentWith({ order, ahead, first = async () => {}, extensions = [], awaits = true }: Parts) {
  const model = scripted(() => (order.push("reply"), "Hello."));
  return defineAgent({
    ...{ name: "a1", version: 1, state: State, extensions, reply: loop({ model }) },
    stages: [
      stage("first", { state: State, writes: ["notes"] }, async () => {
        order.push("first");
        await first();
        return { notes: ["first"] };
      }),
      stage(
        "second",
        {
          state: State,
          writes: ["notes"],
          ahead: ({ state, signal }) => {
            order.push(`ahead of ${state.notes.length}: ${state.message}`);
            return ahead(signal);
          },
        },
        async (_context, started) => {
          order.push("second");
          return awaits ? { notes: [await started()] } : undefined;
        },
      ),
    ],
  });
}

/** A guard that waits, and then lets the turn go on or answers itself. */
const guard = (
  order: string[],
  {
    starts = true,
    wait = async () => {},
    answers = false,
  }: { readonly starts?: boolean; readonly wait?: () => Promise<void>; readonly answers?: boolean },
): Extension => ({
  name: "guard",
  guards: true,
  answer: async (turn, { draft, next }) => {
    if (starts) turn.ahead();
    await wait();
    order.push("verdict");
    if (!answers) return next(draft);
    await turn.runAlways({ recall: false });
    return { text: "Not now.", final: true, outcome: { status: "completed" }, steps: 0, tokens: 0, calls: {} };
  },
});

const said = async (agent: ReturnType<typeof agentWith>) => {
  const runtime = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "a1" });
  const { reply } = await session.send("Hi");
  return { reply, notes: (await session.state()).document["notes"] };
};

describe("work ahead of a stage", () => {
  it("runs beside a guard and the stages before, from the state before them, and once", async () => {
    const order: string[] = [];
    const asked = gate();
    const waiting = guard(order, { wait: () => asked.opened });
    const ahead = async (): Promise<string> => (asked.open(), "found");
    expect(await said(agentWith({ order, ahead, extensions: [waiting] }))).toEqual({ reply: "Hello.", notes: ["first", "found"] });
    expect(order).toEqual(["ahead of 0: Hi", "verdict", "first", "second", "reply"]);
  });

  it("starts with the stages if nothing waits before them", async () => {
    const order: string[] = [];
    const asked = gate();
    const ahead = async (): Promise<string> => (asked.open(), "found");
    expect((await said(agentWith({ order, ahead, first: () => asked.opened, extensions: [guard(order, { starts: false })] }))).notes).toEqual([
      "first",
      "found",
    ]);
    expect(order).toEqual(["verdict", "ahead of 0: Hi", "first", "second", "reply"]);
  });

  it("is aborted and awaited by nobody where a guard answers itself", async () => {
    const order: string[] = [];
    const ahead = (signal: AbortSignal): Promise<string> => new Promise(() => signal.addEventListener("abort", () => order.push("aborted")));
    const { reply, notes } = await said(agentWith({ order, ahead, extensions: [guard(order, { answers: true })] }));
    expect({ reply, notes }).toEqual({ reply: "Not now.", notes: [] });
    expect(order).toEqual(["ahead of 0: Hi", "verdict", "aborted"]);
  });

  it("that fails fails the stage that awaits it, and nothing else", async () => {
    const ahead = (): Promise<string> => Promise.reject(new Error("no answer"));
    expect(await said(agentWith({ order: [], ahead, awaits: false }))).toEqual({ reply: "Hello.", notes: ["first"] });
    const order: string[] = [];
    const failed = await said(agentWith({ order, ahead }));
    expect(failed.reply).not.toBe("Hello.");
    expect(order).toContain("second");
  });

  it("is ended with a turn that does not await it", async () => {
    let aborted = false;
    const ahead = (signal: AbortSignal): Promise<string> => new Promise(() => signal.addEventListener("abort", () => (aborted = true)));
    expect((await said(agentWith({ order: [], ahead, awaits: false }))).reply).toBe("Hello.");
    expect(aborted).toBe(true);
  });

  it("is not done again for a stage that an earlier attempt finished, and is for one that it did not", async () => {
    const store = await emptyStore("memory");
    const order: string[] = [];
    const hanging = gate();
    let asked = 0;
    const agent = (last: () => Promise<void>) => {
      const slow = async (): Promise<string> => (await new Promise((resolve) => setTimeout(resolve, 250)), `answer ${(asked += 1)}`);
      const { stages } = agentWith({ order, ahead: slow });
      const third = stage(
        "third",
        { state: State, writes: ["notes"], ahead: async () => void order.push("ahead of the third") },
        async () => (await last(), { notes: ["third"] }),
      );
      return defineAgent({ name: "a1", version: 1, state: State, stages: [...stages, third], reply: loop({ model: scripted(() => "Hello.") }) });
    };
    const dying = await createRuntime({
      store,
      agents: [agent(() => (hanging.open(), new Promise(() => {})))],
      leaseMs: 500,
      heartbeatMs: 100,
      pollMs: 50,
    });
    const session = await dying.sessions.create({ agent: "a1" });
    const { offset } = await session.post("Hi");
    await hanging.opened;
    await dying.close({ drainMs: 0 });
    const next = await createRuntime({ store, agents: [agent(async () => {})], leaseMs: 500, heartbeatMs: 100, pollMs: 50 });
    onTestFinished(() => next.close({ drainMs: 0 }));
    const resumed = await next.sessions.get(session.id);
    expect((await resumed.outcome(offset)).reply).toBe("Hello.");
    expect((await resumed.state()).document["notes"]).toEqual(["first", "answer 1", "third"]);
    expect(order.filter((one) => one === "ahead of the third")).toHaveLength(2);
    expect(order.filter((one) => one.startsWith("ahead of 0"))).toHaveLength(1);
  });

  it("of an extension that throws is logged, and its stage runs", async () => {
    const logged: string[] = [];
    const ran: string[] = [];
    const broken: Extension = {
      name: "broken",
      stages: [
        {
          name: "own",
          ahead: () => {
            throw new Error("no");
          },
          run: async () => void ran.push("own"),
        },
      ],
    };
    const agent = agentWith({ order: [], ahead: async () => "found", extensions: [broken] });
    const runtime = await started({ agents: [agent], logger: { debug() {}, info() {}, warn() {}, error: (message) => void logged.push(message) } });
    const session = await runtime.sessions.create({ agent: "a1" });
    expect((await session.send("Hi")).reply).toBe("Hello.");
    await until(() => ran.length > 0);
    expect(logged).toEqual(["work ahead failed"]);
  });

  it("needs a function", () =>
    expect(() => stage("wrong", { state: State, writes: [], ahead: "later" as never }, () => undefined)).toThrow(/needs a function as ahead/));

  it("is done by the stage itself where it is called alone", async () => {
    const [, second] = agentWith({ order: [], ahead: async () => "found" }).stages;
    expect(await second?.run({ state: { notes: [], message: "Hi" } } as never)).toEqual({ notes: ["found"] });
  });
});
