/** SQLite through `node:sqlite`: one connection, synchronous statements, commits in batches. */
import { resolve } from "node:path";
import { DatabaseSync, type DatabaseSyncOptions, type StatementSync } from "node:sqlite";
import { systemClock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { type Logger, silentLogger } from "../../kernel/log.ts";
import { isGone } from "../../kernel/process.ts";
import { systemRandom } from "../../kernel/random.ts";
import type { Procedure, SqlDriver, SqlRow, SqlValue, Steps } from "../sql/sql-driver.ts";
import { type Batch, createBatch } from "./batch.ts";
import { Connection, sqliteError } from "./sqlite-connection.ts";
import { WalWatch } from "./wal-watch.ts";

/** Number of commit groups after which a checkpoint of the write-ahead log is worth its syncs. */
const dueAfter = 64;
/** Milliseconds without a write that count as idle. */
const quietMs = 50;

/**
 * Checkpoints the write-ahead log into the database while nothing is written, so that a commit seldom has to. SQLite's own limit of 1,000 pages
 * applies to a database that is never idle.
 */
class IdleCheckpoint {
  readonly #move: () => void;
  #groups = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `move` may fail. The next idle moment, or SQLite itself, then does it. */
  constructor(move: () => void) {
    this.#move = move;
  }

  /** Reports that a group of commits was written. */
  wrote(): void {
    this.#groups += 1;
    if (this.#groups < dueAfter) return;
    if (this.#timer !== undefined) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#run(), quietMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#timer = undefined;
    this.#groups = 0;
    try {
      this.#move();
    } catch {
      // Another process has the lock, or the disk is full. The next write reports it.
    }
  }
}

interface SqliteDriverOptions {
  readonly durability: "full" | "relaxed";
  readonly logger?: Logger;
  readonly onStatement?: ((sql: string) => void) | undefined;
  /** Milliseconds to wait for another process's lock. Defaults to 5,000. A waiting commit does not block the process. */
  readonly busyMs?: number;
  /** Limits of the database below SQLite's own, such as those of a hosted one. */
  readonly limits?: DatabaseSyncOptions["limits"];
}

/**
 * Bytes of a page in a new database. A row over a quarter of it spills into overflow pages. Turns with 2,400 bytes of text cost 4.2 times their text
 * with SQLite's 4,096, and 1.7 times with 8,192. With 16,384 they cost 1.5 times, but commits take 40 % longer.
 */
const pageSize = 8_192;

/** Maximum milliseconds for which a lock that a call needs blocks the process. Most are released sooner. */
const longestLockMs = 5;

/** A driver for the database file at `path`. Nothing is written to the file before its journal of migrations was checked. */
export class SqliteDriver implements SqlDriver {
  readonly dialect = "sqlite";
  readonly link: WalWatch;
  /** A draft stays in the memory of this process. */
  readonly sharesDrafts = false;
  readonly #path: string;
  readonly #synchronous: "FULL" | "NORMAL";
  readonly #busyMs: number;
  readonly #lockMs: number;
  readonly #connection: Connection;
  readonly #writes: Batch;
  readonly #checkpoint: IdleCheckpoint;
  #ready = false;
  /** The connection's current `synchronous`. */
  #level: "FULL" | "NORMAL" | undefined;
  /** How often this connection may have changed existing events. */
  #rewrites = 0;

  constructor(path: string, options: SqliteDriverOptions) {
    this.#path = path;
    this.#synchronous = options.durability === "full" ? "FULL" : "NORMAL";
    const { busyMs = 5_000 } = options;
    this.#busyMs = busyMs;
    this.#lockMs = Math.min(longestLockMs, busyMs);
    // SQLite takes a path that starts with `file:` for a URI. An absolute path never does.
    const file = path === ":memory:" ? path : resolve(path);
    const database = this.#guarded(
      () => new DatabaseSync(file, { timeout: this.#lockMs, enableForeignKeyConstraints: true, limits: options.limits }),
    );
    database.function("is_gone", { directOnly: true }, (worker) => (isGone(String(worker)) ? 1 : 0));
    const connectionId = Buffer.from(systemRandom.bytes(12)).toString("base64url");
    database.function("log_rewrites", { directOnly: true }, () => `${connectionId} ${this.#rewrites}`);
    this.#connection = new Connection(database, options.onStatement);
    // SQLite counts the commits of other connections. Reading the count takes a microsecond and touches no table.
    let versions: StatementSync | undefined;
    let seen: unknown;
    const changed = (): boolean => seen !== (seen = (versions ??= database.prepare("PRAGMA data_version")).get()?.["data_version"]);
    this.link = new WalWatch(file, changed, options.logger ?? silentLogger);
    this.#checkpoint = new IdleCheckpoint(() => this.#connection.exec("PRAGMA wal_checkpoint(PASSIVE)"));
    this.#writes = createBatch((work, isDurable) => this.#write(work, isDurable), { busyMs });
  }

  async read<Part extends string>(
    parts: Readonly<Record<Part, string>>,
    values: readonly SqlValue[],
  ): Promise<Readonly<Record<Part, readonly SqlRow[]>>> {
    const readAll = (): Record<Part, readonly SqlRow[]> => {
      const rows = Object.entries<string>(parts).map(([name, sql]) => [name, this.#connection.allOf(sql, values)] as const);
      return Object.fromEntries(rows) as Record<Part, readonly SqlRow[]>;
    };
    // One statement is a consistent read by itself.
    const isOne = Object.keys(parts).length === 1;
    return this.#patiently(() => (isOne ? readAll() : this.#connection.transaction("BEGIN", readAll)));
  }

  async call<Input extends object, Output extends object>(procedure: Procedure<Input, Output>, input: Input): Promise<Output> {
    const work = (): Output => {
      if (procedure.appendsOnly?.(input) !== true) this.#rewrites += 1;
      return procedure.sqlite(this.#connection, input);
    };
    return this.#writes.add(work, { isDurable: procedure.endsWithMachine !== true });
  }

  #write<Result>(work: () => Result, isDurable: boolean): Result {
    return this.#guarded(() => {
      this.#sync(isDurable ? this.#synchronous : "NORMAL");
      const result = this.#connection.transaction("BEGIN IMMEDIATE", work);
      this.#checkpoint.wrote();
      this.link.wrote();
      return result;
    });
  }

  /** Sets whether a commit waits for the disk. A commit that does also flushes the earlier ones that did not. */
  #sync(level: "FULL" | "NORMAL"): void {
    if (this.#level === level) return;
    this.#connection.exec(`PRAGMA synchronous = ${level}`);
    this.#level = level;
  }

  async hasJournal(): Promise<boolean> {
    return this.#whenFree(() => this.#findJournal());
  }

  /**
   * Repeats `work` while another process has the file locked, up to the limit for a lock. SQLite itself does not wait in two cases: several processes
   * switch a new file to write-ahead logging, or the last process closes it and removes the log.
   */
  async #whenFree<Result>(work: () => Result): Promise<Result> {
    const began = systemClock.monotonic();
    for (;;) {
      try {
        return this.#guarded(work);
      } catch (error) {
        if (!ThroughlineError.is(error, "store.busy") || systemClock.monotonic() - began >= this.#busyMs) throw error;
        await systemClock.sleep(5);
      }
    }
  }

  /** Does not yield to the event loop while it has the lock. Another connection of this process would wait for it, and could never get it. */
  async exclusive<Result>(work: (journalExists: boolean) => Steps<Result>): Promise<Result> {
    const runAll = (): Result => {
      this.#rewrites += 1;
      const steps = work(this.#findJournal());
      let step = steps.next();
      while (step.done !== true) step = steps.next(this.#connection.all(step.value.sql, step.value.values));
      return step.value;
    };
    return this.#whenFree(() => {
      this.#sync(this.#synchronous);
      return this.#connection.transaction("BEGIN IMMEDIATE", runAll);
    });
  }

  async close(): Promise<void> {
    this.link.close();
    await this.#writes.settled();
    this.#checkpoint.close();
    const { database } = this.#connection;
    if (!database.isOpen) return;
    try {
      if (this.#ready) this.#patiently(() => this.#connection.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    } finally {
      database.close();
    }
  }

  #findJournal(): boolean {
    const names = this.#connection.all(`SELECT name FROM sqlite_master WHERE type = 'table'`, []).map((row) => row["name"]);
    const there = names.includes("schema_migrations");
    if (names.length > 0 && !there) throw new ThroughlineError("store.corrupt", `${this.#path} holds tables that Throughline did not create.`);
    if (!this.#ready) {
      this.#connection.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON`);
      this.#sync(this.#synchronous);
    }
    this.#ready = true;
    return there;
  }

  /** Runs work that cannot be repeated later. If it finds a lock for longer than usual, it waits up to the limit and blocks the process. */
  #patiently<Result>(work: () => Result): Result {
    try {
      return this.#guarded(work);
    } catch (error) {
      if (!ThroughlineError.is(error, "store.busy")) throw error;
      const { database } = this.#connection;
      database.exec(`PRAGMA busy_timeout = ${this.#busyMs}`);
      try {
        return this.#guarded(work);
      } finally {
        database.exec(`PRAGMA busy_timeout = ${this.#lockMs}`);
      }
    }
  }

  #guarded<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error, this.#path);
    }
  }
}
