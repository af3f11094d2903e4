/** What gates have found, for those who answer for it: by day, one by one, and as a sample to be read again. */
import { createHash } from "node:crypto";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import { findRecord, itemsOf } from "../../extension/lists.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { type JsonObject, objectGiven } from "../../kernel/json.ts";
import type { Page, RecordRow } from "../../store/port.ts";
import type { AssessmentRecord, SafetyLevel } from "../assessment.ts";
import { assessmentKind, dayMs, dayOf } from "./assessment-record.ts";
import { addCounts, type AssessmentDay, type AssessmentTotals, type Counts, failedPaths } from "../assessment-totals.ts";
import { type AssessmentPurge, daysFrom, daysThere, keptDays, purgeKind, recordOf, sumOf } from "./audit-days.ts";
import { type Escalation, type EscalationState, listEscalations, settleEscalation } from "./escalation-outbox.ts";
import { sharedOf } from "./gate-shared.ts";
import { feedbackCounts } from "./give-feedback.ts";

/** The kind of a reviewer's verdict; the key is the assessment's id and the reviewer. */
export const reviewKind = "assessment_review";

/** How long a verdict is kept. */
const reviewKeptMs = 366 * dayMs;

/** Which assessments to list: newest days first. */
export interface AssessmentFilter {
  readonly level?: SafetyLevel;
  /** A day in UTC, such as `2026-11-21`. */
  readonly day?: string;
  /** At most so many are looked at, 1 to 100; 100 by default. A page that is cut down to a level may have fewer. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** What is drawn for review. */
export interface SampleOptions {
  /** The first day; six days before `to` by default, so that it is a week. */
  readonly from?: string;
  /** The last day; yesterday by default. */
  readonly to?: string;
  /** 0 and 1 by default, where misses hide. */
  readonly levels?: readonly SafetyLevel[];
  /** 20 by default, at most 1,000. */
  readonly size?: number;
  /** The same seed draws the same. */
  readonly seed: string;
}

/** What a reviewer thinks the level should have been. */
export interface ReviewVerdict {
  /** The operator's own id of a person: 1 to 100 characters, no name. */
  readonly reviewer: string;
  readonly level: SafetyLevel;
}

/** What gates have found, for those who answer for it. Nothing here holds a word that a person wrote. */
export interface SafetyAudit {
  /** What the days from one to another come to, both included, in UTC; the last 30 by default. Days stay when their assessments have gone. */
  report(range?: { readonly from?: string; readonly to?: string }): Promise<SafetyReport>;
  assessments(filter?: AssessmentFilter): Promise<Page<AssessmentRecord>>;
  /** Assessments by chance, without what was found, for somebody to judge anew. */
  sample(options: SampleOptions): Promise<readonly { readonly audit_id: string; readonly at: number }[]>;
  /** Keeps an assessment until a time, if that is later than it would go. `reason`: 1 to 500 characters, no word of the person's. `safety.not_found`. */
  hold(audit_id: string, options: { readonly until: number; readonly reason: string }): Promise<AssessmentRecord>;
  /** Keeps a reviewer's verdict beside the assessment, a year; another one of the same reviewer replaces it. `safety.not_found`. */
  review(audit_id: string, verdict: ReviewVerdict): Promise<void>;
  /** Alerts to the sink, and where they stand, those that wait first. */
  escalations(filter?: { readonly state?: EscalationState }): Promise<readonly Escalation[]>;
  /** Says that somebody has seen to an alert (`acknowledged`), that it is over (`closed`), or that nobody could be reached (`failed`). `safety.not_found`. */
  settle(key: string, to: { readonly state: "acknowledged" | "closed" | "failed"; readonly by?: string }): Promise<Escalation>;
}

const wrong = (path: string, wanted: string, value: unknown): ThroughlineError =>
  new ThroughlineError("input.invalid", `${path} is ${wanted}, got ${seen(value)}.`, { details: { path } });

/** A day that exists, as `2026-11-21`. */
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

/** The record of an assessment, of whatever day. */
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
      // What cannot be among the lowest any more is not held on to.
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
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return { ...page, items: page.items.map(recordOf).filter((record) => level === undefined || record.level === level) };
}

/** The audit of a runtime's store. `refresh` brings the days up to date, and writes what waits. */
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

/** So many ids are listed at most. */
const mostListed = 1_000;

/** What gates have found in some days. Sums are of all assessments of those days; ids are of those that are still there. */
export interface SafetyReport {
  /** Days in UTC, both included. */
  readonly from: string;
  readonly to: string;
  readonly totals: AssessmentTotals;
  /** Replies that were sent, of those that a level above 0 asked for: 0 to 1, or null where there were none. */
  readonly reply_completion_rate: number | null;
  /** Turns that were shown where help is, by calendar year, then by region (`none`: no region was named). */
  readonly referrals: Readonly<Record<string, Counts>>;
  readonly days: readonly AssessmentDay[];
  /** Ids of assessments that a classifier has lowered: each is to be read again. At most 1,000, oldest first. */
  readonly lowered: readonly string[];
  /** Ids of those for which a classifier was to be asked and has not answered, or the screen itself has failed. At most 1,000, oldest first. */
  readonly degraded: readonly string[];
  /** What was removed when its time had come. */
  readonly purged: readonly AssessmentPurge[];
  /** What people said of sessions, by label. */
  readonly feedback: Counts;
  /** Assessments that wait for the store, of those that this process knows; null where the spool does not tell. */
  readonly spool_waiting: number | null;
}

/** A range's report, from what is kept of it. */
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

/** The ids of what is to be read again, on days that have any. */
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
