/** Variables and metadata: their names and limits, changes of them, and the join of the session's, the customer's and the agent's variables. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { mergePatch } from "../kernel/json-patch.ts";
import { deepFreeze, isPlainObject, isStorableText, type Json, type JsonObject, notJson } from "../kernel/json.ts";
import { isLoopback } from "../kernel/loopback.ts";
import type { LoadedSession, VariablesRow } from "../store/port.ts";

/**
 * Owners of variables, by precedence: the session, its customer (or the anonymous session's owner), and the agent. A session's value overrides the
 * customer's, which overrides the agent's.
 */
export const variableScopes = ["session", "customer", "agent"] as const;
/** An owner of variables. */
export type VariableScope = (typeof variableScopes)[number];

/** Data from the integration for the agent: a snapshot for one turn. */
export interface Variables {
  readonly type: "variables";
  /** Version of the customer's variables, or of the anonymous session's own; 0 before the first write. */
  readonly version: number;
  readonly values: JsonObject;
  /** Names of values that could not be refreshed since they were set. */
  readonly stale: readonly string[];
  /** Descriptions from the agent's definition, by name. */
  readonly descriptions?: Readonly<Record<string, string>>;
}

/** Data for the integration alone. No prompt section, stage or tool receives it. */
export interface Metadata {
  readonly type: "metadata";
  readonly values: JsonObject;
}

export const variablesOf = ({ version, values, stale = [] }: Pick<VariablesRow, "version" | "values"> & Partial<VariablesRow>): Variables =>
  deepFreeze({ type: "variables", version, values, stale });

export const metadataOf = (values: JsonObject): Metadata => Object.freeze({ type: "metadata", values });

/** A change of named values: `set` adds or replaces, `unset` removes. Unsetting an absent name is allowed. */
export interface NamedChange {
  readonly set?: JsonObject;
  readonly unset?: readonly string[];
}

/** Maximum JSON length of one variable or metadata value, in characters. */
const namedValueLimit = 64 * 1024;

/**
 * Maximum number of variables of one owner (a customer, a session, an agent). Also the maximum number of names in the metadata of one customer,
 * session or event.
 */
export const namedCountLimit = 1_000;

/** Maximum JSON length of all values together, in characters. */
export const namedTotalLimit = 1024 * 1024;

/** Whether a value can name a variable or a metadata entry. */
export const isVariableName = (name: unknown): name is string =>
  typeof name === "string" && name !== "" && name.length <= 200 && name !== "__proto__" && isStorableText(name);

function checkName(name: unknown, what: string): void {
  if (isVariableName(name)) return;
  throw new ThroughlineError("variables.invalid", `${seen(name)} cannot name ${what}: a name has 1 to 200 characters.`);
}

/** Returns why a value is not a change; undefined if it is one. Without this check, a misspelled change would silently do nothing. */
function notChange(change: unknown): string | undefined {
  if (!isPlainObject(change)) return `got ${seen(change)}`;
  const { set = {}, unset = [], ...rest } = change;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) return `there is no ${seen(unknown)}`;
  if (!isPlainObject(set)) return `set is an object, got ${seen(set)}`;
  return Array.isArray(unset) ? undefined : `unset is a list of names, got ${seen(unset)}`;
}

/** Validates a change and returns it as a list. Names have 1 to 200 characters; values are JSON of at most 64 Ki characters. Throws `variables.invalid`. */
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

/** Throws `variables.invalid` if there are too many values, or if they are too large together. Data over a limit may still shrink. */
function checkTotal(before: JsonObject, next: JsonObject, what: "variables" | "metadata"): void {
  const [count, size] = [Object.keys(next).length, sizeOf(next)];
  const wrong = (text: string, details: JsonObject): ThroughlineError =>
    new ThroughlineError("variables.invalid", text, { hint: `Unset ${what} that are not needed, or keep them in a system of your own.`, details });
  if (count > namedCountLimit && count > Object.keys(before).length)
    throw wrong(`There would be ${count} ${what}; the limit is ${namedCountLimit}.`, { count, limit: namedCountLimit });
  if (size > namedTotalLimit && size > sizeOf(before))
    throw wrong(`The ${what} would have ${size} characters as JSON together; the limit is ${namedTotalLimit}.`, { size, limit: namedTotalLimit });
}

/** Returns the values with changes applied. */
export function applied(values: JsonObject, changes: ReturnType<typeof namedChanges>): JsonObject {
  const next = new Map(Object.entries(values));
  for (const { name, value } of changes) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  return Object.fromEntries(next);
}

/**
 * Validates a change of variables, including the limits of all variables together, and returns it as a list. `values` must be those whose version the
 * commit depends on. Then two concurrent changes cannot exceed a limit together. Throws `variables.invalid`.
 */
export function variableChanges(values: JsonObject, change: NamedChange): ReturnType<typeof namedChanges> {
  const changes = namedChanges(change, "a variable");
  checkTotal(values, applied(values, changes), "variables");
  return changes;
}

/**
 * Returns metadata with a change applied. Throws `variables.invalid` for a value that a well-known key cannot have, and for metadata over its limits.
 * Throws `metadata.reserved` for a key that only Throughline writes.
 */
export function withNamedChange(values: JsonObject, change: NamedChange): JsonObject {
  const changes = namedChanges(change, "metadata");
  for (const { name, value } of changes) checkWellKnown(name, value);
  const next = applied(values, changes);
  checkTotal(values, next, "metadata");
  return next;
}

const urlLimit = 2_048;

/** The valid values of each key that an integration may write. */
const wellKnown: Readonly<Record<string, { readonly what: string; readonly holds: (value: Json) => boolean }>> = {
  session_key: { what: "a text of 1 to 200 characters", holds: isShortText },
  external_id: { what: "a text of 1 to 200 characters", holds: isShortText },
  event_webhook_url: {
    what: `an https URL of at most ${urlLimit} characters, without a user name (http to this machine alone)`,
    holds: isWebhookUrl,
  },
};

/** Keys that only Throughline writes. */
const reserved: ReadonlySet<string> = new Set(["step_outputs", "step_visits", "incognito"]);

/**
 * Checks a change of one metadata key; an undefined `value` removes the key. Throws `metadata.reserved` for a key that only Throughline writes.
 * Throws `variables.invalid` for a value that a well-known key cannot have.
 */
function checkWellKnown(name: string, value: Json | undefined): void {
  if (reserved.has(name))
    throw new ThroughlineError("metadata.reserved", `Metadata "${name}" is written by Throughline alone.`, { details: { name } });
  const key = Object.hasOwn(wellKnown, name) ? wellKnown[name] : undefined;
  if (key === undefined || value === undefined || key.holds(value)) return;
  throw new ThroughlineError("variables.invalid", `Metadata "${name}" is ${key.what}, got ${seen(value)}.`, { details: { name } });
}

function isShortText(value: Json): boolean {
  return typeof value === "string" && value.trim() !== "" && value.length <= 200 && isStorableText(value);
}

/** Webhooks carry conversation content, so the connection must be encrypted, except to this machine. */
function isWebhookUrl(value: Json): boolean {
  const url = typeof value === "string" && value.length <= urlLimit ? URL.parse(value) : null;
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/**
 * Converts a merge patch of named values to a change. Null unsets a name, and an object is merged into the existing object. Throws
 * `variables.invalid` if the patch is not a JSON object.
 */
export function changeOf(current: JsonObject, patch: unknown, what: "variables" | "metadata"): Required<NamedChange> {
  if (!isPlainObject(patch)) throw new ThroughlineError("variables.invalid", `A patch of ${what} is an object, got ${seen(patch)}.`);
  const offence = notJson(patch);
  if (offence !== undefined) {
    throw new ThroughlineError("variables.invalid", `The patch of ${what} is not JSON at "${offence.path}": ${offence.seen}.`, {
      details: { path: offence.path },
    });
  }
  const given = Object.entries(patch as JsonObject);
  const before = (name: string) => (Object.hasOwn(current, name) ? current[name] : undefined);
  return {
    set: Object.fromEntries(given.flatMap(([name, value]) => (value === null ? [] : [[name, mergePatch(before(name), value)]]))),
    unset: given.flatMap(([name, value]) => (value === null ? [name] : [])),
  };
}

/** Variables by owner. */
export type ScopedVariables = Readonly<Record<VariableScope, VariablesRow>>;

/** A variable in force. */
export interface KnownVariable {
  readonly name: string;
  readonly value: Json;
  /** The owner of this value. */
  readonly scope: VariableScope;
  /** When the value was last set, or refreshed and found unchanged. */
  readonly checked_at: number;
  /** Whether a refresh has failed since. */
  readonly stale: boolean;
}

/** Versions of the variables that a turn saw, as its first event records them. An owner without variables has no entry, except the customer. */
export interface VariableVersions {
  readonly variables: number;
  readonly session_variables?: number;
  readonly agent_variables?: number;
}

/** Returns the variables that were loaded with a session, by owner. */
export const scopedVariables = ({ variables, session_variables, agent_variables }: LoadedSession): ScopedVariables => ({
  session: session_variables,
  customer: variables,
  agent: agent_variables,
});

export const versionsOf = ({ customer, session, agent }: ScopedVariables): VariableVersions => ({
  variables: customer.version,
  ...(session.version === 0 ? {} : { session_variables: session.version }),
  ...(agent.version === 0 ? {} : { agent_variables: agent.version }),
});

/** Returns the variables in force, sorted by name. The session's values override the customer's, which override the agent's. */
export function knownVariables(scoped: ScopedVariables): readonly KnownVariable[] {
  const known = new Map<string, KnownVariable>();
  for (const scope of variableScopes)
    for (const [name, value] of Object.entries(scoped[scope].values)) {
      const { checked, stale } = scoped[scope];
      if (!known.has(name)) known.set(name, { name, value, scope, checked_at: checked[name] ?? 0, stale: stale.includes(name) });
    }
  return [...known.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** Returns the variables in force as a snapshot for one turn. */
export function joinVariables(scoped: ScopedVariables, descriptions: Readonly<Record<string, string>> = {}): Variables {
  const known = knownVariables(scoped);
  return deepFreeze({
    type: "variables",
    version: scoped.customer.version,
    values: Object.fromEntries(known.map(({ name, value }) => [name, value])),
    stale: known.flatMap(({ name, stale }) => (stale ? [name] : [])),
    descriptions,
  });
}
