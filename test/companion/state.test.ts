import { describe, expect, expectTypeOf, it } from "vitest";
import {
  agentInputSchema,
  type AgentOutput,
  agentOutputSchema,
  type Channel,
  resolveOwnerId,
  type ResponseCategory,
  type ResponseStyle,
  responseStyles,
  type Route,
  STAGE_LABELS,
  stageLabel,
  therapeuticApproaches,
  type CompanionMemoryEntry,
} from "../../packages/companion/src/contract.ts";
import { contextLine, stateToOutput } from "../../packages/companion/src/turn-output.ts";
import { formatWorkingMemory, formatWorkingMemoryEntry } from "../../packages/companion/src/dispatch/memory-stage.ts";
import { Companion, type CompanionInput, type CompanionOutput } from "../../packages/companion/src/companion-state.ts";

const lifecycles = {
  input: ["message", "channel", "user_id", "session_id", "installed_skills"],
  loaded: ["working_memory", "session_memory", "procedural_profile"],
  reduced: ["messages", "session_progress", "exercise_state", "open_clarification", "safety_plan"],
  turn: [
    ...[
      "crisis",
      "crisis_audit",
      "diagnostics",
      "dispatch",
      "found_resources",
      "grounded_lookup",
      "inferred_location",
      "memory_control",
      "memory_reference",
    ],
    ...["resource_lookup_status", "response_guidance", "response_style", "route", "session_action", "should_persist_memory", "therapeutic_approach"],
    "turn_lifecycle",
  ],
} as const;

describe("the state", () => {
  it.each(Object.entries(lifecycles))("has as its %s fields those, and no others", (lifecycle, names) => {
    const found = Object.entries(Companion.fields).flatMap(([name, field]) => (field.lifecycle === lifecycle ? [name] : []));
    expect(found.toSorted()).toEqual([...names].toSorted());
  });

  it("shows clients nothing by itself, and callers what a reply was", () => {
    const shown = (show: string): readonly string[] =>
      Object.entries(Companion.fields).flatMap(([name, field]) => (field.show === show ? [name] : []));
    expect(shown("public")).toEqual([]);
    expect(shown("output")).toEqual(expect.arrayContaining(["route", "response_style", "therapeutic_approach", "crisis", "diagnostics"]));
    expect(shown("output")).not.toEqual(expect.arrayContaining(["working_memory"]));
  });

  it("is typed: what a caller gives, and what a caller gets", () => {
    expectTypeOf<CompanionInput>().toHaveProperty("message").toEqualTypeOf<string>();
    expectTypeOf<CompanionInput["channel"]>().toEqualTypeOf<Channel | undefined>();
    expectTypeOf<CompanionOutput["route"]>().toEqualTypeOf<Route>();
    expectTypeOf<AgentOutput["response_type"]>().toEqualTypeOf<ResponseCategory>();
    expectTypeOf<string>().toExtend<CompanionMemoryEntry>();
  });

  it("has eleven styles and eight approaches", () => expect([responseStyles.length, therapeuticApproaches.length]).toEqual([11, 8]));
});

describe("the contract", () => {
  it.each([[""], ["  \n"]])("refuses the message %j", (message) => expect(agentInputSchema.safeParse({ message }).success).toBe(false));
  it("refuses what it does not know", () => expect(agentInputSchema.safeParse({ message: "hi", model: "x" }).success).toBe(false));
  it("labels a stage, and shows an unknown one by its name", () => {
    expect(stageLabel("load_memory")).toBe("loading memory");
    expect(stageLabel("guided_exercise")).toBe("guiding an exercise");
    expect(stageLabel("toString")).toBe("toString");
    expect(Object.values(STAGE_LABELS).join(" ")).not.toMatch(/therap|treat|diagnos/i);
  });
});

describe("the owner", () => {
  it.each([
    [{ user_id: "ada", session_id: "t" }, "ada"],
    [{ user_id: "", session_id: "t" }, "t"],
    [{ user_id: null, session_id: "t" }, "t"],
  ])("case 61: of %j is %j", (identity, owner) => expect(resolveOwnerId(identity)).toBe(owner));
  it.each([[{}], [{ user_id: " ", session_id: null }]])("case 61: of %j is nobody, and nobody is guessed", (identity) =>
    expect(() => resolveOwnerId(identity)).toThrow(expect.objectContaining({ code: "input.invalid" })),
  );
});

describe("the output", () => {
  it.each([
    [0, "therapeutic", false, false],
    [1, "therapeutic", false, true],
    [2, "crisis", true, false],
    [3, "crisis", true, false],
  ] as const)("case 66: of a plain mapping of level %d is one of category %s", (level, category, response, clarification) => {
    const output = stateToOutput({ crisis: { level, needs_crisis_response: level === 0, needs_clarification: level === 3 }, response_text: "x" });
    expect(output.response_type).toBe(category);
    expect(output.crisis).toMatchObject({ level, needs_crisis_response: response, needs_clarification: clarification });
    expect(agentOutputSchema.safeParse(output).success).toBe(true);
  });
  it("case 66: of a level that there is not is refused", () =>
    expect(() => stateToOutput({ crisis: { level: 9 } })).toThrow(expect.objectContaining({ code: "input.invalid" })));
  it("has no style and no approach that the companion does not have", () => {
    const output = stateToOutput({ response_style: "sales", therapeutic_approach: "hypnosis" });
    expect(output).toMatchObject({ response_style: "pending", response_style_source: "none", therapeutic_approach: null });
    expect(stateToOutput({ response_style: "technique", therapeutic_approach: "act" })).toMatchObject({
      ...{ response_style: "technique", response_style_source: "dispatch", therapeutic_approach: "act" },
    });
    expectTypeOf<AgentOutput["response_style"]>().toEqualTypeOf<ResponseStyle | "pending">();
  });
  it("has defaults for all that is missing", () =>
    expect(stateToOutput({})).toMatchObject({ response_text: "", response_style: "pending", response_style_source: "none", session_action: "none" }));
});

describe("working memory", () => {
  const fact = {
    type: "semantic",
    evidence_quote: "my boss is terrible",
    category: "relationship",
    subject: "User",
    predicate: "WORRIES_ABOUT",
    object: "work",
  } as const;
  const arc = { type: "episodic", summary: "talked about loss after my dog died.", primary_themes: ["grief"], is_catch_up: true } as const;
  it.each([
    ["a fact", fact, '[relationship] User WORRIES ABOUT work — "my boss is terrible"'],
    ["a fact without a triple", { type: "semantic", evidence_quote: "I like tea" }, 'Previously noted: "I like tea"'],
    ["a fact without a quote", { ...fact, evidence_quote: " " }, undefined],
    ["an episode", arc, "Last session (grief): talked about loss after my dog died."],
    [
      "an episode with an approach",
      { ...arc, approach_used: "cbt", approach_context: { thought: "it was my fault" } },
      "Last session (grief, CBT): talked about loss after my dog died. [Thought: it was my fault]",
    ],
    [
      "an episode without themes",
      { ...arc, primary_themes: [], approach_used: "none" },
      "Last session (untagged): talked about loss after my dog died.",
    ],
    ["case 68: a line of an older program", "User likes  tea", "User likes  tea"],
  ] as const)("shows %s", (_, entry, line) => expect(formatWorkingMemoryEntry(entry)).toBe(line));
  it("leaves out what says nothing", () => expect(formatWorkingMemory([fact, { ...fact, evidence_quote: "" }, " "])).toHaveLength(1));
});

describe("the line under a reply", () => {
  it("says where a turn went, how it was answered and what it knew", () =>
    expect(
      contextLine({
        ...{ route: "therapeutic", response_style: "guided_exercise", therapeutic_approach: "act", crisis: { level: 0 } },
        ...{ diagnostics: { semantic_hits: 2, episodic_hits: 1 }, exercise_state: { exercise_type: "grounding_box_breathing", exercise_step: 1 } },
        session_progress: { is_guest: false },
      }),
    ).toBe("persistent · therapeutic · guided_exercise · act · level 0 · memory 2 + 1 · grounding_box_breathing step 2"));
  it("says what it can of what is missing", () => {
    expect(contextLine({})).toBe("persistent · undecided · pending · level 0");
    expect(contextLine({ session_progress: { is_guest: true }, route: "crisis", response_style: "crisis_response", crisis: { level: 3 } })).toBe(
      "incognito · crisis · crisis_response · level 3",
    );
  });
});
