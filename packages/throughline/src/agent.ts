/** Agents in detail: the inputs and results of stages, variables, hooks, the reply and subagents. @module */

// Stages
export type { Apologies } from "./extension/apology.ts";
export type { AheadContext, Resources, StageDelta } from "./extension/stage.ts";
export type { Controlled } from "./session/control.ts";
export type { HandoverGiven } from "./session/control.ts";

// Variables
export type { Bound, RefreshContext } from "./runtime/variables/variable.ts";
export type { Fresh, Freshness } from "./runtime/variables/variable.ts";
export type { KnownVariable } from "./session/session-variables.ts";
export type { NamedChange, VariableScope } from "./session/session-variables.ts";

// The reply
export type { LoopSettings } from "./runtime/loop/loop-settings.ts";
export type { StepCall } from "./runtime/loop/loop-settings.ts";
export type { Reply, ReplyTurn, Waiting } from "./runtime/loop/reply-port.ts";
export type { ModelAnswer } from "./runtime/loop/ask.ts";

// Hooks
export type { GuardHookOptions, StopAnswer, StopWhenOptions } from "./runtime/hooks/guards.ts";
export type { HookDelta, HookFunction, HookOptions } from "./runtime/hooks/hook.ts";
export type { HookApproval, HookAsked, HookBlock, HookContext, HookGiven, HookPoint, HookReturns, StopRequest } from "./runtime/hooks/points.ts";

// Subagents
export type { SubagentResult } from "./runtime/subagent/subagent.ts";
export type { ChildInputs, ChildOutput, ChildOutputs } from "./runtime/subagent/subagent.ts";
export type { AgentSettings } from "./runtime/agent/define-agent.ts";
