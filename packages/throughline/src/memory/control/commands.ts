/** Memory commands as data. Messages, tools and programs all produce these before anything runs. */

/** Kinds of items in a listing. Each kind is counted from 1. */
export const shownKinds = ["fact", "session", "rule", "turn"] as const;
/** Kinds that a number without a kind refers to. Messages are used only if none of these kinds has that number. */
export const countedKinds = ["fact", "session", "rule"] as const;
/** Kind of an item in a listing: facts, sessions (their arcs), rules for how to talk with the user, and messages verbatim. */
export type ShownKind = (typeof shownKinds)[number];

/** Position in a list: a number from 1, or the last. */
export type Place = number | "last";

/** Reference to an item of a listing. */
export interface Shown {
  /** Any kind if absent. If several kinds have that number, the user is asked to choose. */
  readonly kind?: ShownKind;
  readonly index: Place;
  /** The listing's `version`, if known. If the memory has changed since, the reference is not used. */
  readonly listed_at?: number;
}

/** A memory command. */
export type MemoryCommand =
  | { readonly type: "list" }
  | { readonly type: "status" }
  /** Whether the agent may bring up memories unprompted. */
  | { readonly type: "set_recall"; readonly enabled: boolean }
  /** Saves a rule for how to talk with the user, in their words. */
  | { readonly type: "save_preference"; readonly text: string }
  /** Replaces the value of a fact with `text`, on the user's authority. The fact's subject stays. */
  | ({ readonly type: "correct"; readonly text: string } & Shown)
  | ({ readonly type: "forget_by_index" } & Shown)
  | { readonly type: "forget_by_query"; readonly query: string }
  /** Forgets this conversation. Held candidates are removed immediately, stored entries after a confirmation. */
  | { readonly type: "forget_session" }
  | { readonly type: "forget_everything" }
  /** The user wants to forget something, but the target is unclear. */
  | { readonly type: "forget_vague" }
  /** Chooses one of the offered options, or all of them. The deletion must still be confirmed. */
  | { readonly type: "choose_pending"; readonly index: Place | "all" }
  | { readonly type: "confirm_pending" }
  | { readonly type: "cancel_pending" }
  /** Repeats the pending question. */
  | { readonly type: "repeat_pending" }
  | ({ readonly type: "pin"; readonly pinned: boolean } & Shown)
  | { readonly type: "never_recall"; readonly query: string };

/** Side effect of a command, for diagnostics and for callers of tools. */
export const sideEffects = ["none", "save_preference", "set_recall", "correct_memory", "delete_memory", "pin_memory", "never_recall"] as const;
/** Side effect of a command. */
export type SideEffect = (typeof sideEffects)[number];

/** A command and the language of its message. */
export interface Spoken {
  readonly command: MemoryCommand;
  readonly language: Language;
}

/** Languages of the replies about memory. */
export const languages = ["en", "es", "de", "zh"] as const;
/** Language of the replies about memory. */
export type Language = (typeof languages)[number];

/** Tells whether a value is one of {@link languages}. */
export const isLanguage = (value: unknown): value is Language => languages.some((language) => language === value);
