/** State that the gates of a process share: circuit breakers, crisis plans, disclosures, the fallback log, and secrets for pseudonyms. */
import type { ExtensionContext } from "../../extension/port.ts";
import type { Breaker } from "../../kernel/breaker.ts";
import type { Clock } from "../../kernel/clock.ts";
import { inTime } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { Logger } from "../../kernel/log.ts";
import { setRecent } from "../../kernel/recent.ts";
import type { AssessmentRecord, AssessmentSpool, SafetyClassifier } from "../assessment.ts";
import type { CrisisPlan } from "../crisis-plan.ts";

/** Secrets by owner, in the order in which they were read. */
export type SecretCache = Map<OwnerId, string>;

/** State that the gates of a process share. */
interface SafetyShared {
  readonly secrets: SecretCache;
  /** One circuit breaker per classifier. */
  readonly breakers: WeakMap<SafetyClassifier, Breaker>;
  readonly spool: AssessmentSpool;
  readonly plans: KnownPlans;
  /** When each session's last disclosure was made. */
  readonly disclosures: Map<SessionId, KnownDisclosure>;
}

/** The last disclosure that this is an AI. `turn`: the disclosure was made in that turn, whose commit is not confirmed yet. */
interface KnownDisclosure {
  readonly last: LastDisclosure;
  readonly turn?: number;
}

/** Assessments to hold in memory. If the store is down for longer, the oldest are lost, and each loss is logged. */
const mostWaiting = 10_000;

/** Creates the fallback log in memory, for programs that name no file. It is lost with the process. */
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

/** Milliseconds that a reply waits for the disk to accept an assessment. */
const mostWait = 1_000;

/**
 * Wraps a fallback log so that a slow or failing disk delays no reply and loses nothing: records that it does not accept go to `memory`. A record in
 * both has one key and is stored once.
 */
function sureSpool(
  given: AssessmentSpool,
  { memory, clock, logger }: { readonly memory: AssessmentSpool; readonly clock: Clock; readonly logger: Logger },
): AssessmentSpool {
  const append = async (record: AssessmentRecord): Promise<void> => {
    // Turns a synchronous throw into a rejection.
    const appended = Promise.resolve().then(() => given.append(record));
    const late = (): Error => new ThroughlineError("safety.spool_failed", "The spool did not take an assessment in time.");
    try {
      await inTime(clock, appended, { ms: mostWait, late });
    } catch (error) {
      logger.error("the spool has failed", { code: ThroughlineError.from(error).code }, error);
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

/** Returns the shared state of the gates of a process, and creates it on first use. */
export function sharedOf(context: ExtensionContext): SafetyShared {
  const shared = known.get(context) ?? share(context);
  known.set(context, shared);
  return shared;
}

/** Creates the shared state, with the fallback log that the program configured. */
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

/** A crisis plan as this process knows it. */
interface KnownPlan {
  readonly plan: CrisisPlan;
  /** Whether the plan is stored too. */
  readonly saved: boolean;
  /** The customer who owns the session, if any. */
  readonly customer?: string | undefined;
}

/** Crisis plans that this process saw recently, by session, for use while no store can be read. */
interface KnownPlans {
  get(session_id: string): KnownPlan | undefined;
  set(session_id: string, known: KnownPlan): void;
}

/** Most plans to keep. The least recently updated is evicted first. */
const mostPlans = 1_000;

/** Creates an empty collection. */
export function knownPlans(): KnownPlans {
  const plans = new Map<string, KnownPlan>();
  return Object.freeze({
    get: (session_id: string) => plans.get(session_id),
    set: (session_id: string, known: KnownPlan) => {
      setRecent(plans, session_id, known, mostPlans);
    },
  });
}

/** The last disclosure. */
export interface LastDisclosure {
  readonly at: number;
  readonly episode: number;
}

/** The reason for a disclosure. */
type DisclosureReason = "start" | "interval";

/**
 * Returns the reason for a disclosure that is due now. One is due if this conversation or episode had none. Another is due `everyMs` after the last
 * one, whether or not the person used the agent in between. This is no later than laws require that count time "of continued use".
 */
export function disclosureDue(
  last: LastDisclosure | undefined,
  { now, episode, everyMs }: { readonly now: number; readonly episode: number; readonly everyMs: number },
): DisclosureReason | undefined {
  if (last === undefined || last.episode !== episode) return "start";
  // If the clock was set back, the elapsed time is unknown.
  return now - last.at >= everyMs || now < last.at ? "interval" : undefined;
}
