/** The life of a paused turn: what ends it, what it survives, and what goes on meanwhile. */
import { describe, expect, test } from "vitest";
import { createRuntime, openStore, scripted, defineAgent, defineTool, loop, type Script } from "../../../packages/throughline/src/index.ts";
import { fixedClock } from "../../../packages/throughline/src/testing.ts";
import { redactEvent } from "../../../packages/throughline/src/runtime/transfer/export-bundle.ts";
import { noPostgres } from "../../setup/database.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { code, collect } from "../harness.ts";
import { calling, callsIn, toolState } from "../loop/harness.ts";
import { bank, location, minute, movesFive, named, onlyPending, started, toldOf, transfers, type Kind } from "./harness.ts";

/** A model that moves 5 whenever it is asked to move, and echoes all else. */
const mover: Script = ({ messages }) => {
  const asked = messages.findLast(({ role }) => role === "user")?.text ?? "";
  if (messages.at(-1)?.role === "tool") return `moved: ${messages.at(-1)?.text.includes("moved") === true}`;
  return asked.startsWith("move") ? calling(["transfer", { amount: 5 }]) : `re:${asked}`;
};

describe("a turn that nobody decides on", () => {
  test("goes on when its time is over, as if it had been rejected; a word that comes later counts for nothing", async () => {
    const { session, ran, model, clock } = await bank(movesFive);
    const { offset } = await session.send("move 5");
    const call = named(await onlyPending(session));
    clock.advance(10 * minute - 1);
    expect(await session.outcome(offset)).toMatchObject({ status: "paused" });
    clock.advance(1);
    expect(await code(session.decide({ ...call, decision: "approve" }))).toBe("approval.not_pending");
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "Done." });
    expect([ran, toldOf(model)]).toEqual([[], expect.stringContaining("in time")]);
    const decided = (await collect(session)).flatMap((event) =>
      event.kind === "turn" && event.data.type === "decided" ? [event.data.decision] : [],
    );
    expect(decided).toEqual([{ type: "reject", cause: "expiry" }]);
    expect(await code(session.decide({ ...call, decision: "approve" }))).toBe("approval.not_pending");
  });

  test("is rejected by the customer's next message, which is answered after it", async () => {
    const { session, ran, model } = await bank(mover);
    const first = await session.send("move 5");
    const second = await session.send("never mind");
    expect(second).toMatchObject({ status: "completed", reply: "re:never mind" });
    expect(await session.outcome(first.offset)).toMatchObject({ status: "completed", reply: "moved: false" });
    expect([ran, callsIn(await collect(session))]).toEqual([[], ["returned transfer blocked"]]);
    const told = model.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === "tool").map(({ text }) => text));
    expect(told).toEqual([expect.stringContaining("wrote a message instead")]);
  });

  test("does not wait at all if another message is there already when it asks", async () => {
    let open = (): void => {};
    const held = new Promise<void>((resolve) => (open = resolve));
    const { session, ran } = await bank((request, index) => {
      const reply = typeof mover === "function" ? mover(request, index) : "";
      return index === 0 && typeof reply !== "string" ? { ...reply, text: "One moment.", wait: () => held } : reply;
    });
    const { offset } = await session.post("move 5");
    const second = await session.post("hello?");
    open();
    expect(await session.outcome(second.offset)).toMatchObject({ status: "completed", reply: "re:hello?" });
    expect([await session.outcome(offset), ran]).toMatchObject([{ status: "completed" }, []]);
  });

  test("waits on if the agent says so: the message behind it is told to wait, and answered in its turn", async () => {
    const below = await openStore(":memory:");
    const wakes: unknown[] = [];
    const store: typeof below = {
      ...forwarding(below),
      commit: (commit) => (commit.session?.wake === true && wakes.push(commit.session.queue?.cause ?? "decision"), below.commit(commit)),
    };
    const { session, ran } = await bank(mover, { agent: { onMessageWhilePaused: "wait" }, store });
    const first = await session.send("move 5");
    const second = await session.send("and then?");
    expect([first.status, second.status, second.reply]).toEqual(["paused", "waiting", undefined]);
    expect(wakes).toEqual([]);
    await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
    expect(await session.outcome(second.offset)).toMatchObject({ status: "completed", reply: "re:and then?" });
    expect([await session.outcome(first.offset), ran]).toMatchObject([{ status: "completed", reply: "moved: true" }, [{ amount: 5 }]]);
  });

  test("shows that the agent types before it asks, and again after the decision", async () => {
    const { session } = await bank(movesFive);
    const { offset } = await session.send("move 5");
    await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
    await session.outcome(offset);
    const told = (await collect(session, { kinds: ["status"] })).map(({ data }) => "status" in data && data.status);
    expect(told).toEqual(["acknowledged", "processing", "typing", "ready", "typing", "ready"]);
  });

  test("has made no progress when the call begins that was approved", async () => {
    const store = await openStore(":memory:");
    const attempts: unknown[] = [];
    const pay = defineTool({
      ...{ name: "pay", description: "Pays.", effects: "once", approval: true },
      execute: async (): Promise<string> => (attempts.push((await store.load({ session_id }))?.turns[0]?.attempts), "paid"),
    });
    const agent = defineAgent({
      ...{ name: "bank", version: 1, state: toolState },
      reply: loop({ model: scripted([calling(["pay"]), "Done."]), tools: [pay] }),
    });
    const first = await createRuntime({ store, agents: [agent] });
    const { id: session_id } = await first.sessions.create({ agent: "bank" });
    const { offset } = await (await first.sessions.get(session_id)).send("pay");
    await first.close();
    const desk = await started({ store, agents: [agent], work: false });
    const session = await desk.sessions.get(session_id);
    await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
    const lost = await store.claim({ kind: "session", session_id, worker: "elsewhere/1/x", lease_ms: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const working = await started({ store, agents: [agent] });
    expect(await (await working.sessions.get(session_id)).outcome(offset)).toMatchObject({ status: "completed", reply: "Done." });
    expect(attempts).toEqual([(lost?.turn.attempts ?? 0) + 1]);
  });

  test("asks again, and is decided anew, when the model asks for another call", async () => {
    const script: Script = [calling(["transfer", { amount: 1 }]), calling(["transfer", { amount: 1 }]), "Done."];
    const { session, ran } = await bank(script);
    const { offset } = await session.send("move");
    const first = await onlyPending(session);
    await session.decide({ ...named(first), decision: "approve" });
    expect(await session.outcome(offset)).toMatchObject({ status: "paused" });
    const second = await onlyPending(session);
    expect([second.call_id === first.call_id, ran.length]).toEqual([false, 1]);
    await session.decide({ ...named(second), decision: "reject" });
    expect([await session.outcome(offset), ran.length]).toMatchObject([{ status: "completed" }, 1]);
  });
});

describe("a paused turn", () => {
  test("is stopped like any other, and what waits behind it is answered", async () => {
    const { session, ran } = await bank(mover, { agent: { onMessageWhilePaused: "wait" } });
    const first = await session.send("move 5");
    const { offset } = await session.send("next");
    const call = named(await onlyPending(session));
    expect(await session.stop("Enough.")).toBe(true);
    expect(await session.outcome(first.offset)).toMatchObject({ status: "stopped", reason: "user_requested", reply: undefined });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "re:next" });
    expect(await code(session.decide({ ...call, decision: "approve" }))).toBe("approval.not_pending");
    expect([ran, (await session.pending()).calls]).toEqual([[], []]);
  });

  test("ends when a person takes the session over", async () => {
    const { session, ran } = await bank(mover);
    const { offset } = await session.send("move 5");
    await session.setMode("manual");
    expect(await session.outcome(offset)).toMatchObject({ status: "stopped", reason: "manual" });
    expect([(await session.pending()).calls, ran]).toEqual([[], []]);
    await session.setMode("auto");
    expect(await session.send("hello")).toMatchObject({ status: "completed", reply: "re:hello" });
  });

  test("is taken back with its message", async () => {
    const { session, ran } = await bank(mover);
    const { offset } = await session.send("move 5");
    await session.withdraw({ from: offset });
    expect([(await session.outcome(offset)).status, (await session.pending()).calls]).toEqual(["withdrawn", []]);
    expect(await session.send("hello")).toMatchObject({ status: "completed", reply: "re:hello" });
    expect(ran).toEqual([]);
  });

  test("goes on in its own session alone when that is forked, and a fork has nothing pending", async () => {
    const { session, ran } = await bank(mover);
    const { offset } = await session.send("move 5");
    const fork = await session.fork();
    expect(await fork.pending()).toEqual({ turns: [], waiting: [], calls: [] });
    expect(await fork.outcome(offset)).toMatchObject({ status: "stopped", reason: "forked" });
    expect(await fork.send("hello")).toMatchObject({ status: "completed", reply: "re:hello" });
    await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "moved: true" });
    expect(ran).toHaveLength(1);
  });

  test("may be paused any number of times, and is not taken for one that fails again and again", async () => {
    const { session, ran } = await bank(Array.from({ length: 6 }, (_, n) => (n === 5 ? "Done." : calling(["transfer", { amount: n }]))));
    const { offset } = await session.send("move");
    for (let n = 0; n < 5; n++) {
      await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
      expect((await session.outcome(offset)).status).toBe(n === 4 ? "completed" : "paused");
    }
    expect(ran).toHaveLength(5);
  });
});

describe.each<Kind>(["SQLite", "PostgreSQL"])("a paused turn on %s", (kind) => {
  test.skipIf(kind === "PostgreSQL" && noPostgres !== undefined)(
    "survives the end of its process, and is decided and run by another one",
    async () => {
      const at = await location(kind);
      const [first, second] = [await openStore(at), await openStore(at)];
      const tool = transfers();
      const model = scripted(movesFive);
      const agent = defineAgent({ name: "bank", version: 1, state: toolState, reply: loop({ model, tools: [tool.tool] }) });
      const one = await createRuntime({ store: first, agents: [agent], pollMs: 20 });
      const session = await one.sessions.create({ agent: "bank" });
      const { offset } = await session.send("move 5");
      await one.close();
      await first.close();
      // Who decides need not be who runs turns.
      const desk = await started({ store: second, agents: [agent], work: false });
      const there = await desk.sessions.get(session.id);
      const call = await onlyPending(there);
      expect(call).toMatchObject({ name: "transfer", arguments: { amount: 5 } });
      const third = await openStore(at);
      const other = await started({ store: third, agents: [agent], pollMs: 60_000 });
      await new Promise((resolve) => setTimeout(resolve, 100));
      await there.decide({ ...named(call), decision: "approve", by: "Ada" });
      expect(await (await other.sessions.get(session.id)).outcome(offset)).toMatchObject({ status: "completed", reply: "Done." });
      expect(tool.ran).toEqual([{ amount: 5 }]);
      await Promise.all([desk.close(), other.close()]);
      await Promise.all([second.close(), third.close()]);
    },
  );
});

test("a clock that stands still keeps a turn parked on disk until it is moved", async () => {
  const clock = fixedClock();
  const store = await openStore(await location("SQLite"), { clock });
  const { tool, ran } = transfers({ expiresMs: minute });
  const agent = defineAgent({ name: "bank", version: 1, state: toolState, reply: loop({ model: scripted(movesFive), tools: [tool] }) });
  const runtime = await started({ store, agents: [agent], clock });
  const session = await runtime.sessions.create({ agent: "bank" });
  const { offset } = await session.send("move 5");
  clock.advance(minute);
  expect(await session.outcome(offset)).toMatchObject({ status: "completed" });
  expect(ran).toEqual([]);
  await runtime.close({ drainMs: 0 });
  await store.close();
});

test("a redacted export keeps which call was asked about and how it was decided, and nothing that anybody said", () => {
  const call = {
    call_id: "c",
    name: "transfer",
    kind: "approval",
    index: 0,
    by: "transfer",
    expires_at: 5,
    arguments_hash: "ab",
    arguments: { amount: 5 },
  };
  const paused = redactEvent("turn", { type: "paused", step_id: "stp_1", pending: [{ ...call, question: "Move 5 to Ada?" }] });
  expect(paused).toEqual({
    ...{ type: "paused", step_id: "stp_1" },
    pending: [{ ...call, arguments_hash: "xx", arguments: { member_1: 0 }, question: "xxxxxxxxxxxxxx" }],
  });
  const decided = { type: "decided", call_id: "c", index: 1, arguments_hash: "ab" };
  expect(redactEvent("turn", { ...decided, by: "Ada", decision: { type: "reject", cause: "person", feedback: "No, Ada!" } })).toEqual({
    ...{ ...decided, arguments_hash: "xx", by: "xxx" },
    decision: { type: "reject", cause: "person", feedback: "xxxxxxxx" },
  });
  expect(redactEvent("turn", { ...decided, decision: { type: "answer", answer: 42 } })["decision"]).toEqual({ type: "answer", answer: 0 });
});
