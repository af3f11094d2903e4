/** Runs that are refused, that fail where they stand, or whose entry is withdrawn. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, defineTool, input, loop, reduced, scripted } from "../../packages/throughline/src/index.ts";
import { defineRoutine, type Routine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { started } from "../runtime/harness.ts";

const State = defineState({ message: input(z.string()), count: reduced(z.number(), { initial: 0 }), ...routineFields() });
const autonomous = { title: "R", state: State, autonomous: true, output: z.object({ seen: z.string() }) } as const;
const emit = { emit_output: { output: { seen: "yes" } } } as const;

async function opened(list: readonly Routine[], pollMs = 20) {
  const touch = defineTool({ name: "touch", description: "Touches.", parameters: z.object({}), effects: "none", execute: () => ({}) });
  const extension = routines({ routines: list, tools: [touch] });
  const agent = defineAgent({ name: "desk", state: State, extensions: [extension], reply: loop({ model: scripted(() => "Certainly.") }) });
  const runtime = await started({ agents: [agent], pollMs });
  const session = await runtime.sessions.create({ agent: "desk" });
  const ended = async (id: string) => {
    await expect.poll(async () => (await runtime.runs.get(id)).finished_at, { timeout: 10_000 }).toBeDefined();
    return runtime.runs.get(id);
  };
  return { runtime, session, extension, ended };
}

describe("an input", () => {
  const open = defineRoutine({ ...autonomous, id: "open", input: z.object({ text: z.string().optional() }), nodes: { emit } });
  const bare = defineRoutine({ ...autonomous, id: "bare", nodes: { emit } });

  it("that is no object is refused, also where every member may be absent", async () => {
    const { runtime } = await opened([open, bare]);
    for (const given of [null, [], "x", 5]) {
      await expect(runtime.runs.start("open", given)).rejects.toThrow(/is an object, got/u);
      await expect(runtime.runs.start("open", given)).rejects.toMatchObject({ code: "input.invalid" });
    }
    expect((await runtime.runs.list()).items).toEqual([]);
  });

  it("of a routine that takes none is refused, unless it is empty", async () => {
    const { runtime, ended } = await opened([open, bare]);
    for (const given of [null, [], "x", { text: "lost" }]) await expect(runtime.runs.start("bare", given)).rejects.toThrow(/takes no input/u);
    for (const given of [undefined, {}]) expect(await ended((await runtime.runs.start("bare", given)).id)).toMatchObject({ status: "completed" });
  });

  it("names an unknown member as one", async () => {
    const { runtime } = await opened([open, bare]);
    await expect(runtime.runs.start("open", { txt: "" })).rejects.toThrow(/\/txt is not a member/u);
  });
});

describe("a run that fails", () => {
  it("in an endless loop of branches says so and names the node", async () => {
    const circle = defineRoutine({
      ...{ ...autonomous, id: "circle" },
      nodes: { turn: { branch: {}, next: [{ to: "turn", when: () => true }, { to: "emit" }] }, emit },
    });
    const { runtime, ended } = await opened([circle]);
    const run = await ended((await runtime.runs.start(circle)).id);
    expect(run.error).toEqual({ code: "moves_in_circle", message: 'Transitions lead in a circle in which no node works. Node: "turn".' });
  });

  it("reads nothing of a prototype under the name of a node without a result", async () => {
    const named = defineRoutine({
      ...{ ...autonomous, id: "named" },
      nodes: {
        constructor: { tool: { name: "touch" }, next: "emit" },
        emit: { emit_output: { output: ({ outputs }) => ({ seen: String("constructor" in outputs || "toString" in outputs) }) } },
      },
    });
    const { runtime, ended } = await opened([named]);
    expect(await ended((await runtime.runs.start(named)).id)).toMatchObject({ status: "completed", output: { seen: "false" } });
  });

  it("because a mapping would write where the routines stand names that", async () => {
    const writing = defineRoutine({
      ...{ ...autonomous, id: "writing" },
      nodes: { touch: { tool: { name: "touch", result: () => ({ routines: { frames: [] } }) }, next: "emit" }, emit },
    });
    const { runtime, ended } = await opened([writing]);
    expect((await ended((await runtime.runs.start(writing)).id)).error).toMatchObject({ code: "routine.failed" });
  });
});

describe("a withdrawal", () => {
  const patient = defineRoutine({ ...autonomous, id: "patient", nodes: { hold: { wait: { event: "go" }, next: "emit" }, emit } });

  it("of the entry of a run cancels the run soon, and says why", async () => {
    const { runtime, session, ended } = await opened([patient]);
    const { id } = await runtime.runs.start(patient, undefined, { session_id: session.id });
    await expect.poll(async () => (await runtime.runs.get(id)).status).toBe("waiting");
    await session.withdraw({ from: 1 });
    expect(await ended(id)).toMatchObject({ status: "cancelled", error: { code: "withdrawn" } });
  });

  it("of later turns leaves the run as it is", async () => {
    const { runtime, session, extension, ended } = await opened([patient]);
    const { id } = await runtime.runs.start(patient, undefined, { session_id: session.id });
    await expect.poll(async () => (await runtime.runs.get(id)).status).toBe("waiting");
    const { head } = await session.info();
    await session.send("Hello");
    await session.withdraw({ from: head + 1 });
    await session.extension(extension).event("go");
    expect(await ended(id)).toMatchObject({ status: "completed" });
  });
});
