/** Asking for a turn, stopping one, and having one done again. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { TurnId } from "../../kernel/id.ts";
import type { Command } from "../../session/decide.ts";
import type { LoadedSession, Store } from "../../store/port.ts";
import { append, appendEnding, drive, type Done, type Handle } from "../commands/handle.ts";
import { idempotencyOf, type IdempotencyOptions } from "../commands/idempotency.ts";
import { checkText } from "./receive.ts";
import { lastTurn, numberIn, ownEvents } from "../../extension/turn-events.ts";

/** Options of a turn without a message. */
export interface StartTurnOptions extends IdempotencyOptions {
  /** `resume` by default: the agent answers what waits, and sees what people and systems posted. */
  readonly cause?: "resume" | "greeting";
}

/** Options of stopping. */
export interface StopOptions extends IdempotencyOptions {
  /** Only this turn: another one is left alone. */
  readonly turn?: string;
}

/** A requested turn. */
export interface StartedTurn {
  /** Offset of the event that says so. */
  readonly offset: number;
  readonly turn_id: TurnId;
}

/** Lets the agent speak. */
export async function startTurn(handle: Handle, options: StartTurnOptions): Promise<StartedTurn> {
  const { cause = "resume" } = options;
  if (cause !== "resume" && cause !== "greeting")
    throw new ThroughlineError("input.invalid", `A turn is asked for as "resume" or "greeting", got ${seen(cause)}.`, { details: { path: "cause" } });
  const command: Command = { type: "queue_turn", cause, trace_id: handle.runtime.ids.trace() };
  return started(handle, await append(handle, command, idempotencyOf(options, "start_turn", { cause })));
}

/** Runs the last turn again, for the same messages. */
export async function retryTurn(handle: Handle, turn_id: string | undefined, options: IdempotencyOptions): Promise<StartedTurn> {
  const { runtime } = handle;
  const command = async (loaded: LoadedSession): Promise<Command> => {
    await requireRetryable(runtime.store, loaded, turn_id);
    return { type: "queue_turn", cause: "retry", trace_id: runtime.ids.trace(), head: loaded.session.head };
  };
  return started(handle, await append(handle, command, idempotencyOf(options, "retry", { turn_id })));
}

function started(handle: Handle, { offset, turn_id }: Done): StartedTurn {
  if (turn_id === undefined) throw new ThroughlineError("internal", "A turn was asked for, and none was queued.");
  drive(handle);
  return { offset, turn_id };
}

/** Stops the running turn, or the queued one, or the one that is named; false if it is not open. */
export async function stopTurn(handle: Handle, message: string | undefined, options: StopOptions): Promise<boolean> {
  if (message !== undefined) checkText(message);
  const { turn } = options;
  const idempotency = idempotencyOf(options, "stop", { message, turn });
  const command = ({ session }: LoadedSession): Command => ({
    type: "stop_turn",
    ...(message === undefined ? {} : { message }),
    ...(turn === undefined ? {} : { turn: numberIn(session, turn) }),
  });
  const { changed } = await appendEnding(handle, command, { idempotency, reason: new ThroughlineError("turn.stopped") });
  // Nobody works in a session whose turn was parked: what waits behind it is taken up here.
  if (changed) drive(handle);
  return changed;
}

/** `turn.not_retryable` unless it is the last turn, has failed or was stopped, and nothing is under way. */
async function requireRetryable(store: Store, { session, turns }: LoadedSession, turn_id: string | undefined): Promise<void> {
  const refuse = (why: string): ThroughlineError => new ThroughlineError("turn.not_retryable", why, { details: { session_id: session.session_id } });
  const number = turn_id === undefined ? undefined : numberIn(session, turn_id);
  if (turns.length > 0) throw refuse("A turn is under way.");
  const last = await lastTurn(store, session.session_id, session.last_turn);
  // A turn that was queued and went again before it began has nothing that could be done again.
  if (last === undefined) throw refuse("The session has had no turn that began.");
  if (number !== undefined && number !== last.number) throw refuse(`Turn ${turn_id} is not the last one, which is ${last.turn_id}.`);
  const ended = (await ownEvents(store, last)).findLast((event) => event.kind === "turn" && event.data.type === "ended");
  const outcome = ended?.kind === "turn" && ended.data.type === "ended" ? ended.data.outcome : undefined;
  if (outcome === undefined || (outcome.status === "stopped" && ["withdrawn", "superseded"].includes(outcome.reason)))
    throw refuse(`Turn ${last.turn_id} was taken back.`);
  if (outcome.status === "completed") throw refuse(`Turn ${last.turn_id} has ended well.`);
}
