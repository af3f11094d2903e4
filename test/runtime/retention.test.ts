/** Retention: sessions that people still talk in, logs that others cut at the same time, and keys that are sent again afterwards. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createRuntime, defineAgent, defineState, input, loop, openStore, scripted } from "../../packages/throughline/src/index.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { newSqliteFile } from "../setup/database.ts";

const agent = defineAgent({
  name: "diary",
  version: 1,
  state: defineState({ message: input(z.string()) }),
  reply: loop({ model: scripted(() => "Noted.") }),
});
const day = 86_400_000;

test.each(["SQLite", "memory"])("on %s, a session in which a message comes between the look and the erasure stays", async (engine) => {
  const clock = fixedClock();
  const inner = await openStore(engine === "SQLite" ? newSqliteFile() : ":memory:", { clock });
  let between: (() => Promise<unknown>) | undefined;
  const store: Store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...given: unknown[]) => {
        if (name === "erase" && between !== undefined) await between();
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
  const runtime = await createRuntime({ store, agents: [agent], clock });
  const session = await runtime.sessions.create({ agent: "diary" });
  await session.send("one");
  clock.advance(10 * day);
  between = async () => session.send("two");
  expect(await runtime.retain({ olderThanMs: day, deleteSessions: true })).toMatchObject({ sessions: 1, deleted: 0 });
  expect((await session.messages()).map(({ text }) => text)).toContain("two");
  clock.advance(10 * day);
  between = undefined;
  expect(await runtime.retain({ olderThanMs: day, deleteSessions: true })).toMatchObject({ sessions: 1, deleted: 1 });
  await expect(session.info()).rejects.toMatchObject({ code: "session.not_found" });
  await runtime.close();
  await inner.close();
});

/** A runtime on its own connection to a database, that calls `before` with the arguments of each load ahead of it. */
async function runtimeOn(path: string, before: (given: readonly unknown[]) => Promise<void> = async () => {}) {
  const inner = await openStore(path);
  const store: Store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "load") return (...given: unknown[]): unknown => Reflect.apply(value, target, given);
      return async (...given: unknown[]) => {
        await before(given);
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
  const runtime = await createRuntime({ store, agents: [agent] });
  onTestFinished(async () => {
    await runtime.close();
    await inner.close();
  });
  return runtime;
}

async function talk(runtime: Awaited<ReturnType<typeof runtimeOn>>, sessions: number, messages: number) {
  const made = await Promise.all(Array.from({ length: sessions }, () => runtime.sessions.create({ agent: "diary" })));
  for (const session of made) for (let i = 0; i < messages; i++) await session.send(`message ${i}`, { idempotencyKey: `k-${i}` });
  return made;
}

test("a log that another retention cuts between two reads is looked at again, and the others are cut, too", async () => {
  const path = newSqliteFile();
  const other = await runtimeOn(path);
  let cutByOther = false;
  const runtime = await runtimeOn(path, async ([request]) => {
    if (cutByOther || (request as { readonly at?: number }).at === undefined) return;
    cutByOther = true;
    await other.retain({ keepEvents: 5 });
  });
  const made = await talk(other, 3, 4);
  expect(await runtime.retain({ keepEvents: 15 })).toMatchObject({ sessions: 3 });
  expect(cutByOther).toBe(true);
  for (const session of made) expect((await session.info()).head).toBeGreaterThan(20);
});

test("four retentions at once leave each log where the strictest wants it", async () => {
  const path = newSqliteFile();
  const [one, two] = [await runtimeOn(path), await runtimeOn(path)];
  const made = await talk(one, 6, 4);
  await Promise.all([one.retain({ keepEvents: 12 }), two.retain({ keepEvents: 11 }), one.retain({ keepEvents: 12 }), two.retain({ keepEvents: 11 })]);
  expect(await one.retain({ keepEvents: 11, dryRun: true })).toMatchObject({ cut: 0, sessions: made.length });
});

test("a log that is neither long nor old is not read, and the first young event of 300 is found in a few reads", async () => {
  const clock = fixedClock();
  const store = await openStore(":memory:", { clock });
  const calls: string[] = [];
  const counting: Store = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
  const runtime = await createRuntime({ store: counting, agents: [agent], clock, work: false });
  const session = await runtime.sessions.create({ agent: "diary" });
  for (let i = 0; i < 300; i++) {
    clock.advance(day);
    await session.postCustom({ day: i });
  }
  const first = async (olderThanMs: number): Promise<number> => {
    await runtime.retain({ olderThanMs });
    const page = await store.read({ session_id: session.id, limit: 1 });
    return page?.events[0]?.offset ?? -1;
  };
  calls.length = 0;
  expect(await runtime.retain({ keepEvents: 500 })).toMatchObject({ sessions: 1, cut: 0 });
  expect(calls).toEqual(["list"]);
  for (const kept of [299, 236, 172, 100, 65, 64, 63, 1]) {
    calls.length = 0;
    // The event of the last day is 0 milliseconds old; so many whole days before it are kept.
    expect(await first((kept - 1) * day)).toBe(300 - kept + 1);
    expect(calls.filter((name) => name === "read").length).toBeLessThan(6);
  }
  await runtime.close();
  await store.close();
});

test("a key that is sent again after retention is answered as the first time; the outcome that was removed is named", async () => {
  const runtime = await runtimeOn(newSqliteFile());
  const [session] = await talk(runtime, 1, 6);
  if (session === undefined) throw new Error("no session");
  const first = await session.post("message 0", { idempotencyKey: "k-0" });
  const { head } = await session.info();
  expect(await runtime.retain({ keepEvents: 9 })).toMatchObject({ cut: 1 });
  expect(await session.post("message 0", { idempotencyKey: "k-0" })).toEqual(first);
  expect(first.turn_id).toBeDefined();
  const sent = session.send("message 0", { idempotencyKey: "k-0" });
  await expect(sent).rejects.toThrow("has been answered");
  await expect(sent).rejects.toMatchObject({
    code: "log.retained_from",
    details: { offset: first.offset, turn_id: first.turn_id },
  });
  await expect(session.post("another", { idempotencyKey: "k-0" })).rejects.toMatchObject({ code: "session.idempotency_mismatch" });
  expect((await session.info()).head).toBe(head);
});
