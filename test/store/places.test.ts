/** The register of places that can hold what a person said, held against the schema. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import type { Dialect } from "../../packages/throughline/src/store/sql/sql-driver.ts";
import { otherPlaces, places } from "../../packages/throughline/src/store/sql/erasure/places.ts";
import { migrationsOf } from "../../packages/throughline/src/store/sql/tables.ts";

/** Names of the columns of type text in a list of columns. */
const textColumns = (columns: string): readonly string[] => [...columns.matchAll(/(?:^|[(,]\s*)"?(\w+)"? text\b/g)].map((match) => match[1] ?? "");

/** Tables with their text columns, as the migrations make them. */
function tablesOf(dialect: Dialect): ReadonlyMap<string, readonly string[]> {
  const tables = new Map<string, readonly string[]>([["schema_migrations", ["name", "checksum"]]]);
  for (const statement of migrationsOf(dialect).flatMap(({ statements }) => statements)) {
    const created = /^CREATE (?:UNLOGGED )?TABLE (\w+) \(([\s\S]*)\)/.exec(statement);
    if (created !== null) tables.set(created[1] ?? "", textColumns(`(${created[2]}`));
    const added = /^ALTER TABLE (\w+) ADD COLUMN (\w+) text\b/.exec(statement);
    if (added !== null) tables.set(added[1] ?? "", [...(tables.get(added[1] ?? "") ?? []), added[2] ?? ""]);
    const dropped = /^DROP TABLE (\w+)/.exec(statement);
    if (dropped !== null) tables.delete(dropped[1] ?? "");
  }
  return tables;
}

/** What the register says of the same. */
function registered(dialect: Dialect): ReadonlyMap<string, readonly string[]> {
  const mine = places.filter(({ only }) => only === undefined || only === dialect);
  return new Map(mine.map(({ table, columns }) => [table, Object.keys(columns)]));
}

const sorted = (tables: ReadonlyMap<string, readonly string[]>): unknown =>
  Object.fromEntries([...tables].toSorted(([left], [right]) => left.localeCompare(right)).map(([table, columns]) => [table, columns.toSorted()]));

describe("the register of places", () => {
  test.each(["sqlite", "postgres"] as const)("has every table and every text column of %s, and no other", (dialect) => {
    expect(sorted(registered(dialect))).toEqual(sorted(tablesOf(dialect)));
  });

  test("a table or a column that is added without an entry is seen", () => {
    expect(textColumns(`(id integer PRIMARY KEY, nick text NOT NULL, "data" text, textual integer)`)).toEqual(["nick", "data"]);
    expect(tablesOf("sqlite").get("owners")).toEqual(["owner_id", "customer_hash", "customer_id", "name", "metadata"]);
  });

  test("says of whatever can hold a person's words whose rows they are, so that an erasure empties it", () => {
    // Parts go with the row that refers to them, by triggers.
    const hidden = new Set(["sessions", "owners", "parts"]);
    for (const { table, columns, rows } of places)
      if (Object.values(columns).some((holds) => holds === "person" || holds === "name") && !hidden.has(table)) expect(rows, table).toBeDefined();
  });

  test("is what the page on erasure says", () => {
    const page = readFileSync(join(root, "docs/how-to/erasure.md"), "utf8");
    for (const { table, holds, erased, exported } of places) expect(page).toContain(`| \`${table}\` | ${holds} | ${erased} | ${exported} |`);
    for (const { place, holds, removedBy } of otherPlaces) expect(page).toContain(`| ${place} | ${holds} | ${removedBy} |`);
  });
});
