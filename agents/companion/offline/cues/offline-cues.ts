/** What the rules listen for, per language, and which cues a message holds. Cues are held against folded text: lower case, plain apostrophes, single spaces. */
import { languageOf, languages, lengthOf, type OfflineLanguage } from "../words/folded-words.ts";
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import fr from "./fr.data.json" with { type: "json" };
import pt from "./pt.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };

/** What somebody can ask of the memory, in the words of the triage. */
export interface MemoryCues {
  readonly status: readonly RegExp[];
  readonly list: readonly RegExp[];
  readonly recall_on: readonly RegExp[];
  readonly recall_off: readonly RegExp[];
  /** Group `text`: how the person wants to be talked with. */
  readonly preference: readonly RegExp[];
  /** Groups `kind` (may be missing) and `place`. */
  readonly forget_by_index: readonly RegExp[];
  /** Group `query`. */
  readonly forget_by_query: readonly RegExp[];
  /** What is to be forgotten cannot be told, such as "that". */
  readonly forget_vague: readonly RegExp[];
}

/** What calls for each route and each style. */
interface Cues {
  readonly memory: MemoryCues;
  /** Wants an answer from what was said in earlier conversations. */
  readonly recalls: readonly RegExp[];
  /** Asks for facts about the world, or says to look something up. Group `query`, if the request has a part that is only asking. */
  readonly lookup: readonly RegExp[];
  /** Asks to look something up and does not say what. */
  readonly lookup_vague: readonly RegExp[];
  /** Asks for a guided exercise. */
  readonly exercise: readonly RegExp[];
  /** Asks to do something together and does not say what. */
  readonly exercise_vague: readonly RegExp[];
  /** Agrees to what was offered, as a whole message. */
  readonly accepts: readonly RegExp[];
  /** Declines or takes back, as a whole message. */
  readonly declines: readonly RegExp[];
  /** In an exercise: goes on with it after a break. */
  readonly resumes: readonly RegExp[];
  /** In an exercise: asks what a step means. */
  readonly asks_back: readonly RegExp[];
  /** In an exercise: turns to something else. */
  readonly turns_away: readonly RegExp[];
  /** In an exercise: wants to end it. */
  readonly exits: readonly RegExp[];
  /** In an exercise: cannot do the step. */
  readonly stuck: readonly RegExp[];
  /** In an exercise: needs more time. */
  readonly holds: readonly RegExp[];
  /** In an exercise: the step is done. */
  readonly done: readonly RegExp[];
  /** Too little to tell what is meant, as a whole message. */
  readonly unclear: readonly RegExp[];
  readonly just_listen: readonly RegExp[];
  readonly closing: readonly RegExp[];
  readonly greeting: readonly RegExp[];
  readonly thanks: readonly RegExp[];
  readonly wants_to_understand: readonly RegExp[];
  readonly wants_a_way: readonly RegExp[];
  readonly recurring: readonly RegExp[];
  readonly approaches: Readonly<Record<CuedApproach, readonly RegExp[]>>;
  /** Says that the companion has missed them. */
  readonly missed: readonly RegExp[];
  /** Says their name. Group `name`. */
  readonly introduces: readonly RegExp[];
  /** Asks what there is to do here. */
  readonly what_can_you_do: readonly RegExp[];
  /** Asks something, whatever it is. */
  readonly asks: readonly RegExp[];
  /** Asks what it is talking to. */
  readonly what_are_you: readonly RegExp[];
  /** Asks for its likes, its days, or a tale. */
  readonly asks_about_it: readonly RegExp[];
  /** Asks for a name for what they have. */
  readonly what_do_i_have: readonly RegExp[];
}

/** Approaches in the order in which they are looked for: what has happened comes before how it is lived with. */
export const cuedApproaches = [
  ...["grief_support", "pfa", "motivational_interviewing", "dbt_skills", "cbt", "act", "interpersonal_therapy"],
] as const;
type CuedApproach = "grief_support" | "pfa" | "motivational_interviewing" | "dbt_skills" | "cbt" | "act" | "interpersonal_therapy";

/** Patterns of a cue, as a file has them: by where in a message they may stand, in the order in which they are tried. */
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
  whole: (source) => `^[\\s¿¡"'(]*(?:${source})[\\s.!?…,)"'。！？～~]*$`,
};

/** One pattern for all sources of a list where none names a group: few patterns compile much faster than many. Texts are folded: no case to ignore. */
function joined(sources: readonly string[], wrap: (source: string) => string): readonly RegExp[] {
  const named = sources.filter((source) => source.includes("(?<") && /\(\?<[a-z]/u.test(source));
  const plain = sources.filter((source) => !named.includes(source));
  return [...(plain.length === 0 ? [] : [plain.join("|")]), ...named].map((source) => new RegExp(wrap(source), "u"));
}

/** Patterns from sources that may stand anywhere. */
export const patterns = (...sources: readonly string[]): readonly RegExp[] => joined(sources, around.anywhere);

/** Likewise, as whole words. */
export const words = (...sources: readonly string[]): readonly RegExp[] => joined(sources, around.words);

/** Likewise, as the whole text with marks around it. */
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
  ...{ introduces: [], what_can_you_do: [], asks: [] },
  approaches: {
    ...{ grief_support: [], pfa: [], motivational_interviewing: [], dbt_skills: [] },
    ...{ cbt: [], act: [], interpersonal_therapy: [] },
  },
};

/** Cues of a language; silence for what it has none of. */
const cuesFrom = ({ memory = {}, approaches = {}, ...rest }: CuesFile): Cues => ({
  ...silence,
  ...compiled(rest),
  memory: { ...silence.memory, ...compiled(memory) },
  approaches: { ...silence.approaches, ...compiled(approaches) },
});

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
type Cued = { readonly [Name in keyof Cues]: Cues[Name] extends readonly RegExp[] ? Name : never }[keyof Cues];

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
