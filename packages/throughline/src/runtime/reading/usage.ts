/** The cost of conversations: sums over the log, read as a stream. */
import { type Spent, type StoredSpent, addSpent, addUsage, createSpent, money, noUsage, nothingSpent, storedUsage } from "../../execution/ledger.ts";
import type { OwnerId, SessionId, TurnId } from "../../kernel/id.ts";
import type { Usage as Tokens } from "../../model/model-port.ts";
import type { Event, SpentData, TurnData, UsageData } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Store } from "../../store/port.ts";
import { eventsOf, itemsOf } from "../../extension/lists.ts";
import { childKeyOf } from "../subagent/parent-turn.ts";
import { isLabelled } from "../../session/session-view.ts";

/** Calls of one model, and their cost. */
export interface ModelUsage {
  /** Number of answered calls. */
  readonly steps: number;
  /** By kind. Kinds without tokens are left out. */
  readonly tokens: UsageData;
  /** In the unit of the price table, to nine decimal places. 0 without prices. */
  readonly cost: number;
}

/** The cost of conversations, as far as their logs are kept. It includes withdrawn events, because they were paid for. */
export interface UsageReport extends ModelUsage {
  /** Number of ended turns. */
  readonly turns: number;
  /** Number of failed model calls. */
  readonly attempts: number;
  /** Milliseconds with at least one call in progress. */
  readonly active_ms: number;
  /** By model name. `unknown` covers calls without a model name and child agents whose sessions are deleted. */
  readonly models: Readonly<Record<string, ModelUsage>>;
}

const unknownModel = "unknown";

/** A running sum. Its size depends on the number of models, not on the length of the logs. */
class Sum {
  #spent: Spent = nothingSpent;
  #turns = 0;
  readonly #models = new Map<string, { steps: number; tokens: Tokens; cost: number }>();

  add(stored: StoredSpent, model?: string): void {
    const spent = createSpent(stored);
    this.#spent = addSpent(this.#spent, spent);
    if (spent.steps === 0 && spent.cost === 0) return;
    const name = model ?? unknownModel;
    const before = this.#models.get(name) ?? { steps: 0, tokens: noUsage, cost: 0 };
    const tokens = addUsage(before.tokens, spent.tokens);
    this.#models.set(name, { steps: before.steps + spent.steps, tokens, cost: money(before.cost + spent.cost) });
  }

  addTurn(): void {
    this.#turns += 1;
  }

  result(): UsageReport {
    const { steps, attempts, tokens, active_ms, cost } = this.#spent;
    const models = [...this.#models].toSorted(([left], [right]) => (left < right ? -1 : 1));
    return {
      ...{ turns: this.#turns, steps, attempts, tokens: storedUsage(tokens), active_ms, cost },
      models: Object.fromEntries(models.map(([name, used]) => [name, { ...used, tokens: storedUsage(used.tokens) }])),
    };
  }
}

/** Returns the cost of a session, including its child agents. Events that a fork shares count for the session that it was forked from. */
export async function usageOfSession(store: Store, session_id: SessionId): Promise<UsageReport> {
  const sum = new Sum();
  await addSession(store, session_id, { sum, inner: false, follow: true });
  return sum.result();
}

/** Returns the cost of all sessions of an owner, including those of child agents. */
export async function usageOfOwner(store: Store, owner_id: OwnerId): Promise<UsageReport> {
  const sum = new Sum();
  for await (const row of itemsOf(store, { of: "sessions", owner_id }))
    await addSession(store, row.session_id, { sum, inner: isLabelled(row), follow: false });
  return sum.result();
}

interface Adding {
  readonly sum: Sum;
  /** Whether this is a child agent's session. Its turns are part of a parent's turn, and its time is that of the parent's waiting call. */
  readonly inner: boolean;
  /** Whether to follow child agents into their sessions. Otherwise those sessions are read on their own. */
  readonly follow: boolean;
}

async function addSession(store: Store, session_id: SessionId, adding: Adding): Promise<void> {
  let turn: TurnId | undefined;
  let counted = new Set<string>();
  let open = new Map<string, string>();
  for await (const stored of eventsOf(store, { session_id, kinds: ["turn", "tool"], withdrawn: true })) {
    if (stored.origin !== undefined) continue;
    const event = decodeEvent(stored);
    // It may be among the events of a later turn.
    if (event.kind === "turn" && event.data.type === "spent") {
      addEvent(event.data, adding);
      continue;
    }
    if (stored.turn_id !== turn) {
      turn = stored.turn_id;
      counted = new Set();
      open = new Map();
    }
    const once = onceOf(event);
    if (once !== undefined && counted.has(once)) continue;
    if (once !== undefined) counted.add(once);
    if (event.kind === "turn") addEvent(event.data, adding);
    else if (event.kind === "tool" && event.data.type === "called") open.set(event.data.call_id, event.data.key);
    else if (event.kind === "tool" && event.data.type === "returned") {
      open.delete(event.data.call_id);
      if (event.data.child !== undefined) await addChild(store, event.data.child, { ...adding, spent: event.data.spent });
    }
  }
  // Running calls may be those of child agents.
  for (const key of adding.follow ? open.values() : []) {
    const child = await store.open({ open_key: childKeyOf(key) });
    if (child !== undefined) await addSession(store, child.session_id, { ...adding, inner: true });
  }
}

/** Returns the id by which an event counts once, however often its turn was resumed. */
function onceOf({ kind, data }: Event): string | undefined {
  if (kind === "turn" && data.type === "step") return data.step_id;
  return kind === "tool" && data.type === "returned" ? data.call_id : undefined;
}

function addEvent(data: TurnData, { sum, inner }: Adding): void {
  const active = (ms: number) => (inner ? {} : { active_ms: ms });
  if (data.type === "step" || data.type === "spent") sum.add({ steps: 1, tokens: data.usage, ...active(data.ms), cost: data.cost ?? 0 }, data.model);
  if (data.type === "attempt") sum.add({ attempts: 1, ...active(data.ms) });
  if (data.type === "merged") sum.add(active(data.ms));
  if (data.type === "ended" && !inner) sum.addTurn();
}

/** Adds the spending of a child agent from its own session, by model. If that session is deleted, adds the sum from its call's result. */
async function addChild(store: Store, child: SessionId, { spent, ...adding }: Adding & { readonly spent: SpentData | undefined }): Promise<void> {
  if ((await store.open({ session_id: child })) === undefined) adding.sum.add({ ...spent, active_ms: 0 });
  else if (adding.follow) await addSession(store, child, { ...adding, inner: true });
}
