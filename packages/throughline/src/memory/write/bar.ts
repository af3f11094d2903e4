/**
 * What was forgotten must not come back by itself: a bar is a keyed hash of it, and whatever is about to be written is held against the bars.
 * HMAC-SHA-256 (RFC 2104). The key is made of the owner's id and a random salt, so that bars of two owners cannot be compared, and a list of
 * hashes says nothing to whoever has it alone. The salt lies with the bars: who has both can try out guesses, and finds what they guess rightly.
 */
import { createHmac } from "node:crypto";
import type { Bar, EntryWrite, Fact } from "../entry.ts";
import { encodeEntry } from "./decode.ts";
import { allWords, factKey, normalisedText, slotKey, meaningful } from "./key.ts";

/** What can be barred: a fact (its key, the terms of its object, and its quote), or a text (a turn, a rule, a quote). */
export type Barrable = Pick<Fact, "subject" | "predicate" | "object" | "quote"> | { readonly text: string };

/** A quote that has fewer words than this bars only a quote that is the same: three words are in everything. */
const fewestWords = 4;
/** What a person says at once is looked through up to so many words; what is barred has at most as many. */
const mostWords = 80;

const hashOf = (owner_id: string, salt: string, what: string): string =>
  createHmac("sha256", `${owner_id}\n${salt}`).update(what).digest("base64url");

const textName = (text: string): string => `text:${normalisedText(text)}`;

/** Of a fact also its object's terms: "the blue xylophones" are the blue xylophone. */
function namesOf(what: Barrable): readonly string[] {
  if ("text" in what) return [textName(what.text)];
  const terms = [...new Set(meaningful(what.object.id))].toSorted();
  return [
    `fact:${factKey(what)}`,
    ...(terms.length === 0 ? [] : [`like:${slotKey(what)}:${terms.join(" ")}`]),
    ...(what.quote.trim() === "" ? [] : [textName(what.quote)]),
  ];
}

/** The salt of an owner's bars: that of the newest there is, so that one hash is enough to look with; undefined if there is none yet. */
export const saltOf = (bars: readonly Bar[]): string | undefined => bars.toSorted((left, right) => right.recorded_at - left.recorded_at)[0]?.salt;

/** The bars of something that is forgotten, as writes. `salt`: {@link saltOf} those that are there, else at least 16 random bytes as text. */
export function barsOf(
  what: Barrable,
  { owner_id, salt, now }: { readonly owner_id: string; readonly salt: string; readonly now: number },
): readonly EntryWrite[] {
  return namesOf(what).map((name) => {
    const hash = hashOf(owner_id, salt, name);
    return encodeEntry(`bar:${hash}`, { type: "bar", hash, salt, recorded_at: now });
  });
}

/** Every stretch of a text's words that is long enough to be barred by itself, and the text. */
function stretchesOf(text: string): readonly string[] {
  const words = allWords(text).slice(0, mostWords);
  const found = [textName(text)];
  for (let from = 0; from + fewestWords <= words.length; from++)
    for (let upto = from + fewestWords; upto <= words.length; upto++) found.push(`text:${words.slice(from, upto).join(" ")}`);
  return found;
}

/** Looks whether something is barred. Made once for many questions; without bars it costs nothing. */
export type BarCheck = (what: Barrable) => boolean;

/** A check against an owner's bars. What holds a barred text as a part of it (of four words or more) is barred as well. */
export function barCheck(bars: readonly Bar[], owner_id: string): BarCheck {
  if (bars.length === 0) return () => false;
  const hashes = new Set(bars.map(({ hash }) => hash));
  // One key for each salt; bars that were carried over have been made with their former owner's.
  const keys = new Map(bars.map(({ salt, owner_id: owner = owner_id }) => [`${owner}\n${salt}`, { owner, salt }]));
  const isHit = (name: string): boolean => [...keys.values()].some(({ owner, salt }) => hashes.has(hashOf(owner, salt, name)));
  return (what) => {
    const text = "text" in what ? what.text : what.quote;
    return namesOf(what).some(isHit) || stretchesOf(text).some(isHit);
  };
}

/** Whether one thing is barred: {@link barCheck} for one question. */
export const isBarred = (what: Barrable, bars: readonly Bar[], owner_id: string): boolean => barCheck(bars, owner_id)(what);
