/** A process that is killed, not one that is said to have died. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRuntime, openStore } from "../../../packages/throughline/src/index.ts";
import { collect } from "../harness.ts";
import { assessments, gated, saying } from "./harness.ts";

test("killed between the gate's verdict and the reply: the next process answers by that verdict, once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "throughline-killed-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const location = join(folder, "companion.db");
  const child = spawn(process.execPath, [join(import.meta.dirname, "killed-child.ts"), location, "Everything is sorted now"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);

  const store = await openStore(location);
  let asked = 0;
  const classifier = saying(() => {
    asked += 1;
    return Promise.reject(new Error("was judged before"));
  });
  const { agent } = gated({ classifier }, { answer: () => "I am glad you told me. Have you thought about how you would do it?" });
  const runtime = await createRuntime({ store, agents: [agent], pollMs: 50 });
  onTestFinished(async () => {
    await runtime.close({ drainMs: 0 });
    await store.close();
  });
  const session = await runtime.sessions.open({ agent: "companion", customer: "ann" });
  expect(await session.outcome(1)).toMatchObject({ status: "completed", reply: expect.stringMatching(/^I am glad you told me/u) as string });
  const events = await collect(session);
  const count = (kind: string, source: string): number => events.filter((event) => event.kind === kind && event.source === source).length;
  expect({ asked, assessed: count("assessment", "system"), replies: count("message", "ai_agent") }).toEqual({ asked: 0, assessed: 1, replies: 1 });
  expect(await assessments(store)).toMatchObject([{ level: 2, level_llm: 2, path: "union", action: "crisis_reply", reply_completed: true }]);
});
