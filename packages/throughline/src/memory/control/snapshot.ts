/** Snapshot of an owner's memory, on which decisions are based. */
import type { ShownKind } from "./commands.ts";
import type { EntryRow } from "../../store/port.ts";
import {
  emptyProfile,
  profileId,
  type Arc,
  type Bar,
  type EntryKind,
  type Fact,
  type Kept,
  type Profile,
  type RememberedTurn,
  type Buffer,
  type Entry,
  type PendingEntry,
} from "../entry.ts";
import type { Mask } from "../../session/masks.ts";
import { decodeEntries } from "../write/decode.ts";

/** Entry kinds in a snapshot. Vectors are left out: they are large and no decision needs them. They are removed with their entries. */
export const snapshotKinds = ["fact", "turn", "arc", "profile", "buffer", "pending", "mask", "bar"] as const satisfies readonly EntryKind[];

/** An owner's memory by kind, each in the order of writing. */
export interface MemorySnapshot {
  readonly owner_id: string;
  /** Version of the newest row, 0 before the first. */
  readonly version: number;
  /** Newest version per kind of a listing, including removals. For messages, only removals count, since a new message does not change the numbers. */
  readonly changed: Readonly<Record<ShownKind, number>>;
  readonly facts: readonly Kept<Fact>[];
  readonly turns: readonly Kept<RememberedTurn>[];
  readonly arcs: readonly Kept<Arc>[];
  readonly profile: Profile;
  /** Version of the profile entry, 0 before the first. */
  readonly profile_version: number;
  readonly buffers: readonly Kept<Buffer>[];
  readonly pendings: readonly Kept<PendingEntry>[];
  readonly masks: readonly Kept<Mask>[];
  readonly bars: readonly Kept<Bar>[];
  /** Whether vectors may exist. */
  readonly vectors: boolean;
}

const isA =
  <Type extends Entry["type"]>(type: Type) =>
  (kept: Kept<Entry>): kept is Kept<Extract<Entry, { readonly type: Type }>> =>
    kept.entry.type === type;

/** Sorts by time of writing, then by id. Listings use this order, which a repeated fact does not change. */
const byRecording = (a: Kept<Fact | RememberedTurn | Arc>, b: Kept<Fact | RememberedTurn | Arc>): number =>
  a.entry.recorded_at - b.entry.recorded_at || (a.entry_id < b.entry_id ? -1 : 1);

const lastRemoved = (rows: readonly EntryRow[], kind: string): number =>
  rows.reduce((last, row) => (row.kind === kind && row.data === null ? Math.max(last, row.version) : last), 0);

/** Builds the memory from all rows without vectors, ordered by version. Invalid rows are ignored. */
export function snapshotOf(owner_id: string, rows: readonly EntryRow[], { vectors = true }: { readonly vectors?: boolean } = {}): MemorySnapshot {
  const { entries } = decodeEntries(rows);
  const newest = (...kinds: readonly string[]): number => rows.findLast(({ kind }) => kinds.includes(kind))?.version ?? 0;
  const profile = entries.find((kept) => kept.entry_id === profileId && kept.entry.type === "profile");
  return Object.freeze({
    owner_id,
    version: rows.at(-1)?.version ?? 0,
    changed: {
      fact: newest("fact", "semantic"),
      session: newest("arc", "episodic"),
      rule: newest("profile", "procedural"),
      turn: lastRemoved(rows, "turn"),
    },
    facts: entries.filter(isA("fact")).toSorted(byRecording),
    turns: entries.filter(isA("turn")).toSorted(byRecording),
    arcs: entries.filter(isA("arc")).toSorted(byRecording),
    profile: profile?.entry.type === "profile" ? profile.entry : emptyProfile,
    profile_version: profile?.version ?? 0,
    buffers: entries.filter(isA("buffer")),
    pendings: entries.filter(isA("pending")),
    masks: entries.filter(isA("mask")),
    bars: entries.filter(isA("bar")),
    vectors,
  });
}
