/** The connection to an MCP server: opened on demand, reopened after a loss, with the meaning of failed requests. */
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import { labelOf, type McpSettings, type targetOf } from "./mcp-options.ts";
import type { McpAnswer } from "./mcp-result.ts";

/** A tool in the server's description. */
export type ListedTool = Awaited<ReturnType<Client["listTools"]>>["tools"][number];

/** A call of a tool. */
interface McpCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
  readonly ms: number;
  /** Headers of the trace. They are sent as `_meta`, which every transport carries. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
}

/** Maximum milliseconds for the ping after a call has timed out. The limit for connecting applies if it is lower. */
const longestPingMs = 5_000;

export class Connection {
  readonly label: string;
  readonly #library: McpLibrary;
  readonly #target: ReturnType<typeof targetOf>;
  readonly #settings: McpSettings;
  readonly #over = new AbortController();
  /** Number of running calls per connection. Connections without new calls are included. */
  readonly #uses = new WeakMap<Link, number>();
  readonly #left = new Set<Link>();
  /** Connections that are closing. */
  readonly #ending = new Set<Promise<void>>();
  #link: Promise<Link> | undefined;
  /** The result of `#link`. */
  #open: Link | undefined;
  #silent = false;

  constructor(library: McpLibrary, target: ReturnType<typeof targetOf>, settings: McpSettings) {
    this.#library = library;
    this.#target = target;
    this.#settings = settings;
    this.label = labelOf(target, settings.name);
  }

  /** Lists the server's tools, all pages of them. */
  async list(): Promise<readonly ListedTool[]> {
    const { client } = await this.#ready();
    const ms = this.#settings.connectMs;
    try {
      return (await client.listTools(undefined, { timeout: ms })).tools;
    } catch (error) {
      throw failureOf(error, { label: this.label, ms }).error;
    }
  }

  /** Calls a tool. Throws `tool.unavailable` if the call was not made, `tool.lost` if it may have been made, `timeout`, and the errors of `failureOf`. */
  async call({ name, arguments: args, signal, ms, traceHeaders = {} }: McpCall): Promise<McpAnswer> {
    const traced = Object.keys(traceHeaders).length === 0 ? {} : { _meta: { ...traceHeaders } };
    for (let again = false; ; again = true) {
      signal.throwIfAborted();
      const link = await abortable(this.#ready(), signal);
      this.#use(link, 1);
      try {
        return await link.client.callTool({ name, arguments: { ...args }, ...traced }, { signal, timeout: ms });
      } catch (error) {
        const { error: failure, broken, forgotten } = failureOf(error, { label: this.label, tool: name, ms });
        this.#silent ||= signal.aborted || failure.code === "timeout";
        signal.throwIfAborted();
        if (broken) this.#drop(link);
        // The server has not processed the call, so it can be made on a new connection, whatever its effects.
        if (!forgotten || again) throw failure;
      } finally {
        this.#use(link, -1);
      }
    }
  }

  /** Closes the connection and waits for its end. Calls in progress fail. Closing it again changes nothing. */
  async close(): Promise<void> {
    this.#over.abort(this.#closed());
    const link = this.#link;
    this.#link = undefined;
    if (link !== undefined) this.#end(link);
    for (const left of this.#left) this.#end(Promise.resolve(left));
    await Promise.all(this.#ending);
  }

  #closed(): ThroughlineError {
    return new ThroughlineError("tool.unavailable", `The connection to ${this.label} was closed.`, { hint: "Connect it again." });
  }

  async #ready(): Promise<Link> {
    if (this.#over.signal.aborted) throw this.#closed();
    if (this.#silent && this.#link !== undefined) await this.#look(this.#link);
    const link = (this.#link ??= this.#reopen());
    return link;
  }

  /** Pings a server and drops it if it hangs. The next connection is a new process or session. */
  async #look(link: Promise<Link>): Promise<void> {
    this.#silent = false;
    const ms = Math.min(longestPingMs, this.#settings.connectMs);
    try {
      await (await link).client.ping({ timeout: ms });
    } catch (error) {
      const alive = failureOf(error, { label: this.label, ms }).error.code === "tool.failed";
      if (!alive && this.#link === link) {
        this.#link = undefined;
        this.#end(link, { hangs: true });
      }
    }
  }

  #reopen(): Promise<Link> {
    const onEnd = (): void => {
      if (this.#link === opened) this.#link = undefined;
    };
    const opened = this.#connect(onEnd);
    // The next call connects again.
    opened.catch(onEnd);
    return opened;
  }

  async #connect(onEnd: () => void): Promise<Link> {
    const { connectMs: ms } = this.#settings;
    let link: Link | undefined;
    try {
      const opening = { library: this.#library, target: this.#target, settings: this.#settings, signal: this.#over.signal, onEnd };
      link = await openLink(opening);
      // The client checks structured results against the list.
      await link.client.listTools(undefined, { timeout: ms });
      this.#open = link;
      return link;
    } catch (error) {
      if (link !== undefined) this.#end(Promise.resolve(link));
      if (this.#over.signal.aborted) throw this.#closed();
      throw this.#unreachable(error);
    }
  }

  /** Whatever failed while connecting, the call was not made. */
  #unreachable(error: unknown): ThroughlineError {
    const { connectMs: ms } = this.#settings;
    const { message, details } = failureOf(error, { label: this.label, ms }).error;
    return new ThroughlineError("tool.unavailable", `Cannot connect ${this.label}. ${message}`, { details, cause: error });
  }

  /** Leaves a connection to its running calls. */
  #drop(link: Link): void {
    this.#left.add(link);
    if (this.#open !== link) return;
    this.#open = undefined;
    this.#link = undefined;
  }

  #use(link: Link, change: 1 | -1): void {
    const uses = (this.#uses.get(link) ?? 0) + change;
    this.#uses.set(link, uses);
    if (uses === 0 && this.#left.delete(link)) this.#end(Promise.resolve(link));
  }

  #end(link: Promise<Link>, options?: { readonly hangs: boolean }): void {
    const ending = link.then(
      (opened) => opened.end(options),
      () => {},
    );
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }
}

/** An open connection. */
interface Link {
  readonly client: Client;
  /** Ends the connection, and its process or its session at the server. Kills a hanging process. Never throws. */
  end(options?: { readonly hangs?: boolean }): Promise<void>;
}

/** Inputs for opening a connection. */
interface Opening {
  readonly library: McpLibrary;
  readonly target: ReturnType<typeof targetOf>;
  readonly settings: McpSettings;
  readonly signal: AbortSignal;
  /** Called when either side has ended the connection. */
  readonly onEnd: () => void;
}

/** Milliseconds for a server to end after a request to stop. */
const goodbyeMs = 2_000;
/** Maximum characters kept of the last output of a process. */
const lastWords = 2_000;

/** Opens a connection. Throws the client's error, with the last output of the process, if there is one, as `lastWords`. */
async function openLink(opening: Opening): Promise<Link> {
  const { library, target, settings, signal, onEnd } = opening;
  // This client declares no capabilities, so a server cannot use sampling, elicitation or roots.
  const client = new library.Client(
    { name: "throughline", version: "1" },
    // A process is started once. Only over HTTP, one request finds out whether a server supports only the newer revision.
    { versionNegotiation: { mode: "command" in target ? "legacy" : "auto" } },
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => settings.onToolsChanged());
  const way = transportTo(library, target);
  const { transport } = way;
  // Failures are reported with their requests. Other failures, such as a line that is not JSON, are ignored.
  Object.assign(client, { onclose: onEnd, onerror: () => {} });
  const end = async ({ hangs = false }: { readonly hangs?: boolean } = {}): Promise<void> => {
    if (hangs) way.kill();
    await way.goodbye();
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
  };
  try {
    await client.connect(transport, { timeout: settings.connectMs, signal });
    return { client, end };
  } catch (error) {
    void end();
    const words = way.said();
    throw words === "" ? error : new Error(words, { cause: error });
  }
}

interface Way {
  readonly transport: InstanceType<McpLibrary["StdioClientTransport"]> | InstanceType<McpLibrary["StreamableHTTPClientTransport"]>;
  goodbye(): Promise<void>;
  kill(): void;
  said(): string;
}

function transportTo(library: McpLibrary, target: ReturnType<typeof targetOf>): Way {
  if ("command" in target) return processOf(library, target);
  const { url, headers, fetch } = target;
  const transport = new library.StreamableHTTPClientTransport(url, {
    ...(headers === undefined ? {} : { requestInit: { headers: { ...headers } } }),
    ...present({ fetch }),
  });
  settleAtStreamEnd(transport);
  const goodbye = async (): Promise<void> => {
    const left = AbortSignal.timeout(goodbyeMs);
    const late = new Promise<void>((resolve) => left.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([transport.terminateSession().catch(() => {}), late]);
  };
  return { transport, goodbye, kill: () => {}, said: () => "" };
}

/**
 * Ends requests whose stream has ended without a response. Over HTTP each request has its own stream, and the client would wait until the timeout. So
 * the end is passed to it as a response.
 */
function settleAtStreamEnd(transport: InstanceType<McpLibrary["StreamableHTTPClientTransport"]>): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (Array.isArray(message) || !("method" in message) || !("id" in message)) return send(message, options);
    const { id } = message;
    const end = { jsonrpc: "2.0", id, error: { code: -32_000, message: "The stream ended without an answer.", data: streamEnded } } as const;
    // A response that arrived just before is still being processed. Then this one is ignored.
    const onRequestStreamEnd = (): void => void setImmediate(() => transport.onmessage?.(end));
    return send(message, { ...options, onRequestStreamEnd });
  };
}

function processOf(library: McpLibrary, { command, args = [], env, cwd }: Extract<Opening["target"], { readonly command: string }>): Way {
  const transport = new library.StdioClientTransport({
    command,
    args: [...args],
    // Its standard error is not part of the protocol. It is only shown when the process does not start.
    stderr: "pipe",
    ...(env === undefined ? {} : { env: { ...env } }),
    ...present({ cwd }),
  });
  let words = "";
  transport.stderr?.on("data", (piece: Buffer) => {
    words = (words + piece.toString()).slice(-lastWords);
  });
  const kill = (): void => {
    try {
      if (transport.pid !== null) process.kill(transport.pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
  };
  return { transport, goodbye: async () => {}, kill, said: () => words.trim() };
}

/** The used part of the package. */
interface McpLibrary {
  readonly Client: typeof Client;
  readonly StdioClientTransport: typeof StdioClientTransport;
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
}

/** Loads the package. Throws `package.missing` if it is not installed. */
export async function loadLibrary(): Promise<McpLibrary> {
  try {
    const [client, stdio] = await Promise.all([import("@modelcontextprotocol/client"), import("@modelcontextprotocol/client/stdio")]);
    return { ...client, ...stdio };
  } catch (cause) {
    throw new ThroughlineError("package.missing", 'throughline/mcp needs the package "@modelcontextprotocol/client", which cannot be loaded.', {
      hint: "Install it beside throughline: npm install @modelcontextprotocol/client",
      cause,
    });
  }
}

/** A converted error, and the resulting state of the connection. */
interface Failure {
  readonly error: ThroughlineError;
  /** Whether the connection is unusable. */
  readonly broken: boolean;
  /** Whether the server has forgotten the session and rejected the request unprocessed. */
  readonly forgotten: boolean;
}

/** Marks the error for a response that will not come. */
const streamEnded = "throughline: the stream ended without an answer";

interface Clues {
  readonly data?: unknown;
  readonly name?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

const cluesOf = (error: unknown): Clues => (typeof error === "object" && error !== null ? error : {});

/** Errors of connecting. Nothing has reached the server. */
const unreached = new Set<unknown>([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ENOENT",
  "EACCES",
]);

/** Maximum length of a server's error text for the model and the log. */
const textLimit = 2_000;

/**
 * Converts a failure. The client's classes are recognized by their fields, because several versions of it may be loaded. Of an HTTP response only the
 * status is passed on, because servers quote the request, which contains keys.
 */
function failureOf(error: unknown, { label, tool, ms }: { readonly label: string; readonly tool?: string; readonly ms: number }): Failure {
  const { name, code, status, message, cause, data } = cluesOf(error);
  const who = `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
  const details = tool === undefined ? {} : { tool };
  const made = (
    kind: "timeout" | "tool.failed" | "tool.lost" | "tool.unavailable" | "tool.output_invalid",
    text: string,
    hint?: string,
  ): ThroughlineError =>
    new ThroughlineError(kind, text, {
      details: typeof status === "number" ? { ...details, status } : details,
      ...present({ hint }),
    });
  const failure = (thrown: ThroughlineError, broken = false): Failure => ({ error: thrown, broken, forgotten: false });
  if (typeof status === "number") return httpFailure(status, { who, made });
  if (code === "REQUEST_TIMEOUT") return failure(made("timeout", `${who} did not answer within ${ms} ms.`));
  if (code === "CONNECTION_CLOSED" || data === streamEnded)
    return failure(made("tool.lost", `${who} closed the connection before it had answered.`), true);
  if (code === "NOT_CONNECTED" || message === "Not connected" || unreached.has(code) || unreached.has(cluesOf(cause).code))
    return failure(made("tool.unavailable", `${who} cannot be reached.`), true);
  if (code === "INVALID_RESULT" || code === "CLIENT_HTTP_UNEXPECTED_CONTENT" || name === "ZodError" || name === "SyntaxError")
    return failure(
      made("tool.output_invalid", `${who} answered something that is not the protocol.`, "The call may have been made. Look at the server."),
    );
  // A number is an error code that the server sent, so it is reachable and rejects the request.
  if (typeof code === "number" && typeof message === "string") return failure(made("tool.failed", `${who} refused: ${message.slice(0, textLimit)}`));
  if (typeof code === "string" && name === "SdkError") return failure(made("tool.failed", `${who} and this client do not agree (${code}).`));
  return failure(made("tool.lost", `The connection to ${label} broke.`), true);
}

type Made = (kind: "tool.failed" | "tool.lost" | "tool.unavailable", text: string, hint?: string) => ThroughlineError;

function httpFailure(status: number, { who, made }: { readonly who: string; readonly made: Made }): Failure {
  const text = `${who} answered ${status}.`;
  const failure = (error: ThroughlineError, forgotten = false): Failure => ({ error, broken: forgotten, forgotten });
  if (status === 404) return failure(made("tool.unavailable", text), true);
  if (status === 401 || status === 403) return failure(made("tool.unavailable", text, "Look at the headers that it is connected with."));
  if (status === 429 || status === 503) return failure(made("tool.unavailable", text));
  return failure(made(status < 500 ? "tool.failed" : "tool.lost", text));
}
