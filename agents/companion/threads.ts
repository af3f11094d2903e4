/** Threads: conversations by the id that a caller gives them, one for each person and id. */
import { ThroughlineError, type Runtime, type Session, type SessionInfo } from "throughline";

/** A conversation: whose, and which. Without a `user_id` it is the thread's own. */
export interface Thread {
  readonly session_id: string;
  readonly user_id?: string | null;
}

/** Where a thread stands. */
export interface ThreadStatus {
  readonly session_id: string;
  readonly user_id: string | null;
  /** Number of the session in the thread, from 1. */
  readonly session: number;
  /** Whether something was said in that session. */
  readonly active: boolean;
  readonly incognito: boolean;
  readonly mode: "auto" | "manual";
  readonly updated_at: number;
}

/** Finds and opens threads. */
export class Threads {
  readonly #runtime: Runtime;
  readonly #agent: string;
  readonly #incognito: boolean;

  constructor(runtime: Runtime, { agent, incognito }: { readonly agent: string; readonly incognito: boolean }) {
    this.#runtime = runtime;
    this.#agent = agent;
    this.#incognito = incognito;
  }

  /** The thread, begun if there is none yet. */
  open({ session_id, user_id = null }: Thread): Promise<Session> {
    return this.#runtime.sessions.open({
      agent: this.#agent,
      key: session_id,
      ...(user_id === null ? {} : { customer: user_id }),
      incognito: this.#incognito,
      metadata: { external_id: session_id },
    });
  }

  /** A thread that there is; `session.not_found` otherwise. Whoever names no person finds no person's. */
  async get({ session_id, user_id = null }: Thread): Promise<Session> {
    const filter = { agent: this.#agent, externalId: session_id, ...(user_id === null ? {} : { customer: user_id }) };
    const { items } = await this.#runtime.sessions.list(filter);
    const found = items.find(({ customer_id }) => (customer_id ?? null) === user_id);
    if (found === undefined) throw new ThroughlineError("session.not_found", `There is no thread ${JSON.stringify(session_id)}.`);
    return this.#runtime.sessions.get(found.id);
  }

  /** Threads, the newest first. */
  async list({ user_id, limit = 20 }: { readonly user_id?: string; readonly limit?: number }): Promise<readonly ThreadStatus[]> {
    const { items } = await this.#runtime.sessions.list({
      agent: this.#agent,
      order: "desc",
      limit,
      ...(user_id === undefined ? {} : { customer: user_id }),
    });
    return Promise.all(items.map(async ({ id }) => statusOf(await this.#runtime.sessions.get(id))));
  }
}

const threadOf = ({ metadata, id }: SessionInfo): string => {
  const { external_id } = metadata.values;
  return typeof external_id === "string" ? external_id : id;
};

/** Where a thread stands: a session in it goes on if something was said since the last one ended. */
export async function statusOf(session: Session): Promise<ThreadStatus> {
  const info = await session.info();
  const [last] = await session.messages({ last: 1 });
  let ended = -1;
  for await (const { kind, data, offset } of session.events({ kinds: ["session"], follow: false }))
    if (kind === "session" && data.type === "episode") ended = offset;
  return {
    session_id: threadOf(info),
    user_id: info.customer_id ?? null,
    session: info.episode,
    active: last !== undefined && last.offset > ended,
    incognito: info.incognito ?? false,
    mode: info.mode,
    updated_at: info.updated_at,
  };
}
