/** The options of {@link connectMcp}. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import { nearest } from "../../state/document.ts";
import type { AdaptedToolOptions } from "../adapted.ts";

/** An MCP server that is started as a process and reached over its standard input and output. */
export interface McpProcess {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to a few harmless variables, such as PATH and HOME. The process gets no others of this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory. Defaults to this process's. */
  readonly cwd?: string;
}

/** An MCP server that is reached over streamable HTTP. */
export interface McpEndpoint {
  readonly url: string | URL;
  /** Sent with every request, for example `{ authorization: "Bearer …" }`. They are never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the requests, for expiring tokens or a proxy. Defaults to the global `fetch`. */
  readonly fetch?: (input: string | URL, init?: RequestInit) => Promise<Response>;
}

/** Options of the connection, and permissions of the tools. */
export interface McpOptions {
  /** Prefix of the tools' names, followed by `_`, also shown in errors. Letters, digits, `-` and `_`, at most 32. Defaults to none. */
  readonly name?: string;
  /** Milliseconds that one call may take, unless the tool's own options differ. Defaults to 60,000. */
  readonly timeoutMs?: number;
  /** Milliseconds that each connection attempt may take. Defaults to 30,000. */
  readonly connectMs?: number;
  /** Maximum characters of one result. Longer texts are cut and marked; longer structured results fail. Defaults to 100,000. */
  readonly maxCharacters?: number;
  /** Maps to the state, effects, approval and more, by the server's name of the tool. */
  readonly tools?: Readonly<Record<string, AdaptedToolOptions>>;
  /** The server's names of the tools to use. Defaults to all. */
  readonly allow?: readonly string[];
  /** The server's names of the tools to leave out. */
  readonly deny?: readonly string[];
  /**
   * Whether to trust the server's hints that a tool only reads (`readOnlyHint`: effects `none`) or may be repeated (`idempotentHint`: effects
   * `idempotent`). Defaults to true. With false, every tool has effects `once` unless its options differ. The hints are not verified.
   */
  readonly trustHints?: boolean;
  /** Called when the server's tools have changed. The connected tools stay unchanged: connect again and rebuild the agent. */
  readonly onToolsChanged?: () => void;
}

/** The checked options. */
export interface McpSettings extends Required<Omit<McpOptions, "name" | "allow">> {
  readonly name: string | undefined;
  readonly allow: readonly string[] | undefined;
}

const known = ["name", "timeoutMs", "connectMs", "maxCharacters", "tools", "allow", "deny", "trustHints", "onToolsChanged"];

const refuse = (why: string, hint?: string): never => {
  throw new ThroughlineError("input.invalid", `connectMcp: ${why}.`, hint === undefined ? {} : { hint });
};

/** Checks the options. Throws `input.invalid`, which names the invalid option. */
export function settingsOf(options: McpOptions): McpSettings {
  if (!isObject(options)) return refuse(`options are an object; saw ${seen(options)}`);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) refuse(`there is no option ${seen(unknown)}; there are ${known.join(", ")}`, suggestion(unknown, known));
  const { name, timeoutMs = 60_000, connectMs = 30_000, maxCharacters = 100_000, tools = {}, allow, deny = [], trustHints = true } = options;
  const { onToolsChanged = () => {} } = options;
  if (name !== undefined && !(typeof name === "string" && /^[a-zA-Z0-9_-]{1,32}$/.test(name)))
    refuse(`\`name\` is 1 to 32 letters, digits, "-" and "_"; saw ${seen(name)}`);
  for (const [option, value] of Object.entries({ timeoutMs, connectMs, maxCharacters }))
    if (!Number.isInteger(value) || value < 1 || value > 2_147_483_647) refuse(`\`${option}\` is a whole number from 1; saw ${seen(value)}`);
  if (!isObject(tools)) refuse(`\`tools\` is an object; saw ${seen(tools)}`);
  for (const [option, value] of Object.entries({ allow, deny }))
    if (value !== undefined && !isNames(value)) refuse(`\`${option}\` is a list of names; saw ${seen(value)}`);
  if (typeof trustHints !== "boolean") refuse(`\`trustHints\` is true or false; saw ${seen(trustHints)}`);
  if (typeof onToolsChanged !== "function") refuse(`\`onToolsChanged\` is a function; saw ${seen(onToolsChanged)}`);
  return { name, timeoutMs, connectMs, maxCharacters, tools, allow, deny, trustHints, onToolsChanged };
}

const isObject = (value: unknown): boolean => isPlainObject(value);
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === "string");

function suggestion(name: string, names: readonly string[]): string | undefined {
  const near = nearest(name, names);
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}

/** Returns the names of the wanted tools. Throws for a name that the server does not have, in any option, so that a misspelled `deny` has no silent effect. */
export function wantedOf(offered: readonly string[], { tools, allow, deny }: McpSettings): ReadonlySet<string> {
  for (const [option, names] of Object.entries({ tools: Object.keys(tools), allow: allow ?? [], deny })) {
    const missing = names.find((name) => !offered.includes(name));
    if (missing !== undefined)
      refuse(`\`${option}\` names the tool ${seen(missing)}, which the server does not have; it has ${seen(offered)}`, suggestion(missing, offered));
  }
  return new Set((allow ?? offered).filter((name) => !deny.includes(name)));
}

const targetKeys = { command: ["command", "args", "env", "cwd"], url: ["url", "headers", "fetch"] } as const;

/** Checks the location of the server. */
export function targetOf(target: McpProcess | McpEndpoint): McpProcess | (Omit<McpEndpoint, "url"> & { readonly url: URL }) {
  if (!isObject(target)) return refuse(`a server is { command, args, env } or { url, headers }; saw ${seen(target)}`);
  const kind = "command" in target ? "command" : "url";
  const extra = Object.keys(target).find((key) => !targetKeys[kind].some((name) => name === key));
  if (extra !== undefined) refuse(`a server with \`${kind}\` has no ${seen(extra)}; it has ${targetKeys[kind].join(", ")}`);
  if ("command" in target) {
    if (typeof target.command !== "string" || target.command === "") refuse(`\`command\` is a program; saw ${seen(target.command)}`);
    if (target.args !== undefined && !isNames(target.args)) refuse(`\`args\` is a list of texts; saw ${seen(target.args)}`);
    return target;
  }
  const { url } = target as Partial<McpEndpoint>;
  const parsed = URL.parse(String(url));
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return refuse("`url` is an http or https address");
  return { ...target, url: parsed };
}

/** Returns the server's name for errors, without query, arguments or password, which may be secrets. */
export function labelOf(target: ReturnType<typeof targetOf>, name: string | undefined): string {
  const place = "command" in target ? (target.command.split(/[/\\]/).at(-1) ?? "") : target.url.origin + target.url.pathname;
  return name === undefined ? `the MCP server ${place}` : `the MCP server "${name}"`;
}
