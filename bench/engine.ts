/** A database to measure: where it is, how large it is, and what the same writes cost without Throughline. */
import type { StoreOptions } from "../packages/throughline/src/index.ts";
import type { NewEvent } from "../packages/throughline/src/store/port.ts";

export type Durability = NonNullable<StoreOptions["durability"]>;

/** Writes the rows of a commit by hand: as good as it gets on this engine. */
export interface Floor {
  /** One transaction: the events, the session's row, the commit's row. */
  write(events: readonly NewEvent[], round: number): unknown;
  close(): Promise<void>;
}

export interface Database {
  readonly location: string;
  /** Makes room that is no longer used usable again, as the engine does by itself in the course of a day. */
  tidy(): Promise<void>;
  /** Bytes on disk, after what is dead or not yet in place was cleared away. */
  bytes(): Promise<number>;
  /** Runs statements in the database, as another process would. */
  run(sql: string): Promise<void>;
  /** Over another database with the same schema. */
  floor(durability: Durability): Promise<Floor>;
  /** fsyncs of the server so far, of connections that are closed; undefined if it does not tell. */
  fsyncs(): Promise<number | undefined>;
  remove(): Promise<void>;
}

export interface Engine {
  readonly name: "sqlite" | "postgres";
  readonly limits: {
    readonly bytesRatio: number;
    readonly commitRatio: Readonly<Partial<Record<Durability, number>>>;
    readonly loadMs: number;
    /** Processor time of a post over HTTP against one without. */
    readonly httpRatio: number;
  };
  /** A new, empty database. */
  create(): Promise<Database>;
  close(): Promise<void>;
}
