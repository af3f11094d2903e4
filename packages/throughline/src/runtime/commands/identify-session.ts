/** Assigns an anonymous session to a known customer. */
import { invalidAt } from "../../extension/failure.ts";
import { changes, commitOnce, loadSession, refused } from "../../extension/commit.ts";
import { findCustomer } from "../../extension/lists.ts";
import { extensionsWith, keepersWith, type OwnerWrite, type WriterContext } from "../../extension/port.ts";
import type { SessionId } from "../../kernel/id.ts";
import { objectGiven, present } from "../../kernel/json.ts";
import type { SessionData } from "../../session/event.ts";
import { newEvent } from "../../session/new-event.ts";
import { variableChanges } from "../../session/session-variables.ts";
import type { CustomerRow, LoadedSession, OwnerChange, SessionChange } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { checkId, newOwner } from "./customers.ts";
import { firstUse, type Idempotency, idempotencyOf, type IdempotencyOptions, ofNothing, usedBefore } from "./idempotency.ts";

/** The customer of an anonymous session. */
export interface IdentifyOptions extends IdempotencyOptions {
  /** Id of the customer. An unknown customer is registered. */
  readonly customer: string;
  /**
   * Whether the variables and the memory of the anonymous session move to the customer. If both have a variable, the customer's value stays. The two
   * memories are merged. If false, the default, they are deleted with all other data of the anonymous owner.
   */
  readonly carry?: boolean;
}

/** The data that moved to the customer. */
export type Carried = NonNullable<Extract<SessionData, { type: "identified" }>["carried"]>;

/** Data of the session's anonymous owner, with the entries to write to the customer's memory. */
interface Belongings {
  readonly loaded: LoadedSession;
  readonly entries: readonly OwnerWrite[];
}

/** Merged with the customer's memory. */
async function belongingsOf(context: RuntimeContext, loaded: LoadedSession, known: CustomerRow | undefined): Promise<Belongings> {
  const writes = new Map<string, OwnerWrite>();
  for (const extension of await keepersWith(extensionsWith(context, "identified"), context.kept, "identified"))
    for (const write of await extension.identified({ context, from: loaded.session.owner_id, to: known?.owner_id }))
      writes.set(write.entry_id, write);
  return { loaded, entries: [...writes.values()] };
}

/** Returns the data that moves, and the customer's part of the commit that moves it. */
function carry(
  { loaded, entries }: Belongings,
  known: CustomerRow | undefined,
): { readonly carried: Carried; readonly change: Pick<OwnerChange, "variables" | "entries" | "depends"> } {
  const own = Object.entries(loaded.variables.values);
  const has = (name: string): boolean => known !== undefined && Object.hasOwn(known.variables.values, name);
  const moved = own.filter(([name]) => !has(name));
  const variables = variableChanges(known?.variables.values ?? {}, { set: Object.fromEntries(moved) });
  return {
    carried: { variables: moved.map(([name]) => name), kept: own.map(([name]) => name).filter(has), entries: entries.length },
    change: {
      // The customer's data determines what moves.
      ...(known === undefined || own.length + entries.length === 0 ? {} : { depends: { version: known.version } }),
      ...(moved.length === 0 ? {} : { variables }),
      ...(entries.length === 0 ? {} : { entries }),
    },
  };
}

/**
 * Assigns the session, and all others of its anonymous owner, to a customer. Returns false if it already belongs to that customer. Throws
 * `session.identified` if it belongs to another one. If the variables or entries of the session or the customer change meanwhile, it tries again.
 */
export async function identify(runtime: RuntimeContext, session_id: SessionId, options: IdentifyOptions): Promise<boolean> {
  const { customer, carry: carries = false } = objectGiven(options, "identify");
  checkId(customer);
  if (typeof carries !== "boolean") throw invalidAt("input.invalid", "carry", "identify takes `carry` as true or false.");
  const trace_id = runtime.ids.trace();
  const idempotency = idempotencyOf(options, "identify", { customer, carry: carries });
  for (let tries = 1; ; tries++) {
    const loaded = await loadSession(runtime, session_id);
    const { owner_id, owner_version, customer_id } = loaded.session;
    if (customer_id !== undefined && idempotency !== undefined && (await usedBefore(runtime, session_id, idempotency)) !== undefined) return false;
    if (customer_id === customer) return recordNothing(runtime, session_id, idempotency);
    if (customer_id !== undefined) throw refused({ reason: "not_anonymous", owner_id }, session_id);
    const known = await findCustomer(runtime.store, customer);
    const { carried, change } = carries ? carry(await belongingsOf(runtime, loaded, known), known) : {};
    const owner: OwnerChange = { ...(known === undefined ? newOwner(runtime, { id: customer }) : { owner_id: known.owner_id }), ...change };
    const data: SessionData = { type: "identified", customer_id: customer, ...present({ carried }) };
    const session: SessionChange = {
      session_id,
      owner_id: owner.owner_id,
      // The data of the former owner is checked only if it is carried over.
      ...(carries ? { depends: { owner_version } } : {}),
      events: [newEvent("session", "system", data, { trace_id })],
      ...present({ idempotency }),
    };
    const result = await commitOnce(runtime, { owner, session });
    if (result.outcome === "committed") return true;
    if (result.reason === "key_used" && idempotency !== undefined) return firstUse(session_id, idempotency, result).nothing;
    const stale = ["stale_version", "not_anonymous", "owner_exists", "owner_missing"].includes(result.reason);
    if (!stale || tries === changes) throw refused(result, session_id);
  }
}

/** Records the key of a command that changed nothing, so that a repetition changes nothing either. */
async function recordNothing(runtime: WriterContext, session_id: SessionId, idempotency: Idempotency | undefined): Promise<false> {
  if (idempotency !== undefined) await commitOnce(runtime, { session: { session_id, idempotency: ofNothing(idempotency) } });
  return false;
}
