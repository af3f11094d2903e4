/** State values and the JSON documents that store them. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json, jsonEqual, type JsonObject } from "../kernel/json.ts";
import { validate } from "../kernel/schema.ts";
import { type Checked, checkValue, decodeValue, encodeValue, initialOf } from "./check-value.ts";
import type { StateDefinition, StateOf } from "./define.ts";
import type { Field } from "./field.ts";
import { messagesField } from "./messages-field.ts";
import { snapshotDocument } from "./value.ts";
import type { Slot } from "./write.ts";

/** Values of a state by field name, without absent fields, for any definition. Deeply frozen. */
export type StateValues = Readonly<Record<string, unknown>>;

/** The encoded state: reduced fields, which persist, and all other fields, which end with the turn. */
interface Documents {
  readonly durable: JsonObject;
  readonly transient: JsonObject;
}

/**
 * The documents of each state. Because of this cache, encoding a state costs nothing, and operations are computed against the stored JSON. The JSON
 * differs from the values only where a field has a codec, or where its schema has gained a default since.
 */
const documents = new WeakMap<StateValues, Documents>();
/** Documents of states, frozen JSON as they are: one that is decoded again, as the next turn does, is not looked through again. */
const sound = new WeakSet<JsonObject>();
/** Lists and objects that a field holds, as they are, by the field that has read or written them: it need not read them again. */
const readAs = new WeakMap<object, Field>();
const nothing: JsonObject = Object.freeze({});

/** Whether a field is in the durable document. `messages` is in no document, because it is the log. */
export const isDurable = (field: Field): boolean => field.lifecycle === "reduced";
const partOf = (field: Field): keyof Documents => (isDurable(field) ? "durable" : "transient");

/** A mutable copy of a state, which becomes a new state once. */
interface Draft {
  /** Returns the field's current value; undefined if it is absent. */
  get(name: string): Slot;
  set(name: string, slot: Slot): void;
  /** Returns the new state, or the original state if nothing was set. */
  finish(): StateValues;
}

/** Starts a draft of a new state from an existing one. */
export function draftOf(definition: StateDefinition, state: StateValues): Draft {
  const before = documentsOf(definition, state);
  const values: Record<string, unknown> = { ...state };
  const drafts = { durable: { ...before.durable } as Record<string, Json>, transient: { ...before.transient } as Record<string, Json> };
  const changed = { values: false, durable: false, transient: false };
  return {
    get: (name) => slotOf(definition, name, values, drafts),
    set(name, slot) {
      changed.values = true;
      put(values, name, slot?.live);
      if (name === messagesField) return;
      const field = findField(definition, name);
      const part = partOf(field);
      if (slot !== undefined && isDurable(field)) remember(field, slot);
      changed[part] = true;
      put(drafts[part], name, slot?.json);
    },
    finish() {
      if (!changed.values) return state;
      return createState(values, {
        durable: changed.durable ? Object.freeze(drafts.durable) : before.durable,
        transient: changed.transient ? Object.freeze(drafts.transient) : before.transient,
      });
    },
  };
}

function put<Value>(record: Record<string, Value>, name: string, value: Value | undefined): void {
  if (value === undefined) delete record[name];
  else record[name] = value;
}

function createState(values: Record<string, unknown>, held: Documents): StateValues {
  documents.set(Object.freeze(values), held);
  sound.add(held.durable);
  return values;
}

/** Remembers a value that the field holds as it is stored. A codec makes a new one each time, which may change. */
function remember(field: Field, { live, json }: Checked): void {
  if (field.codec === undefined && live === json && typeof json === "object" && json !== null && Object.isFrozen(json)) readAs.set(json, field);
}

function slotOf(definition: StateDefinition, name: string, values: StateValues, held: Documents): Slot {
  if (!Object.hasOwn(values, name)) return undefined;
  const live = values[name];
  const json = name === messagesField ? (live as Json) : held[partOf(findField(definition, name))][name];
  // The value is a default that the document does not hold: readable, but not stored.
  return json === undefined ? undefined : { live, json };
}

/** Returns the field with this name. Throws `state.unknown_field` with the closest existing name as a hint. */
export function findField(definition: StateDefinition, name: string): Field {
  const field = Object.hasOwn(definition.fields, name) ? definition.fields[name] : undefined;
  if (field !== undefined) return field;
  const names = Object.keys(definition.fields);
  const near = nearest(name, names);
  throw new ThroughlineError("state.unknown_field", `The state has no field ${seen(name)}; it has ${names.join(", ")}.`, {
    details: { field: name },
    ...(near === undefined ? {} : { hint: `Did you mean \`${near}\`?` }),
  });
}

/** Returns the documents of a state. A state that was built by hand is encoded now. */
function documentsOf(definition: StateDefinition, state: StateValues): Documents {
  const known = documents.get(state);
  if (known !== undefined) return known;
  const parts: { durable: Record<string, Json>; transient: Record<string, Json> } = { durable: {}, transient: {} };
  for (const [name, value] of Object.entries(state)) {
    const field = findField(definition, name);
    if (value !== undefined && name !== messagesField) parts[partOf(field)][name] = encodeValue(name, field, value).json;
  }
  const made = { durable: Object.freeze(parts.durable), transient: Object.freeze(parts.transient) };
  if (Object.isFrozen(state)) documents.set(state, made);
  return made;
}

/** A state without any values, not even declared defaults. */
export const emptyState: StateValues = createState({}, { durable: nothing, transient: nothing });

/** Returns the document of a new session: the reduced fields at their declared defaults. */
export function initialState(definition: StateDefinition): JsonObject {
  const document: Record<string, Json> = {};
  for (const [name, field] of Object.entries(definition.fields)) {
    if (isDurable(field) && name !== messagesField && field.initial !== undefined) document[name] = checkValue(name, field, initialOf(field)).json;
  }
  return Object.freeze(document);
}

/**
 * Decodes a document to a state. Reduced fields are decoded and validated, all others are absent, and `messages` is empty. A field that the document
 * does not hold reads as its declared default. Members without a declared field stay in the document, but are not read. Throws `state.corrupt` with
 * the field's name.
 */
export function decodeState<Definition extends StateDefinition>(definition: Definition, document: JsonObject): StateOf<Definition> {
  const copy = sound.has(document) ? { json: document } : snapshotDocument(document);
  if ("offence" in copy || !isPlainObject(copy.json)) {
    const where = "offence" in copy ? `${seen(copy.offence.path)} is ${copy.offence.seen}` : `saw ${seen(document)}`;
    throw new ThroughlineError("state.corrupt", `A stored state is a JSON object; ${where}.`);
  }
  const durable = copy.json;
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(definition.fields)) {
    if (name === messagesField) values[name] = Object.freeze([]);
    else if (isDurable(field)) put(values, name, readField(name, field, durable));
  }
  return createState(values, { durable, transient: nothing }) as StateOf<Definition>;
}

function readField(name: string, field: Field, document: JsonObject): unknown {
  const stored = Object.hasOwn(document, name) ? document[name] : undefined;
  if (stored === undefined) return field.initial === undefined ? undefined : checkValue(name, field, initialOf(field)).live;
  if (typeof stored === "object" && stored !== null && readAs.get(stored) === field) return stored;
  const read = readValue(name, field, stored);
  remember(field, read);
  return read.live;
}

/** Decodes and validates a stored value. Throws `state.corrupt` if it cannot be read. */
export function readValue(name: string, field: Field, stored: Json): Checked {
  try {
    const result = validate(field.schema, decodeValue(name, field, stored));
    if (!result.ok) throw corrupt(name, stored, `${result.issues[0]?.path ?? ""} ${result.issues[0]?.message ?? "refused"}`.trim());
    const { live, json } = encodeValue(name, field, result.value);
    return { live: field.codec === undefined && jsonEqual(json, stored) ? stored : live, json: stored };
  } catch (error) {
    throw ThroughlineError.is(error, "state.corrupt") ? error : corrupt(name, stored, error instanceof Error ? error.message : String(error), error);
  }
}

function corrupt(name: string, stored: Json, why: string, cause?: unknown): ThroughlineError {
  return new ThroughlineError("state.corrupt", `The stored value of /${name}, ${seen(stored)}, cannot be read: ${why}.`, {
    cause,
    details: { field: name, path: `/${name}` },
    hint: "If the schema has changed, raise the version of the agent and add a migration; otherwise restore the session from a backup.",
  });
}

/** Returns the document of a state: its reduced fields, encoded. The inverse of {@link decodeState}, at no cost. */
export const encodeState = (definition: StateDefinition, state: StateValues): JsonObject => documentsOf(definition, state).durable;

/** Returns the encoded fields that end with the turn. */
export const encodeTransient = (definition: StateDefinition, state: StateValues): JsonObject => documentsOf(definition, state).transient;

/** Moves a turn's state onto a new document after another writer's commit. Reduced fields come from `document`; all others are kept. */
export function rebaseState<Definition extends StateDefinition>(
  definition: Definition,
  state: StateOf<Definition>,
  document: JsonObject,
): StateOf<Definition> {
  const fresh: StateValues = decodeState(definition, document);
  const { transient } = documentsOf(definition, state);
  const values: Record<string, unknown> = { ...fresh };
  for (const [name, value] of Object.entries(state)) {
    if (name === messagesField || !isDurable(findField(definition, name))) values[name] = value;
  }
  return createState(values, { durable: encodeState(definition, fresh), transient }) as StateOf<Definition>;
}

/** Returns the candidate closest to a name, for "did you mean" hints; undefined if none is close enough. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.min(name.length - 1, Math.max(2, Math.floor(name.length / 3)));
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), limit);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Computes the Levenshtein distance. A length difference above `limit` returns `limit + 1` without computing it. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i++) {
    const current = [i + 1];
    for (let j = 0; j < right.length; j++) {
      const substituted = (previous[j] ?? 0) + (left[i] === right[j] ? 0 : 1);
      current.push(Math.min(substituted, (previous[j + 1] ?? 0) + 1, (current[j] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
