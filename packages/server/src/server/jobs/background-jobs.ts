/** Work that takes longer than a request. Jobs are stored, so another process can continue an interrupted job. */
import { refused, findRecord, itemsOf, type WriterContext, processName, toErasure } from "throughline/internal";
import { errorCatalogue, ThroughlineError } from "throughline/kernel";
import { type Customer, exportCustomer } from "throughline";
import type { RecordChange, RecordRow } from "throughline/store";
import { writeRecords } from "../service-records.ts";
import {
  erasureJobId,
  exportJobId,
  getJob,
  type Job,
  type JobData,
  jobKind,
  JobLease,
  jobRecord,
  type JobWorker,
  openKind,
  partKey,
  partKind,
  piecesOf,
  resultMs,
  type SubjectData,
  subjectKey,
} from "./job-record.ts";

/** Options of {@link Jobs}. */
export interface JobOptions {
  /** Milliseconds between polls for unclaimed jobs, with a jitter of 50 %; 30,000 by default. */
  readonly pollMs?: number;
  /** Milliseconds without a renewal before another process may take over a job; 30,000 by default. */
  readonly leaseMs?: number;
  /** Concurrent jobs in this process; 2 by default. */
  readonly concurrency?: number;
}

/** Maximum number of attempts, and the base of the retry delay in milliseconds. */
const mostAttempts = 5;
const restMs = 1_000;

/** The customer whose data a job processes. */
type Subject = Pick<Customer, "id" | "owner_id">;

/** The jobs of a service and their worker in this process. */
export class Jobs {
  readonly #runtime: WriterContext;
  readonly #worker: JobWorker;
  readonly #options: Required<JobOptions>;
  readonly #working = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  #nudge = new AbortController();
  #started = false;

  constructor(runtime: WriterContext, { pollMs = 30_000, leaseMs = 30_000, concurrency = 2 }: JobOptions = {}) {
    this.#runtime = runtime;
    this.#worker = { runtime, name: `${processName()}/${runtime.ids.trace().slice(0, 8)}`, leaseMs };
    this.#options = { pollMs, leaseMs, concurrency };
  }

  /** Returns the running erasure job of a customer, or starts one. */
  async erase({ owner_id }: Subject): Promise<Job> {
    return this.#begin(erasureJobId(owner_id), { type: "erase", status: "queued", owner_id, progress: { sessions: 0, events: 0 } });
  }

  /** Starts a job that exports a customer. The same key returns the same job. */
  async export({ id: customer_id, owner_id }: Subject, key: string = this.#runtime.ids.trace()): Promise<Job> {
    const id = exportJobId(owner_id, key);
    const subject: RecordChange = { kind: partKind, key: subjectKey(id), data: { customer_id }, owner_id };
    return this.#begin(id, { type: "export", status: "queued", owner_id, progress: { sessions: 0, events: 0, bytes: 0 } }, subject);
  }

  async #begin(id: string, data: JobData, ...more: readonly RecordChange[]): Promise<Job> {
    const known = await findRecord(this.#runtime.store, jobKind, id);
    // A failed job is started again. Any other job is running or done.
    if (known !== undefined && (known.data as unknown as JobData).status !== "failed") return getJob(this.#runtime.store, id);
    const job: RecordChange = { ...jobRecord(id, data, this.#runtime.clock.now()), depends: { version: known?.version ?? 0 } };
    const open: RecordChange = { kind: openKind, key: id, depends: { version: 0 }, data: { worker: "", until: 0, attempts: 0 } };
    const result = await writeRecords(this.#runtime, job, open, ...more);
    if (result.outcome === "refused" && result.reason !== "stale_record") throw refused(result, undefined);
    this.start();
    this.#nudge.abort();
    return getJob(this.#runtime.store, id);
  }

  /** Polls for unclaimed jobs: immediately when a job starts here, and periodically for jobs that another process has abandoned. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    void this.#poll();
  }

  async #poll(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#nudge = new AbortController();
      await this.#look().catch((error: unknown) => this.#tell("polling for jobs failed", error));
      // The jitter keeps processes that started together from polling together.
      const jitter = Number.parseInt(this.#runtime.ids.trace().slice(0, 4), 16) / 0xffff;
      const wait = this.#options.pollMs * (0.5 + jitter);
      await this.#runtime.clock.sleep(wait, AbortSignal.any([signal, this.#nudge.signal])).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    for await (const row of itemsOf(this.#runtime.store, { of: "records", kind: openKind })) {
      if (this.#closing.signal.aborted || this.#working.size >= this.#options.concurrency) return;
      if (!this.#working.has(row.key)) await this.#take(row);
    }
  }

  async #take(row: RecordRow): Promise<void> {
    const job = await getJob(this.#runtime.store, row.key);
    const lease = await JobLease.take(this.#worker, row, job.data);
    if (lease === undefined) return;
    const working = this.#work(lease, job)
      .catch((error: unknown) => this.#tell("a job was released for another attempt", error))
      .finally(() => {
        this.#working.delete(job.id);
        this.#nudge.abort();
      });
    this.#working.set(job.id, working);
  }

  async #work(lease: JobLease, job: Job): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, lease.lost, over.signal]);
    void this.#renew(lease, signal);
    try {
      await workOn({ runtime: this.#runtime, lease, signal }, job);
    } catch (error) {
      over.abort();
      if (!lease.lost.aborted) await this.#stumble(lease, job, ThroughlineError.from(error));
    } finally {
      over.abort();
    }
  }

  async #renew(lease: JobLease, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#runtime.clock.sleep(this.#options.leaseMs / 3, signal);
        await lease.write();
      }
    } catch {
      // The job has ended, or the next write reports the error.
    }
  }

  /** Handles a job that failed or was interrupted. */
  async #stumble(lease: JobLease, { id, data }: Job, error: ThroughlineError): Promise<void> {
    if (this.#closing.signal.aborted) return lease.giveBack({ counted: false });
    const gone = data.type === "export" && (await findRecord(this.#runtime.store, partKind, subjectKey(id))) === undefined;
    const code = gone ? "customer.not_found" : error.code;
    if (!gone && error.retryable && lease.attempts < mostAttempts) {
      this.#tell("a job is retried", error);
      return lease.giveBack({ afterMs: restMs * 2 ** lease.attempts });
    }
    this.#tell("a job failed", error);
    const now = this.#runtime.clock.now();
    // Stores the catalogue text, because the error message may name the customer.
    const failure = { code, message: errorCatalogue[code].meaning };
    await lease.end([jobRecord(id, { ...data, status: "failed", finished_at: now, error: failure }, now)]);
  }

  #tell(message: string, error: unknown): void {
    this.#runtime.logger.warn(message, { code: ThroughlineError.from(error).code }, error);
  }

  /** Takes no further jobs and releases the running ones. Waits up to `drainMs` milliseconds. */
  async close(drainMs: number): Promise<void> {
    this.#closing.abort(new ThroughlineError("aborted", "The service is stopping."));
    const timer = new AbortController();
    const all = Promise.allSettled(this.#working.values()).then(() => timer.abort());
    await Promise.race([all, this.#runtime.clock.sleep(drainMs, timer.signal).catch(() => {})]);
  }
}

/** The context of a running job. */
interface JobWork {
  readonly runtime: WriterContext;
  readonly lease: JobLease;
  /** Aborts when the service stops or another process has taken over the job. */
  readonly signal: AbortSignal;
}

/** Runs a job to its end. The thrown error determines whether the job is retried. */
async function workOn(work: JobWork, job: Job): Promise<void> {
  return job.data.type === "erase" ? eraseOwner(work, job) : exportOwner(work, job);
}

async function eraseOwner({ runtime, lease }: JobWork, { id, data }: Job): Promise<void> {
  // Erasure is idempotent: this call finishes one that another process started.
  const erased = await runtime.store.erase({ owner_id: data.owner_id });
  const now = runtime.clock.now();
  const { sessions, events } = erased;
  const receipt = erased.erasure_id === undefined ? {} : { receipt: toErasure(erased) };
  await lease.end([jobRecord(id, { ...data, status: "done", progress: { sessions, events }, finished_at: now, ...receipt }, now)]);
}

async function exportOwner({ runtime, lease, signal }: JobWork, { id, data }: Job): Promise<void> {
  const { store, clock } = runtime;
  const subject = await findRecord(store, partKind, subjectKey(id));
  if (subject === undefined) throw new ThroughlineError("customer.not_found");
  const { customer_id } = subject.data as unknown as SubjectData;
  const expires_at = clock.now() + resultMs;
  let { progress, parts } = { progress: { sessions: 0, events: 0, bytes: 0 }, parts: 0 };
  const lines = counted(exportCustomer(store, customer_id, { clock }), (sessions, events) => {
    progress = { ...progress, sessions, events };
  });
  for await (const piece of piecesOf(lines)) {
    signal.throwIfAborted();
    progress = { ...progress, bytes: progress.bytes + Buffer.byteLength(piece) };
    const part: RecordChange = { kind: partKind, key: partKey(id, parts), data: { text: piece }, owner_id: data.owner_id, expires_at };
    parts += 1;
    await lease.write([part, jobRecord(id, { ...data, status: "running", progress }, clock.now())]);
  }
  const result = { parts, bytes: progress.bytes, expires_at };
  const done: JobData = { ...data, status: "done", progress, finished_at: clock.now(), result };
  await lease.end([jobRecord(id, done, clock.now()), { kind: partKind, key: subjectKey(id), data: null }]);
}

/** Passes the lines through and counts the sessions and events among them. */
async function* counted(lines: AsyncIterable<string>, count: (sessions: number, events: number) => void): AsyncGenerator<string, void, undefined> {
  let [sessions, events] = [0, 0];
  for await (const line of lines) {
    if (line.startsWith(`{"type":"session"`)) sessions += 1;
    if (line.startsWith(`{"type":"event"`)) events += 1;
    count(sessions, events);
    yield `${line}\n`;
  }
}
