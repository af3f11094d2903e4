/** Merges the memory of an anonymous session's owner into the memory of the identified customer. */
import type { JsonObject } from "../../kernel/json.ts";
import type { EntryRow } from "../../store/port.ts";
import { type Fact, inForce, type Kept, mostRules, type Profile, profileId, type Rule, type Entry } from "../entry.ts";
import { type BarCheck, barCheck } from "./bar.ts";
import { decodeEntries, encodeEntry } from "./decode.ts";
import { normalisedText } from "./key.ts";
import { FactBook, mostArchived } from "./reconcile.ts";
import { defaultVocabulary, type Vocabulary } from "./fact-vocabulary.ts";

/** One of the two memories: its owner and its stored entries. */
export interface OwnersMemory {
  readonly owner_id: string;
  readonly rows: readonly EntryRow[];
}

/** Entry kinds that can meet an entry of the customer, with their names in older stores. The ids of all other kinds contain a session id. */
export const metKinds: readonly string[] = ["fact", "semantic", "profile", "procedural", "bar"];

/** An entry as part of a commit. An entry that is moved unchanged keeps the kind of its row. */
type Write = { readonly entry_id: string; readonly kind: string; readonly data: JsonObject | null };

/**
 * Returns the writes that merge the memory `own` into the customer's. Of the customer's rows, {@link metKinds} are enough. A fact that both have gets
 * the sources of both, and other facts are written as new ones. Entries that the customer has forgotten or withdrawn are left out. Rules are merged
 * without duplicates. Recall is on if both profiles, or the only one, have it on. All other entries move unchanged with their sessions, and bars stay
 * effective.
 */
export function carriedEntries(
  own: OwnersMemory,
  customer: OwnersMemory,
  { now, vocabulary = defaultVocabulary }: { readonly now: number; readonly vocabulary?: Vocabulary },
): readonly Write[] {
  const [theirs, ours] = [decodeEntries(customer.rows).entries, decodeEntries(own.rows).entries];
  const known = new Map(ours.map((kept) => [kept.entry_id, kept.entry]));
  const isBarred = barCheck(
    theirs.flatMap(({ entry }) => (entry.type === "bar" ? [entry] : [])),
    customer.owner_id,
  );
  const book = new FactBook(factsOf(theirs), { now, vocabulary });
  const before = new Set(book.facts.map(({ entry_id }) => entry_id));
  const writes: Write[] = [];
  for (const row of lastRows(own.rows)) {
    const entry = known.get(row.entry_id);
    if (entry !== undefined && isForgotten(entry, isBarred)) continue;
    if (entry?.type === "fact" && inForce(entry)) book.take(entry);
    // For history that both have, the customer's entry stays.
    else if (entry?.type === "fact" && before.has(row.entry_id)) continue;
    else if (entry?.type === "profile") writes.push(encodeEntry(profileId, joinedProfile(entry, profileOf(theirs), { now, isBarred })));
    else if (entry?.type === "bar") writes.push(encodeEntry(row.entry_id, { ...entry, owner_id: entry.owner_id ?? own.owner_id }));
    else if (row.kind !== "vector") writes.push({ entry_id: row.entry_id, kind: row.kind, data: row.data });
  }
  writes.push(...book.changed.map(([entry_id, fact]) => encodeEntry(entry_id, fact)));
  return [...writes, ...vectorsOf(ours, new Set(writes.map(({ entry_id }) => entry_id)), before)];
}

const factsOf = (entries: readonly Kept<Entry>[]): readonly Kept<Fact>[] =>
  entries.flatMap(({ entry, ...kept }) => (entry.type === "fact" ? [{ ...kept, entry }] : []));

const profileOf = (entries: readonly Kept<Entry>[]): Profile | undefined =>
  entries.map(({ entry }) => entry).find((entry) => entry.type === "profile");

/** Returns the last version of each existing entry, ordered by version. */
function lastRows(rows: readonly EntryRow[]): readonly EntryRow[] {
  const last = new Map(rows.map((row) => [row.entry_id, row]));
  return rows.filter((row) => last.get(row.entry_id) === row && row.data !== null);
}

/** Tells whether the customer has forgotten an entry. */
function isForgotten(entry: Entry, isBarred: BarCheck): boolean {
  if (entry.type === "fact") return isBarred(entry);
  return entry.type === "turn" && isBarred({ text: entry.text });
}

/** Moves vectors with their entries, unless the customer already has the entry with its vector. */
const vectorsOf = (entries: readonly Kept<Entry>[], moved: ReadonlySet<string>, before: ReadonlySet<string>): readonly Write[] =>
  entries.flatMap(({ entry_id, entry }) =>
    entry.type === "vector" && moved.has(entry.of) && !before.has(entry.of) ? [encodeEntry(entry_id, entry)] : [],
  );

/** Merges two profiles. The newest rules stay active, pinned ones first. */
function joinedProfile(
  own: Profile,
  customers: Profile | undefined,
  { now, isBarred }: { readonly now: number; readonly isBarred: BarCheck },
): Profile {
  const { rules = [], archived = [], recall_enabled = true } = customers ?? {};
  const said = new Set(rules.map(({ text }) => normalisedText(text)));
  const withdrawn = new Set(archived.flatMap(({ text, superseded_by }) => (superseded_by === "person" ? [normalisedText(text)] : [])));
  const isNew = ({ text, authority }: Rule): boolean =>
    !said.has(normalisedText(text)) && !isBarred({ text }) && (authority === "person" || !withdrawn.has(normalisedText(text)));
  const all = [...rules, ...own.rules.filter(isNew)];
  const first = all.toSorted((left, right) => Number(right.pinned === true) - Number(left.pinned === true) || right.added_at - left.added_at);
  const kept = new Set(first.slice(0, mostRules));
  const evicted = all.filter((rule) => !kept.has(rule)).map((rule) => ({ ...rule, archived_at: now, superseded_by: "eviction" }));
  const ids = new Set([...all, ...archived].map(({ id }) => id));
  const theirArchive = own.archived.filter(({ id, text }) => !ids.has(id) && !isBarred({ text }));
  return {
    type: "profile",
    recall_enabled: recall_enabled && own.recall_enabled,
    rules: all.filter((rule) => kept.has(rule)).toSorted((left, right) => left.added_at - right.added_at),
    archived: [...theirArchive, ...archived, ...evicted].slice(-mostArchived),
  };
}
