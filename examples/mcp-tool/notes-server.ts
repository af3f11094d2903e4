/** A server of the Model Context Protocol, over stdio: it keeps notes while it runs. Any other server takes its place, in any language. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const notes: { readonly author: string; readonly text: string }[] = [];

serveStdio(() => {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const inputSchema = z.object({ text: z.string(), author: z.string() });
  server.registerTool("add", { description: "Adds a note.", inputSchema }, (note) => {
    notes.push(note);
    return { content: [{ type: "text", text: `Noted for ${note.author}.` }] };
  });
  const outputSchema = z.object({ notes: z.array(z.string()) });
  server.registerTool("find", { description: "Finds notes.", inputSchema, outputSchema, annotations: { readOnlyHint: true } }, ({ text, author }) => {
    const found = notes.filter((note) => note.author === author && note.text.includes(text)).map((note) => note.text);
    return { content: [{ type: "text", text: `${found.length} found: ${found.join("; ")}` }], structuredContent: { notes: found } };
  });
  return server;
});
