/**
 * The events of a session's log, declared once: a union by `kind`, and within some kinds by `type`. Their types, what the service shows of them and what a
 * redacted export keeps follow from the declarations. A member that names no audience is shown to nobody.
 */
import {
  boolean,
  described,
  type Descriptor,
  flag,
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
import { control, sessionMode } from "./control.ts";
import { handover } from "./handover-given.ts";

const sessionId = described(textOf<SessionId>(), "`ses_` and 26 characters.");
const stepId = plain(textOf<StepId>());
const offset = whole({ min: 0 });
const offsets = plain(list(offset));
const ms = plain(number);
const name = plain(text);
const definition = described(plain(whole()), "Version of the agent's definition; keys alone are told.");

const errorMembers = { code: textOf<ErrorCode>(), message: text, hint: text };
/** An error that an event tells of. What an agent's own code has put into its details is nobody's but the log's. */
const errorInfo: Descriptor<ErrorInfo> = object({ ...errorMembers, details: toNobody(optional(jsonObject)) }, "key");
const toolError: Descriptor<ErrorInfo> = object({ ...errorMembers, details: optional(jsonObject) }, "key");

const messagePart = variants("type", { text: object({ text }, "customer"), json: object({ value: json }, "customer") });
/** A part of a message. */
export type MessagePart = Infer<typeof messagePart>;

const toolCall = object(
  {
    call_id: text,
    name: text,
    arguments: jsonObject,
    /** What the model sent in place of arguments that are one JSON object; the call is not run. */
    malformed: described(optional(text), "What the model sent in place of a JSON object; the call is not run."),
  },
  "key",
);
/** A call that an assistant message asks for. */
export interface ToolCall extends Infer<typeof toolCall> {}

const origin = object(
  {
    /** Name of the agent. */
    agent_id: described(plain(text), "Name of the agent."),
    step_id: stepId,
    /** The message is work on the way to an answer, or stands in for one: later prompts leave it out. */
    is_trace: described(plain(flag), "Work on the way to an answer; later requests to a model leave it out."),
    /** A trace message that was said to the customer all the same, in place of an answer: the apology. */
    stands_in: described(plain(flag), "Said to the customer in place of an answer."),
  },
  "key",
);
/** Where an assistant message came from. The execution is the turn's: `executionIdOf(turn_id)`. */
export interface Origin extends Infer<typeof origin> {}

const messageData = object(
  {
    role: toCustomers(plain(literals("user", "assistant", "system"))),
    parts: toCustomers(plain(list(messagePart))),
    participant: toCustomers(optional(object({ id: toKeys(optional(text)), display_name: toCustomers(optional(text)) }))),
    origin: described(plain(optional<Origin>(origin)), "Where an assistant's message came from."),
    /** Values of the agent's other `input` fields that came with a customer's message. */
    input: described(optional(jsonObject), "Values of the agent's other `input` fields that came with the message."),
    /** Values of the agent's `start` fields that came with a customer's message. */
    start: described(optional(jsonObject), "Values of the agent's `start` fields that came with the message."),
    /** Why the text is withheld from the model. */
    flagged: optional(list(text)),
    calls: described(optional(list<ToolCall>(toolCall)), "The tool calls that an assistant's message asks for."),
    /** What was said was forgotten: there are no parts any more, and nothing that came with them. */
    redacted: toCustomers(described(plain(flag), "What was said was forgotten: there are no parts any more.")),
  },
  "key",
);
/** What a `message` event holds: who spoke, and what was said. */
export interface MessageData extends Infer<typeof messageData> {}

const toolResult = variants("type", {
  ok: object(
    {
      value: json,
      /** What the model reads in place of the value, where the tool renders it itself. */
      shown: described(optional(list(messagePart)), "What the model reads in place of the value."),
      /**
       * Why the state does not have the value, because it fits no field, cannot be stored as it is, or is withheld: the call was made, and only the log has
       * what is kept of it.
       */
      not_stored: described(optional(toolError), "Why the value is not stored in the state, or not as it was; the call was made."),
    },
    "key",
  ),
  error: object({ error: toolError }, "key"),
  blocked: object({ by: text, reason: text }, "key"),
  skipped: object({ reason: text }, "key"),
  unknown: object({}, "key"),
});
/** What became of a call; `unknown` when it may have happened and nobody can tell. */
export type ToolResult = Infer<typeof toolResult>;

/** What running a tool does to the world outside: nothing, something that may be repeated under one key, something that must happen at most once. */
export const toolEffects = ["none", "idempotent", "once"] as const;
/** What running a tool does to the world outside. */
export type ToolEffects = (typeof toolEffects)[number];

const cost = described(optional(number), "In the unit of the price table.");
/** Tokens by kind. */
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
/** Tokens by kind; kinds of which there were none are left out. */
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
/** What something cost, charged to an execution's budget; what there was none of is left out. */
export interface SpentData extends Infer<typeof spentData> {}

const toolData = variants("type", {
  called: object(
    {
      call_id: plain(text),
      name,
      /** What the tool is given: the model's arguments, or those that a person put in their place. */
      arguments: jsonObject,
      /** The same whenever this call is run again; for a service outside to know it by. */
      key: described(text, "The same whenever this call is run again."),
      effects: plain(literals(...toolEffects)),
    },
    "key",
  ),
  returned: object(
    {
      call_id: plain(text),
      result: toolResult,
      ms: optional(number),
      /** The session of the child agent that did the work. */
      child: described(optional(sessionId), "The session of the child agent that did the work."),
      /** What the child agent's work cost. */
      spent: described(optional<SpentData>(spentData), "What the child agent spent."),
      /** What the tool asked of the turn. */
      control: plain(optional(control)),
    },
    "key",
  ),
});
/** What a `tool` event holds: a call before it runs, or its result. */
export type ToolData = Infer<typeof toolData>;

const pendingCall = object(
  {
    call_id: plain(text),
    name,
    /** `approval`: whether the call may run; `question`: an answer that the running tool asked for. */
    kind: plain(literals("approval", "question")),
    /** What is asked; for an approval, why. */
    question: optional(json),
    /** Counts the questions of one call, from 0. */
    index: plain(whole()),
    /** Hash of the call's arguments: a decision names what was looked at. */
    arguments_hash: text,
    /** The arguments, where they are not those that the model gave: a hook, or a person, has changed them. */
    arguments: described(optional(jsonObject), "The arguments, where they are not those that the model gave."),
    /** The tool, or the hook, that asks. */
    by: described(plain(text), "The tool, or the hook, that asks."),
    /** Time after which it counts as rejected. */
    expires_at: plain(optional(time)),
    /** The child session that waits, when the call is a child agent's work. */
    child: plain(optional(sessionId)),
  },
  "key",
);
/** What a paused turn waits for: somebody's word on one call. */
export interface PendingCall extends Infer<typeof pendingCall> {}

const decision = variants("type", {
  approve: object({}, "key"),
  edit: object({ arguments: jsonObject }, "key"),
  answer: object({ answer: json }, "key"),
  reject: object(
    {
      feedback: optional(text),
      /** `person`, `expiry`, or `message`: the customer wrote instead. */
      cause: described(plain(text), "`person`, `expiry` or `message`."),
    },
    "key",
  ),
});
/** A word on a pending call. Whatever is not one of the first three is a rejection. */
export type Decision = Infer<typeof decision>;

/** What an agent, or a person in its place, can be doing. */
export const statuses = ["acknowledged", "processing", "typing", "ready", "cancelled", "error"] as const;
const statusData = object(
  {
    status: toCustomers(plain(literals(...statuses))),
    /** Name of the stage at work, or `completed` with `ready`. */
    stage: plain(optional(text)),
    error: optional(errorInfo),
    /** What whoever posted it says besides. */
    data: described(optional(jsonObject), "What whoever posted it says besides."),
  },
  "key",
);
/** What a `status` event holds: what the agent is doing. */
export interface StatusData extends Infer<typeof statusData> {}

const pointer = described(text, "A JSON Pointer (RFC 6901).");
const patch: Descriptor<readonly PatchOperation[]> = described(
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
const firstState = described(ofState("document", jsonObject), "The first state; keys alone are told.");

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
    writer: described(plain(writer), "Who changed the state; keys alone are told."),
    /** Version of the agent's definition that wrote it. */
    definition,
  },
  "key",
);
/** What a `state` event holds: operations on the reduced fields, and who wrote them. */
export interface StateData extends Infer<typeof stateData> {}

const endedBy = object(
  {
    call_id: text,
    /** Name of the tool. */
    name: text,
  },
  "key",
);
/** The call that ended a turn: what it returned is the reply. */
export interface EndedBy extends Infer<typeof endedBy> {}
const ended_by = described(optional<EndedBy>(endedBy), "The call that ended the turn: what it returned is the reply.");

/** What became of a turn. */
export const outcome = variants(
  "status",
  {
    completed: object({ ended_by }, "key"),
    stopped: object({ reason: text, message: described(optional(text), "Why it was stopped, in words."), ended_by }, "key"),
    failed: object({ error: errorInfo }, "key"),
  },
  { flat: true },
);
/** What became of a turn. */
export type Outcome = Infer<typeof outcome>;

/** Numbers about a turn, such as `stage_timings` and `turn_total_ms`; never text that a person wrote. */
export type Diagnostics = JsonObject;

const model = described(plain(optional(text)), "Name of the model, if it is known.");
const turnData = variants("type", {
  started: object(
    {
      cause: plain(literals(...turnCauses)),
      /** Offsets of the customer messages that this turn answers; the last one is its `message`. */
      answers: described(offsets, "Offsets of the messages that it answers."),
      /** Those of them that an earlier turn had answered, which failed or was stopped: they are this turn's to answer now. */
      retries: described(plain(optional(list(offset))), "Those of them that an earlier turn had answered."),
      /** What the turn saw: the agent's definition, the offset of the state, the version of the variables. */
      versions: plain(
        object(
          {
            agent: plain(whole()),
            state: plain(whole()),
            variables: plain(whole()),
            /** Of the variables of the session itself; left out if there are none. */
            session_variables: plain(optional(whole())),
            /** Of the variables of the agent; left out if there are none. */
            agent_variables: plain(optional(whole())),
          },
          "key",
        ),
      ),
      /** Names of variables whose values were told to be out of date. */
      stale: described(optional(list(text)), "Names of variables whose values were told to be out of date."),
      /** Milliseconds that each variable took which was refreshed. */
      refreshed: described(optional(record(number)), "Milliseconds that each refreshed variable took."),
    },
    "key",
  ),
  stage: object(
    {
      name,
      /** Operations on the fields that live for this turn only; left out if there are none. */
      patch: plain(optional(patch)),
      ms,
      /** What the stage asked of the turn, so that a resumed turn knows it too. */
      control: plain(optional(control)),
      /** What was recalled, of the stage that does that: ids, versions and scores of entries, no text. */
      recall: described(optional(jsonObject), "Ids, versions and scores of recalled entries; no text."),
      /** What the gate has found, of the stage that is the gate: levels and codes, no text. */
      assessment: described(optional(jsonObject), "Levels and codes that the gate found; no text."),
    },
    "key",
  ),
  /** Operations on the fields that live for this turn only, by a tool or a hook. */
  fields: object({ patch: plain(patch) }, "key"),
  /** A model call that was answered. */
  step: object({ step_id: stepId, model, usage, finish_reason: plain(text), ms, cost }, "key"),
  /** A model call that was answered, after which the turn was ended, or left, before its step was on record. It may stand after the turn's end. */
  spent: object({ model, usage, ms, cost }, "key"),
  /** A model call that failed, and after which the execution went on. */
  attempt: object({ step_id: stepId, error: errorInfo, ms }, "key"),
  /** The results of these calls have entered the state. `ms`: how long at least one of them ran. */
  merged: object({ step_id: stepId, calls: plain(list(text)), ms }, "key"),
  /** Something asked the execution to stop. */
  signal: object({ reason: text, message: text, source: optional(text), context: optional(jsonObject) }, "key"),
  /** Something asked the execution to go on in spite of signals. */
  continue: object({ step_id: stepId, source: text, waives: optional(list(text)) }, "key"),
  paused: object({ step_id: stepId, pending: plain(list<PendingCall>(pendingCall)) }, "key"),
  decided: object({ call_id: plain(text), index: plain(whole()), arguments_hash: text, decision: plain(decision), by: optional(text) }, "key"),
  ended: object({ outcome: plain(outcome), diagnostics: described(jsonObject, "Numbers about the turn.") }, "key"),
});
/** What a `turn` event holds, by type. */
export type TurnData = Infer<typeof turnData>;

const parentCall = object(
  {
    session_id: sessionId,
    turn_id: textOf<TurnId>(),
    call_id: text,
    /** 1 for a child of an agent that talks to a person. */
    depth: whole(),
    /** What it may spend: its own budget, capped by what was left to the parent. */
    budget: jsonObject,
  },
  "key",
);
/** Where a child agent's session comes from. */
export interface ParentCall extends Infer<typeof parentCall> {}

const by = described(optional(text), "Who did it, if they said so.");
const sessionData = variants("type", {
  created: toCustomers(
    object(
      {
        agent: toCustomers(plain(text)),
        definition,
        state: plain(firstState),
        episode: toCustomers(plain(literals(1))),
        /** The call that this session does the work of. */
        parent: described(optional<ParentCall>(parentCall), "The call that this session does the work of."),
      },
      "key",
    ),
  ),
  /** `handover`: where the hand-over to people stands from now on; `by`: who did it, if they said so. */
  mode: toCustomers(object({ mode: toCustomers(plain(sessionMode)), handover: plain(optional(handover)), by }, "key")),
  /** The mode stays: somebody took the session up, gave it to somebody else, or put it back into the queue. */
  handover: object({ handover: plain(handover), by }, "key"),
  episode: object({ closed: plain(whole()), opened: plain(whole()), reason: plain(literals("silence", "ended")) }, "customer"),
  /** An episode was looked through for what is worth remembering. `counts`: how many entries were written, by what became of them; no text. */
  remembered: object({ episode: plain(whole()), counts: described(record(number), "Entries written, by what became of them.") }, "key"),
  title: object({ title: nullable(text) }, "customer"),
  withdrawn: toCustomers(
    object(
      {
        from: toCustomers(plain(offset)),
        /** Side effects that were done and cannot be undone. */
        effects: described(list(text), "Side effects that cannot be undone; keys alone are told."),
      },
      "key",
    ),
  ),
  identified: object(
    {
      customer_id: text,
      /** What of the anonymous session's own moved to the customer; names of variables that the customer had already stay behind. */
      carried: optional(object({ variables: list(text), kept: list(text), entries: whole() }, "key")),
    },
    "key",
  ),
  /** The messages at these offsets have no text any more: whoever shows it takes it away. */
  redacted: object({ offsets: described(offsets, "The messages at these offsets have no text any more.") }, "customer"),
  /** The person agrees, or agrees no longer, to what a text of that version says the data of a purpose is used for. */
  consent: object({ given: plain(boolean), text_version: plain(text), purpose: text }, "customer"),
  /** The person is told that they talk with an AI: a client shows the text. `suggests_break`: and that this is a time to pause, in its own words. */
  disclosure: object({ reason: plain(literals("start", "interval")), text, suggests_break: flag }, "customer"),
  /** The log up to `at` is shared with the session that this one was forked from; turns that were open there are ended by the events that follow. */
  forked: object({ at: plain(offset) }, "key"),
});
/** What a `session` event holds, by type. */
export type SessionData = Infer<typeof sessionData>;

const assessmentData = object({ audit_id: plain(text), level: plain(whole({ min: 0, max: 3 })) }, "key");
/** What an `assessment` event holds: a record of the gate's finding, and its level. */
export interface AssessmentData extends Infer<typeof assessmentData> {}

/** What is known of a kind of event. */
interface KindDeclaration<Data> {
  readonly data: Descriptor<Data>;
  /** Whether an audience is shown events of the kind by default. */
  readonly shown?: "key" | "customer";
  /** A key is shown them only with this scope. */
  readonly scope?: "safety:read";
  /** A key is shown them only if it asks for the kind. */
  readonly onRequest?: true;
}
const kind = <Data>(data: Descriptor<Data>, how: Omit<KindDeclaration<Data>, "data"> = {}): KindDeclaration<Data> =>
  Object.freeze({ data: Object.freeze({ node: { ...data.node, audience: how.shown } }), ...how });

/** Every kind of event: what it holds, and who is shown it. A kind that names nobody is shown to nobody. */
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

/** The data of each kind of event. */
export type EventDataByKind = { readonly [Kind in EventKind]: Infer<(typeof eventDeclarations)[Kind]["data"]> };

/** An immutable fact of a session, with data in the newest shape. */
export type Event = {
  [Kind in EventKind]: Omit<StoredEvent, "kind" | "data" | "version"> & { readonly kind: Kind; readonly data: EventDataByKind[Kind] };
}[EventKind];

/** An event of one kind. */
export type EventOf<Kind extends EventKind> = Extract<Event, { readonly kind: Kind }>;
