import type { EntryRow } from "../store/port.ts";
import {
  emptyProfile,
  inForce,
  profileId,
  turnEntryId,
  type Arc,
  type Fact,
  type Kept,
  type Profile,
  type Recallable,
  type RememberedTurn,
  type Source,
  type Entry,
  isOf,
  isRecallable,
} from "./entry.ts";
import type { VectorIndex } from "./recall/dense.ts";
import { arcWithout, type HiddenWords } from "./control/hidden-words.ts";
import { type MemoryIndex, episodeGroup, unitOf } from "./recall/unit.ts";
import type { SessionMemory } from "./recalled.ts";
import { decodeEntry } from "./write/decode.ts";
import { oneLine } from "./write/render.ts";

/** An owner's memory in this process, ready for search. Pages of rows can be applied in any order. The newest version of each entry wins. */
export class MemoryView {
  readonly index: MemoryIndex;
  readonly vectors: VectorIndex | undefined;
  readonly #entries = new Map<string, Kept<Entry>>();
  /** The same entries by type. Every turn reads the few entries of one type. */
  readonly #byType = new Map<Entry["type"], Map<string, Kept<Entry>>>();
  /** Versions of removed entries, so that an older page does not restore them. */
  readonly #removed = new Map<string, number>();
  /** Ids of the facts, active or not, by the turn that is their source. */
  readonly #factsOf = new Map<string, Set<string>>();
  /** Ids of facts and turns that are excluded from recall, by the sessions of their sources. */
  readonly #hidden = new Map<string, Set<string>>();
  /** Number of remembered turns per episode. */
  readonly #episodes = new Map<string, number>();
  /** Number of turns that the user excluded from recall. */
  #turnsKept = 0;
  readonly #sizes = { fact: 0, turn: 0, arc: 0 };
  #characters = 0;
  #version = 0;
  #unreadable = 0;
  /** Cached session memory and last arc. Cleared when facts, arcs or hidden entries change. */
  #latest: { readonly session: SessionMemory; readonly last: Kept<Arc> | undefined } | undefined;

  constructor({ index, vectors }: { readonly index: MemoryIndex; readonly vectors: VectorIndex | undefined }) {
    this.index = index;
    this.vectors = vectors;
  }

  /** The newest applied version, 0 before the first. */
  get version(): number {
    return this.#version;
  }

  /** Number of rows that are invalid or of an unknown kind. They are ignored. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Estimated size in bytes. */
  get bytes(): number {
    return this.index.bytes + (this.vectors?.bytes ?? 0) + this.#characters * 2 + this.#entries.size * 400;
  }

  /** Number of active facts, turns and arcs. */
  get sizes(): Readonly<Record<Recallable["type"], number>> {
    return this.#sizes;
  }

  get profile(): Profile {
    const kept = this.#entries.get(profileId);
    return kept?.entry.type === "profile" ? kept.entry : emptyProfile;
  }

  /** Version of the profile, or undefined if there is no profile entry. */
  get profileVersion(): number | undefined {
    return this.#entries.get(profileId)?.version;
  }

  /** Returns the entry with that id, of any kind. */
  get(entry_id: string): Kept<Entry> | undefined {
    return this.#entries.get(entry_id);
  }

  /** Returns the fact, turn or arc with that id. */
  recallable(entry_id: string): Kept<Recallable> | undefined {
    const kept = this.#entries.get(entry_id);
    return kept !== undefined && isRecallable(kept) ? kept : undefined;
  }

  /** Returns all entries in an unspecified order. */
  entries(): IterableIterator<Kept<Entry>> {
    return this.#entries.values();
  }

  /** Yields the entries of one kind. */
  *of<Type extends Entry["type"]>(type: Type): Generator<Kept<Extract<Entry, { readonly type: Type }>>, void, undefined> {
    const isWanted = isOf(type);
    for (const kept of this.#byType.get(type)?.values() ?? []) if (isWanted(kept)) yield kept;
  }

  /** Returns the facts, active or not, that have the turn as a source. */
  factsOf(turn: string): readonly Kept<Fact>[] {
    return [...(this.#factsOf.get(turn) ?? [])].flatMap((id) => {
      const kept = this.#entries.get(id);
      return kept !== undefined && isOf("fact")(kept) ? [kept] : [];
    });
  }

  /** Tells whether any turn of an episode is remembered. */
  hasEpisode(session_id: string, episode: number): boolean {
    return (this.#episodes.get(episodeGroup(session_id, episode)) ?? 0) > 0;
  }

  /** Returns the words of hidden entries of a session between two offsets. */
  hiddenWords(session_id: string, { from, upto }: { readonly from: number; readonly upto: number }): HiddenWords {
    const isWithin = (source: Source): boolean => source.session_id === session_id && source.offset >= from && source.offset <= upto;
    const [quotes, labels, names, kept]: [string[], string[], string[], string[]] = [[], [], [], []];
    for (const id of this.#hidden.get(session_id) ?? []) {
      const entry = this.#entries.get(id)?.entry;
      if ((entry?.type !== "fact" && entry?.type !== "turn") || !sourcesOf(entry).some(isWithin)) continue;
      const words = entry.type === "fact" ? entry.quote : entry.text;
      quotes.push(words);
      if (entry.never_recall === true) kept.push(words);
      if (entry.type === "turn" || entry.object.type === "User") continue;
      labels.push(entry.object.id);
      if (entry.never_recall === true) names.push(entry.object.id);
    }
    return { quotes, labels, names, kept };
  }

  /** Tells whether all sources of a fact are turns that the user excluded from recall. */
  isKeptBack({ sources }: Fact): boolean {
    if (this.#turnsKept === 0) return false;
    return sources.every(({ session_id, offset }) => {
      const turn = this.#entries.get(turnEntryId(session_id, offset))?.entry;
      return turn?.type === "turn" && turn.never_recall === true;
    });
  }

  /** Session memory, and the arc that ended last. */
  get latest(): { readonly session: SessionMemory; readonly last: Kept<Arc> | undefined } {
    if (this.#latest !== undefined) return this.#latest;
    const last = latestArc(this.of("arc"));
    const told = last === undefined ? undefined : arcWithout(last.entry, this.hiddenWords(last.entry.session_id, last.entry));
    const facts = [...this.of("fact")].filter(({ entry }) => !this.isKeptBack(entry));
    this.#latest = { session: sessionMemoryOf(facts, told), last };
    return this.#latest;
  }

  /** Applies one row. */
  apply(row: EntryRow): void {
    this.#version = Math.max(this.#version, row.version);
    const known = this.#entries.get(row.entry_id)?.version ?? this.#removed.get(row.entry_id) ?? 0;
    if (known >= row.version) return;
    this.#forget(row.entry_id);
    if (row.data === null) {
      this.#removed.set(row.entry_id, row.version);
      return;
    }
    const kept = decodeEntry(row);
    if (kept === undefined) {
      this.#unreadable += 1;
      return;
    }
    this.#removed.delete(row.entry_id);
    this.#keep(kept);
  }

  #keep(kept: Kept<Entry>): void {
    const { entry_id, entry } = kept;
    // The vector index holds the numbers, so they are not stored twice.
    const stored = entry.type === "vector" ? { ...kept, entry: { ...entry, data: "" } } : kept;
    this.#entries.set(entry_id, stored);
    const alike = this.#byType.get(entry.type) ?? new Map<string, Kept<Entry>>();
    this.#byType.set(entry.type, alike.set(entry_id, stored));
    this.#characters += charactersOf(entry);
    if (entry.type === "vector") this.vectors?.add(entry);
    if (entry.type === "turn") this.#count(entry, 1);
    if (entry.type === "turn" && entry.never_recall === true) this.#turnsKept += 1;
    if (!isRecallable(kept)) return;
    if (inForce(kept.entry)) this.#sizes[kept.entry.type] += 1;
    if (entry.type === "fact") for (const turn of turnsOf(entry)) added(this.#factsOf, turn, entry_id);
    const unit = unitOf(kept);
    if (entry.type !== "turn" || unit === undefined) this.#latest = undefined;
    if (unit !== undefined) this.index.add(unit);
    else for (const { session_id } of sourcesOf(kept.entry)) added(this.#hidden, session_id, entry_id);
  }

  #count({ source, episode }: RememberedTurn, by: 1 | -1): void {
    const group = episodeGroup(source.session_id, episode);
    const count = (this.#episodes.get(group) ?? 0) + by;
    if (count > 0) this.#episodes.set(group, count);
    else this.#episodes.delete(group);
  }

  #forget(entry_id: string): void {
    const kept = this.#entries.get(entry_id);
    if (kept === undefined) return;
    const { entry } = kept;
    this.#entries.delete(entry_id);
    this.#byType.get(entry.type)?.delete(entry_id);
    this.#characters -= charactersOf(entry);
    if (entry.type === "vector") this.vectors?.remove(entry.of);
    if (entry.type === "turn") this.#count(entry, -1);
    if (entry.type === "turn" && entry.never_recall === true) this.#turnsKept -= 1;
    if (!isRecallable(kept)) return;
    if (inForce(kept.entry)) this.#sizes[kept.entry.type] -= 1;
    if (entry.type === "fact") for (const turn of turnsOf(entry)) this.#factsOf.get(turn)?.delete(entry_id);
    const wasFound = this.index.remove(entry_id);
    if (entry.type !== "turn" || !wasFound) this.#latest = undefined;
    if (!wasFound) for (const { session_id } of sourcesOf(kept.entry)) this.#hidden.get(session_id)?.delete(entry_id);
  }
}

/** Adds a value to one of the sets of a map. */
function added(sets: Map<string, Set<string>>, key: string, value: string): void {
  const found = sets.get(key);
  if (found === undefined) sets.set(key, new Set([value]));
  else found.add(value);
}

/** Sources of an entry. An arc has none. */
const sourcesOf = (entry: Recallable): readonly Source[] => (entry.type === "fact" ? entry.sources : entry.type === "turn" ? [entry.source] : []);

const turnsOf = ({ sources }: Fact): readonly string[] => sources.map(({ session_id, offset }) => turnEntryId(session_id, offset));

/** Estimates the length of an entry's texts. */
function charactersOf(entry: Entry): number {
  switch (entry.type) {
    case "turn":
      return entry.text.length;
    case "fact":
      return entry.quote.length + entry.object.id.length + 120;
    case "arc":
      return entry.summary.length + 200;
    default:
      return 300;
  }
}

/** Maximum number of items of each kind in the session memory. */
const most = 3;

const shown = (entry: Fact | Arc): boolean => inForce(entry) && entry.never_recall !== true;
const lastSaid = ({ sources }: Fact): number => sources.at(-1)?.at ?? sources[0].at;
const newestFirst = (facts: readonly Fact[]): readonly Fact[] =>
  facts.toSorted((a, b) => lastSaid(b) - lastSaid(a) || (a.object.id < b.object.id ? -1 : 1));

const isConcern = ({ predicate, object, valid_to }: Fact): boolean =>
  valid_to === undefined && (predicate === "WORRIES_ABOUT" || object.type === "Concern");
const isGoal = ({ category, object, valid_to }: Fact): boolean => valid_to === undefined && (category === "goal" || object.type === "Goal");

/** Builds the session memory from the last arc, without hidden words, and the active facts. */
function sessionMemoryOf(facts: Iterable<Kept<Fact>>, last: Arc | undefined): SessionMemory {
  const concerns: Fact[] = [];
  const goals: Fact[] = [];
  for (const { entry } of facts) {
    if (!shown(entry)) continue;
    if (isConcern(entry)) concerns.push(entry);
    else if (isGoal(entry)) goals.push(entry);
  }
  return {
    summary: oneLine(last?.summary ?? ""),
    active_concerns: [...new Set(newestFirst(concerns).map(({ object }) => oneLine(object.id)))].slice(0, most),
    open_loops: (last?.open_loops ?? []).filter((loop) => !(last?.resolved ?? []).includes(loop)).slice(0, most),
    current_goal: newestFirst(goals)[0]?.object.id ?? last?.goal ?? null,
  };
}

/** Returns the arc that ended last among those that may be shown. If two ended at the same time, the greater id wins. */
function latestArc(arcs: Iterable<Kept<Arc>>): Kept<Arc> | undefined {
  let latest: Kept<Arc> | undefined;
  for (const arc of arcs) {
    if (!shown(arc.entry)) continue;
    const after = latest === undefined ? 1 : arc.entry.ended_at - latest.entry.ended_at || (arc.entry_id > latest.entry_id ? 1 : -1);
    if (after > 0) latest = arc;
  }
  return latest;
}
