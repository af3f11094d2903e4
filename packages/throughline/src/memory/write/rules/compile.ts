/** Compiles a language's phrases into patterns and applies them to sentences. */
import { preparingTexts } from "../../text/locale.ts";
import type { FactPhrase, RuleLanguage, RulePhrase } from "./rule-languages.ts";

/** A phrase found in a sentence. */
export interface Found<Phrase> {
  readonly phrase: Phrase;
  /** Verbatim from the sentence. */
  readonly quote: string;
  /** Id of the object; empty for a rule. */
  readonly object: string;
}

/** A pattern that is compiled on first use, since a language has dozens. */
type LazyPattern = () => RegExp;

interface Pattern<Phrase> {
  readonly phrase: Phrase;
  readonly pattern: LazyPattern;
}

/** Compiled phrases of a language. */
export interface Reader {
  readonly language: RuleLanguage;
  readonly facts: (sentence: string) => readonly Found<FactPhrase>[];
  readonly rules: (sentence: string) => readonly Found<RulePhrase>[];
  /** Tells whether a sentence can be in the language, by its script. */
  readonly reads: (text: string) => boolean;
  /** Returns a sentence as it reads with what it corrects; undefined if it corrects nothing. */
  readonly corrected: (sentence: string) => string | undefined;
  /** Tells whether a sentence must be skipped: a question, a supposition, a statement about others or about danger. */
  readonly isGuarded: (sentence: string) => boolean;
  /** Tells whether the speaker of a sentence is in danger. */
  readonly isCrisis: (sentence: string) => boolean;
  /** Returns the first word for a feeling that is not negated. */
  readonly feeling: (text: string) => string | undefined;
  /** Compiles the patterns step by step. All at once would take some tenths of a second. */
  readonly prepare: () => Iterable<unknown>;
}

/** A word boundary for all letters; `\\b` knows only English ones. */
const edge = "(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))";

/** Compiles a pattern of a language's data. */
export const patternOf = (source: string, flags = "iu"): RegExp => new RegExp(source.replaceAll("\\b", edge), flags);

const lazily = (source: string, flags?: string): LazyPattern => {
  let made: RegExp | undefined;
  return () => (made ??= patternOf(source, flags));
};

/** Marks that end an object in any language. */
const marks = /[,.;:!?()[\]"“”„«»–—…，。！？；：、（）「」\n]|\s-\s/u;
const quotation = /"[^"\n]*"|[“„«「『][^”“»」』\n]*[”“»」』]|(?<=^|[\s,:])'[^'\n]+'(?=[\s,.!?]|$)/gu;

/** Unifies apostrophes and replaces quotations with commas. Character positions stay the same. */
const readable = (sentence: string): string => sentence.replaceAll(/[’‘ʼ]/gu, "'").replaceAll(quotation, (quoted) => ",".repeat(quoted.length));

/** A capital letter, or one of a script without capitals. */
const isLarge = (word: string): boolean => /^[\p{Lu}\p{Lt}\p{Lo}]/u.test(word);
const small = new Set("the of de la las los del el am an der die das den ob bei y und and san st le du von van".split(" "));

/** Returns the leading capitalized words. */
function nameIn(object: string, isSmallWriter: boolean): string {
  const words = object.split(/\s+/u);
  const own = words.findIndex((word) => !isLarge(word) || word.endsWith("'s"));
  const last = own === -1 ? undefined : words[own];
  const possessor = last !== undefined && isLarge(last) ? [last.slice(0, -2)] : [];
  const large = [...words.slice(0, own === -1 ? words.length : own), ...possessor].slice(0, 3);
  const first = words[0] ?? "";
  return large.length === 0 && isSmallWriter && words.length <= 2 && /^\p{L}{2,}$/u.test(first) ? first : large.join(" ");
}

/** Returns the leading capitalized words with small words between them. */
function placeIn(object: string, isSmallWriter: boolean): string {
  const words = object.split(/\s+/u);
  const end = words.findIndex((word) => !isLarge(word) && !small.has(word));
  const place = words.slice(0, end === -1 ? words.length : end).slice(0, 5);
  const last = place.findLastIndex(isLarge);
  return last === -1 ? nameIn(object, isSmallWriter) : place.slice(0, last + 1).join(" ");
}

/** Patterns for the end of an object, and for text that is not an object. */
interface ObjectWords {
  readonly ends: LazyPattern;
  readonly noObject: LazyPattern;
  readonly unspaced: boolean;
}

const mostWords = 10;
const trailing = /[了的吧啊哦呢呀]+$/u;

/** Returns the object of a phrase, cut to its form. Returns undefined if the text is not an object. */
function objectIn(
  raw: string,
  { form, small: maySmall }: FactPhrase,
  { ends, noObject, unspaced }: ObjectWords,
  sentence: string,
): string | undefined {
  if (noObject().test(raw) && form !== "listed") return undefined;
  if (form === "listed") return raw;
  if (form === "age") return Number(raw) >= 5 && Number(raw) <= 120 ? raw : undefined;
  const clause = raw.split(marks, 1)[0] ?? "";
  const end = clause.slice(1).search(ends());
  const whole = (end === -1 ? clause : clause.slice(0, end + 1)).trim();
  if (unspaced) return whole.replace(trailing, "");
  const isSmallWriter = maySmall === true && !/\p{Lu}/u.test(sentence);
  if (form === "name") return nameIn(whole, isSmallWriter);
  if (form === "place") return placeIn(whole, isSmallWriter);
  return whole.split(/\s+/u).length <= mostWords ? whole : undefined;
}

const article = /^(?:(?:an?|the|un[ao]?|une|uma?|el|l[aeo]s?|eine?[nmr]?|der|die|das|den|dem|des|du|os?|as?|seorang|sebuah|ek)\s+|l')(?=\S)/iu;

/** Matches a phrase. `plain` is the sentence prepared for patterns. */
function read(
  { phrase, pattern }: Pattern<FactPhrase>,
  { sentence, plain }: { readonly sentence: string; readonly plain: string },
  words: ObjectWords,
): Found<FactPhrase> | undefined {
  const match = pattern().exec(plain);
  const [from, upto] = match?.indices?.groups?.["o"] ?? [];
  if (match === null || from === undefined || upto === undefined) return undefined;
  const object = objectIn(plain.slice(from, upto), phrase, words, sentence);
  if (object === undefined || !/[\p{L}\p{N}]/u.test(object)) return undefined;
  const end = match.index + match[0].length;
  // If an object at the end of its phrase was cut, the quote ends with it.
  const quote = sentence.slice(match.index, upto === end ? from + object.length : end).trim();
  const id = object.replace(article, "");
  return { phrase, quote, object: phrase.id === undefined ? id : phrase.id.replace("{o}", id) };
}

const scripts: Readonly<Record<NonNullable<RuleLanguage["script"]>, RegExp>> = {
  Han: /\p{Script=Han}/u,
  Devanagari: /\p{Script=Devanagari}/u,
  Arabic: /\p{Script=Arabic}/u,
};
const otherScript = /[\p{Script=Han}\p{Script=Devanagari}\p{Script=Arabic}]/u;

const filledIn = (text: string, groups: Readonly<Record<string, string | undefined>>): string =>
  text.replaceAll(/\{(?<name>\w+)\}/gu, (_, name: string) => groups[name] ?? "");

const readers = new WeakMap<RuleLanguage, Reader>();

/** Returns the reader of a language, created once per language. */
export function readerOf(language: RuleLanguage): Reader {
  const known = readers.get(language);
  if (known !== undefined) return known;
  const reader = makeReader(language);
  readers.set(language, reader);
  return reader;
}

function makeReader(language: RuleLanguage): Reader {
  const filled = (say: string): string =>
    say
      .replaceAll("{adverb}", language.adverb)
      .replaceAll("{people}", language.people)
      .replaceAll("{partner}", language.partner)
      .replaceAll("{animal}", language.animal);
  const compiled = <Phrase extends { readonly say: string }>(phrase: Phrase): Pattern<Phrase> => ({
    phrase,
    pattern: lazily(`(?<=^|${language.before})(?:${filled(phrase.say)})`, "diu"),
  });
  const facts = language.facts.map(compiled);
  const rules = language.rules.map(compiled);
  const contrasts = (language.contrasts ?? []).map(({ say, as }) => ({ as, pattern: lazily(say) }));
  const guards = lazily(`[?？]["”’)]*$|${language.uncertain}|${language.crisis}`);
  const words: ObjectWords = {
    ends: lazily(language.ends),
    noObject: lazily(`^\\s*${language.noObject}`),
    unspaced: language.unspaced === true,
  };
  const tells = language.tells === undefined ? undefined : lazily(language.tells);
  const crisis = lazily(language.crisis);
  const [open, close] = words.unspaced ? ["", ""] : ["(?<![\\p{L}])", "(?![\\p{L}])"];
  const feeling = lazily(`(?<!${open}${language.not}\\s*)${open}(?:${language.feelings})${close}`);
  return {
    language,
    isCrisis: (sentence) => crisis().test(sentence),
    feeling: (text) => feeling().exec(text)?.[0].toLowerCase(),
    facts: (sentence) => {
      const plain = readable(sentence);
      return facts.map((pattern) => read(pattern, { sentence, plain }, words)).filter((found) => found !== undefined);
    },
    rules: (sentence) => {
      const plain = readable(sentence);
      return rules.flatMap(({ phrase, pattern }) => {
        const match = pattern().exec(plain);
        return match === null ? [] : [{ phrase, quote: sentence.slice(match.index, match.index + match[0].length).trim(), object: "" }];
      });
    },
    reads: (text) =>
      (language.script === undefined ? !otherScript.test(text) : scripts[language.script].test(text)) && (tells === undefined || tells().test(text)),
    corrected: (sentence) => {
      const plain = readable(sentence);
      for (const { as, pattern } of contrasts) {
        const match = pattern().exec(plain);
        if (match !== null) return `${plain.slice(0, match.index)}${filledIn(as, match.groups ?? {})}${plain.slice(match.index + match[0].length)}`;
      }
      return undefined;
    },
    isGuarded: (sentence) => guards().test(readable(sentence)),
    prepare: function* () {
      const patterns = [...facts, ...rules, ...contrasts].map(({ pattern }) => pattern);
      for (const pattern of [...patterns, guards, crisis, feeling, words.ends, words.noObject])
        for (const text of preparingTexts) yield pattern().test(text);
    },
  };
}
