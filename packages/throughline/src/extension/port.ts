/**
 * Extension port: through its points, a feature takes part in the turns of the agents that declare it. The runtime knows these points and no feature.
 * A feature knows these types and nothing of the runtime. Laws: the contribution of a point is committed with its commit or not at all. A resumed
 * turn runs its points again. A failing point loses no message.
 */
import type { Apologies } from "./apology.ts";
import { failedIn, invalidAgent, invalidAt } from "./failure.ts";
import type { PromptOptions } from "../context/prompt-options.ts";
import type { PromptPart } from "../context/section.ts";
import type { AgentStateIn } from "../execution/agent-state.ts";
import type { StopReason } from "../execution/step.ts";
import type { Clock } from "../kernel/clock.ts";
import { seen } from "../kernel/error.ts";
import type { Ids, OwnerId, SessionId, StepId } from "../kernel/id.ts";
import { isPlainObject, type Json, jsonEqual, type JsonObject, present } from "../kernel/json.ts";
import type { Logger, Tracer } from "../kernel/log.ts";
import type { Recalled } from "../memory/recalled.ts";
import type { FinishReason, Model, ModelRequest, ModelToolCall, PromptSection, Usage } from "../model/model-port.ts";
import type { Assessment, AssessmentSpool } from "../safety/assessment.ts";
import type { Control } from "../session/control.ts";
import type { Outcome, ToolResult } from "../session/event.ts";
import type { Mask } from "../session/masks.ts";
import type { Message } from "../session/session-messages.ts";
import type { Variables } from "../session/session-variables.ts";
import type { StateDefinition, StateOf } from "../state/define.ts";
import type { Claim, LoadedSession, NewEvent, OwnerChange, RecordChange, SessionRow, Store } from "../store/port.ts";
import type { Tool } from "../tools/tool.ts";

/** Services of the runtime that the extensions of a process share. */
export interface ExtensionContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly agents: ReadonlyMap<string, ExtensionAgent>;
  /** Name of this process, as in leases. */
  readonly worker: string;
  /** Number of sessions whose turns this process runs now, and of those whose turns wait here for a free slot. */
  readonly turns: { readonly running: number; readonly waiting: number };
  /** Runs the queued turns of a session now, if this process runs turns. For commits that queue one; without it the worker's next poll finds them. */
  readonly drive: (session_id: SessionId) => void;
  /** Whether callbacks of runs are sent from the database, by this process or another one. */
  readonly callbacks: boolean;
  /** Size limit in bytes for memory indexes in this process. */
  readonly memoryBytes: number;
  /** Fallback log for assessments that the store rejects, as configured by the program. */
  readonly safetySpool?: AssessmentSpool | undefined;
}

/** The parts of a context that a single write needs. */
export type WriterContext = Pick<ExtensionContext, "store" | "clock" | "ids" | "logger">;

/** An agent as its extensions see it. */
export interface ExtensionAgent {
  readonly name: string;
  readonly version: number;
  readonly state: StateDefinition;
  readonly prompt: PromptOptions;
  readonly sections: readonly PromptPart[];
  readonly episodeSilenceMs: number | undefined;
  readonly apology: Apologies;
  readonly extensions: readonly Extension[];
}

/** Parts of an agent's definition that an extension may check. */
export interface DefinedParts {
  readonly name: string;
  readonly state: StateDefinition;
  /** Names of the agent's stages. */
  readonly stages: readonly string[];
  /** Names of the tools of the agent's loop, without those of extensions. Undefined if its reply is no loop. */
  readonly tools: readonly string[] | undefined;
}

/** A write to an owner's entries, as part of a commit. Null data removes the entry with all its versions. */
export type OwnerWrite = NonNullable<OwnerChange["entries"]>[number];

/** Input from a customer: a message, or a custom event of the client as text. */
export interface Heard {
  readonly agent: ExtensionAgent;
  readonly text: string;
  readonly kind: "message" | "custom";
}

/** An extension's effect on customer input before it is stored. */
export interface AcceptEffect {
  /** Urgent: ends the running turn and goes ahead of all waiting input. */
  readonly urgent: boolean;
  /** Additional milliseconds that a caller waits for the reply to urgent input, beyond the runtime's limit. */
  readonly answerMs: number;
  /** Returns additions to the accepting commit. Called again for each attempt of the commit. */
  beside(accepting: Accepting): Promise<AcceptBeside | undefined>;
}

/** The input to accept and the current session. */
export interface Accepting {
  readonly context: ExtensionContext;
  readonly loaded: LoadedSession;
  readonly session_id: SessionId;
  readonly trace_id: string;
  /** The `traceparent` that the sender passed with it. */
  readonly traceparent?: string | undefined;
  /** Whether a turn will answer it. Messages in manual mode and custom events that are not urgent get no turn. */
  readonly answered: boolean;
}

/** Additions to the accepting commit. */
export interface AcceptBeside {
  /** The assessment for the log. `alert` is its urgency for the staff who handle the session. */
  readonly assessed?: { readonly audit_id: string; readonly level: number; readonly alert?: number };
  readonly records?: readonly RecordChange[];
}

/** Input that the store did not accept, or whose outcome is unknown. */
export interface Unstored {
  readonly context: ExtensionContext;
  readonly agent: ExtensionAgent;
  readonly text: string;
  readonly session_id: string;
  /** The customer id that the sender claims. It could not be verified. */
  readonly customer?: string | undefined;
  /** Whether the input is stored nevertheless. */
  readonly saved: boolean;
}

/** Result of a turn: the text for the customer, and data for the log. */
export interface Answer {
  readonly text: string;
  /** Whether the text is the agent's reply; blank for a greeting without one. The apology is not, and later prompts leave it out. */
  readonly final: boolean;
  readonly outcome: Outcome;
  /** Number of model calls, and their tokens. */
  readonly steps: number;
  readonly tokens: number;
  /** Number of calls per tool. */
  readonly calls: Readonly<Record<string, number>>;
  /** Whether the model's last reply was cut off. */
  readonly truncated?: boolean;
}

/**
 * Reason why a draft ended. `end`: its text was committed. In all other cases it was not. `fence`: the turn was taken over after a crash, withdrawn,
 * superseded or released. `manual`: a human took over the session. `stopped`: the turn was stopped. `failed`: it failed or was blocked.
 */
export type DraftEnd = "end" | "fence" | "manual" | "stopped" | "failed";

/** A tool call that has started. */
export interface StartedCall {
  readonly call_id: string;
  readonly name: string;
  /** What the running call reports. It replaces the earlier progress of the call. */
  readonly progress?: Json;
}

/** A draft in progress. `after` is the last offset in the log, which readers receive first. */
export interface OpenDraft {
  /** Appends text, which is sent to every reader soon. */
  write(text: string, after: number): void;
  /** Shows a started call that is not in the log yet, or the progress of a running call. */
  started(call: StartedCall, after: number): void;
  /** Ends the current draft and starts another one. Does nothing if nothing was shown. */
  next(reason: DraftEnd): void;
  /** Ends the draft. Every draft must be ended. A second end is ignored. */
  end(reason: DraftEnd): void;
}

/** A stage's journal entry, in addition to its changes. */
export interface StageEntry {
  readonly name: string;
  readonly ms: number;
  readonly control: Control;
  /** Record of the recall, for the recall stage. */
  readonly recall?: JsonObject;
  /** Record of the assessment, for the gate. */
  readonly assessment?: JsonObject;
}

/** Changes of a turn that are not committed yet. */
export interface TurnJournal {
  readonly state: StateOf<StateDefinition>;
  /** Number of events in the next commit. */
  readonly size: number;
  /** Offset of the last event after the last commit: the `after` of a draft that begins now. */
  readonly head: number;
  /** Sets loaded fields for this turn. They are not stored. */
  load(values: object): void;
  /** Applies a delta and records its changes. A stage's journal entry is recorded even without changes. */
  apply(
    writer: { readonly type: "stage"; readonly name: string },
    delta: unknown,
    options?: { readonly writes?: readonly string[]; readonly stage?: StageEntry },
  ): void;
  add(event: NewEvent): void;
  /**
   * Writes a record with the next commit. For one key, the later write wins. A function decides at the commit what is written, and again if a record
   * that it depends on has changed meanwhile.
   */
  keep(record: RecordChange | (() => Promise<readonly RecordChange[]>)): void;
  /** Commits all recorded changes. Throws `turn.fenced` if another worker has the turn. */
  flush(): Promise<void>;
}

/** A starting turn, of which only the input is known. */
export interface Beginning {
  readonly context: ExtensionContext;
  readonly agent: ExtensionAgent;
  readonly loaded: LoadedSession;
  /** The messages that the turn may see, before forgetting is applied. */
  readonly messages: readonly Message[];
  /** Offsets of the messages that it answers, which it always sees. */
  readonly answers: readonly number[];
  readonly signal: AbortSignal;
}

/** How the runtime reads an owner's masks. Default: from the store, within 3 seconds. */
export interface WaysToRead {
  /** Milliseconds that the turn waits. After that, it sees only the messages that it answers. */
  readonly readMs?: number;
  /** Returns the owner's masks and the owner version that they belong to. */
  readonly masks?: () => Promise<{ readonly masks: readonly Mask[]; readonly version: number }>;
}

/** The conversation that a turn sees. */
export interface ShownHistory {
  readonly messages: readonly Message[];
  /** Owner version of the read, or undefined if the masks could not be read. */
  readonly version: number | undefined;
  /** Milliseconds that the turn waits for later checks whether words were withdrawn. */
  readonly readMs: number;
}

/** A stage of an extension, placed among the agent's stages. */
export interface PlacedStage {
  /** No stage of the agent may have the same name. */
  readonly name: string;
  /** The stage before which it runs. Default: after all stages. */
  readonly before?: string | undefined;
  /** Runs the stage; replayed. `turn.loaded.journal` has the events of an earlier attempt. `turn.journaled` has the stage's name if it wrote an entry. */
  run(turn: ExtensionTurn): Promise<void>;
  /** Starts work that can run in parallel with everything before the stage. Returns a function that ends it. It must have no effects. */
  ahead?(turn: ExtensionTurn): (() => void) | undefined;
}

/** How a turn ends, and the owner whose entries it may write. The result is valid only for that version of the owner. */
export interface Ending {
  readonly answer: Answer;
  readonly owner: { readonly owner_id: OwnerId; readonly version: number };
}

/** Additions to the last commit of a turn. */
export interface FinishBeside {
  /** Writes to the owner's entries. */
  readonly entries?: readonly OwnerWrite[];
  readonly records?: readonly RecordChange[];
  /** The head that the additions depend on, if they name offsets of events in this commit. */
  readonly head?: number;
}

/** A session of an imported bundle, under its new id. */
export interface Imported {
  readonly store: Store;
  readonly session_id: SessionId;
  readonly agent: string;
  readonly events: readonly { readonly kind: string; readonly data: JsonObject }[];
  /** The bundle's entries ordered by version. Without data, the entry was removed. */
  readonly entries: readonly OwnerWrite[];
  /** The customer that the session is imported to, if it already existed. Its entries stay unchanged. */
  readonly owner_id?: OwnerId;
}

/** The next step of a reply, as an extension sees it. */
export interface NextStep {
  /** Number of the step within the turn, from 1. A model call that failed and is repeated keeps its number. */
  readonly step: number;
  /** The execution so far. Its last closed step has the results of its calls. */
  readonly execution: AgentStateIn<"running">;
  /** Names of all tools that the step can offer, with those of extensions. */
  readonly tools: readonly string[];
}

/** What an extension decides about the next step of a reply. */
export interface StepPlan {
  /** Names of the tools that the model may call in this step. Default: all. */
  readonly tools?: readonly string[];
  /** Sections that are added to the prompt of this step. */
  readonly sections?: readonly PromptSection[];
  /** The step must call a tool: its text is intermediate work that readers do not see, and it does not end the reply. */
  readonly mustCall?: true;
  /** Calls that the step makes in place of a model's response. */
  readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
  /** Ends the reply without another step. `text` is the answer if the reason is `completed`, the default; a turn without a message may have a blank one. */
  readonly end?: { readonly reason?: StopReason; readonly message: string; readonly text?: string };
}

/** A running turn as an extension sees it. */
export interface ExtensionTurn {
  readonly runtime: ExtensionContext;
  /**
   * The claim under which the turn runs. Do not use its epoch as a fencing token in another system before the turn's first commit: after a power
   * failure SQLite may issue the same epoch to the next attempt.
   */
  readonly claim: Claim;
  readonly agent: ExtensionAgent;
  readonly signal: AbortSignal;
  readonly loaded: LoadedSession;
  readonly journal: TurnJournal;
  readonly messages: readonly Message[];
  /** The customer messages that the turn answers. */
  readonly answered: readonly Message[];
  /** Custom events of the customer since the last reply, as text. */
  readonly reported: readonly Message[];
  /** The variables that the turn sees. */
  readonly variables: Variables;
  /** Offset of the turn's first event. Until it is committed, the offset of the head before it. */
  readonly started: number;
  readonly began_at: number;
  /** Control requests of the turn, in this and earlier attempts. */
  readonly asked: { readonly control: Control };
  /** Names of stages that an earlier attempt finished. */
  readonly journaled: ReadonlySet<string>;
  /** Duration of each stage in milliseconds. */
  readonly timings: Record<string, number>;
  /** Diagnostics for the end of the turn, in addition to the runtime's. */
  readonly diagnostics: Record<string, Json>;
  /** Time of each answered message, by offset. */
  readonly saidAt: ReadonlyMap<number, number>;
  /** Facts about the turn for stages, hooks and tools. */
  readonly told: { assessment?: Assessment; interrupted?: true; memory?: Recalled };
  /** Owner version that the turn first saw, or undefined if it has seen nothing. If words are withdrawn after it, the turn is retried. */
  readonly shown: { version: number | undefined; readonly readMs: number };
  /** The last attempt. The turn was claimed so often without progress that the agent's stages and tools do not run again. */
  readonly lastAttempt: boolean;
  /** Adds a control request to the turn, like a stage. */
  ask(control: Control): void;
  /** Starts the work ahead of the stages, once. For an extension that waits before the stages. Without it, the work starts with them. */
  ahead(): void;
  /** Ends the work ahead, runs the stages that run in every turn, and with `recall` the extensions' stages. Failures are logged and do not block the turn. */
  runAlways(options: { readonly recall: boolean }): Promise<void>;
  /** Calls the agent's model once, without tools, with one additional section. `step` is the number of the call in the turn, from 1. */
  askModel(
    section: PromptSection,
    options: { readonly step: number; readonly signal: AbortSignal },
  ): Promise<{ readonly text: string; readonly tokens: number }>;
  /** Runs a piece of the extension's own work so that other extensions can observe it. `end` returns what observers learn of its result. */
  observed<Result>(
    work: { readonly kind: "retrieval" | "guardrail"; readonly name: string } | ObservedNode,
    run: () => Promise<Result>,
    end: (result: Result) => WorkEnd,
  ): Promise<Result>;
}

/** Headers that a request to another service can carry, such as `traceparent`. */
export type TraceHeaders = Readonly<Record<string, string>>;

/**
 * A piece of a turn's work, for the point `observe`. `turn` is one attempt of a turn, from its claim to its last commit. `answer` is its stages and its
 * reply, with everything that extensions do around them. `model` and `tool` are calls: what an observer writes to `headers` is passed on to the model
 * adapter (`stream`) and to the tool (`traceHeaders`).
 */
export type ObservedWork =
  | {
      readonly kind: "turn";
      readonly context: ExtensionContext;
      readonly claim: Claim;
      /** Whether the turn of a parent agent waits for it in this process. */
      readonly awaited: boolean;
    }
  | { readonly kind: "answer"; readonly turn: ExtensionTurn }
  | { readonly kind: "stage"; readonly turn: ExtensionTurn; readonly name: string }
  | {
      readonly kind: "model";
      readonly turn: ExtensionTurn;
      /** Number of the step, from 1. */
      readonly step: number;
      readonly model: Pick<Model, "name" | "provider" | "model">;
      readonly request: ModelRequest;
      readonly headers: Record<string, string>;
    }
  | {
      readonly kind: "tool";
      readonly turn: ExtensionTurn;
      readonly name: string;
      readonly effects: string;
      readonly call_id: string;
      readonly arguments: JsonObject;
      /** Name of the child agent, if the tool is one. */
      readonly child: string | undefined;
      readonly headers: Record<string, string>;
    }
  | { readonly kind: "hook"; readonly turn: ExtensionTurn; readonly name: string; readonly point: string }
  | { readonly kind: "variable"; readonly context: ExtensionContext; readonly claim: Claim; readonly name: string }
  | { readonly kind: "retrieval" | "guardrail"; readonly turn: ExtensionTurn; readonly name: string }
  | ({ readonly turn: ExtensionTurn } & ObservedNode);

/** A visit of a node of a routine within a turn. The model calls and tools of the node are beside it, not within it. */
export interface ObservedNode {
  readonly kind: "node";
  /** Id of the node. */
  readonly name: string;
  /** Id and version of the routine. */
  readonly routine: string;
  readonly version: number;
  /** What the node does: `think`, `tool`, `wait`. */
  readonly does: string;
}

/** What observers learn of the end of a piece of work: the members that it has. */
export interface WorkEnd {
  /** What the work threw. It may quote a user. */
  readonly error?: unknown;
  /** `turn`, `answer`: the outcome. `paused`: it waits for a decision. `waiting`: a human has taken over the session. Absent: see `error`. */
  readonly outcome?: Outcome | { readonly status: "paused" | "waiting" };
  /** `turn`, `model`: milliseconds from the beginning to the first text of a reply that was shown. */
  readonly first_ms?: number;
  /** `model`. */
  readonly usage?: Usage;
  readonly finish_reason?: FinishReason;
  readonly text?: string;
  readonly calls?: readonly ModelToolCall[];
  /** `model`: its price, for a model with a price in the settings of the loop. */
  readonly cost?: number;
  /** `tool`: its result, or undefined if it waits for a decision. */
  readonly result?: ToolResult;
  /** `guardrail`: the level that it found. */
  readonly level?: number;
  /** `retrieval`: the number of entries that it found. */
  readonly found?: number;
  /** `node`: whether the routine has left the node, failed there, or is still there when the turn ends. */
  readonly visit?: "left" | "failed" | "waiting";
}

/** Reply of a turn that could not start, and additions to its commit. */
export interface InsteadOfApology {
  readonly text: string;
  readonly events?: readonly NewEvent[];
  readonly records?: readonly RecordChange[];
}

/** A state to which a withdrawal or a fork has brought a session. */
export interface Restored {
  readonly session_id: SessionId;
  readonly state: JsonObject;
  /** The state before the withdrawal. Absent for a fork that is being made. */
  readonly before?: JsonObject;
  readonly now: number;
}

/** Background work of a process, from `start` to `close`. */
export interface BackgroundWorker {
  start(): void;
  /** Does all pending work now. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A feature that takes part in the turns of the agents that declare it. Every point is optional. `first`: the first extension with a result wins.
 * `collect`: all are called. `wrap`: each wraps the next.
 */
export interface Extension<Api extends Added = Added> {
  /** Unique within an agent. */
  readonly name: string;
  /** Gives the extension precedence: its points run before and around those of other extensions. */
  readonly guards?: true;
  /** Settings of the declaration, for the extension's commands and views. */
  readonly settings?: unknown;
  /** Collect: throws `agent.invalid` for a definition that the extension does not support. */
  check?(parts: DefinedParts): void;
  /** Collect, synchronous, not replayed: inspects customer input before it is stored. Called again if the input turns out to be for another agent. If it throws, the input is refused with that error. */
  accept?(heard: Heard): AcceptEffect | undefined;
  /**
   * Sequence, synchronous, guards last, not replayed: rewrites each text and number before it is stored. It applies to every commit of the runtime,
   * for all agents, and to drafts before readers see them. Ids, keys, hashes, labels and member names are not passed. A text must stay a text, and a
   * number a number. The point's own result must stay unchanged when passed again. If it throws, nothing is stored.
   */
  store?(value: string | number, place: StoredPlace): string | number;
  /** First: returns the reply to urgent input, or to any input, that the store does not accept. */
  withoutStore?(unstored: Unstored): Promise<string>;
  /** Wrap, replayed: wraps reading the conversation for a turn. `next` removes forgotten messages, and `ways` sets how it reads the masks. */
  history?(beginning: Beginning, next: (ways?: WaysToRead) => Promise<ShownHistory>): Promise<ShownHistory>;
  /** Stages with their places among the agent's stages. Not a function. */
  readonly stages?: readonly PlacedStage[];
  /**
   * Collect, replayed: returns the value that the agent's stages and tools receive under the extension's name. `step_id` is the step whose model
   * called a tool.
   */
  hands?(turn: ExtensionTurn, asked: { readonly step_id?: StepId | undefined }): object;
  /** Wrap, replayed: wraps the stages and the reply. `next` produces the agent's reply without the extension. */
  answer?<Paused extends { readonly paused: object }>(
    turn: ExtensionTurn,
    step: { readonly draft: OpenDraft; readonly next: (draft: OpenDraft) => Promise<Answer | Paused> },
  ): Promise<Answer | Paused>;
  /** Tools that the extension adds to the agent's loop. Not a function. */
  readonly tools?: readonly Tool[];
  /**
   * First, replayed: decides about the next step of the reply, before its prompt is assembled. State that it applies with `turn.journal.apply` is
   * committed no later than the step. Called again for a step that did not come to a response.
   */
  step?(turn: ExtensionTurn, next: NextStep): Promise<StepPlan | undefined>;
  /**
   * Wrap, replayed: surrounds each piece of work of a turn, to observe it. `next` runs the work, in the asynchronous context of its caller, and resolves
   * when it has ended; it does not throw. The work runs once, also without a call of `next`, and what the point returns or throws does not change it.
   */
  observe?(work: ObservedWork, next: () => Promise<WorkEnd>): Promise<unknown>;
  /**
   * Collect, pure: metadata of the session that follows from its state, by key; undefined removes a key. Written with each commit that changes the
   * state, and with withdrawals and forks. Integrations read it, and no prompt does.
   */
  metadata?(state: Readonly<Record<string, unknown>>): Readonly<Record<string, Json | undefined>>;
  /** First: replaces the apology of a turn that could not start. `text` is the text to answer. */
  insteadOfApology?(given: {
    readonly context: ExtensionContext;
    readonly agent: ExtensionAgent;
    readonly claim: Claim;
    readonly loaded: LoadedSession;
    readonly text: string;
  }): Promise<InsteadOfApology | undefined>;
  /** Collect: adds to the commit that ends a turn. Called again if the owner or the head has changed. */
  finish?(turn: ExtensionTurn, ending: Ending): Promise<FinishBeside | undefined>;
  /**
   * Collect: runs after the commit that ends a turn, in memory only. `owner_id` is the session's owner at that commit. Errors are logged. Not called
   * for a turn that could not begin or that was ended from outside.
   */
  finished?(turn: ExtensionTurn & { readonly owner_id: OwnerId }): void;
  /** Sequence: returns the state after a withdrawal. `before` is the state before the withdrawn turns, `now` the current one. */
  withdrawn?(states: { readonly before: JsonObject; readonly now: JsonObject }): JsonObject;
  /**
   * Collect, pure: returns the records that a session needs for a state that no turn of its own has made, such as those of timers. They are written
   * with the withdrawal, or with the fork.
   */
  restored?(given: Restored): readonly RecordChange[];
  /** Collect: returns the writes to the owner's entries for a withdrawal from an offset on. Called again if the owner has changed. */
  retracted?(given: { readonly context: ExtensionContext; readonly session: SessionRow; readonly from: number }): Promise<readonly OwnerWrite[]>;
  /**
   * Collect: moves an owner's entries to a customer and returns the writes to the customer's entries. `to` is undefined for a new customer. Called
   * again if the owner has changed.
   */
  identified?(given: { readonly context: WriterContext; readonly from: OwnerId; readonly to: OwnerId | undefined }): Promise<readonly OwnerWrite[]>;
  /** Collect: returns the records that an imported session needs, and offsets that no turn may see. */
  imported?(given: Imported): Promise<{ readonly records?: readonly RecordChange[]; readonly masked?: readonly number[] } | undefined>;
  /** One per name: an owner was erased, so the process must drop everything that it has cached about the owner. */
  erased?(context: ExtensionContext, owner_id: OwnerId): void;
  /** One per name: runs when a runtime starts, before its first turn. */
  prepare?(context: ExtensionContext): void;
  /** One per name: creates the background worker. `work` tells whether the process runs turns. */
  background?(context: ExtensionContext, options: { readonly pollMs: number; readonly work: boolean }): BackgroundWorker;
  /**
   * One per name: creates the API for callers, once per runtime, on first use. It is available whether or not an agent declares the extension, since
   * stored data outlives definitions.
   */
  api?(context: ExtensionContext): Api;
}

/** Location of a value to be stored. */
export interface StoredPlace {
  /**
   * `event`: data of an event. `state`: a field of a session's state. `header`: the title of a session, or the reason of a handover. `metadata`: data
   * of the integration. `variable`: a variable. `customer`: a customer's name. `memory`: an entry of an owner. `record`: a record. `fallback`: an
   * entry of the fallback log. `draft`: a reply in progress.
   */
  readonly of: "event" | "state" | "header" | "metadata" | "variable" | "customer" | "memory" | "record" | "fallback" | "draft";
  /** Kind of the event, entry or record, or name of the field, variable or member. Blank if there is none. */
  readonly name: string;
}

/** API of an extension for callers. Each member is optional. */
export interface Added {
  /** Returned by `runtime.extension(…)`. */
  readonly runtime?: object;
  /** Returned by `session.extension(…)`. Its functions must check that the session exists. */
  session?(session_id: SessionId): object;
  /** Returned by `customers.extension(…)`. Its functions must check that the customer exists. */
  customer?(customer_id: string): object;
}

/** Settings that create an extension. */
export type ExtensionSettings = object & { extension(): Extension };

/** Declaration of an extension: the extension itself, or settings that create one. */
export type Declared = Extension | ExtensionSettings;

/**
 * How the extensions at a point take part. `first`: the first one with a result wins. `collect`: all are called. `sequence`: each receives the result
 * of the previous one. `wrap`: each wraps the next. `one`: one per name in a runtime. `value`: not a function.
 */
export type PointKind = "first" | "collect" | "sequence" | "wrap" | "one" | "value";

/** The members of an extension and their kinds. The type requires every member. */
export const extensionPoints: Readonly<Record<keyof Extension, PointKind>> = Object.freeze({
  ...{ name: "value", guards: "value", settings: "value", check: "collect", accept: "collect", store: "sequence", withoutStore: "first" },
  ...{ history: "wrap", stages: "value", hands: "collect", finish: "collect", retracted: "collect", identified: "collect", imported: "collect" },
  ...{ answer: "wrap", observe: "wrap", tools: "value", step: "first", metadata: "collect", insteadOfApology: "first" },
  ...{ finished: "collect", withdrawn: "sequence", restored: "collect" },
  ...{ erased: "one", prepare: "one", background: "one", api: "one" },
});

/**
 * Validates and freezes an extension. Throws `agent.invalid` for a missing name and for unknown members, since a misspelled point would never be
 * called.
 * @example defineAgent({ name: "diary", extensions: [defineExtension({ name: "audit", finished: ({ claim }) => log(claim.turn.turn_id) })], … })
 */
export function defineExtension<Api extends Added = Added>(extension: Extension<Api>): Extension<Api> {
  if (!isExtension(extension)) throw invalidAgent(`An extension is an object with a name, got ${seen(extension)}.`);
  const unknown = Object.keys(extension).find((key) => !Object.hasOwn(extensionPoints, key));
  if (unknown !== undefined)
    throw invalidAgent(`Extension "${extension.name}" has "${unknown}"; an extension has ${Object.keys(extensionPoints).join(", ")}.`);
  return Object.freeze({ ...extension });
}

const isExtension = (value: unknown): value is Extension => isPlainObject(value) && typeof value["name"] === "string" && value["name"] !== "";

/** Tells whether a declaration is settings that create an extension. */
const isSettings = (declared: Declared): declared is ExtensionSettings => isPlainObject(declared) && typeof declared["extension"] === "function";

/** Returns the extension of a declaration. Settings create it. */
export const extensionOf = (declared: Declared): Extension => (isSettings(declared) ? declared.extension() : declared);

/** The defined extension of each declared object. An object that several agents declare is one extension. */
const defined = new WeakMap<Extension, Extension>();

/** Returns the extensions that an agent declares, guards first. Throws `agent.invalid` for invalid declarations and duplicate names. */
export function checkExtensions(parts: DefinedParts, declared: readonly Declared[]): readonly Extension[] {
  const extensions: Extension[] = [];
  for (const one of declared) {
    const made = extensionOf(one);
    if (!isExtension(made)) throw invalidAgent(`Agent "${parts.name}" declares an invalid extension: ${seen(one)}.`);
    if (extensions.some(({ name }) => name === made.name)) throw invalidAgent(`Agent "${parts.name}" declares the extension "${made.name}" twice.`);
    const extension = defined.get(made) ?? defineExtension(made);
    defined.set(made, extension).set(extension, extension);
    extensions.push(extension);
  }
  const checked = extensions.toSorted((one, other) => Number(other.guards === true) - Number(one.guards === true));
  for (const extension of checked) {
    extension.check?.(parts);
    checkPlaced(parts, extension);
    if (parts.tools === undefined && (extension.tools !== undefined || hasPoint(extension, "step")))
      throw invalidAgent(`Extension "${extension.name}" takes part in the steps of a loop, and the reply of agent "${parts.name}" is none.`);
  }
  return Object.freeze(checked);
}

/** Throws `agent.invalid` for a stage with the name of an agent's stage, and for a stage placed before an unknown one. */
function checkPlaced(parts: DefinedParts, { name, stages = [] }: Extension): void {
  for (const stage of stages) {
    if (parts.stages.includes(stage.name))
      throw invalidAgent(`Agent "${parts.name}" has a stage "${stage.name}", which the extension "${name}" adds.`);
    if (stage.before !== undefined && !parts.stages.includes(stage.before))
      throw invalidAgent(
        `The extension "${name}" of agent "${parts.name}" runs "${stage.name}" before the stage "${stage.before}", which does not exist.`,
      );
  }
}

/** Returns the extensions of all agents that have a point, one per name. */
export function extensionsWith<Point extends keyof Extension>(
  { agents }: Pick<ExtensionContext, "agents">,
  point: Point,
): readonly (Extension & Required<Pick<Extension, Point>>)[] {
  const found = new Map<string, Extension & Required<Pick<Extension, Point>>>();
  for (const { extensions } of agents.values())
    for (const extension of extensions) if (hasPoint(extension, point) && !found.has(extension.name)) found.set(extension.name, extension);
  return [...found.values()];
}

/** Loads extensions that maintain their stored data even where no agent declares them. */
export type Kept = () => Promise<readonly Extension[]>;

/** Returns the extensions that have a point. Undeclared ones of `kept` come first, so that declared ones decide last on an entry. */
export async function keepersWith<Point extends keyof Extension>(
  declared: readonly Extension[],
  kept: Kept,
  point: Point,
): Promise<readonly (Extension & Required<Pick<Extension, Point>>)[]> {
  const others = (await kept()).filter(({ name }) => !declared.some((one) => one.name === name));
  return [...others, ...declared].filter((extension) => hasPoint(extension, point));
}

/** Tells whether an extension has a point. */
export const hasPoint = <Point extends keyof Extension>(
  extension: Extension,
  point: Point,
): extension is Extension & Required<Pick<Extension, Point>> => extension[point] !== undefined;

/** Returns a session's metadata with what follows from its state, or undefined if that changes nothing. */
export function metadataWith(extensions: readonly Extension[], before: JsonObject, state: Readonly<Record<string, unknown>>): JsonObject | undefined {
  const made: Record<string, Json | undefined> = {};
  for (const extension of extensions)
    try {
      Object.assign(made, extension.metadata?.(state));
    } catch (error) {
      throw failedIn(extension, error);
    }
  const after: JsonObject = Object.fromEntries(
    Object.entries({ ...before, ...made }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return jsonEqual(before, after) ? undefined : after;
}

/** Returns the records that extensions keep for a state that a withdrawal or a fork has restored. */
export function recordsFor(extensions: readonly Extension[], given: Restored): readonly RecordChange[] {
  const records: RecordChange[] = [];
  for (const extension of extensions)
    try {
      records.push(...(extension.restored?.(given) ?? []));
    } catch (error) {
      throw failedIn(extension, error);
    }
  return records;
}

/** The effect of an agent's extensions on customer input. */
export interface Screened {
  readonly agent: ExtensionAgent;
  readonly effect: AcceptEffect | undefined;
}

/**
 * Returns the combined effect of an agent's extensions on customer input. It is urgent if any of them says so. `screened` is the effect if it is
 * already known. That of another agent is ignored.
 */
export function acceptedBy(heard: Heard, screened?: Screened): Screened {
  const { agent } = heard;
  if (screened?.agent === agent) return screened;
  const effects = agent.extensions.flatMap((extension) => extension.accept?.(heard) ?? []);
  return { agent, effect: effects.length <= 1 ? effects[0] : combined(effects) };
}

function combined(effects: readonly AcceptEffect[]): AcceptEffect {
  return {
    urgent: effects.some(({ urgent }) => urgent),
    answerMs: Math.max(...effects.map(({ answerMs }) => answerMs)),
    beside: async (accepting) => {
      const all = await Promise.all(effects.map((effect) => effect.beside(accepting)));
      const assessed = all.map((one) => one?.assessed).filter((one) => one !== undefined);
      const gravest = assessed.toSorted((one, other) => other.level - one.level)[0];
      return { ...present({ assessed: gravest }), records: all.flatMap((one) => one?.records ?? []) };
    },
  };
}

/** APIs of extensions, by runtime. */
const added = new WeakMap<ExtensionContext, WeakMap<object, unknown>>();

/** Returns the API of an extension in this runtime. Throws `input.invalid` if it has none. */
export function addedBy<Api extends Added>(context: ExtensionContext, extension: Extension<Api>): Api {
  if (typeof extension?.api !== "function")
    throw invalidAt("input.invalid", "extension", `An extension that adds something for callers has the point "api", got ${seen(extension)}.`);
  const known = added.get(context) ?? new WeakMap<object, unknown>();
  added.set(context, known);
  if (!known.has(extension)) known.set(extension, extension.api(context));
  // The key is the extension, so the value is the result of its `api`.
  return known.get(extension) as Api;
}
