/** Runs that start by the clock: once at each instant, in however many processes. */
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import { createRuntime, defineAgent, defineState, input, loop, openStore, scripted, type Store } from "../../packages/throughline/src/index.ts";
import { cron, defineRoutine, routineFields, routines, type RoutineSchedule } from "../../packages/throughline/src/routines.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { emptyPostgresDatabase, newSqliteFile } from "../setup/database.ts";
import { databases } from "../setup/server.ts";

const State = defineState({ message: input(z.string()), ...routineFields() });
const digest = defineRoutine({
  ...{ id: "digest", title: "Digest", state: State, autonomous: { callback_hosts: ["desk.example.com"] } },
  input: z.object({ of: z.string() }),
  nodes: { emit: { emit_output: { output: () => ({}) } } },
  output: z.object({}),
});
const talk = defineRoutine({ id: "talk", title: "Talk", state: State, nodes: { ask: { chat: { instructions: "Ask." }, next: "end" } } });

const hourly: RoutineSchedule = { name: "hourly", at: cron("0 * * * *"), routine: digest, input: { of: "news" } };
const agentWith = (schedules: readonly RoutineSchedule[]) =>
  defineAgent({
    ...{ name: "desk", state: State, extensions: [routines({ routines: [digest, talk], schedules })] },
    reply: loop({ model: scripted(() => "nothing") }),
  });

const hour = 3_600_000;

/** A process with a clock that others share. */
async function processOn(store: Store, clock: ReturnType<typeof fixedClock>, schedules: readonly RoutineSchedule[] = [hourly]) {
  const runtime = await createRuntime({ store, agents: [agentWith(schedules)], pollMs: 50, clock, ids: createIds({ clock }) });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= runtime.close({ drainMs: 10 }));
  onTestFinished(close);
  return { runtime, close };
}

/** Lets the workers poll until something holds. */
const polled = <Value>(clock: ReturnType<typeof fixedClock>, read: () => Promise<Value>) =>
  expect.poll(
    async () => {
      clock.advance(60);
      return read();
    },
    { timeout: 20_000, interval: 10 },
  );

const instantsOf = async (store: Store) =>
  (await store.list({ of: "records", kind: "routine.schedule" })).items.map(({ key, data }) => [key, data["at"]]);
const runsOf = async (store: Store) => (await store.list({ of: "records", kind: "routine.run" })).items;

describe.each(databases)("a schedule on %s", (database) => {
  it("fires once at each instant in two processes", async () => {
    const location = database === "SQLite" ? newSqliteFile() : await emptyPostgresDatabase();
    const clock = fixedClock(Date.UTC(2026, 0, 1, 0, 30));
    const stores = [await openStore(location, { clock }), await openStore(location, { clock })];
    const processes = await Promise.all(stores.map((store) => processOn(store, clock)));
    onTestFinished(async () => {
      await Promise.all(processes.map(({ close }) => close()));
      await Promise.all(stores.map((store) => store.close()));
    });
    const [store] = stores as [Store];
    const first = Date.UTC(2026, 0, 1, 1);
    await polled(clock, () => instantsOf(store)).toEqual([["desk/hourly", first]]);
    expect(await runsOf(store)).toEqual([]);
    for (const count of [1, 2, 3]) {
      clock.advance(first + (count - 1) * hour - clock.now());
      await polled(clock, () => instantsOf(store)).toEqual([["desk/hourly", first + count * hour]]);
      // The other process, too, looks after the instant.
      await polled(clock, async () => (await runsOf(store)).every(({ data }) => data["status"] === "completed")).toBe(true);
      expect(await runsOf(store)).toHaveLength(count);
    }
  });
});

describe("a schedule", () => {
  it("fires once for the instants that nobody saw, and late", async () => {
    const clock = fixedClock(Date.UTC(2026, 0, 1, 0, 30));
    const store = await openStore(":memory:", { clock });
    const before = await processOn(store, clock);
    await polled(clock, async () => (await instantsOf(store)).length).toBe(1);
    await before.close();
    clock.advance(5 * hour);
    await processOn(store, clock);
    await polled(clock, async () => (await runsOf(store)).length).toBe(1);
    expect(await instantsOf(store)).toEqual([["desk/hourly", Date.UTC(2026, 0, 1, 6)]]);
  });

  it("does not fire again when a process dies before it has noted the next instant", async () => {
    const clock = fixedClock(Date.UTC(2026, 0, 1, 0, 30));
    const store = await openStore(":memory:", { clock });
    let refusing = false;
    const failing: Store = {
      ...forwarding(store),
      commit: (commit) => {
        if (refusing && commit.records?.some(({ kind }) => kind === "routine.schedule") === true) throw new Error("dead");
        return store.commit(commit);
      },
    };
    const dying = await processOn(failing, clock);
    await polled(clock, async () => (await instantsOf(store)).length).toBe(1);
    refusing = true;
    clock.advance(hour);
    await polled(clock, async () => (await runsOf(store)).length).toBe(1);
    await dying.close();
    await processOn(store, clock);
    await polled(clock, () => instantsOf(store)).toEqual([["desk/hourly", Date.UTC(2026, 0, 1, 2)]]);
    expect(await runsOf(store)).toHaveLength(1);
  });

  it("follows a changed definition", async () => {
    const clock = fixedClock(Date.UTC(2026, 0, 1, 0, 30));
    const store = await openStore(":memory:", { clock });
    const before = await processOn(store, clock);
    await polled(clock, async () => (await instantsOf(store)).length).toBe(1);
    await before.close();
    await processOn(store, clock, [{ ...hourly, at: cron("45 5 * * *", { timezone: "Europe/Berlin" }) }]);
    await polled(clock, () => instantsOf(store)).toEqual([["desk/hourly", Date.UTC(2026, 0, 1, 4, 45)]]);
  });

  const interval: RoutineSchedule = { ...hourly, at: (after) => after + 4 * hour };
  const start = Date.UTC(2026, 0, 1, 0, 30);

  it("keeps its instant through restarts that are more frequent than its interval", async () => {
    const clock = fixedClock(start);
    const store = await openStore(":memory:", { clock });
    const dues = async () => (await instantsOf(store)).map(([, at]) => Math.floor((Number(at) - start) / hour));
    for (let restart = 0; restart < 10; restart++) {
      const { close } = await processOn(store, clock, [interval]);
      await polled(clock, dues).toEqual([restart < 4 ? 4 : restart < 8 ? 8 : 12]);
      await close();
      clock.advance(start + (restart + 1) * hour + 60_000 - clock.now());
    }
    expect(await runsOf(store)).toHaveLength(2);
  });

  it("fires once per interval in processes that started at different times", async () => {
    const clock = fixedClock(start);
    const store = await openStore(":memory:", { clock });
    await processOn(store, clock, [interval]);
    await polled(clock, async () => (await instantsOf(store)).length).toBe(1);
    const first = Number((await instantsOf(store))[0]?.[1]);
    clock.advance(hour);
    await processOn(store, clock, [interval]);
    for (const count of [1, 2, 3]) {
      clock.advance(Math.max(0, first + (count - 1) * 4 * hour - clock.now()));
      await polled(clock, () => instantsOf(store)).toEqual([["desk/hourly", first + count * 4 * hour]]);
      await polled(clock, async () => (await runsOf(store)).length).toBe(count);
      clock.advance(hour);
    }
  });

  it("ends after its last instant", async () => {
    const clock = fixedClock(start);
    const store = await openStore(":memory:", { clock });
    await processOn(store, clock, [{ ...hourly, at: () => start + hour }]);
    await polled(clock, () => instantsOf(store)).toEqual([["desk/hourly", start + hour]]);
    clock.advance(hour);
    await polled(clock, () => instantsOf(store)).toEqual([]);
    expect(await runsOf(store)).toHaveLength(1);
  });

  it("with a callback needs somebody who sends it, before it fires", async () => {
    const store = await openStore(":memory:");
    onTestFinished(() => store.close());
    const agents = [agentWith([{ ...hourly, options: { callback_url: "https://desk.example.com/hook" } }])];
    await expect(createRuntime({ store, agents })).rejects.toMatchObject({ code: "outbound.refused" });
    const runtime = await createRuntime({ store, agents, callbacks: true });
    await runtime.close();
  });

  it("is refused where it is wrong", () => {
    const refusal = (schedule: object): unknown => {
      try {
        agentWith([schedule as RoutineSchedule]);
        return "accepted";
      } catch (error) {
        return error;
      }
    };
    const options = [{ timeout_seconds: 0 }, { keep_seconds: "day" }, { session_id: "ses_1" }, { callback_url: "https://evil.example/" }];
    for (const wrong of [
      ...[{ name: "A b" }, { at: "0 3 * * *" }, { routine: "nothing" }, { routine: talk }, { input: { of: 1 } }],
      ...options.map((one) => ({ options: one })),
    ])
      expect(refusal({ ...hourly, ...wrong }), JSON.stringify(wrong)).toMatchObject({ code: "agent.invalid" });
    const callback_url = "https://desk.example.com/hook";
    expect(refusal({ ...hourly, options: { callback_url } })).toBe("accepted");
    expect(() => agentWith([hourly, hourly])).toThrow(expect.objectContaining({ code: "agent.invalid" }));
    for (const [expression, timezone] of [["* * * *"], ["61 * * * *"], ["0 3 * * *", "Nowhere/City"]] as const)
      expect(() => cron(expression, { ...(timezone === undefined ? {} : { timezone }) })).toThrow(expect.objectContaining({ code: "input.invalid" }));
  });
});
