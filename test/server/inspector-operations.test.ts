/** The page about the inspector's operations says what the protocol says. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Operation } from "../../packages/server/src/protocol/operation.ts";
import { operations } from "../../packages/server/src/protocol/operations.ts";

const all: Readonly<Record<string, Operation>> = operations;

/** The cells of each row that names an operation. */
async function rowsOf(): Promise<readonly (readonly string[])[]> {
  const text = await readFile(new URL("../../docs/reference/inspector-operations.md", import.meta.url), "utf8");
  return text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| Action"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

/** The cells that the protocol stands for. */
function cellsOf({ scope, also, members = [], customers, audited }: Operation): readonly string[] {
  const scopes = [scope, ...(also === undefined ? [] : [also])].map((one) => (one === "open" ? one : `\`${one}\``));
  const needed = [...scopes, ...members.map((one) => `\`${one.scope}\` (${one.member})`)].join(", ");
  return [needed, customers === true ? "yes" : "no", audited === true ? "audited" : ""];
}

test("every row names an operation, with its scopes and audience", async () => {
  const rows = await rowsOf();
  expect(rows.length).toBeGreaterThan(80);
  for (const [action = "", name = "", ...cells] of rows) {
    const operation = all[name.replaceAll("`", "")];
    expect(operation, `${action}: ${name}`).toBeDefined();
    if (operation !== undefined) expect([name, ...cells]).toEqual([name, ...cellsOf(operation)]);
  }
});

test("no operation has two rows", async () => {
  const names = (await rowsOf()).map(([, name]) => name);
  expect(names).toEqual([...new Set(names)]);
});
