/** Plans forgetting: what goes with an entry, the writes that remove it from every place of an owner's memory, and a report. */
import { joinOffsets, maskWrites, type OffsetsBySession } from "../../session/masks.ts";
import {
  type Arc,
  type Buffer,
  type Entry,
  type EntryWrite,
  type Fact,
  type Kept,
  type Profile,
  profileId,
  type RememberedTurn,
  type Rule,
  type Source,
  turnEntryId,
  vectorEntryId,
  sourceKey,
} from "../entry.ts";
import { type Barrable, barsOf, saltOf } from "../write/bar.ts";
import { encodeEntry, removeEntry } from "../write/decode.ts";
import { pendingOf, type Target } from "./commands.ts";
import { defaultTerms, type Forgotten, overlaps, retold, saysAny, tellsOf, type Terms, withoutForgotten, arcKeeping } from "./hidden-words.ts";
import type { ForgetReport } from "./owner-memory.ts";
import { type MemorySnapshot, ruleEntryId, sessionOfTarget } from "./snapshot-listing.ts";

/** Entries that are removed completely. */
interface ForgetScope {
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
function scopeOf(memory: MemorySnapshot, ids: readonly string[]): ForgetScope {
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

/** Options of {@link planForget}. */
interface ForgetOptions {
  readonly now: number;
  /** At least 16 random bytes as text. Used if the owner has no bars yet. */
  readonly salt: string;
  /** Additional messages with the same words, such as a reply that repeats them, or the listing that the user chose from. */
  readonly echoes?: OffsetsBySession;
  /** Id of the pending entry to keep. The caller overwrites the question that is being answered. */
  readonly answering?: string;
  readonly terms?: Terms;
}

/** Plan of a forgetting. */
export interface ForgetPlan {
  readonly writes: readonly EntryWrite[];
  /** Messages with the forgotten words. `writes` already masks them. */
  readonly messages: OffsetsBySession;
  /** Tells whether a text contains any of the forgotten words. */
  readonly says: (text: string) => boolean;
  /** The caller adds `prompts` and `redacted` when it removes those. */
  readonly report: Omit<ForgetReport, "prompts" | "redacted">;
}

/** Removes all versions of an entry and writes the new one, since earlier versions contain the forgotten text. */
const anew = (entry_id: string, entry: Entry): readonly EntryWrite[] => [removeEntry(entry_id, entry.type), encodeEntry(entry_id, entry)];

/** Returns an arc without the forgotten content, or undefined if nothing is left. */
function arcWithout(arc: Arc, tells: (sentence: string) => boolean): Arc | undefined {
  const summary = retold(arc.summary, tells);
  return summary === undefined ? undefined : arcKeeping(arc, summary, (text) => !tells(text));
}

/**
 * Rewrites the remaining arcs. Arcs of the source episodes may paraphrase the forgotten words, so those sentences go as well. In other arcs only
 * sentences with the same words go.
 */
function arcsAfter(
  memory: MemorySnapshot,
  scope: ForgetScope,
  terms: Terms,
): readonly { readonly kept: Kept<Arc>; readonly after: Arc | undefined }[] {
  const says = saysAny(scope.words.quotes);
  const tells = tellsOf(scope.words, terms);
  const said = scope.said;
  return memory.arcs
    .filter(({ entry_id }) => !scope.arcs.has(entry_id))
    .flatMap((kept) => {
      const { session_id, from, upto } = kept.entry;
      const isSource = said.get(session_id)?.some((offset) => offset >= from && offset <= upto) === true;
      const after = arcWithout(kept.entry, (sentence) => says(sentence) || (isSource && tells(sentence)));
      return after !== undefined && JSON.stringify(after) === JSON.stringify(kept.entry) ? [] : [{ kept, after }];
    });
}

/** Rewrites turns that contain the forgotten words among others. */
function turnsAfter(
  memory: MemorySnapshot,
  scope: ForgetScope,
): readonly { readonly kept: Kept<RememberedTurn>; readonly text: string | undefined }[] {
  const { words } = scope;
  const says = saysAny(words.quotes);
  const isSource = ({ source }: RememberedTurn): boolean => scope.said.get(source.session_id)?.includes(source.offset) === true;
  return memory.turns
    .filter(({ entry_id, entry }) => !scope.turns.has(entry_id) && (isSource(entry) || says(entry.text)))
    .flatMap((kept) => {
      const text = withoutForgotten(kept.entry.text, words);
      return text === kept.entry.text ? [] : [{ kept, text }];
    });
}

/** Removes forgotten turns from the sources of facts that have other sources. */
function factsAfter(memory: MemorySnapshot, scope: ForgetScope): readonly { readonly entry_id: string; readonly entry: Fact }[] {
  const gone = new Set([...scope.turns.values()].map(({ entry }) => sourceKey(entry.source)));
  return memory.facts.flatMap(({ entry_id, entry }) => {
    const [first, ...more] = entry.sources.filter((source) => !gone.has(sourceKey(source)));
    if (scope.facts.has(entry_id) || first === undefined || more.length + 1 === entry.sources.length) return [];
    return [{ entry_id, entry: { ...entry, sources: [first, ...more] } }];
  });
}

/** Removes rules that are forgotten or have lost all their evidence. */
function profileAfter({ rules, archived, ...profile }: Profile, scope: ForgetScope): { readonly profile: Profile; readonly gone: readonly Rule[] } {
  const gone: Rule[] = [];
  const says = saysAny(scope.words.quotes);
  const left = (list: readonly Rule[]): readonly Rule[] =>
    list.flatMap((rule) => {
      const evidence = rule.evidence.filter((quote) => !scope.words.quotes.some((words) => overlaps(words, quote)));
      const isEmpty = evidence.length === 0 && rule.evidence.length > 0;
      if (!scope.rules.has(rule.id) && !isEmpty && !says(rule.text))
        return evidence.length === rule.evidence.length ? [rule] : [{ ...rule, evidence }];
      gone.push(rule);
      return [];
    });
  return { profile: { ...profile, rules: left(rules), archived: left(archived) }, gone };
}

/** Removes held candidates that quote the forgotten words or come from a removed turn. */
function buffersAfter(memory: MemorySnapshot, scope: ForgetScope): readonly { readonly kept: Kept<Buffer>; readonly after: Buffer }[] {
  const wholeTurns = new Set([...scope.turns.values()].map(({ entry }) => sourceKey(entry.source)));
  return memory.buffers.flatMap((kept) => {
    const { session_id, held } = kept.entry;
    const left = held.filter(
      ({ quote, offset }) => !wholeTurns.has(sourceKey({ session_id, offset })) && !scope.words.quotes.some((words) => overlaps(words, quote)),
    );
    return left.length === held.length ? [] : [{ kept, after: { ...kept.entry, held: left } }];
  });
}

/** Returns the pending questions that name or quote a removed entry. */
function pendingsOf(memory: MemorySnapshot, scope: ForgetScope, answering: string | undefined): readonly string[] {
  const says = saysAny(scope.words.quotes);
  const names = ({ entry_id, rule_id, preview }: Target): boolean =>
    scope.facts.has(entry_id) || scope.turns.has(entry_id) || scope.arcs.has(entry_id) || scope.rules.has(rule_id ?? "") || says(preview);
  return memory.pendings.flatMap(({ entry_id, entry }) => {
    if (entry_id === answering) return [];
    const pending = pendingOf(entry);
    const action = pending?.action;
    const targets =
      action === undefined || action === null ? [] : action.type === "delete" ? [action.target, ...(action.also ?? [])] : action.targets;
    return pending === undefined || targets.some(names) || says(pending.done?.reply ?? "") ? [entry_id] : [];
  });
}

/** Returns the texts that must not be written again. */
function barrables(scope: ForgetScope, rules: readonly Rule[], candidates: readonly { readonly quote: string }[]): readonly Barrable[] {
  return [
    ...[...scope.facts.values()].map(({ entry }) => entry),
    ...[...scope.turns.values()].map(({ entry }) => ({ text: entry.text })),
    ...rules.flatMap(({ text, evidence }) => [text, ...evidence].map((words) => ({ text: words }))),
    ...candidates.map(({ quote }) => ({ text: quote })),
  ];
}

/** Returns one bar per hash, without the existing ones. */
function newBars(memory: MemorySnapshot, what: readonly Barrable[], { salt, now }: Pick<ForgetOptions, "salt" | "now">): readonly EntryWrite[] {
  const known = new Set(memory.bars.map(({ entry_id }) => entry_id));
  const at = { owner_id: memory.owner_id, salt: saltOf(memory.bars.map(({ entry }) => entry)) ?? salt, now };
  const bars = new Map(what.flatMap((one) => barsOf(one, at)).map((write) => [write.entry_id, write]));
  return [...bars.values()].filter(({ entry_id }) => !known.has(entry_id));
}

/**
 * Plans the forgetting of these entries: `fact:…`, `turn:…`, `arc:…`, `profile/<rule>`, or `session:<id>` for a whole session. The result depends
 * only on the memory, so it can be planned again when the memory has changed.
 */
export function planForget(memory: MemorySnapshot, ids: readonly string[], options: ForgetOptions): ForgetPlan {
  const { now, echoes = new Map(), answering, terms = defaultTerms } = options;
  const scope = scopeOf(memory, ids);
  const arcs = arcsAfter(memory, scope, terms);
  const turns = turnsAfter(memory, scope);
  const { profile, gone } = profileAfter(memory.profile, scope);
  const hasNewProfile = JSON.stringify(profile) !== JSON.stringify(memory.profile);
  const buffers = buffersAfter(memory, scope);
  const pendings = pendingsOf(memory, scope, answering);
  const candidates = buffers.flatMap(({ kept, after }) => kept.entry.held.filter((one) => !after.held.includes(one)));
  const bars = newBars(memory, barrables(scope, gone, candidates), options);
  const messages = joinOffsets(scope.said, wholeEpisodes(scope), echoes);
  const removedArcs = [...scope.arcs.values(), ...arcs.filter(({ after }) => after === undefined).map(({ kept }) => kept)];
  const removedTurns = [...scope.turns.values(), ...turns.filter(({ text }) => text === undefined).map(({ kept }) => kept)];
  const removed = [...scope.facts.values(), ...removedTurns, ...removedArcs];
  const rewritten = [
    ...arcs.flatMap(({ kept, after }) => (after === undefined ? [] : [{ entry_id: kept.entry_id, entry: after }])),
    ...factsAfter(memory, scope),
    ...turns.flatMap(({ kept, text }) => (text === undefined ? [] : [{ entry_id: kept.entry_id, entry: { ...kept.entry, text } }])),
  ];
  const stale = memory.vectors ? [...removed, ...rewritten].map(({ entry_id }) => vectorEntryId(entry_id)) : [];
  return {
    writes: [
      ...removed.map(({ entry_id, entry }) => removeEntry(entry_id, entry.type)),
      ...rewritten.flatMap(({ entry_id, entry }) => anew(entry_id, entry)),
      ...stale.map((entry_id) => removeEntry(entry_id, "vector")),
      ...(hasNewProfile ? anew(profileId, profile) : []),
      ...buffers.flatMap(({ kept, after }) => anew(kept.entry_id, after)),
      ...pendings.map((entry_id) => removeEntry(entry_id, "pending")),
      ...bars,
      ...maskWrites(memory.masks, messages, now),
    ],
    messages,
    says: saysAny(allWords(scope, removedArcs, gone)),
    report: {
      facts: scope.facts.size,
      turns: removedTurns.length,
      arcs: removedArcs.length,
      arcs_rewritten: arcs.filter(({ after }) => after !== undefined).length,
      rules: gone.length,
      vectors: stale.length,
      candidates: candidates.length,
      pending: pendings.length,
      bars: bars.length,
      masked: [...messages].map(([session_id, offsets]) => ({ session_id, offsets })),
    },
  };
}

/** Returns all messages of the removed episodes. */
function wholeEpisodes({ arcs }: ForgetScope): OffsetsBySession {
  const stretches = [...arcs.values()].map(({ entry: { session_id, from, upto } }): OffsetsBySession => {
    const length = Math.max(0, Math.min(upto - from + 1, mostOffsets));
    return new Map([[session_id, Array.from({ length }, (_, index) => from + index)]]);
  });
  return joinOffsets(...stretches);
}

/** Maximum number of events masked per episode. */
const mostOffsets = 20_000;

const allWords = ({ words }: { readonly words: Forgotten }, arcs: readonly Kept<Arc>[], rules: readonly Rule[]): readonly string[] => [
  ...words.quotes,
  ...arcs.map(({ entry }) => entry.summary),
  ...rules.flatMap(({ text, evidence }) => [text, ...evidence]),
];
