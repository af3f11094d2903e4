/** A reply where the store has failed: what a person wrote is answered, and never passed over because a database is away. */
import { acceptedBy, hasPoint, type AcceptEffect, type Extension } from "../../extension/port.ts";
import { isOwnFailure, storable } from "../../extension/failure.ts";
import { inTime } from "../../kernel/deadline.ts";
import { isOutcomeUnknown, ThroughlineError, unknownOutcome } from "../../kernel/error.ts";
import type { ErrorKind } from "../../kernel/error-catalogue.ts";
import { parseSessionId } from "../../kernel/id.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import type { TurnResult, Unsaved } from "../reading/outcome.ts";

/** Milliseconds that a message waits for the store to take it: an urgent one, and any. */
const mostWait = { urgent: 5_000, other: 30_000 };

const troubles: ReadonlySet<ErrorKind> = new Set(["unavailable", "corrupt", "internal"]);

/** Refusals that say what is wrong with the call or with the session; everything else is the store's trouble, or our own. */
const isTrouble = (error: unknown): boolean =>
  !ThroughlineError.is(error) || troubles.has(error.kind) || /^(?:store|encryption)\./u.test(error.code) || error.code === "session.conflict";

/** Refusals of a message for how, or how often, it was sent. */
const refusal = /^(?:limit\.rate|request\.too_large|request\.invalid|(?:input|state)\..*)$/u;

/** Whether a message was refused of somebody who must not be left without an answer for that. */
const isRefusedInUrgency = ({ effect }: Pick<Guarded, "effect">, error: unknown): boolean =>
  ThroughlineError.is(error) && refusal.test(error.code) && effect?.urgent === true;

/** A message to an agent that has something to say without a store. */
interface Guarded {
  readonly agent: Agent;
  readonly extension: Required<Pick<Extension, "withoutStore">>;
  readonly effect: AcceptEffect | undefined;
  readonly text: string;
  readonly session_id: string;
  /** Who says that the session is theirs, where nobody could look whether it is. */
  readonly customer?: string | undefined;
  /** The words come from a custom event: nobody waits for an answer, unless they are urgent. */
  readonly custom?: boolean | undefined;
}

/** What was sent, and to whom. */
export interface Sent {
  /** Name of the session's agent; undefined where it is not known: a database that is away cannot tell. */
  readonly agent: string | undefined;
  readonly session_id: string;
  readonly text: string;
  readonly custom?: boolean | undefined;
  readonly customer?: string | undefined;
}

/** How a message is guarded: by the agent of that name, or where the name is not known by any that can; undefined if none can. */
function guardedBy({ agents }: Pick<RuntimeContext, "agents">, { agent: name, ...sent }: Sent): Guarded | undefined {
  if (typeof sent.text !== "string") return undefined;
  const candidates = name === undefined ? [...agents.values()] : [agents.get(name)];
  for (const agent of candidates)
    for (const extension of agent?.extensions ?? [])
      if (agent !== undefined && hasPoint(extension, "withoutStore")) {
        const effect = acceptedBy({ agent, text: sent.text, kind: sent.custom === true ? "custom" : "message" });
        return { ...sent, agent, extension, effect };
      }
  return undefined;
}

/**
 * Sends a message. `accept` and `outcome` are the ordinary way; where the store fails on it, the person is answered with what is
 * said without one (`saved: false`, or `"unknown"` where the store may have taken the message). What is wrong with the call itself is thrown, as by {@link postSafely}.
 */
export async function sendSafely<Accepted extends { readonly offset: number }>(
  runtime: RuntimeContext,
  sent: Sent,
  way: {
    readonly accept: () => Promise<Accepted>;
    readonly outcome: (accepted: Accepted) => Promise<TurnResult>;
    /** Aborts when nobody waits any more, which is no failure. */
    readonly signal?: AbortSignal | undefined;
  },
): Promise<TurnResult> {
  const given = guardedBy(runtime, sent);
  if (given === undefined) return way.outcome(await way.accept());
  const { urgent = false, answerMs = 0 } = given.effect ?? {};
  let accepted: Accepted | undefined;
  try {
    accepted = await storeInTime(runtime, way.accept(), urgent ? mostWait.urgent : mostWait.other);
    return await (urgent ? storeInTime(runtime, way.outcome(accepted), answerMs) : way.outcome(accepted));
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

/** Accepts a message for whoever does not wait for its outcome. Where the store fails on it, the error has what to say in its details. */
export async function postSafely<Accepted>(
  runtime: RuntimeContext,
  sent: Sent,
  { accept, signal }: { readonly accept: () => Promise<Accepted>; readonly signal?: AbortSignal | undefined },
): Promise<Accepted> {
  const given = guardedBy(runtime, sent);
  if (given === undefined) return accept();
  try {
    return await storeInTime(runtime, accept(), given.effect?.urgent === true ? mostWait.urgent : mostWait.other);
  } catch (error) {
    // Whoever stopped waiting has answered the person.
    if (signal?.aborted === true) throw error;
    throw await unsaved(runtime, given, error);
  }
}

/** A customer's message that was not taken. */
export interface UnsavedInput {
  readonly session_id: string;
  readonly text: string;
  /** The words come from a custom event. */
  readonly custom?: boolean;
  /** Who says that the session is theirs, where that was not looked up. */
  readonly customer?: string | undefined;
  /** The session's agent; undefined where the database could not tell. Looked up if it is left out. */
  readonly agent?: string | undefined;
}

/** What to throw for a message that could not even be handed to its session: see {@link unsaved}. */
export async function unsavedMessage(runtime: RuntimeContext, message: UnsavedInput, error: unknown): Promise<unknown> {
  const any = guardedBy(runtime, { ...message, agent: undefined });
  if (any === undefined) return error;
  // What was refused for itself leaves the database to say whose message it is.
  const agent = async (): Promise<string | undefined> => ("agent" in message ? message.agent : agentIn(runtime, message.session_id));
  const known = isRefusedInUrgency(any, error) ? guardedBy(runtime, { ...message, agent: await agent() }) : any;
  return known === undefined ? error : unsaved(runtime, known, error);
}

/** The agent of a session, where that can be read. */
async function agentIn({ store }: Pick<RuntimeContext, "store">, session_id: string): Promise<string | undefined> {
  try {
    return (await store.open({ session_id: parseSessionId(session_id) }))?.agent;
  } catch {
    return undefined;
  }
}

/**
 * What to throw for a message that could not be accepted: where that is the store's trouble, or a refusal of something urgent, an error with what is said to the
 * person in its details (`saved`: `false` or `"unknown"`, and `reply`); any other error as it is.
 */
async function unsaved(runtime: RuntimeContext, given: Guarded, error: unknown): Promise<unknown> {
  if (ThroughlineError.is(error) && error.details["saved"] !== undefined) return error;
  if (given.custom === true && given.effect?.urgent !== true) return error;
  if (!isTrouble(error) && !isRefusedInUrgency(given, error)) return error;
  const { reply, failure } = await withoutStore(runtime, given, { error, saved: false });
  const { code, message, hint, details } = failure;
  return new ThroughlineError(code, message, { cause: error, hint, details: { ...details, saved: unsavedBy(error), reply } });
}

/** Whether the message may be kept although accepting it failed with this error. */
const unsavedBy = (error: unknown): Unsaved => (isOutcomeUnknown(error) ? "unknown" : false);

/** What is said without a store, with the failure. */
async function withoutStore(
  context: RuntimeContext,
  { extension, agent, text, session_id, customer }: Guarded,
  { error, saved }: { readonly error: unknown; readonly saved: boolean },
): Promise<{ readonly reply: string; readonly failure: ThroughlineError }> {
  context.logger.error("answered a message that is not kept", { session_id, code: ThroughlineError.from(error).code });
  const reply = await extension.withoutStore({ context, agent, text, session_id, customer, saved });
  const failure =
    isTrouble(error) && isOwnFailure(error) ? new ThroughlineError("store.unreachable", undefined, { cause: error }) : ThroughlineError.from(error);
  return { reply, failure };
}

const storeInTime = <Result>({ clock }: RuntimeContext, work: Promise<Result>, ms: number): Promise<Result> =>
  inTime(clock, work, {
    ms,
    late: () => new ThroughlineError("store.unreachable", "The store did not do its work in time.", { details: unknownOutcome }),
  });
