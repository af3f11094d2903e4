/** When people say that they slept. One clause at a time: who, what, when; whatever is not clearly about the writer's own night is left out. */
import { eveningOf, type Night } from "./nights.ts";
import { readTime, timePattern, type TimeOf } from "./times.ts";

type Moment = "bed" | "asleep" | "woke";
type Found = Partial<Record<Moment, string>>;
type Groups = Readonly<Record<string, string | undefined>>;

const verbs: Readonly<Record<Moment, string>> = {
  bed: `went to bed|got (?:in)?to bed|gone to bed|in bed|lay down|turned in|hit the (?:hay|sack|pillow)|lights (?:were )?(?:out|off)|bedtime|to bed|bed`,
  asleep: `fell asleep|fallen asleep|asleep|dozed off|nodded off|drifted off|got to sleep|went to sleep|gone to sleep|slept`,
  woke: `woken up|woken|woke up|woke|wake-?up|awake|got up|gotten up|out of bed|up`,
};
const meant: Readonly<Record<Moment, TimeOf>> = { bed: "evening", asleep: "evening", woke: "morning" };
const everyVerb = Object.values(verbs).join("|");

const between = `(?:,? (?:only|at last|finally|again|this morning|last night|tonight|yesterday|late|early|already|way too late|a bit|maybe|probably|sometime))*,?`;
const near = `(?: (?:only|just|exactly|precisely|shortly|right|roughly|probably|like|at|by|around|about|approximately|circa|just before|just after|shortly before|shortly after))*`;
const preposition = `(?:at|by|around|about|roughly|approximately|circa|just after|just before|shortly after|shortly before|(?<until>until|till))(?: (?:around|about|like|roughly|exactly))?`;

/** "went to bed at 23:40": a verb, and a time that belongs to it. */
const told = new RegExp(`(?<![\\p{L}-])(?<verb>${everyVerb})${between}${near} (?:${preposition}|@|~) ?${timePattern}`, "giu");
/** "at 23:40 I went to bed". */
const ahead = new RegExp(
  `^(?:and |so |then )?(?:at|by|around|about) ${timePattern},? (?:i|we) (?:(?:only|finally|just) )?(?<verb>${everyVerb})(?!\\p{L})`,
  "iu",
);
/** "bedtime: 23:40". */
const label = new RegExp(`^(?:my )?(?<verb>bedtime|bed|wake-?up)(?: time)?(?: was|:)(?: at| around| about)? ${timePattern}`, "iu");
/** "didn't fall asleep until two" says that it was at two. */
const notUntil = new RegExp(
  `(?:n't|\\bnot)(?: (?:really|actually|even|manage to|get to))* (?<verb>fall asleep|get (?:in)?to bed|go to bed|in bed|get to sleep|go to sleep|sleep|asleep|wake up|get up) (?:until|till|before) (?:about |around )?${timePattern}`,
  "iu",
);
const lateVerbs: readonly (readonly [Moment, RegExp])[] = [
  ["bed", /bed$/iu],
  ["woke", /up$/iu],
  ["asleep", /sleep$/iu],
];
/** "slept from eleven to seven". */
const span =
  /(?<![\p{L}-])(?<verb>slept|asleep|in bed)(?: like| about)? (?:from|between) (?:about |around )?(?<from>.{1,30}?) (?:to|till|until|and) (?:about |around )?(?<to>[^,.;!?]{1,30})/iu;
const only = new RegExp(`^${timePattern}`, "iu");

/** What a clause must not hold before its verb: it was not so, is not so yet, or is so in general. */
const unreal =
  /n['’]t|['’]ll\b|\b(?:not|never|cannot|cant|didnt|wasnt|hardly|barely|no|nobody|unless|should|would|could|might|may|will|shall|must|want|hope|hoping|plan|planning|going|gonna|trying|tried|need|like|aim|used|usually|normally|typically|always|often|sometimes|generally|rarely|tomorrow|supposed|without|instead)\b/iu;
const imagined = /\b(?:if|wish|imagine|pretend|suppose|dreamt|dreamed|remind me|tomorrow)\b/iu;
const filler =
  /^(?:and|but|so|then|well|ok|okay|yes|yeah|yep|hi|hello|hey|anyway|also|again|finally|eventually|only|just|already|still|probably|last|night|yesterday|today|this|morning|evening|tonight|on|the|before|ago|two|three|four|five|six|\d|nights?|days?|monday|tuesday|wednesday|thursday|friday|saturday|sunday|was|were|had|have|been|went|straight|stayed|both|or|until|to|at|later|afterwards|late|early|because|that|\d{4}-\d\d-\d\d)$/iu;

/** Where the subject may change; a comma counts only before what can be a clause of its own. */
const clauseEnd =
  /(?:,\s*)?(?<!\bbetween [^,;]{1,20})\b(?:and|but|because|although|while|whereas|when)\b(?=\s+\D)|,\s*(?=(?:i|we|he|she|they|you|it|my|then|so|woke|got|up|fell|asleep|slept|went|at|last)\b)|;|—|–/iu;

/** Nights that a message tells of, by evening, in the order of telling: only what it says. */
export function readNights(text: string, now: number): readonly Night[] {
  const nights = new Map<string, Night>();
  const own = text
    .replaceAll(/["“][^"”]*["”]/gu, " ")
    .replaceAll("’", "'")
    .replaceAll(/\b([ap])\.m\.?/giu, "$1m");
  let evening: string | undefined;
  for (const sentence of own.split(/(?<=[.!?])\s+|\n+/u)) {
    if (sentence.trimEnd().endsWith("?") || imagined.test(sentence)) continue;
    // A day that was named holds until another one is.
    const named = eveningOf(sentence, now);
    evening = named.given ? named.date : (evening ?? named.date);
    const found = readSentence(sentence);
    if (Object.keys(found).length > 0) nights.set(evening, { ...nights.get(evening), date: evening, ...found });
  }
  return [...nights.values()];
}

function readSentence(sentence: string): Found {
  const found: Found = {};
  let subject: "self" | "other" = "self";
  for (const clause of sentence.split(clauseEnd).map((part) => part.trim())) {
    subject = subjectAtStart(clause) ?? subject;
    Object.assign(found, readClause(clause, subject));
  }
  return found;
}

function readClause(clause: string, inherited: "self" | "other"): Found {
  const led = label.exec(clause) ?? ahead.exec(clause);
  if (led?.groups !== undefined) return factOf(led.groups);
  const late = notUntil.exec(clause);
  if (late?.groups !== undefined && inherited === "self") return factOf(late.groups);
  const found: Found = {};
  for (const match of clause.matchAll(told)) {
    if (isOwn(clause.slice(0, match.index), inherited) && match.groups !== undefined) Object.assign(found, factOf(match.groups));
  }
  const whole = span.exec(clause);
  return whole?.groups !== undefined && isOwn(clause.slice(0, whole.index), inherited) ? { ...found, ...spanOf(whole.groups) } : found;
}

const isOwn = (before: string, inherited: "self" | "other"): boolean => !unreal.test(before) && (subjectOf(before) ?? inherited) === "self";

/** Who does what stands after `before`: the writer, or somebody else; undefined if it does not say. */
function subjectOf(before: string): "self" | "other" | undefined {
  const last = before
    .split(/[^\p{L}\p{N}'-]+/u)
    .findLast((word) => word !== "" && !filler.test(word))
    ?.toLowerCase();
  if (last === undefined) return undefined;
  return /^(?:i|we|i'(?:ve|d|m)|we'(?:ve|d|re))$/u.test(last) ? "self" : "other";
}

/** Whom a clause is about, from how it begins; undefined if it goes on about whoever the clause before was about. */
function subjectAtStart(clause: string): "self" | "other" | undefined {
  const words = clause.split(/[^\p{L}\p{N}'-]+/u).filter((word) => word !== "");
  const start = words.findIndex((word) => !filler.test(word));
  const first = words[start] ?? "";
  if (/^(?:i|we|i'(?:ve|d|m)|we'(?:ve|d|re))$/iu.test(first)) return "self";
  if (/^(?:he|she|they|you|it|my|his|her|their|your|our|a|an|who|everyone|somebody|someone)$/iu.test(first)) return "other";
  // "Bob came over": a name, and something that it did.
  return /^\p{Lu}/u.test(first) &&
    /^(?:came|went|said|told|got|fell|woke|slept|was|had|is|has|\p{L}+ed)$/u.test(words[start + 1] ?? "") &&
    !isVerb(first)
    ? "other"
    : undefined;
}

const isVerb = (word: string): boolean =>
  /^(?:went|got|was|in|to|lay|turned|hit|lights|bed|bedtime|fell|asleep|dozed|nodded|drifted|slept|woke|woken|awake|up|out)$/iu.test(word);

function momentOf(verb: string): Moment | undefined {
  const plain = (Object.keys(verbs) as Moment[]).find((moment) => new RegExp(`^(?:${verbs[moment]})$`, "iu").test(verb));
  return plain ?? lateVerbs.find(([, ending]) => ending.test(verb))?.[0];
}

/** "slept until nine" tells when somebody woke, "up until two" when they did not wake any more. */
const until: Readonly<Record<Moment, Moment>> = { bed: "woke", asleep: "woke", woke: "asleep" };

function factOf(groups: Groups): Found {
  const said = momentOf(groups["verb"] ?? "");
  if (said === undefined) return {};
  const moment = groups["until"] === undefined ? said : until[said];
  const time = readTime(lowered(groups), meant[moment]);
  return time === undefined ? {} : { [moment]: time };
}

/** The beginning is an evening's time, the end a morning's. */
function spanOf(groups: Groups): Found {
  const read = (text: string | undefined, when: TimeOf): string | undefined => {
    const time = only.exec(text?.trim() ?? "")?.groups;
    return time === undefined ? undefined : readTime(lowered(time), when);
  };
  const from = read(groups["from"], "evening");
  const woke = read(groups["to"], "morning");
  if (from === undefined || woke === undefined) return {};
  return groups["verb"]?.toLowerCase() === "in bed" ? { bed: from, woke } : { asleep: from, woke };
}

const lowered = (groups: Groups): Groups => Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, value?.toLowerCase()]));
