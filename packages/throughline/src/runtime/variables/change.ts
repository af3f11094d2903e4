/** Changing the variables of one owner, on condition that they stand at a version. */
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

/** Whose variables: a customer's, by their id; a session's own; those of another owner, such as an agent. */
export type VariablesOf = { readonly customer: string } | { readonly session: SessionId } | { readonly owner: OwnerId };

/** What is to become of variables. */
export interface VariablesChange {
  /** What was asked for, which an idempotency key stands for. */
  readonly asked: Json;
  /** What is to change of the values there are, again if they have changed meanwhile. */
  readonly decide: (values: JsonObject) => NamedChange;
}

/** Variables as they stand; `version` is the owner's, which any change of what the owner has raises. */
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
  // Such an owner has nothing but variables.
  return { owner_id, version: variables.version, variables };
}

/** The variables of an owner, as they stand; none of an owner that has none. `customer.not_found`. */
export const variablesOfOwner = async (store: Store, whose: VariablesOf): Promise<VariablesRow> => (await standingOf(store, whose)).variables;

type Written = Omit<OwnerChange, "create"> & { readonly records?: readonly RecordChange[] };

/** Writes on condition that nothing of the owner has changed since it was looked at. */
function write(runtime: WriterContext, whose: VariablesOf, { records, ...owner }: Written): Promise<CommitResult> {
  const also = records === undefined ? {} : { records };
  // What has nothing to do is remembered all the same, if it has a key.
  if (owner.variables?.length === 0) return commitOnce(runtime, also);
  if ("customer" in whose) return commitOnce(runtime, { owner, ...also });
  // The session is named, so that nothing is written for one that is being erased.
  return writeOwned(runtime, owner, { ...also, ...("session" in whose ? { session: { session_id: whose.session } } : {}) });
}

/** Whose the record of a key is. */
function changedOf(whose: VariablesOf, owner_id: OwnerId): Changed {
  if ("customer" in whose) return { owner_id, of: { owner_id } };
  return "session" in whose ? { owner_id, of: { session_id: whose.session } } : { owner_id };
}

/**
 * Sets and unsets variables, all or none; what is unset and has no value changes nothing. With `ifVersion`, `request.precondition_failed` unless they stand at
 * that version. The variables as they stand then; with the same idempotency key again, as they stood.
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
