import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createRuntime, openStore } from "throughline";
import { companion, input } from "../src/agent.ts";

/** Opens a conversation with the companion in a database that exists only in memory. It is closed after the test. */
async function conversation(context: TestContext) {
  const agent = companion();
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent] });
  context.after(() => runtime.close());
  return runtime.sessions.open({ agent, customer: "me" });
}

test("leads through an exercise of your own", async (context) => {
  const session = await conversation(context);
  const first = await session.send("can we do the floating exercise?", { input });
  assert.match(first.reply ?? "", /calm water/);
  const second = await session.send("done", { input });
  assert.match(second.reply ?? "", /Name two things/);
});

test("tells a person in danger whom to call", async (context) => {
  const session = await conversation(context);
  const { reply } = await session.send("I want to kill myself tonight", { input });
  assert.match(reply ?? "", /call your local emergency number/);
});
