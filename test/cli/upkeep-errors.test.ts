/** What the commands of upkeep say when they are given what is not there, what is something else, or what somebody else has left. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { newFolder, run, say } from "./run-cli.ts";

test("a file that is not there, or is none, is named with a code and what to do, and no database is made", () => {
  const cwd = newFolder();
  const wrong: readonly (readonly [words: readonly string[], code: number, says: RegExp])[] = [
    [["sessions", "import", "nowhere.jsonl"], 3, /nowhere\.jsonl does not exist.*\(file\.unreadable\)/s],
    [["sessions", "import", "."], 3, /\. is a folder.*\(file\.unreadable\)/s],
    [["restore", "nowhere.db", "--without-tombstones"], 3, /no backup at nowhere\.db.*\(file\.unreadable\)/s],
    [["restore", "x", "--tombstones", "nowhere"], 3, /nowhere does not exist.*\(file\.unreadable\)/s],
    [["retention"], 2, /--older-than or --keep-events/],
  ];
  for (const [words, code, says] of wrong) {
    const done = run(words, { cwd });
    expect([words, done.code]).toEqual([words, code]);
    expect(done.err).toMatch(says);
  }
  expect(existsSync(join(cwd, ".throughline"))).toBe(false);
});

test("a restore of what is no backup leaves the database as it was, and takes away what a killed one has left", () => {
  const cwd = newFolder();
  say(cwd, ["I'm Ada"]);
  const folder = join(cwd, ".throughline");
  writeFileSync(join(folder, "throughline.db.restoring-999999999"), "of a process that is gone");
  writeFileSync(join(cwd, "no-backup"), "just a text");
  mkdirSync(join(cwd, "a-folder"));
  const done = run(["restore", "no-backup"], { cwd });
  expect([done.code, done.err]).toEqual([1, expect.stringMatching(/no-backup is no backup.*\(store\.corrupt\)/s)]);
  expect(run(["restore", "a-folder"], { cwd }).err).toContain("file.unreadable");
  expect(readdirSync(folder).filter((name) => name.includes("restoring"))).toEqual([]);
  expect(run(["sessions", "list"], { cwd }).out).toContain("diary");
});

test.skipIf(!existsSync("/dev/full"))("output that finds no room is a failure, said in a sentence", () => {
  const full = openSync("/dev/full", "w");
  try {
    const { status, stderr } = spawnSync(process.execPath, [join(root, "packages/server/src/cli/main.ts"), "keys", "generate"], {
      stdio: ["ignore", full, "pipe"],
    });
    expect([status, String(stderr)]).toEqual([1, expect.stringContaining("(output.failed)")]);
    expect(String(stderr)).not.toContain("    at ");
  } finally {
    closeSync(full);
  }
});
