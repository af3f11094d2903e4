/** The judge of a storm must see what it looks for: each log here breaks one law. */
import { describe, expect, test } from "vitest";
import { type SessionId, openStore } from "../../packages/throughline/src/index.ts";
import type { OwnerId, TraceId } from "../../packages/throughline/src/kernel/id.ts";
import type { NewEvent, SessionChange, Store } from "../../packages/throughline/src/store/port.ts";
import { createdEvent, newEvent, turnEvent } from "../../packages/throughline/src/session/new-event.ts";
import { replyTo } from "./agent.ts";
import type { Acknowledged } from "./client.ts";
import { type Verdict, judge } from "./law.ts";

const session_id = "ses_00000000000000000000000000" as SessionId;
const trace_id = "1".repeat(32) as TraceId;
const empty = { count: 0, seen: [] };

const asked = (text: string): NewEvent =>
  newEvent("message", "customer", { role: "user", parts: [{ type: "text", text }] }, { turn: "queued", trace_id, waiting: true });
const said = (turn: number, text: string): NewEvent =>
  newEvent("message", "ai_agent", { role: "assistant", parts: [{ type: "text", text }] }, { turn });
const started = (turn: number, ...answers: number[]): NewEvent =>
  turnEvent(turn, { type: "started", cause: "message", answers, versions: { agent: 1, state: 0, variables: 0 } });
const ended = (turn: number): NewEvent => turnEvent(turn, { type: "ended", outcome: { status: "completed" }, diagnostics: {} });
const typing = (turn: number): NewEvent => newEvent("status", "ai_agent", { status: "typing" }, { turn });
const gaveWay = (turn: number): NewEvent => turnEvent(turn, { type: "ended", outcome: { status: "stopped", reason: "superseded" }, diagnostics: {} });
/** A message that supersedes the turn before it. */
const supersede = (...events: readonly NewEvent[]): Omit<SessionChange, "session_id"> => ({
  events: [...events, asked("ho")],
  fence: true,
  dequeue_turns: [1],
  queue: { cause: "message", trace_id },
});
const noted = (turn: number, count: number, text: string): NewEvent =>
  newEvent(
    "state",
    "ai_agent",
    {
      patch: [
        { op: "replace", path: "/count", value: count },
        { op: "add", path: "/seen/-", value: text },
      ],
      writer: { type: "stage", name: "count" },
      definition: 1,
    },
    { turn },
  );

async function storeWith(changes: readonly Omit<SessionChange, "session_id">[]): Promise<Store> {
  const store = await openStore(":memory:");
  const owner_id = "own_1" as OwnerId;
  await store.commit({
    commit_id: "c",
    at: 1,
    owner: { owner_id, create: {} },
    session: {
      session_id,
      create: { owner_id, agent: "chaos", agent_version: 1 },
      events: [createdEvent({ agent: "chaos", definition: 1, state: empty }, trace_id)],
    },
  });
  for (const [index, change] of changes.entries()) await store.commit({ commit_id: `c${index}`, at: 1, session: { session_id, ...change } });
  return store;
}

const accept: Omit<SessionChange, "session_id"> = { events: [asked("hi")], queue: { cause: "message", trace_id } };
const acknowledged: Acknowledged = { session: "s1", key: "k", text: "hi", offset: 1 };

async function verdictOn(
  changes: readonly Omit<SessionChange, "session_id">[],
  messages: readonly Acknowledged[] = [acknowledged],
): Promise<Verdict> {
  return judge(await storeWith(changes), session_id, messages);
}

const turn = (...events: readonly NewEvent[]): Omit<SessionChange, "session_id"> => ({ events, end_turns: [1] });

describe("the judge of a storm", () => {
  test("has nothing to say about a turn as it should be", async () => {
    const verdict = await verdictOn([accept, turn(started(1, 1), noted(1, 1, "hi"), said(1, replyTo("hi")), ended(1))]);
    expect(verdict).toMatchObject({ violations: [], accepted: 1, answered: 1, lost: 0, doubled: 0 });
  });

  test("has nothing to say about a turn that gave way to the next, which answers for both", async () => {
    const verdict = await verdictOn([
      accept,
      supersede(started(1, 1), gaveWay(1)),
      { events: [started(2, 1, 4), noted(2, 1, "hi"), noted(2, 2, "ho"), said(2, replyTo("ho")), ended(2)], end_turns: [2] },
    ]);
    expect(verdict).toMatchObject({ violations: [], accepted: 2, answered: 2, superseded: 1, lost: 0, doubled: 0 });
  });

  const broken: readonly (readonly [name: string, changes: readonly Omit<SessionChange, "session_id">[], seen: RegExp])[] = [
    ["a message that nobody answered", [accept, { events: [said(1, "?")], end_turns: [1] }], /offset 1 was answered by 0 turns/],
    [
      "a message that two turns answered",
      [
        accept,
        turn(started(1, 1), noted(1, 1, "hi"), said(1, replyTo("hi")), ended(1)),
        { ...accept, events: [asked("ho")] },
        { events: [started(2, 1, 4), ended(2)], end_turns: [2] },
      ],
      /offset 1 was answered by 2 turns/,
    ],
    [
      "a reply that was given twice",
      [accept, turn(started(1, 1), noted(1, 1, "hi"), said(1, replyTo("hi")), said(1, replyTo("hi")), ended(1))],
      /should have said .* once/,
    ],
    ["a turn that ended without a reply", [accept, turn(started(1, 1), noted(1, 1, "hi"), ended(1))], /and said ""/],
    [
      "a delta that was applied twice",
      [accept, turn(started(1, 1), noted(1, 1, "hi"), noted(1, 2, "hi"), said(1, replyTo("hi")), ended(1))],
      /done twice/,
    ],
    ["half of a delta", [accept, turn(started(1, 1), noted(1, 2, "hi"), said(1, replyTo("hi")), ended(1))], /count is 2 for 1 entries/],
    ["a state change that is missing", [accept, turn(started(1, 1), said(1, replyTo("hi")), ended(1))], /left no trace of it in the state/],
    ["a turn that is still open", [accept, { events: [started(1, 1)], start_turn: { number: 1, event: 0 } }], /1 turns are open/],
    ["a turn that began twice", [accept, turn(started(1, 1), started(1, 1), noted(1, 1, "hi"), said(1, replyTo("hi")), ended(1))], /started 2 times/],
    [
      "a message of a superseded turn that the next one forgot",
      [
        accept,
        supersede(started(1, 1), gaveWay(1)),
        { events: [started(2, 4), noted(2, 1, "ho"), said(2, replyTo("ho")), ended(2)], end_turns: [2] },
      ],
      /offset 1 was answered by 0 turns/,
    ],
    [
      "a turn that was superseded after its customer saw it at work",
      [accept, supersede(started(1, 1), typing(1), gaveWay(1))],
      /superseded although it had shown something/,
    ],
    [
      "a turn that was superseded after it changed the state",
      [accept, supersede(started(1, 1), noted(1, 1, "hi"), gaveWay(1))],
      /although it had shown/,
    ],
    [
      "two turns at work at once",
      [
        accept,
        { events: [started(1, 1)], start_turn: { number: 1, event: 0 } },
        { events: [asked("ho")], queue: { cause: "message", trace_id } },
        { events: [started(2, 3), ended(2)], end_turns: [2] },
        { events: [said(1, replyTo("hi")), ended(1)], end_turns: [1] },
      ],
      /began while .* was at work/,
    ],
    [
      "an agent that speaks while a person has the session",
      [
        accept,
        { events: [newEvent("session", "system", { type: "mode", mode: "manual" }, { trace_id })], header: { mode: "manual" } },
        turn(started(1, 1), said(1, replyTo("hi")), ended(1)),
      ],
      /although a person had the session/,
    ],
    [
      "a checkpoint that is not the fold",
      [accept, { ...turn(started(1, 1), noted(1, 1, "hi"), said(1, replyTo("hi")), ended(1)), checkpoint: { count: 1, seen: ["ho"] } }],
      /is not the fold of the events/,
    ],
    [
      "a row that the log does not account for",
      [accept, turn(started(1, 1), noted(1, 1, "hi"), said(1, replyTo("hi")), ended(1)), { header: { title: "other" } }],
      /the row says/,
    ],
  ];
  test.each(broken)("sees %s", async (_name, changes, seen) => {
    expect((await verdictOn(changes)).violations.join("\n")).toMatch(seen);
  });

  test("sees an acknowledged message that is not in the log, and one that is there twice", async () => {
    const changes = [accept, turn(started(1, 1), noted(1, 1, "hi"), said(1, replyTo("hi")), ended(1))];
    const missing = await verdictOn(changes, [acknowledged, { session: "s1", key: "k2", text: "gone", offset: 9 }]);
    expect(missing).toMatchObject({ lost: 1, violations: ["k2 was acknowledged at offset 9 and is at no offset"] });
    const twice = await verdictOn([{ ...accept, events: [asked("hi"), asked("hi")] }]);
    expect(twice.violations.join("\n")).toContain(`"hi" is in the log at offsets 1, 2`);
  });
});
