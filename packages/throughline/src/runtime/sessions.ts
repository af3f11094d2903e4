import { invalidAt } from "../extension/failure.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { parseSessionId, turnIdOf, type OwnerId, type SessionId } from "../kernel/id.ts";
import { isPlainObject, objectGiven, type JsonObject, present } from "../kernel/json.ts";
import { acknowledged } from "../session/decide-handover.ts";
import { createdEvent, newEvent } from "../session/new-event.ts";
import { initialState } from "../state/document.ts";
import type { ListQuery, OwnerChange, Page, SessionChange, SessionMode, SessionRow } from "../store/port.ts";
import { commitOnce, headerOf, refused } from "../extension/commit.ts";
import { agentOf, type RuntimeContext } from "./context.ts";
import { toErasure, type Erasure } from "./commands/retention.ts";
import { checkId, newOwner, type CoreCustomers } from "./commands/customers.ts";
import { type Lineage, lineageOf } from "./reading/history.ts";
import { idempotencyOf, ofCreation, usedBefore, type Idempotency } from "./commands/idempotency.ts";
import { checkTitleAndLabels, newHeader, openKeyOf } from "./commands/session-header.ts";
import type { Agent } from "./agent/agent.ts";
import type { CoreSession, SessionClass } from "./session.ts";
import { toInfo, type SessionInfo } from "./reading/session-info.ts";
import { eraseFamily } from "./subagent/child-sessions.ts";
import { isIncognito, subagentLabel, withIncognito } from "../session/session-view.ts";
import { damagedIn, endsOf, type SessionEnd, waitingSessions, type WaitsFor } from "./reading/listed-session.ts";
import { searchSessions, type Match } from "./reading/search.ts";
import { unsavedMessage, type UnsavedInput } from "./turn/unsaved.ts";
import type { Worker } from "./turn/turn-worker.ts";

/** Options of a new session. */
export interface NewSessionOptions<Of extends Agent | string = Agent | string> {
  /** A registered agent, or its name. */
  readonly agent: Of;
  /** Id of the customer. An anonymous session gets its own owner. */
  readonly customer?: string;
  /** At most 200 characters. */
  readonly title?: string;
  readonly metadata?: JsonObject;
  readonly labels?: readonly string[];
  /** Excludes the session from memory: it stores no memories and recalls none. It cannot be changed later. Defaults to false. */
  readonly incognito?: boolean;
  /** Lets the agent speak first. If the greeting is empty or fails, the agent stays silent. */
  readonly greet?: boolean;
  /** Unique in the database. The same key and options return the session that was created first. 1 to 255 characters. */
  readonly idempotencyKey?: string;
}

/** Options for opening a session. Agent, customer and key find it; the other options apply when it is created. */
export interface OpenSessionOptions<Of extends Agent | string = Agent | string> extends Omit<NewSessionOptions<Of>, "greet" | "idempotencyKey"> {
  /** Distinguishes the sessions of one customer and agent. Defaults to `"default"`. Required for an anonymous session. */
  readonly key?: string;
  /** Whether an unknown customer is registered. Defaults to true. If false, an unknown customer throws `customer.not_found`. */
  readonly register?: boolean;
}

/** Result of opening a session, with its handle. */
export interface OpenedOf<Of> {
  readonly session: Of;
  /** Whether this call created the session. */
  readonly created: boolean;
}

/** Filter of a session list. */
export interface SessionFilter {
  readonly agent?: string;
  readonly customer?: string;
  readonly mode?: SessionMode;
  /** Only sessions with all of these labels. */
  readonly labels?: readonly string[];
  /** Whether the sessions of child agents are included. Defaults to false, unless `labels` selects them. */
  readonly children?: boolean;
  /** The `external_id` in the session's metadata. */
  readonly externalId?: string;
  /** Only sessions with an event at this time or later, in milliseconds. */
  readonly updatedFrom?: number;
  /** Only sessions without an event at this time or later. */
  readonly updatedBefore?: number;
  /**
   * Only sessions whose title or messages contain this text, ignoring case and accents. 1 to 200 characters. A page searches 200 sessions and about
   * 5,000 messages at most, so it may be short or empty while `next_cursor` continues. `total` counts the searched sessions.
   */
  readonly q?: string;
  /**
   * Only sessions whose turn waits for an approval, or for an answer to a question. A page reads 10 times its limit of sessions whose turn runs, so it
   * may be short or empty while `next_cursor` continues. `total` counts the sessions whose turn runs.
   */
  readonly waits?: WaitsFor;
  /** Whether each session says what it waits for and what its last message was. Defaults to false. */
  readonly ends?: boolean;
  /** 1 to 100; 100 by default. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Oldest first by default. */
  readonly order?: "asc" | "desc";
}

/** A session in a list. `waits_for` and `last_message` are there with `ends` or `waits`. */
export interface ListedSession extends SessionInfo, SessionEnd {
  /** Position of the searched text. */
  readonly match?: Match;
}

/** Sessions of a runtime, as handles of class `Of`. */
export interface SessionsOf<Of extends CoreSession> {
  /** Creates a session. Throws `agent.not_found`, `customer.not_found` or `session.invalid`. */
  create(options: NewSessionOptions): Promise<Of>;
  /**
   * Returns the session of that agent, customer and key, and creates it if necessary. Concurrent calls create one session. An unknown customer is
   * registered.
   */
  open(options: OpenSessionOptions): Promise<Of>;
  /** Does the same as `open` and also returns whether the session is new. */
  openOrCreate(options: OpenSessionOptions): Promise<OpenedOf<Of>>;
  /** Returns a session. Throws `session.not_found` if there is none with that id. */
  get(id: string): Promise<Of>;
  /** Does the same as `get` and also returns the session's properties, in one read. */
  getWithInfo(id: string): Promise<{ readonly session: Of; readonly info: SessionInfo }>;
  /**
   * Returns the error to throw for a customer's message that could not be posted. It covers a database failure before the post, and an at-risk
   * sender's message that was rejected (`limit.rate`, `request.too_large`, `request.invalid`, `input.invalid`, `state.…`).
   *
   * If the agent has a gate, the error's details have `saved` (`false` or `"unknown"`) and `reply`, the text for the customer. The assessment is
   * recorded as by `post`. Any other error is returned unchanged. It does not query a database that has failed.
   *
   * `customer` is the claimed owner if ownership was not checked. The customer's crisis stage then counts only if this process knows that the claim
   * is true. `agent` is the session's agent, undefined if the database could not tell. If `agent` is left out, it is looked up.
   */
  unsaved(message: UnsavedInput, error: unknown): Promise<unknown>;
  list(filter?: SessionFilter): Promise<Page<ListedSession>>;
  /** Returns the tree of forks that contains a session, from the oldest session that still exists. */
  tree(id: string): Promise<SessionTree>;
  /**
   * Erases a session with its log and the sessions of its child agents. Returns the receipt of the session. Events that living forks share stay until
   * the last of them is erased.
   */
  delete(id: string): Promise<Erasure>;
  /** Deletes every session of an agent or a customer. Returns their number. Throws `filter.required` without a filter. */
  deleteAll(filter: { readonly agent?: string; readonly customer?: string }): Promise<number>;
}

/** A session and its forks, in the order of forking. */
export interface SessionTree {
  readonly session: SessionInfo;
  readonly forks: readonly SessionTree[];
}

const treeOf = ({ session, forks }: Lineage<SessionRow>): SessionTree => ({ session: toInfo(session), forks: forks.map(treeOf) });

/** Dependencies for opening and listing sessions. */
interface Registry<Of extends CoreSession = CoreSession> {
  readonly runtime: RuntimeContext;
  readonly customers: CoreCustomers;
  readonly handle: (id: SessionId, agent?: string) => Of;
}

/** Creates the sessions of a runtime. `session` is the class of their handles. */
export function createSessions<Of extends CoreSession>(
  runtime: RuntimeContext,
  { worker, customers, session: Own }: { readonly worker: Worker; readonly customers: CoreCustomers; readonly session: SessionClass<Of> },
): SessionsOf<Of> {
  const registry: Registry<Of> = { runtime, customers, handle: (id, agent) => new Own(runtime, worker, id, agent) };
  return {
    create: (options) => createSession(registry, options),
    open: async (options) => (await openSession(registry, options)).session,
    openOrCreate: (options) => openSession(registry, options),
    unsaved: (message, error) => unsavedMessage(runtime, message, error),
    list: async (filter = {}) => listSessions(registry, objectGiven(filter, "sessions.list")),
    deleteAll: async (filter) => deleteSessions(registry, objectGiven(filter, "sessions.deleteAll")),
    tree: async (id) => treeOf(await lineageOf(runtime.store, parseSessionId(id))),
    get: async (id) => (await findSession(registry, id)).session,
    getWithInfo: (id) => findSession(registry, id),
    delete: async (id) => {
      const erased = await eraseFamily(runtime.store, { session_id: parseSessionId(id) });
      if (erased.sessions === 0) throw refused({ reason: "session_missing" }, parseSessionId(id));
      return toErasure(erased);
    },
  };
}

async function findSession<Of extends CoreSession>(
  { runtime, handle }: Registry<Of>,
  id: string,
): Promise<{ readonly session: Of; readonly info: SessionInfo }> {
  const row = await headerOf(runtime, parseSessionId(id));
  return { session: handle(row.session_id, row.agent), info: toInfo(row) };
}

async function createSession<Of extends CoreSession>(registry: Registry<Of>, options: NewSessionOptions): Promise<Of> {
  checkOptions(options);
  const { runtime, handle } = registry;
  const { idempotencyKey: _key, ...rest } = options;
  const body = { ...rest, agent: registered(runtime, options.agent).name };
  const idempotency = idempotencyOf(options, "create_session", body);
  const open_key = idempotency && JSON.stringify(["created", idempotency.key]);
  const made = open_key === undefined ? undefined : await runtime.store.open({ open_key });
  const session_id = made?.session_id ?? (await commitNew(registry, options, open_key === undefined ? undefined : { open_key, idempotency }));
  if (idempotency !== undefined) await usedBefore(runtime, session_id, ofCreation(idempotency));
  const created = handle(session_id);
  if (options.greet === true) await created.outcome(turnIdOf(session_id, 1));
  return created;
}

/**
 * Commits a new session, together with its greeting if requested. Returns the id of the session that another caller created with the same key
 * meanwhile, if any.
 */
async function commitNew(
  registry: Registry,
  options: NewSessionOptions,
  keyed: { readonly open_key: string; readonly idempotency: Idempotency | undefined } | undefined,
): Promise<SessionId> {
  const { runtime } = registry;
  const { owner_id, owner } = await ownerOf(registry, options.customer, { register: false });
  const created = creation(runtime, options, { owner_id, ...(keyed === undefined ? {} : { open_key: keyed.open_key }) });
  const trace_id = runtime.ids.trace();
  const greeting: Pick<SessionChange, "events" | "queue"> =
    options.greet === true ? { events: [...(created.events ?? []), acknowledged(trace_id)], queue: { cause: "greeting", trace_id } } : {};
  const session = { ...created, ...greeting, ...(keyed?.idempotency === undefined ? {} : { idempotency: ofCreation(keyed.idempotency) }) };
  const result = await commitOnce(runtime, { ...owner, session });
  if (result.outcome === "committed") return session.session_id;
  if (result.reason === "session_exists") return result.session_id;
  throw refused(result, session.session_id);
}

/** Maximum number of lost races with another opener: one for the customer and one for the session. */
const openTries = 3;

/** An incognito caller must not get a session that is remembered, and the reverse. */
function checkIncognito(row: SessionRow, { incognito }: OpenSessionOptions): void {
  if (incognito === undefined || incognito === isIncognito(row)) return;
  throw new ThroughlineError("session.invalid", `The session of that key is ${incognito ? "not " : ""}incognito, which never changes.`, {
    hint: "Open another session under a different key.",
    details: { session_id: row.session_id },
  });
}

async function openSession<Of extends CoreSession>(registry: Registry<Of>, options: OpenSessionOptions): Promise<OpenedOf<Of>> {
  checkOptions(options);
  const { runtime, handle } = registry;
  const agent = registered(runtime, options.agent).name;
  const { customer, key = customer === undefined ? undefined : "default" } = options;
  if (key === undefined) {
    throw new ThroughlineError("session.invalid", "Opening a session needs a customer or a key.", {
      hint: "Use create for a new anonymous session.",
    });
  }
  if (customer !== undefined) checkId(customer);
  const open_key = openKeyOf(agent, customer, key);
  for (let tries = 1; ; tries++) {
    const row = (await runtime.store.open({ open_key })) ?? (await identifiedSession(runtime, agent, customer, key));
    if (row !== undefined) {
      checkIncognito(row, options);
      return { session: handle(row.session_id), created: false };
    }
    const { owner_id, owner } = await ownerOf(registry, customer, { register: options.register ?? true });
    const session = creation(runtime, options, { owner_id, open_key });
    const result = await commitOnce(runtime, { ...owner, session });
    if (result.outcome === "committed") return { session: handle(session.session_id), created: true };
    if (tries === openTries || (result.reason !== "session_exists" && result.reason !== "owner_exists")) throw refused(result, session.session_id);
  }
}

/** Returns the session that was opened with the key while it was anonymous and now belongs to that customer. */
async function identifiedSession(
  { store }: RuntimeContext,
  agent: string,
  customer: string | undefined,
  key: string,
): Promise<SessionRow | undefined> {
  const row = customer === undefined ? undefined : await store.open({ open_key: JSON.stringify([agent, null, key]) });
  return row?.customer_id === customer ? row : undefined;
}

type SessionsQuery = Extract<ListQuery, { readonly of: "sessions" }>;

/** Returns the query of the store for a filter. Undefined if the filter's customer does not exist. */
async function queryOf(customers: CoreCustomers, filter: Omit<SessionFilter, "q" | "waits" | "ends">) {
  const {
    customer,
    externalId,
    updatedFrom,
    updatedBefore,
    children = Array.isArray(filter.labels) && filter.labels.includes(subagentLabel),
    ...rest
  } = filter;
  const owner = customer === undefined ? undefined : await customers.find(customer);
  if (customer !== undefined && owner === undefined) return undefined;
  return {
    of: "sessions",
    ...rest,
    ...(children ? {} : { without_labels: [subagentLabel] }),
    ...(owner === undefined ? {} : { owner_id: owner.owner_id }),
    ...present({ external_id: externalId, updated_from: updatedFrom, updated_before: updatedBefore }),
  } as const satisfies ListQuery;
}

async function listSessions({ runtime, customers }: Registry, filter: SessionFilter): Promise<Page<ListedSession>> {
  const { q, waits, ends = false, ...rest } = filter;
  if (waits !== undefined && waits !== "approval" && waits !== "answer")
    throw invalidAt("input.invalid", "waits", `Sessions wait for "approval" or "answer", got ${seen(waits)}.`);
  const query = await queryOf(customers, rest);
  if (query === undefined) return { items: [], next_cursor: null, total: 0 };
  if (q === undefined && waits !== undefined) {
    const page = await waitingSessions(runtime, query, waits);
    return { ...page, items: page.items.map(({ row, end }) => ({ ...toInfo(row), ...end })) };
  }
  const page = q === undefined ? await listed(runtime, query) : await searched(runtime, waits === undefined ? query : { ...query, running: true }, q);
  if (!ends && waits === undefined) return page;
  const found = await endsOf(
    runtime,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((session) => ({ ...session, ...found.of.get(session.id) }));
  return { ...page, ...damagedIn(page, found), items: waits === undefined ? items : items.filter(({ waits_for }) => waits_for?.includes(waits)) };
}

async function listed({ store }: RuntimeContext, query: SessionsQuery): Promise<Page<ListedSession>> {
  const page = await store.list(query);
  return { ...page, items: page.items.map(toInfo) };
}

async function searched({ store }: RuntimeContext, { limit, cursor, ...query }: SessionsQuery, q: string): Promise<Page<ListedSession>> {
  const found = await searchSessions(store, query, { q, cursor, ...present({ limit }) });
  return { ...found, items: found.items.map(({ row, match }) => ({ ...toInfo(row), match })) };
}

async function deleteSessions(registry: Registry, filter: { readonly agent?: string; readonly customer?: string }): Promise<number> {
  if (filter.agent === undefined && filter.customer === undefined) {
    throw new ThroughlineError("filter.required", "Deleting sessions needs an agent or a customer.");
  }
  let deleted = 0;
  for (;;) {
    const page = await listSessions(registry, { ...filter, children: true, limit: 100 });
    if (page.items.length === 0) return deleted;
    for (const { id } of page.items) deleted += (await eraseFamily(registry.runtime.store, { session_id: id })).sessions;
  }
}

/** Returns the registered agent. Throws `agent.not_found` if there is none of that name, or if it is another agent with another state. */
function registered(runtime: RuntimeContext, given: Agent | string): Agent {
  const name = typeof given === "object" && given !== null ? given.name : given;
  const agent = agentOf(runtime, name);
  if (typeof given === "string" || given.state === agent.state) return agent;
  throw new ThroughlineError("agent.not_found", `Another agent, with another state, is registered as ${seen(name)}.`, {
    hint: "Pass the agent that the runtime was created with, or its name.",
    details: { agent: name },
  });
}

function checkOptions(options: NewSessionOptions): void {
  if (!isPlainObject(options)) throw new ThroughlineError("session.invalid", `A session is opened with an object of options, got ${seen(options)}.`);
  // A value that is not a boolean must not count as false, because the conversation would be remembered.
  if (options.incognito !== undefined && typeof options.incognito !== "boolean")
    throw invalidAt("session.invalid", "incognito", `incognito is true or false, got ${seen(options.incognito)}.`);
  checkTitleAndLabels(options);
}

/** Returns the part of a commit that creates a session: its header and the first event of its log. */
function creation(
  runtime: RuntimeContext,
  options: NewSessionOptions,
  owner: { readonly owner_id: OwnerId; readonly open_key?: string },
): SessionChange {
  const agent = registered(runtime, options.agent);
  const trace_id = runtime.ids.trace();
  const { title } = options;
  const titled = title === undefined ? [] : [newEvent("session", "system", { type: "title", title }, { trace_id })];
  return {
    session_id: runtime.ids.next("session"),
    create: { ...owner, agent: agent.name, agent_version: agent.version },
    events: [createdEvent({ agent: agent.name, definition: agent.version, state: initialState(agent.state) }, trace_id), ...titled],
    header: withIncognito(newHeader(options), options.incognito === true),
  };
}

/** Returns the owner of a new session: the customer's, or a new one with the part of a commit that creates it. */
async function ownerOf(
  { runtime, customers }: Registry,
  customer: string | undefined,
  { register }: { readonly register: boolean },
): Promise<{ readonly owner_id: OwnerId; readonly owner?: { readonly owner: OwnerChange } }> {
  if (customer === undefined) {
    const owner_id = runtime.ids.next("owner");
    return { owner_id, owner: { owner: { owner_id, create: {} } } };
  }
  const found = register ? await customers.find(customer) : await customers.get(customer);
  if (found !== undefined) return { owner_id: found.owner_id };
  const owner = newOwner(runtime, { id: customer });
  return { owner_id: owner.owner_id, owner: { owner } };
}
