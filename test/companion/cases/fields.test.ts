/** The state, field by field: how long each lives, who may write it, and what of it a model is shown in which style. */
import { describe, expect, it } from "vitest";
import { Companion } from "../../../packages/companion/src/companion-state.ts";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { responseStyles, type ResponseStyle } from "../../../packages/companion/src/contract.ts";
import { plainPack, styledAs, triaged } from "../support.ts";
import { breathing, lastTurn, sectionOf, sessionOf, shownTo, thread, withThread, writesOf, type Played, type PlayedOptions } from "./support.ts";

const play = (options: PlayedOptions, played: (played: Played) => Promise<void>): Promise<void> =>
  withThread({ ...options, safety: { packs: [plainPack], ...options.safety } }, played);

/** Every field of the described state: its lifecycle here, and the turn that shows it. */
const described: Readonly<Record<string, "input" | "loaded" | "reduced" | "turn">> = {
  ...{ message: "input", channel: "input", user_id: "input", session_id: "input", installed_skills: "input" },
  ...{ working_memory: "loaded", session_memory: "loaded", procedural_profile: "loaded" },
  ...{ messages: "reduced", session_progress: "reduced", exercise_state: "reduced", safety_plan: "reduced", open_clarification: "reduced" },
  ...{ memory_control: "turn", grounded_lookup: "turn", crisis: "turn", crisis_audit: "turn", route: "turn", turn_lifecycle: "turn" },
  ...{
    dispatch: "turn",
    memory_reference: "turn",
    response_guidance: "turn",
    response_style: "turn",
    therapeutic_approach: "turn",
    session_action: "turn",
  },
  ...{ should_persist_memory: "turn", inferred_location: "turn", found_resources: "turn", resource_lookup_status: "turn", diagnostics: "turn" },
};

describe("how long a field lives", () => {
  it("is said of every field", () =>
    expect(Object.fromEntries(Object.entries(Companion.fields).map(([name, { lifecycle }]) => [name, lifecycle]))).toEqual(described));

  it("turn: nothing of a busy turn is in the next one, diagnostics neither", () => {
    let asked = 0;
    return play(
      {
        answers: {
          style: styledAs("closing", { response_guidance: "Go slowly." }),
          triage: () => triaged(asked++ === 0 ? { route: "grounded_lookup", query: "What is caffeine?" } : {}),
        },
      },
      async ({ view }) => {
        const busy = await view("What is caffeine?");
        expect(busy.grounded_lookup.status).toBe("answered");
        const closing = await view("I have to go now.");
        expect(closing).toMatchObject({ grounded_lookup: { query: "", status: "not_attempted" }, session_action: "suggest_end_session" });
        expect(Object.keys(closing.diagnostics).filter((name) => name.startsWith("grounded"))).toEqual([]);
        expect((await view("can we do box breathing?")).session_action).toBe("none");
      },
    );
  });
  it("turn: a crisis leaves no level, no service and no style in the turn after it; its plan stays", () =>
    play({}, async ({ view, state }) => {
      expect((await view("I want to die. I live in Canada.")).found_resources.length).toBeGreaterThan(0);
      expect(await view("no")).toMatchObject({ crisis: { level: 1 }, response_style: "safety_check" });
      expect((await state())["safety_plan"]).toMatchObject({ highest: 2, regions: ["CA"] });
    }));
  it("reduced: an exercise, the count of turns and what they are after outlive turns; what is written is joined to what is there", () =>
    play({ answers: { style: styledAs("reflective", { session_intent: "understand", therapeutic_approach: "cbt" }) } }, async ({ say, state }) => {
      await say("I keep thinking about it.");
      await breathing({ say });
      expect(await state()).toMatchObject({
        session_progress: { turn_count: 2, session_intent: "understand", approach: "cbt", is_guest: false },
        exercise_state: { exercise_type: "grounding_box_breathing" },
      });
    }));
  it("loaded: what is remembered is read anew in each turn, and is in no stored state", () =>
    play({}, async ({ say, state, replies, companion }) => {
      await sessionOf(companion);
      const memory = companion.runtime.customers.memory(thread.user_id);
      const fact = await memory.remember({ quote: "My sister Marta lives in Turin." });
      await say("How is Marta in Turin?");
      expect(sectionOf(replies.requests.at(-1), "memory")).toContain("Turin");
      await memory.forget([fact.entry_id]);
      await say("How is Marta?");
      expect(sectionOf(replies.requests.at(-1), "memory") ?? "").not.toContain("lives in Turin");
      expect(Object.keys(await state())).not.toEqual(expect.arrayContaining(["working_memory"]));
    }));
  it("input: is what the caller gives with the message, and no more than once", () =>
    play({}, async ({ say, state }) => {
      await say("Good morning", { installed_skills: [], channel: "web" });
      expect(Object.keys(await state())).not.toEqual(expect.arrayContaining(["channel"]));
    }));
});

describe("a stage", () => {
  const declared = new Map(createCompanion().stages.map(({ name, writes }) => [name, writes]));
  it.each([
    ["an ordinary turn", ["I went for a walk today."]],
    ["an exercise", ["can we do box breathing?", "done"]],
    ["a command", ["What do you remember about me?"]],
    ["a lookup", ["can you look up what caffeine is?"]],
    ["a question about safety", ["there is no way out"]],
    ["a crisis in an exercise", ["can we do box breathing?", "I want to die"]],
    ["the time after", ["I want to die", "no"]],
  ])("writes to its own fields alone: %s", (_, messages) =>
    play({}, async (played) => {
      for (const message of messages) await played.say(message);
      const writes = await writesOf(played);
      const gate = writes["safety"] ?? [];
      expect(Object.entries(writes).filter(([name, fields]) => fields.some((field) => declared.get(name)?.includes(field) === false))).toEqual([]);
      expect(
        gate.filter(
          (field) =>
            ![
              "crisis",
              "crisis_audit",
              "inferred_location",
              "found_resources",
              "resource_lookup_status",
              "safety_plan",
              "response_style",
              "diagnostics",
            ].includes(field),
        ),
      ).toEqual([]);
    }),
  );
  it("case 13: in a crisis nothing writes but the gate, what begins a turn, and what lets go of the rest", () =>
    play({}, async (played) => {
      await breathing(played);
      await played.say("I want to die");
      const writes = await writesOf(played);
      expect(Object.keys(writes).toSorted()).toEqual(["begin", "safety", "safety_first"]);
      expect(writes["safety_first"]).toEqual(expect.arrayContaining(["diagnostics", "exercise_state", "route"]));
    }));
  it("case 63: recall writes to four fields, three of memory and the diagnostics; what it recalls is in no log", () =>
    play({}, async (played) => {
      await sessionOf(played.companion);
      const memory = played.companion.runtime.customers.memory(thread.user_id);
      await memory.remember({ quote: "My sister Marta lives in Turin." });
      await memory.savePreference("Keep it short.");
      await played.say("How is Marta?");
      const fields = (await writesOf(played))["memory"] ?? [];
      expect(fields).toContain("diagnostics");
      expect(fields.filter((field) => !["working_memory", "session_memory", "procedural_profile", "diagnostics"].includes(field))).toEqual([]);
      expect(sectionOf(played.replies.requests[0], "memory")).toContain("Turin");
      expect(sectionOf(played.replies.requests[0], "procedural_rules")).toContain("Keep it short.");
      expect(JSON.stringify(await lastTurn(played))).not.toMatch(/Turin|Keep it short/u);
    }));
});

/** What each style is shown, in the prompts that it is really sent with. */
const shows = { guidance: "Go slowly.", memory: "lives in Turin", history: "It rained on Monday.", rules: "Call me Captain" } as const;
type Cell = keyof typeof shows;
const conversing: readonly Cell[] = ["guidance", "memory", "history", "rules"];
const matrix: Readonly<Partial<Record<ResponseStyle, readonly Cell[]>>> = {
  supportive: conversing,
  reflective: conversing,
  psychoeducation: conversing,
  technique: conversing,
  closing: conversing,
  clarifying: ["guidance", "history", "rules"],
};

/** The last prompt of a reply, after a conversation that has something for every cell. */
async function promptOf(style: ResponseStyle, message: string, options: PlayedOptions = {}): Promise<string> {
  let prompt = "";
  await play(
    { answers: { style: styledAs(style, { response_guidance: shows.guidance, therapeutic_approach: "act" }) }, ...options },
    async (played) => {
      await sessionOf(played.companion);
      const memory = played.companion.runtime.customers.memory(thread.user_id);
      await memory.remember({ quote: "My sister Marta lives in Turin." });
      await memory.savePreference(`${shows.rules}.`);
      await played.say(shows.history);
      await played.say(message);
      prompt = shownTo(played.replies.requests.at(-1));
    },
  );
  return prompt;
}

describe("the prompt of a style", () => {
  const ask = "What about Marta in Turin?";
  it.each(
    Object.entries(matrix).flatMap(([style, cells]) => conversing.map((cell) => [style as ResponseStyle, cell, cells.includes(cell)] as const)),
  )("%s: %s is in it: %s", async (style, cell, expected) => {
    const prompt = await promptOf(style, ask);
    expect(prompt).toContain(ask);
    expect(prompt.includes(shows[cell])).toBe(expected);
  });
  it.each([
    ["crisis_response", "I want to die, Marta"],
    ["safety_check", "there is no way out, Marta"],
  ] as const)("%s: what was said before is in it, and nothing that is remembered, wished or noted", async (style, message) => {
    const prompt = await promptOf(style, message, { safety: { replyBy: "model" }, reply: () => "I am with you. Are you thinking about suicide?" });
    expect([prompt.includes(shows.history), prompt.includes(message)]).toEqual([true, true]);
    expect([shows.memory, shows.rules, shows.guidance].filter((text) => prompt.includes(text))).toEqual([]);
  });
  it("guided_exercise: what is remembered and wished, what was said before, and the step", async () => {
    const prompt = await promptOf("supportive", "can we do box breathing?");
    expect(prompt).toContain("breathe in gently");
    expect([shows.history, shows.rules].filter((text) => !prompt.includes(text))).toEqual([]);
  });
  it.each([
    ["memory_control", "What do you remember about me?"],
    ["grounded_lookup", "can you look up what caffeine is?"],
  ] as const)("%s: no prompt is made, since its answer is worded without one", (style, message) =>
    play(
      { answers: { triage: triaged(style === "grounded_lookup" ? { route: style, query: "What is caffeine?" } : {}) } },
      async ({ view, replies }) => {
        expect((await view(message)).response_style).toBe(style);
        expect(replies.requests).toEqual([]);
      },
    ),
  );
  it("every style is in one of these tables", () =>
    expect([...Object.keys(matrix), "crisis_response", "safety_check", "guided_exercise", "memory_control", "grounded_lookup"].toSorted()).toEqual(
      [...responseStyles].toSorted(),
    ));
});
