/** The cues of all languages, and which of them a message is held against. */
import { lengthOf } from "../words/fold.ts";
import { languageOf, languages, type OfflineLanguage } from "../words/language.ts";
import { cuesFrom, type Cues } from "./cues.ts";
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import fr from "./fr.data.json" with { type: "json" };
import pt from "./pt.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };

const files: Readonly<Record<OfflineLanguage, Parameters<typeof cuesFrom>[0]>> = { en, es, de, fr, pt, zh };
const ready = new Map<OfflineLanguage, Cues>();

/** The cues of a language, compiled when they are first needed. */
function cuesOf(language: OfflineLanguage): Cues {
  const known = ready.get(language) ?? cuesFrom(files[language]);
  ready.set(language, known);
  return known;
}

/** A message that is shorter may be of a language that its words do not tell. */
const telling = 4;

/** The cues of the language that a folded text is in; of all of them where that cannot be told. */
export function cuesFor(text: string): readonly Cues[] {
  const own = languageOf(text);
  if (own === undefined) return languages.map(cuesOf);
  return lengthOf(text) < telling ? [own, ...languages.filter((language) => language !== own)].map(cuesOf) : [cuesOf(own)];
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
