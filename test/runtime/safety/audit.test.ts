import { expect, test } from "vitest";
import { openStore, type JsonObject } from "../../../packages/throughline/src/index.ts";
import type { AssessmentRecord, AssessmentSpool } from "../../../packages/throughline/src/safety.ts";
import { code, started } from "../harness.ts";
import { daysThere } from "../../../packages/throughline/src/safety/audit/audit-days.ts";
import { dayOf } from "../../../packages/throughline/src/safety/audit/assessment-record.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { clockAt, dayMs } from "./clock-at.ts";
import { assessments, calm, gated, saying } from "./harness.ts";

const noon = Date.parse("2026-11-20T12:00:00Z");

async function audited({ retentionDays = 3, spool }: { readonly retentionDays?: number; readonly spool?: AssessmentSpool } = {}) {
  const clock = clockAt(noon);
  const store = await openStore(":memory:", { clock });
  const { agent } = gated({ retentionDays });
  const runtime = await started({ agents: [agent], store, clock, ...(spool === undefined ? {} : { safetySpool: spool }) });
  const session = await runtime.sessions.create({ agent: "companion" });
  return { clock, store, runtime, session, safety: runtime.safety };
}

test("the days of an audit stay when their assessments have gone, and what has gone is on record", async () => {
  const { clock, safety, session } = await audited();
  await session.send("Good morning");
  await session.send("I want to die. I live in Canada.");
  const { totals, referrals, days, reply_completion_rate } = await safety.report();
  expect(totals).toMatchObject({ events_total: 2, by_level: { "0": 1, "2": 1 }, replies_total: 1, replies_completed: 1, referrals_total: 1 });
  expect({ referrals, reply_completion_rate }).toEqual({ referrals: { "2026": { CA: 1 } }, reply_completion_rate: 1 });
  for (const record of (await safety.assessments()).items) expect(JSON.stringify(days)).not.toContain(record.audit_id);
  expect((await safety.report()).days).toEqual(days);

  clock.set(noon + 10 * dayMs);
  const later = await safety.report();
  expect((await safety.assessments()).items).toEqual([]);
  expect(later.days).toEqual(days);
  expect(later.purged).toEqual([{ day: "2026-11-20", removed: 2, left: 0, at: clock.now() }]);
  clock.set(noon + 11 * dayMs);
  expect((await safety.report()).purged).toEqual(later.purged);
});

test("directories are a referral too, and of no region", async () => {
  const { safety, session } = await audited();
  await session.send("I want to die");
  const { totals } = await safety.report();
  expect(totals).toMatchObject({ referrals_total: 1, referrals: { none: 1 }, resources_shown: { directories: 1 } });
});

test("what waited for the store is written, and its day counted anew, also when that was closed long ago", async () => {
  const waiting: AssessmentRecord[] = [];
  const spool: AssessmentSpool = {
    append: (record) => (waiting.push(record), Promise.resolve()),
    drain: async (write) => {
      while (waiting[0] !== undefined) {
        await write(waiting[0]);
        waiting.shift();
      }
      return 0;
    },
    waiting: () => Promise.resolve(waiting.length),
  };
  const { clock, store, safety, session } = await audited({ spool, retentionDays: 30 });
  await session.send("Good morning");
  clock.set(noon + 5 * dayMs);
  expect((await safety.report()).totals.events_total).toBe(1);
  const [record] = await assessments(store);
  if (record === undefined) throw new Error("There is no assessment.");
  waiting.push({ ...record, audit_id: "late", path: "deterministic_only" });
  const report = await safety.report();
  expect(report.days).toMatchObject([{ day: "2026-11-20", events_total: 2, by_path: { deterministic_only: 1, union: 1 } }]);
  expect(report.spool_waiting).toBe(0);
});

test("lowered and unanswered assessments are listed by their ids", async () => {
  const idiom = "this homework is killing me, I want to die lol";
  const { agent } = gated({ classifier: saying({ level: 0, confidence: "high", reason_code: "idiom", evidence_span: idiom }) });
  const broken = gated({ classifier: saying(new Error("down")) }, { name: "broken" }).agent;
  const { store, ...runtime } = await started({ agents: [agent, broken] });
  await (await runtime.sessions.create({ agent: "companion" })).send(idiom);
  await (await runtime.sessions.create({ agent: "broken" })).send("Good morning");
  const records = await assessments(store);
  const { lowered, degraded, totals } = await runtime.safety.report();
  const idsOf = (which: (record: AssessmentRecord) => boolean): readonly string[] => records.filter(which).map(({ audit_id }) => audit_id);
  expect(lowered).toEqual(idsOf(({ override }) => override === "lowered"));
  expect(degraded).toEqual(idsOf(({ path }) => path === "llm_error"));
  expect({ degraded: degraded.length, failures: totals.llm_failures_total }).toEqual({ degraded: 1, failures: 1 });
});

test("a sample is the same for the same seed, another for another, and does not say what was found", async () => {
  const { store, safety } = await audited({ retentionDays: 30 });
  const records = Array.from({ length: 60 }, (_, index) => ({
    kind: "assessment",
    key: `2026-11-${18 + (index % 2)}/id${index}`,
    data: { audit_id: `id${index}`, at: noon - dayMs, level: index % 4 } satisfies JsonObject,
  }));
  await store.commit({ commit_id: "cmt_sample", at: noon, records });
  const week = { to: "2026-11-20", size: 5 };
  const drawn = await safety.sample({ ...week, seed: "week 47" });
  expect(drawn).toHaveLength(5);
  expect(await safety.sample({ ...week, seed: "week 47" })).toEqual(drawn);
  expect(await safety.sample({ ...week, seed: "week 48" })).not.toEqual(drawn);
  expect(Object.keys(drawn[0] ?? {})).toEqual(["audit_id", "at"]);
  const all = await safety.sample({ ...week, size: 1_000, seed: "all" });
  const expected = records.flatMap(({ data }) => (data["level"] < 2 ? [data["audit_id"]] : []));
  expect(all.map(({ audit_id }) => audit_id).toSorted()).toEqual(expected.toSorted());
  // Fewer are the first of more: what is drawn is an order by chance.
  expect(all.length).toBeGreaterThan((await safety.sample({ ...week, size: 7, seed: "all" })).length);
  expect(all.slice(0, 7)).toEqual(await safety.sample({ ...week, size: 7, seed: "all" }));
});

test("a hold keeps an assessment for longer, and no other; a verdict lies beside it", async () => {
  const { clock, store, safety, session } = await audited();
  await session.send("Good morning");
  await session.send("The rain has stopped");
  const [kept] = await assessments(store);
  const audit_id = kept?.audit_id ?? "";
  await safety.hold(audit_id, { until: noon + 30 * dayMs, reason: "asked for by a review" });
  await safety.review(audit_id, { reviewer: "r1", level: 1 });
  clock.set(noon + 20 * dayMs);
  expect(await assessments(store)).toMatchObject([{ audit_id, hold: { until: noon + 30 * dayMs, reason: "asked for by a review" } }]);
  const { items: reviews } = await store.list({ of: "records", kind: "assessment_review" });
  expect(reviews).toMatchObject([{ key: `${audit_id}/r1`, data: { level: 1 } }]);
  clock.set(noon + 31 * dayMs);
  expect(await assessments(store)).toEqual([]);
  expect(await code(safety.hold(audit_id, { until: noon + 60 * dayMs, reason: "late" }))).toBe("safety.not_found");
});

test("pages of assessments, cut down to a level or a day", async () => {
  const { safety, session } = await audited();
  await session.send("Good morning");
  await session.send("I want to die");
  expect((await safety.assessments({ level: 2 })).items).toMatchObject([{ level: 2 }]);
  expect((await safety.assessments({ day: "2026-11-19" })).items).toEqual([]);
  const first = await safety.assessments({ limit: 1 });
  const second = await safety.assessments({ limit: 1, cursor: first.next_cursor ?? "" });
  expect(new Set([...first.items, ...second.items].map(({ audit_id }) => audit_id)).size).toBe(2);
});

test.each([
  ["a day that there is not", (safety: Awaited<ReturnType<typeof audited>>["safety"]) => safety.report({ from: "2026-02-30" })],
  ["a range that goes back", (safety: Awaited<ReturnType<typeof audited>>["safety"]) => safety.report({ from: "2026-11-21", to: "2026-11-20" })],
  ["a level that there is not", (safety: Awaited<ReturnType<typeof audited>>["safety"]) => safety.assessments({ level: 4 as never })],
  ["a sample without a seed", (safety: Awaited<ReturnType<typeof audited>>["safety"]) => safety.sample({ seed: "" })],
  ["a sample of nobody", (safety: Awaited<ReturnType<typeof audited>>["safety"]) => safety.sample({ seed: "a", size: 0 })],
  ["a hold until yesterday", (safety: Awaited<ReturnType<typeof audited>>["safety"]) => safety.hold("a", { until: 1, reason: "r" })],
])("%s is refused", async (_, ask) => {
  const { safety } = await audited();
  expect(await code(Promise.resolve().then(async () => void (await ask(safety))))).toBe("input.invalid");
});

test("erasing a person leaves the assessments, and nothing that tells whose they were", async () => {
  const { store, ...runtime } = await started({ agents: [gated({ classifier: calm }).agent] });
  await runtime.customers.create({ id: "ada" });
  const session = await runtime.sessions.create({ agent: "companion", customer: "ada" });
  await session.send("I want to die");
  await session.feedback("positive");
  const [record] = await assessments(store);
  await runtime.customers.delete("ada");
  expect(await assessments(store)).toEqual([record]);
  expect((await store.list({ of: "records", kind: "assessment_secret" })).items).toEqual([]);
  expect((await runtime.safety.report()).feedback).toEqual({ positive: 1 });
});

test("a message of somebody in danger to people who have the session has an assessment of its own, however many come", async () => {
  const { store, ...runtime } = await started({ agents: [gated().agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  await session.handOver();
  await Promise.all(["I want to die", "I want to die now", "please help me"].map((text) => session.post(text)));
  expect(await assessments(store)).toHaveLength(3);
});

test("a row of a clock that was decades off costs no look at each day between", async () => {
  const { store, session } = await audited();
  await session.send("Good morning");
  const keys = ["1970-01-02/x", "2199-12-31/y"];
  const records = keys.map((key) => ({ kind: "assessment", key, data: { audit_id: key }, keep_ms: dayMs }));
  await store.commit({ commit_id: "far", at: 1, records });
  let looks = 0;
  const days = await daysThere({ store: { ...forwarding(store), list: (query) => ((looks += 1), store.list(query)) } });
  expect(days).toEqual(expect.arrayContaining(["1970-01-02", dayOf(noon), "2199-12-31"]));
  expect({ days: days.length, few: looks < 300 }).toEqual({ days: 31 + 30 + 31, few: true });
});
