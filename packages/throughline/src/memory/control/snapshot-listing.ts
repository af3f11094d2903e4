/** Snapshot of an owner's memory, on which decisions are based, and its listing for users. Numbers stay the same until an earlier item is removed. */
import type { Mask } from "../../session/masks.ts";
import type { EntryRow } from "../../store/port.ts";
import {
  type Arc,
  type Bar,
  type Buffer,
  emptyProfile,
  type EntryKind,
  type Fact,
  inForce,
  type Kept,
  type PendingEntry,
  type Profile,
  profileId,
  type Recallable,
  type RememberedTurn,
  type Rule,
  isOf,
} from "../entry.ts";
import { decodeEntries } from "../write/decode.ts";
import { dayOf, oneLine, renderDated } from "../write/render.ts";
import { type Place, previewOf, type ShownKind, type Target } from "./commands.ts";
import type { ListedEntry, MemoryStatus } from "./owner-memory.ts";

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
    facts: entries.filter(isOf("fact")).toSorted(byRecording),
    turns: entries.filter(isOf("turn")).toSorted(byRecording),
    arcs: entries.filter(isOf("arc")).toSorted(byRecording),
    profile: profile?.entry.type === "profile" ? profile.entry : emptyProfile,
    profile_version: profile?.version ?? 0,
    buffers: entries.filter(isOf("buffer")),
    pendings: entries.filter(isOf("pending")),
    masks: entries.filter(isOf("mask")),
    bars: entries.filter(isOf("bar")),
    vectors,
  });
}

/** Returns the public id of a rule. */
export const ruleEntryId = (rule: string): string => `profile/${rule}`;

/** Returns the rule id of such an id, or undefined for other ids. */
export const ruleOfId = (entry_id: string): string | undefined => (entry_id.startsWith("profile/") ? entry_id.slice("profile/".length) : undefined);

/** Returns the id for everything in a session, whether or not it has an arc. */
export const sessionTargetId = (session_id: string): string => `session:${session_id}`;

/** Returns the session id of such an id, or undefined for other ids. */
export const sessionOfTarget = (id: string): string | undefined => (id.startsWith("session:") ? id.slice("session:".length) : undefined);

function recallables(kept: readonly Kept<Recallable>[]): readonly ListedEntry[] {
  let index = 0;
  return kept.flatMap(({ entry_id, version, entry }) => {
    const text = renderDated(entry);
    if (text === undefined) return [];
    const in_force = inForce(entry);
    return [{ ...(in_force ? { index: (index += 1) } : {}), entry_id, version, kind: entry.type, text, in_force, entry }];
  });
}

function rules(rules: readonly Rule[], version: number, in_force: boolean): readonly ListedEntry[] {
  return rules.map((entry, place) => ({
    ...(in_force ? { index: place + 1 } : {}),
    entry_id: ruleEntryId(entry.id),
    version,
    kind: "rule",
    text: `${dayOf(entry.archived_at ?? entry.added_at)} ${oneLine(entry.text)}`,
    in_force,
    entry,
  }));
}

/** Lists the whole memory: facts, turns, arcs, rules, each in the order of writing. History is not active and has no number. */
export function listingOf(memory: MemorySnapshot): readonly ListedEntry[] {
  const { profile, profile_version } = memory;
  return [
    ...recallables(memory.facts),
    ...recallables(memory.turns),
    ...recallables(memory.arcs),
    ...rules(profile.rules, profile_version, true),
    ...rules(profile.archived, profile_version, false),
  ];
}

const kindOf: Readonly<Record<ShownKind, ListedEntry["kind"]>> = { fact: "fact", session: "arc", rule: "rule", turn: "turn" };

/** Returns the active items of a kind, as shown and counted. */
export const shownOf = (listing: readonly ListedEntry[], kind: ShownKind): readonly ListedEntry[] =>
  listing.filter((one) => one.in_force && one.kind === kindOf[kind]);

/** Returns the item of a kind at a position, or undefined. */
export const shownAt = (listing: readonly ListedEntry[], kind: ShownKind, place: Place): ListedEntry | undefined => {
  const shown = shownOf(listing, kind);
  return place === "last" ? shown.at(-1) : shown.find(({ index }) => index === place);
};

/** Returns the line of an item for the user: a quote and its date. */
export function lineFor({ entry, text, kind }: ListedEntry): string {
  if (!("type" in entry)) return oneLine(entry.text);
  const hidden = entry.never_recall === true ? " ∅" : "";
  if (entry.type === "fact" && entry.quote.trim() !== "") return `“${oneLine(entry.quote)}” (${dayOf(entry.sources[0].at)})${hidden}`;
  if (entry.type === "turn") return `“${oneLine(entry.text)}” (${dayOf(entry.source.at)})${hidden}`;
  return kind === "arc" && entry.type === "arc" ? `${dayOf(entry.ended_at)}: ${oneLine(entry.summary)}${hidden}` : `${text}${hidden}`;
}

const targetKinds: Readonly<Record<ListedEntry["kind"], Exclude<Target["kind"], "everything">>> = {
  fact: "fact",
  turn: "turn",
  arc: "session",
  rule: "rule",
};

/** Returns the deletion target of an item. */
export function targetOf(listed: ListedEntry): Target {
  const { entry_id, kind } = listed;
  const rule_id = ruleOfId(entry_id);
  const preview = previewOf(lineFor(listed));
  return rule_id === undefined ? { kind: targetKinds[kind], entry_id, preview } : { kind: "rule", entry_id: "profile", rule_id, preview };
}

/** Returns the id to forget for a target. */
export const idOfTarget = ({ entry_id, rule_id }: Target): string => (rule_id === undefined ? entry_id : ruleEntryId(rule_id));

/** Counts the active entries. History is not counted. */
export function statusOf({ facts, turns, arcs, profile, buffers, version }: MemorySnapshot): MemoryStatus {
  const active = { facts: facts.filter(({ entry }) => inForce(entry)), turns: turns.filter(({ entry }) => inForce(entry)) };
  const activeArcs = arcs.filter(({ entry }) => inForce(entry));
  return Object.freeze({
    facts: active.facts.length,
    turns: active.turns.length,
    arcs: activeArcs.length,
    rules: profile.rules.length,
    held: buffers.reduce((sum, { entry }) => sum + entry.held.length, 0),
    never_recalled: [...active.facts, ...active.turns, ...activeArcs].filter(({ entry }) => entry.never_recall === true).length,
    recall_enabled: profile.recall_enabled,
    version,
  });
}
