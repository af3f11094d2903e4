/** Where a session stands in its routines: one value of the state, changed by pure functions, so that it is rewound, forked and migrated with the log. */
import { isPlainObject, type Json, type JsonObject, present } from "../kernel/json.ts";
import type { Schema } from "../kernel/schema.ts";
import { reduced } from "../state/field.ts";
import { defineReducer } from "../state/reducer.ts";
import { positionField, type Routine } from "./routine.ts";

/** A routine that a session follows. The last one of a position is active; the others are interrupted, or wait for one that they run. */
export interface Frame {
  readonly routine: string;
  readonly version: number;
  readonly node: string;
  /** Number of visits of each node, with the current one. */
  readonly visits: Readonly<Record<string, number>>;
  /** Offset of the log at which the routine was entered. */
  readonly since: number;
  /** Whether a node of the routine below it runs it. */
  readonly runs?: true;
  /** Id of the run that entered it. */
  readonly run?: string;
  readonly input?: Json;
  /** The latest result of each node that has one. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** Offsets of the last event of each name that a wait has taken. */
  readonly taken?: Readonly<Record<string, number>>;
  /** Progress within the node. Absent on arrival. */
  readonly at?: NodeProgress;
}

/** Progress within a node. */
export interface NodeProgress {
  /** The step that was asked to act for the node. */
  readonly asked?: { readonly turn: number; readonly step: number; readonly what: "action" | "next" };
  /** Number of answers that were not valid. */
  readonly tries?: number;
  /** The node has acted, and only its transitions are open. */
  readonly done?: true;
  /** The turn in which a message of the customer interrupted an approval. It is asked again in a turn of its own. */
  readonly put_off?: number;
  /** The turn in which the agent first spoke for the node. */
  readonly spoke?: number;
  /** The turn in which a model last judged the transitions. */
  readonly judged?: number;
  /** Time at which a wait ends. */
  readonly until?: number;
}

/** How a routine ended. */
export interface Ended {
  readonly routine: string;
  readonly version: number;
  readonly outcome: "completed" | "failed" | "left";
  readonly reason?: string;
  /** The node that failed. */
  readonly node?: string;
  readonly output?: Json;
  /** Id of the run that had entered it. */
  readonly run?: string;
}

/** How a routine ended, where it is known which one. */
export type EndedRun = Omit<Ended, "routine" | "version" | "run">;

/** Where a session stands. */
export interface Position {
  readonly frames: readonly Frame[];
  /** Offset up to which events for routines have been handled. */
  readonly read?: number;
  /** The turn whose messages were compared with the conditions of routines. */
  readonly checked?: number;
  /** The step in which a model was asked which routine to enter. */
  readonly asked?: { readonly turn: number; readonly step: number; readonly tries: number };
  /** The routine that ended last. */
  readonly last?: Ended;
  /** The outputs of `think` nodes: the latest of each node, and those of the last visits. They outlive their routines. */
  readonly thought?: { readonly latest: Readonly<Record<string, Json>>; readonly visits: readonly ThinkVisit[] };
}

/** The output of one visit of a `think` node. */
export interface ThinkVisit {
  readonly routine: string;
  readonly node: string;
  readonly visit: number;
  readonly output: Json;
}

/** Number of visits that are kept. */
const mostVisits = 50;

/** The position of a session that follows no routine. */
export const nowhere: Position = Object.freeze({ frames: Object.freeze([]) });

/** Name of the writer of the position in the log. */
export const positionWriter = { type: "stage", name: "routines" } as const;

const isFrame = (value: unknown): boolean =>
  isPlainObject(value) &&
  typeof value["routine"] === "string" &&
  Number.isSafeInteger(value["version"]) &&
  typeof value["node"] === "string" &&
  Number.isSafeInteger(value["since"]) &&
  isPlainObject(value["visits"]) &&
  isPlainObject(value["outputs"]);

/** The position as the state types it: users read it with `session.extension(…).position()`. */
type StoredPosition = Readonly<Record<string, unknown>>;

const position: Schema<StoredPosition> = {
  "~standard": {
    version: 1,
    vendor: "throughline",
    validate: (value: unknown) =>
      isPlainObject(value) && Array.isArray(value["frames"]) && value["frames"].every(isFrame)
        ? { value }
        : { issues: [{ message: "must be a position in routines" }] },
  },
};

/** Replaces the position. As a reducer of its own, it writes only the operations of what has changed. */
const moved = defineReducer<StoredPosition>({ name: "routine_position", version: 1, reduce: (_current, update) => update });

/**
 * Returns the state field that routines need, to spread into a state.
 * @example defineState({ ...routineFields(), order: reduced(z.string()) })
 */
export function routineFields() {
  return { [positionField]: reduced(position, { initial: { frames: [] }, reduce: moved }) };
}

/** Returns the position in a state. Only the extension writes it. */
export const positionIn = (state: Readonly<Record<string, unknown>>): Position => (state[positionField] as Position | undefined) ?? nowhere;

/** Returns the active routine. */
export const topOf = ({ frames }: Position): Frame | undefined => frames.at(-1);

const withTop = (position: Position, frame: Frame): Position => ({ ...position, frames: [...position.frames.slice(0, -1), frame] });

/** Enters a routine at its first node. The active one is interrupted, or waits for it (`runs`). */
export function enter(
  position: Position,
  { id, version, entry }: Pick<Routine, "id" | "version" | "entry">,
  entered: { readonly since: number; readonly runs?: true | undefined; readonly run?: string | undefined; readonly input?: Json | undefined },
): Position {
  const { since, runs, run, input } = entered;
  const frame: Frame = { routine: id, version, node: entry, visits: { [entry]: 1 }, since, outputs: {}, ...present({ runs, run, input }) };
  return { ...position, frames: [...position.frames, frame] };
}

/** Records progress within the active node. A member that is undefined is removed. */
export function progress(position: Position, at: { readonly [Name in keyof NodeProgress]: NodeProgress[Name] | undefined }): Position {
  const top = topOf(position);
  return top === undefined ? position : withTop(position, { ...top, at: present({ ...top.at, ...at }) });
}

/** Records that the active node has acted. `result` is kept for later nodes. */
export function acted(position: Position, result: Json | undefined): Position {
  const top = topOf(position);
  if (top === undefined) return position;
  const { asked: _asked, tries: _tries, until: _until, ...at } = top.at ?? {};
  const outputs = result === undefined ? top.outputs : { ...top.outputs, [top.node]: result };
  return withTop(position, { ...top, outputs, at: { ...at, done: true } });
}

/** Records the output of the active `think` node. */
export function thought(position: Position, output: Json): Position {
  const top = topOf(position);
  if (top === undefined) return position;
  const { latest = {}, visits = [] } = position.thought ?? {};
  const { routine, node } = top;
  const visit = { routine, node, visit: top.visits[node] ?? 1, output };
  return acted({ ...position, thought: { latest: { ...latest, [node]: output }, visits: [...visits, visit].slice(-mostVisits) } }, output);
}

/** Returns the session's metadata for integrations: the latest output of each `think` node, and its visits. Undefined before the first. */
export const stepOutputs = ({ thought: outputs }: Position): Readonly<Record<"step_outputs" | "step_visits", Json | undefined>> => ({
  step_outputs: outputs?.latest,
  step_visits: outputs?.visits.map((visit) => ({ ...visit })),
});

/** Records that a wait has taken an event at an offset. */
export function taken(position: Position, event: string, offset: number): Position {
  const top = topOf(position);
  return top === undefined ? position : withTop(position, { ...top, taken: { ...top.taken, [event]: offset } });
}

/** Moves the active routine to a node. `end` completes it with the output that it has emitted. */
export function moveTo(position: Position, node: string, routine: Pick<Routine, "nodes">): Position {
  const top = topOf(position);
  if (top === undefined) return position;
  if (node === "end") return leave(position, { outcome: "completed", ...present({ output: emittedBy(top, routine) }) });
  const { at: _at, ...rest } = top;
  return withTop(position, { ...rest, node, visits: { ...top.visits, [node]: (top.visits[node] ?? 0) + 1 } });
}

/** Returns the output that a routine has emitted. If several nodes emit one, the current node's counts, else the last in the order of the nodes. */
function emittedBy({ node, outputs }: Frame, { nodes }: Pick<Routine, "nodes">): Json | undefined {
  const emitting = Object.values(nodes).filter(({ id, kind }) => kind === "emit_output" && Object.hasOwn(outputs, id));
  const last = emitting.find(({ id }) => id === node) ?? emitting.at(-1);
  return last === undefined ? undefined : outputs[last.id];
}

const endedAs = ({ routine, version, run }: Frame, ended: EndedRun): Ended => ({ routine, version, ...ended, ...present({ run }) });

/** Ends the active routine. The one below it resumes where it stood; if it ran this one, the runtime completes its node with `last`. */
export function leave(position: Position, ended: EndedRun): Position {
  const top = topOf(position);
  if (top === undefined) return position;
  return { ...position, frames: position.frames.slice(0, -1), last: endedAs(top, ended) };
}

/** Returns the runs that a session follows, the active one last. */
export const runsIn = ({ frames }: Position): readonly string[] => frames.flatMap(({ run }) => run ?? []);

/** Returns the run that the active routine works for: it is the run's, or a routine that the run's runs. */
export function activeRun({ frames }: Position): string | undefined {
  const own = frames.findLast(({ run, runs }) => run !== undefined || runs !== true);
  return own?.run;
}

/** Leaves the routine of a run, with those that it runs. What interrupts it goes on. */
export function leaveRun(position: Position, run: string, how: EndedRun = { outcome: "left", reason: "leave" }): Position {
  const at = position.frames.findIndex((frame) => frame.run === run);
  const frame = position.frames[at];
  if (frame === undefined) return position;
  const other = position.frames.findIndex((above, index) => index > at && above.runs !== true);
  const after = other === -1 ? [] : position.frames.slice(other);
  const last = endedAs(frame, how);
  return { ...position, frames: [...position.frames.slice(0, at), ...after], last };
}

/** Records that the messages of a turn were compared with the conditions of routines. */
export function checkedAt({ asked: _asked, ...position }: Position, turn: number): Position {
  return { ...position, checked: turn };
}

/** Records the offset up to which events were handled. */
export const readUpto = (position: Position, read: number): Position => ({ ...position, read });

/**
 * Brings a position to the current definitions. Each migration renames nodes from one version to the next. A node that does not exist afterwards, and a
 * routine that no longer exists, is left with the reason `unknown_node` or `unknown_routine`: a guess could repeat a call. Routines that it ran are
 * left with it. Returns the same value if nothing changed.
 */
export function migrated(position: Position, routines: ReadonlyMap<string, Routine>): Position {
  const frames: Frame[] = [];
  let { last } = position;
  let isGone = false;
  for (const frame of position.frames) {
    // What a left routine runs has nowhere to return to.
    const next: Frame | EndedRun =
      isGone && frame.runs === true ? ({ outcome: "left", reason: "unknown_node" } as const) : migratedFrame(frame, routines.get(frame.routine));
    isGone = "outcome" in next;
    if ("outcome" in next) last = endedAs(frame, next);
    else frames.push(next);
  }
  const same = frames.length === position.frames.length && frames.every((frame, index) => frame === position.frames[index]);
  return same ? position : { ...position, frames, ...present({ last }) };
}

function migratedFrame(frame: Frame, routine: Routine | undefined): Frame | EndedRun {
  if (routine === undefined) return { outcome: "left", reason: "unknown_routine" };
  const steps = routine.migrations
    .filter(({ from }) => from >= frame.version && from < routine.version)
    .toSorted((one, other) => one.from - other.from);
  const renamed = (name: string): string => steps.reduce((now, { nodes }) => (Object.hasOwn(nodes, now) ? (nodes[now] ?? now) : now), name);
  const node = renamed(frame.node);
  if (node === "end") return { outcome: "left", reason: "migrated" };
  if (!Object.hasOwn(routine.nodes, node)) return { outcome: "left", reason: "unknown_node" };
  if (frame.version >= routine.version) return frame;
  const rename = <Value>(record: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [renamed(name), value]));
  return { ...frame, version: routine.version, node, visits: rename(frame.visits), outputs: rename(frame.outputs) };
}

/** Returns a position as state. All its values are JSON. */
export const asState = (position: Position): JsonObject => position as unknown as JsonObject;
