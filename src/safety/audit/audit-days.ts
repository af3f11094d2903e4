/** The days of an audit: the assessments of each one as numbers, written while they are there, and how many of them have gone since. */
import { commitOnce } from "../../extension/commit.ts";
import { findRecord, itemsOf } from "../../extension/lists.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { jsonEqual, type JsonObject } from "../../kernel/json.ts";
import type { RecordRow } from "../../store/port.ts";
import type { AssessmentRecord } from "../assessment.ts";
import { type AssessmentTotals, type AssessmentDay, noAssessments, withAssessment, addTotals } from "../assessment-totals.ts";
import { assessmentKind, dayMs, dayOf } from "./assessment-record.ts";

/** The kind of a day's sums; the key is the day. They have no end, and nobody's name in them. */
export const dayKind = "assessment_day";
/** The kind of what is known of assessments that have gone, by the day that they were of: an event of the audit of its own. */
export const purgeKind = "assessment_purge";

/** How many assessments of a day were removed when their time had come. */
export interface AssessmentPurge {
  readonly day: string;
  readonly removed: number;
  readonly left: number;
  /** When that was noticed. */
  readonly at: number;
}

type Audited = Pick<ExtensionContext, "store" | "clock" | "ids" | "logger">;

/** The assessment that a record holds: nothing else is written under its kind. */
export const recordOf = ({ data }: Pick<RecordRow, "data">): AssessmentRecord => data as unknown as AssessmentRecord;

/** A day's sums as they are kept. */
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

/** The days from one to another, both included. */
export function daysFrom(from: string, to: string): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= Date.parse(`${to}T00:00:00Z`); at += dayMs) days.push(dayOf(at));
  return days;
}

/** Whether a day is over, with a day more for what was still at work at its end. */
export const isClosed = (day: string, now: number): boolean => Date.parse(`${day}T00:00:00Z`) + 2 * dayMs <= now;

/**
 * Brings a day's sums up to date, and returns them. Counted anew as long as the day is open, or has more assessments than were counted, such as those
 * that waited for the store; of a day with fewer the difference has gone, which is put on record. Doing it again changes nothing.
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
  // Counts: plain data by its type. Whoever counts the same day at the same time has counted the same, or is followed by another count.
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

/** So many days are looked at one by one; of more, those of a month alone that has any. A clock that was years off must not cost a look at each day between. */
const mostDays = 400;

/** The days that may have assessments: all between the first and the last that do. */
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

/** The days of a kind of record whose key is a day, or begins with one. */
const daysOf = async ({ store }: Audited, kind: string): Promise<ReadonlySet<string>> =>
  new Set((await Array.fromAsync(itemsOf(store, { of: "records", kind }))).map(({ key }) => key.slice(0, 10)));

/**
 * Brings all days up to date that may have changed: those that are open, those that were never counted, and those that are known and not gone yet.
 * Everything that has assessments is found, however long nobody has looked.
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

/** The sums that are kept of the days from one to another, in order. */
export async function keptDays({ store }: Audited, from: string, to: string): Promise<readonly AssessmentDay[]> {
  const days: AssessmentDay[] = [];
  for await (const row of itemsOf(store, { of: "records", kind: dayKind })) if (row.key >= from && row.key <= to) days.push(dayIn(row));
  return days;
}

/** Several days as one. */
export const sumOf = (days: readonly AssessmentDay[]): AssessmentTotals =>
  days.reduce<AssessmentTotals>((totals, { day: _day, ...sums }) => addTotals(totals, sums), noAssessments);
