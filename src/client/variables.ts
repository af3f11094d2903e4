/** Variables: of a customer, of a session alone, or of an agent. */
import type { BodyFor, Caller, RequestOptions, ResultOf } from "./operation-call.ts";

/** What agents may know, from their next turn on. */
export interface ClientVariables {
  /** All of them. */
  list(options?: RequestOptions): Promise<ResultOf<"listCustomerVariables">>;
  /** Sets those that are named, takes away those that are named with null, and leaves the others. */
  update(values: BodyFor<"updateCustomerVariables">, options?: RequestOptions): Promise<ResultOf<"updateCustomerVariables">>;
  /** One of them; `variable.not_found` if it has no value. */
  get(name: string, options?: RequestOptions): Promise<ResultOf<"getCustomerVariable">>;
  /** Sets one. Null is a value. */
  set(name: string, value: BodyFor<"setCustomerVariable">["value"], options?: RequestOptions): Promise<ResultOf<"setCustomerVariable">>;
  /** Takes one away. */
  unset(name: string, options?: RequestOptions): Promise<void>;
}

/** Whose variables they are, and the part of the path that says so. */
export type VariableOwner =
  | { readonly scope: "Customer"; readonly path: { readonly customer_id: string } }
  | { readonly scope: "Session"; readonly path: { readonly session_id: string } }
  | { readonly scope: "Agent"; readonly path: { readonly agent: string } };

/** The variables of one owner: the operations of the three scopes take and give the same. */
export function variablesOf(call: Caller, { scope, path }: VariableOwner): ClientVariables {
  // The compiler does not see that scope and path belong together.
  const owner = path as { readonly customer_id: string };
  const named = (name: string) => ({ path: { ...owner, name } });
  const of = <Name extends string>(name: Name): Name => name.replace("Customer", scope) as Name;
  return Object.freeze<ClientVariables>({
    list: (options) => call(of("listCustomerVariables"), { ...options, path: owner }),
    update: (body, options) => call(of("updateCustomerVariables"), { ...options, path: owner, body }),
    get: (name, options) => call(of("getCustomerVariable"), { ...options, ...named(name) }),
    set: (name, value, options) => call(of("setCustomerVariable"), { ...options, ...named(name), body: { value } }),
    unset: (name, options) => call(of("deleteCustomerVariable"), { ...options, ...named(name) }),
  });
}
