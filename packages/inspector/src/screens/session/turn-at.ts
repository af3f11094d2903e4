/** The turn at an offset: the last one that had begun. */
import type { WireEvent } from "@throughline/client";
import { indexAt } from "./live-session.ts";

export interface TurnAt {
  readonly id: string;
  /** Its events, also those after the offset. */
  readonly events: readonly WireEvent[];
  /** The offset of its first event. */
  readonly first: number;
}

/** The last turn that had begun at an offset; undefined before the first. */
export function turnAt(events: readonly WireEvent[], at: number): TurnAt | undefined {
  const index = indexAt(events, at);
  const id = events.slice(0, index + 1).findLast(({ turn_id }) => turn_id !== undefined)?.turn_id;
  if (id === undefined) return undefined;
  const own = events.filter(({ turn_id }) => turn_id === id);
  return { id, events: own, first: own[0]?.offset ?? at };
}
