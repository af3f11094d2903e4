/** The input of a tool of the AI SDK: its schema in one of the forms that the SDK knows. */
import { ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import { formatPointer } from "../kernel/json-pointer.ts";
import { isSchema, jsonSchemaOf, type Schema } from "../kernel/schema.ts";
import type { Refuse } from "./parameters.ts";

/** What a tool takes. */
export interface AiInput {
  readonly parameters: JsonObject;
  /** What the tool is given; `tool.arguments_invalid` if its schema refuses. */
  validate(args: JsonObject, tool: string): Promise<unknown>;
}

/** The input that a schema of the SDK describes: a Standard Schema, what `jsonSchema()` returns, or a function that returns one of them. */
export function aiInputOf(given: unknown, refuse: Refuse): AiInput {
  if (isSchema(given)) return fromStandard(given, refuse);
  if (typeof given === "function") return aiInputOf((given as () => unknown)(), refuse);
  const fields: Readonly<Record<string, unknown>> = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const { jsonSchema } = fields;
  if (jsonSchema instanceof Promise) {
    jsonSchema.catch(() => {});
    return refuse("its `inputSchema` is told with a promise", "Await the JSON Schema, and give the tool what it is.");
  }
  if (!isPlainObject(jsonSchema))
    return refuse("it has no `inputSchema`", "Tools of the AI SDK have one since version 5; before, it was `parameters`.");
  const { validate } = fields;
  return {
    parameters: withoutDialect(jsonSchema as JsonObject),
    validate: async (args, tool) => {
      if (typeof validate !== "function") return args;
      const result: unknown = await (validate as (value: unknown) => unknown).call(given, args);
      if (isPlainObject(result) && result["success"] === true) return result["value"];
      throw refused(tool, [{ path: "", message: messageOf(isPlainObject(result) ? result["error"] : undefined) }]);
    },
  };
}

function fromStandard(schema: Schema, refuse: Refuse): AiInput {
  const parameters = jsonSchemaOf(schema, "input");
  if (Object.keys(parameters).length === 0)
    return refuse(
      `its \`inputSchema\`, of ${schema["~standard"].vendor}, cannot be told as JSON Schema`,
      "Wrap it in the SDK's `zodSchema` or `jsonSchema`.",
    );
  return {
    parameters,
    validate: async (args, tool) => {
      const result = await schema["~standard"].validate(args);
      if (result.issues === undefined) return result.value;
      throw refused(
        tool,
        result.issues.map(({ path = [], message }) => ({
          path: formatPointer(path.map((segment) => String(typeof segment === "object" ? segment.key : segment))),
          message,
        })),
      );
    },
  };
}

/** Models' services mean the dialect that a schema is written in, or refuse to be told of one. */
const withoutDialect = ({ $schema: _dialect, ...schema }: JsonObject): JsonObject => schema;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "does not match the schema");

function refused(tool: string, issues: readonly { readonly path: string; readonly message: string }[]): ThroughlineError {
  const said = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  const details: Json = issues.map(({ path, message }) => ({ path, message }));
  return new ThroughlineError("tool.arguments_invalid", `The arguments of "${tool}" are wrong. ${said}.`, { details: { issues: details } });
}
