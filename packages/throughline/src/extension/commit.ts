import { present } from "../kernel/json.ts";
import { isOutcomeUnknown, ThroughlineError, withUnknownOutcome } from "../kernel/error.ts";
import type { SessionId } from "../kernel/id.ts";
import type { CommitResult, LoadedSession, LoadRequest, OwnerChange, RecordChange, Refusal, SessionChange, SessionRow } from "../store/port.ts";
import type { Event } from "../session/event.ts";
import { decodeEvent } from "../session/fold.ts";
import type { WriterContext } from "./port.ts";

/** Delays in milliseconds between retries of a commit without a response. */
const pauses = [50, 200, 800];

/**
 * Commits with one commit id. If the response is lost, the commit is retried with the same id, so it is written once. If no retry is confirmed and
 * one may have been written, the error reports an unknown outcome.
 */
export async function commitOnce(
  runtime: WriterContext,
  parts: { readonly owner?: OwnerChange; readonly session?: SessionChange; readonly records?: readonly RecordChange[] },
): Promise<CommitResult> {
  const commit = { commit_id: runtime.ids.next("commit"), at: runtime.clock.now(), ...parts };
  let mayBeWritten = false;
  for (let tries = 0; ; tries++) {
    try {
      return await runtime.store.commit(commit);
    } catch (error) {
      const pause = pauses[tries];
      mayBeWritten ||= isOutcomeUnknown(error);
      if (pause === undefined || !ThroughlineError.is(error, "store.unreachable", "store.busy"))
        throw mayBeWritten ? withUnknownOutcome(error) : error;
      runtime.logger.warn("commit repeated", { code: error.code, tries: tries + 1 });
      await runtime.clock.sleep(pause);
    }
  }
}

/** Converts a refusal into its error. */
export function refused(refusal: Refusal, session_id: SessionId | undefined): ThroughlineError {
  const details = present({ session_id });
  switch (refusal.reason) {
    case "session_missing":
      return new ThroughlineError("session.not_found", `There is no session ${session_id}.`, { details });
    case "owner_missing":
      return new ThroughlineError("customer.not_found");
    case "owner_exists":
      return new ThroughlineError("customer.exists");
    case "session_exists":
      return new ThroughlineError("session.exists", `Session ${refusal.session_id} exists already.`, {
        details: { session_id: refusal.session_id },
      });
    case "fenced":
      return new ThroughlineError(
        "turn.fenced",
        `Session ${session_id} is at epoch ${refusal.epoch}: another worker has it, or the turn was stopped.`,
        { details },
      );
    case "not_anonymous":
      return new ThroughlineError("session.identified", `Session ${session_id} belongs to a customer already.`, { details });
    case "origin_missing":
      return new ThroughlineError("session.not_found", "The session to fork does not exist.", { details });
    case "origin_out_of_range":
      return new ThroughlineError("log.offset_invalid", `The log to fork holds offsets ${refusal.first_offset} to ${refusal.head}.`, {
        details: { first_offset: refusal.first_offset, head: refusal.head },
      });
    case "cut_out_of_range":
      return new ThroughlineError(
        "log.offset_invalid",
        `The log of session ${session_id} begins at offset ${refusal.first_offset}, and can begin at ${refusal.last_offset} at the latest.`,
        { details: { ...details, first_offset: refusal.first_offset, last_offset: refusal.last_offset } },
      );
    case "fork_too_deep":
      return new ThroughlineError("session.fork_too_deep", `The session is already a fork ${refusal.depth} levels deep.`, {
        details: { ...details, depth: refusal.depth },
      });
    case "too_many_waiting":
      return new ThroughlineError("session.too_many_waiting", `${refusal.waiting} messages are waiting for an answer in session ${session_id}.`, {
        details: { ...details, waiting: refusal.waiting },
      });
    case "key_used":
      return new ThroughlineError("session.idempotency_mismatch", `The idempotency key was used before, up to offset ${refusal.offset}.`, {
        details: { ...details, offset: refusal.offset },
      });
    case "stale_base":
    case "stale_head":
    case "stale_version":
    case "stale_episode":
    case "stale_owner":
    case "stale_record":
      return new ThroughlineError(
        "session.conflict",
        `${session_id === undefined ? "The owner" : `Session ${session_id}`} kept changing (${refusal.reason.replace("_", " ")}).`,
        {
          details: { ...details, ...refusal },
        },
      );
  }
}

/** Returns the header of a session. Throws `session.not_found` if it does not exist. */
export async function headerOf({ store }: Pick<WriterContext, "store">, session_id: SessionId): Promise<SessionRow> {
  const row = await store.open({ session_id });
  if (row === undefined) throw refused({ reason: "session_missing" }, session_id);
  return row;
}

/** Loads a session with its last `messages` messages, default 0. Throws `session.not_found` if it does not exist. */
export async function loadSession(
  runtime: Pick<WriterContext, "store">,
  session_id: SessionId,
  options: Omit<LoadRequest, "session_id"> = {},
): Promise<LoadedSession> {
  const loaded = await runtime.store.load({ session_id, messages: 0, ...options });
  if (loaded === undefined) throw refused({ reason: "session_missing" }, session_id);
  return loaded;
}

/** Returns the event at an offset, withdrawn or not, or undefined if the log has none there. Throws `session.not_found` if the session does not exist. */
export async function eventAt(runtime: Pick<WriterContext, "store">, session_id: SessionId, offset: number): Promise<Event | undefined> {
  const page = await runtime.store.read({ session_id, min_offset: offset, max_offset: offset, withdrawn: true });
  if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
  const [stored] = page.events;
  return stored === undefined ? undefined : decodeEvent(stored);
}

/**
 * Maximum number of attempts of a change whose basis keeps changing. Each conflict means that another writer succeeded. So this many callers can
 * change one session or customer at once, and all succeed.
 */
export const changes = 64;
