/** Replies when the store has failed. A customer's message gets an answer even when the database is unavailable. */
import { isOwnFailure, storable, withCause } from "../../extension/failure.ts";
import { acceptedBy, type Extension, hasPoint, type Screened } from "../../extension/port.ts";
import { inTime } from "../../kernel/deadline.ts";
import type { ErrorKind } from "../../kernel/error-catalogue.ts";
import { isOutcomeUnknown, ThroughlineError, unknownOutcome } from "../../kernel/error.ts";
import { parseSessionId } from "../../kernel/id.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import type { TurnResult, Unsaved } from "../reading/outcome.ts";

/** Maximum milliseconds that a message waits for the store: an urgent one, and any other. */
const mostWait = { urgent: 5_000, other: 30_000 };

const systemFailures: ReadonlySet<ErrorKind> = new Set(["unavailable", "corrupt", "internal"]);

/** Whether an error is a failure of the store or of this system. All other errors say what is wrong with the call or the session. */
const isSystemFailure = (error: unknown): boolean =>
  !ThroughlineError.is(error) || systemFailures.has(error.kind) || /^(?:store|encryption)\./u.test(error.code) || error.code === "session.conflict";

/** Errors that reject a message for its form or its rate. */
const refusal = /^(?:limit\.rate|request\.too_large|request\.invalid|(?:input|state)\..*)$/u;

/** Whether a message was rejected whose sender needs an answer despite the rejection. */
const isRefusedInUrgency = ({ effect }: Pick<Guarded, "effect">, error: unknown): boolean =>
  ThroughlineError.is(error) && refusal.test(error.code) && effect?.urgent === true;

/** A message to an agent that can reply without a store. */
interface Guarded extends Screened {
  readonly agent: Agent;
  readonly extension: Required<Pick<Extension, "withoutStore">>;
  readonly text: string;
  readonly session_id: string;
  /** Claimed owner of the session, if ownership could not be checked. */
  readonly customer?: string | undefined;
  /** Whether the text comes from a custom event. Its sender expects no answer, unless the text is urgent. */
  readonly custom?: boolean | undefined;
}

/** A message and its destination. */
export interface Sent {
  /** Name of the session's agent. Undefined if it is unknown, because the database is unavailable. */
  readonly agent: string | undefined;
  readonly session_id: string;
  readonly text: string;
  readonly custom?: boolean | undefined;
  readonly customer?: string | undefined;
}

/** Returns how a message is guarded: by the named agent, or, if the name is unknown, by any agent that can reply without a store. Undefined if none can. */
function guardedBy({ agents }: Pick<RuntimeContext, "agents">, { agent: name, ...sent }: Sent): Guarded | undefined {
  if (typeof sent.text !== "string") return undefined;
  const candidates = name === undefined ? [...agents.values()] : [agents.get(name)];
  for (const agent of candidates)
    for (const extension of agent?.extensions ?? [])
      if (agent !== undefined && hasPoint(extension, "withoutStore")) {
        const screened = acceptedBy({ agent, text: sent.text, kind: sent.custom === true ? "custom" : "message" });
        return { ...sent, ...screened, agent, extension };
      }
  return undefined;
}

/**
 * Sends a message through `accept` and `outcome`. If the store fails, replies without it: `saved` is `false`, or `"unknown"` if the store may have
 * stored the message. Throws errors of the call itself, as {@link postSafely} does.
 */
export async function sendSafely<Accepted extends { readonly offset: number }>(
  runtime: RuntimeContext,
  sent: Sent,
  way: {
    /** Receives the effect of the extensions on the message, if it is known already. */
    readonly accept: (screened?: Screened) => Promise<Accepted>;
    readonly outcome: (accepted: Accepted) => Promise<TurnResult>;
    /** Aborts when no caller waits any more. That is not a failure. */
    readonly signal?: AbortSignal | undefined;
  },
): Promise<TurnResult> {
  const given = guardedBy(runtime, sent);
  if (given === undefined) return way.outcome(await way.accept());
  const { urgent = false, answerMs = 0 } = given.effect ?? {};
  let accepted: Accepted | undefined;
  try {
    accepted = await storeInTime(runtime, way.accept(given), urgent ? mostWait.urgent : mostWait.other);
    return await (urgent ? storeInTime(runtime, way.outcome(accepted), answerMs) : way.outcome(accepted));
  } catch (error) {
    if (way.signal?.aborted === true) throw error;
    if (!isSystemFailure(error)) throw accepted === undefined ? await unsaved(runtime, given, error) : error;
    const { reply, failure } = await withoutStore(runtime, given, { error, saved: accepted !== undefined });
    return {
      offset: accepted?.offset ?? 0,
      turn_id: undefined,
      status: "failed",
      saved: accepted === undefined ? unsavedBy(error) : "unknown",
      reply,
      output: {},
      diagnostics: {},
      error: withCause(storable(failure), failure),
    };
  }
}

/** Accepts a message without waiting for its outcome. If the store fails, the error has the reply in its details. */
export async function postSafely<Accepted>(
  runtime: RuntimeContext,
  sent: Sent,
  { accept, signal }: { readonly accept: (screened?: Screened) => Promise<Accepted>; readonly signal?: AbortSignal | undefined },
): Promise<Accepted> {
  const given = guardedBy(runtime, sent);
  if (given === undefined) return accept();
  try {
    return await storeInTime(runtime, accept(given), given.effect?.urgent === true ? mostWait.urgent : mostWait.other);
  } catch (error) {
    // The caller that stopped waiting has already answered the customer.
    if (signal?.aborted === true) throw error;
    throw await unsaved(runtime, given, error);
  }
}

/** A customer's message that was not accepted. */
export interface UnsavedInput {
  readonly session_id: string;
  readonly text: string;
  /** Whether the text comes from a custom event. */
  readonly custom?: boolean;
  /** Claimed owner of the session, if ownership was not checked. */
  readonly customer?: string | undefined;
  /** The session's agent. Undefined if the database could not tell. Looked up if left out. */
  readonly agent?: string | undefined;
}

/** Returns the error to throw for a message that did not reach its session. See {@link unsaved}. */
export async function unsavedMessage(runtime: RuntimeContext, message: UnsavedInput, error: unknown): Promise<unknown> {
  const any = guardedBy(runtime, { ...message, agent: undefined });
  if (any === undefined) return error;
  // If the message itself was rejected, the database works and can tell the session's agent.
  const agent = async (): Promise<string | undefined> => ("agent" in message ? message.agent : agentIn(runtime, message.session_id));
  const known = isRefusedInUrgency(any, error) ? guardedBy(runtime, { ...message, agent: await agent() }) : any;
  return known === undefined ? error : unsaved(runtime, known, error);
}

/** Returns the agent of a session, or undefined if it cannot be read. */
async function agentIn({ store }: Pick<RuntimeContext, "store">, session_id: string): Promise<string | undefined> {
  try {
    return (await store.open({ session_id: parseSessionId(session_id) }))?.agent;
  } catch {
    return undefined;
  }
}

/**
 * Returns the error to throw for a message that could not be accepted. After a failure of the store or a rejection of an urgent message, it has a
 * reply. Its details then contain `saved` (`false` or `"unknown"`) and `reply`, the text for the customer. Any other error is returned unchanged.
 */
async function unsaved(runtime: RuntimeContext, given: Guarded, error: unknown): Promise<unknown> {
  if (ThroughlineError.is(error) && error.details["saved"] !== undefined) return error;
  if (given.custom === true && given.effect?.urgent !== true) return error;
  if (!isSystemFailure(error) && !isRefusedInUrgency(given, error)) return error;
  const { reply, failure } = await withoutStore(runtime, given, { error, saved: false });
  const { code, message, hint, details } = failure;
  return new ThroughlineError(code, message, { cause: error, hint, details: { ...details, saved: unsavedBy(error), reply } });
}

/** Whether the message may be stored although accepting it failed with this error. */
const unsavedBy = (error: unknown): Unsaved => (isOutcomeUnknown(error) ? "unknown" : false);

/** Returns the reply without a store, and the failure. */
async function withoutStore(
  context: RuntimeContext,
  { extension, agent, text, session_id, customer }: Guarded,
  { error, saved }: { readonly error: unknown; readonly saved: boolean },
): Promise<{ readonly reply: string; readonly failure: ThroughlineError }> {
  context.logger.error("answered a message that was not stored", { session_id, code: ThroughlineError.from(error).code }, error);
  const reply = await extension.withoutStore({ context, agent, text, session_id, customer, saved });
  const failure =
    isSystemFailure(error) && isOwnFailure(error)
      ? new ThroughlineError("store.unreachable", undefined, { cause: error })
      : ThroughlineError.from(error);
  return { reply, failure };
}

const storeInTime = <Result>({ clock }: RuntimeContext, work: Promise<Result>, ms: number): Promise<Result> =>
  inTime(clock, work, {
    ms,
    late: () => new ThroughlineError("store.unreachable", "The store did not respond in time.", { details: unknownOutcome }),
  });
