/** Tools from servers of the Model Context Protocol. Needs the package `@modelcontextprotocol/client`. @module */
export { connectMcp } from "./tools/mcp/connect-mcp.ts";
export type { McpServer } from "./tools/mcp/connect-mcp.ts";
export type { McpEndpoint, McpOptions, McpProcess } from "./tools/mcp/mcp-options.ts";
export type { AdaptedToolOptions } from "./tools/adapted.ts";
