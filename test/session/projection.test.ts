/** What a conversation is read as, whatever the log holds: each call with exactly one result right after it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stepIdOf } from "../../packages/throughline/src/kernel/id.ts";
import type { JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import type { Event, ToolCall, ToolResult } from "../../packages/throughline/src/session/event.ts";
import { joinOffsets, maskedBy, maskedOffsets, maskWrites, masksOf, withoutMasked, type Mask } from "../../packages/throughline/src/session/masks.ts";
import { historyOf, summarisable, summaryIn } from "../../packages/throughline/src/session/session-history.ts";
import { messagesOf, redactedMessage, toldRedacted, type Message } from "../../packages/throughline/src/session/session-messages.ts";
import { groupMessages, summaryBoundary, type GroupedMessage } from "../../packages/throughline/src/state/message-groups.ts";

type Kind = Event["kind"];
const event = (offset: number, kind: Kind, source: Event["source"], data: object): Event =>
  ({ session_id: "ses_x", id: `evt_${offset}`, trace_id: "t", created_at: offset, offset, kind, source, data }) as unknown as Event;
const asks = (offset: number, text = ""): Event => event(offset, "message", "customer", { role: "user", parts: [{ type: "text", text }] });
const replies = (offset: number, text: string): Event => event(offset, "message", "ai_agent", { role: "assistant", parts: [{ type: "text", text }] });
const works = (offset: number, text: string, calls: readonly ToolCall[]): Event =>
  event(offset, "message", "ai_agent", {
    role: "assistant",
    parts: [{ type: "text", text }],
    origin: { agent_id: "a", step_id: "stp_1", is_trace: true },
    ...(calls.length === 0 ? {} : { calls }),
  });
const called = (offset: number, call_id: string, args: JsonObject = {}): Event =>
  event(offset, "tool", "ai_agent", { type: "called", call_id, name: "look", arguments: args, key: call_id, effects: "once" });
const returned = (offset: number, call_id: string, result: ToolResult = { type: "ok", value: call_id }): Event =>
  event(offset, "tool", "ai_agent", { type: "returned", call_id, result });
const call = (call_id: string, args: JsonObject = {}): ToolCall => ({ call_id, name: "look", arguments: args });

const story = (messages: readonly Message[]): readonly string[] =>
  messages.map(
    ({ role, text, calls, call_id }) =>
      `${role}${call_id === undefined ? "" : `(${call_id})`} ${text}${calls === undefined ? "" : ` +${calls.length}`}`,
  );

/** The law, said once: after a message with calls come their results, each once and in order; a result stands nowhere else. */
function faultsOf(messages: readonly Message[]): readonly string[] {
  const faults: string[] = [];
  let due: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (due.shift() !== message.call_id) faults.push(`a result of ${message.call_id} where none belongs`);
      continue;
    }
    if (due.length > 0) faults.push(`no result of ${due.join(", ")}`);
    due = (message.calls ?? []).map(({ call_id }) => call_id);
  }
  return due.length > 0 ? [...faults, `no result of ${due.join(", ")}`] : faults;
}

describe("messages of a log", () => {
  it("put results where their calls are, in the order of the calls", () =>
    expect(
      story(
        messagesOf([
          asks(1, "q"),
          works(2, "let me see", [call("a"), call("b")]),
          asks(3, "and?"),
          returned(4, "b"),
          returned(5, "a"),
          replies(6, "done"),
        ]),
      ),
    ).toEqual(["user q", "assistant let me see +2", "tool(a) a", "tool(b) b", "user and?", "assistant done"]));

  it("leave out a result whose call is not there, and a second one", () =>
    expect(story(messagesOf([returned(1, "z"), works(2, "", [call("a")]), returned(3, "a"), returned(4, "a", { type: "unknown" })]))).toEqual([
      "assistant  +1",
      "tool(a) a",
    ]));

  it("tell of a call without a result what is on record of it", () => {
    const events = [works(2, "", [call("a"), call("b")]), called(3, "a")];
    expect(messagesOf(events).map(({ text, missing }) => [missing, text.slice(0, 11)])).toEqual([
      [undefined, ""],
      [true, '{"unknown":'],
      [true, '{"skipped":'],
    ]);
    expect(messagesOf(events, { open: 2 }).map(({ text }) => text.slice(0, 11))).toEqual(["", '{"pending":', '{"pending":']);
    expect(messagesOf(events, { open: 3 })[1]?.text).toContain("unknown");
  });

  it("give the same id of another step its own result", () =>
    expect(
      story(
        messagesOf([
          works(1, "", [call("a")]),
          returned(2, "a", { type: "ok", value: 1 }),
          works(3, "", [call("a")]),
          returned(4, "a", { type: "ok", value: 2 }),
        ]),
      ),
    ).toEqual(["assistant  +1", "tool(a) 1", "assistant  +1", "tool(a) 2"]));

  it("say with which arguments a call was made, if not with those that were asked for", () => {
    const edited = (args: JsonObject): string =>
      messagesOf([works(1, "", [call("a", { to: "Ada", sum: 1 })]), called(2, "a", args), returned(3, "a")])[1]?.text ?? "";
    expect(edited({ sum: 1, to: "Ada" })).toBe("a");
    expect(edited({ to: "Eve", sum: 1 })).toBe('[This call was made with other arguments: {"to":"Eve","sum":1}]\na');
  });

  it("take a result as work exactly if what asks for it is", () =>
    expect(
      messagesOf([event(1, "message", "human_agent", { role: "assistant", parts: [], calls: [call("a")] }), returned(2, "a")]).map((m) => m.is_trace),
    ).toEqual([false, false]));
});

describe("history of a conversation", () => {
  const earlier = [
    asks(1, "q1"),
    works(2, "let me look", [call("a")]),
    returned(3, "a"),
    works(4, " ", [call("b")]),
    returned(5, "b"),
    replies(6, "a1"),
  ];
  const own = [asks(7, "q2"), works(9, "again", [call("c"), call("d")]), returned(10, "c")];
  const shown = (options: Partial<Parameters<typeof historyOf>[1]> = {}): readonly string[] =>
    story(historyOf(messagesOf([...earlier, ...own], { open: 8 }), { window: 20, answers: [7], started: 8, ...options }));
  const work = ["user q2", "assistant again +2", "tool(c) c", 'tool(d) {"pending":{"reason":"This call has not returned yet."}}'];

  it("046, 048: keeps the prose of earlier work and hides its calls and results", () =>
    expect(shown()).toEqual(["user q1", "assistant let me look", "assistant a1", ...work]));
  it("shows all work when asked to", () =>
    expect(shown({ traces: "all" })).toEqual([
      "user q1",
      "assistant let me look +1",
      "tool(a) a",
      "assistant   +1",
      "tool(b) b",
      "assistant a1",
      ...work,
    ]));
  it("keeps the turn's own, however small the window", () => {
    expect(shown({ window: 1 })).toEqual(work);
    expect(shown({ window: 2 })).toEqual(["assistant a1", ...work]);
  });
  it("counts a message with the results of its calls once", () =>
    expect(shown({ traces: "all", window: 3 })).toEqual(["assistant   +1", "tool(b) b", "assistant a1", ...work]));
  it("leaves out what stands in for an answer", () =>
    expect(story(historyOf(messagesOf([asks(1), works(2, "sorry", []), asks(3, "again")]), { window: 9, answers: [3] }))).toEqual([
      "user ",
      "user again",
    ]));
  it("takes an answer after which the turn goes on for its own", () =>
    expect(story(historyOf(messagesOf([asks(1, "q"), replies(3, "first")]), { window: 9, answers: [1], started: 2 }))).toEqual([
      "user q",
      "assistant first",
    ]));
  it("keeps the work of a turn that answers nothing", () =>
    expect(story(historyOf(messagesOf([works(3, "", [call("a")]), returned(4, "a")]), { window: 9, answers: [], started: 2 }))).toHaveLength(2));
  it("hides the work of a turn that was running when the message came", () =>
    expect(
      story(
        historyOf(messagesOf([asks(1, "q1"), asks(3, "q2"), works(4, "", [call("a")]), returned(5, "a"), replies(6, "a1")]), {
          window: 9,
          answers: [3],
          started: 7,
        }),
      ),
    ).toEqual(["user q1", "assistant a1", "user q2"]));
  it("leaves out what a summary tells, and with a call its result", () => {
    expect(shown({ traces: "all", summarised: 4 })).toEqual(["assistant a1", ...work]);
    expect(shown({ summarised: 99 })).toEqual(["user q2"]);
  });
  it("mends messages that somebody took apart", () =>
    expect(
      faultsOf(
        historyOf(
          messagesOf([...earlier, ...own]).filter((_, index) => index % 3 !== 1),
          { window: 20, answers: [7], traces: "all" },
        ),
      ),
    ).toEqual([]));
});

describe("a summary in the state", () => {
  it.each([
    [{}, undefined],
    [{ earlier: null }, undefined],
    [{ earlier: { upto: 3, text: "told", more: 1 } }, { upto: 3, text: "told" }],
  ])("of %j is %j", (state, summary) => expect(summaryIn(state, "earlier")).toEqual(summary));
  it.each([{ upto: 3 }, { upto: 3, text: 1 }, { upto: 1.5, text: "told" }, "told"])("is refused: %j", (earlier) =>
    expect(() => summaryIn({ earlier }, "earlier")).toThrow(
      expect.objectContaining({ code: "state.invalid_value", details: { field: "earlier" } }) as Error,
    ),
  );
});

describe("what was taken out of a log", () => {
  it("leaves of a redacted message who wrote it and which calls results refer to", () => {
    const origin = { agent_id: "a", step_id: stepIdOf(1) };
    const kept = { role: "assistant", participant: { display_name: "Bo" }, origin, calls: [call("a")] } as const;
    expect(redactedMessage({ ...kept, parts: [{ type: "text", text: "secret" }], input: { a: 1 } })).toEqual({ ...kept, parts: [], redacted: true });
    expect(redactedMessage({ role: "user", parts: [{ type: "text", text: "secret" }] })).toEqual({ role: "user", parts: [], redacted: true });
  });
  it("is told by its offsets, in events of that type alone", () => {
    const events = [
      event(1, "session", "system", { type: "redacted", offsets: [4, 5] }),
      event(2, "session", "system", { type: "title", title: "x" }),
      event(3, "custom", "system", { type: "redacted", offsets: [6] }),
    ];
    expect([...toldRedacted(events)]).toEqual([4, 5]);
  });
});

describe("masks", () => {
  const id = (name: string): Mask["session_id"] => `ses_${name.padEnd(26, "0")}` as Mask["session_id"];
  const mask = (name: string, ...offsets: readonly number[]): Mask => ({ type: "mask", session_id: id(name), offsets, recorded_at: 7 });
  const row = (entry_id: string, kind: string, data: Mask | null) => ({
    ...{ version: 1, entry_id, kind, created_at: 7 },
    data: data === null ? null : ({ ...data } as unknown as JsonObject),
  });

  it("are the last version of each entry of their kind", () => {
    const rows = [
      row("a", "mask", mask("A", 1)),
      row("a", "mask", mask("A", 1, 2)),
      row("b", "mask", mask("B", 3)),
      row("b", "mask", null),
      row("c", "fact", mask("C", 4)),
    ];
    expect(masksOf(rows)).toEqual([mask("A", 1, 2)]);
  });
  it("join offsets, each once and in order", () => {
    const joined = joinOffsets(
      new Map([["A", [10, 2]]]),
      new Map([
        ["A", [2, 9]],
        ["B", []],
      ]),
    );
    expect([...joined]).toEqual([["A", [2, 9, 10]]]);
  });
  it("are written for the sessions that have more to mask", () => {
    const known = [mask("A", 1, 2), mask("B", 5)].map((entry) => ({ entry }));
    const more = new Map([
      [id("A"), [2]],
      [id("B"), [4]],
      [id("C"), [6]],
    ]);
    const data = (name: string, ...offsets: readonly number[]) => ({ ...mask(name, ...offsets), recorded_at: 9 });
    expect(maskWrites(known, more, 9)).toEqual([
      { entry_id: `mask:${id("B")}`, kind: "mask", data: data("B", 4, 5) },
      { entry_id: `mask:${id("C")}`, kind: "mask", data: data("C", 6) },
    ]);
  });
  it("hide an event in its session and in forks of it", () => {
    const isMasked = maskedBy([mask("A", 1)]);
    const events = [
      { session_id: id("A"), offset: 1 },
      { session_id: id("F"), origin: id("A"), offset: 1 },
      { session_id: id("F"), origin: null, offset: 1 },
      { session_id: id("A"), offset: 2 },
    ];
    expect(events.map(isMasked)).toEqual([true, true, false, false]);
    expect([[mask("A", 1)], []].map((masks) => [...maskedOffsets(events, masks)])).toEqual([[1], []]);
  });
});

describe("messages that are masked", () => {
  const messages = messagesOf([
    asks(1, "secret"),
    works(2, "look", [call("a")]),
    returned(3, "a"),
    works(4, "again", [call("a"), call("b")]),
    returned(5, "a"),
    asks(6, "thanks"),
  ]);
  const shown = (...masked: readonly number[]): readonly string[] => story(withoutMasked(messages, new Set(masked))).map((line) => line.slice(0, 24));
  const all = ["user secret", "assistant look +1", "tool(a) a", "assistant again +2", "tool(a) a", 'tool(b) {"skipped":{"rea', "user thanks"];

  it.each<[readonly number[], readonly string[]]>([
    [[], all],
    [[1], all.slice(1)],
    [[2], [...all.slice(0, 1), ...all.slice(3)]],
    [[3], all.with(2, "tool(a) [removed at the ")],
    [[4], [...all.slice(0, 3), "user thanks"]],
    [[2, 4, 6], ["user secret"]],
  ])("%j leaves each call one result, or neither", (masked, left) => expect(shown(...masked)).toEqual(left));
});

/** Logs as they may be after crashes, stops, forks and cuts: anything in any order, with ids that repeat. */
const randomLog: fc.Arbitrary<readonly Event[]> = fc
  .array(
    fc.oneof(
      fc.constant(asks),
      fc.constant((offset: number) => replies(offset, "r")),
      fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 }).map(
        (ids) => (offset: number) =>
          works(
            offset,
            "w",
            ids.map((id) => call(id)),
          ),
      ),
      fc.constantFrom("a", "b", "c", "d").map((id) => (offset: number) => called(offset, id)),
      fc.constantFrom("a", "b", "c", "d").map((id) => (offset: number) => returned(offset, id)),
    ),
    { maxLength: 25 },
  )
  .map((made) => made.map((make, offset) => make(offset)));

describe("whatever the log holds", () => {
  it("every prefix, suffix and window has each call with one result right after it", () =>
    fc.assert(
      fc.property(
        randomLog,
        fc.nat(25),
        fc.nat(25),
        fc.nat(8),
        fc.nat(25),
        fc.constantFrom("own", "all"),
        (log, from, length, window, answer, traces) => {
          const messages = messagesOf(log.slice(from, from + length));
          expect(faultsOf(messages)).toEqual([]);
          const history = historyOf(messages, { window, answers: [answer], traces, summarised: window - 3 });
          expect(faultsOf(history)).toEqual([]);
          expect(messagesOf(log).filter(({ role }) => role !== "tool")).toHaveLength(log.filter(({ kind }) => kind === "message").length);
        },
      ),
      { numRuns: 300 },
    ));

  it("a summary covers whole groups, and what it covers with what is left is all there was", () =>
    fc.assert(
      fc.property(randomLog, fc.nat(6), fc.integer({ min: 0, max: 25 }), (log, keep, answer) => {
        const history = historyOf(messagesOf(log), { window: 50, answers: [answer], traces: "all" });
        const due = summarisable(history, { keep });
        if (due === undefined) return;
        expect(faultsOf(due.messages)).toEqual([]);
        const left = historyOf(messagesOf(log), { window: 50, answers: [answer], traces: "all", summarised: due.upto });
        expect(faultsOf(left)).toEqual([]);
        const told = new Set([...due.messages, ...left].map((message) => JSON.stringify(message)));
        expect(history.filter((message) => !told.has(JSON.stringify(message)))).toEqual([]);
        expect(left.filter(({ role }) => role !== "tool").length).toBeGreaterThanOrEqual(
          Math.min(keep, history.filter(({ role }) => role !== "tool").length),
        );
      }),
      { numRuns: 300 },
    ));
});

describe("what may be summarised", () => {
  const history = messagesOf([asks(1, "12345678"), works(2, "look", [call("a")]), returned(3, "a"), asks(4, "more"), replies(5, "done")]);
  const of = (limits: Parameters<typeof summarisable>[1]) => {
    const due = summarisable(history, limits);
    return due === undefined ? undefined : [due.upto, due.messages.length];
  };
  it.each([
    [{ keep: 4 }, undefined],
    [{ keep: 3 }, [1, 1]],
    [{ keep: 2 }, [2, 3]],
    [{ keep: 0 }, [5, 5]],
    [{ keep: 2, over: 4 }, undefined],
    [{ keep: 9, maxTokens: 2 }, [2, 3]],
    [{ keep: 9, maxTokens: 0 }, [4, 4]],
    [{ keep: 9, maxTokens: 8, tokensOf: (text: string) => text.length }, [2, 3]],
  ])("%j leaves %j", (limits, expected) => expect(of(limits)).toEqual(expected));
  it.each([{ keep: -1 }, { keep: Number.NaN }, { keep: 1, maxTokens: -5 }])("refuses %j", (limits) =>
    expect(() => of(limits)).toThrow(expect.objectContaining({ code: "input.invalid" }) as Error),
  );
});

describe("messages that stand in their places", () => {
  type Said = GroupedMessage;
  const placeholder = (text: string): Said => ({ role: "tool", text, call_id: "c0", missing: true });
  const lost = (head: Said, index: number): Said => ({ role: "tool", text: "lost", call_id: head.calls?.[index]?.call_id ?? "" });
  const asking = (count: number): readonly Said[] => [
    { role: "assistant", text: "", calls: Array.from({ length: count }, (_, index) => ({ call_id: `c${index}` })) },
    ...Array.from({ length: count }, (_, index) => ({ role: "tool", text: "r", call_id: `c${index}` })),
  ];

  it("are grouped as they are, and as those that do not", () => {
    const messages = [{ role: "user", text: "a" }, ...asking(2), ...asking(0), ...asking(3)];
    const groups = groupMessages(messages, lost);
    expect(groups.map((group) => group.length)).toEqual([1, 3, 1, 4]);
    expect(groups.flat()).toEqual(messages);
    // A result that nobody asked for has all of them looked for everywhere, and changes nothing else.
    expect(groupMessages([{ role: "tool", text: "stray", call_id: "x" }, ...messages], lost)).toEqual(groups);
  });
  it("are grouped once, and again where another result stands behind the same message", () => {
    const messages = asking(1);
    const [group] = groupMessages(messages, lost);
    expect(groupMessages(messages, lost)[0]).toBe(group);
    const other: Said = { role: "tool", text: "other", call_id: "c0" };
    expect(groupMessages([messages[0] as Said, other], lost)).toEqual([[messages[0], other]]);
  });
  it("weigh what their calls weigh", () => {
    const messages: readonly Said[] = [{ role: "user", text: "q" }, ...asking(1)];
    const tokensOf = (text: string): number => text.length;
    const calls = JSON.stringify([{ call_id: "c0" }]).length;
    const boundary = (maxTokens: number): number => summaryBoundary([...messages, { role: "user", text: "a" }], { keep: 9, maxTokens, tokensOf });
    expect([boundary(calls + 1), boundary(calls + 2)]).toEqual([3, 1]);
  });
  it.each<[string, (messages: Said[]) => void, readonly string[]]>([
    ["in another order", (messages) => void messages.splice(1, 2, messages[2] as Said, messages[1] as Said), ["", "r", "r"]],
    ["one missing", (messages) => void messages.splice(1, 1), ["", "lost", "r"]],
    ["two of one call", (messages) => void messages.splice(1, 0, messages[1] as Said), ["", "r", "r"]],
    ["a placeholder before the result", (messages) => void messages.splice(1, 0, placeholder("p")), ["", "r", "r"]],
    ["a placeholder behind the result", (messages) => void messages.splice(2, 0, placeholder("p")), ["", "r", "r"]],
    ["two placeholders", (messages) => void messages.splice(1, 1, placeholder("p"), placeholder("q")), ["", "p", "r"]],
  ])("and are put there when they do not: %s", (_name, change, texts) => {
    const messages = [...asking(2)];
    change(messages);
    const [group] = groupMessages(messages, lost);
    expect(group?.map(({ text }) => text)).toEqual(texts);
    expect(group?.slice(1).map(({ call_id }) => call_id)).toEqual(["c0", "c1"]);
  });
});
