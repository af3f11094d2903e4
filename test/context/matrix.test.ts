import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assembled } from "../../packages/throughline/src/context/assemble.ts";
import { promptMatrix } from "../../packages/throughline/src/context/prompt-options.ts";
import { asData } from "../../packages/throughline/src/context/to-model.ts";
import { recalledMemory, stageGuidance } from "../../packages/throughline/src/context/stock-sections.ts";
import {
  defineAgent,
  defineState,
  input,
  loop,
  recentMessages,
  scripted,
  section,
  stateFields,
  turn,
  type PromptPart,
} from "../../packages/throughline/src/index.ts";
import { variablesOf } from "../../packages/throughline/src/session/session-variables.ts";
import type { Message } from "../../packages/throughline/src/session/session-messages.ts";
import { piece, recalledOf } from "./recalled.ts";

const therapeutic = ["supportive", "reflective", "psychoeducation", "technique", "guided_exercise", "closing"];
const guided = [...therapeutic, "clarifying", "safety_check", "crisis_response"];
const styles = [...guided, "memory_control", "grounded_lookup"];

const State = defineState({
  message: input(z.string()),
  response_style: turn(z.string()),
  found_resources: turn(z.array(z.string())),
});
const sections = [
  section("response guidance", ({ state }) => `Speak in the style ${String((state as Record<string, unknown>)["response_style"])}.`, {
    audience: guided,
  }),
  stageGuidance({ audience: therapeutic }),
  recalledMemory({ audience: therapeutic }),
  stateFields("found resources", ["found_resources"], {
    audience: ["crisis_response"],
    provenance: "retrieved",
  }),
  recentMessages({ audience: guided }),
  recentMessages({ window: 4, audience: ["grounded_lookup"] }),
] as readonly PromptPart[];
const agent = defineAgent({
  ...{ name: "companion", version: 1, state: State, sections, reply: loop({ model: scripted([]) }) },
  prompt: { style: "response_style", styles },
});

/** The table of what each style sees: guidance, stage, memory, resources, messages of history, current message. */
const table: readonly (readonly [style: string, ...cells: readonly (boolean | number)[]])[] = [
  ["supportive", true, true, true, false, 20, true],
  ["reflective", true, true, true, false, 20, true],
  ["psychoeducation", true, true, true, false, 20, true],
  ["technique", true, true, true, false, 20, true],
  ["guided_exercise", true, true, true, false, 20, true],
  ["closing", true, true, true, false, 20, true],
  ["clarifying", true, false, false, false, 20, true],
  ["safety_check", true, false, false, false, 20, true],
  ["crisis_response", true, false, false, true, 20, true],
  ["memory_control", false, false, false, false, 0, true],
  ["grounded_lookup", false, false, false, false, 4, true],
  ["a style that there is not", false, false, false, false, 0, true],
];
const parts = ["response guidance", "stage of the conversation", "memory", "found resources", "recent history", "current message"];
const cells = table.flatMap(([style, ...row]) => row.map((seen, index) => ({ style, part: parts[index] ?? "", seen })));

const messages: readonly Message[] = Array.from({ length: 31 }, (_, index) => ({
  ...{ offset: index + 1, text: `said ${index + 1}`, is_trace: false },
  ...(index % 2 === 0 ? { role: "user", source: "customer" } : { role: "assistant", source: "ai_agent" }),
}));
const promptFor = (response_style: string) =>
  assembled(
    agent.sections,
    {
      ...{
        state: { response_style, found_resources: ["Line A 555"] } as never,
        variables: variablesOf({ version: 0, values: {} }),
        messages,
        answers: [31],
      },
      ...{ memory: recalledOf([piece("turn:1", "[2026-01-01] her cat is Ada")]), stage: "deepening" as const },
    },
    { prompt: agent.prompt },
  );

describe("who sees what", () => {
  it.each(cells)("$style · $part: $seen", ({ style, part, seen }) => {
    const { request, record } = promptFor(style);
    const row = promptMatrix(agent).find((one) => one.style === (styles.includes(style) ? style : null));
    const cell = row?.cells.find((one) => one.part === part);
    if (part === "recent history") {
      expect(cell?.window).toBe(seen);
      expect(request.messages).toHaveLength(seen === 0 ? 1 : Number(seen));
    } else if (part === "current message") {
      expect(cell?.seen).toBe(true);
      expect(request.messages.at(-1)).toMatchObject({ role: "user", text: "said 31" });
    } else {
      expect(cell?.seen).toBe(seen);
      expect(request.sections.some(({ name }) => name === part)).toBe(seen);
    }
    const told = record().parts.find(({ name }) => name === part);
    expect(told?.placement).toBe(seen === false || seen === 0 ? "dropped: policy" : "in prompt");
  });

  it("says in the record which style it was for, and that a style was none", () => {
    expect(promptFor("closing").record().style).toBe("closing");
    expect(promptFor("sarcastic").record().style).toBeNull();
  });

  it("does not even make a section that the style may not see", () => {
    const refuses = section(
      "secret",
      () => {
        throw new Error("rendered");
      },
      { audience: ["supportive"] },
    );
    const of = (style: string) =>
      assembled(
        [refuses],
        { state: { response_style: style } as never, variables: variablesOf({ version: 0, values: {} }), messages, answers: [31] },
        { prompt: agent.prompt },
      );
    expect(of("closing").request.sections).toEqual([]);
    expect(() => of("supportive")).toThrow("rendered");
  });

  it("shows what was found and remembered as data", () => {
    const crisis = promptFor("crisis_response").request.sections.find(({ name }) => name === "found resources");
    expect(crisis?.text).toBe(asData("found resources", ['{"found_resources":["Line A 555"]}']));
    expect(promptFor("closing").request.sections.find(({ name }) => name === "memory")?.text).toContain(
      '<data name="memory">\n[2026-01-01] her cat is Ada\n</data>',
    );
  });

  const define = (options: object) => () => defineAgent({ name: "x", version: 1, state: State, reply: loop({ model: scripted([]) }), ...options });
  it.each([
    ["a style that is not listed", { sections: [section("a", () => "x", { audience: ["calm"] })], prompt: { style: "response_style", styles } }],
    ["an audience without styles", { sections: [section("a", () => "x", { audience: ["closing"] })] }],
    ["a history for a style that is not listed", { sections: [recentMessages({ audience: ["calm"] })], prompt: { style: "response_style", styles } }],
    ["a field that the state does not have", { prompt: { style: "mood", styles } }],
    ["styles without a field", { prompt: { styles } }],
    ["a field without styles", { prompt: { style: "response_style" } }],
    ["no styles", { prompt: { style: "response_style", styles: [] } }],
    ["a style twice", { prompt: { style: "response_style", styles: ["a", "a"] } }],
    ["an option that there is not", { prompt: { colour: "red" } }],
    ["no options", { prompt: "short" }],
    ["a budget of none", { prompt: { budget: 0 } }],
    ["a tokenizer that counts nothing", { prompt: { tokenizer: { name: "x" } } }],
    ["an exercise that the state does not have", { prompt: { stage: { exercise: "none" } } }],
    ["requests kept for no days", { keepRequests: { days: 0 } }],
    ["requests kept for ever", { keepRequests: "yes" }],
  ])("refuses %s", (_what, options) => {
    expect(define(options)).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
  });
  it.each([
    { audience: [] },
    { audience: "all" },
    { priority: -1 },
    { priority: 101 },
    { priority: Number.NaN },
    { budget: 0.5 },
    { provenance: "rumour" },
    { changes: "often" },
    { says: " " },
    { size: 3 },
  ])("refuses a section with %j", (options) => {
    expect(() => section("a", () => "x", options as never)).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
  });
});
