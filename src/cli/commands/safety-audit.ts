import type { AssessmentRecord, SafetyLevel } from "../../safety/assessment.ts";
import type { SafetyReport } from "../../safety/audit/report.ts";
import { createAudit, type SafetyAudit } from "../../safety/audit/audit.ts";
import { updateDays } from "../../safety/audit/days.ts";
import { protocolOf } from "../../safety/protocol.ts";
import { type CommandContext, withStore } from "../context.ts";
import { gatedAgent } from "../gated-agent.ts";
import { idleContext } from "../memory-place.ts";
import { spoolBeside } from "../spool.ts";
import type { Run } from "../program/program.ts";
import { printable } from "../text.ts";

/** The audit of a database: no agent is needed, and nothing runs. */
const withAudit = <Result>(context: CommandContext, work: (audit: SafetyAudit) => Promise<Result>): Promise<Result> =>
  withStore(context, async (store) => {
    const runtime = { ...idleContext(store, context), safetySpool: spoolBeside(context.location) };
    return work(createAudit(runtime, () => updateDays(runtime)));
  });

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count.toLocaleString("en")}`)
    .join(", ") || "none";

const ids = (name: string, items: readonly string[]): string => `${name} (${items.length}): ${items.join(", ") || "none"}`;

function reportLines(report: SafetyReport): string {
  const { from, to, totals, reply_completion_rate: rate, referrals, lowered, degraded, purged, feedback } = report;
  const years = Object.entries(referrals).map(([year, counts]) => `Referrals ${year}: ${counted(counts)}`);
  return [
    `${from} to ${to}: ${totals.events_total.toLocaleString("en")} assessments on ${report.days.length} days`,
    `Levels: ${counted(totals.by_level)}`,
    `Ways: ${counted(totals.by_path)}`,
    `Moved: ${counted(totals.overrides)}`,
    `Regions: ${counted(totals.by_region)}`,
    `No classifier answered: ${totals.llm_failures_total}`,
    `Replies due and sent: ${totals.replies_total}, ${totals.replies_completed}${rate === null ? "" : ` (${(rate * 100).toFixed(1)} %)`}`,
    ...(years.length === 0 ? ["Referrals: none"] : years),
    `Services shown: ${counted(totals.resources_shown)}`,
    `Removed from replies: ${counted(totals.guarded)}`,
    `Alerts: ${counted(totals.escalations)}`,
    ids("Lowered", lowered),
    ids("Without a classifier's answer", degraded),
    `Expired: ${purged.reduce((sum, { removed }) => sum + removed, 0)}`,
    `Waiting for the store: ${report.spool_waiting ?? "not known"}`,
    `Feedback: ${counted(feedback)}`,
  ].join("\n");
}

/** `safety report`: what some days come to. */
export async function showReport(context: CommandContext, range: { readonly from?: string; readonly to?: string }): Promise<void> {
  const report = await withAudit(context, (audit) => audit.report(range));
  if (context.output.json) return context.output.document({ report });
  context.output.out.line(printable(reportLines(report)));
}

const row = ({ at, audit_id, level, path, override, reason_code, action }: AssessmentRecord): string =>
  [new Date(at).toISOString(), audit_id, `level ${level}`, path, override === "none" ? "" : override, reason_code, action].filter(Boolean).join("  ");

/** `safety assessments`: one by one. */
export async function listAssessments(
  context: CommandContext,
  filter: { readonly level?: SafetyLevel; readonly day?: string; readonly limit: number; readonly cursor?: string },
): Promise<void> {
  const { output } = context;
  const page = await withAudit(context, (audit) => audit.assessments(filter));
  if (output.json) return output.document(page);
  for (const record of page.items) output.out.line(printable(row(record)));
  if (page.next_cursor !== null) output.err.line(`More: --cursor ${page.next_cursor}`);
  else if (page.items.length === 0) output.err.line("There are no assessments.");
}

/** `safety protocol`: what an agent's gate does, as a page to publish. */
export async function printProtocol(run: Run, { agent: module }: { readonly agent?: string }): Promise<void> {
  const { output, clock } = run.plain();
  const { name, safety } = await gatedAgent(module);
  const protocol = protocolOf(safety, { agent: name, at: clock.now() });
  if (output.json) return output.document({ protocol });
  output.out.stream.write(protocol);
}
