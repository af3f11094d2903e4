/** Throughline as a session of the OpenAI Agents SDK. */
import {
  applySessionHistoryMutations,
  protocol,
  UserError,
  type AgentInputItem,
  type SessionHistoryRewriteArgs,
  type SessionHistoryRewriteAwareSession,
  type SessionHistoryTransactionArgs,
  type SessionHistoryTransactionAwareSession,
} from "@openai/agents";
import { createHash, randomUUID } from "node:crypto";
import { ThroughlineError, type Json, type JsonObject, type Runtime, type Session } from "throughline";
import { canonicalJson, jsonEqual } from "throughline/kernel";
import { changeAt, historyAgent, readTail, type HistoryChange, type Tail } from "./item-history.ts";
import { decodeItem, encodeItem } from "./item-json.ts";

/** Options of a session. */
export interface ThroughlineSessionOptions {
  /** Id of the conversation. The same id is the same history in every process. Defaults to a new id. */
  readonly sessionId?: string;
  /** Id of the customer that the session belongs to. Erasing the customer erases the history. */
  readonly customer?: string;
}

/** A change of the SDK whose items are JSON. */
type Transaction =
  | { readonly type: "append_items"; readonly items: readonly Json[] }
  | { readonly type: "replace_suffix"; readonly expectedSuffix: readonly Json[]; readonly replacement: readonly Json[] };

/**
 * The history of a conversation, durable and shared by processes. A change is one commit that stores what it adds. A read takes the events that hold
 * the items that it returns. `runtime` must have `historyAgent` among its agents.
 */
export class ThroughlineSession implements SessionHistoryTransactionAwareSession, SessionHistoryRewriteAwareSession {
  readonly #runtime: Runtime;
  readonly #id: string;
  readonly #customer: string | undefined;
  #session: Session | undefined;

  constructor(runtime: Runtime, options: ThroughlineSessionOptions = {}) {
    this.#runtime = runtime;
    this.#id = options.sessionId ?? randomUUID();
    this.#customer = options.customer;
  }

  /** Returns the id of the conversation. */
  async getSessionId(): Promise<string> {
    return this.#id;
  }

  /** Returns the last `limit` items, oldest first, or all. */
  async getItems(limit = Number.POSITIVE_INFINITY): Promise<AgentInputItem[]> {
    if (limit <= 0) return [];
    const { items } = await this.#use((session) => readTail(session, limit));
    return items.map(asItem);
  }

  /** Adds items at the end. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length === 0) return;
    const change: HistoryChange = { drop: 0, items: encodeAll(items) };
    await this.#use((session) => retrying(() => commit(session, change)));
  }

  /** Removes the last item and returns it. */
  async popItem(): Promise<AgentInputItem | undefined> {
    return this.#use((session) =>
      retrying(async () => {
        const tail = await readTail(session, 1);
        const last = tail.items[0];
        if (last === undefined) return undefined;
        await commit(session, { drop: 1, items: [] }, { readAt: tail });
        return asItem(last);
      }),
    );
  }

  /** Erases the session with its log. */
  async clearSession(): Promise<void> {
    await this.#use((session) => this.#runtime.sessions.delete(session.id));
    this.#session = undefined;
  }

  /** Rewrites calls and their results. It reads the whole history, and stores it from the first changed item on. */
  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    if (mutations.length === 0) return;
    await this.#use((session) =>
      retrying(async () => {
        const tail = await readTail(session, Number.POSITIVE_INFINITY);
        const items = encodeAll(applySessionHistoryMutations(tail.items.map(asItem), mutations));
        const same = items.findIndex((item, index) => index >= tail.items.length || !jsonEqual(item, tail.items[index] ?? null));
        const kept = same < 0 ? items.length : same;
        if (kept === tail.items.length && kept === items.length) return;
        await commit(session, { drop: tail.items.length - kept, items: items.slice(kept) }, { readAt: tail });
      }),
    );
  }

  /** Applies a transaction once: the same operation's id and transaction change nothing when they are repeated. */
  async applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    if (typeof operationId !== "string" || operationId.trim() === "")
      throw new UserError("Session history transaction operationId must be a non-empty string.");
    const checkedTransaction = checked(transaction);
    await this.#use((session) => retrying(() => applyOnce(session, operationId, checkedTransaction)));
  }

  /** Works on the session, and on a new one if it is cleared at the same time. */
  async #use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    for (;;) {
      const customer = this.#customer === undefined ? {} : { customer: this.#customer };
      this.#session ??= await this.#runtime.sessions.open({ agent: historyAgent.name, key: this.#id, ...customer });
      try {
        return await work(this.#session);
      } catch (error) {
        if (!ThroughlineError.is(error, "session.not_found")) throw error;
        this.#session = undefined;
      }
    }
  }
}

/** Commits a change. With `readAt` it throws `session.conflict` if the history has changed since. */
async function commit(
  session: Session,
  change: HistoryChange,
  { readAt, idempotencyKey }: { readonly readAt?: Tail; readonly idempotencyKey?: string } = {},
): Promise<void> {
  await session.edit(
    { change: change as unknown as JsonObject },
    {
      ...(readAt === undefined ? {} : { expectedOffset: readAt.head }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    },
  );
}

/** Repeats work on the current history when another writer was faster. */
async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!ThroughlineError.is(error, "session.conflict")) throw error;
    }
  }
}

async function applyOnce(session: Session, operationId: string, transaction: Transaction): Promise<void> {
  const digest = digestOf(transaction);
  const idempotencyKey = createHash("sha256").update(operationId).digest("base64url");
  try {
    if (transaction.type === "append_items") {
      await commit(session, { drop: 0, items: transaction.items, digest }, { idempotencyKey });
      return;
    }
    const { expectedSuffix, replacement } = transaction;
    const tail = await readTail(session, expectedSuffix.length);
    const matches = jsonEqual([...tail.items], [...expectedSuffix]);
    // A change that was read past the head is always refused: it only asks whether the operation was applied before.
    const readAt = matches ? tail : { ...tail, head: Number.MAX_SAFE_INTEGER };
    const change = { drop: expectedSuffix.length, items: replacement, digest };
    await commit(session, change, { readAt, idempotencyKey }).catch((error: unknown) => {
      throw !matches && ThroughlineError.is(error, "session.conflict") ? mismatch() : error;
    });
  } catch (error) {
    if (!ThroughlineError.is(error, "session.idempotency_mismatch")) throw error;
    // The key was used, perhaps at another offset: the digest tells whether it was the same transaction.
    if ((await changeAt(session, error))?.digest !== digest)
      throw new UserError("Session history operation was already applied with a different transaction.");
  }
}

const mismatch = (): UserError => new UserError("Session history suffix no longer matches the transaction precondition.");

const digestOf = (transaction: Transaction): string =>
  createHash("sha256")
    .update(canonicalJson({ ...transaction }))
    .digest("base64url")
    .slice(0, 22);

/** The SDK's items are what its own schemas accepted before they were stored. */
const asItem = (json: Json): AgentInputItem => decodeItem(json) as AgentInputItem;

const encodeAll = (items: readonly unknown[]): Json[] => encodeItem(items) as Json[];

/** A transaction of the SDK as JSON, checked before anything is changed. */
function checked(transaction: unknown): Transaction {
  if (typeof transaction !== "object" || transaction === null) throw new UserError("Session history transaction must be an object.");
  const { type, items, expectedSuffix, replacement } = transaction as Readonly<Record<string, unknown>>;
  if (type === "append_items") return { type, items: modelItems(items) };
  if (type === "replace_suffix") return { type, expectedSuffix: modelItems(expectedSuffix), replacement: modelItems(replacement) };
  throw new UserError("Unsupported session history transaction type.");
}

function modelItems(items: unknown): readonly Json[] {
  if (!Array.isArray(items)) throw new UserError("Session history transaction fields are invalid.");
  const encoded = encodeAll(items);
  if (encoded.every((item) => protocol.ModelItem.safeParse(decodeItem(item)).success)) return encoded;
  throw new UserError("Session history transaction items contain invalid or unsupported data.");
}
