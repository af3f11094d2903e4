/** Schedules the calls of one reply. */
import type { JsonObject } from "../kernel/json.ts";
import type { StateDefinition } from "../state/define.ts";
import type { AnyReducer } from "../state/reducer.ts";
import type { Tool } from "./tool.ts";

/** A call's use of the state: the fields that it reads and writes, or all of them. */
export interface StateUse {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Whether it gets the state itself, so that it may read and write every field. */
  readonly takesState: boolean;
}

/** A call: its tool and its arguments. */
interface BoundCall {
  readonly tool: Pick<Tool, "inputsFromState" | "outputsToState" | "takesState" | "overridable"> | undefined;
  readonly arguments: JsonObject;
}

/** Returns a call's use of the state, which is none without a tool. An overridable parameter that the call sets is not read from the state. */
export const useOf = ({ tool, arguments: given }: BoundCall): StateUse => ({
  reads: Object.entries(tool?.inputsFromState ?? {}).flatMap(([field, parameter]) =>
    tool?.overridable.includes(parameter) === true && Object.hasOwn(given, parameter) ? [] : [field],
  ),
  writes: Object.keys(tool?.outputsToState ?? {}),
  takesState: tool?.takesState ?? false,
});

/**
 * Returns the calls of one reply, by index, in batches. Calls of one batch may run concurrently. A batch starts when the previous one has ended.
 *
 * A call that reads a field waits for every other call that writes it, in whatever order the model made them. If calls wait for each other in a
 * cycle, the first of the cycle runs alone, then the rest is scheduled again. A reader outside the cycle waits for all of it. A call that takes the
 * state never runs together with one that reads or writes.
 *
 * Batches do not determine the order in which results are merged into the state. That is the order of the calls in the reply, so the last call wins a
 * replaced field, whichever batch it was in. The only exception is a call that has read the write of a later one: the later result is then merged
 * first.
 */
export function schedule(calls: readonly StateUse[]): readonly (readonly number[])[] {
  const waits = calls.map((call, index) => new Set(calls.flatMap((other, at) => (at !== index && readsFrom(call, other) ? [at] : []))));
  const batches: (readonly number[])[] = [];
  let left = calls.map((_call, index) => index);
  while (left.length > 0) {
    const waiting = new Set(left);
    const isFree = (index: number): boolean => [...(waits[index] ?? [])].every((other) => !waiting.has(other));
    const free = left.filter(isFree);
    const batch = free.length > 0 ? free : [firstOfCircle(left, waits)];
    batches.push(batch);
    left = left.filter((index) => !batch.includes(index));
  }
  return batches;
}

/** Whether a call reads a field that another one writes. */
export function readsFrom(reader: StateUse, writer: StateUse): boolean {
  if (reader.takesState) return writer.takesState || writer.writes.length > 0;
  if (writer.takesState) return reader.reads.length > 0;
  return reader.reads.some((field) => writer.writes.includes(field));
}

/** Returns the first call that only waits for calls that wait for it: one of a cycle without outside dependencies. There is one whenever all calls wait. */
function firstOfCircle(left: readonly number[], waits: readonly ReadonlySet<number>[]): number {
  const among = new Set(left);
  const reached = new Map(left.map((index) => [index, reachableFrom(index, waits, among)]));
  const isInnermost = (index: number): boolean => [...(reached.get(index) ?? [])].every((other) => reached.get(other)?.has(index) === true);
  return left.find(isInnermost) ?? Math.min(...left);
}

/** Returns all direct and indirect dependencies of a call. */
function reachableFrom(start: number, waits: readonly ReadonlySet<number>[], among: ReadonlySet<number>): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [start];
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    for (const next of waits[current] ?? []) {
      if (!among.has(next) || found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

/** A call, with the tool that determines the reducers of its writes. */
export interface WritingCall extends StateUse {
  readonly tool: Pick<Tool, "outputsToState"> | undefined;
}

/** Two calls that write one field, so that one write would be lost. */
export interface WriteConflict {
  readonly first: number;
  readonly second: number;
  readonly field: string;
}

/**
 * Returns the calls of one reply that replace the write of another one without having read it, so that one of the two is lost. A field that is joined
 * (appended to, counted, merged) has no conflicts. The writes of a call that takes the state are not known in advance, so it has none either.
 */
export function writeConflicts(calls: readonly WritingCall[], definition: StateDefinition): readonly WriteConflict[] {
  return calls.flatMap((call, second) =>
    calls.slice(0, second).flatMap((earlier, first) =>
      call.writes
        .filter((field) => earlier.writes.includes(field) && !call.reads.includes(field) && !earlier.reads.includes(field))
        .filter((field) => replaces(earlier, field, definition) || replaces(call, field, definition))
        .map((field) => ({ first, second, field })),
    ),
  );
}

function replaces({ tool }: WritingCall, field: string, definition: StateDefinition): boolean {
  const own = tool?.outputsToState[field]?.reduce;
  const reducer: AnyReducer | undefined = own ?? definition.fields[field]?.reducer;
  // A schema without a type mostly holds one value. A list would be appended to.
  return reducer?.name === "replace" || reducer?.name === "by_value";
}
