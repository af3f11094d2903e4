/** Throughline as a checkpointer of LangGraph.js. */
import {
  BaseCheckpointSaver,
  getCheckpointId,
  maxChannelVersion,
  TASKS,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { isDeepStrictEqual } from "node:util";
import { createRuntime, openStore, type Runtime } from "throughline";
import { Threads, type OpenThread, type Place } from "./langgraph-threads.ts";
import { storeAgent, ThroughlineStore } from "./langgraph-store.ts";
import { planLink, splice, type Image, type Link } from "./splice.ts";
import { asJson, bytesOf, PayloadWriter, threadAgent, type StoredCheckpoint, type StoredLink, type StoredValue } from "./stored-thread.ts";
import type { Mark } from "./thread-log.ts";

/** What LangGraph hands to a saver to say where it is. */
type Config = Parameters<BaseCheckpointSaver["getTuple"]>[0];

/** A value in the serializer's format. */
interface Dumped {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * Stores the checkpoints of LangGraph as what changed. A thread is a session, and each checkpoint and each task's writes are an event. A changed
 * channel is stored as the bytes that differ from its value in the parent checkpoint. `deleteThread` deletes the thread's sessions with their logs.
 */
export class ThroughlineSaver extends BaseCheckpointSaver {
  readonly #threads: Threads;

  /** `runtime` must have `threadAgent` among its agents. `serde` defaults to LangGraph's serializer. */
  constructor(runtime: Runtime, serde?: BaseCheckpointSaver["serde"]) {
    super(serde);
    this.#threads = new Threads(runtime);
  }

  /** Opens a database for a saver and a store: a file's path, a PostgreSQL URL or `":memory:"`. `close` closes both. */
  static async open(
    location: string,
    options: { readonly durability?: "full" | "relaxed" } = {},
  ): Promise<{ readonly saver: ThroughlineSaver; readonly store: ThroughlineStore; readonly close: () => Promise<void> }> {
    const database = await openStore(location, options);
    const runtime = await createRuntime({ store: database, agents: [threadAgent, storeAgent] });
    const close = async (): Promise<void> => {
      await runtime.close();
      await database.close();
    };
    return { saver: new ThroughlineSaver(runtime), store: new ThroughlineStore(runtime), close };
  }

  /** Stores a checkpoint. Only the channels in `newVersions` are read from it; the others stay as they are in the parent. */
  async put(config: Config, checkpoint: Checkpoint, metadata: CheckpointMetadata, newVersions: ChannelVersions): Promise<Config> {
    const place = placeOf(config);
    const parent = getCheckpointId(config) || null;
    const changed = Object.keys(newVersions);
    const present = changed.filter((channel) => Object.hasOwn(checkpoint.channel_values, channel));
    const values = await Promise.all(present.map(async (channel) => [channel, await this.#dump(checkpoint.channel_values[channel])] as const));
    const dumped = await this.#dump(metadata);
    const { id, v, ts, channel_versions, versions_seen } = structuredClone({ ...checkpoint, channel_values: {} });
    await this.#threads.use(place, async (thread) => {
      const put = async (): Promise<void> => {
        const { log, images, session } = thread;
        await log.begin();
        const before = parent === null ? new Map<string, number>() : await pointersOf(thread, parent);
        const kept = [...before].filter(([channel]) => Object.hasOwn(channel_versions, channel) && !changed.includes(channel));
        const writer = new PayloadWriter(session);
        const stored = new Map<string, StoredLink>();
        const later: { readonly channel: string; readonly image: (offset: number) => Image }[] = [];
        for (const [channel, { type, bytes }] of values) {
          const at = before.get(channel);
          const image = at === undefined ? undefined : await imageAt(thread, channel, at);
          const planned = planLink(image, type, bytes);
          if (planned === undefined) {
            if (at !== undefined) kept.push([channel, at]);
            continue;
          }
          const { chain, data, level, head, tail, size } = planned;
          const from = chain.at(-1)?.offset;
          stored.set(channel, { type, ...(await writer.write(data)), ...(from === undefined ? {} : { from, level, head, tail }) });
          later.push({ channel, image: (offset) => ({ type, bytes, chain: [...chain, { offset, level, head, tail, size }] }) });
        }
        const item: StoredCheckpoint = {
          type: "checkpoint",
          ...{ id, parent, v, ts, channel_versions, versions_seen },
          metadata: { type: dumped.type, ...(await writer.write(dumped.bytes)) },
          values: Object.fromEntries(stored),
          kept: Object.fromEntries(kept),
          since: log.firstWriteFor(id) ?? log.next,
          seen: log.next,
          newest: log.newest ?? null,
        };
        const { offset } = await session.postCustom(asJson(item));
        log.wrote(offset, item);
        for (const { channel, image } of later) images.set(channel, { offset, image: image(offset) });
        for (const channel of images.keys()) if (!Object.hasOwn(channel_versions, channel)) images.delete(channel);
      };
      // One after the other, so that a parent is stored before its child.
      const putting = thread.putting.then(put);
      thread.putting = putting.catch(() => {});
      await putting;
    });
    this.#threads.trim();
    return configOf(place, id);
  }

  /** Stores what a task wrote before the next checkpoint. */
  async putWrites(config: Config, writes: PendingWrite[], taskId: string): Promise<void> {
    const place = placeOf(config);
    const checkpoint = getCheckpointId(config);
    if (checkpoint === "") throw new Error(`putWrites needs configurable.checkpoint_id; it was missing for thread ${place.thread_id}.`);
    const values = await Promise.all(writes.map(async ([channel, value]) => ({ channel, value: await this.#dump(value) })));
    await this.#threads.use(place, async ({ session, log }) => {
      const writer = new PayloadWriter(session);
      const stored: { readonly channel: string; readonly value: StoredValue }[] = [];
      for (const { channel, value } of values) stored.push({ channel, value: { type: value.type, ...(await writer.write(value.bytes)) } });
      const item = { type: "writes", checkpoint, task: taskId, writes: stored } as const;
      log.wrote((await session.postCustom(asJson(item))).offset, item);
    });
  }

  async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.["thread_id"] === undefined) return undefined;
    const id = getCheckpointId(config);
    return this.#threads.look(placeOf(config), async (thread) => {
      await thread.log.refresh();
      const wanted = id === "" ? thread.log.newest?.id : id;
      const mark = wanted === undefined ? undefined : await thread.log.find(wanted);
      return mark && this.#tuple(thread, mark);
    });
  }

  async #tuple(thread: OpenThread, mark: Mark): Promise<CheckpointTuple> {
    const { id, parent, v, ts, channel_versions, versions_seen } = await thread.log.checkpoint(mark.offset);
    const pointers = await pointersAt(thread, mark.offset);
    const values = [...pointers].map(async ([channel, offset]) => [channel, await this.#load(await imageAt(thread, channel, offset))] as const);
    const channel_values = Object.fromEntries(await Promise.all(values));
    const checkpoint: Checkpoint = { v, id, ts, channel_values, ...structuredClone({ channel_versions, versions_seen }) };
    if (v < 4 && parent !== null) await this.#addSends(thread, checkpoint, parent);
    return {
      config: configOf(thread, id),
      checkpoint,
      metadata: await this.#metadata(thread, mark),
      pendingWrites: await this.#pending(thread, id),
      ...(parent === null ? {} : { parentConfig: configOf(thread, parent) }),
    };
  }

  /** Before version 4 what was sent to tasks was not a channel's value but the parent's writes. */
  async #addSends(thread: OpenThread, checkpoint: Checkpoint, parent: string): Promise<void> {
    await thread.log.find(parent);
    const sends = (await this.#pending(thread, parent)).filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = sends;
    checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  async *list(config: Config, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { limit = Number.POSITIVE_INFINITY, before, filter = {} } = options;
    const { thread_id, checkpoint_ns } = (config.configurable ?? {}) as Partial<Place>;
    const wanted = getCheckpointId(config);
    const below = before === undefined ? "" : getCheckpointId(before);
    const found: { readonly thread: OpenThread; readonly mark: Mark }[] = [];
    for (const thread of await this.#threads.all({ thread_id })) {
      if (checkpoint_ns !== undefined && thread.checkpoint_ns !== checkpoint_ns) continue;
      const marks = (await this.#threads.unlessGone(thread, () => thread.log.readAll())) ?? [];
      for (const mark of marks) {
        const fits = (wanted === "" || mark.id === wanted) && (below === "" || mark.id < below);
        if (fits && (await this.#matches(thread, mark, filter))) found.push({ thread, mark });
      }
    }
    const newestFirst = found.toSorted((one, other) => (one.mark.id < other.mark.id ? 1 : -1));
    for (const { thread, mark } of newestFirst.slice(0, Math.max(0, limit))) {
      const tuple = await this.#threads.unlessGone(thread, () => this.#tuple(thread, mark));
      if (tuple !== undefined) yield tuple;
    }
  }

  async #matches(thread: OpenThread, mark: Mark, filter: Readonly<Record<string, unknown>>): Promise<boolean> {
    const wanted = Object.entries(filter);
    if (wanted.length === 0) return true;
    const metadata = new Map<string, unknown>(Object.entries((await this.#metadata(thread, mark)) ?? {}));
    return wanted.every(([name, value]) => isDeepStrictEqual(metadata.get(name), value));
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#threads.delete(threadId);
  }

  async #pending({ log }: OpenThread, checkpoint: string): Promise<CheckpointPendingWrite[]> {
    const writes = await log.writesFor(checkpoint);
    return Promise.all(
      writes.map(async ({ task, channel, value }): Promise<CheckpointPendingWrite> => {
        const bytes = await bytesOf(value, (offset) => log.item(offset));
        return [task, channel, await this.#load({ type: value.type, bytes })];
      }),
    );
  }

  async #metadata({ log }: OpenThread, { metadata }: Mark): Promise<CheckpointMetadata> {
    const bytes = await bytesOf(metadata, (offset) => log.item(offset));
    return (await this.#load({ type: metadata.type, bytes })) as CheckpointMetadata;
  }

  /** A value's bytes are copied, because the serializer may return the value itself. */
  async #dump(value: unknown): Promise<Dumped> {
    const [type, bytes] = await this.serde.dumpsTyped(value);
    return { type, bytes: Buffer.from(bytes) };
  }

  async #load({ type, bytes }: Dumped): Promise<unknown> {
    const loaded: unknown = await this.serde.loadsTyped(type, new Uint8Array(bytes));
    return loaded;
  }
}

/** Returns the offsets of the events that hold a checkpoint's values, by channel. A checkpoint that is not in the log has none. */
async function pointersOf(thread: OpenThread, id: string): Promise<ReadonlyMap<string, number>> {
  const mark = await thread.log.find(id);
  return mark === undefined ? new Map() : pointersAt(thread, mark.offset);
}

async function pointersAt({ log }: OpenThread, offset: number): Promise<ReadonlyMap<string, number>> {
  const { kept, values } = await log.checkpoint(offset);
  return new Map([...Object.entries(kept), ...Object.keys(values).map((channel) => [channel, offset] as const)]);
}

/** Returns the value of a channel that the event at an offset holds, and remembers it as the channel's last one. */
async function imageAt({ log, images, olderImages }: OpenThread, channel: string, offset: number): Promise<Image> {
  const last = images.get(channel);
  if (last?.offset === offset) return last.image;
  const older = olderImages.get(channel);
  if (older?.offset === offset) return older.image;
  const links: { readonly at: number; readonly link: StoredLink }[] = [];
  for (let at: number | undefined = offset; at !== undefined; at = links.at(-1)?.link.from) {
    const link: StoredLink | undefined = (await log.checkpoint(at)).values[channel];
    if (link === undefined) throw new Error(`The event at ${at} has no value of channel ${channel}, which a checkpoint needs.`);
    links.push({ at, link });
  }
  let bytes: Buffer = Buffer.alloc(0);
  const chain: Link[] = [];
  for (const { at, link } of links.toReversed()) {
    const { level = 0, head = 0, tail = 0 } = link;
    const data = await bytesOf(link, (piece) => log.item(piece));
    bytes = chain.length === 0 ? data : splice(bytes, { head, tail }, data);
    chain.push({ offset: at, level, head, tail, size: data.length });
  }
  const image = { type: links[0]?.link.type ?? "json", bytes, chain };
  // A look into the past leaves the value that the next put needs.
  (last !== undefined && last.offset > offset ? olderImages : images).set(channel, { offset, image });
  return image;
}

function placeOf({ configurable }: Config): Place {
  const { thread_id, checkpoint_ns = "" } = (configurable ?? {}) as { readonly thread_id?: string | number; readonly checkpoint_ns?: string };
  if (thread_id === undefined || thread_id === "") throw new Error("configurable.thread_id is missing: it names the thread to persist.");
  return { thread_id: String(thread_id), checkpoint_ns };
}

const configOf = ({ thread_id, checkpoint_ns }: Place, checkpoint_id: string): Config => ({
  configurable: { thread_id, checkpoint_ns, checkpoint_id },
});
