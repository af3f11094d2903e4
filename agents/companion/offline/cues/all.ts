/** The cues of all languages, and which of them a message is held against. */
import { lengthOf } from "../words/fold.ts";
import { languageOf, type OfflineLanguage } from "../words/language.ts";
import type { Cues } from "./cues.ts";
import { german } from "./de.ts";
import { english } from "./en.ts";
import { spanish } from "./es.ts";
import { french } from "./fr.ts";
import { portuguese } from "./pt.ts";
import { chinese } from "./zh.ts";

const byLanguage: Readonly<Record<OfflineLanguage, Cues>> = { en: english, es: spanish, de: german, fr: french, pt: portuguese, zh: chinese };
const all = Object.values(byLanguage);

/** A message that is shorter may be of a language that its words do not tell. */
const telling = 4;

/** The cues of the language that a folded text is in; of all of them where that cannot be told. */
export function cuesFor(text: string): readonly Cues[] {
  const own = languageOf(text);
  if (own === undefined) return all;
  return lengthOf(text) < telling ? [byLanguage[own], ...all.filter((cues) => cues !== byLanguage[own])] : [byLanguage[own]];
}

/** Lists of cues that a message can be held against. */
export type Cued = { readonly [Name in keyof Cues]: Cues[Name] extends readonly RegExp[] ? Name : never }[keyof Cues];

/** What a message was found to say: the match of the first cue, if any. */
export function heard(text: string, name: Cued): RegExpExecArray | undefined {
  for (const cues of cuesFor(text))
    for (const cue of cues[name]) {
      const found = cue.exec(text);
      if (found !== null) return found;
    }
  return undefined;
}

/** Whether a message says it. */
export const says = (text: string, ...names: readonly Cued[]): boolean => names.some((name) => heard(text, name) !== undefined);
