/** The approaches: ways of helping, in the companion's own words, that lie over a style. */
import type { ResponseStyle, TherapeuticApproach } from "../contract.ts";

export const approachTexts: Readonly<Record<Exclude<TherapeuticApproach, "none">, string>> = {
  motivational_interviewing:
    "They are the one who knows why anything should change. Hear both sides of what pulls at them, and give back their own reasons rather than yours. Do not push, argue or persuade. Ask about what they hope for, and what has worked before, even a little.",
  cbt: "Thoughts, feelings and what one does hang together. Help them catch the thought that weighs, in their words, and look at it with curiosity: what speaks for it, what does not, how a fairer one would sound. A thought is no fact, and no fault.",
  act: "Feelings may be there and need not be won against. Help them notice a thought as a thought, make a little room for what hurts, and turn to what matters to them: one small step in that direction, with the feeling along.",
  dbt_skills:
    "It is too much at once. First the body and the moment: slow breath, cold water, feet on the floor, one thing after another. Both are true: it is this bad, and they can get through the next minutes. What is effective now counts, not what is right.",
  grief_support:
    "Somebody or something is gone. There is nothing to fix and no timetable. Let them tell about whom or what they lost, use the name that they use, allow whatever comes, anger, relief and nothing too. Do not look for a bright side.",
  interpersonal_therapy:
    "It is between them and somebody, or about a change of who they are to others. Look at one exchange closely: what was said, what they had hoped for, what they felt, what they might say next time. Whom could they turn to?",
  pfa: "Something bad has just happened, or is happening. Safety first, then calm, then what is needed in the next hour, then who can be with them. Do not have them tell it in detail. Say that reactions like theirs are common after something like this.",
};

/** Approaches that a style leans on where none was chosen. */
const usual: Readonly<Partial<Record<ResponseStyle, readonly Exclude<TherapeuticApproach, "none">[]>>> = {
  supportive: ["motivational_interviewing"],
  crisis_response: ["pfa", "dbt_skills"],
};

/** Styles that no approach lies over: they ask, check, end, or say what was found. */
const without: ReadonlySet<ResponseStyle> = new Set(["clarifying", "closing", "safety_check", "memory_control", "grounded_lookup"]);

/** The approaches that lie over a style. */
export function overlaysOf(style: ResponseStyle, approach: TherapeuticApproach | null): readonly Exclude<TherapeuticApproach, "none">[] {
  if (without.has(style)) return [];
  if (style === "crisis_response") return usual.crisis_response ?? [];
  return approach === null || approach === "none" ? (usual[style] ?? []) : [approach];
}

/** The style whose text is used: `technique` is led by its approach, and without one it is supportive. */
export const styleShown = (style: ResponseStyle, approach: TherapeuticApproach | null): ResponseStyle =>
  style === "technique" && (approach === null || approach === "none") ? "supportive" : style;
