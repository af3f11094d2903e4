import { present } from "../../kernel/json.ts";
import { assembled, type Assembled } from "../../context/assemble.ts";
import type { AgentState } from "../../execution/agent-state.ts";
import { noUsage, totalTokens } from "../../execution/ledger.ts";
import { answeredMessage, stateOfTurn } from "../../execution/from-log.ts";
import { stepCalls, stepText, type ClosedStep } from "../../execution/step.ts";
import { seen as shown, ThroughlineError } from "../../kernel/error.ts";
import { executionIdOf } from "../../kernel/id.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import { inner, isUnprompted, type LoopTurn, promptSources, type Turn } from "./running-turn.ts";
import { hasPoint, type Answer, type OpenDraft } from "../../extension/port.ts";
import { apologyKind } from "../../extension/apology.ts";
import { isOwnFailure, named, own, storable } from "../../extension/failure.ts";
import { keepRequest } from "../../extension/kept-requests.ts";
import type { Claim } from "../../store/port.ts";
import { poisonedAt } from "./lease.ts";
import type { Replied, Waiting } from "../loop/reply-port.ts";
import { reportFailure } from "./thrown.ts";
import { stepEntry } from "./turn-spending.ts";
import { endAhead, extensionTurn, runStages } from "./stages.ts";
import { budgetOf, lineageOf, parentAgentOf } from "../subagent/parent-turn.ts";

/** A turn that waits for a decision. */
export interface Paused {
  readonly paused: Waiting;
}

const nothingDone = { steps: 0, tokens: 0, calls: {} } as const;

/** Step 5. Runs the stages, then the reply. A failure of the agent's code still yields an answer, so a turn is never silent. */
export async function answer(turn: Turn, draft: OpenDraft): Promise<Answer | Paused> {
  if (turn.waits !== undefined) return { paused: turn.waits };
  const around = turn.agent.extensions.filter((extension) => hasPoint(extension, "answer"));
  const seen = extensionTurn(turn);
  const answerFrom = async (index: number, inner: OpenDraft): Promise<Answer | Paused> => {
    const extension = around[index];
    if (extension === undefined) return own(() => ordinaryAnswer(turn, inner));
    const next = (guarded: OpenDraft): Promise<Answer | Paused> => answerFrom(index + 1, guarded);
    return named(extension, turn.signal, async () => {
      const made = await extension.answer<Paused>(seen, { draft: inner, next });
      if (!("paused" in made) && typeof made.text !== "string") throw new TypeError(`The answer's text is ${shown(made.text)}.`);
      return made;
    });
  };
  try {
    return await answerFrom(0, draft);
  } finally {
    endAhead(turn);
  }
}

/** Runs the stages and the reply, if no extension prevents the answer. */
async function ordinaryAnswer(turn: Turn, draft: OpenDraft): Promise<Answer | Paused> {
  try {
    if (turn.claim.turn.attempts >= poisonedAt) {
      await (await import("../loop/merge.ts")).mergeRecorded(turn);
      throw poisoned(turn.claim);
    }
    const waiting = await runStages(turn);
    if (waiting !== undefined) return { paused: waiting };
    const { reply: given } = turn.asked.control;
    if (given === undefined) return await reply(turn, draft);
    return { text: given, final: true, outcome: { status: "completed" }, ...nothingDone };
  } catch (error) {
    if (turn.signal.aborted || !isOwnFailure(error)) throw error;
    if (ThroughlineError.is(error, "stage.rejected")) return refusedAt(turn, error);
    return failed(turn, ThroughlineError.from(error, "turn.failed"));
  }
}

/** Returns the error of a turn that was claimed too often without progress. */
export function poisoned({ turn: { turn_id, attempts } }: Claim, cause?: unknown): ThroughlineError {
  return new ThroughlineError("turn.poisoned", `Turn ${turn_id} was claimed ${attempts} times without progress; this attempt was not run.`, {
    cause,
    details: { attempts },
  });
}

/** Returns the answer of a turn in which a question of a stage was rejected. It is stopped on purpose, not failed. */
function refusedAt({ agent }: Turn, { message }: ThroughlineError): Answer {
  return { text: agent.apology.stopped, final: false, outcome: { status: "stopped", reason: "stop_requested", message }, ...nothingDone };
}

function failed(turn: Turn, error: ThroughlineError): Answer {
  reportFailure(turn.runtime, turn, error);
  return { text: turn.agent.apology.failed, final: false, outcome: { status: "failed", error: storable(error) }, ...nothingDone };
}

/** Produces the agent's reply. Everything before it is committed before the reply's first byte is sent. */
async function reply(turn: Turn, draft: OpenDraft): Promise<Answer | Paused> {
  const { runtime, claim, agent, journal } = turn;
  const { number } = claim.turn;
  let typing = turn.typing;
  let begun = false;
  let prompt: Assembled | undefined;
  let steps = 0;
  const given: LoopTurn = {
    execution_id: executionIdOf(claim.turn.turn_id),
    state: await stateBefore(turn),
    began_at: turn.loaded.journal[0]?.created_at ?? turn.began_at,
    budget: await budgetOf(turn),
    clock: runtime.clock,
    signal: turn.signal,
    request: () => {
      const sources = { ...promptSources(turn), messages: turn.messages, state: journal.state as never };
      prompt = assembled(agent.sections, sources, { prompt: agent.prompt });
      return prompt.request;
    },
    write: async (text) => {
      if (!begun) {
        begun = true;
        if (!typing) journal.add(newEvent("status", "ai_agent", { status: "typing" }, { turn: number }));
        typing = true;
        await journal.flush();
      }
      draft.write(text, journal.head);
    },
    closed: ({ response, ...step }: ClosedStep) => {
      journal.add(turnEvent(number, stepEntry({ usage: noUsage, finish_reason: "other", ...response, ...step })));
      if (prompt !== undefined) keepRequest(turn, { step: (steps += 1), request: prompt.request, prompt });
    },
    [inner]: {
      turn,
      endDraft: (reason) => {
        begun = false;
        draft.next(reason);
      },
      started: (call) => draft.started(call, journal.head),
    },
  };
  const execution = await agent.reply.run(given);
  return execution.phase === "waiting" ? { paused: execution } : ended(turn, execution);
}

/** Returns the agent's state at the start of a turn. It contains the messages that the turn answers, not earlier turns, which no turn reads. */
async function stateBefore(turn: Turn): Promise<AgentState> {
  const { agent, answered, claim, loaded, runtime, saidAt } = turn;
  return stateOfTurn({
    agent_id: agent.name,
    parent_agent_id: await parentAgentOf(runtime, await lineageOf(turn)),
    created_at: loaded.session.created_at,
    number: claim.turn.number,
    answered: answered.map((message) => ({ ...answeredMessage(message), at: saidAt.get(message.offset) ?? loaded.session.created_at })),
  });
}

/** Returns the answer of a finished execution. */
function ended(turn: Turn, { state: { execution }, answer, ended_by }: Replied): Answer {
  const { outcome, steps, usage } = execution;
  const { agent, claim, answered } = turn;
  const last = steps.at(-1);
  const work = {
    steps: steps.length,
    tokens: totalTokens(usage),
    calls: callCounts(steps),
    truncated: last?.response?.finish_reason === "length",
  };
  const by = present({ ended_by });
  switch (outcome.type) {
    case "completed":
      // The customer did not request the greeting, so it may be blank.
      if (outcome.answer.trim() === "" && !isUnprompted(claim, answered.length)) return { ...failed(turn, withoutText(agent)), ...work };
      return { text: outcome.answer, final: true, outcome: { status: "completed", ...by }, ...work };
    case "stopped": {
      const { reason, message } = outcome.signal;
      const stopped = { status: "stopped", reason, message, ...by } as const;
      return { text: answer ?? agent.apology[apologyKind(stopped)], final: answer !== undefined, outcome: stopped, ...work };
    }
    case "failed":
      // The customer did not request the greeting, so an agent without one does not fail.
      if (isUnprompted(claim, answered.length) && last !== undefined && stepCalls(last).length === 0 && stepText(last).trim() === "")
        return { text: "", final: true, outcome: { status: "completed" }, ...work };
      return { text: agent.apology.failed, final: false, outcome: { status: "failed", error: outcome.error }, ...work };
  }
}

const withoutText = ({ name }: Turn["agent"]): ThroughlineError =>
  new ThroughlineError(
    "model.invalid_response",
    `Agent "${name}" ended its turn with a blank reply: the last step had no text, and no call returned any.`,
  );

/** Counts the calls of each tool, whatever their outcome. */
function callCounts(steps: Iterable<ClosedStep>): Readonly<Record<string, number>> {
  // A model may call a tool "constructor" or "__proto__".
  const counts = new Map<string, number>();
  for (const step of steps) for (const { name } of stepCalls(step)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}
