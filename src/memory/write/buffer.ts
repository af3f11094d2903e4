/** What an episode has brought so far: kept with the owner's memory, so that it survives a restart, and gone when the episode has been dealt with. */
import type { SessionId } from "../../kernel/id.ts";
import type { Buffer, Candidate } from "../entry.ts";

/** At most so many candidates are held: the newest stay. */
export const mostHeld = 200;

/** The id of the buffer of a session's episode. */
export const bufferEntryId = (session: SessionId | string, episode: number): string => `buffer:${session}:${episode}`;

/** A buffer at the beginning of an episode. */
export const emptyBuffer = (session_id: SessionId, episode: number): Buffer => ({
  type: "buffer",
  session_id,
  episode,
  held: [],
  approach_counts: {},
});

/** The buffer with more candidates. */
export const hold = (buffer: Buffer, candidates: readonly Candidate[]): Buffer => ({
  ...buffer,
  held: [...buffer.held, ...candidates].slice(-mostHeld),
});

/** The buffer after one more turn that was answered in this way. */
export const countApproach = (buffer: Buffer, approach: string): Buffer => ({
  ...buffer,
  approach_counts: { ...buffer.approach_counts, [approach]: (buffer.approach_counts[approach] ?? 0) + 1 },
});

/** The way in which most turns were answered, of several the first by name; undefined if none was counted. */
export function dominantApproach(counts: Readonly<Record<string, number>>): string | undefined {
  const [first] = Object.entries(counts).toSorted(([left, a], [right, b]) => b - a || (left < right ? -1 : 1));
  return first?.[0];
}
