/** Which session is which thread, and what is known of its log. */
import type { Runtime, Session, SessionInfo } from "throughline";
import { ThroughlineError } from "throughline";
import { readInto, ThreadLog } from "./thread-log.ts";
import { threadAgent } from "./thread-state.ts";

/** A thread's name: LangGraph's thread, and the namespace of a subgraph in it. */
export interface Place {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
}

/** A thread that exists, with the part of its log that was read so far. */
export interface OpenThread extends Place {
  readonly session: Session;
  readonly log: ThreadLog;
  next: number;
  /** The last reading of its log, which the next one waits for. */
  reading: Promise<void>;
}

/** How many threads' logs are kept in memory. */
const keptThreads = 100;

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
    return this.#keep(place, await this.#runtime.sessions.open({ agent: threadAgent.name, key: nameOf(place), metadata }));
  }

  /** Every thread, or those of one thread id: one for each namespace. */
  async all({ thread_id }: { readonly thread_id?: string | undefined }): Promise<readonly OpenThread[]> {
    const threads: OpenThread[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const filter = { agent: threadAgent.name, ...(thread_id === undefined ? {} : { externalId: thread_id }) };
      const page = await this.#runtime.sessions.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
      for (const info of page.items) threads.push(await this.#known(info));
      cursor = page.next_cursor;
    }
    return threads;
  }

  async #known(info: SessionInfo): Promise<OpenThread> {
    // These sessions were begun above, with this metadata.
    const { external_id: thread_id, checkpoint_ns } = info.metadata.values as { readonly external_id: string; readonly checkpoint_ns: string };
    const place = { thread_id, checkpoint_ns };
    const known = this.#open.get(nameOf(place));
    return known?.session.id === info.id ? known : this.#keep(place, await this.#runtime.sessions.get(info.id));
  }

  #keep({ thread_id, checkpoint_ns }: Place, session: Session): OpenThread {
    const thread = { thread_id, checkpoint_ns, session, log: new ThreadLog(), next: 0, reading: Promise.resolve() };
    this.#open.set(nameOf(thread), thread);
    for (const name of this.#open.keys()) {
      if (this.#open.size <= keptThreads) break;
      this.#open.delete(name);
    }
    return thread;
  }

  /** Reads what has been added to a thread's log since the last time: its whole log once, and from then on only what is new. */
  async refresh(thread: OpenThread): Promise<ThreadLog> {
    const read = async (): Promise<void> => void (thread.next = await readInto(thread.log, thread.session, thread.next));
    thread.reading = thread.reading.then(read, read);
    await thread.reading;
    return thread.log;
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
