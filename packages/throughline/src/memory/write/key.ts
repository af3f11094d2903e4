/** Keys by which facts and texts are compared to find duplicates. */
import { chinese, english, german, spanish } from "../text/languages.ts";
import { createTokenizer, scan, type Tokenizer } from "../text/tokenize.ts";
import { createHash } from "node:crypto";
import type { Entity, Fact } from "../entry.ts";

let tokenizer: Tokenizer | undefined;

/** Returns the stems of a text without stop words. The tokenizer is created on first use, since most processes that load this module write nothing. */
export const meaningful = (text: string): readonly string[] =>
  (tokenizer ??= createTokenizer({ locales: [english, spanish, german, chinese] })).terms(text);

/** Normalizes letter variants, case and apostrophes. */
const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’‘ʼ`´]/gu, "'");

/** Returns all words of a text, folded, including stop words. In scripts without spaces, each character is a word. */
export function allWords(text: string): readonly string[] {
  const plain = folded(text);
  const places = scan(plain);
  const words: string[] = [];
  for (let index = 0; index < places.length; index += 3) words.push(plain.slice(places[index], places[index + 1]));
  return words;
}

/** Returns the words of a text. Texts that read the same become equal. A text without words is returned folded. */
export const normalisedText = (text: string): string => {
  const words = allWords(text);
  return words.length > 0 ? words.join(" ") : folded(text).trim();
};

/** Words before a name that are not part of it: "the gym" and "my gym" are the gym. */
const articles = new Set(
  "a an the my our el la los las un una mi mis nuestro nuestra der die das den dem ein eine einen einem mein meine meinen meiner".split(" "),
);

/** Returns an entity id in comparable form. */
export function normalisedId(id: string): string {
  const words = allWords(id);
  const first = words.findIndex((word) => !articles.has(word));
  return first <= 0 ? normalisedText(id) : words.slice(first).join(" ");
}

/** Returns a subject in comparable form. The user has one key, whatever the id. */
const subjectKey = ({ type, id }: Entity): string => (type === "User" ? "user" : normalisedId(id));

type Triple = Pick<Fact, "subject" | "predicate" | "object">;

/** Memoizes a function of an immutable value, since the same facts are compared many times. */
function once<Value extends object, Made>(make: (value: Value) => Made): (value: Value) => Made {
  const made = new WeakMap<Value, Made>();
  return (value) => {
    const known = made.get(value);
    if (known !== undefined) return known;
    const fresh = make(value);
    made.set(value, fresh);
    return fresh;
  };
}

/** Returns the key of a fact. Facts with the same key are duplicates, whatever their wording. The entry id derives from it. */
export const factKey: (fact: Triple) => string = once(({ subject, predicate, object }) =>
  JSON.stringify([subjectKey(subject), predicate, normalisedId(object.id)]),
);

/** Returns the key of a fact's subject and predicate. For a functional predicate, only one fact per slot is active. */
export const slotKey: (fact: Pick<Fact, "subject" | "predicate">) => string = once(({ subject, predicate }) =>
  JSON.stringify([subjectKey(subject), predicate]),
);

/** Returns the words of an entity's id. */
export const wordsOfId: (entity: Entity) => ReadonlySet<string> = once(({ id }) => new Set(allWords(id)));

/** Prepares the comparison keys fact by fact. For thousands of facts, the first time takes a tenth of a second. */
export function* comparing(facts: Iterable<Triple>): Generator<string> {
  for (const fact of facts) {
    wordsOfId(fact.subject);
    wordsOfId(fact.object);
    slotKey(fact);
    yield factKey(fact);
  }
}

/** Returns the entry id of a fact. It derives from the key, so two processes write the same fact to the same entry. */
export const factEntryId = (fact: Triple): string => `fact:${createHash("sha256").update(factKey(fact)).digest("hex").slice(0, 32)}`;

/** Returns the id of a rule. It derives from the words, so the same wish is kept once. */
export const ruleId = (text: string): string => `rule:${createHash("sha256").update(normalisedText(text)).digest("hex").slice(0, 24)}`;

/** Returns the Jaccard similarity of two word sets. Two empty sets have similarity 0. */
export function jaccard(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = overlap(left, right);
  return shared === 0 ? 0 : shared / (left.size + right.size - shared);
}

/** Returns the number of words that two sets share. */
export function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of left) if (right.has(word)) shared++;
  return shared;
}
