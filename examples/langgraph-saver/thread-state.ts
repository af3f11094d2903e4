/** What a thread's session holds: its newest checkpoint, as typed state. Every checkpoint is one event with the operations that led to it. */
import { defineAgent, defineReducer, defineState, loop, reduced, scripted } from "throughline";
import { z } from "zod";

/** A value as the serializer wrote it: JSON as it is, so that a list that grew is stored as what was added; anything else as base64. */
export type StoredValue = { readonly json: unknown } | { readonly type: string; readonly base64: string };

/** A checkpoint without its channels' values. */
export interface CheckpointHead {
  readonly id: string;
  readonly parent: string | null;
  readonly v: number;
  readonly ts: string;
  readonly channel_versions: Readonly<Record<string, number | string>>;
  readonly versions_seen: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
  /** No write for this checkpoint lies at a lower offset. */
  readonly since: number;
}

/** A thread at one of its checkpoints. */
export interface Thread {
  readonly checkpoint: CheckpointHead;
  readonly channels: Readonly<Record<string, StoredValue>>;
  /** The greatest checkpoint id so far. */
  readonly newest: string;
}

/** A checkpoint to add: which channels it changes, and what it goes on from. */
export interface Put {
  readonly checkpoint: CheckpointHead;
  readonly set: Readonly<Record<string, StoredValue>>;
  readonly removed: readonly string[];
  /** The channels that it goes on from; those of the thread's last checkpoint if left out, which must then be its parent. */
  readonly base?: Readonly<Record<string, StoredValue>>;
}

/** Joins a thread and a checkpoint. Throws if the checkpoint goes on from another one than the thread's last. */
function put(current: Thread | undefined, { checkpoint, set, removed, base }: Put): Thread {
  if (base === undefined && (current?.checkpoint.id ?? null) !== checkpoint.parent)
    throw new Error(`${checkpoint.parent} is not the last checkpoint`);
  const kept = Object.entries(base ?? current?.channels ?? {}).filter(
    ([channel]) => Object.hasOwn(checkpoint.channel_versions, channel) && !removed.includes(channel),
  );
  const channels = { ...Object.fromEntries(kept), ...set };
  const newest = current === undefined || checkpoint.id > current.newest ? checkpoint.id : current.newest;
  return { checkpoint, channels, newest };
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const ThreadState = defineState({
  thread: reduced(z.custom<Thread>(isObject), { reduce: defineReducer<Thread, Put>({ name: "put", version: 1, reduce: put }) }),
});

/** The agent that threads' sessions belong to. It never speaks: LangGraph runs the graph, the session keeps what it hands over. */
export const threadAgent = defineAgent({ name: "langgraph", version: 1, state: ThreadState, reply: loop({ model: scripted(() => "") }) });
