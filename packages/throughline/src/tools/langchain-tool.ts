/** Converts tools of LangChain. LangChain is not loaded: its tools are described here. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type JsonObject, notJson } from "../kernel/json.ts";
import { isSchema, jsonSchemaOf } from "../kernel/schema.ts";
import { adapted, type AdaptedToolOptions } from "./adapted.ts";
import { rendered } from "./results.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** A tool of LangChain 0.3 or 1, from its `tool()` or one of its tool classes. */
export interface LangChainTool {
  readonly name: string;
  readonly description: string;
  /** A Zod schema or a JSON Schema. */
  readonly schema: unknown;
  /** `"content_and_artifact"` for a tool that returns a text for the model and a separate value. */
  readonly responseFormat?: unknown;
  invoke(input: never, config?: never): Promise<unknown>;
}

/** Options of {@link fromLangChainTool}. */
export interface LangChainToolOptions extends AdaptedToolOptions {
  /** JSON Schema of its arguments, for a tool whose own schema has none, such as one of Zod 3. */
  readonly parameters?: JsonObject;
  /** Returns additional members of LangChain's config, such as `{ configurable, callbacks }`. The call's signal is added. */
  readonly config?: (context: ToolContext) => Readonly<Record<string, unknown>>;
}

/**
 * Converts a tool of LangChain, with maps to the state. The tool also validates its arguments itself. With the response format
 * `content_and_artifact`, the artifact is the result and the model reads the content. Throws `tool.invalid` for a value that is not a tool, or whose
 * schema has no JSON Schema. Calls throw `tool.output_invalid` if the tool returns a graph command, because there is no graph.
 * @example fromLangChainTool(searchTool, { effects: "none", outputsToState: { documents: {} } })
 */
export function fromLangChainTool(tool: LangChainTool, options: LangChainToolOptions = {}): Tool {
  const given: unknown = tool;
  if (typeof given !== "object" || given === null || !("invoke" in given) || typeof given.invoke !== "function" || typeof tool.name !== "string")
    throw new ThroughlineError("tool.invalid", `This is no tool of LangChain: ${seen(given)}.`, { hint: "Give what its `tool()` returns." });
  const { name, description } = tool;
  const refuse = (why: string, hint?: string): never => {
    throw new ThroughlineError("tool.invalid", `Tool ${seen(name)}: ${why}.`, hint === undefined ? {} : { hint });
  };
  const said: unknown = options;
  if (!isPlainObject(said)) return refuse(`options are an object; saw ${seen(said)}`);
  const { parameters, config = (): Readonly<Record<string, unknown>> => ({}), ...rest } = options;
  if (typeof config !== "function") return refuse(`\`config\` is a function; saw ${seen(config)}`);
  const own = options.name ?? name;
  return adapted(
    {
      name,
      description: typeof description === "string" && description.trim() !== "" ? description : `The tool "${name}".`,
      parameters: parameters ?? parametersOf(tool.schema, refuse),
      execute: async (args, context) => {
        const invoke: unknown = tool.invoke.bind(tool);
        const { call_id: id, signal } = context;
        // Only a whole call returns the artifact. Only its arguments alone return a result unchanged.
        const whole = tool.responseFormat === "content_and_artifact";
        try {
          return resultOf(await (invoke as Invoke)(whole ? { type: "tool_call", id, name, args } : args, { ...config(context), signal }), own);
        } catch (error) {
          throw refusal(error, own) ?? error;
        }
      },
    },
    rest,
  );
}

type Invoke = (input: JsonObject, config: Readonly<Record<string, unknown>>) => Promise<unknown>;

function parametersOf(schema: unknown, refuse: (why: string, hint?: string) => never): JsonObject {
  const hint = "Give its JSON Schema as the option `parameters`.";
  if (!isSchema(schema))
    return isPlainObject(schema) && notJson(schema) === undefined
      ? (schema as JsonObject)
      : refuse("its `schema` is neither a schema nor a JSON Schema", hint);
  const told = jsonSchemaOf(schema, "input");
  return Object.keys(told).length > 0 ? told : refuse(`its \`schema\`, of ${schema["~standard"].vendor}, cannot be told as JSON Schema`, hint);
}

/** Returns a tool's result: a value, or the content of a message. */
function resultOf(returned: unknown, tool: string): unknown {
  if (typeof returned !== "object" || returned === null) return returned;
  if ("lg_name" in returned && returned.lg_name === "Command")
    throw new ThroughlineError("tool.output_invalid", `"${tool}" returned a command to a graph, and there is none.`, {
      hint: "Return a value, and write it to the state with `outputsToState`.",
      details: { tool },
    });
  if (!("tool_call_id" in returned) || !("content" in returned)) return returned;
  const text = textOf(returned.content);
  if ("status" in returned && returned.status === "error") throw new ThroughlineError("tool.failed", text, { details: { tool } });
  const artifact = "artifact" in returned ? returned.artifact : undefined;
  return artifact === undefined ? text : rendered(artifact, [{ type: "text", text }]);
}

/** Returns a message's content: a text, or the texts among its parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content) ?? "";
  return content
    .map((piece: unknown) => {
      const { type, text } = isPlainObject(piece) ? piece : { type: "text", text: piece };
      return type === "text" && typeof text === "string" ? text : `[${typeof type === "string" ? type : "unknown"}, left out]`;
    })
    .join("\n");
}

/** A tool that rejects its arguments throws its own error. */
function refusal(error: unknown, tool: string): ThroughlineError | undefined {
  if (!(error instanceof Error) || error.constructor.name !== "ToolInputParsingException") return undefined;
  return new ThroughlineError("tool.arguments_invalid", `The arguments of "${tool}" are wrong. ${error.message}`, { details: { tool } });
}
