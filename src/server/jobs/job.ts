/** Jobs as they are kept: what a job is (`job`), who works on it (`job_open`, while anybody has to), and the customer's part of it (`job_part`). */
import { createHash } from "node:crypto";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { OwnerId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { WireJob } from "../../protocol/job.ts";
import type { RecordChange, RecordRow, Store } from "../../store/port.ts";
import { findRecord } from "../../extension/lists.ts";

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
export interface OpenData {
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
export interface PartData {
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
