/** A write to a single field. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { diff } from "../kernel/json-diff.ts";
import { escapeSegment } from "../kernel/json.ts";
import { applyPatch, type PatchOperation } from "../kernel/json-patch.ts";
import { validate } from "../kernel/schema.ts";
import { type Checked, checkItems, checkValue, decodeValue, encodeValue, initialOf } from "./check-value.ts";
import { append, byValue, replace } from "./reducers.ts";
import type { Field } from "./field.ts";
import { type AnyReducer, isClear, noChange, overrideOf } from "./reducer.ts";
import { snapshot } from "./value.ts";

/** The value of a field; undefined if the field is absent. */
export type Slot = Checked | undefined;

/** A field of a state and its value. */
export interface Place {
  readonly name: string;
  readonly field: Field;
  readonly slot: Slot;
}

export interface Written {
  readonly slot: Slot;
  /** Operations from the field's stored value to the new one, with full paths. */
  readonly operations: readonly PatchOperation[];
}

/** Writes an update, `clear()` or an update from `using()`. Returns undefined if the field does not change. */
export function writeField(place: Place, update: unknown): Written | undefined {
  if (update === undefined || update === noChange) return undefined;
  if (isClear(update)) return clearField(place);
  const overridden = overrideOf(update);
  const given = overridden === undefined ? update : overridden.update;
  const reducer = choose(place, overridden?.reducer ?? place.field.reducer, given);
  if (reducer.validates === "result") return writeResult(place, reducer, given);
  if (given !== null) return writeItems(place, reducer, given);
  // Null replaces a nullable list. The next element starts a new list.
  if (accepts(place.field, null)) return replaceField(place, null);
  throw mismatch(place, reducer, "takes an element or a list of elements; saw null", "To add null itself, give it in a list: `[null]`.");
}

/** Replaces the field's value with a whole value. */
export function replaceField(place: Place, value: unknown): Written | undefined {
  return settle(place, checkValue(place.name, place.field, value));
}

/** Resets the field to its declared default, or to absent. Throws `state.not_clearable` for an input or loaded field. */
function clearField(place: Place): Written | undefined {
  const { name, field, slot } = place;
  if (field.lifecycle === "input" || field.lifecycle === "loaded") {
    throw new ThroughlineError("state.not_clearable", `/${name} is declared with ${field.lifecycle}() and cannot be cleared.`, {
      details: { field: name },
    });
  }
  if (field.initial !== undefined) return replaceField(place, initialOf(field));
  return slot === undefined ? undefined : { slot: undefined, operations: [{ op: "remove", path: pathOf(name) }] };
}

const pathOf = (name: string): string => `/${escapeSegment(name)}`;
const accepts = (field: Field, value: unknown): boolean => validate(field.schema, value).ok;

/** Chooses the reducer if the default depends on the values. Throws `state.reducer_ambiguous` if append and replace are both possible. */
function choose(place: Place, reducer: AnyReducer, update: unknown): AnyReducer {
  if (reducer !== byValue) return reducer;
  const { field, slot } = place;
  const current = slot?.live ?? undefined;
  const whole = validate(field.schema, update);
  if (update === null || (whole.ok && whole.value === null)) return replace();
  const isList = whole.ok ? Array.isArray(whole.value) : Array.isArray(current) || accepts(field, [update]);
  if (current !== undefined && isList !== Array.isArray(current)) throw ambiguous(place, update);
  if (!isList) return replace();
  if (whole.ok && Array.isArray(current) && !joins(field, current, whole.value as readonly unknown[])) throw ambiguous(place, update);
  return append();
}

/** Whether the schema accepts a longer list; a tuple's schema does not. It validates only one old element, so the cost depends on the update alone. */
function joins(field: Field, current: readonly unknown[], items: readonly unknown[]): boolean {
  return current.length === 0 || items.length === 0 || accepts(field, [current.at(-1), ...items]);
}

function ambiguous({ name, slot }: Place, update: unknown): ThroughlineError {
  const message = `/${name} holds ${seen(slot?.live)} and is given ${seen(update)}: it cannot be told whether to append or to replace.`;
  return new ThroughlineError("state.reducer_ambiguous", message, { details: { field: name } });
}

/** Writes with a reducer that validates elements before it joins them. Existing elements are not validated again. */
function writeItems(place: Place, reducer: AnyReducer, update: unknown): Written | undefined {
  const { name, field, slot } = place;
  const current = slot?.live ?? undefined;
  if (current !== undefined && !Array.isArray(current)) throw mismatch(place, reducer, `is for lists; the field holds ${seen(current)}`);
  const next = run(place, reducer, current, checkItems(name, field, update));
  if (next === current) return undefined;
  if (field.codec !== undefined) return settle(place, encodeValue(name, field, next));
  // All elements are frozen: the old ones by an earlier write, the new ones by the check.
  const json = Object.freeze(next) as readonly never[];
  // Operations apply only to the stored value, which can differ from the value read: see decodeState.
  const operations = current !== undefined && slot?.json === current ? reducer.operations?.(current, json) : undefined;
  if (operations === undefined) return settle(place, { live: json, json });
  return operations.length === 0 ? undefined : { slot: { live: json, json }, operations: below(name, operations) };
}

/** Writes with a reducer whose result is validated. */
function writeResult(place: Place, reducer: AnyReducer, update: unknown): Written | undefined {
  const { name, field, slot } = place;
  // Freezing does not reach into a class instance, so the reducer gets its own decoded copy.
  const current = field.codec === undefined || slot === undefined ? slot?.live : decodeValue(name, field, slot.json);
  const copy = snapshot(update);
  const next = run(place, reducer, current, "json" in copy ? copy.json : update);
  if (next === noChange || (next === current && next !== undefined && field.codec === undefined)) return undefined;
  if (isClear(next)) return clearField(place);
  if (next === undefined) throw failed(place, reducer, "it returned undefined", { hint: "Return the value, `noChange` or `clear()`." });
  if (next instanceof Promise) {
    next.catch(() => {});
    throw failed(place, reducer, "it returned a promise", { hint: "Reducers are synchronous: do asynchronous work in the stage that writes." });
  }
  return replaceField(place, next);
}

function run(place: Place, reducer: AnyReducer, current: unknown, update: unknown): unknown {
  try {
    return reducer.reduce(current, update);
  } catch (error) {
    if (ThroughlineError.is(error, "state.reducer_mismatch")) {
      throw new ThroughlineError(error.code, `/${place.name}: ${error.message}`, { hint: error.hint, details: { field: place.name }, cause: error });
    }
    // The thrown text may quote a user, so only the cause has it.
    throw failed(place, reducer, "it threw", { cause: error });
  }
}

/**
 * Returns the new value and the operations from the old value to it. The new value shares all unchanged parts with the old one. Applying the
 * operations to the old value gives the new one, so a log replays without reducers.
 */
function settle({ name, slot }: Place, next: Checked): Written | undefined {
  if (slot === undefined) return { slot: next, operations: [{ op: "add", path: pathOf(name), value: next.json }] };
  const operations = diff(slot.json, next.json);
  if (operations.length === 0) return undefined;
  const json = applyPatch(slot.json, operations);
  return { slot: { live: next.live === next.json ? json : next.live, json }, operations: below(name, operations) };
}

function below(name: string, operations: readonly PatchOperation[]): readonly PatchOperation[] {
  const path = pathOf(name);
  return operations.map((operation) => ({ ...operation, path: `${path}${operation.path}` }));
}

function failed({ name }: Place, reducer: AnyReducer, why: string, options: { readonly cause?: unknown; readonly hint?: string }): ThroughlineError {
  const details = { field: name, reducer: reducer.name };
  return new ThroughlineError("state.reducer_failed", `The reducer ${seen(reducer.name)} of /${name} failed: ${why}.`, { ...options, details });
}

function mismatch({ name }: Place, reducer: AnyReducer, why: string, hint?: string): ThroughlineError {
  const details = { field: name, reducer: reducer.name };
  return new ThroughlineError(
    "state.reducer_mismatch",
    `/${name}: the reducer ${seen(reducer.name)} ${why}.`,
    hint === undefined ? { details } : { details, hint },
  );
}
