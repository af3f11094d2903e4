/** What was taken back in a conversation is taken back in memory. */
import { type EntryWrite, type Fact, type Kept, profileId, type Profile, type Source, vectorEntryId } from "../entry.ts";
import type { SessionId } from "../../kernel/id.ts";
import { encodeEntry, type Entry, removeEntry } from "./decode.ts";

const isGone =
  (session_id: SessionId, offset: number) =>
  (source: Pick<Source, "session_id" | "offset">): boolean =>
    source.session_id === session_id && source.offset >= offset;

type Gone = ReturnType<typeof isGone>;

/** The fact without the sources that are gone; null if it has no other. */
function factWithout(fact: Fact, gone: Gone): Fact | null {
  const [first, ...more] = fact.sources.filter((source) => !gone(source));
  return first === undefined ? null : { ...fact, sources: [first, ...more] };
}

/** The profile without the rules whose every source is gone; what the person saved themselves stays. */
function profileWithout(profile: Profile, gone: Gone): Profile {
  const rules = profile.rules.flatMap((rule) => {
    if (rule.authority === "person" || !rule.sources.some(gone)) return [rule];
    const sources = rule.sources.filter((source) => !gone(source));
    return sources.length === 0 ? [] : [{ ...rule, sources }];
  });
  return { ...profile, rules };
}

/** An entry after a withdrawal: itself if it is untouched, another one, or null if nothing of it is left. */
function after(entry: Entry, session_id: SessionId, offset: number): Entry | null {
  const gone = isGone(session_id, offset);
  switch (entry.type) {
    case "turn":
      return gone(entry.source) ? null : entry;
    case "fact":
      return entry.authority !== "person" && entry.sources.some(gone) ? factWithout(entry, gone) : entry;
    case "arc":
      // It tells of what was taken back, and is made anew when its episode ends.
      return entry.session_id === session_id && entry.upto >= offset ? null : entry;
    case "buffer": {
      if (entry.session_id !== session_id || !entry.held.some((candidate) => candidate.offset >= offset)) return entry;
      return { ...entry, held: entry.held.filter((candidate) => candidate.offset < offset) };
    }
    case "profile":
      return entry.rules.some(({ sources }) => sources.some(gone)) ? profileWithout(entry, gone) : entry;
    default:
      return entry;
  }
}

/** A fact in force again: what had taken its place was taken back. */
function restored({ superseded_by: _by, retracted_at: _at, valid_to: _to, ...fact }: Fact): Fact {
  return fact;
}

/**
 * The writes that take back what was said in a session from an offset on: turns, arcs that tell of it, candidates, and facts and rules that rest on nothing else. A fact
 * that such a fact had replaced is in force again. What the person wrote or corrected themselves stays.
 */
export function retractFrom(entries: Iterable<Kept<Entry>>, session_id: SessionId, offset: number): readonly EntryWrite[] {
  const all = [...entries];
  const results = all.map((kept) => ({ kept, left: after(kept.entry, session_id, offset) }));
  const removed = new Set(results.filter(({ left }) => left === null).map(({ kept }) => kept.entry_id));
  const vectors = all.filter(({ entry_id, entry }) => entry.type === "vector" && (removed.has(entry.of) || removed.has(entry_id)));
  return [
    ...results.flatMap(({ kept: { entry_id, entry }, left }): readonly EntryWrite[] => {
      if (left === null) return [removeEntry(entry_id, entry.type)];
      const isBack = left.type === "fact" && left.superseded_by !== undefined && removed.has(left.superseded_by);
      const now = isBack ? restored(left) : left;
      return now === entry ? [] : [encodeEntry(entry.type === "profile" ? profileId : entry_id, now)];
    }),
    ...vectors.map(({ entry_id, entry }) => removeEntry(entry.type === "vector" ? vectorEntryId(entry.of) : entry_id, "vector")),
  ];
}
