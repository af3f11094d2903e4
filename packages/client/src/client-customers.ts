/** Customers: names, variables, metadata and memory, and the jobs that export or erase their data. */
import { linesOf } from "./event-frames.ts";
import { type BodyFor, type Caller, pagesOf, type QueryFor, type RequestOptions, type ResultOf } from "./operation-call.ts";
import { abortedBy, RequestError, sleep } from "./request-errors.ts";
import { openOnce, type Wire } from "./transport.ts";

/** A customer as the service returns it. */
export type ClientCustomer = ResultOf<"getCustomer">;

/** The customers of a service. */
export interface ClientCustomers {
  /** Creates a customer. */
  create(customer?: BodyFor<"createCustomer">, options?: RequestOptions): Promise<ClientCustomer>;
  /** Reads one customer. */
  get(customer_id: string, options?: RequestOptions): Promise<ClientCustomer>;
  /** Lists a page of customers. */
  list(query?: QueryFor<"listCustomers">, options?: RequestOptions): Promise<ResultOf<"listCustomers">>;
  /** Yields all customers and loads the pages on demand. */
  all(query?: QueryFor<"listCustomers">, options?: RequestOptions): AsyncGenerator<ClientCustomer, void, undefined>;
  /** Changes the given members and keeps the others. */
  update(customer_id: string, patch: BodyFor<"updateCustomer">, options?: RequestOptions): Promise<ClientCustomer>;
  /** Sets the given variables and removes those that are null. Agents see the change from their next turn on. */
  setVariables(
    customer_id: string,
    values: BodyFor<"updateCustomerVariables">,
    options?: RequestOptions,
  ): Promise<ResultOf<"updateCustomerVariables">>;
  /** Sets the given metadata and removes values that are null. Agents never see metadata. */
  updateMetadata(
    customer_id: string,
    metadata: NonNullable<BodyFor<"updateCustomer">["metadata"]>,
    options?: RequestOptions,
  ): Promise<ClientCustomer>;
  /** The variables of one customer. */
  variables(customer_id: string): ClientVariables;
  /** The memory of one customer. */
  memory(customer_id: string): ClientMemory;
  /** Revokes all tokens of a customer. Within two seconds the service rejects them and ends their streams. */
  revokeTokens(customer_id: string, options?: RequestOptions): Promise<void>;
  /** The usage of all sessions of a customer. */
  usage(customer_id: string, options?: RequestOptions): Promise<ResultOf<"getCustomerUsage">>;
  /** Counts what erasing a customer would remove. */
  erasurePreview(customer_id: string, options?: RequestOptions): Promise<ResultOf<"previewCustomerErasure">>;
  /** Starts a job that permanently erases a customer with all sessions. */
  erase(customer_id: string, options?: RequestOptions): Promise<ResultOf<"getJob">>;
  /** Starts a job that exports a customer with all sessions. */
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
    erasurePreview: (customer_id, options) => call("previewCustomerErasure", { ...options, path: { customer_id } }),
    erase: (customer_id, options) => call("eraseCustomer", { ...options, path: { customer_id } }),
    export: (customer_id, options) => call("exportCustomer", { ...options, path: { customer_id } }),
  });
}

type Entry = ResultOf<"getCustomerMemoryEntry">;
type Kept = ResultOf<"correctCustomerMemoryEntry">;
type Forgotten = ResultOf<"forgetCustomerMemory">;
/** Also removes the texts of the messages, which needs the scope `erase`. */
interface Messages {
  readonly messages?: boolean;
}

/** A customer's memory and the commands on it. */
export interface ClientMemory {
  /** Reads the size of the memory. */
  status(options?: RequestOptions): Promise<ResultOf<"getCustomerMemory">>;
  /** Lists a page of entries by time of writing. */
  list(query?: QueryFor<"listCustomerMemory">, options?: RequestOptions): Promise<ResultOf<"listCustomerMemory">>;
  /** Yields all entries and loads the pages on demand. */
  all(query?: QueryFor<"listCustomerMemory">, options?: RequestOptions): AsyncGenerator<Entry, void, undefined>;
  /** Finds entries that contain all words of a text. There is no fuzzy matching. */
  find(text: string, options?: RequestOptions & { readonly limit?: number }): Promise<readonly Entry[]>;
  /** Reads what a turn would recall for a message, and why. Records nothing. */
  recall(text: string, options?: RequestOptions & Omit<BodyFor<"recallCustomerMemory">, "text">): Promise<ResultOf<"recallCustomerMemory">>;
  /** Reads one entry, including one that is not in force. Throws `memory.entry_not_found`. */
  get(entry_id: string, options?: RequestOptions): Promise<Entry>;
  /** Controls whether the agent may mention memories on its own. */
  setRecall(enabled: boolean, options?: RequestOptions): Promise<ResultOf<"updateCustomerMemory">>;
  /** Stores a rule for conversations with the customer. */
  savePreference(text: string, options?: RequestOptions): Promise<ResultOf<"addCustomerMemoryRule">>;
  /** Stores a fact. */
  remember(fact: BodyFor<"addCustomerMemoryFact">, options?: RequestOptions): Promise<Kept>;
  /** Replaces a fact with the customer's correction. */
  correct(entry_id: string, change: BodyFor<"correctCustomerMemoryEntry">, options?: RequestOptions): Promise<Kept>;
  /** Adds or removes marks of an entry. */
  mark(entry_id: string, marks: BodyFor<"markCustomerMemoryEntry">, options?: RequestOptions): Promise<Entry>;
  /** Protects an entry from eviction, or stops protecting it. */
  pin(entry_id: string, pinned?: boolean, options?: RequestOptions): Promise<Entry>;
  /** Hides an entry from all models, or shows it again. */
  neverRecall(entry_id: string, value?: boolean, options?: RequestOptions): Promise<Entry>;
  /** Forgets entries and everything derived from them. Forgets none if one does not exist. */
  forget(entry_ids: readonly string[], options?: RequestOptions & Messages): Promise<Forgotten>;
  /** Forgets all entries, or all of a kind. */
  clear(options?: RequestOptions & Messages & { readonly kind?: Entry["kind"] }): Promise<Forgotten>;
  /** Lists facts that contradict each other. */
  conflicts(options?: RequestOptions): Promise<ResultOf<"listCustomerMemoryConflicts">["items"]>;
  /** Exports the whole memory with the provenance of each entry. */
  export(options?: RequestOptions): Promise<ResultOf<"exportCustomerMemory">>;
}

/** The owner of a memory and the path parameters that identify the owner. */
type MemoryOwner =
  | { readonly scope: "Customer"; readonly path: { readonly customer_id: string } }
  | { readonly scope: "Session"; readonly path: { readonly session_id: string } };

/** Creates the commands for one memory. Customer and session operations have the same arguments and results. */
export function memoryOf(call: Caller, { scope, path }: MemoryOwner): ClientMemory {
  // The compiler cannot infer that scope and path belong together.
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
    recall: (text, { agent, opening, ...options } = {}) =>
      call(of("recallCustomerMemory"), {
        ...options,
        path: owner,
        body: { text, ...(agent === undefined ? {} : { agent }), ...(opening === undefined ? {} : { opening }) },
      }),
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

/** Values that agents see from their next turn on. */
export interface ClientVariables {
  /** Reads all variables. */
  list(options?: RequestOptions): Promise<ResultOf<"listCustomerVariables">>;
  /** Sets the given variables, removes those that are null, and keeps the others. */
  update(values: BodyFor<"updateCustomerVariables">, options?: RequestOptions): Promise<ResultOf<"updateCustomerVariables">>;
  /** Reads one variable. Throws `variable.not_found` if it has no value. */
  get(name: string, options?: RequestOptions): Promise<ResultOf<"getCustomerVariable">>;
  /** Sets one variable. Null is a value. */
  set(name: string, value: BodyFor<"setCustomerVariable">["value"], options?: RequestOptions): Promise<ResultOf<"setCustomerVariable">>;
  /** Removes one variable. */
  unset(name: string, options?: RequestOptions): Promise<void>;
}

/** The owner of variables and the path parameters that identify the owner. */
type VariableOwner =
  | { readonly scope: "Customer"; readonly path: { readonly customer_id: string } }
  | { readonly scope: "Session"; readonly path: { readonly session_id: string } }
  | { readonly scope: "Agent"; readonly path: { readonly agent: string } };

/** Creates the commands for one owner's variables. The operations of the three scopes have the same arguments and results. */
export function variablesOf(call: Caller, { scope, path }: VariableOwner): ClientVariables {
  // The compiler cannot infer that scope and path belong together.
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

/** A job as the service returns it. */
export type ClientJob = ResultOf<"getJob">;

/** The jobs of a service. */
export interface ClientJobs {
  /** Reads the progress of a job. */
  get(job_id: string, options?: RequestOptions): Promise<ClientJob>;
  /** Polls a job until it is done, every `everyMs` milliseconds; 500 by default. If the job fails, throws the job's error code, or `job.failed`. */
  done(job_id: string, options?: RequestOptions & { readonly everyMs?: number }): Promise<ClientJob>;
  /** Yields the lines of an export as they arrive. The last line confirms that the export is complete. */
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
