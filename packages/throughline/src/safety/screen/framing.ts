/** Limits the weight of a concept by its frame: fiction, a quote, a question, negation, the past, or another person. */
import type { SafetyLevel } from "../assessment.ts";
import type { Evidence, FoundConcept, FoundFrame, Place } from "./evidence.ts";
import type { Word } from "./matcher.ts";
import type { CompiledPack, ConceptId, FrameId } from "./rule-pack.ts";
import type { ScreenContext } from "./screened.ts";

/** A concept in its frames: the highest level it can support, and whether it concerns another person. */
export interface Meant extends FoundConcept {
  readonly most: SafetyLevel;
  readonly other: boolean;
}

/** The reach of a frame: the words it covers, its clause and the following ones up to a contrast, its sentence, or the whole message. */
type Reach = "covered" | "clause" | "sentence" | "message";

interface FrameEffect {
  readonly frame: FrameId;
  readonly reach: Reach;
  /** The level that remains for a possible idiom, and for an explicit first-person statement. */
  readonly soft: SafetyLevel;
  readonly hard: SafetyLevel;
  /** Applies only to these concepts; default all. */
  readonly only?: readonly ConceptId[];
  /** Applies only to statements about another person, such as a nurse's question about a patient. */
  readonly about?: "other";
  /** Applies only if this frame is in the sentence too, and nothing distressing or grave is in the text. */
  readonly beside?: FrameId;
  /** Applies only if no time is near: the distant past or a joke does not concern tonight. */
  readonly lately?: true;
  /** Applies only if the text contains no distress and no wish: only then is a rope for a climb harmless. */
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
/** A pretext does not weaken secrecy or a plan: "they think I am camping". */
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

/** Thoughts and statements. An act is equally urgent from any reporter. */
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

const narrative: readonly FrameId[] = ["fiction", "game", "quote", "academic", "professional"];

/** The effects of frames. The lowest level of all that apply holds. Published with the protocol. */
const frameEffects: readonly FrameEffect[] = Object.freeze([
  { frame: "idiom", reach: "covered", soft: 0, hard: 0 },
  { frame: "harmless_plan", reach: "covered", soft: 0, hard: 0 },
  { frame: "harmless_plan", reach: "sentence", soft: 0, hard: 0, only: seen, alone: true },
  { frame: "harmless_plan", reach: "message", soft: 0, hard: 2, only: near, alone: true },
  { frame: "joke", reach: "message", soft: 1, hard: 3 },
  { frame: "joke", reach: "sentence", soft: 0, hard: 1, only: ["kill_self", "wish_to_die", "ideation"], beside: "everyday", lately: true },
  { frame: "hyperbole", reach: "sentence", soft: 0, hard: 1, only: ["kill_self", "wish_to_die", "ideation"], beside: "everyday", lately: true },
  ...narrative.flatMap((frame): readonly FrameEffect[] => [
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

/** Acts and wishes. A word before them tells who they concern. */
const personal = new Set<ConceptId>([
  ...(["wish_to_die", "passive_death", "ideation", "kill_self", "injure_self", "plan", "act_done", "past_attempt", "means_in_hand"] as const),
  ...(["preparation", "lethal_place", "hopeless", "disappear", "eating_disorder", "do_it"] as const),
]);

/** Messages of parting. Of somebody who sends one to the writer, they are that person's. */
const sent = new Set<ConceptId>(["farewell", "preparation"]);

/** Acts and their means. A frame in a later clause does not weaken them. */
const stands = new Set<ConceptId>(["act_done", "means", "means_in_hand"]);

/** Possible accidents. */
const harm = new Set<ConceptId>(["injure_self", "act_done"]);

/** Reach in words of a frame, of "or", of a negation and of a word for another person. A negation reaches only over frequent words (`not really going to`). */
const frameReach = 18;
const joinReach = 2;
const negationReach = 3;
const subjectReach = 4;

const covers = (outer: { from: number; to: number }, inner: { from: number; to: number }): boolean => outer.from < inner.to && inner.from < outer.to;

/** Finds the first word for which a monotone condition holds, by binary search. */
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

/** Tells whether a contrast word is between a concept and a frame, in either order. */
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

/** Tells whether a frame is too far from a concept to apply to it. A writer without punctuation can tell a whole story in one sentence. */
function isFar(frame: FoundFrame, concept: FoundConcept, given: Given): boolean {
  const { first, after } = placeIn(frame.pack, concept, given);
  return Math.max(frame.first - after, first - frame.after) > frameReach;
}

/** Tells whether a no before a comma begins the frame. It answers something else: "no, I want to die". */
function isAnswered(frame: FoundFrame, concept: FoundConcept, { evidence, packs }: Given): boolean {
  if (frame.clause === frame.lastClause || frame.first >= placeIn(frame.pack, concept, { evidence, packs, language: undefined }).first) return false;
  const words = evidence.words[frame.pack] ?? [];
  const [opening, next] = [words[frame.first], words[frame.first + 1]];
  return opening?.clause !== next?.clause && opening?.forms.some((form) => packs[frame.pack]?.no.has(form)) === true;
}

function applies(effect: FrameEffect, frame: FoundFrame, concept: FoundConcept, given: Given): boolean {
  if (effect.only?.includes(concept.concept) === false) return false;
  // A task makes means and places harmless, not what somebody does to others.
  if (effect.frame === "harmless_plan" && urgent.has(concept.concept)) return false;
  // "jump in" is an idiom, but not within a longer match: "going to jump in front of a train". Nor is "the baby swallowed", where it is pills.
  if (effect.reach === "covered")
    return (
      covers(frame, concept) &&
      !(weighs.has(concept.concept) && frame.from > concept.from && frame.to < concept.to) &&
      !(concept.concept === "body_danger" && frame.from >= concept.from && frame.to <= concept.to) &&
      !isAnswered(frame, concept, given)
    );
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
  /** Index of the pack for the text's language. Its frames also apply to concepts of other packs. */
  readonly language: number | undefined;
}

/** Returns the position of a concept in the words of another pack, which can have expanded abbreviations. */
function placeIn(pack: number, concept: Place, { evidence }: Given): { readonly first: number; readonly after: number } {
  if (pack === concept.pack) return concept;
  const words = evidence.words[pack] ?? [];
  return { first: firstOf(words, ({ to }) => to > concept.from), after: firstOf(words, ({ from }) => from >= concept.to) };
}

const inReach = (frame: FoundFrame, concept: Place, { language }: Given): boolean =>
  frame.sentence === concept.sentence && (frame.pack === concept.pack || frame.pack === language);

/** Tells whether a negation precedes the concept, or directly follows it in languages that place it there. */
function negated(concept: Place, negations: readonly FoundFrame[], given: Given): boolean {
  return negations.some((negation) => {
    if (!inReach(negation, concept, given)) return false;
    const pack = given.packs[negation.pack];
    const words = given.evidence.words[negation.pack] ?? [];
    const { first, after } = placeIn(negation.pack, concept, given);
    // A negation pattern can cover the whole concept, or its start: `没有自杀`.
    // One that begins in an earlier clause is no part of it: `I know nobody no, I want to die`.
    if (negation.first < first ? negation.after > first && negation.clause === concept.clause : negation.first === first && negation.after >= after)
      return true;
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

const hasToMe = (from: number, to: number, words: readonly Word[], pack: CompiledPack | undefined): boolean =>
  words.slice(from + 1, to).some(({ forms }) => pack?.toMe.has(forms[0] ?? "") === true);

/** Tells whether the concept concerns another person: one is named shortly before it, with no word for the writer between. */
function ofOther(concept: FoundConcept, subjects: readonly FoundFrame[], given: Given): boolean {
  const isSent = sent.has(concept.concept);
  if (!personal.has(concept.concept) && !isSent) return false;
  return subjects.some((subject) => {
    if (!inReach(subject, concept, given) || subject.lastClause !== concept.clause) return false;
    const { first, after } = placeIn(subject.pack, concept, given);
    const distance = first - subject.after;
    // The match can start with the other person: "my brother wants to" within "my … wants to kill himself".
    const starts = subject.first <= first && subject.after < after;
    if (distance > subjectReach || (distance < 0 && !starts)) return false;
    const words = given.evidence.words[subject.pack] ?? [];
    const pack = given.packs[subject.pack];
    const formAt = (place: number): string => words[place]?.forms[0] ?? "";
    // "Somebody I know" names the other, not the writer.
    for (let place = distance < 0 ? subject.first + 1 : subject.after; place < after; place += 1)
      if (pack?.self.has(formAt(place)) === true && !pack.knows.has(formAt(place + 1)) && !(isSent && pack.toMe.has(formAt(place)))) return false;
    // "Goodbye, my brother" is the writer's: only a message that the other person sends to the writer is theirs.
    return concept.concept !== "farewell" || hasToMe(subject.first, after, words, pack);
  });
}

/** Tells whether a word such as "or" joins the concept to a negated one that ends there. The negation then applies to both. */
function isJoined({ pack, first, sentence }: Place, ends: ReadonlySet<string>, { evidence, packs }: Given): boolean {
  for (let place = first - 1; place >= first - joinReach; place -= 1) {
    const word = evidence.words[pack]?.[place];
    if (word?.sentence !== sentence) return false;
    if (packs[pack]?.or.has(word.forms[0] ?? "") === true && ends.has(`${pack} ${place}`)) return true;
  }
  return false;
}

/** Tells whether a match of another pack consists of frequent words of the text's own language: "today" occurs in any English text. */
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

/** Distress and wishes. If the text contains any, nothing near is harmless. */
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

/** Emergencies that are not suicide. */
const urgent = new Set<ConceptId>(["body_danger", "under_attack", "abused", "threat"]);

/** Concepts that exclude a joke. */
const heavy = new Set<ConceptId>(["farewell", "preparation", "means_in_hand", "secrecy", "lethal_place"]);

/** Applies the frames to each concept. The pack for the text's language takes precedence over the others. */
export function framed(given: Given): readonly Meant[] {
  const { concepts, frames } = given.evidence;
  const by = new Map<FrameId, FoundFrame[]>();
  for (const frame of frames) {
    const list = by.get(frame.frame);
    if (list === undefined) by.set(frame.frame, [frame]);
    else list.push(frame);
  }
  const negations = by.get("negation") ?? [];
  // "I don't feel glad I survived" is not a recovery, and "I'm not joking" is not a joke.
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
    // That nobody answers is as true in any frame, and said with a no.
    if (concept.concept === "unreachable") return { ...concept, other: true, most: 3 };
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

/** What an ordinary goodbye may contain besides: when it is, and that the day was hard. */
const besides = new Set<ConceptId>(["farewell", "time_near", "distress"]);

/** Most words of a goodbye that says nothing else: "ok, bye". */
const wordsOfGoodbye = 4;

/** Words that can come with a goodbye in one word: assent, and those of any plan. */
const withGoodbye: ReadonlySet<FrameId> = new Set(["yes", "doing"]);

/** Tells whether a message consists of a goodbye in one word, beside words of assent. */
function isBareGoodbye(said: readonly Meant[], { evidence: { frames, words }, packs }: Given): boolean {
  const isOneWord = ({ pack, first, after }: Meant): boolean => after - first <= (packs[pack]?.script === "Han" ? 2 : 1);
  const bare = said.filter((one) => one.concept === "farewell" && isOneWord(one));
  const parts = [...bare, ...frames.filter(({ frame }) => withGoodbye.has(frame))];
  const all = words.find((own) => own.length > 0) ?? [];
  const isCovered = all.every((word) => parts.some(({ from, to }) => from <= word.from && word.to <= to));
  return bare.length > 0 && all.length <= wordsOfGoodbye && isCovered;
}

/**
 * Drops goodbyes that say nothing more than that one leaves: no despair, no preparation, and nothing unclear before. After something unclear they are
 * unclear. One that is said explicitly must
 * consist of ordinary words of parting, or the text must tell what comes after it.
 */
export function withoutLeaveTaking(meant: readonly Meant[], given: Given, { highest = 0, unclear = 0 }: ScreenContext): readonly Meant[] {
  const { evidence, language } = given;
  const said = meant.filter(({ most }) => most > 0);
  if (!said.every(({ concept }) => besides.has(concept))) return meant;
  // Amid a crisis a bare "bye" ends the conversation for now, and the plan keeps its level.
  if (highest >= 2) return isBareGoodbye(said, given) ? meant.filter(({ concept }) => concept !== "farewell") : meant;
  const isDistressed = said.some(({ concept }) => concept === "distress");
  const frames = evidence.frames.filter(({ pack, frame }) => pack === language && (frame === "parting" || frame === "reunion"));
  const hasAfter = frames.some(({ frame }) => frame === "reunion");
  const isIdle = (one: Meant): boolean =>
    hasAfter || (one.strength === "soft" && !isDistressed) || frames.some(({ from, to }) => from <= one.from && one.to <= to);
  const farewells = said.filter(({ concept }) => concept === "farewell");
  if (!farewells.every(isIdle)) return meant;
  if (highest === 0 && unclear === 0) return meant.filter(({ concept }) => concept !== "farewell");
  // After something unclear an ordinary goodbye is unclear too, and no more.
  return meant.map((one) => (one.concept === "farewell" && one.most > 1 ? { ...one, most: 1 } : one));
}

const unnamed = new Set<ConceptId>(["do_it", "plan", "time_near"]);
/** Most words of a message that says no more than that something will be done. */
const wordsOfDoing = 12;

/**
 * Drops an act that is not named, if each word of the message says only that it will be done and when: "OK, I'll do it on Thursday". Neither a safety
 * question nor anything unclear may come before, unless it was asked who is there, or whether they would reach out, and the message begins with a yes.
 */
export function withoutDoing(
  meant: readonly Meant[],
  { evidence, language }: Given,
  { asked, highest = 0, unclear = 0 }: ScreenContext,
): readonly Meant[] {
  const words = language === undefined ? [] : (evidence.words[language] ?? []);
  // "Yes, I will do it" agrees to what was asked.
  const isAgreed =
    (asked === "someone" || asked === "willing") &&
    evidence.frames.some(({ frame, pack, first }) => frame === "yes" && pack === language && first === 0);
  if (isAgreed && meant.every(({ concept }) => concept === "do_it")) return [];
  if (asked !== undefined || highest > 0 || unclear > 0 || words.length === 0 || words.length > wordsOfDoing) return meant;
  if (!meant.every(({ concept }) => unnamed.has(concept))) return meant;
  const frames = evidence.frames.filter(({ pack, frame }) => pack === language && frame === "doing");
  const isWithin = (places: readonly Pick<Meant, "from" | "to">[], one: Pick<Meant, "from" | "to">): boolean =>
    places.some(({ from, to }) => from <= one.from && one.to <= to);
  const acts = meant.filter(({ concept }) => concept !== "time_near");
  const others = [...evidence.frames.filter(({ frame }) => frame === "yes"), ...meant.filter(({ concept }) => concept === "time_near")];
  const isPlain = frames.length > 0 && words.every((word) => isWithin([...frames, ...others], word)) && acts.every((act) => isWithin(frames, act));
  return isPlain ? [] : meant;
}
