/** Commands for an agent's gate: screen messages, and report on assessments. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { present } from "throughline/internal";
import { seen, ThroughlineError, isPlainObject } from "throughline/kernel";
import type { AssessmentRecord, SafetyAudit, SafetyReport, Screen } from "throughline/safety";
import { createAudit, updateDays } from "throughline/internal/safety";
import { type CommandContext, idleContext, type PlainContext, withStore, type Run } from "../command-context.ts";
import { gatedAgent } from "../load-agent.ts";
import { spoolBeside } from "../database-location.ts";
import { printable } from "../terminal-text.ts";

/** Screens one input line and returns the JSON for the output line. */
function answerTo(screen: Screen, line: string): object {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    throw new ThroughlineError("json.invalid", "The line is not JSON.");
  }
  const { text, context } = isPlainObject(given) ? given : {};
  if (typeof text !== "string") throw new ThroughlineError("input.invalid", `A line has a text, got ${seen(text)}.`, { details: { path: "text" } });
  const { level, matches, quality } = screen(text, screen.contextOf(contextMessages(context)));
  return { level, matches: [...new Set(matches.map(({ id }) => id))], quality };
}

/** Screens the lines of standard input and prints one result per line, in order. Sets exit code 1 if a line was invalid. */
export async function screenLines(run: Run, { agent: module }: { readonly agent?: string }): Promise<void> {
  const { output } = run.plain();
  const { screen } = (await gatedAgent(module)).safety;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    let answer: object;
    try {
      answer = answerTo(screen, line);
    } catch (error) {
      const { code, message } = ThroughlineError.from(error);
      run.code = 1;
      answer = { error: { code, message } };
    }
    if (!output.out.stream.write(`${JSON.stringify(answer)}\n`)) await once(output.out.stream, "drain");
  }
}

/** A message of the context. */
export type ContextMessage = Parameters<Screen["contextOf"]>[0][number];

/** Matches a transcript line with a speaker. */
const named = /^\s*(user|human|person|customer|client|assistant|agent|ai|bot|companion)\s*:\s*(.*)$/iu;
const isPerson = (name: string): boolean => /^(?:user|human|person|customer|client)$/iu.test(name);

/** Guesses the speaker of an unnamed text: a question is the assistant's, any other text the user's. */
const unnamed = (text: string): ContextMessage => ({ role: /[?？؟]\s*["'”’)]*\s*$/u.test(text) ? "assistant" : "user", text });

/** Splits a text that may be a transcript or a single message. */
function messagesIn(text: string): readonly ContextMessage[] {
  if (text.trim() === "") return [];
  const messages: { role: ContextMessage["role"]; text: string }[] = [];
  for (const line of text.split("\n")) {
    const [, name, rest = ""] = named.exec(line) ?? [];
    const last = messages.at(-1);
    if (name !== undefined) messages.push({ role: isPerson(name) ? "user" : "assistant", text: rest });
    else if (last === undefined) return [unnamed(text)];
    else last.text += `\n${line}`;
  }
  return messages;
}

/**
 * Parses the context of a message in common forms: a transcript, a single message, or a list of either. Objects have a role and a `text` or
 * `content`. An unnamed question belongs to the assistant. Throws `input.invalid` for any other value.
 */
export function contextMessages(value: unknown): readonly ContextMessage[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return messagesIn(value);
  if (Array.isArray(value)) return value.flatMap((item: unknown) => (typeof item === "string" ? messagesIn(item) : [messageIn(item)]));
  if (isPlainObject(value) && Array.isArray(value["messages"])) return contextMessages(value["messages"]);
  return [messageIn(value)];
}

function messageIn(value: unknown): ContextMessage {
  const { role, text, content } = isPlainObject(value) ? value : {};
  const body = text ?? content;
  if (typeof role !== "string" || typeof body !== "string")
    throw new ThroughlineError("input.invalid", `A message of the context has a role and a text, got ${seen(value)}.`, {
      details: { path: "context" },
    });
  return { role: isPerson(role) ? "user" : "assistant", text: body };
}

/** Opens the audit of a database without an agent. */
const withAudit = <Result>(context: CommandContext, work: (audit: SafetyAudit) => Promise<Result>): Promise<Result> =>
  withStore(context, async (store) => {
    const runtime = { ...idleContext(store, context), safetySpool: await spoolBeside(context.location) };
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

/** `safety report`: summarizes the assessments of a range of days. */
export async function showReport(context: CommandContext, range: { readonly from?: string; readonly to?: string }): Promise<void> {
  const report = await withAudit(context, (audit) => audit.report(range));
  if (context.output.json) return context.output.document({ report });
  context.output.out.line(printable(reportLines(report)));
}

const row = ({ at, audit_id, level, path, override, reason_code, action, grounds = [] }: AssessmentRecord): string =>
  [new Date(at).toISOString(), audit_id, `level ${level}`, path, override === "none" ? "" : override, reason_code, action, grounds.join("+")]
    .filter(Boolean)
    .join("  ");

/** `safety assessments`: lists single assessments. */
export async function listAssessments(
  context: CommandContext,
  { level: named, ...page }: { readonly level?: string; readonly day?: string; readonly limit: number; readonly cursor?: string },
): Promise<void> {
  const { output } = context;
  const level = ([0, 1, 2, 3] as const).find((one) => String(one) === named);
  const listed = await withAudit(context, (audit) => audit.assessments({ ...page, ...present({ level }) }));
  if (output.json) return output.document(listed);
  for (const record of listed.items) output.out.line(printable(row(record)));
  if (listed.next_cursor !== null) output.err.line(`More: --cursor ${listed.next_cursor}`);
  else if (listed.items.length === 0) output.err.line("There are no assessments.");
}

/** `safety protocol`: prints a description of an agent's gate for publication. */
export async function printProtocol({ output, clock }: PlainContext, { agent: module }: { readonly agent?: string }): Promise<void> {
  const { name, safety } = await gatedAgent(module);
  const { protocolOf } = await import("throughline/safety");
  const protocol = protocolOf(safety, { agent: name, at: clock.now() });
  if (output.json) return output.document({ protocol });
  output.out.stream.write(protocol);
}
