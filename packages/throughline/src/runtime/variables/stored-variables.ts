/** Reads and changes the variables of customers, sessions and agents, on condition of their version. */
import { invalidAt } from "../../extension/failure.ts";
import { changes, commitOnce, loadSession, refused } from "../../extension/commit.ts";
import { getCustomer } from "../../extension/lists.ts";
import type { WriterContext } from "../../extension/port.ts";
import { seen } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { type Json, type JsonObject, present } from "../../kernel/json.ts";
import { checkVersion } from "../../kernel/preconditions.ts";
import {
  type KnownVariable,
  knownVariables,
  type NamedChange,
  scopedVariables,
  variableChanges,
  type Variables,
  type VariableScope,
  variablesOf,
} from "../../session/session-variables.ts";
import {
  agentOwnerId,
  type CommitResult,
  type OwnerChange,
  type RecordChange,
  type SessionChange,
  sessionOwnerId,
  type SessionRow,
  type Store,
  type VariablesQuery,
  type VariablesRow,
} from "../../store/port.ts";
import { type Changed, changedBefore, idempotencyOf, keyRecords, type PatchOptions } from "../commands/idempotency.ts";
import { agentOf, type RuntimeContext } from "../context.ts";

/** Returns the owner of a session's variables, by scope. */
export function ownerOf(scope: VariableScope, { owner_id, session_id, agent }: SessionRow): OwnerId {
  if (scope === "customer") return owner_id;
  return scope === "session" ? sessionOwnerId(session_id) : agentOwnerId(agent);
}

/** Variables of an owner that has none. */
export const noVariables: VariablesRow = Object.freeze({ version: 0, values: {}, checked: {}, stale: [] });

/** Returns the variables of an owner, now or at a version or time. Returns none if there is no such owner. */
export async function variablesAt(store: Store, owner_id: OwnerId, when: Pick<VariablesQuery, "version" | "at"> = {}): Promise<VariablesRow> {
  const page = await store.list({ of: "variables", owner_id, ...when });
  return page.items[0] ?? noVariables;
}

/** Maximum number of tries while an owner is created and deleted concurrently. */
const creationTries = 5;

/** A write of variables. */
type Written = Pick<OwnerChange, "owner_id" | "variables" | "checked" | "depends">;

/** Writes to the owner of a session or an agent. The first write creates the owner. `also` is part of the same commit. */
export async function writeOwned(
  runtime: WriterContext,
  owner: Written,
  also: { readonly session?: SessionChange; readonly records?: readonly RecordChange[] } = {},
): Promise<CommitResult> {
  let create = false;
  for (let attempt = 1; ; attempt++) {
    const result = await commitOnce(runtime, { owner: { ...owner, ...(create ? { create: {} } : {}) }, ...also });
    const moved = result.outcome === "refused" && (result.reason === "owner_missing" || result.reason === "owner_exists");
    if (!moved || attempt === creationTries) return result;
    create = result.reason === "owner_missing";
  }
}

/** Returns the variables for the session's next turn before any refresh, by name and with their owners. */
export const sessionVariables = async (store: Store, session_id: SessionId): Promise<readonly KnownVariable[]> =>
  knownVariables(scopedVariables(await loadSession({ store }, session_id)));

/** Selects the variables of a customer, of a session, or of another owner such as an agent. */
export type VariablesOf = { readonly customer: string } | { readonly session: SessionId } | { readonly owner: OwnerId };

/** A change of variables. */
export interface VariablesChange {
  /** The request that an idempotency key stands for. */
  readonly asked: Json;
  /** Returns the change of the current values. Called again if they have changed meanwhile. */
  readonly decide: (values: JsonObject) => NamedChange;
}

/** Current variables. `version` is the owner's version, which any change of the owner's data increases. */
interface Standing {
  readonly owner_id: OwnerId;
  readonly version: number;
  readonly variables: VariablesRow;
}

async function standingOf(store: Store, whose: VariablesOf): Promise<Standing> {
  if ("customer" in whose) {
    const { owner_id, version, variables } = await getCustomer(store, whose.customer);
    return { owner_id, version, variables };
  }
  const owner_id = "session" in whose ? sessionOwnerId(whose.session) : whose.owner;
  const variables = await variablesAt(store, owner_id);
  // Such an owner has only variables.
  return { owner_id, version: variables.version, variables };
}

/** Returns the current variables of an owner, or none if the owner does not exist. Throws `customer.not_found`. */
export const variablesOfOwner = async (store: Store, whose: VariablesOf): Promise<VariablesRow> => (await standingOf(store, whose)).variables;

type ConditionalWrite = Omit<OwnerChange, "create"> & { readonly records?: readonly RecordChange[] };

/** Writes on condition that the owner has not changed since the read. */
function writeVariables(runtime: WriterContext, whose: VariablesOf, { records, ...owner }: ConditionalWrite): Promise<CommitResult> {
  const also = present({ records });
  // A change without effect is recorded too if it has a key.
  if (owner.variables?.length === 0) return commitOnce(runtime, also);
  if ("customer" in whose) return commitOnce(runtime, { owner, ...also });
  // The session is included, so that nothing is written while it is being erased.
  return writeOwned(runtime, owner, { ...also, ...("session" in whose ? { session: { session_id: whose.session } } : {}) });
}

/** Returns the owner of a key's record. */
function changedOf(whose: VariablesOf, owner_id: OwnerId): Changed {
  if ("customer" in whose) return { owner_id, of: { owner_id } };
  return "session" in whose ? { owner_id, of: { session_id: whose.session } } : { owner_id };
}

/**
 * Sets and unsets variables in one commit. Unsetting a missing variable changes nothing. With `ifVersion`, throws `request.precondition_failed` if
 * the version differs. Returns the variables after the change. Repeating the idempotency key returns the variables after the first change.
 */
export async function changeVariables(
  runtime: WriterContext,
  whose: VariablesOf,
  { asked, decide }: VariablesChange,
  options: PatchOptions = {},
): Promise<VariablesRow> {
  const { store } = runtime;
  const idempotency = idempotencyOf(options, "change_variables", { asked, ifVersion: options.ifVersion });
  for (let tries = 1; ; tries++) {
    const { owner_id, version, variables: before } = await standingOf(store, whose);
    const changed = changedOf(whose, owner_id);
    const led = await changedBefore(store, changed, idempotency);
    if (led !== undefined) return variablesAt(store, owner_id, { version: led });
    checkVersion(options, before.version);
    const named = variableChanges(before.values, decide(before.values));
    const variables = named.filter(({ name, value }) => value !== undefined || Object.hasOwn(before.values, name));
    if (variables.length === 0 && idempotency === undefined) return before;
    const next = before.version + (variables.length === 0 ? 0 : 1);
    const records = keyRecords(runtime, changed, { idempotency, version: next });
    const result = await writeVariables(runtime, whose, { owner_id, variables, depends: { version }, ...records });
    if (result.outcome === "committed") return variablesAt(store, owner_id, { version: next });
    const isStale = ["stale_version", "owner_missing", "stale_record"].includes(result.reason);
    if (!isStale || tries === changes) throw refused(result, "session" in whose ? whose.session : undefined);
  }
}

/** Options of `session.setVariables`. */
export interface SetVariablesOptions {
  /**
   * `"customer"`, the default: variables of the customer, or of the anonymous owner, shared by all sessions of that owner. `"session"`: variables of
   * this session alone.
   */
  readonly scope?: "customer" | "session";
}

/** Sets and unsets variables of a session, or of its owner. Returns those of the scope after the change. */
export async function setSessionVariables(
  runtime: WriterContext,
  session_id: SessionId,
  change: NamedChange,
  { scope = "customer" }: SetVariablesOptions,
): Promise<Variables> {
  if (scope === "customer") return setOwnVariables(runtime, session_id, change);
  if (scope === "session") return setVariables(runtime, { session: session_id }, change);
  throw invalidAt("input.invalid", "scope", `A session sets variables of the scope "customer" or "session", not ${seen(scope)}.`);
}

/** Sets and unsets variables. Returns all of the scope after the change. */
async function setVariables(runtime: WriterContext, whose: VariablesOf, change: NamedChange): Promise<Variables> {
  return variablesOf(await changeVariables(runtime, whose, { asked: null, decide: () => change }));
}

/** Sets variables of the session's owner: the customer, or the anonymous owner. */
async function setOwnVariables(runtime: WriterContext, session_id: SessionId, change: NamedChange): Promise<Variables> {
  for (let tries = 1; ; tries++) {
    const loaded = await loadSession(runtime, session_id);
    const { owner_id, owner_version } = loaded.session;
    const variables = variableChanges(loaded.variables.values, change);
    // The session may be identified meanwhile. Its former owner is then deleted, or has a different version.
    const result = await commitOnce(runtime, { owner: { owner_id, depends: { version: owner_version }, variables } });
    if (result.outcome === "committed") return variablesOf((await loadSession(runtime, session_id)).variables);
    if ((result.reason !== "stale_version" && result.reason !== "owner_missing") || tries === changes) throw refused(result, session_id);
  }
}

/** Agents of a runtime. */
export interface Agents {
  /** Returns the current variables of an agent. Throws `agent.not_found` if it is not registered. */
  variables(name: string): Promise<Variables>;
  /** Sets and unsets variables for all sessions of an agent, from their next turn on. Values of the customer or the session take precedence. */
  setVariables(name: string, change: NamedChange): Promise<Variables>;
}

export function createAgents(runtime: RuntimeContext): Agents {
  const { store } = runtime;
  const ownerOfAgent = (name: string): OwnerId => agentOwnerId(agentOf(runtime, name).name);
  return Object.freeze({
    variables: async (name: string) => variablesOf(await variablesAt(store, ownerOfAgent(name))),
    setVariables: async (name: string, change: NamedChange) => setVariables(runtime, { owner: ownerOfAgent(name) }, change),
  });
}
