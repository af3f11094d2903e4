/** Reads what the log stores: events in the newest version of their data, and the state as the fold of its patches. */
import { ThroughlineError } from "../kernel/error.ts";
import { foldPatches, parseOperations } from "../kernel/json-patch.ts";
import type { JsonObject } from "../kernel/json.ts";
import { type EventKind, eventKinds, type LoadedSession, type StoredEvent } from "../store/port.ts";
import type { Event, StateData } from "./event.ts";

/** Converts a payload from one version to the next. Pure; it must not change its argument. */
type Upcaster = (data: JsonObject) => JsonObject;

/** Upcasters of each kind, from version 1 on: entry 0 converts version 1 to 2. The newest version is the number of entries plus one. */
export type Upcasters = Readonly<Partial<Record<EventKind, readonly Upcaster[]>>>;

/** The upcasters of this version of Throughline. Every payload is still in its first version. */
const upcasters: Upcasters = Object.freeze({});

/** Returns the version in which new events of a kind are written. */
export const newestVersion = (kind: EventKind, registry: Upcasters = upcasters): number => (registry[kind]?.length ?? 0) + 1;

/** Events that were decoded from frozen ones, which several turns of this process read. */
const decoded = new WeakMap<StoredEvent, Event>();

/** Returns a stored event with its data in the newest version. Throws `log.event_unknown` if a newer Throughline wrote it. */
export function decodeEvent(stored: StoredEvent, registry: Upcasters = upcasters): Event {
  const known = registry === upcasters ? decoded.get(stored) : undefined;
  if (known !== undefined) return known;
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
  const { version: _version, ...rest } = stored;
  // The only place where stored JSON becomes a typed event. Writers can store only what these types allow.
  const event = { ...rest, data } as unknown as Event;
  if (registry === upcasters && Object.isFrozen(stored)) decoded.set(stored, Object.freeze(event));
  return event;
}

/** Weight of a patch in the fold: its bytes, plus 256 for its row. A checkpoint is due when the patches outweigh the base. */
export const patchWeight = (bytes: number): number => bytes + 256;

/** Below this weight no checkpoint is due, even if the base is smaller. */
export const checkpointFloor = 16 * 1024;

/** Whether a checkpoint is due after patches of this total weight. `baseBytes`: size of the base. */
export const checkpointDue = (weight: number, baseBytes: number): boolean => weight > Math.max(baseBytes, checkpointFloor);

/**
 * Returns the state at an offset: the base with all later patches applied in order. Needs no reducer and no agent code. Throws `state.corrupt` if a
 * patch does not apply.
 */
export function foldState(loaded: Pick<LoadedSession, "session" | "base" | "patches">): {
  readonly document: JsonObject;
  readonly weight: number;
  /** Version of the agent's definition that wrote the last patch; undefined if there are no patches. */
  readonly definition: number | undefined;
} {
  const { session_id } = loaded.session;
  const data = loaded.patches.map((patch): StateData => {
    const event = decodeEvent({ ...emptyEvent, session_id, offset: patch.offset, version: patch.version, data: patch.data });
    if (event.kind !== "state") throw new ThroughlineError("internal");
    return event.data;
  });
  try {
    return {
      document: foldPatches(
        loaded.base.state,
        data.map((state) => parseOperations(state.patch)),
      ),
      weight: loaded.patches.reduce((sum, patch) => sum + patchWeight(patch.bytes), loaded.base.folded?.weight ?? 0),
      definition: data.at(-1)?.definition ?? loaded.base.folded?.definition,
    };
  } catch (cause) {
    throw new ThroughlineError("state.corrupt", `The state of session ${session_id} does not fold after offset ${loaded.base.offset}.`, {
      cause,
      details: { session_id, base: loaded.base.offset },
    });
  }
}

const emptyEvent = { id: "" as never, kind: "state", source: "system", trace_id: "" as never, created_at: 0 } as const;
