/** Connections to PostgreSQL with time limits for all calls, even if the server falls silent: a lost host, a frozen machine or a hung proxy sends no reset. */
import type * as Pg from "pg";
import type { Client, ClientConfig, Pool, PoolClient, PoolConfig } from "pg";
import { systemClock } from "../../kernel/clock.ts";
import { errorCatalogue, type ErrorCode } from "../../kernel/error-catalogue.ts";
import { ThroughlineError, unknownOutcome } from "../../kernel/error.ts";
import type { PostgresLocation } from "./location.ts";

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

/** Returns the limits of a statement, after which a responsive server gives up by itself. */
export const serverLimits = (
  limitMs: number,
  { statementMs, lockMs }: Pick<PostgresLocation, "statementMs" | "lockMs">,
): { readonly statementMs: number; readonly lockMs: number } => ({
  statementMs: statementMs ?? Math.ceil(limitMs * shares.statement),
  lockMs: lockMs ?? Math.ceil(limitMs * shares.lock),
});

/** The hosts of a database. One at a time is tried, until it fails: then the next one is, for all connections. */
export class Hosts {
  readonly #urls: readonly string[];
  readonly #connectMs: number;
  readonly #settings: ClientConfig;
  readonly #urlOf = new WeakMap<Client, string>();
  #at = 0;

  constructor(urls: readonly string[], { connectMs, ...settings }: ClientConfig & Pick<Limits, "connectMs">) {
    this.#urls = urls;
    this.#settings = settings;
    // A silent host leaves time to try the others.
    this.#connectMs = Math.ceil((connectMs * shares.wait) / urls.length);
  }

  get count(): number {
    return this.#urls.length;
  }

  /** The position of the present host. */
  get at(): number {
    return this.#at;
  }

  /** Returns the settings of a connection to the present host. No setting of the server is among them, because poolers refuse those. */
  config(): ClientConfig & { readonly connectionString: string } {
    return {
      ...this.#settings,
      connectionString: this.#urls[this.#at] ?? "",
      connectionTimeoutMillis: this.#connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    };
  }

  /** Notes which host a client connects to. */
  note(client: Client, url: string): void {
    this.#urlOf.set(client, url);
  }

  /** Moves on from the host of a client that could not connect, or found a server that refuses writes. */
  failed(client: Client): void {
    if (this.#urlOf.get(client) === this.#urls[this.#at]) this.#at = (this.#at + 1) % this.#urls.length;
  }
}

/**
 * Returns a class of clients for the hosts, with a time limit for closing: it does not wait for a server that leaves its side open. An error outside of
 * a call does not end the process. The server can end a connection between two listeners, and the next call gets the error.
 */
const boundedClass = (hosts: Hosts): typeof Client =>
  class extends pg().Client {
    constructor() {
      const config = hosts.config();
      super(config);
      hosts.note(this, config.connectionString);
      this.on("error", () => {});
      this.connection.once("backendKeyData", ({ processID }: { readonly processID: number }) => void processIds.set(this, processID));
      const endings = ["error", "errorMessage", "end"] as const;
      const failed = (): void => hosts.failed(this);
      for (const ending of endings) this.connection.once(ending, failed);
      this.connection.once("readyForQuery", () => {
        for (const ending of endings) this.connection.off(ending, failed);
      });
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

const processIds = new WeakMap<Client, number>();

/** Returns the process id that the other end of a connection gave. A pooler makes one up. */
export const processIdOf = (client: Client): number | undefined => processIds.get(client);

/** Creates a client for the present host, with a time limit for closing. */
export const boundedClient = (hosts: Hosts): Client => new (boundedClass(hosts))();

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
  readonly #hosts: Hosts;
  readonly #limitMs: number;
  readonly #shown: string;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Connections that are older than the last lost one: their server is probably gone too. */
  #suspect = new WeakSet<Client>();
  readonly #clients = new Set<Client>();

  /** `shown` is the database's name for errors, without its password. */
  constructor(
    urls: readonly string[],
    settings: PoolConfig,
    { shown, onLost, limitMs, connectMs }: Limits & { readonly shown: string; readonly onLost: (error: Error) => void },
  ) {
    this.#limitMs = limitMs;
    this.#shown = shown;
    this.#hosts = new Hosts(urls, { ...settings, connectMs });
    // The pool has one setting for connecting and for waiting for a free connection, which may take as long as a call.
    this.#pool = new (pg().Pool)({
      ...settings,
      connectionTimeoutMillis: Math.ceil(limitMs * shares.wait),
      Client: boundedClass(this.#hosts),
    });
    // The next call replaces a broken idle connection.
    this.#pool.on("error", onLost);
    this.#pool.on("connect", (client) => this.#clients.add(client));
    this.#pool.on("remove", (client) => this.#clients.delete(client));
  }

  /**
   * Runs `work` on its own connection, and discards the connection on failure. Fails with `store.unreachable` after the limit. `limit: "none"` has no
   * limit. With `writes`, an error without a response of the server has an unknown outcome. Of several hosts the next one is tried where a connection
   * fails, or where `work` finds that the server refuses writes.
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
    const left = (): number => this.#limitMs - (systemClock.monotonic() - began);
    let refused: unknown;
    for (let tries = 1; ; tries++) {
      const { at } = this.#hosts;
      let client: PoolClient | undefined;
      let failed = true;
      try {
        client = await this.#connect();
        const result = await (limit === "none" ? work(client) : answerWithin(client, Math.max(1, Math.ceil(left())), work(client)));
        failed = false;
        return result;
      } catch (error) {
        if (client !== undefined && isConnectionLost(error)) this.#suspectAll();
        if (isReadOnly(error)) refused = error;
        if (client !== undefined && isReadOnly(error)) this.#hosts.failed(client);
        const elsewhere = (client === undefined || isReadOnly(error)) && this.#hosts.at !== at && tries < this.#hosts.count && left() > 0;
        // That a server is read-only says more than that another one is not there. What happened on a connection comes first: a write may be done.
        if (!elsewhere)
          throw postgresError(client === undefined ? (refused ?? error) : error, this.#shown, { writes: writes && client !== undefined });
      } finally {
        // Closing the connection of a failed call also ends its open transaction.
        client?.release(failed);
      }
    }
  }

  async #connect(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if (!this.#suspect.has(client)) return client;
      client.release(true);
    }
  }

  #suspectAll(): void {
    this.#suspect = new WeakSet(this.#clients);
  }
}

/** Error codes by the beginning of the SQLSTATE, longest first. */
const states: readonly (readonly [beginning: string, code: ErrorCode])[] = [
  ["40001", "store.busy"],
  ["40P01", "store.busy"],
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

/** A key that another transaction took, or a parent row that it erased. The repeated call sees the other transaction's changes. */
const outdated = new Set(["23505", "23503"]);

/** Serialization failure and deadlock: transactions were in each other's way. */
const contended = new Set(["40001", "40P01"]);

/** No SQLSTATE starts with E. Codes of the operating system do, and some, such as EPIPE, have the same length. */
const sqlState = /^(?!E)[0-9A-Z]{5}$/;

function stateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && sqlState.test(code) ? code : undefined;
}

/**
 * Whether the same statement should be repeated after this error of `pg`. `pause`: after a random time, because transactions that repeat immediately are
 * in each other's way again.
 */
export function wantsRepeat(error: unknown): "now" | "pause" | undefined {
  const state = stateOf(error) ?? "";
  return outdated.has(state) ? "now" : contended.has(state) ? "pause" : undefined;
}

/**
 * Whether a prepared statement was not found, or was there already: the call ran over a connection that it shares with others. Nothing of the statement
 * has run.
 */
export const isUnprepared = (error: unknown): boolean => ["26000", "42P05"].includes(stateOf(error) ?? "");

/** SQLSTATEs of an ending connection or server. The statement may have committed before. */
const endings = /^(?:08|57P|40003)/;

/** Whether the connection of a call is gone, and those of the same age probably too. */
const isConnectionLost = (error: unknown): boolean => {
  const state = stateOf(error);
  return isReadOnly(error) || (!ThroughlineError.is(error) && error instanceof Error && (state === undefined || endings.test(state)));
};

const readOnly = { reason: "read_only" };

/** Returns the error of a server that refuses writes. Nothing was written. */
export const readOnlyError = (shown: string, cause?: unknown): ThroughlineError =>
  new ThroughlineError(
    "store.unreachable",
    `The database server is read-only: a standby, or a server with default_transaction_read_only (${shown}).`,
    {
      hint: "Give the address of the primary, or of several servers: postgres://user:password@host1,host2/database?target_session_attrs=read-write",
      details: readOnly,
      cause,
    },
  );

/** Whether a server refused a call because it is read-only. */
const isReadOnly = (error: unknown): boolean =>
  stateOf(error) === "25006" || (ThroughlineError.is(error, "store.unreachable") && error.details["reason"] === readOnly.reason);

/**
 * Converts an error of `pg`. `shown` is the location without its password. `writes`: the statement was sent and writes, so that without a response
 * its outcome is unknown.
 */
export function postgresError(error: unknown, shown: string, { writes = false }: { readonly writes?: boolean } = {}): unknown {
  if (ThroughlineError.is(error) || !(error instanceof Error)) return error;
  const state = stateOf(error);
  if (state === "25006") return readOnlyError(shown, error);
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
