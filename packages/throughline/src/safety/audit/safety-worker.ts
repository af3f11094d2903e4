import { commitOnce, refused } from "../../extension/commit.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { RecordChange } from "../../store/port.ts";
import type { AssessmentRecord } from "../assessment.ts";
import { safetyOf } from "../safety-settings.ts";
import { recordChange } from "./assessment-record.ts";
import { updateDays } from "./audit-days.ts";
import { deliverEscalations } from "./escalation-outbox.ts";
import { sharedOf } from "./gate-shared.ts";

/** Milliseconds between two updates of the daily totals. */
const countEveryMs = 10 * 60 * 1_000;

/** Milliseconds that closing waits for the store to accept the waiting records. */
const mostWaitToLeave = 2_000;
/** For agents that this process does not know. */
const defaultRetentionDays = 90;

/** Background worker of the gate: writes waiting assessments to the store, delivers alerts, and updates the daily totals. One per process. */
export class SafetyWorker {
  readonly #runtime: ExtensionContext;
  readonly #pollMs: number;
  readonly #work: boolean;
  readonly #closing = new AbortController();
  #counted = Number.NEGATIVE_INFINITY;
  #polling: Promise<void> | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  /** `work`: whether this process runs turns. A process that does not writes only the assessments in its own fallback log. */
  constructor(runtime: ExtensionContext, options: { readonly pollMs: number; readonly work: boolean }) {
    this.#runtime = runtime;
    this.#pollMs = options.pollMs;
    this.#work = options.work;
  }

  start(): void {
    this.#polling ??= this.#poll();
  }

  /** Runs one full pass now and updates the daily totals, even if the last update was recent. A failure in one part does not stop the others. */
  look(): Promise<void> {
    return this.#look({ count: true });
  }

  async close(): Promise<void> {
    this.#closing.abort(new ThroughlineError("aborted", "The runtime is closing."));
    await this.#polling;
    await this.#looking;
    await this.#tolerant("assessments that wait were not written", () => this.#leave());
  }

  #look({ count }: { readonly count: boolean }): Promise<void> {
    const looked = this.#looking.then(() => this.#doAll(count));
    this.#looking = looked.catch(() => {});
    return looked;
  }

  async #doAll(count: boolean): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    await this.#tolerant("assessments that wait were not written", () => drainSpool(this.#runtime));
    if (this.#work) await this.#tolerant("alerts were not looked after", () => deliverEscalations(this.#runtime, { signal }));
    if (!count) return;
    await this.#tolerant("the days of the audit were not counted", async () => {
      await updateDays(this.#runtime, { signal });
      this.#counted = this.#runtime.clock.monotonic();
    });
  }

  /** Writes the waiting records before the process ends. Those in memory would be lost with it. */
  async #leave(): Promise<void> {
    const { clock } = this.#runtime;
    const { spool } = sharedOf(this.#runtime);
    if (((await spool.waiting?.()) ?? 0) === 0) return;
    const done = new AbortController();
    const late = clock.sleep(mostWaitToLeave, done.signal).catch(() => {});
    await Promise.race([drainSpool(this.#runtime), late]).finally(() => done.abort());
  }

  async #poll(): Promise<void> {
    const { clock } = this.#runtime;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#look({ count: this.#work && clock.monotonic() - this.#counted >= countEveryMs });
      await clock.sleep(this.#pollMs, signal).catch(() => {});
    }
  }

  async #tolerant(message: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#runtime.logger.warn(message, { code: ThroughlineError.from(error).code }, error);
    }
  }
}

/** Returns the store change for an assessment from the fallback log. */
const lateChange = ({ agents }: ExtensionContext, record: AssessmentRecord): RecordChange =>
  recordChange(record, safetyOf(agents.get(record.agent))?.retentionDays ?? defaultRetentionDays);

/** Writes the fallback log to the store, oldest first, until the store refuses one. Returns the number of records left. */
export function drainSpool(runtime: ExtensionContext): Promise<number> {
  return sharedOf(runtime).spool.drain(async (record) => {
    const written = await commitOnce(runtime, { records: [lateChange(runtime, record)] });
    if (written.outcome === "refused") throw refused(written, undefined);
  });
}
