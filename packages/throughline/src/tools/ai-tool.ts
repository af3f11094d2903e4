/** Converts tools of the AI SDK. The SDK is not loaded: its tools are plain objects, described here. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject, formatPointer } from "../kernel/json.ts";
import { isSchema, jsonSchemaOf, type Schema } from "../kernel/schema.ts";
import type { MessagePart } from "../session/event.ts";
import { adapted, type AdaptedToolOptions } from "./adapted.ts";
import type { Refuse } from "./parameters.ts";
import { rendered } from "./results.ts";
import type { ApprovalRule, Tool, ToolContext } from "./tool.ts";

/** A tool of the AI SDK 5, 6 or 7, from its `tool()` or `dynamicTool()`. */
export interface AiTool {
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: unknown;
  /** A Standard Schema with a JSON Schema, such as Zod's, or the output of `jsonSchema()` or `zodSchema()`. */
  readonly inputSchema?: unknown;
  readonly needsApproval?: unknown;
  readonly toModelOutput?: unknown;
  readonly execute?: unknown;
}

/** Options of {@link fromAiTool}. */
export interface AiToolOptions extends AdaptedToolOptions {
  /** Returns the tool's `context` (`experimental_context` in version 6). Defaults to the runtime's resources. */
  readonly context?: (context: ToolContext) => unknown;
}

/** The additional argument of a tool's function. */
interface AiToolCall {
  readonly toolCallId: string;
  /** Always empty, because the runtime does not pass the conversation to tools. */
  readonly messages: readonly never[];
  readonly abortSignal: AbortSignal;
  readonly context: unknown;
  readonly experimental_context: unknown;
}

/**
 * Converts a tool of the AI SDK, with maps to the state. Its own schema validates its input, even asynchronously. Of a tool that yields several
 * results, the last one counts. `needsApproval` requires human approval. The model reads the output of `toModelOutput` (versions 6 and 7). Throws
 * `tool.invalid` for a tool without `execute`, one that its provider runs, or one whose schema has no JSON Schema.
 * @example fromAiTool("weather", weatherTool, { effects: "none", inputsFromState: { city: "location" } })
 */
export function fromAiTool(name: string, tool: AiTool, options: AiToolOptions = {}): Tool {
  const refuse = (why: string, hint?: string): never => {
    throw new ThroughlineError("tool.invalid", `Tool ${seen(name)}: ${why}.`, hint === undefined ? {} : { hint });
  };
  const given: unknown = tool;
  if (typeof given !== "object" || given === null) return refuse(`this is no tool of the AI SDK: ${seen(given)}`);
  const said: unknown = options;
  if (!isPlainObject(said)) return refuse(`options are an object; saw ${seen(said)}`);
  const { type, title, description, inputSchema, needsApproval, toModelOutput, execute } = tool;
  if (type?.startsWith("provider") === true) return refuse("it runs at the model's provider, and not here", "Give it to the model's own settings.");
  if (typeof execute !== "function")
    return refuse("it has no `execute`, so there is nothing to run", "Give it one, or write the tool with defineTool.");
  const input = aiInputOf(inputSchema, refuse);
  const { context: contextOf = (context: ToolContext): unknown => context.resources, ...rest } = options;
  if (typeof contextOf !== "function") return refuse(`\`context\` is a function; saw ${seen(contextOf)}`);
  const own = options.name ?? name;
  return adapted(
    {
      name,
      description:
        ([description, title].find((text) => typeof text === "string" && text.trim() !== "") as string | undefined) ?? `The tool "${name}".`,
      parameters: input.parameters,
      ...(needsApproval === undefined || needsApproval === false ? {} : { approval: approvalOf(needsApproval) }),
      execute: async (args, context) => {
        const { call_id: toolCallId, signal: abortSignal } = context;
        const live = await input.validate(args, own);
        const theirs = contextOf(context);
        const call: AiToolCall = { toolCallId, messages: [], abortSignal, context: theirs, experimental_context: theirs };
        const output = await lastOf(await (execute as Execute).call(tool, live, call), abortSignal);
        if (typeof toModelOutput !== "function") return output;
        return shownAs(output, await (toModelOutput as ToModelOutput).call(tool, { toolCallId, input: live, output }), own);
      },
    },
    rest,
  );
}

type Execute = (input: unknown, call: AiToolCall) => unknown;
type ToModelOutput = (given: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown }) => unknown;

/** A `needsApproval` function is called for each call. If it is asynchronous, approval is required without waiting for it. */
function approvalOf(needsApproval: unknown): true | Partial<ApprovalRule> {
  if (typeof needsApproval !== "function") return true;
  const asks = needsApproval as (input: JsonObject, call: { readonly toolCallId: string; readonly messages: readonly never[] }) => unknown;
  return {
    when: (args) => {
      const answer = asks(args, { toolCallId: "", messages: [] });
      if (answer instanceof Promise) answer.catch(() => {});
      return answer !== false && answer !== undefined;
    },
  };
}

/** Returns the last result that a tool yields, or the one that it returns. */
async function lastOf(output: unknown, signal: AbortSignal): Promise<unknown> {
  if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (const item of output as AsyncIterable<unknown>) {
    signal.throwIfAborted();
    last = item;
  }
  return last;
}

/** Returns the output with the model's rendering of it. */
function shownAs(output: unknown, said: unknown, tool: string): unknown {
  const { type, value, reason } = isPlainObject(said) ? said : {};
  if (type === "execution-denied")
    throw new ThroughlineError("tool.rejected", typeof reason === "string" ? reason : `"${tool}" turned the call down.`, { details: { tool } });
  if (type === "error-text" || type === "error-json")
    throw new ThroughlineError("tool.failed", typeof value === "string" ? value : JSON.stringify(value), { details: { tool } });
  const parts = partsOf(type, value);
  return parts === undefined ? output : rendered(output, parts);
}

function partsOf(type: unknown, value: unknown): readonly MessagePart[] | undefined {
  if (type === "text" && typeof value === "string") return [{ type, text: value }];
  if (type === "json" && value !== undefined) return [{ type, value: value as Json }];
  if (type !== "content" || !Array.isArray(value)) return undefined;
  return value.map((piece: unknown) => {
    const fields = isPlainObject(piece) ? piece : {};
    const text = fields["type"] === "text" && typeof fields["text"] === "string" ? fields["text"] : undefined;
    return { type: "text", text: text ?? `[${typeof fields["type"] === "string" ? fields["type"] : "unknown"}, left out]` };
  });
}

/** Input of a tool. */
interface AiInput {
  readonly parameters: JsonObject;
  /** Returns the validated input. Throws `tool.arguments_invalid` if its schema rejects it. */
  validate(args: JsonObject, tool: string): Promise<unknown>;
}

/** Returns the input that a schema of the SDK describes: a Standard Schema, the output of `jsonSchema()`, or a function that returns one of them. */
function aiInputOf(given: unknown, refuse: Refuse): AiInput {
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

/** Model services expect this dialect, or reject schemas that name one. */
const withoutDialect = ({ $schema: _dialect, ...schema }: JsonObject): JsonObject => schema;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "does not match the schema");

function refused(tool: string, issues: readonly { readonly path: string; readonly message: string }[]): ThroughlineError {
  const said = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  const details: Json = issues.map(({ path, message }) => ({ path, message }));
  return new ThroughlineError("tool.arguments_invalid", `The arguments of "${tool}" are wrong. ${said}.`, { details: { issues: details } });
}
