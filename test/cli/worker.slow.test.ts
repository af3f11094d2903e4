/** `throughline worker`: turns that other processes accept are run there, and handed on when it ends. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseExposition } from "../telemetry/exposition.ts";
import { documentOf, newFolder, run, start } from "./run-cli.ts";
import { type Place, agentModule, place, started } from "./worker-place.ts";

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

  test("serves its metrics at a port of its own, refuses a port that is taken, and ends as without", async () => {
    const { cwd, session, worker } = await place();
    const configure = (port: string): void => writeFileSync(join(cwd, "throughline.yaml"), `telemetry:\n  metrics: key\n  worker_port: ${port}\n`);
    configure("0");
    const live = await worker();
    expect(await session.send("1")).toMatchObject({ status: "completed" });
    const url = /Metrics at (http:\S+\/metrics)\./u.exec(live.text())?.[1] ?? "";
    const turns = async (): Promise<unknown> => parseExposition(await (await fetch(url)).text()).get("throughline_turns_total")?.samples;
    await expect.poll(turns, { timeout: 10_000 }).toMatchObject([{ labels: { agent: "slow" }, value: 1 }]);
    expect((await fetch(new URL("/", url))).status).toBe(404);
    expect((await fetch(url, { method: "POST" })).status).toBe(404);
    configure(new URL(url).port);
    const second = start(["worker", "--agent", "agent.ts", "--store", "app.db"], { cwd });
    expect(await second.ended).toMatchObject({ code: expect.not.toBeOneOf([0, null]) as number });
    expect(second.text()).toContain("cannot listen");
    live.child.kill("SIGTERM");
    expect(await live.ended).toEqual({ code: 0, signal: null });
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
    expect(wrong("--agent", "agent.ts", "--store", ":memory:")).toEqual([2, expect.stringContaining(":memory: is not shared")]);
    expect(wrong("--agent", "agent.ts", "--concurrency", "0")).toEqual([2, expect.stringContaining("whole number from 1")]);
    expect(wrong("--agent", "agent.ts", "--agent", "agent.ts")).toEqual([2, expect.stringContaining('Two agents are named "slow"')]);
    expect(wrong("--agent", "agent.ts", "--store", ".")).toEqual([2, expect.stringContaining("is a folder")]);
  });
});
