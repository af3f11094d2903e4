/**
 * Alerts about people in danger. The commit of the turn that raised an alert also records it. Delivery to the sink is at least once, keyed by the
 * turn's id.
 */
import { abortable, createDeadline } from "../../kernel/deadline.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import { findRecord, itemsOf } from "../../extension/lists.ts";
import type { ExtensionContext, ExtensionTurn } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import type { RecordChange, RecordRow } from "../../store/port.ts";
import type { AssessmentRecord, EscalationEvent, EscalationSink } from "../assessment.ts";
import { safetyOf, type SafetySettings } from "../safety-settings.ts";
import type { Gated } from "../turn/gate-fields.ts";
import { dayMs } from "./assessment-record.ts";

/** States of an alert: waiting for the sink, accepted by the sink, handled by a human, over, or no one could be reached. */
export const escalationStates = ["queued", "delivered", "acknowledged", "closed", "failed"] as const;
/** A state of an alert. */
export type EscalationState = (typeof escalationStates)[number];

/** An alert and its state. */
export interface Escalation extends EscalationEvent {
  readonly agent: string;
  readonly state: EscalationState;
  /** Failed delivery attempts. */
  readonly attempts: number;
  readonly next_at: number;
  /** The deadline for handling the alert, and when the runtime detected that it was missed. */
  readonly due_at?: number;
  readonly missed_at?: number;
  /** Who handled the alert: the operator's id of a person. */
  readonly by?: string;
}

/**
 * Record kind of an alert. The key is `open/…` while the runtime still has work to do for the alert, and `done/…` afterwards. The alert is deleted
 * with its session.
 */
const escalationKind = "escalation";

/** Retention of an alert, in milliseconds. */
const keptMs = 90 * dayMs;
/** Milliseconds that a delivery may take before the background worker retries it. */
const notifyMs = 10_000;
/** Milliseconds between two delivery attempts. The pause doubles from `first` to `last`. */
const pauses = { first: 2_000, last: 5 * 60_000 };

/** Tells whether a time is due. A time that is further ahead than `within` comes from a wrong clock and counts as due. */
const isDue = (at: number, { now, within }: { readonly now: number; readonly within: number }): boolean => at <= now || at - now > within;

const isOpen = ({ state, due_at, missed_at }: Escalation): boolean =>
  state === "queued" || (state === "delivered" && due_at !== undefined && missed_at === undefined);

const keyOf = (escalation: Escalation): string => `${isOpen(escalation) ? "open" : "done"}/${escalation.key}`;

const changeOf = (escalation: Escalation): RecordChange => ({
  kind: escalationKind,
  key: keyOf(escalation),
  session_id: escalation.session_id as SessionId,
  // Codes, ids and times are plain JSON by their type.
  data: escalation as unknown as JsonObject,
  expires_at: escalation.at + keptMs,
  keep_ms: keptMs,
});

const escalationIn = ({ data }: RecordRow): Escalation => data as unknown as Escalation;

/** Returns the record of an alert for the commit of the turn or message that raised it. Empty if the level is too low or there is no sink. */
export function escalationChanges(
  { sink, sinkFrom, sinkDeadlineMs }: SafetySettings,
  { agent, level, risk_types, subject, at }: Pick<AssessmentRecord, "agent" | "level" | "risk_types" | "subject" | "at">,
  delivery: { readonly key: string; readonly session_id: string; readonly state: "queued" | "delivered" },
): readonly RecordChange[] {
  if (sink === undefined || level < sinkFrom) return [];
  const due = sinkDeadlineMs === undefined ? {} : { due_at: at + sinkDeadlineMs };
  return [changeOf({ ...delivery, level, risk_types, subject, at, agent, attempts: 0, next_at: at, ...due })];
}

/** Adds a turn's alert to the turn's commit, as delivered or as queued for the background worker. */
export function keepEscalation(
  { journal, claim, agent, began_at: at }: ExtensionTurn,
  { gated, safety, escalation }: { readonly gated: Gated; readonly safety: SafetySettings; readonly escalation: "queued" | "failed" | "none" },
): void {
  const { level, risk_types, subject } = gated.assessment;
  const delivery = { key: claim.turn.turn_id, session_id: claim.session_id, state: escalation === "queued" ? "delivered" : "queued" } as const;
  for (const change of escalationChanges(safety, { agent: agent.name, level, risk_types, subject, at }, delivery)) journal.keep(change);
}

/** Updates an alert. Returns false if another process changed it concurrently. */
async function move(runtime: ExtensionContext, row: RecordRow, to: Escalation): Promise<boolean> {
  const change = changeOf(to);
  const depends = { version: row.version };
  const records = change.key === row.key ? [{ ...change, depends }] : [{ kind: escalationKind, key: row.key, depends, data: null }, change];
  return (await commitOnce(runtime, { records })).outcome === "committed";
}

const sinkOf = ({ agents }: ExtensionContext, { agent }: Escalation): EscalationSink | undefined => safetyOf(agents.get(agent))?.sink;

const eventOf = ({ key, level, risk_types, subject, at, session_id }: Escalation): EscalationEvent => ({
  ...{ key, level, risk_types, subject, at, session_id },
});

async function inTime(runtime: ExtensionContext, signal: AbortSignal, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const late = createDeadline(runtime.clock);
  late.within(notifyMs, () => new ThroughlineError("aborted", "The sink did not answer in time."));
  const limit = AbortSignal.any([signal, late.signal]);
  try {
    await abortable(work(limit), limit);
  } finally {
    late.end();
  }
}

async function deliver(runtime: ExtensionContext, row: RecordRow, signal: AbortSignal): Promise<void> {
  const escalation = escalationIn(row);
  const sink = sinkOf(runtime, escalation);
  const now = runtime.clock.now();
  if (!isDue(escalation.next_at, { now, within: pauses.last })) return;
  if (sink === undefined) return void (await move(runtime, row, { ...escalation, state: "failed" }));
  try {
    await inTime(runtime, signal, (limit) => sink.notify(eventOf(escalation), { signal: limit }));
    await move(runtime, row, { ...escalation, state: "delivered" });
  } catch (error) {
    if (signal.aborted) return;
    const attempts = escalation.attempts + 1;
    const pause = Math.min(pauses.last, pauses.first * 2 ** Math.min(attempts, 16));
    runtime.logger.error(
      "nobody was told of a person in danger yet",
      { key: escalation.key, attempts, code: ThroughlineError.from(error).code },
      error,
    );
    await move(runtime, row, { ...escalation, attempts, next_at: now + pause });
  }
}

/** Records that no one handled an alert by its deadline, and reports it to the sink. */
async function miss(runtime: ExtensionContext, row: RecordRow, signal: AbortSignal): Promise<void> {
  const escalation = escalationIn(row);
  const missed: Escalation = { ...escalation, missed_at: runtime.clock.now() };
  if (!(await move(runtime, row, missed))) return;
  runtime.logger.error("nobody has seen to an alert in time", { key: escalation.key, state: escalation.state });
  const sink = sinkOf(runtime, escalation);
  if (sink?.missed === undefined) return;
  await inTime(runtime, signal, async (limit) => sink.missed?.(eventOf(escalation), { signal: limit })).catch((error: unknown) =>
    runtime.logger.error("nobody was told of an alert that was missed", { key: escalation.key, code: ThroughlineError.from(error).code }, error),
  );
}

/** Alerts that are processed concurrently, so that one hanging sink delays the others only briefly. */
const mostAtOnce = 16;

/** Delivers the open alerts of this process's agents to their sinks, and detects missed deadlines. */
export async function deliverEscalations(runtime: ExtensionContext, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  const working = new Set<Promise<void>>();
  for await (const row of itemsOf(runtime.store, { of: "records", kind: escalationKind, prefix: "open/" })) {
    if (signal.aborted) break;
    if (!runtime.agents.has(escalationIn(row).agent)) continue;
    const work: Promise<void> = see(runtime, row, signal).finally(() => working.delete(work));
    working.add(work);
    if (working.size >= mostAtOnce) await Promise.race(working);
  }
  await Promise.all(working);
}

/** Processes one alert. If the store fails, the alert stays for the next run. */
async function see(runtime: ExtensionContext, row: RecordRow, signal: AbortSignal): Promise<void> {
  const { key, state, at, due_at, missed_at } = escalationIn(row);
  const isLate = due_at !== undefined && isDue(due_at, { now: runtime.clock.now(), within: due_at - at });
  try {
    if (isLate && missed_at === undefined) await miss(runtime, row, signal);
    else if (state === "queued") await deliver(runtime, row, signal);
  } catch (error) {
    runtime.logger.warn("an alert was not looked after", { key, code: ThroughlineError.from(error).code }, error);
  }
}

/** Lists the alerts, or those in one state. Open alerts come first. */
export async function listEscalations(runtime: Pick<ExtensionContext, "store">, state?: EscalationState): Promise<readonly Escalation[]> {
  if (state !== undefined) checkState(state, escalationStates);
  const found: Escalation[] = [];
  for (const prefix of ["open/", "done/"])
    for await (const row of itemsOf(runtime.store, { of: "records", kind: escalationKind, prefix }))
      if (state === undefined || row.data["state"] === state) found.push(escalationIn(row));
  return found;
}

function checkState(state: unknown, known: readonly string[]): void {
  if (known.some((one) => one === state)) return;
  throw new ThroughlineError("input.invalid", `An alert is ${known.join(", ")}, got ${seen(state)}.`, { details: { path: "state" } });
}

const settable = ["acknowledged", "closed", "failed"] as const;

/** Records that a human handled an alert, that it is over, or that no one could be reached. Throws `safety.not_found` for an unknown key. */
export async function settleEscalation(
  runtime: ExtensionContext,
  key: string,
  { state, by }: { readonly state: (typeof settable)[number]; readonly by?: string },
): Promise<Escalation> {
  checkState(state, settable);
  if (by !== undefined && (typeof by !== "string" || by === "" || by.length > 200))
    throw new ThroughlineError("input.invalid", `Who has seen to it is named with 1 to 200 characters, got ${seen(by)}.`, {
      details: { path: "by" },
    });
  for (let tries = 1; tries <= changes; tries++) {
    const row = (await findRecord(runtime.store, escalationKind, `open/${key}`)) ?? (await findRecord(runtime.store, escalationKind, `done/${key}`));
    if (row === undefined) throw new ThroughlineError("safety.not_found", `There is no alert ${seen(key)}.`, { details: { key } });
    const settled: Escalation = { ...escalationIn(row), state, ...present({ by }) };
    if (await move(runtime, row, settled)) return settled;
  }
  throw refused({ reason: "stale_record", kind: escalationKind, key, version: 0 }, undefined);
}
