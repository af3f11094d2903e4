/** A reply where the store has failed: what a person wrote is answered, and never passed over because a database is away. */
import { inTime } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { ErrorKind } from "../../kernel/error-catalogue.ts";
import type { Assessment } from "../../safety/assessment.ts";
import type { SafetySettings } from "../../safety/settings.ts";
import type { Agent } from "../agent.ts";
import type { RuntimeContext } from "../context.ts";
import { isOwnFailure, storable } from "../failure.ts";
import { isOutcomeUnknown, unknownOutcome } from "../../kernel/outcome.ts";
import type { TurnResult, Unsaved } from "../outcome.ts";
import { assessmentRecord } from "./record.ts";
import { randomRefs } from "./refs.ts";
import { isUrgent, screening } from "./screening.ts";
import { unsavedWords } from "./unsaved-words.ts";

/** Milliseconds that a message waits for the store to take it: of somebody in danger, and of anybody. */
const mostWait = { urgent: 5_000, other: 30_000 };
/** Milliseconds that somebody in danger waits for their turn, besides what its model may take. */
const mostTurn = 10_000;

const troubles: ReadonlySet<ErrorKind> = new Set(["unavailable", "corrupt", "internal"]);

/** Refusals that say what is wrong with the call or with the session; everything else is the store's trouble, or our own. */
const isTrouble = (error: unknown): boolean =>
  !ThroughlineError.is(error) || troubles.has(error.kind) || /^(?:store|encryption)\./u.test(error.code) || error.code === "session.conflict";

/** Refusals of a message for how, or how often, it was sent. */
const refusal = /^(?:limit\.rate|request\.too_large|request\.invalid|(?:input|state)\..*)$/u;

/** Whether a message was refused of somebody who must not be left without an answer for that. */
export const isRefusedInDanger = (safety: SafetySettings, text: string, error: unknown): boolean =>
  ThroughlineError.is(error) && refusal.test(error.code) && isUrgent(screening(safety, text));

/** A message to an agent with a gate. */
export interface Guarded {
  readonly safety: SafetySettings;
  readonly agent: Agent;
  readonly text: string;
  readonly session_id: string;
  /** Who says that the session is theirs, where nobody could look whether it is. */
  readonly customer?: string | undefined;
  /** The words come from a custom event: nobody waits for an answer, unless they are in danger. */
  readonly custom?: boolean | undefined;
}

/**
 * Sends a message of an agent with a gate. `accept` and `outcome` are the ordinary way; where the store fails on it, the person is answered with what is
 * said without one (`saved: false`, or `"unknown"` where the store may have taken the message), and the assessment waits in the spool. What is wrong with the call itself is thrown, as by `post`.
 */
export async function sendSafely<Accepted extends { readonly offset: number }>(
  runtime: RuntimeContext,
  given: Guarded,
  way: {
    readonly accept: () => Promise<Accepted>;
    readonly outcome: (accepted: Accepted) => Promise<TurnResult>;
    /** Aborts when nobody waits any more, which is no failure. */
    readonly signal?: AbortSignal | undefined;
  },
): Promise<TurnResult> {
  const { safety, text } = given;
  let accepted: Accepted | undefined;
  try {
    const screened = screening(safety, text);
    const urgent = isUrgent(screened);
    accepted = await storeInTime(runtime, way.accept(), urgent ? mostWait.urgent : mostWait.other);
    // A level 3 waits for no model.
    const ms = mostTurn + (screened.screened?.level === 3 ? 0 : safety.hardMs + safety.replyMs);
    return await (urgent ? storeInTime(runtime, way.outcome(accepted), ms) : way.outcome(accepted));
  } catch (error) {
    if (way.signal?.aborted === true) throw error;
    if (!isTrouble(error)) throw accepted === undefined ? await unsaved(runtime, given, error) : error;
    const { reply, failure } = await withoutStore(runtime, given, { error, saved: accepted !== undefined });
    return {
      offset: accepted?.offset ?? 0,
      turn_id: undefined,
      status: "failed",
      saved: accepted === undefined ? unsavedBy(error) : "unknown",
      reply,
      output: {},
      diagnostics: {},
      error: storable(failure),
    };
  }
}

/** Accepts a message of an agent with a gate, for whoever does not wait for its outcome. Where the store fails on it, the error is that of `unsaved`. */
export async function postSafely<Accepted>(
  runtime: RuntimeContext,
  given: Guarded,
  { accept, signal }: { readonly accept: () => Promise<Accepted>; readonly signal?: AbortSignal | undefined },
): Promise<Accepted> {
  try {
    return await storeInTime(runtime, accept(), isUrgent(screening(given.safety, given.text)) ? mostWait.urgent : mostWait.other);
  } catch (error) {
    // Whoever stopped waiting has answered the person.
    if (signal?.aborted === true) throw error;
    throw await unsaved(runtime, given, error);
  }
}

/**
 * What to throw for a message that could not be accepted: where that is the store's trouble, or a refusal of somebody in danger, an error with what is said to the
 * person in its details (`saved`: `false` or `"unknown"`, and `reply`), the assessment being in the spool; any other error as it is.
 */
export async function unsaved(runtime: RuntimeContext, given: Guarded, error: unknown): Promise<unknown> {
  if (ThroughlineError.is(error) && error.details["saved"] !== undefined) return error;
  if (given.custom === true && !isUrgent(screening(given.safety, given.text))) return error;
  if (!isTrouble(error) && !isRefusedInDanger(given.safety, given.text, error)) return error;
  const { reply, failure } = await withoutStore(runtime, given, { error, saved: false });
  const { code, message, hint, details } = failure;
  return new ThroughlineError(code, message, { cause: error, hint, details: { ...details, saved: unsavedBy(error), reply } });
}

/** Whether the message may be kept although accepting it failed with this error. */
const unsavedBy = (error: unknown): Unsaved => (isOutcomeUnknown(error) ? "unknown" : false);

/** What is said without a store, with the failure; the assessment goes to the spool. */
async function withoutStore(
  runtime: RuntimeContext,
  { safety, agent, text, session_id, customer }: Guarded,
  { error, saved }: { readonly error: unknown; readonly saved: boolean },
): Promise<{ readonly reply: string; readonly failure: ThroughlineError }> {
  runtime.logger.error("answered a message that is not kept", { session_id, code: ThroughlineError.from(error).code });
  const now = runtime.clock.now();
  const { plans } = runtime.safety;
  const known = plans.get(session_id);
  const isTheirs = customer === undefined || known?.customer === customer;
  const { assessment, plan, reply = agent.apology } = unsavedWords(safety, { text, plan: isTheirs ? known?.plan : undefined, saved, now });
  // A message that is on record is looked at again by its turn.
  if (plan !== undefined && !saved && isTheirs) plans.set(session_id, { ...known, plan, saved: false });
  await spool(runtime, { safety, agent, assessment, now });
  const failure =
    isTrouble(error) && isOwnFailure(error) ? new ThroughlineError("store.unreachable", undefined, { cause: error }) : ThroughlineError.from(error);
  return { reply, failure };
}

const storeInTime = <Result>({ clock }: RuntimeContext, work: Promise<Result>, ms: number): Promise<Result> =>
  inTime(clock, work, {
    ms,
    late: () => new ThroughlineError("store.unreachable", "The store did not do its work in time.", { details: unknownOutcome }),
  });

/** The assessment waits until a store takes it. Whatever fails of that is logged, and holds no reply up. */
async function spool(
  runtime: RuntimeContext,
  { safety, agent, assessment, now }: Pick<Guarded, "safety" | "agent"> & { readonly assessment: Assessment; readonly now: number },
): Promise<void> {
  try {
    const refs = randomRefs(runtime.ids.trace());
    const session = { metadata: {} };
    await runtime.safety.spool.append(
      assessmentRecord({ assessment, refs, agent, safety, at: now, session, action: "static_reply", reply_completed: true }),
    );
  } catch (error) {
    runtime.logger.error("an assessment is lost", { code: ThroughlineError.from(error).code });
  }
}
