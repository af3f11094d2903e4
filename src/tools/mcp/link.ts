/** One connection to an MCP server, from its opening to its end. */
import type { Client } from "@modelcontextprotocol/client";
import { streamEnded } from "./failure.ts";
import type { McpLibrary } from "./library.ts";
import type { McpSettings, targetOf } from "./options.ts";

/** A connection that is open. */
export interface Link {
  readonly client: Client;
  /** Ends it, and its process or its session at the server; a process that hangs is killed. Never throws. */
  end(options?: { readonly hangs?: boolean }): Promise<void>;
}

/** What opening a connection takes. */
export interface Opening {
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
export async function openLink(opening: Opening): Promise<Link> {
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
