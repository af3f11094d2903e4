/** Where a stream goes on: in one session an offset, in several an offset for each. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { parseSessionId, type SessionId } from "../../kernel/id.ts";

/** The first offset to send, by session. */
export type Positions = ReadonlyMap<SessionId, number>;

const wholeNumber = /^(0|[1-9][0-9]{0,14})$/;

function invalid(pointer: string, message: string, value: string): ThroughlineError {
  return new ThroughlineError("request.invalid", `${message}, got ${seen(value)}.`, { details: { errors: [{ pointer, message }] } });
}

/** The offset after the last one that was seen, from `Last-Event-ID`; undefined without one. */
export function afterLastEvent(headers: Headers): number | undefined {
  const id = headers.get("last-event-id");
  if (id === null || id === "") return undefined;
  if (!wholeNumber.test(id)) throw invalid("header/last-event-id", "the last event's id is an offset", id);
  return Number(id) + 1;
}

/** Offsets of several sessions, as the ids of their stream and the parameter `offsets` hold them: `ses_a:12,ses_b:4`. */
export function parsePositions(text: string, pointer: string): Positions {
  return new Map(
    text.split(",").map((part): [SessionId, number] => {
      const [id = "", offset = "", ...rest] = part.trim().split(":");
      if (rest.length > 0 || !wholeNumber.test(offset)) throw invalid(pointer, "offsets are `ses_a:12,ses_b:4`", part);
      return [parseSessionId(id), Number(offset)];
    }),
  );
}

/** The same as text. */
export const formatPositions = (positions: Positions): string => [...positions].map(([id, offset]) => `${id}:${offset}`).join(",");
