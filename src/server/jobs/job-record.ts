/** A job as it is kept: its records, the lease of the process that works on it, and its result in pieces. */
import { createHash } from "node:crypto";
import { refused } from "../../extension/commit.ts";
import { findRecord } from "../../extension/lists.ts";
import type { WriterContext } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { WireJob } from "../../protocol/wire-customer.ts";
import type { RecordChange, RecordRow, Store } from "../../store/port.ts";
import { writeRecords } from "../records.ts";

/** Kinds of record. An open job is found without looking at those that are over. */
export const jobKind = "job";
export const openKind = "job_open";
/** What is the customer's: it goes with them. */
export const partKind = "job_part";

const dayMs = 24 * 60 * 60 * 1000;
/** How long the result of an export can be read. */
export const resultMs = dayMs;
/** How long a job is told of, from its last change. */
const keptMs = 7 * dayMs;

/** What is kept of a job: nothing that a person wrote, nor who they are. */
export interface JobData extends Pick<WireJob, "type" | "status" | "progress" | "receipt" | "error" | "finished_at"> {
  readonly owner_id: OwnerId;
  readonly result?: { readonly parts: number; readonly bytes: number; readonly expires_at: number };
}

/** A job that is to be done, or is done. */
export interface Job {
  readonly id: string;
  readonly created_at: number;
  readonly data: JobData;
}

/** Who works on an open job, and until when nobody else does. */
interface OpenData {
  readonly worker: string;
  readonly until: number;
  /** How often it was taken up. */
  readonly attempts: number;
}

const digits = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** The erasure of an owner is one job, however often it is asked for; an export is one for each key. */
export const erasureJobId = (owner_id: OwnerId): string => `job_${digits(`erase ${owner_id}`)}`;
export const exportJobId = (owner_id: OwnerId, key: string): string => `job_${digits(`export ${owner_id} ${key}`)}`;

const isJobId = (id: string): boolean => /^job_[0-9a-f]{32}$/.test(id);

/** A job's record, as a change. */
export const jobRecord = (id: string, data: JobData, now: number): RecordChange => ({
  kind: jobKind,
  key: id,
  data: data as unknown as JsonObject, // It is JSON: numbers, texts and objects of them.
  expires_at: now + keptMs,
});

/** What a part holds: a piece of the result, or who the customer is. */
interface PartData {
  readonly text: string;
}
export interface SubjectData {
  readonly customer_id: string;
}

/** The name of a part: in the order of the parts. */
export const partKey = (id: string, index: number): string => `${id}/${String(index).padStart(8, "0")}`;
/** The part that says who the customer is. */
export const subjectKey = (id: string): string => `${id}/customer`;

const toJob = ({ key, created_at, data }: RecordRow): Job => ({ id: key, created_at, data: data as unknown as JobData });

/** A job; `job.not_found` if there is none. */
export async function getJob(store: Store, id: string): Promise<Job> {
  const row = isJobId(id) ? await findRecord(store, jobKind, id) : undefined;
  if (row === undefined) throw new ThroughlineError("job.not_found", `There is no job ${seen(id)}.`);
  return toJob(row);
}

/** A job on the wire. */
export function toWireJob({ id, created_at, data }: Job): WireJob {
  const { result, ...rest } = data;
  return { id, created_at, ...rest, ...(result === undefined ? {} : { result: { bytes: result.bytes, expires_at: result.expires_at } }) };
}

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

/**
 * The result of an export, read part by part as it is taken. `job.not_done`, `job.failed`, and `job.not_found` if there is none, or none any more. `broken` is called
 * when a part cannot be read, and says whether the connection is cut: nobody must take what came for whole.
 */
export async function resultOf(
  store: Store,
  { id, data }: Job,
  broken: (error: unknown) => boolean,
): Promise<{ readonly bytes: number; readonly text: ReadableStream<Uint8Array> }> {
  const { status, result, error } = data;
  if (status === "failed") throw new ThroughlineError("job.failed", `Job ${id} failed: ${error?.message ?? "nobody knows why"}`);
  if (status !== "done") throw new ThroughlineError("job.not_done", `Job ${id} is ${status}.`);
  const gone = (): ThroughlineError => new ThroughlineError("job.not_found", `Job ${id} has no result, or none any more.`);
  const partAt = async (index: number): Promise<Uint8Array> => {
    const part = await findRecord(store, partKind, partKey(id, index));
    if (part === undefined) throw gone();
    return new TextEncoder().encode((part.data as unknown as PartData).text);
  };
  if (result === undefined) throw gone();
  // Looked at before anything is sent: what is missing later breaks the answer off.
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

/** Bytes of one part of a result at most. */
const pieceBytes = 256 * 1024;

/** Texts of any length as texts of at most `limit` bytes in UTF-8, which are the same one after the other; at most two of them are in memory. */
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

/** The last place up to `limit` where a character begins: none is cut in two. */
function cutAt(bytes: Buffer, limit: number): number {
  let end = Math.min(limit, bytes.byteLength);
  while (end < bytes.byteLength && end > 1 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
