/** Withdraws from memory what was withdrawn in a conversation. */
import { pendingEntryId, pendingOf } from "../control/commands.ts";
import { overlaps } from "../control/hidden-words.ts";
import {
  type EntryWrite,
  type Fact,
  type Kept,
  profileId,
  type Profile,
  type RememberedTurn,
  type Rule,
  type Source,
  turnEntryId,
  type Entry,
  type PendingEntry,
} from "../entry.ts";
import type { SessionId } from "../../kernel/id.ts";
import { encodeEntry, removeEntry } from "./decode.ts";

/** The withdrawn range: everything in a session from an offset on. */
interface Gone {
  readonly session_id: SessionId;
  readonly offset: number;
  has(source: Pick<Source, "session_id" | "offset">): boolean;
  /** Returns the remembered turn of a source, or undefined. */
  turn(source: Source): RememberedTurn | undefined;
}

/** Tells whether a quote occurs in withdrawn turns and in no remaining one. */
function isQuotedFromGone(quote: string, sources: readonly Source[], gone: Gone): boolean {
  const says = (source: Source): boolean => overlaps(gone.turn(source)?.text ?? "", quote);
  const left = sources.filter((source) => !gone.has(source));
  return left.length < sources.length && sources.some((source) => gone.has(source) && says(source)) && !left.some(says);
}

/** Returns a fact without withdrawn sources. Returns null if none remains, or if only withdrawn ones contain its quote. */
function factWithout(fact: Fact, gone: Gone): Fact | null {
  const [first, ...more] = fact.sources.filter((source) => !gone.has(source));
  return first === undefined || isQuotedFromGone(fact.quote, fact.sources, gone) ? null : { ...fact, sources: [first, ...more] };
}

/** Returns a rule without withdrawn sources and evidence. Returns nothing if no support remains. Rules that the person saved stay. */
function ruleWithout(rule: Rule, gone: Gone): readonly Rule[] {
  if (rule.authority === "person" || !rule.sources.some((source) => gone.has(source))) return [rule];
  const sources = rule.sources.filter((source) => !gone.has(source));
  const evidence = rule.evidence.filter((quote) => !isQuotedFromGone(quote, rule.sources, gone));
  const isShown = sources.length > 0 && (evidence.length > 0 || rule.evidence.length === 0);
  return isShown ? [{ ...rule, sources, evidence }] : [];
}

function profileWithout(profile: Profile, gone: Gone): Profile {
  const left = (rules: readonly Rule[]): readonly Rule[] => rules.flatMap((rule) => ruleWithout(rule, gone));
  return { ...profile, rules: left(profile.rules), archived: left(profile.archived) };
}

/** Tells whether a memory question was asked in the withdrawn range. */
const isAskedIn = (entry_id: string, entry: PendingEntry, { session_id, offset }: Gone): boolean =>
  entry_id === pendingEntryId(session_id) && (pendingOf(entry)?.since ?? offset) >= offset;

/** Returns an entry after the withdrawal: unchanged, rewritten, or null if nothing remains. */
function after({ entry_id, entry }: Kept<Entry>, gone: Gone): Entry | null {
  const isTouched = (sources: readonly Source[]): boolean => sources.some((source) => gone.has(source));
  switch (entry.type) {
    case "turn":
      return gone.has(entry.source) ? null : entry;
    case "fact":
      return entry.authority !== "person" && isTouched(entry.sources) ? factWithout(entry, gone) : entry;
    case "arc":
      // The arc mentions the withdrawn messages. It is written again when its episode ends.
      return entry.session_id === gone.session_id && entry.upto >= gone.offset ? null : entry;
    case "buffer": {
      if (entry.session_id !== gone.session_id || !entry.held.some((candidate) => candidate.offset >= gone.offset)) return entry;
      return { ...entry, held: entry.held.filter((candidate) => candidate.offset < gone.offset) };
    }
    case "profile":
      return [...entry.rules, ...entry.archived].some(({ sources }) => isTouched(sources)) ? profileWithout(entry, gone) : entry;
    case "pending":
      return isAskedIn(entry_id, entry, gone) ? null : entry;
    default:
      return entry;
  }
}

/** Restores a fact whose replacement was withdrawn. */
function restored({ superseded_by: _by, retracted_at: _at, valid_to: _to, ...fact }: Fact): Fact {
  return fact;
}

/** Tells whether a pending question names, and so quotes, a removed entry. */
const namesAny = (entry: Entry, removed: ReadonlySet<string>): boolean => {
  const action = entry.type === "pending" ? pendingOf(entry)?.action : undefined;
  if (action === undefined || action === null) return false;
  const targets = action.type === "delete" ? [action.target, ...(action.also ?? [])] : action.targets;
  return targets.some((target) => removed.has(target.entry_id));
};

/**
 * Returns the writes that withdraw everything in a session from an offset on. This covers turns, arcs, candidates, questions that quote them, and
 * facts and rules without other support. A partly kept entry loses its earlier versions, which contain the withdrawn text. A fact that a withdrawn
 * fact had replaced becomes active again. Entries that the person wrote or corrected stay.
 */
export function retractFrom(entries: Iterable<Kept<Entry>>, session_id: SessionId, offset: number): readonly EntryWrite[] {
  const all = [...entries];
  const turns = new Map(all.flatMap(({ entry_id, entry }) => (entry.type === "turn" ? [[entry_id, entry] as const] : [])));
  const gone: Gone = {
    session_id,
    offset,
    has: (source) => source.session_id === session_id && source.offset >= offset,
    turn: (source) => turns.get(turnEntryId(source.session_id, source.offset)),
  };
  const first = all.map((kept) => ({ kept, left: after(kept, gone) }));
  const removed = new Set(first.filter(({ left }) => left === null).map(({ kept }) => kept.entry_id));
  const results = first.map(({ kept, left }) => ({ kept, left: left !== null && namesAny(left, removed) ? null : left }));
  const vectors = all.filter(({ entry_id, entry }) => entry.type === "vector" && (removed.has(entry.of) || removed.has(entry_id)));
  return [
    ...results.flatMap(({ kept: { entry_id, entry }, left }): readonly EntryWrite[] => {
      if (left === null) return [removeEntry(entry_id, entry.type)];
      const isBack = left.type === "fact" && left.superseded_by !== undefined && removed.has(left.superseded_by);
      const now = isBack ? restored(left) : left;
      const id = entry.type === "profile" ? profileId : entry_id;
      return now === entry ? [] : [...(left === entry ? [] : [removeEntry(id, entry.type)]), encodeEntry(id, now)];
    }),
    ...vectors.map(({ entry_id }) => removeEntry(entry_id, "vector")),
  ];
}
