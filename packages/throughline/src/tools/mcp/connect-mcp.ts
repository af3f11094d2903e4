/** Tools from servers of the Model Context Protocol. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import type { ToolEffects } from "../../session/event.ts";
import { adapted } from "../adapted.ts";
import type { Tool } from "../tool.ts";
import { Connection, type ListedTool, loadLibrary } from "./mcp-connection.ts";
import { type McpEndpoint, type McpOptions, type McpProcess, type McpSettings, settingsOf, targetOf, wantedOf } from "./mcp-options.ts";
import { resultFrom, takeFrom } from "./mcp-result.ts";

/** A connected server. */
export interface McpServer {
  /** Its tools, for `loop({ tools: [...server.tools] })`. They stay as they were at the connection. */
  readonly tools: readonly Tool[];
  /** Ends the connection, and the server's process if there is one. Calls in progress fail. Further calls of `close` change nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Connects a server of the Model Context Protocol, over stdio (`command`) or streamable HTTP (`url`), and returns its tools. They accept the same
 * maps to the state as those of `defineTool`. The model does not see parameters that the state sets. The next call reopens a broken connection. Needs
 * the package `@modelcontextprotocol/client`.
 *
 * The descriptions and hints of a server's tools are unverified. They reach the model, and they decide which calls are repeated after a crash. For an
 * untrusted server, name the wanted tools (`allow`), their `effects` and `approval`, and set `trustHints: false`.
 *
 * Throws `input.invalid` for wrong options, `tool.invalid` for an unusable tool, `package.missing`, and `tool.unavailable` if the server cannot be
 * reached. Calls throw `tool.unavailable` too, `tool.lost` if the connection broke during the call, `timeout`, and `tool.failed` with the server's
 * message.
 * @example
 * const server = await connectMcp({ command: "node", args: ["notes-server.mjs"] }, { tools: { search: { inputsFromState: { user_name: "author" } } } });
 */
export async function connectMcp(target: McpProcess | McpEndpoint, options: McpOptions = {}): Promise<McpServer> {
  const settings = settingsOf(options);
  const place = targetOf(target);
  const connection = new Connection(await loadLibrary(), place, settings);
  const close = (): Promise<void> => connection.close();
  try {
    const tools = toolsOf(await connection.list(), connection, settings);
    return Object.freeze({ tools, close, [Symbol.asyncDispose]: close });
  } catch (error) {
    await close();
    throw error;
  }
}

function toolsOf(listed: readonly ListedTool[], connection: Connection, settings: McpSettings): readonly Tool[] {
  const wanted = wantedOf(
    listed.map(({ name }) => name),
    settings,
  );
  const owners = new Map<string, string>();
  const tools = listed.flatMap((offer) => {
    if (!wanted.has(offer.name)) return [];
    const tool = toolOf(offer, connection, settings);
    const other = owners.get(tool.name);
    if (other !== undefined)
      throw new ThroughlineError(
        "tool.invalid",
        `The tools ${seen(other)} and ${seen(offer.name)} of ${connection.label} are both called "${tool.name}".`,
        {
          hint: "Give one of them another `name` in `tools`, or leave it out with `deny`.",
        },
      );
    owners.set(tool.name, offer.name);
    return [tool];
  });
  return Object.freeze(tools);
}

function toolOf(listed: ListedTool, connection: Connection, settings: McpSettings): Tool {
  const { name: own, description, title, inputSchema } = listed;
  const options = Object.hasOwn(settings.tools, own) ? (settings.tools[own] ?? {}) : {};
  const name = options.name ?? nameOf(own, settings.name);
  const { maxCharacters: most, timeoutMs } = settings;
  const ms = options.timeoutMs ?? timeoutMs;
  const tool = adapted(
    {
      name,
      description: textOf(description) ?? textOf(title) ?? `The tool "${own}" of ${connection.label}.`,
      parameters: schemaOf(inputSchema as JsonObject),
      effects: effectsOf(listed, settings),
      timeoutMs,
      execute: async (args, { signal, traceHeaders }) =>
        resultFrom(await connection.call({ name: own, arguments: args, signal, ms, traceHeaders }), { tool: name, most }),
    },
    options,
  );
  return Object.freeze({ ...tool, take: takeFrom(name) });
}

/** Returns the schema without the name of the default dialect, which some model services reject. */
function schemaOf(schema: JsonObject): JsonObject {
  const { $schema, ...rest } = schema;
  return typeof $schema === "string" && $schema.includes("2020-12") ? rest : schema;
}

const textOf = (text: unknown): string | undefined => (typeof text === "string" && text.trim() !== "" ? text : undefined);

/** Returns a name that every model service accepts. */
const nameOf = (own: string, prefix: string | undefined): string =>
  `${prefix === undefined ? "" : `${prefix}_`}${own.replaceAll(/[^a-zA-Z0-9_-]/g, "_")}`.slice(0, 64);

/** Tools without declared effects must not run twice. */
function effectsOf({ annotations }: ListedTool, { trustHints }: McpSettings): ToolEffects {
  if (!trustHints || !isPlainObject(annotations)) return "once";
  if (annotations["readOnlyHint"] === true) return "none";
  return annotations["idempotentHint"] === true ? "idempotent" : "once";
}
