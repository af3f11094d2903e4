/**
 * The keys of an encrypted database, wrapped by the operator's keys: those of the owners, which are created with the owner, read on demand and cached in
 * memory, and the key of hashes.
 */
import { ThroughlineError } from "../../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../../kernel/id.ts";
import { isPlainObject } from "../../../kernel/json.ts";
import { systemRandom } from "../../../kernel/random.ts";
import { setRecent } from "../../../kernel/recent.ts";
import type { OperatorKeys } from "../../store-options.ts";
import type { Procedure, SqlDriver, SqlRow } from "../sql-driver.ts";
import { filledUp, placeholders } from "../queries.ts";
import { corrupt, parseJson } from "../texts.ts";
import { type Cipher, cipherOf, decrypt, encrypt, keyBytes, KeysMissing, type OwnerKey, ownerKeyOf, type OwnerKeys } from "./cipher.ts";

/** A stored key. */
export type WrappedKey = { readonly key_id: string; readonly operator_key: string; readonly wrapped: string };

/** A new key for an owner that is not stored yet. */
export interface NewKeys {
  readonly keys: OwnerKeys;
  readonly row: WrappedKey;
}

const ownersAtOnce = 50;
const keyColumns = `o.owner_id, k.key_id, k.writes, k.operator_key, k.wrapped`;
const ofOwners = {
  keys: `SELECT ${keyColumns} FROM owner_keys k JOIN owners o ON o.id = k.owner
    WHERE o.owner_id IN (${placeholders(ownersAtOnce)})`,
};
const ofSession = {
  keys: `SELECT ${keyColumns} FROM sessions s JOIN owners o ON o.id = s.owner LEFT JOIN owner_keys k ON k.owner = o.id WHERE s.session_id = $1`,
};

/** Maximum number of owners whose keys are cached, least recently used evicted first. Each takes about half a kilobyte. */
const kept = 10_000;

const bindingOf = (key_id: string): Buffer => Buffer.from(`throughline owner key\n${key_id}`);

/** Wraps an owner's key. */
export const wrapKey = (key_id: string, secret: Uint8Array, { current }: OperatorKeys): WrappedKey => ({
  key_id,
  operator_key: current.id,
  wrapped: encrypt(current.key, secret, bindingOf(key_id)).toString("base64url"),
});

/** Unwraps an owner's key. */
export function unwrapKey({ key_id, operator_key, wrapped }: WrappedKey, keys: OperatorKeys): Buffer {
  const key = keys.find(operator_key);
  if (key === undefined)
    throw new ThroughlineError(
      "encryption.key_missing",
      `The owner key ${key_id} is wrapped by the operator key "${operator_key}", which was not given.`,
      {
        hint: "Keep former operator keys in the list until `throughline keys rotate` has rewrapped everything.",
        details: { operator_key },
      },
    );
  try {
    return decrypt(key, Buffer.from(wrapped, "base64url"), bindingOf(key_id));
  } catch (error) {
    throw corrupt(`the owner key ${key_id}`, `the operator key "${operator_key}" does not unwrap it`, error);
  }
}

export function wrappedKeyOf(row: SqlRow): WrappedKey {
  return { key_id: String(row["key_id"]), operator_key: String(row["operator_key"]), wrapped: String(row["wrapped"]) };
}

export class Keyring {
  readonly #driver: SqlDriver;
  readonly #operator: OperatorKeys;
  /** In order of last use. */
  readonly #owners = new Map<OwnerId, OwnerKeys>();
  readonly #ownerOf = new Map<SessionId, OwnerId>();
  /** Decrypts with the cached keys. Throws `KeysMissing` for others. */
  readonly cipher: Cipher = cipherOf((owner) => this.#of(owner));

  constructor(driver: SqlDriver, operator: OperatorKeys) {
    this.#driver = driver;
    this.#operator = operator;
  }

  #of(owner: OwnerId): OwnerKeys | undefined {
    const keys = this.#owners.get(owner);
    if (keys === undefined) return undefined;
    this.#owners.delete(owner);
    this.#owners.set(owner, keys);
    return keys;
  }

  /** Creates a key for a new owner, in memory only. */
  make(): NewKeys {
    const key_id = Buffer.from(systemRandom.bytes(8)).toString("base64url");
    const secret = systemRandom.bytes(keyBytes);
    const key = ownerKeyOf(key_id, secret);
    return { keys: { current: key, all: [key] }, row: wrapKey(key_id, secret, this.#operator) };
  }

  /** Reads the keys of those owners that are not cached, fifty owners per read. */
  async ready(owners: readonly OwnerId[]): Promise<void> {
    const missing = [...new Set(owners)].filter((owner) => !this.#owners.has(owner));
    for (let from = 0; from < missing.length; from += ownersAtOnce) {
      const some = missing.slice(from, from + ownersAtOnce);
      this.#keepRows((await this.#driver.read(ofOwners, filledUp(some, ownersAtOnce))).keys);
    }
  }

  /** Returns the keys of an owner, or undefined if it has none. */
  async of(owner: OwnerId): Promise<OwnerKeys | undefined> {
    const known = this.#of(owner);
    if (known !== undefined) return known;
    await this.ready([owner]);
    return this.#of(owner);
  }

  /** Returns a session's owner, with its keys if there are any. Undefined if there is no such session. */
  async ofSession(session: SessionId): Promise<{ readonly owner: OwnerId; readonly keys: OwnerKeys | undefined } | undefined> {
    const known = this.#ownerOf.get(session);
    const keys = known && this.#of(known);
    if (known !== undefined && keys !== undefined) return { owner: known, keys };
    const rows = (await this.#driver.read(ofSession, [session])).keys;
    const [first] = rows;
    if (first === undefined) return undefined;
    const owner = String(first["owner_id"]) as OwnerId;
    this.#keepRows(rows.filter((row) => typeof row["key_id"] === "string"));
    if (this.#ownerOf.size >= kept) this.#ownerOf.clear();
    this.#ownerOf.set(session, owner);
    return { owner, keys: this.#of(owner) };
  }

  #keepRows(rows: readonly SqlRow[]): void {
    for (const [owner, own] of Map.groupBy(rows, (row) => String(row["owner_id"]) as OwnerId)) {
      const all = own.map((row) => ({ writes: row["writes"] === 1, key: this.#opened(wrappedKeyOf(row)) }));
      const current = all.find(({ writes }) => writes)?.key;
      if (current === undefined) throw corrupt(`owner ${owner}`, "it has no key to write with");
      this.keep(owner, { current, all: all.map(({ key }) => key) });
    }
  }

  #opened(stored: WrappedKey): OwnerKey {
    return ownerKeyOf(stored.key_id, unwrapKey(stored, this.#operator));
  }

  keep(owner: OwnerId, keys: OwnerKeys): void {
    setRecent(this.#owners, owner, keys, kept);
  }

  /** Drops an owner's cached keys and the cached owners of sessions. Drops everything without an owner. */
  forget(owner?: OwnerId): void {
    this.#ownerOf.clear();
    if (owner === undefined) this.#owners.clear();
    else this.#owners.delete(owner);
  }

  /** Runs `work`. If a key is missing, reads that owner's keys again and repeats the work, because owners and their sessions may have changed. */
  async retrying<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof KeysMissing)) throw error;
        if (tries === 4) throw corrupt(error.place ?? `owner ${error.owner}`, "the key that encrypted it is not in the database", error);
        this.forget(error.owner);
        await this.ready([error.owner]);
      }
    }
  }
}

const binding = Buffer.from("throughline hash key");

/** Creates a key for a plain database. */
export const plainHashKey = (): string => Buffer.from(systemRandom.bytes(keyBytes)).toString("base64url");

/** Returns a hash key as stored in an encrypted database. */
export const wrapHashKey = (hashKey: Uint8Array, { current }: OperatorKeys): string =>
  JSON.stringify({ operator_key: current.id, wrapped: encrypt(current.key, hashKey, binding).toString("base64url") });

/** Creates a key for an encrypted database. */
export const wrappedHashKey = (keys: OperatorKeys): string => wrapHashKey(systemRandom.bytes(keyBytes), keys);

/** Returns the operator key of a stored hash key. Undefined if the database is plain. */
function wrapping(stored: string): { readonly operator_key: string; readonly wrapped: string } | undefined {
  if (!stored.startsWith("{")) return undefined;
  const value = parseJson(stored, "the hash key");
  if (!isPlainObject(value) || typeof value["operator_key"] !== "string" || typeof value["wrapped"] !== "string")
    throw new ThroughlineError("store.corrupt", "The database's hash key is damaged.");
  return { operator_key: value["operator_key"], wrapped: value["wrapped"] };
}

/** Whether the current operator key wraps a stored hash key. */
export const isWrappedBy = (stored: string, { current }: OperatorKeys): boolean => wrapping(stored)?.operator_key === current.id;

/** Returns the hash key of a database that is opened with or without operator keys. Throws an `encryption` error if they do not match. */
export function openHashKey(stored: string, keys: OperatorKeys | undefined): Uint8Array {
  const wrapped = wrapping(stored);
  if (wrapped === undefined) {
    if (keys !== undefined) throw new ThroughlineError("encryption.not_enabled");
    return Buffer.from(stored, "base64url");
  }
  const { operator_key } = wrapped;
  const details = { operator_key };
  if (keys === undefined)
    throw new ThroughlineError("encryption.key_missing", `The database is encrypted with the operator key "${operator_key}"; no key was given.`, {
      details,
    });
  const key = keys.find(operator_key);
  if (key === undefined)
    throw new ThroughlineError(
      "encryption.key_wrong",
      `The database is encrypted with the operator key "${operator_key}"; given was ${keys.ids.map((id) => `"${id}"`).join(", ")}.`,
      { details: { ...details, given: [...keys.ids] } },
    );
  try {
    return decrypt(key, Buffer.from(wrapped.wrapped, "base64url"), binding);
  } catch {
    throw new ThroughlineError("encryption.key_wrong", `The operator key "${operator_key}" is not the one that the database was encrypted with.`, {
      details,
    });
  }
}

/** `was` is the wrapped key that was read. A key that has changed since stays unchanged. */
type RewrapInput = {
  readonly keys: readonly (WrappedKey & { readonly was: string })[];
  readonly hash_key: { readonly was: string; readonly now: string } | undefined;
};

const rewrapKey = (place: (name: "key_id" | "was" | "operator_key" | "wrapped") => string): string =>
  `UPDATE owner_keys SET operator_key = ${place("operator_key")}, wrapped = ${place("wrapped")} WHERE key_id = ${place("key_id")} AND wrapped = ${place("was")}`;

/** Replaces wrapped keys. */
export const rewrapProcedure: Procedure<RewrapInput, object> = {
  name: "rewrap",
  pace: "batch",
  sqlite(db, { keys, hash_key }) {
    const names = ["key_id", "was", "operator_key", "wrapped"] as const;
    const update = rewrapKey((name) => `$${names.indexOf(name) + 1}`);
    for (const key of keys) db.run(update, [key.key_id, key.was, key.operator_key, key.wrapped]);
    if (hash_key !== undefined) db.run(`UPDATE meta SET value = $1 WHERE name = 'hash_key' AND value = $2`, [hash_key.now, hash_key.was]);
    return {};
  },
  postgres: `DECLARE
  k jsonb;
BEGIN
  FOR k IN SELECT one.value FROM jsonb_array_elements(input->'keys') AS one LOOP
    ${rewrapKey((name) => `k->>'${name}'`)};
  END LOOP;
  UPDATE meta SET value = input->'hash_key'->>'now' WHERE name = 'hash_key' AND value = input->'hash_key'->>'was';
  RETURN '{}';
END`,
};
