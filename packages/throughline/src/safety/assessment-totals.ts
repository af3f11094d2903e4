/** Totals of assessments. They hold counts only, identify no one, and stay after the assessments themselves are deleted. */
import { type AssessmentRecord, type SafetyPath, safetyPaths } from "./assessment.ts";

/** Count per name. Names that did not occur are left out. */
export type Counts = Readonly<Record<string, number>>;

/** Totals over the assessments of one or several days. */
export interface AssessmentTotals {
  readonly events_total: number;
  /** By level, `"0"` to `"3"`. */
  readonly by_level: Counts;
  readonly by_path: Counts;
  /** By the region that the person named, as an ISO code; `none` where no region is known. */
  readonly by_region: Counts;
  readonly by_action: Counts;
  /** Changes of the level: `raised`, `lowered`, `floor`, `sticky`. */
  readonly overrides: Counts;
  /** Assessments without a classifier verdict although the gate called a classifier, or skipped it because its breaker was open. */
  readonly llm_failures_total: number;
  readonly degraded_total: number;
  /** Replies due because the level is above 0, and those that were sent. Sessions in manual mode owe none. */
  readonly replies_total: number;
  readonly replies_completed: number;
  /** Turns whose reply showed a service or a directory, in total and by region. */
  readonly referrals_total: number;
  readonly referrals: Counts;
  /** By service id; `directories` if the reply showed only the directories. */
  readonly resources_shown: Counts;
  readonly lookup_statuses: Counts;
  /** Content that the output guard removed from replies or blocked, by kind. */
  readonly guarded: Counts;
  readonly escalations: Counts;
}

/** The totals of one day in UTC. */
export interface AssessmentDay extends AssessmentTotals {
  readonly day: string;
}

/** Paths on which a classifier was due but returned no verdict. */
export const failedPaths: ReadonlySet<SafetyPath> = new Set(safetyPaths.filter((path) => path.startsWith("llm_") || path === "breaker_open"));

/** The totals of no assessments. */
export const noAssessments: AssessmentTotals = Object.freeze({
  ...{ events_total: 0, by_level: {}, by_path: {}, by_region: {}, by_action: {}, overrides: {} },
  ...{ llm_failures_total: 0, degraded_total: 0, replies_total: 0, replies_completed: 0 },
  ...{ referrals_total: 0, referrals: {}, resources_shown: {}, lookup_statuses: {}, guarded: {}, escalations: {} },
});

/** Returns the totals with one more assessment. */
export function withAssessment(totals: AssessmentTotals, record: AssessmentRecord): AssessmentTotals {
  return addTotals(totals, totalsOf(record));
}

const once = (...names: readonly string[]): Counts => Object.fromEntries(names.map((name) => [name, 1]));

function totalsOf(record: AssessmentRecord): AssessmentTotals {
  const { level, path, override, action, region = "none", lookup_status, escalation, resources_shown, guarded } = record;
  const isReferral = resources_shown.length > 0;
  const isOwed = level > 0 && action !== "manual";
  return {
    events_total: 1,
    by_level: once(String(level)),
    by_path: once(path),
    by_region: once(region),
    by_action: once(action),
    overrides: override === "none" ? {} : once(override),
    llm_failures_total: failedPaths.has(path) ? 1 : 0,
    degraded_total: record.quality === "degraded" ? 1 : 0,
    replies_total: isOwed ? 1 : 0,
    replies_completed: isOwed && record.reply_completed ? 1 : 0,
    referrals_total: isReferral ? 1 : 0,
    referrals: isReferral ? once(region) : {},
    resources_shown: once(...resources_shown),
    lookup_statuses: lookup_status === undefined ? {} : once(lookup_status),
    guarded: once(...guarded),
    escalations: escalation === undefined || escalation === "none" ? {} : once(escalation),
  };
}

/** Adds two totals. */
export function addTotals(left: AssessmentTotals, right: AssessmentTotals): AssessmentTotals {
  return {
    events_total: left.events_total + right.events_total,
    by_level: addCounts(left.by_level, right.by_level),
    by_path: addCounts(left.by_path, right.by_path),
    by_region: addCounts(left.by_region, right.by_region),
    by_action: addCounts(left.by_action, right.by_action),
    overrides: addCounts(left.overrides, right.overrides),
    llm_failures_total: left.llm_failures_total + right.llm_failures_total,
    degraded_total: left.degraded_total + right.degraded_total,
    replies_total: left.replies_total + right.replies_total,
    replies_completed: left.replies_completed + right.replies_completed,
    referrals_total: left.referrals_total + right.referrals_total,
    referrals: addCounts(left.referrals, right.referrals),
    resources_shown: addCounts(left.resources_shown, right.resources_shown),
    lookup_statuses: addCounts(left.lookup_statuses, right.lookup_statuses),
    guarded: addCounts(left.guarded, right.guarded),
    escalations: addCounts(left.escalations, right.escalations),
  };
}

/** Adds two counts. The names are sorted, so equal totals serialize to the same text. */
export function addCounts(left: Counts, right: Counts): Counts {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].toSorted();
  return Object.fromEntries(names.map((name) => [name, (left[name] ?? 0) + (right[name] ?? 0)]));
}
