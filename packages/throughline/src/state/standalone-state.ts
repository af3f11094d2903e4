/** Standalone state: a mutable wrapper around frozen values, for tools and scripts without a session; and its JSON. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import { jsonSchemaOf } from "../kernel/schema.ts";
import { applyWrites, undeclared } from "./apply.ts";
import { decodeValue, encodeValue, initialOf } from "./check-value.ts";
import {
  defineState,
  type DeltaOf,
  type FieldRecord,
  isStateDefinition,
  type MessagesRule,
  type StateDefinition,
  type StateOf,
  type WithMessages,
  withReducers,
} from "./define.ts";
import { draftOf, emptyState, findField, type StateValues } from "./document.ts";
import type { Field } from "./field.ts";
import {
  type AnyReducer,
  type Clear,
  inlineReducer,
  isReducer,
  type NoChange,
  type Reducer,
  type ReducerReference,
  referenceOf,
  using,
} from "./reducer.ts";
import { type Immutable, snapshot } from "./value.ts";
import { replaceField } from "./write.ts";

type StandAloneFields = FieldRecord & MessagesRule;
type Declared<Fields extends FieldRecord> = StateDefinition<WithMessages<Fields>>;
type Values<Fields extends FieldRecord> = StateOf<Declared<Fields>>;
type Held<Fields extends FieldRecord, Name extends keyof Values<Fields>> = Exclude<Values<Fields>[Name], undefined>;
type Delta<Fields extends FieldRecord> = DeltaOf<Declared<Fields>>;
type Writable<Fields extends FieldRecord> = keyof Delta<Fields> & keyof Values<Fields> & string;

/** Whole initial values, by field name. */
type InitialData<Fields extends FieldRecord> = { readonly [Name in keyof Values<Fields>]?: Values<Fields>[Name] | undefined };

/** Options of {@link State.set}. */
interface SetOptions<Value, Update> {
  /** Reducer for this write, instead of the field's own. */
  readonly reduce: Reducer<Value, Update> | ((current: Value | undefined, update: Update) => Value | NoChange | Clear);
}

/** Options of {@link State.fromJSON}. */
interface FromJsonOptions {
  /** Additional reducers that a serialized state may refer to. */
  readonly reducers?: readonly AnyReducer[];
}

/**
 * A container of typed and validated state with shared values.
 *
 * ```ts
 * const state = new State({ user_name: reduced(z.string()), documents: reduced(z.array(Document)) }, { user_name: "Alice" });
 * state.set("documents", { title: "One" }); // lists append, everything else is replaced
 * state.get("documents", []);
 * ```
 */
export class State<Fields extends StandAloneFields> {
  readonly #definition: Declared<Fields>;
  #values: StateValues;

  /**
   * Creates a state from fields or a definition, with whole initial values. Other fields start at their declared defaults, or absent. Throws what
   * defineState and {@link State.set} throw.
   */
  constructor(definition: Fields | StateDefinition<Fields>, data: InitialData<Fields> = {}) {
    this.#definition = declared(definition);
    this.#values = begin(this.#definition, data);
  }

  /** The fields by name, including `messages`. Frozen. */
  get schema(): WithMessages<Fields> {
    return this.#definition.fields;
  }

  /** The values by name, without absent fields. Frozen: a later write creates a new object. */
  get data(): Partial<Values<Fields>> {
    // Each value was validated with the schema that its type is inferred from.
    return this.#values as Partial<Values<Fields>>;
  }

  /**
   * Returns a field's value. If the field is absent, returns a frozen copy of `fallback`, or `fallback` itself if it is not JSON. A field that holds
   * null is not absent.
   */
  get<Name extends keyof Values<Fields> & string>(name: Name): Held<Fields, Name> | undefined;
  get<Name extends keyof Values<Fields> & string, Fallback>(name: Name, fallback: Fallback): Held<Fields, Name> | Immutable<Fallback>;
  get(name: string, fallback?: unknown): unknown {
    if (this.has(name)) return this.#values[name];
    const copy = snapshot(fallback);
    return "json" in copy ? copy.json : fallback;
  }

  /** Whether a field has a value. Null is a value. */
  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  /** Applies an update to a field. Throws what applyDelta throws; the state is then unchanged. */
  set<Name extends Writable<Fields>>(name: Name, update: Delta<Fields>[Name]): void;
  set<Name extends Writable<Fields>, Update>(name: Name, update: Update, options: SetOptions<Held<Fields, Name>, Update>): void;
  set(name: string, update: unknown, options: { readonly reduce?: unknown } = {}): void {
    const unknown = Object.keys(options).find((key) => key !== "reduce");
    if (unknown !== undefined)
      throw new ThroughlineError("input.invalid", `\`set\` has no option ${seen(unknown)}.`, { hint: "Its only option is `reduce`." });
    const { reduce } = options;
    const given = reduce === undefined ? update : using(toReducer(reduce), update);
    const updates = Object.fromEntries([[name, given]]);
    const check = (): void => {
      if (findField(this.#definition, name).lifecycle !== "input") return;
      const why = "is an `input` field: it is set when the state is made and stays as it is";
      throw undeclared(name, why, "Give it to the constructor, or declare the field with reduced().");
    };
    this.#values = applyWrites(this.#definition, this.#values, updates, { check, projected: false }).state;
  }

  /** Returns the state as JSON, without the fields named in `omit`. It refers to reducers by name and version. */
  serialize(options: { readonly omit?: readonly string[] } = {}): SerializedState {
    return serializeState(this.#definition, this.#values, options.omit);
  }

  /** Returns the whole state as JSON. `JSON.stringify` calls it. */
  toJSON(): SerializedState {
    return this.serialize();
  }

  /**
   * Restores a state that {@link State.toJSON} returned, and validates its values. If a field was stored with a reducer other than the definition's,
   * it uses the registered reducer of that name and version. Throws `state.serialized_invalid`, `state.reducer_unknown` and what the constructor
   * throws.
   */
  static fromJSON<Fields extends StandAloneFields>(
    json: unknown,
    definition: Fields | StateDefinition<Fields>,
    options: FromJsonOptions = {},
  ): State<Fields> {
    const { values, reducers } = deserializeState(declared(definition), json, options.reducers);
    return new State<Fields>(withReducers(declared(definition), reducers), values as InitialData<Fields>);
  }
}

function declared<Fields extends StandAloneFields>(definition: Fields | StateDefinition<Fields>): Declared<Fields> {
  // A definition already has `messages`, so WithMessages does not change its fields.
  return isStateDefinition(definition) ? (definition as unknown as Declared<Fields>) : defineState(definition);
}

/** Returns the initial values: the validated values from the caller, otherwise the declared defaults. */
function begin(definition: StateDefinition, data: object): StateValues {
  if (!isPlainObject(data)) throw new ThroughlineError("input.invalid", `A state begins with values by field name; saw ${seen(data)}.`);
  for (const name of Object.keys(data)) findField(definition, name);
  const draft = draftOf(definition, emptyState);
  for (const [name, field] of Object.entries(definition.fields)) {
    const value = data[name] === undefined ? initialOf(field) : data[name];
    if (value === undefined) continue;
    const written = replaceField({ name, field, slot: undefined }, value);
    if (written !== undefined) draft.set(name, written.slot);
  }
  return draft.finish();
}

function toReducer(reducer: unknown): AnyReducer {
  if (isReducer(reducer)) return reducer;
  if (typeof reducer === "function") return inlineReducer(reducer as AnyReducer["reduce"]);
  throw new ThroughlineError("input.invalid", `The \`reduce\` of a write is a reducer or a function; saw ${seen(reducer)}.`);
}

/** Describes a field well enough to recognize its definition. The definition itself is code and is never loaded from data. */
interface SerializedField {
  readonly lifecycle: Field["lifecycle"];
  readonly show: Field["show"];
  readonly reducer: ReducerReference;
  readonly json_schema: JsonObject;
}

/** A standalone state as JSON. */
interface SerializedState {
  readonly format: 1;
  readonly fields: Readonly<Record<string, SerializedField>>;
  /** Encoded values, without absent fields. */
  readonly data: JsonObject;
}

/** Returns a state as JSON, without the fields named in `omit`. Unknown names in `omit` are ignored. */
function serializeState(definition: StateDefinition, state: StateValues, omit: readonly string[] = []): SerializedState {
  const fields: Record<string, SerializedField> = {};
  const data: Record<string, Json> = {};
  for (const [name, field] of Object.entries(definition.fields)) {
    if (omit.includes(name)) continue;
    const { lifecycle, show, reducer, schema, codec } = field;
    fields[name] = { lifecycle, show, reducer: referenceOf(reducer), json_schema: codec === undefined ? jsonSchemaOf(schema, "output") : {} };
    const value = state[name];
    if (value !== undefined) data[name] = encodeValue(name, field, value).json;
  }
  return { format: 1, fields, data };
}

/** The content of a serialized state, read with a definition. */
interface Deserialized {
  /** Decoded values, not validated yet. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Registered reducers of the fields that were stored with a reducer other than the definition's. */
  readonly reducers: Readonly<Record<string, AnyReducer>>;
}

/**
 * Reads the result of {@link serializeState}. Throws `state.serialized_invalid` for any other value, and for fields that the definition does not
 * have; no field is dropped. Throws `state.reducer_unknown` for a reducer that is neither in the definition nor in `registered`.
 */
function deserializeState(definition: StateDefinition, json: unknown, registered: readonly AnyReducer[] = []): Deserialized {
  const refuse = (why: string, field?: string): never => {
    throw new ThroughlineError("state.serialized_invalid", `A serialised state ${why}.`, field === undefined ? {} : { details: { field } });
  };
  if (!isPlainObject(json)) return refuse(`is an object; saw ${seen(json)}`);
  const { format, fields, data } = json;
  if (format !== 1) refuse(`has the format 1; saw ${seen(format)}`);
  if (!isPlainObject(fields)) return refuse(`has an object \`fields\`; saw ${seen(fields)}`);
  if (!isPlainObject(data)) return refuse(`has an object \`data\`; saw ${seen(data)}`);
  const values: Record<string, unknown> = {};
  const reducers: Record<string, AnyReducer> = {};
  for (const [name, described] of Object.entries(fields)) {
    if (!Object.hasOwn(definition.fields, name)) return refuse(`has a field ${seen(name)} that the definition does not have`, name);
    const reference = isPlainObject(described) ? described["reducer"] : undefined;
    if (!isReference(reference)) return refuse(`says of the field ${seen(name)} no reducer by name and version; saw ${seen(described)}`, name);
    const { reducer } = findField(definition, name);
    if (!isSame(reducer, reference)) reducers[name] = findReducer(name, reference, registered);
  }
  for (const [name, value] of Object.entries(data)) {
    if (!Object.hasOwn(fields, name) || !Object.hasOwn(definition.fields, name))
      return refuse(`holds a value of ${seen(name)}, which is not among its fields`, name);
    values[name] = decodeValue(name, findField(definition, name), value as Json);
  }
  return { values, reducers };
}

function isReference(value: unknown): value is ReducerReference {
  return isPlainObject(value) && typeof value["name"] === "string" && typeof value["version"] === "number";
}

const keyOf = ({ name, version, options }: ReducerReference): string => JSON.stringify([name, version, options ?? null]);
const isSame = (reducer: AnyReducer, reference: ReducerReference): boolean => keyOf(reducer) === keyOf(reference);

function findReducer(name: string, reference: ReducerReference, registered: readonly AnyReducer[]): AnyReducer {
  const found = registered.find((reducer) => isSame(reducer, reference));
  if (found !== undefined) return found;
  throw new ThroughlineError(
    "state.reducer_unknown",
    `The field ${seen(name)} was stored with the reducer ${seen(reference.name)}, version ${reference.version}, which is not registered.`,
    {
      details: { field: name, reducer: reference.name, version: reference.version },
    },
  );
}
