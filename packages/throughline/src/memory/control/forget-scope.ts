/** Computes what forgetting an entry removes: the entry, its former versions, entries with the same words, and entries that depend only on it. */
import { turnEntryId, type Arc, type Fact, type Kept, type RememberedTurn, type Rule, type Source } from "../entry.ts";
import { ruleEntryId, sessionOfTarget } from "./listing.ts";
import { joinOffsets, type OffsetsBySession } from "../../session/masks.ts";
import type { MemorySnapshot } from "./snapshot.ts";
import { overlaps, type Forgotten } from "./words-left.ts";

/** Entries that are removed completely. */
export interface ForgetScope {
  readonly facts: ReadonlyMap<string, Kept<Fact>>;
  readonly turns: ReadonlyMap<string, Kept<RememberedTurn>>;
  readonly arcs: ReadonlyMap<string, Kept<Arc>>;
  readonly rules: ReadonlyMap<string, Rule>;
  /** Sources of all removed entries. */
  readonly said: OffsetsBySession;
  readonly words: Forgotten;
}

/** A range of offsets in a session's log. */
interface Stretch {
  readonly session_id: string;
  readonly from: number;
  readonly upto: number;
}

const isIn =
  (stretches: readonly Stretch[]) =>
  ({ session_id, offset }: Source): boolean =>
    stretches.some((stretch) => stretch.session_id === session_id && offset >= stretch.from && offset <= stretch.upto);

const byId = <Entry>(kept: readonly Kept<Entry>[]): Map<string, Kept<Entry>> => new Map(kept.map((one) => [one.entry_id, one]));

/** Returns the requested ids that do not exist. */
export function unknownIds(memory: MemorySnapshot, ids: readonly string[]): readonly string[] {
  const { rules, archived } = memory.profile;
  const known = new Set([
    ...[...memory.facts, ...memory.turns, ...memory.arcs].map(({ entry_id }) => entry_id),
    ...[...rules, ...archived].map(({ id }) => ruleEntryId(id)),
  ]);
  return ids.filter((id) => !known.has(id) && !id.startsWith("session:"));
}

/** Returns the log ranges of episodes and of whole sessions. */
function stretchesOf(arcs: readonly Kept<Arc>[], ids: readonly string[]): readonly Stretch[] {
  const sessions = ids.map(sessionOfTarget).filter((id) => id !== undefined);
  return [
    ...arcs.map(({ entry: { session_id, from, upto } }) => ({ session_id, from, upto })),
    ...sessions.map((session_id) => ({ session_id, from: 0, upto: Number.MAX_SAFE_INTEGER })),
  ];
}

/** Adds the facts that the chosen facts have superseded, transitively. */
function withFormer(facts: readonly Kept<Fact>[], chosen: Map<string, Kept<Fact>>): void {
  for (let grown = true; grown;) {
    grown = false;
    for (const fact of facts) {
      const by = fact.entry.superseded_by;
      if (by === undefined || !chosen.has(by) || chosen.has(fact.entry_id)) continue;
      chosen.set(fact.entry_id, fact);
      grown = true;
    }
  }
}

/** Tells whether a fact depends on removed turns and no remaining source contains its words. */
function restsOn(
  fact: Fact,
  gone: ReadonlyMap<string, Kept<RememberedTurn>>,
  isGone: (source: Source) => boolean,
  turns: ReadonlyMap<string, Kept<RememberedTurn>>,
): boolean {
  const goes = (source: Source): boolean => isGone(source) || gone.has(turnEntryId(source.session_id, source.offset));
  const left = fact.sources.filter((source) => !goes(source));
  if (left.length === fact.sources.length) return false;
  if (left.length === 0) return true;
  // A fact with other sources stays, unless its quote comes from a removed turn and no remaining turn contains it.
  const says = (turn: Kept<RememberedTurn> | undefined): boolean => turn !== undefined && overlaps(turn.entry.text, fact.quote);
  const wasQuoted = fact.sources.some((source) => goes(source) && says(turns.get(turnEntryId(source.session_id, source.offset))));
  return wasQuoted && !left.some((source) => says(turns.get(turnEntryId(source.session_id, source.offset))));
}

/** Session id of entries that were written outside a session. */
export const noSession = "direct";

const offsetsOf = (sources: readonly Source[]): OffsetsBySession => {
  const inSessions = sources.filter(({ session_id }) => session_id !== noSession && !session_id.startsWith("legacy:"));
  const grouped = Map.groupBy(inSessions, ({ session_id }) => session_id as string);
  return new Map([...grouped].map(([session, found]) => [session, found.map(({ offset }) => offset)]));
};

/**
 * Returns what forgetting these ids removes. A fact takes its former versions and facts with the same words with it. A turn takes the facts that
 * depend only on it. An arc or a session takes everything from its log range.
 */
export function scopeOf(memory: MemorySnapshot, ids: readonly string[]): ForgetScope {
  const named = new Set(ids);
  const allTurns = byId(memory.turns);
  const arcs = byId(memory.arcs.filter(({ entry_id, entry }) => named.has(entry_id) || named.has(`session:${entry.session_id}`)));
  const isGone = isIn(stretchesOf([...arcs.values()], ids));
  const turns = byId(memory.turns.filter(({ entry_id, entry }) => named.has(entry_id) || isGone(entry.source)));
  const facts = byId(memory.facts.filter(({ entry_id, entry }) => named.has(entry_id) || restsOn(entry, turns, isGone, allTurns)));
  withFormer(memory.facts, facts);
  // Two facts may share a sentence. Keeping its words under the other fact would not be forgetting.
  const quotes = [...facts.values()].map(({ entry }) => entry.quote);
  for (const fact of memory.facts) if (quotes.some((quote) => overlaps(quote, fact.entry.quote))) facts.set(fact.entry_id, fact);
  withFormer(memory.facts, facts);
  const { rules: active, archived } = memory.profile;
  const rules = new Map([...active, ...archived].filter(({ id }) => named.has(ruleEntryId(id))).map((rule) => [rule.id, rule]));
  const said = [
    ...[...facts.values()].flatMap(({ entry }) => entry.sources),
    ...[...turns.values()].map(({ entry }) => entry.source),
    ...[...rules.values()].flatMap(({ sources }) => sources),
  ];
  return {
    facts,
    turns,
    arcs,
    rules,
    said: joinOffsets(offsetsOf(said)),
    words: wordsOf({ facts, turns, rules }),
  };
}

/** Returns the quotes and names of removed entries. The user is left out, since every sentence mentions them. A summary would refer to the other names. */
function wordsOf({ facts, turns, rules }: Pick<ForgetScope, "facts" | "turns" | "rules">): Forgotten {
  const entries = [...facts.values()].map(({ entry }) => entry);
  return {
    quotes: [
      ...entries.map(({ quote }) => quote),
      ...[...turns.values()].map(({ entry }) => entry.text),
      ...[...rules.values()].flatMap(({ text, evidence }) => [text, ...evidence]),
    ].filter((quote) => quote.trim() !== ""),
    names: [...new Set(entries.flatMap(({ object }) => (object.type === "User" ? [] : [object.id])))],
  };
}

/** Returns all ids of a memory, optionally of one kind. */
export function allIds(memory: MemorySnapshot, kind?: "fact" | "turn" | "arc" | "rule"): readonly string[] {
  const { rules, archived } = memory.profile;
  const ids = { fact: memory.facts, turn: memory.turns, arc: memory.arcs, rule: [] };
  const entries = (kind === undefined ? [...ids.fact, ...ids.turn, ...ids.arc] : ids[kind]).map(({ entry_id }) => entry_id);
  return [...entries, ...(kind === undefined || kind === "rule" ? [...rules, ...archived].map(({ id }) => ruleEntryId(id)) : [])];
}
