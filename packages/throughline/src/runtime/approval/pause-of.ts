import { decisionsOf, type Pause } from "../../session/pending-calls.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { LoadedSession } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";

/** Returns the pending calls of a session's running turn. Depending on the agent, a message that arrived meanwhile counts as a decision. */
export function pauseOf(loaded: LoadedSession, agent: Pick<Agent, "onMessageWhilePaused"> | undefined, now: number): Pause | undefined {
  const running = loaded.turns.find(({ status }) => status === "running");
  if (running === undefined) return undefined;
  const interrupted = agent?.onMessageWhilePaused === "reject" && hasOther(loaded, running.number);
  return decisionsOf(
    loaded.journal.map((stored) => decodeEvent(stored)),
    { now, interrupted },
  );
}

/** Whether a message waits that the turn does not answer. */
export const hasOther = ({ waiting }: Pick<LoadedSession, "waiting">, turn: number): boolean => waiting.some((message) => message.turn !== turn);
