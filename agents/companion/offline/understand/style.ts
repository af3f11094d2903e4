/** Which style and which approach a message calls for. */
import type { ResponseStyle, TherapeuticApproach } from "../../contract.ts";
import { cuesFor, says } from "../cues/all.ts";
import { cuedApproaches, whole } from "../cues/cues.ts";
import { has, lengthOf } from "../words/fold.ts";

/** A style, why, and how sure that is. */
export interface StyleFound {
  readonly style: Extract<ResponseStyle, "supportive" | "reflective" | "clarifying" | "psychoeducation" | "technique" | "closing">;
  readonly approach: TherapeuticApproach;
  readonly confidence: "low" | "medium" | "high";
  /** The cue, by its name; for the reasoning, which quotes nobody. */
  readonly by: string;
}

/** The approach that a folded message calls for; `none` where no cue of one is heard. */
export function approachOf(text: string): TherapeuticApproach {
  for (const cues of cuesFor(text)) {
    const found = cuedApproaches.find((approach) => has(text, cues.approaches[approach]));
    if (found !== undefined) return found;
  }
  return "none";
}

const shortTalk = 3;

/** What is unclear by itself and a whole answer to a question. */
const answers = whole(
  ...["(?:everything|nothing|anything|something|someone|not sure|maybe|kind of|sort of|i guess|i don't know|idk|i dunno|dunno|whatever)"],
  ...["(?:todo|nada|algo|no sé|no estoy segur[oa])", "(?:alles|nichts|etwas|keine ahnung|(?:ich )?weiß (?:ich )?nicht)"],
  ...["(?:tout|rien|quelque chose|je ne sais pas|sais pas)", "(?:tudo|nada|algo|não sei|sei lá)", "(?:不知道|没什么|不确定|随便)"],
);

/** Whether a folded message says too little to tell what it is about. `open`: a question of the companion stands, which it may answer. */
export const isUnclear = (text: string, { open = false }: { readonly open?: boolean } = {}): boolean =>
  !/[\p{L}\p{N}]/u.test(text) || (says(text, "unclear") && !(open && has(text, answers)));

/** The style that a folded message calls for. `open`: a question of the companion stands, which a short message may answer. */
export function styleOf(text: string, { open = false }: { readonly open?: boolean } = {}): StyleFound {
  const approach = approachOf(text);
  const found = (style: StyleFound["style"], by: string, confidence: StyleFound["confidence"] = "high"): StyleFound => ({
    style,
    approach,
    confidence,
    by,
  });
  if (says(text, "closing")) return { ...found("closing", "a farewell"), approach: "none" };
  // Who wants to be heard is heard, whatever else the message asks.
  if (says(text, "just_listen")) return found("supportive", "wants to be heard, not advised");
  if (says(text, "missed")) return { ...found("supportive", "says that they were missed"), approach: "none" };
  if (says(text, "greeting", "thanks")) return { ...found("supportive", "a greeting or thanks"), approach: "none" };
  if (says(text, "what_are_you", "what_can_you_do", "what_do_i_have"))
    return { ...found("supportive", "asks about the companion, or for a name for what they have"), approach: "none" };
  if (isUnclear(text, { open })) return { ...found("clarifying", "says too little to tell", "low"), approach: "none" };
  if (says(text, "wants_to_understand")) return found("psychoeducation", "wants to understand");
  // The approach leads a technique; where none is called for, it is what one thinks and does.
  if (says(text, "wants_a_way")) return { ...found("technique", "asks for a way to deal with it"), approach: approach === "none" ? "cbt" : approach };
  if (says(text, "recurring")) return found("reflective", "names something that recurs");
  return found("supportive", "speaks of how they are", lengthOf(text) <= shortTalk ? "medium" : "high");
}
