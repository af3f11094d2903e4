/** Memory commands as data, and pending deletions that wait for a confirmation. Messages, tools and programs produce commands before anything runs. */
import { isPlainObject, present } from "../../kernel/json.ts";
import type { EntryWrite } from "../entry.ts";
import { encodeEntry, removeEntry } from "../write/decode.ts";

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
  /** Saves a rule for how to talk with the user, in their words. `name`: the name that the rule gives them. */
  | { readonly type: "save_preference"; readonly text: string; readonly name?: string }
  /** Saves a statement of the user as a fact, in their words. */
  | { readonly type: "remember"; readonly text: string }
  /** Replaces the value of a fact with `text`, on the user's authority. The fact's subject stays. */
  | ({ readonly type: "correct"; readonly text: string } & Shown)
  | ({ readonly type: "forget_by_index" } & Shown)
  | { readonly type: "forget_by_query"; readonly query: string }
  /** Forgets this conversation. Held candidates are removed immediately, stored entries after a confirmation. */
  | { readonly type: "forget_session" }
  | { readonly type: "forget_everything" }
  /** The user wants to forget something, but the target is unclear. */
  | { readonly type: "forget_vague" }
  /** The next message is not remembered. */
  | { readonly type: "skip_next" }
  /** Chooses one of the offered options, or all of them. The deletion must still be confirmed. */
  | { readonly type: "choose_pending"; readonly index: Place | "all" }
  | { readonly type: "confirm_pending" }
  | { readonly type: "cancel_pending" }
  /** Repeats the pending question. */
  | { readonly type: "repeat_pending" }
  | ({ readonly type: "pin"; readonly pinned: boolean } & Shown)
  | { readonly type: "never_recall"; readonly query: string };

/** Side effect of a command, for diagnostics and for callers of tools. */
const sideEffects = [
  "none",
  "save_preference",
  "remember_fact",
  "set_recall",
  "correct_memory",
  "delete_memory",
  "pin_memory",
  "never_recall",
] as const;
/** Side effect of a command. */
export type SideEffect = (typeof sideEffects)[number];

/** A command and the language of its message. */
export interface Spoken {
  readonly command: MemoryCommand;
  readonly language: Language;
}

/** Languages of the replies about memory. */
export const languages = ["en", "es", "de", "zh", "fr", "pt", "id", "hi", "hi-latn", "ar"] as const;
/** Language of the replies about memory. */
export type Language = (typeof languages)[number];

/** Tells whether a value is one of {@link languages}. */
export const isLanguage = (value: unknown): value is Language => languages.some((language) => language === value);

/** Lifetime of a question: 30 minutes, in milliseconds. A later yes does not count as an answer. */
export const pendingMs = 1_800_000;
/** Maximum number of targets to choose from. With more, the user is asked to be more specific. */
export const mostOptions = 100;
/** Number of targets shown with a number. */
export const shownOptions = 9;
/** Maximum length of a preview. */
const previewLength = 320;

/** Target of a deletion: an entry, a rule of the profile, or everything. */
export interface Target {
  readonly kind: ShownKind | "everything";
  /** Id of the fact, turn, arc or session. `profile` for a rule, empty for everything. */
  readonly entry_id: string;
  /** Id of the rule in the profile. */
  readonly rule_id?: string;
  /** Text shown to the user. */
  readonly preview: string;
}

/** A pending deletion, or a choice between several. */
export type PendingAction =
  | { readonly type: "delete"; readonly target: Target; /** Further targets of the same confirmation. */ readonly also?: readonly Target[] }
  | { readonly type: "delete_options"; readonly targets: readonly Target[] };

/** The last question about a user's memory, and the last command that ran in their session. */
export interface Pending {
  readonly type: "pending";
  /** Null if no question is pending. */
  readonly action: PendingAction | null;
  readonly language: Language;
  readonly asked_at: number;
  /** Offset of the requesting message. From there on, messages mention the target. */
  readonly since?: number;
  /** The turn that asked. It cannot answer its own question. */
  readonly turn?: string;
  /** Key and result of the last command. A resumed turn does not repeat it. */
  readonly done?: { readonly key: string; readonly reply: string; readonly effects: SideEffect };
}

/** Returns the entry id of a session. */
export const pendingEntryId = (session_id: string): string => `pending:${session_id}`;

const targetKinds = shownKinds;

const text = (value: unknown, most: number): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= most ? value : undefined;

function targetIn(value: unknown): Target | undefined {
  if (!isPlainObject(value)) return undefined;
  const { kind, entry_id, rule_id } = value;
  const preview = text(value["preview"], previewLength);
  if (preview === undefined || typeof entry_id !== "string" || entry_id.length > 500) return undefined;
  if (kind === "everything") return entry_id === "" && rule_id === undefined ? { kind, entry_id, preview } : undefined;
  const shown = targetKinds.find((one) => one === kind);
  if (shown === undefined || entry_id === "") return undefined;
  if (shown !== "rule") return rule_id === undefined ? { kind: shown, entry_id, preview } : undefined;
  const rule = text(rule_id, 500);
  return rule === undefined ? undefined : { kind: shown, entry_id, rule_id: rule, preview };
}

function actionOf(value: unknown): PendingAction | undefined {
  if (!isPlainObject(value)) return undefined;
  if (value["type"] === "delete") {
    const target = targetIn(value["target"]);
    if (target === undefined) return undefined;
    if (value["also"] === undefined) return { type: "delete", target };
    const also = targetsOf(value["also"], 1);
    return also === undefined ? undefined : { type: "delete", target, also };
  }
  const targets = value["type"] === "delete_options" ? targetsOf(value["targets"], 2) : undefined;
  return targets === undefined ? undefined : { type: "delete_options", targets };
}

function targetsOf(given: unknown, fewest: number): readonly Target[] | undefined {
  if (!Array.isArray(given) || given.length < fewest || given.length > mostOptions) return undefined;
  const targets = given.map(targetIn).filter((target) => target !== undefined);
  return targets.length === given.length ? targets : undefined;
}

function doneOf(value: unknown): Pending["done"] {
  if (!isPlainObject(value)) return undefined;
  const { key, reply, effects } = value;
  const known = sideEffects.find((effect) => effect === effects);
  return typeof key === "string" && typeof reply === "string" && known !== undefined ? { key, reply, effects: known } : undefined;
}

const wholeFrom0 = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

/**
 * Decodes a pending entry member by member. Returns undefined if it is not one. An invalid action becomes null: asking again is safer than deleting
 * an unnamed target.
 */
export function pendingOf(data: unknown): Pending | undefined {
  if (!isPlainObject(data) || data["type"] !== "pending") return undefined;
  const { language, asked_at, since, turn } = data;
  if (!wholeFrom0(asked_at)) return undefined;
  const done = doneOf(data["done"]);
  return {
    type: "pending",
    action: actionOf(data["action"]) ?? null,
    language: isLanguage(language) ? language : "en",
    asked_at,
    ...(wholeFrom0(since) ? { since } : {}),
    ...(typeof turn === "string" ? { turn } : {}),
    ...present({ done }),
  };
}

/** Returns the pending action. Null after {@link pendingMs}, or if the clock is before the time of the question. */
export function standing(pending: Pending | undefined, now: number): PendingAction | null {
  if (pending === undefined || now < pending.asked_at || now - pending.asked_at > pendingMs) return null;
  return pending.action;
}

/** Returns the target at a position of the shown options, or undefined. */
export const optionAt = (targets: readonly Target[], place: Place): Target | undefined => {
  const shown = targets.slice(0, shownOptions);
  return place === "last" ? shown.at(-1) : shown.find((_, index) => index + 1 === place);
};

/** Shortens a text to the stored preview length. */
export function previewOf(shown: string): string {
  const line = shown.replaceAll(/\s+/gu, " ").trim();
  if (line.length <= previewLength) return line;
  let cut = "";
  // Surrogate pairs are not split.
  for (const letter of line) {
    if (cut.length + letter.length > previewLength - 1) break;
    cut += letter;
  }
  return `${cut}…`;
}

/** Returns the writes of a session's entry. Earlier versions are removed, since they may quote forgotten text. */
export function pendingWrites(session_id: string, pending: Pending): readonly EntryWrite[] {
  const entry_id = pendingEntryId(session_id);
  return [removeEntry(entry_id, "pending"), encodeEntry(entry_id, { ...pending })];
}
