/** The stage of a turn's episode, from the end of its last turn and the messages of this one. */
import { nextStage, type SessionStage, sessionStages, stageAtFirst, type StageProgress } from "../../context/session-stage.ts";
import { itemsOf } from "../../extension/lists.ts";
import { ownEvents } from "../../extension/turn-events.ts";
import { isPlainObject } from "../../kernel/json.ts";
import type { Message } from "../../session/session-messages.ts";
import type { Claim, SessionRow, Store } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import type { AnyState } from "./journal.ts";

/** Maximum number of earlier turns that are searched for one that ended with a stage. Withdrawn and failed turns have none. */
const lookBack = 4;

/** Data that the stage is computed from. */
export interface StageSources {
  readonly agent: Agent;
  readonly claim: Claim;
  readonly session: SessionRow;
  readonly state: AnyState;
  readonly messages: readonly Message[];
  readonly answered: readonly Message[];
}

/** Returns the stage of the episode at this turn. It is the same for every attempt at the turn. */
export async function stageOfTurn(store: Store, { agent, claim, session, state, messages, answered }: StageSources): Promise<StageProgress> {
  const { stage } = agent.prompt;
  const exercise = typeof stage === "object" && runs((state as Readonly<Record<string, unknown>>)[stage.exercise]);
  const before = await progressBefore(store, claim, session.episode);
  return answered.reduce((progress, { text, offset }) => nextStage(progress, text, { exercise, asked: isQuestionBefore(messages, offset) }), before);
}

/** Whether a field's value means that an exercise is running: the value is set, and an object has at least one set member. */
const runs = (value: unknown): boolean =>
  isPlainObject(value) ? Object.values(value).some((member) => member !== null && member !== undefined) : Boolean(value);

/** Whether the last message before an offset asks a question. */
function isQuestionBefore(messages: readonly Message[], offset: number): boolean {
  const last = messages.findLast((message) => message.role === "assistant" && !message.is_trace && message.offset < offset);
  return last !== undefined && /[?？]["'”’)\s]*$/u.test(last.text);
}

/** Returns the stage of the episode at the end of its last turn. */
async function progressBefore(store: Store, { session_id, turn }: Claim, episode: number): Promise<StageProgress> {
  let looked = 0;
  for await (const row of itemsOf(store, { of: "turns", session_id, status: "ended", order: "desc", limit: lookBack })) {
    if (row.number >= turn.number) continue;
    const ended = (await ownEvents(store, row)).findLast((event) => event.kind === "turn" && event.data.type === "ended");
    const recorded = ended?.kind === "turn" && ended.data.type === "ended" ? progressIn(ended.data.diagnostics["session_progress"]) : undefined;
    if (recorded !== undefined) return recorded.episode === episode ? recorded : stageAtFirst;
    looked += 1;
    if (looked === lookBack) break;
  }
  return stageAtFirst;
}

/** Returns the stage that the end of a turn records. */
function progressIn(value: unknown): ({ readonly episode: number } & StageProgress) | undefined {
  if (!isPlainObject(value)) return undefined;
  const { episode, stage, turns, substantive } = value as Readonly<Record<string, unknown>>;
  if (!sessionStages.includes(stage as SessionStage) || typeof episode !== "number") return undefined;
  return { episode, stage: stage as SessionStage, turns: Number(turns), substantive: Number(substantive) };
}
