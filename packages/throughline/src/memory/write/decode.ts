/** Decodes and encodes stored entries. Shapes are validated, and older shapes are upgraded. An invalid row is reported and does not affect others. */
import { decode } from "../../kernel/descriptor.ts";
import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import type { EntryRow } from "../../store/port.ts";
import { entries, type Entry, type EntryKind, type EntryWrite, type Kept } from "../entry.ts";

/** A row that is not a valid entry. */
export interface Unreadable {
  readonly entry_id: string;
  readonly version: number;
  readonly kind: string;
  /** The problem, without the row's content. */
  readonly why: string;
}

/** Older names of entry kinds: facts were `semantic`, arcs `episodic` and the profile `procedural`. */
const formerKinds: Readonly<Record<string, EntryKind>> = { semantic: "fact", episodic: "arc", procedural: "profile" };

const kindOf = (kind: string): EntryKind | undefined => (Object.hasOwn(entries, kind) ? (kind as EntryKind) : formerKinds[kind]);

type Stored = Readonly<Record<string, unknown>>;

/** Returns the time at which the entry was written. Entries without one use the row's time. */
const recordedAt = (data: Stored, row: EntryRow): unknown => data["recorded_at"] ?? data["created_at"] ?? row.created_at;

/** Older entries had one time. An inactive one was marked dormant or hidden. */
function withStanding(data: Stored, row: EntryRow): Stored {
  const recorded_at = recordedAt(data, row);
  const retracted_at = data["retracted_at"] ?? data["dormant_at"] ?? (data["user_visible"] === false ? recorded_at : undefined);
  return { ...data, recorded_at, retracted_at };
}

/** Older facts have one source, and its time is the time of writing. */
function withSources(data: Stored): Stored {
  const { sources, source_session_id, source_turn_index, recorded_at } = data;
  if (sources !== undefined && sources !== null && !(Array.isArray(sources) && sources.length === 0)) return data;
  return { ...data, sources: [{ session_id: source_session_id, offset: source_turn_index, at: recorded_at }] };
}

function withTimes(data: Stored): Stored {
  const ended_at = data["ended_at"] ?? data["recorded_at"];
  return { ...data, ended_at, started_at: data["started_at"] ?? ended_at };
}

/** Older rules have an origin instead of an authority. */
function withAuthorities(data: Stored): Stored {
  const known: Readonly<Record<string, string>> = { explicit_user: "person", manual: "program" };
  const withAuthority = (rule: unknown): unknown =>
    isPlainObject(rule) ? { ...rule, authority: rule["authority"] ?? known[String(rule["source"])] ?? "extraction" } : rule;
  const lists = ["rules", "archived", "archived_rules"].flatMap((name) =>
    Array.isArray(data[name]) ? [[name, data[name].map(withAuthority)] as const] : [],
  );
  return { ...data, ...Object.fromEntries(lists) };
}

/** Upgrades of older shapes that cannot be declared member by member. */
const today: { readonly [Kind in EntryKind]?: (data: Stored, row: EntryRow) => Stored } = {
  fact: (data, row) => withSources(withStanding(data, row)),
  turn: withStanding,
  arc: (data, row) => withTimes(withStanding(data, row)),
  profile: withAuthorities,
};

/**
 * Decodes an entry from before structured entries: a plain text, or `{ text }`. The text is kept unchanged. Its location is unknown, so it gets a
 * session name that no session has, and no neighbors. Returns undefined for any other shape.
 */
function legacyOf(data: unknown, row: EntryRow): Stored | undefined {
  const only = typeof data === "string" ? { text: data } : data;
  if (!isPlainObject(only) || "source" in only || "category" in only || "summary" in only || typeof only["text"] !== "string") return undefined;
  const source = { session_id: `legacy:${row.entry_id}`, offset: 0, at: recordedAt(only, row) };
  return { ...only, source, episode: 0, speaker: undefined, role: undefined, legacy: true };
}

/** Kinds with statements about the user. Their oldest entries were plain texts. */
const spoken: ReadonlySet<EntryKind> = new Set(["fact", "turn", "arc"]);

/** Returns the entry of a row, or the reason why it is invalid. Returns undefined for a removal (`data` is null). */
export function readEntry(row: EntryRow): Kept<Entry> | Unreadable | undefined {
  const { entry_id, version } = row;
  // Rows from before structured entries may hold any JSON, although the type promises an object.
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

/** Tells whether {@link readEntry} found an invalid row. */
export const isUnreadable = (read: Kept<Entry> | Unreadable): read is Unreadable => "why" in read;

/** Returns the entry of a row. Returns undefined for a removal and for an invalid row; {@link readEntry} returns the reason. */
export function decodeEntry(row: EntryRow): Kept<Entry> | undefined {
  const read = readEntry(row);
  return read === undefined || isUnreadable(read) ? undefined : read;
}

/** Returns the entries of rows, ordered by version. The last version of each id counts, and removed ids are left out. */
export function decodeEntries(rows: readonly EntryRow[]): { readonly entries: readonly Kept<Entry>[]; readonly unreadable: readonly Unreadable[] } {
  const last = new Map<string, EntryRow>();
  for (const row of rows) {
    last.delete(row.entry_id);
    last.set(row.entry_id, row);
  }
  const read = [...last.values()].map(readEntry).filter((read) => read !== undefined);
  return { entries: read.filter((read): read is Kept<Entry> => !isUnreadable(read)), unreadable: read.filter(isUnreadable) };
}

/** Returns the write of an entry. Undefined members are left out. */
export function encodeEntry(entry_id: string, entry: Entry): EntryWrite {
  return { entry_id, kind: entry.type, data: JSON.parse(JSON.stringify(entry)) as JsonObject };
}

/** Returns the write that removes an entry with all its versions. */
export const removeEntry = (entry_id: string, kind: EntryKind): EntryWrite => ({ entry_id, kind, data: null });
