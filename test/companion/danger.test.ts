import { scripted } from "throughline";
import { describe, expect, it } from "vitest";
import { runAgent } from "../../packages/companion/src/run-agent.ts";
import { calm, control, plainPack, styledAs, triaged, withCompanion } from "./support.ts";

const talk = { triage: triaged(), style: styledAs("supportive") };
const models = () => ({ control: control(talk), response: scripted(() => "I hear you.") });

describe("in danger", () => {
  it("case 13: nothing else goes on: no exercise, no question about the memory, no model, no memory", () =>
    withCompanion({ models: models() }, async ({ say, session }) => {
      await say("can we do box breathing?");
      expect((await session.state()).document["exercise_state"]).toMatchObject({ exercise_type: "grounding_box_breathing" });
      const { output, reply } = await say("I want to die");
      expect(output).toMatchObject({ route: "crisis", response_style: "crisis_response", therapeutic_approach: "pfa" });
      expect(Object.values(output.exercise_state).every((value) => value === null)).toBe(true);
      expect(output.diagnostics["retrieval_path"]).toBeUndefined();
      expect(output.diagnostics["routing_trace"]).toMatchObject([{ stage: "crisis_gate", decision: "crisis" }]);
      expect(reply).not.toBe("I hear you.");
    }));

  it.each([["I want to die"], ["there is no way out"]])("lets go of a deletion that waited: the yes that follows %s answers something else", (text) =>
    withCompanion({ models: models() }, async ({ say, session }) => {
      await say("My sister Marta lives in Turin.");
      await say("Forget everything about Marta");
      expect(await session.memory.pending()).not.toBeNull();
      await say(text);
      expect(await session.memory.pending()).toBeNull();
      await say("yes");
      expect((await session.memory.find("Marta")).length).toBeGreaterThan(0);
    }),
  );

  it("case 15: unclear words are asked about in the style of a question, and an exercise waits", () =>
    withCompanion({ models: models() }, async ({ say }) => {
      await say("can we do box breathing?");
      const { output, reply } = await say("there is no way out");
      expect(output).toMatchObject({ route: "therapeutic", response_style: "clarifying", therapeutic_approach: "none", crisis: { level: 1 } });
      expect(output.exercise_state.exercise_type).toBe("grounding_box_breathing");
      expect(reply.match(/\?/gu)).toHaveLength(1);
    }));

  it("goes on as usual where the gate has nothing left to ask, and the reply knows what was said", async () => {
    const own = models();
    await withCompanion({ models: own }, async ({ say }) => {
      await say("I want to die");
      const styles: unknown[] = [];
      for (let turn = 0; turn < 24 && own.response.requests.length === 0; turn++)
        styles.push((await say(turn < 14 ? "I will call my sister" : "ok")).output.response_style);
      expect(styles.slice(0, -1).every((style) => style === "safety_check" || style === "crisis_response")).toBe(true);
      expect(styles.at(-1)).toBe("supportive");
      expect(own.response.requests[0]?.sections.find(({ name }) => name === "open")?.text).toContain("Something grave was said");
    });
  });

  it("case 1: the trace says what the gate has decided", () =>
    withCompanion({ models: models() }, async ({ say }) => {
      const decisions: unknown[] = [];
      for (const text of ["good morning", "there is no way out", "I want to die"]) {
        const { output } = await say(text);
        const trace = output.diagnostics["routing_trace"] as readonly { readonly stage: string; readonly decision: string }[];
        decisions.push(trace.find(({ stage }) => stage === "crisis_gate")?.decision);
      }
      expect(decisions).toEqual(["normal", "check", "crisis"]);
    }));

  it("has a prompt for a model that answers: no rule of manner in it, no memory, and what the gate directs", async () => {
    const own = { control: control(talk), response: scripted(() => "I am here with you. Are you thinking about suicide?") };
    await withCompanion({ models: own, safety: { packs: [plainPack], replyBy: "model" } }, async ({ say, session }) => {
      await session.memory.savePreference("Never ask me anything.");
      await say("I want to die");
      const names = own.response.requests[0]?.sections.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["soul", "identity", "policy", "crisis", "style", "approach", "safety"]));
      expect(own.response.requests[0]?.sections.map(({ text }) => text).join()).not.toContain("Never ask me");
      expect(own.response.requests[0]?.tools).toEqual([]);
    });
  });
});

describe("one turn by itself", () => {
  const options = { safety: { packs: [plainPack], replyBy: "static" } } as const;
  it("case 61: needs to know whose it is", () => expect(runAgent({ message: "hi" }, options)).rejects.toMatchObject({ code: "input.invalid" }));
  it.each([[{ message: " ", session_id: "x" }], [{ message: "hi", session_id: "x", history: [{ role: "nobody", content: "x" }] }]])(
    "refuses %j",
    (input) => expect(runAgent(input as never, options)).rejects.toMatchObject({ code: "input.invalid" }),
  );
  it("case 65: counts what was said before, shows it to the reply, and recalls what it is given", async () => {
    const own = { ...models(), classifier: calm };
    const history = [
      { role: "user", content: "My sister is ill." },
      { role: "assistant", content: "I am sorry." },
      { role: "user", content: "She lives in Turin." },
      { role: "assistant", content: "That is far." },
    ] as const;
    const output = await runAgent(
      { message: "I worry about her.", session_id: "x", history: [...history], working_memory: ["The dog is called Pepper"] },
      { ...options, models: own },
    );
    expect(output).toMatchObject({ response_text: "I hear you.", response_type: "therapeutic", response_style: "supportive" });
    const [asked] = own.response.requests;
    expect(asked?.messages.map(({ text }) => text)).toEqual([...history.map(({ content }) => content), "I worry about her."]);
    expect(asked?.sections.find(({ name }) => name === "memory")?.text).toContain("The dog is called Pepper");
    expect(own.control.requests[0]?.messages[0]?.text).toContain("Message 3 of the conversation");
  });
  it("follows through what was grave in what was said before", async () => {
    const output = await runAgent(
      {
        message: "never mind",
        session_id: "x",
        history: [
          { role: "user", content: "I want to die" },
          { role: "assistant", content: "I am here." },
        ],
      },
      options,
    );
    expect(output.crisis.level).toBeGreaterThan(0);
  });
});
