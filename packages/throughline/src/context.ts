/** Prompts in detail: their parts, audiences, and token counting. @module */

// Parts of a prompt
export type { ChangeRate, PartOptions, Provenance, SectionOptions } from "./context/section.ts";
export type { HistoryWindow, RecentMessagesOptions } from "./context/section.ts";
export type { LeftItem, PromptItem, PromptItems } from "./context/section.ts";
export type { PromptOptions } from "./context/prompt-options.ts";
export type { SessionStage } from "./context/session-stage.ts";
export type { StageGuidanceOptions } from "./context/stock-sections.ts";

// Audiences
export { promptMatrix } from "./context/prompt-options.ts";
export type { Prompted, PromptMatrixCell, PromptMatrixRow } from "./context/prompt-options.ts";

// Counting tokens
export { charactersOverFour, tiktokenCounter, tokenCounter } from "./context/tokens.ts";
export type { Tiktoken, TokenCounter } from "./context/tokens.ts";

// Records of sent prompts
export type { KeepRequests } from "./runtime/agent/define-agent.ts";
export type { PromptItemRecord, PromptPartRecord, PromptRecord } from "./context/assemble.ts";
export type { PromptQuery, SessionPrompt } from "./extension/kept-requests.ts";

// Summaries of long conversations
export { summarisable } from "./session/session-history.ts";
export type { ConversationSummary, Summarisable } from "./session/session-history.ts";
export type { SummaryLimits } from "./state/message-groups.ts";
export type { HistoryOptions, ShownTraces } from "./session/session-history.ts";
