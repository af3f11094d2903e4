/** What gates have found in some days, as those ask for it who answer for it. */
import type { ExtensionContext } from "../../extension/port.ts";
import type { AssessmentDay, AssessmentTotals, Counts } from "../aggregate.ts";
import { addCounts, failedPaths } from "../aggregate.ts";
import { itemsOf } from "../../extension/lists.ts";
import { keptDays, purgeKind, recordOf, sumOf, type AssessmentPurge } from "./days.ts";
import { sharedOf } from "./shared.ts";
import { feedbackCounts } from "./give-feedback.ts";
import { assessmentKind } from "./record.ts";

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
export async function reportOf(runtime: ExtensionContext, { from, to }: { readonly from: string; readonly to: string }): Promise<SafetyReport> {
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
