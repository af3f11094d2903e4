/**
 * Bars keep forgotten text from being written again. A bar is a keyed hash (HMAC-SHA-256, RFC 2104), and every write is checked against the bars. The
 * key is the owner's id and a random salt, so bars of two owners cannot be compared, and the hashes alone reveal nothing. The salt is stored with the
 * bars: anyone who has both can test guesses.
 */
import { createHmac } from "node:crypto";
import type { Bar, EntryWrite, Fact } from "../entry.ts";
import { encodeEntry } from "./decode.ts";
import { allWords, factKey, normalisedText, slotKey, meaningful } from "./key.ts";

/** What a bar can block: a fact (its key, the terms of its object and its quote), or a text (a turn, a rule or a quote). */
export type Barrable = Pick<Fact, "subject" | "predicate" | "object" | "quote"> | { readonly text: string };

/** Minimum number of words for a partial match. Shorter quotes occur everywhere, so they block only equal quotes. */
const fewestWords = 4;
/** Maximum number of words searched in a text, and so the maximum length of a barred quote. */
const mostWords = 80;

const hashOf = (owner_id: string, salt: string, what: string): string =>
  createHmac("sha256", `${owner_id}\n${salt}`).update(what).digest("base64url");

const textName = (text: string): string => `text:${normalisedText(text)}`;

/** Returns the names to hash. A fact also has its object's terms, so that "the blue xylophones" matches "the blue xylophone". */
function namesOf(what: Barrable): readonly string[] {
  if ("text" in what) return [textName(what.text)];
  const terms = [...new Set(meaningful(what.object.id))].toSorted();
  return [
    `fact:${factKey(what)}`,
    ...(terms.length === 0 ? [] : [`like:${slotKey(what)}:${terms.join(" ")}`]),
    ...(what.quote.trim() === "" ? [] : [textName(what.quote)]),
  ];
}

/** Returns the salt of an owner's newest bar, so that lookups need only one hash. Returns undefined without bars. */
export const saltOf = (bars: readonly Bar[]): string | undefined => bars.toSorted((left, right) => right.recorded_at - left.recorded_at)[0]?.salt;

/** Returns the writes that bar a forgotten item. `salt` is the existing {@link saltOf}, else at least 16 random bytes as text. */
export function barsOf(
  what: Barrable,
  { owner_id, salt, now }: { readonly owner_id: string; readonly salt: string; readonly now: number },
): readonly EntryWrite[] {
  return namesOf(what).map((name) => {
    const hash = hashOf(owner_id, salt, name);
    return encodeEntry(`bar:${hash}`, { type: "bar", hash, salt, recorded_at: now });
  });
}

/** Returns the text and every sequence of its words that is long enough to be barred. */
function stretchesOf(text: string): readonly string[] {
  const words = allWords(text).slice(0, mostWords);
  const found = [textName(text)];
  for (let from = 0; from + fewestWords <= words.length; from++)
    for (let upto = from + fewestWords; upto <= words.length; upto++) found.push(`text:${words.slice(from, upto).join(" ")}`);
  return found;
}

/** Tells whether an item is barred. Build it once for many checks; without bars it costs nothing. */
export type BarCheck = (what: Barrable) => boolean;

/** Creates a check against an owner's bars. A text that contains a barred text of at least four words is barred too. */
export function barCheck(bars: readonly Bar[], owner_id: string): BarCheck {
  if (bars.length === 0) return () => false;
  const hashes = new Set(bars.map(({ hash }) => hash));
  // One key per salt. Bars that were carried over use the key of their former owner.
  const keys = new Map(bars.map(({ salt, owner_id: owner = owner_id }) => [`${owner}\n${salt}`, { owner, salt }]));
  const isHit = (name: string): boolean => [...keys.values()].some(({ owner, salt }) => hashes.has(hashOf(owner, salt, name)));
  return (what) => {
    const text = "text" in what ? what.text : what.quote;
    return namesOf(what).some(isHit) || stretchesOf(text).some(isHit);
  };
}

/** Tells whether one item is barred. For many items use {@link barCheck}. */
export const isBarred = (what: Barrable, bars: readonly Bar[], owner_id: string): boolean => barCheck(bars, owner_id)(what);
