/** The cues of the rules, per language, and the cues in a message. Cues match folded text: lowercase, plain apostrophes, single spaces. */
import { bounded, languageOf, languages, lengthOf, type OfflineLanguage } from "../words/folded-words.ts";
import ar from "./ar.data.json" with { type: "json" };
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import fr from "./fr.data.json" with { type: "json" };
import hiLatin from "./hi-latn.data.json" with { type: "json" };
import hi from "./hi.data.json" with { type: "json" };
import id from "./id.data.json" with { type: "json" };
import pt from "./pt.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };

/** Memory commands, named as in triage. */
export interface MemoryCues {
  readonly status: readonly RegExp[];
  readonly list: readonly RegExp[];
  readonly recall_on: readonly RegExp[];
  readonly recall_off: readonly RegExp[];
  /** Group `text`: the person's preference for conversations. */
  readonly preference: readonly RegExp[];
  /** Groups `kind` (optional) and `place`. */
  readonly forget_by_index: readonly RegExp[];
  /** Group `query`. */
  readonly forget_by_query: readonly RegExp[];
  /** The target is unclear, such as "that". */
  readonly forget_vague: readonly RegExp[];
}

/** Cues for each route and style. */
interface Cues {
  readonly memory: MemoryCues;
  /** Asks for an answer from earlier conversations. */
  readonly recalls: readonly RegExp[];
  /** Asks for facts about the world, or to look something up. Group `query`: the factual part of the request, if there is one. */
  readonly lookup: readonly RegExp[];
  /** Asks to look something up without a subject. */
  readonly lookup_vague: readonly RegExp[];
  /** Asks for a guided exercise. */
  readonly exercise: readonly RegExp[];
  /** Asks to do something together without naming it. */
  readonly exercise_vague: readonly RegExp[];
  /** Accepts an offer; the whole message. */
  readonly accepts: readonly RegExp[];
  /** Declines or withdraws; the whole message. */
  readonly declines: readonly RegExp[];
  /** In an exercise: continues after a break. */
  readonly resumes: readonly RegExp[];
  /** In an exercise: asks for the meaning of a step. */
  readonly asks_back: readonly RegExp[];
  /** In an exercise: changes the subject. */
  readonly turns_away: readonly RegExp[];
  /** In an exercise: wants to end it. */
  readonly exits: readonly RegExp[];
  /** In an exercise: cannot do the step. */
  readonly stuck: readonly RegExp[];
  /** In an exercise: needs more time. */
  readonly holds: readonly RegExp[];
  /** In an exercise: the step is done. */
  readonly done: readonly RegExp[];
  /** Too little to understand; the whole message. */
  readonly unclear: readonly RegExp[];
  readonly just_listen: readonly RegExp[];
  readonly closing: readonly RegExp[];
  readonly greeting: readonly RegExp[];
  readonly thanks: readonly RegExp[];
  readonly wants_to_understand: readonly RegExp[];
  readonly wants_a_way: readonly RegExp[];
  readonly recurring: readonly RegExp[];
  readonly approaches: Readonly<Record<CuedApproach, readonly RegExp[]>>;
  /** States that the companion misunderstood. */
  readonly missed: readonly RegExp[];
  /** Introduces themselves. Group `name`. */
  readonly introduces: readonly RegExp[];
  /** Asks for their own name. */
  readonly asks_name: readonly RegExp[];
  /** Wants to be left in peace, without questions. */
  readonly wants_quiet: readonly RegExp[];
  /** Asks for the companion's abilities. */
  readonly what_can_you_do: readonly RegExp[];
  /** Any question. */
  readonly asks: readonly RegExp[];
  /** Asks who or what the companion is. */
  readonly what_are_you: readonly RegExp[];
  /** Asks for the companion's likes, its days, or a story. */
  readonly asks_about_it: readonly RegExp[];
  /** Asks for a diagnosis. */
  readonly what_do_i_have: readonly RegExp[];
  /** Asks for the day, the date or the time. */
  readonly asks_day: readonly RegExp[];
  /** Corrects something said before. */
  readonly corrects: readonly RegExp[];
  /** Wants another voice: a pirate's, verse, a role. */
  readonly plays_part: readonly RegExp[];
  /** Asks for a joke. */
  readonly asks_joke: readonly RegExp[];
  /** Asks what happens if something goes wrong. */
  readonly what_if: readonly RegExp[];
  /** Asks for an opinion, or for a verdict on the person. */
  readonly asks_opinion: readonly RegExp[];
}

/** Approaches in the order of matching: events come before ways of living with them. */
export const cuedApproaches = [
  ...["grief_support", "pfa", "motivational_interviewing", "dbt_skills", "cbt", "act", "interpersonal_therapy"],
] as const;
type CuedApproach = "grief_support" | "pfa" | "motivational_interviewing" | "dbt_skills" | "cbt" | "act" | "interpersonal_therapy";

/** Patterns of a cue in a file, by their position in a message, in the order of matching. */
interface CueFile {
  readonly anywhere?: readonly string[];
  readonly words?: readonly string[];
  readonly whole?: readonly string[];
}

/** Cues of a language, as `cues.schema.json` describes them. */
type CuesFile = { readonly [Name in Exclude<keyof Cues, "memory" | "approaches">]?: CueFile } & {
  readonly memory?: { readonly [Name in keyof MemoryCues]?: CueFile };
  readonly approaches?: { readonly [Name in CuedApproach]?: CueFile };
};

const around: Readonly<Record<keyof CueFile, (source: string) => string>> = {
  anywhere: (source) => source,
  words: (source) => `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`,
  whole: (source) => `^[\\s¿¡"'(]*(?:${source})[\\s.!?…,)"'。！？～~؟।،]*$`,
};

/**
 * Joins the sources of a list without named groups into one pattern: a few patterns compile much faster than many. The text is folded, so no pattern
 * ignores case.
 */
function joined(sources: readonly string[], wrap: (source: string) => string): readonly RegExp[] {
  const named = sources.filter((source) => source.includes("(?<") && /\(\?<[a-z]/u.test(source));
  const plain = sources.filter((source) => !named.includes(source));
  return [...(plain.length === 0 ? [] : [plain.join("|")]), ...named].map((source) => new RegExp(bounded(wrap(source)), "u"));
}

/** Compiles patterns that match anywhere. */
export const patterns = (...sources: readonly string[]): readonly RegExp[] => joined(sources, around.anywhere);

/** Compiles patterns that match whole words. */
export const words = (...sources: readonly string[]): readonly RegExp[] => joined(sources, around.words);

/** Compiles patterns that match the whole text with surrounding marks. */
export const whole = (...sources: readonly string[]): readonly RegExp[] => joined(sources, around.whole);

const isPlace = (place: string): place is keyof CueFile => place in around;

const compiled = (file: Readonly<Record<string, CueFile | undefined>>): Readonly<Record<string, readonly RegExp[]>> =>
  Object.fromEntries(
    Object.entries(file).map(([name, cue = {}]) => [
      name,
      Object.entries(cue).flatMap(([place, sources]: readonly [string, readonly string[]]) => (isPlace(place) ? joined(sources, around[place]) : [])),
    ]),
  );

const silence: Cues = {
  memory: { status: [], list: [], recall_on: [], recall_off: [], preference: [], forget_by_index: [], forget_by_query: [], forget_vague: [] },
  ...{ recalls: [], lookup: [], lookup_vague: [], exercise: [], exercise_vague: [], accepts: [], declines: [], resumes: [], asks_back: [] },
  ...{ turns_away: [], exits: [], stuck: [], holds: [], done: [], unclear: [], just_listen: [], closing: [], greeting: [], thanks: [] },
  ...{ wants_to_understand: [], wants_a_way: [], recurring: [], missed: [], asks_about_it: [], what_are_you: [], what_do_i_have: [] },
  ...{ introduces: [], asks_name: [], wants_quiet: [], what_can_you_do: [], asks: [], asks_day: [], corrects: [] },
  ...{ plays_part: [], asks_joke: [], what_if: [], asks_opinion: [] },
  approaches: {
    ...{ grief_support: [], pfa: [], motivational_interviewing: [], dbt_skills: [] },
    ...{ cbt: [], act: [], interpersonal_therapy: [] },
  },
};

/** Compiles the cues of a language. Missing ones match nothing. */
const cuesFrom = ({ memory = {}, approaches = {}, ...rest }: CuesFile): Cues => ({
  ...silence,
  ...compiled(rest),
  memory: { ...silence.memory, ...compiled(memory) },
  approaches: { ...silence.approaches, ...compiled(approaches) },
});

const files: Readonly<Record<OfflineLanguage, Parameters<typeof cuesFrom>[0]>> = { en, es, de, fr, pt, zh, id, hi, "hi-latn": hiLatin, ar };
const ready = new Map<OfflineLanguage, Cues>();

/** Returns the cues of a language. Compiles them on first use. */
function cuesOf(language: OfflineLanguage): Cues {
  const known = ready.get(language) ?? cuesFrom(files[language]);
  ready.set(language, known);
  return known;
}

/** Fewest words with which a message counts as only in its detected language. */
const telling = 4;

/** Returns the cues for the language of a folded text, or for all languages if it is unclear. */
export function cuesFor(text: string): readonly Cues[] {
  const own = languageOf(text);
  if (own === undefined) return languages.map(cuesOf);
  return lengthOf(text) < telling ? [own, ...languages.filter((language) => language !== own)].map(cuesOf) : [cuesOf(own)];
}

/** Names of the cue lists that apply to a message. */
type Cued = { readonly [Name in keyof Cues]: Cues[Name] extends readonly RegExp[] ? Name : never }[keyof Cues];

/** Returns the match of the first cue in a message, if any. */
export function heard(text: string, name: Cued): RegExpExecArray | undefined {
  for (const cues of cuesFor(text))
    for (const cue of cues[name]) {
      const found = cue.exec(text);
      if (found !== null) return found;
    }
  return undefined;
}

/** Tells whether a message has any of these cues. */
export const says = (text: string, ...names: readonly Cued[]): boolean => names.some((name) => heard(text, name) !== undefined);
