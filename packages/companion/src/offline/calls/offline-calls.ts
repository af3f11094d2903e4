/** Answers the structured calls other than triage with rules: style, exercises, lookup, and the gate's verdict. */
import type { Json } from "throughline";
import type { StyleDecision } from "../../dispatch/dispatch-schemas.ts";
import { extractAnswer, type FoundSource, sourceQualities } from "../../lookup/grounding.ts";
import { patterns, says, words } from "../cues/offline-cues.ts";
import { inEnglish } from "../understand/feelings.ts";
import { approachOf, type StyleFound, styleOf } from "../understand/message-wishes.ts";
import { clausesOf, cueIn, folded, lengthOf } from "../words/folded-words.ts";
import type { Asked } from "./asked.ts";

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

/** Answers the call `style`. */
export function style({ message, before }: Asked): Json {
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

const offeredIn = ({ members }: Asked): readonly Offered[] => {
  const given = members["exercises"] ?? members["available"];
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) =>
    typeof one === "object" && one !== null && "id" in one && typeof one.id === "string" ? [{ id: one.id }] : [],
  );
};

/** Selects an exercise by the message, then by the message before it, each by its words or its approach. Otherwise selects none. */
export function exerciseSelection(asked: Asked): Json {
  const offered = offeredIn(asked);
  const earlier = asked.before.findLast(({ role }) => role === "user")?.text ?? "";
  for (const [text, confidence] of [
    [folded(asked.message), "high"],
    [folded(earlier), "medium"],
  ] as const) {
    const hint = suits.find(([ids, cues]) => cues.test(text) && offered.some(({ id }) => ids.test(id)))?.[0] ?? byApproach[approachOf(text)];
    const chosen = hint === undefined ? undefined : offered.find(({ id }) => hint.test(id));
    if (chosen !== undefined) return { exercise_type: chosen.id, reasoning: "suits what they say of how they are", confidence };
  }
  return { exercise_type: "", reasoning: "nothing says which", confidence: "low" };
}

/** Judges an answer to a step. A wish to stop always counts. In a tie, the step stays. */
export function exerciseReply({ message, members }: Asked): Json {
  const text = folded(message);
  const answer = (result: "complete" | "hold" | "stuck" | "exit", reasoning: string): Json => ({ result, reasoning });
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
  return isAsking || confirms || lengthOf(text) < 3
    ? answer("hold", "nothing says that it is done")
    : answer("complete", "an answer in words of their own");
}

/** Questions that no page answers: about this person, about preferences, about unnamed people. */
const personal =
  /\b(?:should i|am i|will i|do you (?:think|like|love)|my (?:life|mother|mum|mom|father|dad|partner|husband|wife|boyfriend|girlfriend|boss|friend|future|marriage|relationship)|who is right|is (?:he|she) right|meaning of life|the best (?:person|friend|country|music|film))\b/u;

/** Answers the call `lookup_preflight`. */
export function lookupPreflight({ message }: Asked): Json {
  const text = folded(message);
  const refuse = (reasoning: string): Json => ({ status: "no_verified_answer", search_query: "", answer: "", reasoning });
  if (lengthOf(text) < 1) return refuse("nothing is asked");
  if (personal.test(text)) return refuse("about this person, or a matter of taste: no source can answer it");
  return {
    status: "search",
    search_query: inEnglish(message.trim().replaceAll(/\s+/gu, " ")).slice(0, 280),
    answer: "",
    reasoning: "a question of fact",
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function sourcesIn({ members }: Asked): readonly FoundSource[] {
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
export function lookupAnswer(asked: Asked): Json {
  const found = sourcesIn(asked);
  const claims = extractAnswer(inEnglish(asked.message), found);
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
function messageIn({ text, message }: Asked): string {
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
export function safetyVerdict(asked: Asked): Json {
  const message = messageIn(asked);
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
