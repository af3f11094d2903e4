/** Events on the wire: the same JSON in a page, in a stream, and in the answer to a post. */
import { z } from "zod";
import { type EventDataByKind, eventDeclarations } from "../session/event.ts";
import { type EventKind, eventKinds, type EventSource, eventSources } from "../store/port.ts";
import { schemaOf } from "./declared.ts";
import { jsonObject, offset, sessionId, time } from "./value.ts";

/** The kinds of which somebody is shown events. */
export const wireKinds: readonly EventKind[] = eventKinds.filter((kind) => "shown" in eventDeclarations[kind]);

const common = {
  session_id: sessionId,
  offset,
  id: z.string(),
  source: z.enum(eventSources),
  trace_id: z.string(),
  turn_id: z.string().optional(),
  origin: sessionId.nullable().optional().describe("The session that it was written in, if this one was forked from it since."),
  created_at: time,
  metadata: jsonObject.optional().describe("The integration's own; only for keys that may read metadata."),
};

/** An event as it is on the wire. A customer's token is shown less of the data of some. */
export type WireEvent = {
  [Kind in EventKind]: Omit<z.output<z.ZodObject<typeof common>>, "source"> & {
    readonly source: EventSource;
    readonly kind: Kind;
    readonly data: EventDataByKind[Kind];
  };
}[EventKind];

const [first, ...more] = wireKinds.map((kind) =>
  z.object({ ...common, kind: z.literal(kind), data: schemaOf<unknown>(eventDeclarations[kind].data) }),
);
if (first === undefined) throw new TypeError("Nobody is shown any event.");
/** An event: an immutable fact at its place in the log. */
// Its members are those of the declarations that the type follows from.
export const wireEvent = z.discriminatedUnion("kind", [first, ...more]).meta({ id: "Event" }) as unknown as z.ZodType<WireEvent, WireEvent>;
