/** Converts a standalone state to JSON and back. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import { jsonSchemaOf } from "../kernel/schema.ts";
import { decodeValue, encodeValue } from "./check.ts";
import type { StateDefinition } from "./define.ts";
import { findField, type StateValues } from "./document.ts";
import type { Field } from "./field.ts";
import { type AnyReducer, referenceOf, type ReducerReference } from "./reducer.ts";

/** Describes a field well enough to recognize its definition. The definition itself is code and is never loaded from data. */
export interface SerializedField {
  readonly lifecycle: Field["lifecycle"];
  readonly show: Field["show"];
  readonly reducer: ReducerReference;
  readonly json_schema: JsonObject;
}

/** A standalone state as JSON. */
export interface SerializedState {
  readonly format: 1;
  readonly fields: Readonly<Record<string, SerializedField>>;
  /** Encoded values, without absent fields. */
  readonly data: JsonObject;
}

/** Returns a state as JSON, without the fields named in `omit`. Unknown names in `omit` are ignored. */
export function serializeState(definition: StateDefinition, state: StateValues, omit: readonly string[] = []): SerializedState {
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
export interface Deserialized {
  /** Decoded values, not validated yet. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Registered reducers of the fields that were stored with a reducer other than the definition's. */
  readonly reducers: Readonly<Record<string, AnyReducer>>;
}

/**
 * Reads the result of {@link serializeState}. Throws `state.serialized_invalid` for any other value, and for fields that the definition does not
 * have; no field is dropped. Throws `state.reducer_unknown` for a reducer that is neither in the definition nor in `registered`.
 */
export function deserializeState(definition: StateDefinition, json: unknown, registered: readonly AnyReducer[] = []): Deserialized {
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
