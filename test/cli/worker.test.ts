/** `throughline worker`: turns that other processes accept are run there, and handed on when it ends. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRuntime, openStore, type Runtime, type Session } from "../../src/index.ts";
import { root } from "../../scripts/root.ts";
import { documentOf, newFolder, run, start, type Live } from "./run-cli.ts";

/** Answers after the milliseconds that the message says. */
const agentModule = (version: number): string => `
import { z } from ${JSON.stringify(join(root, "node_modules/zod/index.js"))};
import { defineAgent, defineState, input, loop, scripted } from ${JSON.stringify(join(root, "src/index.ts"))};
const state = defineState({ message: input(z.string()) });
const model = scripted((request) => {
  const said = request.messages.at(-1)?.text ?? "";
  return { text: ["after ", said], wait: () => new Promise((resolve) => setTimeout(resolve, Number(said))) };
});
export const agent = defineAgent({ name: "slow", version: ${version}, state, reply: loop({ model }), migrations: ${version === 1 ? "[]" : "[{ from: 1, to: 2, migrate: (old) => old }]"} });
`;

interface Place {
  readonly cwd: string;
  readonly client: Runtime;
  readonly session: Session;
  readonly worker: (...words: string[]) => Promise<Live>;
}

async function place(): Promise<Place> {
  const cwd = newFolder();
  writeFileSync(join(cwd, "agent.ts"), agentModule(1));
  const { agent } = (await import(join(cwd, "agent.ts"))) as { readonly agent: Parameters<typeof createRuntime>[0]["agents"][number] };
  const store = await openStore(join(cwd, "app.db"));
  const client = await createRuntime({ store, agents: [agent], work: false });
  onTestFinished(async () => {
    await client.close();
    await store.close();
  });
  const worker = async (...words: string[]): Promise<Live> => {
    const live = start(["worker", "--agent", "agent.ts", "--store", "app.db", ...words], { cwd });
    await live.until("Ready: running slow (definition 1) on app.db");
    return live;
  };
  return { cwd, client, session: await client.sessions.create({ agent: "slow" }), worker };
}

const turnsOf = async ({ cwd }: Place): Promise<unknown> =>
  (documentOf(["--db", "app.db", "sessions", "show"], { cwd }) as { readonly open_turns: unknown }).open_turns;

describe("throughline worker", () => {
  test("answers what clients accept, hears of it at once, and ends with 0 on SIGTERM", async () => {
    const { session, worker } = await place();
    const live = await worker();
    expect(await session.send("1")).toMatchObject({ status: "completed", reply: "after 1" });
    expect(await session.send("2")).toMatchObject({ status: "completed", reply: "after 2" });
    live.child.kill("SIGTERM");
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.text()).toMatch(/Ended on SIGTERM: 2 turns ended here, 0 were left for another process\.\n$/);
  });

  test("the first signal lets a turn come to its end and takes no other", async () => {
    const { session, worker } = await place();
    const live = await worker();
    const first = session.send("700");
    await started(session);
    live.child.kill("SIGINT");
    const { offset } = await session.post("5");
    expect(await first).toMatchObject({ status: "completed", reply: "after 700" });
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect((await session.pending()).waiting).toEqual([offset]);
    const next = await worker();
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "after 5" });
    next.child.kill("SIGTERM");
    await next.ended;
  });

  test("the second signal hands the turn over at once, without counting an attempt", async () => {
    const here = await place();
    const live = await here.worker("--drain", "600");
    const { offset } = await here.session.post("60000");
    await started(here.session);
    live.child.kill("SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 100));
    live.child.kill("SIGTERM");
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.text()).toContain("0 turns ended here, 1 were left for another process");
    expect(await turnsOf(here)).toMatchObject([{ number: 1, status: "running", attempts: 0 }]);
    expect((await here.session.pending()).waiting).toEqual([offset]);
  });

  test("an older definition leaves the session to a newer one", async () => {
    const { cwd, session, worker } = await place();
    writeFileSync(join(cwd, "newer.ts"), agentModule(2));
    const newer = start(["worker", "--agent", "newer.ts", "--store", "app.db"], { cwd });
    await newer.until("Ready: running slow (definition 2)");
    await session.send("1");
    newer.child.kill("SIGTERM");
    await newer.ended;
    const older = await worker();
    const { offset } = await session.post("2");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await session.pending()).toMatchObject({ waiting: [offset], turns: [{ status: "queued" }] });
    expect(run(["doctor", "--agent", "agent.ts", "--db", "app.db"], { cwd }).out).toMatch(/open turns +1; 1 of them waits for a newer definition/);
    older.child.kill("SIGTERM");
    expect(await older.ended).toEqual({ code: 0, signal: null });
    expect(older.text()).toContain("0 turns ended here, 0 were left");
  });

  test("says what is wrong in a sentence, with an exit code", () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "agent.ts"), agentModule(1));
    const wrong = (...words: readonly string[]): readonly [number | null, string] => {
      const { code, err } = run(["worker", ...words], { cwd });
      return [code, err];
    };
    expect(wrong("--agent", "none.ts")).toEqual([3, expect.stringContaining("There is no agent module at none.ts.")]);
    expect(wrong("--agent", "agent.ts", "--store", ":memory:")).toEqual([2, expect.stringContaining(":memory: is none")]);
    expect(wrong("--agent", "agent.ts", "--concurrency", "0")).toEqual([2, expect.stringContaining("whole number from 1")]);
    expect(wrong("--agent", "agent.ts", "--agent", "agent.ts")).toEqual([2, expect.stringContaining('Two agents are named "slow"')]);
    expect(wrong("--agent", "agent.ts", "--store", ".")).toEqual([2, expect.stringContaining("is a folder")]);
  });
});

/** Waits until a worker has the session's turn. */
async function started(session: Session): Promise<void> {
  while ((await session.pending()).turns[0]?.status !== "running") await new Promise((resolve) => setTimeout(resolve, 5));
}
