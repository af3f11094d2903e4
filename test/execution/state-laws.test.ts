/** What holds of an agent's state whatever has happened to it: it is written and read back whole, and its cost is what happened. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAgentState, withMetadata, withModel, withoutMetadata, type AgentState } from "../../packages/throughline/src/execution/agent-state.ts";
import {
  clearMessages,
  compactionRange,
  conversation,
  withAppendedMessages,
  withBuffer,
  withMessages,
  withSummary,
  withUserMessage,
} from "../../packages/throughline/src/execution/conversation.ts";
import { errorsOf, usageOf } from "../../packages/throughline/src/execution/read.ts";
import { agentStateFromJSON, agentStateToJSON, messageLog } from "../../packages/throughline/src/execution/state-json.ts";
import type { ToolOutcome } from "../../packages/throughline/src/state/tool-outcome.ts";
import {
  beginExecution,
  closeStep,
  failExecution,
  finishExecution,
  forNextExecution,
  openStep,
  pauseExecution,
  recordError,
  recordResponse,
  recordToolResult,
  requestContinuation,
  requestStop,
  resumeExecution,
} from "../../packages/throughline/src/execution/transitions.ts";
import { stopReasons, type StopReason } from "../../packages/throughline/src/execution/step.ts";
import { ThroughlineError, type ErrorInfo } from "../../packages/throughline/src/kernel/error.ts";
import type { ExecutionId } from "../../packages/throughline/src/kernel/id.ts";
import { json } from "../kernel/arbitraries.ts";

const error: ErrorInfo = { code: "tool.failed", message: "it broke", hint: "h", details: { n: 1 } };
const outcome: fc.Arbitrary<ToolOutcome> = fc.oneof(
  json.map((value): ToolOutcome => ({ type: "ok", value })),
  fc.constantFrom<ToolOutcome>(
    { type: "error", error },
    { type: "blocked", by: "p", reason: "r" },
    { type: "skipped", reason: "s" },
    { type: "unknown" },
  ),
);
const id = fc.constantFrom("a", "b", "c");
const change = { at: 0 };
type Move = (state: AgentState, at: number) => AgentState;

/** Everything that can happen, in any order; what the phase does not allow changes nothing. */
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.constantFrom<Move>(
    (state, at) => beginExecution(state, { execution_id: `exe_${at}` as ExecutionId, at }),
    (state, at) => openStep(state, { at }),
    (state, at) => closeStep(state, { at }),
    (state, at) => pauseExecution(state, "approval", { at }),
    (state, at) => resumeExecution(state, { at }),
    (state, at) => finishExecution(state, { at }),
    (state, at) => failExecution(state, error, { at }),
    (state, at) => forNextExecution(state, { at }),
    (state, at) => recordError(state, error, { at }),
    (state, at) => clearMessages(state, { at }),
    (state, at) => withModel(state, at % 2 === 0 ? undefined : "fast", { at }),
  ),
  fc.tuple(fc.string({ maxLength: 4 }), fc.uniqueArray(id, { maxLength: 3 })).map(
    ([text, ids]): Move =>
      (state, at) =>
        recordResponse(
          openStep(state, { at }),
          {
            text,
            calls: ids.map((call_id) => ({ call_id, name: "look", arguments: { text } })),
            usage: { input: at, output: 1, cache_write: 0, cache_read: 0, reasoning: 0.5 },
            finish_reason: "stop",
          },
          { at },
        ),
  ),
  fc.tuple(id, outcome).map(
    ([call_id, result]): Move =>
      (state, at) =>
        recordToolResult(state, { call_id, result, started_at: at }, { at }),
  ),
  fc.constantFrom(...(Object.keys(stopReasons) as StopReason[])).map(
    (reason): Move =>
      (state, at) =>
        requestStop(state, { reason, message: "m", context: { at } }, { at }),
  ),
  fc.constantFrom("step" as const, "execution" as const).map(
    (lasts): Move =>
      (state, at) =>
        requestContinuation(state, { waives: ["steps_limit"], lasts }, { at }),
  ),
  fc.tuple(fc.constantFrom("k", "__proto__", "constructor"), json).map(
    ([key, value]): Move =>
      (state, at) =>
        withMetadata(state, key, value, { at }),
  ),
  fc.constant<Move>((state, at) => withoutMetadata(state, "k", { at })),
  fc.string({ maxLength: 5 }).map(
    (text): Move =>
      (state, at) =>
        withUserMessage(state, text, { at }),
  ),
  fc.tuple(id, fc.boolean()).map(
    ([call_id, asks]): Move =>
      (state, at) =>
        withAppendedMessages(
          state,
          [asks ? { role: "assistant", text: "", calls: [{ call_id, name: "n", arguments: {} }] } : { role: "tool", text: "r", call_id }],
          { section: "messages", at },
        ),
  ),
  fc.constant<Move>((state, at) => withMessages(state, [{ role: "user", text: "anew" }], { at })),
  fc.nat(4).map((keep): Move => (state, at) => {
    const range = compactionRange(state, { keep });
    return range === undefined ? state : withSummary(state, { ...range, text: "so far" }, { at });
  }),
  fc.nat(4).map(
    (keep): Move =>
      (state, at) =>
        withBuffer(state, compactionRange(state, { keep })?.to ?? 0, { at }),
  ),
);

const reached = (moves: readonly Move[]): readonly AgentState[] => {
  const states = [createAgentState({ agent_id: "agt", at: 0, system_prompt: "SYS" })];
  moves.forEach((next, index) => {
    const state = states.at(-1) as AgentState;
    try {
      states.push(next(state, index + 1));
    } catch (caught) {
      // A range that compactionRange gives is always legal: only phases and repeated results may be refused.
      if (!ThroughlineError.is(caught, "execution.phase", "input.invalid") || /separate|covers|would cut/.test(caught.message)) throw caught;
    }
  });
  return states;
};
const stored = (state: AgentState, full: boolean): unknown => JSON.parse(JSON.stringify(agentStateToJSON(state, { full })));

describe("any state that can be reached", () => {
  it("165, 168, 170, 171: is the same after writing and reading it, in full and by reference", () =>
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), fc.boolean(), (moves, full) => {
        const state = reached(moves).at(-1) as AgentState;
        const written = stored(state, full);
        const read = agentStateFromJSON(written, full ? {} : { messages: JSON.parse(JSON.stringify(messageLog(state))) as never });
        expect(read).toEqual(state);
        expect(stored(read, full)).toEqual(written);
        expect([errorsOf(read), usageOf(read)]).toEqual([errorsOf(state), usageOf(state)]);
      }),
      { numRuns: 250 },
    ));
  it("never changes what it was made from, and never goes back in time", () =>
    fc.assert(
      fc.property(fc.array(move, { maxLength: 15 }), (moves) => {
        const states = reached(moves);
        const before = states.map((state) => JSON.stringify(agentStateToJSON(state, { full: true })));
        reached(moves);
        expect(states.map((state) => JSON.stringify(agentStateToJSON(state, { full: true })))).toEqual(before);
        expect(states.map(({ updated_at }) => updated_at)).toEqual(
          states.map(({ updated_at }) => updated_at).toSorted((left, right) => left - right),
        );
      }),
      { numRuns: 60 },
    ));
  it("shows each call with exactly one result right after it", () =>
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), fc.constantFrom("none" as const, "current" as const, "all" as const), (moves, traces) => {
        let due: string[] = [];
        for (const message of conversation(reached(moves).at(-1) as AgentState, { traces })) {
          if (message.role === "tool") expect(message.call_id).toBe(due.shift());
          else {
            expect(due).toEqual([]);
            due = (message.calls ?? []).map(({ call_id }) => call_id);
          }
        }
        expect(due).toEqual([]);
      }),
      { numRuns: 250 },
    ));
});

/** A state after `steps` steps with a call each. */
function after(steps: number): AgentState {
  let state = beginExecution(createAgentState({ agent_id: "agt", at: 0 }), { execution_id: "exe_1" as ExecutionId, at: 0 });
  for (let at = 1; at <= steps; at++) {
    const call = { call_id: `c${at}`, name: "look", arguments: { at } };
    const usage = { input: 1, output: 1, cache_write: 0, cache_read: 0, reasoning: 0 };
    state = recordResponse(openStep(state, { at }), { text: "looking", calls: [call], usage, finish_reason: "tool_calls" }, { at });
    state = closeStep(recordToolResult(state, { call_id: call.call_id, result: { type: "ok", value: "found" }, started_at: at }, { at }), { at });
  }
  return state;
}

describe("the cost of an execution", () => {
  const bytes = (steps: number, full: boolean): number => JSON.stringify(agentStateToJSON(after(steps), { full })).length;
  it.each([false, true])("a thousand steps take ten times the bytes of a hundred (full: %s)", (full) => {
    const ratio = bytes(1000, full) / bytes(100, full);
    expect(ratio).toBeGreaterThan(8);
    expect(ratio).toBeLessThan(11);
  });
  it("ten thousand steps take little more than ten times the work of a thousand", () => {
    // Processor time, because a busy machine lengthens every other measure.
    const ms = (steps: number): number => {
      const before = process.cpuUsage();
      after(steps);
      return process.cpuUsage(before).user / 1_000;
    };
    ms(1000);
    const few = Math.min(ms(1000), ms(1000), ms(1000));
    // A quadratic one would take a hundred times as long.
    expect(Math.min(ms(10_000), ms(10_000)) / few).toBeLessThan(35);
  });
});

describe("what is read", () => {
  const full = (): Record<string, unknown> => stored(after(2), true) as Record<string, unknown>;
  /** The JSON with one place changed. */
  const spoilt = (path: string, value: unknown): unknown => {
    const root = full();
    const keys = path.slice(1).split("/");
    const last = keys.pop() ?? "";
    const parent = keys.reduce<Record<string, unknown>>((current, key) => current[key] as Record<string, unknown>, root);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
    return root;
  };
  it("has a version", () => expect(full()).toMatchObject({ schema: "throughline.agent_state", version: 1 }));
  it.each<[string, unknown, string?]>([
    ["/schema", "other"],
    ["/version", 2],
    ["/agent_id", undefined],
    ["/agent_id", ""],
    ["/surprise", 1],
    ["/created_at", "2026-01-01"],
    ["/updated_at", -1],
    ["/execution_count", 0],
    ["/context/messages/1/id", 7],
    ["/context/messages/0/role", "robot"],
    ["/context/messages/0/tags/is_trace", false],
    ["/context/messages/2/extra", null],
    ["/context/sections/messages/0", { from: 0, to: 99 }],
    ["/context/summaries", [{ from: 0, to: 9, text: "s", created_at: 0 }], "/context/summaries/0"],
    ["/context/summaries", [0, 1].map((from) => ({ from, to: 2, text: "s", created_at: 0 })), "/context/summaries/1/from"],
    ["/execution/phase", "asleep"],
    ["/execution/started_at", "bad"],
    ["/execution/started_at", ""],
    ["/execution/ended_at", 5],
    ["/execution/steps/0/step_id", "stp_9"],
    ["/execution/steps/1/tool_executions", []],
    ["/execution/steps/0/tool_executions/0/result/type", "Exception"],
    ["/execution/steps/0/tool_executions/0/call_id", "zz", "/execution/steps/0/tool_executions/0"],
    ["/execution/steps/0/errors/0", { code: "SomeException", message: "m", hint: "h" }, "/execution/steps/0/errors/0/code"],
    ["/execution/steps/0/signals_upto", 1],
    ["/execution/signals/0", { reason: "because", message: "" }, "/execution/signals/0/reason"],
  ])("166: is refused with the path when %s is %j", (path, value, named = path) => {
    let caught: unknown;
    try {
      agentStateFromJSON(spoilt(path, value));
    } catch (thrown) {
      caught = thrown;
    }
    expect(caught).toMatchObject({ code: "execution.invalid", details: { path: named } });
  });
  it.each([null, [], "text", {}])("refuses %j", (value) =>
    expect(() => agentStateFromJSON(value)).toThrow(expect.objectContaining({ code: "execution.invalid" }) as Error),
  );
  it("needs the log for a state that refers to it", () => {
    const written = agentStateToJSON(after(2));
    expect(() => agentStateFromJSON(written)).toThrow(expect.objectContaining({ code: "execution.invalid" }) as Error);
    expect(() => agentStateFromJSON(written, { messages: messageLog(after(1)) })).toThrow(/refers to 4 messages, and 2 were given/);
    expect(agentStateFromJSON(written, { messages: messageLog(after(3)) })).toEqual(after(2));
  });
  it("173: keeps milliseconds, the format and the prompt", () => {
    const state = withMetadata(
      createAgentState({ agent_id: "a", parent_agent_id: "p", at: 1_700_000_000_123, system_prompt: "SYS" }),
      "locale",
      "en",
      change,
    );
    expect(agentStateFromJSON(stored(state, true))).toEqual(state);
    expect(agentStateToJSON(state)["created_at"]).toBe(1_700_000_000_123);
  });
});
