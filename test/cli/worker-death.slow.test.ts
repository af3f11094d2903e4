/** Workers that die or sleep in the middle of a turn: another goes on, and the one that wakes finds that it is not its turn any more. */
import { describe, expect, test } from "vitest";
import type { Event, Session } from "../../packages/throughline/src/index.ts";
import { place, started } from "./worker-place.ts";

const eventsOf = (session: Session, kinds: readonly Event["kind"][]): Promise<readonly Event[]> =>
  Array.fromAsync(session.events({ kinds, follow: false }));

/** Everything that an agent said, and how often a turn began and ended. */
async function tally(session: Session): Promise<unknown> {
  const said = (await eventsOf(session, ["message"])).flatMap((event) =>
    event.kind === "message" && event.source === "ai_agent" ? [event.data.parts.map((part) => (part.type === "text" ? part.text : "")).join("")] : [],
  );
  const turns = (await eventsOf(session, ["turn"])).flatMap((event) => (event.kind === "turn" ? [event.data.type] : []));
  return { said, started: turns.filter((type) => type === "started").length, ended: turns.filter((type) => type === "ended").length };
}

/** Kills a process as a loss of power would. */
async function kill({ child, ended }: Awaited<ReturnType<Awaited<ReturnType<typeof place>>["worker"]>>): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

describe("a worker that is killed in the middle of a turn", () => {
  test("is followed by another at its next look, whatever is left of the lease", async () => {
    const { session, worker, open } = await place();
    const first = await worker("--lease", "3600");
    const sent = session.send("gate");
    await started(session);
    const second = await worker("--lease", "3600");
    await kill(first);
    open("gate");
    // An hour is left of the lease; a test has 20 seconds.
    expect(await sent).toMatchObject({ status: "completed", reply: "after gate", diagnostics: { attempt: 2 } });
    expect(await tally(session)).toEqual({ said: ["after gate"], started: 1, ended: 1 });
    second.child.kill("SIGTERM");
    await second.ended;
  });

  test("twice by the same turn gives it up at the third claim", async () => {
    const { session, worker } = await place();
    const sent = session.send("60000");
    for (let life = 1; life <= 2; life++) {
      const doomed = await worker("--lease", "3600");
      await until(async () => (await session.pending()).turns[0]?.status === "running" && doomed.child.exitCode === null);
      // Claims are made in the order of the looks: the worker that says it is ready has looked once, or is about to.
      await new Promise((resolve) => setTimeout(resolve, 300));
      await kill(doomed);
    }
    const last = await worker("--lease", "3600");
    expect(await sent).toMatchObject({ status: "failed", reply: "Sorry.", error: { code: "turn.poisoned" } });
    expect(await tally(session)).toEqual({ said: ["Sorry."], started: 1, ended: 1 });
    last.child.kill("SIGTERM");
    await last.ended;
  });
});

test("a worker that sleeps through its lease cannot commit when it wakes", async () => {
  const { session, worker, open } = await place();
  const sleeper = await worker("--lease", "1");
  const sent = session.send("gate");
  await started(session);
  sleeper.child.kill("SIGSTOP");
  const other = await worker("--lease", "1");
  open("gate");
  expect(await sent).toMatchObject({ status: "completed", reply: "after gate", diagnostics: { attempt: 2 } });
  sleeper.child.kill("SIGCONT");
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(await tally(session)).toEqual({ said: ["after gate"], started: 1, ended: 1 });
  sleeper.child.kill("SIGTERM");
  other.child.kill("SIGTERM");
  expect(await sleeper.ended).toEqual({ code: 0, signal: null });
  expect(sleeper.text()).toContain("0 turns ended here, 1 were left for another process");
  expect(await other.ended).toEqual({ code: 0, signal: null });
});

test("a stop by another process is heard of at once, not at the next renewal of the lease", async () => {
  const { session, worker } = await place();
  const live = await worker("--lease", "3600");
  const sent = session.send("30000");
  await started(session);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await session.stop()).toBe(true);
  expect(await sent).toMatchObject({ status: "stopped" });
  // The worker is free again: with its turn still at work it would not take the next one of the session.
  expect(await session.send("1")).toMatchObject({ status: "completed", reply: "after 1" });
  live.child.kill("SIGTERM");
  await live.ended;
  expect(live.text()).toContain("1 turns ended here, 1 were left for another process");
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
