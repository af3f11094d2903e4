/**
 * Throughline: the state layer for conversational agents. Everything here is public; importing it loads no database and no HTTP.
 * @module
 */

// Declaring state
export { defineState, isStateDefinition } from "./state/define.ts";
export type {
  StateDefinition,
  StateOf,
  DeltaOf,
  InputOf,
  StartOf,
  OutputOf,
  PublicOf,
  WritableName,
  FieldRecord,
  WithMessages,
} from "./state/define.ts";
export { input, loaded, reduced, turn } from "./state/field.ts";
export type { Codec, Field, FieldOptions, FieldTypes, Lifecycle, ReducedOptions, Show, TurnOptions } from "./state/field.ts";
export { clear, defineReducer, noChange, using } from "./state/reducer.ts";
export type { Clear, NoChange, Reducer, ReducerOptions, Using } from "./state/reducer.ts";
export { append, appendUnique, counter, lastN, max, merge, mergeDeep, replace, union, upsertBy } from "./state/reducers.ts";
export { applyDelta } from "./state/apply.ts";
export { defineMigration, migrateDocument } from "./state/migrate.ts";
export type { Migration } from "./state/migrate.ts";
export { State } from "./state/container.ts";

// Declaring an agent
export { defineAgent } from "./runtime/agent/define-agent.ts";
export type { AgentOptions } from "./runtime/agent/define-agent.ts";
export { stage } from "./runtime/agent/agent.ts";
export { withControl } from "./session/control.ts";
export type { Control, Controlled } from "./session/control.ts";
export type { HandoverGiven } from "./session/handover-given.ts";
export type { Agent, Resources, Stage, StageContext, StageDelta, TurnInfo, TypedAgent } from "./runtime/agent/agent.ts";
export { loop } from "./runtime/loop/loop.ts";
export type { Loop } from "./runtime/loop/loop.ts";
export type { LoopOptions, LoopSettings } from "./runtime/loop/settings.ts";
export { exitOn } from "./runtime/loop/exit.ts";
export type { ExitPolicy, StepCall } from "./runtime/loop/exit.ts";
export type { Reply, ReplyTurn, Waiting } from "./runtime/loop/reply.ts";
export { variable } from "./runtime/variables/variable.ts";
export type { Bound, RefreshContext, Variable, VariableOptions } from "./runtime/variables/variable.ts";
export type { Fresh, Freshness } from "./runtime/variables/fresh.ts";
export { persona, recentMessages, section, stateFields, variables } from "./context/section.ts";
export type { HistoryWindow, PromptPart, RecentMessagesOptions, Section, SectionContext } from "./context/section.ts";
export type { ChangeRate, PartOptions, Provenance, SectionOptions } from "./context/part.ts";
export type { LeftItem, PromptItem, PromptItems } from "./context/items.ts";
export type { PromptOptions } from "./context/prompt-options.ts";
export { promptMatrix } from "./context/audience.ts";
export type { Prompted, PromptMatrixCell, PromptMatrixRow } from "./context/audience.ts";
export { asData } from "./context/data.ts";
export { charactersOverFour, tiktokenCounter, tokenCounter } from "./context/tokens.ts";
export type { Tiktoken, TokenCounter } from "./context/tokens.ts";
export type { PromptItemRecord, PromptPartRecord, PromptRecord } from "./context/prompt-record.ts";
export type { SessionStage } from "./context/session-stage.ts";
export { stageGuidance } from "./context/stage-guidance.ts";
export type { StageGuidanceOptions } from "./context/stage-guidance.ts";
export type { KeepRequests } from "./runtime/turn/keep-requests.ts";
export type { PromptQuery, SessionPrompt } from "./runtime/turn/kept-requests.ts";

// Budgets
export { capBudget } from "./execution/budget.ts";
export type { Budget, TokenLimits } from "./execution/budget.ts";
export { exhausted, timeLeft } from "./execution/exhausted.ts";
export type { ExhaustedOptions } from "./execution/exhausted.ts";
export { charge, createLedger, remaining, reserve, reserveCall, reserveChild, settle, settleChild } from "./execution/ledger.ts";
export type { ChildReservation, Ledger, Reservation, Settlement } from "./execution/ledger.ts";
export type { Amount, Amounts } from "./execution/amount.ts";
export type { Spent, StoredSpent } from "./execution/spent.ts";
export { costOf, estimate } from "./execution/prices.ts";
export type { Price, PriceTable } from "./execution/prices.ts";

// Hooks
export { hook } from "./runtime/hooks/hook.ts";
export type { Hook, HookDelta, HookOptions } from "./runtime/hooks/hook.ts";
export { approveTools, blockTools, cancelWhen, stopOnFinishReason, stopWhen } from "./runtime/hooks/guards.ts";
export type { GuardHookOptions, StopAnswer, StopWhenOptions } from "./runtime/hooks/guards.ts";
export type {
  HookApproval,
  HookAsked,
  HookBlock,
  HookContext,
  HookFunctions,
  HookGiven,
  HookPoint,
  HookReturned,
  HookReturns,
  StopRequest,
} from "./runtime/hooks/points.ts";
export type { ModelAnswer } from "./runtime/loop/ask.ts";

// Tools
export { defineTool } from "./tools/define.ts";
export type {
  ArgumentsOf,
  FromJsonSchema,
  InputsFromState,
  OutputGiven,
  OutputsToState,
  ParametersGiven,
  StateGiven,
  ToolOptions,
} from "./tools/options.ts";
export { fromLangChainTool } from "./tools/langchain-tool.ts";
export type { LangChainTool, LangChainToolOptions } from "./tools/langchain-tool.ts";
export type { AdaptedToolOptions } from "./tools/adapted.ts";
export { subagent } from "./runtime/subagent/subagent.ts";
export type { Subagent, SubagentResult } from "./runtime/subagent/subagent.ts";
export type { ChildInputs, ChildOutput, ChildOutputs, SubagentOptions } from "./runtime/subagent/options.ts";
export type { ApprovalRule, BoundArguments, SharedState, StateOutput, Tool, ToolContext, ToolRetry } from "./tools/tool.ts";

// Models
export { openaiCompatible } from "./model/openai-compatible/openai-compatible.ts";
export type { ModelServerOptions, OpenaiCompatibleOptions } from "./model/openai-compatible/options.ts";
export type { ModelCallOptions } from "./model/call/options.ts";
export { rules } from "./model/rules.ts";
export type { ReplyRule, RuleInput, RulesOptions } from "./model/rules.ts";
export { scripted } from "./model/scripted.ts";
export type { Script, ScriptedModel, ScriptedReply } from "./model/scripted.ts";
export type { FinishReason, Model, ModelMessage, ModelPart, ModelRequest, ModelTool, ModelToolCall, PromptSection, Usage } from "./model/port.ts";

// Running
export { openStore, rotateKeys } from "./open-store.ts";
export { createRuntime } from "./runtime/runtime.ts";
export type { Runtime, RuntimeOptions } from "./runtime/runtime.ts";
export type {
  ListedSession,
  NewSessionOptions,
  OpenedSession,
  OpenSessionOptions,
  SessionFilter,
  Sessions,
  SessionTree,
} from "./runtime/sessions.ts";
export { Session } from "./runtime/session.ts";
export type { ForkOptions } from "./runtime/commands/fork.ts";
export type { HistoryPoint } from "./runtime/reading/history.ts";
export type { EditOptions } from "./runtime/commands/edit.ts";
export type { CommittedChange, HandedBack, SendOptions } from "./runtime/session.ts";
export type { SessionInfo } from "./runtime/reading/session-info.ts";
export type { IdempotencyOptions } from "./runtime/commands/idempotency.ts";
export type { LabelChange, PatchOptions, SessionPatch } from "./runtime/commands/patch.ts";
export type { OperatorOptions, PostOptions, StatusOptions } from "./runtime/commands/post.ts";
export type { VersionOptions } from "./runtime/commands/preconditions.ts";
export type { StartedTurn, StartTurnOptions, StopOptions } from "./runtime/turn/start-turn.ts";
export type { StateAt, StateOptions } from "./runtime/reading/state-at.ts";
export type { SessionTurn, TurnFilter } from "./runtime/reading/turns.ts";
export type { ModelUsage, UsageReport } from "./runtime/reading/usage.ts";
export type { AssignOptions, HandBackOptions, HandOverOptions, UnassignOptions } from "./runtime/commands/handover.ts";
export type { HandedOver, HandoverFilter, Handovers } from "./runtime/reading/handovers.ts";
export type { Match } from "./runtime/reading/search.ts";
export type { WithdrawOptions } from "./runtime/commands/withdraw.ts";
export type { IdentifyOptions } from "./runtime/commands/identify.ts";
export type { Customer, CustomerPatch, Customers, NewCustomer } from "./runtime/commands/customers.ts";
export type { Agents } from "./runtime/variables/agents.ts";
export type { SetVariablesOptions } from "./runtime/variables/set.ts";
export type { Erasure, Erasures } from "./runtime/reading/erasures.ts";
export type { RetentionOptions, RetentionReport } from "./runtime/commands/retention.ts";
export { exportCustomer, exportSession, importBundle } from "./runtime/transfer/bundles.ts";
export type { ExportOptions } from "./runtime/transfer/export-bundle.ts";
export type { ImportOptions, ImportReport } from "./runtime/transfer/import-bundle.ts";
export type { Incoming } from "./runtime/turn/receive.ts";
export type { Accepted } from "./runtime/turn/turn.ts";
export type { TurnResult, Unsaved } from "./runtime/reading/outcome.ts";
export type { DecideOptions, DecisionMade } from "./runtime/approval/decide.ts";
export type { Pending } from "./runtime/approval/pending.ts";
export { argumentsHash } from "./session/arguments-hash.ts";
export type { EventFilter } from "./runtime/reading/follow.ts";
export type { Draft } from "./runtime/turn/drafts.ts";

// Execution as a value
export type { AppendList } from "./execution/append-list.ts";
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
export { agentStepType, stepErrors } from "./execution/graph/agent-step.ts";
export type { ClosedStep, OpenStep, StepResponse } from "./execution/graph/agent-step.ts";
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
export type { Change, ConversationOptions } from "./execution/graph/conversation.ts";
export { debug } from "./execution/graph/debug.ts";
export type { AgentStateSummary } from "./execution/graph/debug.ts";
export { continuationOf, explain, shouldStop } from "./execution/graph/decision.ts";
export type { ContinuationDecision } from "./execution/graph/decision.ts";
export type { AgentMessage, AgentMessageGiven, MessageRange, MessageSummary, MessageTags } from "./execution/graph/message.ts";
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
export { agentStateFromJSON, agentStateToJSON, messageLog } from "./execution/graph/serialize.ts";
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
export type { Continuation, Done, Execution, ExecutionOutcome, ExecutionStatus, Running } from "./execution/execution.ts";
export type { Step, StepType } from "./execution/step.ts";
export type { StopReason, StopSignal } from "./execution/stop.ts";

// The log
export type {
  Diagnostics,
  Event,
  EventDataByKind,
  EventOf,
  MessageData,
  MessagePart,
  Origin,
  Decision,
  Outcome,
  ParentCall,
  PendingCall,
  SessionData,
  SpentData,
  StateData,
  StatusData,
  ToolCall,
  ToolData,
  ToolEffects,
  ToolResult,
  TurnData,
  UsageData,
  Writer,
} from "./session/event.ts";
export { historyOf } from "./session/history.ts";
export type { HistoryOptions, ShownTraces } from "./session/history.ts";
export { messagesOf } from "./session/messages.ts";
export { summarisable } from "./session/summary.ts";
export type { ConversationSummary, Summarisable } from "./session/summary.ts";
export type { SummaryLimits } from "./state/message-boundary.ts";
export { resultText, textOf } from "./session/result-text.ts";
export type { Message } from "./session/messages.ts";
export type { Metadata, NamedChange, Variables, VariableScope } from "./session/variables.ts";
export type { KnownVariable } from "./session/join-variables.ts";
export type { OpenTurn } from "./session/view.ts";

// Stores
export { plainCodec } from "./store/port.ts";
export type { Claim, PayloadCodec, Store } from "./store/port.ts";
export type { StoreOptions, Timeouts } from "./store/options.ts";
export type { EncryptionOptions, OperatorKey } from "./store/encryption.ts";
export type { Rotation } from "./store/sql/keys/rotate.ts";

// Foundations
export { ThroughlineError } from "./kernel/error.ts";
export type { ErrorInfo, ErrorOptions } from "./kernel/error.ts";
export { errorCatalogue } from "./kernel/error-catalogue.ts";
export type { CatalogueEntry, ErrorCode, ErrorKind } from "./kernel/error-catalogue.ts";
export { createIds, executionIdOf } from "./kernel/id.ts";
export type { ExecutionId, Ids, SessionId, TraceId, TurnId } from "./kernel/id.ts";
export { systemClock } from "./kernel/clock.ts";
export type { Clock } from "./kernel/clock.ts";
export type { Random } from "./kernel/random.ts";
export type { Json, JsonArray, JsonObject, JsonPrimitive } from "./kernel/json.ts";
export type { PatchOperation } from "./kernel/json-patch.ts";
export type { Logger } from "./kernel/log.ts";
export type { SpanAttributes, Tracer } from "./kernel/trace.ts";
export type { DraftEnd } from "./extension/port.ts";
