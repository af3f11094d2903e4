/** Entries as they are stored, read: their shape is checked, and older shapes become today's. One bad row is reported and harms no other. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { EntryRow } from "../../store/port.ts";
import {
  type Arc,
  type Bar,
  type EntryKind,
  type EntryWrite,
  entryKinds,
  type Fact,
  type Kept,
  type Mask,
  type Profile,
  type RememberedTurn,
  type Vector,
} from "../entry.ts";
import type { Buffer } from "./buffer.ts";
import { readArc, readBar, readBuffer, readFact, readLegacy, readMask, readProfile, readTurn, readVector } from "./decode-kinds.ts";
import { shapeOf } from "./shape.ts";

/** What a person has been asked about their memory. Its own module reads the members. */
export interface PendingEntry {
  readonly type: "pending";
  readonly [member: string]: unknown;
}

/** An entry of any kind. */
export type Entry = Fact | RememberedTurn | Arc | Profile | Buffer | PendingEntry | Vector | Mask | Bar;

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

const readers: { readonly [Kind in EntryKind]: (data: unknown, row: EntryRow) => Entry } = {
  fact: readFact,
  turn: readTurn,
  arc: readArc,
  profile: readProfile,
  buffer: readBuffer,
  pending: (data) => ({ ...shapeOf(data, "").members, type: "pending" }),
  vector: readVector,
  mask: readMask,
  bar: readBar,
};

/** The kinds that say something about the person: what stood there before entries had a shape was a text. */
const spoken: ReadonlySet<EntryKind> = new Set(["fact", "turn", "arc"]);

const kindOf = (kind: string): EntryKind | undefined => entryKinds.find((known) => known === kind) ?? formerKinds[kind];

/** The entry of a row, or why it is none. A removal (`data` null) is undefined. */
export function readEntry(row: EntryRow): Kept<Entry> | Unreadable | undefined {
  const { entry_id, version } = row;
  // Whatever was written before entries had a shape: the type of the row promises an object.
  const data: unknown = row.data;
  if (data === null) return undefined;
  const kind = kindOf(row.kind);
  if (kind === undefined) return { entry_id, version, kind: row.kind, why: "The kind is not known." };
  try {
    const legacy = spoken.has(kind) ? readLegacy(data, row) : undefined;
    return { entry_id, version, entry: legacy ?? readers[kind](data, row) };
  } catch (error) {
    if (!ThroughlineError.is(error, "memory.invalid")) throw error;
    return { entry_id, version, kind: row.kind, why: error.message };
  }
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
