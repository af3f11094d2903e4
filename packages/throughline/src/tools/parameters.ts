/** A tool's parameters in one form for all schema types, with the required part of JSON Schema. */
import { type SchemaDraft, Validator } from "@cfworker/json-schema";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { deepFreeze, isPlainObject, type Json, jsonEqual, type JsonObject, notJson, escapeSegment } from "../kernel/json.ts";
import { isSchema, jsonSchemaOf, type Schema, type SchemaIssue, validate, type Validated } from "../kernel/schema.ts";

/** The parameters of a tool. */
export interface Parameters {
  readonly schema: JsonObject;
  readonly members: Members;
  /** Validates the arguments and returns their parsed form. */
  check(args: Readonly<Record<string, unknown>>): Validated<unknown>;
}

/** Throws for an invalid definition. The caller names the tool. */
export type Refuse = (why: string, hint?: string) => never;

const none: JsonObject = deepFreeze({ type: "object", properties: {}, additionalProperties: false });

/** Returns the parameters of a schema. A tool without a schema has none. */
export function parametersOf(given: unknown, refuse: Refuse): Parameters {
  if (given === undefined) return declared(none, createValidator(none));
  if (isSchema(given)) return fromSchema(given, refuse);
  if (!isPlainObject(given)) return refuse(`\`parameters\` is a schema, or a JSON Schema object; saw ${seen(given)}`);
  const fault = schemaFault(given);
  if (fault !== undefined) return refuse(`\`parameters\`${fault.path} ${fault.why}`);
  const schema = described(given as JsonObject, refuse);
  return declared(schema, createValidator(schema));
}

function fromSchema(given: Schema, refuse: Refuse): Parameters {
  const schema = jsonSchemaOf(given, "input");
  if (Object.keys(schema).length === 0)
    return refuse(
      `the \`parameters\` of ${given["~standard"].vendor} cannot be written as JSON Schema, which is what a model is told`,
      "Use a schema that is an object and has `~standard.jsonSchema`, as Zod's and ArkType's have; or give the JSON Schema itself.",
    );
  try {
    validate(given, {});
  } catch (error) {
    if (!ThroughlineError.is(error, "schema.async")) throw error;
    refuse("`parameters` are validated asynchronously", "Check in `execute` what needs waiting for.");
  }
  return declared(described(schema, refuse), (args) => validate(given, args));
}

/** Returns the schema with its type. Model services only accept objects. */
function described(schema: JsonObject, refuse: Refuse): JsonObject {
  if (!describesObject(schema))
    return refuse(
      `\`parameters\` must describe an object; saw ${seen(schema)}`,
      'Begin with `{ type: "object", properties: { … } }`; leave `parameters` out for a tool that takes none.',
    );
  return deepFreeze(structuredClone(schema["type"] === undefined ? { type: "object", ...schema } : schema));
}

function declared(schema: JsonObject, check: (args: unknown) => Validated<unknown>): Parameters {
  const members = membersOf(schema);
  return {
    schema,
    members,
    check(args) {
      // Libraries drop unknown members. The model should learn of them, so that it can use known members instead.
      const unknown = members.open ? [] : Object.keys(args).filter((name) => !members.names.includes(name));
      const issues: readonly SchemaIssue[] = unknown.map((name) => ({ path: `/${name}`, message: "is not a parameter" }));
      const result = check(args);
      if (issues.length === 0) return result;
      const places = new Set(["", ...issues.map(({ path }) => path)]);
      const rest = result.ok ? [] : result.issues.filter(({ path }) => !places.has(path));
      return { ok: false, issues: [...issues, ...rest] };
    },
  };
}

/** The members of an object that a schema declares. */
interface Members {
  readonly names: readonly string[];
  readonly required: readonly string[];
  /** Whether unnamed members are allowed. A schema without a rule for them allows none. */
  readonly open: boolean;
}

/** Returns the members of an object schema, including its alternatives. */
function membersOf(schema: JsonObject): Members {
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

/** Returns the subschemas that describe the same object as their schema. */
function branchesOf(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  return [...childrenOf(schema)].flatMap(([place, child]) =>
    /^(allOf|anyOf|oneOf|then|else|not|if|dependentSchemas)(\/|$)/.test(place) && child !== malformed && isPlainObject(child)
      ? [[place, child] as const]
      : [],
  );
}

/** Whether a schema only allows objects. */
function describesObject(schema: JsonObject): boolean {
  if (schema["type"] !== undefined) return schema["type"] === "object";
  const alternatives = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"];
  if (Array.isArray(alternatives) && alternatives.length > 0)
    return alternatives.every((branch: Json) => isPlainObject(branch) && describesObject(branch));
  return isPlainObject(schema["properties"]);
}

/** Returns the schema without some members, including its alternatives, requirements and examples. */
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

/** Returns the schema with some of its members optional. */
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

/** Replaces a branch by a smaller one. If that would reject more than before, removes the rule. */
function loosen(schema: Record<string, Json>, place: string, branch: JsonObject): void {
  const [keyword = ""] = place.split("/");
  if (keyword === "not") delete schema["not"];
  else if (keyword === "if") for (const part of ["if", "then", "else"]) delete schema[part];
  else if (schema[keyword] !== undefined) put(schema, place, branch);
}

/** Alternatives that have lost their distinguishing members may match at the same time. */
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

/** Definitions without references describe hidden members. */
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

const types = new Set<unknown>(["string", "number", "integer", "boolean", "null", "array", "object"]);
/** Keywords with one schema, with a list of schemas, or with several by name. */
const one = ["items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames", "contains", "not", "if", "then", "else"];
const many = ["allOf", "anyOf", "oneOf", "prefixItems"];
const named = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/** Returns why a value is not a JSON Schema, with a JSON Pointer to the place. Undefined if it is one. */
function schemaFault(schema: unknown): { readonly path: string; readonly why: string } | undefined {
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

/** Marks a value that its keyword does not allow. */
const malformed: unique symbol = Symbol("malformed");

/** Yields the schemas within a schema, each with its place. */
function* childrenOf(schema: JsonObject): Generator<readonly [string, Json | typeof malformed]> {
  for (const keyword of one) {
    const child = schema[keyword];
    if (child === undefined) continue;
    // Older drafts write `prefixItems` as a list of schemas here.
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

/** Unescapes a segment of a pointer in a URI. */
function unescape(segment: string): string {
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

/** Creates a validator for a JSON Schema of any draft from 4 on. Defaults to 2020-12 unless `$schema` names another. */
function createValidator(schema: JsonObject): (value: unknown) => Validated<unknown> {
  // The library modifies its schema.
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

/** Keywords whose errors only report that a nested value is invalid. */
const summaries = new Set(["properties", "items", "prefixItems", "additionalProperties", "patternProperties", "allOf", "$ref", "then", "else"]);

/** Converts an error to an issue. A missing or additional member is reported at its own place. */
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
