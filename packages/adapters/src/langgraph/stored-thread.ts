/** What a thread's session holds: `custom` events with checkpoints, tasks' writes, and pieces of values that are too long for one event. */
import { isUtf8 } from "node:buffer";
import { defineAgent, defineState, loop, scripted, type Json, type Session } from "throughline";
import { isPlainObject } from "throughline/kernel";

/** The agent that threads' sessions belong to. It never replies: LangGraph runs the graph, and the session stores what the graph hands over. */
export const threadAgent = defineAgent({ name: "langgraph", version: 1, state: defineState({}), reply: loop({ model: scripted(() => "") }) });

/** Bytes in an event: as text if they are UTF-8, else as base64. `pieces` are offsets of events whose data precedes this one's. */
export type Payload = ({ readonly text: string } | { readonly base64: string }) & { readonly pieces?: readonly number[] };

/** A value as the serializer wrote it. */
export type StoredValue = Payload & { readonly type: string };

/** A channel's value: whole, or between the kept ends of the value that the event at `from` holds for the same channel. */
export type StoredLink = StoredValue & { readonly level?: number; readonly from?: number; readonly head?: number; readonly tail?: number };

/** A checkpoint. */
export interface StoredCheckpoint {
  readonly type: "checkpoint";
  readonly id: string;
  readonly parent: string | null;
  readonly v: number;
  readonly ts: string;
  readonly channel_versions: Readonly<Record<string, number | string>>;
  readonly versions_seen: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
  readonly metadata: StoredValue;
  /** Values that this checkpoint changes. */
  readonly values: Readonly<Record<string, StoredLink>>;
  /** Offsets of the events with the values that it does not change, by channel. */
  readonly kept: Readonly<Record<string, number>>;
  /** No write for this checkpoint is at a lower offset. */
  readonly since: number;
  /** The writer knew the log below this offset, and `newest` was the checkpoint with the greatest id in it. */
  readonly seen: number;
  readonly newest: { readonly id: string; readonly offset: number } | null;
}

/** The writes of one task for one checkpoint. */
export interface StoredWrites {
  readonly type: "writes";
  readonly checkpoint: string;
  readonly task: string;
  readonly writes: readonly { readonly channel: string; readonly value: StoredValue }[];
}

/** A part of a long value. */
interface StoredPiece {
  readonly type: "piece";
  readonly data: string;
}

/** What an event of a thread holds. */
export type StoredItem = StoredCheckpoint | StoredWrites | StoredPiece;

/** Characters of data in one event. Escaping at most doubles them, and an event may have 1,048,576. */
const charactersPerEvent = 400_000;

/** Stores the payloads of one event: what does not fit into it goes into events of its own, before it. */
export class PayloadWriter {
  readonly #session: Session;
  #left = charactersPerEvent;

  constructor(session: Session) {
    this.#session = session;
  }

  async write(bytes: Buffer): Promise<Payload> {
    const isText = isUtf8(bytes);
    let data = bytes.toString(isText ? "utf8" : "base64");
    const pieces: number[] = [];
    while (data.length > this.#left && data.length > 200) {
      // A pair of surrogates stays together.
      const end = isLowSurrogate(data, charactersPerEvent) ? charactersPerEvent - 1 : charactersPerEvent;
      pieces.push((await this.#session.postCustom({ type: "piece", data: data.slice(0, end) })).offset);
      data = data.slice(end);
    }
    this.#left -= data.length;
    return { ...(isText ? { text: data } : { base64: data }), ...(pieces.length === 0 ? {} : { pieces }) };
  }
}

const isLowSurrogate = (text: string, index: number): boolean => {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
};

/** Returns the bytes of a payload. `read` reads the item at an offset. */
export async function bytesOf(payload: Payload, read: (offset: number) => Promise<StoredItem>): Promise<Buffer> {
  const pieces = await Promise.all((payload.pieces ?? []).map(read));
  const before = pieces.map((piece) => (piece.type === "piece" ? piece.data : "")).join("");
  return "text" in payload ? Buffer.from(before + payload.text, "utf8") : Buffer.from(before + payload.base64, "base64");
}

/** What this adapter stores is JSON. */
export const asJson = (item: StoredItem): Json => item as unknown as Json;

/** Whether an event holds what this adapter stores: a session is open to others' posts. */
export function isStoredItem(value: unknown): value is StoredItem {
  if (!isPlainObject(value)) return false;
  const { type, id, parent, since, seen, newest, metadata, values, kept, checkpoint, task, writes, data } = value;
  if (type === "piece") return typeof data === "string";
  if (type === "writes") return typeof checkpoint === "string" && typeof task === "string" && Array.isArray(writes) && writes.every(isWrite);
  if (type !== "checkpoint" || typeof id !== "string" || (parent !== null && typeof parent !== "string")) return false;
  if (typeof since !== "number" || typeof seen !== "number" || !isStoredValue(metadata)) return false;
  if (newest !== null && !(isPlainObject(newest) && typeof newest["id"] === "string" && typeof newest["offset"] === "number")) return false;
  if (!isPlainObject(value["channel_versions"]) || !isPlainObject(values)) return false;
  return Object.values(values).every(isStoredValue) && isPlainObject(kept) && Object.values(kept).every((offset) => typeof offset === "number");
}

const isWrite = (value: unknown): boolean => isPlainObject(value) && typeof value["channel"] === "string" && isStoredValue(value["value"]);

function isStoredValue(value: unknown): boolean {
  if (!isPlainObject(value) || typeof value["type"] !== "string") return false;
  return typeof (value["text"] ?? value["base64"]) === "string" && (value["pieces"] === undefined || Array.isArray(value["pieces"]));
}
