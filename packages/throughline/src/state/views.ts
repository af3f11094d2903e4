/** Views of a state: input, internal, output and public. All derive from the definition. */
import { isPlainObject, type Json, type JsonObject, escapeSegment, parsePointer } from "../kernel/json.ts";
import { type PatchOperation } from "../kernel/json-patch.ts";
import { jsonSchemaOf, validate } from "../kernel/schema.ts";
import type { OutputOf, PublicOf, StateDefinition } from "./define.ts";
import { encodeState, encodeTransient, type StateValues } from "./document.ts";
import type { Field } from "./field.ts";
import { messagesField } from "./messages-field.ts";

/** `input`: what a caller passes. `internal`: all fields. `output`: what the caller of a turn receives. `public`: what clients see. */
export type View = "input" | "internal" | "output" | "public";

/** Whether a field is in a view. Public fields are in the output view, too. */
export function isShown(field: Field, view: View): boolean {
  if (view === "internal") return true;
  if (view === "input") return field.lifecycle === "input" || field.start;
  return field.show === "public" || field.show === view;
}

/** Returns the names of a view's fields, in the order of declaration. */
export function fieldsOf(definition: StateDefinition, view: View): readonly string[] {
  return Object.entries(definition.fields).flatMap(([name, field]) => (isShown(field, view) ? [name] : []));
}

/** Returns the JSON Schema of a view, for documents and forms. A field with a codec has the schema `{}`, because the codec determines its JSON. */
export function viewSchema(definition: StateDefinition, view: View): JsonObject {
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  for (const name of fieldsOf(definition, view)) {
    const field = definition.fields[name] as Field;
    properties[name] = field.codec === undefined ? jsonSchemaOf(field.schema, view === "input" ? "input" : "output") : {};
    if (isRequired(name, field, view)) required.push(name);
  }
  return { type: "object", properties, required, additionalProperties: false };
}

function isRequired(name: string, field: Field, view: View): boolean {
  if (view === "input") return field.lifecycle === "input" && field.initial === undefined && !validate(field.schema, undefined).ok;
  return name === messagesField || field.initial !== undefined || (field.lifecycle === "input" && !validate(field.schema, undefined).ok);
}

/** Returns the encoded values of a view: JSON that can leave the process. Absent fields are left out. */
export function project(definition: StateDefinition, state: StateValues, view: View): JsonObject {
  const parts: JsonObject = { ...encodeTransient(definition, state), ...encodeState(definition, state) };
  const projection: Record<string, Json> = {};
  for (const name of fieldsOf(definition, view)) {
    const value = name === messagesField ? (state[name] as Json | undefined) : parts[name];
    if (value !== undefined) projection[name] = value;
  }
  return Object.freeze(projection);
}

/** Returns the values of the output view, as stages read them. */
export const outputOf = <Definition extends StateDefinition>(definition: Definition, state: StateValues): OutputOf<Definition> =>
  select(definition, state, "output") as OutputOf<Definition>;

/** Returns the values of the public view, as stages read them. */
export const publicOf = <Definition extends StateDefinition>(definition: Definition, state: StateValues): PublicOf<Definition> =>
  select(definition, state, "public") as PublicOf<Definition>;

function select(definition: StateDefinition, state: StateValues, view: View): StateValues {
  return Object.freeze(Object.fromEntries(fieldsOf(definition, view).flatMap((name) => (state[name] === undefined ? [] : [[name, state[name]]]))));
}

/**
 * Keeps the operations that clients may see: those on public fields. A replacement of the whole state keeps only its public fields. An operation that
 * takes its value from a field that is not public is left out.
 */
export function publicOperations(definition: StateDefinition, operations: readonly PatchOperation[]): readonly PatchOperation[] {
  const isPublic = (pointer: string): boolean => {
    const name = parsePointer(pointer)[0];
    return name !== undefined && Object.hasOwn(definition.fields, name) && isShown(definition.fields[name] as Field, "public");
  };
  return operations.flatMap((operation): readonly PatchOperation[] => {
    if (operation.path === "" && "value" in operation) return [{ ...operation, value: publicMembers(operation.value, isPublic) }];
    if (!isPublic(operation.path)) {
      // For clients, a value that moves from a public field to another field is removed.
      return operation.op === "move" && isPublic(operation.from) ? [{ op: "remove", path: operation.from }] : [];
    }
    return "from" in operation && !isPublic(operation.from) ? [] : [operation];
  });
}

function publicMembers(value: Json, isPublic: (pointer: string) => boolean): Json {
  if (!isPlainObject(value)) return null;
  return Object.fromEntries(Object.entries(value).filter(([name]) => isPublic(`/${escapeSegment(name)}`)));
}
