/** The right to work on a job: kept in the record of the open job, and part of every write that the work makes. */
import { ThroughlineError } from "../../kernel/error.ts";
import { refused } from "../../extension/commit.ts";
import type { WriterContext } from "../../extension/port.ts";
import type { RecordChange, RecordRow } from "../../store/port.ts";
import { writeRecords } from "../records.ts";
import { jobRecord, openKind, type JobData, type OpenData } from "./job.ts";

/** Who takes jobs up. */
export interface JobWorker {
  readonly runtime: WriterContext;
  /** Names this process. */
  readonly name: string;
  /** Milliseconds until another process may take up a job that nothing was heard of. */
  readonly leaseMs: number;
}

/** The right to work on one job, as long as it is renewed: whoever has lost it can write nothing. */
export class JobLease {
  readonly id: string;
  /** How often the job was taken up, this time included. */
  readonly attempts: number;
  readonly #worker: JobWorker;
  readonly #lost = new AbortController();
  #version: number;
  /** Writes go one after the other, since each depends on the version that the last one made. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(worker: JobWorker, { key, version }: RecordRow, attempts: number) {
    this.id = key;
    this.attempts = attempts;
    this.#worker = worker;
    this.#version = version;
  }

  /** Takes a job up; undefined if somebody works on it, or was faster. */
  static async take(worker: JobWorker, row: RecordRow, job: JobData): Promise<JobLease | undefined> {
    const open = row.data as unknown as OpenData;
    const now = worker.runtime.clock.now();
    if (open.until > now) return undefined;
    const lease = new JobLease(worker, row, open.attempts + 1);
    try {
      await lease.write([jobRecord(row.key, { ...job, status: "running" }, now)]);
      return lease;
    } catch (error) {
      if (lease.lost.aborted) return undefined;
      throw error;
    }
  }

  /** Aborts when another process has the job. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Writes what the work has come to, and renews the lease with it. */
  write(records: readonly RecordChange[] = []): Promise<void> {
    const { name, leaseMs, runtime } = this.#worker;
    return this.#write(records, { worker: name, until: runtime.clock.now() + leaseMs, attempts: this.attempts });
  }

  /** Writes the end of the work: nobody has to take the job up any more. */
  end(records: readonly RecordChange[]): Promise<void> {
    return this.#write(records, null);
  }

  /** Leaves the job to whoever takes it up from `afterMs` on; `counted: false` as if it had not been taken up. */
  giveBack({ afterMs = 0, counted = true }: { readonly afterMs?: number; readonly counted?: boolean } = {}): Promise<void> {
    const { name, runtime } = this.#worker;
    return this.#write([], { worker: name, until: runtime.clock.now() + afterMs, attempts: this.attempts - (counted ? 0 : 1) });
  }

  #write(records: readonly RecordChange[], open: OpenData | null): Promise<void> {
    const written = this.#last.then(async () => {
      const change: RecordChange = { kind: openKind, key: this.id, depends: { version: this.#version }, data: open === null ? null : { ...open } };
      const result = await writeRecords(this.#worker.runtime, change, ...records);
      if (result.outcome === "committed") {
        this.#version += 1;
        return;
      }
      if (result.reason !== "stale_record") throw refused(result, undefined);
      this.#lost.abort(new ThroughlineError("aborted", `Another process works on job ${this.id}.`));
      throw this.#lost.signal.reason;
    });
    this.#last = written.catch(() => {});
    return written;
  }
}
