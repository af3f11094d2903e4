import type { SessionId } from "../../kernel/id.ts";
import { combine } from "../../safety/combine.ts";
import { contextFrom } from "../../safety/crisis/over.ts";
import type { Command } from "../../session/decide.ts";
import type { LoadedSession } from "../../store/port.ts";
import type { Agent } from "../agent.ts";
import type { RuntimeContext } from "../context.ts";
import { execute, type Executed } from "../execute.ts";
import type { Idempotency } from "../idempotency.ts";
import { escalationChanges } from "./outbox.ts";
import { planIn } from "./plan-in.ts";
import { assessmentRecord, recordChange } from "./record.ts";
import { refsFor } from "./refs.ts";
import { screening, type Screening } from "./screening.ts";

/** Commands that can bring a customer's words. */
type Accepting = Extract<Command, { type: "accept" | "post_custom" }>;

/** How urgent a level is for the people who have a session. */
const alertOf = (level: number): number => level * 100;

/** A state that does not fold keeps no message from people. */
function planOrNone(loaded: LoadedSession): ReturnType<typeof planIn> {
  try {
    return planIn(loaded);
  } catch {
    return undefined;
  }
}

/**
 * Accepts a customer's words that were screened. A message's turn assesses it. Where people have the session no turn will read it again: the assessment is committed
 * with the message, and from level 2 on with an alert to them. A custom event that queues no turn brings its assessment with it, too.
 */
export async function acceptScreened(
  runtime: RuntimeContext,
  given: {
    readonly session_id: SessionId;
    readonly agent: Agent;
    readonly text: string;
    readonly screened: Screening;
    readonly accepting: Accepting | ((loaded: LoadedSession) => Promise<Accepting>);
    readonly idempotency: Idempotency | undefined;
  },
): Promise<Executed | undefined> {
  const { session_id, agent, text, screened, accepting, idempotency } = given;
  const { safety } = agent;
  const assessedFor = async (loaded: LoadedSession, { type, trace_id }: Accepting): Promise<ReturnType<typeof assessmentRecord> | undefined> => {
    const { session } = loaded;
    if (safety === undefined || (type === "accept" && session.mode !== "manual")) return undefined;
    const now = runtime.clock.now();
    // What a page reports answers nothing that was asked, and is judged by its own words.
    const plan = type === "accept" ? planOrNone(loaded) : undefined;
    // What was asked before people took over may be what is answered now.
    const found = plan === undefined ? screened : screening(safety, text, contextFrom(plan));
    const assessment = combine({ text, screened: found.screened, path: "deterministic_only", plan, profile: safety.profile, now });
    // There is no turn; the message has a trace of its own.
    const refs = await refsFor(runtime, { session, turn_id: trace_id });
    return assessmentRecord({ assessment, refs, agent, safety, at: now, session, action: type === "accept" ? "manual" : "none" });
  };
  let record: ReturnType<typeof assessmentRecord> | undefined;
  let trace = "";
  const command = async (loaded: LoadedSession): Promise<Accepting> => {
    const accept = typeof accepting === "function" ? await accepting(loaded) : accepting;
    record = await assessedFor(loaded, accept);
    trace = accept.trace_id;
    if (record === undefined) return accept;
    const { audit_id, level } = record;
    if (accept.type === "post_custom") return { ...accept, assessed: { audit_id, level } };
    return { ...accept, assessed: { audit_id, level, ...(level < 2 ? {} : { alert: alertOf(level) }) } };
  };
  return execute(runtime, session_id, command, {
    idempotency,
    alongside: () =>
      Promise.resolve(
        record === undefined || safety === undefined
          ? undefined
          : {
              records: [
                recordChange(record, safety.retentionDays),
                ...escalationChanges(safety, record, { key: trace, session_id, state: "queued" }),
              ],
            },
      ),
  });
}
