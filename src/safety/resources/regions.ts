/** Where a person says that they are, or the one that they write of: their own words alone, never an address or a locale. */
import { fold } from "../guard/folded-text.ts";
import data from "./gazetteer.data.json" with { type: "json" };
import frames from "./region-frames.data.json" with { type: "json" };

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

/** How much a statement says of where somebody is now: that they are there; that they live there; that they come from there. */
type Standing = 3 | 2 | 1;

interface Frame {
  readonly standing: Standing;
  /** Ends where the place begins. */
  readonly pattern: RegExp;
}

const standingOf = (standing: number): Standing => (standing === 3 ? 3 : standing === 2 ? 2 : 1);

/** Between words, with an article before the place. */
const spaced = (patterns: readonly string[]): string =>
  String.raw`(?<![\p{L}\p{M}])(?:${patterns.join("|").normalize("NFC")})(?: (?:the|el|la|los|las|le|les|der|den|dem|die|das|o|a|os|as))?(?![\p{L}\p{M}]) `;

/** Frames whose place follows. */
const framesBefore: readonly Frame[] = frames.before.map(({ standing, glued, patterns }) => ({
  standing: standingOf(standing),
  pattern: new RegExp(glued === true ? `(?:${patterns.join("|")})` : spaced(patterns), "gu"),
}));

/** Frames whose place stands before: `मैं दिल्ली में रहता हूँ`. The person of the verb tells that it is the writer's own. */
const framesAfter: readonly Frame[] = frames.after.map(({ standing, pattern }) => ({
  standing: standingOf(standing),
  pattern: new RegExp(pattern.normalize("NFC"), "gu"),
}));

/** Before a frame: what follows is no statement of the writer's own. */
const notStated = new RegExp(frames.notStated, "u");

/** Between a frame and its place. */
const approach = new RegExp(frames.approach, "u");

/** What follows a name that is no place then. */
const noPlaceThen = new RegExp(frames.noPlaceThen, "u");

/** The writer would rather not say where they are. */
const refusals = new RegExp(frames.refusals.join("|").normalize("NFC"), "u");

/** An answer to the question where somebody is that gives none. */
const refusedWhenAsked = new RegExp(frames.refusedWhenAsked, "u");

/** What may stand around a bare answer. */
const aroundAnswer = new RegExp(frames.aroundAnswer, "gu");

/** ISO 3166-1 alpha-2. */
const countryCodes: readonly string[] = data.countries;

/** Countries by the abbreviations of their states and provinces, for a name that is two places: `Birmingham, AL`. */
const subdivisions: ReadonlyMap<string, string> = new Map(
  Object.entries(data.subdivisions).flatMap(([country, codes]) => codes.map((code) => [code.toLowerCase(), country] as const)),
);

/** A name as it is looked up: folded, its words joined by single spaces. */
const nameKey = (name: string): string =>
  fold(name)
    .text.replaceAll(/[^\p{L}\p{M}\p{N}']+/gu, " ")
    .trim();

const languages = ["en", "es", "fr", "de", "pt", "hi", "ar", "zh", "zh-Hant", "id"];

const rowsOf = (byCountry: Readonly<Record<string, readonly string[]>>): readonly (readonly [name: string, code: string])[] =>
  Object.entries(byCountry).flatMap(([code, names]) => names.map((name) => [nameKey(name), code] as const));

/** Names such as `Myanmar (Burma)` are two. */
const namesIn = (name: string): readonly string[] => [
  name,
  name.replace(/\s?[（(].*$/u, ""),
  ...[...name.matchAll(/[（(](.+?)[）)]/gu)].map(([, inner = ""]) => inner),
];

interface Gazetteer {
  readonly places: ReadonlyMap<string, readonly string[]>;
  readonly peoples: ReadonlyMap<string, string>;
}

/** The most words of a name, and the most characters of one that is written without spaces. */
const mostWords = 6;
const mostHan = 10;

function build(): Gazetteer {
  const places = new Map<string, readonly string[]>();
  for (const language of languages) {
    const display = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    const named = data.countries.flatMap((code) => namesIn(display.of(code) ?? "").map((name) => [nameKey(name), code] as const));
    for (const [name, code] of named) places.set(name, [code]);
  }
  for (const [name, code] of rowsOf(data.names)) places.set(name, [code]);
  for (const [name, codes] of Object.entries(data.ambiguous)) places.set(nameKey(name), codes);
  places.delete("");
  return { places, peoples: new Map(rowsOf(data.demonyms)) };
}

let built: Gazetteer | undefined;

/** Built at the first look-up: a few thousand names. */
const gazetteer = (): Gazetteer => (built ??= build());

/** A place at the beginning of a text. */
interface NamedPlace {
  readonly codes: readonly string[];
  /** Characters of the key that its name takes. */
  readonly length: number;
}

const han = /^\p{Script=Han}/u;

/** Names as they are written with what languages put before them: `d'espagne`, `بمصر`. */
const bare = (name: string): readonly string[] => [
  name,
  name.replace(/^[dl]'/u, ""),
  name.replace(/^ب(?=\p{L}{3})/u, ""),
  name.replace(/^(?:ال|بال)(?=\p{L}{3})/u, ""),
];

/** The longest name of a place that a key begins with. */
function placeAt(key: string): NamedPlace | undefined {
  const { places } = gazetteer();
  if (han.test(key)) {
    for (let length = Math.min(mostHan, key.length); length >= 2; length -= 1) {
      const codes = places.get(key.slice(0, length));
      if (codes !== undefined) return { codes, length };
    }
    return undefined;
  }
  const words = key.slice(0, 120).split(" ").slice(0, mostWords);
  for (let count = words.length; count > 0; count -= 1) {
    const name = words.slice(0, count).join(" ");
    const codes = bare(name)
      .map((form) => places.get(form))
      .find((found) => found !== undefined);
    if (codes !== undefined) return { codes, length: name.length };
  }
  return undefined;
}

/** The country of the people that a key begins with. */
function peopleAt(key: string): NamedPlace | undefined {
  const { peoples } = gazetteer();
  const words = key.split(" ", 2);
  for (const name of [words.join(" "), words[0] ?? ""]) {
    const code = peoples.get(name);
    if (code !== undefined) return { codes: [code], length: name.length };
  }
  return undefined;
}

/** How a message begins that says where another person is, and how it would begin if they said it themselves. */
const beginnings: readonly (readonly [theirs: RegExp, own: string])[] = [
  [
    /^(?:she|he|they|(?:my|our|the) \p{L}+(?: \p{L}+)?)(?:'s|'re| is| are)(?: (?:living|staying|currently|right now|still))* (?=in |at |near |from )/iu,
    "I am ",
  ],
  [/^(?:she|he|they|(?:my|our|the) \p{L}+(?: \p{L}+)?) lives? /iu, "I live "],
  [/^(?:(?:ella|él|mi \p{L}+) )?est[áa]n? (?=en )/iu, "estoy "],
  [/^(?:(?:ella|él|mi \p{L}+) )?viven? /iu, "vivo "],
  [/^(?:sie|er|meine? \p{L}+) (?:ist|sind) /iu, "ich bin "],
  [/^(?:sie|er|meine? \p{L}+) (?:lebt|wohnt|leben|wohnen) /iu, "ich wohne "],
  [/^(?:elle|il|(?:mon|ma) \p{L}+) est /iu, "je suis "],
  [/^(?:elle|il|(?:mon|ma) \p{L}+) (?:habite|vit) /iu, "j'habite "],
  [/^(?:(?:ela|ele|(?:o meu|a minha|meu|minha) \p{L}+) )?est[áa] (?=em |no |na )/iu, "estou "],
  [/^(?:(?:ela|ele|(?:o meu|a minha|meu|minha) \p{L}+) )?(?:mora|vive) /iu, "moro "],
  [/^(?:她|他|我的?(?:朋友|同学|姐姐|妹妹|哥哥|弟弟|女儿|儿子|男朋友|女朋友))(?:现在)?(?:住)?在/u, "我在"],
];

/** A message about where another person is, as that person would say it; any other as it stands. */
export function asTheirOwn(text: string): string {
  const said = text.trim();
  const found = beginnings.find(([theirs]) => theirs.test(said));
  return found === undefined ? text : said.replace(found[0], found[1]);
}
