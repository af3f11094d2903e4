/** F: turns, which workers run and services wait for. */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { WireEvent } from "../../../packages/server/src/protocol/wire-event.ts";
import { at, ended, follow, logOf, only, outline, paid, problem, say, textOf, until, isLocked, type Case, type World } from "./world.ts";

const has =
  (line: string) =>
  (events: readonly WireEvent[]): boolean =>
    outline(events).includes(line);
const outcomes = (events: readonly WireEvent[]): readonly unknown[] =>
  events.flatMap(({ kind, data }) => (kind === "turn" && data["type"] === "ended" ? [data["outcome"]] : []));
const isGapless = (events: readonly WireEvent[]): boolean => events.every(({ offset }, index) => offset === index);
const completed = { status: "completed" };

/** Ends a process as a loss of power would, and waits until it is gone. */
async function kill(world: World, process: number): Promise<void> {
  const child = [...world.workers].find(({ pid }) => pid === process);
  const gone = new Promise((resolve) => child?.once("exit", resolve));
  child?.kill("SIGKILL");
  await gone;
}

export const turns: readonly Case[] = [
  {
    id: "F1",
    what: "a message is acknowledged, processed, typed, answered and done, in one trace",
    run: async (world) => {
      const session = await world.make();
      await say(world, session, "hi");
      const events = (await ended(world, session)).slice(1);
      expect(only(events, "message", "status")).toEqual([
        ...["customer:hi", "status:acknowledged", "status:processing", "status:typing", "agent:re:hi", "status:ready"],
      ]);
      expect(events.findLast(({ kind }) => kind === "status")?.data).toEqual({ status: "ready", stage: "completed" });
      expect(new Set(events.map(({ trace_id }) => trace_id)).size).toBe(1);
      const [turn] = (await world.one.ask("GET", at(session, "/turns"))).body.items;
      expect(turn).toMatchObject({ turn_id: events[0]?.turn_id, cause: "message", status: "ended", answers: [1], outcome: completed });
    },
  },
  {
    id: "turns-2",
    what: "of an agent that supersedes, messages that come before anything is shown get one reply",
    run: async (world) => {
      const session = await world.make({ agent: "eager" });
      for (const { name, begun } of [world.gate(), world.gate()]) {
        await say(world, session, `hold ${name}`);
        await begun();
      }
      await say(world, session, "three");
      const events = await follow(world, session, has("agent:re:three"));
      expect(only(events, "message").filter((line) => line.startsWith("agent:"))).toEqual(["agent:re:three"]);
      expect(only(events, "status").slice(0, 3)).toEqual(["status:cancelled", "status:cancelled", "status:acknowledged"]);
      const { items } = (await world.two.ask("GET", at(session, "/turns?order=desc&limit=1"))).body;
      expect(items[0].answers).toHaveLength(3);
    },
  },
  {
    id: "turns-2",
    what: "of another agent they wait for the next turn",
    run: async (world) => {
      const session = await world.make();
      const { name, begun, open } = world.gate();
      await say(world, session, `hold ${name}`);
      await begun();
      for (const text of ["two", "three"]) await say(world, session, text);
      open();
      const events = await ended(world, session, 2);
      expect(only(events, "message").filter((line) => line.startsWith("agent:"))).toEqual([`agent:re:hold ${name}`, "agent:re:three"]);
      expect(outcomes(events)).toEqual([completed, completed]);
    },
  },
  {
    id: "F3",
    what: "once a reply is shown it is said whole, and the message that came has a turn of its own",
    run: async (world) => {
      const session = await world.make({ agent: "eager" });
      const { name, begun, open } = world.gate();
      await say(world, session, `draft ${name}`);
      await begun();
      await say(world, session, "second");
      open();
      const events = await ended(world, session, 2);
      expect(only(events, "message")).toEqual([`customer:draft ${name}`, "customer:second", "agent:one two three", "agent:re:second"]);
      expect(outcomes(events)).toEqual([completed, completed]);
    },
  },
  {
    id: "turns-4",
    what: "a turn that fails says so, and nothing of what went wrong inside",
    run: async (world) => {
      const session = await world.make();
      await say(world, session, "fail");
      const events = await ended(world, session);
      expect(only(events, "message", "status").slice(-2)).toEqual(["agent:Sorry.", "status:error"]);
      expect(outcomes(events)).toMatchObject([{ status: "failed", error: { code: "model.failed" } }]);
      const all = [(await world.two.ask("GET", at(session, "/events?limit=1000"))).text, (await world.two.ask("GET", at(session, "/turns"))).text];
      expect(all.join()).not.toMatch(/secret internals|node:internal|\.ts:\d/);
      await say(world, session, "again");
      expect(only(await ended(world, session, 2), "message").at(-1)).toBe("agent:re:again");
    },
  },
  {
    id: "F5, F6",
    what: "what a tool did stands between processing and reply, in the same trace, and a later turn is not told of it",
    run: async (world) => {
      const session = await world.make();
      await say(world, session, "find lamps");
      const lines = only(await ended(world, session), "message", "status", "tool");
      expect(lines.filter((line) => /processing|^tool|agent:so/.test(line))).toEqual([
        ...["status:processing", "tool:called", "tool:returned", `agent:so {"found":"lamps"}`],
      ]);
      const events = await logOf(world, session);
      expect(new Set(events.slice(1).map(({ trace_id }) => trace_id)).size).toBe(1);
      expect(events.find(({ kind, data }) => kind === "tool" && data["type"] === "returned")?.data).toMatchObject({
        result: { type: "ok", value: { found: "lamps" } },
      });
      await say(world, session, "prompt");
      const told = JSON.parse(textOf((await ended(world, session, 2)).findLast(({ source, kind }) => kind === "message" && source === "ai_agent")));
      expect(told.messages.map(({ role, text }: { role: string; text: string }) => `${role}:${text}`)).toEqual([
        ...["user:find lamps", `assistant:so {"found":"lamps"}`, "user:prompt"],
      ]);
    },
  },
  {
    id: "turns-7",
    what: "a tool that fails is told to the model, and the turn goes on",
    run: async (world) => {
      const session = await world.make();
      await say(world, session, "break it");
      const events = await ended(world, session);
      expect(outcomes(events)).toEqual([completed]);
      expect(events.find(({ kind, data }) => kind === "tool" && data["type"] === "returned")?.data).toMatchObject({ result: { type: "error" } });
    },
  },
  {
    id: "F8",
    what: "a turn that does not listen delays nobody else",
    run: async (world) => {
      const [slow, other] = [await world.make(), await world.make()];
      const { name, begun, open } = world.gate();
      await say(world, slow, `stubborn ${name}`);
      await begun();
      for (const text of ["two", "three"]) await say(world, slow, text);
      await say(world, other, "quick");
      expect(only(await ended(world, other), "message").at(-1)).toBe("agent:re:quick");
      expect(only(await logOf(world, slow), "message")).toHaveLength(3);
      open();
      expect(only(await ended(world, slow, 2), "message").at(-1)).toBe("agent:re:three");
    },
  },
  {
    id: "F11",
    what: "what is posted, or changed, while a turn runs does not cancel it",
    run: async (world) => {
      const session = await world.make({ agent: "eager" });
      const { name, begun, open } = world.gate();
      await say(world, session, `hold ${name}`);
      await begun();
      const post = (body: object) => world.one.ask("POST", at(session, "/events"), body);
      const answers = [
        await post({ kind: "custom", data: { page: "pricing" } }),
        await post({ kind: "status", status: "typing" }),
        await post({ kind: "message", source: "human_agent", text: "I am watching", participant: { display_name: "Ann" } }),
        await world.one.ask("PATCH", at(session), { title: "New", metadata: { a: 1 }, labels: { add: ["x"] }, consumers: { client: 1 } }),
        await world.one.ask("PATCH", at(session, "/variables"), { tier: "gold" }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 200, 200]);
      open();
      const events = await ended(world, session);
      expect(outcomes(events)).toEqual([completed]);
      expect(only(events, "message").at(-1)).toBe(`agent:re:hold ${name}`);
      expect(only(events, "status")).not.toContain("status:cancelled");
    },
  },
  {
    id: "F13",
    what: "a turn is stopped by whoever may, and its message can be answered again",
    run: async (world) => {
      const session = await world.make();
      const { name, begun, open } = world.gate();
      const { turn_id } = await say(world, session, `hold ${name}`);
      await begun();
      const stop = () => world.one.ask("POST", at(session, `/turns/${turn_id}/stop`), { message: "enough" });
      expect(await stop()).toMatchObject({
        status: 200,
        body: { status: "ended", outcome: { status: "stopped", reason: "user_requested", message: "enough" } },
      });
      expect(await stop()).toMatchObject({ status: 200 });
      open();
      const retried = await world.one.ask("POST", at(session, `/turns/${turn_id}/retry`));
      expect(retried.status, retried.text).toBe(202);
      const events = await ended(world, session, 2);
      expect(only(events, "message").at(-1)).toBe(`agent:re:hold ${name}`);
      expect(outcomes(events)).toMatchObject([{ status: "stopped" }, completed]);
    },
  },
  {
    id: "F15",
    what: "of more messages than may wait those above are refused with when to come again, and all others are answered",
    run: async (world) => {
      const session = await world.make();
      const { name, begun, open } = world.gate();
      await say(world, session, `hold ${name}`);
      await begun();
      const post = (text: string, turn = 0) => world.either(turn).ask("POST", at(session, "/events"), { kind: "message", source: "customer", text });
      const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => post(`m${index}`, index)));
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.length).toBeGreaterThanOrEqual(10);
      for (const answer of refused) {
        expect(answer).toMatchObject(problem(429, "session.too_many_waiting"));
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      open();
      const accepted = answers.filter(({ status }) => status === 201).map(({ body }) => body.offset as number);
      const started = (events: readonly WireEvent[]) =>
        events.flatMap(({ kind, data }) => (kind === "turn" && data["type"] === "started" ? data["answers"] : []));
      const events = await follow(world, session, (found) => started(found).length > accepted.length);
      expect(started(events).toSorted((left, right) => left - right)).toEqual([1, ...accepted.toSorted((left, right) => left - right)]);
      await ended(world, session, 2);
      expect((await post("room again")).status).toBe(201);
    },
  },
  {
    id: "turns-9",
    alone: true,
    what: "a turn whose worker is killed is answered once by the other, and its tool is not run again",
    run: async (world) => {
      const [held, paying] = [await world.make(), await world.make()];
      const [holding, till] = [world.gate(), world.gate()];
      await say(world, held, `hold ${holding.name}`);
      await say(world, paying, `pay ${till.name}`);
      const victims = new Set([await holding.begun(), await till.begun()]);
      // One worker is left whatever the two turns had.
      const next = world.worker();
      await next;
      for (const victim of victims) await kill(world, victim);
      expect(victims).not.toContain(await holding.begun(...victims));
      holding.open();
      till.open();
      const [events, work] = [await ended(world, held), await ended(world, paying)];
      expect(only(events, "message")).toEqual([`customer:hold ${holding.name}`, `agent:re:hold ${holding.name}`]);
      expect([isGapless(events), isGapless(work)]).toEqual([true, true]);
      expect(only(events, "turn").filter((line) => line === "turn:started")).toHaveLength(1);
      expect(paid(world, till, (path) => readFileSync(path, "utf8").split("\n").length - 1)).toBe(1);
      expect(work.filter(({ kind, data }) => kind === "tool" && data["type"] === "returned").map(({ data }) => data)).toMatchObject([
        { result: { type: "unknown" } },
      ]);
      while (world.workers.size < 2) await world.worker();
    },
  },
  {
    id: "F10",
    alone: true,
    what: "a worker that sleeps through its lease finds the turn another's, and writes nothing when it wakes",
    run: async (world) => {
      const session = await world.make();
      const { name, begun, open } = world.gate();
      await say(world, session, `stubborn ${name}`);
      const sleeper = await begun();
      const child = [...world.workers].find(({ pid }) => pid === sleeper);
      child?.kill("SIGSTOP");
      try {
        // Nobody can write to a file that a process has locked which sleeps: it is to sleep without a lock.
        while (isLocked(world)) {
          child?.kill("SIGCONT");
          await delay(5);
          child?.kill("SIGSTOP");
        }
        await begun(sleeper);
        open();
        const before = await ended(world, session);
        child?.kill("SIGCONT");
        await delay(300);
        expect(await logOf(world, session)).toEqual(before);
        expect(only(before, "message")).toEqual([`customer:stubborn ${name}`, `agent:re:stubborn ${name}`]);
      } finally {
        child?.kill("SIGCONT");
      }
    },
  },
  {
    id: "turns-14",
    alone: true,
    what: "what is accepted while no worker lives is answered by the first that comes, once",
    run: async (world) => {
      const session = await world.make();
      for (const { pid = 0 } of [...world.workers]) await kill(world, pid);
      const key = { "idempotency-key": "lost" };
      await say(world, session, "anybody?", key);
      await say(world, session, "anybody?", key);
      expect(only(await logOf(world, session), "message", "status")).toEqual(["customer:anybody?"]);
      await world.worker();
      const events = await ended(world, session);
      expect(only(events, "message")).toEqual(["customer:anybody?", "agent:re:anybody?"]);
      await until(
        async () => ((await world.one.ask("GET", at(session, "/turns?status=queued"))).body.total === 0 ? true : undefined),
        "an empty queue",
      );
    },
  },
];
