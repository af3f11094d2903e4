import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { exerciseCatalog } from "../../packages/companion/src/exercises/exercise-definition.ts";
import { Companion, fieldGroups, fieldNotes } from "../../packages/companion/src/companion-state.ts";
import { channels, responseStyles, routes, therapeuticApproaches } from "../../packages/companion/src/contract.ts";
import { flowActions, guidancePermissions, sessionIntents, toolKinds, triageRoutes } from "../../packages/companion/src/dispatch/dispatch-schemas.ts";
import { jsonSchemaOf } from "../../packages/throughline/src/kernel/schema.ts";
import { lookupStatuses, planQuestions, reasonCodes, riskTypes, safetyPaths } from "../../packages/throughline/src/safety.ts";
import { emergencyKinds } from "../../packages/throughline/src/safety/assessment.ts";
import { barrierKinds } from "../../packages/throughline/src/safety/crisis-plan.ts";
import { withExercises } from "../../scripts/companion/exercises-table.ts";
import { statePage } from "../../scripts/companion/state-page.ts";
import { plainPack } from "./support.ts";

describe("docs/reference/companion-state.md", () => {
  const page = statePage(createCompanion({ safety: { packs: [plainPack] } }));
  it("is what the code says", () => expect(readFileSync("docs/reference/companion-state.md", "utf8")).toBe(page));
  it("has every field in one of nine groups", () => {
    expect(Object.keys(fieldGroups)).toHaveLength(9);
    expect(Object.values(fieldGroups).flat().toSorted()).toEqual(Object.keys(Companion.fields).toSorted());
    for (const [group, fields] of Object.entries(fieldGroups))
      expect(page).toContain(`| ${group} | ${fields.map((field) => `\`${field}\``).join(", ")} |\n`);
  });
  it("has a row for every member of the contract, with its values and its default", () => {
    for (const row of [
      "| AgentInput | `message` | string |  |",
      '| AgentInput | `channel` | `test`, `web`, `voice`, `cli`, `sms`, `whatsapp`, `telegram` | `"test"` |',
      "| AgentInput | `user_id` | string or null | `null` |",
      "| AgentInput | `working_memory` | list of string or object | `[]` |",
      "| AgentOutput | `response_type` | `therapeutic`, `crisis` |  |",
      "| AgentOutput | `response_style_source` | `gate`, `dispatch`, `exercise`, `none` |  |",
      "| CompanionMessage | `role` | `system`, `user`, `assistant` |  |",
      "| CompanionMemoryEntry (semantic) | `category` | string | optional |",
      "| CompanionMemoryEntry (episodic) | `is_catch_up` | boolean |  |",
    ])
      expect(page).toContain(`${row}\n`);
  });
  it("tells of every field, and who writes it", () => {
    expect(Object.keys(fieldNotes).toSorted()).toEqual(Object.keys(Companion.fields).toSorted());
    for (const name of Object.keys(Companion.fields)) expect(page).toMatch(new RegExp(String.raw`\| \`${name}\` \|[^\n]*\| [^|\n]*\w[^|\n]* \|\n`));
  });
});

/** The rows of the page's last table: what each member may be. */
const closedLists: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  (readFileSync("docs/reference/companion-state.md", "utf8").split("## Closed lists of values")[1] ?? "").split("\n").flatMap((line) => {
    const [, path, values] = /^\| `([^`]+)` \| (.+) \|$/u.exec(line) ?? [];
    return path === undefined || values === undefined
      ? []
      : [[path, values.split(", ").map((value) => (value === "blank" ? "" : value.replaceAll("`", "")))] as const];
  }),
);

const levels = ["0", "1", "2", "3"];
const orNull = (values: readonly string[]): readonly string[] => [...values, "null"];
const answers = ["yes", "no", "evaded", "unknown"];

describe("the closed lists of docs/reference/companion-state.md", () => {
  it("are those of the code, and no others", () =>
    expect(closedLists).toEqual({
      channel: channels,
      route: routes,
      response_style: ["pending", ...responseStyles],
      therapeutic_approach: orNull(therapeuticApproaches),
      session_action: ["none", "suggest_end_session"],
      "session_progress.session_intent": orNull(sessionIntents),
      "session_progress.guidance_permission": orNull(guidancePermissions),
      "session_progress.approach": orNull(therapeuticApproaches),
      "exercise_state.exercise_therapeutic_approach": orNull(therapeuticApproaches),
      "open_clarification.tentative_route": triageRoutes,
      "memory_control.pending_action.type": ["delete", "delete_options"],
      "memory_reference.mode": ["none", "explicit"],
      "grounded_lookup.status": ["not_attempted", "answered", "no_verified_answer", "search_failed"],
      "turn_lifecycle.active_flow": ["none", "guided_exercise", "pending_memory_action"],
      "turn_lifecycle.action": flowActions,
      "turn_lifecycle.tentative_route": orNull(triageRoutes),
      "turn_lifecycle.secondary_route": orNull(triageRoutes),
      "dispatch.style.response_style": ["supportive", "reflective", "clarifying", "psychoeducation", "technique", "closing"],
      "dispatch.style.therapeutic_approach": therapeuticApproaches,
      "dispatch.style.session_intent": orNull(sessionIntents),
      "dispatch.style.guidance_permission": orNull(guidancePermissions),
      "dispatch.tools[]": toolKinds,
      "crisis.level": levels,
      "crisis.confidence": ["low", "medium", "high"],
      "crisis.reason": reasonCodes,
      "crisis_audit.crisis_override_kind": ["none", "floor", "raised", "lowered", "sticky", "released"],
      "crisis_audit.crisis_classifier_path": safetyPaths,
      resource_lookup_status: lookupStatuses,
      "safety_plan.last_asked": planQuestions,
      "safety_plan.answering": planQuestions,
      "safety_plan.heard": ["place", "reached", "put_away", "stuck", ...planQuestions],
      "safety_plan.barrier": barrierKinds,
      "safety_plan.emergency": emergencyKinds,
      "safety_plan.window[].level": levels,
      "safety_plan.highest": levels,
      "safety_plan.subject": ["self", "other"],
      "safety_plan.risk_types[]": riskTypes,
      "safety_plan.asked[]": planQuestions,
      ...Object.fromEntries(planQuestions.map((question) => [`safety_plan.answers.${question}`, answers])),
      "messages[].role": ["user", "assistant", "system", "tool"],
    }));

  it("are kept: a field takes each of its values, and no other text", () => {
    const tried = Object.entries(closedLists).filter(([path]) => !/[.[]/u.test(path) && path !== "response_style");
    expect(tried).toHaveLength(5);
    for (const [path, values] of tried) {
      const { schema } = Object.entries(Companion.fields).find(([name]) => name === path)?.[1] ?? {};
      const takes = (value: unknown): boolean => {
        const read = schema?.["~standard"].validate(value);
        return read !== undefined && !(read instanceof Promise) && read.issues === undefined;
      };
      expect(values.filter((value) => !takes(value === "null" ? null : value))).toEqual([]);
      expect([`${values[0]}x`, 1, undefined].filter(takes)).toEqual([]);
    }
  });
});

/** The fields of the described state, and their members. */
const describedFields = [
  ...["message", "channel", "user_id", "session_id", "installed_skills", "history", "transcript", "working_memory", "session_memory.summary"],
  ...["session_memory.active_concerns", "session_memory.open_loops", "session_memory.current_goal", "procedural_profile.procedural_rules"],
  ...["procedural_profile.proactive_recall_enabled", "session_progress.turn_count", "session_progress.is_guest", "session_progress.session_intent"],
  ...["session_progress.session_stage", "session_progress.guidance_permission", "exercise_state.exercise_type", "exercise_state.exercise_step"],
  ...["exercise_state.exercise_step_id", "exercise_state.exercise_version", "exercise_state.exercise_therapeutic_approach"],
  ...["memory_control.pending_action", "memory_control.action", "crisis.level", "crisis.confidence", "crisis.reason", "crisis.needs_crisis_response"],
  ...["crisis.needs_clarification", "crisis_audit.crisis_override_kind", "crisis_audit.crisis_classifier_path"],
  ...["crisis_audit.crisis_llm_failure_occurred", "route", "turn_lifecycle.active_flow", "turn_lifecycle.action", "memory_reference.mode"],
  ...["response_guidance", "response_text", "response_style", "therapeutic_approach", "session_action", "should_persist_memory"],
  ...["grounded_lookup.query", "grounded_lookup.status", "inferred_location", "found_resources", "resource_lookup_status", "diagnostics"],
];

/** The closed lists of the described state. */
const describedLists: Readonly<Record<string, readonly string[]>> = {
  channel: ["test", "web", "voice", "sms", "whatsapp", "telegram"],
  "session_progress.session_intent": ["vent", "understand", "reflect", "work", "regulate", "repair", "close"],
  "session_progress.guidance_permission": ["unknown", "not_yet", "granted"],
  "crisis.level": levels,
  "crisis.confidence": ["low", "medium", "high"],
  "crisis_audit.crisis_override_kind": ["none", "imminent_risk", "idiomatic_safe", "safety_denial"],
  "crisis_audit.crisis_classifier_path": ["llm_primary", "llm_fallback", "override", "deterministic"],
  route: ["crisis", "therapeutic", "memory_control", "grounded_lookup", "guided_exercise"],
  "turn_lifecycle.active_flow": ["none", "guided_exercise", "pending_memory_action"],
  "turn_lifecycle.action": ["none", "continue", "preserve", "resume", "clear"],
  "memory_reference.mode": ["none", "explicit"],
  response_style: [
    ...["pending", "supportive", "reflective", "clarifying", "psychoeducation", "technique", "guided_exercise", "closing", "safety_check"],
    ...["crisis_response", "memory_control", "grounded_lookup", "voice"],
  ],
  therapeutic_approach: ["motivational_interviewing", "cbt", "act", "dbt_skills", "grief_support", "interpersonal_therapy", "pfa", "none"],
  session_action: ["none", "suggest_end_session"],
  "memory_control.pending_action.type": ["delete", "delete_options"],
  "grounded_lookup.status": ["answered", "no_verified_answer", "not_attempted", "search_failed", "search_unavailable"],
  resource_lookup_status: ["found", "no_location", "location_refused", "no_verified_results", "not_attempted", "lookup_error", "search_failed"],
};

describe("the described state", () => {
  const deviations = readFileSync("docs/deviations.md", "utf8").split("## Safety and the companion")[1] ?? "";
  const isDeviation = (name: string): boolean => deviations.includes(`\`${name}\``);
  const members = new Set(
    Object.entries(Companion.fields).flatMap(([name, { schema }]) => {
      const { properties } = schema === undefined ? {} : jsonSchemaOf(schema, "output");
      return [name, ...Object.keys(typeof properties === "object" && properties !== null ? properties : {}).map((member) => `${name}.${member}`)];
    }),
  );
  it("has no field that is neither here nor a deviation", () => {
    const missing = describedFields.filter((path) => !members.has(path));
    expect(missing).toEqual(["history", "transcript", "session_progress.session_stage", "response_text"]);
    expect(missing.filter((path) => !isDeviation(path))).toEqual([]);
  });
  it("has no value that is neither here nor a deviation", () => {
    const missing = Object.entries(describedLists).flatMap(([path, values]) => values.filter((value) => closedLists[path]?.includes(value) !== true));
    expect(missing.toSorted()).toEqual(
      [
        ...["imminent_risk", "idiomatic_safe", "safety_denial", "llm_primary", "llm_fallback", "override", "deterministic"],
        ...["voice", "search_unavailable", "search_failed"],
      ].toSorted(),
    );
    expect(missing.filter((value) => !isDeviation(value))).toEqual([]);
  });
});

describe("the table of exercises in docs/reference/companion.md", () => {
  const page = readFileSync("docs/reference/companion.md", "utf8");
  it("is what the catalog says", () => expect(withExercises(page)).toBe(page));
  it("has a row for every exercise", () => {
    for (const { id, display_name } of exerciseCatalog) expect(page).toContain(`| ${display_name} (\`${id}\`) |`);
  });
  it("refuses a page without its marks", () => expect(() => withExercises("no table")).toThrow("has no marks"));
});
