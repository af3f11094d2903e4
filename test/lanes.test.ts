/** Every test file runs in exactly one of the lanes that `.ci/run` runs, and no file that looks like a test is in none. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { readManifest, root } from "../scripts/root.ts";

/** The paths of the files that an npm script would run. */
function filesOf(script: string): readonly string[] {
  const command = (readManifest().scripts[script] ?? "").split(" ");
  expect([command[0], command[3]], script).toEqual(["node", "run"]);
  const listing = [...command.slice(1, 3), "list", "--filesOnly", "--json", ...command.slice(4)];
  const output = execFileSync(process.execPath, listing, { cwd: root, encoding: "utf8" });
  return z
    .array(z.object({ file: z.string() }))
    .parse(JSON.parse(output))
    .map(({ file }) => relative(root, file));
}

/** Every file of the repository that is named like a test. `test/interop` has a runner of its own; the templates run theirs once they are installed. */
const named = globSync("**/*{.,-}{test,tests,spec}.{ts,mts,cts,tsx,js,mjs,cjs,jsx}", {
  cwd: root,
  exclude: (path) => ["test/interop", "packages/create-throughline/templates"].includes(path) || /(?:^|\/)(?:node_modules|dist|\.[^/]+)$/.test(path),
});

test("every test file is in exactly one lane, and .ci/run runs all lanes", () => {
  const lanes = Object.keys(readManifest().scripts).filter((name) => /^test(?::|$)/.test(name));
  expect(lanes).toEqual(["test", "test:slow"]);
  const run = readFileSync(join(root, ".ci/run"), "utf8");
  expect(/^for lane in (.+); do$/m.exec(run)?.[1]?.split(" ")).toEqual(lanes);
  expect(lanes.flatMap(filesOf).toSorted()).toEqual(named.toSorted());
});

test("the file name says which lane a file is in", () => {
  const slow = named.filter((path) => path.endsWith(".slow.test.ts"));
  expect(slow.length).toBeGreaterThan(0);
  expect([...filesOf("test:slow")].toSorted()).toEqual(slow.toSorted());
});
