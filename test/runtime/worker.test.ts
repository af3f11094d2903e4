/** What the worker of a process takes up, what it leaves to others, and how it leaves. */
import { setImmediate as settled } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  type Clock,
  openStore,
  scripted,
  ThroughlineError,
  type Runtime,
  type RuntimeOptions,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { code, echoAgent, emptyStore, gate, started, until } from "./harness.ts";

const hour = 3_600_000;

/** An agent whose model waits for `go` before it replies to messages with "slow" in them. */
function slowAgent() {
  const go = gate();
  const model = scripted(({ messages }) => {
    const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
    return { text: `re:${text}`, wait: (signal) => (text.includes("slow") ? Promise.race([go.opened, aborted(signal)]) : Promise.resolve()) };
  });
  return { agent: echoAgent({ model }), model, go: () => go.open() };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));

/** A process that accepts messages and runs no turns, and a function that starts one that does. */
async function front(agent = echoAgent(), below?: Store) {
  const store = below ?? (await emptyStore("memory"));
  const accepting = await started({ store, agents: [agent], work: false });
  const post = async (text: string) => {
    const session = await accepting.sessions.create({ agent: "a1" });
    return { session, ...(await session.post(text)) };
  };
  const worker = (options: Partial<RuntimeOptions> = {}): Promise<Runtime> => started({ store, agents: [agent], pollMs: hour, ...options });
  return { store, accepting, post, worker };
}

test("a stop ends the turn of this process at once, before its lease is looked at", async () => {
  const { agent, model } = slowAgent();
  const below = await emptyStore("memory");
  let watched = 0;
  const store: Store = {
    ...forwarding(below),
    // The lease hears of nothing.
    watch: (...call) => (++watched === 1 ? new Promise(() => {}) : below.watch(...call)),
  };
  const runtime = await started({ store, agents: [agent], leaseMs: hour, heartbeatMs: hour / 2, pollMs: hour });
  const session = await runtime.sessions.create({ agent: "a1" });
  await session.post("slow");
  await until(() => model.requests.length === 1 && watched === 1);
  await session.stop();
  expect(await session.send("two")).toMatchObject({ status: "completed", reply: "re:two" });
});

test("a process with all places taken leaves the turns of other sessions to other processes", async () => {
  const { agent, model, go } = slowAgent();
  const { post, worker } = await front(agent);
  await post("slow");
  await worker({ concurrency: 1 });
  await until(() => model.requests.length === 1);
  const second = await post("two");
  await settled();
  await worker({ concurrency: 1 });
  expect(await second.session.outcome(second.offset)).toMatchObject({ status: "completed", reply: "re:two" });
  go();
});

test("a process whose place becomes free takes up what waits, before its next look", async () => {
  const { agent, model, go } = slowAgent();
  const { post, worker } = await front(agent);
  await post("slow");
  await worker({ concurrency: 1 });
  await until(() => model.requests.length === 1);
  const second = await post("two");
  await settled();
  go();
  expect(await second.session.outcome(second.offset)).toMatchObject({ status: "completed", reply: "re:two" });
});

test("with one place, sessions of one process are answered one after the other, all of them", async () => {
  const { agent, model, go } = slowAgent();
  const runtime = await started({ agents: [agent], concurrency: 1, pollMs: hour });
  const sessions = await Promise.all(["slow 1", "slow 2", "slow 3"].map(async () => runtime.sessions.create({ agent: "a1" })));
  const replies = sessions.map((session, index) => session.send(`slow ${index}`));
  await until(() => model.requests.length > 0);
  await settled();
  expect(model.requests).toHaveLength(1);
  go();
  expect((await Promise.all(replies)).map(({ reply }) => reply)).toEqual(["re:slow 0", "re:slow 1", "re:slow 2"]);
});

test("a look that fails is logged, and the next one takes up what waits", async () => {
  const below = await emptyStore("memory");
  let fails = true;
  const store: Store = {
    ...forwarding(below),
    claim: (request) => {
      if (request.kind !== "next" || !fails) return below.claim(request);
      fails = false;
      return Promise.reject(new ThroughlineError("store.unreachable"));
    },
  };
  const warnings: unknown[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (...entry: readonly unknown[]) => void warnings.push(entry) };
  const { post, worker } = await front(echoAgent(), store);
  const { session, offset } = await post("one");
  await worker({ logger, pollMs: 20 });
  expect(await session.outcome(offset)).toMatchObject({ reply: "re:one" });
  expect(warnings).toEqual([["polling for turns failed", { code: "store.unreachable" }, expect.any(ThroughlineError)]]);
});

test("a turn that could not be released while the database was away goes on at the next poll after that, not when its lease ends", async () => {
  const clock = fixedClock();
  const below = await openStore(":memory:", { clock });
  let away = false;
  let refused = 0;
  const unlessAway = <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (!away) return call();
    refused += 1;
    return Promise.reject(new ThroughlineError("store.unreachable"));
  };
  const store: Store = {
    ...forwarding(below),
    commit: (commit) => unlessAway(() => below.commit(commit)),
    claim: (request) => unlessAway(() => below.claim(request)),
    release: (request) => unlessAway(() => below.release(request)),
  };
  const { agent, model, go } = slowAgent();
  const notRun: unknown[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => void notRun.push(message) };
  const { sessions } = await started({ store, clock, agents: [agent], logger, leaseMs: hour, heartbeatMs: hour / 4, pollMs: 2_000 });
  const session = await sessions.create({ agent: "a1" });
  const { offset } = await session.post("slow");
  await until(() => model.requests.length === 1);
  away = true;
  go();
  await expect.poll(() => (clock.advance(100), notRun)).toEqual(["turn not run"]);
  expect(refused).toBeGreaterThan(1);
  away = false;
  // The session's events end its wait, which has no clock.
  const outcome = session.outcome(offset);
  let over = false;
  void outcome.finally(() => (over = true));
  const back = clock.monotonic();
  await expect.poll(() => (clock.advance(100), over)).toBe(true);
  expect(await outcome).toMatchObject({ status: "completed", reply: "re:slow" });
  expect(clock.monotonic() - back).toBeLessThan(hour / 2);
});

test.each([
  { pause: "of a busy process", blocked: 7_000, asleep: 0 },
  // While a machine sleeps, the monotonic clock stands still.
  { pause: "of a sleeping machine", blocked: 500, asleep: 7_000 },
])("a turn that runs here is claimed once, although pauses $pause outlast its lease", async ({ blocked, asleep }) => {
  const standing = fixedClock();
  let slept = 0;
  const [heartbeatMs, pollMs] = [1_500, 500];
  const clock: Clock = {
    ...standing,
    now: () => standing.now() + slept,
    // After a pause, timers run in the order of their time. The poll is due before the renewal.
    sleep: (ms, signal) => standing.sleep(ms, signal).then(() => (ms === heartbeatMs ? settled() : undefined)),
  };
  const store = await openStore(":memory:", { clock });
  const { agent, model, go } = slowAgent();
  const { sessions } = await started({ store, clock, agents: [agent], leaseMs: 6_000, heartbeatMs, pollMs });
  const session = await sessions.create({ agent: "a1" });
  const { offset } = await session.post("slow");
  await until(() => model.requests.length === 1);
  for (let pauses = 0; pauses < 3; pauses++) {
    slept += asleep;
    standing.advance(blocked);
    for (let turns = 0; turns < 10; turns++) await settled();
  }
  go();
  const { status, reply, diagnostics } = await session.outcome(offset);
  expect([status, reply, diagnostics?.["attempt"], model.requests.length]).toEqual(["completed", "re:slow", undefined, 1]);
});

test("a process that cannot hear of other processes' turns says so, and finds them when it looks", async () => {
  const below = await emptyStore("memory");
  const store: Store = { ...forwarding(below), watchTurns: () => Promise.reject(new ThroughlineError("store.unreachable")) };
  const warnings: unknown[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (...entry: readonly unknown[]) => void warnings.push(entry) };
  const { post, worker } = await front(echoAgent(), store);
  const deaf = await worker({ logger, pollMs: 20 });
  const { session, offset } = await post("one");
  expect(await session.outcome(offset)).toMatchObject({ reply: "re:one" });
  await deaf.close();
  expect(warnings).toEqual([["turns of other processes are not watched", { code: "store.unreachable" }, expect.any(ThroughlineError)]]);
});

test("a turn that is claimed while the process closes is given back before that is done, and its attempt is not counted", async () => {
  const [claiming, go] = [gate(), gate()];
  const below = await emptyStore("memory");
  const store: Store = {
    ...forwarding(below),
    claim: async (request) => {
      const claim = await below.claim(request);
      if (claim === undefined) return claim;
      claiming.open();
      await go.opened;
      return claim;
    },
  };
  const { accepting, post, worker } = await front(echoAgent(), below);
  const { session, offset } = await post("one");
  const leaving = await started({ store, agents: [echoAgent()], pollMs: hour, leaseMs: hour, heartbeatMs: hour / 2 });
  await claiming.opened;
  let closed = false;
  const closing = leaving.close({ drainMs: 0 }).then(() => (closed = true));
  await settled();
  expect(closed).toBe(false);
  go.open();
  await closing;
  await worker();
  const { status, diagnostics } = await session.outcome(offset);
  expect([status, diagnostics?.["attempt"]]).toEqual(["completed", undefined]);
  await accepting.close();
});

test("who waits in a process for a turn that it will not see is told when it closes", async () => {
  const { accepting } = await front();
  const session = await accepting.sessions.create({ agent: "a1" });
  const waiting = code(session.send("one"));
  await expect.poll(async () => (await session.pending()).waiting.length).toBe(1);
  await accepting.close();
  expect(await waiting).toBe("aborted");
});

test("a turn runs in a span that names its session, its turn and its attempt", async () => {
  const spans: unknown[] = [];
  const tracer: RuntimeOptions["tracer"] = {
    span: (name, attributes, work) => {
      if (name === "turn") spans.push(attributes);
      return work();
    },
  };
  const runtime = await started({ tracer });
  const session = await runtime.sessions.create({ agent: "a1" });
  const { turn_id } = await session.send("one");
  expect(spans).toEqual([{ session_id: session.id, turn_id, attempt: 1 }]);
});
