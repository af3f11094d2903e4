/** The friend who remembers: over several conversations, and as its person wants it. */
import { describe, expect, it } from "vitest";
import { agent } from "../../examples/friend/agent.ts";
import { createRuntime, openStore, type Runtime } from "../../packages/throughline/src/index.ts";

async function friend(): Promise<{ readonly runtime: Runtime; readonly say: (session: string, text: string) => Promise<string> }> {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [agent] });
  const say = async (key: string, text: string): Promise<string> => {
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada", key });
    const { reply } = await session.send(text);
    return reply ?? "";
  };
  return { runtime, say };
}

describe("the friend", () => {
  it("finds in one conversation what was said in another, with its day, and forgets it when asked", async () => {
    const { runtime, say } = await friend();
    await say("monday", "My sister Ana plays the cello.");
    expect(await say("friday", "Which instrument does my sister play?")).toMatch(/^I remember:\n- \d{4}-\d\d-\d\d .*Ana plays the cello/u);
    expect(await say("friday", "Forget what I said about the cello")).toContain("yes or no");
    expect(await say("friday", "yes")).toContain("deleted");
    expect(await say("sunday", "Which instrument does my sister play?")).not.toContain("cello.");
    await runtime.close();
  });

  it("shows the messages that it keeps, and forgets one by its number", async () => {
    const { runtime, say } = await friend();
    await say("monday", "My sister Ana plays the cello.");
    await say("monday", "I bought a green kettle.");
    expect(await say("friday", "What do you remember about me?")).toMatch(/1\. “My sister Ana.*\n2\. “I bought a green kettle/u);
    await say("friday", "forget the second message");
    expect(await say("friday", "yes")).toContain("deleted");
    expect(await say("sunday", "What colour is the kettle?")).toBe("I do not remember anything about that.");
    await runtime.close();
  });

  it("remembers nothing that was said in danger", async () => {
    const { runtime, say } = await friend();
    await say("monday", "I want to hurt myself with the blue knife.");
    expect(await say("friday", "What about the blue knife?")).toBe("I do not remember anything about that.");
    await runtime.close();
  });
});
