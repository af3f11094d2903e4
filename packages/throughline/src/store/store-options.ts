/** Options of every store, with those of encryption at rest: the operator's keys, which wrap only the keys of owners. */
import type { Clock } from "../kernel/clock.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { Logger } from "../kernel/log.ts";
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
  /**
   * A second `postgres://` URL for the connection that listens for notifications: past a pooler that shares connections (PgBouncer in transaction mode),
   * which passes none on. Defaults to the database's own URL. The other stores ignore it.
   */
  readonly listenUrl?: string;
  /** The PostgreSQL schema with all tables, created if it is missing. Any name that PostgreSQL accepts. Defaults to `throughline`. */
  readonly schema?: string;
  /**
   * Whether statements are prepared by name on PostgreSQL. `"auto"`, the default: until a pooler is found, or a prepared statement is lost. `"off"`:
   * never.
   */
  readonly preparedStatements?: "auto" | "off";
  /** Receives diagnostics. Defaults to a logger that discards them. */
  readonly logger?: Logger;
  /** Called with the text of every statement before it runs, except notifications to other processes. For benchmarks and tests. */
  readonly onStatement?: (sql: string) => void;
}

/** A key of the operator: 32 random bytes, kept outside the database. */
export interface OperatorKey {
  /** Names the key in the database: 1 to 64 letters, digits, dots, dashes and underscores. */
  readonly id: string;
  /** 32 bytes, or their base64. */
  readonly key: Uint8Array | string;
}

/** Encrypts customers' data with AES-256-GCM under a key for each owner, which the first of `keys` wraps. The other keys only unwrap. */
export interface EncryptionOptions {
  readonly keys: readonly OperatorKey[];
}

/** Checked operator keys. */
export interface OperatorKeys {
  /** Wraps new keys. */
  readonly current: { readonly id: string; readonly key: Uint8Array };
  find(id: string): Uint8Array | undefined;
  /** For error messages, because ids are not secret. */
  readonly ids: readonly string[];
}

const keyId = /^[A-Za-z0-9._-]{1,64}$/;
const keyLength = 32;
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

const invalid = (message: string): ThroughlineError => new ThroughlineError("encryption.key_invalid", message);

/** Returns the bytes of a key. Its error messages show no part of the key. */
function bytesOf(id: string, key: unknown): Uint8Array {
  const bytes = typeof key === "string" && base64.test(key) ? Buffer.from(key, "base64") : key;
  if (!(bytes instanceof Uint8Array)) throw invalid(`The operator key ${seen(id)} is neither bytes nor base64.`);
  if (bytes.length !== keyLength) throw invalid(`The operator key ${seen(id)} has ${bytes.length} bytes; it needs ${keyLength}.`);
  if (bytes.every((byte) => byte === bytes[0])) throw invalid(`The operator key ${seen(id)} is not random: all its bytes are alike.`);
  return Uint8Array.from(bytes);
}

/** Returns the keys of `encryption`. Throws `encryption.key_invalid` if one is invalid, or if there is none. */
function operatorKeys(encryption: EncryptionOptions): OperatorKeys {
  if (!isPlainObject(encryption) || !Array.isArray(encryption.keys)) throw invalid("encryption takes { keys: [{ id, key }] }.");
  const keys = new Map<string, Uint8Array>();
  for (const entry of encryption.keys as readonly unknown[]) {
    // Error messages do not even show the shape of the value, because it may be the key itself.
    const { id, key } = (typeof entry === "object" && entry !== null ? entry : {}) as { readonly id?: unknown; readonly key?: unknown };
    if (typeof id !== "string" || !keyId.test(id))
      throw invalid("An operator key has an id of 1 to 64 letters, digits, dots, dashes and underscores.");
    if (keys.has(id)) throw invalid(`Two operator keys have the id ${seen(id)}.`);
    keys.set(id, bytesOf(id, key));
  }
  const [first] = keys;
  if (first === undefined) throw invalid("encryption needs at least one operator key.");
  return { current: { id: first[0], key: first[1] }, find: (id) => keys.get(id), ids: [...keys.keys()] };
}

/** Returns the operator keys of a store's options, or undefined without encryption. Throws `input.invalid` if a codec is given too. */
export function encryptionOf(options: { readonly encryption?: EncryptionOptions; readonly codec?: unknown }): OperatorKeys | undefined {
  const { encryption, codec } = options;
  if (encryption === undefined) return undefined;
  if (codec !== undefined) throw new ThroughlineError("input.invalid", "A store takes either encryption or a codec, not both.");
  return operatorKeys(encryption);
}
