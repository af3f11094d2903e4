/** Results that a fork reuses: what the session that it continues has recorded after the fork. */
import { eventsOf } from "../../extension/lists.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Event, ToolData } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import { argumentsHash } from "../../session/pending-calls.ts";
import type { SessionRow, Store } from "../../store/port.ts";

/** A result of an earlier call. */
export interface RecordedResult extends Pick<Extract<ToolData, { type: "returned" }>, "result" | "control"> {
  /** Offset of the result, or of a call without one, in the session that recorded it. */
  readonly offset: number;
}

/** The recorded results of the session that a fork continues. */
export interface RecordedResults {
  /** Returns the result of a call of this tool with these arguments, given as their hash. */
  find(name: string, hash: string): Promise<RecordedResult | undefined>;
}

/** Offsets of a call. */
interface CallPlace {
  readonly called: number;
  /** Absent if no result is recorded. */
  readonly returned?: number;
}

async function readAt(store: Store, session_id: SessionId, offset: number): Promise<Event | undefined> {
  const [stored] = (await store.read({ session_id, min_offset: offset, max_offset: offset, withdrawn: true }))?.events ?? [];
  return stored === undefined ? undefined : decodeEvent(stored);
}

/** Returns the results that the session reuses. Undefined unless it was forked with `reuse`. */
export async function recordedResults(
  store: Store,
  { session_id, origin, first_offset }: Pick<SessionRow, "session_id" | "origin" | "first_offset">,
): Promise<RecordedResults | undefined> {
  // Retention has removed the event of the fork, and with it the wish to reuse.
  if (origin === undefined || origin.at + 1 < first_offset) return undefined;
  const forked = await readAt(store, session_id, origin.at + 1);
  const upto = forked?.kind === "session" && forked.data.type === "forked" ? forked.data.reuse : undefined;
  if (upto === undefined) return undefined;
  const row = origin.session_id === null ? undefined : await store.open({ session_id: origin.session_id });
  const from = Math.max(origin.at + 1, row?.first_offset ?? 0);
  // Without its origin the fork has no results to reuse, and still runs no `once` tool.
  if (row === undefined || from > upto) return { find: async () => undefined };
  const places = await placesIn(store, { session_id: row.session_id, from, upto });
  return {
    find: async (name, hash) => {
      const place = places.get(placeKey(name, hash));
      return place === undefined ? undefined : resultAt(store, row.session_id, place);
    },
  };
}

const placeKey = (name: string, hash: string): string => `${name} ${hash}`;

/** Returns a call for each name with arguments: the last one that succeeded, or else the last one. */
async function placesIn(
  store: Store,
  { session_id, from, upto }: { readonly session_id: SessionId; readonly from: number; readonly upto: number },
): Promise<ReadonlyMap<string, CallPlace>> {
  const places = new Map<string, CallPlace>();
  const succeeded = new Set<string>();
  const open = new Map<string, { readonly key: string; readonly called: number }>();
  for await (const stored of eventsOf(store, { session_id, min_offset: from, max_offset: upto, kinds: ["tool"], withdrawn: true })) {
    const { kind, data, offset, turn_id } = decodeEvent(stored);
    if (kind !== "tool") continue;
    const id = `${turn_id} ${data.call_id}`;
    if (data.type === "called") {
      const key = placeKey(data.name, argumentsHash(data.arguments));
      open.set(id, { key, called: offset });
      if (!succeeded.has(key)) places.set(key, { called: offset });
      continue;
    }
    const call = open.get(id);
    if (call === undefined || (succeeded.has(call.key) && data.result.type !== "ok")) continue;
    places.set(call.key, { called: call.called, returned: offset });
    if (data.result.type === "ok") succeeded.add(call.key);
  }
  return places;
}

/** Reads a recorded result. A call without one may have run, so its result is `unknown`. */
async function resultAt(store: Store, origin: SessionId, { called, returned }: CallPlace): Promise<RecordedResult | undefined> {
  if (returned === undefined) return { result: { type: "unknown" }, offset: called };
  const event = await readAt(store, origin, returned);
  return event?.kind === "tool" && event.data.type === "returned" ? { ...event.data, offset: returned } : undefined;
}
