/** What waits for the person's yes: one entry a session. It is stored, so what is read back is looked at as if anybody had written it. */
import { encodeEntry, removeEntry } from "../write/decode.ts";
import { isPlainObject } from "../../kernel/json.ts";
import type { EntryWrite } from "../entry.ts";
import { shownKinds, sideEffects, type Place, type ShownKind, type SideEffect, isLanguage, type Language } from "./commands.ts";

/** Milliseconds for which a question stands: half an hour. A yes that comes later answers something else. */
export const pendingMs = 1_800_000;
/** At most so many things to choose from; whoever means more is asked to say it more closely. */
export const mostOptions = 100;
/** So many of them are shown with a number. */
export const shownOptions = 9;
/** Longest preview of a thing. */
const previewLength = 320;

/** What would go: an entry, a rule of the profile, or all. */
export interface Target {
  readonly kind: ShownKind | "everything";
  /** Id of the fact, the turn or the arc, or of a session; `profile` for a rule, empty for all. */
  readonly entry_id: string;
  /** Which rule of the profile. */
  readonly rule_id?: string;
  /** What the person was shown of it. */
  readonly preview: string;
}

/** What waits: the deletion of a thing, or the choice of one. */
export type PendingAction =
  | { readonly type: "delete"; readonly target: Target; /** What else goes with the same yes. */ readonly also?: readonly Target[] }
  | { readonly type: "delete_options"; readonly targets: readonly Target[] };

/** The question that a person was asked last about their memory, and the last command that was carried out in their session. */
export interface Pending {
  readonly type: "pending";
  /** Null when nothing waits. */
  readonly action: PendingAction | null;
  readonly language: Language;
  readonly asked_at: number;
  /** Offset of the message that it was asked about: from there on the conversation speaks of what would go. */
  readonly since?: number;
  /** The turn that asks: its own end is no answer. */
  readonly turn?: string;
  /** What was done under a key, and what was answered: a turn that is resumed does nothing twice. */
  readonly done?: { readonly key: string; readonly reply: string; readonly effects: SideEffect };
}

/** The id of a session's entry. */
export const pendingEntryId = (session_id: string): string => `pending:${session_id}`;

const targetKinds = shownKinds;

const text = (value: unknown, most: number): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= most ? value : undefined;

function targetOf(value: unknown): Target | undefined {
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
    const target = targetOf(value["target"]);
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
  const targets = given.map(targetOf).filter((target) => target !== undefined);
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
 * What waits, as it was stored, field by field; undefined for what is no such entry. An action of which anything is wrong is none: it is better to ask again than
 * to delete what nobody named.
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
    ...(done === undefined ? {} : { done }),
  };
}

/** What waits now: nothing once {@link pendingMs} have passed, or where the clock has gone back behind the question. */
export function standing(pending: Pending | undefined, now: number): PendingAction | null {
  if (pending === undefined || now < pending.asked_at || now - pending.asked_at > pendingMs) return null;
  return pending.action;
}

/** The target at a place of the options that are shown; undefined if there is none. */
export const optionAt = (targets: readonly Target[], place: Place): Target | undefined => {
  const shown = targets.slice(0, shownOptions);
  return place === "last" ? shown.at(-1) : shown.find((_, index) => index + 1 === place);
};

/** What is shown of a text, no longer than is stored. */
export function previewOf(shown: string): string {
  const line = shown.replaceAll(/\s+/gu, " ").trim();
  if (line.length <= previewLength) return line;
  let cut = "";
  // Never inside of a letter that takes two units.
  for (const letter of line) {
    if (cut.length + letter.length > previewLength - 1) break;
    cut += letter;
  }
  return `${cut}…`;
}

/** The write of a session's entry. Earlier versions go: they quote what may have been forgotten since. */
export function pendingWrites(session_id: string, pending: Pending): readonly EntryWrite[] {
  const entry_id = pendingEntryId(session_id);
  return [removeEntry(entry_id, "pending"), encodeEntry(entry_id, { ...pending })];
}
