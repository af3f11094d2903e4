/** Shows the decisions of the gate. The output contains levels and codes, and no message text. */
import { present } from "throughline/internal";
import { planIn, assessmentKey, assessmentKind } from "throughline/internal/safety";
import { type AssessmentRecord, safetyOf, type CrisisPlan } from "throughline/safety";
import type { SessionId } from "throughline/kernel";
import type { Store } from "throughline";
import type { Channel } from "../command-output.ts";
import { allEvents, loadAt } from "../read-session.ts";
import { clip, table } from "../terminal-text.ts";
import type { Conversation } from "./open-conversation.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Maximum number of assessments shown. */
const most = 10;

/** An assessment of a session. The record is missing after its retention period. */
export interface SessionAssessment {
  readonly offset: number;
  readonly at: number;
  readonly level: number;
  readonly record?: AssessmentRecord;
}

/** The assessments of a session, oldest first. */
export async function assessmentsOf(store: Store, session_id: SessionId): Promise<readonly SessionAssessment[]> {
  const events = await allEvents(store, session_id, ["assessment"]);
  const noted = events.flatMap((event) => (event.kind === "assessment" ? [event] : []));
  return Promise.all(
    noted.map(async ({ offset, created_at, data: { audit_id, level } }) => {
      const record = await recordOf(store, { audit_id, at: created_at });
      return { offset, at: created_at, level, ...present({ record }) };
    }),
  );
}

/** Finds an assessment record. Records are keyed by the day on which their turn was queued, which may be the previous day. */
async function recordOf(store: Store, { audit_id, at }: { readonly audit_id: string; readonly at: number }): Promise<AssessmentRecord | undefined> {
  for (const day of [at, at - dayMs]) {
    const { items } = await store.list({ of: "records", kind: assessmentKind, key: assessmentKey({ audit_id, at: day }), limit: 1 });
    // Only one function writes these records, with this type.
    const [item] = items;
    if (item?.data !== undefined && item.data !== null) return item.data as unknown as AssessmentRecord;
  }
  return undefined;
}

const listed = (values: readonly string[]): string => values.join(", ") || "-";

function decidedLines({ level, record }: SessionAssessment): readonly string[] {
  if (record === undefined) return [`level ${level}`];
  const { path, quality, confidence, override, reason_code, level_deterministic, level_llm, risk_types, subject } = record;
  return [
    table([
      ["level", `${level} (screen ${level_deterministic}, classifier ${level_llm ?? "not asked"}; ${confidence} confidence)`],
      ["path", `${path}, ${quality}; override ${override}, reason ${reason_code}`],
      ["risk", `${listed(risk_types)}, of ${subject === "self" ? "the writer" : "another person"}`],
      ["matches", listed(record.matches)],
      ["action", record.action],
      [
        "shown",
        `${listed(record.resources_shown)} (look-up ${record.lookup_status ?? "not attempted"}${record.region === undefined ? "" : `, ${record.region}`})`,
      ],
      ["guarded", listed(record.guarded)],
    ]),
  ];
}

/** Formats a crisis plan as a table. */
function planLines(plan: CrisisPlan): string {
  const answers = Object.entries(plan.answers).map(([question, answer]) => `${question} ${answer}`);
  const flags = (["emergency", "human_care", "coping", "ai_limits"] as const).filter((name) => plan[`${name}_given`]);
  return table([
    ["open", plan.highest === 0 ? "no" : `level ${plan.highest}, ${listed(plan.risk_types)}`],
    ["last levels", plan.window.map(({ level }) => level).join(" ") || "-"],
    ["asked", listed(plan.asked)],
    ["answers", listed(answers)],
    ["region", plan.location_refused ? "not told" : listed(plan.regions)],
    ["given", listed([...plan.given, ...flags])],
    ["calm turns", String(plan.calm_turns)],
  ]);
}

/** `/safety`: shows the last assessment, the levels before it, and the crisis plan. */
export async function showSafety({ session, store, agent }: Conversation, channel: Channel): Promise<void> {
  if (safetyOf(agent) === undefined) return channel.line(`${agent.name} has no gate: nothing is assessed.`);
  const { id } = await session();
  const assessed = await assessmentsOf(store, id);
  const last = assessed.at(-1);
  if (last === undefined) return channel.line("Nothing has been assessed yet.");
  for (const line of decidedLines(last)) channel.line(line);
  const before = assessed.slice(-most - 1, -1);
  if (before.length > 0) channel.line(channel.paint("dim", clip(`before: ${before.map(({ level }) => level).join(" ")}`, channel.columns(100))));
  const plan = planIn(await loadAt(store, id));
  if (plan !== undefined) channel.line(`\n${channel.paint("bold", "plan")}\n${planLines(plan)}`);
}
