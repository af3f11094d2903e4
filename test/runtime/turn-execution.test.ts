/** The execution of a turn, read from the log. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  exitOn,
  hook,
  input,
  loop,
  reduced,
  scripted,
  stage,
  subagent,
  withControl,
} from "../../packages/throughline/src/index.ts";
import {
  agentStateFromJSON,
  agentStateToJSON,
  conversation as conversationOf,
  debug,
  executionIdOf,
  finalResponse,
  remaining,
  statusOf,
  stepsOf,
  stopSignalOf,
  usageOf,
} from "../../packages/throughline/src/execution.ts";
import { collect, emptyStore, started } from "./harness.ts";
import { calling, conversation, scriptedAgent, toolState } from "./loop/harness.ts";

const look = defineTool({ name: "look", description: "Looks.", effects: "none", execute: () => ({ found: 3 }) });
const pay = defineTool({ name: "pay", description: "Pays.", effects: "once", approval: true, execute: () => "paid" });

describe("session.execution", () => {
  test("shows what a turn answered, its steps with results and tags, and how it ended", async () => {
    const { session } = await conversation([{ ...calling(["look"]), text: "Let me look." }, "Three."], { loop: { tools: [look] } });
    const { turn_id = "" } = await session.send("How many?");
    const state = await session.execution(turn_id);
    expect(debug(state)).toMatchObject({
      status: "completed",
      executionCount: 1,
      executionId: executionIdOf(turn_id as never),
      steps: 2,
      hasErrors: false,
    });
    expect(stepsOf(state)[0]).toMatchObject({
      response: { text: "Let me look.", model: "scripted", finish_reason: "tool_calls" },
      tool_executions: [{ name: "look", result: { type: "ok", value: { found: 3 } } }],
    });
    expect(finalResponse(state)).toBe("Three.");
    expect(conversationOf(state).map(({ role, tags }) => [role, tags?.step_id, tags?.is_trace])).toEqual([
      ["user", undefined, undefined],
      ["assistant", "stp_1", true],
      ["tool", "stp_1", true],
      ["assistant", "stp_2", undefined],
    ]);
    expect(agentStateFromJSON(JSON.parse(JSON.stringify(agentStateToJSON(state, { full: true }))))).toEqual(state);
  });

  test("has what one turn answered, and counts the turns before it", async () => {
    const { session } = await conversation(["One.", "Two."]);
    await session.send("first");
    const { turn_id = "" } = await session.send("second");
    const state = await session.execution(turn_id);
    expect([state.execution_count, conversationOf(state).map(({ text }) => text)]).toEqual([2, ["second", "Two."]]);
  });

  test("of an open turn is as it stands, to any process", async () => {
    const store = await emptyStore("memory");
    const { agent } = scriptedAgent([calling(["pay"]), "Done."], { loop: { tools: [pay] } });
    const first = await createRuntime({ store, agents: [agent] });
    const session = await first.sessions.create({ agent: "a1" });
    const { turn_id = "", offset } = await session.send("Pay.");
    await first.close({ drainMs: 0 });
    const second = await started({ store, agents: [agent] });
    const reopened = await second.sessions.get(session.id);
    const paused = await reopened.execution(turn_id);
    expect([statusOf(paused), paused.execution]).toMatchObject(["paused", { reason: "approval", step: { tool_executions: [] } }]);
    const [call] = (await reopened.pending()).calls;
    await reopened.decide({ call_id: call?.call_id ?? "", arguments_hash: call?.arguments_hash ?? "", index: 0, decision: "approve" });
    await reopened.outcome(offset);
    const ended = await reopened.execution(turn_id);
    expect([statusOf(ended), stepsOf(ended)[0]?.tool_executions[0]?.result]).toEqual(["completed", { type: "ok", value: "paid" }]);
  });

  test("keeps the signal that stopped it", async () => {
    const { session } = await conversation(() => calling(["look"]), { loop: { tools: [look] }, agent: { budget: { steps: 1 } } });
    const { turn_id = "" } = await session.send("?");
    const state = await session.execution(turn_id);
    expect([statusOf(state), state.execution]).toMatchObject(["stopped", { outcome: { signal: { reason: "steps_limit" } } }]);
    expect(stopSignalOf(state)).toBeUndefined();
  });

  test("names the agent whose call a child agent does the work of", async () => {
    const Child = defineState({ message: input(z.string()), found: reduced(z.string()) });
    const child = defineAgent({ name: "child", version: 1, state: Child, reply: loop({ model: scripted(["Found it."]) }) });
    const { agent } = scriptedAgent([calling(["ask", { prompt: "Where?" }]), "There."], {
      loop: { tools: [subagent({ agent: child, name: "ask", description: "Asks." })] },
    });
    const runtime = await started({ agents: [agent, child] });
    const session = await runtime.sessions.create({ agent: "a1" });
    const { turn_id = "" } = await session.send("?");
    const [id = session.id] = (await collect(session)).flatMap(({ kind, data }) => (kind === "tool" && data.type === "returned" ? [data.child] : []));
    const inner = await runtime.sessions.get(id);
    const [turn] = (await inner.turns()).items;
    expect(await inner.execution(turn?.turn_id ?? "")).toMatchObject({ agent_id: "child", parent_agent_id: "a1" });
    expect((await session.execution(turn_id)).parent_agent_id).toBeUndefined();
    expect((await session.budget(turn_id)).spent.steps).toBe(3);
  });

  test("is shown in a fork, and after it was withdrawn", async () => {
    const { session } = await conversation([calling(["look"]), "Three."], { loop: { tools: [look] } });
    const { turn_id = "" } = await session.send("How many?");
    const whole = await session.execution(turn_id);
    const fork = await session.fork();
    const [shared] = (await fork.turns()).items;
    expect(debug(await fork.execution(shared?.turn_id ?? ""))).toMatchObject({ status: "completed", steps: 2, usage: usageOf(whole) });
    await session.withdraw({ from: 1 });
    expect(await session.execution(turn_id)).toEqual(whole);
  });

  test("answers with what the call returned that ended it, and keeps the arguments it ran with", async () => {
    const doubles = hook("doubles", { beforeTool: () => ({ arguments: { n: 2 } }) });
    const count = defineTool({
      ...{ name: "count", description: "Counts.", effects: "none", parameters: z.object({ n: z.number() }) },
      execute: ({ n }) => `${n}`,
    });
    const { session } = await conversation([calling(["count", { n: 1 }])], {
      loop: { tools: [count], hooks: [doubles], exit: exitOn.tools("count") },
    });
    const { turn_id = "" } = await session.send("How many?");
    const state = await session.execution(turn_id);
    expect([stepsOf(state)[0]?.response?.calls, stepsOf(state)[0]?.tool_executions]).toMatchObject([
      [{ arguments: { n: 1 } }],
      [{ arguments: { n: 2 }, result: { type: "ok", value: "2" } }],
    ]);
    expect(state.execution).toMatchObject({ outcome: { type: "completed", answer: "2" } });
  });

  test("of a turn without a model call has its reply", async () => {
    const { session } = await conversation([], {
      agent: { stages: [stage("says", { state: toolState, writes: [] }, () => withControl({ reply: "Closed today." }, {}))] },
    });
    const { turn_id = "" } = await session.send("?");
    const state = await session.execution(turn_id);
    expect([debug(state).steps, state.execution, conversationOf(state).map(({ text }) => text)]).toMatchObject([
      0,
      { outcome: { type: "completed", answer: "Closed today." } },
      ["?", "Closed today."],
    ]);
  });

  test("is refused for an id that is no turn of the session", async () => {
    const { session } = await conversation(["Hi."]);
    await expect(session.execution("trn_nothing")).rejects.toMatchObject({ code: "turn.not_found" });
    await expect(session.budget("trn_nothing")).rejects.toMatchObject({ code: "turn.not_found" });
  });
});

describe("session.budget", () => {
  test("has the limits, what was spent, and what is left", async () => {
    const { session } = await conversation([{ text: "Hi.", usage: { input: 7, output: 2 } }], { agent: { budget: { steps: 5, tokens: 20 } } });
    const { turn_id = "" } = await session.send("?");
    const budget = await session.budget(turn_id);
    expect([budget.limits, budget.spent.steps, remaining(budget)]).toEqual([{ steps: 5, tokens: 20 }, 1, { steps: 4, tokens: 11 }]);
  });
});
