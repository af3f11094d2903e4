/** The members `tools`, `step` and `metadata` of the extension port, with extensions of our own. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  reduced,
  scripted,
  type LoopOptions,
  type ModelRequest,
} from "../../packages/throughline/src/index.ts";
import { defineExtension, type Extension, type StepPlan } from "../../packages/throughline/src/extension.ts";
import { started } from "./harness.ts";

const State = defineState({ message: input(z.string()), noted: reduced(z.string().nullable(), { initial: null }) });

const note = defineTool({
  name: "note",
  description: "Notes a text.",
  parameters: z.object({ text: z.string() }),
  effects: "none",
  outputsToState: { noted: {} },
  execute: ({ text }) => text,
});

const namesOf = ({ tools }: ModelRequest): readonly string[] => tools.map(({ name }) => name);

async function opened(
  extensions: readonly Extension[],
  {
    ofRuntime = [],
    more = {},
  }: { readonly ofRuntime?: readonly Extension[]; readonly more?: Partial<LoopOptions> & { readonly steps?: number } } = {},
) {
  const { steps = 10, ...options } = more;
  const model = scripted(({ tools, sections }) => {
    const [only, ...others] = tools;
    const told = sections.at(-1)?.text ?? "";
    return only !== undefined && others.length === 0 && told === "must"
      ? { text: "Let me see. ", calls: [{ call_id: "1", name: only.name, arguments: { text: "by the model" } }] }
      : `told: ${told}`;
  });
  const agent = defineAgent({ name: "a1", state: State, extensions, reply: loop({ model, ...options }), budget: { steps } });
  const runtime = await started({ agents: [agent], extensions: ofRuntime });
  return { model, session: await runtime.sessions.create({ agent: "a1" }) };
}

/** Plans the steps of a reply in order, and then nothing. */
const planning = (...plans: readonly StepPlan[]): Extension =>
  defineExtension({ name: "plans", tools: [note], step: async (_turn, { step }) => plans[step - 1] });

describe("an extension that plans steps", () => {
  it("adds tools, which the model may call in every step without a plan", async () => {
    const { model, session } = await opened([defineExtension({ name: "tools", tools: [note] })]);
    await session.send("hi");
    expect(namesOf(model.requests[0]!)).toEqual(["note"]);
    const whole = await opened([], { ofRuntime: [defineExtension({ name: "tools", tools: [note] })] });
    await whole.session.send("hi");
    expect(namesOf(whole.model.requests[0]!)).toEqual(["note"]);
  });

  it("calls in place of the model, with hooks, results and the state as for any call", async () => {
    const { model, session } = await opened([planning({ calls: [{ name: "note", arguments: { text: "by the plan" } }] })]);
    expect(await session.send("hi")).toMatchObject({ status: "completed", diagnostics: { steps: 2, tool_calls: { note: 1 } } });
    expect(model.requests).toHaveLength(1);
    expect((await session.state()).document).toMatchObject({ noted: "by the plan" });
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ role: "tool", text: "by the plan" });
  });

  it("offers fewer tools and adds sections", async () => {
    const { model, session } = await opened([planning({ tools: [], sections: [{ name: "plan", text: "be short" }] })]);
    expect((await session.send("hi")).reply).toBe("told: be short");
    expect(namesOf(model.requests[0]!)).toEqual([]);
  });

  it("asks for a call: text alone is not the reply, and no reader sees it", async () => {
    const plan: StepPlan = { mustCall: true, tools: ["note"], sections: [{ name: "plan", text: "must" }] };
    const { session } = await opened([planning({ mustCall: true, sections: [{ name: "plan", text: "talk" }] }, plan)]);
    const shown: string[] = [];
    for await (const part of session.stream("hi")) if (part.type === "text.delta" || part.type === "message") shown.push(part.text);
    expect(shown.filter((text) => text !== "")).toEqual(["told: ", "told: "]);
    expect((await session.state()).document).toMatchObject({ noted: "by the model" });
  });

  it("has its tool also in the last step of a loop that ends with an answer", async () => {
    const plan: StepPlan = { mustCall: true, tools: ["note"], sections: [{ name: "plan", text: "must" }] };
    const { model, session } = await opened([planning(plan)], { more: { finalAnswer: true, steps: 1 } });
    await session.send("hi");
    expect(namesOf(model.requests[0]!)).toEqual(["note"]);
    expect((await session.state()).document).toMatchObject({ noted: "by the model" });
  });

  it("ends the reply, with a text or for a reason", async () => {
    const said = await opened([planning({ end: { message: "done", text: "That is all." } })]);
    expect(await said.session.send("hi")).toMatchObject({ status: "completed", reply: "That is all." });
    const stopped = await opened([planning({ end: { reason: "retry_limit", message: "too often" } })]);
    expect(await stopped.session.send("hi")).toMatchObject({ status: "stopped" });
    expect([said.model.requests, stopped.model.requests]).toEqual([[], []]);
  });

  it("is heard before a later one, and fails the turn with a tool that does not exist", async () => {
    const other = defineExtension({ name: "other", step: async () => ({ end: { message: "other", text: "The other." } }) });
    const first = await opened([planning({ end: { message: "first", text: "The first." } }), other]);
    expect((await first.session.send("hi")).reply).toBe("The first.");
    const none = await opened([planning(), other]);
    expect((await none.session.send("hi")).reply).toBe("The other.");
    const wrong = await opened([planning({ calls: [{ name: "nothing", arguments: {} }] })]);
    expect(await wrong.session.send("hi")).toMatchObject({ status: "failed", error: { code: "extension.failed" } });
  });
});

describe("metadata that follows from the state", () => {
  const following = defineExtension({ name: "follows", metadata: (state) => ({ noted: (state["noted"] as string | null) ?? undefined }) });

  it("is written with the state, and only if it changes", async () => {
    const { session } = await opened([following, planning({ calls: [{ name: "note", arguments: { text: "one" } }] })]);
    const { version } = await session.info();
    await session.send("hi");
    const after = await session.info();
    expect([after.metadata.values, after.version]).toEqual([{ noted: "one" }, version + 1]);
    await session.send("again");
    expect((await session.info()).version).toBe(version + 1);
    await session.withdraw({ from: 1 });
    expect((await session.info()).metadata.values).toEqual({});
  });

  it("that throws fails the turn, and loses no message", async () => {
    const broken = defineExtension({
      name: "broken",
      metadata: () => {
        throw new Error("no");
      },
    });
    const { session } = await opened([broken, planning({ calls: [{ name: "note", arguments: { text: "one" } }] })]);
    expect(await session.send("hi")).toMatchObject({ status: "failed" });
    expect((await session.messages()).map(({ text }) => text)).toContain("hi");
  });
});
