/**
 * A commit on its way to the database: kinds as integers, texts encoded, look-up keys hashed. What is undefined is not part of the commit;
 * on the way to PostgreSQL JSON leaves it out.
 */
import type { OwnerId } from "../../kernel/id.ts";
import { type JsonObject, byteLength } from "../../kernel/json.ts";
import {
  type Commit,
  type CommitResult,
  type HeaderChange,
  type NewEvent,
  type OwnerChange,
  type SessionChange,
  type SessionDepends,
  eventKinds,
  eventSources,
  turnCauses,
} from "../port.ts";
import { type Texts, packTrace } from "./texts.ts";

export type EventInput = {
  readonly kind: number;
  readonly source: number;
  readonly version: number;
  readonly turn: number | null;
  readonly queued: boolean;
  readonly trace_id: string | null;
  readonly waiting: boolean;
  readonly data: string;
  readonly metadata: string | null;
};

export type OwnerInput = {
  readonly owner_id: string;
  readonly create: boolean;
  readonly customer_hash: string | null;
  readonly customer_id: string | null;
  readonly depends_version: number | undefined;
  readonly name: string | null | undefined;
  readonly metadata: string | undefined;
  readonly variables: readonly { readonly name: string; readonly value: string | null }[];
  readonly entries: readonly { readonly entry_id: string; readonly kind: string; readonly data: string | null }[];
};

type HeaderInput = {
  /** Whether it raises the header's version. */
  readonly raises: boolean;
  readonly agent_version: number | undefined;
  readonly mode: number | undefined;
  readonly episode: number | undefined;
  readonly title: string | null | undefined;
  readonly metadata: string | undefined;
  readonly external_hash: string | null | undefined;
  readonly labels: string | undefined;
  readonly label_hashes: readonly string[] | undefined;
  readonly consumers: string | undefined;
};

export type SessionInput = {
  readonly session_id: string;
  readonly create:
    | { readonly owner_id: string; readonly agent: string; readonly agent_version: number; readonly open_hash: string | null }
    | undefined;
  readonly depends: SessionDepends;
  readonly events: readonly EventInput[];
  /** Index of the last `state` event. */
  readonly last_state: number | null;
  /** `event` is the index of the event that the key stands for. */
  readonly key: { readonly key_hash: string; readonly body_hash: string; readonly event: number } | undefined;
  readonly queue: { readonly cause: number; readonly trace_id: string; readonly limit: number | undefined } | undefined;
  readonly start_turn: { readonly number: number; readonly event: number } | undefined;
  readonly end_turns: readonly number[];
  readonly dequeue_turns: readonly number[];
  readonly fence: boolean;
  readonly withdraw_from: number | undefined;
  readonly header: HeaderInput;
  readonly checkpoint: { readonly bytes: number; readonly state: string } | undefined;
};

/** What the commit procedure takes. */
export type CommitInput = {
  readonly commit_id: string;
  readonly at: number;
  readonly owner: OwnerInput | undefined;
  readonly session: SessionInput | undefined;
};

/** What the commit procedure gives: a result of the port, or the event that names a turn which the session never had. */
export type CommitOutput = { readonly outcome: "unknown_turn"; readonly event: number; readonly last_turn: number } | CommitResult;

function eventInput(event: NewEvent, queueTrace: string | undefined, texts: Texts, owner: OwnerId): EventInput {
  const turn = typeof event.turn === "number" ? event.turn : null;
  const trace = event.trace_id ?? queueTrace;
  return {
    kind: eventKinds.indexOf(event.kind),
    source: eventSources.indexOf(event.source),
    version: event.version ?? 1,
    turn,
    queued: event.turn === "queued",
    trace_id: turn !== null || trace === undefined ? null : packTrace(trace),
    waiting: event.waiting === true,
    data: texts.encode(event.data, owner),
    metadata: event.metadata === undefined ? null : texts.encode(event.metadata, owner),
  };
}

function ownerInput(change: OwnerChange, texts: Texts): OwnerInput {
  const { owner_id, create, depends, name, metadata, variables = [], entries = [] } = change;
  const customer = create?.customer_id;
  // The last write of a name counts, as it does when they are made one after the other.
  const last = new Map(variables.map((variable) => [variable.name, variable.value]));
  return {
    owner_id,
    create: create !== undefined,
    customer_hash: customer === undefined ? null : texts.hash("customer", customer),
    customer_id: customer === undefined ? null : texts.encode(customer, owner_id),
    depends_version: depends?.version,
    name: typeof name === "string" ? texts.encode(name, owner_id) : name,
    metadata: metadata && texts.encode(metadata, owner_id),
    variables: [...last].map(([variable, value]) => ({ name: variable, value: value === undefined ? null : texts.encode(value, owner_id) })),
    entries: entries.map(({ entry_id, kind, data }) => ({ entry_id, kind, data: data === null ? null : texts.encode(data, owner_id) })),
  };
}

function headerInput(header: HeaderChange, texts: Texts, owner: OwnerId): HeaderInput {
  const { agent_version, mode, title, metadata, labels, consumers, episode } = header;
  const external = metadata?.["external_id"];
  return {
    raises: [mode, title, metadata, labels, consumers].some((value) => value !== undefined),
    agent_version,
    mode: mode && (mode === "manual" ? 1 : 0),
    episode,
    title: typeof title === "string" ? texts.encode(title, owner) : title,
    metadata: metadata && texts.encode(metadata, owner),
    external_hash: metadata && (typeof external === "string" ? texts.hash("external", external) : null),
    labels: labels && texts.encode(labels, owner),
    label_hashes: labels?.map((label) => texts.hash("label", label)),
    consumers: consumers && texts.encode(consumers, owner),
  };
}

/** The index of the event that an idempotency key stands for: the commit's message. */
const messageIndex = (events: readonly NewEvent[]): number =>
  Math.max(
    0,
    events.findIndex((event) => event.kind === "message"),
  );

function checkpointInput(checkpoint: JsonObject, texts: Texts, owner: OwnerId): SessionInput["checkpoint"] {
  const text = JSON.stringify(checkpoint);
  return { bytes: byteLength(text), state: texts.encodeText(text, owner) };
}

function sessionInput(change: SessionChange, texts: Texts, owner: OwnerId): SessionInput {
  const { session_id, create, depends = {}, events = [], idempotency, queue, start_turn, withdraw_from, checkpoint } = change;
  const lastState = events.findLastIndex((event) => event.kind === "state");
  return {
    session_id,
    create: create && {
      owner_id: create.owner_id,
      agent: create.agent,
      agent_version: create.agent_version,
      open_hash: create.open_key === undefined ? null : texts.hash("open", create.open_key),
    },
    depends,
    events: events.map((event) => eventInput(event, queue?.trace_id, texts, owner)),
    last_state: lastState < 0 ? null : lastState,
    key: idempotency && {
      key_hash: texts.shortHash("idempotency", idempotency.key),
      body_hash: idempotency.body_hash,
      event: messageIndex(events),
    },
    queue: queue && { cause: turnCauses.indexOf(queue.cause), trace_id: packTrace(queue.trace_id), limit: queue.limit },
    start_turn,
    end_turns: change.end_turns ?? [],
    dequeue_turns: change.dequeue_turns ?? [],
    fence: change.fence === true,
    withdraw_from,
    header: headerInput(change.header ?? {}, texts, owner),
    checkpoint: checkpoint && checkpointInput(checkpoint, texts, owner),
  };
}

/** A checked commit as its procedure takes it; `owner` is the owner of its session. */
export function commitInput(commit: Commit, texts: Texts, owner: OwnerId): CommitInput {
  return {
    commit_id: texts.shortHash("commit", commit.commit_id),
    at: commit.at,
    owner: commit.owner && ownerInput(commit.owner, texts),
    session: commit.session && sessionInput(commit.session, texts, owner),
  };
}
