/** Helpers of the store checks. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { ThroughlineError } from "../../kernel/error.ts";
import type { ErrorCode } from "../../kernel/error-catalogue.ts";
import { type OwnerId, type SessionId, type TraceId, createIds } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type {
  Claim,
  ClaimRequest,
  Commit,
  Committed,
  CommitResult,
  ListItem,
  ListQuery,
  NewEvent,
  NewSession,
  OwnerChange,
  Page,
  RecordChange,
  Refusal,
  SessionChange,
  Store,
  VariablesRow,
} from "../../store/port.ts";

/** One requirement of the store port. */
export interface StoreCheck {
  readonly name: string;
  /** `open` opens the database under test, which is initially empty. The caller that opens a store closes it. */
  readonly run: (open: () => Promise<Store>) => Promise<void>;
}

export const ids = createIds();

/** An arbitrary time. No check depends on it. */
export const someTime = 1_700_000_000_000;

/** Creates a check that needs one store. */
export function check(name: string, body: (store: Store) => Promise<void>): StoreCheck {
  return {
    name,
    async run(open) {
      const store = await open();
      try {
        await body(store);
      } finally {
        await store.close();
      }
    },
  };
}

/** Creates a check that needs one store with a session whose owner is anonymous. */
export const sessionCheck = (name: string, body: (store: Store, session_id: SessionId) => Promise<void>): StoreCheck =>
  check(name, async (store) => body(store, await newSession(store)));

export const trace: TraceId = ids.trace();

export const event = (kind: NewEvent["kind"], data: NewEvent["data"] = {}, extra: Partial<NewEvent> = {}): NewEvent => ({
  kind,
  source: kind === "message" ? "customer" : "ai_agent",
  data,
  ...(extra.turn === undefined || extra.turn === "queued" ? { trace_id: trace } : {}),
  ...extra,
});

/** Returns a customer's message. */
export const message = (text: string, extra: Partial<NewEvent> = {}): NewEvent =>
  event("message", { role: "user", parts: [{ type: "text", text }] }, extra);

/** Returns a customer's message that needs a reply, in the turn that its commit queues. */
export const asked = (text: string): NewEvent => message(text, { turn: "queued", waiting: true });

/** Returns the event that creates a session, with its initial state. */
export const created = (state: NewEvent["data"] = {}): NewEvent => event("session", { type: "created", state }, { source: "system" });

export const queue = (extra: Partial<NonNullable<SessionChange["queue"]>> = {}): NonNullable<SessionChange["queue"]> => ({
  cause: "message",
  trace_id: trace,
  ...extra,
});

/** Returns how a session of the agent "diary" is created. */
export const creation = (owner_id: OwnerId, rest: Partial<NewSession> = {}): NewSession => ({ owner_id, agent: "diary", agent_version: 1, ...rest });

/** Returns a memory entry. */
export const fact = (entry_id: string, data: JsonObject | null = {}) => ({ entry_id, kind: "fact", data });

/** Returns the change that starts a turn. */
export const started = (turn: number): Pick<SessionChange, "events" | "start_turn"> => ({
  events: [event("turn", {}, { turn })],
  start_turn: { number: turn, event: 0 },
});

/** Parts of a commit, without the members that every commit has. */
export interface Parts {
  readonly commit_id?: string;
  readonly at?: number;
  readonly owner?: OwnerChange;
  readonly session?: SessionChange;
  readonly records?: readonly RecordChange[];
}

/** Returns variables that were set at one time and not checked since. */
export const variables = (version: number, values: VariablesRow["values"] = {}, at = someTime): VariablesRow => ({
  version,
  values,
  checked: Object.fromEntries(Object.keys(values).map((name) => [name, at])),
  stale: [],
});

export const commitOf = ({ commit_id = ids.next("commit"), at = someTime, ...parts }: Parts): Commit => ({ commit_id, at, ...parts });

/** Writes a commit that must be accepted. */
export async function write(store: Store, parts: Parts): Promise<Committed> {
  const result = await store.commit(commitOf(parts));
  ok(result.outcome === "committed", `refused: ${JSON.stringify(result)}`);
  return result;
}

/** Writes to a session and returns the session part of the result. */
export async function append(
  store: Store,
  session_id: SessionId,
  change: Omit<SessionChange, "session_id">,
  at = someTime,
): Promise<NonNullable<Committed["session"]>> {
  const { session } = await write(store, { at, session: { session_id, ...change } });
  ok(session !== undefined, "a session commit without a session result");
  return session;
}

/** Writes a customer's message at a time, and queues the turn that answers it. */
export const ask = (
  store: Store,
  session_id: SessionId,
  text = "a",
  { at = someTime, ...extra }: Parameters<typeof queue>[0] & { readonly at?: number } = {},
) => append(store, session_id, { events: [asked(text)], queue: queue(extra) }, at);

/** Forks a session at an offset, its head by default. */
export async function forkOf(
  store: Store,
  session_id: SessionId,
  { at, ...rest }: { readonly at?: number } & Partial<SessionChange> = {},
): Promise<SessionId> {
  const parent = await store.open({ session_id });
  ok(parent !== undefined);
  const child = ids.next("session");
  const fork = { session_id, at: at ?? parent.head };
  const create = { owner_id: parent.owner_id, agent: parent.agent, agent_version: parent.agent_version, fork };
  await write(store, { session: { session_id: child, create, events: [forked(fork.at)], ...rest } });
  return child;
}

/** Returns the first event of a fork's own. */
export const forked = (at: number): NewEvent => event("session", { type: "forked", at }, { source: "system" });

export const minute = 60_000;

type ClaimOptions = Omit<Extract<ClaimRequest, { kind: "next" }>, "kind">;

/** Claims the next turn, for a minute by default. */
export const claimNext = (store: Store, options: Partial<ClaimOptions> = {}): Promise<Claim | undefined> =>
  store.claim({ kind: "next", worker: "w1", lease_ms: minute, ...options });

/** Claims a session's turn, for a minute by default. */
export const claimSession = (store: Store, session_id: SessionId, options: Partial<ClaimOptions> = {}): Promise<Claim | undefined> =>
  store.claim({ kind: "session", session_id, worker: "w2", lease_ms: minute, ...options });

export const renew = (store: Store, session_id: SessionId, epoch: number, lease_ms = minute): Promise<Claim | undefined> =>
  store.claim({ kind: "renew", session_id, epoch, lease_ms });

/** Returns number, status and attempts of each open turn. */
export const openTurns = async (store: Store, session_id: SessionId): Promise<unknown> =>
  (await store.load({ session_id }))?.turns.map(({ number, status, attempts }) => [number, status, attempts]);

/** Lists a whole query, page by page. */
export async function pagesOf<Query extends ListQuery>(store: Store, query: Query): Promise<readonly Page<ListItem<Query>>[]> {
  const page = await store.list(query);
  return page.next_cursor === null ? [page] : [page, ...(await pagesOf(store, { ...query, cursor: page.next_cursor }))];
}

/** Writes a commit that must be refused with exactly this refusal, without any change. */
export async function expectRefusal(store: Store, parts: Parts, refusal: Refusal): Promise<void> {
  const sessionId = parts.session?.session_id;
  const look = async (): Promise<unknown> =>
    sessionId === undefined ? undefined : [await store.load({ session_id: sessionId }), await store.read({ session_id: sessionId })];
  const before = await look();
  const result: CommitResult = await store.commit(commitOf(parts));
  deepStrictEqual(result, { outcome: "refused", ...refusal });
  deepStrictEqual(await look(), before);
}

/** Waits for an error with a code. */
export async function expectError(promise: Promise<unknown>, code: ErrorCode): Promise<ThroughlineError> {
  const settled: unknown = await promise.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  ok(ThroughlineError.is(settled, code), `expected ${code}, got ${settled instanceof Error ? String(settled) : JSON.stringify(settled)}`);
  return settled;
}

/** Writes a commit that must be rejected as invalid. */
export const expectInvalid = (store: Store, parts: Parts): Promise<ThroughlineError> => expectError(store.commit(commitOf(parts)), "input.invalid");

/** Creates an owner, optionally with a customer id. */
export async function newOwner(store: Store, customer_id?: string): Promise<OwnerId> {
  const owner_id = ids.next("owner");
  await write(store, { owner: { owner_id, create: customer_id === undefined ? {} : { customer_id } } });
  return owner_id;
}

export interface SessionOptions {
  readonly owner_id?: OwnerId;
  readonly create?: Partial<NewSession>;
  readonly header?: NonNullable<SessionChange["header"]>;
  readonly state?: NewEvent["data"];
  readonly at?: number;
}

/** Creates a session, with an anonymous owner by default. Its log has offset 0. */
export async function newSession(store: Store, options: SessionOptions = {}): Promise<SessionId> {
  const { owner_id = await newOwner(store), create, header, state, at = someTime } = options;
  const session_id = ids.next("session");
  const change = { session_id, create: creation(owner_id, create), events: [created(state)] };
  await write(store, { at, session: header === undefined ? change : { ...change, header } });
  return session_id;
}

/** Returns the offsets of a session's events as a read shows them. */
export async function offsetsOf(
  store: Store,
  session_id: SessionId,
  options: Omit<Parameters<Store["read"]>[0], "session_id"> = {},
): Promise<readonly number[] | undefined> {
  return (await store.read({ session_id, ...options }))?.events.map(({ offset }) => offset);
}

export const never: AbortSignal = new AbortController().signal;
