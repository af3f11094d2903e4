/** JSON Schema: whether one is well-formed, and checking values against it. */
import { type SchemaDraft, Validator } from "@cfworker/json-schema";
import { seen } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject, notJson } from "../kernel/json.ts";
import { escapeSegment } from "../kernel/json-pointer.ts";
import type { SchemaIssue, Validated } from "../kernel/schema.ts";

const types = new Set<unknown>(["string", "number", "integer", "boolean", "null", "array", "object"]);
/** Keywords that hold one schema, a list of them, or several by name. */
const one = ["items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames", "contains", "not", "if", "then", "else"];
const many = ["allOf", "anyOf", "oneOf", "prefixItems"];
const named = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/** Why a value is no JSON Schema, with a JSON Pointer to the place; undefined if it is one. */
export function schemaFault(schema: unknown): { readonly path: string; readonly why: string } | undefined {
  const offence = notJson(schema);
  if (offence !== undefined) return { path: offence.path, why: `is not JSON: ${offence.seen}` };
  return visit(schema as Json, "", schema as Json);
}

type Fault = { readonly path: string; readonly why: string } | undefined;

function visit(schema: Json | undefined, path: string, root: Json): Fault {
  if (typeof schema === "boolean") return undefined;
  if (!isPlainObject(schema)) return { path, why: `is no schema: ${seen(schema)}` };
  return keywordFault(schema, path, root) ?? childFault(schema, path, root);
}

function keywordFault(schema: JsonObject, path: string, root: Json): Fault {
  const { type, required, enum: values, pattern, $ref } = schema;
  const listed: readonly Json[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const wrong = listed.find((name) => !types.has(name));
  if (wrong !== undefined) return { path: `${path}/type`, why: `is ${seen(wrong)}; a type is one of ${[...types].join(", ")}` };
  if (required !== undefined && !(Array.isArray(required) && required.every((name: Json) => typeof name === "string")))
    return { path: `${path}/required`, why: `is a list of names; saw ${seen(required)}` };
  if (values !== undefined && !Array.isArray(values)) return { path: `${path}/enum`, why: `is a list of values; saw ${seen(values)}` };
  if (pattern !== undefined && !isPattern(pattern)) return { path: `${path}/pattern`, why: `is no regular expression: ${seen(pattern)}` };
  if (typeof $ref === "string" && $ref.startsWith("#/") && lookUp(root, $ref) === undefined)
    return { path: `${path}/$ref`, why: `points at nothing: ${seen($ref)}` };
  return undefined;
}

function childFault(schema: JsonObject, path: string, root: Json): Fault {
  for (const [place, child] of childrenOf(schema)) {
    const fault = child === malformed ? { path: `${path}/${place}`, why: `is ${seen(schema[place])}` } : visit(child, `${path}/${place}`, root);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Stands for something that is not what its keyword holds. */
export const malformed: unique symbol = Symbol("malformed");

/** The schemas within a schema, each with its place. */
export function* childrenOf(schema: JsonObject): Generator<readonly [string, Json | typeof malformed]> {
  for (const keyword of one) {
    const child = schema[keyword];
    if (child === undefined) continue;
    // A list of schemas is how older drafts wrote `prefixItems`.
    if (keyword === "items" && Array.isArray(child)) yield* child.map((item: Json, index) => [`items/${index}`, item] as const);
    else yield [keyword, child];
  }
  for (const keyword of many) {
    const children = schema[keyword];
    if (Array.isArray(children)) yield* children.map((child: Json, index) => [`${keyword}/${index}`, child] as const);
    else if (children !== undefined) yield [keyword, malformed];
  }
  for (const keyword of named) {
    const children = schema[keyword];
    if (isPlainObject(children)) {
      for (const [name, child] of Object.entries(children)) yield [`${keyword}/${escapeSegment(name)}`, child];
    } else if (children !== undefined) yield [keyword, malformed];
  }
}

function isPattern(pattern: Json): boolean {
  try {
    return typeof pattern === "string" && new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** A segment of a pointer in a URI. */
export function unescape(segment: string): string {
  const plain = segment.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function lookUp(root: Json, reference: string): Json | undefined {
  let current: Json | undefined = root;
  for (const raw of reference.slice(2).split("/")) {
    const segment = unescape(raw);
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = (current as JsonObject)[segment];
  }
  return current;
}

/** Checks values against a JSON Schema of any draft from 4 on; 2020-12 unless `$schema` names another. */
export function createValidator(schema: JsonObject): (value: unknown) => Validated<unknown> {
  // The library writes into the schema that it is given.
  const validator = new Validator(structuredClone(schema) as object, draftOf(schema), false);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return { ok: true, value };
    const issues = errors.flatMap(({ instanceLocation, keyword, error }): readonly SchemaIssue[] =>
      summaries.has(keyword) ? [] : [issueOf(decodeURIComponent(instanceLocation.slice(1)), keyword, error)],
    );
    return { ok: false, issues: issues.length > 0 ? issues : [{ path: "", message: "does not match the schema" }] };
  };
}

/** Keywords that only say that something further down is wrong. */
const summaries = new Set(["properties", "items", "prefixItems", "additionalProperties", "patternProperties", "allOf", "$ref", "then", "else"]);

/** What is missing and what is too much is said at its own place, in our words. */
function issueOf(path: string, keyword: string, error: string): SchemaIssue {
  if (keyword === "false") return { path, message: "is not a parameter" };
  const missing = keyword === "required" ? /property "(.*)"\.$/s.exec(error)?.[1] : undefined;
  return missing === undefined ? { path, message: error.replace(/\.$/, "") } : { path: `${path}/${escapeSegment(missing)}`, message: "is required" };
}

function draftOf({ $schema }: JsonObject): SchemaDraft {
  if (typeof $schema !== "string") return "2020-12";
  if (/draft-0?4\b/.test($schema)) return "4";
  if (/draft-0?[67]\b/.test($schema)) return "7";
  return $schema.includes("2019-09") ? "2019-09" : "2020-12";
}
