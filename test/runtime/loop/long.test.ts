import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createRuntime, defineTool, type ModelRequest, type Script } from "../../../packages/throughline/src/index.ts";
import { emptyStore, gate, started } from "../harness.ts";
import { calling, scriptedAgent } from "./harness.ts";

const note = defineTool({
  name: "note",
  description: "Notes.",
  parameters: z.object({ n: z.number() }),
  effects: "idempotent",
  outputsToState: { total: {} },
  execute: ({ n }) => n,
});

const textsOf = (request: ModelRequest | undefined): readonly string[] => (request?.messages ?? []).map(({ text }) => text);

/** Says what it was told, and works for `steps` steps when it is told to. */
const worker =
  (steps: number, hold?: { readonly at: number; readonly held: () => void }): Script =>
  (request) => {
    const since = request.messages.findLastIndex(({ role }) => role === "user");
    const done = request.messages.slice(since).filter(({ role }) => role === "tool").length;
    const told = request.messages[since]?.text ?? "";
    if (told !== "work" || done === steps) return `did ${done} for ${told}`;
    const reply = calling(["note", { n: done + 1 }]);
    if (hold?.at !== done) return reply;
    hold.held();
    return {
      ...reply,
      text: "…",
      wait: (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    };
  };

const options = { loop: { tools: [note] }, agent: { budget: { steps: 500 } } };

describe.each(["memory", "sqlite"] as const)("a turn of many steps (%s)", (kind) => {
  test("leaves the next one what was said before it", async () => {
    const { agent, model } = scriptedAgent(worker(60), options);
    const runtime = await started({ agents: [agent], kind });
    const session = await runtime.sessions.create({ agent: "a1" });
    for (const text of ["one", "two", "work", "three"]) expect(await session.send(text)).toMatchObject({ status: "completed" });
    const said = ["one", "did 0 for one", "two", "did 0 for two", "work", "did 60 for work", "three"];
    expect(textsOf(model.requests.at(-1))).toEqual(said);
  });

  test("that was killed in the middle goes on with the same conversation, and does nothing twice", async () => {
    const store = await emptyStore(kind);
    const held = gate();
    const first = scriptedAgent(worker(60, { at: 50, held: () => held.open() }), options);
    const dying = await createRuntime({ store, agents: [first.agent], leaseMs: 500, heartbeatMs: 100, pollMs: 20 });
    const session = await dying.sessions.create({ agent: "a1" });
    for (const text of ["one", "two"]) await session.send(text);
    const { offset } = await session.post("work");
    await held.opened;
    const before = first.model.requests.at(-1);
    await dying.close({ drainMs: 0 });
    const second = scriptedAgent(worker(60), options);
    const runtime = await started({ agents: [second.agent], store });
    const resumed = await runtime.sessions.get(session.id);
    expect(await resumed.outcome(offset)).toMatchObject({ status: "completed", reply: "did 60 for work" });
    // What was not committed yet is done again, from the same request on.
    const [again] = second.model.requests;
    const steps = (again?.messages.length ?? 0) - 5;
    expect(steps).toBeGreaterThan(90);
    expect(textsOf(again)).toEqual(textsOf(before).slice(0, textsOf(again).length));
    expect(textsOf(again).slice(0, 5)).toEqual(["one", "did 0 for one", "two", "did 0 for two", "work"]);
    expect((await resumed.state()).document).toMatchObject({ total: 60 });
  });
});
