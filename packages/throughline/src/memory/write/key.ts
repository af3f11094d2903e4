/** When two facts, or two texts, are the same: what duplicates are found by. */
import { chinese } from "../text/locales/zh.ts";
import { english } from "../text/locales/en.ts";
import { german } from "../text/locales/de.ts";
import { spanish } from "../text/locales/es.ts";
import { createTokenizer, type Tokenizer } from "../text/tokenize.ts";
import { createHash } from "node:crypto";
import type { Entity, Fact } from "../entry.ts";
import { scan } from "../text/scan.ts";

let tokenizer: Tokenizer | undefined;

/** Stems without stop words. The tokenizer is made when it is first needed: most processes that load this write nothing. */
export const meaningful = (text: string): readonly string[] =>
  (tokenizer ??= createTokenizer({ locales: [english, spanish, german, chinese] })).terms(text);

/** A text without what makes no difference between two of them: forms of letters, case, kinds of apostrophes. */
const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’‘ʼ`´]/gu, "'");

/** Every word of a text, stop words and all, folded; of scripts without spaces every character. */
export function allWords(text: string): readonly string[] {
  const plain = folded(text);
  const places = scan(plain);
  const words: string[] = [];
  for (let index = 0; index < places.length; index += 3) words.push(plain.slice(places[index], places[index + 1]));
  return words;
}

/** A text as its words alone: two that read the same are the same. A text of no words at all is itself. */
export const normalisedText = (text: string): string => {
  const words = allWords(text);
  return words.length > 0 ? words.join(" ") : folded(text).trim();
};

/** Words before a name that do not belong to it: "the gym" and "my gym" are the gym. */
const articles = new Set(
  "a an the my our el la los las un una mi mis nuestro nuestra der die das den dem ein eine einen einem mein meine meinen meiner".split(" "),
);

/** The id of a thing, made comparable. */
export function normalisedId(id: string): string {
  const words = allWords(id);
  const first = words.findIndex((word) => !articles.has(word));
  return first <= 0 ? normalisedText(id) : words.slice(first).join(" ");
}

/** What a fact is about, made comparable: the person is one, whatever their id. */
const subjectKey = ({ type, id }: Entity): string => (type === "User" ? "user" : normalisedId(id));

type Said = Pick<Fact, "subject" | "predicate" | "object">;

/** What is made of a value that never changes is made once: a memory's facts are compared many times. */
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

/** Facts with one key say the same, whatever words they were said in. Of one owner; the id that is made of it lies in the owner's memory. */
export const factKey: (said: Said) => string = once(({ subject, predicate, object }) =>
  JSON.stringify([subjectKey(subject), predicate, normalisedId(object.id)]),
);

/** Facts of one slot say the same thing of the same one: of a functional predicate one at a time holds. */
export const slotKey: (said: Pick<Fact, "subject" | "predicate">) => string = once(({ subject, predicate }) =>
  JSON.stringify([subjectKey(subject), predicate]),
);

/** The words of an entity's id. */
export const wordsOfId: (entity: Entity) => ReadonlySet<string> = once(({ id }) => new Set(allWords(id)));

/** Makes what facts are compared by, fact by fact, before they are compared: of thousands it takes a tenth of a second the first time. */
export function* comparing(facts: Iterable<Said>): Generator<string> {
  for (const fact of facts) {
    wordsOfId(fact.subject);
    wordsOfId(fact.object);
    slotKey(fact);
    yield factKey(fact);
  }
}

/** The id of a fact's entry: made of its key, so that two processes that write the same fact write the same entry. */
export const factEntryId = (said: Said): string => `fact:${createHash("sha256").update(factKey(said)).digest("hex").slice(0, 32)}`;

/** How much two sets of words have in common: the size of what they share over that of all (Jaccard). Two empty sets have nothing in common. */
export function jaccard(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = overlap(left, right);
  return shared === 0 ? 0 : shared / (left.size + right.size - shared);
}

/** How many words two sets share. */
export function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of left) if (right.has(word)) shared++;
  return shared;
}
