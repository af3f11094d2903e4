/** Converts rows to values. An impossible row throws `store.corrupt` with the session and the offset. */
import { ThroughlineError } from "../../kernel/error.ts";
import { type OwnerId, type SessionId, eventIdOf, turnIdOf } from "../../kernel/id.ts";
import { type Json, type JsonObject, byteLength, isPlainObject } from "../../kernel/json.ts";
import {
  type CustomerRow,
  type EntryRow,
  type OpenTurnRow,
  type Handover,
  type LoadedSession,
  type RecordRow,
  type SessionRow,
  type StoredEvent,
  type TurnRow,
  type VariablesRow,
  eventKinds,
  eventSources,
  turnCauses,
  turnStatuses,
} from "../port.ts";
import type { SqlRow } from "./sql-driver.ts";
import { type Binding, type Texts, bindings, corrupt, parseJson, unpackTrace } from "./texts.ts";

/** The owner and the codec of the rows. */
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

/** Returns a required number of a row. Throws `store.corrupt`, which names the place, if it is missing. */
export function numberOf(row: SqlRow, column: string, place = "a row"): number {
  const value = row[column];
  if (typeof value !== "number") throw corrupt(place, `its ${column} is not a number`);
  return value;
}

/** Returns required numbers of a row, by their columns. */
function numbersOf<Column extends string>(row: SqlRow, columns: readonly Column[], place: string): Record<Column, number> {
  return Object.fromEntries(columns.map((column) => [column, numberOf(row, column, place)])) as Record<Column, number>;
}

/** The numbers of a session's header that are stored as they are. */
const headerNumbers = [
  ...(["owner_version", "agent_version", "created_at", "updated_at", "head", "first_offset"] as const),
  ...(["state_offset", "epoch", "version", "episode", "last_turn"] as const),
] as const;

/** Returns a number of a row, or `otherwise` without a row or value. */
export function numberOr(row: SqlRow | undefined, column: string, otherwise = 0): number {
  const value = row?.[column];
  return typeof value === "number" ? value : otherwise;
}

/** Returns the value that a stored integer stands for. */
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

/** Decodes a JSON object that the cipher wrote. */
const storedObject = (
  row: SqlRow,
  column: string,
  place: string,
  { owner_id, texts, binding }: Pick<Reader, "owner_id" | "texts"> & { readonly binding: Binding },
): JsonObject => objectOf(texts.decode(textOf(row, column, place), owner_id, place, binding), place);

/** The kinds of the two events that are read without their other columns. */
const stateKind = eventKinds.indexOf("state");
const sessionKind = eventKinds.indexOf("session");

/** Returns an event. Its row holds the trace id of its turn. */
export function eventOf(row: SqlRow, reader: Reader): StoredEvent {
  const { session_id } = reader;
  const offset = numberOf(row, "offset", `an event of session ${session_id}`);
  const place = `the event at offset ${offset} of session ${session_id}`;
  const { turn, origin } = row;
  const kind = numberOf(row, "kind", place);
  const created_at = numberOf(row, "created_at", place);
  return {
    session_id,
    ...(origin === "" ? {} : { origin: typeof origin === "string" ? (origin as SessionId) : null }),
    offset,
    id: eventIdOf(session_id, offset),
    kind: wordOf(eventKinds, row, "kind", place),
    source: wordOf(eventSources, row, "source", place),
    trace_id: unpackTrace(textOf(row, "trace_id", place), place),
    ...(typeof turn === "number" ? { turn_id: turnIdOf(session_id, turn) } : {}),
    created_at,
    version: numberOf(row, "version", place),
    data: storedObject(row, "data", place, { ...reader, binding: bindings.event(kind, created_at) }),
    ...(typeof row["metadata"] === "string"
      ? { metadata: storedObject(row, "metadata", `the metadata of ${place}`, { ...reader, binding: bindings.eventMetadata(kind, created_at) }) }
      : {}),
  };
}

/** Returns the id of the state of a session's row. A process of an earlier version changes the state but not the id, which then belongs to another offset. */
export function stateIdIn(row: SqlRow): { readonly state_id?: string } {
  const { state_id, state_offset } = row;
  return typeof state_id === "string" && state_id.startsWith(`${String(state_offset)} `) ? { state_id } : {};
}

export function patchOf(row: SqlRow, { session_id, owner_id, texts }: Reader): LoadedSession["patches"][number] {
  const offset = numberOf(row, "offset", `an event of session ${session_id}`);
  const place = `the event at offset ${offset} of session ${session_id}`;
  const binding = bindings.event(stateKind, numberOf(row, "created_at", place));
  const text = texts.decodeText(textOf(row, "data", place), owner_id, place, binding);
  return { offset, data: objectOf(parseJson(text, place), place), version: numberOf(row, "version", place), bytes: byteLength(text) };
}

/** Returns the start of the fold, from a checkpoint's row or else from the row of the session's first event. */
export function baseOf(checkpoint: SqlRow | undefined, first: SqlRow | undefined, reader: Reader): LoadedSession["base"] {
  const { session_id } = reader;
  if (checkpoint !== undefined) {
    const offset = numberOf(checkpoint, "offset");
    const place = `the checkpoint at offset ${offset} of session ${session_id}`;
    const bytes = numberOf(checkpoint, "bytes", place);
    return { offset, state: storedObject(checkpoint, "state", place, { ...reader, binding: bindings.checkpoint(bytes) }), bytes };
  }
  const place = `the event at offset 0 of session ${session_id}`;
  if (first === undefined) throw corrupt(place, "it is missing");
  const binding = bindings.event(sessionKind, numberOf(first, "created_at", place));
  const state = objectOf(storedObject(first, "data", place, { ...reader, binding })["state"] ?? null, `the first state in ${place}`);
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
    ...numbersOf(row, ["attempts", "created_at"], place),
    ...(row["urgent"] === 1 ? { urgent: true } : {}),
    ...(typeof started_offset === "number" ? { started_offset } : {}),
    ...(typeof ended_offset === "number" ? { ended_offset } : {}),
  };
}

/** Returns the open turn of a session with its lease. */
export function openTurnOf(row: SqlRow): OpenTurnRow {
  const session_id = textOf(row, "session_id", "an open turn") as SessionId;
  const { worker, until } = row;
  return {
    ...turnOf(row, session_id),
    agent: textOf(row, "agent", `the open turn of session ${session_id}`),
    ...(typeof worker === "string" ? { worker } : {}),
    ...(typeof until === "number" ? { until } : {}),
  };
}

/** Returns a session's header. Its row holds `owner_id` and `customer_id` of its owner. */
export function sessionOf(row: SqlRow, texts: Texts): SessionRow {
  const session_id = textOf(row, "session_id", "a session") as SessionId;
  const place = `session ${session_id}`;
  const owner_id = textOf(row, "owner_id", place) as OwnerId;
  const decoded = (column: string, binding = bindings.session(column, session_id)): Json | undefined => {
    const stored = row[column];
    return typeof stored === "string" ? texts.decode(stored, owner_id, `the ${column} of ${place}`, binding) : undefined;
  };
  const customer_id = decoded("customer_id", bindings.owner("customer_id", owner_id));
  const customer_name = decoded("customer_name", bindings.owner("name", owner_id));
  const title = decoded("title") ?? null;
  const labels = typeof row["labels"] === "string" ? decoded("labels") : [];
  if (!Array.isArray(labels)) throw corrupt(`the labels of ${place}`, "they are not a list");
  const { origin, forked_at } = row;
  return {
    session_id,
    owner_id,
    ...(customer_id === undefined ? {} : { customer_id: wordsOf(customer_id, `the customer id of ${place}`) }),
    ...(typeof customer_name === "string" ? { customer_name } : {}),
    ...(typeof forked_at === "number" ? { origin: { session_id: typeof origin === "string" ? (origin as SessionId) : null, at: forked_at } } : {}),
    agent: textOf(row, "agent", place),
    mode: wordOf(["auto", "manual"], row, "mode", place),
    ...handoverOf(decoded("handover"), place),
    title: title === null ? null : wordsOf(title, `the title of ${place}`),
    metadata: objectOf(decoded("metadata") ?? {}, `the metadata of ${place}`),
    labels: labels.map(String),
    consumers: consumersOf(decoded("consumers") ?? {}, place),
    ...numbersOf(row, headerNumbers, place),
  };
}

/** Returns a handover as written. Stores check it when they write it. */
const handoverOf = (value: Json | undefined, place: string): Pick<SessionRow, "handover"> =>
  value === undefined ? {} : { handover: objectOf(value, `the handover of ${place}`) as unknown as Handover };

function consumersOf(value: Json, place: string): Readonly<Record<string, number>> {
  const entries = Object.entries(objectOf(value, `the consumers of ${place}`));
  return Object.fromEntries(entries.map(([name, offset]) => [name, Number(offset)]));
}

/** Returns variables from the rows in force. A process of an earlier version may leave two of one name; the last set one counts. */
export function variablesOf(version: number, rows: readonly SqlRow[], owner_id: OwnerId, texts: Texts): VariablesRow {
  const place = `a variable of owner ${owner_id}`;
  const latest = new Map<string, SqlRow>();
  for (const row of rows.toSorted((left, right) => numberOf(left, "version", place) - numberOf(right, "version", place)))
    latest.set(texts.decodeName(textOf(row, "name", place), owner_id, place, bindings.variableName), row);
  // An encrypted database cannot sort by name.
  const set = [...latest].filter(([, { value }]) => value !== null).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    version,
    values: Object.fromEntries(set.map(([name, row]) => [name, texts.decode(textOf(row, "value", place), owner_id, place, bindings.variable(name))])),
    checked: Object.fromEntries(set.map(([name, row]) => [name, numberOf(row, "checked_at", place)])),
    stale: set.flatMap(([name, { stale }]) => (stale === 1 ? [name] : [])),
  };
}

/** Returns the variables of one owner among the rows of several. Empty if there is no such owner. */
export function scopeOf(rows: readonly SqlRow[], owner_id: OwnerId, texts: Texts): VariablesRow {
  const own = rows.filter((row) => row["owner_id"] === owner_id);
  const version = numberOr(own[0], "variables_version");
  return variablesOf(
    version,
    own.filter(({ name }) => name !== null),
    owner_id,
    texts,
  );
}

/** Returns a record. Its row holds the `owner_id` that it is encrypted for, if any. */
export function recordOf(row: SqlRow, texts: Texts): RecordRow {
  const [kind, key] = [textOf(row, "kind", "a record"), textOf(row, "key", "a record")];
  const place = `the ${kind} ${key}`;
  const { owner_id, expires_at } = row;
  const data = textOf(row, "data", place);
  const binding = bindings.record(kind, key);
  return {
    kind,
    key,
    ...numbersOf(row, ["version", "created_at", "updated_at"], place),
    data: objectOf(typeof owner_id === "string" ? texts.decode(data, owner_id as OwnerId, place, binding) : parseJson(data, place), place),
    ...(typeof expires_at === "number" ? { expires_at } : {}),
  };
}

/** Returns a customer from the row of its owner and the rows of its variables. */
export function customerOf(row: SqlRow, variables: readonly SqlRow[], texts: Texts): CustomerRow {
  const owner_id = textOf(row, "owner_id", "an owner") as OwnerId;
  const place = `owner ${owner_id}`;
  const { name } = row;
  const binding = bindings.owner("metadata", owner_id);
  const text = (column: "customer_id" | "name", stored: string): string => {
    const what = `the ${column} of ${place}`;
    return wordsOf(texts.decode(stored, owner_id, what, bindings.owner(column, owner_id)), what);
  };
  return {
    owner_id,
    customer_id: text("customer_id", textOf(row, "customer_id", place)),
    name: typeof name === "string" ? text("name", name) : null,
    metadata: typeof row["metadata"] === "string" ? storedObject(row, "metadata", `the metadata of ${place}`, { owner_id, texts, binding }) : {},
    variables: variablesOf(numberOf(row, "variables_version", place), variables, owner_id, texts),
    ...numbersOf(row, ["created_at", "version"], place),
  };
}

/** Returns the kind of an entry. Until schema 4 it was bound to its entry, so it could not be searched. */
function kindOf(stored: string, owner: OwnerId, place: string, { entry_id, texts }: { readonly entry_id: string; readonly texts: Texts }): string {
  try {
    return texts.decodeName(stored, owner, place, bindings.entryKind);
  } catch (error) {
    if (!ThroughlineError.is(error, "store.corrupt")) throw error;
    return texts.decodeName(stored, owner, place, bindings.entryKindOf(entry_id));
  }
}

export function entryOf(row: SqlRow, owner_id: OwnerId, texts: Texts): EntryRow {
  const version = numberOf(row, "version", `an entry of owner ${owner_id}`);
  const place = `entry version ${version} of owner ${owner_id}`;
  const entry_id = texts.decodeName(textOf(row, "entry_id", place), owner_id, place, bindings.entryId);
  const binding = bindings.entry(entry_id);
  return {
    version,
    entry_id,
    kind: kindOf(textOf(row, "kind", place), owner_id, place, { entry_id, texts }),
    data: typeof row["data"] === "string" ? storedObject(row, "data", place, { owner_id, texts, binding }) : null,
    created_at: numberOf(row, "created_at", place),
  };
}
