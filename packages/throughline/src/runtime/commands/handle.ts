/** Shared dependencies of the commands of one session: the runtime, the worker whose turns they interrupt, and the session's id. */
import { headerOf } from "../../extension/commit.ts";
import { abortable, finished } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { type SessionId, type TurnId, turnIdOf } from "../../kernel/id.ts";
import type { Command } from "../../session/decide-command.ts";
import type { LoadedSession } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { outcomeOf, type OutcomeTarget, type TurnResult } from "../reading/outcome.ts";
import { executeEnding } from "../subagent/child-sessions.ts";
import { withThrown } from "../turn/thrown.ts";
import type { Worker } from "../turn/turn-worker.ts";
import { execute, type Executed, type ExecuteOptions } from "./execute.ts";
import { type Idempotency, turnOfFirstUse } from "./idempotency.ts";

/** One session, and the worker that runs its turns. */
export interface Handle {
  readonly runtime: RuntimeContext;
  readonly worker: Worker;
  readonly id: SessionId;
}

/** Result of a command. */
export interface Done {
  /** Offset of the command's last event, or of the head if it changed nothing. A command repeated with its key returns the same offset. */
  readonly offset: number;
  /** Whether the command changed something. */
  readonly changed: boolean;
  /** The turn that the command queued or found queued. */
  readonly turn_id: TurnId | undefined;
}

/** Commits a command. */
export async function append(handle: Handle, command: Parameters<typeof execute>[2], idempotency: Idempotency | undefined): Promise<Done> {
  return doneOf(handle, await execute(handle.runtime, handle.id, command, { idempotency }));
}

/** Commits a command that may end the running turn, in this process or another. This process's worker aborts the turn with `reason`. */
export async function appendEnding(
  handle: Handle,
  command: (loaded: LoadedSession) => Command | Promise<Command>,
  { reason, ...options }: ExecuteOptions & { readonly reason: ThroughlineError },
): Promise<Done> {
  const { runtime, worker, id } = handle;
  const result = await executeEnding(runtime, id, command, options);
  if (result?.fenced === true) worker.interrupt(id, result.epoch, reason);
  return doneOf(handle, result);
}

/** Returns the result of an executed command. */
export async function doneOf({ runtime, id }: Handle, result: Executed | undefined): Promise<Done> {
  if (result?.first !== undefined) {
    const { offset, nothing } = result.first;
    return { offset, changed: !nothing, turn_id: await turnOfFirstUse(runtime, id, result.first) };
  }
  if (result === undefined) return { offset: (await headerOf(runtime, id)).head, changed: false, turn_id: undefined };
  const { head, queued_turn } = result.committed;
  return { offset: head, changed: true, turn_id: queued_turn === undefined ? undefined : turnIdOf(id, queued_turn) };
}

/** Returns listeners for an accepted message. They tell this process's worker that it superseded the running turn, or that it is urgent. */
export const hearing = ({ worker, id }: Handle): { readonly fenced: (epoch: number) => void; readonly hurried: () => void } => ({
  fenced: (epoch) => worker.interrupt(id, epoch, new ThroughlineError("turn.fenced", "The turn was superseded by a message.")),
  hurried: () => void worker.drive(id, { urgent: true }).catch(() => {}),
});

/** Starts the queued turns of the session, if this process runs turns. Callers that need the result wait for the outcome. */
export function drive({ worker, id }: Handle): void {
  worker.drive(id).catch(() => {});
}

/** Runs the session's turns, if this process runs turns, and waits for the outcome. */
export async function awaitOutcome({ runtime, worker, id }: Handle, target: Omit<OutcomeTarget, "idle">, signal?: AbortSignal): Promise<TurnResult> {
  const given = new AbortController();
  const { closed } = worker;
  const leave = (): void => given.abort(closed.reason);
  if (closed.aborted) leave();
  closed.addEventListener("abort", leave, { once: true });
  const waiting = AbortSignal.any([given.signal, ...(signal === undefined ? [] : [signal])]);
  const here = Promise.withResolvers<TurnResult>();
  let isHere = false;
  const stopHearing = worker.hear(id, (ended) => {
    const result = ended.resultFor(target);
    if (result === undefined) return;
    isHere = true;
    here.resolve(result);
  });
  const driving = worker.drive(id);
  const idle = driving.catch(() => {});
  const looked = Promise.withResolvers<void>();
  const inLog = async (): Promise<TurnResult> => {
    await untilWorthReading({ runtime, worker, id }, { turn_id: target.turn_id, idle }, waiting);
    if (isHere) return here.promise;
    return outcomeOf(runtime, id, { ...target, idle, looked: () => looked.resolve() }, waiting);
  };
  const answered = Promise.race([here.promise, inLog()]);
  // If a turn can neither run nor end here, its waiting callers get the error, unless its end is in the log. The message stays accepted.
  const driven = driving.catch(async (error: unknown) => {
    await Promise.race([looked.promise, answered]).catch(() => {});
    throw error;
  });
  const failed = driven.then(() => answered);
  try {
    return withThrown(runtime, await Promise.race([answered, failed]));
  } finally {
    stopHearing();
    closed.removeEventListener("abort", leave);
    given.abort(finished);
    answered.catch(() => {});
    failed.catch(() => {});
  }
}

/** Delay in milliseconds before the outcome of a local turn is read from the log. Most turns end sooner, and this process learns of it directly. */
const quietMs = 100;

/**
 * Resolves when the log may contain more than this process knows: no turn runs here any more, or another turn runs than the expected one. A process
 * that ends the turn from outside fences it, and the turn's worker detects that.
 */
async function untilWorthReading(
  { runtime, worker, id }: Handle,
  { turn_id, idle }: { readonly turn_id: TurnId | undefined; readonly idle: Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  if (turn_id === undefined) return;
  await Promise.race([idle, runtime.clock.sleep(quietMs, signal)]);
  for (let over = worker.atWork(id, turn_id); over !== undefined; over = worker.atWork(id, turn_id)) await abortable(over, signal);
}
