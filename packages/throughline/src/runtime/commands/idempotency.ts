/**
 * Idempotency keys. A command or change that is repeated with its key is executed once and returns the first result. The key is part of the commit of its
 * effect, with a hash of the request, so that it survives any crash.
 */
import { invalidAt } from "../../extension/failure.ts";
import { createHash } from "node:crypto";
import { commitOnce, eventAt } from "../../extension/commit.ts";
import { findRecord } from "../../extension/lists.ts";
import type { WriterContext } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { type OwnerId, type SessionId, type TurnId, turnIdOf } from "../../kernel/id.ts";
import { assertJson, canonicalJson, type Json } from "../../kernel/json.ts";
import type { VersionOptions } from "../../kernel/preconditions.ts";
import type { RecordChange, Refusal, SessionChange, Store } from "../../store/port.ts";

/** Options of a command that may be repeated. */
export interface IdempotencyOptions {
  /** Unique per session for the life of the log. Repeating the key and command changes nothing and returns the first result. 1 to 255 characters. */
  readonly idempotencyKey?: string;
}

/** Options of a change that may be repeated and may require a version. */
export interface PatchOptions extends IdempotencyOptions, VersionOptions {}

/** A key, and a hash that detects a different command under it. */
export type Idempotency = NonNullable<SessionChange["idempotency"]>;

/** The first use of a key. */
export interface FirstUse {
  /** Offset of the last event of the first commit, or of the head at that time if it appended none. */
  readonly offset: number;
  /** Whether the command changed nothing. */
  readonly nothing: boolean;
  /** The turn that the first commit queued or found queued. */
  readonly queued_turn?: number;
}

/** Throws `input.invalid` for an invalid key. */
export function checkKey(key: unknown): void {
  if (key === undefined || (typeof key === "string" && key !== "" && key.length <= 255)) return;
  throw invalidAt("input.invalid", "idempotencyKey", `An idempotency key has 1 to 255 characters, got ${seen(key)}.`);
}

/** Returns a hash of a request. Undefined members are left out. Its 132 bits distinguish any two bodies under one key. */
export function hashOf(body: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(body).filter(([, value]) => value !== undefined) as [string, Json][];
  return createHash("sha256")
    .update(canonicalJson(Object.fromEntries(given)))
    .digest("base64url")
    .slice(0, 22);
}

/** Returns the checked key of a command, or undefined if there is none. `body` holds the command's other inputs, all JSON. */
export function idempotencyOf(
  { idempotencyKey: key }: IdempotencyOptions,
  command: string,
  body: Readonly<Record<string, unknown>> = {},
): Idempotency | undefined {
  checkKey(key);
  if (key === undefined) return undefined;
  for (const [path, value] of Object.entries(body)) if (value !== undefined) assertJson(value, path);
  return { key, body_hash: hashOf({ ...body, command }) };
}

/** Returns the session's own key of its creation. It is empty, so it cannot collide with a caller's key. */
export const ofCreation = ({ body_hash }: Idempotency): Idempotency => ({ key: "", body_hash });

/** Marks the hash of a command that changed nothing. */
const nothingDone = "~";

/** Returns the key as stored for a command that changed nothing. A repetition then changes nothing either, whatever has happened since. */
export const ofNothing = ({ key, body_hash }: Idempotency): Idempotency => ({ key, body_hash: `${body_hash}${nothingDone}` });

/** Returns the first use of a key. Throws `session.idempotency_mismatch` if that was a different command, or the same command on something else. */
export function firstUse(session_id: SessionId, { body_hash }: Idempotency, used: Extract<Refusal, { reason: "key_used" }>): FirstUse {
  const { offset, queued_turn } = used;
  const nothing = used.body_hash.endsWith(nothingDone);
  if (body_hash === (nothing ? used.body_hash.slice(0, -nothingDone.length) : used.body_hash))
    return { offset, nothing, ...(nothing || queued_turn === undefined ? {} : { queued_turn }) };
  throw new ThroughlineError("session.idempotency_mismatch", `The idempotency key was used at offset ${offset} for another command or body.`, {
    details: { session_id, offset },
  });
}

/** Returns the first use of a key, or undefined if it was not used. For a command that can no longer be decided, but may have been executed before. */
export async function usedBefore(runtime: WriterContext, session_id: SessionId, idempotency: Idempotency): Promise<FirstUse | undefined> {
  // The store checks the key before the preconditions. No log grows to this length, so the commit is always rejected.
  const result = await commitOnce(runtime, { session: { session_id, idempotency, depends: { head: Number.MAX_SAFE_INTEGER } } });
  return result.outcome === "refused" && result.reason === "key_used" ? firstUse(session_id, idempotency, result) : undefined;
}

/** Returns the turn that the first use of a key queued or found queued. It works after retention has deleted the event at its offset. */
export async function turnOfFirstUse(
  runtime: Pick<WriterContext, "store">,
  session_id: SessionId,
  { offset, nothing, queued_turn }: FirstUse,
): Promise<TurnId | undefined> {
  if (nothing) return undefined;
  if (queued_turn !== undefined) return turnIdOf(session_id, queued_turn);
  // Earlier versions kept commits only for a limited time. Their events may still name the turn.
  return (await eventAt(runtime, session_id, offset).catch(removedByRetention))?.turn_id;
}

/** Returns undefined for `log.retained_from` and rethrows all other errors. */
function removedByRetention(error: unknown): undefined {
  if (!ThroughlineError.is(error, "log.retained_from")) throw error;
}

/** Kind of these records. */
const kind = "change";
/** Milliseconds that a key is remembered: one day, like the responses of the service. */
const keptMs = 86_400_000;

/** The changed object. The record is erased with the owner, or with the session that owns it. The record of an agent has no owner. */
export interface Changed {
  readonly owner_id: OwnerId;
  readonly of?: { readonly owner_id: OwnerId } | { readonly session_id: SessionId };
}

const keyOf = ({ owner_id }: Changed, { key }: Idempotency): string => hashOf({ owner_id, key });

/**
 * Returns the version that an earlier change with this key produced, or undefined if there was none. Throws `session.idempotency_mismatch` if that
 * was a different change.
 */
export async function changedBefore(store: Store, changed: Changed, idempotency: Idempotency | undefined): Promise<number | undefined> {
  if (idempotency === undefined) return undefined;
  const data = (await findRecord(store, kind, keyOf(changed, idempotency)))?.data;
  if (data === undefined) return undefined;
  if (data["body_hash"] === idempotency.body_hash) return Number(data["version"]);
  throw new ThroughlineError("session.idempotency_mismatch", "The idempotency key was used for another change.");
}

/** Returns the part of a commit that stores the key of its change. The commit is rejected (`stale_record`) if another caller has used the key meanwhile. */
export function keyRecords(
  { clock }: Pick<WriterContext, "clock">,
  changed: Changed,
  { idempotency, version }: { readonly idempotency: Idempotency | undefined; readonly version: number },
): { readonly records?: readonly RecordChange[] } {
  if (idempotency === undefined) return {};
  const data = { body_hash: idempotency.body_hash, version };
  return { records: [{ kind, key: keyOf(changed, idempotency), depends: { version: 0 }, data, expires_at: clock.now() + keptMs, ...changed.of }] };
}
