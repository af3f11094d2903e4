/** What a concept counts for in its frame: in a story, a quote or a question, negated, past, or about somebody else. */
import type { SafetyLevel } from "../assessment.ts";
import type { Evidence, FoundConcept, FoundFrame, Place } from "./evidence.ts";
import type { Word } from "./matcher.ts";
import type { CompiledPack, ConceptId, FrameId } from "./rule-pack.ts";
import type { ScreenContext } from "./screened.ts";
import { standsAlone } from "./screen-tokens.ts";

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
  /** Only what is about somebody else: a nurse asks about a patient. */
  readonly about?: "other";
  /** Only where this is said in the sentence too, and nothing that weighs on somebody. */
  readonly beside?: FrameId;
  /** Only where no time is near: what was long ago, or a joke, is not for tonight. */
  readonly lately?: true;
  /** Only where nothing is said that weighs on somebody, or is wished: a rope for a climb is one only then. */
  readonly alone?: true;
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
/** What is hidden or decided is no less so for a pretext: "they think I am camping". */
const seen = near.filter((concept) => concept !== "secrecy" && concept !== "plan");
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
  "lethal_place",
  "plan",
  "preparation",
  "act_done",
  "command_voices",
];

/** What is thought or said; what is done is as urgent whoever asks. */
const thought: readonly ConceptId[] = [
  "other_at_risk",
  "wish_to_die",
  "ideation",
  "kill_self",
  "injure_self",
  "hopeless",
  "passive_death",
  "past_attempt",
];

const told: readonly FrameId[] = ["fiction", "game", "quote", "academic", "professional"];

/** What frames do. The lowest of all that apply holds. Published with the protocol. */
const frameEffects: readonly FrameEffect[] = Object.freeze([
  { frame: "idiom", reach: "covered", soft: 0, hard: 0 },
  { frame: "harmless_plan", reach: "covered", soft: 0, hard: 0 },
  { frame: "harmless_plan", reach: "sentence", soft: 0, hard: 0, only: seen, alone: true },
  { frame: "harmless_plan", reach: "message", soft: 0, hard: 2, only: near, alone: true },
  { frame: "joke", reach: "message", soft: 1, hard: 3 },
  { frame: "joke", reach: "sentence", soft: 0, hard: 1, only: ["kill_self", "wish_to_die", "ideation"], beside: "everyday", lately: true },
  ...told.flatMap((frame): readonly FrameEffect[] => [
    { frame, reach: "clause", soft: 0, hard: frame === "academic" || frame === "professional" ? 1 : 0 },
    { frame, reach: "sentence", soft: 0, hard: 1 },
    { frame, reach: "message", soft: 0, hard: 3 },
  ]),
  { frame: "professional", reach: "message", soft: 0, hard: 0, only: thought, about: "other" },
  { frame: "past_recovered", reach: "clause", soft: 0, hard: 0, only: past },
  { frame: "past_recovered", reach: "message", soft: 0, hard: 3, only: past },
  { frame: "past", reach: "clause", soft: 0, hard: 1, only: past, lately: true },
  { frame: "bereavement", reach: "message", soft: 0, hard: 3 },
  { frame: "bereavement", reach: "message", soft: 0, hard: 0, only: ["other_at_risk"] },
  { frame: "denial", reach: "message", soft: 1, hard: 3, only: ["kill_self", "wish_to_die", "ideation", "injure_self"] },
]);

/** What somebody does or wishes: who they are is told by a word before it. */
const personal = new Set<ConceptId>([
  ...(["wish_to_die", "passive_death", "ideation", "kill_self", "injure_self", "plan", "act_done", "past_attempt", "means_in_hand"] as const),
  ...(["preparation", "lethal_place", "hopeless", "disappear", "eating_disorder"] as const),
]);

/** What was done, and with what: nothing that is said behind it takes it back. */
const stands = new Set<ConceptId>(["act_done", "means", "means_in_hand"]);

/** What may be an accident. */
const harm = new Set<ConceptId>(["injure_self", "act_done"]);

/** How many words a frame, a negation, and a word for somebody else, reaches over: a negation only over frequent ones (`not really going to`). */
const frameReach = 18;
const joinReach = 2;
const negationReach = 3;
const subjectReach = 4;

const covers = (outer: { from: number; to: number }, inner: { from: number; to: number }): boolean => outer.from < inner.to && inner.from < outer.to;

/** The first of the words, which stand in the order of the text, of which something holds that holds of all behind it. */
function firstOf(words: readonly Word[], holds: (word: Word) => boolean): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const word = words[middle];
    if (word !== undefined && holds(word)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether a word of contrast stands between a concept and a frame, whichever is first. */
function contrasted(concept: FoundConcept, frame: FoundFrame, { evidence, packs }: Given): boolean {
  const contrast = packs[concept.pack]?.contrast;
  const words = evidence.words[concept.pack] ?? [];
  const [from, to] = frame.from < concept.from ? [frame.to, concept.from] : [concept.to, frame.from];
  for (let place = firstOf(words, (word) => word.from >= from); place < words.length; place += 1) {
    const word = words[place];
    if (word === undefined || word.to > to) return false;
    if (contrast?.has(word.forms[0] ?? "") === true) return true;
  }
  return false;
}

/** Whether so many words are between a frame and a concept that it is no longer about it: who writes without full stops tells a whole story in one sentence. */
function isFar(frame: FoundFrame, concept: FoundConcept, given: Given): boolean {
  const { first, after } = placeIn(frame.pack, concept, given);
  return Math.max(frame.first - after, first - frame.after) > frameReach;
}

function applies(effect: FrameEffect, frame: FoundFrame, concept: FoundConcept, given: Given): boolean {
  if (effect.only?.includes(concept.concept) === false) return false;
  // "jump in" is an idiom, but not in the midst of more: "going to jump in front of a train".
  if (effect.reach === "covered")
    return covers(frame, concept) && !(weighs.has(concept.concept) && frame.from > concept.from && frame.to < concept.to);
  if (stands.has(concept.concept) && frame.frame !== "harmless_plan" && frame.from > concept.to && frame.clause !== concept.lastClause) return false;
  if (effect.reach === "message") return true;
  if (frame.sentence !== concept.sentence || isFar(frame, concept, given)) return false;
  if (effect.reach === "sentence") return true;
  const adjacent = frame.from < concept.from ? concept.clause - frame.lastClause <= 1 : frame.clause === concept.lastClause;
  return adjacent && !contrasted(concept, frame, given);
}

interface Given {
  readonly evidence: Evidence;
  readonly packs: readonly CompiledPack[];
  /** Place of the pack of the text's language: its frames hold for what other packs find too. */
  readonly language: number | undefined;
}

/** Where a concept stands in the words of another pack, whose short forms may have been spelled out. */
function placeIn(pack: number, concept: Place, { evidence }: Given): { readonly first: number; readonly after: number } {
  if (pack === concept.pack) return concept;
  const words = evidence.words[pack] ?? [];
  return { first: firstOf(words, ({ to }) => to > concept.from), after: firstOf(words, ({ from }) => from >= concept.to) };
}

const inReach = (frame: FoundFrame, concept: Place, { language }: Given): boolean =>
  frame.sentence === concept.sentence && (frame.pack === concept.pack || frame.pack === language);

/** Whether a word before the concept negates it, or one right behind it where the language puts it there. */
function negated(concept: Place, negations: readonly FoundFrame[], given: Given): boolean {
  return negations.some((negation) => {
    if (!inReach(negation, concept, given)) return false;
    const pack = given.packs[negation.pack];
    const words = given.evidence.words[negation.pack] ?? [];
    const { first, after } = placeIn(negation.pack, concept, given);
    // A pattern may say all of what it negates, or the beginning of it: `没有自杀`.
    if (negation.first < first ? negation.after > first : negation.first === first && negation.after >= after) return true;
    if (pack?.negatesBehind === true && negation.first === after && negation.clause === concept.lastClause) return true;
    const distance = first - negation.after;
    if (distance < 0 || distance > negationReach || negation.lastClause !== concept.clause) return false;
    for (let place = negation.after; place <= first; place += 1) {
      const form = words[place]?.forms[0] ?? "";
      if (pack?.self.has(form) === true || pack?.contrast.has(form) === true || (place < first && pack?.script === "Latin" && !pack.detect.has(form)))
        return false;
    }
    return true;
  });
}

/** Whether it is somebody else who is spoken of: named right before it, with no word of the writer between. */
function ofOther(concept: FoundConcept, subjects: readonly FoundFrame[], given: Given): boolean {
  if (!personal.has(concept.concept)) return false;
  return subjects.some((subject) => {
    if (!inReach(subject, concept, given) || subject.lastClause !== concept.clause) return false;
    const { first, after } = placeIn(subject.pack, concept, given);
    const distance = first - subject.after;
    if (distance < 0 || distance > subjectReach) return false;
    const words = given.evidence.words[subject.pack] ?? [];
    for (let place = subject.after; place < after; place += 1)
      if (given.packs[subject.pack]?.self.has(words[place]?.forms[0] ?? "") === true) return false;
    return true;
  });
}

/** Whether a word such as "or" joins what is said to something that is denied, by where that ends: what is denied of one is denied of both. */
function isJoined({ pack, first, sentence }: Place, ends: ReadonlySet<string>, { evidence, packs }: Given): boolean {
  for (let place = first - 1; place >= first - joinReach; place -= 1) {
    const word = evidence.words[pack]?.[place];
    if (word?.sentence !== sentence) return false;
    if (packs[pack]?.or.has(word.forms[0] ?? "") === true && ends.has(`${pack} ${place}`)) return true;
  }
  return false;
}

/** Whether words that another pack knows are everyday words of the text's own language: "today" is in English texts of any kind. */
function isOrdinary({ from, to }: Place, { evidence, packs, language }: Given): boolean {
  const detect = language === undefined ? undefined : packs[language]?.detect;
  const words = evidence.words[language ?? 0] ?? [];
  if (detect === undefined) return false;
  for (let place = firstOf(words, (word) => word.from >= from); place < words.length; place += 1) {
    const word = words[place];
    if (word === undefined || word.from >= to) break;
    if (!detect.has(word.forms[0] ?? "")) return false;
  }
  return true;
}

/** What weighs on somebody, or is wished: with it, nothing that is near is harmless. */
const weighs = new Set<ConceptId>([
  ...([
    "wish_to_die",
    "passive_death",
    "ideation",
    "kill_self",
    "injure_self",
    "act_done",
    "past_attempt",
    "hopeless",
    "burden",
    "disappear",
  ] as const),
  ...(["fear_of_self", "command_voices"] as const),
]);

/** What nobody jokes beside. */
const heavy = new Set<ConceptId>(["farewell", "preparation", "means_in_hand", "secrecy", "lethal_place"]);

/** What is left of each concept in its frames. What the pack of the text's language knows, it knows better than the others. */
export function framed(given: Given): readonly Meant[] {
  const { concepts, frames } = given.evidence;
  const by = new Map<FrameId, FoundFrame[]>();
  for (const frame of frames) {
    const list = by.get(frame.frame);
    if (list === undefined) by.set(frame.frame, [frame]);
    else list.push(frame);
  }
  const negations = by.get("negation") ?? [];
  // "I don't feel glad I survived" tells of no recovery, and "I'm not joking" of no joke.
  for (const id of ["past_recovered", "joke"] as const)
    by.set(
      id,
      (by.get(id) ?? []).filter((frame) => !negated(frame, negations, given)),
    );
  const meant = new Set(by.get("deliberate")?.map(({ sentence }) => sentence));
  const denied = new Set(concepts.filter((concept) => negated(concept, negations, given)));
  const ends = new Set([...denied].map(({ pack, after }) => `${pack} ${after}`));
  for (const concept of concepts) if (isJoined(concept, ends, given)) denied.add(concept);
  const alone = !concepts.some((concept) => weighs.has(concept.concept) && !denied.has(concept));
  const jokes = new Set<ConceptId>(["kill_self", "wish_to_die", "ideation"]);
  const soon = concepts.some(({ concept, strength }) => concept === "time_near" && strength === "hard");
  const light = !concepts.some(({ concept }) => (weighs.has(concept) && !jokes.has(concept)) || heavy.has(concept));
  const own = concepts.filter(({ pack }) => pack === given.language);
  const known = concepts.filter(
    (concept) =>
      concept.pack === given.language || (!isOrdinary(concept, given) && !own.some((one) => one.from <= concept.from && one.to >= concept.to)),
  );
  return known.map((concept) => {
    const deliberate = meant.has(concept.sentence) && harm.has(concept.concept);
    const other = concept.concept === "other_at_risk" || ofOther(concept, by.get("subject_other") ?? [], given);
    if (denied.has(concept)) return { ...concept, other, most: 0 };
    let most: SafetyLevel = 3;
    for (const effect of frameEffects) {
      const level = effect[concept.strength];
      if (
        level >= most ||
        (effect.frame === "idiom" && deliberate) ||
        (effect.alone === true && !alone) ||
        (effect.lately === true && soon) ||
        (effect.about === "other" && !other)
      )
        continue;
      if (effect.beside !== undefined && !(light && by.get(effect.beside)?.some(({ sentence }) => sentence === concept.sentence) === true)) continue;
      const holds = (frame: FoundFrame): boolean =>
        (frame.pack === concept.pack || frame.pack === given.language) && applies(effect, frame, concept, given);
      if (by.get(effect.frame)?.some(holds) === true) most = level;
    }
    return { ...concept, other, most };
  });
}

/** "ok, bye now" is one. Of writing without spaces each character is a word. */
const mostWords = 3;
const mostCharacters = 4;

const isIdleFarewell = ({ concept, strength, most }: Meant): boolean => most === 0 || (concept === "farewell" && strength === "soft");

/** What was meant, without a goodbye that is all there is to a message of a few words. */
export function withoutLeaveTaking(meant: readonly Meant[], words: readonly Word[], { highest = 0 }: ScreenContext): readonly Meant[] {
  const most = words.every(({ forms: [form = ""] }) => standsAlone(form)) ? mostCharacters : mostWords;
  const isShort = words.length <= most && words.every(({ sentence }) => sentence === words[0]?.sentence);
  return highest === 0 && isShort && meant.every(isIdleFarewell) ? [] : meant;
}
