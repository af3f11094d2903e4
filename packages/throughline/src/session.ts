/** Sessions in detail: inputs of commands, results of reads, and the data of each kind of event. @module */

// Opening, sending, posting
export type { Accepted } from "./runtime/turn/turn.ts";
export type { FollowTurnOptions } from "./runtime/session.ts";
export type { RequestedCall, TextReset } from "./runtime/reading/live-parts.ts";
export type { CommittedChange } from "./runtime/session.ts";
export type { IdempotencyOptions } from "./runtime/commands/idempotency.ts";
export type { OpenedSession } from "./create-runtime.ts";
export type { NewSessionOptions, SessionTree } from "./runtime/sessions.ts";
export type { OperatorOptions, PostOptions, StatusOptions } from "./runtime/commands/post.ts";
export type { StartedTurn, StartTurnOptions, StopOptions } from "./runtime/turn/start-turn.ts";
export type { Unsaved } from "./runtime/reading/outcome.ts";
export type { VersionOptions } from "./kernel/preconditions.ts";
export type { DraftEnd } from "./extension/port.ts";

// Changing
export type { EditOptions, EditPreview, EditProblem } from "./runtime/commands/edit.ts";
export type { ForkOptions } from "./runtime/commands/create-fork.ts";
export type { IdentifyOptions } from "./runtime/commands/identify-session.ts";
export type { PatchOptions } from "./runtime/commands/idempotency.ts";
export type { LabelChange, SessionPatch } from "./runtime/commands/session-header.ts";
export type { SetVariablesOptions } from "./runtime/variables/stored-variables.ts";
export type { WithdrawOptions } from "./runtime/commands/withdraw.ts";

// Handovers and approvals
export type { AssignOptions, HandBackOptions, HandOverOptions, UnassignOptions } from "./runtime/commands/handover-commands.ts";
export type { HandedBack } from "./runtime/session.ts";
export type { HandedOver, HandoverFilter } from "./runtime/reading/handovers.ts";
export type { DecisionMade } from "./runtime/approval/decide-call.ts";
export { argumentsHash } from "./session/pending-calls.ts";

// Reading
export type { HistoryPoint } from "./runtime/reading/history.ts";
export type { Match } from "./runtime/reading/search.ts";
export type { ModelUsage, UsageReport } from "./runtime/reading/usage.ts";
export type { OpenTurn } from "./session/session-view.ts";
export type { SessionTurn, TurnFilter } from "./runtime/reading/turns.ts";
export type { CallEffect, EffectsPage, EffectsQuery } from "./runtime/reading/effects.ts";
export type { StateAt, StateOptions } from "./runtime/reading/state-at.ts";
export type { FieldWritten, StateWriters } from "./runtime/reading/state-writers.ts";

// Agents, customers, erasure, transfer
export type { Agents } from "./runtime/variables/stored-variables.ts";
export type { CustomerPatch, NewCustomer } from "./runtime/commands/customers.ts";
export type { Erasure } from "./runtime/commands/retention.ts";
export type { RetentionOptions, RetentionReport } from "./runtime/commands/retention.ts";
export type { ExportOptions } from "./runtime/transfer/export-bundle.ts";
export type { ImportOptions, ImportReport } from "./runtime/transfer/import-bundle.ts";

// The data of events
export type {
  EndedBy,
  Decision,
  EventDataByKind,
  MessageData,
  Origin,
  ParentCall,
  PendingCall,
  SessionData,
  SpentData,
  StateData,
  StatusData,
  ToolData,
  TurnData,
  UsageData,
  Writer,
} from "./session/event.ts";

// The stored log, and its folded view
export { eventDeclarations } from "./session/event.ts";
export { decodeEvent } from "./session/fold.ts";
export { foldState } from "./session/fold.ts";
export { viewOf } from "./session/session-view.ts";
export type { SessionView } from "./session/session-view.ts";
