/** The runtime as programs use it: with what the extensions of this package add for callers, under names of their own. */
import { defineExtension } from "./extension/port.ts";
import { CoreSession } from "./runtime/session.ts";
import { startRuntime, type CoreRuntime, type RuntimeOptions } from "./runtime/runtime.ts";
import type { OpenedOf, SessionsOf } from "./runtime/sessions.ts";
import { safetyApi } from "./safety/audit/api.ts";
import type { SafetyAudit } from "./safety/audit/safety-audit.ts";
import type { Feedback, FeedbackLabel, FeedbackSource } from "./safety/audit/give-feedback.ts";

/** What the gate adds, also where no agent has one: its records outlive the definition that has made them. */
const safety = defineExtension({ name: "safety", api: safetyApi });

/** One conversation. A handle holds nothing that changes: every call reads what it needs. */
export class Session extends CoreSession {
  /**
   * Keeps what the person says of the session, for 180 days, of nobody: each time anew. A label that there is not is `input.invalid`; where the store fails it is null,
   * and nothing else is held up by it.
   */
  async feedback(label: FeedbackLabel, options: { readonly source?: FeedbackSource } = {}): Promise<Feedback | null> {
    return this.extension(safety).feedback(label, options);
  }
}

/** Sessions of a runtime. */
export type Sessions = SessionsOf<Session>;

/** A session that was opened. */
export type OpenedSession = OpenedOf<Session>;

/** A running Throughline. */
export interface Runtime extends CoreRuntime<Session> {
  /** What gates have found, by day and one by one, for those who answer for it. */
  readonly safety: SafetyAudit;
}

/**
 * Starts a runtime: it answers accepted messages, beginning with those that an earlier process left.
 * @example const runtime = await createRuntime({ store: await openStore("./app.db"), agents: [agent] })
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const runtime = await startRuntime(options, { session: Session });
  return Object.freeze({ ...runtime, safety: runtime.extension(safety) });
}
