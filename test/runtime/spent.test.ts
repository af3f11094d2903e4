import { describe, expect, it } from "vitest";
import type { Event, ToolData, TurnData } from "../../packages/throughline/src/session/event.ts";
import { decodeEvent } from "../../packages/throughline/src/session/fold.ts";
import { spentOf } from "../../packages/throughline/src/runtime/turn/turn-spending.ts";
import type { JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import type { EventId, SessionId, StepId, TraceId, TurnId } from "../../packages/throughline/src/kernel/id.ts";

let offset = 0;
const event = (kind: "turn" | "tool", data: TurnData | ToolData, turn = 1): Event =>
  decodeEvent({
    session_id: "ses_1" as SessionId,
    offset: (offset += 1),
    id: `evt_1_${offset}` as EventId,
    kind,
    source: "system",
    trace_id: "0" as TraceId,
    turn_id: `trn_1_${turn}` as TurnId,
    created_at: 0,
    version: 1,
    data: data as unknown as JsonObject,
  });
const step = (number: number, turn = 1, cost = 0.5): Event =>
  event("turn", { type: "step", step_id: `stp_${number}` as StepId, usage: { input: 10, output: 2 }, finish_reason: "stop", ms: 5, cost }, turn);
const error = { code: "model.failed", kind: "unavailable", message: "m" } as const;
const attempt = event("turn", { type: "attempt", step_id: "stp_2" as StepId, error, ms: 7 } as never);
const merged = event("turn", { type: "merged", step_id: "stp_1" as StepId, calls: ["a"], ms: 100 });
const returned = event("tool", {
  type: "returned",
  call_id: "a",
  result: { type: "ok", value: null },
  spent: { steps: 3, tokens: { input: 5, reasoning: 1 }, active_ms: 90, cost: 0.25 },
});

describe("what a turn has spent", () => {
  it("is nothing without work", () => expect(spentOf([])).toEqual({}));
  it("counts steps, failed attempts, tokens, time and cost", () =>
    expect(spentOf([step(1), attempt, step(2)])).toEqual({
      steps: 2,
      attempts: 1,
      tokens: { input: 20, output: 4 },
      active_ms: 17,
      cost: 1,
    }));
  it("takes in what a child agent cost, and not its time, which is that of the call", () =>
    expect(spentOf([step(1), returned, merged])).toEqual({ steps: 4, tokens: { input: 15, output: 2, reasoning: 1 }, active_ms: 105, cost: 0.75 }));
  it("counts what is on record once, however often it is read", () => {
    const events = [step(1), attempt, returned, merged];
    expect(spentOf([...events, ...events])).toEqual(spentOf(events));
    expect(spentOf([step(1, 1), step(1, 2)])).toMatchObject({ steps: 2 });
  });
  it("adds money up without a trace of how it is counted", () => expect(spentOf([step(1, 1, 0.1), step(2, 1, 0.2)]).cost).toBe(0.3));
});
