/** What becomes of what is at work when its time is over, when somebody stops it, and when its process ends. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createRuntime, defineTool, type ToolEffects } from "../../../packages/throughline/src/index.ts";
import { fixedClock, type FixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { collect, emptyStore, gate, started, until } from "../harness.ts";
import { calling, callsIn, conversation, scriptedAgent } from "./harness.ts";

/** A tool that never returns and does not look at its signal: a turn that waited for it would never end. */
const deaf = (effects: ToolEffects, options: { readonly timeoutMs?: number; readonly began?: () => void } = {}) => {
  const { began, ...limits } = options;
  const execute = (): Promise<never> => (began?.(), new Promise(() => {}));
  return defineTool({ name: `deaf_${effects}`, description: "Hangs.", effects, ...limits, execute });
};

const quick = (ran: string[] = []) =>
  defineTool({
    name: "quick",
    description: "Is quick.",
    parameters: z.object({ n: z.number() }),
    effects: "once",
    execute: ({ n }) => {
      ran.push(`quick ${n}`);
      return n;
    },
  });

/** Lets time pass in small steps until the work is done. */
async function passing<Value>(clock: FixedClock, work: Promise<Value>): Promise<Value> {
  const over = new AbortController();
  const done = work.finally(() => over.abort());
  done.catch(() => {});
  while (!over.signal.aborted) {
    await delay(1);
    clock.advance(10);
  }
  return done;
}

describe("the budget's time", () => {
  test.each([
    ["none", "skipped"],
    ["idempotent", "skipped"],
    ["once", "unknown"],
  ] as const)("ends a `%s` tool that ignores its signal: its result is %s", async (effects, result) => {
    const clock = fixedClock();
    const { session } = await conversation([calling([`deaf_${effects}`])], {
      loop: { tools: [deaf(effects, { began: () => clock.advance(100) })] },
      agent: { budget: { seconds: 0.1 }, apology: "Sorry." },
      clock,
    });
    expect(await session.send("go")).toMatchObject({ status: "stopped", reason: "time_limit", reply: "Sorry." });
    expect(callsIn(await collect(session))).toEqual([`called deaf_${effects}`, `returned deaf_${effects} ${result}`]);
  });

  test("ends a model that ignores its signal", async () => {
    const clock = fixedClock();
    const wait = (): Promise<never> => (clock.advance(100), new Promise(() => {}));
    const { session } = await conversation([{ text: ["half"], wait }], { agent: { budget: { seconds: 0.1 }, apology: "Sorry." }, clock });
    expect(await session.send("go")).toMatchObject({ status: "stopped", reason: "time_limit", reply: "Sorry." });
  });

  test("a deadline in flight does so too, and one that has passed begins no step", async () => {
    const clock = fixedClock();
    const late = await conversation([calling(["deaf_none"])], {
      loop: { tools: [deaf("none", { began: () => clock.advance(300) })] },
      agent: { budget: { deadline: clock.now() + 300 } },
      clock,
    });
    expect(await late.session.send("go")).toMatchObject({ status: "stopped", reason: "deadline" });
    const past = await conversation(["never said"], { agent: { budget: { deadline: clock.now() - 1 } }, clock });
    expect(await past.session.send("go")).toMatchObject({ status: "stopped", reason: "deadline" });
    expect(past.model.requests).toEqual([]);
  });

  test("ends the pause between two tries of a tool", async () => {
    let tries = 0;
    const failing = defineTool({
      ...{ name: "failing", description: "Fails.", effects: "idempotent", retry: { tries: 3, backoffMs: 20_000 } },
      execute: () => {
        tries += 1;
        throw new Error("no");
      },
    });
    const clock = fixedClock();
    const { session } = await conversation([calling(["failing"])], { loop: { tools: [failing] }, agent: { budget: { seconds: 10 } }, clock });
    expect(await passing(clock, session.send("go"))).toMatchObject({ status: "stopped", reason: "time_limit" });
    expect(tries).toBe(1);
  });

  test("ends the pause before a model is asked again", async () => {
    const busy = Object.assign(new Error("busy"), {});
    const clock = fixedClock();
    const budget = { attempts: 50, deadline: clock.now() + 10_000 };
    const { session, model } = await conversation(() => ({ error: busy }), { agent: { budget }, clock });
    expect(await passing(clock, session.send("go"))).toMatchObject({ status: "stopped", reason: "deadline" });
    // With pauses that double, few fit.
    expect(model.requests.length).toBeLessThan(20);
  });
});

describe("a tool's own timeout", () => {
  test.each([
    ["none", "error"],
    ["once", "unknown"],
  ] as const)("ends a `%s` call that ignores it, with %s, and the turn goes on", async (effects, result) => {
    const { session } = await conversation([calling([`deaf_${effects}`]), "went on"], { loop: { tools: [deaf(effects, { timeoutMs: 60 })] } });
    expect(await session.send("go")).toMatchObject({ status: "completed", reply: "went on" });
    expect(callsIn(await collect(session)).at(-1)).toBe(`returned deaf_${effects} ${result}`);
  });

  test("leaves a quick `once` tool beside it alone: its result is on disk before the slow one is over", async () => {
    const ran: string[] = [];
    const { session } = await conversation([calling(["deaf_none"], ["quick", { n: 1 }]), "went on"], {
      loop: { tools: [deaf("none", { timeoutMs: 300 }), quick(ran)] },
    });
    const sent = session.send("go");
    const early: string[] = [];
    for await (const event of session.events({ kinds: ["tool"] })) {
      if (event.kind !== "tool" || event.data.type !== "returned") continue;
      early.push(event.data.result.type);
      if (early.length === 2) break;
    }
    expect(early).toEqual(["ok", "error"]);
    expect(await sent).toMatchObject({ status: "completed", reply: "went on" });
    expect(ran).toEqual(["quick 1"]);
  });
});

describe("while parallel tools run", () => {
  test("stop() does not wait for them, keeps what has returned, and what it leaves open is told as unknown", async () => {
    const ran: string[] = [];
    const { session, model } = await conversation([calling(["quick", { n: 1 }], ["deaf_once"], ["deaf_none"]), "later"], {
      loop: { tools: [quick(ran), deaf("once"), deaf("none")] },
      agent: { apology: "Sorry." },
    });
    const sent = session.send("go");
    await until(() => ran.length > 0);
    await delay(30);
    await session.stop("enough");
    expect(await sent).toMatchObject({ status: "stopped" });
    const calls = callsIn(await collect(session));
    expect(calls.filter((call) => call.startsWith("returned"))).toEqual(["returned quick ok"]);
    expect(await session.send("and?")).toMatchObject({ reply: "later" });
    expect(model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  test("a runtime that closes gives the turn back: the next one does not repeat `once`, and runs `idempotent` again", async () => {
    const store = await emptyStore("sqlite");
    const began = gate();
    const keys: string[] = [];
    const again = defineTool({
      name: "again",
      description: "May be repeated.",
      effects: "idempotent",
      execute: (_args, { key, signal }) => {
        keys.push(key);
        if (keys.length > 1) return "done";
        began.open();
        return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      },
    });
    const ran: string[] = [];
    const script = [calling(["quick", { n: 1 }], ["deaf_once"], ["again"])];
    const tools = [quick(ran), deaf("once"), again];
    const dying = await createRuntime({
      store,
      agents: [scriptedAgent(script, { loop: { tools } }).agent],
      leaseMs: 500,
      heartbeatMs: 100,
      pollMs: 20,
    });
    const session = await dying.sessions.create({ agent: "a1" });
    const { offset } = await session.post("go");
    await began.opened;
    await until(() => ran.length > 0);
    await dying.close({ drainMs: 0 });
    const next = scriptedAgent(["went on"], { loop: { tools } });
    const runtime = await started({ agents: [next.agent], store });
    const resumed = await runtime.sessions.get(session.id);
    expect(await resumed.outcome(offset)).toMatchObject({ status: "completed", reply: "went on" });
    expect(ran).toEqual(["quick 1"]);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    const texts = next.model.requests[0]?.messages.filter(({ role }) => role === "tool").map(({ text }) => text.slice(0, 10));
    expect(texts).toEqual(["1", `{"unknown"`, "done"]);
  });
});
