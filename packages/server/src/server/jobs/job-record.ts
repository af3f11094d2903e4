/** The stored form of a job: its records, the lease of its worker, and its result in parts. */
import { createHash } from "node:crypto";
import { refused, findRecord, type WriterContext } from "throughline/internal";
import { seen, ThroughlineError, type OwnerId, type JsonObject } from "throughline/kernel";
import type { WireJob } from "../../protocol/wire-customer.ts";
import type { RecordChange, RecordRow } from "throughline/store";
import type { Store } from "throughline";
import { writeRecords } from "../service-records.ts";

/** Record kinds. Open jobs have a separate kind, so that polling skips finished ones. */
export const jobKind = "job";
export const openKind = "job_open";
/** Records with personal data. They are erased with the customer. */
export const partKind = "job_part";

const dayMs = 24 * 60 * 60 * 1000;
/** Retention of an export's result in milliseconds. */
export const resultMs = dayMs;
/** Retention of a job after its last change, in milliseconds. */
const keptMs = 7 * dayMs;

/** The data of a job. It contains no personal data. */
export interface JobData extends Pick<WireJob, "type" | "status" | "progress" | "receipt" | "error" | "finished_at"> {
  readonly owner_id: OwnerId;
  readonly result?: { readonly parts: number; readonly bytes: number; readonly expires_at: number };
}

/** An open or finished job. */
export interface Job {
  readonly id: string;
  readonly created_at: number;
  readonly data: JobData;
}

/** The lease of an open job: its worker and its expiry. */
interface OpenData {
  readonly worker: string;
  readonly until: number;
  /** How many times workers have claimed the job. */
  readonly attempts: number;
}

const digits = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** Job ids. All erasure requests of an owner share one job. An export has one job per key. */
export const erasureJobId = (owner_id: OwnerId): string => `job_${digits(`erase ${owner_id}`)}`;
export const exportJobId = (owner_id: OwnerId, key: string): string => `job_${digits(`export ${owner_id} ${key}`)}`;

const isJobId = (id: string): boolean => /^job_[0-9a-f]{32}$/.test(id);

/** Builds the record of a job. */
export const jobRecord = (id: string, data: JobData, now: number): RecordChange => ({
  kind: jobKind,
  key: id,
  data: data as unknown as JsonObject, // The data is JSON: numbers, strings and objects.
  expires_at: now + keptMs,
});

/** The contents of part records: a piece of the result, or the customer's id. */
interface PartData {
  readonly text: string;
}
export interface SubjectData {
  readonly customer_id: string;
}

/** The key of a part. Keys sort by index. */
export const partKey = (id: string, index: number): string => `${id}/${String(index).padStart(8, "0")}`;
/** The key of the record that holds the customer's id. */
export const subjectKey = (id: string): string => `${id}/customer`;

const toJob = ({ key, created_at, data }: RecordRow): Job => ({ id: key, created_at, data: data as unknown as JobData });

/** Reads a job. Throws `job.not_found` if it does not exist. */
export async function getJob(store: Store, id: string): Promise<Job> {
  const row = isJobId(id) ? await findRecord(store, jobKind, id) : undefined;
  if (row === undefined) throw new ThroughlineError("job.not_found", `There is no job ${seen(id)}.`);
  return toJob(row);
}

/** Converts a job to the wire. */
export function toWireJob({ id, created_at, data }: Job): WireJob {
  const { result, ...rest } = data;
  return { id, created_at, ...rest, ...(result === undefined ? {} : { result: { bytes: result.bytes, expires_at: result.expires_at } }) };
}

/** A process that claims jobs. */
export interface JobWorker {
  readonly runtime: WriterContext;
  /** Identifies this process. */
  readonly name: string;
  /** Milliseconds without a renewal before another process may take over a job. */
  readonly leaseMs: number;
}

/** A lease on one job. Every write renews it. After the lease is lost, writes fail. */
export class JobLease {
  readonly id: string;
  /** How many times the job was claimed, including this one. */
  readonly attempts: number;
  readonly #worker: JobWorker;
  readonly #lost = new AbortController();
  #version: number;
  /** Serializes the writes, because each one depends on the version of the previous one. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(worker: JobWorker, { key, version }: RecordRow, attempts: number) {
    this.id = key;
    this.attempts = attempts;
    this.#worker = worker;
    this.#version = version;
  }

  /** Claims a job. Returns undefined if another worker holds it or was faster. */
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

  /** Aborts when another process has taken over the job. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Writes the work's progress and renews the lease. */
  write(records: readonly RecordChange[] = []): Promise<void> {
    const { name, leaseMs, runtime } = this.#worker;
    return this.#write(records, { worker: name, until: runtime.clock.now() + leaseMs, attempts: this.attempts });
  }

  /** Writes the final records and closes the job. */
  end(records: readonly RecordChange[]): Promise<void> {
    return this.#write(records, null);
  }

  /** Releases the job so that a worker can claim it after `afterMs` milliseconds. `counted: false` does not count this attempt. */
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

/**
 * Streams the result of an export part by part. Throws `job.not_done`, `job.failed`, or `job.not_found` if there is no result or it has expired.
 * `broken` is called when a part cannot be read. It returns whether it has cut the connection, so that the client does not mistake a partial result
 * for a complete one.
 */
export async function resultOf(
  store: Store,
  { id, data }: Job,
  broken: (error: unknown) => boolean,
): Promise<{ readonly bytes: number; readonly text: ReadableStream<Uint8Array> }> {
  const { status, result, error } = data;
  if (status === "failed") throw new ThroughlineError("job.failed", `Job ${id} failed: ${error?.message ?? "the cause is unknown"}`);
  if (status !== "done") throw new ThroughlineError("job.not_done", `Job ${id} is ${status}.`);
  const gone = (): ThroughlineError => new ThroughlineError("job.not_found", `Job ${id} has no result, or its result has expired.`);
  const partAt = async (index: number): Promise<Uint8Array> => {
    const part = await findRecord(store, partKind, partKey(id, index));
    if (part === undefined) throw gone();
    return new TextEncoder().encode((part.data as unknown as PartData).text);
  };
  if (result === undefined) throw gone();
  // Read before the response starts. A part that is missing later breaks the response off.
  const first = await partAt(0);
  let next = 0;
  const text = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        controller.enqueue(next === 0 ? first : await partAt(next));
        next += 1;
        if (next >= result.parts) controller.close();
      } catch (error) {
        if (!broken(error)) controller.error(error);
      }
    },
  });
  return { bytes: result.bytes, text };
}

/** Maximum size of a result part in bytes. */
const pieceBytes = 256 * 1024;

/** Regroups texts into pieces of at most `limit` UTF-8 bytes. Their concatenation stays the same. At most two pieces are in memory. */
export async function* piecesOf(texts: AsyncIterable<string>, limit = pieceBytes): AsyncGenerator<string, void, undefined> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const text of texts) {
    held.push(Buffer.from(text));
    size += held.at(-1)?.byteLength ?? 0;
    if (size < limit) continue;
    let rest = Buffer.concat(held);
    while (rest.byteLength >= limit) {
      const end = cutAt(rest, limit);
      yield rest.toString("utf8", 0, end);
      rest = rest.subarray(end);
    }
    held = [rest];
    size = rest.byteLength;
  }
  if (size > 0) yield Buffer.concat(held).toString("utf8");
}

/** The last character boundary up to `limit`. */
function cutAt(bytes: Buffer, limit: number): number {
  let end = Math.min(limit, bytes.byteLength);
  while (end < bytes.byteLength && end > 1 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
