/** Models and tools of the AI SDK. The SDK is not loaded: the caller passes its models and tools. */
export { aiSdk } from "./model/ai-sdk/ai-sdk-model.ts";
export type { AiSdkOptions } from "./model/ai-sdk/ai-sdk-model.ts";
export type { AiSdkCall, AiSdkLanguageModel, AiSdkMessage, AiSdkSettings, AiSdkStreamPart } from "./model/ai-sdk/language-model.ts";
export type { AiSdkWarning } from "./model/ai-sdk/language-model.ts";
export type { ModelCallOptions } from "./model/call/call-options.ts";
export { fromAiTool } from "./tools/ai-tool.ts";
export type { AiTool, AiToolOptions } from "./tools/ai-tool.ts";
export type { AdaptedToolOptions } from "./tools/adapted.ts";
