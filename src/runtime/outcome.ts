import type { JsonObject } from "../kernel/json.ts";
import type { SessionId, TurnId } from "../kernel/id.ts";
import { ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import { isSuperseded } from "../session/decide.ts";
import type { Diagnostics, Event, EventOf } from "../session/event.ts";
import { foldState } from "../session/fold.ts";
import { textOf } from "../session/result-text.ts";
import { decodeEvent } from "../session/upcast.ts";
import { decodeState } from "../state/document.ts";
import { beginTurn, replayTransient } from "../state/turn.ts";
import { project, type View } from "../state/views.ts";
import { inputValues } from "./agent.ts";
import { eventAt, loadSession, refused } from "./commit.ts";
import { agentOf, type RuntimeContext } from "./context.ts";
import type { Operation } from "../kernel/json-patch.ts";

/** What became of a message. */
export interface TurnResult {
  /** Offset of the message; of the turn's first event for a turn without one. */
  readonly offset: number;
  /** The turn that answered it; undefined while it waits. */
  readonly turn_id: TurnId | undefined;
  /** `waiting`: the session is in manual mode, so a person answers; `withdrawn`: it was taken back before it was answered. */
  readonly status: "completed" | "stopped" | "failed" | "waiting" | "withdrawn";
  /** What the customer reads. */
  readonly reply: string | undefined;
  /** The output view of the state at the end of the turn. */
  readonly output: JsonObject;
  readonly diagnostics: Diagnostics;
  /** Why the turn stopped. */
  readonly reason?: string;
  /** Why the turn failed. */
  readonly error?: ErrorInfo;
}

/** Follows the log, from the offset or a later one, until the message at `offset` (or the turn that was queued) has its outcome. */
export async function outcomeOf(
  runtime: RuntimeContext,
  session_id: SessionId,
  sought: { readonly offset: number; readonly turn_id?: TurnId | undefined; readonly message: boolean; readonly from?: number },
  signal: AbortSignal,
): Promise<TurnResult> {
  let next = sought.from ?? sought.offset;
  let turn = sought.turn_id;
  let reply: EventOf<"message"> | undefined;
  let answers: readonly number[] = [];
  let begun = false;
  // Whether the message may be in no turn: its turn is not known, or a person has taken over since.
  let unsure = turn === undefined;
  const patches: Operation[] = [];
  const take = async (event: Event): Promise<TurnResult | undefined> => {
    if (event.kind === "session" && event.data.type === "withdrawn" && event.data.from <= sought.offset)
      return withoutTurn(sought.offset, "withdrawn");
    if (event.kind === "turn" && event.data.type === "started" && (event.data.answers.includes(sought.offset) || event.turn_id === turn)) {
      turn = event.turn_id;
      answers = event.data.answers;
      begun = true;
    }
    if (event.kind === "session" && event.data.type === "mode") unsure = true;
    if (turn === undefined || event.turn_id !== turn) return undefined;
    if (event.kind === "message" && event.data.role === "assistant") reply = event;
    if (event.kind !== "turn") return undefined;
    if (event.data.type === "stage" || event.data.type === "fields") patches.push(...(event.data.patch ?? []));
    if (event.data.type !== "ended") return undefined;
    // Another turn answers it, together with the message that has come in between.
    if (sought.message && isSuperseded(event.data.outcome))
      return outcomeOf(runtime, session_id, { offset: sought.offset, message: true, from: event.offset + 1 }, signal);
    const { outcome, diagnostics } = event.data;
    return {
      offset: sought.offset,
      turn_id: turn,
      status: outcome.status,
      reply: reply === undefined ? undefined : textOf(reply.data.parts),
      output: await viewAt(runtime, session_id, { at: event.offset, message: answers.at(-1), patches }),
      diagnostics,
      ...(outcome.status === "stopped" ? { reason: outcome.reason } : {}),
      ...(outcome.status === "failed" ? { error: outcome.error } : {}),
    };
  };

  for (;;) {
    const page = await runtime.store.read({ session_id, min_offset: next, withdrawn: true, limit: 500 });
    if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
    for (const stored of page.events) {
      const result = await take(decodeEvent(stored));
      if (result !== undefined) return result;
    }
    next = page.next_offset;
    if (next <= page.head) continue;
    if (!begun && (unsure || !sought.message) && (await isLeftWaiting(runtime, session_id, sought, page.head)))
      return withoutTurn(sought.offset, "waiting");
    await runtime.store.watch(session_id, page.head, signal);
  }
}

/** The outcome of a message that no turn has answered. */
const withoutTurn = (offset: number, status: "waiting" | "withdrawn"): TurnResult => ({
  offset,
  turn_id: undefined,
  status,
  reply: undefined,
  output: {},
  diagnostics: {},
});

/**
 * Whether nothing will come of it for now: a message waits as long as a person has the session, and then, if it is in no turn, until the
 * session is resumed or sent another; a turn that was queued without one is gone when a person took over before it began.
 */
async function isLeftWaiting(
  runtime: RuntimeContext,
  session_id: SessionId,
  { offset, turn_id, message }: { readonly offset: number; readonly turn_id?: TurnId | undefined; readonly message: boolean },
  head: number,
): Promise<boolean> {
  const { session, turns, waiting } = await loadSession(runtime, session_id);
  if (message) return session.mode === "manual" || waiting.some((one) => one.offset === offset && one.turn === undefined);
  return session.head === head && !turns.some((turn) => turn.turn_id === turn_id);
}

/** Where a turn ended, and what its state is made of besides the log up to there. */
interface TurnEnd {
  readonly at: number;
  readonly message: number | undefined;
  readonly patches: readonly Operation[];
  /** `output` by default. */
  readonly view?: View;
}

/** A view of the state at the end of a turn, from the log alone: any process computes the same. */
export async function viewAt(
  runtime: RuntimeContext,
  session_id: SessionId,
  { at, message, patches, view = "output" }: TurnEnd,
): Promise<JsonObject> {
  const loaded = await loadSession(runtime, session_id, { at });
  const agent = agentOf(runtime, loaded.session.agent);
  const { document, definition } = foldState(loaded);
  // What another version wrote, or what failed the turn because it does not decode, is in no view of this version.
  if ((definition ?? agent.version) !== agent.version) return {};
  const cause = message === undefined ? undefined : await eventAt(runtime, session_id, message);
  const input = inputValues(agent, cause?.kind === "message" ? cause.data : undefined);
  try {
    const begun = beginTurn(agent.state, decodeState(agent.state, document), { input });
    return project(agent.state, replayTransient(agent.state, begun.state, patches), view);
  } catch (error) {
    if (ThroughlineError.is(error, "state.corrupt", "state.invalid_value")) return {};
    throw error;
  }
}
