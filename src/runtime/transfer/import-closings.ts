/** Which episodes of a session that is imported have still to be closed: notes are not part of a bundle, and what they are made of is. */
import { arcEntryId, type RememberedTurn } from "../../memory/entry.ts";
import type { Closing } from "../../memory/keep/closing-record.ts";
import type { BundleSession, EntryLine } from "./bundle.ts";

/** A remembered message of a session, as far as a note needs it. */
type Said = Pick<RememberedTurn, "episode" | "source">;

/** The messages of a session that are remembered, by the last version of each entry. */
function remembered(session_id: string, last: ReadonlyMap<string, EntryLine>): readonly Said[] {
  return [...last.values()].flatMap(({ kind, data }) => {
    // An entry of a bundle is what somebody gives.
    const turn = kind === "turn" && data !== null && data["role"] === undefined ? (data as unknown as Partial<Said>) : {};
    const { source, episode } = turn;
    return source?.session_id === session_id && Number.isSafeInteger(source.offset) && Number.isSafeInteger(episode) ? [turn as Said] : [];
  });
}

/**
 * A note for each episode of which something is remembered, and that has left neither an arc nor a word that it was closed. It is looked at at once, and then told when
 * it is due. `entries` name the session as the bundle does.
 */
export function openClosings({ session, events }: BundleSession, entries: readonly EntryLine[]): readonly Omit<Closing, "session_id">[] {
  const { session_id, agent } = session;
  const last = new Map(entries.map((line) => [line.entry_id, line]));
  const closed = new Set(events.flatMap(({ kind, data }) => (kind === "session" && data["type"] === "remembered" ? [data["episode"]] : [])));
  const first = new Map<number, number>();
  for (const { episode, source } of remembered(session_id, last)) {
    if (closed.has(episode) || (last.get(arcEntryId(session_id, episode))?.data ?? null) !== null) continue;
    first.set(episode, Math.min(source.offset, first.get(episode) ?? source.offset));
  }
  return [...first].map(([episode, from]) => ({ agent, episode, due: 0, from }));
}
