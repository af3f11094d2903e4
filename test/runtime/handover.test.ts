/** Handing sessions to people and back (G), and the queues that people take them from. */
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  openStore,
  recentMessages,
  reduced,
  replace,
  scripted,
  stage,
  withControl,
  type Agent,
  type Handovers,
  type Runtime,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { code, collect, echo, echoAgent, echoState, gate, outline, started } from "./harness.ts";

const databases = {
  memory: () => openStore(":memory:"),
  sqlite: () => openStore(newSqliteFile()),
  ...(noPostgres === undefined ? { postgres: async () => openStore(await emptyPostgresDatabase()) } : {}),
};

const standing = async (session: Session): Promise<unknown> => {
  const { mode, handover } = await session.info();
  return { mode, ...handover };
};

describe.each(Object.entries(databases))("on %s", (_kind, openIt) => {
  const open = async (agents: readonly Agent[] = [echoAgent()]): Promise<Runtime & { readonly store: Store }> => {
    const store = await openIt();
    onTestFinished(() => store.close());
    return started({ store, agents });
  };

  it("a session that is handed over waits, is taken up, put back and handed back, and all of it is in the log", async () => {
    const { sessions } = await open();
    const session = await sessions.create({ agent: "a1" });
    expect((await session.info()).handover).toBeUndefined();
    await session.handOver({ reason: "asks for a person", by: "rule-1" });
    expect(await standing(session)).toMatchObject({ mode: "manual", status: "waiting", reason: "asks for a person" });
    const { handover: first } = await session.info();
    await session.assign({ operator: "ann", by: "ann" });
    expect(await standing(session)).toEqual({ mode: "manual", ...first, status: "assigned", operator: "ann" });
    await session.unassign({ by: "ann" });
    expect((await session.info()).handover).toEqual(first);
    await session.assign({ operator: "bob" });
    await session.handBack({ by: "bob" });
    expect(await standing(session)).toEqual({ mode: "auto", ...first, status: "resolved", operator: "bob" });
    expect((await collect(session, { kinds: ["session"], minOffset: 1 })).map(({ data }) => data)).toEqual([
      { type: "mode", mode: "manual", handover: first, by: "rule-1" },
      { type: "handover", handover: { ...first, status: "assigned", operator: "ann" }, by: "ann" },
      { type: "handover", handover: first, by: "ann" },
      { type: "handover", handover: { ...first, status: "assigned", operator: "bob" } },
      { type: "mode", mode: "auto", handover: { ...first, status: "resolved", operator: "bob" }, by: "bob" },
    ]);
    expect((await session.send("hello")).reply).toBe("re:hello");
    expect((await session.info()).version).toBe(5);
  });

  it("of two who take it up at once one has it, and the other is told who", async () => {
    const { sessions } = await open();
    const session = await sessions.create({ agent: "a1" });
    await session.handOver();
    const people = ["ann", "bob", "eve"];
    const results = await Promise.all(people.map((operator) => code(session.assign({ operator }).then(() => Promise.reject(operator)))));
    const winner = people[results.findIndex((result) => result !== "handover.taken")] ?? "";
    expect(results.filter((result) => result === "handover.taken")).toHaveLength(2);
    expect((await session.info()).handover?.operator).toBe(winner);
    const others = people.filter((name) => name !== winner);
    await session.assign({ operator: winner });
    await expect(session.assign({ operator: others[0] ?? "" })).rejects.toMatchObject({ code: "handover.taken", details: { operator: winner } });
    expect(await code(session.assign({ operator: others[0] ?? "", from: others[1] ?? "" }))).toBe("handover.taken");
    expect(await code(session.handOver({ operator: others[0] ?? "" }))).toBe("handover.taken");
    expect(await code(session.unassign({ from: others[0] ?? "" }))).toBe("handover.taken");
    await session.assign({ operator: others[0] ?? "", from: winner });
    expect((await session.info()).handover?.operator).toBe(others[0]);
  });

  it("handing back is one commit: mode, state, what happened, and the turn that goes on", async () => {
    const { sessions, store } = await open();
    const session = await sessions.create({ agent: "a1" });
    await session.setMode("manual");
    await session.post("anyone there?");
    await session.postOperator("Ann here.", { name: "Ann" });
    const { head } = await session.info();
    const seen: string[] = [];
    const watched = await createRuntime({
      store: {
        ...forwarding(store),
        commit: async (one) => {
          seen.push(...(one.session?.events ?? []).map(({ kind }) => kind), "committed");
          return store.commit(one);
        },
      },
      agents: [echoAgent()],
      work: false,
    });
    const same = await watched.sessions.get(session.id);
    const { offset, turn_id } = await same.handBack({ summary: "The bill was wrong.", state: { count: 0, seen: "bill" }, resume: true, by: "ann" });
    expect(seen).toEqual(["session", "state", "custom", "status", "committed"]);
    expect(offset).toBe(head + 4);
    expect((await session.event(head + 2)).data).toMatchObject({ writer: { type: "operator", name: "ann" } });
    expect((await session.event(head + 3)).data).toEqual({ value: { handover_summary: "The bill was wrong." } });
    const done = await session.outcome(turn_id ?? "");
    expect(done).toMatchObject({ status: "completed", reply: "re:anyone there?" });
    expect((await session.state()).document).toEqual({ count: 0, seen: ["bill"] });
    await watched.close();
  });

  it("what cannot be handed back hands nothing back", async () => {
    const { sessions } = await open();
    const session = await sessions.create({ agent: "a1" });
    expect(await code(session.handBack())).toBe("handover.none");
    expect(await code(session.assign({ operator: "ann" }))).toBe("handover.none");
    expect(await code(session.unassign())).toBe("handover.none");
    await session.handOver();
    const { head } = await session.info();
    expect(await code(session.handBack({ state: { count: "three" }, summary: "x" }))).toBe("state.invalid_value");
    expect(await code(session.handBack({ state: { nope: 1 } }))).toBe("state.unknown_field");
    expect(await session.info()).toMatchObject({ mode: "manual", head });
  });

  it("queues have alerts in front, the highest first, then who waits longest; what is resolved comes newest first", async () => {
    const { sessions, handovers } = await open();
    const given = [{}, { alert: 1 }, { alert: 3 }, {}, { alert: 3 }, { alert: 1 }] as const;
    const ids: string[] = [];
    for (const [index, options] of given.entries()) {
      const session = await sessions.create({ agent: "a1", title: String(index) });
      ids.push(session.id);
      await session.handOver(options);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await paged(handovers, { queue: "waiting", limit: 2 })).toEqual(["2", "4", "1", "5", "0", "3"]);
    const session = async (index: number): Promise<Session> => sessions.get(ids[index] ?? "");
    await (await session(2)).assign({ operator: "ann" });
    await (await session(0)).assign({ operator: "ann" });
    await (await session(1)).assign({ operator: "bob" });
    expect(await paged(handovers, { limit: 1 })).toEqual(["4", "5", "3"]);
    expect(await paged(handovers, { queue: "assigned", limit: 1 })).toEqual(["2", "1", "0"]);
    expect(await paged(handovers, { queue: "assigned", operator: "ann" })).toEqual(["2", "0"]);
    expect(await paged(handovers, { queue: "assigned", operator: "eve" })).toEqual([]);
    for (const index of [2, 0, 1]) await (await session(index)).setMode("auto");
    expect(await paged(handovers, { queue: "resolved", limit: 2 })).toEqual(["2", "1", "0"]);
    // Raised, an alert moves its session to the front, and a lower one later does not move it back.
    await (await session(3)).handOver({ alert: 9 });
    await (await session(3)).handOver({ alert: 2, reason: "louder" });
    expect(await paged(handovers, {})).toEqual(["3", "4", "5"]);
    expect(await code(handovers.list({ queue: "mine" as "waiting" }))).toBe("handover.invalid");
    expect(await code(handovers.list({ cursor: "x" }))).toBe("cursor.invalid");
  });

  it("a page after another has lost and doubled nobody who stayed, whoever came and went", async () => {
    const { sessions, handovers } = await open();
    const all: Session[] = [];
    for (let index = 0; index < 9; index++) {
      const session = await sessions.create({ agent: "a1", title: String(index) });
      all.push(session);
      await session.handOver(index % 3 === 0 ? { alert: 1 + index } : {});
    }
    const stay = [0, 2, 4, 6, 8];
    const found: string[] = [];
    let next: string | null = "";
    for (let index = 0; next !== null; index++) {
      const page = await handovers.list({ limit: 2, ...(next === "" ? {} : { cursor: next }) });
      found.push(...page.items.map(({ title }) => title ?? ""));
      next = page.next_cursor;
      await all[1 + 2 * index]?.setMode("auto");
      await (await sessions.create({ agent: "a1", title: "new" })).handOver({ alert: 5 });
      if (index > 20) break;
    }
    for (const index of stay) expect(found.filter((title) => title === String(index))).toEqual([String(index)]);
  });
});

async function paged(handovers: Handovers, filter: NonNullable<Parameters<Handovers["list"]>[0]>): Promise<readonly (string | null)[]> {
  const titles: (string | null)[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await handovers.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
    titles.push(...page.items.map(({ title }) => title));
    if (page.next_cursor === null) return titles;
    cursor = page.next_cursor;
  }
}

describe("handing over", () => {
  it("setMode is handing over and back, and says nothing twice", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    await session.setMode("auto");
    await session.setMode("manual");
    await session.setMode("manual");
    expect(await standing(session)).toMatchObject({ mode: "manual", status: "waiting" });
    await session.handOver({ operator: "ann" });
    await session.handOver({});
    expect(await standing(session)).toMatchObject({ mode: "manual", status: "assigned", operator: "ann" });
    await session.setMode("auto");
    await session.setMode("manual");
    expect(await standing(session)).not.toHaveProperty("operator");
    expect(outline(await collect(session))).toEqual([...["session:created", "session:mode", "session:handover", "session:mode", "session:mode"]]);
  });

  it("G1: silences the agent at once, also in the middle of a turn of another process", async () => {
    const asked = gate();
    const open = gate();
    const model = scripted(() => ({ text: ["never ", "said"], wait: async () => (asked.open(), open.opened) }));
    const { sessions, store } = await started({ agents: [echoAgent({ model })] });
    const other = await createRuntime({ store, agents: [echoAgent()], work: false });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hello");
    await asked.opened;
    await (await other.sessions.get(session.id)).handOver({ operator: "ann", alert: 1 });
    open.open();
    expect(await sent).toMatchObject({ status: "stopped", reason: "manual", reply: undefined });
    await session.post("still there?");
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:hello", "customer:still there?"]);
    await other.close();
  });

  it.each<[string, object, string]>([
    ["reason", { reason: "" }, "handover.invalid"],
    ["reason", { reason: "x".repeat(501) }, "handover.invalid"],
    ["alert", { alert: 0 }, "handover.invalid"],
    ["alert", { alert: 1.5 }, "handover.invalid"],
    ["operator", { operator: " " }, "handover.invalid"],
    ["operator", { operator: "x".repeat(201) }, "handover.invalid"],
    ["by", { by: 7 }, "handover.invalid"],
    ["a misspelt member", { operater: "ann" }, "input.invalid"],
  ])("is refused with a %s that cannot be: %j", async (_what, options, expected) => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    expect(await code(session.handOver(options))).toBe(expected);
    expect((await session.info()).mode).toBe("auto");
    await session.handOver();
    expect(await code(session.assign(options as { operator: string }))).toMatch(/^(handover|input)\.invalid$/);
  });

  it("a fork of a session that is with people is with nobody", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    await session.send("hello");
    await session.handOver({ operator: "ann" });
    const fork = await session.fork();
    expect(await standing(fork)).toEqual({ mode: "auto" });
    expect(await code(fork.handBack())).toBe("handover.none");
  });
});

describe("the summary of a hand-over", () => {
  const summary = z.object({ upto: z.number(), text: z.string() });
  const state = defineState({ message: input(z.string()), summary: reduced(summary, { reduce: replace() }) });
  const told: string[] = [];
  const model = scripted((request) => (told.push(request.sections.map(({ name, text }) => `${name}: ${text}`).join("\n")), "fine"));
  const agent = defineAgent({ name: "a1", version: 1, state, sections: [recentMessages({ summary: "summary" })], reply: loop({ model }) });

  it("continues the agent's own, which covers as much as before", async () => {
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    await session.send("one");
    await session.setMode("manual");
    await session.postOperator("I looked into it.", { name: "Ann" });
    await session.handBack({ summary: "The bill was wrong." });
    expect((await session.state()).document).toEqual({ summary: { upto: 0, text: "The bill was wrong." } });
    await session.send("two");
    expect(told.at(-1)).toContain("The bill was wrong.");
    await session.setMode("manual");
    await session.edit({ summary: { upto: 4, text: "So far." } });
    await session.handBack({ summary: "And paid." });
    expect((await session.state()).document).toEqual({ summary: { upto: 4, text: "So far.\n\nAnd paid." } });
    expect(outline(await collect(session, { kinds: ["custom"] }))).toEqual([]);
  });
});

it("a queued message is answered if the person hands back while its turn is put back to waiting", async () => {
  const below = await openStore(":memory:");
  onTestFinished(() => below.close());
  const elsewhere = await createRuntime({ store: below, agents: [echoAgent()], work: false });
  let handedBack = 0;
  const store: Store = {
    ...forwarding(below),
    commit: async (commit) => {
      if (commit.session?.dequeue_turns !== undefined && handedBack++ === 0)
        await (await elsewhere.sessions.get(commit.session.session_id)).setMode("auto");
      return below.commit(commit);
    },
  };
  const [asked, open] = [gate(), gate()];
  const toPerson = stage("to_person", { state: echoState, writes: [] }, async ({ state }) => {
    if (state.message !== "one") return undefined;
    asked.open();
    await open.opened;
    return withControl({ mode: "manual" });
  });
  const agent = defineAgent({ name: "a1", version: 1, state: echoState, stages: [toPerson], reply: loop({ model: echo() }) });
  // Nobody waits for the lease to run out: the turn is given back.
  const { sessions } = await started({ store, agents: [agent], leaseMs: 600_000, heartbeatMs: 200_000 });
  const session = await sessions.create({ agent: "a1" });
  const first = session.send("one");
  await asked.opened;
  await session.post("two");
  open.open();
  await first;
  await expect.poll(async () => (await session.messages()).at(-1)).toMatchObject({ text: "re:two" });
  expect(handedBack).toBe(1);
});

describe("G3: a hand-over that a turn asks for", () => {
  const human = defineTool({
    name: "call_person",
    description: "Calls a person.",
    effects: "none",
    execute: () => withControl({ mode: "manual", handover: { reason: "wants a person", alert: 2 } }, { called: true }),
  });
  const silent = defineTool({ name: "look_up", description: "Looks something up.", effects: "none", execute: () => "nothing found" });
  const bossy = defineTool({ name: "stay", description: "Stays.", effects: "none", execute: () => withControl({ mode: "auto" }) });
  const talker = defineTool({ name: "talk", description: "Talks.", effects: "none", execute: () => withControl({ reply: "no" }) });
  const calling = (...steps: readonly (readonly string[])[]): Agent => {
    let step = 0;
    const model = scripted(() => {
      const names = steps[step++];
      return names === undefined ? "Goodbye." : { calls: names.map((name, index) => ({ call_id: String(index), name, arguments: {} })) };
    });
    return defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model, tools: [human, silent, bossy, talker] }) });
  };

  it.each<[string, readonly (readonly string[])[], string]>([
    ["one tool asks", [["call_person"]], "manual"],
    ["a later tool of the step is silent", [["call_person", "look_up"]], "manual"],
    ["a tool of a later step is silent", [["call_person"], ["look_up"]], "manual"],
    ["a later one asks for the agent", [["call_person"], ["stay"]], "auto"],
    ["a later one asks for a person", [["stay"], ["call_person"]], "manual"],
  ])("by tools: %s", async (_what, steps, mode) => {
    const { sessions } = await started({ agents: [calling(...steps)] });
    const session = await sessions.create({ agent: "a1" });
    expect((await session.send("help")).reply).toBe("Goodbye.");
    const { handover, ...info } = await session.info();
    expect(info.mode).toBe(mode);
    if (mode === "manual") expect(handover).toMatchObject({ status: "waiting", reason: "wants a person", alert: 2 });
    expect((await session.send("and now?")).status).toBe(mode === "manual" ? "waiting" : "completed");
  });

  it("a tool that asks for a reply has failed", async () => {
    const { sessions } = await started({ agents: [calling(["talk"])] });
    const session = await sessions.create({ agent: "a1" });
    await session.send("help");
    const results = (await collect(session, { kinds: ["tool"] })).flatMap(({ data }) => ("result" in data ? [data.result] : []));
    expect(results).toMatchObject([{ type: "error", error: { code: "tool.output_invalid" } }]);
  });

  it("by a stage, and what fails later does not undo it; alerts are never lowered", async () => {
    const first = stage("first", { state: echoState, writes: [] }, () => withControl({ mode: "manual", handover: { reason: "crisis", alert: 3 } }));
    const second = stage("second", { state: echoState, writes: [] }, () => withControl({ mode: "manual", handover: { operator: "ann", alert: 1 } }));
    const third = stage("third", { state: echoState, writes: [] }, () => Promise.reject(new Error("down")));
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, stages: [first, second, third], reply: loop({ model: echo() }) });
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    expect((await session.send("help")).status).toBe("failed");
    expect(await standing(session)).toMatchObject({ mode: "manual", status: "assigned", operator: "ann", reason: "crisis", alert: 3 });
  });

  it("is remembered by whoever takes the turn up after a crash", async () => {
    let down = true;
    const open = gate();
    const model = scripted((request) => {
      if (request.messages.some(({ role }) => role === "tool")) return down ? { text: "x", wait: () => open.opened } : "Goodbye.";
      return { calls: [{ call_id: "1", name: "call_person", arguments: {} }] };
    });
    const tool = defineTool({ ...humanOptions, effects: "once" });
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model, tools: [tool] }) });
    const first = await started({ agents: [agent] });
    const { sessions, store } = first;
    const session = await sessions.create({ agent: "a1" });
    await session.post("help");
    const returned = async (): Promise<boolean> => (await collect(session, { kinds: ["tool"] })).length === 2;
    for (let tries = 0; tries < 200 && !(await returned()); tries++) await new Promise((resolve) => setTimeout(resolve, 5));
    await first.close({ drainMs: 0 });
    down = false;
    const next = await started({ store, agents: [agent] });
    const same = await next.sessions.get(session.id);
    expect((await same.outcome(1)).reply).toBe("Goodbye.");
    expect(await standing(same)).toMatchObject({ mode: "manual", reason: "wants a person" });
  });
});

const humanOptions = {
  name: "call_person",
  description: "Calls a person.",
  execute: () => withControl({ mode: "manual", handover: { reason: "wants a person" } }, { called: true }),
} as const;

describe("withControl", () => {
  it.each<[object, string]>([
    [{ handover: { reason: "x" } }, "input.invalid"],
    [{ mode: "auto", handover: {} }, "input.invalid"],
    [{ mode: "manual", handover: { alert: -1 } }, "handover.invalid"],
    [{ mode: "manual", handover: "now" }, "handover.invalid"],
    [{ mode: "paused" }, "input.invalid"],
  ])("refuses %j", async (control, expected) => {
    expect(await code(Promise.resolve().then(() => withControl(control as Parameters<typeof withControl>[0])))).toBe(expected);
  });
});
