/** What an agent says of its prompt, through whole turns: styles, budgets, stages, and the requests that are kept. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  defineTool,
  hook,
  input,
  loop,
  persona,
  recentMessages,
  reduced,
  scripted,
  section,
  stage,
  stageGuidance,
  ThroughlineError,
  turn,
  type AgentOptions,
  type ModelRequest,
  type TurnInfo,
} from "../../packages/throughline/src/index.ts";
import { tokenCounter } from "../../packages/throughline/src/context.ts";
import { code, collect, started } from "./harness.ts";

const State = defineState({ message: input(z.string()), style: turn(z.string()), exercise: reduced(z.object({ step: z.number().nullable() })) });
const options = (more: Partial<AgentOptions<typeof State>> = {}): AgentOptions<typeof State> => ({
  ...{ name: "a1", version: 1, state: State, sections: [persona("Be kind.")] },
  reply: loop({ model: scripted((request) => `re:${request.messages.at(-1)?.text ?? ""}`) }),
  ...more,
});
const asked = () => {
  const requests: ModelRequest[] = [];
  return { requests, model: scripted((request) => (requests.push(request), "ok")) };
};

describe("styles in a turn", () => {
  const styled = (style: string, model = scripted(["ok"])) =>
    defineAgent(
      options({
        stages: [stage("dispatch", { state: State, writes: ["style"] }, () => ({ style }))],
        sections: [persona("Be kind."), section("tone", () => "Softly.", { audience: ["calm"] }), recentMessages({ audience: ["calm"] })],
        prompt: { style: "style", styles: ["calm", "brisk"] },
        reply: loop({ model }),
      }),
    );
  it.each([
    ["calm", ["persona", "tone"], false],
    ["brisk", ["persona"], false],
    ["none of them", ["persona"], true],
  ])("%s is told %j", async (style, sections, unknown) => {
    const { requests, model } = asked();
    const runtime = await started({ agents: [styled(style, model)] });
    const session = await runtime.sessions.create({ agent: "a1" });
    const { diagnostics } = await session.send("hi");
    expect(requests[0]?.sections.map(({ name }) => name)).toEqual(sections);
    expect(diagnostics?.["response_style_unknown"]).toBe(unknown ? true : undefined);
  });
});

it("a budget holds in a turn, counted by the agent's tokenizer, or else by the model", async () => {
  const words = tokenCounter("words", (text) => text.split(/\s+/u).filter((word) => word !== "").length);
  const { requests, model } = asked();
  const counting = { ...model, countTokens: ({ messages }: ModelRequest) => 10 + (messages[0]?.text.length ?? 0) };
  for (const [tokenizer, kept] of [
    [words, 4],
    [undefined, 1],
  ] as const) {
    requests.length = 0;
    const agent = defineAgent(
      options({ reply: loop({ model: counting }), prompt: { budget: 10, ...(tokenizer === undefined ? {} : { tokenizer }) } }),
    );
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.create({ agent: "a1" });
    for (const text of ["first words", "second words", "third words"]) await session.send(text);
    expect(requests.at(-1)?.messages).toHaveLength(kept);
  }
});

describe("where an episode stands, in turns", () => {
  const story = "My sister has not called me since the funeral and I keep thinking that it is my fault.";
  const staged = (more: Partial<AgentOptions<typeof State>> = {}) => {
    const seen: TurnInfo["stage"][] = [];
    const look = stage("look", { state: State, writes: [] }, ({ context }) => void seen.push(context.stage));
    const { requests, model } = asked();
    const agent = defineAgent(
      options({ stages: [look], sections: [stageGuidance()], prompt: { stage: { exercise: "exercise" } }, reply: loop({ model }), ...more }),
    );
    return { agent, seen, requests };
  };
  it("goes from turn to turn, begins anew with the episode, and is told to stages and the model", async () => {
    const { agent, seen, requests } = staged();
    const runtime = await started({ agents: [agent], kind: "sqlite" });
    const session = await runtime.sessions.create({ agent: "a1" });
    const stages: unknown[] = [];
    for (const text of ["hi", story, "What can I do", "ok", "bye"]) stages.push((await session.send(text)).diagnostics?.["session_stage"]);
    expect(stages).toEqual(["opening", "deepening", "working", "working", "closing"]);
    expect(seen).toEqual(stages);
    expect(requests[4]?.sections[0]?.text).toContain("about to go");
    await session.endEpisode();
    expect((await session.send(story)).diagnostics?.["session_stage"]).toBe("opening");
  });
  it("is what it was before, once the last turn is taken back", async () => {
    const { agent } = staged();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.send("hi");
    const { offset } = await session.send(story);
    await session.withdraw({ from: offset ?? -1 });
    expect((await session.send("ok")).diagnostics?.["session_progress"]).toEqual({ episode: 1, stage: "opening", turns: 2, substantive: 0 });
  });
  it("works while an exercise runs, and not when its fields are empty", async () => {
    const { agent } = staged();
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.edit({ exercise: { step: null } });
    expect((await session.send("hi")).diagnostics?.["session_stage"]).toBe("opening");
    await session.edit({ exercise: { step: 1 } });
    expect((await session.send("hi")).diagnostics?.["session_stage"]).toBe("working");
  });
  it("is nothing for an agent that does not ask", async () => {
    const runtime = await started();
    const session = await runtime.sessions.create({ agent: "a1" });
    expect((await session.send("hi")).diagnostics).not.toHaveProperty("session_stage");
  });
});

describe("requests that are kept", () => {
  const look = defineTool({ name: "look", description: "Looks.", effects: "none", execute: () => "seen" });
  const tooled = (keepRequests?: AgentOptions<typeof State>["keepRequests"]) => {
    const requests: ModelRequest[] = [];
    const model = scripted((request) => {
      requests.push(request);
      return request.messages.at(-1)?.role === "tool" ? "done" : { calls: [{ call_id: "c", name: "look", arguments: {} }] };
    });
    const say = hook("say", { beforeModel: ({ request }) => ({ request: { ...request, max_output_tokens: 77 } }) });
    const agent = defineAgent(
      options({ reply: loop({ model, tools: [look], hooks: [say] }), ...(keepRequests === undefined ? {} : { keepRequests }) }),
    );
    return { agent, requests };
  };

  it.each(["memory", "sqlite"] as const)("each step's, byte for byte, by turn and step (%s)", async (kind) => {
    const { agent, requests } = tooled(true);
    const runtime = await started({ agents: [agent], kind });
    const session = await runtime.sessions.create({ agent: "a1" });
    const first = await session.send("one");
    const second = await session.send("two");
    expect(requests).toHaveLength(4);
    const kept = async (which: Parameters<typeof session.prompt>[0]) => (await session.prompt(which))?.body;
    expect(await kept({})).toBe(JSON.stringify(requests[3]));
    expect(await kept({ turn: first.turn_id ?? "" })).toBe(JSON.stringify(requests[1]));
    expect(await kept({ turn: first.turn_id ?? "", step: 1 })).toBe(JSON.stringify(requests[0]));
    expect(await kept({ turn: second.turn_id ?? "", step: 1 })).toBe(JSON.stringify(requests[2]));
    expect(await kept({ turn: second.turn_id ?? "", step: 3 })).toBeUndefined();
    expect(await code(session.prompt({ turn: "turn_other" }))).toBe("turn.not_found");
    const last = await session.prompt();
    expect(last).toMatchObject({ turn_id: second.turn_id, step: 2, request: { max_output_tokens: 77 } });
    expect(last?.record.parts.map(({ name }) => name)).toEqual(["persona", "recent history", "current message"]);
    expect((last?.expires_at ?? 0) - (last?.kept_at ?? 0)).toBeGreaterThan(6.9 * 86_400_000);
  });

  it("none, unless the agent says so", async () => {
    const runtime = await started({ agents: [tooled().agent] });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.send("one");
    expect(await session.prompt()).toBeUndefined();
    expect((await runtime.store.list({ of: "records", kind: "prompt" })).items).toEqual([]);
  });

  it("also that of a call that failed", async () => {
    const model = scripted(() => {
      throw new ThroughlineError("model.failed", "no");
    });
    const runtime = await started({ agents: [defineAgent(options({ reply: loop({ model }), keepRequests: true }))] });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.send("one");
    expect((await session.prompt())?.request.messages.at(-1)).toMatchObject({ text: "one" });
  });

  it("for as long as the agent says, and gone with the session", async () => {
    const runtime = await started({ agents: [tooled({ days: 1 }).agent], kind: "sqlite" });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.send("one");
    const kept = await session.prompt();
    expect(Math.round(((kept?.expires_at ?? 0) - (kept?.kept_at ?? 0)) / 3_600_000)).toBe(24);
    await runtime.sessions.delete(session.id);
    expect((await runtime.store.list({ of: "records", kind: "prompt" })).items).toEqual([]);
  });

  it("in the commit of the step's entry", async () => {
    const { agent } = tooled(true);
    const runtime = await started({ agents: [agent] });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.send("one");
    const steps = (await collect(session, { kinds: ["turn"] })).filter((event) => event.kind === "turn" && event.data.type === "step");
    const records = (await runtime.store.list({ of: "records", kind: "prompt" })).items;
    expect(records.map(({ created_at }) => created_at)).toEqual(steps.map(({ created_at }) => created_at));
  });
});
