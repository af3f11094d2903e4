/** The judge of calls must see what it looks for: each log here breaks one law. */
import { describe, expect, test } from "vitest";
import type { Event, JsonObject, SessionId } from "../../packages/throughline/src/index.ts";
import { eventIdOf } from "../../packages/throughline/src/kernel/id.ts";
import { newEvent, turnEvent } from "../../packages/throughline/src/session/new-event.ts";
import type { Decision, ToolEffects, ToolResult } from "../../packages/throughline/src/session/event.ts";
import { decodeEvent } from "../../packages/throughline/src/session/fold.ts";
import type { NewEvent } from "../../packages/throughline/src/store/port.ts";
import type { Done } from "./outside.ts";
import { judgeTools } from "./tool-law.ts";

const session_id = "ses_00000000000000000000000000" as SessionId;
const step_id = "stp_1" as never;
const args = (name: string): JsonObject => ({ text: name });

const asked = (...names: readonly string[]): NewEvent => {
  const calls = names.map((name) => ({ call_id: `c_${name}`, name, arguments: args(name) }));
  return newEvent("message", "ai_agent", { role: "assistant", parts: [], origin: { agent_id: "a", step_id, is_trace: true }, calls }, { turn: 1 });
};
const called = (name: string, effects: ToolEffects, given: JsonObject = args(name)): NewEvent =>
  newEvent("tool", "ai_agent", { type: "called", call_id: `c_${name}`, name, arguments: given, key: `k_${name}`, effects }, { turn: 1 });
const returned = (name: string, result: ToolResult): NewEvent =>
  newEvent("tool", "ai_agent", { type: "returned", call_id: `c_${name}`, result }, { turn: 1 });
const ok = (name: string): ToolResult => ({ type: "ok", value: { entry: [name] } });
const merged = (...names: readonly string[]): NewEvent => turnEvent(1, { type: "merged", step_id, calls: names.map((name) => `c_${name}`), ms: 1 });
const decided = (name: string, decision: Decision): NewEvent =>
  turnEvent(1, { type: "decided", call_id: `c_${name}`, index: 0, arguments_hash: "h", decision });
const ended = turnEvent(1, { type: "ended", outcome: { status: "completed" }, diagnostics: {} });

const logOf = (events: readonly NewEvent[]): readonly Event[] =>
  events.map(({ kind, source, data, version = 1 }, offset) =>
    decodeEvent({
      ...{ session_id, offset, id: eventIdOf(session_id, offset), kind, source, data, version, created_at: 1 },
      ...{ trace_id: "1".repeat(32) as never, turn_id: "trn_1" as never },
    }),
  );

type Outside = Readonly<Record<string, Partial<Done>>>;
function violationsOf(events: readonly NewEvent[], ledger: readonly string[], outside: Outside = {}): readonly string[] {
  const done = new Map(Object.entries(outside).map(([name, what]) => [`k_${name}`, { begun: [], done: [], ...what }]));
  const violations: string[] = [];
  judgeTools(logOf(events), { state: { ledger: [...ledger] }, done, wrong: (text) => void violations.push(text) });
  return violations;
}
const ran = (name: string): Done => ({ begun: [args(name)], done: [args(name)] });

describe("the judge of calls", () => {
  test("has nothing to say about calls as they should be", () => {
    const events = [
      asked("look", "charge", "publish", "save"),
      decided("publish", { type: "approve" }),
      called("look", "none"),
      called("charge", "once"),
      called("publish", "once"),
      called("save", "idempotent"),
      returned("charge", { type: "unknown" }),
      ...["look", "publish", "save"].map((name) => returned(name, ok(name))),
      merged("look", "charge", "publish", "save"),
      ended,
    ];
    const twice = { begun: [args("save"), args("save")], done: [args("save")] };
    expect(violationsOf(events, ["look", "publish", "save"], { charge: { begun: [args("charge")] }, publish: ran("publish"), save: twice })).toEqual(
      [],
    );
  });

  const charged = [asked("charge"), called("charge", "once"), returned("charge", ok("charge")), merged("charge"), ended];
  const rejection: Decision = { type: "reject", cause: "person" };
  const blocked: ToolResult = { type: "blocked", by: "person", reason: "no" };
  const broken: readonly (readonly [name: string, events: readonly NewEvent[], ledger: readonly string[], outside: Outside, seen: RegExp])[] = [
    [
      "an effect that happened twice",
      charged,
      ["charge"],
      { charge: { begun: [args("charge"), args("charge")], done: [args("charge")] } },
      /ran 2 times/,
    ],
    ["a result of what was never done", charged, ["charge"], {}, /is ok and was never done/],
    ["an effect with other arguments", charged, ["charge"], { charge: ran("other") }, /did .* for/],
    ["a result that is not in the state", charged, [], { charge: ran("charge") }, /the ledger is \[\]/],
    ["a result that entered the state twice", charged, ["charge", "charge"], { charge: ran("charge") }, /the results that were merged say/],
    [
      "two results",
      [...charged.slice(0, 3), returned("charge", ok("charge")), merged("charge"), ended],
      ["charge"],
      { charge: ran("charge") },
      /returned 2 times/,
    ],
    ["a call without a result", [asked("charge"), called("charge", "once"), ended], [], {}, /ended with 0 results[^]*lacks the result/],
    ["a result that was not merged", [...charged.slice(0, 3), ended], [], { charge: ran("charge") }, /merged 0 times/],
    [
      "a result that was merged before it was there",
      [asked("look"), called("look", "none"), merged("look"), returned("look", ok("look")), ended],
      ["look"],
      {},
      /before it returned/,
    ],
    [
      "an unknown result of what was never begun",
      [asked("charge"), returned("charge", { type: "unknown" }), merged("charge"), ended],
      [],
      {},
      /never begun/,
    ],
    [
      "an unknown result of what can be repeated",
      [asked("save"), called("save", "idempotent"), returned("save", { type: "unknown" }), merged("save"), ended],
      [],
      { save: ran("save") },
      /may be run again and is unknown/,
    ],
    ["a call that was asked for twice", [asked("look"), asked("look"), ended], [], {}, /asked for twice/],
    ["a result that nobody asked for", [asked(), returned("charge", ok("charge")), ended], [], {}, /which nobody asked for/],
    [
      "a call that ran without approval",
      [asked("publish"), called("publish", "once"), returned("publish", ok("publish")), merged("publish"), ended],
      ["publish"],
      { publish: ran("publish") },
      /without approval/,
    ],
    [
      "an approval that came after the call",
      [
        asked("publish"),
        called("publish", "once"),
        decided("publish", { type: "approve" }),
        returned("publish", ok("publish")),
        merged("publish"),
        ended,
      ],
      ["publish"],
      { publish: ran("publish") },
      /without approval/,
    ],
    [
      "a call that was turned down and ran",
      [asked("publish"), decided("publish", rejection), called("publish", "once"), returned("publish", blocked), merged("publish"), ended],
      [],
      { publish: ran("publish") },
      /ran without approval[^]*is blocked and was begun/,
    ],
    [
      "a call that ran with other arguments than approved",
      [
        asked("publish"),
        decided("publish", { type: "edit", arguments: { text: "edited" } }),
        called("publish", "once"),
        returned("publish", ok("publish")),
        merged("publish"),
        ended,
      ],
      ["publish"],
      { publish: ran("publish") },
      /other arguments than approved/,
    ],
    [
      "two words on one call",
      [asked("publish"), decided("publish", rejection), decided("publish", rejection), returned("publish", blocked), merged("publish"), ended],
      [],
      {},
      /decided on twice/,
    ],
  ];
  test.each(broken)("sees %s", (_name, events, ledger, outside, seen) => {
    expect(violationsOf(events, ledger, outside).join("\n")).toMatch(seen);
  });
});
