/** Where a turn has gone is known only after the model ran: a tool that it called turns the reply into an answer about the memory, or a lookup. */
import { hook, type Hook } from "throughline";
import { memoryTools } from "throughline/memory";
import { traced } from "../dispatch/trace.ts";
import { withheldTools, type Skill } from "../skills.ts";
import { Companion } from "../state.ts";
import { lookUpName } from "./look-up.ts";

/** The tools that answer by themselves: what they return is the reply. */
export const memoryToolNames: readonly string[] = memoryTools().map(({ name }) => name);
export const answeringTools: readonly string[] = [...memoryToolNames, lookUpName];

const textMember = (value: object, name: string): string => {
  const member: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof member === "string" ? member : "";
};

/** Sends a turn whose model has called one of these tools where the tool belongs, with the tool's own words as the reply. */
export const rerouteHook = (): Hook =>
  hook("reroute", {
    state: Companion,
    writes: ["route", "response_style", "therapeutic_approach", "memory_control", "grounded_lookup", "diagnostics"],
    tools: answeringTools,
    afterTool: ({ call, result, state }) => {
      if (result.type !== "ok" || typeof result.value !== "object" || result.value === null) return undefined;
      const reply = textMember(result.value, "reply");
      if (reply === "") return undefined;
      const said = { result: { type: "ok", value: reply } } as const;
      const record = { stage: "reply", source: "model", reason: call.name, confidence: "high" } as const;
      if (call.name === lookUpName)
        return {
          ...said,
          delta: {
            route: "grounded_lookup",
            response_style: "grounded_lookup",
            therapeutic_approach: "none",
            grounded_lookup: { query: textMember(result.value, "query"), status: lookedUp(textMember(result.value, "status")) },
            diagnostics: { ...traced(state, { ...record, decision: "grounded_lookup" }), grounded_tool_selected: call.name },
          },
        } as const;
      const effects = textMember(result.value, "side_effects");
      return {
        ...said,
        delta: {
          route: "memory_control",
          response_style: "memory_control",
          therapeutic_approach: "none",
          memory_control: { action: { type: call.name, effects } },
          diagnostics: { ...traced(state, { ...record, decision: "memory_control" }), memory_tool_selected: call.name, memory_side_effects: effects },
        },
      } as const;
    },
  });

const statuses = ["answered", "no_verified_answer", "search_failed"] as const;
const lookedUp = (status: string): (typeof statuses)[number] => statuses.find((one) => one === status) ?? "no_verified_answer";

/** Offers the tools of a skill only to those who have it; what was not offered does not run. */
export const skillHook = (skills: readonly Skill[]): readonly Hook[] => {
  const names = skills.flatMap(({ tools }) => tools.map(({ name }) => name));
  if (names.length === 0) return [];
  return [
    hook("offer_skills", {
      state: Companion,
      beforeModel: ({ request, state }) => {
        const withheld = withheldTools(skills, state.installed_skills);
        return { request: { tools: request.tools.filter(({ name }) => !withheld.has(name)) } };
      },
    }),
    hook("hold_skills", {
      state: Companion,
      tools: names,
      beforeTool: ({ call, state }) =>
        withheldTools(skills, state.installed_skills).has(call.name) ? { block: "This skill is not installed for this person." } : undefined,
    }),
  ];
};
