/** Throughline as a store of LangGraph.js: values by namespace and key, which all threads share. */
import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { defineAgent, defineState, loop, scripted, ThroughlineError, type JsonObject, type Runtime, type Session } from "throughline";
import { isPlainObject } from "throughline/kernel";

/** The agent that the sessions of a store belong to. It never replies: a session stores the items of one namespace. */
export const storeAgent = defineAgent({ name: "langgraph-store", version: 1, state: defineState({}), reply: loop({ model: scripted(() => "") }) });

/** A stored value. */
interface Entry {
  readonly value: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What an event holds: values by key, in the order in which they were put. Null deletes. */
interface StoredPuts {
  readonly puts: readonly (readonly [key: string, value: JsonObject | null])[];
}

/** Characters of values in one event. Escaping at most doubles them, and an event may have 1,048,576. */
const charactersPerEvent = 400_000;
/** How many namespaces are kept in memory. */
const keptNamespaces = 1_000;

/** Options of a store. */
export interface ThroughlineStoreOptions {
  /** Returns the id of the customer that a namespace belongs to, if there is one. Erasing the customer erases the namespace. It never changes. */
  readonly customer?: (namespace: readonly string[]) => string | undefined;
}

/**
 * Stores the items of LangGraph. A namespace is a session, and its log holds what was put. A process keeps the items of the namespaces that it uses, and
 * reads only what was added since. There is no index of meanings: as in LangGraph's own stores without one, `query` and `index` have no effect.
 */
export class ThroughlineStore extends BaseStore {
  readonly #runtime: Runtime;
  readonly #customerOf: (namespace: readonly string[]) => string | undefined;
  readonly #open = new Map<string, Namespace>();

  /** `runtime` must have `storeAgent` among its agents. */
  constructor(runtime: Runtime, { customer = () => undefined }: ThroughlineStoreOptions = {}) {
    super();
    this.#runtime = runtime;
    this.#customerOf = customer;
  }

  /**
   * Runs operations. Reads see what was there before, and of several puts of one key the last one counts. The puts of one namespace are one commit, unless
   * they are large.
   */
  async batch<Operations extends Operation[]>(operations: Operations): Promise<OperationResults<Operations>> {
    const results: (Item | null | SearchItem[] | string[][] | undefined)[] = [];
    const puts = new Map<string, { readonly path: readonly string[]; readonly values: Map<string, JsonObject | null> }>();
    for (const operation of operations) {
      if ("namespacePrefix" in operation) results.push(await this.#search(operation));
      else if ("value" in operation) {
        const { namespace, key, value } = operation;
        const name = nameOf(namespace);
        const { values } = puts.get(name) ?? { values: new Map<string, JsonObject | null>() };
        // What was put last is last in the log.
        values.delete(key);
        values.set(key, value === null ? null : (JSON.parse(JSON.stringify(value)) as JsonObject));
        puts.set(name, { path: namespace, values });
        results.push(undefined);
      } else if ("key" in operation) results.push(await this.#get(operation));
      else results.push(await this.#listNamespaces(operation));
    }
    for (const { path, values } of puts.values()) await this.#put(path, [...values]);
    return results as OperationResults<Operations>;
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const entries = await this.#entries(namespace);
    const entry = entries.get(key);
    return entry === undefined ? null : itemOf(namespace, key, entry);
  }

  /** Returns the items that were put last first. */
  async #search({ namespacePrefix, filter, limit = 10, offset = 0 }: SearchOperation): Promise<SearchItem[]> {
    const wanted: readonly (readonly [string, unknown])[] = Object.entries(filter ?? {});
    const found: { readonly path: readonly string[]; readonly key: string; readonly entry: Entry }[] = [];
    for (const namespace of await this.#below(namespacePrefix))
      for (const [key, entry] of [...(await this.#read(namespace))].toReversed())
        if (wanted.every(([name, condition]) => matches(entry.value[name], condition))) found.push({ path: namespace.path, key, entry });
    const newestFirst = found.toSorted((one, other) => other.entry.updatedAt - one.entry.updatedAt);
    return newestFirst.slice(offset, offset + limit).map(({ path, key, entry }) => itemOf(path, key, entry));
  }

  async #listNamespaces({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation): Promise<string[][]> {
    const prefix = matchConditions.find(({ matchType, path }) => matchType === "prefix" && !path.includes("*"));
    const paths = new Map<string, readonly string[]>();
    for (const namespace of await this.#below(prefix?.path ?? [])) {
      if (!matchConditions.every((condition) => fits(namespace.path, condition)) || (await this.#read(namespace)).size === 0) continue;
      const path = namespace.path.slice(0, maxDepth);
      paths.set(nameOf(path), path);
    }
    const sorted = [...paths.values()].toSorted(comparePaths);
    return sorted.slice(offset, offset + limit).map((path) => [...path]);
  }

  async #put(path: readonly string[], values: readonly (readonly [string, JsonObject | null])[]): Promise<void> {
    for (let first = 0; first < values.length;) {
      let characters = 0;
      let end = first;
      do characters += JSON.stringify(values[end]).length;
      while (++end < values.length && characters + JSON.stringify(values[end]).length <= charactersPerEvent);
      const stored: StoredPuts = { puts: values.slice(first, end) };
      await this.#commit(path, stored);
      first = end;
    }
  }

  /** Writes into the session of a namespace, and into a new one if somebody deletes it meanwhile. */
  async #commit(path: readonly string[], { puts }: StoredPuts): Promise<void> {
    for (;;) {
      const session = this.#open.get(nameOf(path))?.session ?? (await this.#begin(path));
      try {
        await session.postCustom({ puts: puts.map(([key, value]) => [key, value]) });
        return;
      } catch (error) {
        if (!ThroughlineError.is(error, "session.not_found")) throw error;
        this.#open.delete(nameOf(path));
      }
    }
  }

  async #begin(path: readonly string[]): Promise<Session> {
    const key = digestOf(path);
    // A label for each prefix finds the namespaces below it. Digests, because labels are not encrypted.
    const labels = path.map((_, index) => digestOf(path.slice(0, index + 1)));
    const metadata = { external_id: key, namespace: [...path] };
    const customer = this.#customerOf(path);
    const owner = customer === undefined ? {} : { customer };
    const session = await this.#runtime.sessions.open({ agent: storeAgent.name, key, labels, metadata, ...owner });
    this.#keep(new Namespace(path, session));
    return session;
  }

  /** The entries of a namespace; none if it does not exist. */
  async #entries(path: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    const known = this.#open.get(nameOf(path));
    if (known !== undefined) return this.#read(known);
    const { items } = await this.#runtime.sessions.list({ agent: storeAgent.name, externalId: digestOf(path), limit: 1 });
    const found = items[0];
    return found === undefined ? new Map<string, Entry>() : this.#read(this.#keep(new Namespace(path, await this.#runtime.sessions.get(found.id))));
  }

  /** The entries of a namespace; none if somebody has deleted it. */
  async #read(namespace: Namespace): Promise<ReadonlyMap<string, Entry>> {
    try {
      return await namespace.read();
    } catch (error) {
      if (!ThroughlineError.is(error, "session.not_found")) throw error;
      this.#open.delete(nameOf(namespace.path));
      return new Map<string, Entry>();
    }
  }

  /** The namespaces that begin with a path. */
  async #below(path: readonly string[]): Promise<readonly Namespace[]> {
    const found: Namespace[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const filter = { agent: storeAgent.name, ...(path.length === 0 ? {} : { labels: [digestOf(path)] }) };
      const page = await this.#runtime.sessions.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
      for (const { id, metadata } of page.items) {
        // A session that was not begun above, but by a customer, has no such metadata.
        const namespace = metadata.values["namespace"];
        if (!isPath(namespace)) continue;
        const known = this.#open.get(nameOf(namespace));
        found.push(known?.session.id === id ? known : this.#keep(new Namespace(namespace, await this.#runtime.sessions.get(id))));
      }
      cursor = page.next_cursor;
    }
    return found;
  }

  #keep(namespace: Namespace): Namespace {
    this.#open.set(nameOf(namespace.path), namespace);
    for (const name of this.#open.keys()) {
      if (this.#open.size <= keptNamespaces) break;
      this.#open.delete(name);
    }
    return namespace;
  }
}

/** The items of a namespace, as far as its log is known. */
class Namespace {
  readonly path: readonly string[];
  readonly session: Session;
  readonly #entries = new Map<string, Entry>();
  #next = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(path: readonly string[], session: Session) {
    this.path = path;
    this.session = session;
  }

  /** Reads what was added since the last time, and returns the entries in the order in which they were put. */
  async read(): Promise<ReadonlyMap<string, Entry>> {
    const reading = this.#reading.then(() => this.#readOn());
    this.#reading = reading.catch(() => {});
    await reading;
    return this.#entries;
  }

  async #readOn(): Promise<void> {
    for await (const event of this.session.events({ minOffset: this.#next, kinds: ["custom"], follow: false })) {
      const { offset, created_at: at, kind, source, data } = event;
      this.#next = offset + 1;
      // Others may post into these sessions, customers among them. Only the operator's programs post as `system`.
      if (kind !== "custom" || source !== "system" || !isStoredPuts(data.value)) continue;
      for (const [key, value] of data.value.puts) {
        const createdAt = this.#entries.get(key)?.createdAt ?? at;
        this.#entries.delete(key);
        if (value !== null) this.#entries.set(key, { value, createdAt, updatedAt: at });
      }
    }
  }
}

const isPath = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((label) => typeof label === "string");

const isPut = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === "string" && (value[1] === null || isPlainObject(value[1]));

const isStoredPuts = (value: unknown): value is StoredPuts => isPlainObject(value) && Array.isArray(value["puts"]) && value["puts"].every(isPut);

const nameOf = (path: readonly string[]): string => JSON.stringify(path);

const digestOf = (path: readonly string[]): string => createHash("sha256").update(nameOf(path)).digest("base64url");

/** A caller may change what it gets, so it gets a copy. */
const itemOf = (path: readonly string[], key: string, { value, createdAt, updatedAt }: Entry): Item => ({
  ...{ namespace: [...path], key, value: structuredClone(value) },
  ...{ createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) },
});

/** Whether a path has a prefix or a suffix, in which `*` stands for any label. */
function fits(path: readonly string[], { matchType, path: pattern }: MatchCondition): boolean {
  const first = matchType === "prefix" ? 0 : path.length - pattern.length;
  return first >= 0 && pattern.every((label, index) => (label === "*" && first + index < path.length) || path[first + index] === label);
}

function comparePaths(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((label, index) => label !== other[index]);
  if (at === -1) return one.length - other.length;
  return other[at] === undefined || (one[at] ?? "") > other[at] ? 1 : -1;
}

const comparisons: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  $eq: isDeepStrictEqual,
  $ne: (value, wanted) => !isDeepStrictEqual(value, wanted),
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.some((one) => isDeepStrictEqual(value, one)),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.some((one) => isDeepStrictEqual(value, one)),
};

/** Whether a member of a value meets a condition of a filter: a value, or operators of LangGraph. */
function matches(value: unknown, condition: unknown): boolean {
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) return isDeepStrictEqual(value, condition);
  const operators = Object.entries(condition);
  if (operators.some(([name]) => !Object.hasOwn(comparisons, name))) return isDeepStrictEqual(value, condition);
  return operators.every(([name, wanted]) => comparisons[name]?.(value, wanted));
}
