/**
 * Declares the events of a session's log: a union by `kind`, and for some kinds by `type`. The TypeScript types, the service's views and the redacted
 * export derive from these declarations. A member without an audience is shown to no one.
 */
import {
  boolean,
  described,
  type Descriptor,
  flag,
  identity,
  type Infer,
  json,
  jsonObject,
  list,
  literals,
  nullable,
  number,
  object,
  ofState,
  oneOf,
  optional,
  plain,
  record,
  text,
  textOf,
  time,
  toCustomers,
  toKeys,
  toNobody,
  variants,
  whole,
} from "../kernel/descriptor.ts";
import type { ErrorCode } from "../kernel/error-catalogue.ts";
import type { ErrorInfo } from "../kernel/error.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";
import type { SessionId, StepId, TurnId } from "../kernel/id.ts";
import { type EventKind, type StoredEvent, turnCauses } from "../store/port.ts";
import { control, handover, sessionMode } from "./control.ts";

const sessionId = described(identity(textOf<SessionId>()), "`ses_` and 26 characters.");
const stepId = plain(textOf<StepId>());
const offset = whole({ min: 0 });
const offsets = plain(list(offset));
const ms = plain(number);
const name = plain(text);
const definition = described(plain(whole()), "Version of the agent's definition. Only API keys see it.");

const errorMembers = { code: identity(textOf<ErrorCode>()), message: text, hint: text };
/** An error in an event. Only the log keeps `details`, because the agent's code may have put anything there. */
const errorInfo: Descriptor<ErrorInfo> = object({ ...errorMembers, details: toNobody(optional(jsonObject)) }, "key");
const toolError: Descriptor<ErrorInfo> = object({ ...errorMembers, details: optional(jsonObject) }, "key");

const messagePart = variants("type", { text: object({ text }, "customer"), json: object({ value: json }, "customer") });
/** A part of a message. */
export type MessagePart = Infer<typeof messagePart>;

/** Declares a tool call that a message requests. */
export const toolCall = object(
  {
    call_id: identity(text),
    name: identity(text),
    arguments: jsonObject,
    /** The model's raw output, if it was not one JSON object. The call does not run. */
    malformed: described(optional(text), "The model's raw output, if it was not one JSON object. The call does not run."),
  },
  "key",
);
/** A tool call that an assistant message requests. */
export interface ToolCall extends Infer<typeof toolCall> {}

const origin = object(
  {
    /** Name of the agent. */
    agent_id: described(plain(text), "Name of the agent."),
    step_id: stepId,
    /** The message is intermediate work, or it stands in for a reply. Later prompts leave it out. */
    is_trace: described(plain(flag), "Intermediate work, or a stand-in for a reply. Later prompts leave it out."),
    /** A trace message that was shown to the customer in place of a reply: the apology. */
    stands_in: described(plain(flag), "Shown to the customer in place of a reply."),
  },
  "key",
);
/** Where an assistant message came from. The execution is the turn's: `executionIdOf(turn_id)`. */
export interface Origin extends Infer<typeof origin> {}

const messageData = object(
  {
    role: toCustomers(plain(literals("user", "assistant", "system"))),
    parts: toCustomers(plain(list(messagePart))),
    participant: toCustomers(optional(object({ id: toKeys(optional(identity(text))), display_name: toCustomers(optional(text)) }))),
    origin: described(plain(optional<Origin>(origin)), "Where an assistant message came from."),
    /** Values for the agent's other `input` fields, sent with a customer's message. */
    input: described(optional(jsonObject), "Values for the agent's other `input` fields, sent with the message."),
    /** Values for the agent's `start` fields, sent with a customer's message. */
    start: described(optional(jsonObject), "Values for the agent's `start` fields, sent with the message."),
    /** Why the text is withheld from the model. */
    flagged: optional(list(text)),
    calls: described(optional(list<ToolCall>(toolCall)), "The tool calls that an assistant message requests."),
    /** The message was redacted: its parts and everything sent with them are removed. */
    redacted: toCustomers(described(plain(flag), "The message was redacted: its parts are removed.")),
  },
  "key",
);
/** Data of a `message` event: the speaker and the content. */
export interface MessageData extends Infer<typeof messageData> {}

/** Declares the result of a tool call. */
export const toolResult = variants("type", {
  ok: object(
    {
      value: json,
      /** Content that the model reads instead of the value, if the tool renders its result. */
      shown: described(optional(list(messagePart)), "Content that the model reads instead of the value."),
      /**
       * Why the state does not hold the value: it fits no field, cannot be stored unchanged, or is withheld. The call was made, and only the log
       * keeps its value.
       */
      not_stored: described(optional(toolError), "Why the state does not hold the value unchanged. The call was made."),
    },
    "key",
  ),
  error: object({ error: toolError }, "key"),
  blocked: object({ by: text, reason: text }, "key"),
  skipped: object({ reason: text }, "key"),
  unknown: object({}, "key"),
});
/** The result of a tool call. `unknown`: the call may have run, and its result cannot be determined. */
export type ToolResult = Infer<typeof toolResult>;

/** Side effects of a tool: none, repeatable under one idempotency key, or at most once. */
export const toolEffects = ["none", "idempotent", "once"] as const;
/** Side effects of a tool. */
export type ToolEffects = (typeof toolEffects)[number];

const cost = described(optional(number), "In the unit of the price table.");
/** Tokens that model calls used. */
export const usageData = object(
  {
    input: plain(optional(number)),
    output: plain(optional(number)),
    cache_write: plain(optional(number)),
    cache_read: plain(optional(number)),
    reasoning: plain(optional(number)),
  },
  "key",
);
/** Token counts by kind. Kinds with a count of zero are left out. */
export interface UsageData extends Infer<typeof usageData> {}
const usage: Descriptor<UsageData> = plain(usageData);

const spentData = object(
  {
    steps: optional(number),
    attempts: optional(number),
    tokens: optional(usage),
    active_ms: optional(number),
    /** In the unit of the price table. */
    cost,
  },
  "key",
);
/** Resources charged to an execution's budget. Unused resources are left out. */
export interface SpentData extends Infer<typeof spentData> {}

const toolData = variants("type", {
  called: object(
    {
      call_id: plain(text),
      name,
      /** Arguments that the tool receives: the model's, or a human's replacement. */
      arguments: jsonObject,
      /** Idempotency key for external services. It stays the same whenever this call is repeated. */
      key: described(identity(text), "Idempotency key for external services. It stays the same whenever the call is repeated."),
      effects: plain(literals(...toolEffects)),
    },
    "key",
  ),
  returned: object(
    {
      call_id: plain(text),
      result: toolResult,
      ms: optional(number),
      /** Session of the child agent that did the work. */
      child: described(optional(sessionId), "Session of the child agent that did the work."),
      /** Resources that the child agent spent. */
      spent: described(optional<SpentData>(spentData), "Resources that the child agent spent."),
      /** The tool's requests to the turn. */
      control: plain(optional(control)),
      /** Offset of this result in the session that the fork continues. The call did not run here. */
      reused_from: described(plain(optional(offset)), "Offset of the result in the session that the fork continues. The call did not run here."),
    },
    "key",
  ),
});
/** Data of a `tool` event: a call before it runs, or its result. */
export type ToolData = Infer<typeof toolData>;

/** Declares a call that waits for a decision. */
export const pendingCall = object(
  {
    call_id: plain(text),
    name,
    /** `approval`: whether the call may run. `question`: an answer that the running tool needs. */
    kind: plain(literals("approval", "question")),
    /** The question; for an approval, the reason. */
    question: optional(json),
    /** Index of the question within its call, from 0. */
    index: plain(whole()),
    /** Hash of the call's arguments. A decision names the arguments that it refers to. */
    arguments_hash: identity(text),
    /** The arguments, if a hook or a human changed those of the model. */
    arguments: described(optional(jsonObject), "The arguments, if a hook or a human changed those of the model."),
    /** The tool, stage or hook that requested the decision. */
    by: described(plain(text), "The tool, stage or hook that requested the decision."),
    /** Time after which the call counts as rejected. */
    expires_at: plain(optional(time)),
    /** The waiting child session, if a child agent runs the call. */
    child: plain(optional(sessionId)),
  },
  "key",
);
/** A call of a paused turn that waits for a human decision. */
export interface PendingCall extends Infer<typeof pendingCall> {}

const decision = variants("type", {
  approve: object({}, "key"),
  edit: object({ arguments: jsonObject }, "key"),
  answer: object({ answer: json }, "key"),
  reject: object(
    {
      feedback: optional(text),
      /** `person`, `expiry` or `message`. `message`: the customer wrote instead of deciding. */
      cause: described(plain(text), "`person`, `expiry` or `message`."),
    },
    "key",
  ),
});
/** A decision on a pending call. Readers treat any other type as a rejection. */
export type Decision = Infer<typeof decision>;

/** Statuses of an agent, or of a human operator in its place. */
export const statuses = ["acknowledged", "processing", "typing", "ready", "cancelled", "error"] as const;
const statusData = object(
  {
    status: toCustomers(plain(literals(...statuses))),
    /** Name of the running stage, or `completed` with `ready`. */
    stage: plain(optional(text)),
    error: optional(errorInfo),
    /** Additional data from the poster. */
    data: described(optional(jsonObject), "Additional data from the poster."),
  },
  "key",
);
/** Data of a `status` event: the agent's activity. */
export interface StatusData extends Infer<typeof statusData> {}

const pointer = described(text, "A JSON Pointer (RFC 6901).");
/** Declares a patch of the state. */
export const patch: Descriptor<readonly PatchOperation[]> = described(
  ofState(
    "patch",
    list(
      oneOf("op", [
        object({ op: literals("add", "replace", "test"), path: pointer, value: json }, "customer"),
        object({ op: literals("remove"), path: pointer }, "customer"),
        object({ op: literals("move", "copy"), from: pointer, path: pointer }, "customer"),
      ]),
    ),
  ),
  "A JSON Patch (RFC 6902).",
);
const firstState = described(ofState("document", jsonObject), "The initial state. Only API keys see it.");

const writer = variants("type", {
  input: object({}, "key"),
  stage: object({ name }, "key"),
  tool: object({ name, call_id: plain(text) }, "key"),
  hook: object({ name: text }, "key"),
  operator: object({ name: optional(text) }, "key"),
  withdrawal: object({ from: plain(whole()) }, "key"),
  migration: object({ from: plain(whole()), to: plain(whole()) }, "key"),
});
/** Who wrote a state patch. */
export type Writer = Infer<typeof writer>;

const stateData = object(
  {
    patch: toCustomers(plain(patch)),
    writer: described(plain(writer), "Who wrote the patch. Only API keys see it."),
    /** Version of the agent's definition that wrote the patch. */
    definition,
  },
  "key",
);
/** Data of a `state` event: operations on the reduced fields, and their writer. */
export interface StateData extends Infer<typeof stateData> {}

const endedBy = object(
  {
    call_id: identity(text),
    /** Name of the tool. */
    name: identity(text),
  },
  "key",
);
/** The call that ended a turn. Its result is the reply. */
export interface EndedBy extends Infer<typeof endedBy> {}
const ended_by = described(optional<EndedBy>(endedBy), "The call that ended the turn. Its result is the reply.");

/** How a turn ended. */
export const outcome = variants(
  "status",
  {
    completed: object({ ended_by }, "key"),
    stopped: object({ reason: text, message: described(optional(text), "Why the turn was stopped."), ended_by }, "key"),
    failed: object({ error: errorInfo }, "key"),
  },
  { flat: true },
);
/** How a turn ended. */
export type Outcome = Infer<typeof outcome>;

/** Metrics of a turn, such as `stage_timings` and `turn_total_ms`. Never text that a human wrote. */
export type Diagnostics = JsonObject;

const model = described(plain(optional(text)), "Name of the model, if known.");
const turnData = variants("type", {
  started: object(
    {
      cause: plain(literals(...turnCauses)),
      /** Offsets of the customer messages that this turn answers. The last one is its `message`. */
      answers: described(offsets, "Offsets of the messages that the turn answers."),
      /** Those that an earlier turn was answering when it failed or was stopped. This turn answers them now. */
      retries: described(plain(optional(list(offset))), "Those messages that an earlier turn was answering when it failed or was stopped."),
      /** Versions that the turn read: of the agent's definition and of the variables, and the offset of the state. */
      versions: plain(
        object(
          {
            agent: plain(whole()),
            state: plain(whole()),
            variables: plain(whole()),
            /** Version of the session's variables; absent if there are none. */
            session_variables: plain(optional(whole())),
            /** Version of the agent's variables; absent if there are none. */
            agent_variables: plain(optional(whole())),
          },
          "key",
        ),
      ),
      /** Names of variables that were reported as stale. */
      stale: described(optional(list(text)), "Names of variables that were reported as stale."),
      /** Duration of each variable's refresh in milliseconds, by name. */
      refreshed: described(optional(record(number)), "Duration of each variable's refresh in milliseconds, by name."),
    },
    "key",
  ),
  stage: object(
    {
      name,
      /** Operations on the fields that live for this turn only; absent if there are none. */
      patch: plain(optional(patch)),
      ms,
      /** The stage's requests to the turn. A resumed turn reads them from here. */
      control: plain(optional(control)),
      /** Recall result of the recall stage: ids, versions and scores of entries, no text. */
      recall: described(optional(jsonObject), "Ids, versions and scores of recalled entries; no text."),
      /** Finding of the gate stage: levels and codes, no text. */
      assessment: described(optional(jsonObject), "Levels and codes that the gate found; no text."),
    },
    "key",
  ),
  /** Operations by a tool or a hook on the fields that live for this turn only. */
  fields: object({ patch: plain(patch) }, "key"),
  /** A completed model call. */
  step: object({ step_id: stepId, model, usage, finish_reason: plain(text), ms, cost }, "key"),
  /** A completed model call whose step was never recorded, because the turn ended or was fenced first. It may follow the turn's `ended` event. */
  spent: object({ model, usage, ms, cost }, "key"),
  /** A failed model call after which the execution continued. */
  attempt: object({ step_id: stepId, error: errorInfo, ms }, "key"),
  /** The results of these calls were merged into the state. `ms`: time during which at least one of them ran. */
  merged: object({ step_id: stepId, calls: plain(list(text)), ms }, "key"),
  /** A request to stop the execution. */
  signal: object({ reason: text, message: text, source: optional(text), context: optional(jsonObject) }, "key"),
  /** A request to continue the execution despite stop signals. */
  continue: object({ step_id: stepId, source: text, waives: optional(list(text)) }, "key"),
  paused: object({ step_id: stepId, pending: plain(list<PendingCall>(pendingCall)) }, "key"),
  decided: object(
    { call_id: plain(text), index: plain(whole()), arguments_hash: identity(text), decision: plain(decision), by: optional(text) },
    "key",
  ),
  ended: object({ outcome: plain(outcome), diagnostics: described(jsonObject, "Metrics of the turn.") }, "key"),
});
/** Data of a `turn` event, by type. */
export type TurnData = Infer<typeof turnData>;

const parentCall = object(
  {
    session_id: sessionId,
    turn_id: identity(textOf<TurnId>()),
    call_id: identity(text),
    /** 1 for a child of an agent that talks to a customer. */
    depth: whole(),
    /** Budget of the child: its own, capped by the parent's remaining budget. */
    budget: jsonObject,
  },
  "key",
);
/** The parent call of a child agent's session. */
export interface ParentCall extends Infer<typeof parentCall> {}

const by = described(optional(text), "Who made the change, if known.");
const sessionData = variants("type", {
  created: toCustomers(
    object(
      {
        agent: toCustomers(plain(text)),
        definition,
        state: plain(firstState),
        episode: toCustomers(plain(literals(1))),
        /** The parent call that this session works for. */
        parent: described(optional<ParentCall>(parentCall), "The parent call that the session works for."),
      },
      "key",
    ),
  ),
  /** `handover`: new status of the handover to human operators. `by`: who changed the mode, if known. */
  mode: toCustomers(object({ mode: toCustomers(plain(sessionMode)), handover: plain(optional(handover)), by }, "key")),
  /** The handover changed and the mode stayed: an operator took the session up, reassigned it or returned it to the queue. */
  handover: object({ handover: plain(handover), by }, "key"),
  episode: object({ closed: plain(whole()), opened: plain(whole()), reason: plain(literals("silence", "ended")) }, "customer"),
  /** An episode was searched for facts to remember. `counts`: number of entries by result; no text. */
  remembered: object({ episode: plain(whole()), counts: described(record(number), "Number of entries by result.") }, "key"),
  title: object({ title: nullable(text) }, "customer"),
  withdrawn: toCustomers(
    object(
      {
        from: toCustomers(plain(offset)),
        /** Side effects that happened and cannot be undone. */
        effects: described(list(text), "Side effects that happened and cannot be undone. Only API keys see them."),
      },
      "key",
    ),
  ),
  identified: object(
    {
      customer_id: identity(text),
      /** Data moved from the anonymous session to the customer. `kept`: names of variables that the customer already had; these did not move. */
      carried: optional(object({ variables: list(text), kept: list(text), entries: whole() }, "key")),
    },
    "key",
  ),
  /** The messages at these offsets no longer have text. Clients must remove it from display. */
  redacted: object({ offsets: described(offsets, "Offsets of the messages that no longer have text.") }, "customer"),
  /** The customer gave or withdrew consent to a purpose, as described by this version of the consent text. */
  consent: object({ given: plain(boolean), text_version: plain(text), purpose: text }, "customer"),
  /** The customer must be told that they talk to an AI; the client shows the text. `suggests_break`: the text also suggests a pause. */
  disclosure: object({ reason: plain(literals("start", "interval")), text, suggests_break: flag }, "customer"),
  /** The log up to `at` is shared with the session that this one was forked from. The events that follow end the turns that were open there. */
  forked: object(
    {
      at: plain(offset),
      /** The fork reuses results that the session had recorded after `at`, up to this offset, and runs no `once` tool. */
      reuse: described(plain(optional(offset)), "The fork reuses results recorded after `at`, up to this offset, and runs no `once` tool."),
    },
    "key",
  ),
});
/** Data of a `session` event, by type. */
export type SessionData = Infer<typeof sessionData>;

const assessmentData = object({ audit_id: plain(text), level: plain(whole({ min: 0, max: 3 })) }, "key");
/** Data of an `assessment` event: the id of the gate's audit record, and the level. */
export interface AssessmentData extends Infer<typeof assessmentData> {}

/** How a kind of event is stored and shown. */
interface KindDeclaration<Data> {
  readonly data: Descriptor<Data>;
  /** The widest audience that is shown events of the kind by default. */
  readonly shown?: "key" | "customer";
  /** API keys need this scope to read them. */
  readonly scope?: "safety:read";
  /** API keys receive them only if they request the kind. */
  readonly onRequest?: true;
}
const kind = <Data>(data: Descriptor<Data>, how: Omit<KindDeclaration<Data>, "data"> = {}): KindDeclaration<Data> =>
  Object.freeze({ data: Object.freeze({ node: { ...data.node, audience: how.shown } }), ...how });

/** Declares each kind of event: its data and its audience. A kind without an audience is shown to no one. */
export const eventDeclarations = {
  message: kind<MessageData>(messageData, { shown: "customer" }),
  tool: kind(toolData, { shown: "key" }),
  status: kind<StatusData>(statusData, { shown: "customer" }),
  custom: kind(object({ value: json }, "customer"), { shown: "customer" }),
  state: kind<StateData>(stateData, { shown: "customer" }),
  turn: kind(turnData, { shown: "key", onRequest: true }),
  session: kind(sessionData, { shown: "customer" }),
  assessment: kind<AssessmentData>(assessmentData, { shown: "key", scope: "safety:read" }),
} as const satisfies { readonly [Kind in EventKind]: KindDeclaration<unknown> };

/** Data of each kind of event. */
export type EventDataByKind = { readonly [Kind in EventKind]: Infer<(typeof eventDeclarations)[Kind]["data"]> };

/** An immutable event of a session, with its data in the newest version. */
export type Event = {
  [Kind in EventKind]: Omit<StoredEvent, "kind" | "data" | "version"> & { readonly kind: Kind; readonly data: EventDataByKind[Kind] };
}[EventKind];

/** An event of one kind. */
export type EventOf<Kind extends EventKind> = Extract<Event, { readonly kind: Kind }>;
