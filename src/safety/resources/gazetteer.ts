/** Names of places and what they mean, offline: countries in the languages of the companion, their parts, large cities. */
import { fold } from "../guard/fold.ts";
import data from "./gazetteer.data.json" with { type: "json" };

/** ISO 3166-1 alpha-2. */
export const countryCodes: readonly string[] = data.countries;

/** Countries by the abbreviations of their states and provinces, for a name that is two places: `Birmingham, AL`. */
export const subdivisions: ReadonlyMap<string, string> = new Map(
  Object.entries(data.subdivisions).flatMap(([country, codes]) => codes.map((code) => [code.toLowerCase(), country] as const)),
);

/** A name as it is looked up: folded, its words joined by single spaces. */
export const nameKey = (name: string): string =>
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
export interface NamedPlace {
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
export function placeAt(key: string): NamedPlace | undefined {
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
export function peopleAt(key: string): NamedPlace | undefined {
  const { peoples } = gazetteer();
  const words = key.split(" ", 2);
  for (const name of [words.join(" "), words[0] ?? ""]) {
    const code = peoples.get(name);
    if (code !== undefined) return { codes: [code], length: name.length };
  }
  return undefined;
}
