/** The runtime against listed cases: customers (A), sessions (B), offsets (D), turns (F), manual mode (G), regeneration (H). */
import { describe, expect, it } from "vitest";
import { createRuntime, defineAgent, loop, scripted, stage, withControl, type Session } from "../../packages/throughline/src/index.ts";
import { code, collect, echo, echoAgent, echoState, emptyStore, gate, outline, started, trace } from "./harness.ts";

const kinds = ["memory", "sqlite"] as const;

describe.each(kinds)("%s: customers", (kind) => {
  it("A1: a customer without an id gets one", async () => {
    const { customers } = await started({ kind });
    const ada = await customers.create({ name: "Ada" });
    expect(ada).toMatchObject({ name: "Ada", metadata: { values: {} }, variables: { version: 0, values: {} } });
    expect(ada.id).toMatch(/^cus_/);
  });
  it("A3: the same id again is refused and changes nothing", async () => {
    const { customers } = await started({ kind });
    await customers.create({ id: "crm-7", name: "Ada" });
    expect(await code(customers.create({ id: "crm-7", name: "Bob" }))).toBe("customer.exists");
    expect((await customers.get("crm-7")).name).toBe("Ada");
  });
  it("A5: an unknown one is not found", async () => {
    const { customers } = await started({ kind });
    expect(await code(customers.get("nobody"))).toBe("customer.not_found");
    expect(await customers.find("nobody")).toBeUndefined();
  });
  it("A6: there is no shared guest", async () => {
    const { customers } = await started({ kind });
    expect(await code(customers.get("guest"))).toBe("customer.not_found");
  });
  it("A8: pages of three of five", async () => {
    const { customers } = await started({ kind });
    for (const id of ["a", "b", "c", "d", "e"]) await customers.create({ id });
    const first = await customers.list({ limit: 3 });
    expect(first.items.map((customer) => customer.id)).toEqual(["a", "b", "c"]);
    expect(first.total).toBe(5);
    const second = await customers.list({ limit: 3, cursor: first.next_cursor ?? "" });
    expect(second.items.map((customer) => customer.id)).toEqual(["d", "e"]);
    expect(second.next_cursor).toBeNull();
  });
  it("A10, A11: metadata is merged by key; a missing key may be unset", async () => {
    const { customers } = await started({ kind });
    await customers.create({ id: "c", metadata: { b: "2" } });
    expect((await customers.setMetadata("c", { set: { a: "1" } })).metadata.values).toEqual({ a: "1", b: "2" });
    expect((await customers.setMetadata("c", { unset: ["nope"] })).metadata.values).toEqual({ a: "1", b: "2" });
  });
  it("parallel changes of one customer are all kept", async () => {
    const { customers } = await started({ kind });
    await customers.create({ id: "c" });
    await Promise.all([1, 2, 3].map((n) => customers.setVariables("c", { set: { [`v${n}`]: n } })));
    expect((await customers.get("c")).variables.values).toEqual({ v1: 1, v2: 2, v3: 3 });
  });
});

describe.each(kinds)("%s: sessions", (kind) => {
  it("B1: a new session is automatic and anonymous, with an owner of its own", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    expect(await session.info()).toMatchObject({
      mode: "auto",
      customer_id: undefined,
      metadata: { values: {} },
      labels: [],
      consumers: {},
      episode: 1,
      head: 0,
    });
    expect(outline(await collect(session))).toEqual(["session:created"]);
  });
  it("B3: an unknown agent is refused", async () => {
    const { sessions } = await started({ kind });
    expect(await code(sessions.create({ agent: "nope" }))).toBe("agent.not_found");
    expect(await code(sessions.create({ agent: "a1", customer: "nobody" }))).toBe("customer.not_found");
  });
  it("B5: a title has at most 200 characters", async () => {
    const { sessions } = await started({ kind });
    expect(await code(sessions.create({ agent: "a1", title: "x".repeat(201) }))).toBe("session.invalid");
    const session = await sessions.create({ agent: "a1", title: "x".repeat(200) });
    expect((await session.info()).title).toHaveLength(200);
  });
  it("B6: a greeting is the agent's message without a customer's", async () => {
    const { sessions } = await started({ kind, agents: [echoAgent({ model: scripted(() => "Hello!") })] });
    const session = await sessions.create({ agent: "a1", greet: true });
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["agent:Hello!"]);
  });
  it("a greeting that the agent does not have, or fails at, is no message and no apology", async () => {
    for (const [said, status] of [
      ["", "completed"],
      [{ error: new Error("down") }, "failed"],
    ] as const) {
      const { sessions } = await started({ kind, agents: [echoAgent({ model: scripted([said, "Hello!"]) })] });
      const session = await sessions.create({ agent: "a1", greet: true });
      const [ended] = (await collect(session, { kinds: ["turn"] })).slice(-1);
      expect(ended?.data).toMatchObject({ type: "ended", outcome: { status } });
      expect((await session.send("hi")).reply).toBe("Hello!");
      expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:hi", "agent:Hello!"]);
    }
  });
  it("B8, B10: consumers' offsets", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await session.setConsumer("client", 1);
    expect((await session.info()).consumers).toEqual({ client: 1 });
    await session.setConsumer("client", 0);
    expect((await session.info()).consumers).toEqual({ client: 0 });
    expect(await code(session.setConsumer("client", -1))).toBe("session.invalid");
  });
  it("B11, B13: metadata is set and unset by key", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1", metadata: { project: "x", p: "high", v: 1, team: "t" } });
    await session.setMetadata({ set: { p: "low", v: 2 }, unset: ["team", "missing"] });
    expect((await session.info()).metadata.values).toEqual({ project: "x", p: "low", v: 2 });
  });
  it("B15, B16: a change of mode is on record; other modes are refused", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await session.setMode("manual");
    expect((await session.info()).mode).toBe("manual");
    expect(outline(await collect(session))).toEqual(["session:created", "session:mode"]);
    expect(await code(session.setMode("paused" as "auto"))).toBe("session.invalid");
  });
  it("B18: by labels, all of which must match", async () => {
    const { sessions } = await started({ kind });
    await sessions.create({ agent: "a1", labels: ["x"] });
    const both = await sessions.create({ agent: "a1", labels: ["x", "y"] });
    expect((await sessions.list({ labels: ["x", "y"] })).items.map((info) => info.id)).toEqual([both.id]);
  });
  it("B20, B21: pages without doubles; a garbage cursor is refused", async () => {
    const { sessions } = await started({ kind });
    for (let i = 0; i < 5; i++) await sessions.create({ agent: "a1" });
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await sessions.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.items.map((info) => info.id));
      sizes.push(page.items.length);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(sizes).toEqual([2, 2, 1]);
    expect(new Set(seen).size).toBe(5);
    expect(await code(sessions.list({ cursor: "garbage" }))).toBe("cursor.invalid");
  });
  it("B23: a deleted session is gone", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await session.send("hi");
    await sessions.delete(session.id);
    expect(await code(sessions.get(session.id))).toBe("session.not_found");
    expect(await code(collect(session))).toBe("session.not_found");
    expect(await code(session.send("still there?"))).toBe("session.not_found");
    expect(await code(sessions.delete(session.id))).toBe("session.not_found");
  });
  it("B25, B26: bulk deletion needs a filter and keeps to it", async () => {
    const { sessions, customers } = await started({ kind });
    await customers.create({ id: "c1" });
    const other = await sessions.create({ agent: "a1" });
    await sessions.create({ agent: "a1", customer: "c1" });
    await sessions.create({ agent: "a1", customer: "c1" });
    expect(await code(sessions.deleteAll({}))).toBe("filter.required");
    expect(await sessions.deleteAll({ customer: "c1" })).toBe(2);
    expect((await sessions.list()).items.map((info) => info.id)).toEqual([other.id]);
    expect(await sessions.deleteAll({ customer: "nobody" })).toBe(0);
  });
  it("B28: found by the channel's conversation id", async () => {
    const { sessions } = await started({ kind });
    await sessions.create({ agent: "a1", metadata: { external_id: "other" } });
    const wanted = await sessions.create({ agent: "a1", metadata: { external_id: "x" } });
    expect((await sessions.list({ externalId: "x" })).items.map((info) => info.id)).toEqual([wanted.id]);
    await wanted.setMetadata({ unset: ["external_id"] });
    expect((await sessions.list({ externalId: "x" })).items).toEqual([]);
  });
  it("opening twice at the same time is once, customer and all", async () => {
    const { sessions, customers } = await started({ kind });
    const opened = await Promise.all([1, 2, 3, 4].map(() => sessions.open({ agent: "a1", customer: "crm-7" })));
    expect(new Set(opened.map((session) => session.id)).size).toBe(1);
    expect((await customers.list()).total).toBe(1);
    const other = await sessions.open({ agent: "a1", customer: "crm-7", key: "ticket-2" });
    expect(other.id).not.toBe(opened[0]?.id);
  });
});

describe.each(kinds)("%s: the log", (kind) => {
  it("D1, D3, D5: offsets are gapless numbers, in order", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    for (let i = 1; i <= 13; i++) await session.postCustom({ i });
    const all = await collect(session);
    expect(all.map((event) => event.offset)).toEqual(Array.from({ length: 14 }, (_, index) => index));
    expect(await collect(session, { minOffset: 0 })).toEqual(all);
    expect((await collect(session, { minOffset: 12 })).map((event) => event.offset)).toEqual([12, 13]);
  });
  it("D10: a trace is the turn's events with its message", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await session.send("one", { traceId: trace("1") });
    await session.send("two", { traceId: trace("2") });
    const events = await collect(session, { traceId: trace("2") });
    expect(outline(events)).toEqual([
      "customer:two",
      "turn:started",
      "status:acknowledged",
      "status:processing",
      "status:typing",
      "turn:step",
      "agent:re:two",
      "status:ready",
      "turn:ended",
    ]);
  });
  it("D13: the order is that of offsets, whatever the clock does", async () => {
    let now = 1_000_000;
    const clock = { now: () => (now -= 1_000), monotonic: () => performance.now(), sleep: async () => {} };
    const runtime = await createRuntime({ store: await emptyStore(kind), agents: [echoAgent()], clock, work: false });
    const session = await runtime.sessions.create({ agent: "a1" });
    for (let i = 0; i < 3; i++) await session.postCustom({ i });
    const events = await collect(session);
    expect(events.map((event) => event.offset)).toEqual([0, 1, 2, 3]);
    expect(events[3]?.created_at).toBeLessThan(events[1]?.created_at ?? 0);
  });
  it("D8: an unknown kind is refused", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    expect(await code(collect(session, { kinds: ["bogus" as "message"] }))).toBe("input.invalid");
  });
  it("D15: the log of a session that is not there is not found", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await sessions.delete(session.id);
    expect(await code(collect(session))).toBe("session.not_found");
    expect(await code(session.state())).toBe("session.not_found");
  });
  it("D16: an event reads the same twice", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await session.send("hi", { metadata: { channel: "sms" } });
    expect(JSON.stringify(await collect(session))).toBe(JSON.stringify(await collect(session)));
  });
});

describe.each(kinds)("%s: turns", (kind) => {
  it("F1: acknowledged, processing, typing, reply, ready; one trace", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    const result = await session.send("hi");
    expect(result).toMatchObject({ status: "completed", reply: "re:hi", offset: 1 });
    expect(result.diagnostics).toHaveProperty("turn_total_ms");
    const events = (await collect(session)).slice(1);
    expect(outline(events).filter((line) => !line.startsWith("turn"))).toEqual([
      "customer:hi",
      "status:acknowledged",
      "status:processing",
      "status:typing",
      "agent:re:hi",
      "status:ready",
    ]);
    expect(new Set(events.map((event) => event.trace_id)).size).toBe(1);
  });
  it("F3: a message that comes while a reply is written gets a turn of its own", async () => {
    const writing = gate();
    const model = scripted((request) => ({
      text: ["re:", request.messages.at(-1)?.text ?? ""],
      wait: async () => {
        await writing.opened;
      },
    }));
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const first = session.send("one");
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const second = session.send("two");
    await session.info();
    await new Promise((resolve) => setTimeout(resolve, 20));
    writing.open();
    expect([(await first).reply, (await second).reply]).toEqual(["re:one", "re:two"]);
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:one", "customer:two", "agent:re:one", "agent:re:two"]);
  });
  it("messages that wait together are answered together, once", async () => {
    const store = await emptyStore(kind);
    const idle = await createRuntime({ store, agents: [echoAgent()], work: false });
    const session = await idle.sessions.create({ agent: "a1" });
    for (const text of ["one", "two", "three"]) await session.post(text);
    const working = await started({ store });
    const opened = await working.sessions.get(session.id);
    const results = await Promise.all([1, 2, 3].map((offset) => opened.outcome(offset)));
    expect(results.map((result) => result.reply)).toEqual(["re:three", "re:three", "re:three"]);
    expect(new Set(results.map((result) => result.turn_id)).size).toBe(1);
    const turns = (await collect(opened, { kinds: ["turn"] })).filter((event) => event.kind === "turn" && event.data.type === "started");
    expect(turns.map((event) => event.data)).toMatchObject([{ answers: [1, 2, 3] }]);
  });
  it("F8: a slow turn does not delay another session", async () => {
    const slow = gate();
    const model = scripted((request) => (request.messages.at(-1)?.text === "slow" ? { text: "late", wait: () => slow.opened } : "quick"));
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const [s1, s2] = [await sessions.create({ agent: "a1" }), await sessions.create({ agent: "a1" })];
    const waiting = s1.send("slow");
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await s1.post("more");
    expect((await s2.send("hello")).reply).toBe("quick");
    slow.open();
    expect((await waiting).reply).toBe("late");
  });
  it("F10: a worker that lost its lease cannot write", async () => {
    const stuck = gate();
    const model = scripted((_request, call) => (call === 0 ? { text: "zombie", wait: () => stuck.opened } : "alive"));
    const { sessions, store } = await started({ kind, agents: [echoAgent({ model })], heartbeatMs: 20, leaseMs: 60 });
    const session = await sessions.create({ agent: "a1" });
    const { offset } = await session.post("hi");
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // Another process interrupts the turn; the first worker is still inside its model call.
    const other = await createRuntime({ store, agents: [echoAgent()], work: false });
    await (await other.sessions.get(session.id)).stop();
    const before = await collect(session);
    stuck.open();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await collect(session)).toEqual(before);
    expect((await session.outcome(offset)).status).toBe("stopped");
  });
  it("F11: a custom event during a turn cancels nothing", async () => {
    const writing = gate();
    const model = scripted(() => ({ text: "done", wait: () => writing.opened }));
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hi");
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await session.postCustom({ page: "pricing" });
    writing.open();
    expect((await sent).reply).toBe("done");
  });
  it("F15: above the cap a message is refused, and all that were accepted are answered", async () => {
    const store = await emptyStore(kind);
    const idle = await createRuntime({ store, agents: [echoAgent()], work: false });
    const session = await idle.sessions.create({ agent: "a1" });
    for (let i = 1; i <= 50; i++) await session.post(`m${i}`);
    expect(await code(session.post("one too many"))).toBe("session.too_many_waiting");
    const working = await started({ store });
    const result = await (await working.sessions.get(session.id)).outcome(1);
    expect(result.reply).toBe("re:m50");
    expect((await session.pending()).waiting).toEqual([]);
  });
  it("a repeated idempotency key is one message and one outcome; another body is refused", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    const first = await session.send("hi", { idempotencyKey: "m-1" });
    const again = await session.send("hi", { idempotencyKey: "m-1" });
    expect(again).toEqual(first);
    expect(await code(session.send("other", { idempotencyKey: "m-1" }))).toBe("session.idempotency_mismatch");
    const elsewhere = await sessions.create({ agent: "a1" });
    expect((await elsewhere.send("other", { idempotencyKey: "m-1" })).reply).toBe("re:other");
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:hi", "agent:re:hi"]);
  });
  it("a model that fails is answered with the agent's apology, and said to have failed", async () => {
    const model = scripted([{ error: new Error("secret internals") }, "fine"]);
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const failed = await session.send("hi");
    expect(failed).toMatchObject({ status: "failed", error: { code: "model.failed" } });
    expect(failed.reply).toMatch(/^Sorry/);
    expect(JSON.stringify(await collect(session))).not.toContain("secret internals");
    expect((await session.send("again")).reply).toBe("fine");
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "user"]);
  });
});

describe.each(kinds)("%s: manual mode", (kind) => {
  it("G1: what a customer posts is kept, and nothing follows", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await session.setMode("manual");
    expect(await session.send("anyone there?")).toMatchObject({ status: "waiting", reply: undefined });
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(outline(await collect(session))).toEqual(["session:created", "session:mode", "customer:anyone there?"]);
  });
  it("G5, G6: back to auto is silent; resuming sees what people wrote, marked", async () => {
    const model = echo();
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    await session.send("hello");
    await session.setMode("manual");
    await session.post("I want a person");
    await session.postOperator("Ann here", { name: "Ann" });
    await session.postOperator("All done", { onBehalfOfAgent: true });
    expect(await code(session.resume())).toBe("session.manual");
    await session.setMode("auto");
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(model.requests).toHaveLength(1);
    const resumed = await session.resume();
    expect(resumed).toMatchObject({ status: "completed", reply: "re:I want a person" });
    expect(model.requests[1]?.messages.map(({ role, ...message }) => [role, "text" in message ? message.text : ""])).toEqual([
      ["user", "hello"],
      ["assistant", "re:hello"],
      ["user", "I want a person"],
      ["assistant", "[Ann, a person, wrote:] Ann here"],
      ["assistant", "All done"],
    ]);
    expect((await session.pending()).waiting).toEqual([]);
  });
  it("G3: what one stage asked for stays asked for when a later one says nothing", async () => {
    const asks = stage("asks", { state: echoState, writes: [] }, () => withControl({ mode: "manual" }));
    const silent = stage("silent", { state: echoState, writes: ["count"] }, () => ({ count: 1 }));
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, stages: [asks, silent], reply: loop({ model: echo() }) });
    const { sessions } = await started({ kind, agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    expect((await session.send("a person, please")).reply).toBe("re:a person, please");
    expect((await session.info()).mode).toBe("manual");
    await session.post("hello?");
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(outline(await collect(session)).slice(-1)).toEqual(["customer:hello?"]);
  });
  it("an outcome stays what it was, whatever the mode is later", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    const answered = await session.send("hi", { idempotencyKey: "m-1" });
    await session.setMode("manual");
    expect(await session.outcome(1)).toEqual(answered);
    const { offset } = await session.send("a person, please", { idempotencyKey: "m-2" });
    await session.setMode("auto");
    await session.resume();
    await session.setMode("manual");
    expect((await session.outcome(offset)).reply).toBe("re:a person, please");
    expect((await session.send("a person, please", { idempotencyKey: "m-2" })).reply).toBe("re:a person, please");
    expect(await code(session.outcome(0))).toBe("log.offset_invalid");
    expect(await code(session.outcome(999))).toBe("log.offset_invalid");
  });
  it("a switch to manual cancels the running turn before its reply", async () => {
    const writing = gate();
    const model = scripted(() => ({ text: ["half ", "whole"], wait: () => writing.opened }));
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hi");
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await session.setMode("manual");
    writing.open();
    expect(await sent).toMatchObject({ status: "stopped", reason: "manual", reply: undefined });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:hi"]);
  });
});

describe.each(kinds)("%s: taking back", (kind) => {
  const counting = (): ReturnType<typeof defineAgent> => {
    const count = stage("count", { state: echoState, writes: ["count", "seen"] }, ({ state }) => ({
      count: (state.count ?? 0) + 1,
      seen: [state.message],
    }));
    return defineAgent({ name: "a1", version: 1, state: echoState, stages: [count], reply: loop({ model: echo() }) });
  };
  const conversation = async (): Promise<Session> => {
    const { sessions } = await started({ kind, agents: [counting()] });
    const session = await sessions.create({ agent: "a1" });
    for (const text of ["one", "two", "three"]) await session.send(text);
    return session;
  };
  const offsetOf = async (session: Session, text: string): Promise<number> =>
    (await collect(session, { kinds: ["message"] })).find((event) => outline([event])[0] === `customer:${text}`)?.offset ?? -1;

  it("H1, H8: what follows is hidden, what was before is kept, and the log says so; the state is what it was", async () => {
    const session = await conversation();
    const from = await offsetOf(session, "two");
    const before = await session.state({ at: from - 1 });
    await session.withdraw({ from });
    expect((await session.state()).document).toEqual(before.document);
    expect((await session.state()).document).toEqual({ count: 1, seen: ["one"] });
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:one", "agent:re:one"]);
    expect((await collect(session, { minOffset: from, kinds: ["session"] })).map((event) => event.data)).toEqual([
      { type: "withdrawn", from, effects: [] },
    ]);
    expect(outline(await collect(session, { kinds: ["message"], withdrawn: true }))).toHaveLength(6);
    expect((await session.send("again")).reply).toBe("re:again");
    expect((await session.state()).document).toEqual({ count: 2, seen: ["one", "again"] });
  });
  it("H1: the past stays what it was", async () => {
    const session = await conversation();
    const { head } = await session.info();
    const past = await Promise.all(Array.from({ length: head + 1 }, (_, at) => session.state({ at })));
    await session.withdraw({ from: await offsetOf(session, "two") });
    expect(await Promise.all(past.map((state) => session.state({ at: state.offset })))).toEqual(past);
  });
  it("H: the middle of a turn is refused, with the offset to use", async () => {
    const session = await conversation();
    const from = await offsetOf(session, "two");
    const error = await session.withdraw({ from: from + 2 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "session.withdraw_splits_turn", details: { first: from } });
  });
  it("H3: past the end nothing changes", async () => {
    const session = await conversation();
    const { head } = await session.info();
    await session.withdraw({ from: head + 1 });
    expect((await session.info()).head).toBe(head);
  });
  it("H5: from what a person posted, with the turns after it and their state", async () => {
    const session = await conversation();
    const before = await session.state();
    const { offset } = await session.postOperator("Ann here", { name: "Ann" });
    await session.send("four");
    await session.withdraw({ from: offset });
    expect((await session.state()).document).toEqual(before.document);
    expect(outline(await collect(session, { kinds: ["message"], minOffset: offset }))).toEqual([]);
  });
  it("H6: a running turn is cancelled first, and its late writes are refused", async () => {
    const writing = gate();
    const model = scripted((_request, call) => (call === 0 ? { text: "late", wait: () => writing.opened } : "fresh"));
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hi");
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await session.withdraw({ from: 1 });
    expect((await sent).status).toMatch(/withdrawn|stopped/);
    writing.open();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual([]);
    expect((await session.send("again")).reply).toBe("fresh");
  });
});
