/** The key of the look-up hashes: unencrypted in a plain database, wrapped by the operator's key in an encrypted one. It never changes. */
import { ThroughlineError } from "../../../kernel/error.ts";
import { isPlainObject } from "../../../kernel/json.ts";
import { systemRandom } from "../../../kernel/random.ts";
import type { OperatorKeys } from "../../encryption.ts";
import { decrypt, encrypt, keyBytes } from "./cipher.ts";
import { parseJson } from "../texts.ts";

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
