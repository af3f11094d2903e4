/** Tools in detail: their types, and tools of LangChain. @module */

// Declaring tools
export type { ApprovalRule, BoundArguments, SharedState, StateOutput, ToolRetry } from "./tools/tool.ts";
export type {
  ArgumentsOf,
  FromJsonSchema,
  InputsFromState,
  NoParameters,
  OutputGiven,
  OutputsToState,
  ParametersGiven,
  StateGiven,
} from "./tools/tool.ts";

// Tools of other libraries
export { fromLangChainTool } from "./tools/langchain-tool.ts";
export type { AdaptedToolOptions } from "./tools/adapted.ts";
export type { LangChainTool, LangChainToolOptions } from "./tools/langchain-tool.ts";
