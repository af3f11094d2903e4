/** Screens a message before it is accepted: what is found decides how urgent it is, and what is said if nothing else can be. */
import type { AcceptEffect, ExtensionAgent } from "../../extension/port.ts";
import type { LoadedSession } from "../../store/port.ts";
import { escalationChanges } from "../audit/escalation-outbox.ts";
import { assessmentRecord, recordChange, refsFor } from "../audit/assessment-record.ts";
import { combine } from "../combine.ts";
import { contextFrom } from "../crisis-plan.ts";
import type { SafetySettings } from "../safety-settings.ts";
import type { ScreenContext, Screened } from "../screen/screened.ts";
import { planIn } from "./gate-fields.ts";

/** What the screen says of a text, or that it has failed, which is no reason to pass anybody over. */
export type Screening = { readonly screened: Screened; readonly failed?: never } | { readonly screened?: never; readonly failed: true };

/** Screens a text. Never throws. */
export function screening({ screen }: SafetySettings, text: string, context?: ScreenContext): Screening {
  try {
    return { screened: screen(text, context) };
  } catch {
    return { failed: true };
  }
}

/** From this level on a message waits for nothing. */
const urgentFrom = 2;

/** Whether a message waits for nothing: it ends the turn at work, and is in front of all that waits. */
const isUrgent = ({ screened }: Screening): boolean => screened !== undefined && screened.level >= urgentFrom;

/** How urgent a level is for the people who have a session. */
const alertOf = (level: number): number => level * 100;

/** Milliseconds that somebody in danger waits for their turn, besides what its model may take. */
const mostTurn = 10_000;

/** A state that does not fold keeps no message from people. */
function planOrNone(loaded: LoadedSession): ReturnType<typeof planIn> {
  try {
    return planIn(loaded);
  } catch {
    return undefined;
  }
}

/**
 * Screens what a customer has sent. A message's turn assesses it. Where people have the session no turn will read it again: the assessment is committed
 * with the message, and from level 2 on with an alert to them. A custom event that queues no turn brings its assessment with it, too.
 */
export function acceptScreened(
  safety: SafetySettings,
  { agent, text, kind }: { readonly agent: ExtensionAgent; readonly text: string; readonly kind: "message" | "custom" },
): AcceptEffect {
  const screened = screening(safety, text);
  return {
    urgent: isUrgent(screened),
    // A level 3 waits for no model.
    answerMs: mostTurn + (screened.screened?.level === 3 ? 0 : safety.hardMs + safety.replyMs),
    beside: async ({ context, loaded, session_id, trace_id, answered }) => {
      if (answered) return undefined;
      const { session } = loaded;
      const now = context.clock.now();
      // What a page reports answers nothing that was asked, and is judged by its own words.
      const plan = kind === "message" || isUrgent(screened) ? planOrNone(loaded) : undefined;
      // What was asked before people took over may be what is answered now.
      const found = plan === undefined ? screened : screening(safety, text, contextFrom(plan));
      const assessment = combine({ text, screened: found.screened, path: "deterministic_only", plan, profile: safety.profile, now });
      // There is no turn; the message has a trace of its own.
      const refs = await refsFor(context, { session, turn_id: trace_id });
      const isForPeople = session.mode === "manual" && (kind === "message" || isUrgent(screened));
      const record = assessmentRecord({ assessment, refs, agent, safety, at: now, session, action: isForPeople ? "manual" : "none" });
      const { audit_id, level } = record;
      return {
        assessed: { audit_id, level, ...(isForPeople && level >= 2 ? { alert: alertOf(level) } : {}) },
        records: [recordChange(record, safety.retentionDays), ...escalationChanges(safety, record, { key: trace_id, session_id, state: "queued" })],
      };
    },
  };
}
