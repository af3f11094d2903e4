import { ThroughlineError, seen } from "../kernel/error.ts";
import { deepFreeze, isPlainObject, notJson, type Json, type JsonObject } from "../kernel/json.ts";
import { isStorableText } from "../kernel/text.ts";
import type { VariablesRow } from "../store/port.ts";
import { checkWellKnown } from "./metadata-keys.ts";

/** Whose variables: the session's alone, its customer's (or the anonymous session's own), the agent's. What a session has counts before what its customer has, and that before the agent's. */
export const variableScopes = ["session", "customer", "agent"] as const;
/** Whose variables. */
export type VariableScope = (typeof variableScopes)[number];

/** Data from the integration for the agent: a snapshot for one turn. */
export interface Variables {
  readonly type: "variables";
  /** Of the customer's variables, or an anonymous session's own; 0 before the first write. */
  readonly version: number;
  readonly values: JsonObject;
  /** Names of values that could not be refreshed since they were set. */
  readonly stale: readonly string[];
  /** What the agent's definition says of them, by name. */
  readonly descriptions?: Readonly<Record<string, string>>;
}

/** Data for the integration alone: no prompt section, stage or tool receives it. */
export interface Metadata {
  readonly type: "metadata";
  readonly values: JsonObject;
}

export const variablesOf = ({ version, values, stale = [] }: Pick<VariablesRow, "version" | "values"> & Partial<VariablesRow>): Variables =>
  deepFreeze({ type: "variables", version, values, stale });

export const metadataOf = (values: JsonObject): Metadata => Object.freeze({ type: "metadata", values });

/** A change of a set of named values: `set` adds or replaces, `unset` removes; a name that is not there may be unset. */
export interface NamedChange {
  readonly set?: JsonObject;
  readonly unset?: readonly string[];
}

/** Largest JSON text of one variable or metadata value, in characters. */
export const namedValueLimit = 64 * 1024;

/** Most variables of one owner (a customer, a session, an agent), and most names in the metadata of one customer, session or event. */
export const namedCountLimit = 1_000;

/** Largest JSON text of all of them together, in characters. */
export const namedTotalLimit = 1024 * 1024;

/** Whether a text can name a variable or metadata. */
export const isVariableName = (name: unknown): name is string =>
  typeof name === "string" && name !== "" && name.length <= 200 && name !== "__proto__" && isStorableText(name);

function checkName(name: unknown, what: string): void {
  if (isVariableName(name)) return;
  throw new ThroughlineError("variables.invalid", `${seen(name)} cannot name ${what}: a name has 1 to 200 characters.`);
}

/** Why a change is none; undefined if it is one. A change of another shape would be taken for no change. */
function notChange(change: unknown): string | undefined {
  if (!isPlainObject(change)) return `got ${seen(change)}`;
  const { set = {}, unset = [], ...rest } = change;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) return `there is no ${seen(unknown)}`;
  if (!isPlainObject(set)) return `set is an object, got ${seen(set)}`;
  return Array.isArray(unset) ? undefined : `unset is a list of names, got ${seen(unset)}`;
}

/** The change as a list, checked: names of 1 to 200 characters, JSON values of at most 64 KiB. */
export function namedChanges(
  change: NamedChange,
  what: "a variable" | "metadata",
): readonly { readonly name: string; readonly value: Json | undefined }[] {
  const wrong = notChange(change);
  if (wrong !== undefined) throw new ThroughlineError("variables.invalid", `What is given to change ${what} is { set, unset }: ${wrong}.`);
  const { set = {}, unset = [] } = change;
  const changes: { name: string; value: Json | undefined }[] = [];
  for (const [name, value] of Object.entries(set)) {
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
  for (const name of unset) {
    checkName(name, what);
    changes.push({ name, value: undefined });
  }
  return changes;
}

const sizeOf = (values: JsonObject): number => JSON.stringify(values).length;

/** Refuses values that are too many or too large together. A change that makes what is over a limit smaller is taken, so that old data can be reduced. */
function checkTotal(before: JsonObject, next: JsonObject, what: "variables" | "metadata"): void {
  const [count, size] = [Object.keys(next).length, sizeOf(next)];
  const wrong = (text: string, details: JsonObject): ThroughlineError =>
    new ThroughlineError("variables.invalid", text, { hint: `Unset ${what} that are not needed, or keep them in a system of your own.`, details });
  if (count > namedCountLimit && count > Object.keys(before).length)
    throw wrong(`There would be ${count} ${what}; the limit is ${namedCountLimit}.`, { count, limit: namedCountLimit });
  if (size > namedTotalLimit && size > sizeOf(before))
    throw wrong(`The ${what} would have ${size} characters as JSON together; the limit is ${namedTotalLimit}.`, { size, limit: namedTotalLimit });
}

/** Values with changes applied. */
export function applied(values: JsonObject, changes: ReturnType<typeof namedChanges>): JsonObject {
  const next = new Map(Object.entries(values));
  for (const { name, value } of changes) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  return Object.fromEntries(next);
}

/**
 * The change of variables as a list, checked: also that all of them together keep to the limits. `values` are those that the commit depends on, by version, so two
 * changes at once cannot pass a limit together.
 */
export function variableChanges(values: JsonObject, change: NamedChange): ReturnType<typeof namedChanges> {
  const changes = namedChanges(change, "a variable");
  checkTotal(values, applied(values, changes), "variables");
  return changes;
}

/** Metadata with the change applied, within the limits of all metadata. Keys that mean something to Throughline have values that they can have; one that it writes itself is `metadata.reserved`. */
export function withNamedChange(values: JsonObject, change: NamedChange): JsonObject {
  const changes = namedChanges(change, "metadata");
  for (const { name, value } of changes) checkWellKnown(name, value);
  const next = applied(values, changes);
  checkTotal(values, next, "metadata");
  return next;
}
