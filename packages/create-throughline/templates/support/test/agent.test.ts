import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createRuntime, openStore, type Session } from "throughline";
import { offline, support } from "../src/agent.ts";
import { demoShop } from "../src/shop.ts";

/** Opens a conversation with the agent in a database that exists only in memory. It is closed after the test. */
async function desk(context: TestContext) {
  const shop = demoShop();
  const agent = support(offline, shop);
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent] });
  context.after(() => runtime.close());
  return { shop, session: await runtime.sessions.open({ agent, customer: "me" }) };
}

/** Sends a message whose turn pauses for approval, decides, and returns the outcome. */
async function decided(session: Session, text: string, decision: "approve" | "reject") {
  const { status, offset, pending = [] } = await session.send(text);
  assert.equal(status, "paused");
  assert.deepEqual(
    pending.map(({ name, arguments: asked }) => ({ name, asked })),
    [{ name: "refund", asked: { order: "A-17", euros: 40 } }],
  );
  for (const call of pending) await session[decision](call);
  return session.outcome(offset);
}

test("opens a ticket and remembers it", async (context) => {
  const { shop, session } = await desk(context);
  const { reply, output } = await session.send("Order A-17 arrived broken.");
  assert.equal(reply, "Ticket T-1 is open.");
  assert.deepEqual(output, { tickets: ["T-1"] });
  assert.deepEqual(shop.tickets, ["A-17: Order A-17 arrived broken."]);
});

test("refunds only what a person approves", async (context) => {
  const { shop, session } = await desk(context);
  const { status } = await decided(session, "I want a refund for A-17.", "reject");
  assert.equal(status, "completed");
  assert.equal(shop.refunds.size, 0);
  const { reply } = await decided(session, "Really, a refund for A-17!", "approve");
  assert.equal(reply, "40 euros for order A-17 have been refunded.");
  assert.deepEqual([...shop.refunds.values()], ["40 euros for A-17"]);
});

test("the same request counts once", async (context) => {
  const { shop, session } = await desk(context);
  await session.send("Order A-17 arrived broken.", { idempotencyKey: "form-1" });
  await session.send("Order A-17 arrived broken.", { idempotencyKey: "form-1" });
  assert.equal(shop.tickets.length, 1);
});
