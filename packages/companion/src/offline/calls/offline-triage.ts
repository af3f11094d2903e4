/** Answers the call `triage`: the route of a message. */
import type { Json } from "throughline";
import type { TriageDecision } from "../../dispatch/dispatch-schemas.ts";
import { heard, says } from "../cues/offline-cues.ts";
import { feelingIn } from "../understand/feelings.ts";
import { changesMemory, isUnclear, memoryWish, type MemoryWish, styleOf } from "../understand/message-wishes.ts";
import { folded, lengthOf } from "../words/folded-words.ts";
import { type Asked, type Flow, flowIn, tentativeIn } from "./asked.ts";

/** The decision for an ordinary message. */
const ordinary: TriageDecision = Object.freeze({
  route: "therapeutic",
  confidence: "high",
  active_flow_action: "none",
  memory_reference_mode: "none",
  memory_action_type: null,
  query: null,
  enabled: null,
  target_kind: null,
  target_index: null,
  preference_text: null,
  exercise_start_basis: "ambiguous_or_none",
  exercise_type: null,
  clarification_needed: false,
  clarification_kind: null,
  secondary_route: null,
  intent_summary: null,
  clarification_question: null,
  no_clarification_reason: null,
  reasoning: "ordinary talk",
});

type Part = Partial<TriageDecision>;

/** A request for privacy. The stored parts of the conversation are deleted at once, without a clarifying question. */
const privacy =
  /\b(?:(?:don't|do not) (?:save|remember|store|keep)|don't want you to|off the record|private|confidential|stop (?:saving|remembering|storing|recording))\b|\b(?:this (?:session|conversation|chat)|i(?:'ve| have)?(?: just)? (?:said|told you|wrote|written))(?: (?:earlier|before|today|just now|here|so far))*[\s.!?]*$/u;

/** Returns folded words in their original spelling. */
function asWritten(words: string, message: string): string {
  const plain = message.replaceAll(/[’‘`´ʼ]/gu, "'").replaceAll(/\s+/gu, " ");
  const at = plain.toLowerCase().indexOf(words);
  return at < 0 || plain.toLowerCase().length !== plain.length ? words : plain.slice(at, at + words.length);
}

function memoryDecision(wish: MemoryWish, message: string): Part {
  const base = { route: "memory_control", memory_action_type: wish.type, reasoning: `memory: ${wish.type}` } as const;
  switch (wish.type) {
    case "status":
    case "list":
      return base;
    case "set_recall":
      return { ...base, enabled: wish.enabled };
    case "save_preference":
      return { ...base, preference_text: asWritten(wish.text, message).slice(0, 280) };
    case "forget_by_index":
      return { ...base, target_index: wish.index, target_kind: wish.kind };
    case "forget_by_query": {
      if (privacy.test(folded(message))) return { ...base, query: "this", no_clarification_reason: "explicit_privacy_control" };
      const query = asWritten(wish.query, message).slice(0, 280);
      return { ...base, query, ...(wish.vague ? { confidence: "medium", reasoning: "memory: what is to be forgotten is not named" } : {}) };
    }
  }
}

/** Returns an uncertain decision, so that the reply asks for clarification. */
const unsure = (kind: string, tentative: TriageDecision["route"], reasoning: string): Part => ({
  ...{ route: tentative, confidence: "low", clarification_needed: true, clarification_kind: kind, reasoning },
  ...(tentative === "therapeutic" ? {} : { secondary_route: "therapeutic" }),
});

/** Returns the decision for a lookup. The query is the factual part of the message, or all of it. */
function lookupDecision(text: string, message: string): Part | undefined {
  const found = heard(text, "lookup");
  if (found === undefined) return undefined;
  const query = asWritten(found.groups?.["query"] ?? message.trim(), message);
  return { route: "grounded_lookup", query: query.replace(/[\s?？.!]+$/u, "").slice(0, 280), reasoning: "asks for facts" };
}

const offered = /\b(?:exercise|grounding|breathing|thought record|values|together)\b|übung|ejercicio|exercice|exercício|练习/u;

/** Tells whether the companion's last sentence offered an exercise as a question. */
function wasOffered({ before }: Asked): boolean {
  const last = before.at(-1);
  const question = last?.role === "assistant" ? (/[^.!?。！？]*[?？][\s"”»]*$/u.exec(last.text)?.[0] ?? "") : "";
  return offered.test(folded(question));
}

function exerciseDecision(text: string, asked: Asked): Part | undefined {
  if (says(text, "exercise")) return { route: "guided_exercise", exercise_start_basis: "explicit_user_request", reasoning: "asks for an exercise" };
  if (wasOffered(asked) && says(text, "accepts"))
    return { route: "guided_exercise", exercise_start_basis: "accepted_assistant_offer", reasoning: "takes up the offer of an exercise" };
  return undefined;
}

const isOpen = ({ before }: Asked): boolean => before.at(-1)?.role === "assistant" && /[?？]/u.test(before.at(-1)?.text ?? "");

/** Decides a message as if no flow were open. */
function plain(text: string, asked: Asked): Part {
  const wish = memoryWish(text);
  if (wish !== undefined) return memoryDecision(wish, asked.message);
  const exercise = exerciseDecision(text, asked);
  if (exercise !== undefined) return exercise;
  if (says(text, "lookup_vague")) return unsure("missing_query", "grounded_lookup", "wants something looked up, and does not say what");
  if (says(text, "exercise_vague") && !(isOpen(asked) && says(text, "accepts")))
    return unsure("missing_exercise", "guided_exercise", "wants to do something, and does not say what");
  const lookup = says(text, "wants_to_understand", "wants_a_way", "what_are_you", "what_can_you_do", "what_do_i_have", "recalls")
    ? undefined
    : lookupDecision(text, asked.message);
  if (lookup !== undefined) return lookup;
  if (says(text, "recalls")) return { memory_reference_mode: "explicit", reasoning: "speaks of what was said before" };
  if (isUnclear(text, { open: isOpen(asked) })) return unsure("ambiguous", "therapeutic", "says too little to tell what is meant");
  return {};
}

/** Most words of an answer to "which exercise?" or "what shall I look up?". */
const shortAnswer = 8;

/** Decides a message that can answer the clarifying question; undefined if it has content of its own. */
function answering(text: string, asked: Asked, tentative: TriageDecision["route"]): Part | undefined {
  const short =
    lengthOf(text) <= shortAnswer && !isUnclear(text) && !says(text, "accepts", "declines", "closing", "greeting", "thanks", "just_listen");
  if (!short || feelingIn(text) !== undefined || styleOf(text).style !== "supportive") return undefined;
  if (tentative === "guided_exercise" && offered.test(text))
    return { route: "guided_exercise", exercise_start_basis: "explicit_user_request", reasoning: "says which exercise" };
  if (tentative === "grounded_lookup")
    return { route: "grounded_lookup", query: asked.message.trim().slice(0, 280), reasoning: "says what to look up" };
  return undefined;
}

/** Decides a message while no flow is open. It can answer the last clarifying question. */
function whileFree(text: string, asked: Asked): Part {
  const decided = plain(text, asked);
  const tentative = tentativeIn(asked);
  const isOrdinary = decided.route === undefined && decided.memory_reference_mode === undefined;
  return (isOrdinary && tentative !== undefined ? answering(text, asked, tentative) : undefined) ?? decided;
}

/** Decides a message while a deletion needs confirmation. Anything except yes, no or a number moves on, and nothing is deleted. */
function whilePending(text: string, asked: Asked): Part {
  const answer = (type: "confirm_pending" | "cancel_pending"): Part => ({
    ...{ route: "memory_control", active_flow_action: "continue", memory_action_type: type, reasoning: `memory: ${type}` },
  });
  const place = /^(?:number |no\. |#|the )?(\d{1,3}|first|second|third|one|two|three)(?: one)?[.! ]*$/u.exec(text)?.[1];
  if (place !== undefined) {
    const index = { first: 1, one: 1, second: 2, two: 2, third: 3, three: 3 }[place] ?? Number(place);
    if (index >= 1) return { ...memoryDecision({ type: "forget_by_index", index, kind: null }, asked.message), active_flow_action: "continue" };
  }
  if (says(text, "accepts") || /^(?:yes,? )?(?:please )?(?:delete|erase|remove|forget) (?:it|that|them)[.! ]*$/u.test(text))
    return answer("confirm_pending");
  if (says(text, "declines")) return answer("cancel_pending");
  return { ...plain(text, asked), active_flow_action: "clear" };
}

/** Decides a message while an exercise runs. Most messages answer its step. Only a message that is a request as a whole leaves it. */
function whileExercising(text: string, asked: Asked): Part {
  const wish = memoryWish(text);
  if (wish !== undefined) return { ...memoryDecision(wish, asked.message), active_flow_action: changesMemory(wish) ? "clear" : "preserve" };
  if (says(text, "resumes")) return { route: "guided_exercise", active_flow_action: "resume", reasoning: "comes back to the exercise" };
  if (says(text, "exits")) return { route: "guided_exercise", active_flow_action: "continue", reasoning: "wants to end the exercise" };
  const lookup = /^(?:(?:can|could) you )?(?:please )?(?:look up|search|google)|\?$/u.test(text) ? lookupDecision(text, asked.message) : undefined;
  if (lookup !== undefined && !says(text, "asks_back")) return { ...lookup, active_flow_action: "preserve" };
  if (says(text, "asks_back", "turns_away")) return { active_flow_action: "preserve", reasoning: "a question beside the exercise" };
  return { route: "guided_exercise", active_flow_action: "continue", reasoning: "answers the step" };
}

const decisions: Readonly<Record<Flow, (text: string, asked: Asked) => Part>> = {
  none: whileFree,
  guided_exercise: whileExercising,
  pending_memory_action: whilePending,
};

/** Answers the call `triage`. */
export function triage(asked: Asked): Json {
  const text = folded(asked.message);
  return { ...ordinary, ...decisions[flowIn(asked)](text, asked) };
}
