/** The judge of rounds must see what it looks for: each world here breaks one law. */
import { describe, expect, test } from "vitest";
import type { Event, JsonObject, SessionId } from "../../packages/throughline/src/index.ts";
import { eventIdOf, turnIdOf } from "../../packages/throughline/src/kernel/id.ts";
import type { EventDataByKind } from "../../packages/throughline/src/session/event.ts";
import { evolveAll } from "../../packages/throughline/src/testing/given.ts";
import { newEvent, turnEvent } from "../../packages/throughline/src/session/new-event.ts";
import { decodeEvent } from "../../packages/throughline/src/session/fold.ts";
import type { EventSource, NewEvent } from "../../packages/throughline/src/store/port.ts";
import { toWireEvent } from "../../packages/server/src/server/to-wire.ts";
import { replyTo } from "../chaos/agent.ts";
import { judge } from "./law.ts";
import { endMark } from "./law-readers.ts";
import type { Deed, DeedType, Item, Left, Told, Trace, World } from "./world.ts";

const id = "ses_00000000000000000000000001" as SessionId;
const fork = "ses_00000000000000000000000002" as SessionId;
/** An event that belongs to no turn, unless it says so. */
const put = <Kind extends keyof EventDataByKind>(
  kind: Kind,
  source: EventSource,
  data: EventDataByKind[Kind],
  place: { readonly turn?: number } = {},
): NewEvent => newEvent(kind, source, data, place);

const turn1 = turnIdOf(id, 1);

const created = put("session", "system", { type: "created", agent: "steady", definition: 1, state: {}, episode: 1 });
const says = (text: string, turn?: number): NewEvent =>
  put("message", "customer", { role: "user", parts: [{ type: "text", text }] }, turn === undefined ? {} : { turn });
const replies = (text: string, turn: number): NewEvent =>
  put(
    "message",
    "ai_agent",
    { role: "assistant", parts: [{ type: "text", text }], origin: { agent_id: "steady", step_id: "stp" as never } },
    { turn },
  );
const begins = (turn: number, answers: readonly number[]): NewEvent =>
  turnEvent(turn, { type: "started", cause: "message", answers, versions: { agent: 1, state: 0, variables: 0 } });
const ends = (turn: number): NewEvent => turnEvent(turn, { type: "ended", outcome: { status: "completed" }, diagnostics: {} });
const mode = (to: "auto" | "manual", reason = "m01"): NewEvent =>
  put("session", "system", { type: "mode", mode: to, handover: { status: to === "auto" ? "resolved" : "waiting", since: 1, reason } });
const edits = (mark: string): NewEvent =>
  put("state", "system", { patch: [{ op: "add", path: "/edits", value: [mark] }], writer: { type: "operator" }, definition: 1 });
const withdraws = (from: number): NewEvent => put("session", "system", { type: "withdrawn", from, effects: [] });
const note = (mark: string): NewEvent => put("custom", "system", { value: { mark } });
const end = put("custom", "customer_ui", { value: endMark });

/** A whole log: a message with its answer, and an edit. */
const whole = [created, says("m10", 1), begins(1, [1]), replies(replyTo("m10"), 1), ends(1), edits("m11"), end];
const state: JsonObject = { edits: ["m11"] };

const logOf = (events: readonly NewEvent[], session_id = id): readonly Event[] =>
  events.map(({ kind, source, data, turn, version = 1 }, offset) =>
    decodeEvent({
      ...{ session_id, offset, id: eventIdOf(session_id, offset), kind, source, data, version, created_at: 1, trace_id: "1".repeat(32) as never },
      ...(typeof turn === "number" ? { turn_id: turnIdOf(session_id, turn) } : {}),
    }),
  );

const isLog = (events: readonly (NewEvent | Event)[]): events is readonly Event[] => events.every((event) => "offset" in event);
const leftOf = (given: readonly NewEvent[] | readonly Event[], rest: Partial<Left> = {}): Left => {
  const events = isLog(given) ? given : logOf(given);
  return {
    ...{ id, agent: "steady", customer: "ada", events, view: evolveAll(events), head: events.length - 1, title: null },
    ...{ labels: [], metadata: {}, consumers: {}, variables: {}, states: [], ...rest },
  };
};
const worldOf = (rest: Partial<World>): World => ({ sessions: [leftOf(whole)], customers: [], deleted: [], deeds: [], traces: [], ...rest });
const violationsOf = (world: World): string => judge(world).violations.join("\n");
const ofLog = (events: readonly NewEvent[], rest: Partial<Left> = {}): World => worldOf({ sessions: [leftOf(events, rest)] });

const done = (body: unknown): Told => ({ status: 200, text: JSON.stringify(body) });
const refused = (code: string, status = 409): Told => ({ status, code, text: JSON.stringify({ code }) });
const deed = (type: DeedType, mark: string, told: readonly Told[], rest: Partial<Deed> = {}): Deed => ({
  ...{ type, mark, on: id, keyed: true, told, misused: [], ...rest },
});
const ofDeeds = (...deeds: readonly Deed[]): World => worldOf({ deeds });

const wire = (event: Event): string => JSON.stringify(toWireEvent({ agents: new Map() }, { type: "local" }, "steady", event));
const open = (resumed = false): Item => ({ type: "open", resumed });
const eventsOf = (offsets: readonly number[], log = logOf(whole)): readonly Item[] =>
  offsets.map((offset) => ({ type: "event", session: id, text: wire(log[offset]!) }));
const delta = (text: string, epoch = 1, turn_id = turn1): Item => ({
  type: "draft",
  draft: { type: "draft.delta", session_id: id, turn_id, epoch, message: 0, text },
});
const reset = (epoch = 1): Item => ({
  type: "draft",
  draft: { type: "draft.reset", session_id: id, turn_id: turn1, epoch, message: 0, reason: "end" },
});
const resumed: Item = { type: "draft", draft: { type: "draft.reset", session_id: id, reason: "resumed" } };
const traceOf = (items: readonly Item[], rest: Partial<Trace> = {}): Trace => ({
  ...{ reader: "a stream", as: "local", withdrawn: true, drafts: true, sessions: [id], items, ...rest },
});
const ofReader = (items: readonly Item[], rest: Partial<Trace> = {}): World => worldOf({ traces: [traceOf(items, rest)] });
const rest = eventsOf([3, 4, 5, 6]);
const first = eventsOf([0, 1, 2]);

test("the judge of rounds has nothing to say about a round as it should be", () => {
  const forked = logOf(
    [...whole.slice(0, 5), put("session", "system", { type: "forked", at: 4 }), put("session", "system", { type: "title", title: "m12" })],
    fork,
  );
  const session = leftOf(whole, {
    labels: ["m13"],
    metadata: { list: ["m14"] },
    states: [
      { at: 6, state },
      { at: 4, state: {} },
    ],
  });
  const world = worldOf({
    sessions: [session, leftOf(forked, { id: fork, title: "m12", origin: { session: id, at: 4 } })],
    customers: [{ id: "ada", variables: { list: ["m15"] }, metadata: {} }],
    deleted: ["ses_gone"],
    deeds: [
      deed("say", "m10", [done({ offset: 1 }), done({ offset: 1 })], { misused: [refused("request.key_reused", 422)] }),
      deed("edit_list", "m11", [done({ offset: 5 })], { at: 0 }),
      deed("fork", "m12", [{ status: 201, text: JSON.stringify({ id: fork }) }]),
      deed("label", "m13", [done({})]),
      deed("metadata", "m14", [done({})]),
      deed("variables", "m15", [done({})], { on: "ada" }),
      deed("variables", "m16", [refused("request.precondition_failed", 412)], { on: "ada" }),
      deed("note", "m17", [], { keyed: false }),
      deed("delete", "m18", [{ status: 204, text: "" }], { on: "ses_gone" }),
    ],
    traces: [
      traceOf([open(), ...first, delta("re: m10"), { type: "closed" }, open(true), resumed, delta("re: ", 2), delta("m10", 2), reset(2), ...rest]),
      traceOf([open(), ...eventsOf([0, 1, 3, 5, 6]), { type: "bye" }], { kinds: ["message", "session", "state", "custom"] }),
    ],
  });
  expect(violationsOf(world)).toBe("");
});

type Case = readonly [name: string, world: () => World, seen: RegExp];

test("the judge of rounds lets a fork at the offset of a withdrawal have the state as it is there", () => {
  const forked = [...whole, withdraws(5), put("session", "system", { type: "forked", at: 7 })];
  expect(violationsOf(ofLog(forked))).not.toMatch(/does not lead to the state/);
});

describe("the judge of rounds sees, in a log,", () => {
  const silent = (events: readonly NewEvent[]): World => ofLog(events);
  const shifted = logOf(whole).map((event) => (event.offset > 4 ? { ...event, offset: event.offset + 1 } : event));
  const cases: readonly Case[] = [
    ["a gap", () => worldOf({ sessions: [leftOf(shifted, { head: 7 })] }), /the event after offset 4 has offset 6/],
    ["an end that the row does not know", () => ofLog(whole, { head: 9 }), /the head is 9/],
    ["a message that nobody answers", () => silent([created, says("m10", 1)]), /answered by 0 turns[^]*1 turns are open, 1 messages wait/],
    ["a message that is there twice", () => silent([...whole, says("m10")]), /"m10" is in the log at offsets 1, 7/],
    ["a message that two turns answer", () => silent([...whole, begins(2, [1]), replies(replyTo("m10"), 2), ends(2)]), /answered by 2 turns/],
    [
      "a turn that begins while another one is at work",
      () => silent([created, says("m10", 1), begins(1, [1]), begins(2, [])]),
      /began while .* was at work/,
    ],
    [
      "an agent that speaks while a person has the session",
      () => silent([...whole.slice(0, 3), mode("manual"), ...whole.slice(3)]),
      /the agent spoke at offset 4/,
    ],
    ["a turn that goes on after its end", () => silent([...whole, replies("more", 1)]), /is of turn .* which had ended/],
    [
      "a turn that speaks before it has begun",
      () => silent([created, says("m10", 1), replies(replyTo("m10"), 1), begins(1, [1]), ends(1)]),
      /spoke at offset 2 before it began/,
    ],
    ["a state that is not the fold", () => ofLog(whole, { states: [{ at: 6, state: { edits: ["m99"] } }] }), /the state at 6 is not the fold/],
    [
      "a withdrawal that leads elsewhere",
      () => silent([...whole, withdraws(5), put("state", "system", { patch: [], writer: { type: "withdrawal", from: 5 }, definition: 1 })]),
      /the withdrawal at offset 7 does not lead to the state at 4/,
    ],
    [
      "a withdrawal that leaves the state as it is",
      () => silent([...whole, withdraws(5)]),
      /the withdrawal at offset 7 does not lead to the state at 4/,
    ],
    ["a row that says otherwise", () => ofLog(whole, { view: { ...evolveAll(logOf(whole)), mode: "manual" } }), /the row says/],
    [
      "a fork that begins otherwise",
      () => {
        const other = logOf([created, says("m20", 1), ...whole.slice(2, 5), put("session", "system", { type: "forked", at: 4 })], fork);
        return worldOf({ sessions: [leftOf(whole), leftOf(other, { id: fork, origin: { session: id, at: 4 } })] });
      },
      /offset 1 is not as in/,
    ],
    ["a withdrawal that nobody has asked for", () => silent([...whole, withdraws(5)]), /was taken back from 5 at 7, and nobody asked for that/],
  ];
  test.each(cases)("%s", (_name, world, seen) => expect(violationsOf(world())).toMatch(seen));
});

describe("the judge of rounds sees, in what callers were told,", () => {
  const twice = leftOf([...whole, edits("m11"), note("m20"), note("m20")]);
  const cases: readonly Case[] = [
    ["an acknowledged message that is not there", () => ofDeeds(deed("say", "m99", [done({ offset: 1 })])), /was done, and has happened 0 times/],
    [
      "an edit that was done twice",
      () => worldOf({ sessions: [twice], deeds: [deed("edit", "m11", [done({ offset: 5 })])] }),
      /has happened 2 times/,
    ],
    [
      "something done twice that nobody has heard of",
      () => worldOf({ sessions: [twice], deeds: [deed("note", "m20", [], { keyed: false })] }),
      /has happened 2 times/,
    ],
    [
      "something refused that was done",
      () => ofDeeds(deed("edit_list", "m11", [refused("session.conflict")], { at: 0 })),
      /was refused with session.conflict, and has happened 1 times/,
    ],
    ["another offset", () => ofDeeds(deed("say", "m10", [done({ offset: 3 })])), /was told to be at offset 3, and is not/],
    ["another answer on the second try", () => ofDeeds(deed("say", "m10", [done({ offset: 1 }), done({ offset: 1, more: 1 })])), /and with/],
    ["a refusal that should not be", () => ofDeeds(deed("note", "m30", [refused("handover.none")])), /was answered with 409 handover.none/],
    ["an error of the service", () => ofDeeds(deed("note", "m30", [refused("internal", 500)])), /was answered with 500 internal/],
    ["a session that is not there any more", () => ofDeeds(deed("note", "m30", [refused("session.not_found", 404)])), /404 session.not_found/],
    [
      "a key that is good for two things",
      () => ofDeeds(deed("say", "m10", [done({ offset: 1 })], { misused: [done({ offset: 1 })] })),
      /gave away its key/,
    ],
    ["no answer at all", () => ofDeeds(deed("say", "m10", [])), /was never answered/],
    [
      "an edit that overlooks another",
      () => worldOf({ sessions: [leftOf([...whole, edits("m40")])], deeds: [deed("edit_list", "m40", [done({ offset: 7 })], { at: 0 })] }),
      /overlooks the change at 5/,
    ],
    ["an update of metadata that was lost", () => ofDeeds(deed("metadata", "m50", [done({})])), /has happened 0 times/],
    [
      "an update of variables that was lost",
      () =>
        worldOf({
          customers: [{ id: "ada", variables: { list: ["m52"] }, metadata: {} }],
          deeds: [deed("variables", "m51", [done({})], { on: "ada" })],
        }),
      /has happened 0 times/,
    ],
    [
      "an update that was refused and done",
      () =>
        worldOf({
          customers: [{ id: "ada", variables: { list: ["m51"] }, metadata: {} }],
          deeds: [deed("variables", "m51", [refused("request.precondition_failed", 412)], { on: "ada" })],
        }),
      /was refused with request.precondition_failed, and has happened 1 times/,
    ],
    ["a title that was set twice", () => ofDeeds(deed("title", "m60", [done({})])), /has happened 0 times/],
    ["a fork that is not there", () => ofDeeds(deed("fork", "m70", [{ status: 201, text: JSON.stringify({ id: fork }) }])), /has happened 0 times/],
    ["a session that was deleted and is there", () => ofDeeds(deed("delete", "m80", [{ status: 204, text: "" }])), /has happened 0 times/],
    [
      "a withdrawal that was done twice",
      () =>
        worldOf({
          sessions: [leftOf([...whole, withdraws(5), withdraws(5)])],
          deeds: [deed("withdraw", "m90", [{ status: 204, text: "" }], { at: 5 })],
        }),
      /was taken back 2 times, and asked to be 1 to 1 times/,
    ],
    [
      "a hand-over whose reason comes twice",
      () =>
        worldOf({
          sessions: [leftOf([...whole, mode("manual"), mode("auto", "m02"), mode("manual")])],
          deeds: [deed("hand_over", "m01", [done({})])],
        }),
      /has happened 2 times/,
    ],
  ];
  test.each(cases)("%s", (_name, world, seen) => expect(violationsOf(world())).toMatch(seen));
});

describe("the judge of rounds sees, in what readers were shown,", () => {
  const every = eventsOf([0, 1, 2, 3, 4, 5, 6]);
  const manual = [...whole.slice(0, 6), mode("manual"), end];
  const cases: readonly Case[] = [
    ["an event that comes twice", () => ofReader([open(), ...every, ...eventsOf([6])]), /offset 6 came twice/],
    ["an event that comes late", () => ofReader([open(), ...eventsOf([0, 1, 2, 4, 3, 5, 6])]), /offset 3 came after 4/],
    ["an event that never comes", () => ofReader([open(), ...eventsOf([0, 1, 3, 4, 5, 6])]), /never got the offsets 2/],
    ["an event that is another's to see", () => ofReader([open(), ...every], { as: "customer" }), /offset 2 came, and is not for this reader/],
    [
      "an event that was changed",
      () =>
        ofReader([
          open(),
          ...eventsOf([0]),
          { type: "event", session: id, text: wire(logOf([...whole.slice(0, 1), says("m11", 1)])[1]!) },
          ...eventsOf([2, 3, 4, 5, 6]),
        ]),
      /offset 1 came as/,
    ],
    [
      "what was taken back and is missing",
      () =>
        worldOf({
          sessions: [leftOf([...whole, withdraws(5)])],
          traces: [traceOf([open(), ...eventsOf([0, 1, 2, 3, 4, 7], logOf([...whole, withdraws(5)]))])],
        }),
      /never got the offsets 5, 6/,
    ],
    [
      "a draft that is open when the stream ends",
      () => ofReader([open(), ...first, delta("re"), { type: "bye" }, open(), reset(), ...rest]),
      /was left open/,
    ],
    [
      "a draft that is open when all is quiet",
      () => ofReader([open(), ...first, ...rest.slice(0, 3), delta("re"), ...rest.slice(3)]),
      /was left open/,
    ],
    [
      "a draft that its message does not end",
      () => ofReader([open(), ...first, delta("re"), ...rest.slice(0, 1), reset(), ...rest.slice(1)]),
      /came before its draft was reset/,
    ],
    ["a draft that says something else", () => ofReader([open(), ...first, delta("no"), reset(), ...rest]), /drafted "no" and said/],
    [
      "a draft of a worker that was followed by another",
      () => ofReader([open(), ...first, delta("re", 2), reset(2), delta("re", 1), reset(1), ...rest]),
      /epoch 1 came after one of 2/,
    ],
    [
      "a draft between the pieces of another",
      () => ofReader([open(), ...first, delta("re", 1), delta("re", 2), reset(2), ...rest]),
      /came while one of/,
    ],
    ["a reset of nothing", () => ofReader([open(), ...first, reset(), ...rest]), /was reset that was not open/],
    [
      "a draft that goes on after a cut",
      () => ofReader([open(), ...first, delta("re"), { type: "closed" }, open(true), delta("re"), reset(), ...rest]),
      /did not reset its drafts/,
    ],
    [
      "a draft while a person has the session",
      () =>
        worldOf({
          sessions: [leftOf(manual)],
          traces: [traceOf([open(), ...eventsOf([0, 1, 2, 3, 4, 5, 6], logOf(manual)), delta("re"), reset(), ...eventsOf([7], logOf(manual))])],
        }),
      /drafted although a person has the session/,
    ],
    ["a session that is gone and was not deleted", () => ofReader([open(), ...every, { type: "gone", session: id }]), /nobody has deleted it/],
    [
      "an event of a session that is gone",
      () =>
        worldOf({
          deleted: [fork],
          traces: [traceOf([open(), ...every, { type: "gone", session: fork }, { type: "event", session: fork, text: "{}" }])],
        }),
      /had gone, and has an event/,
    ],
  ];
  test.each(cases)("%s", (_name, world, seen) => expect(violationsOf(world())).toMatch(seen));
});
