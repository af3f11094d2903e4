import { describe, expect, it } from "vitest";
import type { TraceId } from "../../packages/throughline/src/kernel/id.ts";
import { type Control, controlOf, checkPerson, joinControl, withControl } from "../../packages/throughline/src/session/control.ts";
import type { Command } from "../../packages/throughline/src/session/decide-command.ts";
import { forkedAt } from "../../packages/throughline/src/session/fork-session.ts";
import { newEvent, turnEvent } from "../../packages/throughline/src/session/new-event.ts";
import type { NewEvent } from "../../packages/throughline/src/store/port.ts";
import { changeOf } from "../../packages/throughline/src/session/session-variables.ts";
import { given } from "../../packages/throughline/src/testing/given.ts";

const trace_id = "a".repeat(32) as TraceId;
const said = (text: string, turn: number | null = 1): NewEvent =>
  newEvent("message", "customer", { role: "user", parts: [{ type: "text", text }] }, turn === null ? { trace_id } : { turn, trace_id });
const started = (turn: number, answers: readonly number[]): NewEvent =>
  turnEvent(turn, { type: "started", cause: "message", answers, versions: { agent: 1, state: 0, variables: 0 } });
const ended = (turn: number): NewEvent => turnEvent(turn, { type: "ended", outcome: { status: "completed" }, diagnostics: {} });
const replied = (turn: number): NewEvent => newEvent("message", "ai_agent", { role: "assistant", parts: [{ type: "text", text: "re" }] }, { turn });
const mode = (to: "auto" | "manual"): NewEvent => newEvent("session", "system", { type: "mode", mode: to }, { trace_id });
const accept = (text: string, at = 0): Command => ({ type: "accept", message: { parts: [{ type: "text", text }] }, trace_id, at });

describe("accepting a message", () => {
  it("appends the message and queues a turn", () => {
    const decided = given([])
      .when(accept("hi"))
      .thenEvents([{ kind: "message", data: { role: "user", parts: [{ type: "text", text: "hi" }] } }]);
    expect(decided.queue).toMatchObject({ cause: "message", trace_id });
    expect(decided.depends).toBeUndefined();
  });

  it.each(["", "   ", "\n"])("refuses blank text %j", (text) => {
    given([]).when(accept(text)).thenError("input.invalid");
  });

  it("closes the episode after twenty minutes of silence, and says which one it rests on", () => {
    const decided = given([said("hi"), started(1, [1]), replied(1), ended(1)], { at: 1_000 }).when(accept("again", 1_000 + 20 * 60 * 1000 + 1));
    const { depends, header } = decided.thenEvents([
      { kind: "session", data: { type: "episode", closed: 1, opened: 2, reason: "silence" } },
      { kind: "message", data: { role: "user", parts: [{ type: "text", text: "again" }] } },
    ]);
    expect(depends).toEqual({ episode: 1 });
    expect(header).toEqual({ episode: 2 });
  });

  it("ends a turn that it supersedes, whose messages wait again", () => {
    const decided = given([said("a"), started(1, [1])])
      .when({ ...accept("b"), supersede: true } as Command)
      .thenEvents([
        { kind: "status", data: { status: "cancelled" } },
        { kind: "turn", data: { type: "ended", outcome: { status: "stopped", reason: "superseded" }, diagnostics: {} } },
        { kind: "message", data: { role: "user", parts: [{ type: "text", text: "b" }] } },
      ]);
    expect(decided).toMatchObject({ fence: true, dequeue_turns: [1] });
    expect(decided).not.toHaveProperty("start_turn");
  });

  it("tells the people of a session what the gate found, and raises their alert", () => {
    const { header } = given([mode("manual")])
      .when({ ...accept("help", 5), assessed: { audit_id: "a", level: 2, alert: 3 } } as Command)
      .thenEvents([
        { kind: "assessment", data: { audit_id: "a", level: 2 } },
        { kind: "session", data: { type: "handover", handover: { status: "waiting", since: 5, alert: 3 } } },
        { kind: "message", data: { role: "user", parts: [{ type: "text", text: "help" }] } },
      ]);
    expect(header).toEqual({ handover: { status: "waiting", since: 5, alert: 3 } });
  });

  it.each([
    ["human_agent", undefined, {}],
    ["human_agent", { display_name: "Bo" }, { participant: { display_name: "Bo" } }],
    ["human_agent_on_behalf_of_ai_agent", undefined, { participant: { display_name: "test" } }],
    ["human_agent_on_behalf_of_ai_agent", { display_name: "Bo" }, { participant: { display_name: "Bo" } }],
  ] as const)("of a person names who wrote it: %s, %j", (source, participant, shown) => {
    const parts = [{ type: "text", text: "hi" }] as const;
    given([])
      .when({ type: "post_message", source, parts, trace_id, ...(participant === undefined ? {} : { participant }) })
      .thenEvents([{ kind: "message", data: { role: "assistant", parts, ...shown } }]);
  });

  it("keeps the episode at exactly twenty minutes, and for the first message however late", () => {
    given([said("hi")], { at: 0 })
      .when(accept("x", 20 * 60 * 1000))
      .thenEvents([{ kind: "message", data: { role: "user", parts: [{ type: "text", text: "x" }] } }]);
    given([], { at: 0 })
      .when(accept("x", 90 * 60 * 1000))
      .thenEvents([{ kind: "message", data: { role: "user", parts: [{ type: "text", text: "x" }] } }]);
  });
});

describe("mode", () => {
  it("G: manual cancels the running turn before its reply and puts the queued one's messages back", () => {
    const decided = given([said("one", 1), started(1, [1]), said("two", 2)])
      .when({ type: "set_mode", mode: "manual", at: 0, trace_id })
      .thenEvents([
        { kind: "status", data: { status: "cancelled" } },
        {
          kind: "turn",
          data: { type: "ended", outcome: { status: "stopped", reason: "manual", message: "A person has taken over." }, diagnostics: {} },
        },
        { kind: "session", data: { type: "mode", mode: "manual", handover: { status: "waiting", since: 0 } } },
      ]);
    const header = { mode: "manual", handover: { status: "waiting", since: 0 } };
    expect(decided).toMatchObject({ fence: true, end_turns: [1], dequeue_turns: [2], header });
  });

  it("G5: auto queues nothing by itself", () => {
    const decided = given([mode("manual"), said("hi", null)])
      .when({ type: "set_mode", mode: "auto", at: 0, trace_id })
      .thenEvents([{ kind: "session", data: { type: "mode", mode: "auto" } }]);
    expect(decided.queue).toBeUndefined();
  });

  it("the mode it has already is no change", () => given([]).when({ type: "set_mode", mode: "auto", at: 0, trace_id }).thenNothing());
  it("B16: any other mode is refused", () => {
    const command = { type: "set_mode", mode: "paused", trace_id } as unknown as Command;
    given([]).when(command).thenError("session.invalid");
  });
  it("a person takes up a session whose handover nobody recorded", () => {
    given([mode("manual")])
      .when({ type: "assign", operator: "ann", at: 5, trace_id })
      .thenEvents([{ kind: "session", data: { type: "handover", handover: { status: "assigned", since: 5, operator: "ann" } } }]);
  });
  it("a turn is queued at a head, if one is named", () => {
    const queued = (head: object): unknown =>
      given([])
        .when({ type: "queue_turn", cause: "retry", trace_id, ...head })
        .thenEvents([{ kind: "status", data: { status: "acknowledged" } }]).depends;
    expect([queued({}), queued({ head: 0 })]).toEqual([undefined, { head: 0 }]);
  });
  it("a turn cannot be queued in manual mode", () => {
    given([mode("manual")])
      .when({ type: "queue_turn", cause: "resume", trace_id })
      .thenError("session.manual");
  });
});

describe("the view", () => {
  it("knows what waits and for which turn", () => {
    const { view } = given([said("a"), started(1, [1]), said("b", 2), said("c", 2)]);
    expect(view.waiting).toEqual([
      { offset: 1, turn: 1 },
      { offset: 3, turn: 2 },
      { offset: 4, turn: 2 },
    ]);
    expect(view.turns.map((turn) => [turn.number, turn.status])).toEqual([
      [1, "running"],
      [2, "queued"],
    ]);
  });
  it("forgets a turn that ended, with what it answered", () => {
    const { view } = given([said("a"), started(1, [1]), said("b", 2), replied(1), ended(1)]);
    expect(view.waiting).toEqual([{ offset: 3, turn: 2 }]);
    expect(view.turns.map((turn) => turn.number)).toEqual([2]);
  });
  it("a handover puts queued messages back, and the next accepted message takes them along", () => {
    const { view } = given([said("a", 1), mode("manual"), said("b", null), mode("auto"), said("c", 2)]);
    expect(view.waiting).toEqual([
      { offset: 1, turn: 2 },
      { offset: 3, turn: 2 },
      { offset: 5, turn: 2 },
    ]);
  });
});

describe("withdrawing", () => {
  const withdraw = (from: number): Command => ({ type: "withdraw", from, patch: [], effects: [], trace_id });
  it("H3: from beyond the end changes nothing", () =>
    given([said("a")])
      .when(withdraw(2))
      .thenNothing());
  it("cannot take back the creation", () => {
    const { details } = given([said("a")])
      .when(withdraw(0))
      .thenError("log.offset_invalid");
    expect(details).toEqual({ from: 0 });
  });
  it("ends the running turn whatever it answers, and names where a queued one begins", () => {
    const stopped = [
      { kind: "status", data: { status: "cancelled" } },
      { kind: "turn", data: { type: "ended", outcome: { status: "stopped", reason: "withdrawn" }, diagnostics: {} } },
    ];
    const decided = given([said("a"), started(1, [1]), said("b", 2)])
      .when(withdraw(3))
      .thenEvents([
        { kind: "session", data: { type: "withdrawn", from: 3, effects: [] } },
        ...stopped,
        { kind: "turn", data: { type: "started", cause: "message", answers: [3], versions: { agent: 1, state: 0, variables: 0 } } },
        ...stopped,
      ]);
    expect(decided).toMatchObject({ end_turns: [1, 2], start_turn: { number: 2, event: 3 } });
  });
  it("H6: cancels and fences the running turn", () => {
    const decided = given([said("a"), started(1, [1])])
      .when(withdraw(1))
      .thenEvents([
        { kind: "session", data: { type: "withdrawn", from: 1, effects: [] } },
        { kind: "status", data: { status: "cancelled" } },
        { kind: "turn", data: { type: "ended", outcome: { status: "stopped", reason: "withdrawn" }, diagnostics: {} } },
      ]);
    expect(decided).toMatchObject({ fence: true, end_turns: [1], withdraw_from: 1, depends: { base: 0 } });
  });
});

describe("titles", () => {
  it("B5: at most 200 characters", () => {
    given([])
      .when({ type: "set_title", title: "x".repeat(200), trace_id })
      .thenEvents([{ kind: "session", data: { type: "title", title: "x".repeat(200) } }]);
    const { message } = given([])
      .when({ type: "set_title", title: "x".repeat(201), trace_id })
      .thenError("session.invalid");
    expect(message).toContain("got 201");
  });
  it("come with other values of the header", () => {
    const { header } = given([])
      .when({ type: "patch", header: { labels: ["vip"] }, title: "new", at: 0, trace_id })
      .thenEvents([{ kind: "session", data: { type: "title", title: "new" } }]);
    expect(header).toEqual({ labels: ["vip"], title: "new" });
  });
  it.each([
    ["new", ["forked", "title"]],
    [null, ["forked"]],
    [undefined, ["forked"]],
  ])("of a fork are in its log: %j", (title, types) => {
    const point = { at: 4, definition: 1, state_offset: 0, episode: 1, open: undefined, unanswered: [] };
    const { events } = forkedAt(point, { title, variables: { variables: 0 }, trace_id });
    expect(events?.map(({ data }) => data["type"])).toEqual(types);
  });
});

describe("editing the state", () => {
  it("migrates it first where its definition is older, in the same commit", () => {
    const [migration, edit] = [[{ op: "add", path: "/a", value: 1 }] as const, [{ op: "add", path: "/b", value: 2 }] as const];
    const decided = given([])
      .when({ type: "edit", patch: edit, writer: { type: "operator" }, trace_id, migration: { to: 2, patch: migration, epoch: 3 } })
      .thenEvents([
        { kind: "state", data: { patch: migration, writer: { type: "migration", from: 1, to: 2 }, definition: 2 } },
        { kind: "state", data: { patch: edit, writer: { type: "operator" }, definition: 2 } },
      ]);
    expect(decided).toMatchObject({ depends: { base: 0, epoch: 3 }, header: { agent_version: 2 } });
  });
});

describe("a change of named values", () => {
  it("sets, merges into objects, and unsets with null", () => {
    expect(changeOf({ a: { x: 1, y: 2 }, b: 1 }, { a: { x: null, z: 3 }, b: null, c: "new" }, "variables")).toEqual({
      set: { a: { y: 2, z: 3 }, c: "new" },
      unset: ["b"],
    });
  });
});

describe("what a stage or a tool asks of its turn", () => {
  it.each<[Control, Control, Control]>([
    [{}, { mode: "auto" }, { mode: "auto" }],
    [{ mode: "manual", handover: { alert: 3 } }, { mode: "auto" }, { mode: "auto" }],
    [
      { mode: "manual", handover: { alert: 3, reason: "a" } },
      { handover: { alert: 1, reason: "b" } },
      { mode: "manual", handover: { alert: 3, reason: "b" } },
    ],
    [{ mode: "manual", handover: {} }, { memory: "skip" }, { mode: "manual", handover: {}, memory: "skip" }],
  ])("%j and then %j is %j", (before, after, both) => expect(joinControl(before, after)).toEqual(both));
  it.each<[Control]>([
    [{ reply: "Later." }],
    [{ memory: "skip" }],
    [{ mode: "auto" }],
    [{ mode: "manual", handover: { alert: 1000, reason: "x".repeat(500) } }],
  ])("comes back as it was given, with the result: %j", (control) =>
    expect(controlOf(withControl(control, { a: 1 }))).toEqual({ result: { a: 1 }, control }),
  );
  it.each([[{ memory: "keep" }], [{ reply: " " }], [{ replay: "x" }], ["manual"]])("is refused: %j", (control) => {
    expect(() => withControl(control as Control)).toThrow(expect.objectContaining({ code: "input.invalid" }) as Error);
  });
  it("names a person in at most 200 characters", () => {
    expect(() => checkPerson("by", "x".repeat(200))).not.toThrow();
    expect(() => checkPerson("by", "x".repeat(201))).toThrow(expect.objectContaining({ code: "handover.invalid" }) as Error);
  });
});
