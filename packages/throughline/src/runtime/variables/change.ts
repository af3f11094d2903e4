/** Changes the variables of one owner, on condition of their version. */
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { variableChanges, type NamedChange } from "../../session/session-variables.ts";
import { sessionOwnerId, type CommitResult, type OwnerChange, type RecordChange, type Store, type VariablesRow } from "../../store/port.ts";
import { changedBefore, keyRecords, type Changed } from "../commands/change-key.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import type { WriterContext } from "../../extension/port.ts";
import { idempotencyOf } from "../commands/idempotency.ts";
import { getCustomer } from "../../extension/lists.ts";
import type { PatchOptions } from "../commands/patch.ts";
import { checkVersion } from "../../kernel/preconditions.ts";
import { variablesAt, writeOwned } from "./scopes.ts";

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

type Written = Omit<OwnerChange, "create"> & { readonly records?: readonly RecordChange[] };

/** Writes on condition that the owner has not changed since the read. */
function write(runtime: WriterContext, whose: VariablesOf, { records, ...owner }: Written): Promise<CommitResult> {
  const also = records === undefined ? {} : { records };
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
    const result = await write(runtime, whose, { owner_id, variables, depends: { version }, ...records });
    if (result.outcome === "committed") return variablesAt(store, owner_id, { version: next });
    const isStale = ["stale_version", "owner_missing", "stale_record"].includes(result.reason);
    if (!isStale || tries === changes) throw refused(result, "session" in whose ? whose.session : undefined);
  }
}
