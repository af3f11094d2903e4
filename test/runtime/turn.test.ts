/** What a turn promises when it is interrupted, resumed, migrated, or written into by somebody else. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  append,
  createRuntime,
  defineAgent,
  defineMigration,
  defineState,
  input,
  loop,
  openStore,
  persona,
  reduced,
  scripted,
  stage,
  turn,
  withControl,
  defineTool,
  exitOn,
  type Agent,
  type Event,
  type Script,
  type ScriptedModel,
  type Store,
  type Tool,
} from "../../packages/throughline/src/index.ts";
import type { Claim, Commit } from "../../packages/throughline/src/store.ts";
import { beginExecution, closeStep, finishExecution, openStep, recordResponse } from "../../packages/throughline/src/execution.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { mortalStore } from "../../packages/throughline/src/testing/mortal-store.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { collect, echo, echoAgent, echoState, emptyStore, gate, outline, started, until } from "./harness.ts";

const kinds = ["memory", "sqlite"] as const;

const Counted = defineState({
  message: input(z.string()),
  channel: input(z.enum(["test", "web"]).default("test")),
  count: reduced(z.number(), { show: "public" }),
  log: reduced(z.array(z.string()), { reduce: append() }),
  mood: reduced(z.string(), { start: true }),
  note: turn(z.string(), { show: "output" }),
});

/** Counts how often its stage ran, in this process. */
function counted(model = echo()): { readonly agent: Agent; readonly runs: () => number } {
  let runs = 0;
  const count = stage("count", { state: Counted, writes: ["count", "log", "note"] }, ({ state }) => {
    runs += 1;
    return { count: (state.count ?? 0) + 1, log: state.message, note: `noted ${state.message}` };
  });
  return { agent: defineAgent({ name: "counted", version: 1, state: Counted, stages: [count], reply: loop({ model }) }), runs: () => runs };
}

/** A store that fails its commits, from the `n`-th on, in a way that the caller chooses. */
function failing(store: Store, when: (commits: number) => Error | undefined): Store {
  let commits = 0;
  return {
    ...Object.fromEntries(
      (
        [
          "open",
          "load",
          "read",
          "watch",
          "list",
          "entries",
          "claim",
          "release",
          "writeDraft",
          "watchDrafts",
          "watchTurns",
          "appends",
          "watchAppends",
          "watchErasures",
          "erase",
          "migrate",
          "close",
        ] as const
      ).map((name) => [name, (...args: never[]) => (store[name] as (...given: never[]) => unknown)(...args)]),
    ),
    commit: async (commit) => {
      commits += 1;
      const error = when(commits);
      if (error !== undefined) throw error;
      return store.commit(commit);
    },
  } as Store;
}

describe.each(kinds)("%s: a turn", (kind) => {
  it("runs its stages, journals them, and gives back the output view", async () => {
    const { agent } = counted();
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "counted" });
    const result = await session.send("hi", { input: { channel: "web" }, start: { mood: "calm" } });
    expect(result.output).toEqual({ count: 1, note: "noted hi" });
    const number = expect.any(Number) as number;
    expect(result.diagnostics).toEqual({ stage_timings: { count: number }, turn_total_ms: number });
    expect((await session.state()).document).toEqual({ count: 1, log: ["hi"], mood: "calm" });
    expect((await collect(session, { kinds: ["status"] })).map(({ data }) => data)).toEqual([
      { status: "acknowledged" },
      { status: "processing", stage: "count" },
      { status: "typing" },
      { status: "ready", stage: "completed" },
    ]);
    expect(outline(await collect(session)).filter((line) => !line.startsWith("status"))).toEqual([
      "session:created",
      "customer:hi",
      "turn:started",
      "state",
      "state",
      "turn:stage",
      "turn:step",
      "agent:re:hi",
      "turn:ended",
    ]);
  });

  it("a plain reply is three commits: accept, journal, finish", async () => {
    const { agent } = counted();
    const store = await emptyStore(kind);
    let commits = 0;
    const { sessions } = await started({
      agents: [agent],
      store: failing(store, () => {
        commits += 1;
        return undefined;
      }),
    });
    const session = await sessions.create({ agent: "counted" });
    commits = 0;
    await session.send("hi");
    expect(commits).toBe(3);
  });

  it("the journal is on disk before the first byte of the reply leaves", async () => {
    const { agent } = counted();
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "counted" });
    const before: Event[] = [];
    const reading = (async () => {
      for await (const item of session.live()) {
        if ("type" in item) return;
        before.push(item);
      }
    })();
    await session.send("hi");
    await reading;
    expect(outline(before).slice(-2)).toEqual(["turn:stage", "status:typing"]);
  });

  it("a patch that replaces much of the state is pointed out", async () => {
    const writes = stage("writes", { state: Counted, writes: ["log"] }, ({ state }) => ({ log: state.message.repeat(1000) }));
    const agent = defineAgent({ name: "counted", version: 1, state: Counted, stages: [writes], reply: loop({ model: echo() }) });
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "counted" });
    expect((await session.send("short")).diagnostics).toMatchObject({ "state.patch_heavy": 1 });
    expect((await session.send("s")).diagnostics).not.toHaveProperty(["state.patch_heavy"]);
  });

  it("a turn whose process dies in the middle of its reply is resumed: journaled stages do not run again, and the reply comes once", async () => {
    const dying = gate();
    const model = scripted((_request, call) =>
      call === 0 ? { text: ["half ", "of it"], wait: async () => (call === 0 ? dying.opened : undefined) } : "whole",
    );
    // The first piece passes, the second never comes: this process is as good as dead, and its lease runs out.
    let pieces = 0;
    const first = counted(
      scripted(() => ({
        text: ["half ", "of it"],
        wait: async () => {
          pieces += 1;
          if (pieces === 2) await dying.opened;
        },
      })),
    );
    const store = await emptyStore(kind);
    const dead = await createRuntime({
      store: failing(store, (commits) => (commits > 3 ? new Error("dead") : undefined)),
      agents: [first.agent],
      leaseMs: 100,
      heartbeatMs: 50,
      pollMs: 10_000,
    });
    const session = await dead.sessions.create({ agent: "counted" });
    const { offset } = await session.post("hi");
    await until(() => pieces === 2);
    // Take the lease away as its running out would.
    const second = counted(model);
    dying.open();
    await dead.close({ drainMs: 0 });
    const alive = await started({ store, agents: [second.agent], leaseMs: 400 });
    const result = await (await alive.sessions.get(session.id)).outcome(offset);
    expect(result).toMatchObject({ status: "completed", output: { count: 1, note: "noted hi" } });
    expect(result.diagnostics?.["stage_timings"]).toEqual({ count: expect.any(Number) as number });
    expect(first.runs() + second.runs()).toBe(1);
    expect(outline(await collect(session, { kinds: ["message"] }))).toHaveLength(2);
    expect((await session.state()).document).toEqual({ count: 1, log: ["hi"] });
  });

  it("the third claim of a turn ends it with the agent's apology instead of a fourth try", async () => {
    const store = await emptyStore(kind);
    const idle = await createRuntime({ store, agents: [counted().agent], work: false });
    const session = await idle.sessions.create({ agent: "counted" });
    const { offset } = await session.post("hi");
    for (let attempt = 1; attempt <= 2; attempt++) {
      const claim: Claim | undefined = await store.claim({ kind: "session", session_id: session.id, worker: "elsewhere/1/x", lease_ms: 1 });
      expect(claim?.turn.attempts).toBe(attempt);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { agent, runs } = counted();
    const working = await started({ store, agents: [agent] });
    const result = await (await working.sessions.get(session.id)).outcome(offset);
    expect(result).toMatchObject({ status: "failed", error: { code: "turn.poisoned", details: { attempts: 3 } } });
    expect(result.reply).toMatch(/^Sorry/);
    expect(runs()).toBe(0);
  });

  it("a message that is accepted after the claim gets a turn of its own", async () => {
    const store = await emptyStore(kind);
    const idle = await createRuntime({ store, agents: [echoAgent()], work: false });
    const session = await idle.sessions.create({ agent: "a1" });
    await session.post("one");
    await store.claim({ kind: "session", session_id: session.id, worker: "elsewhere/1/x", lease_ms: 50 });
    await session.post("two");
    const working = await started({ store });
    const opened = await working.sessions.get(session.id);
    expect([(await opened.outcome(1)).reply, (await opened.outcome(2)).reply]).toEqual(["re:one", "re:two"]);
  });

  it("an operator's edit in the middle of a turn is kept: the turn's deltas are applied anew", async () => {
    const [reached, edited] = [gate(), gate()];
    const slow = stage("slow", { state: Counted, writes: ["count", "log"] }, async ({ state }) => {
      reached.open();
      await edited.opened;
      return { count: (state.count ?? 0) + 1, log: [state.message] };
    });
    const agent = defineAgent({ name: "counted", version: 1, state: Counted, stages: [slow], reply: loop({ model: echo() }) });
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "counted" });
    const sent = session.send("hi");
    await reached.opened;
    await session.edit({ log: ["by hand"] }, { operator: "Ann" });
    edited.open();
    expect((await sent).status).toBe("completed");
    expect((await session.state()).document).toEqual({ count: 1, log: ["by hand", "hi"] });
    const writers = (await collect(session, { kinds: ["state"] })).flatMap((event) => (event.kind === "state" ? [event.data.writer] : []));
    expect(writers).toEqual([
      { type: "operator", name: "Ann" },
      { type: "stage", name: "slow" },
    ]);
  });

  it("a stage that writes what it did not declare fails the turn, and nothing of its delta lands", async () => {
    const wrong = stage("wrong", { state: Counted, writes: ["count"] }, () => ({ count: 1, log: ["x"] }) as { readonly count: number });
    const agent = defineAgent({ name: "counted", version: 1, state: Counted, stages: [wrong], reply: loop({ model: echo() }) });
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "counted" });
    expect(await session.send("hi")).toMatchObject({ status: "failed", error: { code: "state.undeclared_write" } });
    expect((await session.state()).document).toEqual({});
  });

  it("a stage may answer, hand over, or add messages", async () => {
    const farewell = stage("farewell", { state: Counted, writes: ["messages"] }, ({ state }) =>
      state.message === "bye"
        ? withControl({ reply: "A person will take over.", mode: "manual" })
        : { messages: [{ role: "system", text: "noted" } as const] },
    );
    const model = echo();
    const agent = defineAgent({
      name: "counted",
      version: 1,
      state: Counted,
      stages: [farewell],
      sections: [persona("Be kind.")],
      reply: loop({ model }),
    });
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "counted" });
    await session.send("hi");
    expect(await session.send("bye")).toMatchObject({ status: "completed", reply: "A person will take over." });
    expect((await collect(session, { kinds: ["message"] })).at(-1)?.data).toMatchObject({ origin: { agent_id: "counted", step_id: "stp_0" } });
    expect((await session.messages()).at(-1)).toMatchObject({ text: "A person will take over.", is_trace: false });
    expect(model.requests).toHaveLength(1);
    expect((await session.info()).mode).toBe("manual");
    expect((await session.send("hello?")).status).toBe("waiting");
    expect((await session.post("anyone?")).turn_id).toBeUndefined();
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual([
      "customer:hi",
      "agent:noted",
      "agent:re:hi",
      "customer:bye",
      "agent:A person will take over.",
      "customer:hello?",
      "customer:anyone?",
    ]);
  });

  it("a stage cannot add what only a call returns", async () => {
    const wrong = stage("wrong", { state: Counted, writes: ["messages"] }, () => ({
      messages: [{ role: "tool", text: "x", call_id: "c" } as never],
    }));
    const agent = defineAgent({ name: "counted", version: 1, state: Counted, stages: [wrong], reply: loop({ model: echo() }) });
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "counted" });
    expect(await session.send("hi")).toMatchObject({ status: "failed", error: { code: "state.invalid_value" } });
  });

  it("what a stage asked for is done by whoever resumes the turn", async () => {
    const asks = stage("asks", { state: Counted, writes: [] }, () => withControl({ mode: "manual" }));
    const agentWith = (model: ReturnType<typeof scripted>): Agent =>
      defineAgent({ name: "counted", version: 1, state: Counted, stages: [asks], reply: loop({ model }) });
    let pieces = 0;
    const hanging = scripted(() => ({
      text: ["half ", "more"],
      wait: async () => {
        pieces += 1;
        if (pieces === 2) await new Promise(() => {});
      },
    }));
    const store = await emptyStore(kind);
    const leaving = await createRuntime({ store, agents: [agentWith(hanging)] });
    const session = await leaving.sessions.create({ agent: "counted" });
    await session.post("hi");
    await until(() => pieces === 2);
    await leaving.close({ drainMs: 0 });
    const staying = await started({ store, agents: [agentWith(scripted(["whole"]))] });
    const opened = await staying.sessions.get(session.id);
    expect((await opened.outcome(1)).reply).toBe("whole");
    expect((await opened.info()).mode).toBe("manual");
    expect(outline(await collect(opened, { kinds: ["session"] }))).toEqual(["session:created", "session:mode"]);
    const said = (await collect(session, { kinds: ["status"] })).map((event) => event.kind === "status" && event.data.status);
    expect(said).toEqual(["acknowledged", "processing", "typing", "ready"]);
  });

  it("stopping ends the running turn, and the next message is answered", async () => {
    const writing = gate();
    const model = scripted((_request, call) => (call === 0 ? { text: "late", wait: () => writing.opened } : "fresh"));
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hi");
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await session.stop("Ctrl-C")).toBe(true);
    expect(await sent).toMatchObject({ status: "stopped", reason: "user_requested" });
    expect(await session.stop()).toBe(false);
    writing.open();
    expect((await session.send("again")).reply).toBe("fresh");
  });

  it("budgets hold: no step at all, and a time limit in the middle of a model call", async () => {
    const hang = scripted(() => ({
      text: "never",
      wait: (signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    }));
    const none = defineAgent({ name: "none", version: 1, state: echoState, reply: loop({ model: echo() }), budget: { steps: 0 } });
    const brief = defineAgent({ name: "brief", version: 1, state: echoState, reply: loop({ model: hang }), budget: { seconds: 0.05 } });
    const { sessions } = await started({ kind, agents: [none, brief] });
    expect(await (await sessions.create({ agent: "none" })).send("hi")).toMatchObject({ status: "stopped", reason: "steps_limit" });
    expect(await (await sessions.create({ agent: "brief" })).send("hi")).toMatchObject({ status: "stopped", reason: "time_limit" });
  });

  it("an answer without text fails the turn", async () => {
    const { sessions } = await started({ kind, agents: [echoAgent({ model: scripted(["  "]) })] });
    expect(await (await sessions.create({ agent: "a1" })).send("hi")).toMatchObject({ status: "failed", error: { code: "model.invalid_response" } });
  });
});

it("a call whose blank result ends the turn fails it", async () => {
  const look = defineTool({ name: "look", description: "Looks.", effects: "none", execute: () => " \n" });
  const model = scripted([{ calls: [{ call_id: "c", name: "look", arguments: {} }] }]);
  const agent = defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model, tools: [look], exit: exitOn.tools("look") }) });
  const { sessions } = await started({ agents: [agent] });
  const session = await sessions.create({ agent: "a1" });
  expect(await session.send("hi")).toMatchObject({ status: "failed", error: { code: "model.invalid_response" } });
});

describe.each(kinds)("%s: a new version of the agent", (kind) => {
  const One = defineState({ message: input(z.string()), name: reduced(z.string()) });
  const Two = defineState({ message: input(z.string()), names: reduced(z.array(z.string())) });
  const named = stage("named", { state: One, writes: ["name"] }, ({ state }) => ({ name: state.message }));
  const v1 = defineAgent({ name: "who", version: 1, state: One, stages: [named], reply: loop({ model: echo() }) });
  const toTwo = defineMigration({ from: 1, to: 2, migrate: ({ name, ...rest }) => ({ ...rest, names: name === undefined ? [] : [name] }) });
  const v2 = defineAgent({ name: "who", version: 2, state: Two, migrations: [toTwo], reply: loop({ model: echo() }) });

  it("a turn migrates the state first, as an event of its own; the past stays raw", async () => {
    const store = await emptyStore(kind);
    const old = await started({ store, agents: [v1] });
    const id = (await old.sessions.create({ agent: "who" })).id;
    await (await old.sessions.get(id)).send("Ada");
    await old.close();
    const fresh = await started({ store, agents: [v2] });
    const session = await fresh.sessions.get(id);
    const before = await session.state();
    expect(before).toMatchObject({ definition: 1, document: { name: "Ada" } });
    expect(await session.state({ upgrade: true })).toMatchObject({ definition: 2, document: { names: ["Ada"] } });
    expect((await session.send("hello")).diagnostics).not.toHaveProperty("attempt");
    expect(await session.state()).toMatchObject({ definition: 2, document: { names: ["Ada"] } });
    expect(await session.state({ at: before.offset })).toEqual(before);
    expect((await session.info()).definition).toBe(2);
    const migrated = (await collect(session, { kinds: ["state"] })).at(-1);
    expect(migrated?.data).toMatchObject({ writer: { type: "migration", from: 1, to: 2 }, definition: 2 });
  });

  it("an older worker leaves the session alone, without counting an attempt", async () => {
    const store = await emptyStore(kind);
    const fresh = await started({ store, agents: [v2] });
    const session = await fresh.sessions.create({ agent: "who" });
    await fresh.close();
    const old = await started({ store, agents: [v1] });
    await expect((await old.sessions.get(session.id)).send("hi")).rejects.toMatchObject({
      ...{ code: "state.definition_newer", details: { stored: 2, registered: 1 } },
    });
    await old.close();
    const again = await started({ store, agents: [v2], pollMs: 20 });
    const result = await (await again.sessions.get(session.id)).outcome(1);
    expect(result).toMatchObject({ status: "completed", reply: "re:hi" });
    expect(result.diagnostics).not.toHaveProperty("attempt");
  });
});

describe("what a turn records, while time is told by the test", () => {
  const tool = defineTool({ name: "look", description: "Looks.", effects: "none", execute: () => "seen" });
  const looks: Script = [
    { text: "Let me see.", calls: [{ call_id: "c", name: "look", arguments: {} }], usage: { input: 3, output: 2 } },
    { text: "One.", usage: { input: 4, output: 1 }, finish: "length" },
  ];

  /** An agent whose stage takes 12.34 ms, and the commits of its runtime. */
  async function timed({ model = echo(), writes = true, tools = [] as readonly Tool[] } = {}) {
    let ms = 1_000;
    const clock = { ...fixedClock(), monotonic: () => ms };
    const count = stage("count", { state: Counted, writes: ["count", "note"] }, () => ((ms += 12.34), writes ? { count: 1, note: "n" } : undefined));
    const agent = defineAgent({ name: "counted", version: 1, state: Counted, stages: [count], reply: loop({ model, tools }) });
    const below = await openStore(":memory:", { clock });
    const commits: Commit[] = [];
    const store: Store = { ...forwarding(below), commit: (commit) => (commits.push(commit), below.commit(commit)) };
    const { sessions } = await started({ store, clock, agents: [agent] });
    const session = await sessions.create({ agent: "counted" });
    const records = async (): Promise<readonly (readonly [kind: string, source: string, data: unknown])[]> =>
      (await collect(session, { minOffset: 2 })).flatMap(({ kind, source, data }) => (kind === "status" ? [] : [[kind, source, data] as const]));
    return { session, store, commits, records };
  }

  it("is all in its log, with the input fields, the numbers and the versions that it began with", async () => {
    const { session, store, records } = await timed();
    const { diagnostics } = await session.send("hi", { start: { mood: "calm" } });
    expect(diagnostics).toEqual({ stage_timings: { count: 12.34 }, turn_total_ms: 12.3 });
    expect(await records()).toEqual([
      ["turn", "system", { type: "started", cause: "message", answers: [1], versions: { agent: 1, state: 0, variables: 0 } }],
      ["state", "ai_agent", { patch: [{ op: "add", path: "/mood", value: "calm" }], writer: { type: "input" }, definition: 1 }],
      ["state", "ai_agent", { patch: [{ op: "add", path: "/count", value: 1 }], writer: { type: "stage", name: "count" }, definition: 1 }],
      ["turn", "system", { type: "stage", name: "count", patch: [{ op: "add", path: "/note", value: "n" }], ms: 12.34 }],
      ["turn", "system", { type: "step", step_id: "stp_1", model: "scripted", usage: {}, finish_reason: "stop", ms: 0 }],
      ["message", "ai_agent", { role: "assistant", parts: [{ type: "text", text: "re:hi" }], origin: { agent_id: "counted", step_id: "stp_1" } }],
      ["turn", "system", { type: "ended", outcome: { status: "completed" }, diagnostics }],
    ]);
    // The claim and the end each raise the epoch.
    expect((await store.load({ session_id: session.id }))?.session.epoch).toBe(2);
  });

  it("of a stage without changes is its name and its time", async () => {
    const { session, records } = await timed({ writes: false });
    await session.send("hi");
    expect(await records()).toContainEqual(["turn", "system", { type: "stage", name: "count", ms: 12.34 }]);
    expect((await records()).filter(([kind]) => kind === "state")).toEqual([]);
  });

  it("counts tokens, steps and calls, and tells a reply that was cut off", async () => {
    const { session, commits } = await timed({ model: scripted(looks), tools: [tool] });
    expect((await session.send("hi")).diagnostics).toEqual({
      ...{ stage_timings: { count: 12.34 }, turn_total_ms: 12.3 },
      ...{ tokens: 10, steps: 2, truncated: true, tool_calls: { look: 1 } },
    });
    // A turn that was claimed once has no attempts to forget.
    expect(commits.flatMap((commit) => ("progress" in (commit.session ?? {}) ? [commit] : []))).toEqual([]);
    // Whoever reads along is told once that the agent types, although there were two drafts.
    const told = (await collect(session, { kinds: ["status"] })).map(({ data }) => "status" in data && data.status);
    expect(told).toEqual(["acknowledged", "processing", "typing", "ready"]);
  });

  it("has the apology stand in where the turn fails", async () => {
    const { session, records } = await timed({ model: scripted([{ error: new Error("down") }]) });
    const { error } = await session.send("hi");
    const origin = { agent_id: "counted", step_id: "stp_0", is_trace: true, stands_in: true };
    expect((await records()).find(([kind]) => kind === "message")).toMatchObject(["message", "ai_agent", { role: "assistant", origin }]);
    expect((await collect(session, { kinds: ["status"] })).at(-1)?.data).toEqual({ status: "error", error });
  });
});

it("a turn that is done again goes on with the state that it left, not with what its message began with", async () => {
  const note = stage("note", { state: Counted, writes: ["mood", "log"] }, ({ state }) => ({ mood: "sad", log: state.mood ?? "" }));
  const model = scripted([{ error: new Error("down") }, "fine"]);
  const { sessions } = await started({
    agents: [defineAgent({ name: "counted", version: 1, state: Counted, stages: [note], reply: loop({ model }) })],
  });
  const session = await sessions.create({ agent: "counted" });
  await session.send("hi", { start: { mood: "calm" } });
  expect((await session.outcome((await session.retry()).turn_id)).reply).toBe("fine");
  expect((await session.state()).document).toEqual({ mood: "sad", log: ["calm", "sad"] });
});

describe("a reply of one's own", () => {
  const usage = { input: 3, output: 2, cache_read: 0, cache_write: 0, reasoning: 0 };
  /** Asks for its request, writes in two pieces, and closes one step without an answer and one with one. */
  const own = (text: string): Agent["reply"] => ({
    type: "reply",
    name: "own",
    run: async (given) => {
      const { clock, execution_id, state } = given;
      const at = clock.now();
      const { messages } = given.request();
      for (const piece of text.split(" ")) await given.write(piece);
      const first = closeStep(openStep(beginExecution(state, { execution_id, at }), { at }), { at });
      const answered = recordResponse(openStep(first, { at }), { text, calls: [], usage, finish_reason: "stop" }, { at });
      const done = finishExecution(answered, { at, signal: { reason: "completed", message: `${messages.length} messages.` } });
      for (const step of done.execution.steps) given.closed(step);
      return { phase: "done", state: done };
    },
  });

  it.each([
    ["is kept with its requests and its steps", "one two", { status: "completed", reply: "one two" }],
    ["fails its turn where it is blank", " ", { status: "failed", error: { code: "model.invalid_response" } }],
  ])("%s", async (_what, text, result) => {
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, sections: [persona("Be kind.")], reply: own(text), keepRequests: true });
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    const { turn_id, diagnostics, ...sent } = await session.send("hi");
    expect(sent).toMatchObject(result);
    expect(diagnostics).toMatchObject({ tokens: 5, steps: 2 });
    const entries = (await collect(session, { kinds: ["turn"] })).map(({ data }) => data).filter((data) => "type" in data && data.type === "step");
    expect(entries).toMatchObject([
      { type: "step", step_id: "stp_1", usage: {}, finish_reason: "other" },
      { type: "step", step_id: "stp_2", usage: { input: 3, output: 2 }, finish_reason: "stop" },
    ]);
    expect((await session.prompt({ turn: turn_id ?? "", step: 1 }))?.request).toMatchObject({ messages: [{ role: "user", text: "hi" }] });
    expect((await session.prompt())?.step).toBe(2);
    const told = (await collect(session, { kinds: ["status"] })).map(({ data }) => "status" in data && data.status);
    expect(told.filter((status) => status === "typing")).toHaveLength(1);
  });
});

describe("a patch is heavy", () => {
  const Sized = defineState({ message: input(z.string()), held: reduced(z.string()), note: reduced(z.string()) });
  const patchBytes = (length: number): number => Buffer.byteLength(JSON.stringify([{ op: "add", path: "/note", value: "x".repeat(length) }]));
  it.each([
    ["of 4 KB in an empty state", 0, 4_096, false],
    ["of a byte more", 0, 4_097, true],
    ["of less than half of the state", 100_000, 8_000, false],
    ["of 64 KB, less than half of the state", 200_000, 65_536, false],
    ["of a byte more, however large the state is", 200_000, 65_537, true],
  ])("if it is one %s: %j and %j bytes", async (_what, held, bytes, heavy) => {
    const write = stage("write", { state: Sized, writes: ["note"] }, () => ({ note: "x".repeat(bytes - patchBytes(0)) }));
    const agent = defineAgent({ name: "sized", version: 1, state: Sized, stages: [write], reply: loop({ model: echo() }) });
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "sized" });
    if (held > 0) await session.edit({ held: "x".repeat(held) });
    expect((await session.send("hi")).diagnostics?.["state.patch_heavy"]).toBe(heavy ? 1 : undefined);
  });
});

describe("a greeting", () => {
  const look = defineTool({ name: "look", description: "Looks.", effects: "none", execute: () => "seen" });
  const call = { calls: [{ call_id: "c", name: "look", arguments: {} }] };
  it.each<[string, Script, string]>([
    ["is left out if it is blank", ["  "], "completed"],
    ["has failed if the model fails after it has called a tool", [call, { error: new Error("down") }], "failed"],
  ])("%s", async (_what, script, status) => {
    const { sessions } = await started({
      agents: [defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model: scripted(script), tools: [look] }) })],
    });
    const session = await sessions.create({ agent: "a1", greet: true });
    expect((await collect(session, { kinds: ["turn"] })).at(-1)?.data).toMatchObject({ type: "ended", outcome: { status } });
    expect((await session.messages()).filter(({ is_trace }) => !is_trace)).toEqual([]);
  });
});

describe("a turn in the hands of two processes", () => {
  it("is renewed for as long as it runs, and not after it has ended", async () => {
    const below = await emptyStore("memory");
    const renewals: number[] = [];
    let ended = 0;
    const store: Store = {
      ...forwarding(below),
      claim: (request) => (request.kind === "renew" && renewals.push(ended), below.claim(request)),
    };
    let runs = 0;
    const slow = stage("slow", { state: Counted, writes: [] }, async () => {
      runs += 1;
      await until(() => renewals.length >= 3);
    });
    const agent = defineAgent({ name: "counted", version: 1, state: Counted, stages: [slow], reply: loop({ model: echo() }) });
    const { sessions } = await started({ store, agents: [agent], leaseMs: 60_000, heartbeatMs: 20, pollMs: 10 });
    const session = await sessions.create({ agent: "counted" });
    expect((await session.send("hi")).diagnostics).not.toHaveProperty("attempt");
    ended = 1;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(runs).toBe(1);
    expect(renewals).not.toContain(1);
  });

  it("leaves the next turn, which another process has queued, to its own process, without a poll", async () => {
    const store = await emptyStore("memory");
    const open = gate();
    const model = scripted((request, call) => ({
      text: `re:${request.messages.at(-1)?.text ?? ""}`,
      wait: () => (call === 0 ? open.opened : Promise.resolve()),
    }));
    const working = await started({ store, agents: [echoAgent({ model })], pollMs: 3_600_000 });
    const idle = await started({ store, agents: [echoAgent()], work: false });
    const session = await working.sessions.create({ agent: "a1" });
    const first = session.send("one");
    await until(() => model.requests.length === 1);
    const { offset } = await (await idle.sessions.get(session.id)).post("two");
    await new Promise((resolve) => setTimeout(resolve, 20));
    open.open();
    await first;
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "re:two" });
  });

  it("counts its attempts anew when the model has answered, and when a call has returned", async () => {
    const store = await emptyStore("memory");
    const attempts = async (): Promise<number | undefined> => (await store.load({ session_id: id }))?.turns[0]?.attempts;
    const seen: unknown[] = [];
    const pay = (run: () => unknown): Tool => defineTool({ name: "pay", description: "Pays.", effects: "idempotent", execute: run });
    const agentOf = (tool: Tool, model: ScriptedModel): Agent =>
      defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model, tools: [tool] }) });
    let written = 0;
    // The first piece commits that the turn has begun, which is no progress.
    const wait = async (): Promise<void> => void (written++ === 1 && seen.push(await attempts()));
    const call = { text: ["I ", "pay."], calls: [{ call_id: "c", name: "pay", arguments: {} }], wait };
    const idle = await createRuntime({ store, agents: [echoAgent()], work: false });
    const { id } = await idle.sessions.create({ agent: "a1" });
    const { offset } = await (await idle.sessions.get(id)).post("hi");
    await store.claim({ kind: "session", session_id: id, worker: "elsewhere/1/x", lease_ms: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    // The first process dies in the call. The answer that asked for it has made the second attempt the first.
    const mortal = mortalStore(store);
    const dying = pay(async () => {
      seen.push(await attempts());
      mortal.die();
      return new Promise(() => {});
    });
    await createRuntime({ store: mortal.store, agents: [agentOf(dying, scripted([call]))] });
    await mortal.died;
    // The next one only has the call to make again.
    const paid = pay(async () => (seen.push(await attempts()), "paid"));
    const open = gate();
    let pieces = 0;
    // The first piece commits what the call has returned.
    const model = scripted(() => ({ text: ["do", "ne"], wait: async () => (pieces++ === 0 ? undefined : open.opened) }));
    const working = await started({ store, agents: [agentOf(paid, model)], leaseMs: 10_000, heartbeatMs: 5_000 });
    await until(() => pieces === 2);
    await expect.poll(attempts).toBe(1);
    open.open();
    expect(await (await working.sessions.get(id)).outcome(offset)).toMatchObject({ status: "completed", reply: "done" });
    expect(seen).toEqual([2, 1, 2]);
  });
});
