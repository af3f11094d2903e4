/** What a JSON Schema says of the members of an object, and the same schema with some of them hidden. */
import { isPlainObject, type Json, type JsonObject, jsonEqual } from "../kernel/json.ts";
import { childrenOf, malformed, unescape } from "./json-schema.ts";

/** What a schema says of the members of the object that it describes. */
export interface Members {
  readonly names: readonly string[];
  readonly required: readonly string[];
  /** Whether it may have members that are not named. A schema that is silent about them names all there are. */
  readonly open: boolean;
}

/** The members of an object schema, also of its alternatives. */
export function membersOf(schema: JsonObject): Members {
  const { properties, required = [], additionalProperties = false, patternProperties, unevaluatedProperties = false } = schema;
  const parts = branchesOf(schema).map(([, branch]) => membersOf(branch));
  const own = isPlainObject(properties) ? Object.keys(properties) : [];
  const elsewhere = ["$ref", "$dynamicRef", "if", "dependentSchemas"].some((keyword) => schema[keyword] !== undefined);
  return {
    names: [...new Set([...own, ...parts.flatMap(({ names }) => names)])],
    required: Array.isArray(required) ? required.filter((name: Json) => typeof name === "string") : [],
    open:
      elsewhere ||
      patternProperties !== undefined ||
      additionalProperties !== false ||
      unevaluatedProperties !== false ||
      parts.some(({ open }) => open),
  };
}

/** Schemas that describe the same object as the schema they stand in. */
function branchesOf(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  return [...childrenOf(schema)].flatMap(([place, child]) =>
    /^(allOf|anyOf|oneOf|then|else|not|if|dependentSchemas)(\/|$)/.test(place) && child !== malformed && isPlainObject(child)
      ? [[place, child] as const]
      : [],
  );
}

/** Whether a schema describes objects only. */
export function describesObject(schema: JsonObject): boolean {
  if (schema["type"] !== undefined) return schema["type"] === "object";
  const alternatives = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"];
  if (Array.isArray(alternatives) && alternatives.length > 0)
    return alternatives.every((branch: Json) => isPlainObject(branch) && describesObject(branch));
  return isPlainObject(schema["properties"]);
}

/** The schema without some members, wherever it speaks of them: in its alternatives, its requirements, its examples. */
export function withoutMembers(schema: JsonObject, hidden: ReadonlySet<string>): JsonObject {
  if (hidden.size === 0) return schema;
  const pruned: Record<string, Json> = { ...schema };
  for (const keyword of ["properties", "dependentRequired", "dependentSchemas", "default"]) {
    const members = pruned[keyword];
    if (isPlainObject(members)) pruned[keyword] = without(members, hidden);
  }
  if (Array.isArray(pruned["examples"]))
    pruned["examples"] = pruned["examples"].map((example: Json) => (isPlainObject(example) ? without(example, hidden) : example));
  dropRequired(pruned, hidden);
  for (const [place, branch] of branchesOf(pruned)) {
    const smaller = withoutMembers(branch, hidden);
    if (!jsonEqual(branch, smaller)) loosen(pruned, place, smaller);
  }
  if (!jsonEqual(pruned["oneOf"] ?? null, schema["oneOf"] ?? null)) severalOf(pruned);
  return withoutUnused(pruned);
}

const without = (members: JsonObject, hidden: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !hidden.has(name)));

/** The schema with some of its members no longer required. */
export function withOptional(schema: JsonObject, names: ReadonlySet<string>): JsonObject {
  if (names.size === 0) return schema;
  const relaxed: Record<string, Json> = { ...schema };
  dropRequired(relaxed, names);
  for (const [place, branch] of branchesOf(relaxed)) {
    const weaker = withOptional(branch, names);
    if (!jsonEqual(branch, weaker)) loosen(relaxed, place, weaker);
  }
  if (!jsonEqual(relaxed["oneOf"] ?? null, schema["oneOf"] ?? null)) severalOf(relaxed);
  return relaxed;
}

/** Puts a smaller branch in its place; where that would refuse more than before, the rule goes. */
function loosen(schema: Record<string, Json>, place: string, branch: JsonObject): void {
  const [keyword = ""] = place.split("/");
  if (keyword === "not") delete schema["not"];
  else if (keyword === "if") for (const part of ["if", "then", "else"]) delete schema[part];
  else if (schema[keyword] !== undefined) put(schema, place, branch);
}

/** Alternatives that lost what told them apart may hold together. */
function severalOf(schema: Record<string, Json>): void {
  const { oneOf, anyOf, allOf } = schema;
  if (oneOf === undefined) return;
  delete schema["oneOf"];
  if (anyOf === undefined) schema["anyOf"] = oneOf;
  else schema["allOf"] = (Array.isArray(allOf) ? (allOf as readonly Json[]) : []).concat([{ anyOf: oneOf }]);
}

function dropRequired(schema: Record<string, Json>, names: ReadonlySet<string>): void {
  const { required, dependentRequired } = schema;
  if (Array.isArray(required)) {
    const kept = required.filter((name: Json) => typeof name !== "string" || !names.has(name));
    if (kept.length > 0) schema["required"] = kept;
    else delete schema["required"];
  }
  if (!isPlainObject(dependentRequired)) return;
  const lists = Object.entries(dependentRequired).map(([name, list]) => [
    name,
    Array.isArray(list) ? list.filter((item: Json) => typeof item !== "string" || !names.has(item)) : list,
  ]);
  schema["dependentRequired"] = Object.fromEntries(lists) as JsonObject;
}

function put(schema: Record<string, Json>, place: string, child: JsonObject): void {
  const [keyword = "", key] = place.split("/");
  const held = schema[keyword];
  if (key === undefined) schema[keyword] = child;
  else if (Array.isArray(held)) schema[keyword] = held.with(Number(key), child);
  else schema[keyword] = { ...(held as JsonObject), [key.replaceAll("~1", "/").replaceAll("~0", "~")]: child };
}

/** Definitions that nothing refers to any more describe what was hidden. */
function withoutUnused(schema: JsonObject): JsonObject {
  const { $defs, ...rest } = schema;
  if (!isPlainObject($defs)) return schema;
  const definitions = $defs;
  const used = new Set<string>();
  const note = (value: Json): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/\$defs\/([^"/]+)/g)) {
      const key = unescape(name);
      if (used.has(key) || definitions[key] === undefined) continue;
      used.add(key);
      note(definitions[key]);
    }
  };
  note(rest);
  const kept = Object.fromEntries(Object.entries(definitions).filter(([name]) => used.has(name)));
  return Object.keys(kept).length === 0 ? rest : { ...rest, $defs: kept };
}
