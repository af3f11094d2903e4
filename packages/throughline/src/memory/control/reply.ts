/** Writes the reply for the result of a command. */
import de from "./replies/de.data.json" with { type: "json" };
import en from "./replies/en.data.json" with { type: "json" };
import es from "./replies/es.data.json" with { type: "json" };
import zh from "./replies/zh.data.json" with { type: "json" };
import type { ControlAnswer } from "./decide.ts";
import type { Language } from "./commands.ts";
import type { MemoryStatus } from "./owner-memory.ts";
import { shownOptions, type PendingAction, type Target } from "./pending.ts";

const numbered = (lines: readonly string[]): readonly string[] => lines.map((line, index) => `${index + 1}. ${line}`);
const lines = (...parts: readonly (string | readonly string[])[]): string =>
  parts
    .flat()
    .filter((line) => line !== "")
    .join("\n");

function listing(words: ReplyWords, { facts, sessions, rules, turns, messages, changed }: Extract<ControlAnswer, { type: "listed" }>): string {
  const section = (title: string, entries: readonly string[]): readonly string[] => (entries.length === 0 ? [] : [title, ...numbered(entries)]);
  const shown = [...section(words.facts, facts), ...section(words.sessions, sessions), ...section(words.rules, rules)];
  const rest = turns === 0 ? [] : [counted(words.verbatim, turns), ...messages.map(({ index, line }) => `${index}. ${line}`)];
  return lines(changed === true ? words.changed : "", shown.length + rest.length === 0 ? words.nothing : [...shown, ...rest]);
}

function optionsOf(words: ReplyWords, targets: readonly Target[]): readonly string[] {
  const shown = targets.slice(0, shownOptions).map(({ kind, preview }) => (kind === "everything" ? preview : `[${words.kinds[kind]}] ${preview}`));
  return [...numbered(shown), ...(targets.length > shown.length ? [filled(words.andMore, { count: targets.length - shown.length })] : [])];
}

function question(words: ReplyWords, action: PendingAction): string {
  if (action.type === "delete_options") return lines(optionsOf(words, action.targets), words.askChoice);
  const { target, also = [] } = action;
  if (also.length > 0) return lines(optionsOf(words, [target, ...also]), filled(words.askSeveral, { count: also.length + 1 }));
  if (target.kind === "everything") return words.askEverything;
  return filled(target.kind === "session" ? words.askSession : words.askDelete, { preview: target.preview });
}

function statusIn(words: ReplyWords, { facts, arcs, rules, turns, recall_enabled }: MemoryStatus): string {
  const { counts, recall_is } = words;
  return filled(words.status, {
    facts: counted(counts.facts, facts),
    sessions: counted(counts.sessions, arcs),
    rules: counted(counts.rules, rules),
    messages: counted(counts.messages, turns),
    recall: recall_enabled ? recall_is.on : recall_is.off,
  });
}

/** Returns the reply for the user in a language. */
export function replyOf(answer: ControlAnswer, language: Language): string {
  const words = replyWords[language];
  switch (answer.type) {
    case "listed":
      return listing(words, answer);
    case "status":
      return statusIn(words, answer.status);
    case "recall_set":
      return answer.enabled ? words.recall.on : words.recall.off;
    case "preference":
      return answer.outcome === "saved" ? filled(words.saved, { text: answer.text }) : words[answer.outcome];
    case "corrected":
      return filled(words.corrected, { before: answer.before, after: answer.after });
    case "not_found":
      return filled(words.notFound, {
        what: answer.index === "last" ? words.lastOne : `${answer.kind === undefined ? "" : `${words.kinds[answer.kind]} `}${answer.index}`,
      });
    case "none_match":
      return filled(words.noneMatch, { query: answer.query });
    case "too_many":
      return filled(words.tooMany, { query: answer.query, count: answer.count });
    case "asked":
      return lines(answer.again === true ? words.again : "", answer.cleared === true ? words.cleared : "", question(words, answer.action));
    case "vague":
      return lines(words.cleared, words.vague);
    case "deleted":
      return counted(words.deleted, answer.count);
    case "pinned":
      return filled(answer.pinned ? words.pinned : words.unpinned, { line: answer.line });
    case "never_recalled":
      return filled(words.neverRecalled, { query: answer.query });
    case "nothing_pending":
      return words.nothingPending;
    case "gone":
    case "kept":
    case "incognito":
      return words[answer.type];
  }
}

/** Texts of a language, as described in `replies.schema.json`. */
type ReplyWords = typeof en;

/** Texts by language. */
const replyWords: Readonly<Record<Language, ReplyWords>> = { en, es, de, zh };

/** Fills the placeholders of a text. Inserted values are not scanned for placeholders. */
const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/gu, (placeholder, name: string) => String(values[name] ?? placeholder));

/** Returns the singular or plural text for a count. */
const counted = ({ one, many }: { readonly one: string; readonly many: string }, count: number): string =>
  filled(count === 1 ? one : many, { count });
