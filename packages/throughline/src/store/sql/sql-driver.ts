/** The port between the SQL store and its drivers, with the link through which the processes on one database notify each other. */
import type { SessionId } from "../../kernel/id.ts";
import type { DraftPiece } from "../port.ts";

export type Dialect = "sqlite" | "postgres";

/** A value that can be bound to a statement. */
export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * A connection that runs statements synchronously inside its open transaction. Its SQL has two functions. `is_gone(worker)`: whether a lease's holder
 * was a process of this machine that has ended. `log_rewrites()`: a text that changes when a call of this driver may have changed existing events.
 */
export interface SyncConnection {
  all(sql: string, values: readonly SqlValue[]): readonly SqlRow[];
  get(sql: string, values: readonly SqlValue[]): SqlRow | undefined;
  run(sql: string, values: readonly SqlValue[]): void;
}

/** One statement with its values, or on PostgreSQL several without values. */
interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Work that requests one statement after the other. The driver decides how to run them: SQLite runs them synchronously, without interruption. */
export type Steps<Result> = Generator<Statement, Result, readonly SqlRow[]>;

/** Returns the rows of one statement, as a step. */
export function* ask(sql: string, values: readonly SqlValue[] = []): Steps<readonly SqlRow[]> {
  return yield { sql, values };
}

/** The time limit of a call. A caller waits for an `interactive` call; a `batch` call is one step of background work. */
export type Pace = "interactive" | "batch";

/**
 * A write whose form differs between the engines: steps over one connection on SQLite, a function in the database (one round trip) on PostgreSQL.
 * Both have the same input and output, which the conformance suite checks.
 */
export interface Procedure<Input extends object, Output extends object> {
  /** The name of the function on PostgreSQL, after the prefix `throughline_`. */
  readonly name: string;
  /** Defaults to `interactive`. */
  readonly pace?: Pace;
  readonly sqlite: (connection: SyncConnection, input: Input) => Output;
  /**
   * Whether a call has no meaning beyond the life of the machine, so that a power failure may undo it after its return. Calls about leases are so on a
   * database of one machine: every holder dies with it. Defaults to no. PostgreSQL, which several machines share, ignores it.
   */
  readonly endsWithMachine?: true;
  /** Whether a call leaves the existing events of all logs as they are. Defaults to no. */
  readonly appendsOnly?: (input: Input) => boolean;
  /** Body of the function on PostgreSQL: PL/pgSQL with one argument, `input jsonb`. Opening a store creates it. */
  readonly postgres: string;
}

export interface SqlDriver {
  readonly dialect: Dialect;
  /** The link to other processes on the same database. */
  readonly link: Link;
  /** Whether drafts are in a table that other processes read. */
  readonly sharesDrafts: boolean;
  /**
   * Runs several statements with the same values as one consistent read: one transaction on SQLite, one statement on PostgreSQL. `pace` defaults to
   * `interactive`.
   */
  read<Part extends string>(
    parts: Readonly<Record<Part, string>>,
    values: readonly SqlValue[],
    pace?: Pace,
  ): Promise<Readonly<Record<Part, readonly SqlRow[]>>>;
  /** Runs a procedure in its own transaction, or in that of its batch. Repeats it if the database requests that. */
  call<Input extends object, Output extends object>(procedure: Procedure<Input, Output>, input: Input): Promise<Output>;
  /** Whether the journal of migrations exists. Throws `store.corrupt` if the database belongs to another program. */
  hasJournal(): Promise<boolean>;
  /** Runs `work` in one transaction that excludes all other processes. Tells it whether the journal of migrations exists. */
  exclusive<Result>(work: (journalExists: boolean) => Steps<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Something that other processes may wait for. It contains ids and no personal data. */
export type News =
  /** The log of a session has a new `head`. */
  | { readonly of: "head"; readonly session_id: SessionId; readonly head: number }
  /** A turn was queued or released. */
  | { readonly of: "turns" }
  /** Anything may have happened. */
  | { readonly of: "anything" }
  /** A draft grew. */
  | { readonly of: "draft"; readonly session_id: SessionId }
  /** A draft has ended. `text` is empty. */
  | { readonly of: "draft_end"; readonly piece: DraftPiece & { readonly ended: string } };

export type Hear = (news: News) => void;

/** A driver's link to other processes on the same database. */
export interface Link {
  /** Starts to listen if necessary. Resolves when it listens, or cannot for now. Earlier news may be lost. */
  attend(hear: Hear): Promise<void>;
  /** No reader waits in this process, so listening may stop. */
  rest(): void;
  /** Notifies the other processes soon, without a guarantee. Their polls find what is lost. */
  tell(news: News): void;
}
