/** Everybody says goodbye: a leave-taking of a few words that is all of a message is no warning, as long as nothing before it was. */
import { standsAlone } from "./characters.ts";
import type { Meant } from "./framing.ts";
import type { Word } from "./matcher.ts";
import type { ScreenContext } from "./screened.ts";

/** "ok, bye now" is one. Of writing without spaces each character is a word. */
const mostWords = 3;
const mostCharacters = 4;

const isIdleFarewell = ({ concept, strength, most }: Meant): boolean => most === 0 || (concept === "farewell" && strength === "soft");

/** What was meant, without a goodbye that is all there is to a message of a few words. */
export function withoutLeaveTaking(meant: readonly Meant[], words: readonly Word[], { highest = 0 }: ScreenContext): readonly Meant[] {
  const most = words.every(({ forms: [form = ""] }) => standsAlone(form)) ? mostCharacters : mostWords;
  const isShort = words.length <= most && words.every(({ sentence }) => sentence === words[0]?.sentence);
  return highest === 0 && isShort && meant.every(isIdleFarewell) ? [] : meant;
}
