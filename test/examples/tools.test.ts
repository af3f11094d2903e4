/** The examples with tools, from the outside: what is said, what is in the state, and what the model never saw. */
import { describe, expect, onTestFinished, test } from "vitest";
import { agent as calculation } from "../../examples/tools-factorial/agent.ts";
import { agent as library } from "../../examples/tools-documents/agent.ts";
import { openNotes } from "../../examples/mcp-tool/agent.ts";
import { agent as search } from "../../examples/tools-user-name/agent.ts";
import { createRuntime, openStore, type Agent, type Session } from "../../packages/throughline/src/index.ts";

async function sessionWith(agent: Agent): Promise<Session> {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [agent] });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  return runtime.sessions.create({ agent: agent.name });
}

describe("factorial, then calculator", () => {
  test("the second takes from the state what the first has written, in one reply of the model", async () => {
    const session = await sessionWith(calculation);
    const turn = await session.send("Calculate the factorial of 5, then multiply it by 2");
    expect(turn).toMatchObject({ status: "completed", reply: "The result is 240.", output: { factorial_result: 120, calc_result: 240 } });
    expect(await session.send("Calculate the factorial of 4, then add 1")).toMatchObject({ output: { factorial_result: 24, calc_result: 25 } });
    expect(await session.send("Calculate the factorial of 3")).toMatchObject({ reply: "The result is 6.", output: { calc_result: 25 } });
  });
  test("the messages are what was said, with calls and results", async () => {
    const session = await sessionWith(calculation);
    await session.send("Calculate the factorial of 5, then multiply it by 2");
    const roles = (await session.messages()).map(({ role, text }) => `${role}: ${text}`);
    expect(roles[0]).toBe("user: Calculate the factorial of 5, then multiply it by 2");
    expect(roles.at(-1)).toBe("assistant: The result is 240.");
  });
});

test("retrieve, then process: the documents go through the state", async () => {
  const session = await sessionWith(library);
  expect(await session.send("Find and process 2 documents about Python")).toMatchObject({
    status: "completed",
    reply: "Here is what I found: SNAKES OF THE WORLD, A FIRST PROGRAM",
    output: { result_count: 3, final_count: 2, final_docs: [{ title: "SNAKES OF THE WORLD" }, { title: "A FIRST PROGRAM" }] },
  });
  // A second search replaces the first one's documents.
  expect(await session.send("Find and process 9 documents about beans")).toMatchObject({ output: { result_count: 1, final_count: 1 } });
  expect((await session.state()).document).toMatchObject({ documents: [{ title: "Gardening" }], last_query: "beans" });
});

describe("the user's name", () => {
  test("comes from the state, whatever the model says", async () => {
    const session = await sessionWith(search);
    const turn = await session.send("Search for Python tutorials", { start: { user_name: "Alice" } });
    expect(turn).toMatchObject({ reply: "Found results for 'Python tutorials' (user: Alice)" });
    expect(turn.output).toEqual({ search_results: ["Found results for 'Python tutorials' (user: Alice)"] });
  });
  test("is asked for while nobody has said it", async () => {
    const session = await sessionWith(search);
    expect(await session.send("Search for Python tutorials")).toMatchObject({ status: "completed", reply: "I need to know who you are." });
  });
});

test("tools of an MCP server read and write the state", async () => {
  const notes = await openNotes();
  onTestFinished(() => notes.close());
  const session = await sessionWith(notes.agent);
  expect(await session.send("note bees dance", { start: { user_name: "Ada" } })).toMatchObject({ reply: "Noted for Ada." });
  expect(await session.send("find bees")).toMatchObject({ reply: "1 found: bees dance", output: { found: ["bees dance"] } });
});
