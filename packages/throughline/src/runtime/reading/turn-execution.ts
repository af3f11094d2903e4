/** The execution of a turn, from the log. All processes read the same, including while the turn is open and after a crash. */
import type { AgentState } from "../../execution/agent-state.ts";
import { capBudget, createLedger, type Ledger } from "../../execution/ledger.ts";
import { answeredMessage, executionFromLog, stateOfTurn, withoutSettled } from "../../execution/from-log.ts";
import { currentStep } from "../../execution/read.ts";
import { stepCalls } from "../../execution/step.ts";
import { eventAt } from "../../extension/commit.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { executionIdOf, type SessionId } from "../../kernel/id.ts";
import type { Event } from "../../session/event.ts";
import { inputsOf } from "../../session/session-messages.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import { parentAgentOf, parentOf } from "../subagent/lineage.ts";
import { causeOf } from "../turn/open-state.ts";
import { spentOf } from "../turn/spent.ts";
import { eventsOfTurn, type LoggedTurn } from "./turns.ts";

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
