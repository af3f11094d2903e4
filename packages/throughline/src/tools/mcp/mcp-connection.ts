/** An MCP server as its tools have it: connected when it is needed, connected anew after it was lost, and what a failed request means. */
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { labelOf, type McpSettings, type targetOf } from "./mcp-options.ts";
import type { McpAnswer } from "./mcp-result.ts";

/** A tool as a server describes it. */
export type ListedTool = Awaited<ReturnType<Client["listTools"]>>["tools"][number];

/** A call of a tool. */
interface McpCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
  readonly ms: number;
}

/** A server that has let a call run out of time is asked whether it is still there, and given so long; or less, if connecting may take less. */
const longestPingMs = 5_000;

export class Connection {
  readonly label: string;
  readonly #library: McpLibrary;
  readonly #target: ReturnType<typeof targetOf>;
  readonly #settings: McpSettings;
  readonly #over = new AbortController();
  /** The number of running calls of a connection; and connections without new calls. */
  readonly #uses = new WeakMap<Link, number>();
  readonly #left = new Set<Link>();
  /** Connections that are on their way out. */
  readonly #ending = new Set<Promise<void>>();
  #link: Promise<Link> | undefined;
  /** What `#link` came to. */
  #open: Link | undefined;
  #silent = false;

  constructor(library: McpLibrary, target: ReturnType<typeof targetOf>, settings: McpSettings) {
    this.#library = library;
    this.#target = target;
    this.#settings = settings;
    this.label = labelOf(target, settings.name);
  }

  /** The server's tools, all pages of them. */
  async list(): Promise<readonly ListedTool[]> {
    const { client } = await this.#ready();
    const ms = this.#settings.connectMs;
    try {
      return (await client.listTools(undefined, { timeout: ms })).tools;
    } catch (error) {
      throw failureOf(error, { label: this.label, ms }).error;
    }
  }

  /** Calls a tool. Throws `tool.unavailable` if the call was not made, `tool.lost` if it may have been made, `timeout`, and what `failureOf` says. */
  async call({ name, arguments: args, signal, ms }: McpCall): Promise<McpAnswer> {
    for (let again = false; ; again = true) {
      signal.throwIfAborted();
      const link = await abortable(this.#ready(), signal);
      this.#use(link, 1);
      try {
        return await link.client.callTool({ name, arguments: { ...args } }, { signal, timeout: ms });
      } catch (error) {
        const { error: failure, broken, forgotten } = failureOf(error, { label: this.label, tool: name, ms });
        this.#silent ||= signal.aborted || failure.code === "timeout";
        signal.throwIfAborted();
        if (broken) this.#drop(link);
        // It has not looked at the call, so it can be made on a new connection, whatever the call does.
        if (!forgotten || again) throw failure;
      } finally {
        this.#use(link, -1);
      }
    }
  }

  /** Ends the connection, and waits until it has ended. Calls that are under way fail. Harmless when it was closed before. */
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

  /** A server that hangs is given up: the next connection is a new process, or a new session. */
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
      // The client checks structured results against what the list says.
      await link.client.listTools(undefined, { timeout: ms });
      this.#open = link;
      return link;
    } catch (error) {
      if (link !== undefined) this.#end(Promise.resolve(link));
      if (this.#over.signal.aborted) throw this.#closed();
      throw this.#unreachable(error);
    }
  }

  /** Whatever went wrong while connecting, the call was not made. */
  #unreachable(error: unknown): ThroughlineError {
    const { connectMs: ms } = this.#settings;
    const { message, details } = failureOf(error, { label: this.label, ms }).error;
    return new ThroughlineError("tool.unavailable", `Cannot connect ${this.label}. ${message}`, { details, cause: error });
  }

  /** Leaves a connection to the calls that are still under way on it. */
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

/** A connection that is open. */
interface Link {
  readonly client: Client;
  /** Ends it, and its process or its session at the server; a process that hangs is killed. Never throws. */
  end(options?: { readonly hangs?: boolean }): Promise<void>;
}

/** What opening a connection takes. */
interface Opening {
  readonly library: McpLibrary;
  readonly target: ReturnType<typeof targetOf>;
  readonly settings: McpSettings;
  readonly signal: AbortSignal;
  /** Called when the connection has ended, on either side. */
  readonly onEnd: () => void;
}

/** A server that is told to go gets so long to say goodbye to. */
const goodbyeMs = 2_000;
/** How much of what a process says on its way out is kept. */
const lastWords = 2_000;

/** Opens a connection. Throws what the client throws, with what the process wrote last, if it is one, as `lastWords`. */
async function openLink(opening: Opening): Promise<Link> {
  const { library, target, settings, signal, onEnd } = opening;
  // Nobody asks this client for anything: it declares no capabilities, so a server cannot sample, elicit or list folders.
  const client = new library.Client(
    { name: "throughline", version: "1" },
    // A process is started once; only over HTTP it costs one request to find out whether a server speaks the newer revision alone.
    { versionNegotiation: { mode: "command" in target ? "legacy" : "auto" } },
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => settings.onToolsChanged());
  const way = transportTo(library, target);
  const { transport } = way;
  // Failures come back with the requests that they belong to; what belongs to none, such as a line that is no JSON, is passed over.
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
    ...(fetch === undefined ? {} : { fetch }),
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
 * Over HTTP each request has a stream of its own. The client waits for its answer until time is up, also when the stream has ended without one; so the
 * end is given to it as an answer.
 */
function settleAtStreamEnd(transport: InstanceType<McpLibrary["StreamableHTTPClientTransport"]>): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (Array.isArray(message) || !("method" in message) || !("id" in message)) return send(message, options);
    const { id } = message;
    const end = { jsonrpc: "2.0", id, error: { code: -32_000, message: "The stream ended without an answer.", data: streamEnded } } as const;
    // An answer that came just before is still on its way through the client; then nobody waits for this one.
    const onRequestStreamEnd = (): void => void setImmediate(() => transport.onmessage?.(end));
    return send(message, { ...options, onRequestStreamEnd });
  };
}

function processOf(library: McpLibrary, { command, args = [], env, cwd }: Extract<Opening["target"], { readonly command: string }>): Way {
  const transport = new library.StdioClientTransport({
    command,
    args: [...args],
    // What it writes to its standard error is no protocol, and nobody asked to see it; it is told when it does not start.
    stderr: "pipe",
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  let words = "";
  transport.stderr?.on("data", (piece: Buffer) => {
    words = (words + piece.toString()).slice(-lastWords);
  });
  const kill = (): void => {
    try {
      if (transport.pid !== null) process.kill(transport.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  return { transport, goodbye: async () => {}, kill, said: () => words.trim() };
}

/** What of the package is used. */
interface McpLibrary {
  readonly Client: typeof Client;
  readonly StdioClientTransport: typeof StdioClientTransport;
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
}

/** The package; `package.missing` if it is not installed. */
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

/** An error in our words, and what it says of the connection. */
interface Failure {
  readonly error: ThroughlineError;
  /** The connection is of no use any more. */
  readonly broken: boolean;
  /** The server refused the request without looking at it, because it has forgotten the session: nothing was done. */
  readonly forgotten: boolean;
}

/** Stands in an error for an answer that will not come. */
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

/** Failures to connect: nothing has reached the server. */
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

/** Longest text of a server's error that the model and the log get. */
const textLimit = 2_000;

/**
 * What a failure means. The client's classes are told by their fields, because several versions of it may be loaded. Nothing of an HTTP answer is
 * passed on but its status: servers quote the request in it, and the request holds keys.
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
      ...(hint === undefined ? {} : { hint }),
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
  // A number is the code of an error that the server sent: it is there, and refuses.
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
