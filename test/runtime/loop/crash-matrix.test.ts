/** What a process that takes over a step finds on disk, and what it does with each call: point of the crash × effects × new or old log. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineTool,
  type Runtime,
  type Script,
  type Store,
  type Tool,
  type ToolEffects,
} from "../../../packages/throughline/src/index.ts";
import { stepIdOf, type SessionId } from "../../../packages/throughline/src/kernel/id.ts";
import { newEvent, turnEvent } from "../../../packages/throughline/src/session/new-event.ts";
import type { Commit, NewEvent } from "../../../packages/throughline/src/store/port.ts";
import { mortalStore } from "../../../packages/throughline/src/testing/mortal-store.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { collect, emptyStore, until } from "../harness.ts";
import { calling, scriptedAgent, toolState } from "./harness.ts";

const never = new Promise<never>(() => {});
const names = ["a", "b", "c"] as const;

/** Asks for `a`, `b` and `c` in one step, then answers. */
const script: Script = ({ messages }) => (messages.some(({ role }) => role === "tool") ? "done" : calling(...names.map((name) => [name] as const)));

/** A tool that writes its own name to the state. */
const toolOf = (name: string, effects: ToolEffects, execute: () => unknown): Tool =>
  defineTool({
    ...{ name, description: `Does ${name}.`, effects, state: toolState, outputsToState: { docs: { source: "docs" } } },
    execute: async () => {
      await execute();
      return { docs: [name] };
    },
  });

const runtimeOn = (store: Store, tools: readonly Tool[], concurrency = 1): Promise<Runtime> =>
  createRuntime({ store, agents: [scriptedAgent(script, { loop: { tools, concurrency } }).agent], pollMs: 5 });

/** Whether a commit holds this: the assistant message, or what became of a call. */
type Marks = (event: NewEvent) => boolean;
const asks: Marks = ({ kind, data }) => kind === "message" && data["calls"] !== undefined;
const ends: Marks = ({ kind, data }) => kind === "turn" && data["type"] === "ended";
const about =
  (type: "called" | "returned", index: number): Marks =>
  ({ kind, data }) =>
    kind === "tool" && data["type"] === type && data["call_id"] === `call_1_1_${index}`;

/** A store whose process dies before, or after, the commit that holds such an event. */
function dyingAt(below: Store, at: "before" | "after", marks: Marks) {
  const mortal = mortalStore(below);
  const commit = (given: Commit): ReturnType<Store["commit"]> => {
    if (given.session?.events?.some(marks) !== true) return mortal.store.commit(given);
    if (at === "before") {
      mortal.die();
      return never;
    }
    return below.commit(given).then(() => {
      mortal.die();
      return never;
    });
  };
  return { ...mortal, store: { ...forwarding(mortal.store), commit } };
}

/** Where the first process dies. */
type Death = { readonly at: "before" | "after"; readonly commit: Marks } | { readonly at: "during"; readonly tool: string };

const deaths = {
  "before the assistant message is on disk": { at: "before", commit: asks },
  "after the assistant message, before any call": { at: "after", commit: asks },
  "before the start of b is on disk": { at: "before", commit: about("called", 2) },
  "after the start of b is on disk, before b runs": { at: "after", commit: about("called", 2) },
  "while b runs": { at: "during", tool: "b" },
  "after b has run, before its result is on disk": { at: "before", commit: about("returned", 2) },
  "after the result of b is on disk": { at: "after", commit: about("returned", 2) },
  "before the end of the turn is on disk": { at: "before", commit: ends },
} as const satisfies Readonly<Record<string, Death>>;

/** What the second process does: the calls that it runs, and the results of all three. `u` is unknown, `o` is ok. */
type Row = readonly [point: keyof typeof deaths, effects: ToolEffects, first: string, second: string, results: string];

// A `once` or `idempotent` call is on disk before it runs, together with the results of the calls before it. A call without effects is on disk with
// its result, in the next commit that is due.
const rows: readonly Row[] = [
  ["before the assistant message is on disk", "none", "", "abc", "ooo"],
  ["before the assistant message is on disk", "idempotent", "", "abc", "ooo"],
  ["before the assistant message is on disk", "once", "", "abc", "ooo"],
  ["after the assistant message, before any call", "none", "", "abc", "ooo"],
  ["after the assistant message, before any call", "idempotent", "", "abc", "ooo"],
  ["after the assistant message, before any call", "once", "", "abc", "ooo"],
  ["before the start of b is on disk", "none", "abc", "abc", "ooo"],
  ["before the start of b is on disk", "idempotent", "a", "abc", "ooo"],
  ["before the start of b is on disk", "once", "a", "bc", "uoo"],
  ["after the start of b is on disk, before b runs", "none", "abc", "", "ooo"],
  ["after the start of b is on disk, before b runs", "idempotent", "a", "bc", "ooo"],
  ["after the start of b is on disk, before b runs", "once", "a", "c", "ouo"],
  ["while b runs", "none", "ab", "abc", "ooo"],
  ["while b runs", "idempotent", "ab", "bc", "ooo"],
  ["while b runs", "once", "ab", "c", "ouo"],
  ["after b has run, before its result is on disk", "none", "abc", "abc", "ooo"],
  ["after b has run, before its result is on disk", "idempotent", "ab", "bc", "ooo"],
  ["after b has run, before its result is on disk", "once", "ab", "c", "ouo"],
  ["after the result of b is on disk", "none", "abc", "", "ooo"],
  ["after the result of b is on disk", "idempotent", "ab", "c", "ooo"],
  ["after the result of b is on disk", "once", "ab", "", "oou"],
  ["before the end of the turn is on disk", "none", "abc", "", "ooo"],
  ["before the end of the turn is on disk", "idempotent", "abc", "", "ooo"],
  ["before the end of the turn is on disk", "once", "abc", "", "ooo"],
];

const letters: Readonly<Record<string, string>> = { ok: "o", unknown: "u", error: "e", skipped: "s" };

/** The results of the turn in the order of the calls, and the names that its calls have written to the state. */
async function ended(runtime: Runtime, id: SessionId, offset: number) {
  const session = await runtime.sessions.get(id);
  const { status, reply } = await session.outcome(offset);
  const returned = (await collect(session)).flatMap(({ kind, data }) => (kind === "tool" && data.type === "returned" ? [data] : []));
  const results = returned.toSorted((left, right) => (left.call_id < right.call_id ? -1 : 1)).map(({ result }) => letters[result.type]);
  return { status, reply, results: results.join(""), docs: (await session.state()).document["docs"] ?? [] };
}

/** The names of the calls that ended well: each is in the state once. */
const okOf = (results: string): readonly string[] => names.filter((_name, index) => results[index] === "o");

describe.each(["memory", "sqlite"] as const)("a process that dies in a step of three calls (%s)", (kind) => {
  test.each(rows)("%s, effects %s", async (point, effects, first, second, results) => {
    const below = await emptyStore(kind);
    const death: Death = deaths[point];
    const mortal = death.at === "during" ? mortalStore(below) : dyingAt(below, death.at, death.commit);
    const ran = { first: "", second: "" };
    const mine = names.map((name) =>
      toolOf(name, effects, () => {
        ran.first += name;
        if (death.at !== "during" || death.tool !== name) return undefined;
        mortal.die();
        return never;
      }),
    );
    const dying = await runtimeOn(mortal.store, mine);
    const { id } = await dying.sessions.create({ agent: "a1" });
    const { offset } = await (await dying.sessions.get(id)).post("go");
    await mortal.died;
    const next = names.map((name) => toolOf(name, effects, () => void (ran.second += name)));
    const runtime = await runtimeOn(below, next);
    const found = await ended(runtime, id, offset);
    await runtime.close();
    expect({ ...ran, ...found }).toEqual({ first, second, results, status: "completed", reply: "done", docs: okOf(results) });
  });
});

/** Version 97d9779 and before: the start of every call of a step is in one commit with the message that asks for them. */
async function oldLog(store: Store, { effects, returned }: { readonly effects: ToolEffects; readonly returned: string }) {
  const client = await createRuntime({ store, agents: [scriptedAgent(script).agent], work: false });
  const session = await client.sessions.create({ agent: "a1" });
  const { offset } = await session.post("go");
  const claim = await store.claim({ kind: "session", session_id: session.id, worker: "old", lease_ms: 60_000, agents: { a1: 1 } });
  if (claim === undefined) throw new Error("There is a turn to claim.");
  const { epoch, turn } = claim;
  const ids = names.map((_name, index) => `call_1_1_${index + 1}`);
  const calls = names.map((name, index) => ({ call_id: ids[index] ?? "", name, arguments: {} }));
  const place = { turn: turn.number };
  const events = [
    turnEvent(turn.number, { type: "started", cause: "message", answers: [offset], versions: { agent: 1, state: 0, variables: 0 } }),
    turnEvent(turn.number, { type: "step", step_id: stepIdOf(1), usage: {}, finish_reason: "tool_calls", ms: 1 }),
    newEvent("message", "ai_agent", { role: "assistant", parts: [], origin: { agent_id: "a1", step_id: stepIdOf(1), is_trace: true }, calls }, place),
    ...calls.map(({ call_id, name }) =>
      newEvent("tool", "ai_agent", { type: "called", call_id, name, arguments: {}, key: `${turn.turn_id}.${call_id}`, effects }, place),
    ),
    ...names.flatMap((name, index) => {
      if (!returned.includes(name)) return [];
      const call_id = ids[index] ?? "";
      return newEvent("tool", "ai_agent", { type: "returned", call_id, result: { type: "ok", value: { docs: [name] } } }, place);
    }),
  ];
  const result = await store.commit({
    ...{ commit_id: "old", at: Date.now() },
    session: { session_id: session.id, events, depends: { epoch }, start_turn: { number: turn.number, event: 0 } },
  });
  expect(result.outcome).toBe("committed");
  await store.release({ session_id: session.id, epoch, counted: false });
  await client.close();
  return { id: session.id, offset };
}

/** An old log that holds the start of all three calls and these results; the calls that run again; all results. */
const oldRows: readonly (readonly [effects: ToolEffects, returned: string, ran: string, results: string])[] = [
  ["none", "", "abc", "ooo"],
  ["none", "a", "bc", "ooo"],
  ["none", "abc", "", "ooo"],
  ["idempotent", "", "abc", "ooo"],
  ["idempotent", "a", "bc", "ooo"],
  ["idempotent", "abc", "", "ooo"],
  ["once", "", "", "uuu"],
  ["once", "a", "", "ouu"],
  ["once", "b", "", "uou"],
  ["once", "abc", "", "ooo"],
];

test.each(oldRows)(
  "a log of version 97d9779 with calls of effects %s and the results of '%s' keeps its reading",
  async (effects, returned, ran, results) => {
    const store = await emptyStore("memory");
    const { id, offset } = await oldLog(store, { effects, returned });
    let again = "";
    const runtime = await runtimeOn(
      store,
      names.map((name) => toolOf(name, effects, () => void (again += name))),
    );
    const found = await ended(runtime, id, offset);
    await runtime.close();
    expect({ again, ...found }).toEqual({ again: ran, results, status: "completed", reply: "done", docs: okOf(results) });
  },
);

/** What a call without a result comes to whose tool has changed since it began. */
const changes: readonly (readonly [recorded: ToolEffects, now: ToolEffects | "removed", result: string, ran: string])[] = [
  ["once", "removed", "u", ""],
  ["once", "none", "u", ""],
  ["once", "idempotent", "u", ""],
  ["idempotent", "removed", "u", ""],
  ["idempotent", "once", "o", "a"],
  ["idempotent", "none", "o", "a"],
  ["none", "removed", "e", ""],
  ["none", "once", "o", "a"],
  ["none", "idempotent", "o", "a"],
];

test.each(changes)("a call that began with effects %s, of a tool that is now %s", async (recorded, now, result, ran) => {
  const store = await emptyStore("memory");
  const { id, offset } = await oldLog(store, { effects: recorded, returned: "bc" });
  let again = "";
  const changed = now === "removed" ? [] : [toolOf("a", now, () => void (again += "a"))];
  const runtime = await runtimeOn(store, [...changed, toolOf("b", recorded, () => {}), toolOf("c", recorded, () => {})]);
  const found = await ended(runtime, id, offset);
  await runtime.close();
  expect([found.results, again]).toEqual([`${result}oo`, ran]);
});

test.each([
  ["none", "e"],
  ["idempotent", "u"],
  ["once", "u"],
] as const)("a call that began with effects %s, of a tool whose parameters do not take its arguments any more", async (effects, result) => {
  const store = await emptyStore("memory");
  const { id, offset } = await oldLog(store, { effects, returned: "bc" });
  let again = 0;
  const changed = defineTool({
    ...{ name: "a", description: "Does a.", effects, parameters: z.object({ amount: z.number() }) },
    execute: () => (again += 1),
  });
  const runtime = await runtimeOn(store, [changed, toolOf("b", effects, () => {}), toolOf("c", effects, () => {})]);
  const found = await ended(runtime, id, offset);
  await runtime.close();
  expect([found.results, again]).toEqual([`${result}oo`, 0]);
});

test("a call that is run again by a tool that is `once` now is run no third time", async () => {
  const store = await emptyStore("memory");
  const { id, offset } = await oldLog(store, { effects: "idempotent", returned: "bc" });
  const mortal = mortalStore(store);
  let again = 0;
  const others = [toolOf("b", "idempotent", () => {}), toolOf("c", "idempotent", () => {})];
  const dies = toolOf("a", "once", () => {
    again += 1;
    mortal.die();
    return never;
  });
  await runtimeOn(mortal.store, [dies, ...others]);
  await mortal.died;
  const runtime = await runtimeOn(store, [toolOf("a", "once", () => void (again += 1)), ...others]);
  const found = await ended(runtime, id, offset);
  await runtime.close();
  expect([found.results, again]).toEqual(["uoo", 1]);
});

test("of a hundred `once` calls only those that were at work are unknown", async () => {
  const below = await emptyStore("memory");
  const mortal = mortalStore(below);
  const began: string[] = [];
  const many: Script = ({ messages }) =>
    messages.some(({ role }) => role === "tool") ? "done" : calling(...Array.from({ length: 100 }, () => ["pay"] as const));
  const pay = (execute: (call_id: string) => unknown): Tool =>
    defineTool({ name: "pay", description: "Pays.", effects: "once", execute: async (_args, { call_id }) => (await execute(call_id)) ?? "paid" });
  const agentOf = (tool: Tool) => scriptedAgent(many, { loop: { tools: [tool] } }).agent;
  const first = pay((call_id) => {
    began.push(call_id);
    // Nine have returned when four are at work.
    return began.length <= 9 ? undefined : never;
  });
  const dying = await createRuntime({ store: mortal.store, agents: [agentOf(first)], pollMs: 5 });
  const { id } = await dying.sessions.create({ agent: "a1" });
  const { offset } = await (await dying.sessions.get(id)).post("go");
  await until(() => began.length === 13);
  mortal.die();
  await mortal.died;
  const runtime = await createRuntime({ store: below, agents: [agentOf(pay((call_id) => void began.push(call_id)))], pollMs: 5 });
  const session = await runtime.sessions.get(id);
  expect(await session.outcome(offset)).toMatchObject({ status: "completed" });
  const results = (await collect(session)).flatMap(({ kind, data }) => (kind === "tool" && data.type === "returned" ? [data.result.type] : []));
  await runtime.close();
  expect([results.length, results.filter((type) => type === "unknown").length]).toEqual([100, 4]);
  // Each ran once, in one process or the other.
  expect([began.length, new Set(began).size]).toEqual([100, 100]);
});
