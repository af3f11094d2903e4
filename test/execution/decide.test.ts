/** What ends an execution: signals, limits of its budget, and answers. */
import { describe, expect, it } from "vitest";
import { createAgentState, type AgentStateIn } from "../../packages/throughline/src/execution/agent-state.ts";
import { AppendList } from "../../packages/throughline/src/execution/append-list.ts";
import {
  type Budget,
  charge,
  createBudget,
  createLedger,
  exhausted,
  type Ledger,
  noUsage,
  timeLeft,
} from "../../packages/throughline/src/execution/ledger.ts";
import { continuationOf, errorsOf, statusOf, stepsOf, type ContinuationDecision } from "../../packages/throughline/src/execution/read.ts";
import {
  highestSignal,
  isForced,
  replyType,
  type StepResponse,
  type StopReason,
  stopReasons,
  type StopSignal,
} from "../../packages/throughline/src/execution/step.ts";
import {
  beginExecution,
  closeStep,
  finishExecution,
  openStep,
  recordError,
  recordResponse,
  recordToolResult,
  requestContinuation,
  requestStop,
  reviseResponse,
} from "../../packages/throughline/src/execution/transitions.ts";
import type { ErrorInfo } from "../../packages/throughline/src/kernel/error.ts";
import type { ExecutionId } from "../../packages/throughline/src/kernel/id.ts";
import { thrown } from "../runtime/hook-bench.ts";

const at = { at: 0 };
const call = { call_id: "c", name: "look", arguments: {} };
const error = (message: string): ErrorInfo => ({ code: "model.failed", message, hint: "h" });
const signal = (reason: StopReason, source?: string): StopSignal => ({ reason, message: "", ...(source === undefined ? {} : { source }) });
const answer = (given: Partial<StepResponse> = {}): StepResponse => ({
  ...{ text: "answer", calls: [], usage: { ...noUsage, input: 4, output: 6 }, finish_reason: "stop", ...given },
});
const asks = (given: Partial<StepResponse> = {}): StepResponse => answer({ calls: [call], finish_reason: "tool_calls", ...given });

/** An execution and its ledger, as a loop keeps them. */
interface Kept {
  readonly state: AgentStateIn<"running">;
  readonly ledger: Ledger;
}
const begin = (budget: Budget = {}): Kept => ({
  state: beginExecution(createAgentState({ agent_id: "agt", ...at }), { execution_id: "exe_x_1" as ExecutionId, ...at }),
  ledger: createLedger(budget),
});
const decide = ({ state, ledger }: Kept, now = 0): ContinuationDecision => continuationOf(state, { limits: exhausted(ledger, now) });
function withStep({ state, ledger }: Kept, response: StepResponse): Kept {
  const asked = recordResponse(openStep(state, at), response, at);
  const ran = response.calls.reduce(
    (known, { call_id }) => recordToolResult(known, { call_id, result: { type: "ok", value: 1 }, started_at: 0 }, at),
    asked,
  );
  return { state: closeStep(ran, at), ledger: charge(ledger, { steps: 1, tokens: response.usage, active_ms: 500 }) };
}
const withSignal = ({ state, ledger }: Kept, raised: StopSignal): Kept => {
  const { execution, ...rest } = requestStop(state, raised, at);
  if (execution.phase !== "running") throw new Error("not running");
  return { state: { ...rest, execution }, ledger };
};
const goingOn = ({ state, ledger }: Kept, ...waives: readonly StopReason[]): Kept => ({
  state: requestContinuation(state, { source: "hook", waives }, at),
  ledger,
});
/** Steps until something ends it: how many, and why. */
function runs(begun: Kept, response: StepResponse, now = 0): readonly [steps: number, reason: string, status: string] {
  let kept = begun;
  for (;;) {
    const decision = decide(kept, now);
    if (decision.next === "step") kept = withStep(kept, response);
    else if (decision.because !== "signal") return [stepsOf(kept.state).length, decision.because, statusOf(finishExecution(kept.state, at))];
    else return [stepsOf(kept.state).length, decision.signal.reason, statusOf(finishExecution(kept.state, { ...at, signal: decision.signal }))];
  }
}

describe("stop signals", () => {
  it("055: have the reasons of the table, each a priority of its own, the natural ones unforced", () => {
    expect(Object.keys(stopReasons)).toEqual([
      ...["error_forbade", "stop_requested", "steps_limit", "token_limit", "time_limit", "cost_limit", "deadline", "attempts_limit"],
      ...["retry_limit", "finish_reason", "user_requested", "completed", "unknown"],
    ]);
    expect(Object.values(stopReasons).map(({ priority }) => priority)).toEqual(Array.from({ length: 13 }, (_, index) => index));
    expect([isForced(signal("unknown")), isForced(signal("completed")), isForced(signal("finish_reason"))]).toEqual([true, false, false]);
  });
  it("061, 073: the highest is told, with its source; of equals the first", () => {
    const all = [signal("unknown", "a"), signal("user_requested", "b"), signal("user_requested", "c")];
    expect(highestSignal(all)).toEqual({ reason: "user_requested", message: "", source: "b" });
    expect(highestSignal([])).toBeUndefined();
  });
  it("068: a raised signal stops a step that calls for another", () => {
    const stopped = withSignal(withStep(begin(), asks()), signal("completed"));
    expect(decide(stopped)).toEqual({ next: "stop", because: "signal", signal: signal("completed"), forced: false });
  });
  it("070, 071: a later, higher one decides the outcome, and outranks the answer it came with", () => {
    const both = withSignal(withSignal(withStep(begin(), asks()), signal("completed", "hook")), signal("user_requested", "person"));
    expect(decide(both)).toMatchObject({ signal: signal("user_requested", "person") });
    expect(finishExecution(both.state, at).execution.outcome).toEqual({ type: "stopped", signal: signal("user_requested", "person") });
    expect(decide(withSignal(withStep(begin(), answer()), signal("error_forbade")))).toMatchObject({ signal: { reason: "error_forbade" } });
  });
});

describe("a continuation", () => {
  it("065, 091: asks for exactly one more step after an answer", () => {
    const again = goingOn(withStep(begin(), answer()));
    expect(decide(again)).toEqual({ next: "step", because: "continuation" });
    expect(decide(withStep(again, answer()))).toEqual({ next: "stop", because: "answered" });
  });
  it("066: goes on in spite of the signals that it names, for one step, and of no others", () => {
    const stopped = withSignal(withStep(begin(), asks()), signal("error_forbade"));
    expect(decide(goingOn(stopped))).toMatchObject({ signal: { reason: "error_forbade" } });
    expect(decide(goingOn(stopped, "steps_limit"))).toMatchObject({ signal: { reason: "error_forbade" } });
    const waived = goingOn(stopped, "error_forbade");
    expect(decide(waived).next).toBe("step");
    expect(decide(withSignal(waived, signal("user_requested")))).toMatchObject({ signal: { reason: "user_requested" } });
    expect(decide(withStep(waived, asks()))).toMatchObject({ signal: { reason: "error_forbade" } });
  });
  it("066: holds until the step that it requests has ended", () => {
    const waived = goingOn(withSignal(withStep(begin(), asks()), signal("error_forbade")), "error_forbade");
    const opened = recordResponse(openStep(waived.state, at), asks(), at);
    expect(continuationOf(opened)).toEqual({ next: "step", because: "tool_calls" });
    expect(continuationOf(closeStep(opened, at))).toMatchObject({ signal: { reason: "error_forbade" } });
  });
  it("recovers after a limit, by name, and the limit counts again after the step", () => {
    const full = withStep(begin({ steps: 1 }), asks());
    const waived = goingOn(full, "steps_limit");
    expect([decide(full).next, decide(goingOn(full)).next, decide(waived).next]).toEqual(["stop", "stop", "step"]);
    expect(decide(withStep(waived, asks()))).toMatchObject({ signal: { reason: "steps_limit" } });
    expect(decide(withStep(waived, answer()))).toEqual({ next: "stop", because: "answered" });
  });
  it("adds its waivers to those of another for the same step, and outlasts a failed attempt", () => {
    const twice = goingOn(goingOn(begin(), "deadline"), "deadline", "unknown");
    expect(twice.state.execution.continuation).toEqual({ source: "hook", waives: ["deadline", "unknown"], lasts: "step", pending: true });
    expect(recordError(twice.state, error("e"), at).execution.continuation).toEqual(twice.state.execution.continuation);
    expect("continuation" in withStep(twice, answer()).state.execution).toBe(false);
  });
});

describe("limits", () => {
  it("108: an answer on the last step is an answer", () => expect(runs(begin({ steps: 1 }), answer())).toEqual([1, "answered", "completed"]));
  it("075: as many steps as there may be, and no more", () => expect(runs(begin({ steps: 2 }), asks())).toEqual([2, "steps_limit", "stopped"]));
  it("111: tokens are passed by at most a step", () => expect(runs(begin({ tokens: 25 }), asks())).toEqual([3, "token_limit", "stopped"]));
  it.each<[string, Budget, StopReason]>([
    ["110", { steps: 0 }, "steps_limit"],
    ["113", { tokens: 0 }, "token_limit"],
    ["116", { seconds: 0 }, "time_limit"],
    ["126", { cost: 0, deadline: 5 }, "cost_limit"],
    ["126", { deadline: 5 }, "deadline"],
  ])("%s: %j stops before the first step", (_case, budget, reason) => {
    expect(runs(begin(budget), answer(), 6)).toEqual([0, reason, "stopped"]);
  });
  it("118: of two that are reached the more important one is told", () =>
    expect(runs(begin({ steps: 2, tokens: 20 }), asks())).toEqual([2, "steps_limit", "stopped"]));
  it("120: a natural signal of a guard ends it as completed, with its context", () => {
    const guard: StopSignal = { reason: "finish_reason", message: "", context: { finishReason: "length", stopReasons: ["length"] } };
    const kept = withSignal(withStep(begin(), asks({ text: "so far" })), guard);
    expect(decide(kept)).toMatchObject({ signal: guard, forced: false });
    expect(finishExecution(kept.state, at).execution.outcome).toMatchObject({ type: "completed", answer: "so far" });
  });
  it("121: a cancel before the run stops it without a step", () => {
    expect(runs(withSignal(begin(), signal("user_requested", "person")), answer())).toEqual([0, "user_requested", "stopped"]);
  });
  it("096: failed model calls are counted, so that going on after them ends", () => {
    let { state, ledger } = begin({ attempts: 3 });
    for (let tries = 0; decide({ state, ledger }).next === "step"; tries += 1) {
      state = recordError(state, error(`try ${tries}`), at);
      ledger = charge(ledger, { attempts: 1 });
    }
    expect([stepsOf(state).length, ledger.spent.attempts, decide({ state, ledger })]).toMatchObject([0, 3, { signal: { reason: "attempts_limit" } }]);
    expect(errorsOf(state).map(({ message }) => message)).toEqual(["try 0", "try 1", "try 2"]);
  });
  it("a policy says what answers: a step with calls, or none without", () => {
    const limits = [signal("steps_limit")];
    expect(continuationOf(withStep(begin(), asks()).state, { answered: true, limits })).toEqual({ next: "stop", because: "answered" });
    expect(continuationOf(withStep(begin(), answer()).state, { answered: false })).toEqual({ next: "step", because: "unanswered" });
    expect(continuationOf(withStep(begin(), answer()).state, { answered: false, limits })).toMatchObject({ signal: { reason: "steps_limit" } });
  });
});

describe("budgets", () => {
  it("count active time only", () => {
    expect(exhausted(createLedger({ seconds: 1 }, { steps: 9, active_ms: 999 }), 0)).toEqual([]);
    expect(exhausted(createLedger({ seconds: 1 }, { steps: 9, active_ms: 1000 }), 0)).toMatchObject([{ reason: "time_limit" }]);
    expect([timeLeft(createLedger({ seconds: 1 }, { active_ms: 400 }), 0)?.ms, timeLeft(createLedger({}, { active_ms: 400 }), 0)]).toEqual([
      600,
      undefined,
    ]);
  });
  it("go on where an earlier attempt has left off", () => {
    const { state } = begin();
    const ledger = createLedger({ steps: 3, seconds: 2 }, { steps: 2, active_ms: 1600, cost: 0.5 });
    expect(decide({ state, ledger }).next).toBe("step");
    expect(decide(withStep({ state, ledger }, asks()))).toMatchObject({
      signal: { reason: "steps_limit", context: { currentSteps: 3, maxSteps: 3 } },
    });
    expect(decide({ state, ledger: charge(ledger, { active_ms: 400 }) })).toMatchObject({ signal: { reason: "time_limit" } });
  });
  it.each([{ steps: -1 }, { seconds: Number.NaN }, { steps: "3" }, { turns: 5 }])("refuse %j", (limits) => {
    expect(thrown(() => createBudget(limits as object))).toMatchObject({ code: "budget.invalid" });
  });
});

describe("replies", () => {
  it.each([
    [answer(), "answer"],
    [answer({ text: " \n" }), "empty"],
    [answer({ text: "half a sent", finish_reason: "length" }), "truncated"],
    [answer({ text: "", finish_reason: "length" }), "truncated"],
    [answer({ text: "x", finish_reason: "content_filter" }), "filtered"],
    [answer({ finish_reason: "content_filter", calls: [call] }), "filtered"],
    [answer({ finish_reason: "error" }), "failed"],
    [asks(), "calls"],
    [answer({ calls: [call], finish_reason: "length" }), "calls"],
    [answer({ text: "", finish_reason: "tool_calls" }), "empty"],
    [answer({ finish_reason: "other" }), "answer"],
  ] as const)("020, 163: of %o are told apart: %s", (given, type) => expect(replyType(given)).toBe(type));
  it("can be revised until a call of theirs has a result", () => {
    const opened = recordResponse(openStep(begin().state, at), asks(), at);
    expect(reviseResponse(opened, answer(), at).execution.step?.response?.text).toBe("answer");
    const ran = recordToolResult(opened, { call_id: "c", result: { type: "ok", value: 1 }, started_at: 0 }, at);
    expect(thrown(() => reviseResponse(ran, answer(), at))).toMatchObject({ code: "execution.phase" });
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
      let kept = begin({ steps: 1e6, tokens: 1e9, seconds: 1e6 });
      for (let index = 1; index <= steps; index += 1) {
        if (decide(kept).next === "stop") throw new Error("stopped");
        kept = withStep(kept, asks());
      }
      expect([kept.state.execution.steps.length, kept.ledger.spent.steps]).toEqual([steps, steps]);
      return performance.now() - began;
    };
    took(2000);
    const small = Math.min(took(1000), took(1000), took(1000));
    // A busy machine may hold one of them up, and not all of them.
    const large = Array.from({ length: 6 }, () => 10_000).some((steps) => took(steps) < 30 * small);
    expect(large).toBe(true);
  });
});
