/** Budgets and executions as immutable values, without a runtime: steps, stop signals and ledgers. @module */

// Budgets and ledgers
export { timeLeft } from "./execution/ledger.ts";
export { charge, createLedger, remaining, reserve, reserveCall, reserveChild, settle, settleChild } from "./execution/ledger.ts";
export { costOf, estimate } from "./execution/prices.ts";
export type { Amount, Amounts } from "./execution/ledger.ts";
export type { ChildReservation, Ledger, Reservation, Settlement } from "./execution/ledger.ts";
export type { ExhaustedOptions } from "./execution/ledger.ts";
export type { PriceTable } from "./execution/prices.ts";
export type { Spent, StoredSpent } from "./execution/ledger.ts";
export type { TokenLimits } from "./execution/ledger.ts";

// Agent state
export {
  createAgentState,
  withMetadata,
  withModel,
  withoutMetadata,
  withParent,
  withResponseFormat,
  withSystemPrompt,
} from "./execution/agent-state.ts";
export type { AgentContext, AgentContinuation, AgentExecution, AgentState, AgentWork, NewAgentState } from "./execution/agent-state.ts";
export type { AppendList } from "./execution/append-list.ts";
export type { AgentStateIn, Done, ExecutionOutcome, ExecutionStatus, Idle, Paused, Running } from "./execution/agent-state.ts";
export type { StopReason, StopSignal } from "./execution/step.ts";
export { executionIdOf } from "./kernel/id.ts";
export type { ExecutionId } from "./kernel/id.ts";

// Steps and transitions
export { agentStepType, errorOf, stepCalls, stepErrors, stepText, valueOf, wasBlocked } from "./execution/step.ts";
export type { ClosedStep, OpenStep, StepResponse, StepType, ToolExecution } from "./execution/step.ts";
export type { ToolOutcome } from "./state/tool-outcome.ts";
export {
  beginExecution,
  closeStep,
  failExecution,
  finishExecution,
  forNextExecution,
  openStep,
  pauseExecution,
  recordError,
  recordResponse,
  recordToolResult,
  requestContinuation,
  requestStop,
  resumeExecution,
} from "./execution/transitions.ts";
export type { FinishOptions, ToolResultGiven } from "./execution/transitions.ts";

// Conversation
export {
  clearMessages,
  compactionRange,
  conversation,
  messagesIn,
  withAppendedMessages,
  withBuffer,
  withMessages,
  withSummary,
  withUserMessage,
} from "./execution/conversation.ts";
export type { AgentMessage, AgentMessageGiven, MessageRange, MessageSummary, MessageTags } from "./execution/agent-message.ts";
export type { Change, ConversationOptions } from "./execution/conversation.ts";

// Reading
export {
  continuationOf,
  currentResponse,
  currentStep,
  currentStepOrLast,
  debug,
  errorsOf,
  executionDuration,
  explain,
  finalResponse,
  hasErrors,
  hasFinalResponse,
  lastStep,
  lastStepType,
  lastToolExecution,
  shouldStop,
  statusOf,
  stepCount,
  stepDuration,
  stepsOf,
  stopSignalOf,
  usageOf,
  workOf,
} from "./execution/read.ts";
export type { AgentStateSummary, ContinuationDecision, ContinuationOptions } from "./execution/read.ts";
export { agentStateFromJSON, agentStateToJSON, messageLog } from "./execution/state-json.ts";
