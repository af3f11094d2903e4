/** Imports: a bundle's sessions are written through the store's one door, event by event as they were, so a bundle goes from any store into any other. */
import { systemClock, type Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { createIds, type Ids, type OwnerId, type SessionId, parseSessionId } from "../../kernel/id.ts";
import { foldPatches } from "../../kernel/json-patch.ts";
import type { Store } from "../../store/port.ts";
import { findCustomer } from "../lists.ts";
import { readBundle, type Bundle } from "./bundle.ts";
import { type Importing, importSession, write } from "./import-session.ts";
import { stateOf } from "./import-state.ts";

/** Options of an import. */
export interface ImportOptions {
  /** Give sessions the ids that they had; refused with `session.exists` if one of them is taken. New ones by default. */
  readonly keepIds?: boolean;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** What an import made. */
export interface ImportReport {
  /** The customer's id; null for an anonymous owner. */
  readonly customer_id: string | null;
  /** Ids of the sessions as they are now, by those in the bundle. */
  readonly sessions: Readonly<Record<string, SessionId>>;
  readonly events: number;
}

/**
 * Imports a bundle that is whole; anything else is refused as `bundle.invalid` before anything is written. A bundle of a customer who is there already is refused
 * with `customer.exists`, unless it holds one session, which is added to that customer. If a session cannot be written, what was imported is erased again.
 */
export async function importBundle(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const bundle = await readBundle(lines);
  const { clock = systemClock, ids = createIds({ clock }), keepIds = false } = options;
  if (bundle.header.redacted) throw new ThroughlineError("bundle.invalid", "The bundle is redacted: what people wrote is not in it.");
  checkFolds(bundle);
  const importing = { store, ids };
  const { owner_id, made } = await prepareOwner(importing, bundle);
  const done: SessionId[] = [];
  try {
    const sessions: Record<string, SessionId> = {};
    for (const one of bundle.sessions) {
      const id = keepIds ? parseSessionId(one.session.session_id) : ids.next("session");
      await importSession(importing, one, { id, owner_id, begun: () => void done.push(id) });
      sessions[one.session.session_id] = id;
    }
    return { customer_id: bundle.owner.customer_id, sessions, events: bundle.sessions.reduce((sum, { events }) => sum + events.length, 0) };
  } catch (error) {
    if (made) await store.erase({ owner_id });
    else for (const session_id of done) await store.erase({ session_id });
    throw error;
  }
}

function checkFolds(bundle: Bundle): void {
  for (const one of bundle.sessions) {
    try {
      const { base, patches } = stateOf(one);
      foldPatches(base, patches.values());
    } catch (cause) {
      if (ThroughlineError.is(cause, "bundle.invalid")) throw cause;
      throw new ThroughlineError("bundle.invalid", `The state of session ${one.session.session_id} of the bundle does not fold.`, { cause });
    }
  }
}

/** The owner to import into: a new one, or for a single session the customer that there is. */
async function prepareOwner(
  importing: Importing,
  { owner, entries, sessions }: Bundle,
): Promise<{ readonly owner_id: OwnerId; readonly made: boolean }> {
  const { store, ids } = importing;
  const { customer_id, name, metadata, variables } = owner;
  const there = customer_id === null ? undefined : await findCustomer(store, customer_id);
  if (there !== undefined) {
    if (sessions.length === 1) return { owner_id: there.owner_id, made: false };
    throw new ThroughlineError("customer.exists", `There is a customer "${customer_id}" already: a customer is imported where there is none.`, {
      details: { customer_id },
    });
  }
  const owner_id = ids.next("owner");
  const at = owner.created_at ?? sessions[0]?.session.created_at ?? 0;
  const values = Object.entries(variables).map(([variable, value]) => ({ name: variable, value }));
  await write(importing, at, {
    owner: {
      owner_id,
      create: customer_id === null ? {} : { customer_id },
      ...(customer_id === null ? {} : { name, metadata }),
      ...(values.length === 0 ? {} : { variables: values }),
    },
  });
  for (const { entry_id, kind, data, created_at } of entries)
    await write(importing, created_at, { owner: { owner_id, entries: [{ entry_id, kind, data }] } });
  return { owner_id, made: true };
}
