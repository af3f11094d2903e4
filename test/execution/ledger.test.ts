import { describe, expect, it } from "vitest";
import {
  type Budget,
  capBudget,
  charge,
  createBudget,
  createLedger,
  createSpent,
  exhausted,
  isExhausted,
  type Ledger,
  release,
  remaining,
  reserve,
  reserveCall,
  reserveChild,
  settle,
  settleChild,
  storedSpent,
  timeLeft,
} from "../../packages/throughline/src/execution/ledger.ts";

/** The ledger with something set aside, which there must be room for. */
function held<Asked extends { readonly type: "reserved" | "refused" }>(reservation: Asked): Extract<Asked, { readonly type: "reserved" }> {
  if (reservation.type === "refused") throw new Error("refused");
  return reservation as Extract<Asked, { readonly type: "reserved" }>;
}
const thrown = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const reasons = (ledger: Ledger, now = 0, before: "step" | "call" = "step"): readonly string[] =>
  exhausted(ledger, now, { before }).map(({ reason }) => reason);

describe("a budget", () => {
  it.each<[string, Budget, number]>([
    ["no steps", { steps: 0 }, 0],
    ["no cost, steps to spare", { steps: 5, cost: 0 }, 0],
    ["a deadline that has passed", { deadline: 9 }, 10],
    ["a deadline that is now", { deadline: 10 }, 10],
    ["no tokens of a kind", { tokens: { total: 5, reasoning: 0 } }, 0],
    ["no attempts", { attempts: 0 }, 0],
    ["no seconds", { seconds: 0 }, 0],
  ])("125: is exhausted with %s", (_name, budget, now) => expect(isExhausted(createBudget(budget), now)).toBe(true));
  it("125: is not exhausted while every limit has room, or there is none", () => {
    expect([isExhausted({}, 9e15), isExhausted(createBudget({ steps: 1, cost: 0.1, tokens: 1, seconds: 0.1, deadline: 11 }), 10)]).toEqual([
      false,
      false,
    ]);
  });
  it.each([
    [{ steps: -1 }, "steps"],
    [{ steps: 1.5 }, "steps"],
    [{ attempts: Number.NaN }, "attempts"],
    [{ tokens: -1 }, "tokens"],
    [{ tokens: { input: -1 } }, "tokens.input"],
    [{ tokens: { inputs: 1 } }, "inputs"],
    [{ tokens: null }, "tokens"],
    [{ tokens: undefined }, "tokens"],
    [{ tokens: [1] }, "tokens"],
    [{ seconds: "3" }, "seconds"],
    [{ cost: -0.01 }, "cost"],
    [{ deadline: new Date(0) }, "deadline"],
    [{ max_steps: 3 }, "max_steps"],
    [null, ""],
    [[], ""],
  ])("125: %j is refused", (limits, limit) => {
    expect(thrown(() => createBudget(limits as Budget))).toMatchObject({ code: "budget.invalid", details: { limit } });
  });
  it("is plain JSON: what is infinite is no limit, and tokens have their shortest form", () => {
    expect(createBudget({ steps: Infinity, tokens: Infinity, cost: 1 })).toEqual({ cost: 1 });
    expect(createBudget({ tokens: { total: 5 } })).toEqual({ tokens: 5 });
    expect(createBudget({ tokens: { total: Infinity, input: 3 } })).toEqual({ tokens: { input: 3 } });
    expect(createBudget({ tokens: {} })).toEqual({});
    expect(Object.isFrozen(createBudget({ tokens: { input: 1 } }).tokens)).toBe(true);
  });
  it.each<[Budget, Budget, Budget]>([
    [{ steps: 5 }, { steps: 3, tokens: 100 }, { steps: 3, tokens: 100 }],
    [{ deadline: 20, seconds: 9 }, { deadline: 10 }, { deadline: 10, seconds: 9 }],
    [{}, {}, {}],
    [{ cost: 0 }, { cost: 2 }, { cost: 0 }],
    [{ tokens: 10 }, { tokens: { total: 20, input: 5 } }, { tokens: { total: 10, input: 5 } }],
    [{ tokens: Infinity }, { tokens: 7 }, { tokens: 7 }],
  ])("128: %j capped by %j is %j, either way round", (left, right, both) => {
    expect(capBudget(left, right)).toEqual(both);
    expect(capBudget(right, left)).toEqual(both);
  });
});

describe("what is spent", () => {
  it("comes back from its stored form, which leaves out what there was none of", () => {
    const spent = createSpent({ steps: 2, tokens: { output: 7 }, cost: 0.25 });
    expect(storedSpent(spent)).toEqual({ steps: 2, tokens: { output: 7 }, cost: 0.25 });
    expect(createSpent(storedSpent(spent))).toEqual(spent);
    expect(storedSpent(createSpent())).toEqual({});
  });
  it.each([{ steps: -1 }, { cost: Number.NaN }, { active_ms: Infinity }, { tokens: { input: -1 } }, { tokens: { input: "1" } }, { tokens: 5 }])(
    "never shrinks: %j is refused",
    (spent) => expect(thrown(() => charge(createLedger({}), spent as never))).toMatchObject({ code: "budget.invalid" }),
  );
  it("of money adds up exactly", () => {
    let ledger = createLedger({ cost: 1 });
    for (let cents = 0; cents < 10; cents += 1) ledger = charge(ledger, { cost: 0.1 });
    expect([ledger.spent.cost, remaining(ledger).cost, reasons(ledger)]).toEqual([1, 0, ["cost_limit"]]);
  });
});

describe("a limit", () => {
  it("110: of steps says how many there were, and how many there may be", () => {
    expect(exhausted(createLedger({ steps: 2 }, { steps: 2 }), 0)).toEqual([
      { reason: "steps_limit", message: "2 of 2 steps are spent.", source: "budget", context: { currentSteps: 2, maxSteps: 2 } },
    ]);
  });
  it("111: of tokens may be passed by what the last step has used", () => {
    let ledger = createLedger({ tokens: 25 });
    const used: number[] = [];
    while (exhausted(ledger, 0).length === 0) {
      const { ledger: reserved, amount } = held(reserveCall(ledger, { tokens: { input: 5, output: 4096 } }));
      ({ ledger } = settle(reserved, amount, { steps: 1, tokens: { input: 5, output: 5 } }));
      used.push(ledger.spent.tokens.output * 2);
    }
    expect(used).toEqual([10, 20, 30]);
    expect(exhausted(ledger, 0)).toMatchObject([{ reason: "token_limit", context: { totalTokens: 30, maxTotalTokens: 25 } }]);
  });
  it("113, 116: of nothing leaves no room at all", () => {
    expect(reasons(createLedger({ tokens: 0 }))).toEqual(["token_limit"]);
    expect(reasons(createLedger({ seconds: 0 }))).toEqual(["time_limit"]);
    expect(reasons(createLedger({ steps: 0 }))).toEqual(["steps_limit"]);
    expect(reasons(createLedger({ attempts: 0 }))).toEqual(["attempts_limit"]);
    expect(reasons(createLedger({ cost: 0 }))).toEqual(["cost_limit"]);
  });
  it("115: of time says how long there was, and how long there may be", () => {
    expect(exhausted(createLedger({ seconds: 0.001 }, { active_ms: 2 }), 0)).toMatchObject([
      { reason: "time_limit", context: { elapsedSeconds: 0.002, maxSeconds: 0.001 } },
    ]);
  });
  it("118: and another are both told, the more important one first", () => {
    const both = exhausted(createLedger({ tokens: 20, steps: 2 }, { steps: 2, tokens: { input: 20 } }), 0);
    expect(both.map(({ reason }) => reason)).toEqual(["steps_limit", "token_limit"]);
  });
  it("of a kind of tokens, of cost, of attempts and a deadline name their numbers", () => {
    const ledger = createLedger(
      { tokens: { cache_read: 5 }, cost: 1, attempts: 2, deadline: 1000 },
      { tokens: { cache_read: 6 }, cost: 1.5, attempts: 2 },
    );
    expect(exhausted(ledger, 1000).map(({ reason, context }) => [reason, context])).toEqual([
      ["token_limit", { cacheReadTokens: 6, maxCacheReadTokens: 5 }],
      ["cost_limit", { cost: 1.5, maxCost: 1 }],
      ["deadline", { deadline: 1000, now: 1000 }],
      ["attempts_limit", { currentAttempts: 2, maxAttempts: 2 }],
    ]);
  });
  it("of steps or attempts does not keep a step that has begun from its calls; the others do", () => {
    const ledger = createLedger({ steps: 1, attempts: 1, tokens: 1, deadline: 5 }, { steps: 1, attempts: 1, tokens: { input: 1 } });
    expect(reasons(ledger, 5, "call")).toEqual(["token_limit", "deadline"]);
  });
  it("of time tells how long a call may take, whichever ends first", () => {
    const ledger = createLedger({ seconds: 2, deadline: 10_000 }, { active_ms: 500 });
    expect(timeLeft(ledger, 0)).toMatchObject({ ms: 1500, signal: { reason: "time_limit" } });
    expect(timeLeft(ledger, 9000)).toMatchObject({ ms: 1000, signal: { reason: "deadline" } });
    expect(timeLeft(ledger, 99_000)).toMatchObject({ ms: 0, signal: { reason: "deadline" } });
    expect(timeLeft(createLedger({ deadline: 9e15 }), 0)?.signal.message).toBe("The deadline 9000000000000000 has passed.");
    expect(timeLeft(createLedger({ steps: 1 }), 0)).toBeUndefined();
  });
});

describe("setting aside", () => {
  it("is all or nothing, and says which limits are in the way", () => {
    const { ledger } = held(reserve(createLedger({ steps: 3, cost: 1 }), { steps: 2, cost: 0.75 }));
    const refused = reserve(ledger, { steps: 2, cost: 0.5, tokens: 100 });
    expect(refused).toEqual({
      type: "refused",
      signals: [
        {
          reason: "steps_limit",
          message: "Of 3 steps 2 would be needed and 1 is left, with 2 set aside.",
          source: "budget",
          context: { currentSteps: 0, maxSteps: 3, reserved: 2, wanted: 2 },
        },
        {
          reason: "cost_limit",
          message: "Of 1 cost units 0.5 would be needed and 0.25 are left, with 0.75 set aside.",
          source: "budget",
          context: { cost: 0, maxCost: 1, reserved: 0.75, wanted: 0.5 },
        },
      ],
    });
    expect(held(reserve(ledger, { steps: 1, cost: 0.25 })).ledger.reserved).toMatchObject({ steps: 3, cost: 1 });
  });
  it("leaves the rest to others, and gives back what is not used", () => {
    const start = createLedger({ steps: 10, tokens: { total: 100, output: 50 }, seconds: 9, deadline: 70 });
    const { ledger } = held(reserve(start, { steps: 4, tokens: { input: 20, output: 30 } }));
    expect(remaining(ledger)).toEqual({ steps: 6, tokens: { total: 50, output: 20 }, seconds: 9, deadline: 70 });
    expect(remaining(release(ledger, { steps: 4, tokens: { input: 20, output: 30 } }))).toEqual(start.limits);
    const settled = settle(ledger, { steps: 4, tokens: { input: 20, output: 30 } }, { steps: 1, tokens: { input: 20, output: 3 }, active_ms: 1500 });
    expect(settled.overrun).toBeUndefined();
    expect(remaining(settled.ledger)).toEqual({ steps: 9, tokens: { total: 77, output: 47 }, seconds: 7.5, deadline: 70 });
  });
  it("accounts for what costs more than was set aside, and reports it", () => {
    const { ledger } = held(reserve(createLedger({ cost: 1, tokens: 100 }), { cost: 0.4, tokens: { input: 10, output: 20 } }));
    const { ledger: after, overrun } = settle(
      ledger,
      { cost: 0.4, tokens: { input: 10, output: 20 } },
      { cost: 1.5, tokens: { input: 5, output: 30, reasoning: 90 } },
    );
    expect(overrun).toEqual({ total: 95, output: 10, cost: 1.1 });
    expect([after.spent.cost, remaining(after), reasons(after)]).toEqual([1.5, { cost: 0, tokens: 0 }, ["token_limit", "cost_limit"]]);
  });
  it("refuses to give back what is not set aside", () => {
    const { ledger } = held(reserve(createLedger({ steps: 5 }), { steps: 2 }));
    expect(thrown(() => release(release(ledger, { steps: 2 }), { steps: 2 }))).toMatchObject({ code: "budget.invalid", details: { limit: "steps" } });
    expect(thrown(() => settle(ledger, { cost: 1 }, {}))).toMatchObject({ code: "budget.invalid", details: { limit: "cost" } });
  });
  it.each([{ steps: -1 }, { cost: Number.NaN }, { tokens: Infinity }, { tokens: { input: -5, output: 10 } }])("refuses %j", (amount) => {
    expect(thrown(() => reserve(createLedger({}), amount))).toMatchObject({ code: "budget.invalid" });
  });
  it("for a model call takes a step and the cost in full, and of the tokens what there is", () => {
    const ledger = createLedger({ steps: 2, cost: 1, tokens: { total: 50, input: 40 } });
    const first = held(reserveCall(ledger, { tokens: { input: 30, output: 4096 }, cost: 0.6 }));
    expect(first.amount).toEqual({ steps: 1, cost: 0.6, tokens: { input: 30, output: 4096, total: 50 } });
    expect(reserveCall(first.ledger, { tokens: { input: 30, output: 4096 }, cost: 0.6 })).toMatchObject({
      type: "refused",
      signals: [{ reason: "cost_limit" }, { reason: "token_limit" }],
    });
    expect(reserveCall(createLedger({ steps: 1 }, { steps: 1 }), {})).toMatchObject({ type: "refused", signals: [{ reason: "steps_limit" }] });
  });
  it("goes on in spite of the limits that are waived, and of no others", () => {
    const full = createLedger({ steps: 1, tokens: 5, cost: 1 }, { steps: 1, tokens: { input: 5 }, cost: 1 });
    const wanted = { tokens: { input: 5, output: 5 }, cost: 0.5 };
    expect(reserveCall(full, wanted, { waives: ["steps_limit", "token_limit", "cost_limit"] }).type).toBe("reserved");
    expect(reserveCall(full, wanted, { waives: ["steps_limit", "cost_limit"] })).toMatchObject({ signals: [{ reason: "token_limit" }] });
    expect(reserve(full, { steps: 1, cost: 0.5 }, { waives: ["steps_limit"] })).toMatchObject({ signals: [{ reason: "cost_limit" }] });
  });
});

describe("a child", () => {
  it("gets its own budget, capped by what is left to its parent", () => {
    const parent = createLedger({ steps: 10, cost: 5, deadline: 99 }, { steps: 4, cost: 1 });
    expect(held(reserveChild(parent, { steps: 20, tokens: 7, seconds: 3 }, { now: 0 })).budget).toEqual({
      steps: 6,
      cost: 4,
      tokens: 7,
      seconds: 3,
      deadline: 99,
    });
  });
  it("211: is charged to its parent, once, without the time that its parent has waited for it", () => {
    const share = held(reserveChild(createLedger({ steps: 10, tokens: 1000, seconds: 60 }), { steps: 5, tokens: 500 }, { now: 0 }));
    const { ledger, overrun } = settleChild(share.ledger, share.budget, {
      steps: 2,
      attempts: 1,
      tokens: { input: 300, output: 100 },
      active_ms: 9000,
      cost: 0.5,
    });
    expect([overrun, storedSpent(ledger.spent)]).toEqual([undefined, { steps: 2, attempts: 1, tokens: { input: 300, output: 100 }, cost: 0.5 }]);
    expect(remaining(ledger)).toEqual({ steps: 8, tokens: 600, seconds: 60 });
    expect(thrown(() => settleChild(ledger, share.budget, { steps: 2 }))).toMatchObject({ code: "budget.invalid" });
  });
  it("shares what is left with those that begin beside it, so that the first does not take all", () => {
    let ledger = createLedger({ steps: 10, cost: 1, tokens: { total: 100, output: 7 } });
    const shares = [3, 2, 1].map((siblings) => {
      const share = held(reserveChild(ledger, {}, { now: 0, siblings }));
      ({ ledger } = share);
      return share.budget;
    });
    expect(shares).toEqual([
      { steps: 3, cost: 0.333333333, tokens: { total: 33, output: 2 } },
      { steps: 3, cost: 0.333333333, tokens: { total: 33, output: 2 } },
      { steps: 4, cost: 0.333333334, tokens: { total: 34, output: 3 } },
    ]);
    expect(remaining(ledger)).toEqual({ steps: 0, cost: 0, tokens: { total: 0, output: 0 } });
  });
  it("is refused when there is nothing to share, and told why", () => {
    const { ledger } = held(reserveChild(createLedger({ steps: 3, deadline: 50 }), {}, { now: 0 }));
    expect(reserveChild(ledger, { steps: 1 }, { now: 0 })).toMatchObject({ type: "refused", signals: [{ reason: "steps_limit" }] });
    expect(reserveChild(createLedger({ cost: 1 }, { cost: 1 }), {}, { now: 0 })).toMatchObject({ signals: [{ reason: "cost_limit" }] });
    expect(reserveChild(createLedger({ deadline: 50 }), {}, { now: 50 })).toMatchObject({ signals: [{ reason: "deadline" }] });
    expect(reserveChild(createLedger({ steps: 1 }), {}, { now: 0, siblings: 2 })).toMatchObject({ signals: [{ reason: "steps_limit" }] });
  });
  it("with no room of its own gets it: it stops by itself", () => {
    expect(held(reserveChild(createLedger({ steps: 3 }), { steps: 0 }, { now: 0 })).budget).toEqual({ steps: 0 });
  });
});
