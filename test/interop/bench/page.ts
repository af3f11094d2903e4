/** Puts the tables of a run into docs/reference/benchmarks.md, between two marks. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import type { Measured } from "./measure.ts";
import { tableOf } from "./table.ts";

const page = new URL("../../../docs/reference/benchmarks.md", import.meta.url);
const [begin, end] = ["<!-- peers:begin -->", "<!-- peers:end -->"];

export interface Run {
  readonly measured: readonly Measured[];
  readonly leftOut: readonly string[];
  readonly marks: readonly number[];
  readonly postgresVersion: string | undefined;
}

export function writePage({ measured, leftOut, marks, postgresVersion }: Run): void {
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}, Node ${process.version}`;
  const load = `${(loadavg()[2] ?? 0).toFixed(1)} busy processes on average`;
  const engines = `SQLite ${process.versions.sqlite}, PostgreSQL ${postgresVersion ?? "not there"}`;
  const versions = measured.map(({ contestant }) => `- ${contestant.name}: ${contestant.versions}; a commit is ${contestant.commit}`);
  const text = [
    `Run: \`npm run bench:peers -- --marks ${marks.join(",")} --write\`, on ${machine}; ${engines}; ${load}.`,
    tableOf(measured),
    leftOut.length === 0 ? "Nothing was left out." : `Left out of this run:\n\n${leftOut.map((reason) => `- ${reason}`).join("\n")}`,
    `What ran:\n\n${[...new Set(versions)].join("\n")}`,
  ].join("\n\n");
  const before = readFileSync(page, "utf8");
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/reference/benchmarks.md has no place for the tables: ${begin} … ${end}`);
  writeFileSync(page, `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`);
}
