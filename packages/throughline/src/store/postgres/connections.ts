/** Connections to PostgreSQL with time limits for all calls, even if the server falls silent: a lost host, a frozen machine or a hung proxy sends no reset. */
import type * as Pg from "pg";
import type { Client, ClientConfig, Pool, PoolClient, PoolConfig } from "pg";
import { systemClock } from "../../kernel/clock.ts";
import { errorCatalogue, type ErrorCode } from "../../kernel/error-catalogue.ts";
import { ThroughlineError, unknownOutcome } from "../../kernel/error.ts";

/**
 * The kernel probes an idle connection after this many milliseconds and drops it about ten seconds later. Without a value Linux probes after two hours.
 */
const keepAliveMs = 10_000;
/** How long a closing connection waits for the server to close its side, in milliseconds. */
const goodbyeMs = 1_000;
/** Shares of a call's limit: after which the wait for a connection ends, and after which a responsive server aborts a lock or the statement. */
const shares = { wait: 0.8, lock: 0.8, statement: 0.9 };

/** Limits of a connection in milliseconds: of one call, and of connecting with TLS and authentication. */
interface Limits {
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

/** Error codes by the beginning of the SQLSTATE, longest first. */
const states: readonly (readonly [beginning: string, code: ErrorCode])[] = [
  ["53100", "store.full"],
  ["53300", "store.unreachable"],
  ["55P03", "store.busy"],
  ["57014", "store.busy"],
  ["57P", "store.unreachable"],
  ["3D000", "store.unreachable"],
  ["XX001", "store.corrupt"],
  ["XX002", "store.corrupt"],
  ["08", "store.unreachable"],
  ["28", "store.unreachable"],
];

/**
 * Serialization failure, deadlock, a key that another transaction took, or a parent row that it erased. The repeated call sees the other
 * transaction's changes.
 */
const repeatable = new Set(["40001", "40P01", "23505", "23503"]);

/** No SQLSTATE starts with E. Codes of the operating system do, and some, such as EPIPE, have the same length. */
const sqlState = /^(?!E)[0-9A-Z]{5}$/;

function stateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && sqlState.test(code) ? code : undefined;
}

/** Whether the same statement should be repeated immediately after this error of `pg`. */
export const wantsRepeat = (error: unknown): boolean => repeatable.has(stateOf(error) ?? "");

/** SQLSTATEs of an ending connection or server. The statement may have committed before. */
const endings = /^(?:08|57P|40003)/;

/**
 * Converts an error of `pg`. `shown` is the location without its password. `writes`: the statement was sent and writes, so that without a response
 * its outcome is unknown.
 */
export function postgresError(error: unknown, shown: string, { writes = false }: { readonly writes?: boolean } = {}): unknown {
  if (ThroughlineError.is(error) || !(error instanceof Error)) return error;
  const state = stateOf(error);
  // Without an SQLSTATE the error comes from the network, or from a timeout of `pg`, not from the database.
  const code = state === undefined ? "store.unreachable" : (states.find(([beginning]) => state.startsWith(beginning))?.[1] ?? "store.failed");
  const what = error.message === "" && error instanceof AggregateError ? error.errors.map(String).join("; ") : error.message;
  return new ThroughlineError(code, `${errorCatalogue[code].meaning} (${shown}: ${what}${state === undefined ? "" : `, SQLSTATE ${state}`})`, {
    cause: error,
    ...(writes && (state === undefined || endings.test(state)) ? { details: unknownOutcome } : {}),
  });
}

/** The used part of the package `pg`: an optional peer dependency, loaded when a PostgreSQL database is opened, so that a bundled program starts without it. */
type Library = Pick<typeof Pg, "Client" | "Pool" | "types">;

let library: Library | undefined;

/** Loads the package. Throws `package.missing` if it is not installed. Call it before {@link pg}. */
export async function loadPg(): Promise<void> {
  try {
    // Versions before 8.15 export their names only through `default`.
    const found = await import("pg");
    library ??= Object.hasOwn(found, "Client") ? found : found.default;
  } catch (cause) {
    throw new ThroughlineError("package.missing", 'A PostgreSQL database needs the package "pg", which cannot be loaded.', {
      hint: "Install it beside throughline: npm install pg",
      cause,
    });
  }
}

/** Returns the package after {@link loadPg} has loaded it. */
export function pg(): Library {
  if (library === undefined) throw new ThroughlineError("internal", "The package pg was used before it was loaded.");
  return library;
}
