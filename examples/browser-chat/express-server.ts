/** The chat in Express. */
import type { Server } from "node:http";
import express from "express";
import { nodeListener } from "@throughline/adapters/ai-sdk";
import { chat } from "./chat.ts";

const app = express();
app.use(express.json({ limit: "1mb" }));
app.use("/api/chat", nodeListener(chat));

/** Serves the chat. */
export const server: Server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
