/** Budgets and executions as values: steps, signals and accounts, without a runtime. @module */

// Budgets and accounts
export { timeLeft } from "./execution/exhausted.ts";
export { charge, createLedger, remaining, reserve, reserveCall, reserveChild, settle, settleChild } from "./execution/ledger.ts";
export { costOf, estimate } from "./execution/prices.ts";
export type { Amount, Amounts } from "./execution/amount.ts";
export type { ChildReservation, Ledger, Reservation, Settlement } from "./execution/ledger.ts";
export type { ExhaustedOptions } from "./execution/exhausted.ts";
export type { PriceTable } from "./execution/prices.ts";
export type { Spent, StoredSpent } from "./execution/spent.ts";
export type { TokenLimits } from "./execution/budget.ts";

// An execution
export {
  createAgentState,
  withMetadata,
  withModel,
  withoutMetadata,
  withParent,
  withResponseFormat,
  withSystemPrompt,
} from "./execution/graph/agent-state.ts";
export type { AgentContext, AgentContinuation, AgentExecution, AgentState, AgentWork, NewAgentState } from "./execution/graph/agent-state.ts";
export type { AppendList } from "./execution/append-list.ts";
export type { Continuation, Done, Execution, ExecutionOutcome, ExecutionStatus, Running } from "./execution/execution.ts";
export type { Step, StepType } from "./execution/step.ts";
export type { StopReason, StopSignal } from "./execution/stop.ts";
export { executionIdOf } from "./kernel/id.ts";
export type { ExecutionId } from "./kernel/id.ts";

// Its steps
export { agentStepType, stepErrors } from "./execution/graph/agent-step.ts";
export type { ClosedStep, OpenStep, StepResponse } from "./execution/graph/agent-step.ts";
export { errorOf, valueOf, wasBlocked } from "./execution/graph/tool-execution.ts";
export type { ToolExecution } from "./execution/graph/tool-execution.ts";
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
} from "./execution/graph/transitions.ts";

// Its conversation
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
} from "./execution/graph/conversation.ts";
export type { AgentMessage, AgentMessageGiven, MessageRange, MessageSummary, MessageTags } from "./execution/graph/message.ts";
export type { Change, ConversationOptions } from "./execution/graph/conversation.ts";

// Reading it
export { debug } from "./execution/graph/debug.ts";
export { continuationOf, explain, shouldStop } from "./execution/graph/decision.ts";
export {
  currentResponse,
  currentStep,
  currentStepOrLast,
  errorsOf,
  executionDuration,
  finalResponse,
  hasErrors,
  hasFinalResponse,
  lastStep,
  lastStepType,
  lastToolExecution,
  statusOf,
  stepCount,
  stepDuration,
  stepsOf,
  stopSignalOf,
  usageOf,
} from "./execution/graph/read.ts";
export type { AgentStateSummary } from "./execution/graph/debug.ts";
export type { ContinuationDecision } from "./execution/graph/decision.ts";
export { agentStateFromJSON, agentStateToJSON, messageLog } from "./execution/graph/serialize.ts";
