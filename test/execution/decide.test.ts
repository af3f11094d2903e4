import { describe, expect, it } from "vitest";
import { AppendList } from "../../src/execution/append-list.ts";
import type { Budget } from "../../src/execution/budget.ts";
import {
  beginExecution,
  decide,
  fail,
  finish,
  pause,
  resume,
  spent,
  withAttempt,
  withContinuation,
  withLedger,
  withSignal,
  withStep,
  type Running,
} from "../../src/execution/execution.ts";
import { reserveCall, settle } from "../../src/execution/ledger.ts";
import { createStep, replyType, stepType, type Step } from "../../src/execution/step.ts";
import { highestSignal, isForced, stopReasons, type StopReason, type StopSignal } from "../../src/execution/stop.ts";
import { noUsage } from "../../src/execution/usage.ts";
import type { ErrorInfo } from "../../src/kernel/error.ts";
import type { ExecutionId } from "../../src/kernel/id.ts";

const execution_id = "exe_x_1" as ExecutionId;
const begin = (budget: Budget = {}): Running => beginExecution({ execution_id, budget, at: 0 });
const call = { call_id: "c", name: "look", arguments: {} };
const error = (message: string): ErrorInfo => ({ code: "model.failed", message, hint: "h" });
const signal = (reason: StopReason, source?: string): StopSignal => ({ reason, message: "", ...(source === undefined ? {} : { source }) });
const step = (index: number, given: Partial<Step> = {}): Step =>
  createStep({
    ...{ index, text: "answer", calls: [], errors: [], usage: { ...noUsage, input: 4, output: 6 }, finish_reason: "stop" },
    ...{ started_at: index * 1000, ended_at: index * 1000 + 500, ...given },
  });
const calling = (index: number, given: Partial<Step> = {}): Step => step(index, { calls: [call], finish_reason: "tool_calls", ...given });
/** Steps until something ends it: how many, and why. */
function runs(begun: Running, next: (index: number) => Step, now = 0): readonly [steps: number, reason: string, status: string] {
  let execution = begun;
  for (;;) {
    const decision = decide(execution, now);
    if (decision.next === "stop") return [execution.steps.length, decision.signal.reason, finish(execution, decision.signal, 0).outcome.type];
    execution = withStep(execution, next(execution.steps.length + 1));
  }
}

describe("stop signals", () => {
  it("055: have the reasons of the table, the natural ones unforced", () => {
    expect(Object.keys(stopReasons)).toEqual([
      ...["error_forbade", "stop_requested", "steps_limit", "token_limit", "time_limit", "cost_limit", "deadline", "attempts_limit"],
      ...["retry_limit", "finish_reason", "user_requested", "completed", "unknown"],
    ]);
    expect([isForced(signal("unknown")), isForced(signal("completed")), isForced(signal("finish_reason"))]).toEqual([true, false, false]);
  });
  it("061, 073: the highest is told, with its source; of equals the first", () => {
    const all = [signal("unknown", "a"), signal("user_requested", "b"), signal("user_requested", "c")];
    expect(highestSignal(all)).toEqual({ reason: "user_requested", message: "", source: "b" });
  });
  it("068: a raised signal stops a step that calls for another", () => {
    const stopped = withSignal(withStep(begin(), calling(1)), signal("completed"));
    expect(decide(stopped, 0)).toEqual({ next: "stop", signal: signal("completed") });
  });
  it("070, 071: a later, higher one decides the outcome", () => {
    const both = withSignal(withSignal(withStep(begin(), calling(1)), signal("completed", "hook")), signal("user_requested", "person"));
    const decision = decide(both, 0);
    expect(decision).toEqual({ next: "stop", signal: signal("user_requested", "person") });
    if (decision.next === "stop")
      expect(finish(both, decision.signal, 1).outcome).toEqual({ type: "stopped", signal: signal("user_requested", "person") });
  });
});

describe("a continuation", () => {
  it("065, 091: asks for exactly one more step after an answer", () => {
    const again = withContinuation(withStep(begin(), step(1)), { source: "hook" });
    expect(decide(again, 0)).toEqual({ next: "step" });
    expect(decide(withStep(again, step(2)), 0)).toMatchObject({ next: "stop", signal: { reason: "completed" } });
  });
  it("066: goes on in spite of the signals that it names, for one step, and of no others", () => {
    const stopped = withSignal(withStep(begin(), calling(1)), signal("error_forbade"));
    expect(decide(withContinuation(stopped, { source: "hook" }), 0)).toMatchObject({ signal: { reason: "error_forbade" } });
    expect(decide(withContinuation(stopped, { source: "hook", waives: ["steps_limit"] }), 0)).toMatchObject({ signal: { reason: "error_forbade" } });
    const waived = withContinuation(stopped, { source: "hook", waives: ["error_forbade"] });
    expect(decide(waived, 0)).toEqual({ next: "step" });
    expect(decide(withSignal(waived, signal("user_requested")), 0)).toMatchObject({ signal: { reason: "user_requested" } });
    expect(decide(withStep(waived, calling(2)), 0)).toMatchObject({ signal: { reason: "error_forbade" } });
  });
  it("recovers after a limit, by name, and the limit counts again after the step", () => {
    const full = withStep(begin({ steps: 1 }), calling(1));
    const waived = withContinuation(full, { source: "hook", waives: ["steps_limit"] });
    expect([decide(full, 0).next, decide(waived, 0).next]).toEqual(["stop", "step"]);
    expect(decide(withStep(waived, calling(2)), 0)).toMatchObject({ signal: { reason: "steps_limit" } });
    expect(decide(withStep(waived, step(2)), 0)).toMatchObject({ signal: { reason: "completed" } });
  });
  it("adds its waivers to those of another for the same step, and outlasts a failed attempt", () => {
    const twice = withContinuation(withContinuation(begin(), { source: "a", waives: ["deadline"] }), {
      source: "b",
      waives: ["deadline", "unknown"],
    });
    expect(twice.continuation).toEqual({ source: "b", waives: ["deadline", "unknown"] });
    expect(withAttempt(twice, error("e")).continuation).toEqual(twice.continuation);
    expect("continuation" in withStep(twice, step(1))).toBe(false);
  });
});

describe("limits", () => {
  it("108: an answer on the last step is an answer", () =>
    expect(runs(begin({ steps: 1 }), (at) => step(at))).toEqual([1, "completed", "completed"]));
  it("075: as many steps as there may be, and no more", () =>
    expect(runs(begin({ steps: 2 }), (at) => calling(at))).toEqual([2, "steps_limit", "stopped"]));
  it("111: tokens are passed by at most a step", () =>
    expect(runs(begin({ tokens: 25 }), (at) => calling(at))).toEqual([3, "token_limit", "stopped"]));
  it.each<[string, Budget, StopReason]>([
    ["113", { tokens: 0 }, "token_limit"],
    ["116", { seconds: 0 }, "time_limit"],
    ["126", { cost: 0, deadline: 5 }, "cost_limit"],
    ["126", { deadline: 5 }, "deadline"],
  ])("%s: %j stops before the first step", (_case, budget, reason) => {
    expect(runs(begin(budget), (at) => step(at), 6)).toEqual([0, reason, "stopped"]);
  });
  it("118: of two that are reached the more important one is told", () =>
    expect(runs(begin({ steps: 2, tokens: 20 }), (at) => calling(at))).toEqual([2, "steps_limit", "stopped"]));
  it("120: a natural signal of a guard ends it as completed, with its context", () => {
    const guard: StopSignal = { reason: "finish_reason", message: "", context: { finishReason: "length", stopReasons: ["length"] } };
    const execution = withSignal(withStep(begin(), calling(1, { text: "so far" })), guard);
    expect(decide(execution, 0)).toEqual({ next: "stop", signal: guard });
    expect(finish(execution, guard, 1).outcome).toMatchObject({ type: "completed", answer: "so far" });
  });
  it("121: a cancel before the run stops it without a step", () => {
    const cancelled = withSignal(begin(), signal("user_requested", "person"));
    expect(runs(cancelled, (at) => step(at))).toEqual([0, "user_requested", "stopped"]);
  });
  it("096: failed model calls are counted, so that going on after them ends", () => {
    let execution = begin({ attempts: 3 });
    for (let tries = 0; decide(execution, 0).next === "step"; tries += 1) execution = withAttempt(execution, error(`try ${tries}`));
    expect([execution.steps.length, spent(execution).attempts, decide(execution, 0)]).toMatchObject([0, 3, { signal: { reason: "attempts_limit" } }]);
    expect(execution.errors.toArray().map(({ message }) => message)).toEqual(["try 0", "try 1", "try 2"]);
  });
});

describe("what is spent", () => {
  it("goes on where an earlier attempt has left off", () => {
    const resumed = beginExecution({ execution_id, budget: { steps: 3, seconds: 2 }, at: 0, spent: { steps: 2, active_ms: 1600, cost: 0.5 } });
    expect(decide(resumed, 0).next).toBe("step");
    expect(decide(withStep(resumed, calling(3)), 0)).toMatchObject({ signal: { reason: "steps_limit", context: { currentSteps: 3, maxSteps: 3 } } });
    expect(decide(withStep(resumed, calling(3), { spent: { active_ms: 400 } }), 0)).toMatchObject({ signal: { reason: "time_limit" } });
    expect(decide(withStep(resumed, calling(3), { spent: {} }), 0).next).toBe("step");
  });
  it("outlasts a pause, and gives back what was set aside for a step or an attempt", () => {
    const reserved = reserveCall(begin({ steps: 5, cost: 1 }).ledger, { cost: 0.5 });
    if (reserved.type === "refused") throw new Error("refused");
    const held = withLedger(begin(), reserved.ledger);
    const stepped = withStep(held, step(1, { cost: 0.25 }), { reserved: reserved.amount });
    expect([stepped.ledger.reserved, spent(resume(pause(stepped, "approval")))]).toMatchObject([
      { steps: 0, cost: 0 },
      { steps: 1, cost: 0.25 },
    ]);
    const tried = withAttempt(held, error("e"), { reserved: reserved.amount, spent: { active_ms: 70 } });
    expect([tried.ledger.reserved, spent(tried)]).toMatchObject([
      { steps: 0, cost: 0 },
      { steps: 0, attempts: 1, active_ms: 70 },
    ]);
    expect(settle(held.ledger, reserved.amount, {}).ledger.spent.cost).toBe(0);
  });
});

describe("replies", () => {
  it.each([
    [step(1), "answer"],
    [step(1, { text: " \n" }), "empty"],
    [step(1, { text: "half a sent", finish_reason: "length" }), "truncated"],
    [step(1, { text: "", finish_reason: "length" }), "truncated"],
    [step(1, { text: "x", finish_reason: "content_filter" }), "filtered"],
    [step(1, { finish_reason: "content_filter", calls: [call] }), "filtered"],
    [step(1, { finish_reason: "error" }), "failed"],
    [calling(1), "calls"],
    [step(1, { calls: [call], finish_reason: "length" }), "calls"],
    [step(1, { text: "", finish_reason: "tool_calls" }), "empty"],
    [step(1, { finish_reason: "other" }), "answer"],
  ] as const)("020, 163: of %o are told apart: %s", (given, type) => expect(replyType(given)).toBe(type));
  it("018: a step whose call failed goes on, so that the model can correct itself", () => {
    const failed = withStep(begin(), calling(1, { errors: [error("no")] }));
    expect([stepType(calling(1, { errors: [error("no")] })), decide(failed, 0)]).toEqual(["error", { next: "step" }]);
  });
  it("038: what was recovered from is a warning of the answer, in order", () => {
    const first = withAttempt(begin(), error("attempt"));
    const execution = withStep(withStep(first, calling(1, { errors: [error("tool"), error("tool 2")] })), step(2));
    const { outcome } = finish(execution, signal("completed"), 1);
    expect(outcome.type === "completed" && outcome.warnings.map(({ message }) => message)).toEqual(["attempt", "tool", "tool 2"]);
  });
  it("036: an error without a step is kept", () => expect(fail(begin(), error("e"), 1).outcome).toEqual({ type: "failed", error: error("e") }));
  it("041: the same step twice changes nothing, and a step out of order is refused", () => {
    const two = withStep(withStep(begin(), calling(1)), calling(2));
    expect([withStep(two, calling(1)), withStep(two, calling(2))].every((same) => same === two)).toBe(true);
    expect(() => withStep(withStep(begin(), calling(2)), calling(1))).toThrow(expect.objectContaining({ code: "execution.invalid" }));
  });
});

describe("a list that only grows", () => {
  it("keeps each of its versions as it was, whoever adds to it", () => {
    const one = AppendList.of(["a"]);
    const two = one.with("b");
    const other = one.with("c").with("d");
    expect([[...one], [...two], other.toArray(), two.with("e").toArray()]).toEqual([["a"], ["a", "b"], ["a", "c", "d"], ["a", "b", "e"]]);
    expect([one.at(1), two.at(-1), two.at(-3), other.findLast((item) => item < "d")]).toEqual([undefined, "b", undefined, "c"]);
    expect(JSON.stringify(other)).toBe('["a","c","d"]');
    expect([other.slice(1), other.slice(-5, 2), other.slice(1, 9), two.slice()]).toEqual([
      ["c", "d"],
      ["a", "c"],
      ["c", "d"],
      ["a", "b"],
    ]);
    expect([two.concat([]) === two, one.concat(["x", "y"]).toArray()]).toEqual([true, ["a", "x", "y"]]);
    const mine = two.toArray();
    mine.push("x");
    expect([two.length, [...two]]).toEqual([2, ["a", "b"]]);
  });
  it("makes ten thousand steps cost ten times a thousand, not a hundred times", () => {
    const took = (steps: number): number => {
      const began = performance.now();
      let execution = begin({ steps: 1e6, tokens: 1e9, seconds: 1e6 });
      for (let index = 1; index <= steps; index += 1) {
        if (decide(execution, 0).next === "stop") throw new Error("stopped");
        execution = withStep(execution, calling(index, { errors: [error("e")] }));
      }
      expect([execution.steps.length, execution.errors.length, spent(execution).steps]).toEqual([steps, steps, steps]);
      return performance.now() - began;
    };
    took(2000);
    const small = Math.min(took(1000), took(1000), took(1000));
    // A busy machine may hold one of them up, and not all of them.
    const large = Array.from({ length: 6 }, () => 10_000).some((steps) => took(steps) < 30 * small);
    expect(large).toBe(true);
  });
});
