/** A process that was killed in the middle of a conversation: the next conversation recalls it. */
import { expect, test } from "vitest";
import { newSqliteFile } from "../../setup/database.ts";
import { customer, rememberingRuntime } from "./pair/deeds.ts";
import { memoryProcess } from "./pair/process.ts";

test("the first turn after a kill recalls the conversation that was cut off", { timeout: 60_000 }, async () => {
  const file = newSqliteFile();
  const victim = await memoryProcess(file);
  for (const text of ["I live in townx.", "I am worried about the exam on Thursday.", "I hardly sleep because I am so anxious about it."])
    expect(await victim.perform({ type: "say", key: "cut off", text })).toBe("completed");
  await victim.kill();
  const { runtime, close } = await rememberingRuntime(file);
  try {
    const next = await runtime.sessions.open({ agent: "friend", customer, key: "next" });
    await next.send("Hello again.");
    const why = await next.why();
    const [caught] = why?.items.filter(({ catch_up }) => catch_up === true) ?? [];
    expect(caught?.text).toContain("exam on Thursday");
  } finally {
    await close();
  }
});
