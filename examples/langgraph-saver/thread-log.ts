/** A thread's log as LangGraph asks for it: its checkpoints, and the writes that are pending for each. */
import { WRITES_IDX_MAP, type PendingWrite } from "@langchain/langgraph-checkpoint";
import type { Event, JsonObject, Session } from "throughline";
import type { StoredValue } from "./thread-state.ts";

/** A checkpoint's place in the log. */
export interface Mark {
  readonly id: string;
  readonly parent: string | null;
  readonly offset: number;
  readonly metadata: JsonObject;
}

/** The writes of one task for one checkpoint: what a `custom` event holds. */
export interface TaskWrites {
  readonly checkpoint: string;
  readonly task: string;
  readonly writes: readonly { readonly channel: string; readonly value: StoredValue }[];
}

/** A write that is pending, in the order in which it was first made. */
export interface StoredWrite {
  readonly task: string;
  readonly channel: string;
  readonly value: StoredValue;
}

/** What is to be stored of a task's writes. */
export const taskWrites = (checkpoint: string, task: string, writes: readonly PendingWrite[], values: readonly StoredValue[]): TaskWrites => ({
  checkpoint,
  task,
  writes: writes.flatMap(([channel], index) => (values[index] === undefined ? [] : [{ channel, value: values[index] }])),
});

/** Events of a thread's log, taken up in order. */
export class ThreadLog {
  readonly marks = new Map<string, Mark>();
  readonly #writes = new Map<string, Map<string, StoredWrite>>();

  /** Writes for a checkpoint: a task's write at an index stays as it was first made, errors and interrupts are those of the last time. */
  writesFor(checkpoint: string): readonly StoredWrite[] {
    return [...(this.#writes.get(checkpoint)?.values() ?? [])];
  }

  add(event: Event): void {
    // What is in this log was written by this adapter; nothing else writes to its agent's sessions.
    if (event.kind === "state" && event.metadata !== undefined) {
      const { id, parent, metadata } = event.metadata as unknown as Omit<Mark, "offset">;
      this.marks.set(id, { id, parent, metadata, offset: event.offset });
    } else if (event.kind === "custom") {
      this.#addWrites(event.data.value as unknown as TaskWrites);
    }
  }

  #addWrites({ checkpoint, task, writes }: TaskWrites): void {
    const known = this.#writes.get(checkpoint) ?? new Map<string, StoredWrite>();
    this.#writes.set(checkpoint, known);
    for (const [index, { channel, value }] of writes.entries()) {
      const place = WRITES_IDX_MAP[channel] ?? index;
      const key = JSON.stringify([task, place]);
      if (place < 0 || !known.has(key)) known.set(key, { task, channel, value });
    }
  }
}

/** Adds the events from an offset on to a log; the offset to go on from. */
export async function readInto(log: ThreadLog, session: Session, minOffset: number): Promise<number> {
  let next = minOffset;
  for await (const event of session.events({ minOffset, kinds: ["state", "custom"], follow: false })) {
    log.add(event);
    next = event.offset + 1;
  }
  return next;
}
