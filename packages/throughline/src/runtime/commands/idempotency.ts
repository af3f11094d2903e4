/**
 * Idempotency keys: a command that is sent again with its key is done once, and answered as the first time. The key stands in the commit of its effect, with a
 * hash of what was asked, so it holds after any crash.
 */
import { createHash } from "node:crypto";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { turnIdOf, type SessionId, type TurnId } from "../../kernel/id.ts";
import { assertJson, canonicalJson, type Json } from "../../kernel/json.ts";
import type { Refusal, SessionChange } from "../../store/port.ts";
import { commitOnce, eventAt } from "../../extension/commit.ts";
import type { WriterContext } from "../../extension/port.ts";

/** Options of a command that may be sent again. */
export interface IdempotencyOptions {
  /** Unique per session for the life of the log: the same key and command again does nothing, and is answered as the first time. 1 to 255 characters. */
  readonly idempotencyKey?: string;
}

/** A key, and a hash that tells another command under it. */
export type Idempotency = NonNullable<SessionChange["idempotency"]>;

/** What a key was used for. */
export interface FirstUse {
  /** Offset of the last event of the first commit; of the head then, if it appended none. */
  readonly offset: number;
  /** There was nothing to do. */
  readonly nothing: boolean;
  /** The turn that the first commit queued or found queued. */
  readonly queued_turn?: number;
}

/** `input.invalid` for what cannot be a key. */
export function checkKey(key: unknown): void {
  if (key === undefined || (typeof key === "string" && key !== "" && key.length <= 255)) return;
  throw new ThroughlineError("input.invalid", `An idempotency key has 1 to 255 characters, got ${seen(key)}.`, {
    details: { path: "idempotencyKey" },
  });
}

/** A hash of what is asked; members that are undefined are left out. 132 bits tell any two bodies under one key apart. */
export function hashOf(body: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(body).filter(([, value]) => value !== undefined) as [string, Json][];
  return createHash("sha256")
    .update(canonicalJson(Object.fromEntries(given)))
    .digest("base64url")
    .slice(0, 22);
}

/** The key of a command, checked; undefined if none is given. `body` is what the command was given besides, all of it JSON. */
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

/** The key that a session has of its own making: no caller's, which has a character at least. */
export const ofCreation = ({ body_hash }: Idempotency): Idempotency => ({ key: "", body_hash });

/** Marks the hash of a command that had nothing to do. */
const nothingDone = "~";

/** The key as it is kept with a command that has nothing to do, so that it has nothing to do when it is sent again, whatever has happened since. */
export const ofNothing = ({ key, body_hash }: Idempotency): Idempotency => ({ key, body_hash: `${body_hash}${nothingDone}` });

/** What the key was used for. `session.idempotency_mismatch` if that was another command, or the same about something else. */
export function firstUse(session_id: SessionId, { body_hash }: Idempotency, used: Extract<Refusal, { reason: "key_used" }>): FirstUse {
  const { offset, queued_turn } = used;
  const nothing = used.body_hash.endsWith(nothingDone);
  if (body_hash === (nothing ? used.body_hash.slice(0, -nothingDone.length) : used.body_hash))
    return { offset, nothing, ...(nothing || queued_turn === undefined ? {} : { queued_turn }) };
  throw new ThroughlineError(
    "session.idempotency_mismatch",
    `The idempotency key was used for something else, at offset ${offset}, or with another body.`,
    { details: { session_id, offset } },
  );
}

/** What the key was used for; undefined if it was not. For a command that cannot be decided any more: it may have been, when it was sent first. */
export async function usedBefore(runtime: WriterContext, session_id: SessionId, idempotency: Idempotency): Promise<FirstUse | undefined> {
  // A key is looked at before what a commit depends on, and no log gets that long: the commit is refused in any case.
  const result = await commitOnce(runtime, { session: { session_id, idempotency, depends: { head: Number.MAX_SAFE_INTEGER } } });
  return result.outcome === "refused" && result.reason === "key_used" ? firstUse(session_id, idempotency, result) : undefined;
}

/** The turn that the first use of a key queued or found queued; the same after retention has removed the event at its offset. */
export async function turnOfFirstUse(
  runtime: Pick<WriterContext, "store">,
  session_id: SessionId,
  { offset, nothing, queued_turn }: FirstUse,
): Promise<TurnId | undefined> {
  if (nothing) return undefined;
  if (queued_turn !== undefined) return turnIdOf(session_id, queued_turn);
  // Earlier versions kept commits only for a while; their events may still name the turn.
  return (await eventAt(runtime, session_id, offset).catch(removedByRetention))?.turn_id;
}

/** Undefined in place of `log.retained_from`; rethrows everything else. */
function removedByRetention(error: unknown): undefined {
  if (!ThroughlineError.is(error, "log.retained_from")) throw error;
}
