/** A run that ends from outside takes nothing with it but its own turn. On each database. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, defineTool, input, loop, openStore, scripted, type Store } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { findRun } from "../../packages/throughline/src/routines/runs/run-record.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { started } from "../runtime/harness.ts";
import { emptyPostgresDatabase, newSqliteFile } from "../setup/database.ts";

const State = defineState({ message: input(z.string()), ...routineFields() });
const done = { emit_output: { output: () => ({ ok: true }) } } as const;
const autonomous = { state: State, autonomous: true, output: z.object({ ok: z.boolean() }) } as const;
const work = defineRoutine({
  ...{ id: "work", title: "Work", ...autonomous },
  nodes: { pay: { tool: { name: "pay" }, next: "tell" }, tell: { tool: { name: "tell" }, next: "emit" }, emit: done },
});
const busy = defineRoutine({
  ...{ id: "busy", title: "Busy", state: State },
  nodes: { pay: { tool: { name: "pay" }, next: "tell" }, tell: { tool: { name: "tell" }, next: "end" } },
});
const patient = defineRoutine({
  ...{ id: "patient", title: "Patient", ...autonomous },
  nodes: { hold: { wait: { event: "parcel" }, next: "emit" }, emit: done },
});
const hasty = defineRoutine({
  ...{ id: "hasty", title: "Hasty", ...autonomous },
  nodes: {
    hold: { wait: { event: "parcel" }, next: "pay" },
    pay: { tool: { name: "pay" }, next: "tell" },
    tell: { tool: { name: "tell" }, next: "emit" },
    emit: done,
  },
});

const asking = defineRoutine({
  ...{ id: "asking", title: "Asking", ...autonomous },
  nodes: {
    hold: { wait: { event: "parcel" }, next: "ask" },
    ask: { approve: { question: "Pay?" }, next: "emit" },
    emit: done,
  },
});

/** Talks with the customer, above whatever the session follows. */
const talk = defineRoutine({
  ...{ id: "talk", title: "Talk", state: State, conditions: [({ state }) => state.message === "Talk"], priority: 1 },
  nodes: { ask: { chat: { instructions: "Ask." }, next: "end" } },
});

type Commit = Parameters<Store["commit"]>[0];

async function opened(database: "SQLite" | "PostgreSQL") {
  const clock = fixedClock();
  const store = await openStore(database === "SQLite" ? newSqliteFile() : await emptyPostgresDatabase(), { clock });
  const commit = store.commit.bind(store);
  let before: (commit: Commit) => Promise<void> = () => Promise.resolve();
  const watched: Store = Object.assign(store, {
    commit: async (given: Commit) => {
      await before(given);
      return commit(given);
    },
  });
  const paying = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let [paid, told] = [0, 0];
  const pay = defineTool({
    ...{ name: "pay", description: "Pays.", parameters: z.object({}), effects: "once" },
    // It does not heed that the turn was stopped.
    execute: async () => {
      paid += 1;
      paying.resolve();
      await gate.promise;
    },
  });
  const tell = defineTool({ ...{ name: "tell", description: "Tells.", parameters: z.object({}), effects: "none" }, execute: () => void (told += 1) });
  // The customer's request is paid, and then answered.
  const model = scripted(({ messages, tools }) => {
    const isAsked = messages.findLast(({ role }) => role === "user")?.text === "Pay, please";
    const isPaid = messages.some(({ role }) => role === "tool");
    return isAsked && !isPaid && tools.some(({ name }) => name === "pay") ? { calls: [{ call_id: "1", name: "pay", arguments: {} }] } : "Certainly.";
  });
  const extension = routines({ routines: [work, busy, patient, hasty, asking, talk], tools: [tell] });
  const agent = defineAgent({ name: "desk", state: State, extensions: [extension], reply: loop({ model, tools: [pay] }) });
  const runtime = await started({ agents: [agent], pollMs: 20, clock, store: watched });
  const session = await runtime.sessions.create({ agent: "desk" });
  const poll = <Value>(read: () => Promise<Value>) =>
    expect.poll(
      () => {
        clock.advance(30);
        return read();
      },
      { timeout: 20_000, interval: 10 },
    );
  const statusOf = async (id: string) => (await runtime.runs.get(id)).status;
  /** Waits until nothing of the session runs, and returns how its turns ended. */
  const outcomes = async () => {
    await poll(async () => (await session.turns()).items.every(({ status }) => status === "ended")).toBe(true);
    return (await session.turns()).items.map(({ outcome }) => (outcome?.status === "stopped" ? outcome.reason : outcome?.status));
  };
  const replies = async () => (await session.messages()).filter(({ role, text }) => role === "assistant" && text !== "").map(({ text }) => text);
  const counts = () => ({ paid, told });
  const watch = (next: typeof before): void => void (before = next);
  return { runtime, store, session, clock, extension, poll, statusOf, outcomes, replies, counts, paying, gate, watch };
}

describe.each(["SQLite", "PostgreSQL"] as const)("a run that ends from outside, on %s", (database) => {
  for (const how of ["cancelled", "failed"] as const) {
    const end = async (set: Awaited<ReturnType<typeof opened>>, id: string) => {
      if (how === "cancelled") await set.runtime.runs.cancel(id);
      else set.clock.advance(61_000);
      await set.poll(() => set.statusOf(id)).toBe(how);
    };

    it(`K: ends the turn that waits for its approval (${how})`, async () => {
      const set = await opened(database);
      const run = await set.runtime.runs.start(asking, undefined, { session_id: set.session.id, timeout_seconds: 60 });
      await set.poll(() => set.statusOf(run.id)).toBe("waiting");
      await set.session.extension(set.extension).event("parcel");
      await set.poll(async () => (await set.session.pending()).calls.length).toBe(1);
      await end(set, run.id);
      expect((await set.session.pending()).calls).toEqual([]);
      expect((await set.outcomes()).at(1)).toBe("user_requested");
      expect((await set.session.extension(set.extension).position()).frames).toEqual([]);
    });

    it(`K: withdraws its approval from a turn that answers a customer (${how})`, async () => {
      const set = await opened(database);
      const run = await set.runtime.runs.start(asking, undefined, { session_id: set.session.id, timeout_seconds: 60 });
      await set.poll(() => set.statusOf(run.id)).toBe("waiting");
      // The event waits until the turn of the message sees it.
      await set.session.postCustom({ event: "parcel", data: null });
      await set.session.post("Hello");
      await set.poll(async () => (await set.session.pending()).calls.length).toBe(1);
      await end(set, run.id);
      expect((await set.session.pending()).calls).toEqual([]);
      expect(await set.outcomes()).not.toContain("user_requested");
      expect(await set.replies()).toEqual(["Certainly."]);
      expect((await set.session.extension(set.extension).position()).frames).toEqual([]);
    });

    it(`K: in a session of its own leaves no approval behind (${how})`, async () => {
      const set = await opened(database);
      const run = await set.runtime.runs.start(asking, undefined, { timeout_seconds: 60 });
      await set.poll(() => set.statusOf(run.id)).toBe("waiting");
      const session = await set.runtime.sessions.get(run.session_id);
      await session.extension(set.extension).event("parcel");
      await set.poll(async () => (await session.pending()).calls.length).toBe(1);
      await end(set, run.id);
      await set.poll(async () => (await set.runtime.runs.get(run.id)).erasure?.sessions).toBe(1);
      await expect(session.pending()).rejects.toMatchObject({ code: "session.not_found" });
    });

    it(`K: leaves the turn of another run, behind which it is queued (${how})`, async () => {
      const set = await opened(database);
      const one = await set.runtime.runs.start(work, undefined, { session_id: set.session.id });
      await set.poll(() => Promise.resolve(set.counts().paid)).toBe(1);
      const two = await set.runtime.runs.start(work, undefined, { session_id: set.session.id, timeout_seconds: 60 });
      await end(set, two.id);
      set.gate.resolve();
      await set.poll(() => set.statusOf(one.id)).toBe("completed");
      expect(await set.outcomes()).not.toContain("user_requested");
      expect(set.counts()).toEqual({ paid: 1, told: 1 });
      expect(await set.statusOf(two.id)).toBe(how);
      expect((await set.session.extension(set.extension).position()).frames).toEqual([]);
    });

    it(`K: leaves the answer to a customer while it waits (${how})`, async () => {
      const set = await opened(database);
      const run = await set.runtime.runs.start(patient, undefined, { session_id: set.session.id, timeout_seconds: 60 });
      await set.poll(() => set.statusOf(run.id)).toBe("waiting");
      await set.session.post("Pay, please");
      await set.poll(() => Promise.resolve(set.counts().paid)).toBe(1);
      await end(set, run.id);
      set.gate.resolve();
      expect(await set.outcomes()).not.toContain("user_requested");
      expect(await set.replies()).toEqual(["Certainly."]);
      expect((await set.session.extension(set.extension).position()).frames).toEqual([]);
    });

    it(`K: leaves a turn of nobody's run that is at work (${how})`, async () => {
      const set = await opened(database);
      const run = await set.runtime.runs.start(patient, undefined, { session_id: set.session.id, timeout_seconds: 60 });
      await set.poll(() => set.statusOf(run.id)).toBe("waiting");
      await set.session.extension(set.extension).enter(busy);
      await set.poll(() => Promise.resolve(set.counts().paid)).toBe(1);
      await end(set, run.id);
      set.gate.resolve();
      expect(await set.outcomes()).not.toContain("user_requested");
      expect(set.counts()).toEqual({ paid: 1, told: 1 });
    });

    it(`K: stops its own turn, and a late write of it is refused (${how})`, async () => {
      const set = await opened(database);
      const run = await set.runtime.runs.start(work, undefined, { session_id: set.session.id, timeout_seconds: 60 });
      await set.poll(() => Promise.resolve(set.counts().paid)).toBe(1);
      await end(set, run.id);
      set.gate.resolve();
      expect(await set.outcomes()).toContain("user_requested");
      expect(set.counts()).toEqual({ paid: 1, told: 0 });
      expect(await set.statusOf(run.id)).toBe(how);
    });
  }

  it("K: leaves the message that its turn answers, which goes on without the run", async () => {
    const set = await opened(database);
    const run = await set.runtime.runs.start(hasty, undefined, { session_id: set.session.id });
    await set.poll(() => set.statusOf(run.id)).toBe("waiting");
    await set.session.postCustom({ event: "parcel", data: null });
    await set.session.post("Hello");
    await set.poll(() => Promise.resolve(set.counts().paid)).toBe(1);
    expect(await set.statusOf(run.id)).toBe("running");
    expect(await set.runtime.runs.cancel(run.id)).toMatchObject({ status: "cancelled" });
    set.gate.resolve();
    expect(await set.outcomes()).not.toContain("user_requested");
    expect(await set.replies()).toEqual(["Certainly."]);
    expect(set.counts()).toEqual({ paid: 1, told: 0 });
    expect(await set.statusOf(run.id)).toBe("cancelled");
  });

  it("K: answers a message in whose turn a run completes", async () => {
    const set = await opened(database);
    const run = await set.runtime.runs.start(patient, undefined, { session_id: set.session.id });
    await set.poll(() => set.statusOf(run.id)).toBe("waiting");
    await set.session.postCustom({ event: "parcel", data: null });
    await set.session.post("Hello");
    await set.poll(() => set.statusOf(run.id)).toBe("completed");
    await set.outcomes();
    expect(await set.replies()).toEqual(["Certainly."]);
  });

  it("K: writes nothing of a run that is cancelled while its turn begins, and the turn goes on", async () => {
    const set = await opened(database);
    const began = Promise.withResolvers<void>();
    set.watch(async ({ session, records = [] }) => {
      const isFirst =
        session?.depends?.epoch !== undefined && records.some(({ kind, data }) => kind === "routine.run" && data?.["status"] === "waiting");
      if (!isFirst) return;
      began.resolve();
      await set.gate.promise;
    });
    const run = await set.runtime.runs.start(patient, undefined, { session_id: set.session.id });
    await began.promise;
    expect(await set.runtime.runs.cancel(run.id)).toMatchObject({ status: "cancelled" });
    set.gate.resolve();
    expect(await set.outcomes()).not.toContain("user_requested");
    expect(await set.statusOf(run.id)).toBe("cancelled");
    expect((await set.session.extension(set.extension).position()).frames).toEqual([]);
  });

  it("K: waits below the routine of a conversation that interrupts it", async () => {
    const set = await opened(database);
    const run = await set.runtime.runs.start(patient, undefined, { session_id: set.session.id });
    await set.poll(() => set.statusOf(run.id)).toBe("waiting");
    await set.session.send("Talk");
    expect((await set.session.extension(set.extension).position()).frames).toHaveLength(2);
    // The worker looks at it.
    set.clock.advance(60_000);
    await set.poll(async () => (await findRun(set.store, run.id))?.looks).toBe(1);
    expect(await set.statusOf(run.id)).toBe("waiting");
  });
});
