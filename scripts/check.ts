/** `npm run check`: every gate in turn, one line each, and what a failing gate said. `npm run check -- lint types` runs those alone. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./root.ts";

interface Gate {
  readonly name: string;
  /** What to do when it fails. */
  readonly hint: string;
  readonly command: readonly [file: string, ...args: string[]];
}

const gates: readonly Gate[] = [
  { name: "types", hint: "Correct the types.", command: ["node_modules/typescript/bin/tsc", "-p", "."] },
  { name: "page types", hint: "Correct the types.", command: ["node_modules/typescript/bin/tsc", "-p", "packages/inspector"] },
  { name: "lint", hint: "Correct them; some with `npm run lint -- --fix`.", command: ["node_modules/oxlint/bin/oxlint", "--format=unix"] },
  { name: "format", hint: "Run `npm run format`.", command: ["node_modules/oxfmt/bin/oxfmt", "--check"] },
  { name: "dead code", hint: "Remove what nothing uses.", command: ["node_modules/knip/bin/knip.js", "--no-progress"] },
  { name: "architecture", hint: "The table of rooms is scripts/architecture/rooms.ts.", command: ["scripts/architecture/main.ts"] },
  {
    name: "api report",
    hint: "Run `npm run api`, read the change, and write a doc comment where one is missing.",
    command: ["scripts/api-report.ts"],
  },
  { name: "data files", hint: "Correct the YAML files; after a change, run `npm run data`.", command: ["scripts/data.ts"] },
  { name: "wire types", hint: "Run `npm run wire:types` and read the change.", command: ["scripts/wire-types.ts"] },
  { name: "errors page", hint: "Run `npm run docs:errors`.", command: ["scripts/errors-page.ts"] },
  { name: "configuration", hint: "Run `npm run docs:configuration`.", command: ["scripts/configuration.ts"] },
  { name: "companion page", hint: "Run `npm run docs:companion`.", command: ["scripts/companion-state.ts"] },
  { name: "hotlines", hint: "Have somebody open each operator's site, then write the days of review.", command: ["scripts/hotlines.ts"] },
];

/** How much a failing gate may say when it is not run alone. */
const mostLines = 80;

/** Runs one gate and says how it went; whether it passed. */
function pass({ name, hint, command: [file, ...args] }: Gate, alone: boolean): boolean {
  const begun = performance.now();
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [join(root, file), ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const passed = status === 0;
  console.log(`${passed ? "ok  " : "FAIL"}  ${name.padEnd(14)} ${seconds} s`);
  if (passed) return true;
  const said = [stdout, stderr, error?.message].filter(Boolean).join("\n").trimEnd().split("\n");
  const rest = alone ? 0 : Math.max(0, said.length - mostLines);
  if (rest > 0) said.splice(mostLines, rest, `… ${rest} more lines: npm run check -- "${name}"`);
  console.log(`${said.join("\n")}\n→ ${hint}\n`);
  return false;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !gates.some((gate) => gate.name === name));
if (unknown.length > 0) {
  console.error(`There is no gate ${unknown.join(", ")}; there are ${gates.map((gate) => gate.name).join(", ")}.`);
  process.exitCode = 1;
} else {
  const chosen = gates.filter((gate) => wanted.length === 0 || wanted.includes(gate.name));
  const failed = chosen.filter((gate) => !pass(gate, chosen.length === 1));
  console.log(
    failed.length === 0 ? "All gates passed." : `${failed.length} of ${chosen.length} gates failed: ${failed.map((gate) => gate.name).join(", ")}.`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}
