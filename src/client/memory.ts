/** What is remembered of a person: of a customer, or as one of their sessions reaches it. */
import type { BodyFor, Caller, QueryFor, RequestOptions, ResultOf } from "./operation-call.ts";
import { pagesOf } from "./pages.ts";

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
export type MemoryOwner =
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
