/** The gate's API for callers: the audit of a runtime, and feedback on a session. The first call loads the code. */
import type { BackgroundWorker, ExtensionContext } from "../../extension/port.ts";
import type { SessionId } from "../../kernel/id.ts";
import { objectGiven } from "../../kernel/json.ts";
import type { Feedback, FeedbackLabel, FeedbackSource, SafetyAudit } from "./safety-audit.ts";

/** The gate's additions to a session. */
export interface SessionFeedback {
  /**
   * Stores the person's feedback on the session for 180 days, without their identity. Each call adds a record. Throws `input.invalid` for an unknown
   * label. Returns null if the store fails.
   */
  feedback(label: FeedbackLabel, options?: { readonly source?: FeedbackSource }): Promise<Feedback | null>;
}

/** The gate's additions for callers. They exist even if no agent of the runtime has a gate, because assessments outlive a change of the agent's definition. */
export interface SafetyApi {
  readonly runtime: SafetyAudit;
  session(session_id: SessionId): SessionFeedback;
}

/** The background worker of each runtime that has one. */
const workers = new WeakMap<ExtensionContext, BackgroundWorker>();

/** Registers the background worker of a runtime. The audit runs the worker before it reports. */
export function workedBy<Worker extends BackgroundWorker>(context: ExtensionContext, worker: Worker): Worker {
  workers.set(context, worker);
  return worker;
}

/** Creates the gate's API for a runtime. */
export const safetyApi = (context: ExtensionContext): SafetyApi => ({
  runtime: auditOf(context),
  session: (session_id) => ({
    feedback: async (label, options = {}) => {
      const { giveFeedback } = await import("./safety-audit.ts");
      return giveFeedback(context, session_id, { label, source: objectGiven(options, "feedback").source });
    },
  }),
});

/** Creates the audit of a runtime. It first runs the background worker of this process, or updates the daily totals if there is none. */
function auditOf(context: ExtensionContext): SafetyAudit {
  const refresh = async (): Promise<void> => {
    const worker = workers.get(context);
    if (worker === undefined) await import("./audit-days.ts").then(({ updateDays }) => updateDays(context));
    else await worker.look();
  };
  let opened: Promise<SafetyAudit> | undefined;
  const open = (): Promise<SafetyAudit> => (opened ??= import("./safety-audit.ts").then(({ createAudit }) => createAudit(context, refresh)));
  return Object.freeze({
    report: async (...given: Parameters<SafetyAudit["report"]>) => (await open()).report(...given),
    assessments: async (...given: Parameters<SafetyAudit["assessments"]>) => (await open()).assessments(...given),
    sample: async (...given: Parameters<SafetyAudit["sample"]>) => (await open()).sample(...given),
    hold: async (...given: Parameters<SafetyAudit["hold"]>) => (await open()).hold(...given),
    review: async (...given: Parameters<SafetyAudit["review"]>) => (await open()).review(...given),
    escalations: async (...given: Parameters<SafetyAudit["escalations"]>) => (await open()).escalations(...given),
    settle: async (...given: Parameters<SafetyAudit["settle"]>) => (await open()).settle(...given),
  });
}
