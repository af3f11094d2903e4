/**
 * Carries a crisis to the next session of the same person. A session has its own state, so a record of the customer names the danger for seven days,
 * or until the person spoke about it.
 */
import { inTime } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, type JsonObject, present } from "../../kernel/json.ts";
import { findRecord } from "../../extension/lists.ts";
import type { Ending, ExtensionTurn, FinishBeside } from "../../extension/port.ts";
import { isIncognito } from "../../session/session-view.ts";
import { type CrisisPlan, followUpMs, planOfEarlier } from "../crisis-plan.ts";
import { planField } from "./gate-fields.ts";

/** Record kind of a crisis that the next session opens with. The key is the owner's id and the agent. */
const followUpKind = "safety_follow_up";

const keyOf = (owner_id: string, { name }: { readonly name: string }): string => `${owner_id}/${name}`;

/** Milliseconds that a first turn waits for the record. */
const mostWait = 250;

/** Returns the plan of a crisis in an earlier session of the same person; undefined if there is none or it cannot be read. */
export async function earlierPlan({
  runtime: { store, clock, logger },
  claim,
  agent,
  loaded: { session },
  began_at,
}: ExtensionTurn): Promise<CrisisPlan | undefined> {
  if (claim.turn.number !== 1 || session.customer_id === undefined || isIncognito(session)) return undefined;
  try {
    const late = (): Error => new ThroughlineError("store.failed", "The store did not answer in time.");
    const row = await inTime(clock, findRecord(store, followUpKind, keyOf(session.owner_id, agent)), { ms: mostWait, late });
    const plan = isPlainObject(row?.data) ? planOfEarlier(row.data) : undefined;
    return plan?.last_high_at === undefined || began_at - plan.last_high_at >= followUpMs ? undefined : plan;
  } catch (error) {
    logger.warn("it is not known whether an earlier session was a crisis", { code: ThroughlineError.from(error).code }, error);
    return undefined;
  }
}

/** Returns the record for the commit that ends a turn: the danger that it showed, or its removal once the person spoke about it. */
export function followUpBeside(
  { agent, loaded: { session }, journal, began_at }: ExtensionTurn,
  { owner: { owner_id } }: Ending,
): FinishBeside | undefined {
  const { [planField]: plan } = journal.state as { readonly [planField]?: CrisisPlan };
  if (plan === undefined || session.customer_id === undefined || isIncognito(session)) return undefined;
  // Erased with the session that it is about.
  const record = { kind: followUpKind, key: keyOf(owner_id, agent), owner_id, session_id: session.session_id };
  if (plan.discussed === true) return plan.answering === undefined ? undefined : { records: [{ ...record, data: null }] };
  if (plan.last_high_at === undefined || plan.doubtful === true) return undefined;
  // A place that is named in another session does not make the record that session's.
  const isPlaced = plan.heard === "place" && plan.window.some(({ at }) => at === plan.last_high_at);
  if (plan.last_high_at !== began_at && !isPlaced) return undefined;
  const { highest, subject, risk_types, last_high_at, language, regions } = plan;
  const data: JsonObject = { highest, subject, risk_types: [...risk_types], last_high_at, regions: [...regions], ...present({ language }) };
  return { records: [{ ...record, data, expires_at: last_high_at + followUpMs, keep_ms: followUpMs }] };
}
