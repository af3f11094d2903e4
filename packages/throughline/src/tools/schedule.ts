/** In which order the calls of one reply run. */
import type { JsonObject } from "../kernel/json.ts";
import type { StateDefinition } from "../state/define.ts";
import type { AnyReducer } from "../state/reducer.ts";
import type { Tool } from "./tool.ts";

/** What a call does with the state: the fields that it reads and writes, or all of them. */
export interface StateUse {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** It is given the state itself, so that it may read and write every field. */
  readonly takesState: boolean;
}

/** A call: its tool, and the arguments that it was given. */
interface BoundCall {
  readonly tool: Pick<Tool, "inputsFromState" | "outputsToState" | "takesState" | "overridable"> | undefined;
  readonly arguments: JsonObject;
}

/** What a call does with the state: nothing without a tool. A parameter that may be overridden, and that the call gives, is not read from the state. */
export const useOf = ({ tool, arguments: given }: BoundCall): StateUse => ({
  reads: Object.entries(tool?.inputsFromState ?? {}).flatMap(([field, parameter]) =>
    tool?.overridable.includes(parameter) === true && Object.hasOwn(given, parameter) ? [] : [field],
  ),
  writes: Object.keys(tool?.outputsToState ?? {}),
  takesState: tool?.takesState ?? false,
});

/**
 * The calls of one reply, by index, in batches: what is in one batch may run at the same time, and a batch begins when the one before has ended.
 *
 * A call that reads a field waits for every other call that writes it, in whatever order the model asked: it reads what they wrote. Where calls wait for
 * each other in a circle, the first of the circle runs alone, then the rest is scheduled again; a reader outside of the circle waits
 * for all of it. A call that takes the state runs with none that reads or writes.
 *
 * Batches say nothing of the order in which results enter the state. That is the order of the calls over the whole reply, so that the last call wins a field
 * that is replaced, whichever batch it was in; it is departed from only where a call has read what a later one wrote, and then the later one's
 * result goes first.
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

/** Whether a call reads something that another one writes. */
export function readsFrom(reader: StateUse, writer: StateUse): boolean {
  if (reader.takesState) return writer.takesState || writer.writes.length > 0;
  if (writer.takesState) return reader.reads.length > 0;
  return reader.reads.some((field) => writer.writes.includes(field));
}

/**
 * The first call that waits for nobody but those who wait for it: one of a circle that nothing outside holds up. There is one whenever all wait, because
 * circles that wait for circles end somewhere.
 */
function firstOfCircle(left: readonly number[], waits: readonly ReadonlySet<number>[]): number {
  const among = new Set(left);
  const reached = new Map(left.map((index) => [index, reachableFrom(index, waits, among)]));
  const isInnermost = (index: number): boolean => [...(reached.get(index) ?? [])].every((other) => reached.get(other)?.has(index) === true);
  return left.find(isInnermost) ?? Math.min(...left);
}

/** Everything that a call waits for, and that those wait for. */
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

/** A call, and the tool that says through which reducers it writes. */
export interface WritingCall extends StateUse {
  readonly tool: Pick<Tool, "outputsToState"> | undefined;
}

/** Two calls that write one field, of which one would be lost. */
export interface WriteConflict {
  readonly first: number;
  readonly second: number;
  readonly field: string;
}

/**
 * The calls of one reply that replace what another one of it writes, without having read it: one of the two is lost. A field that is joined (appended to,
 * counted, merged) has no conflicts. What a call that takes the state writes is not known beforehand, so it has none either.
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
  const own = tool?.outputsToState[field]?.reducer;
  const reducer: AnyReducer | undefined = own ?? definition.fields[field]?.reducer;
  // A schema that does not tell what it holds mostly holds one value; a list would be appended to.
  return reducer?.name === "replace" || reducer?.name === "by_value";
}
