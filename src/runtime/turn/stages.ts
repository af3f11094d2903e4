import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { deepFreeze } from "../../kernel/json.ts";
import { conversationOf, historyPart } from "../../context/section.ts";
import { controlOf, joinControl, type Control } from "../../session/control.ts";
import { customerOf } from "../../session/view.ts";
import type { MemorySettings } from "../../memory/settings.ts";
import type { Stage, StageContext, TurnInfo } from "../../extension/stage.ts";
import type { Turn } from "./begin.ts";
import { failureOf } from "../../extension/failure.ts";
import { sessionMemory } from "../../memory/keep/lazy-memory.ts";
import type { MemoryUser } from "../../memory/turn/taken-back.ts";

/** After so many milliseconds without a commit the journal is written at the end of a stage, so that readers see that something happens. */
const flushAfterMs = 200;

/** Runs the stages that are not on record yet, in order. What they ask of the turn is joined: the last word on each wins. */
export async function runStages(turn: Turn): Promise<void> {
  if (turn.asked.control.reply !== undefined) return;
  const { memory } = turn.agent;
  if (memory?.prefetch === true) (await import("../../memory/turn/recall-turn.ts")).prefetchQuery(turn, memory);
  try {
    await runInOrder(turn);
  } finally {
    turn.memory.ahead?.stop();
  }
}

async function runInOrder(turn: Turn): Promise<void> {
  const { memory } = turn.agent;
  for (const stage of turn.agent.stages) {
    if (memory?.before === stage.name) await recalling(turn, memory);
    if (!turn.journaled.has(stage.name)) ask(turn, await runStage(turn, stage));
    if (turn.asked.control.reply !== undefined) return;
    // What a turn has written to the state stays, so one that may be superseded keeps that to itself until it shows something.
    const keeps = turn.agent.onNewMessage === "supersede" && turn.journal.changesState;
    if (turn.journal.age > flushAfterMs && !keeps) await turn.journal.flush();
  }
  if (memory !== undefined && memory.before === undefined) await recalling(turn, memory);
}

/** Recall has the place of a stage. */
export async function recalling(turn: Turn, memory: MemorySettings): Promise<void> {
  const { recallFor } = await import("../../memory/turn/recall-turn.ts");
  await turn.runtime.tracer.span("search_memory", { turn_id: turn.claim.turn.turn_id }, () => recallFor(turn, memory));
}

/** Joins what a stage or a tool asks of the turn to what was asked before: it holds also if something fails later. */
export function ask({ asked }: Pick<Turn, "asked">, control: Control): void {
  asked.control = joinControl(asked.control, control);
}

/** Runs one stage, applies its delta, and returns what it asks of the turn. */
export async function runStage(turn: Turn, stage: Stage): Promise<Control> {
  const { clock, tracer, resources } = turn.runtime;
  const began = clock.monotonic();
  const context: StageContext<never> = {
    state: turn.journal.state as never,
    context: turnInfo(turn),
    resources,
    signal: turn.signal,
    ...memoryOf({ turn }),
  };
  const result = await tracer.span(`stage ${stage.name}`, { turn_id: turn.claim.turn.turn_id, stage: stage.name }, async () => {
    try {
      return await abortable(Promise.resolve(stage.run(context)), turn.signal);
    } catch (error) {
      turn.signal.throwIfAborted();
      // What a stage throws may quote what a person wrote, so its text stays out of the log; the cause has it.
      throw failureOf(error, new ThroughlineError("stage.failed", `Stage "${stage.name}" failed.`, { cause: error, details: { stage: stage.name } }));
    }
  });
  turn.signal.throwIfAborted();
  const ms = Math.round((clock.monotonic() - began) * 1000) / 1000;
  const { result: delta, control } = controlOf(result);
  turn.timings[stage.name] = ms;
  turn.journal.apply({ type: "stage", name: stage.name }, delta, { writes: stage.writes, stage: { name: stage.name, ms, control } });
  return control;
}

/** What the person can do with their memory, for stages and tools of an agent that has one. */
export const memoryOf = (user: MemoryUser): Pick<StageContext<never>, "memory"> => {
  const { agent, runtime, claim } = user.turn;
  return agent.memory === undefined ? {} : { memory: sessionMemory(runtime, claim.session_id, user) };
};

/** What the functions of an agent may know of a turn. */
export function turnInfo(turn: Turn): TurnInfo {
  const { claim, loaded } = turn;
  // One stage must not change what the next one, or the model, is told.
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
    ...(turn.memory.recalled === undefined ? {} : { memory: turn.memory.recalled }),
    ...turn.told,
  });
}
