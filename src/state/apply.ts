/** Deltas: the one way in which a state changes. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";
import type { DeltaOf, StateDefinition, StateOf } from "./define.ts";
import { draftOf, findField, isDurable, type StateValues } from "./document.ts";
import type { Field } from "./field.ts";
import { messagesField } from "./messages.ts";
import { isClear, overrideOf } from "./reducer.ts";
import { writeField, type Written } from "./write.ts";

/** What a change did, as operations on the encoded state; paths begin with the field's name. */
export interface Patch {
  /** On reduced fields: what a `state` event holds. */
  readonly durable: readonly PatchOperation[];
  /** On fields that end with the turn: what a stage's journal entry holds. */
  readonly transient: readonly PatchOperation[];
}

export interface Applied<Definition extends StateDefinition> {
  /** The new state, frozen; the old one, the same reference, if nothing changed. */
  readonly state: StateOf<Definition>;
  readonly patch: Patch;
  /** The messages that were added: in a session they become events and are in no patch. */
  readonly messages: readonly unknown[];
}

export interface ApplyOptions {
  /** The fields that the writer has declared; all that can be written if left out. */
  readonly writes?: readonly string[];
}

/**
 * Applies a delta: all of it or, when it throws, none. Neither the state nor the delta is changed or kept. A field left out or undefined stays;
 * null is a value; `clear()`, `noChange` and `using()` mean what they say. The cost is that of the fields written, and for reducers
 * that validate the update (append and its kin) that of the update.
 *
 * Throws `state.unknown_field`, `state.undeclared_write`, `state.invalid_value`, `state.not_json`, `state.schema_not_idempotent`,
 * `state.reducer_failed`, `state.reducer_mismatch`, `state.reducer_ambiguous`, `state.not_clearable` and `schema.async`.
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

/** What may be written. */
interface WriteRules {
  /** Throws if the field may not be written. */
  readonly check: (name: string, field: Field) => void;
  /** Whether `messages` is a session's log, which only grows. Default true. */
  readonly projected?: boolean;
}

/** Applies updates to fields, within rules. */
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

/** Collects what is written into the parts of a patch. */
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

/** `state.undeclared_write`, for a field that this writer may not write. */
export function undeclared(name: string, why: string, hint?: string): ThroughlineError {
  return new ThroughlineError("state.undeclared_write", `/${name} ${why}.`, { details: { field: name }, ...(hint === undefined ? {} : { hint }) });
}

/** In a session `messages` is the log, which only grows. */
function refuseRewriting(update: unknown): void {
  if (!isClear(update) && overrideOf(update) === undefined) return;
  throw new ThroughlineError("state.reducer_mismatch", "/messages only grows: it can be neither cleared nor written through another reducer.", {
    details: { field: messagesField },
    hint: "Append messages; to take some back, withdraw them from the session.",
  });
}
