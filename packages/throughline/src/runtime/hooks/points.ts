/** The ten points of an execution where hooks run, with the inputs and results of each. */
import type { AgentStateIn } from "../../execution/agent-state.ts";
import type { Ledger } from "../../execution/ledger.ts";
import type { ClosedStep, StopReason, StopSignal } from "../../execution/step.ts";
import type { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ModelRequest, ModelToolCall } from "../../model/model-port.ts";
import type { ToolCall, ToolResult } from "../../session/event.ts";
import type { Resources, TurnInfo } from "../../extension/stage.ts";
import type { ModelAnswer } from "../loop/ask.ts";

/** All points, in the order of an execution. */
export const hookPoints = [
  "beforeExecution",
  "beforeStep",
  "beforeModel",
  "afterModel",
  "beforeTool",
  "afterTool",
  "afterStep",
  "onStop",
  "onError",
  "afterExecution",
] as const;

/** A point of an execution where hooks run. */
export type HookPoint = (typeof hookPoints)[number];

/** Why a call was blocked, and by which hook. */
export interface HookBlock {
  readonly by: string;
  readonly reason: string;
}

/** The hook that requires approval, and its question. The question is undefined if the hook has none. */
export interface HookApproval {
  readonly by: string;
  readonly question: string | undefined;
}

/** The additional inputs of each point. They are frozen and contain the changes of earlier hooks. */
export interface HookGiven {
  readonly beforeExecution: unknown;
  readonly beforeStep: unknown;
  /** The request for the model. */
  readonly beforeModel: { readonly request: ModelRequest };
  /** The model's response, before its calls run. */
  readonly afterModel: { readonly answer: ModelAnswer };
  /** The call, and the decisions of earlier hooks on it, which are final. */
  readonly beforeTool: { readonly call: ToolCall; readonly block: HookBlock | undefined; readonly approval: HookApproval | undefined };
  /** The call and its result. */
  readonly afterTool: { readonly call: ToolCall; readonly result: ToolResult };
  /** The ended step. */
  readonly afterStep: { readonly step: ClosedStep };
  /** Why the execution is about to end. `completed` if the model has answered. */
  readonly onStop: { readonly stop: StopSignal };
  /** The failure. Its cause may quote a customer, or a request with its API key. Do not store it. */
  readonly onError: { readonly error: ThroughlineError };
  readonly afterExecution: unknown;
}

/** The arguments of a function at a point. */
export type HookContext<State = Readonly<Record<string, unknown>>, Point extends HookPoint = HookPoint> = HookGiven[Point] & {
  /** The current state, frozen. */
  readonly state: State;
  /** Properties of the turn. */
  readonly context: TurnInfo;
  /** The agent's state with the current execution: steps, results, signals. `session.execution(turn_id)` reads the same from the log. */
  readonly execution: AgentStateIn<Point extends "afterExecution" ? "done" : "running">;
  /** The limits and the spending of the execution. `remaining(budget)` computes the rest. */
  readonly budget: Ledger;
  readonly resources: Resources;
  /** Aborts when the hook's time is over, or the turn is stopped. */
  readonly signal: AbortSignal;
};

/** A request to end the execution. */
export interface StopRequest {
  /** Defaults to `stop_requested`. */
  readonly reason?: StopReason | undefined;
  /** One sentence. It is logged and shown, so include relevant values but no text of a customer. */
  readonly message: string;
  readonly context?: JsonObject | undefined;
}

/** What a function may return at every point except the last. */
export interface HookAsked<Delta> {
  /** Updates of the hook's declared fields. */
  readonly delta?: Delta | undefined;
  readonly stop?: StopRequest | undefined;
}

/** The result of each point. A function that returns nothing changes nothing. */
export interface HookReturns<Delta> {
  readonly beforeExecution: HookAsked<Delta>;
  readonly beforeStep: HookAsked<Delta>;
  /** Parts that replace those of this one request. Tools can be redescribed or left out, not added. */
  readonly beforeModel: HookAsked<Delta> & { readonly request?: Partial<ModelRequest> | undefined };
  /** Text or calls that replace the model's. */
  readonly afterModel: HookAsked<Delta> & {
    readonly answer?: { readonly text?: string | undefined; readonly calls?: readonly ModelToolCall[] | undefined } | undefined;
  };
  readonly beforeTool: HookAsked<Delta> & {
    /** Replaces the arguments of the call. */
    readonly arguments?: JsonObject | undefined;
    /** Blocks the call. The model reads this reason. */
    readonly block?: string | undefined;
    /** Requires human approval of the call. The text is the question. */
    readonly approval?: string | true | undefined;
  };
  /** Replaces the result of the call. */
  readonly afterTool: HookAsked<Delta> & { readonly result?: ToolResult | undefined };
  /** Requests one more step that would not run otherwise. It overrules no signal. */
  readonly afterStep: HookAsked<Delta> & { readonly continue?: true | undefined };
  /** Requests one more step despite the listed reasons. An empty list continues after an answer. */
  readonly onStop: HookAsked<Delta> & { readonly continue?: { readonly waives: readonly StopReason[] } | undefined };
  /** Calls the model again, or ends the execution with this text as its answer. */
  readonly onError: HookAsked<Delta> & { readonly retry?: true | undefined; readonly fallback?: string | undefined };
  readonly afterExecution: { readonly delta?: Delta | undefined };
}

/** All result keys of all points. */
export type HookKey = { [Point in HookPoint]: keyof HookReturns<unknown>[Point] }[HookPoint];
