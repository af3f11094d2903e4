/** What the gate adds for callers: the audit of a runtime, and what people say of a session. The code is loaded with the first call. */
import type { BackgroundWorker, ExtensionContext } from "../../extension/port.ts";
import type { SessionId } from "../../kernel/id.ts";
import { objectGiven } from "../../kernel/json.ts";
import type { Feedback, FeedbackLabel, FeedbackSource } from "./give-feedback.ts";
import type { SafetyAudit } from "./safety-audit.ts";

/** What the gate adds to a session. */
export interface SessionFeedback {
  /**
   * Keeps what the person says of the session, for 180 days, of nobody: each time anew. A label that there is not is `input.invalid`; where the store fails it is null,
   * and nothing else is held up by it.
   */
  feedback(label: FeedbackLabel, options?: { readonly source?: FeedbackSource }): Promise<Feedback | null>;
}

/** What the gate adds for callers, whether or not an agent of the runtime has one: assessments stay after their agent's definition has changed. */
export interface SafetyApi {
  readonly runtime: SafetyAudit;
  session(session_id: SessionId): SessionFeedback;
}

/** The background workers of runtimes that have one. */
const workers = new WeakMap<ExtensionContext, BackgroundWorker>();

/** Notes the background worker of a runtime; the audit has it do its work before it reports. */
export function workedBy<Worker extends BackgroundWorker>(context: ExtensionContext, worker: Worker): Worker {
  workers.set(context, worker);
  return worker;
}

/** What the gate adds for callers in a runtime. */
export const safetyApi = (context: ExtensionContext): SafetyApi => ({
  runtime: auditOf(context),
  session: (session_id) => ({
    feedback: async (label, options = {}) => {
      const { giveFeedback } = await import("./give-feedback.ts");
      return giveFeedback(context, session_id, { label, source: objectGiven(options, "feedback").source });
    },
  }),
});

/** The audit of a runtime. The background worker, if this process has one, first does what there is to do. */
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
