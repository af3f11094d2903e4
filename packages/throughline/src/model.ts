/** Models in detail: options of adapters, and the inputs and outputs of every model. @module */

// Inputs and outputs of a model
export type { FinishReason, ModelTool, ModelToolCall, PromptSection } from "./model/model-port.ts";

// Options of adapters
export type { ModelCallOptions } from "./model/call/call-options.ts";
export type { ModelServerOptions, OpenaiCompatibleOptions } from "./model/openai-compatible/server-options.ts";
export type { RulesOptions } from "./model/scripted.ts";
export type { ScriptedReply } from "./model/scripted.ts";
