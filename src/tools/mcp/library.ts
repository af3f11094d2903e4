/** The client of the Model Context Protocol: an optional package, loaded when a server is connected. */
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ThroughlineError } from "../../kernel/error.ts";

/** What of the package is used. */
export interface McpLibrary {
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
