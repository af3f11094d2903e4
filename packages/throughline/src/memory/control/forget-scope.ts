/** What goes when something is forgotten: the thing, what it replaced, what says the same words, and what rests on nothing else. */
import { turnEntryId, type Arc, type Fact, type Kept, type RememberedTurn, type Rule, type Source } from "../entry.ts";
import { ruleEntryId, sessionOfTarget } from "./listing.ts";
import { joinOffsets, type OffsetsBySession } from "../../session/masks.ts";
import type { MemorySnapshot } from "./snapshot.ts";
import { overlaps, type Forgotten } from "./words-left.ts";

/** What goes whole. */
export interface ForgetScope {
  readonly facts: ReadonlyMap<string, Kept<Fact>>;
  readonly turns: ReadonlyMap<string, Kept<RememberedTurn>>;
  readonly arcs: ReadonlyMap<string, Kept<Arc>>;
  readonly rules: ReadonlyMap<string, Rule>;
  /** Where all of it was said. */
  readonly said: OffsetsBySession;
  readonly words: Forgotten;
}

/** A stretch of a session's log. */
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

/** The ids of a request that nothing is known of. */
export function unknownIds(memory: MemorySnapshot, ids: readonly string[]): readonly string[] {
  const { rules, archived } = memory.profile;
  const known = new Set([
    ...[...memory.facts, ...memory.turns, ...memory.arcs].map(({ entry_id }) => entry_id),
    ...[...rules, ...archived].map(({ id }) => ruleEntryId(id)),
  ]);
  return ids.filter((id) => !known.has(id) && !id.startsWith("session:"));
}

/** What an episode, or a whole session, comprises. */
function stretchesOf(arcs: readonly Kept<Arc>[], ids: readonly string[]): readonly Stretch[] {
  const sessions = ids.map(sessionOfTarget).filter((id) => id !== undefined);
  return [
    ...arcs.map(({ entry: { session_id, from, upto } }) => ({ session_id, from, upto })),
    ...sessions.map((session_id) => ({ session_id, from: 0, upto: Number.MAX_SAFE_INTEGER })),
  ];
}

/** What a fact took the place of, and that in turn: earlier words for the same thing. */
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

/** Whether a fact rests on turns that go, and on nothing else that still says its words. */
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
  // Said again elsewhere, it stands, unless its quote is of what goes and nobody knows the words of the other time.
  const says = (turn: Kept<RememberedTurn> | undefined): boolean => turn !== undefined && overlaps(turn.entry.text, fact.quote);
  const wasQuoted = fact.sources.some((source) => goes(source) && says(turns.get(turnEntryId(source.session_id, source.offset))));
  return wasQuoted && !left.some((source) => says(turns.get(turnEntryId(source.session_id, source.offset))));
}

/** The session of what was said to a memory itself, in no conversation. */
export const noSession = "direct";

const offsetsOf = (sources: readonly Source[]): OffsetsBySession => {
  const inSessions = sources.filter(({ session_id }) => session_id !== noSession && !session_id.startsWith("legacy:"));
  const grouped = Map.groupBy(inSessions, ({ session_id }) => session_id as string);
  return new Map([...grouped].map(([session, found]) => [session, found.map(({ offset }) => offset)]));
};

/**
 * What goes with the ids. A fact takes its former versions and the facts of the same words with it; a turn the facts that rest on it alone; an arc, and a session, everything
 * that was said in it.
 */
export function scopeOf(memory: MemorySnapshot, ids: readonly string[]): ForgetScope {
  const named = new Set(ids);
  const allTurns = byId(memory.turns);
  const arcs = byId(memory.arcs.filter(({ entry_id, entry }) => named.has(entry_id) || named.has(`session:${entry.session_id}`)));
  const isGone = isIn(stretchesOf([...arcs.values()], ids));
  const turns = byId(memory.turns.filter(({ entry_id, entry }) => named.has(entry_id) || isGone(entry.source)));
  const facts = byId(memory.facts.filter(({ entry_id, entry }) => named.has(entry_id) || restsOn(entry, turns, isGone, allTurns)));
  withFormer(memory.facts, facts);
  // Two facts of one sentence: forgetting one and keeping its words under another would be no forgetting.
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

/** The person is in every sentence; names of anything else are what a summary would tell it by. */
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

/** All ids of a memory, or of a kind of it. */
export function allIds(memory: MemorySnapshot, kind?: "fact" | "turn" | "arc" | "rule"): readonly string[] {
  const { rules, archived } = memory.profile;
  const ids = { fact: memory.facts, turn: memory.turns, arc: memory.arcs, rule: [] };
  const entries = (kind === undefined ? [...ids.fact, ...ids.turn, ...ids.arc] : ids[kind]).map(({ entry_id }) => entry_id);
  return [...entries, ...(kind === undefined || kind === "rule" ? [...rules, ...archived].map(({ id }) => ruleEntryId(id)) : [])];
}
