/** Where the episode stands that a turn belongs to: what its last turn came to, and what is said in this one. */
import { nextStage, stageAtFirst, sessionStages, type SessionStage, type StageProgress } from "../../context/session-stage.ts";
import { isPlainObject } from "../../kernel/json.ts";
import type { Message } from "../../session/session-messages.ts";
import type { Claim, SessionRow, Store } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import type { AnyState } from "./journal.ts";
import { itemsOf } from "../../extension/lists.ts";
import { ownEvents } from "../../extension/turn-events.ts";

/** So many turns are looked back for the last one that ended with a stage: those that were taken back, or that failed, have none. */
const lookBack = 4;

/** What is needed to tell. */
export interface StageSources {
  readonly agent: Agent;
  readonly claim: Claim;
  readonly session: SessionRow;
  readonly state: AnyState;
  readonly messages: readonly Message[];
  readonly answered: readonly Message[];
}

/** How far the episode has come with this turn. The same for every attempt at it. */
export async function stageOfTurn(store: Store, { agent, claim, session, state, messages, answered }: StageSources): Promise<StageProgress> {
  const { stage } = agent.prompt;
  const exercise = typeof stage === "object" && runs((state as Readonly<Record<string, unknown>>)[stage.exercise]);
  const before = await progressBefore(store, claim, session.episode);
  return answered.reduce((progress, { text, offset }) => nextStage(progress, text, { exercise, asked: wasAsked(messages, offset) }), before);
}

/** Whether a field says that an exercise runs: it is set, and an object has a member that is. */
const runs = (value: unknown): boolean =>
  isPlainObject(value) ? Object.values(value).some((member) => member !== null && member !== undefined) : Boolean(value);

/** Whether what was said last before an offset asks something. */
function wasAsked(messages: readonly Message[], offset: number): boolean {
  const last = messages.findLast((message) => message.role === "assistant" && !message.is_trace && message.offset < offset);
  return last !== undefined && /[?？]["'”’)\s]*$/u.test(last.text);
}

/** How far the episode had come when its last turn ended. */
async function progressBefore(store: Store, { session_id, turn }: Claim, episode: number): Promise<StageProgress> {
  let looked = 0;
  for await (const row of itemsOf(store, { of: "turns", session_id, status: "ended", order: "desc", limit: lookBack })) {
    if (row.number >= turn.number) continue;
    const ended = (await ownEvents(store, row)).findLast((event) => event.kind === "turn" && event.data.type === "ended");
    const told = ended?.kind === "turn" && ended.data.type === "ended" ? progressIn(ended.data.diagnostics["session_progress"]) : undefined;
    if (told !== undefined) return told.episode === episode ? told : stageAtFirst;
    looked += 1;
    if (looked === lookBack) break;
  }
  return stageAtFirst;
}

/** What the end of a turn says of how far its episode has come. */
function progressIn(value: unknown): ({ readonly episode: number } & StageProgress) | undefined {
  if (!isPlainObject(value)) return undefined;
  const { episode, stage, turns, substantive } = value as Readonly<Record<string, unknown>>;
  if (!sessionStages.includes(stage as SessionStage) || typeof episode !== "number") return undefined;
  return { episode, stage: stage as SessionStage, turns: Number(turns), substantive: Number(substantive) };
}
