/** Retention that removes sessions, while people go on talking. */
import { expect, test } from "vitest";
import { z } from "zod";
import { createRuntime, defineAgent, defineState, input, loop, openStore, scripted } from "../../src/index.ts";
import type { Store } from "../../src/store/port.ts";
import { fixedClock } from "../../src/testing/clock.ts";
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
