import type { SafetyLevel } from "../assessment.ts";
import type { CompiledPack } from "./compiled.ts";
import type { Evidence, FoundConcept, FoundFrame } from "./evidence.ts";
import type { ConceptId, FrameId } from "./pack.ts";

/** A concept as it is meant: how much it may count for at most, and about whom it is. */
export interface Meant extends FoundConcept {
  readonly most: SafetyLevel;
  readonly other: boolean;
}

/** How far a frame reaches: over what it covers, its clause and the next ones up to a contrast, its sentence, or the whole message. */
type Reach = "covered" | "clause" | "sentence" | "message";

interface FrameEffect {
  readonly frame: FrameId;
  readonly reach: Reach;
  /** What it leaves of something that may be an idiom, and of something that is explicit and in the first person. */
  readonly soft: SafetyLevel;
  readonly hard: SafetyLevel;
  /** Only these; all of them by default. */
  readonly only?: readonly ConceptId[];
  /** Only if the frame was there first: nothing that is added behind takes back that somebody has acted. */
  readonly first?: true;
}

const near: readonly ConceptId[] = [
  "means",
  "means_in_hand",
  "preparation",
  "time_near",
  "lethal_place",
  "do_it",
  "farewell",
  "plan",
  "secrecy",
  "alone_now",
];
const past: readonly ConceptId[] = [
  "past_attempt",
  "injure_self",
  "kill_self",
  "wish_to_die",
  "ideation",
  "hopeless",
  "passive_death",
  "burden",
  "disappear",
  "eating_disorder",
  "abuse",
];

const told: readonly FrameId[] = ["fiction", "game", "quote", "academic", "professional"];

/** What frames do. The lowest of all that apply holds. Published with the protocol. */
export const frameEffects: readonly FrameEffect[] = Object.freeze([
  { frame: "idiom", reach: "covered", soft: 0, hard: 0 },
  { frame: "harmless_plan", reach: "covered", soft: 0, hard: 0 },
  { frame: "harmless_plan", reach: "sentence", soft: 0, hard: 1, only: near },
  { frame: "harmless_plan", reach: "message", soft: 0, hard: 2, only: near },
  { frame: "joke", reach: "message", soft: 1, hard: 3 },
  ...told.flatMap((frame): readonly FrameEffect[] => [
    { frame, reach: "clause", soft: 0, hard: 0, first: true },
    { frame, reach: "sentence", soft: 0, hard: 1, first: true },
    { frame, reach: "message", soft: 0, hard: 3 },
  ]),
  { frame: "past_recovered", reach: "clause", soft: 0, hard: 0, only: past },
  { frame: "past_recovered", reach: "message", soft: 0, hard: 3, only: past },
  { frame: "bereavement", reach: "message", soft: 0, hard: 3 },
  { frame: "bereavement", reach: "message", soft: 0, hard: 0, only: ["other_at_risk"] },
  { frame: "denial", reach: "message", soft: 1, hard: 3, only: ["kill_self", "wish_to_die", "ideation", "injure_self"] },
]);

/** What somebody does or wishes: who they are is told by a word before it. */
const personal = new Set<ConceptId>([
  ...(["wish_to_die", "passive_death", "ideation", "kill_self", "injure_self", "plan", "act_done", "past_attempt", "means_in_hand"] as const),
  ...(["preparation", "lethal_place", "hopeless", "disappear", "eating_disorder"] as const),
]);

/** How many words a negation, and a word for somebody else, reaches over. */
const negationReach = 3;
const subjectReach = 4;

const covers = (outer: { from: number; to: number }, inner: { from: number; to: number }): boolean => outer.from < inner.to && inner.from < outer.to;

/** Words of a pack between two places, without the order mattering. */
function between(evidence: Evidence, one: FoundConcept, other: { readonly from: number; readonly to: number }): readonly string[] {
  const words = evidence.words[one.pack] ?? [];
  const [from, to] = other.from < one.from ? [other.to, one.from] : [one.to, other.from];
  return words.filter((word) => word.from >= from && word.to <= to).map(({ forms }) => forms[0] ?? "");
}

function applies(effect: FrameEffect, frame: FoundFrame, concept: FoundConcept, given: Given): boolean {
  if (effect.only?.includes(concept.concept) === false) return false;
  if (effect.reach === "covered") return covers(frame, concept);
  if (effect.first === true && frame.from > concept.from && concept.concept === "act_done") return false;
  if (effect.reach === "message") return true;
  if (frame.sentence !== concept.sentence) return false;
  if (effect.reach === "sentence") return true;
  const adjacent = frame.from < concept.from ? concept.clause - frame.lastClause <= 1 : frame.clause === concept.lastClause;
  if (!adjacent) return false;
  const contrast = given.packs[concept.pack]?.contrast;
  return contrast === undefined || !between(given.evidence, concept, frame).some((word) => contrast.has(word));
}

interface Given {
  readonly evidence: Evidence;
  readonly packs: readonly CompiledPack[];
  /** Place of the pack of the text's language: its frames hold for what other packs find too. */
  readonly language: number | undefined;
}

/** Whether a word of the pack before the concept negates it, or one right behind it where the language puts it there. */
function negated(concept: FoundConcept, negations: readonly FoundFrame[], { evidence, packs }: Given): boolean {
  const pack = packs[concept.pack];
  const words = evidence.words[concept.pack] ?? [];
  const stops = (place: number): boolean => {
    const form = words[place]?.forms[0] ?? "";
    return pack?.self.has(form) === true || pack?.contrast.has(form) === true;
  };
  return negations.some((negation) => {
    if (negation.pack !== concept.pack || negation.sentence !== concept.sentence) return false;
    // A pattern may say all of it: `不是想死`.
    if (negation.first <= concept.first && negation.after >= concept.after) return true;
    if (pack?.negatesBehind === true && negation.first === concept.after && negation.clause === concept.lastClause) return true;
    const distance = concept.first - negation.after;
    if (distance < 0 || distance > negationReach || negation.lastClause !== concept.clause) return false;
    for (let place = negation.after; place <= concept.first; place += 1) if (stops(place)) return false;
    return true;
  });
}

/** Whether it is somebody else who is spoken of: named right before it, with no word of the writer between. */
function ofOther(concept: FoundConcept, subjects: readonly FoundFrame[], { evidence, packs }: Given): boolean {
  if (!personal.has(concept.concept)) return false;
  const words = evidence.words[concept.pack] ?? [];
  const self = packs[concept.pack]?.self;
  return subjects.some((subject) => {
    const distance = concept.first - subject.after;
    if (subject.pack !== concept.pack || subject.sentence !== concept.sentence || distance < 0 || distance > subjectReach) return false;
    for (let place = subject.after; place < concept.after; place += 1) if (self?.has(words[place]?.forms[0] ?? "") === true) return false;
    return true;
  });
}

/** What is left of each concept in its frames. */
export function framed(given: Given): readonly Meant[] {
  const { concepts, frames } = given.evidence;
  const by = new Map<FrameId, FoundFrame[]>();
  for (const frame of frames) by.set(frame.frame, [...(by.get(frame.frame) ?? []), frame]);
  return concepts.map((concept) => {
    const other = concept.concept === "other_at_risk" || ofOther(concept, by.get("subject_other") ?? [], given);
    if (negated(concept, by.get("negation") ?? [], given)) return { ...concept, other, most: 0 };
    let most: SafetyLevel = 3;
    for (const effect of frameEffects) {
      const level = effect[concept.strength];
      if (level >= most) continue;
      const holds = (frame: FoundFrame): boolean =>
        (frame.pack === concept.pack || frame.pack === given.language) && applies(effect, frame, concept, given);
      if (by.get(effect.frame)?.some(holds) === true) most = level;
    }
    return { ...concept, other, most };
  });
}
