/** The call `style`: how to reply. */
import type { Json } from "throughline";
import type { StyleDecision } from "../../dispatch/style-schema.ts";
import { styleOf, type StyleFound } from "../understand/style.ts";
import { folded } from "../words/fold.ts";
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

/** The answer to the call. */
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
