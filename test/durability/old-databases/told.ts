/** All that the public calls say of a database, as JSON. */
import type { Json, JsonObject, Runtime, Session, Store } from "../../../packages/throughline/src/index.ts";
import { isPlainObject } from "../../../packages/throughline/src/kernel/json.ts";
import { listKeys } from "../../../packages/server/src/server.ts";

/** What is said of a session. */
export interface ToldSession {
  readonly info: { readonly head: number; readonly customer_id?: string };
  readonly events: readonly { readonly offset: number; readonly kind: string; readonly source: string; readonly data: JsonObject }[];
  /** State by offset. */
  readonly states: Readonly<Record<string, Json>>;
  readonly turns: readonly { readonly turn_id: string; readonly status: string; readonly started_offset?: number }[];
  readonly outcomes: Readonly<Record<string, Json>>;
  readonly messages: readonly { readonly offset: number; readonly role: string; readonly text: string; readonly source: string }[];
  readonly [member: string]: unknown;
}

/** What is said of a database. */
export interface Told {
  readonly sessions: Readonly<Record<string, ToldSession>>;
  readonly customers: Readonly<Record<string, Json>>;
  readonly [member: string]: unknown;
}

/** A value as it is after it was written down: without what is undefined. */
export const plain = (value: unknown): Json => (value === undefined ? null : (JSON.parse(JSON.stringify(value), withoutCount) as Json));

/** Leaves out of the header of a session what versions before decision 364 did not say. */
function withoutCount(_name: string, value: unknown): unknown {
  if (!isPlainObject(value) || !("turns" in value && "episode" in value && "head" in value)) return value;
  const { turns: _count, ...header } = value;
  return header;
}

type Paging = { readonly limit: number; readonly cursor?: string };

/** All items of a list. */
export async function all<Item>(
  list: (page: Paging) => Promise<{ readonly items: readonly Item[]; readonly next_cursor: string | null }>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (let page: Paging = { limit: 100 }; ;) {
    const { items, next_cursor } = await list(page);
    found.push(...items);
    if (next_cursor === null) return found;
    page = { limit: 100, cursor: next_cursor };
  }
}

/** How far apart the offsets are at which the state is read. */
const stride = 9;

export async function toldOf(session: Session): Promise<ToldSession> {
  const info = await session.info();
  const events = await Array.fromAsync(session.events({ follow: false, withdrawn: true }));
  const states: Record<string, Json> = {};
  for (let at = 0; at < info.head; at += stride) states[at] = plain(await session.state({ at }));
  states[info.head] = plain(await session.state({ at: info.head }));
  const turns = await all((page) => session.turns(page));
  const outcomes: Record<string, Json> = {};
  for (const { turn_id, status } of turns) if (status === "ended") outcomes[turn_id] = plain(await session.outcome(turn_id));
  return plain({
    ...{ info, events, states, turns, outcomes },
    messages: await session.messages({ last: 1_000 }),
    messagesOnce: await session.messages({ last: 1_000, at: Math.floor(info.head / 2) }),
    pending: await session.pending(),
    history: await session.history({ limit: 100 }),
    usage: await session.usage(),
    variables: await session.variables(),
    prompt: (await session.prompt().catch(codeOf)) ?? null,
    why: (await session.why().catch(codeOf)) ?? null,
  }) as never;
}

const codeOf = (error: unknown): { readonly code: unknown } => ({ code: (error as { readonly code?: unknown }).code });

export async function toldOfAll({ store, runtime }: { readonly store: Store; readonly runtime: Runtime }, main: string): Promise<Told> {
  const sessions: Record<string, ToldSession> = {};
  for (const { id } of await all((page) => runtime.sessions.list(page))) sessions[id] = await toldOf(await runtime.sessions.get(id));
  const customers: Record<string, Json> = {};
  for (const customer of await all((page) => runtime.customers.list(page))) {
    const memory = runtime.customers.memory(customer.id);
    customers[customer.id] = plain({
      customer,
      usage: await runtime.customers.usage(customer.id),
      memory: {
        status: await memory.status(),
        entries: await all((page) => memory.list({ all: true, ...page })),
        conflicts: await memory.conflicts(),
      },
    });
  }
  const queueOf = (queue: "waiting" | "assigned" | "resolved"): Promise<readonly unknown[]> =>
    all((page) => runtime.handovers.list({ queue, ...page }));
  return plain({
    ...{ customers, sessions },
    tree: await runtime.sessions.tree(main),
    agents: { desk: await runtime.agents.variables("desk") },
    handovers: { waiting: await queueOf("waiting"), assigned: await queueOf("assigned"), resolved: await queueOf("resolved") },
    erasures: await all((page) => runtime.erasures.list(page)),
    assessments: await all((page) => runtime.safety.assessments(page)),
    safety: await runtime.safety.report(),
    keys: await listKeys(store),
  }) as never;
}
