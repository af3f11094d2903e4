/** Faults that showed where features meet: forks, withdrawals, retention, identifying, history. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type JsonObject,
  counter,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
} from "../../packages/throughline/src/index.ts";
import type { StateData } from "../../packages/throughline/src/session.ts";
import { code, collect, echo, echoAgent, gate, started } from "./harness.ts";

describe("a key", () => {
  test("gives the fork that was made with it while the customer was not known yet, and after its offset was cut away", async () => {
    const runtime = await started();
    const { sessions } = runtime;
    const session = await sessions.open({ agent: "a1", key: "cookie" });
    for (const text of ["one", "two", "three"]) await session.send(text);
    const fork = await session.fork({ at: 3, key: "draft" });
    await session.identify({ customer: "crm-7" });
    expect((await session.fork({ at: 3, key: "draft" })).id).toBe(fork.id);
    await runtime.retain({ keepEvents: 5 });
    expect((await session.fork({ at: 3, key: "draft" })).id).toBe(fork.id);
    expect((await sessions.tree(session.id)).forks).toHaveLength(1);
  });

  test("is no key to another customer's fork", async () => {
    const { sessions } = await started();
    const anonymous = await sessions.create({ agent: "a1" });
    const fork = await anonymous.fork({ key: "draft" });
    await anonymous.identify({ customer: "crm-7" });
    const other = await sessions.open({ agent: "a1", customer: "crm-8" });
    expect((await other.fork({ key: "draft" })).id).not.toBe(fork.id);
  });
});

describe("withdrawing", () => {
  test("takes back the first turn that retention has kept", async () => {
    const runtime = await started();
    const { sessions } = runtime;
    const session = await sessions.create({ agent: "a1" });
    await session.edit({ count: 3 });
    await session.send("one");
    await session.send("two");
    await session.edit({ count: 4 });
    await runtime.retain({ keepEvents: 3 });
    const [first] = await collect(session);
    expect([first?.kind, first?.offset === 0]).toEqual(["message", false]);
    await session.withdraw({ from: first!.offset });
    expect([(await session.state()).document, await session.messages()]).toEqual([{ count: 3 }, []]);
    expect(await code(session.withdraw({ from: first!.offset - 1 }))).toBe("log.retained_from");
  });

  test("hides what it takes back from its own event on, and from nothing before: a fork between its events has messages and state alike", async () => {
    const held = gate();
    const model = scripted((_request, call) => (call === 0 ? "re" : { text: "late", wait: () => held.opened }));
    const { sessions } = await started({ agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    await session.send("one");
    const { offset } = await session.post("two");
    await session.withdraw({ from: 1 });
    held.open();
    const events = await collect(session, { withdrawn: true });
    const withdrawn = events.find((event) => event.kind === "session" && event.data.type === "withdrawn")!;
    const said = async (at: number): Promise<readonly string[]> => (await (await session.fork({ at })).messages()).map(({ text }) => text);
    expect(await said(withdrawn.offset - 1)).toEqual(["one", "re", "two"]);
    expect(await said(withdrawn.offset)).toEqual([]);
    expect(await session.outcome(offset)).toMatchObject({ status: "withdrawn", reply: undefined });
  });

  test("does not cut in two a turn that was stopped before it began", async () => {
    const { sessions } = await started({ work: false });
    const session = await sessions.create({ agent: "a1" });
    await session.post("one");
    const { offset } = await session.post("two");
    await session.stop();
    await expect(session.withdraw({ from: offset })).rejects.toMatchObject({ code: "session.withdraw_splits_turn", details: { first: 1 } });
    expect((await session.history()).map((point) => point.cause)).toEqual(["message"]);
    expect(await (await session.fork()).history()).toHaveLength(1);
  });
});

describe("the history", () => {
  test("of a session that is not there is refused, and what it is asked for is named as the caller named it", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    expect(await session.history()).toEqual([]);
    await expect(session.history({ before: -1 })).rejects.toMatchObject({ code: "input.invalid", details: { path: "before" } });
    for (const offset of [-1, 0.5, Number.NaN]) expect(await code(session.outcome(offset))).toBe("log.offset_invalid");
    await sessions.delete(session.id);
    expect(await code(session.history())).toBe("session.not_found");
  });

  test("passes over a turn that was queued and went again before it began", async () => {
    const store = await openStore(":memory:");
    const { sessions } = await started({ store, work: false });
    const session = await sessions.create({ agent: "a1" });
    session.resume().catch(() => {});
    await expect.poll(async () => (await session.pending()).turns.length).toBe(1);
    await session.setMode("manual");
    expect(await session.history()).toEqual([]);
  });
});

describe("an edit", () => {
  const state = defineState({ message: input(z.string()), total: reduced(z.number(), { reduce: counter() }) });
  const migrate = ({ count }: JsonObject): JsonObject => ({ total: count ?? 0 });
  const newer = defineAgent({ name: "a1", version: 2, state, reply: loop({ model: echo() }), migrations: [{ from: 1, to: 2, migrate }] });

  test("of what an older version wrote migrates it first", async () => {
    const store = await openStore(":memory:");
    const session = await (await started({ store, work: false })).sessions.create({ agent: "a1" });
    await session.edit({ count: 3 });
    const runtime = await started({ store, agents: [newer] });
    const same = await runtime.sessions.get(session.id);
    expect(await same.edit({ total: 4 })).toEqual({ offset: 3 });
    expect(await same.state()).toEqual({ offset: 3, state_offset: 3, definition: 2, document: { total: 7 } });
    expect((await collect(same, { minOffset: 2 })).map(({ data }) => (data as StateData).writer.type)).toEqual(["migration", "operator"]);
    expect((await same.info()).definition).toBe(2);
    expect((await same.send("one")).reply).toBe("re:one");
    expect(await code(session.edit({ count: 1 }))).toBe("state.definition_newer");
  });

  test("waits until a turn has ended that began under the older version", async () => {
    const store = await openStore(":memory:");
    const held = gate();
    const model = scripted(() => ({ text: "re", wait: () => held.opened }));
    const old = await started({ store, agents: [echoAgent({ model })] });
    const session = await old.sessions.create({ agent: "a1" });
    const sent = session.send("one");
    await expect.poll(async () => (await session.pending()).turns[0]?.status).toBe("running");
    const same = await (await started({ store, agents: [newer], work: false })).sessions.get(session.id);
    expect(await code(same.edit({ total: 4 }))).toBe("session.conflict");
    held.open();
    expect((await sent).reply).toBe("re");
    await same.edit({ total: 4 });
    expect((await same.state()).document).toEqual({ total: 4 });
  });

  test("with nothing at all is refused", async () => {
    const session = await (await started()).sessions.create({ agent: "a1" });
    for (const delta of [null, undefined, []]) expect(await code(session.edit(delta as never))).toBe("input.invalid");
  });
});

test("a short lease is renewed in time by default", async () => {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [echoAgent()], leaseMs: 500 });
  expect((await (await runtime.sessions.create({ agent: "a1" })).send("one")).reply).toBe("re:one");
  await runtime.close();
});
