import { describe, expect, it } from "vitest";
import { routed } from "../../packages/companion/src/dispatch/triage-stage.ts";
import { commandOf } from "../../packages/companion/src/dispatch/memory-stage.ts";
import { styled } from "../../packages/companion/src/dispatch/style-stage.ts";
import { styleSchema, triageSchema } from "../../packages/companion/src/dispatch/dispatch-schemas.ts";
import { noExercise, type CompanionState } from "../../packages/companion/src/companion-state.ts";

const known = {
  exercise_state: noExercise,
  session_progress: { turn_count: 4, session: 1, is_guest: false, session_intent: null, guidance_permission: null, approach: null },
  turn_lifecycle: {
    ...{ active_flow: "none", action: "none", clarification_needed: false, clarification_kind: null, tentative_route: null },
    ...{ secondary_route: null, answers_clarification: false, let_go: false },
  },
  memory_reference: { mode: "none" },
  response_guidance: "",
} as unknown as CompanionState;
const exercising = {
  ...known,
  exercise_state: { ...noExercise, exercise_type: "grounding_box_breathing", exercise_step: 1, exercise_therapeutic_approach: "act" },
} as CompanionState;
const decision = (given: object) => triageSchema.parse({ route: "therapeutic", confidence: "high", ...given });

describe("a triage decision", () => {
  it("reads what a weak model leaves out, and drops what does not fit", () =>
    expect(
      triageSchema.parse({ route: "therapeutic", confidence: "high", query: 7, target_index: "two", memory_action_type: "explode" }),
    ).toMatchObject({
      query: null,
      target_index: null,
      memory_action_type: null,
      active_flow_action: "none",
    }));
  it.each([[{}], [{ route: "elsewhere", confidence: "high" }], [{ route: "therapeutic", confidence: "sure" }]])("refuses %j", (given) =>
    expect(triageSchema.safeParse(given).success).toBe(false),
  );

  it("case 51: that is unsure asks back, and keeps where it seemed to go", () => {
    const { route, response_style, turn_lifecycle, open_clarification } = routed(
      known,
      decision({ route: "grounded_lookup", confidence: "low" }),
      "hm",
    );
    expect({ route, response_style }).toEqual({ route: "therapeutic", response_style: "clarifying" });
    expect(turn_lifecycle).toMatchObject({ tentative_route: "grounded_lookup", clarification_kind: "low_confidence", clarification_needed: true });
    expect(open_clarification).toEqual({ tentative_route: "grounded_lookup", turn_count: 4 });
  });
  it("case 51: that wants to ask says what, in its guidance", () =>
    expect(routed(known, decision({ clarification_needed: true, clarification_question: "Which one?" }), "x")).toMatchObject({
      response_style: "clarifying",
      turn_lifecycle: { clarification_kind: "blocking" },
      response_guidance: "It is not clear what they mean. Ask, in your own words: Which one?",
    }));
  it("does not ask back about a wish for privacy", () =>
    expect(
      routed(known, decision({ route: "memory_control", confidence: "low", no_clarification_reason: "explicit_privacy_control" }), "x").route,
    ).toBe("memory_control"));

  it.each([
    ["the query", "What is caffeine?", "What is caffeine?"],
    ["the message", null, "what is it"],
    ["the message", "  ", "what is it"],
  ])("case 53: looks up %s", (_, query, asked) =>
    expect(routed(known, decision({ route: "grounded_lookup", query }), "what is it")).toMatchObject({
      route: "grounded_lookup",
      response_style: "grounded_lookup",
      grounded_lookup: { query: asked },
    }),
  );

  it("cuts a long query between letters", () => {
    const { grounded_lookup } = routed(known, decision({ route: "grounded_lookup" }), `${"a".repeat(279)}😀 and more`);
    expect(grounded_lookup?.query).toBe("a".repeat(279));
  });

  it("case 100: begins an exercise with the approach of the conversation, and none without one", () => {
    const start = decision({ route: "guided_exercise", exercise_type: "grounding_box_breathing", exercise_start_basis: "explicit_user_request" });
    expect(routed(known, start, "x")).toMatchObject({ therapeutic_approach: "none", exercise_state: { exercise_type: "grounding_box_breathing" } });
    expect(routed({ ...known, session_progress: { ...known.session_progress, approach: "cbt" } }, start, "x").therapeutic_approach).toBe("cbt");
  });
  it("begins none on a broad wish to calm down", () =>
    expect(routed(known, decision({ route: "guided_exercise" }), "help me calm down").route).toBe("therapeutic"));
  it("names no other exercise while one is under way", () =>
    expect(routed(exercising, decision({ route: "guided_exercise", exercise_type: "values" }), "x").exercise_state).toBeUndefined());
  it("says nothing of a flow where there is none", () => {
    expect(routed(known, decision({ active_flow_action: "clear" }), "x").turn_lifecycle.action).toBe("none");
    expect(routed(exercising, decision({ active_flow_action: "clear" }), "x").turn_lifecycle.action).toBe("clear");
  });
  it("case 40: an explicit reference to the memory holds for the turn, and a later none does not take it back", () => {
    expect(routed(known, decision({ memory_reference_mode: "explicit" }), "x").memory_reference).toEqual({ mode: "explicit" });
    expect(routed(known, decision({}), "x").memory_reference).toBeUndefined();
  });
});

describe("a command that triage has found", () => {
  it.each([
    ["status", {}, { type: "status" }],
    ["list", {}, { type: "list" }],
    ["set_recall", { enabled: false }, { type: "set_recall", enabled: false }],
    ["set_recall", {}, undefined],
    ["forget_by_index", { target_kind: "fact", target_index: 2 }, { type: "forget_by_index", index: 2, kind: "fact" }],
    ["forget_by_index", {}, { type: "forget_vague" }],
    ["forget_by_query", { query: "Marta" }, { type: "forget_by_query", query: "Marta" }],
    ["confirm_pending", {}, { type: "repeat_pending" }],
    ["cancel_pending", {}, { type: "cancel_pending" }],
    [null, {}, undefined],
  ])("%s with %j is %j", (memory_action_type, given, command) =>
    expect(commandOf(decision({ memory_action_type, ...given }), "forget it")).toEqual(command),
  );
  it.each([["that"], ["it."], ["THIS"], [null], [""]])("case 38: a target that is %j is vague", (query) =>
    expect(commandOf(decision({ memory_action_type: "forget_by_query", query }), "forget that")).toEqual({ type: "forget_vague" }),
  );
  it("keeps a preference in words that were said, and no others", () => {
    const save = (preference_text: string) =>
      commandOf(decision({ memory_action_type: "save_preference", preference_text }), "Please keep it short from now on");
    expect(save("keep it short")).toEqual({ type: "save_preference", text: "keep it short" });
    expect(save("never mention help lines")).toEqual({ type: "save_preference", text: "Please keep it short from now on" });
  });
});

describe("a style decision", () => {
  const style = (given: object) => styleSchema.parse({ response_style: "supportive", ...given });
  it.each([
    ["supportive", "cbt", "cbt"],
    ["clarifying", "cbt", "none"],
    ["closing", "act", "none"],
    ["technique", "dbt_skills", "dbt_skills"],
  ] as const)("%s with %s has the approach %s", (response_style, therapeutic_approach, approach) =>
    expect(styled(known, style({ response_style, therapeutic_approach })).therapeutic_approach).toBe(approach),
  );
  it.each([
    ["clarifying", "act"],
    ["supportive", "act"],
    ["psychoeducation", "cbt"],
  ] as const)("case 101: beside an exercise, %s has the approach %s", (response_style, approach) =>
    expect(styled(exercising, style({ response_style, therapeutic_approach: "cbt" })).therapeutic_approach).toBe(approach),
  );
  it("suggests an end where they are about to go", () => {
    expect(styled(known, style({ response_style: "closing" })).session_action).toBe("suggest_end_session");
    expect(styled(known, style({})).session_action).toBe("none");
  });
});
