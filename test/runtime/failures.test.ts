/** What happens when something else fails: the database, the stored state, the process, the caller. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineMigration,
  defineState,
  defineTool,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  ThroughlineError,
  type Agent,
  type Draft,
  type Event,
  type Logger,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { newEvent } from "../../packages/throughline/src/session/new-event.ts";
import type { Commit } from "../../packages/throughline/src/store/port.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { code, collect, echo, echoAgent, echoState, emptyStore, gate, outline, started, trace, until, wordOf } from "./harness.ts";

/** A store whose commits pass through `around`. */
function wrapped(store: Store, around: (commit: Commit, write: () => ReturnType<Store["commit"]>) => ReturnType<Store["commit"]>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === "commit") return (commit: Commit) => around(commit, () => target.commit(commit));
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

describe.each(["memory", "sqlite"] as const)("%s: failures", (kind) => {
  it("a stored state that does not decode fails the turn, says so, and is left alone", async () => {
    const logged: unknown[] = [];
    const logger: Logger = { debug() {}, info() {}, warn() {}, error: (message, fields) => void logged.push([message, fields?.["code"]]) };
    const { sessions, store } = await started({ kind, logger });
    const session = await sessions.create({ agent: "a1" });
    const bad = newEvent(
      "state",
      "system",
      { patch: [{ op: "add", path: "/count", value: "three" }], writer: { type: "operator" }, definition: 1 },
      { trace_id: trace("0") },
    );
    await store.commit({ commit_id: "cmt_00000000000000000000000001", at: 0, session: { session_id: session.id, events: [bad] } });
    const result = await session.send("hi");
    expect(result).toMatchObject({ status: "failed", error: { code: "state.corrupt" } });
    expect(result.reply).toMatch(/^Sorry/);
    expect(outline(await collect(session, { kinds: ["turn"] }))).toEqual(["turn:started", "turn:ended"]);
    expect((await session.state()).document).toEqual({ count: "three" });
    expect((await session.pending()).turns).toEqual([]);
    expect(logged).toEqual([["turn failed", "state.corrupt"]]);
    const [began, ended] = (await collect(session, { kinds: ["turn"] })).map(({ data }) => data);
    expect([began, ended]).toMatchObject([
      { type: "started", cause: "message", answers: [result.offset], versions: { agent: 1, state: 1 } },
      { type: "ended", diagnostics: {} },
    ]);
    const [apology] = (await collect(session, { kinds: ["message"] })).slice(-1);
    expect(apology?.data).toMatchObject({ origin: { agent_id: "a1", step_id: "stp_0", is_trace: true, stands_in: true } });
    // Nobody has written to a greeting, so nobody is told that it failed.
    expect(await session.resume({ cause: "greeting" })).toMatchObject({ status: "failed" });
    expect(await session.messages()).toHaveLength(2);
    // The claim and the end each raise the epoch: who still runs the turn cannot commit.
    expect((await store.load({ session_id: session.id }))?.session.epoch).toBe(4);
  });

  it("a turn that was stopped elsewhere migrates nothing", async () => {
    const inner = await emptyStore(kind);
    const old = await started({ store: inner, work: false });
    const { id } = await old.sessions.create({ agent: "a1" });
    await (await old.sessions.get(id)).edit({ count: 1 });
    let stops = 0;
    const store = wrapped(inner, async (commit, write) => {
      if (commit.session?.header?.agent_version === 2 && stops++ === 0) await (await old.sessions.get(id)).stop();
      return write();
    });
    const toTwo = defineMigration({ from: 1, to: 2, migrate: ({ count, ...rest }) => ({ ...rest, count: Number(count) * 10 }) });
    const agent = defineAgent({ name: "a1", version: 2, state: echoState, migrations: [toTwo], reply: loop({ model: echo() }) });
    const { sessions } = await started({ store, agents: [agent] });
    const session = await sessions.get(id);
    expect(await session.send("hi")).toMatchObject({ status: "stopped" });
    expect([stops, (await session.info()).definition]).toEqual([1, 1]);
  });

  it("a turn whose session cannot be read for a reason that nobody knows fails", async () => {
    const inner = await emptyStore(kind);
    let breaks = false;
    const store: Store = {
      ...forwarding(inner),
      load: (request) => {
        if (!breaks) return inner.load(request);
        breaks = false;
        return Promise.reject(new TypeError("undefined is not a function"));
      },
    };
    const { sessions } = await started({ store });
    const session = await sessions.create({ agent: "a1" });
    breaks = true;
    expect(await session.send("hi")).toMatchObject({ status: "failed", error: { code: "turn.failed" } });
  });

  it.each([
    ["after it was stopped, is no failure", true],
    ["is the turn's failure", false],
  ])("an error of a reply of one's own, %s", async (_what, stopped) => {
    const logged: string[] = [];
    const logger: Logger = { debug() {}, info() {}, warn() {}, error: (message) => void logged.push(message) };
    const reached = gate();
    const reply: Agent["reply"] = {
      type: "reply",
      name: "own",
      run: async ({ signal }) => {
        reached.open();
        if (stopped) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        throw new Error("cut short");
      },
    };
    const { sessions } = await started({ kind, agents: [defineAgent({ name: "a1", version: 1, state: echoState, reply })], logger });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hi");
    await reached.opened;
    if (stopped) await session.stop();
    expect(await sent).toMatchObject(stopped ? { status: "stopped" } : { status: "failed", error: { code: "turn.failed" } });
    expect(logged).toEqual(stopped ? [] : ["turn failed"]);
  });

  it.each([
    ["after the model has answered is logged if that cannot be recorded", true],
    ["before the model has answered writes nothing", false],
  ])("a turn that is stopped %s", async (_what, answered) => {
    const logged: unknown[] = [];
    const logger: Logger = { debug() {}, info() {}, error() {}, warn: (message, fields) => void logged.push([message, fields?.["code"]]) };
    const reached = gate();
    const wait = (signal: AbortSignal): Promise<never> => {
      reached.open();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    };
    const open = gate();
    const count = stage("count", { state: echoState, writes: ["count"] }, () => ({ count: 1 }));
    const model = scripted([answered ? "done" : { text: "never", wait }]);
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, stages: [count], reply: loop({ model }) });
    let full = false;
    let spent = 0;
    const store = wrapped(await emptyStore(kind), async (commit, write) => {
      if (full && commit.session?.depends === undefined) {
        spent += 1;
        throw new ThroughlineError("store.full");
      }
      // The turn is stopped while its end is on the way.
      if (commit.session?.end_turns !== undefined && !full) {
        reached.open();
        await open.opened;
      }
      return write();
    });
    const runtime = await started({ store, agents: [agent], logger });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.post("hi");
    await reached.opened;
    full = true;
    await session.stop();
    open.open();
    await runtime.close();
    expect([spent, logged]).toEqual(answered ? [1, [["usage not recorded", "store.full"]]] : [0, []]);
  });

  it("a state that changes while a turn migrates it is migrated as it is then", async () => {
    const inner = await emptyStore(kind);
    const old = await started({ store: inner, work: false });
    const { id } = await old.sessions.create({ agent: "a1" });
    const edit = async (count: number) => (await old.sessions.get(id)).edit({ count });
    await edit(1);
    let migrations = 0;
    const store = wrapped(inner, async (commit, write) => {
      if (commit.session?.header?.agent_version === 2 && migrations++ === 0) await edit(2);
      return write();
    });
    const toTwo = defineMigration({ from: 1, to: 2, migrate: ({ count, ...rest }) => ({ ...rest, count: Number(count) * 10 }) });
    const agent = defineAgent({ name: "a1", version: 2, state: echoState, migrations: [toTwo], reply: loop({ model: echo() }) });
    const { sessions } = await started({ store, agents: [agent] });
    const session = await sessions.get(id);
    const { status, diagnostics } = await session.send("hi");
    expect([status, migrations]).toEqual(["completed", 2]);
    expect(diagnostics).not.toHaveProperty("attempt");
    expect((await session.state()).document).toEqual({ count: 20 });
  });

  it("a stage that fails because its turn was stopped is no failure", async () => {
    const logged: string[] = [];
    const logger: Logger = { debug() {}, info() {}, warn() {}, error: (message) => void logged.push(message) };
    const reached = gate();
    const waits = stage("waits", { state: echoState, writes: [] }, ({ signal }) => {
      reached.open();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cut short"))));
    });
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, stages: [waits], reply: loop({ model: echo() }) });
    const { sessions } = await started({ kind, agents: [agent], logger });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hi");
    await reached.opened;
    await session.stop();
    expect(await sent).toMatchObject({ status: "stopped" });
    expect(logged).toEqual([]);
  });

  it("a turn that cannot begin writes no end once it was stopped elsewhere", async () => {
    const inner = await emptyStore(kind);
    const elsewhere = await createRuntime({ store: inner, agents: [echoAgent()], work: false });
    const corrupt = newEvent(
      "state",
      "system",
      { patch: [{ op: "add", path: "/count", value: "three" }], writer: { type: "operator" }, definition: 1 },
      { trace_id: trace("0") },
    );
    let stops = 0;
    const store = wrapped(inner, async (commit, write) => {
      // The end of the turn that could not begin comes after a stop by another process.
      if (commit.session?.end_turns !== undefined && stops++ === 0) await (await elsewhere.sessions.get(commit.session.session_id)).stop();
      return write();
    });
    const { sessions } = await started({ store });
    const session = await sessions.create({ agent: "a1" });
    await inner.commit({ commit_id: "cmt_00000000000000000000000001", at: 0, session: { session_id: session.id, events: [corrupt] } });
    expect(await session.send("hi")).toMatchObject({ status: "stopped" });
    expect(stops).toBe(1);
    const events = await collect(session);
    expect(outline(events).filter((line) => /^(customer|agent|turn)/.test(line))).toEqual(["customer:hi", "turn:started", "turn:ended"]);
  });

  it("a turn that began and cannot go on is started once in the log, and fails", async () => {
    const store = await emptyStore(kind);
    // The call is in the log before it runs, and the beginning of the turn with it.
    const model = scripted([{ calls: [{ call_id: "m0", name: "note", arguments: {} }] }, { text: "never", wait: () => new Promise(() => {}) }]);
    const note = defineTool({ name: "note", description: "Notes.", effects: "once", execute: () => "noted" });
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model, tools: [note] }) });
    const leaving = await createRuntime({ store, agents: [agent] });
    const session = await leaving.sessions.create({ agent: "a1" });
    const { offset } = await session.post("hi");
    await until(() => model.requests.length > 1);
    await leaving.close({ drainMs: 0 });
    const corrupt = newEvent(
      "state",
      "system",
      { patch: [{ op: "add", path: "/count", value: "three" }], writer: { type: "operator" }, definition: 1 },
      { trace_id: trace("0") },
    );
    await store.commit({ commit_id: "cmt_00000000000000000000000001", at: 0, session: { session_id: session.id, events: [corrupt] } });
    const staying = await started({ store });
    const result = await (await staying.sessions.get(session.id)).outcome(offset);
    expect(result).toMatchObject({ status: "failed", error: { code: "state.corrupt" } });
    const turns = outline(await collect(session, { kinds: ["turn"] }));
    expect([turns.filter((line) => line === "turn:started").length, turns.at(-1)]).toEqual([1, "turn:ended"]);
  });

  it("a commit whose answer was lost is written once", async () => {
    const lost = new Set<string>();
    const inner = await emptyStore(kind);
    const store = wrapped(inner, async (commit, write) => {
      const result = await write();
      if (lost.has(commit.commit_id)) return result;
      lost.add(commit.commit_id);
      throw new ThroughlineError("store.unreachable");
    });
    const { sessions } = await started({ store });
    const session = await sessions.create({ agent: "a1" });
    expect((await session.send("hi")).reply).toBe("re:hi");
    const events = await collect(session);
    expect(outline(events).filter((line) => /^(customer|agent)/.test(line))).toEqual(["customer:hi", "agent:re:hi"]);
    expect(events.map((event) => event.offset)).toEqual(events.map((_event, index) => index));
  });

  it("a full disk is a clear error, writes no half, and the message is answered once there is room", async () => {
    let full = false;
    const inner = await emptyStore(kind);
    const store = wrapped(inner, async (_commit, write) => {
      if (full) throw new ThroughlineError("store.full");
      return write();
    });
    const reply = gate();
    const model = scripted(() => ({ text: "done", wait: () => reply.opened }));
    const { sessions } = await started({ store, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hi");
    await until(() => model.requests.length > 0);
    full = true;
    reply.open();
    await expect(sent).rejects.toMatchObject({ code: "store.full" });
    await expect(session.send("more")).rejects.toMatchObject({ code: "store.full" });
    full = false;
    expect(await session.outcome(1)).toMatchObject({ status: "completed", reply: "done" });
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:hi", "agent:done"]);
  });

  it("a store that fails for a moment leaves the turn for another attempt, two seconds later", async () => {
    const clock = fixedClock();
    const inner = await openStore(":memory:", { clock });
    let failures = 0;
    const store = wrapped(inner, async (commit, write) => {
      if (commit.session?.start_turn !== undefined && failures++ === 0) throw new ThroughlineError("store.full");
      return write();
    });
    const { sessions } = await started({ store, clock });
    const session = await sessions.create({ agent: "a1" });
    expect(await code(session.send("hi"))).toBe("store.full");
    clock.advance(1_999);
    expect(await inner.claim({ kind: "session", session_id: session.id, worker: "w", lease_ms: 1_000 })).toBeUndefined();
    await expect.poll(async () => (clock.advance(50), (await session.messages()).map(({ text }) => text))).toEqual(["hi", "re:hi"]);
    expect(failures).toBeGreaterThan(1);
  });

  it("who stops waiting leaves the message to be answered", async () => {
    const reply = gate();
    const { sessions } = await started({ kind, agents: [echoAgent({ model: scripted(() => ({ text: "done", wait: () => reply.opened })) })] });
    const session = await sessions.create({ agent: "a1" });
    const stop = new AbortController();
    const sent = session.send("hi", { signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort(new ThroughlineError("aborted"));
    await expect(sent).rejects.toMatchObject({ code: "aborted" });
    reply.open();
    expect((await session.outcome(1)).reply).toBe("done");
  });

  it("a process that leaves gives its turns back at once, uncounted", async () => {
    const store = await emptyStore(kind);
    const model = scripted(() => ({ text: "never", wait: () => new Promise(() => {}) }));
    const leaving = await createRuntime({ store, agents: [echoAgent({ model })] });
    const session = await leaving.sessions.create({ agent: "a1" });
    await session.post("hi");
    await until(() => model.requests.length > 0);
    await leaving.close({ drainMs: 0 });
    const staying = await started({ store });
    const result = await (await staying.sessions.get(session.id)).outcome(1);
    expect(result).toMatchObject({ status: "completed", reply: "re:hi" });
    expect(result.diagnostics).not.toHaveProperty("attempt");
  });

  it("closing waits for the turns at work", async () => {
    const store = await emptyStore(kind);
    const leaving = await createRuntime({
      store,
      agents: [echoAgent({ model: scripted(() => ({ text: "done", wait: () => new Promise((resolve) => setTimeout(resolve, 30)) })) })],
    });
    const session = await leaving.sessions.create({ agent: "a1" });
    await session.post("hi");
    await new Promise((resolve) => setTimeout(resolve, 10));
    await leaving.close();
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:hi", "agent:done"]);
  });

  it("who waits for an answer that this process will not give any more is told so, and the message is kept", async () => {
    const store = await emptyStore(kind);
    const reply = gate();
    const model = scripted(() => ({ text: "done", wait: () => reply.opened }));
    const leaving = await createRuntime({ store, agents: [echoAgent({ model })] });
    const session = await leaving.sessions.create({ agent: "a1" });
    const first = session.send("one");
    await until(() => model.requests.length > 0);
    const second = session.send("two");
    while ((await session.pending()).waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    const closed = leaving.close();
    reply.open();
    expect(await first).toMatchObject({ status: "completed", reply: "done" });
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    await closed;
    await leaving.close();

    await expect(session.send("three")).rejects.toMatchObject({ code: "aborted" });
    const { offset } = await session.post("four");
    expect(await session.outcome(1)).toMatchObject({ status: "completed", reply: "done" });
    const staying = await started({ store });
    expect(await (await staying.sessions.get(session.id)).outcome(offset)).toMatchObject({ status: "completed", reply: "re:four" });
  });

  it("deleting a session ends what waits for it", async () => {
    const store = await emptyStore(kind);
    const model = scripted(() => ({ text: "never", wait: () => new Promise(() => {}) }));
    const { sessions, customers } = await started({ store, agents: [echoAgent({ model })] });
    const other = await createRuntime({ store, agents: [echoAgent()], work: false });
    for (const remove of [(id: string) => sessions.delete(id), () => customers.delete("ada")]) {
      const session = await sessions.open({ agent: "a1", customer: "ada" });
      const [sent, read] = [code(session.send("hi")), code(collect(await other.sessions.get(session.id), { follow: true }))];
      const asked = model.requests.length;
      await until(() => model.requests.length > asked);
      await remove(session.id);
      expect([await sent, await read]).toEqual(["session.not_found", "session.not_found"]);
    }
    await other.close();
  });

  it("more turns than there is room for are all answered", async () => {
    let atOnce = 0;
    let most = 0;
    const model = scripted((request) => ({
      text: request.messages.at(-1)?.role ?? "",
      wait: async () => {
        most = Math.max(most, ++atOnce);
        await new Promise((resolve) => setTimeout(resolve, 3));
        atOnce -= 1;
      },
    }));
    const { sessions } = await started({ kind, agents: [echoAgent({ model })], concurrency: 2 });
    const opened = await Promise.all(Array.from({ length: 7 }, () => sessions.create({ agent: "a1" })));
    const results = await Promise.all(opened.map((session) => session.send("hi")));
    expect(results.every((result) => result.status === "completed")).toBe(true);
    expect(most).toBe(2);
  });

  it("a stage that throws fails the turn without telling what it saw", async () => {
    const leak = stage("leak", { state: echoState, writes: [] }, () => {
      throw new Error("card number 4111");
    });
    const agent = defineAgent({
      name: "a1",
      version: 1,
      state: echoState,
      stages: [leak],
      reply: loop({ model: echo() }),
      apology: "Please try later.",
    });
    const logged: string[] = [];
    const log = (message: string, fields?: object): void => void logged.push(message + JSON.stringify(fields));
    const { sessions } = await started({ kind, agents: [agent], logger: { debug: log, info: log, warn: log, error: log } });
    const session = await sessions.create({ agent: "a1" });
    expect(await session.send("hi")).toMatchObject({
      status: "failed",
      reply: "Please try later.",
      error: { code: "stage.failed", details: { stage: "leak" } },
    });
    expect(JSON.stringify(await collect(session)) + logged.join("")).not.toContain("4111");
    expect(logged.join("")).toContain("stage.failed");
  });
});

describe.each(["memory", "sqlite"] as const)("%s: readers", (kind) => {
  it("follow the log as it grows, each event once and in order, until they leave", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    const left = new AbortController();
    const seen: Event[] = [];
    const reading = (async () => {
      for await (const event of session.events({ signal: left.signal })) seen.push(event);
    })();
    for (const text of ["one", "two", "three"]) await session.send(text);
    const { head } = await session.info();
    await until(() => seen.length > head);
    left.abort();
    await reading;
    expect(seen.map((event) => event.offset)).toEqual(Array.from({ length: head + 1 }, (_, offset) => offset));
  });
  it("get drafts, their end, and then the message that replaces them", async () => {
    const { sessions } = await started({ kind, agents: [echoAgent({ model: scripted(() => ({ text: ["one ", "two"] })) })] });
    const session = await sessions.create({ agent: "a1" });
    const left = new AbortController();
    const seen: (Event | Draft)[] = [];
    const reading = (async () => {
      for await (const item of session.live({ kinds: ["message"], signal: left.signal })) seen.push(item);
    })();
    await session.send("hi");
    await until(() => seen.some((item) => "kind" in item && item.kind === "message" && item.source === "ai_agent"));
    left.abort();
    await reading;
    const drafts = seen.filter((item): item is Draft => "type" in item);
    expect(drafts.map(wordOf)).toEqual(["one ", "two", "end"]);
    expect(new Set(drafts.map((draft) => draft.turn_id)).size).toBe(1);
  });
  it("who comes late gets what the draft has so far; a stopped turn resets it", async () => {
    const more = gate();
    let pieces = 0;
    const model = scripted(() => ({
      text: ["one ", "two"],
      wait: async () => {
        pieces += 1;
        if (pieces === 2) await more.opened;
      },
    }));
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hi");
    await until(() => pieces === 2);
    const left = new AbortController();
    const drafts: string[] = [];
    const reading = (async () => {
      for await (const item of session.live({ kinds: ["custom"], signal: left.signal })) if ("type" in item) drafts.push(wordOf(item));
    })();
    await until(() => drafts.length === 1);
    await session.stop();
    await sent;
    await until(() => drafts.length === 2);
    left.abort();
    await reading;
    expect(drafts).toEqual(["one ", "stopped"]);
  });
});

describe("the wrong shape", () => {
  const model = echo();
  const state = defineState({ message: input(z.string()), name: reduced(z.string(), { start: true }), age: reduced(z.number()) });
  const other = defineState({ message: input(z.string()) });
  const reply = loop({ model });
  const base = { name: "x", version: 1, state, reply };
  const thrown = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };
  it.each<[string, () => unknown, string]>([
    ["no options", () => defineAgent(undefined as never), "agent.invalid"],
    ["an unknown option", () => defineAgent({ ...base, tool: [] } as never), "agent.invalid"],
    ["an empty name", () => defineAgent({ ...base, name: "" }), "agent.invalid"],
    ["a name with a space", () => defineAgent({ ...base, name: "a b" }), "agent.invalid"],
    ["version 0", () => defineAgent({ ...base, version: 0 }), "agent.invalid"],
    ["a state that is none", () => defineAgent({ ...base, state: {} as never }), "agent.invalid"],
    ["no reply", () => defineAgent({ ...base, reply: undefined as never }), "agent.invalid"],
    [
      "a stage of another state",
      () => defineAgent({ ...base, stages: [stage("s", { state: other, writes: [] }, () => undefined) as never] }),
      "agent.invalid",
    ],
    [
      "two stages of one name",
      () => defineAgent({ ...base, stages: [1, 2].map(() => stage("s", { state, writes: [] }, () => undefined)) }),
      "agent.invalid",
    ],
    ["a stage that writes an input", () => stage("s", { state, writes: ["message" as never] }, () => undefined), "agent.invalid"],
    ["a stage that writes what is not there", () => stage("s", { state, writes: ["nmae" as never] }, () => undefined), "agent.invalid"],
    ["a negative budget", () => defineAgent({ ...base, budget: { steps: -1 } }), "budget.invalid"],
    ["a loop without a model", () => loop({} as never), "agent.invalid"],
  ])("of an agent: %s", (_name, work, code) => {
    const error = thrown(work);
    expect(error).toMatchObject({ code });
    expect((error as ThroughlineError).hint).not.toBe("");
  });

  it.each<[string, unknown, object | undefined, string]>([
    ["no text", undefined, undefined, "input.invalid"],
    ["a number", 7, undefined, "input.invalid"],
    ["blank text", " \n", undefined, "input.invalid"],
    ["too long a text", "x".repeat(100_001), undefined, "input.invalid"],
    ["an unknown input field", "hi", { input: { chanel: "web" } }, "state.unknown_field"],
    ["a start field of the wrong type", "hi", { start: { name: 7 } }, "state.invalid_value"],
    ["a start field that is none", "hi", { start: { age: 7 } }, "state.undeclared_write"],
    ["metadata that is not JSON", "hi", { metadata: { at: new Date(0) } }, "json.invalid"],
    ["input that is a list", "hi", { input: [] }, "input.invalid"],
    ["an empty idempotency key", "hi", { idempotencyKey: "" }, "input.invalid"],
    ["a trace id that is none", "hi", { traceId: "x" }, "input.invalid"],
  ])("of a message: %s", async (_name, text, options, code) => {
    const { sessions } = await started({ agents: [defineAgent(base)] });
    const session = await sessions.create({ agent: "x" });
    const error = await session.send(text as string, options as object).catch((caught: unknown) => caught);
    expect(ThroughlineError.is(error) ? error.code : error).toBe(code);
    expect((await session.info()).head).toBe(0);
  });

  it.each<[string, object, string]>([
    ["no store", { store: undefined }, "input.invalid"],
    ["no agents", { agents: [] }, "input.invalid"],
    ["two agents of one name", { agents: [echoAgent(), echoAgent()] }, "agent.invalid"],
    ["a heartbeat slower than the lease", { leaseMs: 100, heartbeatMs: 90 }, "input.invalid"],
    ["a concurrency of zero", { concurrency: 0 }, "input.invalid"],
  ])("of a runtime: %s", async (_name, options, code) => {
    const store = await emptyStore("memory");
    const error = await createRuntime({ store, agents: [echoAgent()], ...options }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code });
  });

  it.each<[string, (session: Awaited<ReturnType<Awaited<ReturnType<typeof started>>["sessions"]["create"]>>) => Promise<unknown>, string]>([
    ["state at an offset that is not there", (session) => session.state({ at: 99 }), "log.offset_invalid"],
    ["state at half an offset", (session) => session.state({ at: 0.5 }), "log.offset_invalid"],
    ["a withdrawal of the creation", (session) => session.withdraw({ from: 0 }), "log.offset_invalid"],
    ["an edit of an unknown field", (session) => session.edit({ cuont: 1 }), "state.unknown_field"],
    ["an edit of an input field", (session) => session.edit({ message: "x" }), "state.undeclared_write"],
    ["an operator's blank message", (session) => session.postOperator(" "), "input.invalid"],
    ["a custom event that is not JSON", (session) => session.postCustom(undefined as never), "json.invalid"],
    ["a title that is a number", (session) => session.setTitle(7 as never), "session.invalid"],
    ["metadata without a name", (session) => session.setMetadata({ set: { "": 1 } }), "variables.invalid"],
    ["a label that is empty", (session) => session.setLabels({ add: [""] }), "session.invalid"],
  ])("of a call: %s", async (_name, call, code) => {
    const { sessions } = await started();
    await expect(call(await sessions.create({ agent: "a1" }))).rejects.toMatchObject({ code });
  });

  it("of options: null where an object is wanted", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    const none = null as never;
    const calls = [
      () => session.send("hi", none),
      () => session.postOperator("hi", none),
      () => session.postCustom({}, none),
      () => session.resume(none),
      () => session.withdraw(none),
      () => session.edit({}, none),
      () => session.state(none),
      () => session.messages(none),
      () => session.setLabels(none),
      () => sessions.list(none),
      () => sessions.deleteAll(none),
    ];
    for (const call of calls) expect(await code(call())).toBe("input.invalid");
    for (const read of [() => session.events(none), () => session.live(none)])
      expect(read).toThrow(expect.objectContaining({ code: "input.invalid" }) as Error);
    expect((await session.info()).head).toBe(0);
  });

  it("of a location", async () => {
    const { openStore } = await import("../../packages/throughline/src/index.ts");
    for (const location of ["", "  ", "mysql://x/y", undefined as never])
      await expect(openStore(location)).rejects.toMatchObject({ code: "store.location_invalid" });
  });
});
