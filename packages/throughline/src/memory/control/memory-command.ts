/** Decides memory commands and words the reply. A deletion requires a confirmation of a question that names it. */
import { present } from "../../kernel/json.ts";
import type { SessionId } from "../../kernel/id.ts";
import { emptyBuffer, type EntryWrite, type Recallable, type Source } from "../entry.ts";
import { encodeEntry, removeEntry } from "../write/decode.ts";
import { correctFact, factGiven, keepFact, keepRule, marked, pinnedRule, profileWrite } from "./change-entries.ts";
import {
  countedKinds,
  type Language,
  type MemoryCommand,
  mostOptions,
  optionAt,
  type PendingAction,
  type Shown,
  type ShownKind,
  shownOptions,
  type SideEffect,
  type Target,
} from "./commands.ts";
import { allIds, unknownIds } from "./forget.ts";
import { matching, type Terms } from "./hidden-words.ts";
import type { ListedEntry, MemoryStatus } from "./owner-memory.ts";
import ar from "./replies/ar.data.json" with { type: "json" };
import de from "./replies/de.data.json" with { type: "json" };
import en from "./replies/en.data.json" with { type: "json" };
import es from "./replies/es.data.json" with { type: "json" };
import fr from "./replies/fr.data.json" with { type: "json" };
import hi from "./replies/hi.data.json" with { type: "json" };
import hiLatin from "./replies/hi-latn.data.json" with { type: "json" };
import id from "./replies/id.data.json" with { type: "json" };
import pt from "./replies/pt.data.json" with { type: "json" };
import zh from "./replies/zh.data.json" with { type: "json" };
import {
  idOfTarget,
  lineFor,
  listingOf,
  type MemorySnapshot,
  ruleOfId,
  sessionTargetId,
  shownAt,
  shownOf,
  statusOf,
  targetOf,
} from "./snapshot-listing.ts";

/** Context of a command. */
interface ControlContext {
  readonly session_id: string;
  readonly now: number;
  /** The action that waits for a confirmation in this session. */
  readonly waiting: PendingAction | null;
  /** Offset of the requesting message, used as the source. */
  readonly since?: number;
  readonly terms?: Terms;
}

/** Decision about a command. */
export interface ControlDecision {
  readonly writes: readonly EntryWrite[];
  /** Ids to forget. The caller plans the deletion, since it must search the logs. */
  readonly forget: readonly string[];
  /** The pending action after this command. */
  readonly pending: PendingAction | null;
  readonly answer: ControlAnswer;
  readonly effects: SideEffect;
}

const says = (answer: ControlAnswer, rest: Partial<ControlDecision> = {}): ControlDecision => ({
  writes: [],
  forget: [],
  pending: null,
  effects: "none",
  ...rest,
  answer,
});

const asks = (
  action: PendingAction,
  rest: { readonly again?: true; readonly cleared?: true; readonly writes?: readonly EntryWrite[] } = {},
): ControlDecision => {
  const { writes = [], ...marks } = rest;
  return says({ type: "asked", action, ...marks }, { pending: action, writes });
};

/** Maximum number of messages in a listing. The last ones are shown. */
const shownMessages = 5;

function listed(memory: MemorySnapshot, listing: readonly ListedEntry[], changed?: true): ControlAnswer {
  const [facts, sessions, rules] = countedKinds.map((kind) => shownOf(listing, kind).map(lineFor));
  const messages = shownOf(listing, "turn").slice(-shownMessages);
  return {
    type: "listed",
    facts: facts ?? [],
    sessions: sessions ?? [],
    rules: rules ?? [],
    turns: statusOf(memory).turns,
    messages: messages.map((message) => ({ index: message.index ?? 0, line: lineFor(message) })),
    ...present({ changed }),
  };
}

/** Tells whether the listing that the user refers to has changed since. */
const isStale = ({ changed }: MemorySnapshot, { kind, listed_at }: Shown): boolean =>
  listed_at !== undefined && (kind === undefined ? countedKinds : [kind]).some((one) => changed[one] > listed_at);

/** Returns the items that a number can refer to. */
function shownFor(listing: readonly ListedEntry[], { kind, index }: Shown): readonly ListedEntry[] {
  const found = (kind === undefined ? countedKinds : [kind]).flatMap((one) => shownAt(listing, one, index) ?? []);
  return found.length === 0 && kind === undefined ? [shownAt(listing, "turn", index)].filter((message) => message !== undefined) : found;
}

function ask(targets: readonly Target[]): ControlDecision {
  const [target, ...more] = targets;
  if (target === undefined) return says({ type: "gone" });
  return asks(more.length === 0 ? { type: "delete", target } : { type: "delete_options", targets });
}

/** Returns the writes that drop this session's held candidates. No stored entry depends on them. An episode marked private stays private. */
const clearsHeld = (memory: MemorySnapshot, session_id: string): readonly EntryWrite[] =>
  memory.buffers
    .filter(({ entry }) => entry.session_id === session_id)
    .flatMap(({ entry_id, entry }) => [
      removeEntry(entry_id, "buffer"),
      ...(entry.private === true ? [encodeEntry(entry_id, { ...emptyBuffer(entry.session_id, entry.episode), private: true })] : []),
    ]);

const wholeSession = (session_id: string): Target => ({ kind: "session", entry_id: sessionTargetId(session_id), preview: "•" });
const everything: Target = { kind: "everything", entry_id: "", preview: "•" };

/** Deletes the confirmed targets that still exist. */
function confirmed(memory: MemorySnapshot, action: PendingAction): ControlDecision {
  if (action.type === "delete_options") return asks(action, { again: true });
  const targets = [action.target, ...(action.also ?? [])];
  const ids = targets.some(({ kind }) => kind === "everything")
    ? [...allIds(memory), ...memory.buffers.map(({ entry }) => sessionTargetId(entry.session_id))]
    : targets.map(idOfTarget);
  const unknown = new Set(unknownIds(memory, ids));
  const forget = ids.filter((id) => !unknown.has(id));
  const { length: count } = targets.some(({ kind }) => kind === "everything") ? forget : targets.filter((target) => !unknown.has(idOfTarget(target)));
  return says(forget.length === 0 ? { type: "gone" } : { type: "deleted", count }, { forget, effects: "delete_memory" });
}

function chosen(index: Extract<MemoryCommand, { type: "choose_pending" }>["index"], action: PendingAction): ControlDecision {
  if (action.type === "delete") return asks(action, { again: true });
  const [first, ...also] = action.targets;
  if (index === "all" && first !== undefined) return asks({ type: "delete", target: first, ...(also.length === 0 ? {} : { also }) });
  const target = index === "all" ? undefined : optionAt(action.targets, index);
  return target === undefined ? asks(action, { again: true }) : asks({ type: "delete", target });
}

function neverRecalled(memory: MemorySnapshot, query: string, { now, terms, ...context }: ControlContext): ControlDecision {
  const found = matching(listingOf(memory), query, terms === undefined ? {} : { terms });
  const entries = found.flatMap(({ entry_id, entry }): readonly { readonly entry_id: string; readonly entry: Recallable }[] =>
    "type" in entry ? [{ entry_id, entry }] : [],
  );
  const rule = keepRule(memory, `Do not bring up “${query}” unless they do.`.slice(0, 280), { now, sources: sourcesOf(context, now) });
  // For "never ask me about safety" without matching entries there is nothing to hide, and questions about safety continue.
  if (rule.outcome === "unsafe" && entries.length === 0) return says({ type: "preference", outcome: "unsafe", text: query });
  const writes = [...entries.flatMap((one) => marked(one, { never_recall: true })), ...rule.writes];
  return says({ type: "never_recalled", query, count: entries.length }, { writes, effects: "never_recall" });
}

const sourcesOf = ({ session_id, since }: Pick<ControlContext, "session_id" | "since">, now: number): readonly Source[] =>
  since === undefined ? [] : [{ session_id: session_id as SessionId, offset: since, at: now }];

function corrected(memory: MemorySnapshot, command: Extract<MemoryCommand, { type: "correct" }>, context: ControlContext): ControlDecision {
  const { session_id, since = 0, now } = context;
  const [found] = shownFor(listingOf(memory), { ...command, kind: command.kind ?? "fact" });
  const fact = memory.facts.find(({ entry_id }) => entry_id === found?.entry_id);
  if (found === undefined || fact === undefined) return says({ type: "not_found", kind: command.kind ?? "fact", index: command.index });
  const text = command.text.trim();
  const source = { session_id: session_id as SessionId, offset: since, at: now };
  const { kept, writes } = correctFact(memory, fact, { object: text.slice(0, 200), quote: text.slice(0, 280) }, { now, source });
  return says({ type: "corrected", before: lineFor(found), after: `“${kept.entry.quote}”` }, { writes, effects: "correct_memory" });
}

function pinned(memory: MemorySnapshot, command: Extract<MemoryCommand, { type: "pin" }>): ControlDecision {
  const [found] = shownFor(listingOf(memory), command);
  if (found === undefined) return says({ type: "not_found", kind: command.kind, index: command.index });
  const { entry_id, entry } = found;
  const writes =
    "type" in entry ? marked({ entry_id, entry }, { pinned: command.pinned }) : pinnedRule(memory.profile, ruleOfId(entry_id) ?? "", command.pinned);
  return says({ type: "pinned", pinned: command.pinned, line: lineFor(found) }, { writes, effects: "pin_memory" });
}

function byQuery(memory: MemorySnapshot, query: string, { terms }: ControlContext): ControlDecision {
  const found = matching(listingOf(memory), query, terms === undefined ? {} : { terms });
  if (found.length === 0) return says({ type: "none_match", query });
  if (found.length > mostOptions) return says({ type: "too_many", query, count: found.length });
  return ask(found.map(targetOf));
}

function remembered(memory: MemorySnapshot, text: string, { session_id, since = 0, now }: ControlContext): ControlDecision {
  const source = { session_id: session_id as SessionId, offset: since, at: now };
  const { writes } = keepFact(memory, factGiven({ quote: text.trim().slice(0, 280) }, { now, source }));
  return says({ type: "remembered", text }, { writes, effects: "remember_fact" });
}

function preferred(
  memory: MemorySnapshot,
  { text, name }: Extract<MemoryCommand, { type: "save_preference" }>,
  context: ControlContext,
): ControlDecision {
  const { outcome, writes } = keepRule(memory, text.trim().slice(0, 280), { now: context.now, sources: sourcesOf(context, context.now) });
  const told = outcome === "skipped" ? "known" : outcome === "unsafe" || outcome === "full" ? outcome : "saved";
  return says(
    { type: "preference", outcome: told, text, ...present({ name }) },
    { writes, effects: writes.length === 0 ? "none" : "save_preference" },
  );
}

/** Decides a command. The result depends only on the memory, so it can be decided again when the memory has changed. */
export function decideControl(memory: MemorySnapshot, command: MemoryCommand, context: ControlContext): ControlDecision {
  const { session_id, waiting } = context;
  switch (command.type) {
    case "list":
      return says(listed(memory, listingOf(memory)));
    case "status":
      return says({ type: "status", status: statusOf(memory) });
    case "set_recall": {
      const writes = memory.profile.recall_enabled === command.enabled ? [] : [profileWrite({ ...memory.profile, recall_enabled: command.enabled })];
      return says({ type: "recall_set", enabled: command.enabled }, { writes, effects: "set_recall" });
    }
    case "save_preference":
      return preferred(memory, command, context);
    case "remember":
      return remembered(memory, command.text, context);
    case "correct":
      return isStale(memory, { ...command, kind: "fact" }) ? says(listed(memory, listingOf(memory), true)) : corrected(memory, command, context);
    case "pin":
      return isStale(memory, command) ? says(listed(memory, listingOf(memory), true)) : pinned(memory, command);
    case "never_recall":
      return neverRecalled(memory, command.query, context);
    case "forget_by_index": {
      if (isStale(memory, command)) return says(listed(memory, listingOf(memory), true));
      const found = shownFor(listingOf(memory), command);
      return found.length === 0 ? says({ type: "not_found", kind: command.kind, index: command.index }) : ask(found.map(targetOf));
    }
    case "forget_by_query":
      return byQuery(memory, command.query, context);
    case "forget_session":
      return asks({ type: "delete", target: wholeSession(session_id) }, { cleared: true, writes: clearsHeld(memory, session_id) });
    case "forget_everything":
      return asks({ type: "delete", target: everything }, { cleared: true, writes: clearsHeld(memory, session_id) });
    case "forget_vague":
      return says({ type: "vague", cleared: true }, { writes: clearsHeld(memory, session_id) });
    case "skip_next":
      return says({ type: "skips_next" });
    case "choose_pending":
      return waiting === null ? says({ type: "nothing_pending" }) : chosen(command.index, waiting);
    case "confirm_pending":
      return waiting === null ? says({ type: "nothing_pending" }) : confirmed(memory, waiting);
    case "cancel_pending":
      return says({ type: waiting === null ? "nothing_pending" : "kept" });
    case "repeat_pending":
      return waiting === null ? says({ type: "nothing_pending" }) : asks(waiting, { again: true });
  }
}

/** Result of a command, from which the reply is written. */
type ControlAnswer =
  /** Lines of each kind in the order of their numbers, and the number of verbatim messages. */
  | {
      readonly type: "listed";
      readonly facts: readonly string[];
      readonly sessions: readonly string[];
      readonly rules: readonly string[];
      readonly turns: number;
      /** The last verbatim messages, with their numbers. */
      readonly messages: readonly { readonly index: number; readonly line: string }[];
      /** The user referred to an outdated listing. */
      readonly changed?: true;
    }
  | { readonly type: "status"; readonly status: MemoryStatus }
  | { readonly type: "skips_next" }
  | { readonly type: "recall_set"; readonly enabled: boolean }
  | { readonly type: "preference"; readonly outcome: "saved" | "known" | "unsafe" | "full"; readonly text: string; readonly name?: string }
  | { readonly type: "remembered"; readonly text: string }
  | { readonly type: "corrected"; readonly before: string; readonly after: string }
  | { readonly type: "not_found"; readonly kind: ShownKind | undefined; readonly index: number | "last" }
  | { readonly type: "none_match"; readonly query: string }
  | { readonly type: "too_many"; readonly query: string; readonly count: number }
  /** The pending question. `again`: it is repeated. `cleared`: held candidates are already removed. */
  | { readonly type: "asked"; readonly action: PendingAction; readonly again?: true; readonly cleared?: true }
  | { readonly type: "vague"; readonly cleared: true }
  | { readonly type: "deleted"; readonly count: number }
  | { readonly type: "gone" | "kept" | "nothing_pending" | "incognito" }
  | { readonly type: "pinned"; readonly pinned: boolean; readonly line: string }
  | { readonly type: "never_recalled"; readonly query: string; readonly count: number };

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
      if (answer.outcome === "saved" || (answer.outcome === "known" && answer.name !== undefined))
        return answer.name === undefined ? filled(words.saved, { text: answer.text }) : filled(words.called, { name: answer.name });
      return words[answer.outcome];
    case "remembered":
      return filled(words.remembered, { text: answer.text });
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
    case "skips_next":
      return words.skipsNext;
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
const replyWords: Readonly<Record<Language, ReplyWords>> = { en, es, de, zh, fr, pt, id, hi, "hi-latn": hiLatin, ar };

/** Fills the placeholders of a text. Inserted values are not scanned for placeholders. */
const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/gu, (placeholder, name: string) => String(values[name] ?? placeholder));

/** Returns the singular or plural text for a count. */
const counted = ({ one, many }: { readonly one: string; readonly many: string }, count: number): string =>
  filled(count === 1 ? one : many, { count });
