/** Operations on a user's memory, for the user and for programs on their behalf. */
import type { Arc, Confidence, Entity, Fact, Kept, Profile, Recallable, RememberedTurn, Rule, Sensitivity, Source } from "../entry.ts";
import type { Recalled } from "../recalled.ts";
import type { Language, MemoryCommand, PendingAction, SideEffect } from "./commands.ts";

/** Counts and settings of a memory. */
export interface MemoryStatus {
  readonly facts: number;
  readonly turns: number;
  readonly arcs: number;
  readonly rules: number;
  /** Number of candidates held for conversations that have not ended. */
  readonly held: number;
  /** Number of entries excluded from recall. */
  readonly never_recalled: number;
  readonly recall_enabled: boolean;
  /** Version of the newest entry, 0 before the first. */
  readonly version: number;
  /** Present if the session is incognito. The memory then reads as empty. */
  readonly incognito?: true;
}

/** An item of a listing. */
export interface ListedEntry {
  /** Number within its kind, counted from 1 in the order of writing. It stays the same until an earlier item is removed. Only active items have one. */
  readonly index?: number;
  readonly entry_id: string;
  readonly version: number;
  readonly kind: "fact" | "turn" | "arc" | "rule";
  /** One line with its date. */
  readonly text: string;
  readonly in_force: boolean;
  readonly entry: Recallable | Rule;
}

/** A page of a listing. */
export interface ListedEntries {
  readonly items: readonly ListedEntry[];
  readonly next_cursor: string | null;
  /** Total number of items. */
  readonly total: number;
  /** Version of the newest entry. The numbers of this listing refer to it. */
  readonly version: number;
}

/** Changes to a fact. Absent members stay as they are. */
export interface Correction {
  readonly object?: Entity | string;
  readonly predicate?: string;
  readonly category?: string;
  /** The user's words. Defaults to the corrected object. */
  readonly quote?: string;
  readonly valid_from?: number;
  readonly valid_to?: number;
  readonly reason?: string;
}

/** Options of a recall for a message. */
export interface RecallOptions {
  /** Name of the agent whose settings count. Defaults to the session's agent, or to the only agent with a memory. */
  readonly agent?: string;
  /** Whether the message starts an episode, so that the last episode is recalled regardless of the message. Defaults to false. */
  readonly opening?: boolean;
}

/** What a turn would recall. */
export type RecallPreview = Pick<Recalled, "items" | "diagnostics">;

/** A fact to remember. */
export interface NewFact {
  /** Verbatim quote of the user, at most 280 characters. */
  readonly quote: string;
  /** Default `context`. */
  readonly category?: string;
  /** Default: the user. */
  readonly subject?: Entity;
  /** Default `MENTIONED`. */
  readonly predicate?: string;
  /** Default: the quote. */
  readonly object?: Entity | string;
  /** Default `high`. */
  readonly confidence?: Confidence;
  readonly sensitivity?: Sensitivity;
  /** Default `person`, which outranks extractions. */
  readonly authority?: "person" | "program";
  readonly valid_from?: number;
  readonly valid_to?: number;
  /** Source of the quote. Defaults to the session through which the memory is accessed. */
  readonly source?: Source;
  readonly reason?: string;
}

/** Marks of an entry. Absent members stay as they are. */
export interface Marks {
  /** Protects the entry from eviction. */
  readonly pinned?: boolean;
  /** Keeps the entry but never shows it to a model. Not available for rules, which are forgotten instead. */
  readonly never_recall?: boolean;
}

/** Options of a change to one entry. */
export interface EntryVersion {
  /** Expected version of the entry. Throws `request.precondition_failed` if a newer one exists. */
  readonly ifVersion?: number;
}

/** Numbers of removed items, by kind. */
export interface ForgetReport {
  readonly facts: number;
  readonly turns: number;
  readonly arcs: number;
  /** Number of arcs that lost some content. */
  readonly arcs_rewritten: number;
  readonly rules: number;
  readonly vectors: number;
  /** Number of candidates held until the end of an episode. */
  readonly candidates: number;
  /** Number of pending questions that named a removed entry. */
  readonly pending: number;
  /** Number of stored model requests. */
  readonly prompts: number;
  /** Number of hashes that block the text from being written again. */
  readonly bars: number;
  /** Messages hidden from models, by session. */
  readonly masked: readonly { readonly session_id: string; readonly offsets: readonly number[] }[];
  /** Messages whose text was removed from the log, by session. */
  readonly redacted: readonly { readonly session_id: string; readonly offsets: readonly number[] }[];
}

/** Two facts that contradict each other, the older one first. */
export interface MemoryConflict {
  /** `one value`: two values of a functional predicate. `opposite`: a predicate and its opposite about the same object. */
  readonly type: "one value" | "opposite";
  readonly facts: readonly [Kept<Fact>, Kept<Fact>];
}

/** Export of a memory in the format `throughline.memory/1`. */
export interface ExportedMemory {
  readonly format: "throughline.memory/1";
  readonly exported_at: number;
  readonly version: number;
  readonly facts: readonly Kept<Fact>[];
  readonly turns: readonly Kept<RememberedTurn>[];
  readonly arcs: readonly Kept<Arc>[];
  readonly profile: Profile;
  /** Candidates held for conversations that have not ended, as stored. */
  readonly held: readonly { readonly entry_id: string; readonly data: unknown }[];
  readonly masks: readonly { readonly session_id: string; readonly offsets: readonly number[] }[];
}

/** Result of a command. */
export interface ControlOutcome {
  /** Reply for the user, in their language. */
  readonly reply: string;
  readonly effects: SideEffect;
  /** The action that now waits for a confirmation. */
  readonly pending: PendingAction | null;
  /** Report of a command that forgets. */
  readonly forgotten?: ForgetReport;
}

/**
 * A user's memory. Every change is one commit on the current state and is decided again if the state has changed. Statements of the user permanently
 * outrank extractions.
 */
export interface OwnerMemory {
  /** Returns the counts and settings. */
  status(): Promise<MemoryStatus>;
  /** Lists entries in the order of writing. Lists active entries, and with `all` also history. 1 to 100 items per page, default 100. */
  list(options?: {
    readonly kind?: ListedEntry["kind"];
    readonly all?: boolean;
    readonly limit?: number;
    readonly cursor?: string;
  }): Promise<ListedEntries>;
  /** Returns one entry, active or not. Throws `memory.entry_not_found` if it does not exist. Rules have ids of the form `profile/<rule id>`. */
  get(entry_id: string): Promise<ListedEntry>;
  /**
   * Finds active entries that contain all meaningful words of a text, oldest first. 1 to 100 results, default 20. Intended for forgetting, not for
   * recall: matches are exact.
   */
  find(text: string, options?: { readonly limit?: number }): Promise<readonly ListedEntry[]>;
  /**
   * Returns what a turn of an agent would recall for a message: each item with its score and placement, and the metrics. It ranks as a turn does,
   * with the agent's settings and embedding model. It records nothing. The message has 1 to 4,000 characters.
   */
  recall(text: string, options?: RecallOptions): Promise<RecallPreview>;
  /** Sets whether the agent may bring up memories unprompted. Returns the new status. */
  setRecall(enabled: boolean): Promise<MemoryStatus>;
  /** Saves a rule for how to talk with the user, at most 280 characters, and returns it. Saving the same rule again changes nothing. */
  savePreference(text: string): Promise<Rule>;
  /** Saves a fact. A forgotten fact can be saved again this way. */
  remember(fact: NewFact): Promise<Kept<Fact>>;
  /**
   * Replaces a fact with the user's correction. The new fact has the user's authority, and the old one becomes history. Repeating the correction
   * returns the same fact. Throws `memory.entry_not_found` if the fact is not active.
   */
  correct(entry_id: string, change: Correction, options?: EntryVersion): Promise<Kept<Fact>>;
  /** Sets or removes marks of an entry in one change. */
  mark(entry_id: string, marks: Marks, options?: EntryVersion): Promise<ListedEntry>;
  /** Protects an entry from eviction, or removes the protection. */
  pin(entry_id: string, pinned?: boolean): Promise<ListedEntry>;
  /** Excludes an entry from recall, or includes it again. Not available for rules, which are forgotten instead. */
  neverRecall(entry_id: string, value?: boolean): Promise<ListedEntry>;
  /**
   * Removes entries with all their versions and everything that depends on them. This covers vectors, quotes in arcs, facts without another source,
   * rules based on the quotes, candidates and stored requests. The source messages are hidden from models. With `messages: true`, their text is also
   * removed from the log. The text is not extracted again. `memory.entry_not_found` lists unknown ids, and then nothing is removed. `ifVersion`
   * applies to each entry.
   */
  forget(entry_ids: readonly string[], options?: EntryVersion & { readonly messages?: boolean }): Promise<ForgetReport>;
  /** Forgets everything, or everything of a kind. The recall setting stays as it is. */
  clear(options?: { readonly kind?: ListedEntry["kind"]; readonly messages?: boolean }): Promise<ForgetReport>;
  /** Returns pairs of contradicting facts. */
  conflicts(): Promise<readonly MemoryConflict[]>;
  /** Exports the memory. JSON includes every provenance; Markdown is readable and has quotes and dates. */
  export(options: { readonly format: "json" }): Promise<ExportedMemory>;
  export(options: { readonly format: "markdown" }): Promise<string>;
}

/**
 * A user's memory, accessed from one of their sessions. A pending question belongs to the session. In an incognito session, reads return nothing and
 * changes throw `memory.incognito`.
 */
export interface SessionMemoryControl extends OwnerMemory {
  /** Returns the action that waits for a confirmation in this session. */
  pending(): Promise<PendingAction | null>;
  /**
   * Runs a command and returns the reply for the user. A command with the same `key` runs once. `turn` is the running turn, which cannot confirm its
   * own question. `since` is the offset of the requesting message. `language` is the reply language: by default that of the pending question, else
   * English.
   */
  control(command: MemoryCommand, options?: ControlOptions): Promise<ControlOutcome>;
  /**
   * Runs the command of a message if the message is only a command or an answer to the pending question. Returns undefined otherwise. A message about
   * a different subject cancels the pending question.
   */
  answer(message: string, options?: ControlOptions): Promise<ControlOutcome | undefined>;
  /** Tells whether `answer` would run a command for a message, or has run it under the same `key`. It changes nothing. */
  isCommand(message: string, options?: Pick<ControlOptions, "key">): Promise<boolean>;
}

/** Options of a command. */
export interface ControlOptions {
  readonly key?: string;
  readonly turn?: string;
  readonly since?: number;
  readonly language?: Language;
}
