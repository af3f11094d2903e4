/** Checks a bundle as a whole before anything of it is written: its states fold, its events can be read, and its gaps are not too large to fill. */
import { decode, type Descriptor } from "../../kernel/descriptor.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { foldPatches } from "../../kernel/json-patch.ts";
import { eventDeclarations } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Bundle, BundleSession, EventLine, SessionLine } from "./bundle.ts";
import { stateOf } from "./import-session.ts";

/**
 * Maximum numbers of deleted events and of turns without a row in all sessions of a bundle. An import writes each of them, so that what is left keeps
 * its offsets and numbers. A turn has about ten events.
 */
const mostFilled = { events: 1_000_000, turns: 100_000 };

function refuse({ session_id }: SessionLine, why: string, cause?: unknown): never {
  throw new ThroughlineError("bundle.invalid", `Session ${session_id} of the bundle ${why}.`, { cause, details: { session_id } });
}

/** Throws `bundle.invalid`, which names the session, for a bundle whose lines are valid and that no session could have become. */
export function checkBundle({ sessions }: Bundle): void {
  const filled = { events: 0, turns: 0 };
  for (const one of sessions) {
    const numbers = new Set(one.session.turns.map(({ number }) => number));
    filled.events += one.session.first_offset;
    filled.turns += [...numbers].reduce((most, number) => Math.max(most, number), 0) - numbers.size;
    for (const [what, most] of Object.entries(mostFilled))
      if (filled[what as keyof typeof filled] > most) refuse(one.session, `comes after more than ${most} ${what} that are not in the bundle`);
    checkFold(one);
    for (const event of one.events) checkEvent(one.session, event);
  }
}

function checkFold(one: BundleSession): void {
  try {
    const { base, patches } = stateOf(one);
    foldPatches(base, patches.values());
  } catch (cause) {
    if (ThroughlineError.is(cause, "bundle.invalid")) throw cause;
    refuse(one.session, "has a state that does not fold", cause);
  }
}

/** Checks that a log with this event can be read. */
function checkEvent(session: SessionLine, { kind, version, data, ...event }: EventLine): void {
  const where = `has at offset ${event.offset} `;
  const stored = { ...event, kind, version, data, id: "" as never, session_id: session.session_id as never, trace_id: event.trace_id as never };
  try {
    const declared: Descriptor = eventDeclarations[kind].data;
    const read = decode(declared, decodeEvent(stored).data);
    if (!read.ok)
      refuse(session, `${where}a ${seen(kind)} with ${read.mismatch.seen} at "${read.mismatch.path}"; expected ${read.mismatch.expected}`);
  } catch (cause) {
    if (ThroughlineError.is(cause, "log.event_unknown")) refuse(session, `${where}a ${seen(kind)} of version ${version}, which is not known`, cause);
    throw cause;
  }
}
