/** Plans forgetting: the writes that remove something from every place of an owner's memory, and a report. */
import {
  profileId,
  vectorEntryId,
  type Arc,
  type EntryWrite,
  type Fact,
  type Kept,
  type Profile,
  type RememberedTurn,
  type Rule,
  type Source,
  type Buffer,
  type Entry,
} from "../entry.ts";
import { barsOf, saltOf, type Barrable } from "../write/bar.ts";
import { encodeEntry, removeEntry } from "../write/decode.ts";
import { defaultTerms, type Terms, overlaps, retold, saysAny, tellsOf, withoutForgotten, type Forgotten } from "./words-left.ts";
import { scopeOf, type ForgetScope } from "./forget-scope.ts";
import { joinOffsets, maskWrites, type OffsetsBySession } from "../../session/masks.ts";
import type { ForgetReport } from "./owner-memory.ts";
import { pendingOf, type Target } from "./pending.ts";
import type { MemorySnapshot } from "./snapshot.ts";

/** Options of {@link planForget}. */
export interface ForgetOptions {
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
  if (summary === undefined) return undefined;
  const keep = (text: string): boolean => !tells(text);
  const { mood, goal, approach_context, ...rest } = arc;
  const context = approach_context === undefined ? undefined : Object.fromEntries(Object.entries(approach_context).filter(([, text]) => keep(text)));
  return {
    ...rest,
    summary,
    themes: arc.themes.filter(keep),
    open_loops: arc.open_loops.filter(keep),
    resolved: arc.resolved.filter(keep),
    ...(mood !== undefined && keep(mood.opened) && keep(mood.closed) ? { mood } : {}),
    ...(goal !== undefined && keep(goal) ? { goal } : {}),
    ...(context === undefined ? {} : { approach_context: context }),
  };
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

const sourceKey = ({ session_id, offset }: Source): string => `${session_id}:${offset}`;

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
      ({ quote, offset }) => !wholeTurns.has(`${session_id}:${offset}`) && !scope.words.quotes.some((words) => overlaps(words, quote)),
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
