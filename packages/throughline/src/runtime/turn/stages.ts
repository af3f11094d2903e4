import { assembled } from "../../context/assemble.ts";
import { replyType } from "../../execution/step.ts";
import type { Model, PromptSection } from "../../model/model-port.ts";
import { turnEvent } from "../../session/new-event.ts";
import { keepRequest } from "../../extension/kept-requests.ts";
import { poisonedAt } from "./lease.ts";
import { loopSettings } from "../loop/loop-settings.ts";
import { observedModel } from "../loop/observed-model.ts";
import type { Waiting } from "../loop/reply-port.ts";
import { promptSources, type Turn } from "./running-turn.ts";
import { questionsOf } from "./stage-question.ts";
import { fieldsOf } from "./thrown.ts";
import { stepEntry } from "./turn-spending.ts";
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { deepFreeze } from "../../kernel/json.ts";
import { conversationOf, historyPart } from "../../context/section.ts";
import { controlOf, joinControl, type Control } from "../../session/control.ts";
import { customerOf } from "../../session/session-view.ts";
import type { Stage, StageContext, TurnInfo } from "../../extension/stage.ts";
import { observed } from "../../extension/observe.ts";
import { hasPoint, type Extension, type ObservedWork, type PlacedStage, type ExtensionTurn } from "../../extension/port.ts";
import { stepIdOf, type StepId } from "../../kernel/id.ts";
import { failedIn, failureOf, isOwnFailure, named, own, placeOf, thrownAt } from "../../extension/failure.ts";

/** Milliseconds without a commit after which the journal is committed at the end of a stage, so that readers see progress. */
const flushAfterMs = 200;

/**
 * Runs the unrecorded stages in order, those of extensions at their places. Joins their control requests; the last request of each kind wins. Returns
 * the pause if a stage waits for an answer.
 */
export async function runStages(turn: Turn): Promise<Waiting | undefined> {
  if (turn.asked.control.reply !== undefined) return undefined;
  startAhead(turn);
  try {
    return await runInOrder(turn, placedStages(turn.agent));
  } finally {
    endAhead(turn);
  }
}

/** Work that was started ahead of the stages of a turn. */
interface Ahead {
  /** Results of the agent's stages, by name. */
  readonly results: ReadonlyMap<string, Promise<unknown>>;
  readonly stop: AbortController;
  /** Ends the work of extensions. Empty once it has ended. */
  readonly ends: ((() => void) | undefined)[];
}

const startedAhead = new WeakMap<Turn, Ahead>();

/** Starts the work ahead of the unrecorded stages, once in a turn. It never throws: a stage sees the failure of its work, and an extension does its own anew. */
function startAhead(turn: Turn): void {
  if (startedAhead.has(turn) || turn.asked.control.reply !== undefined) return;
  const stop = new AbortController();
  const results = new Map<string, Promise<unknown>>();
  startedAhead.set(turn, { results, stop, ends: placedStages(turn.agent).map((placed) => placedAhead(turn, placed)) });
  const signal = AbortSignal.any([turn.signal, stop.signal]);
  const state = turn.journal.state as never;
  for (const stage of turn.agent.stages) {
    if (stage.ahead === undefined || turn.journaled.has(stage.name)) continue;
    const work = async (): Promise<unknown> =>
      stage.ahead?.({ ...handedTo(turn), state, context: turnInfo(turn), resources: turn.runtime.resources, signal });
    const result = abortable(work(), signal);
    // The stage that awaits it may never run.
    result.catch(() => {});
    results.set(stage.name, result);
  }
}

function placedAhead(turn: Turn, { extension, stage }: Placed): (() => void) | undefined {
  try {
    return stage.ahead?.(extensionTurn(turn));
  } catch (error) {
    turn.runtime.logger.error("work ahead failed", { ...fieldsOf(turn), extension: extension.name, stage: stage.name }, error);
    return undefined;
  }
}

/** Returns what a stage started ahead, or undefined if it started nothing. */
function aheadOf(turn: Turn, { name }: Stage): (() => Promise<unknown>) | undefined {
  const ahead = startedAhead.get(turn);
  const result = ahead?.stop.signal.aborted === false ? ahead.results.get(name) : undefined;
  return result && (() => result);
}

/** Ends the work ahead, and aborts what no stage has awaited. */
export function endAhead(turn: Turn): void {
  const ahead = startedAhead.get(turn);
  ahead?.stop.abort();
  for (const end of ahead?.ends.splice(0) ?? []) end?.();
}

async function runInOrder(turn: Turn, placed: readonly Placed[]): Promise<Waiting | undefined> {
  for (const stage of turn.agent.stages) {
    for (const one of placed) if (one.stage.before === stage.name) await runPlaced(turn, one);
    if (!turn.journaled.has(stage.name)) {
      const control = await runStage(turn, stage, { mayPause: true });
      if ("phase" in control) return control;
      ask(turn, control);
    }
    if (turn.asked.control.reply !== undefined) return undefined;
    // The state changes of a turn are permanent. A turn that may be superseded therefore does not commit them until it shows something.
    const keeps = turn.agent.onNewMessage === "supersede" && turn.journal.changesState;
    if (turn.journal.age > flushAfterMs && !keeps) await turn.journal.flush();
  }
  for (const one of placed) if (one.stage.before === undefined) await runPlaced(turn, one);
  return undefined;
}

/** A stage of an extension. */
interface Placed {
  readonly extension: Extension;
  readonly stage: PlacedStage;
}

/** The stages that an agent's extensions add. */
export const placedStages = ({ extensions }: Pick<Turn["agent"], "extensions">): readonly Placed[] =>
  extensions.flatMap((extension) => (extension.stages ?? []).map((stage) => ({ extension, stage })));

/** Runs the stage of an extension. The stage itself checks what an earlier attempt has done. */
export const runPlaced = (turn: Turn, { extension, stage }: Placed): Promise<void> =>
  named(extension, turn.signal, () => stage.run(extensionTurn(turn)));

/** Joins the control requests of a stage or tool to the earlier ones. They remain in force if something fails later. */
export function ask({ asked }: Pick<Turn, "asked">, control: Control): void {
  asked.control = joinControl(asked.control, control);
}

/** Runs one stage, applies its delta, and returns its control requests; or the pause, if it waits for an answer. */
async function runStage(turn: Turn, stage: Stage, { mayPause }: { readonly mayPause: boolean }): Promise<Control | Waiting> {
  const { clock, resources } = turn.runtime;
  const began = clock.monotonic();
  const { waiting, interrupt, signal } = questionsOf(turn, stage, mayPause);
  const context: StageContext<never> = {
    ...handedTo(turn),
    state: turn.journal.state as never,
    context: turnInfo(turn),
    resources,
    signal,
    interrupt,
  };
  const observing = {
    context: turn.runtime,
    extensions: turn.agent.extensions,
    span: [`stage ${stage.name}`, { turn_id: turn.claim.turn.turn_id, stage: stage.name }],
    work: (): ObservedWork => ({ kind: "stage", turn: extensionTurn(turn), name: stage.name }),
  } as const;
  const ran = await observed(observing, async () => {
    try {
      const running = Promise.resolve(stage.run(context, aheadOf(turn, stage))).then((result) => ({ result }));
      return await abortable(Promise.race([waiting, running]), turn.signal);
    } catch (error) {
      turn.signal.throwIfAborted();
      if (ThroughlineError.is(error, "stage.rejected")) throw error;
      // A stage's error may quote a customer's text, so its message is not logged. The cause contains it.
      thrownAt(error, { stage: stage.name });
      throw failureOf(error, new ThroughlineError("stage.failed", `Stage "${stage.name}" failed.`, { cause: error, details: { stage: stage.name } }));
    }
  });
  turn.signal.throwIfAborted();
  if ("phase" in ran) return ran;
  const ms = Math.round((clock.monotonic() - began) * 1000) / 1000;
  try {
    const { result: delta, control } = controlOf(ran.result);
    turn.timings[stage.name] = ms;
    turn.journal.apply({ type: "stage", name: stage.name }, delta, { writes: stage.writes, stage: { name: stage.name, ms, control } });
    return control;
  } catch (error) {
    throw thrownAt(error, { stage: stage.name });
  }
}

/** Returns the values that extensions provide to stages and tools, each under the extension's name. */
export function handedTo(turn: Turn, asked: { readonly step_id?: StepId | undefined } = {}): Readonly<Record<string, object>> {
  const { extensions } = turn.agent;
  const handed: [string, object][] = [];
  for (const extension of extensions)
    try {
      if (hasPoint(extension, "hands")) handed.push([extension.name, extension.hands(extensionTurn(turn), asked)]);
    } catch (error) {
      throw failedIn(extension, error);
    }
  return Object.fromEntries(handed);
}

/** Returns the properties of a turn that an agent's functions may read. */
export function turnInfo(turn: Turn): TurnInfo {
  const { claim, loaded } = turn;
  // Frozen, so that one stage cannot change the input of the next stage or the model.
  return deepFreeze({
    session_id: claim.session_id,
    turn_id: claim.turn.turn_id,
    trace_id: claim.turn.trace_id,
    cause: claim.turn.cause,
    attempt: claim.turn.attempts,
    now: turn.began_at,
    mode: loaded.session.mode,
    episode: loaded.session.episode,
    customer: customerOf(loaded.session),
    messages: turn.answered,
    history: conversationOf(historyPart(turn.agent.sections), {
      messages: turn.messages,
      answers: turn.answered.map((message) => message.offset),
      started: turn.started,
      state: turn.journal.state,
    }),
    variables: turn.variables,
    ...(turn.stage === undefined ? {} : { stage: turn.stage.stage }),
    ...turn.told,
  });
}

/** Returns a turn as extensions see it, with the actions that they may take in it. */
export function extensionTurn(turn: Turn): ExtensionTurn {
  const known = seen.get(turn);
  if (known !== undefined) return known;
  const made: ExtensionTurn = {
    ...turn,
    lastAttempt: turn.claim.turn.attempts >= poisonedAt,
    ask: (control) => ask(turn, control),
    ahead: () => startAhead(turn),
    runAlways: (options) => own(() => runAlways(turn, options)),
    askModel: (section, options) => own(() => askOnce(turn, section, options)),
    observed: (work, run, end) => {
      const { runtime, agent } = turn;
      return observed({ context: runtime, extensions: agent.extensions, work: () => ({ ...work, turn: made }), end }, run);
    },
  };
  seen.set(turn, made);
  return made;
}

/** Views of turns for extensions. Each turn has one, so that an extension can use it as a key for its own data. */
const seen = new WeakMap<Turn, ExtensionTurn>();

/** Aborts the work ahead of the agent's stages, and runs the unrecorded stages that run in every turn, and the recall if requested. */
async function runAlways(turn: Turn, { recall }: { readonly recall: boolean }): Promise<void> {
  const { stages } = turn.agent;
  startedAhead.get(turn)?.stop.abort();
  for (const stage of stages.filter(({ name, runs }) => runs === "always" && !turn.journaled.has(name)))
    await tolerant(turn, `stage ${stage.name}`, async () => {
      const ran = await runStage(turn, stage, { mayPause: false });
      if ("phase" in ran) return;
      const { reply: _reply, ...control } = ran;
      ask(turn, control);
    });
  if (recall) for (const placed of placedStages(turn.agent)) await tolerant(turn, `stage ${placed.stage.name}`, () => runPlaced(turn, placed));
}

async function tolerant(turn: Turn, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    turn.signal.throwIfAborted();
    if (!isOwnFailure(error)) throw error;
    const fields = { ...fieldsOf(turn), ...placeOf(error), code: ThroughlineError.from(error).code };
    turn.runtime.logger.error(`${what} failed in a turn that an extension has interrupted`, fields, error);
  }
}

/** Returns the model that answers in ordinary turns. */
function modelOf({ agent, journal }: Turn): Model {
  const settings = loopSettings(agent.reply);
  if (settings === undefined) throw new ThroughlineError("model.failed", "The agent's reply has no model for a single call.");
  return typeof settings.model === "function" ? settings.model(journal.state) : settings.model;
}

/** Makes one model request without tools: the agent's prompt with one more section. */
async function askOnce(
  turn: Turn,
  section: PromptSection,
  { step, signal }: { readonly step: number; readonly signal: AbortSignal },
): Promise<{ readonly text: string; readonly tokens: number }> {
  const { agent, journal, messages, claim, runtime } = turn;
  const model = modelOf(turn);
  const prompt = assembled(agent.sections, { ...promptSources(turn), messages, state: journal.state as never }, { prompt: agent.prompt });
  const request = { ...prompt.request, sections: [...prompt.request.sections, section], tools: [] };
  const started_at = runtime.clock.now();
  const write = (): Promise<void> => Promise.resolve();
  try {
    const prices = loopSettings(agent.reply)?.prices ?? {};
    const call = { model, step, request, prices, seen: () => extensionTurn(turn) };
    const { text, usage, finish_reason } = await observedModel(turn, call, { signal, write, mayCall: false, last: true });
    const asked = { step_id: stepIdOf(step), usage, finish_reason, started_at, ended_at: runtime.clock.now() };
    journal.add(turnEvent(claim.turn.number, stepEntry(asked, { model: model.name })));
    const type = replyType({ text, calls: [], finish_reason });
    if (type !== "answer") throw new ThroughlineError("model.invalid_response", `The model's reply was ${type}.`);
    return { text, tokens: usage.input + usage.output };
  } finally {
    keepRequest(turn, { step, request, prompt });
  }
}
