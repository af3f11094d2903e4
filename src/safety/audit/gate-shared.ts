/** What the gates of a process share: the breaker of the classifier, plans and disclosures that it remembers, and secrets for references. */
import type { ExtensionContext } from "../../extension/port.ts";
import type { Clock } from "../../kernel/clock.ts";
import { inTime } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { Logger } from "../../kernel/log.ts";
import { setRecent } from "../../kernel/recent.ts";
import type { AssessmentRecord, AssessmentSpool, SafetyClassifier } from "../assessment.ts";
import type { Breaker } from "../classifier/classify-within.ts";
import type { CrisisPlan } from "../crisis-plan.ts";

/** Secrets by owner, in the order in which they were read. */
export type SecretCache = Map<OwnerId, string>;

/** What the gates of a process share. */
interface SafetyShared {
  readonly secrets: SecretCache;
  /** Whether a classifier is asked at the moment; one for each. */
  readonly breakers: WeakMap<SafetyClassifier, Breaker>;
  readonly spool: AssessmentSpool;
  readonly plans: KnownPlans;
  /** When a person was told last, by session. */
  readonly disclosures: Map<SessionId, KnownDisclosure>;
}

/** When a person was told that they talk with an AI. `turn`: it was in that turn, and it is not known yet whether that is on record. */
interface KnownDisclosure {
  readonly last: LastDisclosure;
  readonly turn?: number;
}

/** Assessments that wait in memory at most; with a store that is gone for longer the oldest are lost, which is logged. */
const mostWaiting = 10_000;

/** Where assessments wait for a store when the program has named no file: in this process, and no longer than it lives. */
function memorySpool(logger: Logger): AssessmentSpool {
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

/** Milliseconds that a reply waits for a disk to have taken an assessment. */
const mostWait = 1_000;

/** A spool that fails, or takes its time, holds no reply up and loses nothing: what it has not taken waits in `memory`. What both have in the end has one key, and is kept once. */
function sureSpool(
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

const known = new WeakMap<ExtensionContext, SafetyShared>();

/** What the gates of a process share, made when it is first asked for. */
export function sharedOf(context: ExtensionContext): SafetyShared {
  const shared = known.get(context) ?? share(context);
  known.set(context, shared);
  return shared;
}

/** With the spool that the program has named. */
function share({ logger, clock, safetySpool }: ExtensionContext): SafetyShared {
  const memory = memorySpool(logger);
  return Object.freeze({
    secrets: new Map(),
    breakers: new WeakMap(),
    plans: knownPlans(),
    disclosures: new Map(),
    spool: safetySpool === undefined ? memory : sureSpool(safetySpool, { memory, clock, logger }),
  });
}

/** Where a crisis stands, as this process knows it. */
interface KnownPlan {
  readonly plan: CrisisPlan;
  /** Whether a store has it too. */
  readonly saved: boolean;
  /** Whose session it is, where it is a customer's. */
  readonly customer?: string | undefined;
}

/** Crises that this process has seen lately, by session: what there is to go by while no store can be read. */
interface KnownPlans {
  get(session_id: string): KnownPlan | undefined;
  set(session_id: string, known: KnownPlan): void;
}

/** Sessions whose crises are known at most; the one that was heard of longest ago is given up first. */
const mostPlans = 1_000;

/** None yet. */
export function knownPlans(): KnownPlans {
  const plans = new Map<string, KnownPlan>();
  return Object.freeze({
    get: (session_id: string) => plans.get(session_id),
    set: (session_id: string, known: KnownPlan) => {
      setRecent(plans, session_id, known, mostPlans);
    },
  });
}

/** What is known of the last time. */
export interface LastDisclosure {
  readonly at: number;
  readonly episode: number;
}

/** Why a person is told. */
type DisclosureReason = "start" | "interval";

/**
 * Whether a person is to be told now: when nothing was said of it in this conversation, or episode of one, and `everyMs` after the last time, however they
 * have used it in between. That is no later than what asks for it after so long "of continued use".
 */
export function disclosureDue(
  last: LastDisclosure | undefined,
  { now, episode, everyMs }: { readonly now: number; readonly episode: number; readonly everyMs: number },
): DisclosureReason | undefined {
  if (last === undefined || last.episode !== episode) return "start";
  // A clock that was set back leaves it open how long that is.
  return now - last.at >= everyMs || now < last.at ? "interval" : undefined;
}
