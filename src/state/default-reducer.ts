/** Default reducers of fields: lists append, everything else is replaced. */
import { ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import { jsonSchemaOf, type Schema } from "../kernel/schema.ts";
import { type AnyReducer, stockReducer } from "./reducer.ts";
import { append, replace } from "./reducers.ts";

/**
 * Default reducer for a schema that does not describe its output. Each write then chooses between append and replace, by the current value and the
 * validated update. This reducer itself never runs.
 */
export const byValue: AnyReducer = stockReducer({ name: "by_value", validates: "update", reduce: (_current, update) => update });

/** Returns the default reducer of a schema. Throws `state.reducer_ambiguous` if the schema returns lists as well as other values. */
export function defaultReducerOf(schema: Schema): AnyReducer {
  const kinds = kindsOf(jsonSchemaOf(schema, "output"));
  if (kinds.has("list") && (kinds.has("other") || kinds.has("tuple"))) {
    throw new ThroughlineError("state.reducer_ambiguous", "A field that may hold a list or something else names no reducer.");
  }
  if (kinds.has("any")) return byValue;
  return kinds.has("list") ? append() : replace();
}

type Kind = "list" | "tuple" | "null" | "other" | "any";

function kindsOf(schema: Json): ReadonlySet<Kind> {
  if (!isPlainObject(schema)) return new Set<Kind>(["any"]);
  const { type, anyOf, oneOf, const: constant, enum: values } = schema;
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return new Set(alternatives.flatMap((alternative: Json) => [...kindsOf(alternative)]));
  if (typeof type === "string") return new Set([kindOf(type, schema)]);
  if (Array.isArray(type)) return new Set(type.map((name: Json) => kindOf(name, schema)));
  if (Array.isArray(values)) return new Set(values.map(kindOfValue));
  return new Set<Kind>([constant === undefined ? "any" : kindOfValue(constant)]);
}

function kindOf(type: Json, schema: JsonObject): Kind {
  if (type === "null") return "null";
  if (type !== "array") return "other";
  return schema["prefixItems"] === undefined ? "list" : "tuple";
}

const kindOfValue = (value: Json): Kind => (value === null ? "null" : Array.isArray(value) ? "tuple" : "other");
