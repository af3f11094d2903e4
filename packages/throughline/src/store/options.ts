import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/log.ts";
import type { EncryptionOptions } from "./encryption.ts";
import type { PayloadCodec } from "./port.ts";

/** Maximum milliseconds of one PostgreSQL call, from the wait for a connection to the last byte of the response. */
export interface Timeouts {
  /** For a read or write with a waiting caller. Defaults to 5,000. */
  readonly interactiveMs?: number;
  /** For one step of background work, such as erasing. Defaults to 60,000. Migrations have no limit. */
  readonly batchMs?: number;
}

/** Options of every store. */
export interface StoreOptions {
  /** Clock for leases. Defaults to the system clock. PostgreSQL measures leases by the database's own clock. */
  readonly clock?: Clock;
  /** Encodes columns with personal data. By default text is stored unchanged. The in-memory store has no data at rest and ignores it. */
  readonly codec?: PayloadCodec;
  /** Encrypts customers' data. Defaults to no encryption. It is fixed when a database is created. The in-memory store has no data at rest and ignores it. */
  readonly encryption?: EncryptionOptions;
  /** `"full"`, the default: an acknowledged commit is on disk. `"relaxed"`: a power failure may lose the last commits, but never a part of one. */
  readonly durability?: "full" | "relaxed";
  /** Maximum milliseconds of a PostgreSQL call. A longer call fails with `store.unreachable`. The other stores ignore it. */
  readonly timeouts?: Timeouts;
  /** Receives diagnostics. Defaults to a logger that discards them. */
  readonly logger?: Logger;
  /** Called with the text of every statement before it runs, except notifications to other processes. For benchmarks and tests. */
  readonly onStatement?: (sql: string) => void;
}
