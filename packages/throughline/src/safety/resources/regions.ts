/** Finds where a writer is, or the person they write about. It reads only their own words, never an address or a locale. */
import { fold } from "../guard/folded-text.ts";
import data from "./gazetteer.data.json" with { type: "json" };
import frames from "./region-frames.data.json" with { type: "json" };

/** A message's statement about the writer's location. */
export interface StatedRegions {
  /** ISO 3166-1 codes: none if the message names no place, two or more for a name of several places, such as Georgia. */
  readonly regions: readonly string[];
  /** The writer declined to say. */
  readonly refused: boolean;
}

/** Options for reading a message. */
export interface RegionOptions {
  /** The last reply asked where the person is, so a bare `Canada` is an answer. */
  readonly asked?: boolean;
}

/** A longer text is not a place name. */
const longestAnswer = 80;

/** Characters of a message that are read. */
const longestRead = 8_000;

/** Statements that are read per clause, the last ones. */
const mostStatements = 64;

/** Most characters between a place and its frame, such as "I live in". */
const furthest = 160;

/** Text that is not the writer's own statement: quotes, quoted lines, code, tags, and the rest of a line after a command to the program. */
const foreign =
  /```[\s\S]{0,4000}?```|`[^`\n]{0,400}`|<[a-z/][^>\n]{0,400}>(?:[^<\n]{0,400}<\/[^>\n]{0,80}>)?|^\s*>.*$|"[^"\n]{0,1000}"|“[^”\n]{0,1000}”|„[^“”\n]{0,1000}[“”]|«[^»\n]{0,1000}»|「[^」\n]{0,1000}」|(?<![\p{L}])'[^'\n]{0,300}'(?!\p{L})|(?:ignore|disregard|forget) (?:all |any |the |your |my )*(?:previous|prior|above|earlier|instructions|rules).*$|^\s*(?:system|assistant|developer|instruction|user_location|location_override)\s*:.*$|(?:set|change|update) (?:the |my |user )*(?:location|region|country) (?:to|as).*$|(?:pretend|imagine|act like|act as if|suppose|roleplay)\b.*$/gimu;

const clauseEnd = /[.!?;:…\n()[\]{}|؟。！？；।]+|\s-\s|—|–/u;

/** Splits a text into clauses as lookup keys: folded words with single spaces, and commas as separate words. Letters with dots between them become one word. */
const clausesOf = (text: string): readonly string[] =>
  text
    .slice(0, longestRead)
    .replaceAll(foreign, " . ")
    .replaceAll(/(?<![\p{L}])(\p{L})\.(\p{L})\.(?:(\p{L})\.?)?(?!\p{L})/gu, "$1$2$3")
    // In capitals or with its article this is the country, otherwise the pronoun.
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

/** Reads a place name with its qualifiers: `Birmingham, UK`, `Portland in Oregon`. */
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

/** Returns the place after a frame: directly, after words such as `a small town in`, or after an unknown name and a comma. */
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

/** Returns the place that ends directly before a frame. */
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

/** Returns the statements of a clause, in order. */
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
 * Returns the countries of a place name, such as one entered in a form field. Returns none for more than 80 characters, or for a placeholder such as
 * `none` or `n/a`.
 */
export function regionsOf(location: string): readonly string[] {
  const plain = location.trim().replaceAll(/^["'`\s]+|["'`\s]+$/gu, "");
  if (plain === "" || plain.length > longestAnswer) return [];
  if (/^[A-Z]{2}$/u.test(plain) && countryCodes.includes(plain)) return [plain];
  const key = clausesOf(plain).join(" , ");
  const found = narrowed(key) ?? narrowed(key.replace(approach, ""));
  return found !== undefined && found.length >= key.replace(approach, "").length ? found.codes : [];
}

/** Codes that are also words. In capitals, they are more often emphasized words than codes. */
const words: ReadonlySet<string> = new Set(["NO", "SO", "IN", "IT", "IS", "ME", "MY", "AM", "AS", "AT", "BE", "DO", "TO", "HM", "SA", "LA", "US"]);

/** Reads a bare place name as the answer to the question where the person is. */
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
 * Finds the place where the writer says they are, from the message alone and without a model. Where they are now outranks where they live, which
 * outranks where they come from. Places of other people, quotes and instructions do not count, nor do words that only look like a place.
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

/** How strongly a statement tells where a person is now: they are there, they live there, or they come from there. */
type Standing = 3 | 2 | 1;

interface Frame {
  readonly standing: Standing;
  /** Ends where the place starts. */
  readonly pattern: RegExp;
}

const standingOf = (standing: number): Standing => (standing === 3 ? 3 : standing === 2 ? 2 : 1);

/** Matches whole words, with an optional article before the place. */
const spaced = (patterns: readonly string[]): string =>
  String.raw`(?<![\p{L}\p{M}])(?:${patterns.join("|").normalize("NFC")})(?: (?:the|el|la|los|las|le|les|der|den|dem|die|das|o|a|os|as))?(?![\p{L}\p{M}]) `;

/** Frames that precede their place. */
const framesBefore: readonly Frame[] = frames.before.map(({ standing, glued, patterns }) => ({
  standing: standingOf(standing),
  pattern: new RegExp(glued === true ? `(?:${patterns.join("|")})` : spaced(patterns), "gu"),
}));

/** Frames that follow their place: `मैं दिल्ली में रहता हूँ`. The person of the verb shows that the statement is the writer's own. */
const framesAfter: readonly Frame[] = frames.after.map(({ standing, pattern }) => ({
  standing: standingOf(standing),
  pattern: new RegExp(pattern.normalize("NFC"), "gu"),
}));

/** If this precedes a frame, the text after it is not the writer's own statement. */
const notStated = new RegExp(frames.notStated, "u");

/** Words between a frame and its place. */
const approach = new RegExp(frames.approach, "u");

/** If this follows a name, the name is not a place. */
const noPlaceThen = new RegExp(frames.noPlaceThen, "u");

/** The writer declines to say where they are. */
const refusals = new RegExp(frames.refusals.join("|").normalize("NFC"), "u");

/** Declines to answer the question where the person is. */
const refusedWhenAsked = new RegExp(frames.refusedWhenAsked, "u");

/** Words that can surround a bare answer. */
const aroundAnswer = new RegExp(frames.aroundAnswer, "gu");

/** ISO 3166-1 alpha-2. */
const countryCodes: readonly string[] = data.countries;

/** Countries by the abbreviations of their states and provinces, to resolve an ambiguous name: `Birmingham, AL`. */
const subdivisions: ReadonlyMap<string, string> = new Map(
  Object.entries(data.subdivisions).flatMap(([country, codes]) => codes.map((code) => [code.toLowerCase(), country] as const)),
);

/** Returns the lookup key of a name: folded, with single spaces between words. */
const nameKey = (name: string): string =>
  fold(name)
    .text.replaceAll(/[^\p{L}\p{M}\p{N}']+/gu, " ")
    .trim();

const languages = ["en", "es", "fr", "de", "pt", "hi", "ar", "zh", "zh-Hant", "id"];

const rowsOf = (byCountry: Readonly<Record<string, readonly string[]>>): readonly (readonly [name: string, code: string])[] =>
  Object.entries(byCountry).flatMap(([code, names]) => names.map((name) => [nameKey(name), code] as const));

/** Splits names such as `Myanmar (Burma)` into two. */
const namesIn = (name: string): readonly string[] => [
  name,
  name.replace(/\s?[（(].*$/u, ""),
  ...[...name.matchAll(/[（(](.+?)[）)]/gu)].map(([, inner = ""]) => inner),
];

interface Gazetteer {
  readonly places: ReadonlyMap<string, readonly string[]>;
  readonly peoples: ReadonlyMap<string, string>;
}

/** Most words of a name, and most characters of a name written without spaces. */
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

/** Returns the gazetteer of a few thousand names, built on first use. */
const gazetteer = (): Gazetteer => (built ??= build());

/** A place at the start of a text. */
interface NamedPlace {
  readonly codes: readonly string[];
  /** Characters of the key that the name takes. */
  readonly length: number;
}

const han = /^\p{Script=Han}/u;

/** Returns a name also without the prefixes that languages attach to it: `d'espagne`, `بمصر`. */
const bare = (name: string): readonly string[] => [
  name,
  name.replace(/^[dl]'/u, ""),
  name.replace(/^ب(?=\p{L}{3})/u, ""),
  name.replace(/^(?:ال|بال)(?=\p{L}{3})/u, ""),
];

/** Returns the longest place name at the start of a key. */
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

/** Returns the country of a demonym at the start of a key. */
function peopleAt(key: string): NamedPlace | undefined {
  const { peoples } = gazetteer();
  const words = key.split(" ", 2);
  for (const name of [words.join(" "), words[0] ?? ""]) {
    const code = peoples.get(name);
    if (code !== undefined) return { codes: [code], length: name.length };
  }
  return undefined;
}

/** Openings of a message about where another person is, with the first-person equivalent. */
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

/** Rewrites a message about another person's place in the first person. Returns any other text unchanged. */
export function asTheirOwn(text: string): string {
  const said = text.trim();
  const found = beginnings.find(([theirs]) => theirs.test(said));
  return found === undefined ? text : said.replace(found[0], found[1]);
}
