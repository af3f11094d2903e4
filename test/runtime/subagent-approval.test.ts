/** A child agent that waits for somebody's word: its parent waits too, and either of them can be told. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineTool,
  loop,
  scripted,
  subagent,
  type Agent,
  type Runtime,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { collect, emptyStore, started } from "./harness.ts";
import { calling } from "./loop/harness.ts";
import { askOnce, childOf, parentState, returnedOf } from "./subagent-harness.ts";

/** A parent whose child pays after an approval, or asks a person for the amount; `levels` of agents between them. */
function payers({
  prompts = ["pay"],
  question = false,
  levels = 0,
  expiresMs = 60_000,
}: { readonly prompts?: readonly string[]; readonly question?: boolean; readonly levels?: number; readonly expiresMs?: number } = {}): {
  readonly agent: Agent;
  readonly paid: unknown[];
} {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({ euros: z.number() }),
    effects: "once",
    ...(question ? {} : { approval: { expiresMs } }),
    async execute({ euros }, context) {
      const amount = question ? await context.interrupt({ ask: "How much?" }) : euros;
      paid.push(amount);
      return `paid ${JSON.stringify(amount)}`;
    },
  });
  const childModel = scripted((request) => {
    const last = request.messages.at(-1);
    return last?.role === "tool" ? `child: ${last.text}` : calling(["pay", { euros: last?.text === "second" ? 2 : 5 }]);
  });
  let tool = subagent({
    agent: childOf(childModel, { name: "payer", reply: loop({ model: childModel, tools: [pay] }) }),
    name: "research",
    description: "Pays.",
  });
  for (let level = 0; level < levels; level += 1) {
    const model = scripted((request) => {
      const last = request.messages.at(-1);
      return last?.role === "tool" ? `level: ${last.text}` : calling(["research", { prompt: "pay" }]);
    });
    tool = subagent({
      agent: childOf(model, { name: `level-${level}`, reply: loop({ model, tools: [tool] }) }),
      name: "research",
      description: "Pays.",
    });
  }
  const model = scripted(askOnce("done", ...prompts));
  return { paid, agent: defineAgent({ name: "desk", version: 1, state: parentState, reply: loop({ model, tools: [tool] }) }) };
}

async function paused(agent: Agent, store?: Store): Promise<{ readonly runtime: Runtime & { readonly store: Store }; readonly session: Session }> {
  const runtime = await started({ agents: [agent], ...(store === undefined ? {} : { store }) });
  const session = await runtime.sessions.create({ agent: "desk" });
  expect(await session.send("go")).toMatchObject({ status: "paused" });
  return { runtime, session };
}

const word = async (session: Session, decision: object, at = 0): Promise<void> => {
  const call = (await session.pending()).calls[at];
  if (call === undefined) throw new Error("Nothing is pending.");
  const { call_id, arguments_hash, index } = call;
  await session.decide({ call_id, arguments_hash, index, decision: "approve", ...decision });
};

describe("an approval that a child waits for", () => {
  test("pauses the parent, which shows it with the child's session and arguments", async () => {
    const { agent, paid } = payers();
    const { session, runtime } = await paused(agent);
    const [call, ...others] = (await session.pending()).calls;
    expect(others).toEqual([]);
    expect(call).toMatchObject({ call_id: "call_1_1_1/call_1_1_1", name: "pay", kind: "approval", arguments: { euros: 5 }, by: "pay" });
    const child = await runtime.sessions.get(call?.child ?? "");
    expect((await child.pending()).calls).toMatchObject([{ call_id: "call_1_1_1", arguments: { euros: 5 } }]);
    expect(paid).toEqual([]);
  });

  test("goes on with a word to the parent", async () => {
    const { agent, paid } = payers();
    const { session } = await paused(agent);
    await word(session, { by: "ann" });
    expect(await session.outcome(1)).toMatchObject({ status: "completed", reply: "done" });
    expect(paid).toEqual([5]);
    expect(returnedOf(await collect(session))).toMatchObject([{ result: { value: { reply: "child: paid 5" } }, spent: { steps: 2 } }]);
  });

  test("goes on with a word to the child", async () => {
    const { agent, paid } = payers();
    const { session, runtime } = await paused(agent);
    const [call] = (await session.pending()).calls;
    await word(await runtime.sessions.get(call?.child ?? ""), {});
    expect(await session.outcome(1)).toMatchObject({ status: "completed", reply: "done" });
    expect(paid).toEqual([5]);
  });

  test.each([
    ["an edit", { decision: "edit", arguments: { euros: 3 } }, [3], "paid 3"],
    ["a rejection", { decision: "reject", feedback: "Too much." }, [], "Too much."],
  ])("takes %s", async (_name, decision, expected, reply) => {
    const { agent, paid } = payers();
    const { session } = await paused(agent);
    await word(session, decision);
    expect(await session.outcome(1)).toMatchObject({ status: "completed" });
    expect(paid).toEqual(expected);
    expect(JSON.stringify(returnedOf(await collect(session))[0]?.result)).toContain(reply);
  });

  test("is decided once, whichever of the two is told first", async () => {
    const { agent, paid } = payers();
    const { session, runtime } = await paused(agent);
    const [call] = (await session.pending()).calls;
    const child = await runtime.sessions.get(call?.child ?? "");
    await Promise.allSettled([word(session, {}), word(child, { decision: "reject" })]);
    expect(await session.outcome(1)).toMatchObject({ status: "completed" });
    const decided = (await collect(child)).filter(({ kind, data }) => kind === "turn" && data.type === "decided");
    expect(decided).toHaveLength(1);
    expect(paid.length).toBeLessThanOrEqual(1);
  });

  test.each(["memory", "sqlite"] as const)("on %s, survives that every process is gone", async (kind) => {
    const store = await emptyStore(kind);
    const first = await paused(payers().agent, store);
    await first.runtime.close();
    const { agent, paid } = payers();
    const idle = await createRuntime({ store, agents: [agent], work: false });
    await word(await idle.sessions.get(first.session.id), {});
    await idle.close();
    const second = await started({ agents: [agent], store });
    expect(await (await second.sessions.get(first.session.id)).outcome(1)).toMatchObject({ status: "completed", reply: "done" });
    expect(paid).toEqual([5]);
  });

  test("of a grandchild comes up all the way, and the word goes down again", async () => {
    const { agent, paid } = payers({ levels: 1 });
    const { session } = await paused(agent);
    expect((await session.pending()).calls).toMatchObject([{ call_id: "call_1_1_1/call_1_1_1/call_1_1_1", arguments: { euros: 5 } }]);
    await word(session, {});
    expect(await session.outcome(1)).toMatchObject({ status: "completed", reply: "done" });
    expect(paid).toEqual([5]);
  });

  test("of a grandchild can be given to it, and all above go on", async () => {
    const { agent, paid } = payers({ levels: 1 });
    const { session, runtime } = await paused(agent);
    const [call] = (await session.pending()).calls;
    const [its] = (await (await runtime.sessions.get(call?.child ?? "")).pending()).calls;
    await word(await runtime.sessions.get(its?.child ?? ""), {});
    expect(await session.outcome(1)).toMatchObject({ status: "completed", reply: "done" });
    expect(paid).toEqual([5]);
  });

  test("of two children at the same time are told apart", async () => {
    const { agent, paid } = payers({ prompts: ["first", "second"] });
    const { session } = await paused(agent);
    const { calls } = await session.pending();
    expect(calls.map(({ call_id }) => call_id)).toEqual(["call_1_1_1/call_1_1_1", "call_1_1_2/call_1_1_1"]);
    expect(calls.map((call) => call.arguments)).toEqual([{ euros: 5 }, { euros: 2 }]);
    await word(session, { decision: "reject" }, 0);
    await word(session, {}, 0);
    expect(await session.outcome(1)).toMatchObject({ status: "completed" });
    expect(paid).toEqual([2]);
  });

  test("is rejected in time, if nobody says anything", async () => {
    const { agent, paid } = payers({ expiresMs: 120, levels: 1 });
    const { session } = await paused(agent);
    expect(await session.outcome(1)).toMatchObject({ status: "paused" });
    await expect.poll(async () => (await session.outcome(1)).status, { interval: 20 }).toBe("completed");
    expect(paid).toEqual([]);
    expect(JSON.stringify(returnedOf(await collect(session))[0]?.result)).toContain("Nobody decided in time");
  });

  test("ends with the parent's turn", async () => {
    const { agent } = payers({ levels: 1 });
    const { session, runtime } = await paused(agent);
    const [call] = (await session.pending()).calls;
    await session.stop();
    const child = await runtime.sessions.get(call?.child ?? "");
    expect(await child.pending()).toMatchObject({ turns: [], waiting: [], calls: [] });
    expect((await runtime.sessions.list({ labels: ["subagent"] })).total).toBe(2);
    for (const { id } of (await runtime.sessions.list({ labels: ["subagent"] })).items)
      expect((await (await runtime.sessions.get(id)).pending()).turns).toEqual([]);
  });
});

test("a question that a child's tool asks is answered through the parent", async () => {
  const { agent, paid } = payers({ question: true });
  const { session } = await paused(agent);
  expect((await session.pending()).calls).toMatchObject([{ kind: "question", question: { ask: "How much?" } }]);
  await word(session, { decision: "answer", answer: 7 });
  expect(await session.outcome(1)).toMatchObject({ status: "completed", reply: "done" });
  expect(paid).toEqual([7]);
});
