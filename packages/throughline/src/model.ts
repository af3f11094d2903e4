/** Models in detail: what adapters take and what every model takes and gives. @module */

// What a model takes and gives
export type { FinishReason, ModelTool, ModelToolCall, PromptSection } from "./model/port.ts";

// Options of adapters
export type { ModelCallOptions } from "./model/call/call-options.ts";
export type { ModelServerOptions, OpenaiCompatibleOptions } from "./model/openai-compatible/server-options.ts";
export type { RulesOptions } from "./model/scripted.ts";
export type { ScriptedReply } from "./model/scripted.ts";
