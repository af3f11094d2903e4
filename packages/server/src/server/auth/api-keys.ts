/** Creates, lists, revokes and verifies API keys. Each process caches a key for one second. The database stores only a hash of the secret. */
import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { findRecord, itemsOf, present } from "throughline/internal";
import { type Clock, systemClock, seen, ThroughlineError, createIds, type Logger, type Random, systemRandom } from "throughline/kernel";
import { type Scope, scopes } from "../../protocol/wire-auth.ts";
import type { RecordChange, RecordRow } from "throughline/store";
import type { Store } from "throughline";
import { changeRecord, toAuditRecord, writeRecords } from "../service-records.ts";
import { rereadingEach } from "./rereading.ts";

/** An API key without its secret, which is returned only at creation. */
export interface ApiKey {
  /** 16 characters. The full key is `tl_live_<id>_<secret>`. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created_at: number;
  /** The key is rejected from this time on. */
  readonly expires_at?: number;
  readonly revoked_at?: number;
  /** Accurate to the minute. */
  readonly last_used_at?: number;
}

/** Options of a new key. */
export interface NewApiKey {
  /** The purpose of the key: 1 to 100 characters. */
  readonly name: string;
  /** The key's scopes; at least one. */
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970-01-01 UTC. The key never expires by default. */
  readonly expiresAt?: number;
}

/** The sources of time and randomness, the system's by default, and the audit entry. */
export interface KeyOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Whether the change is recorded in the audit log as an operator's, beside the service; true by default. */
  readonly audited?: boolean;
}

/** The record kind of keys. */
const keyKind = "api_key";

const stored = z.object({
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  hash: z.string(),
  expires_at: z.number().exactOptional(),
  revoked_at: z.number().exactOptional(),
  last_used_at: z.number().exactOptional(),
});

const keyPattern = /^tl_live_([0-9a-z]{16})_([A-Za-z0-9_-]{43})$/;

const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** Splits a key into its id and its secret; undefined if the text is not a key. */
export function parseKey(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = keyPattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Reads a stored key and the hash of its secret. */
function readKey(row: RecordRow): { readonly key: ApiKey; readonly hash: Buffer } {
  const { hash, ...key } = stored.parse(row.data);
  return { key: { id: row.key, created_at: row.created_at, ...key }, hash: Buffer.from(hash, "base64url") };
}

/** Compares a secret with its hash in constant time. */
const isSecret = (secret: string, hash: Buffer): boolean => timingSafeEqual(hashOf(secret), hash);

/** Whether a key is neither revoked nor expired at a time. */
export const isActive = ({ revoked_at, expires_at }: ApiKey, now: number): boolean =>
  revoked_at === undefined && (expires_at === undefined || now < expires_at);

function checkNew({ name, scopes: granted, expiresAt }: NewApiKey, now: number): void {
  const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("input.invalid", message, { details: { path } });
  if (typeof name !== "string" || name.trim() === "" || name.length > 100)
    throw wrong("name", `A key's name has 1 to 100 characters, got ${seen(name)}.`);
  const unknown = granted.find((scope) => !scopes.includes(scope));
  if (unknown !== undefined) throw wrong("scopes", `There is no scope ${seen(unknown)}; there are: ${scopes.join(", ")}.`);
  if (granted.length === 0) throw wrong("scopes", `A key needs a scope; there are: ${scopes.join(", ")}.`);
  if (expiresAt !== undefined && !(Number.isSafeInteger(expiresAt) && expiresAt > now))
    throw wrong("expiresAt", `A key's expiry must be in the future, got ${seen(expiresAt)}.`);
}

/**
 * Creates an API key and returns it. The secret cannot be read again. Throws `input.invalid` if the name, a scope or the expiry is invalid. A running
 * service without keys begins to require keys within seconds.
 */
export async function createKey(
  store: Store,
  given: NewApiKey,
  { clock = systemClock, random = systemRandom, audited = true }: KeyOptions = {},
): Promise<{ readonly key: string; readonly info: ApiKey }> {
  checkNew(given, clock.now());
  const { name, scopes: granted, expiresAt } = given;
  const id = Array.from(random.bytes(16), (byte) => "0123456789abcdefghjkmnpqrstvwxyz".charAt(byte & 31)).join("");
  const secret = Buffer.from(random.bytes(32)).toString("base64url");
  const data = {
    name: name.trim(),
    scopes: [...new Set(granted)],
    hash: hashOf(secret).toString("base64url"),
    ...present({ expires_at: expiresAt }),
  };
  const also = audited ? [operatorEntry(clock, "createKey", id)] : [];
  const row = await changeRecord({ store, clock }, { kind: keyKind, key: id }, (current) => (current === undefined ? { data, also } : undefined));
  if (row?.data["hash"] !== data.hash) throw new ThroughlineError("store.failed", "The key could not be stored.");
  return { key: `tl_live_${id}_${secret}`, info: readKey(row).key };
}

/** The audit entry of an operator's change to a key. */
const operatorEntry = (clock: Clock, operation: string, key_id: string): RecordChange =>
  toAuditRecord({ ids: createIds({ clock }), at: clock.now() }, { actor: "operator", operation, status: 200, objects: { key_id } });

/** Lists all API keys, oldest first, including revoked and expired ones. */
export async function listKeys(store: Store): Promise<readonly ApiKey[]> {
  const rows = await Array.fromAsync(itemsOf(store, { of: "records", kind: keyKind }));
  return rows.map((row) => readKey(row).key).toSorted((a, b) => a.created_at - b.created_at);
}

/**
 * Revokes a key. Within two seconds every process rejects the key and the customer tokens that it issued. A key that is already revoked stays
 * unchanged. Throws `key.not_found` if no such key exists.
 */
export async function revokeKey(
  store: Store,
  id: string,
  { clock = systemClock, audited = true }: Pick<KeyOptions, "clock" | "audited"> = {},
): Promise<ApiKey> {
  const missing = (): ThroughlineError => new ThroughlineError("key.not_found", `There is no API key ${seen(id)}.`);
  if (!/^[0-9a-z]{16}$/.test(id)) throw missing();
  const row = await changeRecord({ store, clock }, { kind: keyKind, key: id }, (current) => {
    if (current === undefined) throw missing();
    if (current.data["revoked_at"] !== undefined) return undefined;
    return { data: { ...current.data, revoked_at: clock.now() }, also: audited ? [operatorEntry(clock, "revokeKey", id)] : [] };
  });
  if (row === undefined) throw missing();
  return readKey(row).key;
}

/** Records the time at which a key was used. A concurrent change to the key takes precedence. */
export async function noteUse(store: Store, row: RecordRow, clock: Clock): Promise<void> {
  const data = { ...row.data, last_used_at: clock.now() };
  await writeRecords({ store, clock }, { kind: keyKind, key: row.key, depends: { version: row.version }, data });
}

/** Minimum interval between two recorded uses of a key, in milliseconds. */
const noteMs = 60_000;

/** A key with its stored record. */
interface KnownKey extends ReturnType<typeof readKey> {
  readonly row: RecordRow;
}

/** The keys of a service. */
export interface KnownKeys {
  /** Returns the active key for this text, or undefined. */
  verify(text: string): Promise<ApiKey | undefined>;
  /** Returns the active key with this id, or undefined. */
  find(id: string): Promise<ApiKey | undefined>;
  /** Whether an active key exists. */
  any(): Promise<boolean>;
}

/** Reads the keys of a store on demand and caches them. */
export function createKnownKeys({ store, clock, logger }: { readonly store: Store; readonly clock: Clock; readonly logger: Logger }): KnownKeys {
  const noted = new Map<string, number>();

  const lookUp = rereadingEach(clock, async (id): Promise<KnownKey | undefined> => {
    const row = await findRecord(store, keyKind, id);
    return row === undefined ? undefined : { row, ...readKey(row) };
  });

  const note = (row: RecordRow, { id, last_used_at = 0 }: ApiKey): void => {
    const now = clock.now();
    if (now - Math.max(last_used_at, noted.get(id) ?? 0) < noteMs) return;
    noted.set(id, now);
    noteUse(store, row, clock).catch((error: unknown) => {
      if (!ThroughlineError.is(error, "store.closed"))
        logger.warn("the use of a key was not recorded", { key: id, code: ThroughlineError.from(error).code }, error);
    });
  };

  return {
    async verify(text) {
      const parts = parseKey(text);
      const found = parts === undefined ? undefined : await lookUp(parts.id);
      if (parts === undefined || found === undefined) return undefined;
      const { key, hash, row } = found;
      if (!isSecret(parts.secret, hash) || !isActive(key, clock.now())) return undefined;
      note(row, key);
      return key;
    },
    async find(id) {
      const key = (await lookUp(id))?.key;
      return key !== undefined && isActive(key, clock.now()) ? key : undefined;
    },
    any: async () => (await listKeys(store)).some((key) => isActive(key, clock.now())),
  };
}
