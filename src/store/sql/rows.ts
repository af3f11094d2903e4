/** Rows to values. A row that cannot be what was written raises `store.corrupt` with the session and the offset. */
import { type OwnerId, type SessionId, eventIdOf, turnIdOf } from "../../kernel/id.ts";
import { type Json, type JsonObject, byteLength, isPlainObject } from "../../kernel/json.ts";
import {
  type CustomerRow,
  type EntryRow,
  type LoadedSession,
  type SessionRow,
  type StoredEvent,
  type TurnRow,
  type VariablesRow,
  eventKinds,
  eventSources,
  turnCauses,
  turnStatuses,
} from "../port.ts";
import type { SqlRow } from "./driver.ts";
import { type Texts, corrupt, parseJson, unpackTrace } from "./texts.ts";

/** Whose rows are read. */
export interface Reader {
  readonly session_id: SessionId;
  readonly owner_id: OwnerId;
  readonly texts: Texts;
}

function textOf(row: SqlRow, column: string, place: string): string {
  const value = row[column];
  if (typeof value !== "string") throw corrupt(place, `its ${column} is not a text`);
  return value;
}

export function numberOf(row: SqlRow, column: string, place = "a row"): number {
  const value = row[column];
  if (typeof value !== "number") throw corrupt(place, `its ${column} is not a number`);
  return value;
}

/** The word that a small integer stands for. */
function wordOf<Word extends string>(words: readonly Word[], row: SqlRow, column: string, place: string): Word {
  const word = words[numberOf(row, column, place)];
  if (word === undefined) throw corrupt(place, `its ${column} is ${String(row[column])}, which this version does not know`);
  return word;
}

function objectOf(value: Json, place: string): JsonObject {
  if (!isPlainObject(value)) throw corrupt(place, "it is not a JSON object");
  return value;
}

function wordsOf(value: Json, place: string): string {
  if (typeof value !== "string") throw corrupt(place, "it is not a text");
  return value;
}

/** A JSON object that was written through the codec. */
const storedObject = (row: SqlRow, column: string, place: string, { owner_id, texts }: Pick<Reader, "owner_id" | "texts">): JsonObject =>
  objectOf(texts.decode(textOf(row, column, place), owner_id, place), place);

/** An event; its row holds the trace id of its turn. */
export function eventOf(row: SqlRow, reader: Reader): StoredEvent {
  const { session_id } = reader;
  const offset = numberOf(row, "offset", `an event of session ${session_id}`);
  const place = `the event at offset ${offset} of session ${session_id}`;
  const { turn } = row;
  return {
    session_id,
    offset,
    id: eventIdOf(session_id, offset),
    kind: wordOf(eventKinds, row, "kind", place),
    source: wordOf(eventSources, row, "source", place),
    trace_id: unpackTrace(textOf(row, "trace_id", place), place),
    ...(typeof turn === "number" ? { turn_id: turnIdOf(session_id, turn) } : {}),
    created_at: numberOf(row, "created_at", place),
    version: numberOf(row, "version", place),
    data: storedObject(row, "data", place, reader),
    ...(typeof row["metadata"] === "string" ? { metadata: storedObject(row, "metadata", `the metadata of ${place}`, reader) } : {}),
  };
}

export function patchOf(row: SqlRow, { session_id, owner_id, texts }: Reader): LoadedSession["patches"][number] {
  const offset = numberOf(row, "offset", `an event of session ${session_id}`);
  const place = `the event at offset ${offset} of session ${session_id}`;
  const text = texts.decodeText(textOf(row, "data", place), owner_id, place);
  return { offset, data: objectOf(parseJson(text, place), place), version: numberOf(row, "version", place), bytes: byteLength(text) };
}

/** The fold's beginning, from a checkpoint's row or else from the row of the session's first event. */
export function baseOf(checkpoint: SqlRow | undefined, first: SqlRow | undefined, reader: Reader): LoadedSession["base"] {
  const { session_id } = reader;
  if (checkpoint !== undefined) {
    const offset = numberOf(checkpoint, "offset");
    const place = `the checkpoint at offset ${offset} of session ${session_id}`;
    return { offset, state: storedObject(checkpoint, "state", place, reader), bytes: numberOf(checkpoint, "bytes", place) };
  }
  const place = `the event at offset 0 of session ${session_id}`;
  if (first === undefined) throw corrupt(place, "it is missing");
  const state = objectOf(storedObject(first, "data", place, reader)["state"] ?? null, `the first state in ${place}`);
  return { offset: 0, state, bytes: byteLength(JSON.stringify(state)) };
}

export function turnOf(row: SqlRow, session_id: SessionId): TurnRow {
  const number = numberOf(row, "number", `a turn of session ${session_id}`);
  const place = `turn ${number} of session ${session_id}`;
  const { started_offset, ended_offset } = row;
  return {
    number,
    turn_id: turnIdOf(session_id, number),
    session_id,
    trace_id: unpackTrace(textOf(row, "trace_id", place), place),
    cause: wordOf(turnCauses, row, "cause", place),
    status: wordOf(turnStatuses, row, "status", place),
    attempts: numberOf(row, "attempts", place),
    created_at: numberOf(row, "created_at", place),
    ...(typeof started_offset === "number" ? { started_offset } : {}),
    ...(typeof ended_offset === "number" ? { ended_offset } : {}),
  };
}

/** A session's header; its row holds `owner_id` and `customer_id` of its owner. */
export function sessionOf(row: SqlRow, texts: Texts): SessionRow {
  const session_id = textOf(row, "session_id", "a session") as SessionId;
  const place = `session ${session_id}`;
  const owner_id = textOf(row, "owner_id", place) as OwnerId;
  const decoded = (column: string): Json | undefined => {
    const stored = row[column];
    return typeof stored === "string" ? texts.decode(stored, owner_id, `the ${column} of ${place}`) : undefined;
  };
  const customer_id = decoded("customer_id");
  const customer_name = decoded("customer_name");
  const title = decoded("title") ?? null;
  const labels = typeof row["labels"] === "string" ? decoded("labels") : [];
  if (!Array.isArray(labels)) throw corrupt(`the labels of ${place}`, "they are not a list");
  return {
    session_id,
    owner_id,
    ...(customer_id === undefined ? {} : { customer_id: wordsOf(customer_id, `the customer id of ${place}`) }),
    ...(typeof customer_name === "string" ? { customer_name } : {}),
    agent: textOf(row, "agent", place),
    agent_version: numberOf(row, "agent_version", place),
    mode: wordOf(["auto", "manual"], row, "mode", place),
    title: title === null ? null : wordsOf(title, `the title of ${place}`),
    metadata: objectOf(decoded("metadata") ?? {}, `the metadata of ${place}`),
    labels: labels.map(String),
    consumers: consumersOf(decoded("consumers") ?? {}, place),
    created_at: numberOf(row, "created_at", place),
    updated_at: numberOf(row, "updated_at", place),
    head: numberOf(row, "head", place),
    first_offset: numberOf(row, "first_offset", place),
    state_offset: numberOf(row, "state_offset", place),
    epoch: numberOf(row, "epoch", place),
    version: numberOf(row, "version", place),
    episode: numberOf(row, "episode", place),
    last_turn: numberOf(row, "last_turn", place),
  };
}

function consumersOf(value: Json, place: string): Readonly<Record<string, number>> {
  const entries = Object.entries(objectOf(value, `the consumers of ${place}`));
  return Object.fromEntries(entries.map(([name, offset]) => [name, Number(offset)]));
}

/** Variables from the rows that are in force. */
export function variablesOf(version: number, rows: readonly SqlRow[], owner_id: OwnerId, texts: Texts): VariablesRow {
  const values = rows.map((row) => {
    const name = textOf(row, "name", `a variable of owner ${owner_id}`);
    const place = `variable ${name} of owner ${owner_id}`;
    return [name, texts.decode(textOf(row, "value", place), owner_id, place)] as const;
  });
  return { version, values: Object.fromEntries(values) };
}

/** A customer, from the row of its owner and the rows of its variables. */
export function customerOf(row: SqlRow, variables: readonly SqlRow[], texts: Texts): CustomerRow {
  const owner_id = textOf(row, "owner_id", "an owner") as OwnerId;
  const place = `owner ${owner_id}`;
  const { name } = row;
  return {
    owner_id,
    customer_id: wordsOf(texts.decode(textOf(row, "customer_id", place), owner_id, `the customer id of ${place}`), place),
    name: typeof name === "string" ? wordsOf(texts.decode(name, owner_id, `the name of ${place}`), place) : null,
    metadata: typeof row["metadata"] === "string" ? storedObject(row, "metadata", `the metadata of ${place}`, { owner_id, texts }) : {},
    variables: variablesOf(numberOf(row, "variables_version", place), variables, owner_id, texts),
    created_at: numberOf(row, "created_at", place),
    version: numberOf(row, "version", place),
  };
}

export function entryOf(row: SqlRow, owner_id: OwnerId, texts: Texts): EntryRow {
  const version = numberOf(row, "version", `an entry of owner ${owner_id}`);
  const place = `entry version ${version} of owner ${owner_id}`;
  return {
    version,
    entry_id: textOf(row, "entry_id", place),
    kind: textOf(row, "kind", place),
    data: typeof row["data"] === "string" ? storedObject(row, "data", place, { owner_id, texts }) : null,
    created_at: numberOf(row, "created_at", place),
  };
}
