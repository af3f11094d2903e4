/** Where a person says that they are: their own words alone, never an address or a locale. */
import { fold } from "../guard/fold.ts";
import { countryCodes, peopleAt, placeAt, subdivisions } from "./gazetteer.ts";
import { approach, aroundAnswer, framesAfter, framesBefore, noPlaceThen, notStated, refusals, refusedWhenAsked } from "./region-frames.ts";

/** What a message says about where its writer is. */
export interface StatedRegions {
  /** ISO 3166-1 codes: none if no place was stated, two or more for a name of several places, such as Georgia. */
  readonly regions: readonly string[];
  /** The writer would rather not say. */
  readonly refused: boolean;
}

/** How a message is read. */
export interface RegionOptions {
  /** The last reply has asked where the person is: a bare `Canada` is an answer. */
  readonly asked?: boolean;
}

/** More is no name of a place. */
const longestAnswer = 80;

/** So much of a message is read. */
const longestRead = 8_000;

/** No more are looked at in a clause, the last ones. */
const mostStatements = 64;

/** A place stands so close to what says that somebody is there. */
const furthest = 160;

/** What is not the writer's own: quotes, quoted lines, code, tags, and what follows a command to the program on the same line. */
const foreign =
  /```[\s\S]{0,4000}?```|`[^`\n]{0,400}`|<[a-z/][^>\n]{0,400}>(?:[^<\n]{0,400}<\/[^>\n]{0,80}>)?|^\s*>.*$|"[^"\n]{0,1000}"|“[^”\n]{0,1000}”|„[^“”\n]{0,1000}[“”]|«[^»\n]{0,1000}»|「[^」\n]{0,1000}」|(?<![\p{L}])'[^'\n]{0,300}'(?!\p{L})|(?:ignore|disregard|forget) (?:all |any |the |your |my )*(?:previous|prior|above|earlier|instructions|rules).*$|^\s*(?:system|assistant|developer|instruction|user_location|location_override)\s*:.*$|(?:set|change|update) (?:the |my |user )*(?:location|region|country) (?:to|as).*$|(?:pretend|imagine|act like|act as if|suppose|roleplay)\b.*$/gimu;

const clauseEnd = /[.!?;:…\n()[\]{}|؟。！？；।]+|\s-\s|—|–/u;

/** A clause as a key: folded words with single spaces, commas as words of their own; letters with dots between are one word. */
const clausesOf = (text: string): readonly string[] =>
  text
    .slice(0, longestRead)
    .replaceAll(foreign, " . ")
    .replaceAll(/(?<![\p{L}])(\p{L})\.(\p{L})\.(?:(\p{L})\.?)?(?!\p{L})/gu, "$1$2$3")
    // In capitals or with its article it is the country, else the pronoun.
    .replaceAll(/(?<!\p{L})(?:US|[Tt]he (?:us|US|[Ss]tates(?! of)))(?!\p{L})/gu, "USA")
    .split(clauseEnd)
    .map((clause) =>
      fold(clause)
        .text.replaceAll(/[,،、，]/gu, " , ")
        .replaceAll(/[^\p{L}\p{M}\p{N}', ]+/gu, " ")
        .replaceAll(/\s+/gu, " ")
        .trim(),
    )
    .filter((clause) => clause !== "");

/** A name with what narrows it down: `Birmingham, UK`, `Portland in Oregon`. */
function narrowed(key: string): { readonly codes: readonly string[]; readonly length: number } | undefined {
  const first = placeAt(key);
  if (first === undefined || noPlaceThen.test(key.slice(first.length))) return undefined;
  let { codes, length } = first;
  for (let more = 0; more < 3; more += 1) {
    const gap = /^ ?(?:, )?(?:(?:in|en|de|the|em|na|no|der|au|aux|la|di) ){0,2}/u.exec(key.slice(length))?.[0] ?? "";
    if (gap === "" && !/^\p{Script=Han}/u.test(key.slice(length))) break;
    const rest = key.slice(length + gap.length);
    const short = subdivisions.get(rest.split(" ", 1)[0] ?? "");
    const next =
      placeAt(rest) ?? (gap.includes(",") && short !== undefined ? { codes: [short], length: rest.split(" ", 1)[0]?.length ?? 0 } : undefined);
    if (next === undefined) break;
    const known = codes;
    const both = known.filter((code) => next.codes.includes(code));
    codes = both.length > 0 ? both : next.codes;
    length += gap.length + next.length;
  }
  return { codes, length };
}

/** The place that follows a frame: at once, behind words such as `a small town in`, or behind a name that is not known and a comma. */
function placeAfter(key: string, lives: boolean): readonly string[] | undefined {
  const direct = narrowed(key);
  if (direct !== undefined) return direct.codes;
  const approached = approach.exec(key)?.[0] ?? "";
  const rest = key.slice(approached.length);
  const found = approached === "" ? undefined : narrowed(rest);
  if (found !== undefined) return found.codes;
  const unknown = (lives ? /^(?:\p{L}[\p{L}\p{M}']*) ?(?:\p{L}[\p{L}\p{M}']* ){0,2}(?:, (?:in )?|in (?:the )?)/u : /^\p{L}[\p{L}\p{M}']* , /u).exec(
    rest,
  )?.[0];
  return unknown === undefined ? undefined : narrowed(rest.slice(unknown.length))?.codes;
}

/** The place that ends right before a frame. */
function placeBefore(key: string): readonly string[] | undefined {
  const words = key.split(" ").slice(-5);
  for (let from = 0; from < words.length; from += 1) {
    const name = words.slice(from).join(" ");
    const place = placeAt(name);
    if (place !== undefined && place.length === name.length) return place.codes;
  }
  return undefined;
}

interface Stated {
  readonly standing: number;
  readonly codes: readonly string[];
}

const nationality =
  /(?<!\p{L})(?:i'm|im|i am|soy|je suis|ich bin|sou|eu sou|(?:انا|أنا)|मैं|我是)(?: (?:a|an|un|une|ein|eine|um|uma|born|proud|male|female|young))* ?/gu;

/** What a clause says, in the order in which it is said. */
function statedIn(clause: string): readonly Stated[] {
  const stated: Stated[] = [];
  const own = (at: number): boolean => !notStated.test(clause.slice(Math.max(0, at - 40), at).trimEnd());
  for (const { pattern, standing } of framesBefore)
    for (const { 0: found, index } of [...clause.matchAll(pattern)].slice(-mostStatements)) {
      const codes = own(index) ? placeAfter(clause.slice(index + found.length, index + found.length + furthest), standing === 2) : undefined;
      if (codes !== undefined) stated.push({ standing, codes });
    }
  for (const { pattern, standing } of framesAfter)
    for (const { index } of [...clause.matchAll(pattern)].slice(-mostStatements)) {
      const codes = own(0) ? placeBefore(clause.slice(Math.max(0, index - furthest), index)) : undefined;
      if (codes !== undefined) stated.push({ standing, codes });
    }
  for (const { 0: found, index } of clause.matchAll(nationality)) {
    const rest = clause.slice(index + found.length, index + found.length + furthest);
    const people = peopleAt(rest) ?? (/^\p{Script=Han}{2,4}$/u.test(rest) ? peopleAt(rest) : undefined);
    const after = people === undefined ? "" : rest.slice(people.length);
    if (
      people !== undefined &&
      own(index) &&
      /^(?:$| ,| (?:and|but|citizen|national|guy|girl|man|woman|person|boy|here|living|y|et|und|e|dan|pero|mais|aber|mas)(?!\p{L}))/u.test(after)
    )
      stated.push({ standing: 0, codes: people.codes });
  }
  return stated;
}

const unique = (codes: readonly string[]): readonly string[] => [...new Set(codes)];

/**
 * The countries that a name of a place means, such as what a person has entered in a field: none for more than 80 characters, or for a word in the place
 * of a name, such as `none` or `n/a`.
 */
export function regionsOf(location: string): readonly string[] {
  const plain = location.trim().replaceAll(/^["'`\s]+|["'`\s]+$/gu, "");
  if (plain === "" || plain.length > longestAnswer) return [];
  if (/^[A-Z]{2}$/u.test(plain) && countryCodes.includes(plain)) return [plain];
  const key = clausesOf(plain).join(" , ");
  const found = narrowed(key) ?? narrowed(key.replace(approach, ""));
  return found !== undefined && found.length >= key.replace(approach, "").length ? found.codes : [];
}

/** Codes that are words too: in capitals they are more often said loudly than meant. */
const words: ReadonlySet<string> = new Set(["NO", "SO", "IN", "IT", "IS", "ME", "MY", "AM", "AS", "AT", "BE", "DO", "TO", "HM", "SA", "LA", "US"]);

/** A bare name that answers the question where somebody is. */
function answered(text: string): readonly string[] {
  const plain = text.trim();
  if (/^[A-Z]{2}$/u.test(plain) && countryCodes.includes(plain) && !words.has(plain)) return [plain];
  if (/^\W*(?:the )?u\.?s\.?\W*$/iu.test(plain)) return ["US"];
  for (const clause of clausesOf(plain).slice(0, 2)) {
    if (clause.length > longestAnswer) continue;
    let rest = clause;
    const codes: string[] = [];
    for (let round = 0; round < 8 && rest !== ""; round += 1) {
      const place = narrowed(rest);
      const around = new RegExp(`^(?:${aroundAnswer.source}|,)\\s?`, "u").exec(rest)?.[0];
      if (place === undefined && (around === undefined || around === "")) break;
      codes.push(...(place?.codes ?? []));
      rest = rest.slice(place?.length ?? around?.length).trim();
    }
    if (rest === "" && codes.length > 0) return unique(codes);
  }
  return [];
}

/**
 * The place that the writer of a message says they are in, from the message alone and without a model. Where they are counts before where they live, and
 * that before where they come from. Other people's places, quotes and instructions in a text name none, nor does a word that only looks like a place.
 */
export function findRegions(text: string, { asked = false }: RegionOptions = {}): StatedRegions {
  const bare = asked ? answered(text) : [];
  if (bare.length > 0) return { regions: bare, refused: false };
  const clauses = clausesOf(text);
  let best: Stated | undefined;
  for (const stated of clauses.flatMap((clause) => statedIn(clause))) if (stated.standing >= (best?.standing ?? 0)) best = stated;
  if (best !== undefined) return { regions: unique(best.codes), refused: false };
  const refused =
    clauses.some((clause) => refusals.test(clause.replaceAll(" ,", ""))) ||
    (asked && clauses.some((clause) => refusedWhenAsked.test(clause.replaceAll(" ,", "").trim())));
  return { regions: [], refused };
}
