/**
 * Commands about memory in the person's own words, without a model. Only a message that is the command and nothing else counts; what is unclear is left to the
 * conversation, where a model has tools for it.
 */
import words from "./answers.data.json" with { type: "json" };
import de from "./commands/de.data.json" with { type: "json" };
import en from "./commands/en.data.json" with { type: "json" };
import es from "./commands/es.data.json" with { type: "json" };
import zh from "./commands/zh.data.json" with { type: "json" };
import { type Place, isLanguage, type Language, shownKinds, type MemoryCommand, type ShownKind, languages, type Spoken } from "./commands.ts";
import { folded, phrasesOf, piecesOf, standsAt } from "./tokens.ts";
import { standing, type Pending } from "./pending.ts";

/** A whole answer that means yes. */
export const yesPhrases: readonly string[] = Object.values(words.yes).flat();

/** A whole answer that means no. */
export const noPhrases: readonly string[] = Object.values(words.no).flat();

/** Words that are no clear answer to a question in one of these languages. */
const unclearIn: Readonly<Record<string, readonly Language[]>> = Object.fromEntries(
  Object.entries(words.unclear).map(([word, languages]) => [word, languages.filter(isLanguage)]),
);

/** How a place is said. */
const placePhrases: readonly (readonly [place: Place, phrases: readonly string[]])[] = Object.entries(words.places).map(([place, phrases]) => [
  place === "last" ? place : Number(place),
  phrases,
]);

/** What is said around an answer and changes nothing; how all of several are said; around a place; about the question without answering it. */
export const { polite: politePhrases, all: allPhrases, around: aroundPlaces, about: aboutTheQuestion } = words;

/** What a message says. `other`: it speaks of something else altogether. */
type Answer = { readonly type: "yes" | "no" } | { readonly type: "place"; readonly index: Place | "all" } | { readonly type: "unclear" | "other" };

type Phrase = readonly string[];

const yes = phrasesOf(yesPhrases);
const no = phrasesOf(noPhrases);
const polite = phrasesOf(politePhrases);
const around = phrasesOf(aroundPlaces);
const about = phrasesOf(aboutTheQuestion);
const all = phrasesOf(allPhrases);
const aroundAll = [...polite, ...around];
const places: readonly { readonly place: Place; readonly phrase: Phrase }[] = placePhrases
  .flatMap(([place, phrases]) => phrasesOf(phrases).map((phrase) => ({ place, phrase })))
  .toSorted((a, b) => b.phrase.length - a.phrase.length);

/** Longest message that may still be about the question without saying any of its words; a Han character is a piece of its own. */
const shortPieces = 3;
const shortHan = 6;
/** An answer has no more pieces than this. */
const mostPieces = 14;

/** Who asks, wonders or breaks off does not answer; and two sentences that say opposite things say nothing. */
const unsettled = /[?？؟¿]|\.{2,}|…/u;

/**
 * Whether all of `pieces` is made of phrases of `main`, at least one, and of `also`. A phrase that begins with another one is tried as well, so every way of
 * cutting the message is looked at.
 */
function isMadeOf(pieces: readonly string[], main: readonly Phrase[], also: readonly Phrase[]): boolean {
  // For each index: whether the pieces before it can be cut so, and whether a main phrase was among them.
  const reached: { plain: boolean; said: boolean }[] = Array.from({ length: pieces.length + 1 }, () => ({ plain: false, said: false }));
  const start = reached[0];
  if (start !== undefined) start.plain = true;
  const step = (index: number, phrase: Phrase, said: boolean): void => {
    const from = reached[index];
    const to = reached[index + phrase.length];
    if (from === undefined || to === undefined || !standsAt(pieces, index, phrase)) return;
    if (said) to.said ||= from.plain || from.said;
    else {
      to.plain ||= from.plain;
      to.said ||= from.said;
    }
  };
  for (let index = 0; index < pieces.length; index++) {
    for (const phrase of main) step(index, phrase, true);
    for (const phrase of also) step(index, phrase, false);
  }
  return reached.at(-1)?.said === true;
}

const has = (pieces: readonly string[], phrases: readonly Phrase[]): boolean =>
  pieces.some((_, index) => phrases.some((phrase) => standsAt(pieces, index, phrase)));

/** The places that are named in a message; undefined if something else stands in it. */
function placesIn(pieces: readonly string[]): readonly Place[] | undefined {
  const found: { readonly place: Place; readonly phrase: Phrase }[] = [];
  for (let index = 0; index < pieces.length;) {
    const word = pieces[index] ?? "";
    const number = /^(\d{1,3})(?:º|ª|\.|st|nd|rd|th|e|er|eme)?$/u.exec(word)?.[1];
    const named = number === undefined ? places.find(({ phrase }) => standsAt(pieces, index, phrase)) : { place: Number(number), phrase: [word] };
    const aside = named ?? [...around, ...polite].find((phrase) => standsAt(pieces, index, phrase));
    if (aside === undefined) return undefined;
    if (named !== undefined) found.push(named);
    index += "phrase" in aside ? aside.phrase.length : aside.length;
  }
  // "The second one": of a place and a word that is a counter as well, the place is meant.
  const counters = new Set(["one", "uno", "una", "un", "une", "一"]);
  const firm = found.filter(({ phrase }) => !(phrase.length === 1 && counters.has(phrase[0] ?? "")));
  return (firm.length > 0 ? firm : found).map(({ place }) => place);
}

/** The one place that a text names, and nothing besides: `2`, `the second one`, `segundo`, `第二`. */
export const readPlace = (text: string): Place | undefined => placeOf(piecesOf(text));

function placeOf(pieces: readonly string[]): Place | undefined {
  const named = [...new Set(placesIn(pieces) ?? [])];
  return named.length === 1 ? named[0] : undefined;
}

/** Whether a message is long enough, and says nothing that could be an answer: then the person has gone on to something else. */
function isOther(pieces: readonly string[]): boolean {
  const han = pieces.filter((piece) => /^\p{Script=Han}$/u.test(piece)).length;
  if (pieces.length - han <= shortPieces && han <= shortHan) return false;
  return !has(pieces, about) && !has(pieces.slice(0, 2), yes) && !has(pieces.slice(0, 2), no);
}

/**
 * What a message says to a question that was asked in `language`. Yes and no are recognised in English, Spanish, French, German, Portuguese, Italian, Hindi, Arabic,
 * Chinese and Indonesian, whatever the question's language was.
 */
export function readAnswer(message: string, { language = "en" }: { readonly language?: Language } = {}): Answer {
  const pieces = piecesOf(message);
  if (pieces.length === 0) return { type: "unclear" };
  const asks = unsettled.test(folded(message));
  if (!asks && pieces.length <= mostPieces && !pieces.some((piece) => unclearIn[piece]?.includes(language))) {
    if (isMadeOf(pieces, yes, polite)) return { type: "yes" };
    if (isMadeOf(pieces, no, polite)) return { type: "no" };
    const index = placeOf(pieces);
    if (index !== undefined) return { type: "place", index };
    if (isMadeOf(pieces, all, aroundAll)) return { type: "place", index: "all" };
  }
  return { type: isOther(pieces) ? "other" : "unclear" };
}

/** A command's name and the patterns that ask for it, as `commands/commands.schema.json` describes them. */
interface CommandPatterns {
  readonly type: MemoryCommand["type"];
  readonly value?: boolean;
  readonly direct?: boolean;
  readonly patterns: readonly RegExp[];
}

/** How a language asks. */
interface LanguageCommands {
  /** What stands before or after a request and changes nothing. */
  readonly before: RegExp;
  readonly after: RegExp;
  /** Of two that fit, the first counts. */
  readonly commands: readonly CommandPatterns[];
}

/** A language, as its file has it. */
interface CommandsFile {
  readonly aboutAnswers: string;
  readonly vague: string;
  readonly courtesies: { readonly before: string; readonly after: string };
  readonly kinds: Readonly<Record<string, string>>;
  readonly commands: readonly { readonly type: string; readonly value?: boolean; readonly direct?: boolean; readonly patterns: readonly string[] }[];
}

const files: Readonly<Record<Language, CommandsFile>> = { en, es, de, zh };
const ready = new Map<Language, LanguageCommands>();

const types: readonly MemoryCommand["type"][] = [
  ...(["list", "status", "set_recall", "save_preference", "correct", "forget_by_index", "forget_by_query"] as const),
  ...(["forget_session", "forget_everything", "forget_vague", "pin", "never_recall"] as const),
];

const compiled = ({ courtesies, commands }: CommandsFile): LanguageCommands => ({
  before: new RegExp(courtesies.before, "iu"),
  after: new RegExp(courtesies.after, "iu"),
  commands: commands.flatMap(({ type: named, patterns, ...rest }) => {
    const type = types.find((one) => one === named);
    return type === undefined ? [] : [{ type, ...rest, patterns: patterns.map((pattern) => new RegExp(`^${pattern}$`, "iu")) }];
  }),
});

/** How a language asks. */
function commandsOf(language: Language): LanguageCommands {
  const known = ready.get(language) ?? compiled(files[language]);
  ready.set(language, known);
  return known;
}

const allFiles = languages.map((language) => files[language]);

/** What a preference about answers speaks of: without any of it, "remember that I like cats" is a fact, and no rule of how to talk. */
const aboutAnswers = new RegExp(allFiles.map((file) => file.aboutAnswers).join("|"), "iu");

/** What something is called by that stands for nothing in particular: with it alone it cannot be told what is meant. */
const vague = new RegExp(`^(?:${allFiles.map((file) => file.vague).join("|")})$`, "iu");

/** What the kinds of a listing are called. Anything else that is counted is of any kind. */
const kindWords: Readonly<Record<string, ShownKind>> = Object.fromEntries(
  allFiles.flatMap(({ kinds }) =>
    Object.entries(kinds).flatMap(([word, named]) => {
      const kind = shownKinds.find((one) => one === named);
      return kind === undefined ? [] : [[word, kind] as const];
    }),
  ),
);

/** Longest message that is looked at: a command is short. */
const longest = 400;

/** A message without what is polite, by language. */
function bareOf(message: string, language: Language): string {
  const text = message
    .normalize("NFC")
    .replaceAll(/[’‘`´ʼ]/gu, "'")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const { before, after } = commandsOf(language);
  return text
    .replace(before, "")
    .replace(after, "")
    .replace(/^[¿¡]+/u, "");
}

const kindOf = (word: string | undefined): { readonly kind?: ShownKind } => {
  const kind = word === undefined ? undefined : kindWords[folded(word)];
  return kind === undefined ? {} : { kind };
};

/** What the words of a person mean to be about: without quotation marks around it. */
const queryOf = (given: string | undefined): string | undefined => {
  const query = given?.replaceAll(/^["'“”„«»「」\s]+|["'“”„«»「」\s]+$/gu, "");
  return query === undefined || query === "" || vague.test(query) ? undefined : query;
};

/** The command that a pattern has found; undefined if what it needs is not there. */
function commandOf(
  { type, value = true, direct = false }: CommandPatterns,
  groups: Readonly<Record<string, string | undefined>>,
): MemoryCommand | undefined {
  const text = groups["text"]?.trim();
  const query = queryOf(groups["query"] ?? groups["query2"]);
  const index: Place | undefined = groups["place"] === undefined ? undefined : readPlace(groups["place"]);
  const kind = kindOf(groups["kind"]);
  switch (type) {
    case "set_recall":
      return { type, enabled: value };
    case "save_preference":
      return text === undefined || text.length > 280 || !(direct || aboutAnswers.test(text)) ? undefined : { type, text };
    case "correct":
      return text === undefined || index === undefined ? undefined : { type, text, index, ...kind };
    case "pin":
      return index === undefined ? undefined : { type, index, pinned: value, ...kind };
    case "forget_by_index":
      return index === undefined ? undefined : { type, index, ...kind };
    case "forget_by_query":
    case "never_recall":
      return query === undefined ? undefined : { type, query };
    case "list":
    case "status":
    case "forget_session":
    case "forget_everything":
    case "forget_vague":
      return { type };
    default:
      return undefined;
  }
}

/** The command that a message without politeness is, by these patterns. */
function commandIn(bare: string, patterns: CommandPatterns): MemoryCommand | undefined {
  for (const pattern of patterns.patterns) {
    const found = pattern.exec(bare);
    const command = found === null ? undefined : commandOf(patterns, found.groups ?? {});
    if (command !== undefined) return command;
  }
  return undefined;
}

/** The command that a message is, in English, Spanish, German or Chinese; undefined for anything else, and for what only might be one. */
export function interpret(message: string): Spoken | undefined {
  if (message.length > longest) return undefined;
  for (const language of languages) {
    const bare = bareOf(message, language);
    const command = commandsOf(language).commands.reduce<MemoryCommand | undefined>(
      (found, patterns) => found ?? commandIn(bare, patterns),
      undefined,
    );
    if (command !== undefined) return { command, language };
  }
  return undefined;
}

/**
 * What a message asks for while something waits for the person's yes. Yes, no and numbers are recognised first, then commands; a message that speaks of something else lets
 * go of what waits (`cancel_pending`, and the conversation goes on), and anything unclear has the question asked again.
 */
export function interpretReply(message: string, { pending, now }: { readonly pending: Pending; readonly now: number }): ReplyMeant {
  const action = standing(pending, now);
  const { language } = pending;
  if (action === null) return { type: "nothing" };
  const answer = readAnswer(message, { language });
  const does = (command: MemoryCommand): ReplyMeant => ({ type: "command", spoken: { command, language } });
  if (answer.type === "no") return does({ type: "cancel_pending" });
  if (answer.type === "yes" && action.type === "delete") return does({ type: "confirm_pending" });
  if (answer.type === "place" && action.type === "delete_options") return does({ type: "choose_pending", index: answer.index });
  const spoken = interpret(message);
  if (spoken !== undefined && spoken.command.type !== "forget_vague") return { type: "command", spoken };
  return answer.type === "other" ? { type: "left" } : does({ type: "repeat_pending" });
}

/** What a message means to what waits: a command, nothing as nothing waits, or that the person has left the subject. */
export type ReplyMeant = { readonly type: "command"; readonly spoken: Spoken } | { readonly type: "nothing" | "left" };
