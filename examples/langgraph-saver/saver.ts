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
import { createRuntime, openStore, ThroughlineError, type Json, type JsonObject, type Runtime } from "throughline";
import { readInto, taskWrites, ThreadLog, type Mark, type StoredWrite } from "./thread-log.ts";
import { threadAgent, type CheckpointHead, type Put, type StoredValue, type Thread } from "./thread-state.ts";
import { Threads, type OpenThread, type Place } from "./threads.ts";

/** What LangGraph hands to a saver to say where it is. */
type Config = Parameters<BaseCheckpointSaver["getTuple"]>[0];

const bytesToText = new TextDecoder();
const textToBytes = new TextEncoder();

/** How many checkpoints' first writes are remembered until the checkpoint itself arrives. */
const rememberedWrites = 256;

/**
 * A checkpointer that stores each checkpoint as what changed. A thread is a session, a checkpoint an event with the operations that lead from
 * the checkpoint before to this one, and a task's writes are an event of their own; so a turn costs what it adds, at any length of the thread.
 */
export class ThroughlineSaver extends BaseCheckpointSaver {
  readonly #threads: Threads;
  readonly #firstWrites = new Map<string, number>();

  /** `runtime` must have `threadAgent` among its agents. */
  constructor(runtime: Runtime, serde?: BaseCheckpointSaver["serde"]) {
    super(serde);
    this.#threads = new Threads(runtime);
  }

  /** A saver on a store of its own: a file's path, a PostgreSQL URL or `":memory:"`. `close` lets go of it. */
  static async open(
    location: string,
    options: { readonly durability?: "full" | "relaxed" } = {},
  ): Promise<{ readonly saver: ThroughlineSaver; readonly close: () => Promise<void> }> {
    const store = await openStore(location, options);
    const runtime = await createRuntime({ store, agents: [threadAgent] });
    const close = async (): Promise<void> => {
      await runtime.close();
      await store.close();
    };
    return { saver: new ThroughlineSaver(runtime), close };
  }

  async put(config: Config, checkpoint: Checkpoint, metadata: CheckpointMetadata, newVersions: ChannelVersions): Promise<Config> {
    const place = placeOf(config);
    const parent = getCheckpointId(config);
    const { id, v, ts, channel_versions, versions_seen, channel_values } = checkpoint;
    const stored = (await this.#dump({ channel_versions, versions_seen, metadata })) as JsonOf<CheckpointHead> & { readonly metadata: JsonObject };
    const changed = Object.keys(newVersions);
    const present = changed.filter((channel) => Object.hasOwn(channel_values, channel));
    const values = await Promise.all(present.map(async (channel) => [channel, await this.#store(channel_values[channel])] as const));
    const versions = { channel_versions: stored.channel_versions, versions_seen: stored.versions_seen };
    await this.#threads.use(place, async (thread) => {
      const since = this.#firstWrites.get(id) ?? (await thread.session.info()).head + 1;
      const added: Put = {
        checkpoint: { id, parent: parent === "" ? null : parent, v, ts, since, ...versions },
        set: Object.fromEntries(values),
        removed: changed.filter((channel) => !Object.hasOwn(channel_values, channel)),
      };
      await this.#commit(thread, added, stored.metadata);
    });
    return configOf(place, id);
  }

  /** Goes on from the thread's last checkpoint; where that is not the parent, from the parent's channels. */
  async #commit(thread: OpenThread, added: Put, metadata: JsonObject): Promise<void> {
    const { id, parent } = added.checkpoint;
    const options = { metadata: { id, parent, metadata } };
    const delta = (thread: Put): JsonObject => ({ thread: thread as unknown as JsonObject });
    try {
      await thread.session.edit(delta(added), options);
    } catch (error) {
      if (!ThroughlineError.is(error, "state.reducer_failed")) throw error;
      const mark = parent === null ? undefined : (await this.#threads.refresh(thread)).marks.get(parent);
      const base = mark === undefined ? {} : (await stateAt(thread, mark.offset))?.channels;
      await thread.session.edit(delta({ ...added, base: base ?? {} }), options);
    }
  }

  async putWrites(config: Config, writes: PendingWrite[], taskId: string): Promise<void> {
    const place = placeOf(config);
    const checkpoint = getCheckpointId(config);
    if (checkpoint === "") throw new Error(`putWrites needs configurable.checkpoint_id; it was missing for thread ${place.thread_id}.`);
    const values = await Promise.all(writes.map(([, value]) => this.#store(value)));
    const stored = taskWrites(checkpoint, taskId, writes, values) as unknown as Json;
    const { offset } = await this.#threads.use(place, ({ session }) => session.postCustom(stored));
    // Writes may arrive before their checkpoint does, which then says from where on they are found.
    if (!this.#firstWrites.has(checkpoint)) this.#firstWrites.set(checkpoint, offset);
    for (const id of this.#firstWrites.keys()) {
      if (this.#firstWrites.size <= rememberedWrites) break;
      this.#firstWrites.delete(id);
    }
  }

  async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.["thread_id"] === undefined) return undefined;
    const id = getCheckpointId(config);
    return this.#threads.look(placeOf(config), async (thread) => (id === "" ? this.#latest(thread) : this.#known(thread, id)));
  }

  /** The newest checkpoint: one load, and the events since. */
  async #latest(thread: OpenThread): Promise<CheckpointTuple | undefined> {
    const state = await stateAt(thread);
    if (state === undefined || state.newest !== state.checkpoint.id) return state && this.#known(thread, state.newest);
    const recent = new ThreadLog();
    await readInto(recent, thread.session, state.checkpoint.since);
    const mark = recent.marks.get(state.checkpoint.id);
    return mark === undefined ? this.#known(thread, state.newest) : this.#tuple(thread, mark, state, recent.writesFor(mark.id));
  }

  async #known(thread: OpenThread, id: string): Promise<CheckpointTuple | undefined> {
    const log = await this.#threads.refresh(thread);
    const mark = log.marks.get(id);
    return mark === undefined ? undefined : this.#at(thread, log, mark);
  }

  async #at(thread: OpenThread, log: ThreadLog, mark: Mark): Promise<CheckpointTuple | undefined> {
    const state = await stateAt(thread, mark.offset);
    return state && this.#tuple(thread, mark, state, log.writesFor(mark.id));
  }

  async #tuple(thread: OpenThread, mark: Mark, state: Thread, writes: readonly StoredWrite[]): Promise<CheckpointTuple> {
    const { id, parent, v, ts, channel_versions, versions_seen } = state.checkpoint;
    const values = Object.entries(state.channels).map(async ([channel, value]) => [channel, await this.#load(value)] as const);
    const seen = (await this.#load({ json: { channel_versions, versions_seen, metadata: mark.metadata } })) as Pick<
      Checkpoint,
      "channel_versions" | "versions_seen"
    > & { readonly metadata: CheckpointMetadata };
    const checkpoint: Checkpoint = {
      v,
      id,
      ts,
      channel_values: Object.fromEntries(await Promise.all(values)),
      channel_versions: seen.channel_versions,
      versions_seen: seen.versions_seen,
    };
    if (v < 4 && parent !== null) await this.#addSends(thread, checkpoint, parent);
    return {
      config: configOf(thread, id),
      checkpoint,
      metadata: seen.metadata,
      pendingWrites: await this.#pending(writes),
      ...(parent === null ? {} : { parentConfig: configOf(thread, parent) }),
    };
  }

  /** Before version 4 what was sent to tasks was not a channel's value but the parent's writes. */
  async #addSends(thread: OpenThread, checkpoint: Checkpoint, parent: string): Promise<void> {
    const log = await this.#threads.refresh(thread);
    const sends = (await this.#pending(log.writesFor(parent))).filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = sends;
    checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  async *list(config: Config, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { limit = Number.POSITIVE_INFINITY, before, filter = {} } = options;
    const { thread_id, checkpoint_ns } = (config.configurable ?? {}) as Partial<Place>;
    const wanted = getCheckpointId(config);
    const below = before === undefined ? "" : getCheckpointId(before);
    const found: { readonly thread: OpenThread; readonly log: ThreadLog; readonly mark: Mark }[] = [];
    for (const thread of await this.#threads.all({ thread_id })) {
      if (checkpoint_ns !== undefined && thread.checkpoint_ns !== checkpoint_ns) continue;
      const log = await this.#threads.unlessGone(thread, () => this.#threads.refresh(thread));
      for (const mark of log?.marks.values() ?? []) {
        const fits = (wanted === "" || mark.id === wanted) && (below === "" || mark.id < below);
        if (log !== undefined && fits && Object.entries(filter).every(([name, value]) => mark.metadata[name] === value))
          found.push({ thread, log, mark });
      }
    }
    const newestFirst = found.toSorted((one, other) => (one.mark.id < other.mark.id ? 1 : -1));
    for (const { thread, log, mark } of newestFirst.slice(0, Math.max(0, limit))) {
      const tuple = await this.#threads.unlessGone(thread, () => this.#at(thread, log, mark));
      if (tuple !== undefined) yield tuple;
    }
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#threads.delete(threadId);
  }

  #pending(writes: readonly StoredWrite[]): Promise<CheckpointPendingWrite[]> {
    return Promise.all(writes.map(async ({ task, channel, value }): Promise<CheckpointPendingWrite> => [task, channel, await this.#load(value)]));
  }

  /** A value as it is stored: what the serializer writes as JSON stays JSON. */
  async #store(value: unknown): Promise<StoredValue> {
    const [type, bytes] = await this.serde.dumpsTyped(value);
    if (type !== "json") return { type, base64: Buffer.from(bytes).toString("base64") };
    return { json: JSON.parse(bytesToText.decode(bytes)) as Json };
  }

  /** A value that is known to be JSON, in the serializer's words. */
  async #dump(value: unknown): Promise<Json> {
    const stored = await this.#store(value);
    return "json" in stored ? (stored.json as Json) : null;
  }

  #load(value: StoredValue): Promise<unknown> {
    if ("json" in value) return Promise.resolve(this.serde.loadsTyped("json", textToBytes.encode(JSON.stringify(value.json))));
    return Promise.resolve(this.serde.loadsTyped(value.type, new Uint8Array(Buffer.from(value.base64, "base64"))));
  }
}

type JsonOf<Value> = { readonly [Name in keyof Value]: Value[Name] };

/** The thread at an offset of its log; undefined before its first checkpoint. */
async function stateAt({ session }: OpenThread, at?: number): Promise<Thread | undefined> {
  const { document } = await session.state(at === undefined ? {} : { at });
  return document["thread"] as unknown as Thread | undefined;
}

function placeOf({ configurable }: Config): Place {
  const { thread_id, checkpoint_ns = "" } = (configurable ?? {}) as { readonly thread_id?: string | number; readonly checkpoint_ns?: string };
  if (thread_id === undefined || thread_id === "") throw new Error("configurable.thread_id is missing: it names the thread to persist.");
  return { thread_id: String(thread_id), checkpoint_ns };
}

const configOf = ({ thread_id, checkpoint_ns }: Place, checkpoint_id: string): Config => ({
  configurable: { thread_id, checkpoint_ns, checkpoint_id },
});
