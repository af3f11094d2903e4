/** Replaces wrapped keys, in both engine forms. */
import type { Procedure } from "../driver.ts";
import type { WrappedKey } from "./keyring.ts";

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
