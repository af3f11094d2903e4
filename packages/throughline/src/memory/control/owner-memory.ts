/** What a person, and programs in their name, can do with what is remembered of them. */
import type { Arc, Confidence, Entity, Fact, Kept, Profile, Recallable, RememberedTurn, Rule, Sensitivity, Source } from "../entry.ts";
import type { MemoryCommand, SideEffect, Language } from "./commands.ts";
import type { PendingAction } from "./pending.ts";

/** How much is remembered, and what was wished for. */
export interface MemoryStatus {
  readonly facts: number;
  readonly turns: number;
  readonly arcs: number;
  readonly rules: number;
  /** What is held of conversations that have not ended. */
  readonly held: number;
  /** Things that are kept and never given to a model. */
  readonly never_recalled: number;
  readonly recall_enabled: boolean;
  /** Version of the newest entry, 0 before the first. */
  readonly version: number;
  /** It is asked from a session of which nothing is remembered: then it reads as empty, whatever there is. */
  readonly incognito?: true;
}

/** A thing that is remembered, as people are shown it. */
export interface ListedEntry {
  /** Counted from 1 within its kind, by the time of writing: the same as long as nothing before it goes. Only things in force are counted. */
  readonly index?: number;
  readonly entry_id: string;
  readonly version: number;
  readonly kind: "fact" | "turn" | "arc" | "rule";
  /** In one line, with its date. */
  readonly text: string;
  readonly in_force: boolean;
  readonly entry: Recallable | Rule;
}

/** A page of what is remembered. */
export interface ListedEntries {
  readonly items: readonly ListedEntry[];
  readonly next_cursor: string | null;
  /** How many there are in all. */
  readonly total: number;
  /** Version of the newest entry: what a number of this listing is counted by. */
  readonly version: number;
}

/** What of an entry is changed by a person; what is left out stays. */
export interface Correction {
  readonly object?: Entity | string;
  readonly predicate?: string;
  readonly category?: string;
  /** The person's own words for it; those that correct it, if left out. */
  readonly quote?: string;
  readonly valid_from?: number;
  readonly valid_to?: number;
  readonly reason?: string;
}

/** A fact that a person, or a program, has remembered. */
export interface NewFact {
  /** What the person said, word for word: at most 280 characters. */
  readonly quote: string;
  /** `context` by default. */
  readonly category?: string;
  /** The person by default. */
  readonly subject?: Entity;
  /** `MENTIONED` by default. */
  readonly predicate?: string;
  /** The quote by default. */
  readonly object?: Entity | string;
  /** `high` by default. */
  readonly confidence?: Confidence;
  readonly sensitivity?: Sensitivity;
  /** `person` by default: it outranks what is extracted. */
  readonly authority?: "person" | "program";
  readonly valid_from?: number;
  readonly valid_to?: number;
  /** Where it was said; the session that the memory was reached by, if left out. */
  readonly source?: Source;
  readonly reason?: string;
}

/** What a person decides about an entry; what is left out stays. */
export interface Marks {
  /** Keeps it from being evicted. */
  readonly pinned?: boolean;
  /** Keeps it, and keeps it from every model. Not for rules: those are forgotten. */
  readonly never_recall?: boolean;
}

/** Options of a change to one entry. */
export interface EntryVersion {
  /** The version of the entry that the change was decided on; `request.precondition_failed` if there is a newer one. */
  readonly ifVersion?: number;
}

/** What was forgotten, by place. Every number counts what is gone. */
export interface ForgetReport {
  readonly facts: number;
  readonly turns: number;
  readonly arcs: number;
  /** Arcs that were rewritten without a sentence. */
  readonly arcs_rewritten: number;
  readonly rules: number;
  readonly vectors: number;
  /** Candidates that were held for the end of an episode. */
  readonly candidates: number;
  /** Questions that named it. */
  readonly pending: number;
  /** Stored requests to a model. */
  readonly prompts: number;
  /** Hashes that keep it from being written again. */
  readonly bars: number;
  /** Messages that no model is shown any more, by session. */
  readonly masked: readonly { readonly session_id: string; readonly offsets: readonly number[] }[];
  /** Messages whose text was removed from the log, by session. */
  readonly redacted: readonly { readonly session_id: string; readonly offsets: readonly number[] }[];
}

/** Facts that cannot both hold, the older first, and nobody has said which. */
export interface MemoryConflict {
  /** `one value`: two values of a predicate that has one at a time. `opposite`: of one thing, a predicate and its opposite. */
  readonly type: "one value" | "opposite";
  readonly facts: readonly [Kept<Fact>, Kept<Fact>];
}

/** All that is remembered, for whoever takes it elsewhere: `throughline.memory/1`. */
export interface ExportedMemory {
  readonly format: "throughline.memory/1";
  readonly exported_at: number;
  readonly version: number;
  readonly facts: readonly Kept<Fact>[];
  readonly turns: readonly Kept<RememberedTurn>[];
  readonly arcs: readonly Kept<Arc>[];
  readonly profile: Profile;
  /** What is held of conversations that have not ended, as it is stored. */
  readonly held: readonly { readonly entry_id: string; readonly data: unknown }[];
  readonly masks: readonly { readonly session_id: string; readonly offsets: readonly number[] }[];
}

/** What a command came to. */
export interface ControlOutcome {
  /** What to tell the person, in their language. */
  readonly reply: string;
  readonly effects: SideEffect;
  /** What waits for the person's yes from now on. */
  readonly pending: PendingAction | null;
  /** What went, for a command that forgets. */
  readonly forgotten?: ForgetReport;
}

/**
 * A person's memory. Every change is one commit on what stands then, made anew if it has changed meanwhile; what the person says outranks what is extracted,
 * for good.
 */
export interface OwnerMemory {
  /** How much is remembered. */
  status(): Promise<MemoryStatus>;
  /** What is remembered, by the time of writing: what is in force, and with `all` also what was withdrawn or replaced. 1 to 100 a page; 100 by default. */
  list(options?: {
    readonly kind?: ListedEntry["kind"];
    readonly all?: boolean;
    readonly limit?: number;
    readonly cursor?: string;
  }): Promise<ListedEntries>;
  /** One entry, also one that is not in force; `memory.entry_not_found` if there is none. Rules go by `profile/<rule id>`. */
  get(entry_id: string): Promise<ListedEntry>;
  /** What in force speaks of all words of a text that mean something, oldest first: 1 to 100, 20 by default. For forgetting, not for recall: nothing is guessed. */
  find(text: string, options?: { readonly limit?: number }): Promise<readonly ListedEntry[]>;
  /** Whether the agent may bring up by itself what it remembers; the status then. */
  setRecall(enabled: boolean): Promise<MemoryStatus>;
  /** Keeps a rule of how to talk with the person, at most 280 characters; the rule. The same one again changes nothing. */
  savePreference(text: string): Promise<Rule>;
  /** Keeps a fact. What was forgotten before can be kept again this way, by its own words. */
  remember(fact: NewFact): Promise<Kept<Fact>>;
  /**
   * Replaces a fact by what the person says: a new fact on their authority, the old one is history. The same correction again gives the same fact;
   * `memory.entry_not_found` if it is not in force.
   */
  correct(entry_id: string, change: Correction, options?: EntryVersion): Promise<Kept<Fact>>;
  /** Marks an entry, or takes marks away, all at once. */
  mark(entry_id: string, marks: Marks, options?: EntryVersion): Promise<ListedEntry>;
  /** Keeps it from being evicted, or no longer. */
  pin(entry_id: string, pinned?: boolean): Promise<ListedEntry>;
  /** Keeps it, and keeps it from every model; or no longer. Not for rules: those are forgotten. */
  neverRecall(entry_id: string, value?: boolean): Promise<ListedEntry>;
  /**
   * Removes entries with all their versions and whatever rests on them: vectors, what arcs quote, facts that rest on nothing else, rules whose evidence it is,
   * candidates, stored requests. The messages that said so are shown to no model any more; with `messages: true` their text is removed from the log as well. It
   * is not extracted again. `memory.entry_not_found` names the ids that there are none of, and then nothing is done. `ifVersion` is that of each of them.
   */
  forget(entry_ids: readonly string[], options?: EntryVersion & { readonly messages?: boolean }): Promise<ForgetReport>;
  /** Forgets all, or all of a kind. Whether the agent may bring things up stays as it is. */
  clear(options?: { readonly kind?: ListedEntry["kind"]; readonly messages?: boolean }): Promise<ForgetReport>;
  /** Facts that cannot all hold. */
  conflicts(): Promise<readonly MemoryConflict[]>;
  /** All that is remembered: as JSON with every provenance, or as Markdown for people, with quotes and dates. */
  export(options: { readonly format: "json" }): Promise<ExportedMemory>;
  export(options: { readonly format: "markdown" }): Promise<string>;
}

/**
 * A person's memory, reached from one of their sessions: what is asked there waits there for an answer. From an incognito session everything reads as empty, and a change is
 * refused with `memory.incognito`.
 */
export interface SessionMemoryControl extends OwnerMemory {
  /** What waits for the person's yes in this session. */
  pending(): Promise<PendingAction | null>;
  /**
   * Does what a command says, and what to tell the person. Under the same `key` it is done once. `turn`: the turn at work, which cannot confirm what it asks itself; `since`: offset of
   * the message that asked for it; `language`: the one to answer in, by default that of the question that waits, else English.
   */
  control(command: MemoryCommand, options?: ControlOptions): Promise<ControlOutcome>;
  /**
   * Does what a message asks for, if it is an answer to what waits or a command about the memory and nothing else; undefined if it is neither. A message that leaves the
   * subject lets go of what waits.
   */
  answer(message: string, options?: ControlOptions): Promise<ControlOutcome | undefined>;
}

/** How a command is done. */
export interface ControlOptions {
  readonly key?: string;
  readonly turn?: string;
  readonly since?: number;
  readonly language?: Language;
}
