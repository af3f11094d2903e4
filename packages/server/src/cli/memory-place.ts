/** Opens a memory directly from the database, without an agent or a running turn. */
import { ThroughlineError, type OwnerId, noTracer } from "throughline/kernel";
import { kept, processName, type RuntimeContext, StateCache, getCustomer, createOwnerMemory, createSessionMemory } from "throughline/internal";
import type { OwnerMemory } from "throughline/memory";
import type { SessionRow } from "throughline/store";
import type { Store } from "throughline";
import { type CommandContext, withStore, writerOf } from "./command-context.ts";
import { chosenSession } from "./read-session.ts";

/** Selects a memory by customer or by session. The default is the most recently used session. */
export interface WhoseMemory {
  readonly customer?: string;
  readonly session?: string;
}

/** An open memory. */
export interface OpenMemory {
  readonly store: Store;
  readonly runtime: RuntimeContext;
  readonly memory: OwnerMemory;
  /** The owner for display: a customer id or a session id. */
  readonly whose: string;
  readonly owner: { readonly owner_id: OwnerId; readonly version: number };
  /** The session that selected the memory. */
  readonly session?: SessionRow;
}

/** Maximum size in bytes of an index that is used once. */
const mostBytes = 1024 ** 3;

/** A runtime context without agents or background work. */
export function idleContext(store: Store, context: Pick<CommandContext, "clock">): RuntimeContext {
  const writer = writerOf(store, context);
  return {
    ...writer,
    agents: new Map(),
    resources: {},
    tracer: noTracer,
    lease: { leaseMs: 30_000, heartbeatMs: 5_000 },
    memoryBytes: mostBytes,
    states: new StateCache({ store, clock: writer.clock }, { mostBytes: 0 }),
    kept,
    safetySpool: undefined,
    worker: processName(),
  };
}

/** Opens a memory for `work`. Throws `cli.usage` if both a customer and a session are named. */
export async function withMemory<Result>(
  context: CommandContext,
  { customer, session }: WhoseMemory,
  work: (open: OpenMemory) => Promise<Result>,
): Promise<Result> {
  if (customer !== undefined && session !== undefined) throw new ThroughlineError("cli.usage", "Name either --customer or --session.");
  return withStore(context, async (store) => {
    const runtime = idleContext(store, context);
    if (customer !== undefined) {
      const { owner_id, version } = await getCustomer(store, customer);
      const memory = createOwnerMemory(runtime, { whose: () => getCustomer(store, customer) });
      return work({ store, runtime, memory, whose: customer, owner: { owner_id, version } });
    }
    const row = await chosenSession(store, session);
    const memory = createSessionMemory(runtime, row.session_id);
    const whose = row.customer_id === undefined ? row.session_id : `${row.customer_id} (by ${row.session_id})`;
    return work({ store, runtime, memory, whose, owner: { owner_id: row.owner_id, version: row.owner_version }, session: row });
  });
}
