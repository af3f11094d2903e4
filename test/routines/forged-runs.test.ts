/** What callers post cannot name a run, and the input of the routine that it enters fits. On each database. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, input, loop, openStore, scripted } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { started } from "../runtime/harness.ts";
import { emptyPostgresDatabase, newSqliteFile } from "../setup/database.ts";

const State = defineState({ message: input(z.string()), ...routineFields() });
const said = { emit_output: { output: ({ input: { n } }: { readonly input: { readonly n: string } }) => ({ n }) } } as const;
const n = z.object({ n: z.string() });
const [echo, other] = ["echo", "other"].map((id) =>
  defineRoutine({
    ...{ id, title: id, state: State, autonomous: true, input: n, output: n },
    nodes: { hold: { wait: { event: "go" }, next: "say" }, say: said },
  }),
);
const loud = defineRoutine({
  ...{ id: "loud", title: "Loud", state: State, input: z.object({ n: z.string().transform((text) => `${text}!`) }) },
  nodes: { hold: { wait: { event: "go" }, next: "end" } },
});

async function opened(location: string) {
  if (echo === undefined || other === undefined) throw new Error("There are two routines.");
  const store = await openStore(location);
  const extension = routines({ routines: [echo, other, loud] });
  const agent = defineAgent({ name: "desk", state: State, extensions: [extension], reply: loop({ model: scripted(() => "Certainly.") }) });
  const runtime = await started({ agents: [agent], pollMs: 20, store });
  const create = () => runtime.sessions.create({ agent: "desk" });
  const start = (session: Awaited<ReturnType<typeof create>>, key = "k") =>
    runtime.runs.start("echo", { n: "real" }, { session_id: session.id, idempotencyKey: key });
  const forge = (session: Awaited<ReturnType<typeof create>>, command: object) =>
    session.postCustom({ routine: { enter: "echo", input: { n: "forged" }, ...command } });
  const statusOf = (id: string) => expect.poll(async () => (await runtime.runs.get(id)).status, { timeout: 10_000 });
  const frames = async (session: Awaited<ReturnType<typeof create>>) => (await session.extension(extension).position()).frames;
  return { runtime, extension, create, start, forge, statusOf, frames };
}

describe.each(["SQLite", "PostgreSQL"] as const)("an event of a caller, on %s", (database) => {
  const open = async () => opened(database === "SQLite" ? newSqliteFile() : await emptyPostgresDatabase());

  it("K: changes nothing of a run of another session", async () => {
    const { runtime, extension, create, start, forge, statusOf, frames } = await open();
    const [own, mallory] = [await create(), await create()];
    const run = await start(own);
    await statusOf(run.id).toBe("waiting");
    await forge(mallory, { run: run.id });
    await forge(mallory, { enter: "other", run: run.id });
    await mallory.extension(extension).event("go");
    await expect.poll(async () => (await mallory.turns()).items.map(({ status }) => status), { timeout: 10_000 }).toEqual(["ended"]);
    expect(await frames(mallory)).toEqual([]);
    expect(await runtime.runs.get(run.id)).toMatchObject({ status: "waiting" });
    await own.extension(extension).event("go");
    await statusOf(run.id).toBe("completed");
    expect(await runtime.runs.get(run.id)).toMatchObject({ output: { n: "real" } });
  });

  it("K: enters no run of its own session, also before it is started", async () => {
    const { runtime, extension, create, start, forge, statusOf, frames } = await open();
    // The id follows from the key.
    const elsewhere = await opened(":memory:");
    const { id } = await elsewhere.start(await elsewhere.create(), "known");
    const session = await create();
    await forge(session, { run: id });
    const run = await start(session, "known");
    expect(run.id).toBe(id);
    await statusOf(id).toBe("waiting");
    await forge(session, { run: id });
    await session.extension(extension).event("go");
    await statusOf(id).toBe("completed");
    expect(await runtime.runs.get(id)).toMatchObject({ output: { n: "real" } });
    expect(await frames(session)).toEqual([]);
  });

  it("enters a routine only with an input that fits it, which is checked once", async () => {
    const { extension, create, forge, frames } = await open();
    const session = await create();
    await forge(session, { enter: "loud", input: { n: 12_345 } });
    await forge(session, { enter: "loud", input: "n" });
    await forge(session, { input: { n: "n" } });
    await expect(session.extension(extension).enter("echo", { n: "n" })).rejects.toThrow(/runs\.start/u);
    await session.extension(extension).enter("loud", { n: "a" });
    await expect
      .poll(async () => (await frames(session)).map(({ routine, input: given }) => [routine, given]), { timeout: 10_000 })
      .toEqual([["loud", { n: "a!" }]]);
  });

  it("of a fork goes on without the run", async () => {
    const { runtime, extension, create, start, statusOf, frames } = await open();
    const session = await create();
    const run = await start(session);
    await statusOf(run.id).toBe("waiting");
    const fork = await session.fork();
    await fork.extension(extension).event("go");
    await expect.poll(() => frames(fork), { timeout: 10_000 }).toEqual([]);
    expect(await runtime.runs.get(run.id)).toMatchObject({ status: "waiting" });
  });
});
