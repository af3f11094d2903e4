/** What jobs do. */
import { ThroughlineError } from "../../kernel/error.ts";
import { exportCustomer } from "../../runtime/transfer/bundles.ts";
import type { WriterContext } from "../../extension/port.ts";
import { toErasure } from "../../runtime/reading/erasures.ts";
import type { RecordChange } from "../../store/port.ts";
import { findRecord } from "../../extension/lists.ts";
import { jobRecord, partKey, partKind, resultMs, subjectKey, type Job, type JobData, type SubjectData } from "./job.ts";
import type { JobLease } from "./lease.ts";
import { piecesOf } from "./pieces.ts";

/** What a job works with. */
export interface JobWork {
  readonly runtime: WriterContext;
  readonly lease: JobLease;
  /** Aborts when the service stops, or another process has the job. */
  readonly signal: AbortSignal;
}

/** Does a job to its end. What it throws says whether it is worth another try. */
export async function workOn(work: JobWork, job: Job): Promise<void> {
  return job.data.type === "erase" ? eraseOwner(work, job) : exportOwner(work, job);
}

async function eraseOwner({ runtime, lease }: JobWork, { id, data }: Job): Promise<void> {
  // What another process has begun is finished, by the store itself or here.
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

/** The lines, and how many sessions and events were among them so far. */
async function* counted(lines: AsyncIterable<string>, count: (sessions: number, events: number) => void): AsyncGenerator<string, void, undefined> {
  let [sessions, events] = [0, 0];
  for await (const line of lines) {
    if (line.startsWith(`{"type":"session"`)) sessions += 1;
    if (line.startsWith(`{"type":"event"`)) events += 1;
    count(sessions, events);
    yield `${line}\n`;
  }
}
