import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/log.ts";
import type { EncryptionOptions } from "./encryption.ts";
import type { PayloadCodec } from "./port.ts";

/** How long PostgreSQL may take for one call, from the wait for a connection to the last byte of the answer, in milliseconds. */
export interface Timeouts {
  /** For a read or write with a waiting caller; 5,000 by default. */
  readonly interactiveMs?: number;
  /** For one step of background work, such as erasing; 60,000 by default. Migrations have no limit. */
  readonly batchMs?: number;
}

/** Options that every store takes. */
export interface StoreOptions {
  /** For leases; the machine's clock if left out. PostgreSQL measures leases by the database's own clock. */
  readonly clock?: Clock;
  /** Encodes person-bearing columns; text as it is if left out. The in-memory store keeps nothing at rest and ignores it. */
  readonly codec?: PayloadCodec;
  /**
   * Encrypts what people wrote; nothing if left out. It is decided when a database is made. The in-memory store keeps nothing at rest and ignores it.
   */
  readonly encryption?: EncryptionOptions;
  /**
   * `"full"` (the default): a commit is on disk when it is acknowledged. `"relaxed"`: a loss of power may take the last commits with it,
   * never a part of one.
   */
  readonly durability?: "full" | "relaxed";
  /** How long PostgreSQL may take for one call; a call that takes longer fails with `store.unreachable`. The other stores ignore it. */
  readonly timeouts?: Timeouts;
  /** Where diagnostics go; nowhere if left out. */
  readonly logger?: Logger;
  /** Called with the text of every statement before it runs, but for notifications of other processes: for benchmarks and tests. */
  readonly onStatement?: (sql: string) => void;
}
