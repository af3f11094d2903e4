import { expect, test } from "vitest";
import { openStore } from "../../../packages/throughline/src/index.ts";
import type { EscalationEvent, EscalationSink, SafetyOptions } from "../../../packages/throughline/src/safety.ts";
import { code, started, until } from "../harness.ts";
import { clockAt, dayMs } from "./clock-at.ts";
import { gated } from "./harness.ts";

const noon = Date.parse("2026-11-20T12:00:00Z");
const imminent = "I took all my pills an hour ago, goodbye everyone";

/** A sink that takes nothing until it is told to. */
function sinkThat(takes: boolean) {
  const heard: EscalationEvent[] = [];
  const missed: EscalationEvent[] = [];
  const state = { takes };
  const sink: EscalationSink = {
    name: "duty",
    notify: (event) => {
      heard.push(event);
      return state.takes ? Promise.resolve("queued") : Promise.reject(new Error("down"));
    },
    missed: (event) => (missed.push(event), Promise.resolve()),
  };
  return { sink, heard, missed, state };
}

async function watched(takes: boolean, options: Partial<SafetyOptions> = {}) {
  const told = sinkThat(takes);
  const clock = clockAt(noon);
  const store = await openStore(":memory:", { clock });
  const { agent } = gated({ sink: told.sink, ...options });
  const runtime = await started({ agents: [agent], store, clock });
  const session = await runtime.sessions.create({ agent: "companion" });
  return { ...told, clock, store, runtime, session };
}

test("an alert that the sink has taken is on record with its turn, and is told once", async () => {
  const { runtime, session, heard } = await watched(true);
  const { turn_id } = await session.send(imminent);
  const [escalation, ...others] = await runtime.safety.escalations();
  expect(others).toEqual([]);
  expect(escalation).toMatchObject({ key: turn_id, state: "delivered", level: 3, agent: "companion", session_id: session.id });
  await runtime.safety.report();
  expect(heard).toHaveLength(1);
  expect(JSON.stringify(escalation)).not.toContain("pills");
});

test("one that it has not taken is told again under the same key until it is", async () => {
  const { runtime, session, heard, state, clock } = await watched(false);
  const { turn_id } = await session.send(imminent);
  expect(await runtime.safety.escalations({ state: "queued" })).toMatchObject([{ key: turn_id }]);
  await until(() => heard.length >= 2);
  state.takes = true;
  await runtime.safety.report();
  const tries = heard.length;
  clock.set(noon + 10 * 60_000);
  await runtime.safety.report();
  expect(await runtime.safety.escalations()).toMatchObject([{ key: turn_id, state: "delivered" }]);
  expect(heard.length).toBe(tries + 1);
  expect(new Set(heard.map(({ key }) => key))).toEqual(new Set([turn_id]));
});

test("what people have is told too: nobody may be looking", async () => {
  const { runtime, session, heard } = await watched(true);
  await session.handOver();
  await session.post(imminent);
  await runtime.safety.report();
  expect(heard).toMatchObject([{ level: 3, session_id: session.id }]);
  expect(await runtime.safety.escalations()).toMatchObject([{ state: "delivered" }]);
});

test("a deadline that passes is told once, unless somebody has seen to it", async () => {
  const { runtime, session, missed, clock } = await watched(true, { sinkDeadlineMs: 60_000 });
  const seen = await session.send(imminent);
  const other = await runtime.sessions.create({ agent: "companion" });
  const unseen = await other.send(imminent);
  await runtime.safety.settle(seen.turn_id ?? "", { state: "acknowledged", by: "p7" });
  clock.set(noon + 60_000);
  await runtime.safety.report();
  await runtime.safety.report();
  expect(missed).toMatchObject([{ key: unseen.turn_id }]);
  const [first, second] = (await runtime.safety.escalations()).toSorted((left) => (left.key === seen.turn_id ? -1 : 1));
  expect(first).toMatchObject({ state: "acknowledged", by: "p7" });
  expect(second).toMatchObject({ state: "delivered", missed_at: noon + 60_000 });
  expect(await runtime.safety.settle(unseen.turn_id ?? "", { state: "closed" })).toMatchObject({ state: "closed" });
});

test("level 2 is told only where that is wanted, and an alert goes with its session", async () => {
  const quiet = await watched(true);
  await quiet.session.send("I want to die");
  expect([quiet.heard, await quiet.runtime.safety.escalations()]).toEqual([[], []]);
  const { runtime, session, heard } = await watched(true, { sinkFrom: 2 });
  await session.send("I want to die");
  expect(heard).toHaveLength(1);
  await runtime.sessions.delete(session.id);
  expect(await runtime.safety.escalations()).toEqual([]);
});

test("an alert that there is not, and a state that nobody sets, are refused", async () => {
  const { runtime } = await watched(true);
  expect(await code(runtime.safety.settle("none", { state: "closed" }))).toBe("safety.not_found");
  expect(await code(runtime.safety.settle("none", { state: "queued" as never }))).toBe("input.invalid");
  expect(await code(runtime.safety.escalations({ state: "open" as never }))).toBe("input.invalid");
});

test("an alert of a clock that was years ahead is told when that is right again, and so is that nobody has seen to it", async () => {
  const { runtime, session, heard, state, missed, clock } = await watched(false, { sinkDeadlineMs: 60_000 });
  clock.set(noon + 400 * dayMs);
  await session.send(imminent);
  const tries = heard.length;
  clock.set(noon);
  state.takes = true;
  await runtime.safety.report();
  await runtime.safety.report();
  expect({ told: heard.length > tries, missed: missed.length }).toEqual({ told: true, missed: 1 });
  expect(await runtime.safety.escalations()).toMatchObject([{ state: "delivered" }]);
});

test("a sink that hangs on one alert keeps none from the others", async () => {
  const { runtime, session, sink, heard, clock } = await watched(false);
  await session.send(imminent);
  const other = await runtime.sessions.create({ agent: "companion" });
  await other.send(imminent);
  const [first] = await runtime.safety.escalations();
  clock.set(noon + 10 * 60_000);
  const tries = heard.length;
  Object.assign(sink, {
    notify: (event: EscalationEvent) => (event.key === first?.key ? new Promise(() => {}) : Promise.resolve(void heard.push(event))),
  });
  await expect.poll(async () => (await runtime.safety.escalations({ state: "delivered" })).length).toBe(1);
  expect(heard.slice(tries).map(({ key }) => key)).not.toContain(first?.key);
});
