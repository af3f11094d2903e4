/** What {@link connectMcp} takes. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import { nearest } from "../../state/suggest.ts";
import type { AdaptedToolOptions } from "../adapted.ts";

/** An MCP server that is started as a process of its own, and spoken to over its standard input and output. */
export interface McpProcess {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to a few harmless variables, such as PATH and HOME; nothing else of this process's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that it runs in; this process's by default. */
  readonly cwd?: string;
}

/** An MCP server that is reached by streamable HTTP. */
export interface McpEndpoint {
  readonly url: string | URL;
  /** Sent with every request, for example `{ authorization: "Bearer …" }`. They are never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the requests, for tokens that expire or a proxy; the global `fetch` by default. */
  readonly fetch?: (input: string | URL, init?: RequestInit) => Promise<Response>;
}

/** How an MCP server is connected, and what its tools may do. */
export interface McpOptions {
  /** Put before the names of its tools, with a `_`, and shown in errors; letters, digits, `-` and `_`, at most 32. None by default. */
  readonly name?: string;
  /** Milliseconds that one call may take, where a tool's own options do not say; 60,000 by default. */
  readonly timeoutMs?: number;
  /** Milliseconds that connecting may take, each time; 30,000 by default. */
  readonly connectMs?: number;
  /** Characters that one result may have; longer texts are cut and say so, longer structured results fail. 100,000 by default. */
  readonly maxCharacters?: number;
  /** Maps to the state, effects, approval and more, by the server's own name of the tool. */
  readonly tools?: Readonly<Record<string, AdaptedToolOptions>>;
  /** The server's names of the tools that are wanted; all if left out. */
  readonly allow?: readonly string[];
  /** The server's names of the tools that are left out. */
  readonly deny?: readonly string[];
  /**
   * Whether the server is believed when it says that a tool only reads (`readOnlyHint`: effects `none`) or may be repeated (`idempotentHint`: effects
   * `idempotent`). True by default; with false every tool has effects `once` unless its options say something else. Nobody checks what a server says.
   */
  readonly trustHints?: boolean;
  /** Told that the server's tools have changed. Those that are connected stay as they are: connect again, and build the agent anew. */
  readonly onToolsChanged?: () => void;
}

/** The options, checked. */
export interface McpSettings extends Required<Omit<McpOptions, "name" | "allow">> {
  readonly name: string | undefined;
  readonly allow: readonly string[] | undefined;
}

const known = ["name", "timeoutMs", "connectMs", "maxCharacters", "tools", "allow", "deny", "trustHints", "onToolsChanged"];

const refuse = (why: string, hint?: string): never => {
  throw new ThroughlineError("input.invalid", `connectMcp: ${why}.`, hint === undefined ? {} : { hint });
};

/** The options, checked; `input.invalid` names the one that is wrong. */
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

/** The names of the tools that are wanted. A name that the server does not have is refused wherever it stands: a tool that is misspelt is not denied. */
export function wantedOf(offered: readonly string[], { tools, allow, deny }: McpSettings): ReadonlySet<string> {
  for (const [option, names] of Object.entries({ tools: Object.keys(tools), allow: allow ?? [], deny })) {
    const missing = names.find((name) => !offered.includes(name));
    if (missing !== undefined)
      refuse(`\`${option}\` names the tool ${seen(missing)}, which the server does not have; it has ${seen(offered)}`, suggestion(missing, offered));
  }
  return new Set((allow ?? offered).filter((name) => !deny.includes(name)));
}

const targetKeys = { command: ["command", "args", "env", "cwd"], url: ["url", "headers", "fetch"] } as const;

/** Where the server is, checked. */
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

/** What a server is called in errors: never a query, an argument or a password, which may be secrets. */
export function labelOf(target: ReturnType<typeof targetOf>, name: string | undefined): string {
  const place = "command" in target ? (target.command.split(/[/\\]/).at(-1) ?? "") : target.url.origin + target.url.pathname;
  return name === undefined ? `the MCP server ${place}` : `the MCP server "${name}"`;
}
