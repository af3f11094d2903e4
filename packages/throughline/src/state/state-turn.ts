/** State changes of a turn apart from deltas: starting it, setting loaded fields, and replaying it after a crash. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { applyPatch, type PatchOperation } from "../kernel/json-patch.ts";
import { deepFreeze, isPlainObject } from "../kernel/json.ts";
import { validate } from "../kernel/schema.ts";
import { type Applied, applyWrites, collectChange, undeclared } from "./apply.ts";
import { initialOf, invalidValue } from "./check-value.ts";
import type { InputOf, StartOf, StateDefinition, StateOf } from "./define.ts";
import { draftOf, encodeTransient, findField, isDurable, readValue } from "./document.ts";
import type { Field } from "./field.ts";
import { messagesField } from "./messages-field.ts";
import { replaceField } from "./write.ts";

/** The values that a turn starts with. */
export interface TurnGiven<Definition extends StateDefinition> {
  /** Values of the `input` fields. */
  readonly input?: InputOf<Definition>;
  /** Updates of reduced fields with `start: true`. Their reducers apply them. */
  readonly start?: Omit<StartOf<Definition>, keyof InputOf<Definition>>;
}

/**
 * Returns the state for a turn's first stage. Input fields are set, and start updates are applied. Turn and loaded fields are absent, or at their
 * declared defaults. The transient patch contains the operations from an empty turn to this state. Throws `state.invalid_value` for a missing or
 * invalid input, `state.unknown_field`, and what applyDelta throws.
 */
export function beginTurn<Definition extends StateDefinition>(
  definition: Definition,
  state: StateOf<Definition>,
  given: TurnGiven<Definition> = {},
): Applied<Definition> {
  const inputs = givenObject("input", given.input);
  for (const name of Object.keys(inputs)) {
    if (findField(definition, name).lifecycle !== "input")
      throw undeclared(name, "is not an `input` field", "Give reduced fields under `start`, and declare them with `start: true`.");
  }
  const change = collectChange();
  const draft = draftOf(definition, state);
  for (const [name, field] of Object.entries(definition.fields)) {
    if (isDurable(field)) continue;
    draft.set(name, undefined);
    const value = field.lifecycle === "input" && inputs[name] !== undefined ? inputs[name] : defaultOf(name, field);
    const written = value === undefined ? undefined : replaceField({ name, field, slot: undefined }, value);
    if (written === undefined) continue;
    draft.set(name, written.slot);
    change.add(name, field, written);
  }
  const begun = change.finish<Definition>(draft.finish() as StateOf<Definition>);
  const started = applyWrites(definition, begun.state, givenObject("start", given.start), {
    check(name, field) {
      if (field.lifecycle !== "reduced" || !field.start)
        throw undeclared(name, "cannot be given when a turn begins", "Only reduced fields declared with `start: true` can.");
    },
  });
  return Object.freeze({ ...started, patch: Object.freeze({ durable: started.patch.durable, transient: begun.patch.transient }) });
}

/** Sets the loaded fields of this turn. A loaded field that is left out stays as it is. Throws what applyDelta throws. */
export function setLoaded<Definition extends StateDefinition>(
  definition: Definition,
  state: StateOf<Definition>,
  values: object,
): Applied<Definition> {
  return applyWrites(definition, state, values, {
    check(name, field) {
      if (field.lifecycle !== "loaded") throw undeclared(name, "is not a `loaded` field", "Write other fields with a delta.");
    },
  });
}

/**
 * Applies journaled operations to the fields that end with the turn, without running stages or reducers again. Throws `patch.path_missing` or
 * `patch.invalid` for operations on another state, and `state.corrupt` for values that their schema rejects.
 */
export function replayTransient<Definition extends StateDefinition>(
  definition: Definition,
  state: StateOf<Definition>,
  operations: readonly PatchOperation[],
): StateOf<Definition> {
  if (operations.length === 0) return state;
  const before = encodeTransient(definition, state);
  const after = applyPatch(before, operations);
  if (!isPlainObject(after)) throw new ThroughlineError("patch.invalid", `Journaled operations turn the state into ${seen(after)}.`);
  const draft = draftOf(definition, state);
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const stored = after[name];
    if (stored === before[name]) continue;
    const field = findField(definition, name);
    if (isDurable(field))
      throw new ThroughlineError("patch.invalid", `/${name} survives the turn and is not in its journal.`, { details: { field: name } });
    draft.set(name, stored === undefined ? undefined : readValue(name, field, stored));
  }
  return draft.finish() as StateOf<Definition>;
}

/** Sets the messages of a session in its state, for the stages to read. They are frozen, but not validated, because they come from the log. */
export function withMessages<Definition extends StateDefinition>(
  definition: Definition,
  state: StateOf<Definition>,
  messages: readonly object[],
): StateOf<Definition> {
  const draft = draftOf(definition, state);
  draft.set(messagesField, { live: deepFreeze(messages), json: null });
  return draft.finish() as StateOf<Definition>;
}

/** Returns the value of a field that the caller left out: its declared default. For an input without one, returns the schema's output for undefined. */
function defaultOf(name: string, field: Field): unknown {
  if (field.initial !== undefined) return initialOf(field);
  if (field.lifecycle !== "input") return undefined;
  const result = validate(field.schema, undefined);
  if (result.ok) return result.value;
  throw invalidValue(name, undefined, result.issues);
}

function givenObject(part: string, value: unknown = {}): Record<string, unknown> {
  if (isPlainObject(value)) return value;
  throw new ThroughlineError("input.invalid", `\`${part}\` is an object of values by field name; saw ${seen(value)}.`);
}
