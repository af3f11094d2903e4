/** What the gates of a process share. */
import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Logger } from "../../kernel/log.ts";
import type { AssessmentRecord, AssessmentSpool, SafetyClassifier } from "../../safety/assessment.ts";
import type { Breaker } from "../../safety/breaker.ts";
import { knownPlans, type KnownPlans } from "./known-plans.ts";
import type { SecretCache } from "./refs.ts";
import { sureSpool } from "./sure-spool.ts";

/** What the gates of a process share. */
export interface SafetyDoor {
  readonly secrets: SecretCache;
  /** Whether a classifier is asked at the moment; one for each. */
  readonly breakers: WeakMap<SafetyClassifier, Breaker>;
  readonly spool: AssessmentSpool;
  readonly plans: KnownPlans;
}

/** Assessments that wait in memory at most; with a store that is gone for longer the oldest are lost, which is logged. */
const mostWaiting = 10_000;

/** Where assessments wait for a store when the program has named no file: in this process, and no longer than it lives. */
export function memorySpool(logger: Logger): AssessmentSpool {
  const waiting: AssessmentRecord[] = [];
  return Object.freeze({
    append: (record: AssessmentRecord) => {
      logger.error("an assessment waits in memory", { waiting: waiting.length + 1, lost: waiting.length >= mostWaiting });
      if (waiting.length >= mostWaiting) waiting.shift();
      waiting.push(record);
      return Promise.resolve();
    },
    drain: async (write: (record: AssessmentRecord) => Promise<void>) => {
      for (let [first] = waiting; first !== undefined; [first] = waiting) {
        try {
          await write(first);
        } catch {
          break;
        }
        if (waiting[0] === first) waiting.shift();
      }
      return waiting.length;
    },
    waiting: () => Promise.resolve(waiting.length),
  });
}

/** The door, with the spool that the program has named. `input.invalid` for what is none. */
export function safetyDoor({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }, spool: AssessmentSpool | undefined): SafetyDoor {
  if (spool !== undefined && typeof spool.append !== "function")
    throw new ThroughlineError("input.invalid", "The runtime's safetySpool is made by openSpool of throughline/safety.", {
      details: { path: "safetySpool" },
    });
  const memory = memorySpool(logger);
  return Object.freeze({
    secrets: new Map(),
    breakers: new WeakMap(),
    plans: knownPlans(),
    spool: spool === undefined ? memory : sureSpool(spool, { memory, clock, logger }),
  });
}
