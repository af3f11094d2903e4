/**
 * The call `safety_verdict`. These rules know a few explicit cues and add nothing to the screen of the gate, which knows many: they are for trying out how a
 * classifier and the screen are joined. They never claim to be sure that nothing is wrong, so that they can lower nothing.
 */
import type { Json } from "throughline";
import { patterns, words } from "../cues/cues.ts";
import { clausesOf, cueIn, folded } from "../words/fold.ts";
import type { Asked } from "./asked.ts";

type Reason = "act" | "plan" | "ideation" | "self_harm" | "passive_wish" | "none" | "other_at_risk";

interface Explicit {
  readonly level: 1 | 2 | 3;
  readonly reason: Reason;
  readonly risk: "suicide" | "self_harm";
  readonly cues: readonly RegExp[];
}

/** From the gravest down. */
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

/** The message as the classifier fences it: a line of JSON between marks. */
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

/** The answer to the call. The span is the clause that the cue stands in, as the person wrote it. */
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
