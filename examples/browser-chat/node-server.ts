/** The chat on Node's own HTTP server. */
import { createServer, type Server } from "node:http";
import { nodeListener } from "@throughline/adapters/ai-sdk";
import { chat } from "./chat.ts";

const answer = nodeListener(chat);

/** Serves the chat. */
export const server: Server = createServer((request, response) => {
  if (request.url?.startsWith("/api/chat") === true) answer(request, response);
  else response.writeHead(404).end();
}).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
