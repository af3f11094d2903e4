import { invalidAt } from "../../extension/failure.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { derivedId, type OwnerId } from "../../kernel/id.ts";
import { deepFreeze, isPlainObject, isStorableText, type JsonObject, objectGiven, present } from "../../kernel/json.ts";
import {
  changeOf,
  type Metadata,
  metadataOf,
  type NamedChange,
  variableChanges,
  type Variables,
  variablesOf,
  withNamedChange,
} from "../../session/session-variables.ts";
import type { CustomerRow, OwnerChange, Page } from "../../store/port.ts";
import { changedBefore, type Idempotency, idempotencyOf, keyRecords, type PatchOptions } from "./idempotency.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import { addedBy, extensionsWith, type Extension } from "../../extension/port.ts";
import type { RuntimeContext } from "../context.ts";
import { toErasure, type Erasure } from "./retention.ts";
import { findCustomer, getCustomer } from "../../extension/lists.ts";
import { checkMembers, checkVersion, type VersionOptions } from "../../kernel/preconditions.ts";
import { usageOfOwner, type UsageReport } from "../reading/usage.ts";

/** A customer: a stable identity across conversations. */
export interface Customer {
  /** The integration's id, or a generated one. */
  readonly id: string;
  readonly owner_id: OwnerId;
  readonly name: string | null;
  /** Data that agents may read, from their next turn on. */
  readonly variables: Variables;
  /** Data for the integration. Agents never see it. */
  readonly metadata: Metadata;
  readonly created_at: number;
  /** Increases with each change of name, metadata and variables, and with each change of the memory. */
  readonly version: number;
}

/** Options of a new customer. All are optional. */
export interface NewCustomer {
  /** 1 to 200 characters. Generated if left out. */
  readonly id?: string;
  readonly name?: string | null;
  readonly variables?: NamedChange["set"];
  readonly metadata?: NamedChange["set"];
  /** The same key and customer return the customer that was created first. A generated id is derived from the key. 1 to 255 characters. */
  readonly idempotencyKey?: string;
}

/** A change of a customer. Absent members stay unchanged. */
export interface CustomerPatch {
  /** At most 200 characters. `null` removes it. */
  readonly name?: string | null;
  /** A merge patch (RFC 7396): `null` removes a value. */
  readonly variables?: JsonObject;
  /** A merge patch. */
  readonly metadata?: JsonObject;
}

/** Customers of a runtime, without the additions of extensions. */
export interface CoreCustomers {
  /** Creates a customer. Throws `customer.exists` if the id is taken. */
  create(customer?: NewCustomer): Promise<Customer>;
  /** Returns the customer, or undefined if there is none. */
  find(id: string): Promise<Customer | undefined>;
  /** Returns the customer. Throws `customer.not_found` if there is none. */
  get(id: string): Promise<Customer>;
  list(page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<Customer>>;
  /** Sets and unsets variables, from the next turn on. */
  setVariables(id: string, change: NamedChange): Promise<Customer>;
  setMetadata(id: string, change: NamedChange): Promise<Customer>;
  setName(id: string, name: string | null): Promise<Customer>;
  /**
   * Changes name, variables and metadata in one commit. Throws `request.precondition_failed` if `ifVersion` is not the customer's version. Repeating
   * the idempotency key and change within a day changes nothing.
   */
  patch(id: string, change: CustomerPatch, options?: PatchOptions): Promise<Customer>;
  /** Returns the cost of all of the customer's sessions so far, by model. It reads their whole logs. */
  usage(id: string): Promise<UsageReport>;
  /** Returns the API that an extension adds to a customer, such as `runtime.customers.extension(tickets, "ada").open()`. */
  extension<Of extends object>(extension: Extension<{ customer(customer_id: string): Of }>, id: string): Of;
  /** Erases the customer with all sessions from the database. Returns the receipt. After the first commit no reader sees them, even if this process dies. */
  delete(id: string): Promise<Erasure>;
}

const toCustomer = (row: CustomerRow): Customer =>
  deepFreeze({
    id: row.customer_id,
    owner_id: row.owner_id,
    name: row.name,
    variables: variablesOf(row.variables),
    metadata: metadataOf(row.metadata),
    created_at: row.created_at,
    version: row.version,
  });

/** Checks a customer's id: 1 to 200 characters, not blank. */
export function checkId(id: unknown): string {
  if (typeof id === "string" && id.trim() !== "" && id.length <= 200 && isStorableText(id)) return id;
  throw invalidAt("input.invalid", "id", `A customer's id has 1 to 200 characters, got ${seen(id)}.`);
}

export function checkName(name: unknown): string | null {
  if (name === null || (typeof name === "string" && name.length <= 200)) return name;
  throw invalidAt("input.invalid", "name", `A customer's name has at most 200 characters, got ${seen(name)}.`);
}

function checkNew(customer: unknown): void {
  if (!isPlainObject(customer)) throw new ThroughlineError("input.invalid", `A customer is created with an object, got ${seen(customer)}.`);
}

/** Returns the ids of a customer that is created with a key. The customer id is derived from the key, and the owner id from the whole request. */
function idsOf({ key, body_hash }: Idempotency): { readonly customer_id: string; readonly owner_id: OwnerId } {
  return { customer_id: derivedId("customer", [key]), owner_id: derivedId("owner", [key, body_hash]) };
}

/** Returns the part of a commit that creates a customer. */
export function newOwner(
  runtime: Pick<RuntimeContext, "ids">,
  customer: NewCustomer,
): OwnerChange & { readonly create: { readonly customer_id: string } } {
  checkNew(customer);
  const { idempotencyKey, ...body } = customer;
  const metadata = withNamedChange({}, present({ set: customer.metadata }));
  const idempotency = idempotencyOf({ ...present({ idempotencyKey }) }, "create_customer", body);
  const made = idempotency && idsOf(idempotency);
  return {
    owner_id: made?.owner_id ?? runtime.ids.next("owner"),
    create: { customer_id: customer.id === undefined ? (made?.customer_id ?? runtime.ids.next("customer")) : checkId(customer.id) },
    name: checkName(customer.name ?? null),
    metadata,
    ...(customer.variables === undefined ? {} : { variables: variableChanges({}, { set: customer.variables }) }),
  };
}

/** Returns a change of a customer for a commit. */
function patched(current: CustomerRow, change: CustomerPatch, options: VersionOptions): Omit<OwnerChange, "owner_id"> {
  checkVersion(options, current.version);
  const { name, variables, metadata } = change;
  const { values } = current.variables;
  return {
    ...(name === undefined ? {} : { name: checkName(name) }),
    ...(variables === undefined ? {} : { variables: variableChanges(values, changeOf(values, variables, "variables")) }),
    ...(metadata === undefined ? {} : { metadata: withNamedChange(current.metadata, changeOf(current.metadata, metadata, "metadata")) }),
  };
}

type Decide = (current: CustomerRow) => Omit<OwnerChange, "owner_id">;

/** Changes the current version of a customer, and retries if it has changed meanwhile. Returns the changed customer. */
async function changeCustomer(
  runtime: RuntimeContext,
  id: string,
  { decide, idempotency }: { readonly decide: Decide; readonly idempotency: Idempotency | undefined },
): Promise<Customer> {
  const { store } = runtime;
  for (let tries = 1; ; tries++) {
    const current = await getCustomer(store, id);
    const { owner_id, version } = current;
    const changed = { owner_id, of: { owner_id } };
    if ((await changedBefore(store, changed, idempotency)) !== undefined) return toCustomer(current);
    const records = keyRecords(runtime, changed, { idempotency, version });
    const result = await commitOnce(runtime, { owner: { owner_id, depends: { version }, ...decide(current) }, ...records });
    if (result.outcome === "committed") return toCustomer(await getCustomer(store, id));
    if ((result.reason !== "stale_version" && result.reason !== "stale_record") || tries === changes) throw refused(result, undefined);
  }
}

export function createCustomers(runtime: RuntimeContext): CoreCustomers {
  const { store } = runtime;
  const existing = async (id: string): Promise<CustomerRow> => getCustomer(store, checkId(id));
  const get = async (id: string): Promise<Customer> => toCustomer(await existing(id));
  const change = (id: string, decide: Decide, idempotency?: Idempotency): Promise<Customer> =>
    changeCustomer(runtime, checkId(id), { decide, idempotency });
  return {
    get,
    create: async (customer = {}) => {
      const owner = newOwner(runtime, customer);
      const { customer_id } = owner.create;
      const result = await commitOnce(runtime, { owner });
      if (result.outcome === "committed") return get(customer_id);
      if (result.reason !== "owner_exists") throw refused(result, undefined);
      const there = customer.idempotencyKey === undefined ? undefined : await findCustomer(store, customer_id);
      if (there?.owner_id === owner.owner_id) return toCustomer(there);
      if (customer.id === undefined)
        throw new ThroughlineError("session.idempotency_mismatch", "The idempotency key was used for another customer.", {
          details: { customer_id },
        });
      throw new ThroughlineError("customer.exists", `There is a customer ${seen(customer.id)} already.`, {
        details: { customer_id },
      });
    },
    find: async (id) => {
      const found = await findCustomer(store, checkId(id));
      return found === undefined ? undefined : toCustomer(found);
    },
    list: async (page = {}) => {
      const found = await store.list({ of: "customers", ...page });
      return { ...found, items: found.items.map(toCustomer) };
    },
    setVariables: (id, named) => change(id, (current) => ({ variables: variableChanges(current.variables.values, named) })),
    setMetadata: (id, named) => change(id, (current) => ({ metadata: withNamedChange(current.metadata, named) })),
    setName: (id, name) => change(id, () => ({ name: checkName(name) })),
    patch: async (id, given, options = {}) => {
      checkMembers(objectGiven(given, "customers.patch"), ["name", "variables", "metadata"], "customers.patch");
      const { ifVersion } = objectGiven(options, "customers.patch");
      const idempotency = idempotencyOf(options, "patch_customer", { ...given, ifVersion });
      return change(id, (current) => patched(current, given, options), idempotency);
    },
    usage: async (id) => usageOfOwner(store, (await existing(id)).owner_id),
    extension: <Of extends object>(extension: Extension<{ customer(customer_id: string): Of }>, id: string) =>
      addedBy(runtime, extension).customer(checkId(id)),
    delete: async (id) => {
      const { owner_id } = await existing(id);
      const erased = await store.erase({ owner_id });
      for (const extension of extensionsWith(runtime, "erased")) extension.erased(runtime, owner_id);
      if (erased.erasure_id === undefined) await existing(id);
      return toErasure(erased);
    },
  };
}
