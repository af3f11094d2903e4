/** What a command came to, in words. */
import type { ControlAnswer } from "./answer.ts";
import type { Language } from "./language.ts";
import { shownOptions, type PendingAction, type Target } from "./pending.ts";
import { german } from "./replies/de.ts";
import { english } from "./replies/en.ts";
import { spanish } from "./replies/es.ts";
import type { ReplyWords } from "./replies/words.ts";
import { chinese } from "./replies/zh.ts";

const byLanguage: Readonly<Record<Language, ReplyWords>> = { en: english, es: spanish, de: german, zh: chinese };

const numbered = (lines: readonly string[]): readonly string[] => lines.map((line, index) => `${index + 1}. ${line}`);
const lines = (...parts: readonly (string | readonly string[])[]): string =>
  parts
    .flat()
    .filter((line) => line !== "")
    .join("\n");

function listing(words: ReplyWords, { facts, sessions, rules, turns, messages, changed }: Extract<ControlAnswer, { type: "listed" }>): string {
  const section = (title: string, entries: readonly string[]): readonly string[] => (entries.length === 0 ? [] : [title, ...numbered(entries)]);
  const shown = [...section(words.facts, facts), ...section(words.sessions, sessions), ...section(words.rules, rules)];
  const rest = turns === 0 ? [] : [words.verbatim(turns), ...messages.map(({ index, line }) => `${index}. ${line}`)];
  return lines(changed === true ? words.changed : "", shown.length + rest.length === 0 ? words.nothing : [...shown, ...rest]);
}

function optionsOf(words: ReplyWords, targets: readonly Target[]): readonly string[] {
  const shown = targets.slice(0, shownOptions).map(({ kind, preview }) => (kind === "everything" ? preview : `[${words.kinds[kind]}] ${preview}`));
  return [...numbered(shown), ...(targets.length > shown.length ? [words.andMore(targets.length - shown.length)] : [])];
}

function question(words: ReplyWords, action: PendingAction): string {
  if (action.type === "delete_options") return lines(optionsOf(words, action.targets), words.askChoice);
  const { target, also = [] } = action;
  if (also.length > 0) return lines(optionsOf(words, [target, ...also]), words.askSeveral(also.length + 1));
  if (target.kind === "everything") return words.askEverything;
  return target.kind === "session" ? words.askSession(target.preview) : words.askDelete(target.preview);
}

/** What to tell the person, in one of the languages. */
export function replyOf(answer: ControlAnswer, language: Language): string {
  const words = byLanguage[language];
  switch (answer.type) {
    case "listed":
      return listing(words, answer);
    case "status":
      return words.status(answer.status);
    case "recall_set":
      return words.recall(answer.enabled);
    case "preference":
      return answer.outcome === "saved" ? words.saved(answer.text) : words[answer.outcome];
    case "corrected":
      return words.corrected(answer.before, answer.after);
    case "not_found":
      return words.notFound(
        answer.index === "last" ? words.lastOne : `${answer.kind === undefined ? "" : `${words.kinds[answer.kind]} `}${answer.index}`,
      );
    case "none_match":
      return words.noneMatch(answer.query);
    case "too_many":
      return words.tooMany(answer.query, answer.count);
    case "asked":
      return lines(answer.again === true ? words.again : "", answer.cleared === true ? words.cleared : "", question(words, answer.action));
    case "vague":
      return lines(words.cleared, words.vague);
    case "deleted":
      return words.deleted(answer.count);
    case "pinned":
      return words.pinned(answer.pinned, answer.line);
    case "never_recalled":
      return words.neverRecalled(answer.query, answer.count);
    case "nothing_pending":
      return words.nothingPending;
    case "gone":
    case "kept":
    case "incognito":
      return words[answer.type];
  }
}
