/** What happens between a look and a commit: races that storms have found, each made to happen. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type Event, type Runtime, type Session, type Store, ThroughlineError, openStore } from "../../packages/throughline/src/index.ts";
import type { Claim, ClaimRequest, Commit, CommitResult } from "../../packages/throughline/src/store/port.ts";
import { judge } from "../chaos/law.ts";
import { chaosRuntime } from "../chaos/agent.ts";
import { outsideHere } from "../chaos/outside.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { growingAgent, runtimeFor } from "./conversations.ts";

interface Between {
  commit?: (commit: Commit, go: () => Promise<CommitResult>) => Promise<CommitResult>;
  claim?: (request: ClaimRequest, go: () => Promise<Claim | undefined>) => Promise<Claim | undefined>;
}

/** A store whose commits and claims can be held up. */
function interposed(store: Store, between: Between): Store {
  return {
    ...forwarding(store),
    commit: (commit) => between.commit?.(commit, () => store.commit(commit)) ?? store.commit(commit),
    claim: (request) => between.claim?.(request, () => store.claim(request)) ?? store.claim(request),
  };
}

/** Does something once, right before the first commit that interrupts turns. */
function beforeInterruption(work: () => Promise<unknown>): Between {
  let done = false;
  return {
    async commit(commit, go) {
      if (commit.session?.fence === true && commit.session.end_turns?.length !== undefined && !done) {
        done = true;
        await work();
      }
      return go();
    },
  };
}

/** Two processes on one store: one that interrupts, and meets what the other does right before its commit. */
async function twoProcesses(
  meanwhile: (other: Session) => Promise<unknown>,
): Promise<{ readonly store: Store; readonly session: Session; readonly other: Runtime }> {
  const store = await openStore(":memory:");
  const other = await chaosRuntime(store, { dice: createChooser(1), outside: outsideHere().outside, work: false });
  const between = beforeInterruption(async () => meanwhile(await other.sessions.get(session.id)));
  const runtime = await chaosRuntime(interposed(store, between), { dice: createChooser(2), outside: outsideHere().outside, work: false });
  const session = await runtime.sessions.create({ agent: "chaos" });
  onTestFinished(async () => {
    await runtime.close();
    await other.close();
  });
  return { store, session, other };
}

/** Answers what is open, and judges the log. */
async function drainAndJudge(store: Store, session: Session): Promise<readonly string[]> {
  const worker = await chaosRuntime(store, { dice: createChooser(3), outside: outsideHere().outside });
  try {
    await session.setMode("auto");
    for (let tries = 0; tries < 200; tries++) {
      const { turns, waiting } = await session.pending();
      if (turns.length === 0 && waiting.length === 0) break;
      if (turns.length === 0) await worker.sessions.get(session.id).then((handle) => handle.resume());
      await delay(10);
    }
  } finally {
    await worker.close();
  }
  return (await judge(store, session.id, [])).violations;
}

test("a message that joins the queued turn while that is stopped is not lost", async () => {
  const { store, session } = await twoProcesses((other) => other.post("s1 says 2"));
  await session.post("s1 says 1");
  expect(await session.stop()).toBe(true);
  expect(await drainAndJudge(store, session)).toEqual([]);
});

test("a message that is accepted while everything is withdrawn leaves no turn that answers nothing", async () => {
  const { store, session } = await twoProcesses((other) => other.post("s1 says 2"));
  await session.post("s1 says 1");
  expect(await drainAndJudge(store, session)).toEqual([]);
  await session.withdraw({ from: 1 });
  expect(await drainAndJudge(store, session)).toEqual([]);
  const events: Event[] = await Array.fromAsync(session.events({ kinds: ["turn"], follow: false }));
  expect(events.flatMap((event) => (event.kind === "turn" && event.data.type === "started" ? [event.data.answers.length] : []))).not.toContain(0);
});

test("a turn that begins while a person takes over begins once", async () => {
  const store = await openStore(":memory:");
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  // The worker's first commit waits until the person has looked, and goes ahead of the person's.
  const slow: Between = {
    async commit(_commit, go) {
      await gate.promise;
      const result = await go();
      begun.resolve();
      return result;
    },
  };
  const person: Between = {
    async commit(commit, go) {
      if (commit.session?.header?.mode === "manual") {
        gate.resolve();
        await begun.promise;
      }
      return go();
    },
  };
  const desk = await chaosRuntime(interposed(store, person), { dice: createChooser(2), outside: outsideHere().outside, work: false });
  const session = await desk.sessions.create({ agent: "chaos" });
  await session.post("s1 says 1");
  const worker = await chaosRuntime(interposed(store, slow), { dice: createChooser(1), outside: outsideHere().outside });
  while ((await session.pending()).turns[0]?.status !== "running") await delay(2);
  await session.setMode("manual");
  await worker.close();
  expect(await drainAndJudge(store, session)).toEqual([]);
  await desk.close();
});

test("whoever asked the agent to speak hears that a person has taken over before it began", async () => {
  const runtime = await runtimeFor(await openStore(":memory:"), growingAgent, false);
  onTestFinished(() => runtime.close());
  const session = await runtime.sessions.create({ agent: "laws" });
  const resumed = session.resume();
  while ((await session.pending()).turns.length === 0) await delay(2);
  await session.setMode("manual");
  expect(await resumed).toMatchObject({ status: "waiting", reply: undefined });
});

test("whoever sends hears why a turn cannot run, even if the poll was the one to take it up", async () => {
  const store = await openStore(":memory:");
  let taken = 0;
  const between: Between = {
    // The poll has the lease before the sender's own claim asks for it, and hears of it after that was turned down.
    async claim(request, go) {
      if (request.kind === "session") await delay(60);
      const claim = await go();
      if (request.kind === "next" && claim !== undefined) {
        taken += 1;
        await delay(120);
      }
      return claim;
    },
    async commit(commit, go) {
      if (commit.session?.start_turn !== undefined) throw new ThroughlineError("store.full");
      return go();
    },
  };
  const runtime = await runtimeFor(interposed(store, between), growingAgent);
  onTestFinished(() => runtime.close({ drainMs: 0 }));
  const session = await runtime.sessions.create({ agent: "laws" });
  const sent = session.send("hello", { signal: AbortSignal.timeout(1500) }).then(
    () => "answered",
    (error: unknown) => (ThroughlineError.is(error) ? error.code : String(error)),
  );
  expect(await sent).toBe("store.full");
  expect(taken).toBeGreaterThan(0);
});
