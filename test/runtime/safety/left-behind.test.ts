/** Assessments that wait in a process, and get to the store before it is gone. */
import { expect, test } from "vitest";
import { createRuntime, openStore, ThroughlineError, type Store } from "../../../packages/throughline/src/index.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { assessments, gated } from "./harness.ts";

async function whileDown(options: { readonly work: boolean; readonly pollMs: number }) {
  const inner = await openStore(":memory:");
  let down = false;
  const store: Store = {
    ...forwarding(inner),
    commit: (commit) => (down ? Promise.reject(new ThroughlineError("store.failed")) : inner.commit(commit)),
  };
  const runtime = await createRuntime({ store, agents: [gated().agent], ...options });
  const session = await runtime.sessions.create({ agent: "companion" });
  down = true;
  expect(await session.send("I want to die")).toMatchObject({ saved: false });
  down = false;
  return { inner, runtime };
}

test("a process that runs no turns writes what it has left itself once the store is back", async () => {
  const { inner, runtime } = await whileDown({ work: false, pollMs: 20 });
  await expect.poll(async () => (await assessments(inner)).map(({ level }) => level)).toEqual([2]);
  await runtime.close();
});

test.each([true, false])("closing writes what waits (work: %s)", async (work) => {
  const { inner, runtime } = await whileDown({ work, pollMs: 600_000 });
  expect(await assessments(inner)).toEqual([]);
  await runtime.close({ drainMs: 0 });
  expect(await assessments(inner)).toMatchObject([{ level: 2 }]);
});
