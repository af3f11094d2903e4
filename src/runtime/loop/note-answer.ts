import { newEvent } from "../../session/new-event.ts";
import type { OpenStep } from "./open-step.ts";
import { note, type Work } from "./work.ts";

/** The model's message of a step, with what it calls. */
export function noteAnswer(work: Work, { step_id, text, calls }: OpenStep): void {
  const { agent, claim } = work.turn;
  const origin = { agent_id: agent.name, step_id, is_trace: true } as const;
  const parts = text === "" ? [] : [{ type: "text", text } as const];
  const asked = calls.length === 0 ? {} : { calls: calls.map(({ call }) => call) };
  note(work, newEvent("message", "ai_agent", { role: "assistant", parts, origin, ...asked }, { turn: claim.turn.number }));
}
