/** Retention in the reference model. Events that were cut off are never shown again. */
import { type SessionRecord, openTurns } from "./book.ts";
import type { Refusal, SessionChange } from "../port.ts";

type Cut = NonNullable<SessionChange["cut"]>;

/** Returns why a log cannot start at that offset. */
export function cutRefusal(session: SessionRecord, cut: Cut): Refusal | undefined {
  const { row, waiting } = session;
  const open = openTurns(session).flatMap(({ started_offset }) => (started_offset === undefined ? [] : [started_offset]));
  const last = Math.min(row.head, ...waiting.map((message) => message.offset), ...open);
  if (cut.first_offset > row.first_offset && cut.first_offset <= last) return undefined;
  return { reason: "cut_out_of_range", first_offset: row.first_offset, last_offset: last };
}

/** Moves the start of the log to a later offset, with the folded state before it. */
export function applyCut(session: SessionRecord, { first_offset, state }: Cut): void {
  const begins = session.segments.find(({ first, upto }) => first <= first_offset && first_offset <= upto)?.session;
  if (begins?.checkpoints.has(first_offset - 1) === false) begins.checkpoints.set(first_offset - 1, JSON.stringify(state));
  session.segments = session.segments
    .filter(({ upto }) => upto >= first_offset)
    .map((segment) => ({ ...segment, first: Math.max(segment.first, first_offset) }));
  session.row = { ...session.row, first_offset };
}
