/** What the customer reads if a turn ends without an answer. */
import { describe, expect, it, test } from "vitest";
import { apologyKind, defaultApologies } from "../../packages/throughline/src/extension/apology.ts";
import { stopReasons, type StopReason } from "../../packages/throughline/src/execution/step.ts";
import { type Agent, type AgentOptions, defineAgent, defineState, loop, scripted, stopWhen } from "../../packages/throughline/src/index.ts";
import { phrases } from "../../packages/companion/src/safety/crisis-data.ts";
import { rulePacks } from "../../packages/companion/src/safety/rule-packs.ts";
import { gated } from "./safety/harness.ts";
import { started } from "./harness.ts";

const state = defineState({});
const failing = () => loop({ model: scripted(() => ({ error: new Error("down") })) });
const blank = () => loop({ model: scripted(() => ""), blankReplies: 3 });
const stopped = (reason: StopReason) => loop({ model: scripted([]), hooks: [stopWhen("enough", () => true, { reason })] });

const agentWith = (options: Partial<AgentOptions<typeof state>>): Agent =>
  defineAgent({ name: "a1", version: 1, state, reply: failing(), ...options });

async function replyOf(agent: Agent, text = "hi") {
  const { sessions } = await started({ agents: [agent] });
  const session = await sessions.create({ agent: agent.name });
  const { status, reason, reply } = await session.send(text);
  return { status, reason, reply };
}

describe.each([
  ["a defect", "failed", {}, { status: "failed", reason: undefined }],
  ["a limit", "limit", { budget: { steps: 1 }, reply: blank() }, { status: "stopped", reason: "steps_limit" }],
  ["a deliberate stop", "stopped", { reply: stopped("stop_requested") }, { status: "stopped", reason: "stop_requested" }],
] as const)("%s", (_what, kind, options, outcome) => {
  it("has a text of its own, and keeps its outcome", async () => {
    expect(await replyOf(agentWith(options))).toEqual({ ...outcome, reply: defaultApologies[kind] });
  });
  it("answers with the agent's text for it, and with the one text of an agent that has one", async () => {
    expect((await replyOf(agentWith({ ...options, apology: { [kind]: "Mine." } }))).reply).toBe("Mine.");
    expect((await replyOf(agentWith({ ...options, apology: "One for all." }))).reply).toBe("One for all.");
  });
});

test("the three default texts differ, and every stop reason has one of them", () => {
  expect(new Set(Object.values(defaultApologies)).size).toBe(3);
  const kinds = Object.keys(stopReasons).map((reason) => [reason, apologyKind({ status: "stopped", reason, message: "" })]);
  expect(Object.fromEntries(kinds)).toEqual({
    ...{ error_forbade: "failed", stop_requested: "stopped", steps_limit: "limit", token_limit: "limit", time_limit: "limit", cost_limit: "limit" },
    ...{ deadline: "limit", attempts_limit: "failed", retry_limit: "failed", finish_reason: "stopped", user_requested: "stopped" },
    ...{ completed: "stopped", unknown: "stopped" },
  });
});

test.each<[string, unknown]>([
  ["another kind", { failed: "A", crash: "B" }],
  ["a blank text", { limit: " " }],
  ["no texts", null],
])("%s is refused", (_what, apology) => {
  expect(() => agentWith({ apology } as never)).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
});

describe("behind a gate with phrases", () => {
  const model = scripted(() => ({ error: new Error("down") }));
  test.each([
    ["Guten Morgen, wie geht es dir heute? Ich habe gut geschlafen.", "de"],
    ["Good morning, how are you today? I slept well.", "en"],
  ])("the text is in the language of the message: %s", async (message, language) => {
    const translated = phrases.find((one) => one.language === language)?.failed;
    expect(translated).toBeTruthy();
    expect((await replyOf(gated({ phrases, packs: rulePacks }, { model }).agent, message)).reply).toBe(translated);
  });
  test("an agent's own text has precedence", async () => {
    const { agent } = gated({ phrases, packs: rulePacks }, { model, apology: "Mine." });
    expect((await replyOf(agent, "Guten Morgen, wie geht es dir heute? Ich habe gut geschlafen.")).reply).toBe("Mine.");
  });
  test("all languages have the three texts, each different", () => {
    expect(phrases).toHaveLength(10);
    for (const { failed, limit, stopped: halted } of phrases) expect(new Set([failed, limit, halted, undefined]).size).toBe(4);
    expect(new Set(phrases.map(({ failed }) => failed)).size).toBe(10);
  });
});
