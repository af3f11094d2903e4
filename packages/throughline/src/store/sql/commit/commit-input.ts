/**
 * A commit encoded for the database: kinds as integers, texts encoded, look-up keys hashed. Undefined members are not part of the commit. For
 * PostgreSQL, JSON leaves them out.
 */
import type { OwnerId } from "../../../kernel/id.ts";
import { byteLength, type Json, type JsonObject } from "../../../kernel/json.ts";
import {
  type Commit,
  type CommitResult,
  eventKinds,
  eventSources,
  handoverStatuses,
  type HeaderChange,
  type NewEvent,
  type OwnerChange,
  type RecordChange,
  recordEnd,
  removedForMs,
  type SessionChange,
  type SessionDepends,
  sessionOfOwner,
  turnCauses,
} from "../../port.ts";
import { placeOfHandover } from "../../request.ts";
import type { WrappedKey } from "../keys/keyring.ts";
import type { Sealing } from "../keys/sealing.ts";
import { bindings, packTrace, type Texts } from "../texts.ts";
import type { BoundRedaction, CutInput, RedactionInput } from "./log-edits.ts";
import type { ForkInput } from "./session-fork.ts";

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
  /** The session whose own variables the owner holds. */
  readonly of_session: string | undefined;
  readonly create: boolean;
  /** The key of a new owner, in an encrypted database. */
  readonly key: WrappedKey | undefined;
  readonly customer_hash: string | null;
  readonly customer_id: string | null;
  readonly depends_version: number | undefined;
  readonly name: string | null | undefined;
  readonly metadata: string | undefined;
  readonly variables: readonly { readonly name: string; readonly value: string | null }[];
  readonly checked: readonly { readonly name: string; readonly stale: boolean }[];
  /** `place` counts all entries of the commit from 1. Entries that the commit removes again are left out. */
  readonly entries: readonly { readonly place: number; readonly entry_id: string; readonly kind: string; readonly data: string | null }[];
};

export type HandoverInput = { readonly status: number; readonly place: number; readonly operator_hash: string | null; readonly handover: string };

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
  readonly handover: HandoverInput | undefined;
};

export type SessionInput = {
  readonly session_id: string;
  readonly create:
    | {
        readonly owner_id: string;
        readonly agent: string;
        readonly agent_version: number;
        readonly open_hash: string | null;
        /** The hash under which an erased session with that id is remembered. */
        readonly tombstone: string;
        readonly fork: ForkInput | undefined;
      }
    | undefined;
  readonly depends: SessionDepends;
  readonly events: readonly EventInput[];
  /** Index of the last `state` event. */
  readonly last_state: number | null;
  /** `event` is the index of the event that the key refers to. */
  readonly key: { readonly key_hash: string; readonly body_hash: string; readonly event: number } | undefined;
  readonly queue: { readonly cause: number; readonly trace_id: string; readonly limit: number | undefined; readonly urgent: boolean } | undefined;
  readonly start_turn: { readonly number: number; readonly event: number } | undefined;
  readonly end_turns: readonly number[];
  /** Whether the turn that the commit queues also ends with it, and which event started it. */
  readonly ends_queued: boolean;
  readonly queued_starts: number | null;
  readonly dequeue_turns: readonly number[];
  /** The turn that has made progress. */
  readonly progress: number | undefined;
  /** `now`: time for a store without its own clock. */
  readonly park: { readonly turn: number; readonly wait_ms: number | undefined; readonly now: number } | undefined;
  readonly wake: boolean;
  readonly fence: boolean;
  readonly withdraw_from: number | undefined;
  readonly redact: readonly RedactionInput[];
  /** The new owner of the session. */
  readonly owner_id: string | undefined;
  readonly cut: CutInput | undefined;
  readonly header: HeaderInput;
  readonly checkpoint: { readonly bytes: number; readonly state: string } | undefined;
};

export type RecordInput = {
  readonly kind: string;
  readonly key: string;
  readonly depends_version: number | undefined;
  /** Null if it is removed. */
  readonly data: string | null;
  readonly expires_at: number | null;
  readonly owner_id: string | null;
  readonly session_id: string | null;
};

/** One row of `parts`, a piece of a text that is too large for one row. */
export type PartInput = { readonly id: string; readonly place: number; readonly data: string };

/** Input of the commit procedure. */
export type CommitInput = {
  readonly commit_id: string;
  /** The caller's id of the commit. It names the state that the commit writes. */
  readonly names_state: string;
  readonly at: number;
  /** The time by the store's clock. */
  readonly now: number;
  /** Keys that encrypt its texts. They must exist when it is written. */
  readonly sealed_with: readonly string[] | undefined;
  readonly owner: OwnerInput | undefined;
  readonly session: SessionInput | undefined;
  readonly records: readonly RecordInput[] | undefined;
  /** The rows of texts that are too large for one row. See `split.ts`. */
  readonly parts?: readonly PartInput[];
};

/** Output of the commit procedure: a result of the port, the event that names an unknown turn, or a missing key. */
export type CommitOutput =
  | { readonly outcome: "key_gone" }
  | { readonly outcome: "unknown_turn"; readonly event: number; readonly last_turn: number }
  | CommitResult;

/** Inputs for encoding the texts of a commit: the owner's cipher, and the time that they are bound to. `now` is the store's clock. */
interface Writer {
  readonly texts: Texts;
  readonly owner: OwnerId;
  readonly at: number;
  readonly now: number;
  readonly redactions: readonly BoundRedaction[];
}

function eventInput(event: NewEvent, queueTrace: string | undefined, { texts, owner, at }: Writer): EventInput {
  const turn = typeof event.turn === "number" ? event.turn : null;
  // A turn that was queued here has its trace. A turn that ran in the session's origin does not.
  const trace = turn === null ? (event.trace_id ?? queueTrace) : event.trace_id;
  const kind = eventKinds.indexOf(event.kind);
  return {
    kind,
    source: eventSources.indexOf(event.source),
    version: event.version ?? 1,
    turn,
    queued: event.turn === "queued",
    trace_id: trace === undefined ? null : packTrace(trace),
    waiting: event.waiting === true,
    data: texts.encode(event.data, owner, bindings.event(kind, at)),
    metadata: event.metadata === undefined ? null : texts.encode(event.metadata, owner, bindings.eventMetadata(kind, at)),
  };
}

/** Returns the entries of a commit with their places, without those that a later one removes. */
function keptEntries(entries: NonNullable<OwnerChange["entries"]>) {
  const removed = new Map(entries.flatMap(({ entry_id, data }, index) => (data === null ? [[entry_id, index] as const] : [])));
  return entries.flatMap((entry, index) => (index < (removed.get(entry.entry_id) ?? 0) ? [] : [{ ...entry, place: index + 1 }]));
}

function ownerInput(change: OwnerChange, { texts, key }: Sealing): OwnerInput {
  const { owner_id, create, depends, name, metadata, variables = [], checked = [], entries = [] } = change;
  const customer = create?.customer_id;
  // The last write of a name counts, as in separate commits.
  const last = new Map(variables.map((variable) => [variable.name, variable.value]));
  return {
    owner_id,
    of_session: sessionOfOwner(owner_id),
    create: create !== undefined,
    key,
    customer_hash: customer === undefined ? null : texts.hash("customer", customer),
    customer_id: customer === undefined ? null : texts.encode(customer, owner_id, bindings.owner("customer_id", owner_id)),
    depends_version: depends?.version,
    name: typeof name === "string" ? texts.encode(name, owner_id, bindings.owner("name", owner_id)) : name,
    metadata: metadata && texts.encode(metadata, owner_id, bindings.owner("metadata", owner_id)),
    variables: [...last].map(([variable, value]) => ({
      name: texts.encodeName(variable, owner_id, bindings.variableName),
      value: value === undefined ? null : texts.encode(value, owner_id, bindings.variable(variable)),
    })),
    checked: [...new Map(checked.map((variable) => [variable.name, variable.stale]))].map(([variable, stale]) => ({
      name: texts.encodeName(variable, owner_id, bindings.variableName),
      stale,
    })),
    entries: keptEntries(entries).map(({ place, entry_id, kind, data }) => ({
      place,
      entry_id: texts.encodeName(entry_id, owner_id, bindings.entryId),
      kind: texts.encodeName(kind, owner_id, bindings.entryKind),
      data: data === null ? null : texts.encode(data, owner_id, bindings.entry(entry_id)),
    })),
  };
}

function headerInput(header: HeaderChange, session_id: string, { texts, owner }: Writer): HeaderInput {
  const { agent_version, mode, title, metadata, labels, consumers, episode, handover } = header;
  const external = metadata?.["external_id"];
  const encoded = (column: string, value: Json): string => texts.encode(value, owner, bindings.session(column, session_id));
  return {
    raises: [mode, title, metadata, labels, consumers, handover].some((value) => value !== undefined),
    agent_version,
    mode: mode && (mode === "manual" ? 1 : 0),
    episode,
    title: typeof title === "string" ? encoded("title", title) : title,
    metadata: metadata && encoded("metadata", metadata),
    external_hash: metadata && (typeof external === "string" ? texts.hash("external", external) : null),
    labels: labels && encoded("labels", labels),
    label_hashes: labels?.map((label) => texts.hash("label", label)),
    consumers: consumers && encoded("consumers", consumers),
    handover: handover && {
      status: handoverStatuses.indexOf(handover.status),
      place: placeOfHandover(handover),
      operator_hash: handover.operator === undefined ? null : texts.hash("operator", handover.operator),
      handover: encoded("handover", { ...handover }),
    },
  };
}

function checkpointInput(checkpoint: JsonObject, { texts, owner }: Writer): SessionInput["checkpoint"] {
  const text = JSON.stringify(checkpoint);
  const bytes = byteLength(text);
  return { bytes, state: texts.encodeText(text, owner, bindings.checkpoint(bytes)) };
}

const cutInput = ({ first_offset, state }: NonNullable<SessionChange["cut"]>, writer: Writer): CutInput => ({
  first_offset,
  bytes: 0,
  state: "",
  ...checkpointInput(state, writer),
});

function keyInput(
  idempotency: NonNullable<SessionChange["idempotency"]>,
  events: readonly NewEvent[],
  { texts, owner }: Writer,
): SessionInput["key"] {
  const key_hash = texts.shortHash("idempotency", idempotency.key);
  return { key_hash, body_hash: texts.encodeName(idempotency.body_hash, owner, bindings.bodyHash(key_hash)), event: events.length - 1 };
}

const parkInput = ({ turn, until }: NonNullable<SessionChange["park"]>, { at, now }: Writer): SessionInput["park"] => ({
  turn,
  wait_ms: until === undefined ? undefined : Math.max(0, until - at),
  now,
});

function sessionInput(change: SessionChange, writer: Writer): SessionInput {
  const { texts } = writer;
  const { session_id, create, depends = {}, events = [], idempotency, queue, start_turn, withdraw_from, checkpoint } = change;
  const lastState = events.findLastIndex((event) => event.kind === "state");
  return {
    session_id,
    create: create && {
      owner_id: create.owner_id,
      agent: create.agent,
      agent_version: create.agent_version,
      open_hash: create.open_key === undefined ? null : texts.hash("open", create.open_key),
      tombstone: texts.hash("erasure", session_id),
      fork: create.fork,
    },
    depends,
    events: events.map((event) => eventInput(event, queue?.trace_id, writer)),
    last_state: lastState < 0 ? null : lastState,
    key: idempotency && keyInput(idempotency, events, writer),
    queue: queue && {
      cause: turnCauses.indexOf(queue.cause),
      trace_id: packTrace(queue.trace_id),
      limit: queue.limit,
      urgent: queue.urgent === true,
    },
    start_turn: start_turn === undefined || start_turn.number === "queued" ? undefined : { number: start_turn.number, event: start_turn.event },
    end_turns: (change.end_turns ?? []).filter((turn) => turn !== "queued"),
    ends_queued: change.end_turns?.includes("queued") === true,
    queued_starts: start_turn?.number === "queued" ? start_turn.event : null,
    dequeue_turns: change.dequeue_turns ?? [],
    progress: change.progress,
    park: change.park && parkInput(change.park, writer),
    wake: change.wake === true,
    fence: change.fence === true,
    withdraw_from,
    redact: writer.redactions.map(({ offset, data, kind, at }) => ({ offset, data: texts.encode(data, writer.owner, bindings.event(kind, at)) })),
    owner_id: change.owner_id,
    cut: change.cut && cutInput(change.cut, writer),
    header: headerInput(change.header ?? {}, session_id, writer),
    checkpoint: checkpoint && checkpointInput(checkpoint, writer),
  };
}

/** Encodes a record for the database, encrypted if it has an owner. */
function recordInput(record: RecordChange, sealedFor: OwnerId | undefined, texts: Texts, now: number): RecordInput {
  const { kind, key, depends, data, owner_id = null, session_id = null } = record;
  const encoded = sealedFor === undefined ? JSON.stringify(data) : texts.encode(data, sealedFor, bindings.record(kind, key));
  return {
    kind,
    key,
    depends_version: depends?.version,
    data: data === null ? null : encoded,
    // A removed record stays for a while without an owner, so that its commit is recognized when it is repeated.
    expires_at: data === null ? now + removedForMs : (recordEnd(record, now) ?? null),
    owner_id,
    session_id,
  };
}

/** Encodes a checked commit for its procedure, at `now` by the store's clock, with the bindings of its redactions. */
export function commitInput(commit: Commit, sealing: Sealing, now: number, redactions: readonly BoundRedaction[]): CommitInput {
  const { texts, owner, sealed_with, records } = sealing;
  return {
    commit_id: texts.shortHash("commit", commit.commit_id),
    names_state: commit.commit_id,
    at: commit.at,
    now,
    sealed_with,
    owner: commit.owner && ownerInput(commit.owner, sealing),
    session: commit.session && sessionInput(commit.session, { texts, owner, at: commit.at, now, redactions }),
    records: commit.records?.map((record, index) => recordInput(record, records?.[index], texts, now)),
  };
}
