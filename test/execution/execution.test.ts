import { describe, expect, it } from "vitest";
import { createBudget } from "../../src/execution/budget.ts";
import { exhausted, timeLeft } from "../../src/execution/exhausted.ts";
import { createLedger } from "../../src/execution/ledger.ts";
import {
  beginExecution,
  decide,
  fail,
  finish,
  idle,
  pause,
  resume,
  spent,
  status,
  withContinuation,
  withSignal,
  withStep,
  type Running,
} from "../../src/execution/execution.ts";
import { createStep, stepType, type Step } from "../../src/execution/step.ts";
import { highestSignal, isForced, stopReasons, type StopReason, type StopSignal } from "../../src/execution/stop.ts";
import { addUsage, noUsage, totalTokens } from "../../src/execution/usage.ts";
import type { ErrorInfo } from "../../src/kernel/error.ts";
import type { ExecutionId } from "../../src/kernel/id.ts";

const begin = (budget = {}): Running => beginExecution({ execution_id: "exe_x_1" as ExecutionId, budget: createBudget(budget), at: 100 });
const step = (index: number, given: Partial<Step> = {}): Step =>
  createStep({
    index,
    text: "answer",
    calls: [],
    errors: [],
    usage: { ...noUsage, input: 1, output: 2 },
    finish_reason: "stop",
    started_at: index * 1000,
    ended_at: index * 1000 + 500,
    ...given,
  });
const call = { call_id: "c", name: "look", arguments: {} };
const error: ErrorInfo = { code: "model.failed", message: "m", hint: "h" };
const signal = (reason: StopReason, message = ""): StopSignal => ({ reason, message });
const thrown = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (caught) {
    return caught;
  }
};

describe("phases", () => {
  it("lead from pending to completed", () => {
    expect(status(idle)).toBe("pending");
    const running = begin();
    expect(status(running)).toBe("in_progress");
    const done = finish(withStep(running, step(1)), signal("completed"), 900);
    expect([status(done), done.outcome, done.ended_at]).toEqual(["completed", { type: "completed", answer: "answer", warnings: [] }, 900]);
  });
  it("016..035: a forced signal stops, an error fails and is kept without a step", () => {
    expect(status(finish(withSignal(begin(), signal("user_requested")), signal("user_requested"), 1))).toBe("stopped");
    const failed = fail(begin(), error, 5);
    expect([status(failed), failed.outcome]).toEqual(["failed", { type: "failed", error }]);
  });
  it("038: a step's error that was recovered from is a warning", () => {
    const recovered = withStep(withStep(begin(), step(1, { errors: [error], calls: [call] })), step(2));
    expect(finish(recovered, signal("completed"), 1).outcome).toEqual({ type: "completed", answer: "answer", warnings: [error] });
  });
  it("100: pausing and resuming is the same execution", () => {
    const paused = pause(withStep(begin(), step(1)), "approval");
    expect(status(paused)).toBe("paused");
    expect(resume(paused)).toEqual(withStep(begin(), step(1)));
  });
  it("041: the same step twice changes nothing", () => {
    const once = withStep(begin(), step(1));
    expect(withStep(once, step(1))).toBe(once);
  });
  it.each([
    ["a step when idle", () => withStep(idle, step(1))],
    ["a signal when done", () => withSignal(finish(begin(), signal("completed"), 1), signal("error_forbade"))],
    ["an end when paused", () => finish(pause(begin(), "x"), signal("completed"), 1)],
    ["a resume when running", () => resume(begin())],
  ])("refuse %s", (_name, work) => expect(thrown(work)).toMatchObject({ code: "execution.phase" }));
  it("are frozen values", () => {
    const running = withStep(begin(), step(1));
    expect(Object.isFrozen(running) && Object.isFrozen(running.steps) && Object.isFrozen(running.steps.at(0))).toBe(true);
  });
});

describe("steps", () => {
  it.each([
    [step(1), "final_response"],
    [step(1, { text: " " }), "empty"],
    [step(1, { calls: [call] }), "tool_execution"],
    [step(1, { calls: [call], errors: [error] }), "error"],
  ] as const)("016..020: derive their type", (given, type) => expect(stepType(given)).toBe(type));
  it("add up usage and active time", () => {
    const twice = withStep(withStep(begin(), step(1)), step(2));
    expect([totalTokens(twice.usage), spent(twice)]).toEqual([6, { steps: 2, attempts: 0, tokens: twice.usage, active_ms: 1000, cost: 0 }]);
    expect(addUsage(noUsage, twice.usage)).toEqual(twice.usage);
  });
});

describe("stop signals", () => {
  it("055: have the priorities of the table, each its own", () => {
    const priorities = Object.values(stopReasons).map((reason) => reason.priority);
    expect(priorities).toEqual(Array.from({ length: 13 }, (_, index) => index));
    const natural = (Object.keys(stopReasons) as StopReason[]).filter((reason) => !isForced(signal(reason)));
    expect(natural).toEqual(["finish_reason", "completed"]);
  });
  it("061: the highest wins, the first among equals", () => {
    expect(highestSignal([signal("user_requested"), signal("steps_limit")])?.reason).toBe("steps_limit");
    expect(highestSignal([signal("time_limit", "first"), signal("time_limit", "second")])?.message).toBe("first");
    expect(highestSignal([])).toBeUndefined();
  });
});

describe("deciding", () => {
  it("goes on at the start, and after calls", () => {
    expect(decide(begin(), 0)).toEqual({ next: "step" });
    expect(decide(withStep(begin(), step(1, { calls: [call] })), 0)).toEqual({ next: "step" });
  });
  it("068: text completes; a continuation asks for one more step and is then used up", () => {
    const answered = withStep(begin(), step(1));
    expect(decide(answered, 0)).toMatchObject({ next: "stop", signal: { reason: "completed" } });
    const again = withContinuation(answered);
    expect(decide(again, 0)).toEqual({ next: "step" });
    expect(decide(withStep(again, step(2)), 0)).toMatchObject({ next: "stop", signal: { reason: "completed" } });
  });
  it("a continuation overrules neither a signal nor a budget", () => {
    expect(decide(withContinuation(withSignal(begin(), signal("stop_requested"))), 0)).toMatchObject({ signal: { reason: "stop_requested" } });
    expect(decide(withContinuation(withStep(begin({ steps: 1 }), step(1))), 0)).toMatchObject({ signal: { reason: "steps_limit" } });
  });
  it("070, 071: all signals are kept, the highest decides whenever it came", () => {
    const both = withSignal(withSignal(withStep(begin(), step(1, { calls: [call] })), signal("unknown")), signal("user_requested"));
    expect(both.signals).toHaveLength(2);
    expect(decide(both, 0)).toMatchObject({ signal: { reason: "user_requested" } });
  });
  it("a forced signal outranks the answer it came with", () => {
    expect(decide(withSignal(withStep(begin(), step(1)), signal("error_forbade")), 0)).toMatchObject({ signal: { reason: "error_forbade" } });
  });
});

describe("budgets", () => {
  it("no room for a step stops; an answer on the last step is an answer", () => {
    expect(decide(begin({ steps: 0 }), 0)).toMatchObject({ signal: { reason: "steps_limit" } });
    expect(decide(withStep(begin({ steps: 1 }), step(1)), 0)).toMatchObject({ signal: { reason: "completed" } });
    expect(decide(withStep(begin({ steps: 1 }), step(1, { calls: [call] })), 0)).toMatchObject({ signal: { reason: "steps_limit" } });
  });
  it("count active time only", () => {
    expect(exhausted(createLedger({ seconds: 1 }, { steps: 9, active_ms: 999 }), 0)).toEqual([]);
    expect(exhausted(createLedger({ seconds: 1 }, { steps: 9, active_ms: 1000 }), 0)).toMatchObject([{ reason: "time_limit" }]);
    expect([timeLeft(createLedger({ seconds: 1 }, { active_ms: 400 }), 0)?.ms, timeLeft(createLedger({}, { active_ms: 400 }), 0)]).toEqual([
      600,
      undefined,
    ]);
  });
  it.each([{ steps: -1 }, { seconds: Number.NaN }, { steps: "3" }, { turns: 5 }])("refuse %j", (limits) => {
    expect(thrown(() => createBudget(limits as object))).toMatchObject({ code: "budget.invalid" });
  });
});
