/** The offline rules for structured calls: what a call contains, and the answers of triage, styles, exercises, lookup and the gate. */
import type { Json, RuleInput } from "throughline";
import { type StyleDecision, type TriageDecision, triageRoutes } from "../../dispatch/dispatch-schemas.ts";
import { driftsOff } from "../../exercises/exercise-turn.ts";
import { extractAnswer, type FoundSource, sourceQualities } from "../../lookup/grounding.ts";
import { heard, patterns, says, words } from "../cues/offline-cues.ts";
import {
  approachOf,
  changesMemory,
  feelingIn,
  isUnclear,
  memoryWish,
  type MemoryWish,
  type StyleFound,
  styleOf,
} from "../understand/message-wishes.ts";
import { namesName, whoIn } from "../understand/told-stories.ts";
import { clausesOf, cueIn, folded, languageOf, languages, lengthOf } from "../words/folded-words.ts";

/** An earlier message. */
interface EarlierMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** A structured call as the rules read it. */
export interface StructuredCall {
  /** The person's current message. */
  readonly message: string;
  /** Earlier messages, oldest first. */
  readonly before: readonly EarlierMessage[];
  /** The full text, for its other content. */
  readonly text: string;
  /** Members of a text that is a JSON object; otherwise empty. */
  readonly members: Readonly<Record<string, unknown>>;
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  if (!text.trimStart().startsWith("{")) return {};
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? (read as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** Restores a person's text. Data marks escape `<`. */
const unfenced = (text: string): string => text.replaceAll("&lt;", "<").trim();

/** Returns the data blocks of a text by name. */
function blocksOf(text: string): Readonly<Record<string, string>> {
  const found = text.matchAll(/<data name="(?<name>[^"\n]*)">\n(?<body>[\s\S]*?)\n?<\/data>/gu);
  return Object.fromEntries([...found].map(({ groups }) => [(groups?.["name"] ?? "").toLowerCase(), unfenced(groups?.["body"] ?? "")]));
}

const speakers: Readonly<Record<string, EarlierMessage["role"]>> = {
  user: "user",
  person: "user",
  they: "user",
  assistant: "assistant",
  companion: "assistant",
  you: "assistant",
};

/** Parses lines such as `user: …`. A line without a speaker continues the previous one. */
function linesOf(block: string): readonly EarlierMessage[] {
  const said: EarlierMessage[] = [];
  for (const line of block.split("\n")) {
    const [, name = "", text = ""] = /^[-*\s]*(?<name>\w+):\s*(?<text>.*)$/u.exec(line) ?? [];
    const role = speakers[name.toLowerCase()];
    const last = said.at(-1);
    if (role !== undefined) said.push({ role, text });
    else if (last !== undefined) said.splice(-1, 1, { role: last.role, text: `${last.text}\n${line}` });
  }
  return said;
}

function turnsOf(value: unknown): readonly EarlierMessage[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((turn: unknown) => {
    if (typeof turn !== "object" || turn === null || !("role" in turn)) return [];
    const text = "text" in turn ? turn.text : "content" in turn ? turn.content : undefined;
    const role = speakers[String(turn.role)];
    return role === undefined || typeof text !== "string" ? [] : [{ role, text }];
  });
}

const firstText = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value !== "");

/** Names of the same value in different calls. */
const names = {
  message: ["message", "current_message", "current message", "query", "question", "text"],
  before: ["before", "recent_history", "recent history", "history", "conversation", "recent_turns"],
} as const;

/** Parses a structured call. */
export function readCall({ text, request }: RuleInput): StructuredCall {
  const members = membersOf(text);
  const blocks = blocksOf(text);
  const message = firstText(...names.message.map((name) => members[name]), ...names.message.map((name) => blocks[name]));
  const told = names.before.map((name) => turnsOf(members[name])).find((turns) => turns.length > 0);
  const fenced = firstText(...names.before.map((name) => blocks[name]));
  const earlier = request.messages
    .slice(0, -1)
    .flatMap((one) => (one.role === "user" || one.role === "assistant" ? [{ role: one.role, text: one.text }] : []));
  const known = Object.keys(members).length > 0 || Object.keys(blocks).length > 0;
  return { message: message ?? (known ? "" : text), before: told ?? (fenced === undefined ? earlier : linesOf(fenced)), text, members };
}

/** The open flow. */
type Flow = "none" | "guided_exercise" | "pending_memory_action";

const notesOf = (text: string): string => text.split("<data")[0] ?? "";

/** Returns the open flow from the notes. */
function flowIn({ text }: StructuredCall): Flow {
  const said = /open flow: (?<flow>\w+)/iu.exec(notesOf(text))?.groups?.["flow"];
  return said === "guided_exercise" || said === "pending_memory_action" ? said : "none";
}

/** Returns the tentative route of the previous message, if the companion requested a clarification. This message can be the answer. */
function tentativeIn({ text }: StructuredCall): TriageDecision["route"] | undefined {
  const said = /seemed to be (?<route>\w+)/iu.exec(notesOf(text))?.groups?.["route"];
  return triageRoutes.find((route) => route === said);
}

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
function wasOffered({ before }: StructuredCall): boolean {
  const last = before.at(-1);
  const question = last?.role === "assistant" ? (/[^.!?。！？]*[?？][\s"”»]*$/u.exec(last.text)?.[0] ?? "") : "";
  return offered.test(folded(question));
}

function exerciseDecision(text: string, call: StructuredCall): Part | undefined {
  if (says(text, "exercise")) return { route: "guided_exercise", exercise_start_basis: "explicit_user_request", reasoning: "asks for an exercise" };
  if (wasOffered(call) && says(text, "accepts"))
    return { route: "guided_exercise", exercise_start_basis: "accepted_assistant_offer", reasoning: "takes up the offer of an exercise" };
  return undefined;
}

const isOpen = ({ before }: StructuredCall): boolean => before.at(-1)?.role === "assistant" && /[?？]/u.test(before.at(-1)?.text ?? "");

/** Tells whether a message asks for the name of somebody of the speaker's, whom only earlier messages can have named. */
const asksForAName = (text: string): boolean =>
  namesName.test(text) &&
  says(text, "asks") &&
  (languageOf(text) === undefined ? languages : [languageOf(text)]).some(
    (language) => language !== undefined && whoIn(text, [], language) !== undefined,
  );

/** Decides a message as if no flow were open. */
function plain(text: string, call: StructuredCall): Part {
  const wish = memoryWish(text);
  if (wish !== undefined) return memoryDecision(wish, call.message);
  const exercise = exerciseDecision(text, call);
  if (exercise !== undefined) return exercise;
  if (says(text, "lookup_vague")) return unsure("missing_query", "grounded_lookup", "wants something looked up, and does not say what");
  if (says(text, "exercise_vague") && !(isOpen(call) && says(text, "accepts")))
    return unsure("missing_exercise", "guided_exercise", "wants to do something, and does not say what");
  const lookup = says(
    text,
    "wants_to_understand",
    "wants_a_way",
    "what_are_you",
    "asks_opinion",
    "asks_joke",
    "plays_part",
    "what_if",
    "what_can_you_do",
    "what_do_i_have",
    "recalls",
    "asks_name",
  )
    ? undefined
    : lookupDecision(text, call.message);
  if (lookup !== undefined) return lookup;
  if (says(text, "recalls", "asks_name") || asksForAName(text))
    return { memory_reference_mode: "explicit", reasoning: "speaks of what was said before" };
  if (isUnclear(text, { open: isOpen(call) })) return unsure("ambiguous", "therapeutic", "says too little to tell what is meant");
  return {};
}

/** Most words of an answer to "which exercise?" or "what shall I look up?". */
const shortAnswer = 8;

/** Decides a message that can answer the clarifying question; undefined if it has content of its own. */
function answering(text: string, call: StructuredCall, tentative: TriageDecision["route"]): Part | undefined {
  const short =
    lengthOf(text) <= shortAnswer && !isUnclear(text) && !says(text, "accepts", "declines", "closing", "greeting", "thanks", "just_listen");
  if (!short || feelingIn(text) !== undefined || styleOf(text).style !== "supportive") return undefined;
  if (tentative === "guided_exercise" && offered.test(text))
    return { route: "guided_exercise", exercise_start_basis: "explicit_user_request", reasoning: "says which exercise" };
  if (tentative === "grounded_lookup")
    return { route: "grounded_lookup", query: call.message.trim().slice(0, 280), reasoning: "says what to look up" };
  return undefined;
}

/** Decides a message while no flow is open. It can answer the last clarifying question. */
function whileFree(text: string, call: StructuredCall): Part {
  const decided = plain(text, call);
  const tentative = tentativeIn(call);
  const isOrdinary = decided.route === undefined && decided.memory_reference_mode === undefined;
  return (isOrdinary && tentative !== undefined ? answering(text, call, tentative) : undefined) ?? decided;
}

/** Decides a message while a deletion needs confirmation. Anything except yes, no or a number moves on, and nothing is deleted. */
function whilePending(text: string, call: StructuredCall): Part {
  const answer = (type: "confirm_pending" | "cancel_pending"): Part => ({
    ...{ route: "memory_control", active_flow_action: "continue", memory_action_type: type, reasoning: `memory: ${type}` },
  });
  const place = /^(?:number |no\. |#|the )?(\d{1,3}|first|second|third|one|two|three)(?: one)?[.! ]*$/u.exec(text)?.[1];
  if (place !== undefined) {
    const index = { first: 1, one: 1, second: 2, two: 2, third: 3, three: 3 }[place] ?? Number(place);
    if (index >= 1) return { ...memoryDecision({ type: "forget_by_index", index, kind: null }, call.message), active_flow_action: "continue" };
  }
  if (says(text, "accepts") || /^(?:yes,? )?(?:please )?(?:delete|erase|remove|forget) (?:it|that|them)[.! ]*$/u.test(text))
    return answer("confirm_pending");
  if (says(text, "declines")) return answer("cancel_pending");
  return { ...plain(text, call), active_flow_action: "clear" };
}

/** Decides a message while an exercise runs. Most messages answer its step. Only a message that is a request as a whole leaves it. */
function whileExercising(text: string, call: StructuredCall): Part {
  const wish = memoryWish(text);
  if (wish !== undefined) return { ...memoryDecision(wish, call.message), active_flow_action: changesMemory(wish) ? "clear" : "preserve" };
  if (says(text, "resumes")) return { route: "guided_exercise", active_flow_action: "resume", reasoning: "comes back to the exercise" };
  if (says(text, "exits")) return { route: "guided_exercise", active_flow_action: "continue", reasoning: "wants to end the exercise" };
  const lookup = /^(?:(?:can|could) you )?(?:please )?(?:look up|search|google)|\?$/u.test(text) ? lookupDecision(text, call.message) : undefined;
  if (lookup !== undefined && !says(text, "asks_back")) return { ...lookup, active_flow_action: "preserve" };
  if (says(text, "asks_back", "turns_away")) return { active_flow_action: "preserve", reasoning: "a question beside the exercise" };
  return { route: "guided_exercise", active_flow_action: "continue", reasoning: "answers the step" };
}

const decisions: Readonly<Record<Flow, (text: string, call: StructuredCall) => Part>> = {
  none: whileFree,
  guided_exercise: whileExercising,
  pending_memory_action: whilePending,
};

/** Where a message goes. */
function triage(call: StructuredCall): TriageDecision {
  const text = folded(call.message);
  return { ...ordinary, ...decisions[flowIn(call)](text, call) };
}

const intents: Readonly<Record<StyleFound["style"], StyleDecision["session_intent"]>> = {
  supportive: null,
  reflective: "reflect",
  clarifying: null,
  psychoeducation: "understand",
  technique: "work",
  closing: "close",
};

const guidance: Readonly<Record<StyleFound["style"], string>> = {
  supportive: "Stay with what they feel. Offer nothing yet.",
  reflective: "Name what comes back, in a few words, and let them look at it.",
  clarifying: "Ask one open question, and nothing else.",
  psychoeducation: "Explain in two or three plain sentences, then come back to them.",
  technique: "One small thing that can be done, and why it may help.",
  closing: "Say what this came to. Open nothing new.",
};

/** How the reply is meant. */
function style({ message, before }: StructuredCall): StyleDecision {
  const last = before.at(-1);
  const open = last?.role === "assistant" && /[?？]/u.test(last.text);
  const { style: response_style, approach, confidence, by } = styleOf(folded(message), { open });
  const unadvised = by === "wants to be heard, not advised";
  return {
    response_style,
    therapeutic_approach: approach,
    session_intent: by === "says that they were missed" ? "repair" : unadvised ? "vent" : intents[response_style],
    guidance_permission: response_style === "technique" || response_style === "psychoeducation" ? "granted" : unadvised ? "not_yet" : null,
    response_guidance: unadvised ? "They want to be heard. Give no advice." : guidance[response_style],
    reasoning: by,
    confidence,
  } satisfies StyleDecision;
}

/** Answers the call `dispatch`. */
export const dispatch = (call: StructuredCall): Json => ({ ...style(call), ...triage(call), search_query: null, tools: [] });

/** Maps descriptions of a person's state to the exercises on offer, which are matched by id. */
const suits: readonly (readonly [hint: RegExp, cues: RegExp])[] = [
  [/breath/u, /breath|calm|panic|tense|sleep|asleep|stress|heart|anx|atem|ruhig|respir|calma|dormir|dorm|呼吸|冷静|睡/u],
  [
    /grounding_5|senses|grounding(?!_box)/u,
    /ground|overwhelm|unreal|spinning|spiral|far away|flashback|dissoc|here and now|überfordert|abrumad|submerg|sobrecarreg|崩溃/u,
  ],
  [/thought|record/u, /thought|thinking|believ|self-crit|mistake|failure|what if|worr|gedanke|pensamient|pensée|pensament|想法|担心/u],
  [/value|compass/u, /value|matter|meaning|purpose|direction|import|decid|werte|valor|valeur|价值|意义/u],
];

const byApproach: Readonly<Record<string, RegExp>> = {
  dbt_skills: /grounding|breath/u,
  pfa: /grounding|breath/u,
  cbt: /thought/u,
  act: /value|compass|defusion/u,
};

interface Offered {
  readonly id: string;
}

const offeredIn = ({ members }: StructuredCall): readonly Offered[] => {
  const given = members["exercises"] ?? members["available"];
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) =>
    typeof one === "object" && one !== null && "id" in one && typeof one.id === "string" ? [{ id: one.id }] : [],
  );
};

/** Selects an exercise by the message, then by the message before it, each by its words or its approach. Otherwise selects none. */
export function exerciseSelection(call: StructuredCall): Json {
  const offered = offeredIn(call);
  const earlier = call.before.findLast(({ role }) => role === "user")?.text ?? "";
  for (const [text, confidence] of [
    [folded(call.message), "high"],
    [folded(earlier), "medium"],
  ] as const) {
    const hint = suits.find(([ids, cues]) => cues.test(text) && offered.some(({ id }) => ids.test(id)))?.[0] ?? byApproach[approachOf(text)];
    const chosen = hint === undefined ? undefined : offered.find(({ id }) => hint.test(id));
    if (chosen !== undefined) return { exercise_type: chosen.id, reasoning: "suits what they say of how they are", confidence };
  }
  return { exercise_type: "", reasoning: "nothing says which", confidence: "low" };
}

const instructionOf = (step: unknown): string =>
  typeof step === "object" && step !== null && "instruction" in step && typeof step.instruction === "string" ? step.instruction : "";

/** Judges an answer to a step. A wish to stop always counts. In a tie, the step stays. */
export function exerciseReply({ message, members }: StructuredCall): Json {
  const text = folded(message);
  const answer = (result: "complete" | "hold" | "stuck" | "exit" | "aside", reasoning: string): Json => ({ result, reasoning });
  if (says(text, "exits")) return answer("exit", "wants to stop");
  const stuck = says(text, "stuck");
  const holds = says(text, "holds");
  const done = says(text, "done");
  if (holds || (stuck && done)) return answer("hold", "is still at it");
  if (stuck) return answer("stuck", "cannot do the step");
  if (done) return answer("complete", "says that it is done");
  const isAsking = /[?？]\s*$/u.test(text);
  // Talk about something else does not complete a confirmation step.
  const { step } = members;
  const confirms = typeof step === "object" && step !== null && "completion_mode" in step && step.completion_mode === "confirmation";
  if (confirms && driftsOff(message, [instructionOf(step)])) return answer("aside", "tells something else");
  return isAsking || confirms || lengthOf(text) < 3
    ? answer("hold", "nothing says that it is done")
    : answer("complete", "an answer in words of their own");
}

/** Questions that no page answers: about this person, about preferences, about unnamed people. */
const personal =
  /\b(?:should i|am i|will i|do you (?:think|like|love)|my (?:life|mother|mum|mom|father|dad|partner|husband|wife|boyfriend|girlfriend|boss|friend|future|marriage|relationship)|who is right|is (?:he|she) right|meaning of life|the best (?:person|friend|country|music|film))\b/u;

/** Answers the call `lookup_preflight`. */
export function lookupPreflight({ message }: StructuredCall): Json {
  const text = folded(message);
  const refuse = (reasoning: string): Json => ({ status: "no_verified_answer", search_query: "", answer: "", reasoning });
  if (lengthOf(text) < 1) return refuse("nothing is asked");
  if (personal.test(text)) return refuse("about this person, or a matter of taste: no source can answer it");
  return {
    status: "search",
    search_query: message.trim().replaceAll(/\s+/gu, " ").slice(0, 280),
    answer: "",
    reasoning: "a question of fact",
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function sourcesIn({ members }: StructuredCall): readonly FoundSource[] {
  const given = members["sources"];
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null) return [];
    const page: Readonly<Record<string, unknown>> = { ...one };
    const quality = sourceQualities.find((known) => known === page["quality"]) ?? "none";
    return [{ title: textOf(page["title"]), url: textOf(page["url"]), text: textOf(page["text"]), quality }];
  });
}

/** Answers the call `lookup_answer`. */
export function lookupAnswer(call: StructuredCall): Json {
  const found = sourcesIn(call);
  const claims = extractAnswer(call.message, found);
  const used = found.filter(({ url }) => claims.some(({ source }) => source === url));
  const none = claims.length === 0;
  return {
    status: none ? "no_verified_answer" : "answered",
    answer: claims
      .map(({ text }) => text)
      .join(" ")
      .slice(0, 2_000),
    sources: used.map(({ title, url }) => ({ title: title.slice(0, 300), url: url.slice(0, 400) })),
    source_quality: used[0]?.quality ?? "none",
    reasoning: none ? "nothing that was found speaks of it" : "sentences of the first source, word for word",
  };
}

type Reason = "act" | "plan" | "ideation" | "self_harm" | "passive_wish" | "none" | "other_at_risk";

interface Explicit {
  readonly level: 1 | 2 | 3;
  readonly reason: Reason;
  readonly risk: "suicide" | "self_harm";
  readonly cues: readonly RegExp[];
}

/** Gravest first. */
const explicit: readonly Explicit[] = [
  {
    level: 3,
    reason: "act",
    risk: "suicide",
    cues: words(
      "i (?:just |already |have |'ve )*(?:took|taken|swallowed) (?:all|the whole|every|too many)\\b.*",
      "i(?:'m| am) (?:about to|going to) (?:do it|end it|kill myself)\\b.*(?:now|tonight)",
    ),
  },
  {
    level: 3,
    reason: "plan",
    risk: "suicide",
    cues: words("(?:kill myself|end my life|end it all|suicide)\\b.*\\b(?:tonight|today|tomorrow|right now|(?<!n't )have a plan|(?:my|the) plan is)"),
  },
  {
    level: 2,
    reason: "ideation",
    risk: "suicide",
    cues: [
      ...words("(?:kill myself|end my life|take my (?:own )?life|suicidal|want to die|wanna die|better off dead|don't want to (?:live|be alive))"),
      ...words(
        "quiero morir(?:me)?",
        "suicidarme",
        "will (?:nicht mehr leben|sterben)",
        "mich umbringen",
        "veux mourir",
        "me suicider",
        "quero morrer",
        "me matar",
      ),
      ...patterns("想死|不想活|自杀|自殺"),
    ],
  },
  {
    level: 2,
    reason: "self_harm",
    risk: "self_harm",
    cues: words("(?:cut|cutting|hurt|hurting|harm|harming|burn|burning) myself", "self-?harm\\p{L}*"),
  },
  {
    level: 1,
    reason: "passive_wish",
    risk: "suicide",
    cues: words(
      "(?:wish i (?:wasn't|weren't|was not) here|want to disappear|don't want to wake up|no point (?:in )?(?:going on|any ?more)|everyone would be better off)",
    ),
  },
];

const others =
  /\bmy (?:friend|brother|sister|son|daughter|mother|mum|mom|father|dad|partner|husband|wife|colleague|classmate)\b.{0,40}\b(?:wants?|said|says|is|might|tried|going)\b/u;

/** Extracts the message from the classifier's text, where it is a line of JSON between tags. */
function messageIn({ text, message }: StructuredCall): string {
  const line = /<message>\s*(?<line>\{[\s\S]*\})\s*<\/message>\s*$/u.exec(text)?.groups?.["line"];
  if (line === undefined) return message;
  try {
    const read: unknown = JSON.parse(line);
    return typeof read === "object" && read !== null && "text" in read && typeof read.text === "string" ? read.text : message;
  } catch {
    return message;
  }
}

/** Answers the call `safety_verdict`. The evidence is the original clause that contains the cue. */
export function safetyVerdict(call: StructuredCall): Json {
  const message = messageIn(call);
  const text = folded(message);
  const found = explicit.find(({ cues }) => cueIn(text, cues) !== undefined);
  if (found === undefined) return { level: 0, confidence: "low", risk_types: [], subject: "self", reason_code: "none", evidence_span: "" };
  const isOther = others.test(text);
  const span = clausesOf(message).find((clause) => cueIn(folded(clause), found.cues) !== undefined) ?? "";
  return {
    ...{ level: found.level, confidence: "high", risk_types: [found.risk], subject: isOther ? "other" : "self" },
    ...{ reason_code: isOther ? "other_at_risk" : found.reason, evidence_span: span.slice(0, 300) },
  };
}
