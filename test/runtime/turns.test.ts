/** Turns of a session: listed, stopped by name, asked for, and done again; and what conversations have cost. */
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  append,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  subagent,
  type Agent,
  type Event,
  type Runtime,
  type Script,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import type { TurnData } from "../../packages/throughline/src/session.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { code, collect, echo, echoAgent, gate, started } from "./harness.ts";

const databases = {
  memory: () => openStore(":memory:"),
  sqlite: () => openStore(newSqliteFile()),
  ...(noPostgres === undefined ? { postgres: async () => openStore(await emptyPostgresDatabase()) } : {}),
};

const notes = defineState({ message: input(z.string()), said: reduced(z.array(z.string()), { reduce: append() }) });
const note = stage("note", { state: notes, writes: ["said"] }, ({ context }) => ({ said: context.messages.map(({ text }) => text) }));

/** An agent whose model fails as often as it is told to. */
function failing(): { readonly agent: Agent; fail: number; readonly asked: string[] } {
  const made = { fail: 1, asked: [] as string[] };
  const model = scripted((request) => {
    made.asked.push(request.messages.map(({ text }) => text).join(" | "));
    made.fail -= 1;
    return made.fail >= 0 ? { error: new Error("down") } : `re:${request.messages.findLast(({ role }) => role === "user")?.text ?? ""}`;
  });
  return Object.assign(made, { agent: defineAgent({ name: "a1", version: 1, state: notes, stages: [note], reply: loop({ model }) }) });
}

const answersOf = async (session: Session): Promise<readonly unknown[]> =>
  (await collect(session, { kinds: ["turn"] })).flatMap(({ data }) => {
    const turn = data as TurnData;
    return turn.type === "started" ? [{ answers: turn.answers, ...(turn.retries === undefined ? {} : { retries: turn.retries }) }] : [];
  });

/** The law: every message is in the answers of exactly one finished turn that was neither superseded nor done again, or waits. */
async function expectLaw(session: Session): Promise<void> {
  const events = await collect(session);
  const claims = new Map<number, string>();
  const superseded = new Set(
    events.flatMap(({ data, turn_id }) =>
      "outcome" in data && data.outcome.status === "stopped" && data.outcome.reason === "superseded" ? [turn_id] : [],
    ),
  );
  for (const { data, turn_id } of events) {
    if (!("answers" in data) || superseded.has(turn_id)) continue;
    for (const offset of data.answers) {
      expect(claims.has(offset)).toBe(data.retries?.includes(offset) ?? false);
      claims.set(offset, turn_id ?? "");
    }
  }
  const { waiting } = await session.pending();
  const messages = events.filter((event: Event) => event.kind === "message" && event.source === "customer").map(({ offset }) => offset);
  expect([...claims.keys(), ...waiting].toSorted((a, b) => a - b)).toEqual(messages);
}

describe.each(Object.entries(databases))("on %s", (_kind, openIt) => {
  const open = async (agents: readonly Agent[]): Promise<Runtime & { readonly store: Store }> => {
    const store = await openIt();
    onTestFinished(() => store.close());
    return started({ store, agents });
  };

  it("a turn that failed is done again for the same messages, and its state stays as it was left", async () => {
    const { agent, asked } = failing();
    const { sessions } = await open([agent]);
    const session = await sessions.create({ agent: "a1" });
    const failed = await session.send("hello");
    expect(failed.status).toBe("failed");
    const { turn_id } = await session.retry(failed.turn_id);
    expect(await session.outcome(turn_id)).toMatchObject({ status: "completed", reply: "re:hello" });
    expect(await answersOf(session)).toEqual([{ answers: [1] }, { answers: [1], retries: [1] }]);
    expect((await session.state()).document).toEqual({ said: ["hello", "hello"] });
    // The apology stays in the log and out of the prompt.
    expect(asked).toEqual(["hello", "hello"]);
    // Whoever asks for the message's outcome hears of the second try.
    expect(await session.outcome(1)).toMatchObject({ turn_id, status: "completed", reply: "re:hello" });
    await expectLaw(session);
    expect(await code(session.retry(turn_id))).toBe("turn.not_retryable");
  });

  it("turns are listed with what they answer, how they ended and what they cost", async () => {
    const script: Script = (_request, call) => ({ text: `reply ${call}`, usage: { input: 10 + call, output: 2 } });
    const model = scripted(script);
    const prices = { scripted: { input: 1_000_000, output: 2_000_000 } };
    const { sessions } = await open([defineAgent({ name: "a1", version: 1, state: notes, reply: loop({ model, prices }) })]);
    const session = await sessions.create({ agent: "a1" });
    await session.send("one");
    const { offset } = await session.send("two");
    await session.resume();
    const { items, total } = await session.turns();
    expect(total).toBe(3);
    expect(items).toMatchObject([
      { number: 3, cause: "resume", status: "ended", answers: [], outcome: { status: "completed" }, usage: { input: 12, output: 2 }, cost: 16 },
      { number: 2, cause: "message", answers: [offset], usage: { input: 11, output: 2 }, cost: 15 },
      { number: 1, cause: "message", answers: [1], usage: { input: 10, output: 2 }, cost: 14 },
    ]);
    expect(await session.turn(items[1]?.turn_id ?? "")).toEqual(items[1]);
    const pages = [];
    for (let cursor: string | undefined; ;) {
      const page = await session.turns({ limit: 1, order: "asc", ...(cursor === undefined ? {} : { cursor }) });
      pages.push(...page.items);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(pages.toReversed()).toEqual(items);
    const fork = await session.fork({ at: offset + 1 });
    expect((await fork.turns({ status: "ended" })).items.map(({ number, outcome }) => [number, outcome?.status])).toEqual([
      [2, "stopped"],
      [1, "completed"],
    ]);
    const used = { turns: 3, steps: 3, attempts: 0, tokens: { input: 33, output: 6 }, cost: 45 };
    expect(await session.usage()).toMatchObject({ ...used, models: { scripted: { steps: 3, tokens: { input: 33, output: 6 }, cost: 45 } } });
    // What a fork shares was paid for by the session that it comes from; its own end of the open turn cost nothing.
    expect(await fork.usage()).toMatchObject({ turns: 1, steps: 0, cost: 0, models: {} });
    await session.withdraw({ from: 1 });
    expect(await session.usage()).toMatchObject(used);
  });
});

describe("doing a turn again", () => {
  it("may be done as often as it fails", async () => {
    const made = failing();
    made.fail = 2;
    const { sessions } = await started({ agents: [made.agent] });
    const session = await sessions.create({ agent: "a1" });
    await session.send("one");
    await session.outcome((await session.retry()).turn_id);
    const again = await session.retry();
    expect((await session.outcome(again.turn_id)).status).toBe("completed");
    expect(await answersOf(session)).toEqual([{ answers: [1] }, { answers: [1], retries: [1] }, { answers: [1], retries: [1] }]);
    expect(await session.outcome(1)).toMatchObject({ turn_id: again.turn_id, status: "completed" });
    await expectLaw(session);
  });

  it("answers a message that comes before it begins together with the first", async () => {
    const { agent } = failing();
    const first = await started({ agents: [agent] });
    const { sessions, store } = first;
    const { id } = await sessions.create({ agent: "a1" });
    await (await sessions.get(id)).send("one");
    await first.close();
    const idle = await createRuntime({ store, agents: [agent], work: false });
    const session = await idle.sessions.get(id);
    const { turn_id } = await session.retry();
    const second = await session.post("two");
    expect(second.turn_id).toBe(turn_id);
    await idle.close();
    const working = await started({ store, agents: [agent] });
    expect((await (await working.sessions.get(id)).outcome(second.offset)).reply).toBe("re:two");
    expect(await answersOf(session)).toEqual([{ answers: [1] }, { answers: [1, second.offset], retries: [1] }]);
    await expectLaw(session);
  });

  it("of one that was stopped answers what that had taken up", async () => {
    const asked = gate();
    let calls = 0;
    const model = scripted(() => (calls++ === 0 ? { text: "x", wait: async (signal) => (asked.open(), hang(signal)) } : "done"));
    const { sessions } = await started({ agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hello");
    await asked.opened;
    const { turns } = await session.pending();
    expect(await code(session.retry())).toBe("turn.not_retryable");
    expect(await session.stop("enough", { turn: turns[0]?.turn_id ?? "" })).toBe(true);
    expect((await sent).status).toBe("stopped");
    expect((await session.outcome((await session.retry(turns[0]?.turn_id)).turn_id)).reply).toBe("done");
    await expectLaw(session);
  });

  it("is refused for another turn, one that ended well, one that was taken back, and while people have the session", async () => {
    const made = failing();
    const { sessions } = await started({ agents: [made.agent, echoAgent({ name: "other" })] });
    const session = await sessions.create({ agent: "a1" });
    expect(await code(session.retry())).toBe("turn.not_retryable");
    const first = await session.send("one");
    expect(await code(session.retry("trn_nope"))).toBe("turn.not_found");
    expect(await code(session.retry(first.turn_id?.replace(/1$/, "7")))).toBe("turn.not_found");
    const elsewhere = await sessions.create({ agent: "other" });
    expect(await code(session.retry((await elsewhere.send("x")).turn_id))).toBe("turn.not_found");
    await session.setMode("manual");
    expect(await code(session.retry())).toBe("session.manual");
    await session.setMode("auto");
    made.fail = 1;
    const second = await session.send("two");
    expect(await code(session.retry(first.turn_id))).toBe("turn.not_retryable");
    await session.withdraw({ from: second.offset });
    expect(await code(session.retry(second.turn_id))).toBe("turn.not_retryable");
    await session.send("three");
    expect(await code(session.retry())).toBe("turn.not_retryable");
  });

  it("is refused for a turn that went again before it began", async () => {
    const { sessions } = await started({ agents: [echoAgent({})], work: false });
    const session = await sessions.create({ agent: "a1" });
    const { turn_id } = await session.post("one");
    await session.setMode("manual");
    await session.setMode("auto");
    expect(await code(session.retry(turn_id))).toBe("turn.not_retryable");
  });

  it("stays what it is in forks, and when only it is taken back", async () => {
    const made = failing();
    const { sessions } = await started({ agents: [made.agent] });
    const session = await sessions.create({ agent: "a1" });
    const failed = await session.send("one");
    const { head } = await session.info();
    const before = await session.fork();
    const { turn_id, offset } = await session.retry();
    await session.outcome(turn_id);
    // A fork between the two has one turn that answered the message; one in the middle of the second ends that.
    for (const at of [head, offset, offset + 1, offset + 3]) await expectLaw(await session.fork({ at }));
    expect((await before.outcome(1)).status).toBe("failed");
    expect((await before.outcome((await before.retry()).turn_id)).reply).toBe("re:one");
    await session.withdraw({ from: offset + 1 });
    expect(await session.outcome(1)).toMatchObject({ status: "failed", turn_id: failed.turn_id });
    await expectLaw(session);
  });

  it("is not superseded by a message, whose turn comes after it", async () => {
    const [asked, held] = [gate(), gate()];
    let calls = 0;
    const model = scripted((request) => {
      if (calls++ === 0) return { error: new Error("down") };
      return { text: `re:${request.messages.findLast(({ role }) => role === "user")?.text ?? ""}`, wait: async () => (asked.open(), held.opened) };
    });
    const agent = defineAgent({ name: "a1", version: 1, state: notes, reply: loop({ model }), onNewMessage: "supersede" });
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    await session.send("one");
    const { turn_id } = await session.retry();
    await asked.opened;
    const second = session.send("two");
    await new Promise((resolve) => setTimeout(resolve, 20));
    held.open();
    expect((await session.outcome(turn_id)).reply).toBe("re:one");
    expect((await second).reply).toBe("re:two");
    await expectLaw(session);
  });
});

const hang = (signal: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));

describe("stopping", () => {
  it("a named turn leaves every other one alone", async () => {
    const asked = gate();
    const held = gate();
    const model = scripted((request) => ({
      text: `re:${request.messages.at(-1)?.text ?? ""}`,
      wait: async () => (asked.open(), held.opened),
    }));
    const { sessions } = await started({ agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const first = session.send("one");
    await asked.opened;
    const second = await session.post("two");
    const [running, queued] = (await session.pending()).turns;
    expect(await code(session.stop(undefined, { turn: "trn_nope" }))).toBe("turn.not_found");
    expect(await session.stop("not needed", { turn: queued?.turn_id ?? "" })).toBe(true);
    expect(await session.stop("not needed", { turn: queued?.turn_id ?? "" })).toBe(false);
    held.open();
    expect(await first).toMatchObject({ status: "completed", reply: "re:one", turn_id: running?.turn_id });
    expect(await session.outcome(second.offset)).toMatchObject({ status: "stopped", reason: "user_requested", turn_id: queued?.turn_id });
    expect(await session.stop(undefined, { turn: running?.turn_id ?? "" })).toBe(false);
    await expectLaw(session);
  });
});

describe("asking for a turn", () => {
  it("C8: tells at once, with an event of the turn whose trace leads to the reply", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    await session.setMode("manual");
    await session.post("hello");
    expect(await code(session.startTurn())).toBe("session.manual");
    await session.setMode("auto");
    const { offset, turn_id } = await session.startTurn();
    const event = await session.event(offset);
    expect(event).toMatchObject({ kind: "status", data: { status: "acknowledged" }, turn_id });
    expect((await session.outcome(turn_id)).reply).toBe("re:hello");
    const events = await collect(session, { traceId: event.trace_id });
    expect(events.flatMap((one) => (one.kind === "status" ? [one.data.status] : []))).toEqual(["acknowledged", "processing", "typing", "ready"]);
    expect(events.some((one) => one.kind === "message" && one.source === "ai_agent")).toBe(true);
    expect(await code(session.startTurn({ cause: "retry" as "resume" }))).toBe("input.invalid");
    expect(await code(session.outcome("trn_nope"))).toBe("turn.not_found");
  });
});

describe("one event", () => {
  it("C25: is found by offset or id in its own session, and nowhere else", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    const other = await sessions.create({ agent: "a1" });
    await session.send("hello");
    const event = await session.event(1);
    expect(event).toMatchObject({ kind: "message", offset: 1, session_id: session.id });
    expect(await session.event(event.id)).toEqual(event);
    const fork = await session.fork();
    expect(await fork.event(1)).toMatchObject({ session_id: fork.id, origin: session.id });
    const wrong = [event.id.replace(/1$/, "01"), event.id.replace(/1$/, "99"), `x${event.id}`, "", "1", -1, 99, 1.5, Number.NaN];
    for (const at of wrong) expect(await code(session.event(at))).toBe("event.not_found");
    for (const at of [event.id, 1]) expect(await code(other.event(at))).toBe("event.not_found");
    expect(await code(fork.event(event.id))).toBe("event.not_found");
    await session.withdraw({ from: 1 });
    expect(await code(session.event(1))).toBe("event.not_found");
    expect(await session.event(1, { withdrawn: true })).toEqual(event);
  });
});

describe("usage", () => {
  const prices = { scripted: { input: 1_000_000, output: 0 } };
  const usage = { input: 5, output: 1 };
  const helper = (): Agent => {
    const model = Object.assign(
      scripted(() => ({ text: "42", usage })),
      { name: "small" },
    );
    return defineAgent({ name: "helper", version: 1, state: notes, reply: loop({ model, prices: { small: { input: 2_000_000, output: 0 } } }) });
  };
  const boss = (): Agent => {
    const tool = subagent({ agent: helper(), name: "ask", description: "Asks." });
    const model = scripted((request) =>
      request.messages.some(({ role }) => role === "tool")
        ? { text: "done", usage }
        : { calls: [1, 2].map((n) => ({ call_id: String(n), name: "ask", arguments: { prompt: `q${n}` } })), usage },
    );
    return defineAgent({ name: "a1", version: 1, state: notes, reply: loop({ model, tools: [tool], prices }) });
  };

  it("counts child agents once, by model, for a session and for its customer", async () => {
    const { sessions, customers } = await started({ agents: [boss()] });
    await customers.create({ id: "ada" });
    expect(await customers.usage("ada")).toEqual({ turns: 0, steps: 0, attempts: 0, tokens: {}, active_ms: 0, cost: 0, models: {} });
    const session = await sessions.create({ agent: "a1", customer: "ada" });
    await session.send("hello");
    const used = await session.usage();
    expect(used).toMatchObject({ turns: 1, steps: 4, attempts: 0, tokens: { input: 20, output: 4 }, cost: 30 });
    expect(used.models).toEqual({
      scripted: { steps: 2, tokens: { input: 10, output: 2 }, cost: 10 },
      small: { steps: 2, tokens: { input: 10, output: 2 }, cost: 20 },
    });
    const [turn] = (await session.turns()).items;
    expect(turn).toMatchObject({ usage: used.tokens, cost: used.cost });
    expect(await customers.usage("ada")).toEqual(used);
    const second = await sessions.create({ agent: "helper", customer: "ada" });
    await second.send("hi");
    expect(await customers.usage("ada")).toMatchObject({ turns: 2, steps: 5, cost: 40, tokens: { input: 25, output: 5 } });
    expect(await code(customers.usage("nobody"))).toBe("customer.not_found");
    // Of child sessions that are gone, the sum is left that their calls brought.
    for (const { id } of (await sessions.list({ labels: ["subagent"] })).items) await sessions.delete(id);
    expect(await session.usage()).toMatchObject({ steps: 4, cost: 30, models: { unknown: { steps: 2, cost: 20 } } });
  });

  it("counts what failed, and is there for a session without a turn", async () => {
    const { agent } = failing();
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    expect((await session.usage()).steps).toBe(0);
    await session.send("hello");
    expect(await session.usage()).toMatchObject({ turns: 1, steps: 0 });
    expect(echo().name).toBe("scripted");
  });
});
