/** Daily totals of the audit. They hold counts only, identify no one, and stay after the assessments. A purge record counts the deleted assessments. */
import { failedPaths } from "../safety-settings.ts";
import { commitOnce } from "../../extension/commit.ts";
import { findRecord, itemsOf } from "../../extension/lists.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { jsonEqual, type JsonObject } from "../../kernel/json.ts";
import type { RecordRow } from "../../store/port.ts";
import { type AssessmentRecord } from "../assessment.ts";
import { assessmentKind, dayMs, dayOf } from "./assessment-record.ts";

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

/** The totals of no assessments. */
const noAssessments: AssessmentTotals = Object.freeze({
  ...{ events_total: 0, by_level: {}, by_path: {}, by_region: {}, by_action: {}, overrides: {} },
  ...{ llm_failures_total: 0, degraded_total: 0, replies_total: 0, replies_completed: 0 },
  ...{ referrals_total: 0, referrals: {}, resources_shown: {}, lookup_statuses: {}, guarded: {}, escalations: {} },
});

/** Returns the totals with one more assessment. */
function withAssessment(totals: AssessmentTotals, record: AssessmentRecord): AssessmentTotals {
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
function addTotals(left: AssessmentTotals, right: AssessmentTotals): AssessmentTotals {
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

/** Record kind of daily totals; the key is the day. They do not expire and identify no one. */
export const dayKind = "assessment_day";
/** Record kind of a purge; the key is the day of the deleted assessments. A purge is an audit event of its own. */
export const purgeKind = "assessment_purge";

/** The number of a day's assessments that were deleted at their expiry. */
export interface AssessmentPurge {
  readonly day: string;
  readonly removed: number;
  readonly left: number;
  /** When the purge was detected. */
  readonly at: number;
}

type Audited = Pick<ExtensionContext, "store" | "clock" | "ids" | "logger">;

/** Returns the assessment in a record. Only assessments have this record kind. */
export const recordOf = ({ data }: Pick<RecordRow, "data">): AssessmentRecord => data as unknown as AssessmentRecord;

/** Returns the daily totals in a record. */
export const dayIn = ({ data }: Pick<RecordRow, "data">): AssessmentDay => data as unknown as AssessmentDay;

const rowsOf = (day: string) => ({ of: "records", kind: assessmentKind, prefix: `${day}/` }) as const;

async function countOf({ store }: Audited, day: string): Promise<number> {
  return (await store.list({ ...rowsOf(day), limit: 1 })).total;
}

async function sumsOf({ store }: Audited, day: string): Promise<AssessmentTotals> {
  let totals = noAssessments;
  for await (const row of itemsOf(store, rowsOf(day))) totals = withAssessment(totals, recordOf(row));
  return totals;
}

/** Returns the days of a range, both ends included. */
export function daysFrom(from: string, to: string): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= Date.parse(`${to}T00:00:00Z`); at += dayMs) days.push(dayOf(at));
  return days;
}

/** Tells whether a day is closed. One extra day leaves time for turns that were still running at its end. */
export const isClosed = (day: string, now: number): boolean => Date.parse(`${day}T00:00:00Z`) + 2 * dayMs <= now;

/**
 * Updates the totals of a day and returns them. It recounts while the day is open, or if the store has more assessments than counted, such as ones
 * from the fallback log. If the store has fewer, it records a purge. The update is idempotent.
 */
export async function updateDay(runtime: Audited, day: string): Promise<AssessmentDay | undefined> {
  const kept = await findRecord(runtime.store, dayKind, day);
  const before = kept === undefined ? undefined : dayIn(kept);
  const count = await countOf(runtime, day);
  if (before !== undefined && count < before.events_total) {
    await notePurge(runtime, { day, removed: before.events_total - count, left: count });
    return before;
  }
  if (count === 0 || (before !== undefined && count === before.events_total && isClosed(day, runtime.clock.now()))) return before;
  const sums: AssessmentDay = { day, ...(await sumsOf(runtime, day)) };
  if (before !== undefined && (sums.events_total < before.events_total || jsonEqual(sums as unknown as JsonObject, before as unknown as JsonObject)))
    return before;
  const depends = { version: kept?.version ?? 0 };
  // Counts are plain JSON by their type. A concurrent writer counted the same assessments, or another count follows.
  await commitOnce(runtime, { records: [{ kind: dayKind, key: day, depends, data: sums as unknown as JsonObject }] });
  return sums;
}

async function notePurge(runtime: Audited, purged: Omit<AssessmentPurge, "at">): Promise<void> {
  const known = await findRecord(runtime.store, purgeKind, purged.day);
  if (known?.data["removed"] === purged.removed) return;
  const at = runtime.clock.now();
  const data = { ...purged, at };
  const written = await commitOnce(runtime, { records: [{ kind: purgeKind, key: purged.day, depends: { version: known?.version ?? 0 }, data }] });
  if (written.outcome === "committed") runtime.logger.info("assessments have been removed", data);
}

/** Most days to check one by one. For a longer range, only months with assessments are checked. A wrong clock must not cost a read for each day between. */
const mostDays = 400;

/** Returns the days that can have assessments: all days between the first and the last with any. */
export async function daysThere({ store }: Pick<ExtensionContext, "store">): Promise<readonly string[]> {
  const [first] = (await store.list({ of: "records", kind: assessmentKind, limit: 1 })).items;
  const [last] = (await store.list({ of: "records", kind: assessmentKind, limit: 1, order: "desc" })).items;
  if (first === undefined || last === undefined) return [];
  const [from, to] = [first.key.slice(0, 10), last.key.slice(0, 10)];
  if (Date.parse(to) - Date.parse(from) <= mostDays * dayMs) return daysFrom(from, to);
  const has = async (prefix: string): Promise<boolean> => (await store.list({ of: "records", kind: assessmentKind, prefix, limit: 1 })).total > 0;
  const days: string[] = [];
  for (let year = Number(from.slice(0, 4)); year <= Number(to.slice(0, 4)); year++) {
    if (!(await has(`${year}-`))) continue;
    for (let month = 1; month <= 12; month++) {
      const prefix = `${year}-${String(month).padStart(2, "0")}-`;
      if (await has(prefix)) days.push(...daysFrom(`${prefix}01`, dayOf(Date.UTC(year, month, 0))));
    }
  }
  return days;
}

/** Returns the days of a record kind whose keys are days or start with one. */
const daysOf = async ({ store }: Audited, kind: string): Promise<ReadonlySet<string>> =>
  new Set((await Array.fromAsync(itemsOf(store, { of: "records", kind }))).map(({ key }) => key.slice(0, 10)));

/**
 * Updates every day that can have changed: open days, days that were never counted, and counted days whose assessments are not all deleted. It finds
 * every day with assessments, however long ago the last update ran.
 */
export async function updateDays(runtime: Audited, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
  const there = await daysThere(runtime);
  const counted = await daysOf(runtime, dayKind);
  const gone = new Set<string>();
  for await (const { data, key } of itemsOf(runtime.store, { of: "records", kind: purgeKind })) if (data["left"] === 0) gone.add(key);
  const days = new Set([...there, ...[...counted].filter((day) => !gone.has(day))]);
  for (const day of [...days].toSorted()) {
    if (signal?.aborted === true) return;
    await updateDay(runtime, day);
  }
}

/** Returns the stored totals of a range of days, in order. */
export async function keptDays({ store }: Audited, from: string, to: string): Promise<readonly AssessmentDay[]> {
  const days: AssessmentDay[] = [];
  for await (const row of itemsOf(store, { of: "records", kind: dayKind })) if (row.key >= from && row.key <= to) days.push(dayIn(row));
  return days;
}

/** Adds the totals of several days. */
export const sumOf = (days: readonly AssessmentDay[]): AssessmentTotals =>
  days.reduce<AssessmentTotals>((totals, { day: _day, ...sums }) => addTotals(totals, sums), noAssessments);
