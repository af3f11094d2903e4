/** The ten points of an execution where hooks run: what each is given, and what it may return. */
import type { AgentStateIn } from "../../execution/agent-state.ts";
import type { Ledger } from "../../execution/ledger.ts";
import type { ClosedStep } from "../../execution/step.ts";
import type { StopReason, StopSignal } from "../../execution/stop.ts";
import type { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ModelRequest, ModelToolCall } from "../../model/port.ts";
import type { ToolCall, ToolResult } from "../../session/event.ts";
import type { Resources, TurnInfo } from "../../extension/stage.ts";
import type { ModelAnswer } from "../loop/ask.ts";

/** Every point, in the order of an execution. */
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

/** Why a call was turned down, and by which hook. */
export interface HookBlock {
  readonly by: string;
  readonly reason: string;
}

/** The hook that requires approval, and its question; undefined without a specific question. */
export interface HookApproval {
  readonly by: string;
  readonly question: string | undefined;
}

/** The additional arguments of each point. All of it is frozen, and is what the hook before has made of it. */
export interface HookGiven {
  readonly beforeExecution: unknown;
  readonly beforeStep: unknown;
  /** The request as the model will get it. */
  readonly beforeModel: { readonly request: ModelRequest };
  /** The model's answer, before its calls run. */
  readonly afterModel: { readonly answer: ModelAnswer };
  /** The call, and what hooks before have decided about it, which stays decided. */
  readonly beforeTool: { readonly call: ToolCall; readonly block: HookBlock | undefined; readonly approval: HookApproval | undefined };
  /** The call, and what became of it. */
  readonly afterTool: { readonly call: ToolCall; readonly result: ToolResult };
  /** The step that has ended. */
  readonly afterStep: { readonly step: ClosedStep };
  /** Why the execution is about to end; `completed` when the model has answered. */
  readonly onStop: { readonly stop: StopSignal };
  /** What failed. Its cause may quote a person, or a request with its key: keep it out of what you store. */
  readonly onError: { readonly error: ThroughlineError };
  readonly afterExecution: unknown;
}

/** The arguments of a function at a point. */
export type HookContext<State = Readonly<Record<string, unknown>>, Point extends HookPoint = HookPoint> = HookGiven[Point] & {
  /** The state as it is now, frozen. */
  readonly state: State;
  /** What the turn is about. */
  readonly context: TurnInfo;
  /** The agent's state with the execution as it is now: steps, results, signals. It is what `session.execution(turn_id)` reads from the log. */
  readonly execution: AgentStateIn<Point extends "afterExecution" ? "done" : "running">;
  /** What the execution may spend, and has spent; `remaining(budget)` is what is left. */
  readonly budget: Ledger;
  readonly resources: Resources;
  /** Aborts when the hook may take no longer, or the turn is stopped. */
  readonly signal: AbortSignal;
};

/** A request to end the execution. */
export interface StopRequest {
  /** `stop_requested` by default. */
  readonly reason?: StopReason | undefined;
  /** One sentence. It is kept in the log and shown: values that matter, nothing that a person wrote. */
  readonly message: string;
  readonly context?: JsonObject | undefined;
}

/** What every point but the last may return. */
export interface HookAsked<Delta> {
  /** Updates of the fields that the hook declares. */
  readonly delta?: Delta | undefined;
  readonly stop?: StopRequest | undefined;
}

/** What each point may return. A function that returns nothing changes nothing. */
export interface HookReturns<Delta> {
  readonly beforeExecution: HookAsked<Delta>;
  readonly beforeStep: HookAsked<Delta>;
  /** Parts of the request to put in the place of what is there, for this one request. Tools can be described anew or left out, not added. */
  readonly beforeModel: HookAsked<Delta> & { readonly request?: Partial<ModelRequest> | undefined };
  /** Another text, or other calls, in the place of the model's. */
  readonly afterModel: HookAsked<Delta> & {
    readonly answer?: { readonly text?: string | undefined; readonly calls?: readonly ModelToolCall[] | undefined } | undefined;
  };
  readonly beforeTool: HookAsked<Delta> & {
    /** Put in the place of the call's arguments. */
    readonly arguments?: JsonObject | undefined;
    /** The call does not run; the model is told this reason. */
    readonly block?: string | undefined;
    /** The call waits for a person's approval; the text is what the person is asked. */
    readonly approval?: string | true | undefined;
  };
  /** Put in the place of the call's result. */
  readonly afterTool: HookAsked<Delta> & { readonly result?: ToolResult | undefined };
  /** One more step, though nothing else would call for it. It overrules no signal. */
  readonly afterStep: HookAsked<Delta> & { readonly continue?: true | undefined };
  /** One more step in spite of the reasons named; an empty list goes on after an answer. */
  readonly onStop: HookAsked<Delta> & { readonly continue?: { readonly waives: readonly StopReason[] } | undefined };
  /** Ask the model again, or end the execution with this text as its answer. */
  readonly onError: HookAsked<Delta> & { readonly retry?: true | undefined; readonly fallback?: string | undefined };
  readonly afterExecution: { readonly delta?: Delta | undefined };
}

/** Everything that any point may return, by its name. */
export type HookKey = { [Point in HookPoint]: keyof HookReturns<unknown>[Point] }[HookPoint];

/** What a point may return, and nothing that another may. */
type Only<Own> = Own & { readonly [Key in Exclude<HookKey, keyof Own>]?: never };

/** The result of a function at a point. */
export type HookReturned<Delta, Point extends HookPoint> = Only<HookReturns<Delta>[Point]> | undefined | void;

/** The functions of a hook, by point. */
export type HookFunctions<State, Delta> = {
  readonly [Point in HookPoint]?:
    | ((context: HookContext<State, Point>) => HookReturned<Delta, Point> | Promise<HookReturned<Delta, Point>>)
    | undefined;
};
