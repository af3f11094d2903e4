/** Changing the variables of one owner, on condition that they stand at a version. */
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { namedChanges, type NamedChange } from "../../session/variables.ts";
import { sessionOwnerId, type CommitResult, type OwnerChange, type Store, type VariablesRow } from "../../store/port.ts";
import { changes, commitOnce, refused } from "../commit.ts";
import type { WriterContext } from "../context.ts";
import { getCustomer } from "../lists.ts";
import { checkVersion, type VersionOptions } from "../preconditions.ts";
import { variablesAt, writeOwned } from "./scopes.ts";

/** Whose variables: a customer's, by their id; a session's own; those of another owner, such as an agent. */
export type VariablesOf = { readonly customer: string } | { readonly session: SessionId } | { readonly owner: OwnerId };

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

/** Writes on condition that nothing of the owner has changed since it was looked at. */
function write(runtime: WriterContext, whose: VariablesOf, owner: Omit<OwnerChange, "create">): Promise<CommitResult> {
  if ("customer" in whose) return commitOnce(runtime, { owner });
  // The session is named, so that nothing is written for one that is being erased.
  return writeOwned(runtime, owner, "session" in whose ? { session_id: whose.session } : undefined);
}

/**
 * Sets and unsets variables, all or none; what is unset and has no value changes nothing. `decide` says what is to change of the values there are, again if
 * they have changed meanwhile. With `ifVersion`, `request.precondition_failed` unless they stand at that version. The variables as they stand then.
 */
export async function changeVariables(
  runtime: WriterContext,
  whose: VariablesOf,
  decide: (values: JsonObject) => NamedChange,
  options: VersionOptions = {},
): Promise<VariablesRow> {
  for (let tries = 1; ; tries++) {
    const { owner_id, version, variables: before } = await standingOf(runtime.store, whose);
    checkVersion(options, before.version);
    const named = namedChanges(decide(before.values), "a variable");
    const variables = named.filter(({ name, value }) => value !== undefined || Object.hasOwn(before.values, name));
    if (variables.length === 0) return before;
    const result = await write(runtime, whose, { owner_id, variables, depends: { version } });
    if (result.outcome === "committed") return variablesOfOwner(runtime.store, whose);
    if ((result.reason !== "stale_version" && result.reason !== "owner_missing") || tries === changes)
      throw refused(result, "session" in whose ? whose.session : undefined);
  }
}
