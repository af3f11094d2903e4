/** What the SQL store asks of a driver, and nothing more. */
import type { Link } from "./wake/link.ts";

export type Dialect = "sqlite" | "postgres";

/** What may be bound to a statement. */
export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * A connection whose statements run at once, inside the transaction that is open on it. Its SQL has a function `is_gone(worker)`: whether a lease's
 * holder was a process of this machine that has ended.
 */
export interface SyncConnection {
  all(sql: string, values: readonly SqlValue[]): readonly SqlRow[];
  get(sql: string, values: readonly SqlValue[]): SqlRow | undefined;
  run(sql: string, values: readonly SqlValue[]): void;
}

/** One statement with its values, or on PostgreSQL several without values. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Work that asks for one statement after the other. The driver decides how to run them: SQLite at once, without letting anybody else in between. */
export type Steps<Result> = Generator<Statement, Result, readonly SqlRow[]>;

/** The rows of one statement, as a step. */
export function* ask(sql: string, values: readonly SqlValue[] = []): Steps<readonly SqlRow[]> {
  return yield { sql, values };
}

/** How long a call may take: a caller waits for an `interactive` call; a `batch` call is one step of work in the background. */
export type Pace = "interactive" | "batch";

/**
 * A write whose form differs between the engines: steps over one connection on SQLite, a function in the database (one round trip) on
 * PostgreSQL. Both take the same input and give the same output; the conformance suite holds them to it.
 */
export interface Procedure<Input extends object, Output extends object> {
  /** What the name of the function on PostgreSQL begins with, after `throughline_`. */
  readonly name: string;
  /** `interactive` by default. */
  readonly pace?: Pace;
  readonly sqlite: (connection: SyncConnection, input: Input) => Output;
  /** Body of the function on PostgreSQL: PL/pgSQL with one argument, `input jsonb`. Opening a store creates it. */
  readonly postgres: string;
}

export interface SqlDriver {
  readonly dialect: Dialect;
  /** The way to other processes on the same database. */
  readonly link: Link;
  /** Whether drafts have a table that other processes read. */
  readonly sharesDrafts: boolean;
  /**
   * Several statements over the same values, as one consistent read: one transaction on SQLite, one statement on PostgreSQL. `pace`: `interactive` by default.
   */
  read<Part extends string>(
    parts: Readonly<Record<Part, string>>,
    values: readonly SqlValue[],
    pace?: Pace,
  ): Promise<Readonly<Record<Part, readonly SqlRow[]>>>;
  /** Runs a procedure in a transaction of its own, or of its batch; repeats it when the database asks for that. */
  call<Input extends object, Output extends object>(procedure: Procedure<Input, Output>, input: Input): Promise<Output>;
  /** Whether the journal of migrations is there; `store.corrupt` if the database belongs to something else. */
  hasJournal(): Promise<boolean>;
  /** Runs `work` in one transaction that no other process can be in at the same time; tells it whether the journal of migrations is there. */
  exclusive<Result>(work: (journalExists: boolean) => Steps<Result>): Promise<Result>;
  close(): Promise<void>;
}
