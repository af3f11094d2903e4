/** Which session is which thread, and what is known of it in this process. */
import type { Runtime, Session, SessionInfo } from "throughline";
import { ThroughlineError } from "throughline";
import type { Image } from "./splice.ts";
import { threadAgent } from "./stored-thread.ts";
import { ThreadLog } from "./thread-log.ts";

/** A thread's name: LangGraph's thread, and the namespace of a subgraph in it. */
export interface Place {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
}

/** Values of channels, each with the offset of its event. */
type Images = Map<string, { readonly offset: number; readonly image: Image }>;

/** A thread that exists. */
export interface OpenThread extends Place {
  readonly session: Session;
  readonly log: ThreadLog;
  /** The last loaded or stored value of each channel, by the offset of its event. */
  readonly images: Images;
  /** The last loaded value of each channel that was not its last value. */
  readonly olderImages: Images;
  /** The last put, which the next one waits for. */
  putting: Promise<unknown>;
}

/** How many threads are kept in memory, and how many bytes of values of all of them. */
const keptThreads = 100;
const keptBytes = 64 * 1_024 * 1_024;

const nameOf = ({ thread_id, checkpoint_ns }: Place): string => JSON.stringify([thread_id, checkpoint_ns]);

/** The threads of a runtime. */
export class Threads {
  readonly #runtime: Runtime;
  readonly #open = new Map<string, OpenThread>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Works on a thread, begun if there is none. */
  async use<Result>(place: Place, work: (thread: OpenThread) => Promise<Result>): Promise<Result> {
    for (;;) {
      const thread = this.#open.get(nameOf(place)) ?? (await this.#begin(place));
      const done = await this.unlessGone(thread, async () => ({ result: await work(thread) }));
      // It was deleted by somebody else in the meantime: it begins anew.
      if (done !== undefined) return done.result;
    }
  }

  /** Looks into a thread; undefined if there is none. */
  async look<Result>(place: Place, work: (thread: OpenThread) => Promise<Result>): Promise<Result | undefined> {
    const known = this.#open.get(nameOf(place));
    const found = known && (await this.unlessGone(known, async () => ({ result: await work(known) })));
    if (found !== undefined) return found.result;
    const thread = (await this.all(place)).find(({ checkpoint_ns }) => checkpoint_ns === place.checkpoint_ns);
    return thread && this.unlessGone(thread, () => work(thread));
  }

  async #begin(place: Place): Promise<OpenThread> {
    const { thread_id, checkpoint_ns } = place;
    const metadata = { external_id: thread_id, checkpoint_ns };
    const { session, created } = await this.#runtime.sessions.openOrCreate({ agent: threadAgent.name, key: nameOf(place), metadata });
    return this.#keep(place, session, created);
  }

  /** Every thread, or those of one thread id: one for each namespace. */
  async all({ thread_id }: { readonly thread_id?: string | undefined }): Promise<readonly OpenThread[]> {
    const threads: OpenThread[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const filter = { agent: threadAgent.name, ...(thread_id === undefined ? {} : { externalId: thread_id }) };
      const page = await this.#runtime.sessions.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
      for (const info of page.items) {
        const thread = await this.#known(info);
        if (thread !== undefined) threads.push(thread);
      }
      cursor = page.next_cursor;
    }
    return threads;
  }

  async #known(info: SessionInfo): Promise<OpenThread | undefined> {
    const { external_id: thread_id, checkpoint_ns } = info.metadata.values;
    // A session that was not begun above, but by a customer, has no such metadata.
    if (typeof thread_id !== "string" || typeof checkpoint_ns !== "string") return undefined;
    const place = { thread_id, checkpoint_ns };
    const known = this.#open.get(nameOf(place));
    return known?.session.id === info.id ? known : this.#keep(place, await this.#runtime.sessions.get(info.id), false);
  }

  #keep({ thread_id, checkpoint_ns }: Place, session: Session, isNew: boolean): OpenThread {
    const log = new ThreadLog(session, isNew);
    const thread = { thread_id, checkpoint_ns, session, log, images: new Map(), olderImages: new Map(), putting: Promise.resolve() };
    this.#open.set(nameOf(thread), thread);
    for (const name of this.#open.keys()) {
      if (this.#open.size <= keptThreads) break;
      this.#open.delete(name);
    }
    return thread;
  }

  /** Drops values of the threads that were opened first until the rest fits into memory. */
  trim(): void {
    const threads = [...this.#open.values()];
    let bytes = threads.reduce((sum, thread) => sum + bytesOfImages(thread), 0);
    for (const thread of threads) {
      if (bytes <= keptBytes) break;
      bytes -= bytesOfImages(thread);
      thread.images.clear();
      thread.olderImages.clear();
    }
  }

  /** Runs `work` on a thread that may have been deleted by somebody else in the meantime; undefined if it was. */
  async unlessGone<Result>(thread: OpenThread, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!ThroughlineError.is(error, "session.not_found")) throw error;
      this.#open.delete(nameOf(thread));
      return undefined;
    }
  }

  /** Removes a thread in all its namespaces. */
  async delete(thread_id: string): Promise<void> {
    for (const thread of await this.all({ thread_id })) {
      this.#open.delete(nameOf(thread));
      await this.unlessGone(thread, () => this.#runtime.sessions.delete(thread.session.id));
    }
  }
}

const bytesOfImages = ({ images, olderImages }: OpenThread): number =>
  [...images.values(), ...olderImages.values()].reduce((sum, { image }) => sum + image.bytes.length, 0);
