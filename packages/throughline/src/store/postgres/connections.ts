/** Connections to PostgreSQL with time limits for all calls, even if the server falls silent: a lost host, a frozen machine or a hung proxy sends no reset. */
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
/** Shares of a call's limit: after which the wait for a connection ends, and after which a responsive server aborts a lock or the statement. */
const shares = { wait: 0.8, lock: 0.8, statement: 0.9 };

/** Limits of a connection in milliseconds: of one call, and of connecting with TLS and authentication. */
export interface Limits {
  readonly limitMs: number;
  readonly connectMs: number;
}

/** Returns the settings of a connection with these limits. */
export const boundedConfig = (connectionString: string, { limitMs, connectMs }: Limits): ClientConfig => ({
  connectionString,
  connectionTimeoutMillis: Math.ceil(connectMs * shares.wait),
  statement_timeout: Math.ceil(limitMs * shares.statement),
  lock_timeout: Math.ceil(limitMs * shares.lock),
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveMs,
});

/**
 * Returns a class of clients with this configuration and a time limit for closing: it does not wait for a server that leaves its side open. An error
 * outside of a call does not end the process. The server can end a connection between two listeners, and the next call gets the error.
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

/** Creates a client with a time limit for closing. */
export const boundedClient = (config: ClientConfig): Client => new (boundedClass(config))();

/** Resolves with the response. After `ms` milliseconds it cuts the connection, which rejects everything that runs on it. */
export async function answerWithin<Answer>(client: Client, ms: number, answer: Promise<Answer>): Promise<Answer> {
  const late = setTimeout(() => client.connection.stream.destroy(new Error(`The server has not answered within ${ms} ms.`)), ms);
  try {
    return await answer;
  } finally {
    clearTimeout(late);
  }
}

/** A pool of connections. Every call has one limit, from the wait for a connection to the last byte of the response. */
export class Connections {
  readonly #pool: Pool;
  readonly #limitMs: number;
  readonly #shown: string;
  readonly #underWay = new Set<Promise<unknown>>();

  /** `shown` is the database's name for errors, without its password. */
  constructor(
    url: string,
    settings: PoolConfig,
    { shown, onLost, ...limits }: Limits & { readonly shown: string; readonly onLost: (error: Error) => void },
  ) {
    this.#limitMs = limits.limitMs;
    this.#shown = shown;
    // The pool has one setting for connecting and for waiting for a free connection, which may take as long as a call.
    const Client = boundedClass({ ...settings, ...boundedConfig(url, limits) });
    this.#pool = new (pg().Pool)({ ...settings, connectionTimeoutMillis: Math.ceil(limits.limitMs * shares.wait), Client });
    // The next call replaces a broken idle connection.
    this.#pool.on("error", onLost);
  }

  /**
   * Runs `work` on its own connection, and discards the connection on failure. Fails with `store.unreachable` after the limit. `limit: "none"` has no
   * limit. With `writes`, an error without a response of the server has an unknown outcome.
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

  /** Waits for the calls in progress, then closes the connections. */
  async end(): Promise<void> {
    // A closing pool forgets calls that still wait for a connection.
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
      // Closing the connection of a failed call also ends its open transaction.
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
