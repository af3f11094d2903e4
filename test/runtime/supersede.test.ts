/** Messages that come while a turn runs that has shown nothing yet, for an agent that wants them answered together. */
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { setTimeout as delay } from "node:timers/promises";
import {
  counter,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  type Agent,
  type Event,
  type Session,
} from "../../packages/throughline/src/index.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { evolveAll } from "../../packages/throughline/src/testing/given.ts";
import { viewOf } from "../../packages/throughline/src/session/session-view.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { z } from "zod";
import { code, collect, emptyStore, gate, outline, started, until } from "./harness.ts";

const state = defineState({ message: input(z.string()), count: reduced(z.number(), { reduce: counter() }), seen: reduced(z.array(z.string())) });

interface Held {
  readonly agent: Agent;
  /** What the stage was asked to do, by the messages it was given. */
  readonly stages: string[];
  readonly model: ReturnType<typeof scripted>;
}

/** An agent whose stage waits for `stageGate` and whose model waits before its first and after its first piece. */
function slowAgent(
  options: {
    readonly inStage?: (texts: readonly string[]) => Promise<void>;
    readonly before?: () => Promise<void>;
    readonly between?: () => Promise<void>;
    readonly onNewMessage?: "queue" | "supersede";
  } = {},
): Held {
  const { inStage = async () => {}, before = async () => {}, between = async () => {}, onNewMessage = "supersede" } = options;
  const stages: string[] = [];
  const note = stage("note", { state, writes: ["count", "seen"] }, async ({ context }) => {
    const texts = context.messages.map((message) => message.text);
    stages.push(texts.join("+"));
    await inStage(texts);
    return { count: texts.length, seen: texts };
  });
  const model = scripted((request) => {
    let pieces = 0;
    const last = request.messages.findLast((message) => message.role === "user")?.text ?? "";
    return { text: ["re: ", last], wait: () => (pieces++ === 0 ? before() : between()) };
  });
  const agent = defineAgent({ name: "a1", version: 1, state, stages: [note], reply: loop({ model }), apology: "Sorry.", onNewMessage });
  return { agent, stages, model };
}

const turnEnds = async (session: Session): Promise<readonly unknown[]> =>
  (await collect(session, { kinds: ["turn"] })).flatMap(({ data, turn_id }) => {
    const turn = Number(turn_id?.split("_").at(-1));
    const entry = data as Extract<Event, { kind: "turn" }>["data"];
    if (entry.type === "started") return [[turn, "answers", ...entry.answers]];
    if (entry.type === "ended") return [[turn, entry.outcome.status, ...(entry.outcome.status === "stopped" ? [entry.outcome.reason] : [])]];
    return [];
  });

/** What the log says the session is, against what its row says. */
async function expectFold(store: Store, session: Session): Promise<void> {
  const loaded = await store.load({ session_id: session.id });
  expect(evolveAll(await collect(session, { withdrawn: true }))).toEqual(loaded && viewOf(loaded));
}

describe.each(["memory", "sqlite"] as const)("%s: a message to a turn that has shown nothing", (kind) => {
  it("stops it, and one turn answers both; both senders get its outcome", async () => {
    const hold = gate();
    const { agent, stages } = slowAgent({ inStage: (texts) => (texts.length === 1 ? hold.opened : Promise.resolve()) });
    const { sessions, store } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    const first = session.send("one", { idempotencyKey: "k1" });
    await until(() => stages.length === 1);
    const second = session.send("two");
    const outcomes = await Promise.all([first, second]);
    expect(outcomes).toMatchObject([
      { offset: 1, status: "completed", reply: "re: two" },
      { status: "completed", reply: "re: two" },
    ]);
    expect(outcomes[0].turn_id).toBe(outcomes[1].turn_id);
    expect(await turnEnds(session)).toEqual([
      [1, "answers", 1],
      [1, "stopped", "superseded"],
      [2, "answers", 1, outcomes[1].offset],
      [2, "completed"],
    ]);
    expect((await session.state()).document).toEqual({ count: 2, seen: ["one", "two"] });
    expect(stages).toEqual(["one", "one+two"]);
    expect(await session.send("one", { idempotencyKey: "k1" })).toMatchObject({ offset: 1, status: "completed", reply: "re: two" });
    expect(await session.outcome(1)).toMatchObject({ reply: "re: two", output: {} });
    await expectFold(store, session);
    hold.open();
  });

  it("ends its work at once, before the lease is looked at", async () => {
    const aborted: unknown[] = [];
    const reached = gate();
    const waits = stage("waits", { state, writes: [] }, ({ context, signal }) => {
      if (context.messages.length > 1) return {};
      reached.open();
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          aborted.push(signal.reason);
          reject(new Error("cut short"));
        }),
      );
    });
    const agent = defineAgent({
      name: "a1",
      version: 1,
      state,
      stages: [waits],
      reply: loop({ model: scripted(() => "both") }),
      onNewMessage: "supersede",
    });
    // On a clock that stands still, nobody looks at the lease.
    const { sessions } = await started({ kind, agents: [agent], clock: fixedClock() });
    const session = await sessions.create({ agent: "a1" });
    const first = session.send("one");
    await reached.opened;
    await session.post("two");
    expect(await first).toMatchObject({ status: "completed", reply: "both" });
    expect(aborted).toMatchObject([{ code: "turn.fenced" }]);
  });

  it("a third message supersedes again, and a retry of the second does not", async () => {
    const hold = gate();
    const { agent, stages } = slowAgent({ inStage: (texts) => (texts.length < 3 ? hold.opened : Promise.resolve()) });
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    const all = [session.send("one")];
    await until(() => stages.length === 1);
    all.push(session.send("two", { idempotencyKey: "k2" }));
    await until(() => stages.length === 2);
    all.push(session.send("two", { idempotencyKey: "k2" }));
    expect(await code(session.send("other", { idempotencyKey: "k2" }))).toBe("session.idempotency_mismatch");
    await delay(20);
    expect(stages).toEqual(["one", "one+two"]);
    all.push(session.send("three"));
    expect((await Promise.all(all)).map(({ reply }) => reply)).toEqual(Array(4).fill("re: three"));
    expect(stages).toEqual(["one", "one+two", "one+two+three"]);
    expect((await session.state()).document).toEqual({ count: 3, seen: ["one", "two", "three"] });
    hold.open();
  });

  it("once it is typing, the message is queued and the reply is delivered whole", async () => {
    const typing = gate();
    const held = slowAgent({ between: () => typing.opened });
    const { sessions } = await started({ kind, agents: [held.agent] });
    const session = await sessions.create({ agent: "a1" });
    const first = session.send("one");
    for await (const event of session.events({ kinds: ["status"] })) if (event.kind === "status" && event.data.status === "typing") break;
    const second = session.send("two");
    while ((await session.pending()).turns.length < 2) await delay(2);
    typing.open();
    expect(await Promise.all([first, second])).toMatchObject([{ reply: "re: one" }, { reply: "re: two" }]);
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:one", "customer:two", "agent:re: one", "agent:re: two"]);
  });

  it("a slow stage shows that it works and can still be superseded; what it wrote is not kept twice", async () => {
    let calls = 0;
    const slow = stage("slow", { state, writes: ["count"] }, async () => {
      await delay(230);
      return { count: 10 };
    });
    const hold = gate();
    const wait = stage("wait", { state, writes: [] }, async () => {
      calls += 1;
      if (calls === 1) await hold.opened;
      return undefined;
    });
    const agent = defineAgent({
      ...{ name: "a1", version: 1, state, stages: [slow, wait], reply: loop({ model: scripted(() => "done") }) },
      onNewMessage: "supersede",
    });
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    const first = session.send("one");
    await until(() => calls === 1);
    const second = session.send("two");
    expect(await Promise.all([first, second])).toMatchObject([{ reply: "done" }, { reply: "done" }]);
    expect((await session.state()).document).toMatchObject({ count: 10 });
    hold.open();
  });

  it("by default the message is queued, whatever was shown", async () => {
    const hold = gate();
    const { agent, stages } = slowAgent({ inStage: () => hold.opened, onNewMessage: "queue" });
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    const first = session.send("one");
    await until(() => stages.length === 1);
    const second = session.post("two");
    await second;
    expect((await session.pending()).turns).toHaveLength(2);
    hold.open();
    expect(await first).toMatchObject({ reply: "re: one" });
  });

  it("a person's session is not superseded, and a greeting is", async () => {
    const hold = gate();
    const held = slowAgent({ before: () => hold.opened });
    const { sessions } = await started({ kind, agents: [held.agent] });
    const session = await sessions.create({ agent: "a1" });
    const greeting = session.resume({ cause: "greeting" });
    await until(() => held.model.requests.length === 1);
    const sent = session.send("hello");
    expect(await greeting).toMatchObject({ status: "stopped", reason: "superseded" });
    hold.open();
    expect(await sent).toMatchObject({ status: "completed", reply: "re: hello" });
    await session.setMode("manual");
    expect(await session.send("anyone?")).toMatchObject({ status: "waiting" });
  });

  it("a turn in another process stops as soon as it is superseded here", async () => {
    const hold = gate();
    const aborted: unknown[] = [];
    const held = slowAgent({ inStage: (texts) => (texts.length === 1 ? hold.opened : Promise.resolve()) });
    const store = await emptyStore(kind);
    const watched = defineAgent({
      ...{ name: "a1", version: 1, state, reply: loop({ model: scripted(() => "done") }), onNewMessage: "supersede" },
      stages: [
        stage("hang", { state, writes: [] }, async ({ context, signal }) => {
          if (context.messages.length > 1) return undefined;
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          aborted.push(signal.reason);
          return undefined;
        }),
      ],
    });
    const worker = await started({ store, agents: [watched], heartbeatMs: 5_000, leaseMs: 10_000, pollMs: 20 });
    const client = await started({ store, agents: [held.agent], work: false });
    const session = await client.sessions.create({ agent: "a1" });
    const first = session.send("one");
    while ((await session.pending()).turns[0]?.status !== "running") await delay(2);
    await delay(150);
    const second = session.send("two");
    expect(await Promise.all([first, second])).toMatchObject([{ reply: "done" }, { reply: "done" }]);
    expect(aborted).toMatchObject([{ code: "turn.fenced" }]);
    await worker.close({ drainMs: 0 });
    hold.open();
  });
});

describe("messages at any time", () => {
  it("are each answered by exactly one turn that was not superseded, in order, and counted once", async () => {
    const wait = fc.integer({ min: 0, max: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(wait, { minLength: 2, maxLength: 7 }), fc.array(wait, { minLength: 8, maxLength: 8 }), async (pauses, works) => {
        const store = await openStore(":memory:");
        let work = 0;
        const take = (): Promise<void> => delay(works[work++ % works.length]);
        const { agent } = slowAgent({ inStage: take, before: take, between: take });
        const runtime = await started({ store, agents: [agent] });
        const session = await runtime.sessions.create({ agent: "a1" });
        const sent: ReturnType<Session["send"]>[] = [];
        for (const [index, pause] of pauses.entries()) {
          sent.push(session.send(`m${index}`));
          await delay(pause);
        }
        const outcomes = await Promise.all(sent);
        const events = await collect(session, { withdrawn: true });
        const answers = new Map<string, readonly number[]>();
        const kept: (readonly number[])[] = [];
        for (const event of events) {
          if (event.kind !== "turn" || event.turn_id === undefined) continue;
          if (event.data.type === "started") answers.set(event.turn_id, event.data.answers);
          if (event.data.type === "ended" && event.data.outcome.status === "completed") kept.push(answers.get(event.turn_id) ?? []);
        }
        const offsets = outcomes.map(({ offset }) => offset);
        expect(kept.flat()).toEqual(offsets.toSorted((left, right) => left - right));
        for (const { offset, turn_id, status } of outcomes)
          expect([status, answers.get(turn_id ?? "")?.includes(offset)]).toEqual(["completed", true]);
        const texts = pauses.map((_, index) => `m${index}`);
        const { document } = await session.state();
        expect(document["count"]).toBe(pauses.length);
        expect([...(document["seen"] as string[])].toSorted()).toEqual(texts.toSorted());
        await expectFold(store, session);
        await runtime.close({ drainMs: 0 });
      }),
      { numRuns: 25 },
    );
  });
});
