/** Throughline as a session of the OpenAI Agents SDK. */
import {
  protocol,
  UserError,
  type AgentInputItem,
  type SessionHistoryRewriteArgs,
  type SessionHistoryRewriteAwareSession,
  type SessionHistoryTransactionArgs,
  type SessionHistoryTransactionAwareSession,
} from "@openai/agents";
import { randomUUID } from "node:crypto";
import { ThroughlineError, type Json, type JsonObject, type Runtime, type Session } from "throughline";
import { type Change, historyAgent, type History, SuffixMismatch, type Transaction } from "./history.ts";
import { decodeItem, encodeItem } from "./item.ts";

export interface ThroughlineSessionOptions {
  /** Names the conversation: the same id is the same history, in every process. A new one if left out. */
  readonly sessionId?: string;
  /** The customer that the session belongs to, who can be erased with everything that is theirs. */
  readonly customer?: string;
}

/**
 * The history of a conversation, durable and shared by processes. A change is stored as what it changed; two at once are applied one after the
 * other, and neither is lost. `runtime` must have `historyAgent` among its agents.
 */
export class ThroughlineSession implements SessionHistoryTransactionAwareSession, SessionHistoryRewriteAwareSession {
  readonly #runtime: Runtime;
  readonly #id: string;
  readonly #customer: string | undefined;

  constructor(runtime: Runtime, options: ThroughlineSessionOptions = {}) {
    this.#runtime = runtime;
    this.#id = options.sessionId ?? randomUUID();
    this.#customer = options.customer;
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const { items } = await this.#history();
    const wanted = limit === undefined ? items : items.slice(limit <= 0 ? items.length : -limit);
    return wanted.map((item) => decodeItem(item) as AgentInputItem);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length > 0) await this.#change({ type: "transaction", transaction: { type: "append_items", items: encodeAll(items) } });
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    for (;;) {
      const last = (await this.#history()).items.at(-1);
      if (last === undefined) return undefined;
      try {
        await this.#change({ type: "transaction", transaction: { type: "replace_suffix", expectedSuffix: [last], replacement: [] } });
        return decodeItem(last) as AgentInputItem;
      } catch (error) {
        // Somebody else has added or taken an item in between: then the last one is another.
        if (!(error instanceof SuffixMismatch)) throw error;
      }
    }
  }

  /** Removes the session with its log, so that nothing of it stays in the database. */
  async clearSession(): Promise<void> {
    await this.#use((session) => this.#runtime.sessions.delete(session.id));
  }

  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    if (mutations.length > 0) await this.#change({ type: "mutations", mutations: encodeAll(mutations) });
  }

  async applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    if (typeof operationId !== "string" || operationId.trim() === "")
      throw new UserError("Session history transaction operationId must be a non-empty string.");
    await this.#change({ type: "transaction", operation: operationId, transaction: checked(transaction) });
  }

  async #history(): Promise<History> {
    const { document } = await this.#use((session) => session.state());
    return document["history"] as unknown as History;
  }

  async #change(change: Change): Promise<void> {
    try {
      await this.#use((session) => session.edit({ history: change as unknown as JsonObject }));
    } catch (error) {
      // What the history itself refused is said in the SDK's words.
      throw ThroughlineError.is(error, "state.reducer_failed") && error.cause instanceof UserError ? error.cause : error;
    }
  }

  /** Works on the session, and on a new one if it is cleared at the same time. */
  async #use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    for (;;) {
      const customer = this.#customer === undefined ? {} : { customer: this.#customer };
      const session = await this.#runtime.sessions.open({ agent: historyAgent.name, key: this.#id, ...customer });
      try {
        return await work(session);
      } catch (error) {
        if (!ThroughlineError.is(error, "session.not_found")) throw error;
      }
    }
  }
}

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
