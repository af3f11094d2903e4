import { fail, finish, withContinuation, withStep, type Done } from "../../execution/execution.ts";
import { createStep, replyType, type Step } from "../../execution/step.ts";
import type { StopSignal } from "../../execution/stop.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { stepIdOf } from "../../kernel/id.ts";
import { resultText } from "../../session/result-text.ts";
import { isOwnFailure, logFailure, storable } from "../../extension/failure.ts";
import { runCalls } from "./calls.ts";
import { answerOf, exitAfter, exitOn, type Exit, type ExitPolicy, type StepCall } from "./exit.ts";
import type { LoopSettings } from "./settings.ts";
import { mergeLeft } from "./merge.ts";
import { errorsOf, type OpenStep } from "./open-step.ts";
import type { Known } from "./prepare.ts";
import { inner, type EndDraft, type LoopTurn } from "./loop-turn.ts";
import type { Replied, ReplyTurn, Waiting } from "./reply.ts";
import { openWork } from "./resume.ts";
import { askedToStop, stopNow } from "./stop.ts";
import { takeStep } from "./take-step.ts";
import { noteAnswer } from "./note-answer.ts";
import { noteTurn, settleMessages, type Work } from "./work.ts";

/** After so many milliseconds without a commit the journal is written at the end of a step. */
const flushAfterMs = 200;

/** Assembles, asks, runs what is called, and looks whether that is the end; goes on from what is on record. */
export async function runLoop(settings: LoopSettings, reply: ReplyTurn): Promise<Replied | Waiting> {
  const held = (reply as Partial<LoopTurn>)[inner];
  if (held === undefined) throw new ThroughlineError("turn.failed", "A loop runs only as the reply of an agent.");
  const { work, known, resumed, fresh } = await openWork(settings, reply, held);
  try {
    if (fresh) await work.hooks.beforeExecution(work.execution);
    return await takeSteps(work, { known, resumed, endDraft: held.endDraft });
  } catch (error) {
    if (reply.signal.aborted || !isOwnFailure(error)) throw error;
    return failed(work, ThroughlineError.from(error, "turn.failed"));
  }
}

/** Step after step, until one ends the loop, something stops it, or a call waits for somebody's word. */
async function takeSteps(
  work: Work,
  { known, resumed, endDraft }: { readonly known: Known; readonly resumed: OpenStep | undefined; readonly endDraft: EndDraft },
): Promise<Replied | Waiting> {
  let open = resumed;
  for (;;) {
    work.open = open;
    const pending = open === undefined ? [] : await runCalls(work, open, known);
    if (open !== undefined && pending.length > 0) return { phase: "waiting", step_id: open.step_id, pending };
    const exit = open === undefined ? undefined : await closeStep(work, open, endDraft);
    const stop = stopNow(work, exit);
    // A hook that was told of the stop may have asked for another one, which outranks it.
    if (stop !== undefined && !(await isWaived(work, stop))) return ended(work, stopNow(work, exit) ?? stop, { exit, open });
    open = await takeStep(work, endDraft);
  }
}

/** Whether a hook has the execution go on in spite of what stops it. */
async function isWaived(work: Work, stop: StopSignal): Promise<boolean> {
  const { continue: goOn } = await work.hooks.onStop(work.execution, stop);
  if (goOn === undefined) return false;
  work.execution = withContinuation(work.execution, goOn);
  noteTurn(work, { type: "continue", step_id: stepIdOf(work.execution.steps.length), ...goOn });
  return stopNow(work, undefined) === undefined;
}

const callsOf = ({ calls }: OpenStep): readonly StepCall[] => calls.map(({ call, result }) => ({ ...call, result: result ?? { type: "unknown" } }));

/** The execution with the step, and whether the loop ends with it. */
async function closeStep(work: Work, open: OpenStep, endDraft: EndDraft): Promise<Exit | undefined> {
  const { text, calls, usage, finish_reason, started_at, index, step_id } = open;
  const results = callsOf(open);
  const step = createStep({
    ...{ index, text, calls: calls.map(({ call }) => call), errors: errorsOf(open), usage, finish_reason, started_at },
    ended_at: work.turn.runtime.clock.now(),
  });
  const stands = askedToStop(work);
  const overrules = work.execution.signals.filter((signal) => !stands.includes(signal));
  work.execution = withStep(work.execution, step, { spent: {} });
  refuseUnusable(work, step);
  const { continue: goOn } = await work.hooks.afterStep(work.execution, step);
  const exit = goOn === undefined ? exitAfter(policiesFor(work), { step, calls: results, state: work.turn.journal.state }) : undefined;
  if (goOn !== undefined) {
    work.execution = withContinuation(work.execution, goOn);
    noteTurn(work, { type: "continue", step_id, ...goOn });
  }
  if (exit === undefined || exit.call !== undefined) {
    // What was said on the way stays in the log as work, and is not the reply.
    if (calls.length === 0 && text.trim() !== "") noteAnswer(work, open);
    endDraft("end");
  }
  settleMessages(work);
  const { journal, agent } = work.turn;
  // A turn that may be superseded keeps to itself what nobody has seen.
  if (exit === undefined && journal.age > flushAfterMs && agent.onNewMessage === "queue") await journal.flush();
  return exit === undefined || overrules.length === 0 ? exit : { ...exit, overrules };
}

/** When the step at work ends the loop. The last one, which was asked without tools for an answer, ends it with one. */
function policiesFor({ settings, execution: { ledger } }: Work): readonly ExitPolicy[] {
  const { steps } = ledger.limits;
  const last = settings.finalAnswer && steps !== undefined && ledger.spent.steps >= steps;
  return last ? [...settings.exit, exitOn.text] : settings.exit;
}

/** A reply that is none: filtered, broken off by an error, or blank too often in a row. */
function refuseUnusable(work: Work, step: Step): void {
  const { finish_reason } = step;
  const details = { finish_reason };
  const reply = replyType(step);
  if (reply === "filtered") throw new ThroughlineError("model.filtered", undefined, { details });
  if (reply === "failed" || finish_reason === "error")
    throw new ThroughlineError("model.failed", "The model ended its answer with an error.", { details });
  if (reply === "calls" || step.text.trim() !== "") return;
  if (blanksAtEnd(work) > work.settings.blankReplies)
    throw new ThroughlineError("model.invalid_response", `The model answered without text (finish reason: ${finish_reason}).`, { details });
}

/** How many replies in a row were blank, the last one among them. */
function blanksAtEnd({ execution: { steps } }: Work): number {
  const last = steps.findLast((step) => step.calls.length > 0 || step.text.trim() !== "");
  return steps.length - (last?.index ?? 0);
}

/**
 * The end of an execution. A step that ended the loop keeps its answer, also where a hook asked for a stop beside it. A step that ended by its finish
 * reason, and has no text, is answered with what the last of its calls returned.
 */
async function ended(
  work: Work,
  stop: StopSignal,
  { exit, open }: { readonly exit: Exit | undefined; readonly open: OpenStep | undefined },
): Promise<Replied> {
  const done = finish(work.execution, stop, work.turn.runtime.clock.now());
  const { type } = done.outcome;
  const call = exit === undefined && type === "completed" && open !== undefined ? answerOf(open, callsOf(open)).call : exit?.call;
  const answer = call === undefined ? (done.steps.at(-1)?.text ?? "") : resultText(call.result);
  const ended_by = call === undefined ? {} : { ended_by: { call_id: call.call_id, name: call.name } };
  const isAnswered = exit !== undefined && answer.trim() !== "";
  const outcome = type === "completed" ? { ...done.outcome, answer } : done.outcome;
  const replied = Object.freeze({
    ...done,
    outcome: Object.freeze(outcome),
    ...(type === "completed" || isAnswered ? ended_by : {}),
    ...(isAnswered ? { answer } : {}),
  });
  work.turn.journal.placeReply();
  await work.hooks.afterExecution(replied);
  return replied;
}

/** The end of an execution that fails. What hooks throw now is not told: the failure is. */
async function failed(work: Work, error: ThroughlineError): Promise<Done> {
  const { runtime, claim } = work.turn;
  if (work.open !== undefined) mergeLeft(work, work.open);
  logFailure(runtime.logger, claim.turn.turn_id, error);
  const done = fail(work.execution, storable(error), runtime.clock.now());
  work.turn.journal.placeReply();
  try {
    await work.hooks.afterExecution(done);
  } catch (second) {
    runtime.logger.warn("hook failed after a failure", { code: ThroughlineError.from(second).code });
  }
  return done;
}
