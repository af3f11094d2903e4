/**
 * Recognizes memory commands in a message without a model. The message must consist of the command only. Unclear messages are left to the
 * conversation, where a model can use tools.
 */
import words from "./answers.data.json" with { type: "json" };
import ar from "./commands/ar.data.json" with { type: "json" };
import de from "./commands/de.data.json" with { type: "json" };
import en from "./commands/en.data.json" with { type: "json" };
import es from "./commands/es.data.json" with { type: "json" };
import fr from "./commands/fr.data.json" with { type: "json" };
import hi from "./commands/hi.data.json" with { type: "json" };
import hiLatin from "./commands/hi-latn.data.json" with { type: "json" };
import id from "./commands/id.data.json" with { type: "json" };
import pt from "./commands/pt.data.json" with { type: "json" };
import zh from "./commands/zh.data.json" with { type: "json" };
import {
  isLanguage,
  type Language,
  languages,
  type MemoryCommand,
  type Pending,
  type Place,
  type ShownKind,
  shownKinds,
  type Spoken,
  standing,
} from "./commands.ts";
import { folded, phrasesOf, piecesOf, standsAt } from "../text/pieces.ts";

/** Answers that mean yes on their own. */
export const yesPhrases: readonly string[] = Object.values(words.yes).flat();

/** Answers that mean no on their own. */
export const noPhrases: readonly string[] = Object.values(words.no).flat();

/** Words that are ambiguous as an answer, by language of the question. */
const unclearIn: Readonly<Record<string, readonly Language[]>> = Object.fromEntries(
  Object.entries(words.unclear).map(([word, languages]) => [word, languages.filter(isLanguage)]),
);

/** Phrases for each position. */
const placePhrases: readonly (readonly [place: Place, phrases: readonly string[]])[] = Object.entries(words.places).map(([place, phrases]) => [
  place === "last" ? place : Number(place),
  phrases,
]);

/** Phrases that do not change an answer: around it, around a position, or about the question. `allPhrases` mean "all of them". */
export const { polite: politePhrases, all: allPhrases, around: aroundPlaces, about: aboutTheQuestion } = words;

/** Meaning of a message. `other`: it is about a different subject. */
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

/** Length limit for a message without any phrase about the question. Shorter messages may still refer to it. Han characters are counted separately. */
const shortPieces = 3;
const shortHan = 6;
/** Maximum number of pieces in an answer. */
const mostPieces = 14;

/** A question mark or an ellipsis is not an answer. */
const unsettled = /[?？؟¿]|\.{2,}|…/u;

/** Tells whether `pieces` consists only of phrases of `main` (at least one) and `also`. Phrases may share a beginning, so all splits are tried. */
function isMadeOf(pieces: readonly string[], main: readonly Phrase[], also: readonly Phrase[]): boolean {
  // Per index: whether the pieces before it can be split, and whether the split contains a main phrase.
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

/** Returns the positions that a message names, or undefined if it contains anything else. */
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
  // In "the second one", the last word is a counter, so the other position counts.
  const counters = new Set(["one", "uno", "una", "un", "une", "一"]);
  const firm = found.filter(({ phrase }) => !(phrase.length === 1 && counters.has(phrase[0] ?? "")));
  return (firm.length > 0 ? firm : found).map(({ place }) => place);
}

/** Returns the single position that a text consists of, such as `2`, `the second one`, `segundo` or `第二`. */
export const readPlace = (text: string): Place | undefined => placeOf(piecesOf(text));

function placeOf(pieces: readonly string[]): Place | undefined {
  const named = [...new Set(placesIn(pieces) ?? [])];
  return named.length === 1 ? named[0] : undefined;
}

/** Tells whether a message changes the subject: it is long enough and contains nothing that could be an answer. */
function isOther(pieces: readonly string[]): boolean {
  const han = pieces.filter((piece) => /^\p{Script=Han}$/u.test(piece)).length;
  if (pieces.length - han <= shortPieces && han <= shortHan) return false;
  return !has(pieces, about) && !has(pieces.slice(0, 2), yes) && !has(pieces.slice(0, 2), no);
}

/**
 * Interprets a message as an answer to a question in `language`. Yes and no are recognized in any of these languages: English, Spanish, French,
 * German, Portuguese, Italian, Hindi, Arabic, Chinese and Indonesian.
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

/** A command with its patterns, as described in `commands/commands.schema.json`. */
interface CommandPatterns {
  readonly type: MemoryCommand["type"];
  readonly value?: boolean;
  readonly direct?: boolean;
  /** Kind and position where the words do not say them: "the last thing that I said". */
  readonly kind?: string;
  readonly place?: string;
  readonly patterns: readonly RegExp[];
}

/** Command patterns of a language. */
interface LanguageCommands {
  /** Courtesies before or after a request. They do not change it. */
  readonly before: RegExp;
  readonly after: RegExp;
  /** The first matching command wins. */
  readonly commands: readonly CommandPatterns[];
}

/** Data file of a language. */
interface CommandsFile {
  readonly aboutAnswers: string;
  readonly vague: string;
  readonly courtesies: { readonly before: string; readonly after: string };
  readonly kinds: Readonly<Record<string, string>>;
  readonly commands: readonly (Omit<CommandPatterns, "type" | "patterns"> & { readonly type: string; readonly patterns: readonly string[] })[];
}

const files: Readonly<Record<Language, CommandsFile>> = { en, es, de, zh, fr, pt, id, hi, "hi-latn": hiLatin, ar };
const ready = new Map<Language, LanguageCommands>();

const types: readonly MemoryCommand["type"][] = [
  ...(["list", "status", "set_recall", "save_preference", "correct", "forget_by_index", "forget_by_query"] as const),
  ...(["forget_session", "forget_everything", "forget_vague", "skip_next", "remember", "pin", "never_recall"] as const),
];

const compiled = ({ courtesies, commands }: CommandsFile): LanguageCommands => ({
  before: new RegExp(courtesies.before, "iu"),
  after: new RegExp(courtesies.after, "iu"),
  commands: commands.flatMap(({ type: named, patterns, ...rest }) => {
    const type = types.find((one) => one === named);
    return type === undefined ? [] : [{ type, ...rest, patterns: patterns.map((pattern) => new RegExp(`^${pattern}$`, "iu")) }];
  }),
});

/** Returns the compiled patterns of a language. */
function commandsOf(language: Language): LanguageCommands {
  const known = ready.get(language) ?? compiled(files[language]);
  ready.set(language, known);
  return known;
}

const allFiles = languages.map((language) => files[language]);

/** Words that mark a preference about replies. Without them, "remember that I like cats" is a fact and not a rule. */
const aboutAnswers = new RegExp(allFiles.map((file) => file.aboutAnswers).join("|"), "iu");

/** The beginning of a statement about the agent. Kept, it is a rule for it. */
const aboutAgent = /^(?:dass )?(?:you|du|tú|vos|usted|tu|vous|você|你|您|kamu|kau|anda|तुम|आप|tum|aap|أنت)(?![\p{L}\p{M}])/iu;

/** Expressions without a specific meaning. A query that consists of one has no target. */
const vague = new RegExp(`^(?:${allFiles.map((file) => file.vague).join("|")})$`, "iu");

/** Words for the kinds of a listing. A reference without one of them can be of any kind. */
const kindWords: Readonly<Record<string, ShownKind>> = Object.fromEntries(
  allFiles.flatMap(({ kinds }) =>
    Object.entries(kinds).flatMap(([word, named]) => {
      const kind = shownKinds.find((one) => one === named);
      return kind === undefined ? [] : [[word, kind] as const];
    }),
  ),
);

/** Maximum length of a command message. */
const longest = 400;

/** Removes courtesies from a message, by language. */
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

/** Returns the query without surrounding quotation marks, or undefined if it is vague. */
const queryOf = (given: string | undefined): string | undefined => {
  const query = given?.replaceAll(/^["'“”„«»「」\s]+|["'“”„«»「」\s]+$/gu, "");
  return query === undefined || query === "" || vague.test(query) ? undefined : query;
};

/** Returns the name that a rule gives the user, with a capital letter. */
function nameIn({ name: first, name2: second }: Readonly<Record<string, string | undefined>>): { readonly name?: string } {
  const name = first ?? second;
  return name === undefined ? {} : { name: `${name.charAt(0).toUpperCase()}${name.slice(1)}` };
}

/** Returns the command of a matched pattern, or undefined if a required part is missing. */
function commandOf(
  { type, value = true, direct = false, kind: usualKind, place: usualPlace }: CommandPatterns,
  groups: Readonly<Record<string, string | undefined>>,
): MemoryCommand | undefined {
  const text = groups["text"]?.trim();
  const query = queryOf(groups["query"] ?? groups["query2"]);
  const place = groups["place"] ?? usualPlace;
  const index: Place | undefined = place === undefined ? undefined : readPlace(place);
  const shown = shownKinds.find((one) => one === usualKind);
  const kind = shown === undefined ? kindOf(groups["kind"]) : { kind: shown };
  switch (type) {
    case "set_recall":
      return { type, enabled: value };
    case "save_preference":
      return text === undefined || text.length > 280 || !(direct || aboutAnswers.test(text)) ? undefined : { type, text, ...nameIn(groups) };
    case "remember":
      if (text === undefined || text.length > 280 || vague.test(text)) return undefined;
      return { type: aboutAgent.test(text) ? "save_preference" : type, text };
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
    case "skip_next":
      return { type };
    default:
      return undefined;
  }
}

/** Returns the command of a message without courtesies. */
function commandIn(bare: string, patterns: CommandPatterns): MemoryCommand | undefined {
  for (const pattern of patterns.patterns) {
    const found = pattern.exec(bare);
    const command = found === null ? undefined : commandOf(patterns, found.groups ?? {});
    if (command !== undefined) return command;
  }
  return undefined;
}

/** Returns the command of a message in one of the {@link languages}. Returns undefined for other messages and for ambiguous ones. */
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
 * Interprets a message while a question is pending. Yes, no and numbers are recognized first, then commands. A message about a different subject
 * cancels the question and continues the conversation. After an unclear message, the question is repeated.
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

/** Meaning of a message for a pending question. `nothing`: no question is pending. `left`: the user changed the subject. */
export type ReplyMeant = { readonly type: "command"; readonly spoken: Spoken } | { readonly type: "nothing" | "left" };
