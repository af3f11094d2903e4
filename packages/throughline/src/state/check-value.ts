/**
 * Validation of field values. The schema must accept the value and must return its own output unchanged. The output must be JSON, or a codec must
 * encode it as JSON.
 */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { type Json, jsonEqual } from "../kernel/json.ts";
import { type SchemaIssue, validate } from "../kernel/schema.ts";
import type { Field } from "./field.ts";
import { freezePlain, type Offence, snapshot, valueAt } from "./value.ts";

/** A value as stages read it (`live`) and as it is stored (`json`). Without a codec they are the same. */
export interface Checked {
  readonly live: unknown;
  readonly json: Json;
}

/** Validates a whole value. Throws `state.invalid_value`, `state.not_json` or `state.schema_not_idempotent`. */
export function checkValue(name: string, field: Field, value: unknown): Checked {
  const result = validate(field.schema, value);
  if (!result.ok) throw invalidValue(name, value, result.issues);
  const checked = encodeValue(name, field, result.value);
  checkIdempotent(name, field, { given: value, value: result.value, json: checked.json });
  return checked;
}

/** Encodes a value that the schema has returned. The live value is the decoded JSON, so reading it back later gives the same value. Throws `state.not_json`. */
export function encodeValue(name: string, field: Field, value: unknown): Checked {
  const { codec } = field;
  if (codec === undefined) {
    const json = toJson(name, value);
    return { live: json, json };
  }
  const json = toJson(
    name,
    throughCodec(name, "encode", () => codec.encode(value)),
  );
  return { live: decodeValue(name, field, json), json };
}

/** Decodes stored JSON without validating it. Throws `state.not_json` if the codec fails. */
export function decodeValue(name: string, { codec }: Field, json: Json): unknown {
  return codec === undefined ? json : freezePlain(throughCodec(name, "decode", () => codec.decode(json)));
}

/** Returns a field's declared default. If it is a function, calls it for a new value. */
export const initialOf = ({ initial }: Field): unknown => (typeof initial === "function" ? (initial as () => unknown)() : initial);

/**
 * Validates an update for a list and returns its elements. The update is a list, or a single element. Throws `state.invalid_value`, `state.not_json`,
 * `state.reducer_mismatch` or `state.schema_not_idempotent`.
 */
export function checkItems(name: string, field: Field, update: unknown): readonly unknown[] {
  const asList = Array.isArray(update) ? validate(field.schema, update) : undefined;
  if (asList?.ok === true) return itemsOf(name, field, update, asList.value);
  const wrapped = [update];
  const asItem = validate(field.schema, wrapped);
  if (asItem.ok) return itemsOf(name, field, wrapped, asItem.value);
  throw invalidValue(name, asList === undefined ? wrapped : update, asList?.issues ?? asItem.issues);
}

function itemsOf(name: string, field: Field, update: unknown, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new ThroughlineError(
      "state.reducer_mismatch",
      `/${name} has the reducer ${seen(field.reducer.name)}, which is for lists; its schema returns ${seen(value)}.`,
      { details: { field: name } },
    );
  }
  // A codec encodes the whole list, so its elements need not be JSON.
  const json = field.codec === undefined ? toJson(name, value) : undefined;
  checkIdempotent(name, field, { given: update, value, json });
  return (json ?? value) as readonly unknown[];
}

/** The log stores a schema's output, and reading validates it again. So the schema must return its own output unchanged. */
function checkIdempotent(
  name: string,
  field: Field,
  seenValues: { readonly given: unknown; readonly value: unknown; readonly json: Json | undefined },
): void {
  const { given, value, json } = seenValues;
  if (Object.is(given, value)) return;
  if (field.codec === undefined && json !== undefined) {
    const before = snapshot(given);
    if ("json" in before && jsonEqual(before.json, json)) return;
  }
  const again = validate(field.schema, json !== undefined && field.codec === undefined ? json : value);
  if (again.ok && (json === undefined || jsonEqual(encodeValue(name, field, again.value).json, json))) return;
  throw new ThroughlineError(
    "state.schema_not_idempotent",
    `The schema of /${name} returns ${seen(value)} for ${seen(given)}, and ${again.ok ? `${seen(again.value)} for that` : "refuses that"}.`,
    {
      details: { field: name, path: `/${name}` },
    },
  );
}

function toJson(name: string, value: unknown): Json {
  const result = snapshot(value);
  if ("json" in result) return result.json;
  throw notJson(name, result.offence);
}

function throughCodec<Result>(name: string, step: "encode" | "decode", run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw new ThroughlineError(
      "state.not_json",
      `The codec of /${name} cannot ${step} the value: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error, details: { field: name } },
    );
  }
}

/** Creates a `state.invalid_value` error. The message has the first issue, the details have all of them. */
export function invalidValue(name: string, value: unknown, issues: readonly SchemaIssue[]): ThroughlineError {
  const [first = { path: "", message: "refused" }] = issues;
  const path = `/${name}${first.path}`;
  return new ThroughlineError("state.invalid_value", `${path}: ${first.message}; saw ${seen(valueAt(value, first.path))}.`, {
    details: { field: name, path, issues: issues.map((issue) => ({ path: `/${name}${issue.path}`, message: issue.message })) },
  });
}

function notJson(name: string, offence: Offence): ThroughlineError {
  const path = `/${name}${offence.path}`;
  return new ThroughlineError("state.not_json", `${path} is not JSON: ${offence.seen}.`, { details: { field: name, path, seen: offence.seen } });
}
