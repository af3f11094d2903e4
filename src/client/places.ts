/** The position of a reader, and the request that continues from it. */
import type { AnyCall } from "./operation-call.ts";
import type { OperationId, WireEvent } from "./wire.ts";

/** The place of one reader, in one session or in several. */
export interface Place {
  /** The sessions that are read. */
  readonly sessions: ReadonlySet<string>;
  /** What asks for everything that is still to come. */
  request(): { readonly id: OperationId; readonly call: AnyCall };
  /** Whether an event is one that was not seen yet; from now on it was. */
  take(event: Pick<WireEvent, "session_id" | "offset">): boolean;
  /** Goes on to what a frame names as its id: everything up to there was looked at, also what was not shown. */
  moveBy(id: string): void;
  /** Goes on to an offset. */
  moveTo(session_id: string, offset: number): void;
  /** Stops reading a session. */
  leave(session_id: string): void;
}

type Query = NonNullable<AnyCall["query"]>;

interface Offsets extends Pick<Place, "take" | "moveTo" | "leave" | "sessions"> {
  /** The offset to go on from; undefined for the beginning of the log. */
  of(session_id: string): number | undefined;
}

function createOffsets(sessions: readonly string[], first: Readonly<Record<string, number>>): Offsets {
  const next = new Map<string, number | undefined>(sessions.map((id) => [id, first[id]]));
  const moveTo = (session_id: string, offset: number): void => {
    if (next.has(session_id) && offset > (next.get(session_id) ?? -1)) next.set(session_id, offset);
  };
  return {
    get sessions() {
      return new Set(next.keys());
    },
    of: (session_id) => next.get(session_id),
    take: ({ session_id, offset }) => {
      if (!next.has(session_id) || offset < (next.get(session_id) ?? 0)) return false;
      moveTo(session_id, offset + 1);
      return true;
    },
    moveTo,
    leave: (session_id) => void next.delete(session_id),
  };
}

/** The place of a reader of one session. */
export function placeInSession(session_id: string, minOffset: number | undefined, query: Query): Place {
  const offsets = createOffsets([session_id], minOffset === undefined ? {} : { [session_id]: minOffset });
  return {
    ...offsets,
    get sessions() {
      return offsets.sessions;
    },
    request: () => ({ id: "listEvents", call: { path: { session_id }, query: { ...query, min_offset: offsets.of(session_id) } } }),
    moveBy: (id) => {
      if (/^\d+$/.test(id)) offsets.moveTo(session_id, Number(id) + 1);
    },
  };
}

/** The place of a reader of several sessions: ids of frames hold the next offset of each. */
export function placeInSessions(sessions: readonly string[], first: Readonly<Record<string, number>>, query: Query): Place {
  const offsets = createOffsets(sessions, first);
  const known = (): string => [...offsets.sessions].flatMap((id) => (offsets.of(id) === undefined ? [] : [`${id}:${offsets.of(id)}`])).join(",");
  return {
    ...offsets,
    get sessions() {
      return offsets.sessions;
    },
    request: () => ({ id: "streamEvents", call: { query: { ...query, sessions: [...offsets.sessions], offsets: known() || undefined } } }),
    moveBy: (id) => {
      for (const part of id.split(",")) {
        const [, session_id, offset] = /^([^:]+):(\d+)$/.exec(part) ?? [];
        if (session_id !== undefined) offsets.moveTo(session_id, Number(offset));
      }
    },
  };
}
