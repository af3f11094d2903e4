/** What forks cost in a database: how reads over segments are planned. Bytes and times are in `npm run bench`. */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { load, readPage, tails } from "../../packages/throughline/src/store/sql/queries.ts";
import { countPlaceholders, toSqlite } from "../../packages/throughline/src/store/sqlite/sqlite-connection.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { newSqliteFile } from "../setup/database.ts";

describe("on SQLite", () => {
  const none = { kinds: undefined, source: false, trace: false, withdrawn: false };
  const texts: Readonly<Record<string, string>> = {
    ...Object.fromEntries((["checkpoint", "first", "patches", "messages", "journal"] as const).map((name) => [`load: ${name}`, load.sqlite[name]])),
    "read: events": readPage("sqlite", none).events,
    "read: events, withdrawn ones too": readPage("sqlite", { ...none, withdrawn: true }).events,
    "read: messages": readPage("sqlite", { ...none, kinds: ["message"] }).events,
    "read: of a source and a trace": readPage("sqlite", { ...none, kinds: ["status"], source: true, trace: true }).events,
  };
  test.each(Object.entries(texts))(
    "%s walks segments and rows in order: nothing is sorted, no table is read from end to end",
    async (_name, text) => {
      const path = newSqliteFile();
      await (await openSqliteStore(path)).close();
      const database = new DatabaseSync(path);
      const values = Array.from({ length: countPlaceholders(text) }, (_, index) => (index === 0 ? "ses_1" : 1));
      const plan = database
        .prepare(`EXPLAIN QUERY PLAN ${toSqlite(text)}`)
        .all(...values)
        .map((row) => String(row["detail"]));
      database.close();
      expect(plan.length).toBeGreaterThan(1);
      expect(plan.filter((detail) => /TEMP B-TREE|^SCAN (?!CONSTANT)/u.test(detail))).toEqual([]);
    },
  );

  test.each(Object.entries(tails.sqlite))("the ends of logs, %s: every session and every event is found by an index", async (_name, text) => {
    const path = newSqliteFile();
    await (await openSqliteStore(path)).close();
    const database = new DatabaseSync(path);
    const values = Array.from({ length: countPlaceholders(text) }, (_, index) => (index === 0 ? '["ses_1"]' : 1));
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${toSqlite(text)}`)
      .all(...values)
      .map((row) => String(row["detail"]));
    database.close();
    // Only the list of ids, and the sessions that were found with it, are read from end to end.
    expect(plan.filter((detail) => /TEMP B-TREE|^SCAN (?!w VIRTUAL TABLE|s$)/u.test(detail))).toEqual([]);
  });
});
