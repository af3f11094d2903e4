/** The audit for the operators who are accountable for the gate: daily totals, single assessments, random samples for review, and feedback on sessions. */
import { failedPaths } from "../safety-settings.ts";
import { createHash } from "node:crypto";
import { changes, commitOnce, headerOf, refused } from "../../extension/commit.ts";
import { findRecord, itemsOf } from "../../extension/lists.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { type JsonObject, objectGiven, present } from "../../kernel/json.ts";
import { isIncognito } from "../../session/session-view.ts";
import type { Page, RecordRow } from "../../store/port.ts";
import { type AssessmentRecord, type SafetyLevel } from "../assessment.ts";
import { assessmentKind, dayMs, dayOf, refsFor } from "./assessment-record.ts";
import {
  addCounts,
  type AssessmentDay,
  type AssessmentPurge,
  type AssessmentTotals,
  type Counts,
  daysFrom,
  daysThere,
  keptDays,
  purgeKind,
  recordOf,
  sumOf,
} from "./audit-days.ts";
import { type Escalation, type EscalationState, listEscalations, settleEscalation } from "./escalation-outbox.ts";
import { sharedOf } from "./gate-shared.ts";

/** The labels of feedback. */
export const feedbackLabels = ["positive", "negative", "skip"] as const;
/** A label of feedback. */
export type FeedbackLabel = (typeof feedbackLabels)[number];

/** Where the person gave the feedback. */
export const feedbackSources = ["cli_end", "cli_exit", "api_end"] as const;
/** A source of feedback. */
export type FeedbackSource = (typeof feedbackSources)[number];

/** Feedback on a session. It can be linked to a person only while that person's secret exists. */
export interface Feedback {
  readonly id: string;
  readonly label: FeedbackLabel;
  readonly source: FeedbackSource;
  readonly recorded_at: number;
  readonly turn_count_at_end: number;
  /** A keyed hash; random in an incognito session. */
  readonly session_ref: string;
  /** A keyed hash; null in an incognito session. */
  readonly subject_ref: string | null;
  readonly schema_version: 1;
}

/** Record kind of feedback; the key is the day and an id. */
const feedbackKind = "feedback";

const keptMs = 180 * dayMs;

function checkKnown(path: string, known: readonly string[], value: unknown): void {
  if (known.some((one) => one === value)) return;
  throw new ThroughlineError("input.invalid", `${path} is ${known.join(", ")}, got ${seen(value)}.`, { details: { path } });
}

/**
 * Stores a person's feedback on a session. Each call adds a record. Throws `input.invalid` for an unknown label or source. If the store fails, it
 * logs the failure and returns null, so the session can still end.
 */
export async function giveFeedback(
  runtime: ExtensionContext,
  session_id: SessionId,
  { label, source = "api_end" }: { readonly label: FeedbackLabel; readonly source?: FeedbackSource | undefined },
): Promise<Feedback | null> {
  checkKnown("label", feedbackLabels, label);
  checkKnown("source", feedbackSources, source);
  try {
    const session = await headerOf(runtime, session_id);
    const recorded_at = runtime.clock.now();
    const id = runtime.ids.trace();
    const { session_ref, subject_ref } = await refsFor(runtime, { session, turn_id: id });
    const data: Feedback = {
      ...{ id, label, source, recorded_at, turn_count_at_end: session.last_turn, session_ref },
      subject_ref: isIncognito(session) || subject_ref === "" ? null : subject_ref,
      schema_version: 1,
    };
    const key = `${dayOf(recorded_at)}/${id}`;
    const written = await commitOnce(runtime, { records: [{ kind: feedbackKind, key, data: { ...data }, expires_at: recorded_at + keptMs }] });
    if (written.outcome === "refused") throw refused(written, undefined);
    return data;
  } catch (error) {
    if (ThroughlineError.is(error, "session.not_found")) throw error;
    runtime.logger.warn("feedback was not kept", { session_id, code: ThroughlineError.from(error).code }, error);
    return null;
  }
}

/** Counts the feedback per label within a range of days. */
export async function feedbackCounts(
  { store }: Pick<ExtensionContext, "store">,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Counts> {
  let counts: Counts = {};
  for await (const { key, data } of itemsOf(store, { of: "records", kind: feedbackKind })) {
    const day = key.slice(0, 10);
    if (day > to) break;
    if (day >= from && typeof data["label"] === "string") counts = addCounts(counts, { [data["label"]]: 1 });
  }
  return counts;
}

/** Record kind of a review verdict. The key is the assessment's id and the reviewer. */
export const reviewKind = "assessment_review";

/** Retention of a review verdict, in milliseconds. */
const reviewKeptMs = 366 * dayMs;

/** Selects assessments. The list starts with the newest day. */
export interface AssessmentFilter {
  readonly level?: SafetyLevel;
  /** A day in UTC, such as `2026-11-21`. */
  readonly day?: string;
  /** Number of assessments to read, 1 to 100; default 100. With a level filter, a page can have fewer items. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** Options of a review sample. */
export interface SampleOptions {
  /** The first day; default six days before `to`, so one week. */
  readonly from?: string;
  /** The last day; default yesterday. */
  readonly to?: string;
  /** Default 0 and 1, where false negatives hide. */
  readonly levels?: readonly SafetyLevel[];
  /** Default 20, at most 1,000. */
  readonly size?: number;
  /** The same seed draws the same sample. */
  readonly seed: string;
}

/** The level that a reviewer considers correct. */
export interface ReviewVerdict {
  /** The operator's id of the reviewer: 1 to 100 characters, not a name. */
  readonly reviewer: string;
  readonly level: SafetyLevel;
}

/** The gate's findings for the operators who are accountable for it. It contains no text of a person. */
export interface SafetyAudit {
  /** Reports a range of days in UTC, both ends included; default the last 30. Daily totals stay after their assessments are deleted. */
  report(range?: { readonly from?: string; readonly to?: string }): Promise<SafetyReport>;
  assessments(filter?: AssessmentFilter): Promise<Page<AssessmentRecord>>;
  /** Draws random assessments for review, without the gate's findings. */
  sample(options: SampleOptions): Promise<readonly { readonly audit_id: string; readonly at: number }[]>;
  /**
   * Keeps an assessment until a time, if that is later than its expiry. `reason`: 1 to 500 characters, without the person's words. Throws
   * `safety.not_found`.
   */
  hold(audit_id: string, options: { readonly until: number; readonly reason: string }): Promise<AssessmentRecord>;
  /** Stores a reviewer's verdict for the assessment, for a year. A second verdict of the same reviewer replaces the first. Throws `safety.not_found`. */
  review(audit_id: string, verdict: ReviewVerdict): Promise<void>;
  /** Lists the alerts to the sink with their states. Open alerts come first. */
  escalations(filter?: { readonly state?: EscalationState }): Promise<readonly Escalation[]>;
  /**
   * Records that a human handled an alert (`acknowledged`), that it is over (`closed`), or that no one could be reached (`failed`). Throws
   * `safety.not_found`.
   */
  settle(key: string, to: { readonly state: "acknowledged" | "closed" | "failed"; readonly by?: string }): Promise<Escalation>;
}

const wrong = (path: string, wanted: string, value: unknown): ThroughlineError =>
  new ThroughlineError("input.invalid", `${path} is ${wanted}, got ${seen(value)}.`, { details: { path } });

/** Throws `input.invalid` unless the value is an existing day, such as `2026-11-21`. */
export function checkDay(path: string, day: unknown): asserts day is string {
  const at = typeof day === "string" && /^\d{4}-\d{2}-\d{2}$/u.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (!Number.isFinite(at) || dayOf(at) !== day) throw wrong(path, "a day such as 2026-11-21", day);
}

function checkLevel(path: string, level: unknown): void {
  if (level !== 0 && level !== 1 && level !== 2 && level !== 3) throw wrong(path, "a level from 0 to 3", level);
}

function checkText(path: string, value: unknown, longest: number): void {
  if (typeof value !== "string" || value.trim() === "" || value.length > longest) throw wrong(path, `a text of 1 to ${longest} characters`, value);
}

function checkRange(from: string, to: string): void {
  checkDay("from", from);
  checkDay("to", to);
  if (from > to) throw wrong("from", `no later than ${to}`, from);
}

/** Returns the record of an assessment, from any day. */
async function find({ store }: ExtensionContext, audit_id: string): Promise<RecordRow> {
  checkText("audit_id", audit_id, 100);
  for (const day of (await daysThere({ store })).toReversed()) {
    const row = await findRecord(store, assessmentKind, `${day}/${audit_id}`);
    if (row !== undefined) return row;
  }
  throw new ThroughlineError("safety.not_found", `There is no assessment ${seen(audit_id)}.`, { details: { audit_id } });
}

async function hold(runtime: ExtensionContext, audit_id: string, { until, reason }: { readonly until: number; readonly reason: string }) {
  if (!Number.isSafeInteger(until) || until <= runtime.clock.now()) throw wrong("until", "a time to come, in milliseconds", until);
  checkText("reason", reason, 500);
  for (let tries = 1; tries <= changes; tries++) {
    const { key, version, expires_at, ...row } = await find(runtime, audit_id);
    const held: AssessmentRecord = { ...recordOf(row), hold: { until, reason } };
    const change = { kind: assessmentKind, key, depends: { version }, data: held as unknown as JsonObject };
    const longer = expires_at === undefined ? {} : { expires_at: Math.max(expires_at, until) };
    if ((await commitOnce(runtime, { records: [{ ...change, ...longer }] })).outcome === "committed") return held;
  }
  throw refused({ reason: "stale_record", kind: assessmentKind, key: audit_id, version: 0 }, undefined);
}

async function review(runtime: ExtensionContext, audit_id: string, { reviewer, level }: ReviewVerdict): Promise<void> {
  checkText("reviewer", reviewer, 100);
  checkLevel("level", level);
  await find(runtime, audit_id);
  const at = runtime.clock.now();
  const data = { audit_id, reviewer, level, at };
  const written = await commitOnce(runtime, {
    records: [{ kind: reviewKind, key: `${audit_id}/${reviewer}`, data, expires_at: at + reviewKeptMs }],
  });
  if (written.outcome === "refused") throw refused(written, undefined);
}

async function sample({ store, clock }: ExtensionContext, options: SampleOptions) {
  const { to = dayOf(clock.now() - dayMs), levels = [0, 1], size = 20, seed } = options;
  checkDay("to", to);
  const { from = dayOf(Date.parse(`${to}T00:00:00Z`) - 6 * dayMs) } = options;
  checkRange(from, to);
  if (Date.parse(to) - Date.parse(from) > 366 * dayMs) throw wrong("from", "at most 366 days before `to`", from);
  for (const level of levels) checkLevel("levels", level);
  if (!Number.isInteger(size) || size < 1 || size > 1_000) throw wrong("size", "a whole number from 1 to 1,000", size);
  checkText("seed", seed, 200);
  let held: { readonly audit_id: string; readonly at: number; readonly lot: string }[] = [];
  for (const day of daysFrom(from, to))
    for await (const row of itemsOf(store, { of: "records", kind: assessmentKind, prefix: `${day}/` })) {
      const { audit_id, at, level } = recordOf(row);
      if (!levels.includes(level)) continue;
      const lot = createHash("sha256")
        .update(JSON.stringify([seed, audit_id]))
        .digest("hex");
      held.push({ audit_id, at, lot });
      // Drops items that can no longer be among the lowest.
      if (held.length >= 4 * size) held = held.toSorted(byLot).slice(0, size);
    }
  return held
    .toSorted(byLot)
    .slice(0, size)
    .map(({ audit_id, at }) => ({ audit_id, at }));
}

const byLot = (left: { readonly lot: string }, right: { readonly lot: string }): number => (left.lot < right.lot ? -1 : 1);

async function listAssessments({ store }: ExtensionContext, { level, day, limit, cursor }: AssessmentFilter): Promise<Page<AssessmentRecord>> {
  if (level !== undefined) checkLevel("level", level);
  if (day !== undefined) checkDay("day", day);
  const page = await store.list({
    ...{ of: "records", kind: assessmentKind, order: "desc" },
    ...(day === undefined ? {} : { prefix: `${day}/` }),
    ...present({ limit, cursor }),
  });
  return { ...page, items: page.items.map(recordOf).filter((record) => level === undefined || record.level === level) };
}

/** Creates the audit of a runtime's store. `refresh` updates the daily totals and writes the waiting records. */
export function createAudit(runtime: ExtensionContext, refresh: () => Promise<void>): SafetyAudit {
  return Object.freeze({
    report: async (range: { readonly from?: string; readonly to?: string } = {}) => {
      const { to = dayOf(runtime.clock.now()) } = objectGiven(range, "report");
      checkDay("to", to);
      const { from = dayOf(Date.parse(`${to}T00:00:00Z`) - 29 * dayMs) } = range;
      checkRange(from, to);
      await refresh();
      return reportOf(runtime, { from, to });
    },
    assessments: async (filter: AssessmentFilter = {}) => listAssessments(runtime, objectGiven(filter, "assessments")),
    sample: async (options: SampleOptions) => sample(runtime, objectGiven(options, "sample")),
    hold: async (audit_id: string, options: { readonly until: number; readonly reason: string }) =>
      hold(runtime, audit_id, objectGiven(options, "hold")),
    review: async (audit_id: string, verdict: ReviewVerdict) => review(runtime, audit_id, objectGiven(verdict, "review")),
    escalations: async (filter: { readonly state?: EscalationState } = {}) => listEscalations(runtime, objectGiven(filter, "escalations").state),
    settle: async (key: string, to: { readonly state: "acknowledged" | "closed" | "failed"; readonly by?: string }) =>
      settleEscalation(runtime, key, objectGiven(to, "settle")),
  });
}

/** Most ids to list. */
const mostListed = 1_000;

/** The gate's findings in a range of days. Totals cover all assessments of those days. Ids cover only those that still exist. */
export interface SafetyReport {
  /** Days in UTC, both included. */
  readonly from: string;
  readonly to: string;
  readonly totals: AssessmentTotals;
  /** Share of the due replies (level above 0) that were sent: 0 to 1, or null if none was due. */
  readonly reply_completion_rate: number | null;
  /** Turns whose reply showed services or directories, by calendar year, then by region (`none`: the person named no region). */
  readonly referrals: Readonly<Record<string, Counts>>;
  readonly days: readonly AssessmentDay[];
  /** Ids of assessments that a classifier lowered. Each needs a review. At most 1,000, oldest first. */
  readonly lowered: readonly string[];
  /** Ids of assessments whose classifier returned no verdict, or whose screen failed. At most 1,000, oldest first. */
  readonly degraded: readonly string[];
  /** Assessments that were deleted at their expiry. */
  readonly purged: readonly AssessmentPurge[];
  /** Feedback on sessions, by label. */
  readonly feedback: Counts;
  /** Assessments in this process's fallback log; null if the log does not count them. */
  readonly spool_waiting: number | null;
}

/** Builds the report of a range from the stored records. */
async function reportOf(runtime: ExtensionContext, { from, to }: { readonly from: string; readonly to: string }): Promise<SafetyReport> {
  const days = await keptDays(runtime, from, to);
  const totals = sumOf(days);
  const purged: AssessmentPurge[] = [];
  for await (const { key, data } of itemsOf(runtime.store, { of: "records", kind: purgeKind }))
    if (key >= from && key <= to) purged.push(data as unknown as AssessmentPurge);
  return {
    from,
    to,
    totals,
    reply_completion_rate: totals.replies_total === 0 ? null : totals.replies_completed / totals.replies_total,
    referrals: byYear(days),
    days,
    ...(await listed(runtime, days)),
    purged,
    feedback: await feedbackCounts(runtime, { from, to }),
    spool_waiting: (await sharedOf(runtime).spool.waiting?.()) ?? null,
  };
}

function byYear(days: readonly AssessmentDay[]): Readonly<Record<string, Counts>> {
  const years: Record<string, Counts> = {};
  for (const { day, referrals } of days) {
    const year = day.slice(0, 4);
    years[year] = addCounts(years[year] ?? {}, referrals);
  }
  return years;
}

/** Returns the ids of assessments that need a review. It reads only days whose totals contain any. */
async function listed({ store }: ExtensionContext, days: readonly AssessmentDay[]): Promise<Pick<SafetyReport, "lowered" | "degraded">> {
  const lowered: string[] = [];
  const degraded: string[] = [];
  for (const { day, overrides, llm_failures_total, by_path } of days) {
    if (overrides["lowered"] === undefined && llm_failures_total === 0 && by_path["screen_error"] === undefined) continue;
    for await (const row of itemsOf(store, { of: "records", kind: assessmentKind, prefix: `${day}/` })) {
      const { audit_id, override, path } = recordOf(row);
      if (override === "lowered") lowered.push(audit_id);
      if (failedPaths.has(path) || path === "screen_error") degraded.push(audit_id);
    }
    if (lowered.length >= mostListed && degraded.length >= mostListed) break;
  }
  return { lowered: lowered.slice(0, mostListed), degraded: degraded.slice(0, mostListed) };
}
