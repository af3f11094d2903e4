/** The chat in Hono. */
import { serve, type ServerType } from "@hono/node-server";
import { Hono } from "hono";
import { chat } from "./chat.ts";

const app = new Hono();
app.all("/api/chat/*", (context) => chat(context.req.raw));

/** Serves the chat. */
export const server: ServerType = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000), hostname: "127.0.0.1" });
