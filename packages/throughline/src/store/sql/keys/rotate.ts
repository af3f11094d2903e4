/**
 * Rotation: rewraps every owner's key and the hash key with the current operator key, a slice at a time, while other processes work. The data that
 * these keys encrypt stays unchanged. An interrupted rotation is repeated and skips the finished part.
 */
import { systemClock } from "../../../kernel/clock.ts";
import { ThroughlineError } from "../../../kernel/error.ts";
import { encryptionOf, type OperatorKeys, type StoreOptions } from "../../store-options.ts";
import type { SqlDriver } from "../sql-driver.ts";
import { isWrappedBy, openHashKey, rewrapProcedure, unwrapKey, wrapHashKey, wrapKey, wrappedKeyOf } from "./keyring.ts";
import { migrate } from "../migrate.ts";
import { metaValue } from "../queries.ts";

/** The result of a rotation. */
export interface Rotation {
  /** Id of the operator key that now wraps all keys. */
  readonly operator_key: string;
  /** Number of rewrapped owner keys. 0 if all were already rewrapped. */
  readonly rewrapped: number;
}

/** Number of keys per transaction, a few milliseconds of work. */
const slice = 200;

const wrappedByOthers = {
  keys: `SELECT key_id, operator_key, wrapped FROM owner_keys WHERE operator_key <> $1 AND key_id > $2 ORDER BY key_id LIMIT ${slice}`,
};

async function rewrapOwnerKeys(driver: SqlDriver, operator: OperatorKeys): Promise<number> {
  let rewrapped = 0;
  let pass = 0;
  // Another pass finds the keys that a process with the former operator key has added meanwhile.
  for (let after = ""; ;) {
    const { keys } = await driver.read(wrappedByOthers, [operator.current.id, after]);
    const last = keys.at(-1);
    if (last === undefined && pass === 0) return rewrapped;
    if (last === undefined) [after, pass] = ["", 0];
    else {
      const stored = keys.map(wrappedKeyOf);
      const anew = stored.map((key) => ({ ...wrapKey(key.key_id, unwrapKey(key, operator), operator), was: key.wrapped }));
      await driver.call(rewrapProcedure, { keys: anew, hash_key: undefined });
      rewrapped += anew.length;
      pass += anew.length;
      after = String(last["key_id"]);
    }
  }
}

/** Rotates the keys of the database behind `driver`, and closes it. */
export async function rotateSqlKeys(driver: SqlDriver, options: StoreOptions): Promise<Rotation> {
  try {
    const operator = encryptionOf(options);
    if (operator === undefined) throw new ThroughlineError("encryption.key_missing", "Rotating keys needs the new operator key and the former ones.");
    if (!(await driver.hasJournal())) throw new ThroughlineError("store.not_found");
    const was = String((await driver.read(metaValue, ["hash_key"])).meta[0]?.["value"]);
    const hashKey = openHashKey(was, operator);
    await migrate(driver, options.clock ?? systemClock);
    const rewrapped = await rewrapOwnerKeys(driver, operator);
    if (!isWrappedBy(was, operator)) await driver.call(rewrapProcedure, { keys: [], hash_key: { was, now: wrapHashKey(hashKey, operator) } });
    return { operator_key: operator.current.id, rewrapped };
  } finally {
    await driver.close();
  }
}
