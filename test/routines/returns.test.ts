/** The example of a routine in a conversation: each way through it. */
import { describe, expect, it } from "vitest";
import { createReturns, type Shop } from "../../examples/returns/agent.ts";
import { started } from "../runtime/harness.ts";

const orders: Readonly<Record<string, { readonly amount: number; readonly delivered: boolean }>> = {
  1007: { amount: 120, delivered: true },
  1008: { amount: 20, delivered: true },
  1009: { amount: 20, delivered: false },
};

async function opened(broken: Partial<Shop> = {}) {
  const done: string[] = [];
  const { agent, extension } = createReturns({
    find: (order) => orders[order],
    sendLabel: (order) => void done.push(`label ${order}`),
    refund: (order, amount) => void done.push(`refund ${order} ${amount}`),
    ...broken,
  });
  const runtime = await started({ agents: [agent], pollMs: 20 });
  const session = await runtime.sessions.create({ agent: "returns" });
  return { session, of: session.extension(extension), done };
}

const last = (of: Awaited<ReturnType<typeof opened>>["of"]) => async (): Promise<unknown> => (await of.position()).frames[0]?.node;

describe("the example of returns", () => {
  it("asks for the order, waits for the staff and for the parcel, and refunds once", async () => {
    const { session, of, done } = await opened();
    expect((await session.send("I want to return something")).reply).toBe("Ask for the number of the order, and note it.");
    const paused = await session.send("It is order 1007");
    expect(paused).toMatchObject({ status: "paused", pending: [{ question: "Take this order back?", arguments: { order: "1007", amount: 120 } }] });
    await session.approve((await session.pending()).calls[0]!);
    expect((await session.outcome(paused.offset)).reply).toContain('waits for the event "parcel.arrived"');
    expect(done).toEqual(["label 1007"]);
    await of.event("parcel.arrived", { order: "1007" }, { idempotencyKey: "p-1" });
    await of.event("parcel.arrived", { order: "1007" }, { idempotencyKey: "p-1" });
    await expect.poll(last(of)).toBe("tell");
    expect((await session.messages()).at(-1)?.text).toBe("Say that the money is on its way.");
    expect((await session.send("Thanks")).reply).toBe("How can I help?");
    expect(await of.position()).toMatchObject({ frames: [], last: { outcome: "completed", output: { order: "1007", refunded: true } } });
    expect(done).toEqual(["label 1007", "refund 1007 120"]);
  });

  it("needs no approval for a cheap order, and takes all that is known from one message", async () => {
    const { session, done } = await opened();
    expect((await session.send("I want to return order 1008")).reply).toContain("waits for the event");
    expect(done).toEqual(["label 1008"]);
  });

  it("refuses what was not delivered or not approved, and knows no other order", async () => {
    const early = await opened();
    expect((await early.session.send("I want to return order 1009")).reply).toBe("Say that this order cannot be returned.");
    const none = await opened();
    expect((await none.session.send("I want to return order 4444")).reply).toBe("Say that there is no such order.");
    const rejected = await opened();
    const paused = await rejected.session.send("I want to return order 1007");
    await rejected.session.reject((await rejected.session.pending()).calls[0]!, "Too old.");
    expect((await rejected.session.outcome(paused.offset)).reply).toBe("Say that this order cannot be returned.");
    expect(rejected.done).toEqual([]);
  });

  it("hands a failed refund to a colleague", async () => {
    const { session, of } = await opened({
      refund: () => {
        throw new Error("The bank is closed.");
      },
    });
    await session.send("I want to return order 1008");
    await of.event("parcel.arrived");
    await expect.poll(last(of)).toBe("colleague");
  });
});
