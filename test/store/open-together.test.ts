/** Stores of one file that are opened at the same time: the schema is made once, and nobody is turned away. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { append, message, newSession } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { newSqliteFile } from "../setup/database.ts";

async function opened(path: string): Promise<Store> {
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  return store;
}

test("ten that are opened at once on a new file, and ten more on the same one, all see each other's writes", async () => {
  const path = newSqliteFile();
  for (const round of ["new", "existing"]) {
    const stores = await Promise.all(Array.from({ length: 10 }, () => opened(path)));
    const [first] = stores;
    if (first === undefined) throw new Error("There is no store.");
    const session_id = await newSession(first);
    await Promise.all(stores.map((store) => append(store, session_id, { events: [message(round)] })));
    expect((await stores.at(-1)?.open({ session_id }))?.head).toBe(10);
  }
});

test("one that is opened while another writes gets in, and sees what was written", async () => {
  const path = newSqliteFile();
  const writer = await opened(path);
  const session_id = await newSession(writer);
  const written = Array.from({ length: 50 }, () => append(writer, session_id, { events: [message("a")] }));
  const stores = await Promise.all([opened(path), opened(path)]);
  await Promise.all(written);
  expect((await stores.at(-1)?.open({ session_id }))?.head).toBe(50);
});

test("three processes that open a new file at once, five times each, all get in; and again when it is there", async () => {
  const path = newSqliteFile();
  for (let round = 0; round < 2; round++) {
    const children = Array.from({ length: 3 }, (): ChildProcess => fork(join(import.meta.dirname, "open-child.ts")));
    onTestFinished(() => children.forEach((child) => child.kill()));
    await Promise.all(children.map((child) => once(child, "message")));
    const outcomes = children.map((child) => once(child, "message"));
    for (const child of children) child.send(path);
    const came = (await Promise.all(outcomes)).map(([outcome]: unknown[]) => outcome);
    expect(came).toEqual(Array.from({ length: 3 }, () => Array.from({ length: 5 }, () => "opened")));
  }
  const session_id = await newSession(await opened(path));
  expect(session_id).toBeTypeOf("string");
});
