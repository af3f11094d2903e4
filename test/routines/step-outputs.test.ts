/** Outputs of `think` nodes for integrations: in the session's metadata, and in no prompt because of it. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, input, loop, scripted, type Session } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { code, started } from "../runtime/harness.ts";

const State = defineState({ message: input(z.string()), ...routineFields() });
const number = z.object({ n: z.number() });

const counting = defineRoutine({
  ...{ id: "counting", title: "Counting", autonomous: true, state: State },
  nodes: {
    one: { think: { instructions: "One.", output: number }, next: "two" },
    two: { think: { instructions: "Two.", output: number }, next: [{ to: "one", when: { value: "result.n", below: 4 } }, { to: "end" }] },
  },
});

async function counted() {
  let n = 0;
  const extension = routines({ routines: [counting] });
  const model = scripted((request) => {
    const [tool] = request.tools;
    return tool === undefined ? "Hello." : { calls: [{ call_id: "1", name: tool.name, arguments: { n: (n += 1) } }] };
  });
  const runtime = await started({ agents: [defineAgent({ name: "counter", state: State, extensions: [extension], reply: loop({ model }) })] });
  const session = await runtime.sessions.create({ agent: "counter", metadata: { session_key: "t-1" } });
  const count = async () => {
    const { id } = await runtime.runs.start(counting, undefined, { session_id: session.id });
    await expect.poll(async () => (await runtime.runs.get(id)).status).toBe("completed");
  };
  return { model, session, count };
}

const metadataOf = async (session: Session): Promise<Readonly<Record<string, unknown>>> => (await session.info()).metadata.values;

const outputs = {
  step_outputs: { one: { n: 3 }, two: { n: 4 } },
  step_visits: [
    { routine: "counting", node: "one", visit: 1, output: { n: 1 } },
    { routine: "counting", node: "two", visit: 1, output: { n: 2 } },
    { routine: "counting", node: "one", visit: 2, output: { n: 3 } },
    { routine: "counting", node: "two", visit: 2, output: { n: 4 } },
  ],
};

describe("step outputs", () => {
  it("K10, K11: are merged over nodes, with the latest value of each and every visit, beside the integration's own keys", async () => {
    const { session, count } = await counted();
    await count();
    expect(await metadataOf(session)).toEqual({ session_key: "t-1", ...outputs });
    await session.send("hello");
    expect(await metadataOf(session)).toEqual({ session_key: "t-1", ...outputs });
  });

  it("are written by the runtime only, and keep what an integration writes meanwhile", async () => {
    const { session, count } = await counted();
    expect(await code(session.setMetadata({ set: { step_outputs: {} } }))).toBe("metadata.reserved");
    expect(await code(session.setMetadata({ unset: ["step_visits"] }))).toBe("metadata.reserved");
    const sent = count();
    await session.setMetadata({ set: { ticket: 7 } });
    await sent;
    expect(await metadataOf(session)).toEqual({ session_key: "t-1", ticket: 7, ...outputs });
  });

  it("go with a withdrawal, and a fork has those of its point", async () => {
    const { session, count } = await counted();
    await session.send("hello");
    const { head } = await session.info();
    await count();
    const fork = await session.fork();
    expect(await metadataOf(fork)).toEqual(outputs);
    expect(await metadataOf(await session.fork({ at: head }))).toEqual({});
    await session.withdraw({ from: head + 1 });
    expect(await metadataOf(session)).toEqual({ session_key: "t-1" });
    expect(await metadataOf(fork)).toEqual(outputs);
  });

  it("reach no later prompt through the metadata", async () => {
    const { session, model, count } = await counted();
    await count();
    const before = model.requests.length;
    await session.send("hello");
    expect(JSON.stringify(model.requests.slice(before))).not.toMatch(/step_outputs|step_visits|session_key/u);
  });
});
