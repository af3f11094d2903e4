/** An agent's state as a value: what each transition does, and what can be read. */
import { describe, expect, it } from "vitest";
import { AppendList } from "../../packages/throughline/src/execution/append-list.ts";
import {
  clearMessages,
  compactionRange,
  conversation,
  messagesIn,
  withAppendedMessages,
  withBuffer,
  withMessages,
  withSummary,
  withUserMessage,
} from "../../packages/throughline/src/execution/conversation.ts";
import {
  createAgentState,
  withMetadata,
  withModel,
  withoutMetadata,
  withParent,
  withResponseFormat,
  withSystemPrompt,
  type AgentState,
} from "../../packages/throughline/src/execution/agent-state.ts";
import { type StepResponse, type StopReason, type StopSignal, valueOf, wasBlocked } from "../../packages/throughline/src/execution/step.ts";
import {
  continuationOf,
  currentResponse,
  currentStep,
  currentStepOrLast,
  debug,
  errorsOf,
  executionDuration,
  explain,
  finalResponse,
  hasErrors,
  hasFinalResponse,
  lastStep,
  lastStepType,
  lastToolExecution,
  shouldStop,
  statusOf,
  stepCount,
  stepDuration,
  stepsOf,
  stopSignalOf,
  usageOf,
} from "../../packages/throughline/src/execution/read.ts";
import { agentStateFromJSON, agentStateToJSON } from "../../packages/throughline/src/execution/state-json.ts";
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
import type { ErrorInfo } from "../../packages/throughline/src/kernel/error.ts";
import type { ExecutionId } from "../../packages/throughline/src/kernel/id.ts";

let now = 1000;
const tick = (): { readonly at: number } => ({ at: ++now });
const fresh = (): AgentState => createAgentState({ agent_id: "agt", at: ++now });
const begun = (state = fresh(), id = "exe_1"): AgentState => beginExecution(state, { execution_id: id as ExecutionId, ...tick() });
const says = (text: string, ids: readonly string[] = []): StepResponse => ({
  text,
  calls: ids.map((call_id) => ({ call_id, name: "look", arguments: { id: call_id } })),
  usage: { input: 1, output: 2, cache_write: 0, cache_read: 0, reasoning: 0 },
  finish_reason: ids.length > 0 ? "tool_calls" : "stop",
});
const answered = (state: AgentState, text: string, ids: readonly string[] = []): AgentState =>
  recordResponse(openStep(state, tick()), says(text, ids), tick());
const ran = (state: AgentState, call_id: string, value: unknown = call_id): AgentState =>
  recordToolResult(state, { call_id, result: { type: "ok", value: value as never }, started_at: now }, tick());
/** A closed step: F answers, T runs a tool, E has an error. */
const F = (state: AgentState, text = "answer"): AgentState => closeStep(answered(state, text), tick());
const T = (state: AgentState, text = "", id = "c"): AgentState => closeStep(ran(answered(state, text, [id]), id), tick());
const error: ErrorInfo = { code: "tool.failed", message: "x", hint: "h" };
const E = (state: AgentState): AgentState =>
  closeStep(recordToolResult(answered(state, "", ["e"]), { call_id: "e", result: { type: "error", error }, started_at: now }, tick()), tick());
const signal = (reason: StopReason, more: Partial<StopSignal> = {}): StopSignal => ({ reason, message: "", ...more });
const texts = (state: AgentState, options = {}): readonly string[] => conversation(state, options).map(({ role, text }) => `${role} ${text}`);
const thrown = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (caught) {
    return caught;
  }
};

describe("a state", () => {
  it("001: has nothing to tell at first", () => {
    const state = fresh();
    expect([statusOf(state), stepCount(state), hasErrors(state), shouldStop(state), state.execution_count]).toEqual(["pending", 0, false, true, 0]);
    expect([executionDuration(state, now), currentStep(state), lastStep(state), finalResponse(state), stopSignalOf(state)]).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
    expect(continuationOf(state)).toEqual({ next: "stop", because: "no_execution" });
  });
  it("003: keeps when it was made and notes when it changed; a clock that was set back changes neither", () => {
    const state = fresh();
    const after = withMessages(state, [{ role: "user", text: "hi" }], { at: state.created_at + 5 });
    expect([after.created_at, after.updated_at]).toEqual([state.created_at, state.created_at + 5]);
    expect(withUserMessage(after, "x", { at: 1 }).updated_at).toBe(after.updated_at);
  });
  it.each<[string, (state: AgentState) => AgentState]>([
    ["a step that is not open is closed", (state) => closeStep(state, tick())],
    ["nothing is appended", (state) => withAppendedMessages(state, [], tick())],
    ["metadata is what it was", (state) => withMetadata(state, "k", { a: 1 }, tick())],
    ["metadata that is not there is removed", (state) => withoutMetadata(state, "no", tick())],
    ["the prompt is what it was", (state) => withSystemPrompt(state, "SYS", tick())],
    ["the format is what it was", (state) => withResponseFormat(state, null, tick())],
    ["the model is what it was", (state) => withModel(state, "fast", tick())],
    ["the parent is what it was", (state) => withParent(state, undefined, tick())],
    ["nothing is cleared", (state) => clearMessages(state, tick())],
    ["nothing is buffered", (state) => withBuffer(state, 0, tick())],
  ])("005: is the same value when %s", (_name, change) => {
    const state = withModel(withSystemPrompt(withMetadata(begun(), "k", { a: 1 }, tick()), "SYS", tick()), "fast", tick());
    expect(change(state)).toBe(state);
  });
  it("006: never begins an execution by itself", () => {
    for (const change of [
      () => requestStop(fresh(), signal("completed"), tick()),
      () => openStep(fresh(), tick()),
      () => recordError(fresh(), error, tick()),
      () => finishExecution(fresh(), tick()),
      () => failExecution(fresh(), error, tick()),
    ])
      expect(thrown(change)).toMatchObject({ code: "execution.phase" });
  });
  it("008: clears what can be cleared, by name", () => {
    const state = withParent(withModel(withMetadata(fresh(), "k", 1, tick()), "fast", tick()), "par", tick());
    const cleared = withParent(withModel(withoutMetadata(state, "k", tick()), undefined, tick()), undefined, tick());
    expect([Object.hasOwn(cleared, "model"), Object.hasOwn(cleared, "parent_agent_id"), cleared.context.metadata]).toEqual([false, false, {}]);
    expect(forNextExecution(finishExecution(F(begun()), tick()), tick()).execution).toEqual({ phase: "idle" });
  });
  it.each([[{ agent_id: "", at: 1 }], [{ agent_id: "a", at: 1.5 }], [{ agent_id: "a", parent_agent_id: " ", at: 1 }]])("010: refuses %j", (given) =>
    expect(thrown(() => createAgentState(given))).toMatchObject({ code: "input.invalid" }),
  );
  it("011: takes what a user says", () =>
    expect(messagesIn(withUserMessage(fresh(), "Hello", tick()))).toMatchObject([{ id: 0, role: "user", text: "Hello" }]));
  it("015: sums itself up in nine keys", () => {
    const summary = debug(fresh());
    expect(Object.keys(summary)).toEqual(
      ["status", "executionCount", "hasExecution", "executionId", "steps", "continuation", "hasErrors", "errors", "usage"], // the order of the table
    );
    expect(summary).toMatchObject({ steps: 0, hasErrors: false, continuation: "No stop signals; no continuation requested." });
    expect(debug(requestStop(E(begun()), signal("steps_limit", { message: "2 of 2" }), tick()))).toMatchObject({
      status: "in_progress",
      hasErrors: true,
      errors: [error],
      continuation: "steps_limit: 2 of 2; no continuation requested.",
    });
  });
  it("is frozen all through", () => {
    const state = withMetadata(T(begun(withUserMessage(fresh(), "q", tick()))), "k", { deep: [1] }, tick());
    const melted = (value: unknown): boolean =>
      typeof value === "object" &&
      value !== null &&
      (!Object.isFrozen(value) || Object.values(value).some(melted) || (value instanceof AppendList && value.toArray().some(melted)));
    expect([state, agentStateFromJSON(JSON.parse(JSON.stringify(agentStateToJSON(F(state), { full: true }))))].some(melted)).toBe(false);
  });
});

describe("steps and ends", () => {
  it.each([
    ["016", F(begun()), "final_response"],
    ["017", T(begun()), "tool_execution"],
    ["018", E(begun()), "error"],
    ["020", F(begun(), " "), "empty"],
  ])("%s: derive what a step was", (_id, state, type) => expect(lastStepType(state)).toBe(type));
  it("020: an empty answer is no final response", () => expect(hasFinalResponse(F(begun(), ""))).toBe(false));
  it("023: a step that is closed leaves the execution in progress", () => {
    const state = F(begun());
    expect([stepCount(state), currentStep(state), statusOf(state)]).toEqual([1, undefined, "in_progress"]);
  });
  it("025: a duration goes on until the execution ends, and then stands", () => {
    const state = closeStep(answered(begun(), "x"), tick());
    const since = (state.execution as { started_at: number }).started_at;
    expect([executionDuration(state, since + 50), executionDuration(state, since + 90)]).toEqual([50, 90]);
    const done = finishExecution(state, { at: since + 100 });
    expect([executionDuration(done, since + 900), executionDuration(pauseExecution(state, "x", tick()), since + 95)]).toEqual([100, 95]);
    const closed = lastStep(state);
    expect(closed === undefined ? undefined : stepDuration(closed, since + 900)).toBe(
      closed === undefined ? "no step" : closed.ended_at - closed.started_at,
    );
  });
  it("026, 028: ending closes the step that is open", () => {
    const done = finishExecution(answered(T(begun()), "the end"), tick());
    expect([currentStep(done), stepCount(done), statusOf(done), finalResponse(done)]).toEqual([undefined, 2, "completed", "the end"]);
    expect(lastStep(done)?.step_id).toBe("stp_2");
  });
  it("030: each execution has its own answer and counts its own steps", () => {
    const first = finishExecution(F(begun(), "one"), tick());
    const second = finishExecution(F(begun(forNextExecution(first, tick()), "exe_2"), "two"), tick());
    expect([finalResponse(second), stepCount(second), second.execution_count]).toEqual(["two", 1, 2]);
  });
  it("031: work is no answer", () => {
    const state = T(begun(), "trace");
    expect([hasFinalResponse(state), currentResponse(state)]).toEqual([false, "trace"]);
  });
  it("033: the next execution begins with the conversation and nothing else", () => {
    const state = withSystemPrompt(withUserMessage(fresh(), "q", tick()), "SYS", tick());
    const next = forNextExecution(finishExecution(F(begun(state)), tick()), tick());
    expect([
      statusOf(next),
      stepCount(next),
      usageOf(next).output,
      next.context.system_prompt,
      messagesIn(next).length,
      next.execution_count,
    ]).toEqual(
      ["pending", 0, 0, "SYS", 2, 1], // the question and the answer
    );
    expect(forNextExecution(next, tick())).toBe(next);
  });
  it("035: a failure is an error of the step that was open", () => {
    const failed = failExecution(answered(begun(), ""), error, tick());
    expect([statusOf(failed), lastStep(failed)?.errors, errorsOf(failed)]).toEqual(["failed", [error], [error]]);
  });
  it("036: or of the execution, if none was", () => {
    const failed = failExecution(begun(), error, tick());
    expect([statusOf(failed), stepCount(failed), errorsOf(failed), hasErrors(failed)]).toEqual(["failed", 0, [error], true]);
    expect(statusOf(failExecution(pauseExecution(begun(), "x", tick()), error, tick()))).toBe("failed");
  });
  it("038: an error that was recovered from is a warning", () => {
    const done = finishExecution(F(E(begun())), tick());
    expect(done.execution).toMatchObject({ outcome: { type: "completed", answer: "answer", warnings: [error] } });
  });
  it("040: errors are counted once", () => {
    const own: ErrorInfo = { ...error, message: "own" };
    const open = recordError(
      recordToolResult(answered(begun(), "", ["e"]), { call_id: "e", result: { type: "error", error }, started_at: now }, tick()),
      own,
      tick(),
    );
    expect(errorsOf(open)).toEqual([error, own]);
    expect(errorsOf(closeStep(open, tick()))).toEqual([error, own]);
  });
  it("041: the same step twice changes nothing, open or closed", () => {
    const open = answered(begun(), "x");
    expect(openStep(open, { step_id: "stp_1" as never, ...tick() })).toBe(open);
    expect(recordResponse(open, says("x"), tick())).toBe(open);
    const closed = closeStep(open, tick());
    expect(openStep(closed, { step_id: "stp_1" as never, ...tick() })).toBe(closed);
    expect(messagesIn(closed)).toHaveLength(1);
  });
  it.each<[string, string, () => unknown]>([
    ["another answer", "execution.phase", () => recordResponse(answered(begun(), "x"), says("y"), tick())],
    ["a step before the last is closed", "execution.phase", () => openStep(answered(begun(), "x"), tick())],
    ["a step out of order", "input.invalid", () => openStep(begun(), { step_id: "stp_7" as never, ...tick() })],
    ["a result that nobody asked for", "input.invalid", () => ran(answered(begun(), "", ["a"]), "b")],
    ["another result", "input.invalid", () => ran(ran(answered(begun(), "", ["a"]), "a", 1), "a", 2)],
    ["a result that is not JSON", "execution.invalid", () => ran(answered(begun(), "", ["a"]), "a", new Date())],
    ["two calls of one id", "input.invalid", () => answered(begun(), "", ["a", "a"])],
    ["a second execution", "execution.phase", () => begun(begun())],
    ["a step while it is paused", "execution.phase", () => openStep(pauseExecution(begun(), "x", tick()), tick())],
    ["a next one while it runs", "execution.phase", () => forNextExecution(begun(), tick())],
  ])("refuse %s", (_name, code, work) => expect(thrown(work)).toMatchObject({ code }));
  it("133, 136: know what was blocked, and what a call came back with", () => {
    const state = recordToolResult(
      ran(answered(begun(), "", ["a", "b"]), "a", { n: 1 }),
      { call_id: "b", result: { type: "blocked", by: "policy", reason: "night" }, started_at: now },
      tick(),
    );
    const [a, b] = currentStep(state)?.tool_executions ?? [];
    expect([a, b].map((execution) => execution && [wasBlocked(execution), valueOf(execution)])).toEqual([
      [false, { n: 1 }],
      [true, undefined],
    ]);
    expect([lastToolExecution(state)?.call_id, lastToolExecution(F(closeStep(state, tick())))?.call_id, lastToolExecution(begun())]).toEqual([
      "b",
      "b",
      undefined,
    ]);
    expect(lastStepType(closeStep(state, tick()))).toBe("tool_execution");
  });
});

describe("messages of steps", () => {
  it("043, 045: carry where they come from; those of work are marked", () => {
    const state = F(E(T(begun())));
    const tags = messagesIn(state).map((message) => [message.role, message.tags?.step_id, message.tags?.is_trace]);
    expect(tags).toEqual([
      ["assistant", "stp_1", true],
      ["tool", "stp_1", true],
      ["assistant", "stp_2", true],
      ["tool", "stp_2", true],
      ["assistant", "stp_3", undefined],
    ]);
    expect(messagesIn(state)[0]?.tags).toEqual({ agent_id: "agt", execution_id: "exe_1", step_id: "stp_1", is_trace: true });
  });
  it("155, 156: are one message with prose and calls, then the results in the order of the calls", () => {
    const open = ran(ran(answered(begun(), "looking", ["a", "b"]), "b"), "a");
    expect(texts(closeStep(open, tick()))).toEqual(["assistant looking", "tool a", "tool b"]);
  });
  it("a call that was not run when its step closed was skipped", () =>
    expect(lastStep(closeStep(answered(begun(), "", ["a"]), tick()))?.tool_executions).toMatchObject([
      { call_id: "a", result: { type: "skipped" } },
    ]));
  it.each([
    [null, "null"],
    [true, "true"],
    [3, "3"],
    [1.5, "1.5"],
    ["s", "s"],
    [{ a: 1 }, '{"a":1}'],
  ])("158: a result of %j reads %s", (value, text) =>
    expect(messagesIn(closeStep(ran(answered(begun(), "", ["a"]), "a", value), tick())).at(-1)?.text).toBe(text),
  );
  it("160: the system prompt is no message", () => expect(texts(F(withSystemPrompt(begun(), "SYS", tick())))).toEqual(["assistant answer"]));
  it("163: a step that ended for another reason is on record with it", () => {
    const cut = closeStep(recordResponse(openStep(begun(), tick()), { ...says("half a"), finish_reason: "length" }, tick()), tick());
    expect([stepCount(cut), lastStep(cut)?.response?.finish_reason, usageOf(cut).output]).toEqual([1, "length", 2]);
  });
  it("046, 048: show the work of this execution, and of earlier ones the prose", () => {
    const first = finishExecution(F(T(T(begun(withUserMessage(fresh(), "q1", tick())), "let me look"), "", "d"), "a1"), tick());
    const second = T(begun(withUserMessage(forNextExecution(first, tick()), "q2", tick()), "exe_2"), "again");
    expect(texts(second)).toEqual(["user q1", "assistant let me look", "assistant a1", "user q2", "assistant again", "tool c"]);
    expect(texts(second, { traces: "none" })).toEqual(["user q1", "assistant let me look", "assistant a1", "user q2", "assistant again"]);
    expect(texts(second, { traces: "all" })).toHaveLength(9);
    expect(conversation(second, { traces: "none" }).some((message) => message.calls !== undefined)).toBe(false);
  });
  it("050, 051: come from the sections that are asked for", () => {
    const state = withAppendedMessages(withUserMessage(fresh(), "q", tick()), [{ role: "user", text: "n" }], { section: "notes", ...tick() });
    expect([texts(state, { sections: ["notes"] }), texts(state, { sections: ["missing", "constructor"] }), texts(state)]).toEqual([
      ["user n"],
      [],
      ["user q"],
    ]);
  });
  it("193: clearing empties every section and keeps the rest", () => {
    const state = withMetadata(withSummary(T(begun(withUserMessage(fresh(), "q", tick()))), { from: 0, to: 1, text: "s" }, tick()), "k", 1, tick());
    const cleared = clearMessages(state, tick());
    expect([texts(cleared), cleared.context.metadata, stepCount(cleared)]).toEqual([[], { k: 1 }, 1]);
  });
});

describe("summaries", () => {
  const long = (): AgentState => F(T(withUserMessage(F(begun(withUserMessage(fresh(), "q1", tick())), "a1"), "q2", tick()), "look", "x"), "a2");
  it("stand in for messages, which stay where they are", () => {
    const state = withSummary(long(), { from: 0, to: 2, text: "they met" }, tick());
    expect(texts(state)).toEqual(["system they met", "user q2", "assistant look", "tool x", "assistant a2"]);
    expect(messagesIn(state)).toEqual(
      messagesIn(long()).map((message, index) => expect.objectContaining({ id: index, text: message.text }) as unknown),
    );
    expect(texts(withSummary(state, { from: 0, to: 3, text: "and asked" }, tick()))[0]).toBe("system and asked");
  });
  it.each([
    [{ from: 0, to: 4 }, "separates a call from its result"],
    [{ from: 4, to: 5 }, "separates a result from its call"],
    [{ from: 2, to: 2 }, "is empty"],
    [{ from: 0, to: 99 }, "is beyond the log"],
    [{ from: 0.5, to: 2 }, "is no range"],
  ])("refuse %j, which %s", (range) =>
    expect(thrown(() => withSummary(long(), { ...range, text: "s" }, tick()))).toMatchObject({ code: "input.invalid" }),
  );
  it("leave a result out that comes after the summary of its call", () => {
    const asking = withAppendedMessages(fresh(), [{ role: "assistant", text: "", calls: [{ call_id: "a", name: "n", arguments: {} }] }], tick());
    const state = withAppendedMessages(
      withSummary(asking, { from: 0, to: 1, text: "s" }, tick()),
      [{ role: "tool", text: "late", call_id: "a" }],
      tick(),
    );
    expect(texts(withUserMessage(state, "q", tick()))).toEqual(["system s", "user q"]);
    expect(compactionRange(withUserMessage(state, "q", tick()), { keep: 0 })).toEqual({ from: 2, to: 3 });
  });
  it("refuse to cut another one in two", () => {
    const state = withSummary(long(), { from: 1, to: 3, text: "s" }, tick());
    expect(thrown(() => withSummary(state, { from: 0, to: 2, text: "t" }, tick()))).toMatchObject({ code: "input.invalid" });
  });
  it.each([
    [{ keep: 5 }, undefined],
    [{ keep: 2 }, { from: 0, to: 3 }],
    [{ keep: 1 }, { from: 0, to: 5 }],
    [
      { keep: 9, maxTokens: 1 },
      { from: 0, to: 5 },
    ],
  ])("218: a conversation of five messages with %j can lose %j", (limits, range) => expect(compactionRange(long(), limits)).toEqual(range));
  it("218: what is to be summarised waits in the buffer, in order, before the newest", () => {
    const range = compactionRange(long(), { keep: 2 });
    const state = withBuffer(long(), range?.to ?? 0, tick());
    expect([texts(state, { sections: ["buffer"] }), texts(state, { sections: ["messages"] })]).toEqual([
      ["user q1", "assistant a1", "user q2"],
      ["assistant look", "tool x", "assistant a2"],
    ]);
    expect(texts(withSummary(state, { from: 0, to: 2, text: "s" }, tick()))).toEqual([
      "system s",
      "user q2",
      "assistant look",
      "tool x",
      "assistant a2",
    ]);
    expect(thrown(() => withBuffer(long(), 4, tick()))).toMatchObject({ code: "input.invalid" });
  });
});

describe("stopping and going on", () => {
  it("061, 070, 071: all signals are kept; the highest decides, the first among equals", () => {
    const state = requestStop(
      requestStop(T(begun()), signal("user_requested", { source: "a" }), tick()),
      signal("user_requested", { source: "b" }),
      tick(),
    );
    expect(stopSignalOf(state)?.source).toBe("a");
    const done = finishExecution(
      requestStop(requestStop(F(begun()), signal("completed"), tick()), signal("user_requested", { source: "live" }), tick()),
      tick(),
    );
    expect([statusOf(done), stopSignalOf(done)?.source]).toEqual(["stopped", "live"]);
  });
  it("063: a signal is checked", () => expect(thrown(() => requestStop(begun(), {} as never, tick()))).toMatchObject({ code: "execution.invalid" }));
  it("065, 091: a continuation gives one more step", () => {
    const again = requestContinuation(F(begun()), { source: "critic" }, tick());
    expect(continuationOf(again)).toEqual({ next: "step", because: "continuation" });
    expect(shouldStop(F(again))).toBe(true);
  });
  it("066: and overrules no signal that it does not name", () => {
    const stopped = requestStop(T(begun()), signal("error_forbade"), tick());
    expect(shouldStop(requestContinuation(stopped, {}, tick()))).toBe(true);
    const waived = requestContinuation(stopped, { waives: ["error_forbade"] }, tick());
    expect(continuationOf(waived)).toEqual({ next: "step", because: "continuation" });
    expect(shouldStop(T(waived))).toBe(true);
  });
  it("a waiver for the whole execution holds, and the execution still ends", () => {
    const waived = T(
      requestContinuation(requestStop(T(begun()), signal("steps_limit"), tick()), { waives: ["steps_limit"], lasts: "execution" }, tick()),
    );
    expect(continuationOf(waived)).toEqual({ next: "step", because: "tool_calls" });
    const done = finishExecution(F(waived), tick());
    expect([shouldStop(F(waived)), statusOf(done)]).toEqual([true, "completed"]);
    expect(explain(waived)).toBe("steps_limit; continuation granted in spite of steps_limit.");
  });
  it("068, 093: calls go on unless a signal stops them", () => {
    expect(continuationOf(T(begun()))).toEqual({ next: "step", because: "tool_calls" });
    expect(continuationOf(requestStop(T(begun()), signal("completed"), tick()))).toMatchObject({ because: "signal", forced: false });
    expect(statusOf(finishExecution(requestStop(T(begun()), signal("unknown"), tick()), tick()))).toBe("stopped");
    expect(continuationOf(begun())).toEqual({ next: "step", because: "first_step" });
  });
  it("085, 086: an early stop keeps its reason, the step and what it cost", () => {
    const stopped = finishExecution(
      requestStop(ran(answered(begun(), "", ["a", "b"]), "a"), signal("stop_requested", { source: "tool", context: { n: 1 } }), tick()),
      tick(),
    );
    expect([stepCount(stopped), usageOf(stopped).output, stopSignalOf(stopped)?.context]).toEqual([1, 2, { n: 1 }]);
    expect(stepsOf(stopped)[0]?.tool_executions.map(({ result }) => result.type)).toEqual(["ok", "skipped"]);
    expect(currentStepOrLast(stopped)?.step_id).toBe("stp_1");
  });
  it("098, 100, 103: executions are counted when they begin, not when they go on", () => {
    const paused = pauseExecution(T(begun()), "approval", tick());
    expect([statusOf(paused), resumeExecution(paused, tick()).execution_count]).toEqual(["paused", 1]);
    expect(continuationOf(paused)).toEqual({ next: "stop", because: "paused" });
    const second = begun(finishExecution(F(begun()), tick()), "exe_2");
    expect([second.execution_count, stepCount(second), (second.execution as { execution_id: string }).execution_id]).toEqual([2, 0, "exe_2"]);
  });
});
