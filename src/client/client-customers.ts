/** Customers: their names, variables, metadata and memory, and the jobs that export or erase all that there is of them. */
import { linesOf } from "./event-frames.ts";
import { type BodyFor, type Caller, pagesOf, type QueryFor, type RequestOptions, type ResultOf } from "./operation-call.ts";
import { abortedBy, RequestError, sleep } from "./request-errors.ts";
import { openOnce, type Wire } from "./transport.ts";

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

type Entry = ResultOf<"getCustomerMemoryEntry">;
type Kept = ResultOf<"correctCustomerMemoryEntry">;
type Forgotten = ResultOf<"forgetCustomerMemory">;
/** With the texts of the messages too; that needs the scope `erase`. */
interface Messages {
  readonly messages?: boolean;
}

/** A person's memory, and the commands for it. */
export interface ClientMemory {
  /** How much is remembered. */
  status(options?: RequestOptions): Promise<ResultOf<"getCustomerMemory">>;
  /** A page of what is remembered, by the time of writing. */
  list(query?: QueryFor<"listCustomerMemory">, options?: RequestOptions): Promise<ResultOf<"listCustomerMemory">>;
  /** All of it, page by page as it is read. */
  all(query?: QueryFor<"listCustomerMemory">, options?: RequestOptions): AsyncGenerator<Entry, void, undefined>;
  /** What speaks of all words of a text; nothing is guessed. */
  find(text: string, options?: RequestOptions & { readonly limit?: number }): Promise<readonly Entry[]>;
  /** One entry, also one that is not in force; `memory.entry_not_found` if there is none. */
  get(entry_id: string, options?: RequestOptions): Promise<Entry>;
  /** Whether the agent may bring up by itself what it remembers. */
  setRecall(enabled: boolean, options?: RequestOptions): Promise<ResultOf<"updateCustomerMemory">>;
  /** Keeps a rule of how to talk with the person. */
  savePreference(text: string, options?: RequestOptions): Promise<ResultOf<"addCustomerMemoryRule">>;
  /** Keeps a fact. */
  remember(fact: BodyFor<"addCustomerMemoryFact">, options?: RequestOptions): Promise<Kept>;
  /** Replaces a fact by what the person says. */
  correct(entry_id: string, change: BodyFor<"correctCustomerMemoryEntry">, options?: RequestOptions): Promise<Kept>;
  /** Marks an entry, or takes marks away. */
  mark(entry_id: string, marks: BodyFor<"markCustomerMemoryEntry">, options?: RequestOptions): Promise<Entry>;
  /** Keeps it from being evicted, or no longer. */
  pin(entry_id: string, pinned?: boolean, options?: RequestOptions): Promise<Entry>;
  /** Keeps it from every model, or no longer. */
  neverRecall(entry_id: string, value?: boolean, options?: RequestOptions): Promise<Entry>;
  /** Forgets entries with whatever rests on them: all of them, or none if one is not there. */
  forget(entry_ids: readonly string[], options?: RequestOptions & Messages): Promise<Forgotten>;
  /** Forgets all, or all of a kind. */
  clear(options?: RequestOptions & Messages & { readonly kind?: Entry["kind"] }): Promise<Forgotten>;
  /** Facts that cannot both hold. */
  conflicts(options?: RequestOptions): Promise<ResultOf<"listCustomerMemoryConflicts">["items"]>;
  /** All that is remembered, with every provenance. */
  export(options?: RequestOptions): Promise<ResultOf<"exportCustomerMemory">>;
}

/** Whose memory it is, and the part of the path that says so. */
type MemoryOwner =
  | { readonly scope: "Customer"; readonly path: { readonly customer_id: string } }
  | { readonly scope: "Session"; readonly path: { readonly session_id: string } };

/** One memory: the operations of both ways to it take and give the same. */
export function memoryOf(call: Caller, { scope, path }: MemoryOwner): ClientMemory {
  // The compiler does not see that scope and path belong together.
  const owner = path as { readonly customer_id: string };
  const entry = (entry_id: string) => ({ path: { ...owner, entry_id } });
  const of = <Name extends string>(name: Name): Name => name.replace("Customer", scope) as Name;
  const list: ClientMemory["list"] = (query = {}, options = {}) => call(of("listCustomerMemory"), { ...options, path: owner, query });
  const mark: ClientMemory["mark"] = (id, body, options) => call(of("markCustomerMemoryEntry"), { ...options, ...entry(id), body });
  return Object.freeze<ClientMemory>({
    status: (options) => call(of("getCustomerMemory"), { ...options, path: owner }),
    list,
    all: (query = {}, options = {}) => pagesOf((cursor) => list({ ...query, ...cursor }, options)),
    find: async (q, { limit, ...options } = {}) =>
      (await call(of("findCustomerMemory"), { ...options, path: owner, query: { q, ...(limit === undefined ? {} : { limit }) } })).items,
    get: (id, options) => call(of("getCustomerMemoryEntry"), { ...options, ...entry(id) }),
    setRecall: (recall_enabled, options) => call(of("updateCustomerMemory"), { ...options, path: owner, body: { recall_enabled } }),
    savePreference: (text, options) => call(of("addCustomerMemoryRule"), { ...options, path: owner, body: { text } }),
    remember: (body, options) => call(of("addCustomerMemoryFact"), { ...options, path: owner, body }),
    correct: (id, body, options) => call(of("correctCustomerMemoryEntry"), { ...options, ...entry(id), body }),
    mark,
    pin: (id, pinned = true, options = {}) => mark(id, { pinned }, options),
    neverRecall: (id, never_recall = true, options = {}) => mark(id, { never_recall }, options),
    forget: (entry_ids, { messages, ...options } = {}) =>
      call(of("forgetCustomerMemory"), {
        ...options,
        path: owner,
        body: { entry_ids: [...entry_ids], ...(messages === undefined ? {} : { messages }) },
      }),
    clear: ({ messages, kind, ...options } = {}) =>
      call(of("clearCustomerMemory"), {
        ...options,
        path: owner,
        query: { ...(messages === undefined ? {} : { messages }), ...(kind === undefined ? {} : { kind }) },
      }),
    conflicts: (options = {}) => Array.fromAsync(pagesOf((query) => call(of("listCustomerMemoryConflicts"), { ...options, path: owner, query }))),
    export: (options = {}) => call(of("exportCustomerMemory"), { ...options, path: owner, query: {} }),
  });
}

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
type VariableOwner =
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

/** A job, as the service gives it. */
export type ClientJob = ResultOf<"getJob">;

/** The jobs of a service. */
export interface ClientJobs {
  /** How far a job is. */
  get(job_id: string, options?: RequestOptions): Promise<ClientJob>;
  /** Waits until a job is done, asking every `everyMs` milliseconds, 500 by default; `job.failed` if it fails. */
  done(job_id: string, options?: RequestOptions & { readonly everyMs?: number }): Promise<ClientJob>;
  /** The lines of an export's result, as they come. The last one says that it is whole. */
  result(job_id: string, options?: RequestOptions): AsyncGenerator<string, void, undefined>;
}

export function clientJobs(wire: Wire, call: Caller): ClientJobs {
  const get: ClientJobs["get"] = (job_id, options) => call("getJob", { ...options, path: { job_id } });
  return Object.freeze<ClientJobs>({
    get,
    done: async (job_id, { everyMs = 500, ...options } = {}) => {
      for (;;) {
        const job = await get(job_id, options);
        if (job.status === "done") return job;
        if (job.status === "failed")
          throw new RequestError({ code: job.error?.code ?? "job.failed", message: job.error?.message ?? "The job failed." });
        await sleep(everyMs, options.signal);
        if (options.signal?.aborted === true) throw abortedBy(options.signal);
      }
    },
    result: async function* (job_id, options) {
      yield* linesOf(
        await openOnce(wire, "getJobResult", { ...options, path: { job_id }, headers: { accept: "application/x-ndjson" } }),
        wire.stallMs,
      );
    },
  });
}
