/** Approvals through whole turns: what a word on a pending call does, and which words count. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type DecideOptions } from "../../../packages/throughline/src/index.ts";
import { argumentsHash } from "../../../packages/throughline/src/session.ts";
import { calling, callsIn } from "../loop/harness.ts";
import { code, collect } from "../harness.ts";
import { bank, bookings, movesFive, named, onlyPending, toldOf } from "./harness.ts";

describe("a call that needs an approval", () => {
  test("pauses its turn: nothing has run, and who sent the message is told what waits", async () => {
    const { session, ran, clock } = await bank(movesFive);
    const result = await session.send("move 5");
    const call = await onlyPending(session);
    expect(call).toEqual({
      ...{ call_id: expect.any(String) as string, name: "transfer", kind: "approval", question: "Move 5?", index: 0, by: "transfer" },
      ...{ arguments: { amount: 5 }, arguments_hash: argumentsHash({ amount: 5 }) },
      ...{ expires_at: clock.now() + 600_000, turn_id: result.turn_id, asked_at: clock.now() },
    });
    expect(result).toMatchObject({ status: "paused", reply: undefined, pending: [call] });
    expect([ran, callsIn(await collect(session))]).toEqual([[], []]);
    expect((await session.pending()).turns).toMatchObject([{ status: "running", started: true }]);
  });

  test("P1: runs with the model's arguments once it is approved, and its message has the turn's outcome", async () => {
    const { session, ran, model } = await bank(movesFive);
    const { offset, turn_id } = await session.send("move 5");
    const made = await session.decide({ ...named(await onlyPending(session)), decision: "approve", by: "Ada" });
    expect(made.turn_id).toBe(turn_id);
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "Done.", turn_id });
    expect([ran, model.requests.length, (await session.pending()).calls]).toEqual([[{ amount: 5 }], 2, []]);
    const events = await collect(session);
    expect(events.find((event) => event.offset === made.offset)?.data).toMatchObject({ type: "decided", by: "Ada", decision: { type: "approve" } });
    expect(callsIn(events)).toEqual(["called transfer", "returned transfer ok"]);
  });

  test("`approve` and `reject` take a pending call as it is", async () => {
    const approved = await bank(movesFive);
    const { offset, turn_id } = await approved.session.send("move 5");
    const call = await onlyPending(approved.session);
    expect((await approved.session.approve(call, { by: "Ada" })).turn_id).toBe(turn_id);
    expect(await approved.session.outcome(offset)).toMatchObject({ status: "completed", reply: "Done." });
    expect(approved.ran).toEqual([{ amount: 5 }]);
    await expect(approved.session.reject(call)).rejects.toMatchObject({ code: "approval.not_pending" });

    const rejected = await bank(movesFive);
    const sent = await rejected.session.send("move 5");
    const made = await rejected.session.reject(await onlyPending(rejected.session), "Too much.");
    expect(await rejected.session.outcome(sent.offset)).toMatchObject({ status: "completed" });
    expect([rejected.ran, toldOf(rejected.model)]).toEqual([[], expect.stringContaining("Too much.")]);
    const decided = (await collect(rejected.session)).find((event) => event.offset === made.offset);
    // `by` names who decides, not the tool that asks, which the pending call calls `by` too.
    expect(decided?.data).not.toHaveProperty("by");
  });

  test("`approve` and `reject` say what they need if no call waits", async () => {
    const { session } = await bank(movesFive);
    const [call] = (await session.pending()).calls;
    await expect(session.approve(call as never)).rejects.toMatchObject({ code: "input.invalid", message: "approve takes an object, got undefined." });
    await expect(session.reject(call as never)).rejects.toMatchObject({ code: "input.invalid", message: "reject takes an object, got undefined." });
  });

  test("P3: runs with the arguments that a person puts in their place; the model's own message stays as it was", async () => {
    const { session, ran, model } = await bank(movesFive);
    const { offset } = await session.send("move 5");
    await session.decide({ ...named(await onlyPending(session)), decision: "edit", arguments: { amount: 2 } });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed" });
    expect(ran).toEqual([{ amount: 2 }]);
    const events = await collect(session);
    expect(events.flatMap((event) => (event.kind === "message" ? (event.data.calls ?? []) : [])).map((call) => call.arguments)).toEqual([
      { amount: 5 },
    ]);
    expect(events.flatMap((event) => (event.kind === "tool" && event.data.type === "called" ? [event.data.arguments] : []))).toEqual([{ amount: 2 }]);
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  test("P3: what a person puts in their place is checked like what a model gives", async () => {
    const { session, ran, model } = await bank(movesFive);
    const { offset } = await session.send("move 5");
    await session.decide({ ...named(await onlyPending(session)), decision: "edit", arguments: { amount: "much" } });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed" });
    expect([ran, toldOf(model)]).toEqual([[], expect.stringContaining("amount")]);
  });

  test.each(["reject", "deny", "", "APPROVE", "approve ", "yes", undefined as unknown as string])(
    "does not run on the word %j, and the model is told",
    async (word) => {
      const { session, ran, model } = await bank(movesFive);
      const { offset } = await session.send("move 5");
      await session.decide({ ...named(await onlyPending(session)), decision: word, feedback: "Too much." });
      expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "Done." });
      expect([ran, callsIn(await collect(session))]).toEqual([[], ["returned transfer blocked"]]);
      expect(toldOf(model)).toContain("Too much.");
    },
  );

  test("P6: of three calls each has its own word, and none runs before the last is there", async () => {
    const calls = calling(["transfer", { amount: 1 }], ["transfer", { amount: 2 }], ["transfer", { amount: 3 }]);
    const { session, ran, model } = await bank([calls, "Done."]);
    const { offset } = await session.send("move");
    const pending = (await session.pending()).calls;
    expect(pending.map((call) => call.arguments)).toEqual([{ amount: 1 }, { amount: 2 }, { amount: 3 }]);
    const [first, second, third] = pending.map(named) as [DecideOptions, DecideOptions, DecideOptions];
    await session.decide({ ...second, decision: "edit", arguments: { amount: 99 } });
    await session.decide({ ...first, decision: "reject", feedback: "Not this one." });
    expect((await session.pending()).calls.map((call) => call.call_id)).toEqual([third.call_id]);
    expect([ran, (await session.outcome(offset)).status]).toEqual([[], "paused"]);
    await session.decide({ ...third, decision: "approve" });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed" });
    expect(ran).toEqual(expect.arrayContaining([{ amount: 99 }, { amount: 3 }]));
    expect(ran).toHaveLength(2);
    const roles = model.requests.at(-1)?.messages.map(({ role, text }) => `${role} ${text.slice(0, 70)}`) ?? [];
    expect(roles.slice(-3).map((told) => told.split(" ")[0])).toEqual(["tool", "tool", "tool"]);
    expect(roles.at(-3)).toContain("Not this one.");
  });

  test("P8: a call of a tool that there is not is not asked about", async () => {
    const { session, ran, model } = await bank([calling(["transfre", { amount: 5 }]), "Sorry."]);
    expect(await session.send("move 5")).toMatchObject({ status: "completed", reply: "Sorry." });
    expect([ran, toldOf(model)]).toEqual([[], expect.stringContaining("transfer")]);
  });

  test("P10: a word on a call that is not pending, or on other arguments, counts for nothing", async () => {
    const { session, ran } = await bank(movesFive);
    await session.send("move 5");
    const call = named(await onlyPending(session));
    const { head } = await session.info();
    expect(await code(session.decide({ ...call, call_id: "other", decision: "approve" }))).toBe("approval.not_pending");
    expect(await code(session.decide({ ...call, index: 1, decision: "approve" }))).toBe("approval.not_pending");
    expect(await code(session.decide({ ...call, arguments_hash: argumentsHash({ amount: 6 }), decision: "approve" }))).toBe("approval.stale");
    expect(await code(session.decide({ ...call, arguments_hash: argumentsHash({ amount: 6 }), decision: "reject" }))).toBe("approval.stale");
    expect([(await session.info()).head, ran, (await session.pending()).calls.length]).toEqual([head, [], 1]);
  });

  test("P13: a call that reads what another one of the reply writes sees the new value, though it had to wait for a word", async () => {
    const produce = defineTool({
      ...{ name: "produce", description: "Names.", effects: "none" as const },
      outputsToState: { name: {} },
      execute: () => "NEW",
    });
    const seen: unknown[] = [];
    const consume = defineTool({
      ...{ name: "consume", description: "Reads.", effects: "none" as const, parameters: z.object({ name: z.string() }) },
      inputsFromState: { name: "name" },
      approval: true,
      execute: ({ name }) => (seen.push(name), "ok"),
    });
    const { session } = await bank([calling(["produce"], ["consume"]), "Done."], { more: [produce, consume] });
    await session.edit({ name: "OLD" });
    const { offset } = await session.send("go");
    await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed" });
    expect(seen).toEqual(["NEW"]);
  });

  test("nothing of the log is lost or changed by a pause", async () => {
    const { session } = await bank(movesFive);
    const { offset } = await session.send("move 5");
    await session.postOperator("I am watching.", { name: "Ada" });
    const before = await collect(session);
    await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
    await session.outcome(offset);
    const after = await collect(session);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).map((event) => event.kind)).toContain("tool");
  });
});

describe("a question that a running tool asks", () => {
  test("pauses the turn, and its answer is what the tool goes on with, question after question", async () => {
    const tool = bookings();
    const { session, ran } = await bank([calling(["book", { day: "Friday" }]), "Booked."], { tool });
    const { offset } = await session.send("book");
    const first = await onlyPending(session);
    expect(first).toMatchObject({ kind: "question", question: { ask: "How many seats on Friday?" }, by: "book", arguments: { day: "Friday" } });
    await session.decide({ ...named(first), decision: "answer", answer: 4 });
    expect(await session.outcome(offset)).toMatchObject({ status: "paused", pending: [{ question: "Under which name?" }] });
    const second = await onlyPending(session);
    expect(second.index).toBeGreaterThan(first.index);
    await session.decide({ ...named(second), decision: "answer", answer: "Ada" });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "Booked." });
    expect(ran).toEqual([["Friday", 4, "Ada"]]);
    expect(await code(session.decide({ ...named(second), decision: "answer", answer: "Bob" }))).toBe("approval.not_pending");
  });

  test("is turned down by whatever is no answer, and the tool's failure is told to the model", async () => {
    const { session, ran, model } = await bank([calling(["book", { day: "Friday" }]), "Sorry."], { tool: bookings() });
    const { offset } = await session.send("book");
    await session.decide({ ...named(await onlyPending(session)), decision: "no", feedback: "We are closed." });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "Sorry." });
    expect([ran, toldOf(model)]).toEqual([[], expect.stringContaining("We are closed.")]);
  });
});

describe("a decision", () => {
  test.each<readonly [string, Partial<DecideOptions>]>([
    ["an answer to what asks for an approval", { decision: "answer", answer: 1 }],
    ["an edit without arguments", { decision: "edit" }],
    ["an edit with no argument at all", { decision: "edit", arguments: {} }],
    ["an edit whose arguments are no object", { decision: "edit", arguments: [] as never }],
    ["an answer without one", { decision: "answer" }],
    ["no call", { call_id: "", decision: "approve" }],
    ["no hash", { arguments_hash: undefined as never, decision: "approve" }],
    ["an index that is none", { index: -1, decision: "approve" }],
    ["a blank name", { by: " ", decision: "approve" }],
    ["blank feedback", { feedback: " ", decision: "reject" }],
  ])("that cannot be meant is refused, and can be made again: %s", async (_, wrong) => {
    const { session } = await bank(movesFive);
    await session.send("move 5");
    const call = named(await onlyPending(session));
    expect(await code(session.decide({ ...call, decision: "approve", ...wrong }))).toBe("input.invalid");
    expect((await session.pending()).calls).toHaveLength(1);
  });

  test("that is made again is the first one, also after the turn has ended; another one is refused", async () => {
    const { session } = await bank(movesFive);
    const { offset } = await session.send("move 5");
    const call = named(await onlyPending(session));
    const first = await session.decide({ ...call, decision: "approve", by: "Ada" });
    expect(await session.decide({ ...call, decision: "approve" })).toEqual(first);
    await session.outcome(offset);
    expect(await session.decide({ ...call, decision: "approve" })).toEqual(first);
    expect(await code(session.decide({ ...call, decision: "reject" }))).toBe("approval.not_pending");
  });

  test("of many at the same time one counts, and all who made that one are told so", async () => {
    const { session, ran } = await bank(movesFive);
    const { offset } = await session.send("move 5");
    const call = named(await onlyPending(session));
    const words = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? "approve" : "reject"));
    const made = await Promise.allSettled(words.map((decision) => session.decide({ ...call, decision })));
    const result = await session.outcome(offset);
    const decided = (await collect(session)).filter((event) => event.kind === "turn" && event.data.type === "decided");
    expect([result.status, decided.length]).toEqual(["completed", 1]);
    const word = decided[0]?.kind === "turn" && decided[0].data.type === "decided" ? decided[0].data.decision.type : "none";
    expect(made.map(({ status }) => status)).toEqual(words.map((decision) => (decision === word ? "fulfilled" : "rejected")));
    expect(ran).toHaveLength(word === "approve" ? 1 : 0);
  });

  test("is refused where nothing waits", async () => {
    const { session } = await bank(["Hello."]);
    await session.send("hi");
    expect((await session.pending()).calls).toEqual([]);
    expect(await code(session.decide({ call_id: "m0", arguments_hash: "x", decision: "approve" }))).toBe("approval.not_pending");
  });
});
