/** What a person can do with what is remembered of them, as data: what words, a model's tools and programs come to before anything is done. */

/** The kinds of thing that a listing shows, each counted from 1 by itself. */
export const shownKinds = ["fact", "session", "rule", "turn"] as const;
/** What a number without a kind counts; only where none of them has it, it counts messages. */
export const countedKinds = ["fact", "session", "rule"] as const;
/** A kind of thing that a listing shows: facts, sessions (their arcs), rules of how to talk with the person, and messages as they were said. */
export type ShownKind = (typeof shownKinds)[number];

/** Which of several: counted from 1, or the last. */
export type Place = number | "last";

/** A thing of a listing. */
export interface Shown {
  /** Any kind, if left out: where several kinds have one of that number the person is asked which. */
  readonly kind?: ShownKind;
  readonly index: Place;
  /** The listing's `version`, where it is known: what has changed since is not taken for what was meant. */
  readonly listed_at?: number;
}

/** Something to do. */
export type MemoryCommand =
  | { readonly type: "list" }
  | { readonly type: "status" }
  /** Whether the agent may bring up by itself what it remembers. */
  | { readonly type: "set_recall"; readonly enabled: boolean }
  /** How to talk with the person: a rule, in their words. */
  | { readonly type: "save_preference"; readonly text: string }
  /** What a fact is about stays; what it says becomes `text`, on the person's authority. */
  | ({ readonly type: "correct"; readonly text: string } & Shown)
  | ({ readonly type: "forget_by_index" } & Shown)
  | { readonly type: "forget_by_query"; readonly query: string }
  /** This conversation: what is held of it for later goes at once, what is written after a yes. */
  | { readonly type: "forget_session" }
  | { readonly type: "forget_everything" }
  /** Something is to be forgotten, and nobody can tell what. */
  | { readonly type: "forget_vague" }
  /** One of those that the person was asked to choose from, or all of them; it still has to be confirmed. */
  | { readonly type: "choose_pending"; readonly index: Place | "all" }
  | { readonly type: "confirm_pending" }
  | { readonly type: "cancel_pending" }
  /** Asks once more what is pending. */
  | { readonly type: "repeat_pending" }
  | ({ readonly type: "pin"; readonly pinned: boolean } & Shown)
  | { readonly type: "never_recall"; readonly query: string };

/** What a command does to what is remembered, for diagnostics and for whoever called a tool. */
export const sideEffects = ["none", "save_preference", "set_recall", "correct_memory", "delete_memory", "pin_memory", "never_recall"] as const;
/** What a command does to what is remembered. */
export type SideEffect = (typeof sideEffects)[number];

/** A command, and the language that it was given in. */
export interface Spoken {
  readonly command: MemoryCommand;
  readonly language: Language;
}

/** The languages that a person is answered in about their memory. */
export const languages = ["en", "es", "de", "zh"] as const;
/** A language that a person is answered in about their memory. */
export type Language = (typeof languages)[number];

/** Whether a value is one of {@link languages}. */
export const isLanguage = (value: unknown): value is Language => languages.some((language) => language === value);
