/** What a question asks for: its words, and apart from them whom it names, what time, and what kind of answer. */
import type { TimeRange } from "../text/dates.ts";
import type { Word } from "../text/tokenize.ts";
import type { TextReader } from "./language.ts";
import type { Subject } from "./shelf.ts";
import type { RankRequest } from "./unit.ts";

/** A question, taken apart. */
export interface Question {
  /** Words that carry meaning, each once, without the names of those who speak. */
  readonly terms: readonly string[];
  /** Members of the classes that it names, without its own words. */
  readonly members: readonly string[];
  /** Places of the subjects that it names. */
  readonly subjects: ReadonlySet<number>;
  readonly times: readonly TimeRange[];
  readonly wantsTime: boolean;
}

/** Names, as words in a row, each with the subjects that it may mean. */
export interface Names {
  readonly byName: ReadonlyMap<string, ReadonlySet<Subject>>;
  /** Words of the longest name. */
  readonly longest: number;
}

/** Longer names are not looked for: they are titles and sentences that something was called by. */
const mostWords = 6;

/** Names of an index's subjects: whole, first names, and aliases. */
export const namesOf = (subjects: ReadonlyMap<string, Subject>, aliases: Readonly<Record<string, string>>, reader: TextReader): Names => {
  const byName = new Map<string, Set<Subject>>();
  let longest = 0;
  const note = (name: string, subject: Subject): void => {
    const words = reader.words(name).map((word) => word.text);
    longest = Math.max(longest, words.length);
    const key = words.join(" ");
    if (key !== "") byName.set(key, (byName.get(key) ?? new Set()).add(subject));
  };
  for (const subject of subjects.values()) {
    note(subject.name, subject);
    note(subject.name.trim().split(/\s+/u)[0] ?? "", subject);
  }
  for (const [alias, name] of Object.entries(aliases)) {
    const subject = subjects.get(name);
    if (subject) note(alias, subject);
  }
  return { byName, longest: Math.min(longest, mostWords) };
};

/** "Mel's" is Mel. */
const withoutPossessive = (word: Word, text: string): string =>
  /['\u2019]s$/iu.test(text.slice(word.start, word.end)) ? word.text.replace(/['\u2019]?s$/u, "") : word.text;

interface Named {
  readonly subjects: Set<number>;
  /** The text without the names of those who speak: they stand on every page, and say nothing of what is asked. */
  readonly rest: string;
}

const findNames = (text: string, words: readonly Word[], names: Names): Named => {
  const subjects = new Set<number>();
  let rest = "";
  let kept = 0;
  for (let place = 0; place < words.length; place++) {
    for (let length = Math.min(names.longest, words.length - place); length > 0; length--) {
      const run = words.slice(place, place + length);
      const last = run.at(-1);
      if (!last) break;
      const start = run[0]?.start ?? 0;
      const name = [...run.slice(0, -1).map((word) => word.text), withoutPossessive(last, text)].join(" ");
      const found = names.byName.get(name);
      if (!found) continue;
      for (const subject of found) subjects.add(subject.place);
      if ([...found].some((subject) => subject.turns > 0)) {
        rest += `${text.slice(kept, start)} `;
        kept = last.end;
      }
      place += length - 1;
      break;
    }
  }
  rest += text.slice(kept);
  return { subjects, rest };
};

/** Longer questions are read up to here: a message of this length has said what it is about. */
const mostCharacters = 10_000;

/** Whoever names so many things names no class of them. */
const mostTerms = 64;

/** Takes a question apart. */
export const analyse = (request: RankRequest, names: Names, reader: TextReader): Question => {
  const text = request.text.slice(0, mostCharacters);
  const { subjects, rest } = findNames(text, reader.words(text), names);
  const terms = [...new Set(reader.terms(rest))];
  const members = new Set(terms.slice(0, mostTerms).flatMap((term) => reader.members(term)));
  for (const term of terms) members.delete(term);
  return { terms, members: [...members], subjects, times: reader.times(text, request.now), wantsTime: reader.asksWhen(text) };
};
