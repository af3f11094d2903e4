import type { Budget } from "../execution/budget.ts";
import { remainingMs } from "../execution/budget.ts";
import { beginExecution, decide, fail, finish, spent, withSignal, withStep, type Done, type Running } from "../execution/execution.ts";
import { createStep, type Step } from "../execution/step.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { Clock } from "../kernel/clock.ts";
import type { ExecutionId } from "../kernel/id.ts";
import type { Model, ModelPart, ModelRequest, ModelToolCall } from "../model/port.ts";
import { partsOf } from "./parts.ts";

/** What a reply may do to its turn. */
export interface ReplyTurn {
  readonly execution_id: ExecutionId;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The request for the next step, assembled from the state as it is now. */
  request(): ModelRequest;
  /** Shows a piece of the reply to live readers. The first one makes everything before it durable. */
  write(text: string): Promise<void>;
  /** Notes a closed step. */
  closed(step: Step): void;
}

/** How an agent answers. */
export interface Reply {
  readonly type: "reply";
  /** Shown to people: what answers. */
  readonly name: string;
  run(turn: ReplyTurn): Promise<Done>;
}

/** When the loop of model calls ends: with the first reply that is text. */
export const exitOn = { text: "text" } as const;

/** Options of {@link loop}. */
export interface LoopOptions {
  readonly model: Model;
  /** `exitOn.text` by default. */
  readonly exit?: (typeof exitOn)["text"];
}

/**
 * A reply by a model: assemble, ask, look at the answer, until it is text or the budget is spent. An answer without text fails the turn.
 * @example loop({ model, exit: exitOn.text })
 */
export function loop(options: LoopOptions): Reply {
  const { model } = options;
  if (typeof model?.stream !== "function") throw new ThroughlineError("agent.invalid", "loop needs a model with a stream function.");
  return Object.freeze({ type: "reply", name: model.name, run: (turn: ReplyTurn) => runLoop(model, turn) });
}

async function runLoop(model: Model, turn: ReplyTurn): Promise<Done> {
  let execution = beginExecution({ execution_id: turn.execution_id, budget: turn.budget, at: turn.clock.now() });
  for (;;) {
    const decision = decide(execution);
    if (decision.next === "stop") {
      const empty = decision.signal.reason === "completed" && (execution.steps.at(-1)?.text ?? "").trim() === "";
      return empty ? fail(execution, emptyAnswer(model, execution).toJSON(), turn.clock.now()) : finish(execution, decision.signal, turn.clock.now());
    }
    execution = await takeStep(model, turn, execution);
  }
}

function emptyAnswer(model: Model, execution: Running): ThroughlineError {
  const reason = execution.steps.at(-1)?.finish_reason ?? "other";
  return new ThroughlineError("model.invalid_response", `The model "${model.name}" answered without text (finish reason: ${reason}).`, {
    details: { finish_reason: reason },
  });
}

/** One model call. When the time limit passes while it runs, it is aborted and the execution stops. */
async function takeStep(model: Model, turn: ReplyTurn, execution: Running): Promise<Running> {
  const left = remainingMs(execution.budget, spent(execution));
  const limit = new AbortController();
  const timer = left === undefined ? undefined : setTimeout(() => limit.abort(), Math.min(left, 2 ** 31 - 1));
  const started_at = turn.clock.now();
  try {
    const signal = AbortSignal.any([turn.signal, limit.signal]);
    const answer = await collect(partsOf(model, turn.request(), signal), turn);
    const step = createStep({ index: execution.steps.length + 1, errors: [], started_at, ended_at: turn.clock.now(), ...answer });
    turn.closed(step);
    return withStep(execution, step);
  } catch (error) {
    turn.signal.throwIfAborted();
    if (limit.signal.aborted) {
      return withSignal(execution, {
        reason: "time_limit",
        message: `The ${execution.budget.seconds} seconds of the budget are over.`,
        source: "budget",
      });
    }
    throw ThroughlineError.from(error, "turn.failed");
  } finally {
    clearTimeout(timer);
  }
}

async function collect(parts: AsyncIterable<ModelPart>, turn: ReplyTurn): Promise<Pick<Step, "text" | "calls" | "usage" | "finish_reason">> {
  let text = "";
  const calls: ModelToolCall[] = [];
  for await (const part of parts) {
    if (part.type === "text_delta") {
      text += part.text;
      await turn.write(part.text);
    } else if (part.type === "tool_call") calls.push(part.call);
    else return { text, calls, usage: part.usage, finish_reason: part.reason };
  }
  throw new ThroughlineError("model.invalid_response", "The model's stream ended without saying that it is finished.");
}
