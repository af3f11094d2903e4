/** Tools and hooks of a reply: tools that answer directly, the lookup tool, and the removal of text that is not for people. */
import { defineTool, hook, type Hook, type Model, type Tool } from "throughline";
import { memoryTools } from "throughline/memory";
import { Companion, traced } from "../companion-state.ts";
import { toolKinds } from "../dispatch/dispatch-schemas.ts";
import { languageFor } from "../exercises/exercise-wording.ts";
import type { SearchProvider } from "../lookup/grounding.ts";
import { lookUp } from "../lookup/lookup-answer.ts";
import { type Skill, withheldTools } from "../skills.ts";

/** Name of the tool. */
const lookUpName = "look_up";

/** The lookup tool. Its result is the reply; a fetched source contains every sentence. */
export const lookUpTool = ({ control, search }: { readonly control: Model | undefined; readonly search: SearchProvider }): Tool =>
  defineTool({
    name: lookUpName,
    description: "Looks up a fact that can be checked, when they ask for one. Not for advice about their own life, and not for help lines.",
    parameters: {
      type: "object",
      properties: { query: { type: "string", minLength: 1, maxLength: 280, description: "The question by itself, in their language." } },
      required: ["query"],
      additionalProperties: false,
    } as const,
    effects: "none",
    execute: async ({ query }, { signal }) => {
      const found = await lookUp({
        query,
        before: [],
        language: languageFor(query, []),
        provider: search,
        model: control,
        signal,
        search_query: query,
      });
      return { reply: found.text, query: found.query, status: found.status };
    },
  });

/** Tools whose result is the reply. */
const memoryToolNames: readonly string[] = memoryTools().map(({ name }) => name);
export const answeringTools: readonly string[] = [...memoryToolNames, lookUpName];

const textMember = (value: object, name: string): string => {
  const member: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof member === "string" ? member : "";
};

/** Sets the route of a turn whose model called an answering tool, and makes the tool's text the reply. */
export const rerouteHook = (): Hook =>
  hook("reroute", {
    state: Companion,
    writes: ["route", "response_style", "therapeutic_approach", "memory_control", "grounded_lookup", "diagnostics"],
    tools: answeringTools,
    afterTool: ({ call, result, state }) => {
      if (result.type !== "ok" || typeof result.value !== "object" || result.value === null) return undefined;
      const reply = textMember(result.value, "reply");
      if (reply === "") return undefined;
      const answered = { result: { type: "ok", value: reply } } as const;
      const record = { stage: "reply", source: "model", reason: call.name, confidence: "high" } as const;
      if (call.name === lookUpName)
        return {
          ...answered,
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
        ...answered,
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

/** Offers a reply the tools that triage wants for it; those of a skill only to people who have it. In a call the model has chosen from all of them. */
export const offerHook = (skills: readonly Skill[]): Hook => {
  const ofSkills = new Set(skills.flatMap(({ tools }) => tools.map(({ name }) => name)));
  const kindOf = (name: string): (typeof toolKinds)[number] => (ofSkills.has(name) ? "skills" : name === lookUpName ? "look_up" : "memory");
  return hook("offer_tools", {
    state: Companion,
    beforeModel: ({ request, state }) => {
      const wanted = state.channel === "voice" ? toolKinds : (state.dispatch?.tools ?? []);
      const withheld = withheldTools(skills, state.installed_skills);
      return { request: { tools: request.tools.filter(({ name }) => wanted.includes(kindOf(name)) && !withheld.has(name)) } };
    },
  });
};

/** A skill's tool that was not offered to a person does not run. */
export const skillHook = (skills: readonly Skill[]): readonly Hook[] => {
  const names = skills.flatMap(({ tools }) => tools.map(({ name }) => name));
  if (names.length === 0) return [];
  return [
    hook("hold_skills", {
      state: Companion,
      tools: names,
      beforeTool: ({ call, state }) =>
        withheldTools(skills, state.installed_skills).has(call.name) ? { block: "This skill is not installed for this person." } : undefined,
    }),
  ];
};

/** A whole block. An unclosed one extends to the end. */
const block = /<\|?(tool_calls?|tool_use|function_calls?|invoke|think|thinking|scratchpad)\b[^>]*>[\s\S]*?(?:<\/?\|?\/?\1\|?>|$)/giu;
/** A reply that consists only of a JSON tool call. */
const bare = /^\s*(?:```(?:json)?\s*)?\{\s*"(?:name|tool|function|tool_call)"\s*:[\s\S]*\}\s*(?:```)?\s*$/u;

/** Returns the reply without such blocks. */
export const plainReply = (text: string): string =>
  bare.test(text)
    ? ""
    : text
        .replaceAll(block, "")
        .replaceAll(/[ \t]{2,}/gu, " ")
        .replaceAll(/\n{3,}/gu, "\n\n")
        .trim();

const isOdd = (text: string): boolean => text.search(block) >= 0 || bare.test(text);

/** Removes such blocks from a reply, and leaves every other reply unchanged. If nothing is left, the turn fails as one without an answer. */
export const plainHook = (): Hook =>
  hook("plain_reply", {
    afterModel: ({ answer: { text } }) => (isOdd(text) ? { answer: { text: plainReply(text) } } : undefined),
  });
