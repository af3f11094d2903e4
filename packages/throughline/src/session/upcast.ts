import { ThroughlineError } from "../kernel/error.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { EventKind, StoredEvent } from "../store/port.ts";
import { eventKinds } from "../store/port.ts";
import type { Event } from "./event.ts";

/** Converts a payload from one version to the next. Pure; it must not change its argument. */
export type Upcaster = (data: JsonObject) => JsonObject;

/** Upcasters of each kind, from version 1 on: entry 0 converts version 1 to 2. The newest version is the number of entries plus one. */
export type Upcasters = Readonly<Partial<Record<EventKind, readonly Upcaster[]>>>;

/** The upcasters of this version of Throughline. Every payload is still in its first version. */
export const upcasters: Upcasters = Object.freeze({});

/** Returns the version in which new events of a kind are written. */
export const newestVersion = (kind: EventKind, registry: Upcasters = upcasters): number => (registry[kind]?.length ?? 0) + 1;

/** Returns a stored event with its data in the newest version. Throws `log.event_unknown` if a newer Throughline wrote it. */
export function decodeEvent(stored: StoredEvent, registry: Upcasters = upcasters): Event {
  const newest = newestVersion(stored.kind, registry);
  if (!eventKinds.includes(stored.kind) || !Number.isInteger(stored.version) || stored.version < 1 || stored.version > newest) {
    throw new ThroughlineError(
      "log.event_unknown",
      `Event ${stored.offset} is a "${stored.kind}" of version ${stored.version}; this version reads up to ${newest}.`,
      {
        details: { session_id: stored.session_id, offset: stored.offset, kind: stored.kind, version: stored.version },
      },
    );
  }
  const data = (registry[stored.kind] ?? []).slice(stored.version - 1).reduce((current, upcast) => upcast(current), stored.data);
  const { version: _version, ...event } = stored;
  // The only place where stored JSON becomes a typed event. Writers can store only what these types allow.
  return { ...event, data } as unknown as Event;
}
