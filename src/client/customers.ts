/** Customers: their names, variables and metadata, and all that there is of them. */
import { memoryOf, type ClientMemory } from "./memory.ts";
import type { BodyFor, Caller, QueryFor, RequestOptions, ResultOf } from "./operation-call.ts";
import { pagesOf } from "./pages.ts";
import { variablesOf, type ClientVariables } from "./variables.ts";

/** A customer, as the service gives it. */
export type ClientCustomer = ResultOf<"getCustomer">;

/** The customers of a service. */
export interface ClientCustomers {
  /** A new customer. */
  create(customer?: BodyFor<"createCustomer">, options?: RequestOptions): Promise<ClientCustomer>;
  /** One customer. */
  get(customer_id: string, options?: RequestOptions): Promise<ClientCustomer>;
  /** A page of customers. */
  list(query?: QueryFor<"listCustomers">, options?: RequestOptions): Promise<ResultOf<"listCustomers">>;
  /** All customers, page by page as they are read. */
  all(query?: QueryFor<"listCustomers">, options?: RequestOptions): AsyncGenerator<ClientCustomer, void, undefined>;
  /** Changes what is named, and leaves the rest. */
  update(customer_id: string, patch: BodyFor<"updateCustomer">, options?: RequestOptions): Promise<ClientCustomer>;
  /** Sets variables that are named, takes away those named with null; in force from the next turn of any agent on. */
  setVariables(
    customer_id: string,
    values: BodyFor<"updateCustomerVariables">,
    options?: RequestOptions,
  ): Promise<ResultOf<"updateCustomerVariables">>;
  /** Sets metadata that is named, takes away what is named with null. No agent ever sees any of it. */
  updateMetadata(
    customer_id: string,
    metadata: NonNullable<BodyFor<"updateCustomer">["metadata"]>,
    options?: RequestOptions,
  ): Promise<ClientCustomer>;
  /** The variables of one customer, one by one. */
  variables(customer_id: string): ClientVariables;
  /** What is remembered of one customer, and what they can do with it. */
  memory(customer_id: string): ClientMemory;
  /** Revokes all tokens of a customer: they are refused within two seconds, and streams that were opened with them end. */
  revokeTokens(customer_id: string, options?: RequestOptions): Promise<void>;
  /** What all sessions of a customer have spent. */
  usage(customer_id: string, options?: RequestOptions): Promise<ResultOf<"getCustomerUsage">>;
  /** Erases a customer with all sessions, for good: the job that does it. */
  erase(customer_id: string, options?: RequestOptions): Promise<ResultOf<"getJob">>;
  /** Exports a customer with all sessions: the job that does it. */
  export(customer_id: string, options?: RequestOptions): Promise<ResultOf<"getJob">>;
}

export function clientCustomers(call: Caller): ClientCustomers {
  const list: ClientCustomers["list"] = (query = {}, options = {}) => call("listCustomers", { ...options, query });
  const update: ClientCustomers["update"] = (customer_id, body, options) => call("updateCustomer", { ...options, path: { customer_id }, body });
  return Object.freeze<ClientCustomers>({
    create: (body = {}, options = {}) => call("createCustomer", { ...options, body }),
    get: (customer_id, options) => call("getCustomer", { ...options, path: { customer_id } }),
    list,
    all: (query = {}, options = {}) => pagesOf((cursor) => list({ ...query, ...cursor }, options)),
    update,
    setVariables: (customer_id, body, options) => call("updateCustomerVariables", { ...options, path: { customer_id }, body }),
    updateMetadata: (customer_id, metadata, options) => update(customer_id, { metadata }, options),
    variables: (customer_id) => variablesOf(call, { scope: "Customer", path: { customer_id } }),
    memory: (customer_id) => memoryOf(call, { scope: "Customer", path: { customer_id } }),
    revokeTokens: (customer_id, options) => call("revokeTokens", { ...options, path: { customer_id } }),
    usage: (customer_id, options) => call("getCustomerUsage", { ...options, path: { customer_id } }),
    erase: (customer_id, options) => call("eraseCustomer", { ...options, path: { customer_id } }),
    export: (customer_id, options) => call("exportCustomer", { ...options, path: { customer_id } }),
  });
}
