import type { Clock } from "../../kernel/clock.ts";
import { inTime } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Logger } from "../../kernel/log.ts";
import type { AssessmentRecord, AssessmentSpool } from "../../safety/assessment.ts";

/** Milliseconds that a reply waits for a disk to have taken an assessment. */
const mostWait = 1_000;

/** A spool that fails, or takes its time, holds no reply up and loses nothing: what it has not taken waits in `memory`. What both have in the end has one key, and is kept once. */
export function sureSpool(
  given: AssessmentSpool,
  { memory, clock, logger }: { readonly memory: AssessmentSpool; readonly clock: Clock; readonly logger: Logger },
): AssessmentSpool {
  const append = async (record: AssessmentRecord): Promise<void> => {
    // A spool that throws at once has failed too.
    const appended = Promise.resolve().then(() => given.append(record));
    const late = (): Error => new ThroughlineError("safety.spool_failed", "The spool did not take an assessment in time.");
    try {
      await inTime(clock, appended, { ms: mostWait, late });
    } catch (error) {
      logger.error("the spool has failed", { code: ThroughlineError.from(error).code });
      await memory.append(record);
    }
  };
  return Object.freeze({
    append,
    drain: async (write: (record: AssessmentRecord) => Promise<void>) => (await memory.drain(write)) + (await given.drain(write)),
    waiting: async () => ((await memory.waiting?.()) ?? 0) + ((await given.waiting?.()) ?? 0),
  });
}
