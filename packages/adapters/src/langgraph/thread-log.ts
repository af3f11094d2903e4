/** What is known of a thread's log: where its checkpoints are, where the writes for each are, and which checkpoint is the newest. */
import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { ThroughlineError, type Session } from "throughline";
import { isStoredItem, type Payload, type StoredCheckpoint, type StoredItem, type StoredValue, type StoredWrites } from "./stored-thread.ts";

/** A checkpoint's place in the log. */
export interface Mark {
  readonly id: string;
  readonly parent: string | null;
  readonly offset: number;
  readonly since: number;
  readonly metadata: StoredValue;
}

/** A pending write, in the order in which it was first made. */
export interface PendingWrite {
  readonly task: string;
  readonly channel: string;
  readonly value: StoredValue;
}

/** How many events before the head are read to find the newest checkpoint, and then four times as many. */
const tail = 32;
/** How many characters of values are kept in memory for a thread, and how many events before a wanted one are read with it. */
const keptCharacters = 512 * 1_024;
const readAhead = 8;

/** A thread's log. It is read from its end, and from its start only when an older checkpoint is wanted. */
export class ThreadLog {
  readonly #session: Session;
  readonly #marks = new Map<string, Mark>();
  readonly #writesAt = new Map<string, number[]>();
  readonly #items = new Map<number, { readonly item: StoredItem; readonly weight: number }>();
  #weight = 0;
  /** Items of this process whose offsets lie behind others that were not read yet. */
  readonly #ahead = new Map<number, StoredItem>();
  #newest: { readonly id: string; readonly offset: number } | undefined;
  /** Everything from the first of these offsets to before the second is known. Undefined before the first reading. */
  #from: number | undefined;
  #next = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(session: Session, isNew: boolean) {
    this.#session = session;
    // The first event says that the session was created.
    if (isNew) [this.#from, this.#next] = [0, 1];
  }

  get newest(): { readonly id: string; readonly offset: number } | undefined {
    return this.#newest;
  }

  /** The offset below which the log is known. */
  get next(): number {
    return this.#next;
  }

  /** Adds an item that this process has written. */
  wrote(offset: number, item: StoredItem): void {
    if (this.#from === undefined || offset < this.#next) return;
    this.#ahead.set(offset, item);
    for (let known = this.#ahead.get(this.#next); known !== undefined; known = this.#ahead.get(this.#next)) {
      this.#ahead.delete(this.#next);
      this.#add(this.#next, known);
      this.#next++;
    }
  }

  /** Reads what was added since the last time, and the first time the end of the log. */
  async refresh(): Promise<void> {
    await this.#queued(async () => {
      if (this.#from === undefined) await this.#readEnd();
      else await this.#readRange(this.#next, undefined);
    });
  }

  /** Reads the end of the log if none of it is known. */
  async begin(): Promise<void> {
    if (this.#from === undefined) await this.refresh();
  }

  /** Returns the place of a checkpoint, or undefined if there is none with that id. All writes for it are known then. */
  async find(id: string): Promise<Mark | undefined> {
    const known = this.#marks.get(id);
    if (known !== undefined && known.since >= (this.#from ?? 0)) return known;
    await this.readAll();
    return this.#marks.get(id);
  }

  /** Reads the whole log once, and then only what was added. Returns the places of all checkpoints. */
  async readAll(): Promise<readonly Mark[]> {
    await this.#queued(async () => {
      this.#from ??= this.#next;
      if (this.#from > 0) await this.#extendTo(0);
      await this.#readRange(this.#next, undefined);
    });
    return [...this.#marks.values()];
  }

  /** Returns the offset of the first known write for a checkpoint. */
  firstWriteFor(checkpoint: string): number | undefined {
    return this.#writesAt.get(checkpoint)?.[0];
  }

  /** Returns the writes for a checkpoint: a task's write at an index stays as it was first made, and its errors and interrupts are the last ones. */
  async writesFor(checkpoint: string): Promise<readonly PendingWrite[]> {
    const found = new Map<string, PendingWrite>();
    for (const offset of this.#writesAt.get(checkpoint) ?? []) {
      const { task, writes } = (await this.item(offset)) as StoredWrites;
      for (const [index, { channel, value }] of writes.entries()) {
        const place = WRITES_IDX_MAP[channel] ?? index;
        const key = JSON.stringify([task, place]);
        if (place < 0 || !found.has(key)) found.set(key, { task, channel, value });
      }
    }
    return [...found.values()];
  }

  /** Returns the checkpoint at an offset. */
  async checkpoint(offset: number): Promise<StoredCheckpoint> {
    return (await this.item(offset)) as StoredCheckpoint;
  }

  /** Returns the item at an offset, and reads some events before it with it, because a chain of values goes backwards. */
  async item(offset: number): Promise<StoredItem> {
    const known = this.#items.get(offset);
    if (known !== undefined) return known.item;
    let found: StoredItem | undefined;
    for await (const { offset: at, item } of this.#read(Math.max(0, offset - readAhead), offset)) {
      this.#remember(at, item);
      if (at === offset) found = item;
    }
    if (found !== undefined) return found;
    throw new ThroughlineError("event.not_found", `The log of session ${this.#session.id} has no event at ${offset}, which a checkpoint needs.`);
  }

  /** Readings come one after the other, so that none is added twice. */
  async #queued(read: () => Promise<void>): Promise<void> {
    const reading = this.#reading.then(read, read);
    this.#reading = reading.catch(() => {});
    await reading;
  }

  async #readEnd(): Promise<void> {
    const { head } = await this.#session.info();
    const first = Math.max(0, head + 1 - tail);
    this.#next = first;
    await this.#readRange(first, head);
    this.#from = first;
    for (let size = tail * 4; this.#marks.size === 0 && this.#from > 0; size *= 4) await this.#extendTo(Math.max(0, this.#from - size));
    // The writer of the last checkpoint may not have known the ones just before it.
    const last = [...this.#marks.values()].toSorted((one, other) => one.offset - other.offset).at(-1);
    if (last !== undefined) await this.#extendTo(Math.min((await this.checkpoint(last.offset)).seen, this.#from));
    const newest = this.#newest === undefined ? undefined : await this.checkpoint(this.#newest.offset);
    if (newest !== undefined) await this.#extendTo(Math.min(newest.since, this.#from));
  }

  /** Reads the events from an offset to the first known one. */
  async #extendTo(first: number): Promise<void> {
    const from = this.#from ?? this.#next;
    if (first >= from) return;
    const later = new Map([...this.#writesAt].map(([id, offsets]) => [id, offsets] as const));
    this.#writesAt.clear();
    for await (const { offset, item } of this.#read(first, from - 1)) this.#add(offset, item);
    for (const [id, offsets] of later) this.#writesAt.set(id, [...(this.#writesAt.get(id) ?? []), ...offsets]);
    this.#from = first;
  }

  async #readRange(first: number, last: number | undefined): Promise<void> {
    for await (const { offset, item } of this.#read(first, last)) {
      if (offset < this.#next) continue;
      this.#add(offset, item);
      this.#next = offset + 1;
    }
    for (const offset of this.#ahead.keys()) if (offset < this.#next) this.#ahead.delete(offset);
  }

  async *#read(minOffset: number, maxOffset: number | undefined): AsyncGenerator<{ readonly offset: number; readonly item: StoredItem }> {
    const range = { minOffset, ...(maxOffset === undefined ? {} : { maxOffset }) };
    for await (const event of this.#session.events({ ...range, kinds: ["custom"], follow: false })) {
      // Others may post into the session, customers among them. Only the operator's programs post as `system`.
      if (event.kind !== "custom" || event.source !== "system") continue;
      const item: unknown = event.data.value;
      if (isStoredItem(item)) yield { offset: event.offset, item };
    }
  }

  #add(offset: number, item: StoredItem): void {
    this.#remember(offset, item);
    if (item.type === "checkpoint") {
      const { id, parent, since, metadata, newest } = item;
      this.#marks.set(id, { id, parent, offset, since, metadata });
      for (const one of [newest, { id, offset }]) if (one !== null && (this.#newest === undefined || one.id >= this.#newest.id)) this.#newest = one;
    } else if (item.type === "writes") {
      const offsets = this.#writesAt.get(item.checkpoint);
      if (offsets === undefined) this.#writesAt.set(item.checkpoint, [offset]);
      else offsets.push(offset);
    }
  }

  #remember(offset: number, item: StoredItem): void {
    if (this.#items.has(offset)) return;
    const weight = weightOf(item);
    this.#items.set(offset, { item, weight });
    this.#weight += weight;
    for (const [known, { weight: freed }] of this.#items) {
      if (this.#weight <= keptCharacters) break;
      this.#items.delete(known);
      this.#weight -= freed;
    }
  }
}

const lengthOf = (payload: Payload): number => ("text" in payload ? payload.text : payload.base64).length;

/** The approximate size of an item: its data, and 200 characters for the rest. */
function weightOf(item: StoredItem): number {
  if (item.type === "piece") return 200 + item.data.length;
  const values = item.type === "writes" ? item.writes.map(({ value }) => value) : Object.values(item.values);
  return values.reduce((sum, value) => sum + lengthOf(value), 200);
}
