/** The turn at an offset, and whole events of it. */
import { useEffect } from "preact/hooks";
import type { WireEvent } from "@throughline/client";
import type { Line } from "../../parts/event-line.ts";
import type { LogPages } from "./log-pages.ts";
import type { LiveSession } from "./live-session.ts";

/** Lines around an offset that are searched for its turn. */
const searched = 3_000;

export interface TurnAt {
  readonly id: string;
  /** Its events, also those after the offset. */
  readonly lines: readonly Line[];
  /** The offset of its first event. */
  readonly first: number;
}

/** The last turn that had begun at an offset; undefined before the first, and while its lines are not loaded. */
function turnIn(log: LogPages, at: number): TurnAt | undefined {
  const from = log.indexOf(at);
  let index = from;
  while (index >= 0 && from - index < searched && log.at(index)?.turn_id === undefined) {
    if (log.at(index) === undefined) {
      log.want(index);
      return undefined;
    }
    index -= 1;
  }
  const id = log.at(index)?.turn_id;
  if (id === undefined) return undefined;
  const lines: Line[] = [];
  for (let before = index; before >= 0 && index - before < searched; before--) {
    const line = log.at(before);
    if (line === undefined) {
      log.want(before);
      return undefined;
    }
    if (line.turn_id === id) lines.unshift(line);
    else if (line.kind === "turn" && (line.type === "started" || line.type === "ended")) break;
    if (line.turn_id === id && line.kind === "turn" && line.type === "started") {
      // The message that the turn answers stands before its start.
      const asked = log.at(before - 1);
      if (asked?.turn_id === id) lines.unshift(asked);
      break;
    }
  }
  for (let after = index + 1; after < log.count && after - index < searched; after++) {
    if (lines.at(-1)?.type === "ended" && lines.at(-1)?.kind === "turn") break;
    const line = log.at(after);
    if (line === undefined) {
      log.want(after);
      return undefined;
    }
    if (line.turn_id === id) lines.push(line);
  }
  return { id, lines, first: lines[0]?.offset ?? at };
}

/** The turn at an offset. Its lines are read if they are not loaded. */
export function useTurn({ log }: LiveSession, at: number): TurnAt | undefined {
  void log.version.value;
  return turnIn(log, at);
}

/** Whole events of lines, in their order. They are read if they are not loaded; `complete` says whether all of them are. */
export function useWhole({ events }: LiveSession, lines: readonly Line[]): { readonly events: readonly WireEvent[]; readonly complete: boolean } {
  void events.version.value;
  const wanted = lines.map(({ offset }) => offset).join(" ");
  useEffect(() => {
    if (lines.some(({ offset }) => events.get(offset) === undefined)) events.want(lines);
  }, [events, wanted]);
  const found = lines.flatMap(({ offset }) => events.get(offset) ?? []);
  return { events: found, complete: found.length === lines.length };
}
