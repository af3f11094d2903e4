/**
 * Throughline: the state layer for conversational agents. This entry has the names that most programs use, at most 150. The subpaths have the rest:
 * - `/state`, `/agent`, `/context`, `/tools`, `/model`, `/execution` and `/session` by topic
 * - `/memory`, `/safety` and `/extension` for the features of an agent
 * - `/store`, `/sqlite` and `/postgres` for databases
 * - `/kernel` for errors, JSON, ids and time
 *
 * Importing it loads no database and no HTTP.
 * @module
 */

// Declaring state: fields and reducers
export { defineState } from "./state/define.ts";
export { input, loaded, reduced, turn } from "./state/field.ts";
export { defineReducer, clear, noChange, using } from "./state/reducer.ts";
export { append, appendUnique, counter, lastN, max, merge, mergeDeep, replace, union, upsertBy } from "./state/reducers.ts";
export { defineMigration } from "./state/migrate-state.ts";
export { State } from "./state/standalone-state.ts";
export type { StateDefinition, StateOf, DeltaOf, InputOf, OutputOf, PublicOf } from "./state/define.ts";

// Declaring an agent: stages, variables, the reply
export { defineAgent } from "./runtime/agent/define-agent.ts";
export { stage } from "./extension/stage.ts";
export { withControl } from "./session/control.ts";
export { variable } from "./runtime/variables/variable.ts";
export { loop } from "./runtime/loop/loop.ts";
export { exitOn } from "./runtime/loop/loop-settings.ts";
export type { Agent } from "./runtime/agent/agent.ts";
export type { Stage, StageContext, TurnInfo } from "./extension/stage.ts";
export type { AgentChanges, AgentOptions, TypedAgent } from "./runtime/agent/define-agent.ts";
export type { Control } from "./session/control.ts";
export type { Variable, VariableOptions } from "./runtime/variables/variable.ts";
export type { Loop } from "./runtime/loop/loop.ts";
export type { LoopOptions } from "./runtime/loop/loop-settings.ts";
export type { ExitPolicy } from "./runtime/loop/loop-settings.ts";

// Prompts
export { persona, recentMessages, section, stateFields, variables } from "./context/section.ts";
export { stageGuidance } from "./context/stock-sections.ts";
export { asData } from "./context/to-model.ts";
export type { PromptPart, Section, SectionContext } from "./context/section.ts";

// Limits and hooks
export { capBudget } from "./execution/ledger.ts";
export { exhausted } from "./execution/ledger.ts";
export { hook } from "./runtime/hooks/hook.ts";
export { approveTools, blockTools, cancelWhen, stopOnFinishReason, stopWhen } from "./runtime/hooks/guards.ts";
export type { Budget } from "./execution/ledger.ts";
export type { Hook } from "./runtime/hooks/hook.ts";
export type { Price } from "./execution/prices.ts";

// Tools and subagents
export { defineTool } from "./tools/define-tool.ts";
export { subagent } from "./runtime/subagent/subagent.ts";
export type { Tool, ToolContext } from "./tools/tool.ts";
export type { ToolOptions } from "./tools/tool.ts";
export type { Subagent } from "./runtime/subagent/subagent.ts";
export type { SubagentOptions } from "./runtime/subagent/subagent.ts";

// Models
export { openaiCompatible } from "./model/openai-compatible/openai-compatible-model.ts";
export { rules } from "./model/scripted.ts";
export { scripted } from "./model/scripted.ts";
export type { Model, ModelMessage, ModelPart, ModelRequest, Usage } from "./model/model-port.ts";
export type { ReplyRule, RuleInput } from "./model/scripted.ts";
export type { Script, ScriptedModel } from "./model/scripted.ts";

// Running: a store, a runtime, its sessions
export { openStore, rotateKeys } from "./open-store.ts";
export { createRuntime, Session } from "./create-runtime.ts";
export { exportCustomer, exportSession, importBundle } from "./bundles.ts";
export type { Store } from "./store/port.ts";
export type { StoreOptions } from "./store/store-options.ts";
export type { EncryptionOptions } from "./store/store-options.ts";
export type { Runtime, Sessions } from "./create-runtime.ts";
export type { RuntimeOptions } from "./runtime/runtime.ts";
export type { SessionFilter, ListedSession, OpenSessionOptions } from "./runtime/sessions.ts";
export type { SessionInfo } from "./runtime/reading/session-info.ts";
export type { SendOptions } from "./runtime/session.ts";
export type { TurnResult } from "./runtime/reading/outcome.ts";
export type { LivePart } from "./runtime/reading/live-parts.ts";
export type { TurnStream } from "./runtime/reading/turn-stream.ts";
export type { Draft } from "./runtime/turn/drafts.ts";
export type { Pending } from "./runtime/approval/pending-approvals.ts";
export type { DecideOptions, ReviewedCall } from "./runtime/approval/decide-call.ts";
export type { Customers } from "./create-runtime.ts";
export type { Customer } from "./runtime/commands/customers.ts";
export type { Handovers } from "./runtime/reading/handovers.ts";
export type { Erasures } from "./runtime/commands/retention.ts";

// The log: events and their data
export { historyOf } from "./session/session-history.ts";
export { messagesOf } from "./session/session-messages.ts";
export { resultText, textOf } from "./session/session-messages.ts";
export type { Event, EventOf, MessagePart, Diagnostics, Outcome, ToolCall, ToolEffects, ToolResult } from "./session/event.ts";
export type { EventFilter } from "./runtime/reading/follow.ts";
export type { Message } from "./session/session-messages.ts";
export type { Variables, Metadata } from "./session/session-variables.ts";

// Errors, ids, time and JSON
export { ThroughlineError } from "./kernel/error.ts";
export { createIds } from "./kernel/id.ts";
export { systemClock } from "./kernel/clock.ts";
export type { ErrorCode } from "./kernel/error-catalogue.ts";
export type { ErrorInfo } from "./kernel/error.ts";
export type { Ids, SessionId, TurnId, TraceId } from "./kernel/id.ts";
export type { Clock } from "./kernel/clock.ts";
export type { Random } from "./kernel/random.ts";
export type { Json, JsonObject } from "./kernel/json.ts";
export type { PatchOperation } from "./kernel/json-patch.ts";
export type { Logger } from "./kernel/log.ts";
export type { Tracer } from "./kernel/log.ts";

// No names, but the entries that declarations of a program name: those of an exported state, agent or session
/* oxlint-disable unicorn/require-module-specifiers -- a compiler names only what the program has loaded */
export type {} from "./state.ts";
export type {} from "./agent.ts";
export type {} from "./context.ts";
export type {} from "./tools.ts";
export type {} from "./model.ts";
export type {} from "./execution.ts";
export type {} from "./session.ts";
export type {} from "./kernel.ts";
export type {} from "./extension.ts";
export type {} from "./store.ts";
