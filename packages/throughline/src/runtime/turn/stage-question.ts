/** Questions of stages: a stage asks a human, the turn pauses, and the stage runs again with the answer. */
import type { Stage } from "../../extension/stage.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { stepIdOf } from "../../kernel/id.ts";
import { type Json, notJson } from "../../kernel/json.ts";
import type { Decision } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import { argumentsHash, reasonOfRejection, stageCallId } from "../../session/pending-calls.ts";
import { usualExpiryMs } from "../loop/prepare.ts";
import type { Waiting } from "../loop/reply-port.ts";
import type { Turn } from "./running-turn.ts";

/** The questions of one run of a stage. */
export interface StageQuestions {
  /** Resolves with the pause once the stage asks a question that has no answer. */
  readonly waiting: Promise<Waiting>;
  readonly interrupt: (question: Json) => Promise<Json>;
  /** Aborts once the stage waits, so that it does nothing more. */
  readonly signal: AbortSignal;
}

/** Returns the questions of a stage. Without `mayPause` each of them counts as rejected. */
export function questionsOf(turn: Turn, { name }: Stage, mayPause: boolean): StageQuestions {
  const asked = Promise.withResolvers<Waiting>();
  const left = new AbortController();
  const call_id = stageCallId(name);
  const arguments_hash = argumentsHash({});
  let index = 0;
  const interrupt = async (question: Json): Promise<Json> => {
    const decision = decisionOn(turn, call_id, (index += 1));
    if (decision?.type === "answer") return decision.answer;
    if (decision !== undefined || !mayPause) throw rejected(name, decision ?? { type: "reject", cause: "turn" });
    if (notJson(question) !== undefined)
      throw new ThroughlineError("json.invalid", `The question of stage "${name}" is not JSON: ${seen(question)}.`);
    const expires_at = turn.runtime.clock.now() + usualExpiryMs;
    const call = { call_id, name, kind: "question", question, index, arguments: {}, arguments_hash, by: name, expires_at } as const;
    // A stage belongs to no step of the reply.
    asked.resolve({ phase: "waiting", step_id: stepIdOf(0), pending: [call] });
    left.abort(new ThroughlineError("aborted", "The stage waits for an answer, and runs again with it."));
    return new Promise<never>(() => {});
  };
  return { waiting: asked.promise, interrupt, signal: AbortSignal.any([turn.signal, left.signal]) };
}

/** Returns the decision on a question, from the turn's journal. */
function decisionOn({ loaded }: Turn, call_id: string, index: number): Decision | undefined {
  for (const stored of loaded.journal) {
    const event = decodeEvent(stored);
    if (event.kind !== "turn" || event.data.type !== "decided") continue;
    if (event.data.call_id === call_id && event.data.index === index) return event.data.decision;
  }
  return undefined;
}

const rejected = (stage: string, decision: Decision): ThroughlineError => {
  const why = reasonOfRejection(decision);
  const message = `The question of stage "${stage}" was rejected.${why === undefined ? "" : ` ${why}`}`;
  return new ThroughlineError("stage.rejected", message, { details: { stage } });
};
