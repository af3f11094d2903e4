/** Adapter for schema libraries: any synchronous Standard Schema (Zod, Valibot, ArkType and others). */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { ThroughlineError, seen } from "./error.ts";
import { type JsonObject, isPlainObject, notJson, formatPointer } from "./json.ts";

/** A schema that Throughline can use. */
export type Schema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;
/** The type that a schema accepts. */
export type InferInput<S extends Schema> = StandardSchemaV1.InferInput<S>;
/** The type that a schema returns. */
export type InferOutput<S extends Schema> = StandardSchemaV1.InferOutput<S>;

/** Why a schema rejected a value. `path` is a JSON Pointer into the value. */
export interface SchemaIssue {
  readonly path: string;
  readonly message: string;
}

export type Validated<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Whether a value is a Standard Schema, version 1. */
export function isSchema(value: unknown): value is Schema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || !("~standard" in value)) return false;
  const standard: unknown = value["~standard"];
  return typeof standard === "object" && standard !== null && "validate" in standard && typeof standard.validate === "function";
}

/** Returns the value, typed as a schema. Throws `schema.unsupported` if it is not a Standard Schema. */
export function assertSchema(value: unknown): Schema {
  if (isSchema(value)) return value;
  throw new ThroughlineError("schema.unsupported", `schema is not a Standard Schema: ${seen(value)}.`);
}

/**
 * Validates a value with a schema. A schema that throws rejects the value. Throws `schema.async` for a schema that returns a promise, and
 * `schema.unsupported` for a value that is not a Standard Schema.
 */
export function validate<S extends Schema>(schema: S, value: unknown): Validated<InferOutput<S>> {
  const { "~standard": standard } = assertSchema(schema);
  let result: StandardSchemaV1.Result<unknown> | Promise<StandardSchemaV1.Result<unknown>>;
  try {
    result = standard.validate(value);
  } catch (error) {
    return { ok: false, issues: [{ path: "", message: `the schema threw: ${error instanceof Error ? error.message : String(error)}` }] };
  }
  if ("then" in result) {
    // The promise is not awaited, and its rejection must not end the process.
    result.then(undefined, () => {});
    throw new ThroughlineError("schema.async", `A schema of ${standard.vendor} answers with a promise.`, {
      details: { vendor: standard.vendor },
      hint: "State is validated synchronously; move the asynchronous check into a stage. A Zod schema also answers with a promise when a refinement throws.",
    });
  }
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(({ path = [], message }) => ({ path: formatPointer(path.map(segmentOf)), message })) };
}

function segmentOf(segment: PropertyKey | StandardSchemaV1.PathSegment): string {
  return String(typeof segment === "object" ? segment.key : segment);
}

/**
 * Returns the JSON Schema (draft 2020-12) of a schema's input or output, for documents, prompts and forms. Parts that the library cannot express are
 * `{}`, which accepts everything. Never throws.
 */
export function jsonSchemaOf(schema: Schema, direction: "input" | "output"): JsonObject {
  if (!isSchema(schema)) return {};
  const { jsonSchema } = schema["~standard"] as Partial<StandardJSONSchemaV1.Props>;
  if (jsonSchema === undefined) return {};
  try {
    const { $schema: _dialect, ...found } = jsonSchema[direction]({ target: "draft-2020-12", libraryOptions: { unrepresentable: "any" } });
    return isPlainObject(found) && notJson(found) === undefined ? (found as JsonObject) : {};
  } catch {
    return {};
  }
}
