/** The events of a session's log: a union by `kind`, and within `turn` and `session` by `type`. */
import type { ErrorInfo } from "../kernel/error.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";
import type { SessionId, StepId, TurnId } from "../kernel/id.ts";
import type { Handover, SessionMode, StoredEvent, TurnCause } from "../store/port.ts";
import type { Control } from "./control.ts";

/** A part of a message. */
export type MessagePart = { readonly type: "text"; readonly text: string } | { readonly type: "json"; readonly value: Json };

/** A call that an assistant message asks for. */
export interface ToolCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** What the model sent in place of arguments that are one JSON object; the call is not run. */
  readonly malformed?: string;
}

/** Where an assistant message came from. The execution is the turn's: `executionIdOf(turn_id)`. */
export interface Origin {
  /** Name of the agent. */
  readonly agent_id: string;
  readonly step_id: StepId;
  /** The message is work on the way to an answer, or stands in for one: later prompts leave it out. */
  readonly is_trace?: true;
  /** A trace message that was said to the customer all the same, in place of an answer: the apology. */
  readonly stands_in?: true;
}

/** What a `message` event holds: who spoke, and what was said. */
export interface MessageData {
  readonly role: "user" | "assistant" | "system";
  readonly parts: readonly MessagePart[];
  readonly participant?: { readonly id?: string; readonly display_name?: string };
  readonly origin?: Origin;
  /** Values of the agent's other `input` fields, and of its `start` fields, that came with a customer's message. */
  readonly input?: JsonObject;
  readonly start?: JsonObject;
  /** Why the text is withheld from the model. */
  readonly flagged?: readonly string[];
  readonly calls?: readonly ToolCall[];
  /** What was said was forgotten: there are no parts any more, and nothing that came with them. */
  readonly redacted?: true;
}

/** What became of a call; `unknown` when it may have happened and nobody can tell. */
export type ToolResult =
  /**
   * `shown` is what the model reads in place of the value, where the tool renders it itself. `not_stored` is why the state does not have the value,
   * because it fits no field, cannot be stored as it is, or is withheld: the call was made, and only the log has what is kept of it.
   */
  | { readonly type: "ok"; readonly value: Json; readonly shown?: readonly MessagePart[]; readonly not_stored?: ErrorInfo }
  | { readonly type: "error"; readonly error: ErrorInfo }
  | { readonly type: "blocked"; readonly by: string; readonly reason: string }
  | { readonly type: "skipped"; readonly reason: string }
  | { readonly type: "unknown" };

/** What running a tool does to the world outside: nothing, something that may be repeated under one key, something that must happen at most once. */
export const toolEffects = ["none", "idempotent", "once"] as const;
/** What running a tool does to the world outside. */
export type ToolEffects = (typeof toolEffects)[number];

/** What something cost, charged to an execution's budget; what there was none of is left out. */
export interface SpentData {
  readonly steps?: number;
  readonly attempts?: number;
  readonly tokens?: UsageData;
  readonly active_ms?: number;
  /** In the unit of the price table. */
  readonly cost?: number;
}

/** What a `tool` event holds: a call before it runs, or its result. */
export type ToolData =
  | {
      readonly type: "called";
      readonly call_id: string;
      readonly name: string;
      /** What the tool is given: the model's arguments, or those that a person put in their place. */
      readonly arguments: JsonObject;
      /** The same whenever this call is run again; for a service outside to know it by. */
      readonly key: string;
      readonly effects: ToolEffects;
    }
  | {
      readonly type: "returned";
      readonly call_id: string;
      readonly result: ToolResult;
      readonly ms?: number;
      /** The session of the child agent that did the work, and what it cost. */
      readonly child?: SessionId;
      readonly spent?: SpentData;
      /** What the tool asked of the turn. */
      readonly control?: Control;
    };

/** What a paused turn waits for: somebody's word on one call. */
export interface PendingCall {
  readonly call_id: string;
  readonly name: string;
  /** `approval`: whether the call may run; `question`: an answer that the running tool asked for. */
  readonly kind: "approval" | "question";
  /** What is asked; for an approval, why. */
  readonly question?: Json;
  /** Counts the questions of one call, from 0. */
  readonly index: number;
  /** Hash of the call's arguments: a decision names what was looked at. */
  readonly arguments_hash: string;
  /** The arguments, where they are not those that the model gave: a hook, or a person, has changed them. */
  readonly arguments?: JsonObject;
  /** The tool, or the hook, that asks. */
  readonly by: string;
  /** Time after which it counts as rejected. */
  readonly expires_at?: number;
  /** The child session that waits, when the call is a child agent's work. */
  readonly child?: SessionId;
}

/** A word on a pending call. Whatever is not one of the first three is a rejection. */
export type Decision =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly arguments: JsonObject }
  | { readonly type: "answer"; readonly answer: Json }
  | {
      readonly type: "reject";
      readonly feedback?: string;
      /** `person`, `expiry`, or `message`: the customer wrote instead. */ readonly cause: string;
    };

/** What an agent, or a person in its place, can be doing. */
export const statuses = ["acknowledged", "processing", "typing", "ready", "cancelled", "error"] as const;
/** What a `status` event holds: what the agent is doing. */
export interface StatusData {
  readonly status: (typeof statuses)[number];
  /** Name of the stage at work, or `completed` with `ready`. */
  readonly stage?: string;
  readonly error?: ErrorInfo;
  /** What whoever posted it says besides. */
  readonly data?: JsonObject;
}

/** Who wrote a state patch. */
export type Writer =
  | { readonly type: "input" }
  | { readonly type: "stage"; readonly name: string }
  | { readonly type: "tool"; readonly name: string; readonly call_id: string }
  | { readonly type: "hook"; readonly name: string }
  | { readonly type: "operator"; readonly name?: string }
  | { readonly type: "withdrawal"; readonly from: number }
  | { readonly type: "migration"; readonly from: number; readonly to: number };

/** What a `state` event holds: operations on the reduced fields, and who wrote them. */
export interface StateData {
  readonly patch: readonly PatchOperation[];
  readonly writer: Writer;
  /** Version of the agent's definition that wrote it. */
  readonly definition: number;
}

/** The call that ended a turn: what it returned is the reply. */
export interface EndedBy {
  readonly call_id: string;
  /** Name of the tool. */
  readonly name: string;
}

/** What became of a turn. */
export type Outcome =
  | { readonly status: "completed"; readonly ended_by?: EndedBy }
  | { readonly status: "stopped"; readonly reason: string; readonly message?: string; readonly ended_by?: EndedBy }
  | { readonly status: "failed"; readonly error: ErrorInfo };

/** Numbers about a turn, such as `stage_timings` and `turn_total_ms`; never text that a person wrote. */
export type Diagnostics = JsonObject;

/** Tokens by kind; kinds of which there were none are left out. */
export interface UsageData {
  readonly input?: number;
  readonly output?: number;
  readonly cache_write?: number;
  readonly cache_read?: number;
  readonly reasoning?: number;
}

/** What a `turn` event holds, by type. */
export type TurnData =
  | {
      readonly type: "started";
      readonly cause: TurnCause;
      /** Offsets of the customer messages that this turn answers; the last one is its `message`. */
      readonly answers: readonly number[];
      /** Those of them that an earlier turn had answered, which failed or was stopped: they are this turn's to answer now. */
      readonly retries?: readonly number[];
      /** What the turn saw: the agent's definition, the offset of the state, the version of the variables. */
      readonly versions: {
        readonly agent: number;
        readonly state: number;
        readonly variables: number;
        /** Of the variables of the session itself and of the agent; left out if there are none. */
        readonly session_variables?: number;
        readonly agent_variables?: number;
      };
      /** Names of variables whose values were told to be out of date. */
      readonly stale?: readonly string[];
      /** Milliseconds that each variable took which was refreshed. */
      readonly refreshed?: Readonly<Record<string, number>>;
    }
  | {
      readonly type: "stage";
      readonly name: string;
      /** Operations on the fields that live for this turn only; left out if there are none. */
      readonly patch?: readonly PatchOperation[];
      readonly ms: number;
      /** What the stage asked of the turn, so that a resumed turn knows it too. */
      readonly control?: Control;
      /** What was recalled, of the stage that does that: ids, versions and scores of entries, no text. */
      readonly recall?: JsonObject;
      /** What the gate has found, of the stage that is the gate: levels and codes, no text. */
      readonly assessment?: JsonObject;
    }
  /** Operations on the fields that live for this turn only, by a tool or a hook. */
  | { readonly type: "fields"; readonly patch: readonly PatchOperation[] }
  /** A model call that was answered. */
  | {
      readonly type: "step";
      readonly step_id: StepId;
      /** Name of the model, if it is known. */
      readonly model?: string;
      readonly usage: UsageData;
      readonly finish_reason: string;
      readonly ms: number;
      readonly cost?: number;
    }
  /** A model call that was answered, after which the turn was ended, or left, before its step was on record. It may stand after the turn's end. */
  | { readonly type: "spent"; readonly model?: string; readonly usage: UsageData; readonly ms: number; readonly cost?: number }
  /** A model call that failed, and after which the execution went on. */
  | { readonly type: "attempt"; readonly step_id: StepId; readonly error: ErrorInfo; readonly ms: number }
  /** The results of these calls have entered the state. `ms`: how long at least one of them ran. */
  | { readonly type: "merged"; readonly step_id: StepId; readonly calls: readonly string[]; readonly ms: number }
  /** Something asked the execution to stop, or to go on in spite of signals. */
  | { readonly type: "signal"; readonly reason: string; readonly message: string; readonly source?: string; readonly context?: JsonObject }
  | { readonly type: "continue"; readonly step_id: StepId; readonly source: string; readonly waives?: readonly string[] }
  | { readonly type: "paused"; readonly step_id: StepId; readonly pending: readonly PendingCall[] }
  | {
      readonly type: "decided";
      readonly call_id: string;
      readonly index: number;
      readonly arguments_hash: string;
      readonly decision: Decision;
      readonly by?: string;
    }
  | { readonly type: "ended"; readonly outcome: Outcome; readonly diagnostics: Diagnostics };

/** Where a child agent's session comes from. */
export interface ParentCall {
  readonly session_id: SessionId;
  readonly turn_id: TurnId;
  readonly call_id: string;
  /** 1 for a child of an agent that talks to a person. */
  readonly depth: number;
  /** What it may spend: its own budget, capped by what was left to the parent. */
  readonly budget: JsonObject;
}

/** What a `session` event holds, by type. */
export type SessionData =
  | {
      readonly type: "created";
      readonly agent: string;
      readonly definition: number;
      readonly state: JsonObject;
      readonly episode: 1;
      /** The call that this session does the work of. */
      readonly parent?: ParentCall;
    }
  /** `handover`: where the hand-over to people stands from now on; `by`: who did it, if they said so. */
  | { readonly type: "mode"; readonly mode: SessionMode; readonly handover?: Handover; readonly by?: string }
  /** The mode stays: somebody took the session up, gave it to somebody else, or put it back into the queue. */
  | { readonly type: "handover"; readonly handover: Handover; readonly by?: string }
  | { readonly type: "episode"; readonly closed: number; readonly opened: number; readonly reason: "silence" | "ended" }
  /** An episode was looked through for what is worth remembering. `counts`: how many entries were written, by what became of them; no text. */
  | { readonly type: "remembered"; readonly episode: number; readonly counts: Readonly<Record<string, number>> }
  | { readonly type: "title"; readonly title: string | null }
  | {
      readonly type: "withdrawn";
      readonly from: number;
      /** Side effects that were done and cannot be undone. */ readonly effects: readonly string[];
    }
  | {
      readonly type: "identified";
      readonly customer_id: string;
      /** What of the anonymous session's own moved to the customer; names of variables that the customer had already stay behind. */
      readonly carried?: { readonly variables: readonly string[]; readonly kept: readonly string[]; readonly entries: number };
    }
  /** The messages at these offsets have no text any more: whoever shows it takes it away. */
  | { readonly type: "redacted"; readonly offsets: readonly number[] }
  /** The person agrees, or agrees no longer, to what a text of that version says the data of a purpose is used for. */
  | { readonly type: "consent"; readonly given: boolean; readonly text_version: string; readonly purpose: string }
  /** The person is told that they talk with an AI: a client shows the text. `suggests_break`: and that this is a time to pause, in its own words. */
  | { readonly type: "disclosure"; readonly reason: "start" | "interval"; readonly text: string; readonly suggests_break?: true }
  /** The log up to `at` is shared with the session that this one was forked from; turns that were open there are ended by the events that follow. */
  | { readonly type: "forked"; readonly at: number };

export interface AssessmentData {
  readonly audit_id: string;
  readonly level: number;
}

/** The data of each kind of event. */
export interface EventDataByKind {
  readonly message: MessageData;
  readonly tool: ToolData;
  readonly status: StatusData;
  readonly custom: { readonly value: Json };
  readonly state: StateData;
  readonly turn: TurnData;
  readonly session: SessionData;
  readonly assessment: AssessmentData;
}

/** An immutable fact of a session, with data in the newest shape. */
export type Event = {
  [Kind in keyof EventDataByKind]: Omit<StoredEvent, "kind" | "data" | "version"> & { readonly kind: Kind; readonly data: EventDataByKind[Kind] };
}[keyof EventDataByKind];

/** An event of one kind. */
export type EventOf<Kind extends keyof EventDataByKind> = Extract<Event, { readonly kind: Kind }>;
