/** Starting, stopping and retrying turns. */
import { invalidAt } from "../../extension/failure.ts";
import { present } from "../../kernel/json.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { TurnId } from "../../kernel/id.ts";
import type { Command } from "../../session/decide-command.ts";
import type { LoadedSession, Store } from "../../store/port.ts";
import { append, appendEnding, drive, type Done, type Handle } from "../commands/handle.ts";
import { idempotencyOf, type IdempotencyOptions } from "../commands/idempotency.ts";
import { checkText } from "./receive.ts";
import { lastTurn, numberIn, ownEvents } from "../../extension/turn-events.ts";

/** Options of a turn without a message. */
export interface StartTurnOptions extends IdempotencyOptions {
  /** Defaults to `resume`: the agent answers the waiting messages and reads the posts of operators and systems. */
  readonly cause?: "resume" | "greeting";
}

/** Options of stopping. */
export interface StopOptions extends IdempotencyOptions {
  /** Stops only this turn, not another one. */
  readonly turn?: string;
}

/** A requested turn. */
export interface StartedTurn {
  /** Offset of the event that records the request. */
  readonly offset: number;
  readonly turn_id: TurnId;
}

/** Queues a turn without a message. */
export async function startTurn(handle: Handle, options: StartTurnOptions): Promise<StartedTurn> {
  const { cause = "resume" } = options;
  if (cause !== "resume" && cause !== "greeting")
    throw invalidAt("input.invalid", "cause", `A turn's cause is "resume" or "greeting", got ${seen(cause)}.`);
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
  if (turn_id === undefined) throw new ThroughlineError("internal", "The requested turn was not queued.");
  drive(handle);
  return { offset, turn_id };
}

/** Stops the running turn, the queued turn, or only the named turn. Returns false if it is not open. */
export async function stopTurn(handle: Handle, message: string | undefined, options: StopOptions): Promise<boolean> {
  if (message !== undefined) checkText(message);
  const { turn } = options;
  const idempotency = idempotencyOf(options, "stop", { message, turn });
  const command = ({ session }: LoadedSession): Command => ({
    type: "stop_turn",
    ...present({ message }),
    ...(turn === undefined ? {} : { turn: numberIn(session, turn) }),
  });
  const { changed } = await appendEnding(handle, command, { idempotency, reason: new ThroughlineError("turn.stopped") });
  // No worker runs a session whose turn was parked, so this process starts the turns that waited behind it.
  if (changed) drive(handle);
  return changed;
}

/** Throws `turn.not_retryable` unless the turn is the last one, failed or was stopped, and no turn is open. */
async function requireRetryable(store: Store, { session, turns }: LoadedSession, turn_id: string | undefined): Promise<void> {
  const refuse = (why: string): ThroughlineError => new ThroughlineError("turn.not_retryable", why, { details: { session_id: session.session_id } });
  const number = turn_id === undefined ? undefined : numberIn(session, turn_id);
  if (turns.length > 0) throw refuse("A turn is running or queued. Retry after it has ended.");
  const last = await lastTurn(store, session.session_id, session.last_turn);
  // A turn that left the queue before it started has nothing to retry.
  if (last === undefined) throw refuse("No turn of the session has started.");
  if (number !== undefined && number !== last.number) throw refuse(`Turn ${turn_id} is not the last one, which is ${last.turn_id}.`);
  const ended = (await ownEvents(store, last)).findLast((event) => event.kind === "turn" && event.data.type === "ended");
  const outcome = ended?.kind === "turn" && ended.data.type === "ended" ? ended.data.outcome : undefined;
  if (outcome === undefined || (outcome.status === "stopped" && ["withdrawn", "superseded"].includes(outcome.reason)))
    throw refuse(`Turn ${last.turn_id} was withdrawn or superseded.`);
  if (outcome.status === "completed") throw refuse(`Turn ${last.turn_id} completed.`);
}
