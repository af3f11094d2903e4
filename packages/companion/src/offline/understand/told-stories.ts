/** What a person tells: events of their day, and the people in them, as data of each language. */
import ar from "../say/stories/ar.data.json" with { type: "json" };
import de from "../say/stories/de.data.json" with { type: "json" };
import en from "../say/stories/en.data.json" with { type: "json" };
import es from "../say/stories/es.data.json" with { type: "json" };
import fr from "../say/stories/fr.data.json" with { type: "json" };
import hiLatin from "../say/stories/hi-latn.data.json" with { type: "json" };
import hi from "../say/stories/hi.data.json" with { type: "json" };
import id from "../say/stories/id.data.json" with { type: "json" };
import pt from "../say/stories/pt.data.json" with { type: "json" };
import zh from "../say/stories/zh.data.json" with { type: "json" };
import { bounded, folded, type OfflineLanguage } from "../words/folded-words.ts";

interface StoryFile {
  readonly cue: string;
  readonly mood: string;
  readonly say: readonly string[];
  readonly ask?: string;
}

/** The file of a language, as `stories.schema.json` describes it. */
interface StoriesFile {
  readonly people: readonly { readonly cue: string; readonly who: string; readonly as: string }[];
  readonly pronouns: Readonly<Record<string, string>>;
  readonly mine: string;
  readonly named: readonly string[];
  readonly called: string;
  readonly not: string;
  readonly stories: readonly StoryFile[];
  readonly tones: readonly StoryFile[];
}

interface Person {
  readonly who: string;
  /** Pronouns that may refer to them: `f`, `m`, or `n` for all. */
  readonly as: string;
  readonly mine: RegExp;
  readonly named: readonly RegExp[];
}

interface Stories {
  readonly people: readonly Person[];
  readonly pronouns: readonly (readonly [as: string, RegExp])[];
  readonly called: string;
  /** Matches a clause up to an event that it denies, doubts or only hopes for. */
  readonly not: RegExp;
  readonly stories: readonly KnownStory[];
  readonly tones: readonly KnownStory[];
}

type KnownStory = Omit<StoryFile, "cue" | "mood"> & { readonly cue: RegExp; readonly mood: Story["mood"] };

/** An event that a message tells. */
export interface Story {
  /** `fine`: a passing state, such as "I am okay". A difficult feeling in the same message counts more. */
  readonly mood: "good" | "fine" | "hard" | "plain";
  /** Sentences that show it was heard, with the person filled in. */
  readonly say: readonly string[];
  /** A question that fits. */
  readonly ask?: string | undefined;
}

const files: Readonly<Record<OfflineLanguage, StoriesFile>> = { en, de, es, fr, pt, zh, id, hi, "hi-latn": hiLatin, ar };
const ready = new Map<OfflineLanguage, Stories>();

/** Languages whose words have no boundaries that a pattern can rely on: particles and vowel signs are attached. */
const unbounded: ReadonlySet<OfflineLanguage> = new Set(["zh", "hi", "ar"]);

function compiled(language: OfflineLanguage): Stories {
  const { people, pronouns, mine, named, called, not, stories, tones } = files[language];
  const isLoose = unbounded.has(language);
  const placed = (source: string): string => (isLoose ? source : `(?<![\\p{L}\\p{N}])(?:${bounded(source)})(?![\\p{L}\\p{N}])`);
  const within = (source: string): RegExp => new RegExp(placed(source), "u");
  const known = ({ cue, mood, ...rest }: StoryFile): KnownStory => ({
    ...rest,
    cue: within(cue),
    mood: mood === "good" || mood === "fine" || mood === "hard" ? mood : "plain",
  });
  const exact = (source: string): RegExp => new RegExp(placed(source), "gu");
  const capital = (source: string): string => source.replace(/^\(\?:(?<first>\p{Ll})/u, (_, first: string) => `(?:[${first}${first.toUpperCase()}]`);
  return {
    people: people.map(({ cue, who, as }) => ({
      who,
      as,
      mine: within(mine.replaceAll("{cue}", cue)),
      named: named.map((source) => exact(capital(source.replaceAll("{cue}", cue)))),
    })),
    pronouns: Object.entries(pronouns).map(([as, source]) => [as, within(source)]),
    called,
    not: new RegExp(isLoose ? `(?:${not})[\\p{L}\\p{M}]{0,2} ?$` : `(?<![\\p{L}\\p{N}])(?:${not})(?: [\\p{L}']+){0,2} $`, "u"),
    stories: stories.map(known),
    tones: tones.map(known),
  };
}

function storiesOf(language: OfflineLanguage): Stories {
  const known = ready.get(language) ?? compiled(language);
  ready.set(language, known);
  return known;
}

/** Returns the person that a folded text names as somebody of the speaker, the first in the text. */
function personIn(text: string, { people }: Stories): Person | undefined {
  return people
    .map((person) => ({ person, at: text.search(person.mine) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at)[0]?.person;
}

/** Earlier messages in which a pronoun's person is looked for. */
const mostBack = 6;

/** Returns the person that a message is about: named in it, or meant by its pronoun. `earlier`: newest first, folded. */
export function whoIn(text: string, earlier: readonly string[], language: OfflineLanguage): string | undefined {
  const stories = storiesOf(language);
  const named = personIn(text, stories);
  if (named !== undefined) return named.who;
  const meant = stories.pronouns.find(([, cue]) => cue.test(text))?.[0];
  if (meant === undefined) return undefined;
  const fits = (person: Person | undefined): person is Person => person !== undefined && (person.as === meant || person.as === "n" || meant === "n");
  return earlier
    .slice(0, mostBack)
    .map((before) => personIn(before, stories))
    .find(fits)?.who;
}

/** Replaces `{who}` and `{Who}` in a sentence by the person, with a capital where a sentence begins with them. */
export function filledIn(sentence: string, who: string): string {
  const filled = sentence.replaceAll("{who}", who);
  const capital = `${who.charAt(0).toUpperCase()}${who.slice(1)}`;
  const begun = filled.replaceAll("{Who}", capital);
  return begun.startsWith(who) ? `${capital}${begun.slice(who.length)}` : begun;
}

/** A question to the companion tells no story. */
const asks = /[?？؟]["”»]?\s*$/u;

/** The end of a clause, before which a negation does not reach. */
const clauseEnd = /[.!?;:,，。！？；、।،؟؛…]/u;

/** Ends a clause, with its mark. */
const clauseStop = /(?<=[.!?;:,。！？；、।،؟؛…])/u;

/** Tells whether a message tells an event, and does not deny or ask it if it would be good. */
function tells(text: string, { cue, mood }: KnownStory, not: RegExp): boolean {
  const found = cue.exec(text);
  if (found === null || (mood !== "good" && mood !== "fine")) return found !== null;
  // "How are you, all well?" asks, and tells nothing of the speaker.
  if (asks.test(text.slice(found.index).split(clauseStop)[0] ?? "")) return false;
  return !not.test(text.slice(0, found.index).split(clauseEnd).at(-1) ?? "");
}

/** Returns the first of these stories that a folded message tells, with the person it is about. */
function toldIn(list: readonly KnownStory[], text: string, earlier: readonly string[], language: OfflineLanguage): Story | undefined {
  if (asks.test(text)) return undefined;
  const { not } = storiesOf(language);
  const found = list.find((story) => tells(text, story, not));
  if (found === undefined) return undefined;
  const who = whoIn(text, earlier, language);
  const plain = found.say.filter((sentence) => !sentence.includes("{who}"));
  const about = who === undefined ? [] : found.say.filter((sentence) => sentence.includes("{who}")).map((sentence) => filledIn(sentence, who));
  // A sentence that names the person shows best that they were heard.
  const say = [...about, ...plain];
  return say.length === 0 ? undefined : { mood: found.mood, say, ask: found.ask };
}

/** Returns the story of a folded message, with the person it is about; undefined if the rules know none like it. */
export const storyIn = (text: string, earlier: readonly string[], language: OfflineLanguage): Story | undefined =>
  toldIn(storiesOf(language).stories, text, earlier, language);

/** Returns sentences on a message of which only one word shows whether it is good or hard. */
export const toneIn = (text: string, language: OfflineLanguage): Story | undefined => toldIn(storiesOf(language).tones, text, [], language);

/** Words for a name. */
export const namesName = /\bname|\bcalled\b|heißt|llam[aó]|nombre|appelle|prénom|\bnom\b|cham[ao]|\bnome\b|\bnama|naam|नाम|اسم|名字|叫什么/u;

/** Returns the person whom a text is about, with the name as last stated. `texts`: newest first, in the original spelling. */
function namedIn(about: string, texts: readonly string[], { people }: Stories): { readonly who: string; readonly name: string } | undefined {
  const person = people.find(({ mine }) => mine.test(folded(about)));
  if (person === undefined) return undefined;
  for (const text of texts)
    for (const pattern of person.named) {
      const name = [...text.matchAll(pattern)].at(-1)?.groups?.["name"];
      if (name !== undefined) return { who: person.who, name };
    }
  return undefined;
}

/** Returns the name of the person whom a text is about, as last stated. `texts`: newest first, in the original spelling. */
export const statedName = (about: string, texts: readonly string[], language: OfflineLanguage): string | undefined =>
  namedIn(about, texts, storiesOf(language))?.name;

/** Returns a sentence with the name of the person whom a question is about, as last stated. */
export function nameOf(question: string, texts: readonly string[], language: OfflineLanguage): string | undefined {
  const stories = storiesOf(language);
  const found = namedIn(question, texts, stories);
  return found === undefined ? undefined : filledIn(stories.called.replaceAll("{name}", found.name), found.who);
}

/** Tells whether two folded texts speak of the same person of the speaker's. */
export function samePerson(one: string, other: string, language: OfflineLanguage): boolean {
  const stories = storiesOf(language);
  const person = personIn(one, stories);
  return person !== undefined && person === personIn(other, stories);
}
