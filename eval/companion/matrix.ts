/** What of a conversation each style of reply is shown, against a table of what it may be. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { promptMatrix } from "../../packages/throughline/src/context.ts";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import type { Checked } from "./run.ts";

const tableShape = z.record(z.string(), z.record(z.string(), z.boolean()));

/** Every cell of the table, and whether the companion's prompt agrees; a style without a row is one check that failed. */
export function matrixChecks(): readonly Checked[] {
  const table = tableShape.parse(JSON.parse(readFileSync(new URL("matrix.json", import.meta.url), "utf8")));
  const rows = promptMatrix(createCompanion());
  const check = (what: string, expected: unknown, got: unknown): Checked => ({
    ...{ trajectory: "prompt matrix", turn: 1, what, expected: String(expected), got: String(got) },
    ok: expected === got,
  });
  const missing = rows.flatMap(({ style }) => (style === null || style in table ? [] : [check(style, "a row", "none")]));
  const cells = Object.entries(table).flatMap(([style, parts]) => {
    const seen = new Map(rows.find((row) => row.style === style)?.cells.map((cell) => [cell.part, cell.seen]));
    return Object.entries(parts).map(([part, expected]) => check(`${style} sees ${part}`, expected, seen.get(part)));
  });
  return [...missing, ...cells];
}
