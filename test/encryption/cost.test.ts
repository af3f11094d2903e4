/** What encryption costs in statements: nothing when the owner's keys are in memory, one read when they are not. */
import { expect, test } from "vitest";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { append, commitOf, message, newOwner, newSession } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { newSqliteFile } from "../setup/database.ts";
import { encryption } from "./stores.ts";

const aboutKeys = (sql: string): boolean => sql.includes("owner_keys");

test("a warm load, read and list ask for no keys; a cold one asks once, for all owners of a page together", async () => {
  const path = newSqliteFile();
  const statements: string[] = [];
  const options = { encryption, onStatement: (sql: string) => void statements.push(sql) };
  const asked = async (work: () => Promise<unknown>): Promise<number> => {
    statements.length = 0;
    await work();
    return statements.filter((sql) => sql.includes("SELECT") && aboutKeys(sql)).length;
  };
  const first = await openSqliteStore(path, options);
  const owners = await Promise.all(Array.from({ length: 30 }, (_, index) => newOwner(first, `crm-${index}`)));
  const sessions = await Promise.all(owners.map((owner_id) => newSession(first, { owner_id, header: { title: "t" } })));
  const [session_id] = sessions;
  if (session_id === undefined) throw new Error("no session");
  const loads = [
    () => first.load({ session_id }),
    () => first.read({ session_id }),
    () => first.open({ session_id }),
    () => first.list({ of: "sessions" }),
  ];
  for (const load of loads) expect(await asked(load)).toBe(0);
  await first.close();

  const second = await openSqliteStore(path, options);
  expect(await asked(() => second.load({ session_id }))).toBe(1);
  expect(await asked(() => second.load({ session_id }))).toBe(0);
  expect(await asked(() => second.list({ of: "customers" }))).toBe(1);
  expect(await asked(() => second.list({ of: "sessions" }))).toBe(0);
  // A commit looks whether its key is still there, in its own transaction.
  expect(await asked(() => append(second, session_id, { events: [message("x")] }))).toBeLessThanOrEqual(2);
  await second.close();
});

test("a plain store knows nothing of keys", async () => {
  const statements: string[] = [];
  const store = await openSqliteStore(newSqliteFile(), { onStatement: (sql) => void statements.push(sql) });
  const session_id = await newSession(store);
  statements.length = 0;
  await store.load({ session_id });
  await store.commit(commitOf({ session: { session_id, events: [message("x")] } }));
  await newOwner(store, "crm-7");
  expect(statements.filter(aboutKeys)).toEqual([]);
  await store.close();
});
