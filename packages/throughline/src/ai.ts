/** Models and tools of the AI SDK. Nothing of the SDK is loaded: what is handed in brings it along. */
export { aiSdk } from "./model/ai-sdk/ai-sdk-model.ts";
export type { AiSdkOptions } from "./model/ai-sdk/ai-sdk-model.ts";
export type { AiSdkCall, AiSdkLanguageModel, AiSdkMessage, AiSdkSettings, AiSdkStreamPart } from "./model/ai-sdk/language-model.ts";
export type { AiSdkWarning } from "./model/ai-sdk/language-model.ts";
export type { ModelCallOptions } from "./model/call/call-options.ts";
export { fromAiTool } from "./tools/ai-tool.ts";
export type { AiTool, AiToolOptions } from "./tools/ai-tool.ts";
export type { AdaptedToolOptions } from "./tools/adapted.ts";
