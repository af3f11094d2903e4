import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createRuntime, type Model, openStore, scripted } from "throughline";
import { chat, offline } from "../src/agent.ts";

/** Opens a conversation with the agent in a database that exists only in memory. It is closed after the test. */
async function conversation(context: TestContext, model: Model) {
  const agent = chat(model);
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent] });
  context.after(() => runtime.close());
  return runtime.sessions.open({ agent, customer: "me" });
}

test("remembers the name", async (context) => {
  const session = await conversation(context, offline);
  const { output } = await session.send("Hello, my name is Ada.");
  assert.deepEqual(output, { name: "Ada" });
  const { reply } = await session.send("What is my name?");
  assert.equal(reply, "Your name is Ada.");
});

test("shows the model what it knows", async (context) => {
  const model = scripted(["Good evening, Ada."]);
  const session = await conversation(context, model);
  const { reply } = await session.send("I'm Ada.");
  assert.equal(reply, "Good evening, Ada.");
  assert.match(model.requests[0]?.sections.find(({ name }) => name === "known")?.text ?? "", /"name":"Ada"/);
});
