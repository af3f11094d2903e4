/** The entries of a memory as the screen lists them, and the history of one. */
import type { ResultOf } from "@throughline/client";
import { client } from "../../base/page-service.ts";

export type MemoryEntry = ResultOf<"getCustomerMemoryEntry">;

/** The kinds of entries, in the order of their keys. */
export const entryKinds = ["fact", "turn", "arc", "rule"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** Entries that are read at most. */
export const mostEntries = 1_000;

/** What the list shows. */
export interface EntryFilter {
  readonly kind: EntryKind | undefined;
  /** Only entries with all of these words. */
  readonly words: string;
  /** Also what was withdrawn or replaced. */
  readonly all: boolean;
}

/** Reads the entries that fit, newest first. */
export async function readEntries(customer: string, { kind, words, all }: EntryFilter, signal: AbortSignal): Promise<readonly MemoryEntry[]> {
  const memory = client().customers.memory(customer);
  if (words !== "") {
    const found = await memory.find(words, { limit: 100, signal });
    return found.filter((entry) => kind === undefined || entry.kind === kind).toReversed();
  }
  const entries: MemoryEntry[] = [];
  for await (const entry of memory.all({ limit: 100, all, ...(kind === undefined ? {} : { kind }) }, { signal })) {
    entries.push(entry);
    if (entries.length === mostEntries) break;
  }
  return entries.toReversed();
}

/** The category of a fact; the kind of other entries has none. */
export const categoryOf = ({ entry }: MemoryEntry): string | undefined => ("category" in entry ? entry.category : undefined);

/** The words that an entry rests on. */
export function evidenceOf({ entry }: MemoryEntry): readonly string[] {
  if ("quote" in entry) return [entry.quote];
  if ("evidence" in entry) return entry.evidence;
  return [];
}

/** Where the words of an entry are in a log. */
export interface Source {
  readonly session_id: string;
  readonly offset: number;
  readonly at: number;
}

export function sourcesOf({ entry }: MemoryEntry): readonly Source[] {
  if ("sources" in entry) return entry.sources;
  if ("source" in entry) return [entry.source];
  return [{ session_id: entry.session_id, offset: entry.from, at: entry.started_at }];
}

/** When an entry was written. */
export const recordedAt = ({ entry }: MemoryEntry): number => ("recorded_at" in entry ? entry.recorded_at : entry.added_at);
/** When an entry went out of force. */
export const retiredAt = ({ entry }: MemoryEntry): number | undefined =>
  "retracted_at" in entry ? entry.retracted_at : "archived_at" in entry ? entry.archived_at : undefined;
export const isPinned = ({ entry }: MemoryEntry): boolean => entry.pinned === true;
export const isHidden = ({ entry }: MemoryEntry): boolean => "never_recall" in entry && entry.never_recall;

/** The versions of an entry, oldest first: those that it replaced, and those that replaced it. */
export async function readHistory(customer: string, entry: MemoryEntry, signal: AbortSignal): Promise<readonly MemoryEntry[]> {
  const all = await readEntries(customer, { kind: entry.kind, words: "", all: true }, signal);
  const chain = [entry];
  for (let first = chain[0]; first !== undefined;) {
    const { entry_id } = first;
    first = all.find((one) => one.entry.superseded_by === entry_id && !chain.includes(one));
    if (first !== undefined) chain.unshift(first);
  }
  for (let next = entry.entry.superseded_by; next !== undefined;) {
    const found = all.find(({ entry_id }) => entry_id === next);
    if (found === undefined || chain.includes(found)) break;
    chain.push(found);
    next = found.entry.superseded_by;
  }
  return chain;
}
