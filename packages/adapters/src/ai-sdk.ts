/** A session in a browser through the AI SDK: `useChat` of `@ai-sdk/react`, and everything else that reads a UI message stream. Imports no code of `ai`. @module */

export { chatHandler } from "./ai-sdk/chat-handler.ts";
export type { ChatHandlerOptions, OpenedChat } from "./ai-sdk/chat-handler.ts";
export { loadUIMessages } from "./ai-sdk/chat-history.ts";
export type { HistoryOptions } from "./ai-sdk/chat-history.ts";
export { nodeListener } from "./ai-sdk/node-listener.ts";
export type { NodeListenerOptions } from "./ai-sdk/node-listener.ts";
export { toUIMessageStream, toUIMessageStreamResponse } from "./ai-sdk/chat-stream.ts";
export type { UIStreamOptions } from "./ai-sdk/chat-stream.ts";
export type { ChatChunk, ChatData, ChatMessage, ChatMetadata, ChatTools } from "./ai-sdk/chat-chunks.ts";
