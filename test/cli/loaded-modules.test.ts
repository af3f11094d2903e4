/** A command loads only the modules that it uses. Start-up time follows their number, so the number is what is limited here. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { newFolder, run, say } from "./run-cli.ts";

const preload = new URL("./loaded-modules-child.ts", import.meta.url).href;

/** Runs a command and returns the modules that it loaded, by their paths from the root of the repository. Modules of Node do not count. */
function loadedBy(words: readonly string[], cwd: string): readonly string[] {
  const file = `${cwd}/loaded.txt`;
  const { code, err } = run(words, { cwd, env: { NODE_OPTIONS: `--import=${preload}`, LOADED_MODULES: file } });
  expect([words, code, err]).toEqual([words, 0, expect.not.stringContaining("Error:")]);
  const start = pathToFileURL(`${root}/`).href;
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((url) => (url.startsWith(start) ? [url.slice(start.length)] : []));
}

/** What a command that only reads sessions never needs: a turn, memory, the gate, PostgreSQL, the service, and the packages of these. */
const heavy = [
  "packages/throughline/src/runtime/turn/turn.ts",
  "packages/throughline/src/memory/keep/",
  "packages/throughline/src/memory/recall/",
  "packages/throughline/src/safety/",
  "packages/throughline/src/store/postgres/",
  "packages/server/src/server/",
  "packages/companion/",
  "node_modules/zod/",
  "node_modules/yaml/",
] as const;

/** The most modules of a command: about a tenth more than it loads. */
const limits: readonly (readonly [command: string, most: number, unused: readonly string[]])[] = [
  ["--help", 27, [...heavy, "packages/throughline/src/store/"]],
  ["sessions list", 166, heavy],
  ["sessions show", 166, heavy],
  ["sessions tree", 166, heavy],
  ["events list", 166, heavy],
  ["state get", 166, heavy],
  ["memory list", 232, heavy.filter((path) => !path.includes("/memory/"))],
  ["safety report", 214, heavy.filter((path) => !path.includes("/safety/"))],
  ["keys list", 345, heavy.filter((path) => !/zod|yaml|server/u.test(path))],
  ["doctor", 760, ["packages/throughline/src/store/postgres/"]],
];

test("a command loads no more modules than it needs", () => {
  const cwd = newFolder();
  expect(say(cwd, ["hello"]).code).toBe(0);
  for (const [command, most, unused] of limits) {
    const loaded = loadedBy(command.split(" "), cwd);
    // Half of the limit shows that the modules were counted at all.
    expect([command, loaded.length > most / 2, loaded.length <= most, loaded.length]).toEqual([command, true, true, expect.any(Number)]);
    expect([command, loaded.filter((path) => unused.some((part) => path.startsWith(part)))]).toEqual([command, []]);
  }
});
