/** One model call, from the hooks before it to its recorded response or its retry. */
import { present } from "../../kernel/json.ts";
import { stepResponse } from "../../execution/from-log.ts";
import { charge, noUsage } from "../../execution/ledger.ts";
import { stepCalls, type StepResponse, type StopSignal } from "../../execution/step.ts";
import { openStep, recordError, recordResponse, reviseResponse } from "../../execution/transitions.ts";
import { failedIn, invalidAgent, named, placeOf, storable, thrownAt } from "../../extension/failure.ts";
import { keepRequest } from "../../extension/kept-requests.ts";
import { hasPoint, type StepPlan } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { callIdOf, stepIdOf } from "../../kernel/id.ts";
import type { FinishReason, Model, ModelRequest } from "../../model/model-port.ts";
import type { EndDraft } from "../turn/running-turn.ts";
import { extensionTurn } from "../turn/stages.ts";
import { fieldsOf } from "../turn/thrown.ts";
import { stepEntry } from "../turn/turn-spending.ts";
import type { ModelAnswer } from "./ask.ts";
import { exitTools } from "./loop-settings.ts";
import { observedModel } from "./observed-model.ts";
import { openCall, type OpenStep } from "./record.ts";
import {
  noteAnswer,
  noteTurn,
  promptNow,
  raise,
  reserveFor,
  settleFor,
  spendStep,
  stopRequests,
  timeLimit,
  type TimeLimit,
  type Work,
} from "./work.ts";

/** Failed model calls that an execution may have, if its budget sets no limit. */
const mostAttempts = 10;

/**
 * Makes a model call, from the hooks before it to its recorded response. Returns undefined without a response: a stop was requested, or the call will
 * be retried.
 */
export async function takeStep(work: Work, endDraft: EndDraft): Promise<OpenStep | undefined> {
  const { hooks, settings, turn, reply } = work;
  const index = work.execution.execution.steps.length + 1;
  await hooks.beforeStep(work.execution);
  if (stopRequests(work).length > 0) return undefined;
  work.plan = await planOf(work, index);
  if (work.plan?.end !== undefined) raise(work, { ...endOf(work.plan.end) });
  if (stopRequests(work).length > 0) return undefined;
  if (work.plan?.calls !== undefined) return stepInstead(work, index, work.plan.calls);
  const model = typeof settings.model === "function" ? chosen(settings.model(turn.journal.state)) : settings.model;
  const silent = work.plan?.mustCall === true;
  const last = isLast(work) && !silent;
  const prompt = promptNow(work, model);
  const request = await hooks.beforeModel(work.execution, requestFor(work, prompt.request, last));
  if (stopRequests(work).length > 0) return undefined;
  const reserved = reserveFor(work, model, request);
  if (reserved === undefined) return undefined;

  const limit = timeLimit(work);
  const { clock } = turn.runtime;
  const started_at = clock.now();
  const began = clock.monotonic();
  // The system clock may be adjusted during a call.
  const ended = (): number => started_at + Math.round(clock.monotonic() - began);
  let answer: ModelAnswer;
  try {
    const asking = {
      signal: limit.signal,
      write: (text: string) => (silent ? nothing() : reply.write(text)),
      mayCall: settings.tools.length > 0,
      last,
    };
    const guarded = turn.agent.extensions.some(({ guards }) => guards) ? { ...asking, silence: clock } : asking;
    answer = await observedModel(turn, { model, step: index, request, prices: settings.prices, seen: () => extensionTurn(turn) }, guarded);
  } catch (error) {
    const ended_at = ended();
    settleFor(work, model, { reserved, ms: ended_at - started_at });
    return await unanswered(work, { error, model, limit, index, started_at, ended_at, endDraft });
  } finally {
    limit.stop();
    keepRequest(turn, { step: index, request, prompt });
  }
  const ended_at = ended();
  const cost = settleFor(work, model, { reserved, ms: ended_at - started_at, usage: answer.usage });
  const at = { index, started_at, ended_at };
  noteTurn(work, stepEntry({ ...at, step_id: stepIdOf(index), ...answer }, { cost, model: model.name }));
  // Text and calls belong to the response only after hooks have seen it. Until then only its cost is recorded.
  const cost_only = stepResponse({ ...answer, text: "", calls: [], model: model.name });
  work.execution = recordResponse(openStep(work.execution, { at: started_at }), cost_only, { at: ended_at });
  // The call's cost is committed before a hook runs, because a hook may be slow or fail. Without hooks or calls the reply itself follows immediately.
  if (hooks.followModel) await turn.journal.flush();
  const revised = await hooks.afterModel(work.execution, answer);
  // What a model says beside a call that it had to make is no message.
  const open = stepOf(work, silent ? { ...revised, text: "" } : revised, { ...at, model: model.name });
  work.execution = reviseResponse(work.execution, responseOf(open), { at: clock.now() });
  work.offered = request.tools.map(({ name }) => name);
  if (open.calls.length > 0) {
    noteAnswer(work, open);
    // No call runs before the message that requests it is committed.
    await turn.journal.flush();
  }
  return open;
}

const nothing = (): Promise<void> => Promise.resolve();

const endOf = ({ reason = "completed", message }: NonNullable<StepPlan["end"]>): StopSignal => ({ reason, message });

/** Returns what the first extension with a plan decides about the next step. */
async function planOf(work: Work, step: number): Promise<StepPlan | undefined> {
  const { turn, execution, settings } = work;
  for (const extension of turn.agent.extensions) {
    if (!hasPoint(extension, "step")) continue;
    const next = { step, execution, tools: settings.tools.map(({ name }) => name) };
    const plan = await named(extension, turn.signal, () => extension.step(extensionTurn(turn), next));
    if (plan === undefined) continue;
    const unknown = [...(plan.tools ?? []), ...(plan.calls ?? []).map(({ name }) => name)].find((name) => !next.tools.includes(name));
    if (unknown === undefined) return plan;
    throw failedIn(extension, new ThroughlineError("extension.failed", `It planned a step with the tool "${unknown}", which does not exist.`));
  }
  return undefined;
}

/** Makes the calls that an extension has planned in place of a model's response. The step counts, and costs nothing else. */
async function stepInstead(work: Work, index: number, calls: NonNullable<StepPlan["calls"]>): Promise<OpenStep> {
  const at = work.turn.runtime.clock.now();
  const made = calls.map((call) => ({ ...call, call_id: "" }));
  const answer: ModelAnswer = { text: "", calls: made, usage: noUsage, finish_reason: "tool_calls" };
  const open = stepOf(work, answer, { index, started_at: at, ended_at: at });
  noteTurn(work, stepEntry(open));
  work.execution = recordResponse(openStep(work.execution, { at }), responseOf(open), { at });
  spendStep(work);
  work.offered = work.settings.tools.map(({ name }) => name);
  noteAnswer(work, open);
  await work.turn.journal.flush();
  return open;
}

/** Checks the model that a function of the state has chosen. */
function chosen(model: Model): Model {
  if (typeof model?.stream === "function") return model;
  throw invalidAgent(`The function that chooses the loop's model must return a model, got ${seen(model)}.`);
}

/** A truncated reply may lack the end of its calls, and a withheld reply contains none. */
const cutOff: Readonly<Partial<Record<FinishReason, string>>> = {
  length: "The reply was cut off before its end",
  content_filter: "The reply was withheld",
  error: "The reply ended with an error",
};

/** Returns the response of a step for the log. Blank text without calls is not a message. */
function responseOf({ calls, text, ...open }: OpenStep): StepResponse {
  const isBlank = calls.length === 0 && text.trim() === "";
  return stepResponse({ ...open, text: isBlank ? "" : text, calls: calls.map(({ call }) => call) });
}

function stepOf(work: Work, answer: ModelAnswer, at: Pick<OpenStep, "index" | "model" | "started_at" | "ended_at">): OpenStep {
  const { text, usage, finish_reason } = answer;
  const calls = answer.calls.map(({ name, arguments: args, malformed }, index) => {
    const call_id = callIdOf(work.turn.claim.turn.number, at.index, index + 1);
    return openCall({ call_id, name, arguments: args, ...present({ malformed }) });
  });
  const why = cutOff[finish_reason];
  if (why !== undefined) for (const call of calls) call.result = { type: "skipped", reason: `${why}; nothing of it was run.` };
  return { ...at, step_id: stepIdOf(at.index), text, usage, finish_reason, calls };
}

/** Whether this is the last step within the budget, which runs without tools. */
const isLast = ({ settings, ledger }: Work): boolean =>
  settings.finalAnswer && settings.tools.length > 0 && ledger.limits.steps !== undefined && ledger.spent.steps + 1 >= ledger.limits.steps;

function requestFor(work: Work, { messages, sections, ...rest }: ModelRequest, last: boolean): ModelRequest {
  const { responseFormat, maxOutputTokens, exit } = work.settings;
  const { plan } = work;
  const tools = work.settings.tools.filter(({ name }) => plan?.tools?.includes(name) ?? true);
  const before = work.execution.execution.steps.at(-1);
  const silent = !exit.includes("text") && before !== undefined && stepCalls(before).length === 0;
  const reminder = { role: "system", text: `Go on by calling one of these tools: ${exitTools(exit).join(", ") || "any"}.` } as const;
  return {
    ...rest,
    sections: plan?.sections === undefined ? sections : [...sections, ...plan.sections],
    messages: silent && !last ? [...messages, reminder] : messages,
    tools: last ? [] : tools.map(({ model }) => model),
    ...present({ response_format: plan?.mustCall === true ? undefined : responseFormat, max_output_tokens: maxOutputTokens }),
  };
}

interface Unanswered {
  readonly error: unknown;
  readonly model: Model;
  readonly limit: TimeLimit;
  readonly index: number;
  readonly started_at: number;
  readonly ended_at: number;
  readonly endDraft: EndDraft;
}

/** Handles a failed model call: the time ran out, a hook answers instead, the call is retried, or the turn fails. */
async function unanswered(work: Work, failed: Unanswered): Promise<OpenStep | undefined> {
  const { reply } = work;
  reply.signal.throwIfAborted();
  const { error, model, limit, index, started_at, ended_at, endDraft } = failed;
  const step_id = stepIdOf(index);
  const reached = limit.reached();
  if (reached !== undefined) {
    raise(work, reached);
    return undefined;
  }
  const failure = ThroughlineError.from(thrownAt(error, { model: model.name }), "turn.failed");
  const { retry, fallback } = await work.hooks.onError(work.execution, failure);
  const report = (consequence: string): void => {
    const fields = { ...fieldsOf(work.turn), ...placeOf(failure), code: failure.code };
    work.turn.runtime.logger.warn(`model call failed, ${consequence}`, fields, failure);
  };
  if (fallback !== undefined) {
    report("a hook answered instead");
    const open: OpenStep = {
      ...{ index, step_id, started_at, ended_at, usage: noUsage, finish_reason: "other", calls: [] },
      text: fallback.text,
    };
    noteTurn(work, stepEntry(open));
    const answered = recordResponse(openStep(work.execution, { at: started_at }), responseOf(open), { at: ended_at });
    work.execution = recordError(answered, storable(failure), { at: ended_at });
    spendStep(work);
    endDraft("failed");
    return open;
  }
  const { attempts } = work.ledger.limits;
  const again = retry !== undefined || (attempts !== undefined && failure.retryable);
  if (!again || work.ledger.spent.attempts + 1 > (attempts ?? mostAttempts) || isTooLong(failure)) throw failure;
  report("it is tried again");
  work.execution = recordError(work.execution, storable(failure), { at: ended_at });
  work.ledger = charge(work.ledger, { attempts: 1 });
  noteTurn(work, { type: "attempt", step_id, error: storable(failure), ms: ended_at - started_at });
  endDraft("failed");
  await beforeRetry(work, failure, { asked: retry !== undefined });
  return undefined;
}

/** Milliseconds before the first retry of a failed model call without a requested delay. They double with each further retry, up to the maximum. */
const firstMs = 50;
const longestMs = 5_000;

/** Maximum milliseconds to wait for a service that requests a delay, because a customer waits for the reply. */
const longestDelayMs = 30_000;

/** Returns the delay that the service requested, in milliseconds. */
function requestedDelay({ details }: ThroughlineError): number | undefined {
  const asked = details["retry_after_ms"];
  return typeof asked === "number" && asked >= 0 ? asked : undefined;
}

/** Whether the failed service requests a longer delay than the maximum. */
export const isTooLong = (failure: ThroughlineError): boolean => (requestedDelay(failure) ?? 0) > longestDelayMs;

/**
 * Waits before the retry of a failed model call, at most until the deadline. The wait is not charged, because nothing runs. A hook that requested the
 * retry (`asked`) can wait itself, so only the delay of the service applies.
 */
export async function beforeRetry({ ledger, turn, reply }: Work, failure: ThroughlineError, { asked }: { readonly asked: boolean }): Promise<void> {
  const { limits, spent } = ledger;
  const usual = asked ? 0 : Math.min(longestMs, firstMs * 2 ** Math.max(0, spent.attempts - 1));
  const pause = requestedDelay(failure) ?? usual;
  const left = limits.deadline === undefined ? pause : Math.min(pause, limits.deadline - turn.runtime.clock.now());
  if (left > 0) await turn.runtime.clock.sleep(left, reply.signal);
}
