/** Deltas: the only way to change a state. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, present } from "../kernel/json.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";
import type { DeltaOf, StateDefinition, StateOf } from "./define.ts";
import { draftOf, findField, isDurable, type StateValues } from "./document.ts";
import type { Field } from "./field.ts";
import { messagesField } from "./messages-field.ts";
import { isClear, overrideOf } from "./reducer.ts";
import { writeField, type Written } from "./write.ts";

/** The effect of a change as operations on the encoded state. Paths start with the field's name. */
export interface Patch {
  /** Operations on reduced fields, as a `state` event holds them. */
  readonly durable: readonly PatchOperation[];
  /** Operations on fields that end with the turn, as a stage's journal entry holds them. */
  readonly transient: readonly PatchOperation[];
}

export interface Applied<Definition extends StateDefinition> {
  /** The new state, frozen. If nothing changed, the same reference as the old state. */
  readonly state: StateOf<Definition>;
  readonly patch: Patch;
  /** Messages that were added. In a session they become events and are in no patch. */
  readonly messages: readonly unknown[];
}

export interface ApplyOptions {
  /** Names of the fields that the writer declared. By default it may write every writable field. */
  readonly writes?: readonly string[];
}

/**
 * Applies a delta atomically: if it throws, nothing changes. It neither changes nor keeps the state or the delta. A field that is left out or
 * undefined stays as it is; null is a value. `clear()` resets a field, `noChange` keeps it, and `using()` applies another reducer. The cost depends
 * on the fields written. For reducers that validate the update, such as append, it depends on the update only.
 *
 * Throws `state.unknown_field`, `state.undeclared_write`, `state.invalid_value`, `state.not_json`, `state.schema_not_idempotent`,
 * `state.reducer_failed`, `state.reducer_mismatch`, `state.reducer_ambiguous`, `state.not_clearable`, `schema.async`, and `input.invalid` if the
 * delta is not a plain object.
 */
export function applyDelta<Definition extends StateDefinition>(
  definition: Definition,
  state: StateOf<Definition>,
  delta: DeltaOf<Definition> | undefined,
  options: ApplyOptions = {},
): Applied<Definition> {
  const { writes } = options;
  const check = (name: string, field: Field): void => {
    if (field.lifecycle === "input")
      throw undeclared(name, "is an `input` field: the caller sets it when a turn begins", "Declare a `turn` field for what is made of it.");
    if (writes !== undefined && !writes.includes(name)) throw undeclared(name, `is not among the declared writes (${writes.join(", ") || "none"})`);
  };
  return applyWrites(definition, state, delta ?? {}, { check });
}

/** What a writer may write. */
interface WriteRules {
  /** Throws if the writer may not write the field. */
  readonly check: (name: string, field: Field) => void;
  /** Whether `messages` is a session's log, which only grows. Default true. */
  readonly projected?: boolean;
}

/** Applies updates to fields under these rules. */
export function applyWrites<Definition extends StateDefinition>(
  definition: Definition,
  state: StateValues,
  updates: object,
  rules: WriteRules,
): Applied<Definition> {
  const { check, projected = true } = rules;
  if (!isPlainObject(updates)) {
    throw new ThroughlineError("input.invalid", `A delta is an object of updates by field name; saw ${seen(updates)}.`, {
      hint: "Return a plain object; await a promise first.",
    });
  }
  const draft = draftOf(definition, state);
  const change = collectChange();
  for (const [name, update] of Object.entries(updates)) {
    const field = findField(definition, name);
    if (update === undefined) continue;
    check(name, field);
    if (name === messagesField && projected) refuseRewriting(update);
    const before = draft.get(name);
    const written = writeField({ name, field, slot: before }, update);
    if (written === undefined) continue;
    draft.set(name, written.slot);
    change.add(name, field, written, before?.live);
  }
  return change.finish(draft.finish() as StateOf<Definition>);
}

interface Change {
  add(name: string, field: Field, written: Written, before?: unknown): void;
  finish<Definition extends StateDefinition>(state: StateOf<Definition>): Applied<Definition>;
}

/** Collects written fields into a patch. */
export function collectChange(): Change {
  const durable: PatchOperation[] = [];
  const transient: PatchOperation[] = [];
  const messages: unknown[] = [];
  return {
    add(name, field, { slot, operations }, before) {
      if (name === messagesField) {
        for (const message of listOf(slot?.live).slice(listOf(before).length)) messages.push(message);
        return;
      }
      const target = isDurable(field) ? durable : transient;
      for (const operation of operations) target.push(Object.freeze(operation));
    },
    finish: (state) =>
      Object.freeze({
        state,
        patch: Object.freeze({ durable: Object.freeze(durable), transient: Object.freeze(transient) }),
        messages: Object.freeze(messages),
      }),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Creates a `state.undeclared_write` error for a field that this writer may not write. */
export function undeclared(name: string, why: string, hint?: string): ThroughlineError {
  return new ThroughlineError("state.undeclared_write", `/${name} ${why}.`, { details: { field: name }, ...present({ hint }) });
}

/** In a session, `messages` is the log and can only grow. Throws `state.reducer_mismatch` for any other write. */
function refuseRewriting(update: unknown): void {
  if (!isClear(update) && overrideOf(update) === undefined) return;
  throw new ThroughlineError("state.reducer_mismatch", "/messages only grows: it can be neither cleared nor written through another reducer.", {
    details: { field: messagesField },
    hint: "Append messages; to take some back, withdraw them from the session.",
  });
}
