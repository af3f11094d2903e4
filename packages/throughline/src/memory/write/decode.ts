/** Entries as they are stored, read: their shape is checked, and older shapes become today's. One bad row is reported and harms no other. */
import { decode } from "../../kernel/descriptor.ts";
import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import type { EntryRow } from "../../store/port.ts";
import { entries, type Entry, type EntryKind, type EntryWrite, type Kept } from "../entry.ts";

/** A row that is no entry. */
export interface Unreadable {
  readonly entry_id: string;
  readonly version: number;
  readonly kind: string;
  /** What is wrong with it, without what it says. */
  readonly why: string;
}

/** Entries by what they are called now: older stores kept facts as `semantic`, arcs as `episodic` and the profile as `procedural`. */
const formerKinds: Readonly<Record<string, EntryKind>> = { semantic: "fact", episodic: "arc", procedural: "profile" };

const kindOf = (kind: string): EntryKind | undefined => (Object.hasOwn(entries, kind) ? (kind as EntryKind) : formerKinds[kind]);

type Stored = Readonly<Record<string, unknown>>;

/** When the entry was written, as it was stored; a row tells it for entries that did not. */
const recordedAt = (data: Stored, row: EntryRow): unknown => data["recorded_at"] ?? data["created_at"] ?? row.created_at;

/** Before entries had two kinds of time, one that was no longer in force was dormant, or hidden. */
function withStanding(data: Stored, row: EntryRow): Stored {
  const recorded_at = recordedAt(data, row);
  const retracted_at = data["retracted_at"] ?? data["dormant_at"] ?? (data["user_visible"] === false ? recorded_at : undefined);
  return { ...data, recorded_at, retracted_at };
}

/** Older facts have one source, and its time is when they were written. */
function withSources(data: Stored): Stored {
  const { sources, source_session_id, source_turn_index, recorded_at } = data;
  if (sources !== undefined && sources !== null && !(Array.isArray(sources) && sources.length === 0)) return data;
  return { ...data, sources: [{ session_id: source_session_id, offset: source_turn_index, at: recorded_at }] };
}

function withTimes(data: Stored): Stored {
  const ended_at = data["ended_at"] ?? data["recorded_at"];
  return { ...data, ended_at, started_at: data["started_at"] ?? ended_at };
}

/** Who wrote a rule; older ones say where it came from. */
function withAuthorities(data: Stored): Stored {
  const known: Readonly<Record<string, string>> = { explicit_user: "person", manual: "program" };
  const withAuthority = (rule: unknown): unknown =>
    isPlainObject(rule) ? { ...rule, authority: rule["authority"] ?? known[String(rule["source"])] ?? "extraction" } : rule;
  const lists = ["rules", "archived", "archived_rules"].flatMap((name) =>
    Array.isArray(data[name]) ? [[name, data[name].map(withAuthority)] as const] : [],
  );
  return { ...data, ...Object.fromEntries(lists) };
}

/** What cannot be told member by member of how older entries became today's. */
const today: { readonly [Kind in EntryKind]?: (data: Stored, row: EntryRow) => Stored } = {
  fact: (data, row) => withSources(withStanding(data, row)),
  turn: withStanding,
  arc: (data, row) => withTimes(withStanding(data, row)),
  profile: withAuthorities,
};

/**
 * What was kept before entries had a shape: a text alone, or in `{ text }`. It is given on as it stands, and where it was said is not known, so that
 * it belongs to no conversation: its session has a name that no session has, and it is nobody's neighbour. Undefined for anything else.
 */
function legacyOf(data: unknown, row: EntryRow): Stored | undefined {
  const only = typeof data === "string" ? { text: data } : data;
  if (!isPlainObject(only) || "source" in only || "category" in only || "summary" in only || typeof only["text"] !== "string") return undefined;
  const source = { session_id: `legacy:${row.entry_id}`, offset: 0, at: recordedAt(only, row) };
  return { ...only, source, episode: 0, speaker: undefined, role: undefined, legacy: true };
}

/** The kinds that say something about the person: what stood there before entries had a shape was a text. */
const spoken: ReadonlySet<EntryKind> = new Set(["fact", "turn", "arc"]);

/** The entry of a row, or why it is none. A removal (`data` null) is undefined. */
export function readEntry(row: EntryRow): Kept<Entry> | Unreadable | undefined {
  const { entry_id, version } = row;
  // Whatever was written before entries had a shape: the type of the row promises an object.
  const data: unknown = row.data;
  if (data === null) return undefined;
  const named = kindOf(row.kind);
  if (named === undefined) return { entry_id, version, kind: row.kind, why: "The kind is not known." };
  const legacy = spoken.has(named) ? legacyOf(data, row) : undefined;
  const type = legacy === undefined ? named : "turn";
  const stored = legacy ?? data;
  const read = decode<Entry>(entries[type], isPlainObject(stored) ? { ...(today[type]?.(stored, row) ?? stored), type } : stored);
  if (read.ok) return { entry_id, version, entry: read.value };
  const { path, expected, seen } = read.mismatch;
  return { entry_id, version, kind: row.kind, why: `${path} must be ${expected}, got ${seen}.` };
}

/** Whether {@link readEntry} found no entry in the row. */
export const isUnreadable = (read: Kept<Entry> | Unreadable): read is Unreadable => "why" in read;

/** The entry of a row; undefined for a removal, and for a row that is no entry (which {@link readEntry} would say why). */
export function decodeEntry(row: EntryRow): Kept<Entry> | undefined {
  const read = readEntry(row);
  return read === undefined || isUnreadable(read) ? undefined : read;
}

/** The entries of rows in the order of their versions: the last version of each id counts, and one that was removed is not there. */
export function decodeEntries(rows: readonly EntryRow[]): { readonly entries: readonly Kept<Entry>[]; readonly unreadable: readonly Unreadable[] } {
  const last = new Map<string, EntryRow>();
  for (const row of rows) {
    last.delete(row.entry_id);
    last.set(row.entry_id, row);
  }
  const read = [...last.values()].map(readEntry).filter((read) => read !== undefined);
  return { entries: read.filter((read): read is Kept<Entry> => !isUnreadable(read)), unreadable: read.filter(isUnreadable) };
}

/** The write of an entry, as a commit takes it: members that are undefined are left out. */
export function encodeEntry(entry_id: string, entry: Entry): EntryWrite {
  return { entry_id, kind: entry.type, data: JSON.parse(JSON.stringify(entry)) as JsonObject };
}

/** The write that removes an entry with all its versions. */
export const removeEntry = (entry_id: string, kind: EntryKind): EntryWrite => ({ entry_id, kind, data: null });
