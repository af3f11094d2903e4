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
  persona,
  reduced,
  scripted,
  stage,
  turn,
  withControl,
  type Agent,
  type Event,
  type Store,
} from "../../packages/throughline/src/index.ts";
import type { Claim } from "../../packages/throughline/src/store.ts";
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
    expect(model.requests).toHaveLength(1);
    expect((await session.info()).mode).toBe("manual");
    expect((await session.send("hello?")).status).toBe("waiting");
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual([
      "customer:hi",
      "agent:noted",
      "agent:re:hi",
      "customer:bye",
      "agent:A person will take over.",
      "customer:hello?",
    ]);
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
    await expect((await old.sessions.get(session.id)).send("hi")).rejects.toMatchObject({ code: "state.definition_newer" });
    await old.close();
    const again = await started({ store, agents: [v2], pollMs: 20 });
    const result = await (await again.sessions.get(session.id)).outcome(1);
    expect(result).toMatchObject({ status: "completed", reply: "re:hi" });
    expect(result.diagnostics).not.toHaveProperty("attempt");
  });
});
