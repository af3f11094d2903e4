/** The law of executions: at every point a hook is given what the log shows then, in whichever process, and the log shows the same afterwards. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRuntime, hook, type Hook, type Session, type Store, type TurnResult } from "../../../packages/throughline/src/index.ts";
import {
  agentStateFromJSON,
  agentStateToJSON,
  currentStep,
  executionIdOf,
  lastStep,
  statusOf,
  stepCalls,
  stepCount,
  stepText,
  type AgentState,
} from "../../../packages/throughline/src/execution.ts";
import { answeredMessage, executionFromLog, stateOfTurn, withoutSettled } from "../../../packages/throughline/src/execution/from-log.ts";
import { hookPoints } from "../../../packages/throughline/src/runtime/hooks/points.ts";
import { isPlainObject } from "../../../packages/throughline/src/kernel/json.ts";
import { inputsOf } from "../../../packages/throughline/src/session/session-messages.ts";
import type { Event } from "../../../packages/throughline/src/session/event.ts";
import type { Commit } from "../../../packages/throughline/src/store/port.ts";
import { mortalStore } from "../../../packages/throughline/src/testing/mortal-store.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { collect, emptyStore } from "../harness.ts";
import { agentOf, world, type World } from "./random-agents.ts";

const numRuns = Number(process.env["LAW_RUNS"] ?? 60);

interface Seen {
  readonly point: string;
  readonly state: AgentState;
}

const watching = (seen: Seen[]): Hook =>
  hook(
    "watch",
    Object.fromEntries(hookPoints.map((point) => [point, ({ execution }: { execution: AgentState }) => void seen.push({ point, state: execution })])),
  );

/** Neither the error that a fallback answered nor an answer that `onStop` goes on after is on record, so both are left out. */
const recorded = (one: World): World => ({
  ...one,
  hooks: one.hooks.map((kind) => (kind.does === "saves" ? { ...kind, at: 1 } : kind.does === "waives" ? { ...kind, does: "goes on" } : kind)),
});
/** Goes on in spite of limits and of other hooks. */
const waiving = hook("waiving", {
  onStop: ({ stop, execution }) => (stop.reason !== "completed" && stepCount(execution) < 4 ? { continue: { waives: [stop.reason] } } : undefined),
});

const hooks = fc.constantFrom<readonly Hook[]>([], [waiving]);

const times = new Set(["created_at", "updated_at", "started_at", "ended_at"]);

/**
 * A state without what the log tells later, or does not tell: times are the commit's, a signal raised beside an answer without calls may have come before or
 * after it, and the numbers of a limit that stopped the turn are not kept.
 */
function comparable(state: AgentState): unknown {
  return JSON.parse(
    JSON.stringify(agentStateToJSON(state, { full: true }), (key, value: unknown) => {
      if (times.has(key)) return 0;
      if (key === "signal") return { reason: (value as { reason: string }).reason, message: (value as { message: string }).message };
      if (key === "signals_upto") return undefined;
      // The order of keys is no part of a value.
      return isPlainObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))) : value;
    }),
  );
}

/** What readers of these events are shown; `answer`: with the text of the last step, which enters the log when the next step begins or the turn ends. */
function shown(before: AgentState, id: string, events: readonly Event[], all: readonly Event[]): readonly AgentState[] {
  const execution_id = executionIdOf(id as never);
  const plain = executionFromLog(before, execution_id, events);
  const last = currentStep(plain);
  const isAnswer = (event: Event): boolean =>
    event.kind === "message" && event.data.origin?.step_id === last?.step_id && event.data.origin?.stands_in === undefined;
  const answer = last === undefined || stepCalls(last).length > 0 ? undefined : all.find(isAnswer);
  const answered = answer === undefined || events.includes(answer) ? [] : [executionFromLog(before, execution_id, [...events, answer])];
  return [plain, withoutSettled(plain, 0), ...answered];
}

const finalStep = (state: AgentState): string | undefined => {
  const step = lastStep(state);
  return step === undefined || stepCalls(step).length > 0 ? undefined : stepText(step);
};

/** The execution; `isUnsaid`: without the text of its last step. */
function executionIn(state: AgentState, isUnsaid: boolean): unknown {
  const { execution } = comparable(state) as { execution: { steps: { response: object; output: object }[] } };
  const steps = execution.steps.map((step, index) =>
    isUnsaid && index === execution.steps.length - 1 ? { ...step, response: { ...step.response, text: "" }, output: {} } : step,
  );
  return { ...execution, steps };
}

async function beforeOf(session: Session, events: readonly Event[]): Promise<AgentState> {
  const info = await session.info();
  const causes = events.flatMap((event) => (event.kind === "message" && event.source === "customer" ? [event] : []));
  const answered = inputsOf(causes).map((message) => ({ ...answeredMessage(message), at: 0 }));
  return stateOfTurn({ agent_id: "a1", created_at: info.created_at, number: 1, answered });
}

/** Decides what the turn waits for until it has ended. */
async function decided(session: Session, first: TurnResult, { words }: World): Promise<TurnResult> {
  let outcome = first;
  for (let word = 0; outcome.status === "paused"; word++) {
    const [call] = (await session.pending()).calls;
    if (call === undefined || word > 60) throw new Error("A paused turn waits for something.");
    const said = words[word % words.length] ?? "reject";
    const { call_id, arguments_hash, index, kind } = call;
    const fits = kind === "question" ? said === "answer" : said === "approve" || said === "edit";
    const decision = fits || said === "nonsense" ? said : "reject";
    await session.decide({ call_id, arguments_hash, index, decision, arguments: { n: 7 }, answer: "This one." });
    outcome = await session.outcome(outcome.offset);
  }
  return outcome;
}

/** A store whose process dies after some commits of a turn. */
function dyingAfter(below: Store, commits: number): Store {
  const mortal = mortalStore(below);
  let left = commits;
  const commit = (given: Commit): ReturnType<Store["commit"]> =>
    mortal.store.commit(given).then((result) => {
      if (given.session?.depends?.epoch !== undefined && --left === 0) mortal.die();
      return left === 0 ? new Promise<never>(() => {}) : result;
    });
  return { ...forwarding(mortal.store), commit };
}

async function expectLaw(session: Session, seen: readonly Seen[], outcome: TurnResult): Promise<void> {
  const turn_id = outcome.turn_id ?? "";
  const events = (await collect(session)).filter((event) => event.turn_id === turn_id);
  const own = events.filter(({ kind, source }) => kind === "turn" || kind === "tool" || (kind === "message" && source === "ai_agent"));
  const before = await beforeOf(session, events);
  let from = 1;
  // What is said in the end enters the log after the last point, which is looked at below.
  for (const { point, state } of seen.filter((one) => one.point !== "afterExecution")) {
    const wanted = JSON.stringify(comparable(state));
    const at = Array.from({ length: own.length + 1 - from }, (_, index) => from + index).find((upto) =>
      shown(before, turn_id, own.slice(0, upto), own).some((one) => JSON.stringify(comparable(one)) === wanted),
    );
    if (at === undefined)
      expect({ point, state: comparable(state) }).toEqual({ point, state: comparable(shown(before, turn_id, own, own)[0] ?? before) });
    from = at ?? from;
  }
  const read = await session.execution(turn_id);
  expect(agentStateFromJSON(JSON.parse(JSON.stringify(agentStateToJSON(read, { full: true }))))).toEqual(read);
  expect(statusOf(read)).toBe(outcome.status);
  const last = seen.findLast(({ point }) => point === "afterExecution")?.state;
  // A turn with a blank answer fails after its execution.
  if (last !== undefined && statusOf(last) === outcome.status) {
    // What was said and is no reply, such as a filtered answer, is in no message.
    const isUnsaid = finalStep(read) === "" && outcome.status !== "completed";
    expect(executionIn(read, isUnsaid)).toEqual(executionIn(last, isUnsaid));
  }
}

describe("an execution", () => {
  test("is at every point of a turn what the log shows, and stays so", { timeout: 60_000 + numRuns * 200 }, async () => {
    await fc.assert(
      fc.asyncProperty(world.map(recorded), hooks, async (one, others) => {
        const seen: Seen[] = [];
        const { agent } = agentOf(one, [watching(seen), ...others]);
        const runtime = await createRuntime({ store: await emptyStore("memory"), agents: [agent], leaseMs: 60_000, heartbeatMs: 5_000, pollMs: 20 });
        try {
          const session = await runtime.sessions.create({ agent: "a1" });
          const outcome = await decided(session, await session.send("go"), one);
          await expectLaw(session, seen, outcome);
        } finally {
          await runtime.close({ drainMs: 0 });
        }
      }),
      { numRuns },
    );
  });

  test("is the same to the process that takes over after a crash, and to readers before it does", { timeout: 60_000 + numRuns * 400 }, async () => {
    await fc.assert(
      fc.asyncProperty(world.map(recorded), hooks, fc.integer({ min: 1, max: 6 }), async (one, others, commits) => {
        const below = await emptyStore("memory");
        const settings = { leaseMs: 400, heartbeatMs: 100, pollMs: 10 };
        const first = await createRuntime({ ...settings, store: dyingAfter(below, commits), agents: [agentOf(one, others).agent] });
        const session = await first.sessions.create({ agent: "a1" });
        const sent = await Promise.race([session.post("go"), new Promise<undefined>((resolve) => setTimeout(resolve, 60, undefined))]);
        await new Promise((resolve) => setTimeout(resolve, 60));
        void first.close({ drainMs: 0 });
        if (sent?.turn_id === undefined) return;

        const reading = await createRuntime({ store: below, agents: [agentOf(one, others).agent], work: false });
        const left = await (await reading.sessions.get(session.id)).execution(sent.turn_id);
        expect(agentStateFromJSON(JSON.parse(JSON.stringify(agentStateToJSON(left, { full: true }))))).toEqual(left);
        await reading.close({ drainMs: 0 });

        const seen: Seen[] = [];
        const second = await createRuntime({ ...settings, store: below, agents: [agentOf(one, [watching(seen), ...others]).agent] });
        try {
          const taken = await second.sessions.get(session.id);
          const outcome = await decided(taken, await taken.outcome(sent.offset), one);
          await expectLaw(taken, seen, outcome);
        } finally {
          await second.close({ drainMs: 0 });
        }
      }),
      { numRuns: Math.ceil(numRuns / 4) },
    );
  });
});
