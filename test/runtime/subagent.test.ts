/** Child agents: a session of their own, typed maps on both sides, a share of the budget. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineTool,
  loop,
  scripted,
  stage,
  subagent,
  type Agent,
  type ScriptedModel,
  type TypedAgent,
} from "../../packages/throughline/src/index.ts";
import { collect, emptyStore, started } from "./harness.ts";
import { calling } from "./loop/harness.ts";
import { askOnce, childOf, childOfOnly, childState, conversation, family, parentState, returnedOf } from "./subagent-harness.ts";

describe("a call of a child agent", () => {
  test("runs the child in a session of its own, and returns its answer (205)", async () => {
    const { session, runtime, model, childModel } = await conversation({ parent: askOnce("done", "What is the tallest tower?"), child: ["828 m"] });
    expect(await session.send("go")).toMatchObject({ status: "completed", reply: "done" });
    const [returned] = returnedOf(await collect(session));
    expect(returned).toMatchObject({ result: { type: "ok", value: { reply: "828 m", status: "completed", output: {} } }, spent: { steps: 1 } });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool" });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("828 m");
    // What the child was told, and how it went about it, is in its log alone.
    expect((await session.messages()).filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["go"]);
    const { child } = await childOfOnly(runtime, session);
    expect((await child.messages()).map(({ role, text }) => `${role}: ${text}`)).toEqual(["user: What is the tallest tower?", "assistant: 828 m"]);
    const [created] = await collect(child);
    expect(created?.data).toMatchObject({
      type: "created",
      agent: "researcher",
      parent: { session_id: session.id, call_id: "call_1_1_1", depth: 1 },
    });
    expect(childModel.requests).toHaveLength(1);
  });

  test("tells the model of a name that there is not, and goes on (203)", async () => {
    const { session, model } = await conversation({
      parent: (_request, call) => (call === 0 ? calling(["reserch", { prompt: "x" }]) : "sorry"),
    });
    expect(await session.send("go")).toMatchObject({ reply: "sorry" });
    expect(returnedOf(await collect(session))).toMatchObject([{ result: { type: "error", error: { code: "tool.not_found" } } }]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("research");
  });

  test("has a value when the child says nothing (206)", async () => {
    const { session, model } = await conversation({ parent: askOnce("well", "x"), child: () => "" });
    expect(await session.send("go")).toMatchObject({ status: "completed", reply: "well" });
    expect(returnedOf(await collect(session))).toMatchObject([{ result: { type: "ok", value: { reply: null, status: "completed" } } }]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("returned no text");
  });

  test("returns what a child has that was stopped by its limit (210)", async () => {
    const note = defineTool({
      name: "note",
      description: "Notes a fact.",
      parameters: z.object({ fact: z.string() }),
      state: childState,
      outputsToState: { facts: { source: "fact_list" } },
      effects: "none",
      execute: ({ fact }) => ({ fact_list: [fact] }),
    });
    const childModel = scripted((_request, call) => ({ text: `step ${call}`, ...calling(["note", { fact: `f${call}` }]) }));
    const agent = childOf(childModel, { reply: loop({ model: childModel, tools: [note] }), budget: { steps: 2 } });
    const research = subagent({
      agent,
      name: "research",
      description: "Looks up.",
      state: parentState,
      outputsToState: { findings: { source: "facts" } },
    });
    const model = scripted(askOnce("done", "x"));
    const desk = defineAgent({ name: "desk", version: 1, state: parentState, reply: loop({ model, tools: [research] }) });
    const runtime = await started({ agents: [desk] });
    const session = await runtime.sessions.create({ agent: "desk" });
    expect(await session.send("go")).toMatchObject({ status: "completed", reply: "done" });
    const [returned] = returnedOf(await collect(session));
    expect(returned).toMatchObject({
      result: { type: "ok", value: { reply: "step 1", status: "stopped", reason: "steps_limit", output: { facts: ["f0", "f1"] } } },
      spent: { steps: 2 },
    });
    expect((await session.state()).document).toMatchObject({ findings: ["f0", "f1"] });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("steps_limit");
  });

  test("that fails is an error which the model reads, with what it has cost", async () => {
    const fails = stage("fails", { state: childState, writes: [] }, () => {
      throw new Error("no network");
    });
    const { session, runtime } = await conversation({ parent: askOnce("too bad", "x"), childAgent: { stages: [fails] } });
    expect(await session.send("go")).toMatchObject({ status: "completed", reply: "too bad" });
    const [returned] = returnedOf(await collect(session));
    expect(returned).toMatchObject({
      result: { type: "error", error: { code: "subagent.failed", details: { agent: "research", code: "stage.failed" } } },
    });
    const { child } = await childOfOnly(runtime, session);
    expect(await child.pending()).toMatchObject({ turns: [], waiting: [], calls: [] });
  });

  test("has the tools of its own definition, none included (208, 213)", async () => {
    const { session, childModel } = await conversation({ parent: askOnce("done", "x") });
    await session.send("go");
    expect(childModel.requests[0]?.tools).toEqual([]);
  });
});

describe("the maps between the states", () => {
  test("give the child fields of the parent, and the parent fields of the child", async () => {
    const seen: unknown[] = [];
    const look = stage("look", { state: childState, writes: ["facts", "private_notes"] }, ({ state }) => {
      seen.push({ message: state.message, style: state.style, known: state.known });
      return { facts: ["a", "b"], private_notes: "secret" };
    });
    const { session } = await conversation({
      parent: askOnce("done", "Look"),
      child: ["all found"],
      childAgent: { stages: [look] },
      tool: {
        inputsFromState: { tone: "style", topics: "known" },
        outputsToState: { findings: { source: "facts" }, answer: {}, tone: { source: "private_notes" } },
      },
      parentAgent: {
        stages: [stage("topics", { state: parentState, writes: ["topics"] }, () => ({ topics: ["towers"] }))],
      },
    });
    await session.send("go", { start: { tone: "dry" } });
    expect(seen).toEqual([{ message: "Look", style: "dry", known: ["towers"] }]);
    expect((await session.state()).document).toMatchObject({ findings: ["a", "b"], answer: "all found", tone: "secret" });
    const [returned] = returnedOf(await collect(session));
    // Fields that are neither output nor mapped stay with the child.
    expect(returned?.result).toMatchObject({ value: { output: { facts: ["a", "b"], private_notes: "secret" } } });
    expect(returned?.result).not.toHaveProperty("value.output.known");
  });

  test("prompt and input are made of the arguments, and what the state gives wins", async () => {
    const seen: unknown[] = [];
    const look = stage("look", { state: childState, writes: [] }, ({ state }) => void seen.push([state.message, state.style]));
    const model = scripted((request) =>
      request.messages.at(-1)?.role === "tool" ? "done" : calling(["research", { topic: "towers", style: "gay" }]),
    );
    const research = subagent({
      agent: childOf(
        scripted(() => "ok"),
        { stages: [look] },
      ),
      name: "research",
      description: "Looks up.",
      state: parentState,
      parameters: z.object({ topic: z.string(), style: z.string() }),
      prompt: ({ topic }) => `All about ${topic}`,
      input: ({ style }) => ({ style }),
      inputsFromState: { tone: "style" },
    });
    const desk = defineAgent({ name: "desk", version: 1, state: parentState, reply: loop({ model, tools: [research] }) });
    const runtime = await started({ agents: [desk] });
    const session = await runtime.sessions.create({ agent: "desk" });
    await session.send("one");
    await session.send("two", { start: { tone: "dry" } });
    expect(seen).toEqual([
      ["All about towers", "gay"],
      ["All about towers", "dry"],
    ]);
    expect(model.requests[0]?.tools[0]?.parameters).toMatchObject({ properties: { topic: { type: "string" }, style: { type: "string" } } });
  });

  test.each<[string, object, string, string?]>([
    ["a field that the child does not have", { inputsFromState: { tone: "stile" } }, "tool.invalid", "style"],
    ["the child's message", { inputsFromState: { tone: "message" } }, "tool.invalid"],
    ["a field that cannot be given", { inputsFromState: { tone: "facts" } }, "tool.invalid"],
    ["two values for one field", { inputsFromState: { tone: "style", answer: "style" } }, "tool.invalid"],
    ["a source that the child does not have", { outputsToState: { findings: { source: "fact" } } }, "tool.invalid", "facts"],
    ["a field that the parent does not have", { inputsFromState: { tune: "style" } }, "agent.invalid", "tone"],
    ["a field to write that the parent does not have", { outputsToState: { finding: { source: "facts" } } }, "agent.invalid", "findings"],
    ["a field of another type", { inputsFromState: { topics: "style" } }, "agent.invalid"],
    ["an option that there is not", { maxdepth: 2 }, "tool.invalid", "maxDepth"],
    ["no depth at all", { maxDepth: 0 }, "tool.invalid"],
    ["parameters without a prompt", { parameters: { type: "object", properties: {} } }, "tool.invalid"],
    ["a budget that is none", { budget: { steps: -1 } }, "budget.invalid"],
    ["no agent", { agent: { name: "x" } }, "tool.invalid"],
  ])("are refused when they are declared: %s", (_name, options, code, near) => {
    const make = (): unknown => family({ parent: [], tool: options });
    let error: unknown;
    try {
      make();
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ code });
    if (near !== undefined) expect(JSON.stringify([(error as Error).message, (error as { hint?: string }).hint])).toContain(near);
  });
});

describe("the budget", () => {
  test("of the parent is charged with what children spend, once (211)", async () => {
    const usage = { input: 300, output: 100 };
    const { session } = await conversation({
      parent: (request) => ({
        ...(request.messages.at(-1)?.role === "tool" ? { text: "done" } : calling(["research", { prompt: "x" }])),
        usage: { input: 3, output: 1 },
      }),
      child: () => ({ text: "found", usage }),
    });
    await session.send("go");
    expect(returnedOf(await collect(session))).toMatchObject([{ spent: { steps: 1, tokens: usage } }]);
  });

  test("of the parent stops it when its children have spent it", async () => {
    const { session, childModel } = await conversation({
      parent: (_request, call) => calling(["research", { prompt: `${call}` }]),
      child: () => "found",
      parentAgent: { budget: { steps: 5 } },
    });
    expect(await session.send("go")).toMatchObject({ status: "stopped", reason: "steps_limit" });
    // Two of its own with one of a child each, and a third that leaves no room for a child.
    expect(childModel.requests).toHaveLength(2);
  });

  test("is shared by children that run at the same time: together they never have more than is left", async () => {
    const { session, runtime } = await conversation({
      parent: askOnce("done", "a", "b", "c"),
      parentAgent: { budget: { steps: 11, tokens: 1_000 } },
      childAgent: { budget: {} },
    });
    expect(await session.send("go")).toMatchObject({ status: "completed" });
    const budgets: { readonly steps?: number; readonly tokens?: number }[] = [];
    for (const { child } of returnedOf(await collect(session))) {
      const [created] = await collect(await runtime.sessions.get(child ?? ""));
      if (created?.kind === "session" && created.data.type === "created") budgets.push(created.data.parent?.budget ?? {});
    }
    expect(budgets).toHaveLength(3);
    expect(budgets.reduce((sum, { steps = 99 }) => sum + steps, 0)).toBeLessThanOrEqual(10);
    expect(budgets.reduce((sum, { tokens = 9999 }) => sum + tokens, 0)).toBeLessThanOrEqual(1_000);
    expect(budgets.every(({ steps = 0 }) => steps >= 3)).toBe(true);
  });

  test("of the call, of the child and of the parent: the strictest holds", async () => {
    const note = defineTool({ name: "note", description: "Notes.", effects: "none", execute: () => null });
    const childModel = scripted(() => calling(["note"]));
    const { session } = await conversation({
      parent: askOnce("done", "x"),
      childAgent: { reply: loop({ model: childModel, tools: [note] }), budget: { steps: 6 } },
      tool: { budget: { steps: 3 } },
    });
    await session.send("go");
    expect(childModel.requests).toHaveLength(3);
  });
});

describe("nesting", () => {
  const nested = (levels: number, maxDepth: number): { readonly agent: Agent; readonly models: readonly ScriptedModel[] } => {
    const models: ScriptedModel[] = [];
    let tools: ReturnType<typeof subagent>[] = [];
    let agent: TypedAgent<typeof childState> | undefined;
    for (let level = levels; level >= 0; level -= 1) {
      const last = level === levels;
      const model = scripted((request) =>
        last || request.messages.at(-1)?.role === "tool"
          ? `level ${level}: ${request.messages.at(-1)?.text ?? ""}`
          : calling(["deeper", { prompt: "go on" }]),
      );
      models.unshift(model);
      agent = childOf(model, { name: `level-${level}`, reply: loop({ model, tools }) });
      tools = [subagent({ agent, name: "deeper", description: "Goes deeper.", maxDepth })];
    }
    return { agent: agent as Agent, models };
  };

  test("children have children, each a level deeper, and their cost rolls up", async () => {
    const { agent } = nested(2, 3);
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.create({ agent: "level-0" });
    expect((await session.send("go")).reply).toContain("level 0: level 1: level 2");
    expect(returnedOf(await collect(session))).toMatchObject([{ spent: { steps: 3 } }]);
    const { child } = await childOfOnly(runtime, session);
    const { child: grandchild } = await childOfOnly(runtime, child);
    const [created] = await collect(grandchild);
    expect(created?.data).toMatchObject({ parent: { session_id: child.id, depth: 2 } });
  });

  test("ends where the depth does, with an error that the model reads", async () => {
    const { agent, models } = nested(3, 2);
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.create({ agent: "level-0" });
    expect((await session.send("go")).reply).toContain("deep");
    expect(models.map(({ requests }) => requests.length)).toEqual([2, 2, 2, 0]);
  });

  test("registers all of them, and refuses two agents of one name", async () => {
    const { agent } = nested(2, 3);
    const runtime = await started({ agents: [agent] });
    expect(await (await runtime.sessions.create({ agent: "level-2" })).send("hi")).toMatchObject({ status: "completed" });
    const store = await emptyStore("memory");
    const other = childOf(scripted([]), { name: "level-2" });
    await expect(createRuntime({ store, agents: [agent, other] })).rejects.toMatchObject({ code: "agent.invalid" });
  });
});
