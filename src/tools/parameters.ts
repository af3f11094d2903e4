/** A tool's parameters: one shape, whatever schema they were declared with. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type JsonObject, deepFreeze } from "../kernel/json.ts";
import { isSchema, jsonSchemaOf, type Schema, type SchemaIssue, validate, type Validated } from "../kernel/schema.ts";
import { createValidator, schemaFault } from "./json-schema.ts";
import { describesObject, type Members, membersOf } from "./members.ts";

/** The parameters of a tool. */
export interface Parameters {
  readonly schema: JsonObject;
  readonly members: Members;
  /** Whether the arguments match, and what they become. */
  check(args: Readonly<Record<string, unknown>>): Validated<unknown>;
}

/** Refuses a definition; the caller names the tool. */
export type Refuse = (why: string, hint?: string) => never;

const none: JsonObject = deepFreeze({ type: "object", properties: {}, additionalProperties: false });

/** The parameters that a schema declares; a tool without one has none. */
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

/** The schema with its type. Models are only ever asked for objects. */
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
      // Libraries drop what they do not know; a model is to hear of it, so that it can say the same in words that the tool has.
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
