/** Events for routines in the log of a session: custom events of the system, which callers post. */
import { eventsOf } from "../extension/lists.ts";
import type { ExtensionTurn } from "../extension/port.ts";
import { isPlainObject, type Json, type JsonObject, present } from "../kernel/json.ts";
import type { StoredEvent } from "../store/port.ts";

/**
 * A command to enter or to leave routines. `run` is reserved for `runtime.runs`: anyone who may post custom events could write one, so it counts only
 * with the run's record.
 */
export type RoutineCommand =
  | { readonly type: "enter"; readonly routine: string; readonly input: Json | undefined; readonly run?: string }
  /** `run`: only the routine of this run. */
  | { readonly type: "leave"; readonly run?: string };

/** Returns the value of the custom event for a command. */
export const commandValue = (command: RoutineCommand): JsonObject =>
  command.type === "leave"
    ? { routine: { leave: true, ...present({ run: command.run }) } }
    : { routine: { enter: command.routine, ...present({ input: command.input, run: command.run }) } };

/** Returns the value of the custom event for an event that routines can wait for. */
export const eventValue = (event: string, data: Json): JsonObject => ({ event, data });

/** The value of a custom event of the system. A customer cannot post one. */
const valueOf = ({ kind, source, data }: StoredEvent): unknown => (kind === "custom" && source === "system" ? data["value"] : undefined);

/** Returns the command in an event. */
export function commandIn(event: StoredEvent): RoutineCommand | undefined {
  const value = valueOf(event);
  const routine: unknown = isPlainObject(value) ? value["routine"] : undefined;
  if (!isPlainObject(routine)) return undefined;
  const of = typeof routine["run"] === "string" ? { run: routine["run"] } : {};
  if (routine["leave"] === true) return { type: "leave", ...of };
  if (typeof routine["enter"] !== "string") return undefined;
  return { type: "enter", routine: routine["enter"], input: routine["input"] as Json | undefined, ...of };
}

/** Returns the first event of a name after an offset, up to the turn's start. */
export async function eventAfter(
  turn: ExtensionTurn,
  name: string,
  after: number,
): Promise<{ readonly offset: number; readonly data: Json } | undefined> {
  for (const event of await customEvents(turn, after + 1)) {
    const value = valueOf(event);
    if (isPlainObject(value) && value["event"] === name) return { offset: event.offset, data: (value["data"] as Json | undefined) ?? null };
  }
  return undefined;
}

/** Returns the custom events of a session from an offset to the turn's start. Those among its last messages need no read. */
export async function customEvents({ loaded, runtime, claim }: ExtensionTurn, from: number): Promise<readonly StoredEvent[]> {
  const recent = loaded.messages.filter(({ kind, offset }) => kind === "custom" && offset >= from);
  const first = loaded.messages[0]?.offset ?? 0;
  if (first <= from || loaded.session.head < from) return recent;
  const earlier: StoredEvent[] = [];
  const request = { session_id: claim.session_id, min_offset: from, max_offset: loaded.session.head, kinds: ["custom"] as const };
  for await (const event of eventsOf(runtime.store, request)) earlier.push(event);
  return earlier;
}
