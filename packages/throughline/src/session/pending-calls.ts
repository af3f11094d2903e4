/** Pending approvals and questions of a turn, and the decisions on them, read from the turn's events. Pure. */
import { createHash } from "node:crypto";
import type { StepId } from "../kernel/id.ts";
import { canonicalJson, type JsonObject } from "../kernel/json.ts";
import type { Decision, Event, PendingCall, TurnData } from "./event.ts";

/** A question or approval of a turn's last pause. */
interface PauseQuestion {
  readonly call: PendingCall;
  /** When the turn first asked it. */
  readonly asked_at: number;
  /** The decision; undefined while there is none. */
  readonly decision: Decision | undefined;
  /** Offset of the event that holds the decision; undefined if no event records it yet. */
  readonly offset: number | undefined;
  /** Who decided, as recorded. */
  readonly by: string | undefined;
}

/** The last pause of a turn. */
export interface Pause {
  readonly step_id: StepId;
  readonly questions: readonly PauseQuestion[];
}

/** Id under which the questions of a stage are asked. No call of a tool has such an id. */
export const stageCallId = (stage: string): string => `stage:${stage}`;
/** Whether a question is one of a stage. */
export const isStageCall = ({ call_id }: { readonly call_id: string }): boolean => call_id.startsWith("stage:");

/** Whether a journal entry is a pause for questions of stages, or a decision on one. It precedes the reply and is no part of it. */
export const isOfStages = (data: TurnData): boolean =>
  (data.type === "paused" && data.pending.every(isStageCall)) || (data.type === "decided" && isStageCall(data));

const isSameCall = (left: Pick<PendingCall, "call_id" | "index" | "arguments_hash">, right: typeof left): boolean =>
  left.call_id === right.call_id && left.index === right.index && left.arguments_hash === right.arguments_hash;

/**
 * Returns the last pause of a turn with the decision on each question; undefined if the turn never paused. `entries`: the turn's events in order. A
 * recorded decision always applies. Otherwise the question counts as rejected if it expired by `now`, or if the customer wrote instead
 * (`interrupted`).
 */
export function decisionsOf(
  entries: readonly Event[],
  { now, interrupted = false }: { readonly now: number; readonly interrupted?: boolean },
): Pause | undefined {
  const pauses = entries.flatMap((event) => (event.kind === "turn" && event.data.type === "paused" ? [{ ...event, data: event.data }] : []));
  const last = pauses.at(-1);
  if (last === undefined) return undefined;
  const questions = last.data.pending.map((call): PauseQuestion => {
    const first = pauses.find(({ data }) => data.pending.some((other) => isSameCall(other, call)));
    const decided = entries.findLast((event) => event.kind === "turn" && event.data.type === "decided" && isSameCall(event.data, call));
    const recorded = decided?.kind === "turn" && decided.data.type === "decided" ? decided.data : undefined;
    return {
      call,
      asked_at: first?.created_at ?? last.created_at,
      decision: recorded?.decision ?? decisionByDefault(call, { now, interrupted }),
      offset: recorded === undefined ? undefined : decided?.offset,
      by: recorded?.by,
    };
  });
  return { step_id: last.data.step_id, questions };
}

/** Returns the decision that applies without a human decision. */
function decisionByDefault(
  { expires_at }: PendingCall,
  { now, interrupted }: { readonly now: number; readonly interrupted: boolean },
): Decision | undefined {
  if (expires_at !== undefined && expires_at <= now) return { type: "reject", cause: "expiry" };
  return interrupted ? { type: "reject", cause: "message" } : undefined;
}

const causes: ReadonlyMap<string, string> = new Map([
  ["expiry", "Nobody decided in time."],
  ["message", "The person wrote a message instead of deciding."],
]);

/** Returns why a call or question was rejected, if a person or the cause says it. */
export const reasonOfRejection = (decision: Decision): string | undefined =>
  decision.type === "reject" ? (decision.feedback ?? causes.get(decision.cause)) : undefined;

/** Returns the questions that still wait for a decision. */
export const undecided = (pause: Pause | undefined): readonly PauseQuestion[] =>
  (pause?.questions ?? []).filter(({ decision }) => decision === undefined);

/**
 * Returns the SHA-256 of the arguments as JSON with sorted keys, in 64 hexadecimal digits. An approval decision names this hash, so it cannot approve
 * arguments that the approver has not seen.
 */
export const argumentsHash = (args: JsonObject): string => createHash("sha256").update(canonicalJson(args)).digest("hex");
