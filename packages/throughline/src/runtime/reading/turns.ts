/** Turns of a session, with their outcomes and executions, from the log. All processes read the same, including while a turn is open and after a crash. */
import { present } from "../../kernel/json.ts";
import type { AgentState } from "../../execution/agent-state.ts";
import { answeredMessage, executionFromLog, stateOfTurn, withoutSettled } from "../../execution/from-log.ts";
import { capBudget, createLedger, type Ledger } from "../../execution/ledger.ts";
import { currentStep } from "../../execution/read.ts";
import { stepCalls } from "../../execution/step.ts";
import { eventAt, headerOf } from "../../extension/commit.ts";
import { eventsOfTurns, noTurn, numberIn } from "../../extension/turn-events.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { executionIdOf, type SessionId } from "../../kernel/id.ts";
import type { Event, Outcome, UsageData } from "../../session/event.ts";
import { inputsOf } from "../../session/session-messages.ts";
import type { Page, SessionRow, Store, TurnRow, TurnStatus } from "../../store/port.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import { parentAgentOf, parentOf } from "../subagent/parent-turn.ts";
import { causeOf } from "../turn/open-turn.ts";
import { spentOf } from "../turn/turn-spending.ts";

/** A turn: its status and outcome. */
export interface SessionTurn extends Omit<TurnRow, "session_id"> {
  /** Offsets of the messages that it answers. */
  readonly answers?: readonly number[];
  /** The offsets among them that an earlier turn had answered and this one answers again. */
  readonly retries?: readonly number[];
  /** How it ended. Absent if retention has deleted the event. */
  readonly outcome?: Outcome;
  /** Tokens by kind, including those of child agents. */
  readonly usage: UsageData;
  /** In the unit of the price table. 0 without prices. */
  readonly cost: number;
}

/** Which turns to list. */
export interface TurnFilter {
  readonly status?: TurnStatus;
  /** 1 to 100; 20 by default. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Defaults to newest first. */
  readonly order?: "asc" | "desc";
}

/** Lists turns of a session by page. Their events take one read. */
export async function listTurns(store: Store, id: SessionId, filter: TurnFilter): Promise<Page<SessionTurn>> {
  const { status, limit = 20, cursor, order = "desc" } = filter;
  const session = await headerOf({ store }, id);
  const page = await store.list({
    ...{ of: "turns", session_id: id, limit, order },
    ...present({ status, cursor }),
  });
  const items = await withEvents(store, page.items, session);
  return { ...page, items };
}

/** Returns one turn. Throws `turn.not_found` if the session has no turn with that id. */
export async function turnOf(store: Store, id: SessionId, turn_id: string): Promise<SessionTurn> {
  const session = await headerOf({ store }, id);
  const { items } = await store.list({ of: "turns", session_id: id, number: numberIn(session, turn_id) });
  const [turn] = await withEvents(store, items, session);
  if (turn === undefined) throw noTurn(id, turn_id);
  return turn;
}

/** A turn with its own events. */
interface LoggedTurn {
  readonly session: SessionRow;
  readonly row: TurnRow;
  /** Its messages, calls and journal entries in order, including withdrawn ones. */
  readonly events: readonly Event[];
}

/** Returns a turn with its own events. Throws `turn.not_found` if the session has no turn with that id. */
async function eventsOfTurn(store: Store, id: SessionId, turn_id: string): Promise<LoggedTurn> {
  const session = await headerOf({ store }, id);
  const { items } = await store.list({ of: "turns", session_id: id, number: numberIn(session, turn_id) });
  const [row] = items;
  if (row === undefined) throw noTurn(id, turn_id);
  const request = { session_id: id, min_offset: session.first_offset, kinds: ["message", "tool", "turn"], withdrawn: true } as const;
  return { session, row, events: (await eventsOfTurns(store, [row], request)).get(row.turn_id) ?? [] };
}

/** Adds the data of the log to turns, including withdrawn ones. */
async function withEvents(store: Store, rows: readonly TurnRow[], { session_id, first_offset }: SessionRow): Promise<readonly SessionTurn[]> {
  const own = await eventsOfTurns(store, rows, { session_id, min_offset: first_offset, kinds: ["turn", "tool"], withdrawn: true });
  return rows.map((row) => toTurn(row, own.get(row.turn_id) ?? []));
}

function toTurn({ session_id: _session, ...row }: TurnRow, events: readonly Event[]): SessionTurn {
  const data = events.flatMap((event) => (event.kind === "turn" ? [event.data] : []));
  const started = data.find((one) => one.type === "started");
  const ended = data.findLast((one) => one.type === "ended");
  const { tokens = {}, cost = 0 } = spentOf(events);
  return {
    ...row,
    ...(started?.type === "started" ? { answers: started.answers, ...present({ retries: started.retries }) } : {}),
    ...(ended?.type === "ended" ? { outcome: ended.outcome } : {}),
    usage: tokens,
    cost,
  };
}

/** Returns the agent's state in a turn: its messages and its execution so far. Throws `turn.not_found`. */
export async function executionOfTurn(runtime: RuntimeContext, id: SessionId, turn_id: string): Promise<AgentState> {
  const logged = await eventsOfTurn(runtime.store, id, turn_id);
  const { session, row, events } = logged;
  assertKept(logged);
  const parent = await parentOf(runtime, session);
  const before = stateOfTurn({
    agent_id: session.agent,
    parent_agent_id: await parentAgentOf(runtime, parent),
    created_at: session.created_at,
    number: row.number,
    answered: await answeredIn(runtime, id, events),
  });
  const state = executionFromLog(before, executionIdOf(row.turn_id), events);
  const step = currentStep(state);
  // A later event decides whether an answer without calls is the whole output of its step.
  return step === undefined || stepCalls(step).length === 0 ? state : withoutSettled(state, state.updated_at);
}

/** Returns the limits and the spending of a turn, child agents included. The budget is that of the registered definition. Throws `turn.not_found`. */
export async function budgetOfTurn(runtime: RuntimeContext, id: SessionId, turn_id: string): Promise<Ledger> {
  const logged = await eventsOfTurn(runtime.store, id, turn_id);
  assertKept(logged);
  const { budget } = agentOf(runtime, logged.session.agent);
  const parent = await parentOf(runtime, logged.session);
  return createLedger(parent === undefined ? budget : capBudget(budget, parent.budget), spentOf(logged.events));
}

function assertKept({ session, row }: LoggedTurn): void {
  if (row.started_offset === undefined || row.started_offset >= session.first_offset) return;
  throw new ThroughlineError("log.retained_from", `Retention has removed the events of turn ${row.turn_id}.`, {
    details: { session_id: session.session_id, first_offset: session.first_offset },
  });
}

/** Returns the messages that a turn answers, with their times. */
async function answeredIn(
  runtime: Pick<RuntimeContext, "store">,
  id: SessionId,
  events: readonly Event[],
): Promise<Parameters<typeof stateOfTurn>[0]["answered"]> {
  const offsets = events.flatMap((event) => (event.kind === "turn" && event.data.type === "started" ? event.data.answers : []));
  const causes = [];
  for (const offset of offsets) causes.push(...causeOf(await eventAt(runtime, id, offset)));
  const times = new Map(causes.map(({ offset, created_at }) => [offset, created_at]));
  return inputsOf(causes).map((message) => ({ ...answeredMessage(message), at: times.get(message.offset) ?? 0 }));
}
