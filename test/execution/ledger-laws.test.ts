/** What holds of a ledger whatever parents and children do with it, in any order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addSpent,
  type Amount,
  amountLimits,
  amountsSpent,
  type Budget,
  capBudget,
  charge,
  createBudget,
  createLedger,
  createSpent,
  type Ledger,
  money,
  nothingSpent,
  release,
  remaining,
  reservable,
  reserve,
  reserveCall,
  reserveChild,
  settle,
  settleChild,
  type Spent,
  storedSpent,
} from "../../packages/throughline/src/execution/ledger.ts";

const count = fc.nat(40);
const cents = fc.nat(500).map((value) => value / 100);
const tokens = fc.record({ input: count, output: count, cache_read: count, cache_write: count, reasoning: count }, { requiredKeys: [] });
const amount: fc.Arbitrary<Amount> = fc.record({ steps: fc.nat(4), attempts: fc.nat(2), tokens, cost: cents }, { requiredKeys: [] });
const spending = fc
  .record({ steps: fc.nat(3), attempts: fc.nat(2), tokens, cost: cents, active_ms: fc.nat(900) }, { requiredKeys: [] })
  .map((parts) => createSpent(parts));
const budget: fc.Arbitrary<Budget> = fc.record(
  {
    steps: fc.nat(12),
    attempts: fc.nat(6),
    tokens: fc.oneof(fc.nat(200), fc.record({ total: fc.nat(200), input: fc.nat(90), cache_read: fc.nat(90) }, { requiredKeys: [] })),
    seconds: fc.nat(5),
    cost: cents,
    deadline: fc.nat(50),
  },
  { requiredKeys: [] },
);

/** An agent at work, as a tree: its own ledger, what it has set aside for calls, and its children, which may have children. */
interface Agent {
  ledger: Ledger;
  calls: Amount[];
  children: { agent: Agent; budget: Budget }[];
  /** What it has spent itself, and its children that have ended. */
  charged: Spent;
  /** By how much spending has exceeded what was set aside for it, here or below. */
  over: number;
}

const agentOf = (limits: Budget): Agent => ({ ledger: createLedger(limits), calls: [], children: [], charged: nothingSpent, over: 0 });

type Move =
  | { readonly type: "call" | "reserve"; readonly amount: Amount }
  | { readonly type: "settle" | "charge"; readonly spent: Spent }
  | { readonly type: "release" | "end" | "resume" }
  | { readonly type: "child"; readonly budget: Budget; readonly siblings: number };
const move: fc.Arbitrary<{ readonly path: readonly number[]; readonly move: Move }> = fc.record({
  /** Which agent of the tree does it: a child of a child of the root. */
  path: fc.array(fc.nat(2), { maxLength: 3 }),
  move: fc.oneof(
    fc.record({ type: fc.constantFrom("call" as const, "reserve" as const), amount }),
    fc.record({ type: fc.constantFrom("settle" as const, "charge" as const), spent: spending }),
    fc.record({ type: fc.constantFrom("release" as const, "end" as const, "resume" as const) }),
    fc.record({ type: fc.constant("child" as const), budget, siblings: fc.integer({ min: 1, max: 3 }) }),
  ),
});

/** Walks down the tree as far as there are children. */
function agentAt(root: Agent, path: readonly number[]): Agent {
  let agent = root;
  for (const step of path) agent = agent.children[step % Math.max(1, agent.children.length)]?.agent ?? agent;
  return agent;
}

function spend(agent: Agent, { ledger, overrun }: { readonly ledger: Ledger; readonly overrun: object | undefined }, spent: Spent): void {
  agent.ledger = ledger;
  agent.charged = addSpent(agent.charged, spent);
  if (overrun !== undefined) agent.over += 1;
}

/** Everything that it has under way comes to its end, and its children are charged to it. */
function end(agent: Agent): void {
  for (const call of agent.calls.splice(0)) agent.ledger = release(agent.ledger, call);
  for (const { agent: child, budget: share } of agent.children.splice(0)) {
    end(child);
    const spent = child.ledger.spent;
    spend(agent, settleChild(agent.ledger, share, storedSpent(spent)), { ...spent, active_ms: 0 });
    agent.over += child.over;
  }
}

function does(agent: Agent, given: Move): void {
  switch (given.type) {
    case "call":
    case "reserve": {
      const plain = reserve(agent.ledger, given.amount);
      const reserved = given.type === "call" ? reserveCall(agent.ledger, given.amount) : { ...plain, amount: given.amount };
      if (reserved.type === "refused") return;
      agent.ledger = reserved.ledger;
      agent.calls.push(reserved.amount);
      return;
    }
    case "settle": {
      const call = agent.calls.shift();
      if (call !== undefined) spend(agent, settle(agent.ledger, call, given.spent), given.spent);
      return;
    }
    case "charge":
      agent.over += 1;
      return spend(agent, { ledger: charge(agent.ledger, given.spent), overrun: undefined }, given.spent);
    case "release": {
      const call = agent.calls.pop();
      if (call !== undefined) agent.ledger = release(agent.ledger, call);
      return;
    }
    case "end":
      return end(agent);
    case "resume":
      // Whoever goes on after a crash knows the limits and what is on record, and has nothing under way.
      end(agent);
      agent.ledger = createLedger(JSON.parse(JSON.stringify(agent.ledger.limits)) as Budget, storedSpent(agent.ledger.spent));
      return;
    case "child": {
      const share = reserveChild(agent.ledger, given.budget, { now: 10, siblings: given.siblings });
      if (share.type === "refused") return;
      agent.ledger = share.ledger;
      agent.children.push({ agent: agentOf(share.budget), budget: share.budget });
    }
  }
}

/** Every agent of the tree. */
const everyone = (root: Agent): readonly Agent[] => [root, ...root.children.flatMap(({ agent }) => everyone(agent))];

/** What is spent and set aside against each limit. */
function used({ ledger }: Agent): readonly (readonly [name: string, used: number, limit: number])[] {
  const spent = amountsSpent(ledger.spent);
  const limits = amountLimits(ledger.limits);
  return reservable.flatMap((name) => {
    const limit = limits[name];
    return limit === undefined ? [] : [[name, money(spent[name] + (ledger.reserved[name] ?? 0)), limit] as const];
  });
}

const numbersIn = ({ ledger: { spent, reserved, ...ledger } }: Agent): readonly number[] => {
  const left = remaining({ ...ledger, spent, reserved });
  const { tokens: of = 0, ...others } = left;
  return [
    ...Object.values(amountsSpent(spent)),
    spent.active_ms,
    ...Object.values(reserved),
    ...Object.values(others),
    ...(typeof of === "number" ? [of] : Object.values(of)),
  ];
};

describe("in a tree of agents that spend side by side", () => {
  it("limits hold for what is spent and set aside, nothing is negative, and nothing that is spent is forgotten", () => {
    fc.assert(
      fc.property(budget, fc.array(move, { maxLength: 60 }), (limits, moves) => {
        const root = agentOf(limits);
        for (const { path, move: given } of moves) {
          const agent = agentAt(root, path);
          const before = everyone(root).map((one) => ({ one, spent: amountsSpent(one.ledger.spent), used: used(one), over: one.over }));
          does(agent, given);
          for (const one of everyone(root)) expect(numbersIn(one).every((number) => number >= 0)).toBe(true);
          for (const { one, spent, used: was, over } of before) {
            const now = amountsSpent(one.ledger.spent);
            // Monotone: by itself, and for each kind of tokens.
            for (const name of reservable) expect(now[name]).toBeGreaterThanOrEqual(spent[name]);
            // A limit that held goes on to hold, unless something cost more than was set aside for it, which is reported.
            const broken = used(one).filter(([, sum, limit], index) => sum > limit && (was[index]?.[1] ?? 0) <= limit);
            expect(one.over === over ? broken : []).toEqual([]);
          }
        }
        end(root);
        // Each child's spending is its parent's, exactly once; what was set aside is given back.
        expect(root.ledger.spent).toEqual(root.charged);
        expect(Object.values(root.ledger.reserved).every((held) => held === 0)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("limits hold at all times when nothing costs more than was set aside for it", () => {
    /** As much of the amount as there is, by fractions of a half. */
    const within = fc.constantFrom(0, 0.5, 1);
    const script = fc.array(fc.record({ path: fc.array(fc.nat(2), { maxLength: 3 }), amount, budget, part: within, act: fc.nat(3) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(budget, script, (limits, steps) => {
        const root = agentOf(limits);
        let total = nothingSpent;
        for (const { path, amount: wanted, budget: own, part, act } of steps) {
          const agent = agentAt(root, path);
          const call = act === 0 ? agent.calls.shift() : undefined;
          if (call !== undefined) {
            const { steps: many = 0, attempts = 0, cost = 0, tokens: kinds = {} } = call;
            const { total: _total, ...each } = typeof kinds === "number" ? { total: kinds } : kinds;
            const spent = createSpent({
              steps: Math.floor(many * part),
              attempts: Math.floor(attempts * part),
              cost: money(cost * part),
              tokens: Object.fromEntries(Object.entries(each).map(([kind, value]) => [kind, Math.floor(value * part)])),
            });
            spend(agent, settle(agent.ledger, call, spent), spent);
            total = addSpent(total, spent);
          } else if (act === 1) does(agent, { type: "child", budget: own, siblings: 1 });
          else if (act === 2) does(agent, { type: "reserve", amount: wanted });
          else if (act === 3 && part === 0) does(agent, { type: "resume" });
          for (const one of everyone(root)) {
            expect(one.over).toBe(0);
            for (const [name, sum, limit] of used(one)) expect([name, sum <= limit]).toEqual([name, true]);
          }
        }
        end(root);
        expect(root.ledger.spent).toEqual(total);
      }),
      { numRuns: 300 },
    );
  });

  it("shares of siblings are never more than there is, and nothing of it is lost", () => {
    fc.assert(
      fc.property(budget, fc.integer({ min: 1, max: 5 }), (limits, siblings) => {
        let ledger = createLedger(limits);
        for (let left = siblings; left >= 1; left -= 1) {
          const share = reserveChild(ledger, {}, { now: -1, siblings: left });
          if (share.type === "reserved") ({ ledger } = share);
        }
        const { seconds: _seconds, deadline: _deadline, ...rest } = remaining(ledger);
        const all = reserveChild(createLedger(limits), {}, { now: -1 });
        if (all.type === "reserved") expect(Object.values(amountLimits(rest)).every((left) => left === 0)).toBe(true);
      }),
    );
  });
});

describe("capping", () => {
  it("128: is the same either way round, in any grouping, and twice", () => {
    fc.assert(
      fc.property(budget, budget, budget, (a, b, c) => {
        expect(capBudget(a, b)).toEqual(capBudget(b, a));
        expect(capBudget(capBudget(a, b), c)).toEqual(capBudget(a, capBudget(b, c)));
        expect(capBudget(a, a)).toEqual(createBudget(a));
        expect(capBudget(a, {})).toEqual(createBudget(a));
      }),
    );
  });
});
