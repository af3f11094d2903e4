/** The loop: step after step until something ends the execution. */
import { withoutSettled } from "../../execution/from-log.ts";
import { lastText } from "../../execution/read.ts";
import { replyType, stepCalls, stepText, type ClosedStep } from "../../execution/step.ts";
import { isForced, type StopReason, type StopSignal } from "../../execution/stop.ts";
import { closeStep, failExecution, finishExecution, requestContinuation } from "../../execution/transitions.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { stepIdOf, type StepId } from "../../kernel/id.ts";
import { resultText } from "../../session/session-messages.ts";
import { isOwnFailure, logFailure, storable } from "../../extension/failure.ts";
import { runCalls } from "./calls.ts";
import { answerOf, exitAfter, exitOn, type Exit, type ExitPolicy, type LoopSettings, type StepCall } from "./settings.ts";
import { mergeLeft } from "./merge.ts";
import type { OpenStep } from "./record.ts";
import type { Known } from "./prepare.ts";
import { inner, type EndDraft, type LoopTurn, type Replied, type ReplyTurn, type Waiting } from "./reply.ts";
import { openWork } from "./resume.ts";
import { askedToStop, noteAnswer, noteTurn, settleMessages, stopNow, type Work } from "./work.ts";
import { takeStep } from "./take-step.ts";

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
    const exit = open === undefined ? undefined : await endStep(work, open, endDraft);
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
  goOnWith(work, stepIdOf(work.execution.execution.steps.length), goOn);
  return stopNow(work, undefined) === undefined;
}

/** Requests one more step, also for whoever resumes the turn. */
function goOnWith(work: Work, step_id: StepId, request: { readonly source: string; readonly waives?: readonly StopReason[] }): void {
  work.execution = requestContinuation(work.execution, request, { at: work.turn.runtime.clock.now() });
  noteTurn(work, { type: "continue", step_id, ...request });
}

const callsOf = ({ calls }: OpenStep): readonly StepCall[] => calls.map(({ call, result }) => ({ ...call, result: result ?? { type: "unknown" } }));

/** Closes the step; whether the loop ends with it. */
async function endStep(work: Work, open: OpenStep, endDraft: EndDraft): Promise<Exit | undefined> {
  const { text, calls, step_id } = open;
  const results = callsOf(open);
  const stands = askedToStop(work);
  const overrules = work.execution.execution.signals.filter((signal) => !stands.includes(signal));
  work.execution = closeStep(work.execution, { at: work.turn.runtime.clock.now() });
  const step = work.execution.execution.steps.at(-1);
  if (step === undefined) throw new ThroughlineError("internal", "A step was closed and is not there.");
  refuseUnusable(work, step);
  const { continue: goOn } = await work.hooks.afterStep(work.execution, step);
  const exit = goOn === undefined ? exitAfter(policiesFor(work), { step, calls: results, state: work.turn.journal.state }) : undefined;
  if (goOn !== undefined) goOnWith(work, step_id, goOn);
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
function policiesFor({ settings, ledger }: Work): readonly ExitPolicy[] {
  const { steps } = ledger.limits;
  const last = settings.finalAnswer && steps !== undefined && ledger.spent.steps >= steps;
  return last ? [...settings.exit, exitOn.text] : settings.exit;
}

/** A reply that is none: filtered, broken off by an error, or blank too often in a row. */
function refuseUnusable(work: Work, { response }: ClosedStep): void {
  if (response === undefined) return;
  const { finish_reason } = response;
  const details = { finish_reason };
  const reply = replyType(response);
  if (reply === "filtered") throw new ThroughlineError("model.filtered", undefined, { details });
  if (reply === "failed" || finish_reason === "error")
    throw new ThroughlineError("model.failed", "The model ended its answer with an error.", { details });
  if (reply === "calls" || response.text.trim() !== "") return;
  if (blanksAtEnd(work) > work.settings.blankReplies)
    throw new ThroughlineError("model.invalid_response", `The model answered without text (finish reason: ${finish_reason}).`, { details });
}

/** How many replies in a row were blank, the last one among them. */
function blanksAtEnd({ execution: { execution } }: Work): number {
  let blanks = 0;
  for (let step = execution.steps.at(-1); step !== undefined; step = execution.steps.at(-1 - blanks)) {
    if (stepCalls(step).length > 0 || stepText(step).trim() !== "") break;
    blanks += 1;
  }
  return blanks;
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
  const isStopped = isForced(stop);
  const call = exit === undefined && !isStopped && open !== undefined ? answerOf(open.text, callsOf(open)).call : exit?.call;
  const answer = call === undefined ? lastText(work.execution.execution) : resultText(call.result);
  const ended_by = call === undefined ? {} : { ended_by: { call_id: call.call_id, name: call.name } };
  const isAnswered = exit !== undefined && answer.trim() !== "";
  const state = finishExecution(work.execution, { at: work.turn.runtime.clock.now(), signal: stop, answer });
  work.turn.journal.placeReply();
  await work.hooks.afterExecution(state);
  return { phase: "done", state, ...(!isStopped || isAnswered ? ended_by : {}), ...(isAnswered ? { answer } : {}) };
}

/** The end of an execution that fails. What hooks throw now is not told: the failure is. */
async function failed(work: Work, error: ThroughlineError): Promise<Replied> {
  const { runtime, claim } = work.turn;
  if (work.open !== undefined) mergeLeft(work, work.open);
  logFailure(runtime.logger, claim.turn.turn_id, error);
  const at = runtime.clock.now();
  const state = failExecution(withoutSettled(work.execution, at), storable(error), { at });
  work.turn.journal.placeReply();
  try {
    await work.hooks.afterExecution(state);
  } catch (second) {
    runtime.logger.warn("hook failed after a failure", { code: ThroughlineError.from(second).code });
  }
  return { phase: "done", state };
}
