/** Connections to PostgreSQL whose calls end in time, also when the server falls silent: a lost host, a frozen machine or a hung proxy sends no reset. */
import type { Client, ClientConfig, Pool, PoolClient, PoolConfig } from "pg";
import { systemClock } from "../../kernel/clock.ts";
import { postgresError } from "./error.ts";
import { pg } from "./pg.ts";

/**
 * The kernel probes an idle connection after this many milliseconds and drops it about ten seconds later. Without a value Linux probes after two hours.
 */
const keepAliveMs = 10_000;
/** How long a closing connection waits for the server to close its side, in milliseconds. */
const goodbyeMs = 1_000;
/** The parts of a call's limit after which the wait for a connection ends, and after which a server that still answers gives up a lock or the statement. */
const shares = { wait: 0.8, lock: 0.8, statement: 0.9 };

/** Limits of a connection in milliseconds: of one call, and of connecting with TLS and authentication. */
export interface Limits {
  readonly limitMs: number;
  readonly connectMs: number;
}

/** The settings of a connection with these limits. */
export const boundedConfig = (connectionString: string, { limitMs, connectMs }: Limits): ClientConfig => ({
  connectionString,
  connectionTimeoutMillis: Math.ceil(connectMs * shares.wait),
  statement_timeout: Math.ceil(limitMs * shares.statement),
  lock_timeout: Math.ceil(limitMs * shares.lock),
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveMs,
});

/**
 * A class of clients with this configuration that close in time: a server that does not close its side of the connection is not waited for. An error that no
 * call waits for does not end the process: the server can end a connection between two listeners, and the next call gets the error.
 */
const boundedClass = (config: ClientConfig): typeof Client =>
  class extends pg().Client {
    constructor() {
      super(config);
      this.on("error", () => {});
    }
    override end(): Promise<void>;
    override end(callback: (error: Error) => void): void;
    override end(callback?: (error: Error) => void): Promise<void> | void {
      const late = setTimeout(() => this.connection.stream.destroy(), goodbyeMs);
      late.unref();
      this.connection.once("end", () => clearTimeout(late));
      return callback === undefined ? super.end() : super.end(callback);
    }
  };

/** A client that closes in time. */
export const boundedClient = (config: ClientConfig): Client => new (boundedClass(config))();

/** Resolves with the answer, or cuts the connection after `ms` milliseconds, which rejects whatever runs on it. */
export async function answerWithin<Answer>(client: Client, ms: number, answer: Promise<Answer>): Promise<Answer> {
  const late = setTimeout(() => client.connection.stream.destroy(new Error(`The server has not answered within ${ms} ms.`)), ms);
  try {
    return await answer;
  } finally {
    clearTimeout(late);
  }
}

/** A pool of connections. Every call has one limit, from the wait for a connection to the last byte of the answer. */
export class Connections {
  readonly #pool: Pool;
  readonly #limitMs: number;
  readonly #shown: string;
  readonly #underWay = new Set<Promise<unknown>>();

  /** `shown` names the database in errors, without its password. */
  constructor(
    url: string,
    settings: PoolConfig,
    { shown, onLost, ...limits }: Limits & { readonly shown: string; readonly onLost: (error: Error) => void },
  ) {
    this.#limitMs = limits.limitMs;
    this.#shown = shown;
    // The pool has one setting for connecting and for waiting until a connection is free, which may take as long as a call.
    const Client = boundedClass({ ...settings, ...boundedConfig(url, limits) });
    this.#pool = new (pg().Pool)({ ...settings, connectionTimeoutMillis: Math.ceil(limits.limitMs * shares.wait), Client });
    // The next call replaces an idle connection that breaks.
    this.#pool.on("error", onLost);
  }

  /**
   * Runs `work` on a connection of its own, and discards the connection if that fails. Fails with `store.unreachable` after the limit; `limit: "none"` has
   * none. With `writes`, an error that is no answer of the server says that the outcome is unknown.
   */
  run<Result>(
    work: (client: Client) => Promise<Result>,
    { limit = "call", writes = false }: { readonly limit?: "call" | "none"; readonly writes?: boolean } = {},
  ): Promise<Result> {
    const running = this.#run(work, limit, writes);
    this.#underWay.add(running);
    const settled = (): void => void this.#underWay.delete(running);
    running.then(settled, settled);
    return running;
  }

  /** Waits for the calls that are under way, then closes the connections. */
  async end(): Promise<void> {
    // A pool that ends forgets calls that still wait for a connection.
    await Promise.allSettled(this.#underWay);
    await this.#pool.end();
  }

  async #run<Result>(work: (client: Client) => Promise<Result>, limit: "call" | "none", writes: boolean): Promise<Result> {
    const began = systemClock.monotonic();
    const client = await this.#connect();
    let failed = true;
    try {
      const left = this.#limitMs - (systemClock.monotonic() - began);
      const result = await (limit === "none" ? work(client) : answerWithin(client, Math.max(1, Math.ceil(left)), work(client)));
      failed = false;
      return result;
    } catch (error) {
      throw postgresError(error, this.#shown, { writes });
    } finally {
      // Closing the connection of a failed call also ends a transaction that is open on it.
      client.release(failed);
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw postgresError(error, this.#shown);
    }
  }
}
