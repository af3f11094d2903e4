/**
 * Commands about memory in the person's own words, without a model. Only a message that is the command and nothing else counts; what is unclear is left to the
 * conversation, where a model has tools for it.
 */
import { aboutAnswers, commandsOf, kindWords, vague, type CommandPatterns } from "./command-patterns.ts";
import type { MemoryCommand, Place, ShownKind, Spoken } from "./commands.ts";
import { languages, type Language } from "./language.ts";
import { standing, type Pending } from "./pending.ts";
import { readAnswer, readPlace } from "./recognise.ts";
import { folded } from "./tokens.ts";

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
