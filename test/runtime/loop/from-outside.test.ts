/** What becomes of a call that runs when somebody, in another process, ends what it is for. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRuntime, defineTool, openStore, ThroughlineError, type Runtime, type Session } from "../../../packages/throughline/src/index.ts";
import { collect, gate } from "../harness.ts";
import { calling, callsIn, scriptedAgent } from "./harness.ts";

/** Two runtimes over one file, and what their only tool has been through. */
async function two() {
  const folder = await mkdtemp(join(tmpdir(), "throughline-outside-"));
  const began = gate();
  const aborted = gate();
  const runs: string[] = [];
  const pay = defineTool({
    ...{ name: "pay", description: "Pays.", effects: "once" },
    execute: (_args, { key, signal }) => {
      runs.push(key);
      began.open();
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted.open();
          reject(signal.reason as Error);
        });
      });
    },
  });
  const { agent } = scriptedAgent((request) => (request.messages.at(-1)?.text === "go" ? calling(["pay"]) : "done"), { loop: { tools: [pay] } });
  const runtimes: Runtime[] = [];
  onTestFinished(async () => {
    for (const runtime of runtimes) await runtime.close({ drainMs: 0 });
    await rm(folder, { recursive: true, force: true });
  });
  for (let count = 0; count < 2; count++) {
    const store = await openStore(join(folder, "one.db"), { durability: "relaxed" });
    runtimes.push(await createRuntime({ store, agents: [agent], leaseMs: 500, heartbeatMs: 50, pollMs: 20 }));
  }
  const [here, there] = runtimes;
  if (here === undefined || there === undefined) throw new Error("There are two.");
  return { here, there, began, aborted, runs };
}

const acts: readonly (readonly [string, (session: Session, runtime: Runtime) => Promise<unknown>, string])[] = [
  ["is stopped", (session) => session.stop(), "stopped"],
  ["is handed to a person", (session) => session.setMode("manual"), "stopped"],
  ["is taken back", (session) => session.withdraw({ from: 1 }), "withdrawn"],
  ["is deleted", (session, runtime) => runtime.sessions.delete(session.id), "session.not_found"],
];

test.each(acts)("a call whose turn %s elsewhere is aborted, and never run again", async (_name, act, expected) => {
  const { here, there, began, aborted, runs } = await two();
  const session = await here.sessions.create({ agent: "a1" });
  const { offset } = await session.post("go");
  await began.opened;
  await act(await there.sessions.get(session.id), there);
  await aborted.opened;
  const outcome = await session.outcome(offset).then(
    ({ status }) => status,
    (error: unknown) => (ThroughlineError.is(error) ? error.code : String(error)),
  );
  expect(outcome).toBe(expected);
  expect(runs.length).toBe(1);
});

test("a session that is forked while a call runs keeps the call, and the fork goes on without its result", async () => {
  const { here, there, began, aborted, runs } = await two();
  const session = await here.sessions.create({ agent: "a1" });
  await session.post("go");
  await began.opened;
  const fork = await (await there.sessions.get(session.id)).fork();
  expect(await fork.send("and now?")).toMatchObject({ status: "completed", reply: "done" });
  expect(callsIn(await collect(fork))).toEqual(["called pay"]);
  expect((await fork.messages()).filter(({ role }) => role === "tool").length).toBe(1);
  await session.stop();
  await aborted.opened;
  expect(runs.length).toBe(1);
});
