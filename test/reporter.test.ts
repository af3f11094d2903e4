import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../scripts/root.ts";

let folder = "";
beforeAll(() => {
  mkdirSync(join(root, ".snippets"), { recursive: true });
  folder = mkdtempSync(join(root, ".snippets", "reporter-"));
  writeFileSync(
    join(folder, "vitest.config.ts"),
    `export default { test: { reporters: [${JSON.stringify(join(root, "test/setup/reporter.ts"))}] } };`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs one test file with our reporter: how it ended, what was said on the last two lines, and everything that was said. */
function outcome(body: string): { readonly code: number | null; readonly closing: readonly string[]; readonly said: string } {
  writeFileSync(join(folder, "sample.test.ts"), `import { beforeAll, expect, test } from "vitest";\n${body}`);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { VITEST: _, ...outside } = process.env;
  const env = { ...outside, FORCE_COLOR: "0" };
  const args = [vitest, "run", "--root", folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
  return { code: status, closing: stdout.trimEnd().split("\n").slice(-2), said: stripVTControlCharacters(stdout + stderr) };
}

const good = `test("good", () => expect(1).toBe(1));\n`;

describe("the last line of a run", () => {
  test("counts what passed", () => {
    const { code, closing } = outcome(good);
    expect({ code, last: closing[1] }).toEqual({ code: 0, last: "1 passed, 0 failed" });
  });
  test("counts what failed, after the details of it", () => {
    const { code, closing, said } = outcome(`${good}test("bad", () => expect({ a: 1 }).toEqual({ a: 2 }));`);
    expect({ code, last: closing[1] }).toEqual({ code: 1, last: "1 passed, 1 failed" });
    expect(said).toMatch(/sample\.test\.ts > bad[\s\S]*sample\.test\.ts:3:/);
  });
  test("counts a file that does not load, a hook that throws, and an error outside of the tests", () => {
    expect(outcome(`throw new Error("no");`)).toMatchObject({ code: 1, closing: ["", "0 passed, 1 failed"] });
    expect(outcome(`beforeAll(() => { throw new Error("no"); });\n${good}`)).toMatchObject({
      code: 1,
      closing: ["", expect.stringMatching(/^0 passed, 1 failed/)],
    });
    expect(
      outcome(
        `${good}test("slow", async () => { setTimeout(() => { throw new Error("stray"); }, 1); await new Promise((done) => setTimeout(done, 50)); });`,
      ),
    ).toMatchObject({
      code: 1,
      closing: ["", "2 passed, 1 failed"],
    });
  });
  test("says why tests were skipped, on the line before", () => {
    const skipping = `test("a", (context) => context.skip("no PostgreSQL here"));\ntest("b", (context) => context.skip("no PostgreSQL here"));\ntest.skip("c", () => {});`;
    expect(outcome(good + skipping)).toMatchObject({ code: 0, closing: ["2 skipped: no PostgreSQL here", "1 passed, 0 failed, 3 skipped"] });
  });
  test("is a failure when nothing ran", () => {
    expect(outcome(`test.skip("c", () => {});`)).toMatchObject({ code: 1, closing: ["", "0 passed, 0 failed, 1 skipped"] });
    expect(outcome("")).toMatchObject({ code: 1 });
  });
});
