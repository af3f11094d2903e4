import { ThroughlineError, seen } from "../kernel/error.ts";
import type { OwnerId } from "../kernel/id.ts";
import { deepFreeze, isPlainObject } from "../kernel/json.ts";
import { metadataOf, namedChanges, variablesOf, withNamedChange, type Metadata, type NamedChange, type Variables } from "../session/variables.ts";
import type { CustomerRow, OwnerChange, Page } from "../store/port.ts";
import { changes, commitOnce, refused } from "./commit.ts";
import type { RuntimeContext } from "./context.ts";
import { toErasure, type Erasure } from "./erasures.ts";
import { findCustomer, getCustomer } from "./lists.ts";

/** A customer: a stable identity across conversations. */
export interface Customer {
  /** The integration's own id, or a generated one. */
  readonly id: string;
  readonly owner_id: OwnerId;
  readonly name: string | null;
  /** What agents may know, from their next turn on. */
  readonly variables: Variables;
  /** For the integration alone. */
  readonly metadata: Metadata;
  readonly created_at: number;
}

/** What a customer is created with; everything may be left out. */
export interface NewCustomer {
  /** 1 to 200 characters; generated if left out. */
  readonly id?: string;
  readonly name?: string;
  readonly variables?: NamedChange["set"];
  readonly metadata?: NamedChange["set"];
}

/** Customers of a runtime. */
export interface Customers {
  /** Creates a customer; `customer.exists` if the id is taken. */
  create(customer?: NewCustomer): Promise<Customer>;
  /** Undefined if there is none. */
  find(id: string): Promise<Customer | undefined>;
  /** `customer.not_found` if there is none. */
  get(id: string): Promise<Customer>;
  list(page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<Customer>>;
  /** Sets and unsets variables, in force from the next turn on. */
  setVariables(id: string, change: NamedChange): Promise<Customer>;
  setMetadata(id: string, change: NamedChange): Promise<Customer>;
  setName(id: string, name: string | null): Promise<Customer>;
  /**
   * Erases the customer with all sessions, from everywhere in the database; the receipt. From the first commit on nobody sees them, whatever happens
   * to this process.
   */
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
  });

/** Checks a customer's id: 1 to 200 characters, not blank. */
export function checkId(id: unknown): string {
  if (typeof id === "string" && id.trim() !== "" && id.length <= 200) return id;
  throw new ThroughlineError("input.invalid", `A customer's id has 1 to 200 characters, got ${seen(id)}.`, { details: { path: "id" } });
}

function checkName(name: unknown): string | null {
  if (name === null || (typeof name === "string" && name.length <= 200)) return name;
  throw new ThroughlineError("input.invalid", `A customer's name has at most 200 characters, got ${seen(name)}.`, { details: { path: "name" } });
}

function checkNew(customer: unknown): void {
  if (!isPlainObject(customer)) throw new ThroughlineError("input.invalid", `A customer is created with an object, got ${seen(customer)}.`);
}

/** The part of a commit that creates a customer. */
export function newOwner(
  runtime: Pick<RuntimeContext, "ids">,
  customer: NewCustomer,
): OwnerChange & { readonly create: { readonly customer_id: string } } {
  checkNew(customer);
  const metadata = withNamedChange({}, customer.metadata === undefined ? {} : { set: customer.metadata });
  return {
    owner_id: runtime.ids.next("owner"),
    create: { customer_id: customer.id === undefined ? runtime.ids.next("customer") : checkId(customer.id) },
    name: checkName(customer.name ?? null),
    metadata,
    ...(customer.variables === undefined ? {} : { variables: namedChanges({ set: customer.variables }, "a variable") }),
  };
}

export function createCustomers(runtime: RuntimeContext): Customers {
  const { store } = runtime;
  const existing = async (id: string): Promise<CustomerRow> => getCustomer(store, checkId(id));
  const get = async (id: string): Promise<Customer> => toCustomer(await existing(id));
  const change = async (id: string, decide: (current: CustomerRow) => Omit<OwnerChange, "owner_id">): Promise<Customer> => {
    for (let tries = 1; ; tries++) {
      const current = await existing(id);
      const result = await commitOnce(runtime, { owner: { owner_id: current.owner_id, depends: { version: current.version }, ...decide(current) } });
      if (result.outcome === "committed") return get(id);
      if (result.reason !== "stale_version" || tries === changes) throw refused(result, undefined);
    }
  };
  return {
    get,
    create: async (customer = {}) => {
      const owner = newOwner(runtime, customer);
      const result = await commitOnce(runtime, { owner });
      if (result.outcome === "committed") return get(owner.create.customer_id);
      if (result.reason !== "owner_exists") throw refused(result, undefined);
      throw new ThroughlineError("customer.exists", `There is a customer ${seen(customer.id)} already.`, {
        details: { customer_id: owner.create.customer_id },
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
    setVariables: (id, named) => change(id, () => ({ variables: namedChanges(named, "a variable") })),
    setMetadata: (id, named) => change(id, (current) => ({ metadata: withNamedChange(current.metadata, named) })),
    setName: (id, name) => change(id, () => ({ name: checkName(name) })),
    delete: async (id) => {
      const erased = await store.erase({ owner_id: (await existing(id)).owner_id });
      if (erased.erasure_id === undefined) await existing(id);
      return toErasure(erased);
    },
  };
}
