/** The loop: opens a reply, which an earlier attempt may have interrupted, and runs steps until something ends the execution. */
import { type AgentStateIn, inPhase } from "../../execution/agent-state.ts";
import { executionFromLog, withoutSettled } from "../../execution/from-log.ts";
import { createLedger } from "../../execution/ledger.ts";
import { lastText } from "../../execution/read.ts";
import { type ClosedStep, isForced, replyType, stepCalls, stepText, type StopReason, type StopSignal } from "../../execution/step.ts";
import { beginExecution, closeStep, failExecution, finishExecution, requestContinuation, resumeExecution } from "../../execution/transitions.ts";
import { isOwnFailure, placeOf, storable } from "../../extension/failure.ts";
import { observed } from "../../extension/observe.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { type StepId, stepIdOf } from "../../kernel/id.ts";
import { type Message, messagesOf, resultText } from "../../session/session-messages.ts";
import { createHooks } from "../hooks/run-hooks.ts";
import { type EndDraft, inner, type LoopTurn } from "../turn/running-turn.ts";
import { ask, extensionTurn, turnInfo } from "../turn/stages.ts";
import { fieldsOf, reportFailure } from "../turn/thrown.ts";
import { spentOf } from "../turn/turn-spending.ts";
import { runCalls } from "./calls.ts";
import { answerOf, type Exit, exitAfter, exitOn, type ExitPolicy, type LoopSettings, type StepCall } from "./loop-settings.ts";
import { mergeLeft } from "./merge.ts";
import type { Known } from "./prepare.ts";
import { type OpenStep, openStepOf, recordOf, type ReplyRecord } from "./record.ts";
import { recordedResults } from "./recorded-results.ts";
import type { Replied, ReplyTurn, Waiting } from "./reply-port.ts";
import { takeStep } from "./take-step.ts";
import { stopRequests, noteAnswer, noteTurn, raise, settleMessages, stopNow, type Work } from "./work.ts";

/** Milliseconds without a commit after which the journal is committed at the end of a step. */
const flushAfterMs = 200;

/** Assembles the prompt, calls the model, runs its calls, and checks for the end. Continues from the record. */
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

/** Runs steps until one ends the loop, something stops it, or a call waits for a decision. */
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
    // A hook that saw the stop may have raised another stop with a higher priority.
    if (stop !== undefined && !(await isWaived(work, stop))) return ended(work, stopNow(work, exit) ?? stop, { exit, open });
    open = await takeStep(work, endDraft);
  }
}

/** Whether a hook waives the stop and lets the execution continue. */
async function isWaived(work: Work, stop: StopSignal): Promise<boolean> {
  const { continue: goOn } = await work.hooks.onStop(work.execution, stop);
  if (goOn === undefined) return false;
  goOnWith(work, stepIdOf(work.execution.execution.steps.length), goOn);
  return stopNow(work, undefined) === undefined;
}

/** Requests one more step. The request is recorded, so that a resumed turn sees it. */
function goOnWith(work: Work, step_id: StepId, request: { readonly source: string; readonly waives?: readonly StopReason[] }): void {
  work.execution = requestContinuation(work.execution, request, { at: work.turn.runtime.clock.now() });
  noteTurn(work, { type: "continue", step_id, ...request });
}

const callsOf = ({ calls }: OpenStep): readonly StepCall[] => calls.map(({ call, result }) => ({ ...call, result: result ?? { type: "unknown" } }));

/** Closes the step. Returns the exit if the loop ends with it. */
async function endStep(work: Work, open: OpenStep, endDraft: EndDraft): Promise<Exit | undefined> {
  const { text, calls, step_id } = open;
  const results = callsOf(open);
  const stands = stopRequests(work);
  const overrules = work.execution.execution.signals.filter((signal) => !stands.includes(signal));
  work.execution = closeStep(work.execution, { at: work.turn.runtime.clock.now() });
  const step = work.execution.execution.steps.at(-1);
  if (step === undefined) throw new ThroughlineError("internal", "A closed step is missing.");
  refuseUnusable(work, step);
  const { continue: goOn } = await work.hooks.afterStep(work.execution, step);
  const mayEnd = goOn === undefined && (work.plan?.mustCall !== true || calls.length > 0);
  const exit = mayEnd ? exitAfter(policiesFor(work), { step, calls: results, state: work.turn.journal.state }) : undefined;
  if (goOn !== undefined) goOnWith(work, step_id, goOn);
  if (exit === undefined || exit.call !== undefined) {
    // Intermediate text stays in the log as work and is not the reply.
    if (calls.length === 0 && text.trim() !== "") noteAnswer(work, open);
    endDraft("end");
  }
  settleMessages(work);
  const { journal, agent } = work.turn;
  // A turn that may be superseded does not commit until it shows something.
  if (exit === undefined && journal.age > flushAfterMs && agent.onNewMessage === "queue") await journal.flush();
  return exit === undefined || overrules.length === 0 ? exit : { ...exit, overrules };
}

/** Returns the exit policies of the current step. The last step, which runs without tools, also ends with text. */
function policiesFor({ settings, ledger }: Work): readonly ExitPolicy[] {
  const { steps } = ledger.limits;
  const last = settings.finalAnswer && steps !== undefined && ledger.spent.steps >= steps;
  return last ? [...settings.exit, exitOn.text] : settings.exit;
}

/** Throws for an unusable reply: filtered, cut off by an error, or blank too often in a row. */
function refuseUnusable(work: Work, { response }: ClosedStep): void {
  if (response === undefined || work.plan?.calls !== undefined) return;
  const { finish_reason } = response;
  const details = { finish_reason };
  const reply = replyType(response);
  if (reply === "filtered") throw new ThroughlineError("model.filtered", undefined, { details });
  if (reply === "failed" || finish_reason === "error")
    throw new ThroughlineError("model.failed", "The model ended its answer with an error.", { details });
  if (reply === "calls" || response.text.trim() !== "" || work.plan?.mustCall === true) return;
  if (blanksAtEnd(work) > work.settings.blankReplies)
    throw new ThroughlineError("model.invalid_response", `The model answered without text (finish reason: ${finish_reason}).`, { details });
}

/** Counts the blank replies in a row, including the last one. */
function blanksAtEnd({ execution: { execution } }: Work): number {
  let blanks = 0;
  for (let step = execution.steps.at(-1); step !== undefined; step = execution.steps.at(-1 - blanks)) {
    if (stepCalls(step).length > 0 || stepText(step).trim() !== "") break;
    blanks += 1;
  }
  return blanks;
}

/**
 * Ends an execution. If its last step ended the loop, its answer stays, even if a hook requested a stop as well. If a step ended the loop and has no
 * text, the result of its last call is the answer.
 */
async function ended(
  work: Work,
  stop: StopSignal,
  { exit, open }: { readonly exit: Exit | undefined; readonly open: OpenStep | undefined },
): Promise<Replied> {
  const isStopped = isForced(stop);
  const call = exit === undefined && !isStopped && open !== undefined ? answerOf(open.text, callsOf(open)).call : exit?.call;
  const answer = call === undefined ? (work.plan?.end?.text ?? lastText(work.execution.execution)) : resultText(call.result);
  const ended_by = call === undefined ? {} : { ended_by: { call_id: call.call_id, name: call.name } };
  const isAnswered = exit !== undefined && answer.trim() !== "";
  const state = finishExecution(work.execution, { at: work.turn.runtime.clock.now(), signal: stop, answer });
  work.turn.journal.placeReply();
  await work.hooks.afterExecution(state);
  return { phase: "done", state, ...(!isStopped || isAnswered ? ended_by : {}), ...(isAnswered ? { answer } : {}) };
}

/** Ends an execution that fails. Errors of hooks are dropped here, so that the original failure is reported. */
async function failed(work: Work, error: ThroughlineError): Promise<Replied> {
  const { runtime } = work.turn;
  if (work.open !== undefined) mergeLeft(work, work.open);
  reportFailure(runtime, work.turn, error);
  const at = runtime.clock.now();
  const state = failExecution(withoutSettled(work.execution, at), storable(error), { at });
  work.turn.journal.placeReply();
  try {
    await work.hooks.afterExecution(state);
  } catch (second) {
    runtime.logger.warn(
      "hook failed after a failure",
      { ...fieldsOf(work.turn), ...placeOf(second), code: ThroughlineError.from(second).code },
      second,
    );
  }
  return { phase: "done", state };
}

/** A reply that is ready to continue from its record. */
interface Opened {
  readonly work: Work;
  readonly known: Known;
  /** The last recorded step, if it made calls. They may be unfinished. */
  readonly resumed: OpenStep | undefined;
  /** Whether nothing is recorded, so that the execution starts now. */
  readonly fresh: boolean;
}

/** Opens a reply: a new or an interrupted one. */
async function openWork(
  settings: LoopSettings,
  reply: ReplyTurn,
  { turn, started }: Pick<LoopTurn[typeof inner], "turn" | "started">,
): Promise<Opened> {
  const record = await recordOf(turn);
  for (const { kind, data } of record.events) if (kind === "tool" && data.type === "returned" && data.control !== undefined) ask(turn, data.control);
  const resumed = lastOpen(record);
  // The messages and calls of the open step stay together with its later ones.
  const openFrom = resumed === undefined ? record.events.length : record.events.findLastIndex(({ kind }) => kind === "message");
  const mine = new Set(record.events.map(({ offset }) => offset));
  // A reply that replaced the answer of an earlier attempt does not count as the turn's work. Its calls do.
  const isFiller = ({ offset, source, is_trace, calls, role }: Message): boolean =>
    offset > turn.attempted && offset <= turn.started && source === "ai_agent" && role === "assistant" && is_trace && calls === undefined;
  const before = turn.messages.filter((message) => !mine.has(message.offset) && !isFiller(message));
  let recorded: ReturnType<typeof recordedResults> | undefined;
  const work: Work = {
    recorded: () => (recorded ??= recordedResults(turn.runtime.store, turn.loaded.session)),
    ...{ turn, reply, started, settings, record, activeMs: 0 },
    offered: settings.tools.map(({ name }) => name),
    plan: undefined,
    messages: [...before, ...messagesOf(record.events.slice(0, openFrom), { open: turn.started })],
    own: record.events.slice(openFrom),
    open: resumed,
    execution: executionOf(record, reply, resumed),
    ledger: createLedger(reply.budget, spentOf(record.events)),
    hooks: createHooks(settings.hooks, {
      state: () => turn.journal.state,
      budget: () => work.ledger,
      info: () => turnInfo(turn),
      place: fieldsOf(turn),
      resources: turn.runtime.resources,
      signal: turn.signal,
      clock: turn.runtime.clock,
      logger: turn.runtime.logger,
      observed: (name, point, run) =>
        observed(
          {
            context: turn.runtime,
            extensions: turn.agent.extensions,
            span: [`hook ${name}`, { hook: name, point }],
            work: () => ({ kind: "hook", turn: extensionTurn(turn), name, point }),
          },
          run,
        ),
      apply: (name, writes, delta) => turn.journal.apply({ type: "hook", name }, delta, { writes }),
      raise: (signal) => raise(work, signal),
    }),
  };
  return { work, known: knownOf(work), resumed, fresh: record.events.length === 0 };
}

/** Returns the last recorded step, if it made calls. */
function lastOpen({ steps }: ReplyRecord): OpenStep | undefined {
  const last = steps.at(-1);
  return last === undefined || last.calls.length === 0 ? undefined : openStepOf(last, steps.length);
}

/** Restores the execution as it was interrupted. `resumed`: the last step, whose calls may be unfinished. */
function executionOf({ events }: ReplyRecord, reply: ReplyTurn, resumed: OpenStep | undefined): AgentStateIn<"running"> {
  const now = { at: reply.clock.now() };
  if (events.length === 0) return beginExecution(reply.state, { execution_id: reply.execution_id, at: reply.began_at });
  const left = executionFromLog(reply.state, reply.execution_id, events);
  const running = left.execution.phase === "paused" ? resumeExecution(left, now) : inPhase(left, "go on", "running");
  // A step without calls is complete, whatever happened to its text.
  return resumed === undefined ? closeStep(running, now) : running;
}

/** Returns the recorded decisions on pending calls. */
function knownOf(work: Work): Known {
  const decided = new Map(
    work.record.events.flatMap((event) => {
      if (event.kind !== "turn" || event.data.type !== "decided") return [];
      const { call_id, index, decision, arguments_hash } = event.data;
      return [[`${call_id}/${index}`, { decision, arguments_hash }] as const];
    }),
  );
  return { decisionOn: (call_id, index) => decided.get(`${call_id}/${index}`) };
}
