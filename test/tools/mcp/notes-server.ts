/** A server of the Model Context Protocol, written with its own package. Run as a program it speaks over stdio. */
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

type Answer = { content: { type: "text"; text: string }[] };
const text = (said: string): Answer => ({ content: [{ type: "text", text: said }] });

/** A new server. `log` is a file to which the tools that do something write what they did. */
export function createNotesServer(log: string): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const did = (what: string): void => appendFileSync(log, `${what}\n`);
  server.registerTool(
    "search",
    {
      description: "Finds notes of an author.",
      inputSchema: z.object({ query: z.string(), author: z.string() }),
      outputSchema: z.object({ results: z.array(z.string()), count: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ query, author }) => {
      const found = { results: [`${author} on ${query}`], count: 1 };
      return { content: [{ type: "text", text: JSON.stringify(found) }], structuredContent: found };
    },
  );
  server.registerTool("save", { description: "Saves a note.", inputSchema: z.object({ note: z.string() }) }, ({ note }) => {
    did(`save ${note}`);
    return text(`Saved "${note}".`);
  });
  server.registerTool(
    "set.title",
    { title: "Sets the title", inputSchema: z.object({ title: z.string() }), annotations: { idempotentHint: true } },
    ({ title }) => ({ content: [{ type: "text", text: "Set." }], structuredContent: { title } }),
  );
  server.registerTool("cover", { description: "A picture of the cover." }, () => ({
    content: [
      { type: "text", text: "The cover" },
      { type: "image", data: Buffer.from("a picture").toString("base64"), mimeType: "image/png" },
      { type: "resource_link", uri: "notes://1", name: "first" },
    ],
  }));
  server.registerTool("legacy", { description: "Answers in the old way." }, () => text(JSON.stringify({ count: 7 })));
  server.registerTool("long", { description: "Says a lot." }, () => text("é".repeat(5_000)));
  server.registerTool("refuse", { description: "Fails." }, () => ({ ...text("The notebook is locked."), isError: true }));
  server.registerTool("environment", { description: "What it was started with." }, () => text(Object.keys(process.env).toSorted().join(" ")));
  server.registerTool("hang", { description: "Never answers." }, async (context) => {
    context.mcpReq.signal.addEventListener("abort", () => did("hang was cancelled"));
    return new Promise<Answer>(() => {});
  });
  server.registerTool("freeze", { description: "Answers nobody any more." }, () => {
    for (;;);
  });
  server.registerTool("die", { description: "Ends the server in the middle of the call." }, () => {
    did("die");
    process.exit(1);
  });
  server.registerTool("garbage", { description: "Answers what is not the protocol." }, () => {
    process.stdout.write("this is no JSON\n[1,2\n");
    return text("after garbage");
  });
  server.registerTool("grow", { description: "Gets another tool." }, () => {
    server.registerTool(`grown_${process.pid}`, { description: "New." }, () => text("new"));
    return text("grown");
  });
  return server;
}

if (import.meta.main) serveStdio(() => createNotesServer(process.argv[2] ?? ""));
