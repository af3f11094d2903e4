import type { JsonObject } from "../kernel/json.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { notJson } from "../kernel/json.ts";
import type { Json } from "../kernel/json.ts";

/** What the agent knows about an owner because the integration told it: a snapshot of one version, in force for one turn. */
export interface Variables {
  readonly type: "variables";
  /** 0 before the first write. */
  readonly version: number;
  readonly values: JsonObject;
}

/** Data for the integration alone: no prompt section, stage or tool can be given it. */
export interface Metadata {
  readonly type: "metadata";
  readonly values: JsonObject;
}

export const variablesOf = (row: { readonly version: number; readonly values: JsonObject }): Variables =>
  Object.freeze({ type: "variables", version: row.version, values: row.values });

export const metadataOf = (values: JsonObject): Metadata => Object.freeze({ type: "metadata", values });

/** A change of a set of named values: `set` adds or replaces, `unset` removes; a name that is not there may be unset. */
export interface NamedChange {
  readonly set?: JsonObject;
  readonly unset?: readonly string[];
}

/** Largest JSON text of one variable or metadata value, in characters. */
export const namedValueLimit = 64 * 1024;

function checkName(name: string, what: string): void {
  if (name !== "" && name.length <= 200 && name !== "__proto__") return;
  throw new ThroughlineError("variables.invalid", `${seen(name)} cannot name ${what}: a name has 1 to 200 characters.`);
}

/** The change as a list, checked: names of 1 to 200 characters, JSON values of at most 64 KiB. */
export function namedChanges(
  change: NamedChange,
  what: "a variable" | "metadata",
): readonly { readonly name: string; readonly value: Json | undefined }[] {
  const changes: { name: string; value: Json | undefined }[] = [];
  for (const [name, value] of Object.entries(change.set ?? {})) {
    checkName(name, what);
    const offence = notJson(value);
    if (offence !== undefined) {
      throw new ThroughlineError("variables.invalid", `The value of ${what} "${name}" is not JSON at "${offence.path}": ${offence.seen}.`, {
        details: { name, path: offence.path },
      });
    }
    const size = JSON.stringify(value).length;
    if (size > namedValueLimit) {
      throw new ThroughlineError("variables.invalid", `The value of ${what} "${name}" has ${size} characters; the limit is ${namedValueLimit}.`, {
        details: { name, size },
      });
    }
    changes.push({ name, value });
  }
  for (const name of change.unset ?? []) {
    checkName(name, what);
    changes.push({ name, value: undefined });
  }
  return changes;
}

/** `values` with the change applied. */
export function withNamedChange(values: JsonObject, change: NamedChange): JsonObject {
  const next: Record<string, Json> = { ...values };
  for (const { name, value } of namedChanges(change, "metadata")) {
    if (value === undefined) delete next[name];
    else next[name] = value;
  }
  return next;
}
