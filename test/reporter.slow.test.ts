import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readManifest, root } from "../scripts/root.ts";
import { hangMs } from "./setup/limits.ts";

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

/** A package that `.ci/run` checks: whether its installation and its gates succeed, and the body of its only test file in each lane. */
interface Checkout {
  readonly installs?: boolean;
  readonly gates?: "true" | "false";
  readonly quick?: string;
  readonly slow?: string;
}

/** Runs `.ci/run` itself on a package that has nothing to install, under the repository's own configuration and scripts of both lanes. */
function runGates({ installs = true, gates = "true", quick = good, slow = good }: Checkout): Promise<{
  readonly code: number | null;
  readonly last: string | undefined;
}> {
  const home = mkdtempSync(join(folder, "package-"));
  const name = "sample";
  const own = readManifest().scripts;
  const config = join(root, "vitest.config.ts");
  const scripts = { check: gates, test: `${own["test"] ?? ""} --config ${config}`, "test:slow": `${own["test:slow"] ?? ""} --config ${config}` };
  mkdirSync(join(home, "test"));
  cpSync(join(root, ".ci"), join(home, ".ci"), { recursive: true });
  symlinkSync(join(root, "bin"), join(home, "bin"));
  writeFileSync(join(home, "package.json"), JSON.stringify({ name, private: true, type: "module", scripts }));
  if (installs)
    writeFileSync(join(home, "package-lock.json"), JSON.stringify({ name, lockfileVersion: 3, requires: true, packages: { "": { name } } }));
  for (const [file, body] of Object.entries({ "sample.test.ts": quick, "sample.slow.test.ts": slow }))
    writeFileSync(join(home, "test", file), `import { expect, test } from "vitest";\n${body}`);
  // The PostgreSQL that the run starts is part of what is tested, so it must not be replaced.
  const { VITEST: _, DATABASE_URL: __, ...outside } = process.env;
  const env = { ...outside, FORCE_COLOR: "0", npm_config_audit: "false", npm_config_update_notifier: "false" };
  return new Promise((resolve) => {
    const child = execFile(join(home, ".ci/run"), { env }, (_error, stdout) =>
      resolve({ code: child.exitCode, last: stdout.trimEnd().split("\n").at(-1) }),
    );
  });
}

describe.concurrent(".ci/run with the repository's own configuration", { timeout: 10 * hangMs }, () => {
  const bad = `test("bad", () => expect(1).toBe(2));\n`;
  test("exits 1 when a quick test fails, after running the slow ones", async () => {
    expect(await runGates({ quick: good + bad })).toEqual({ code: 1, last: "2 passed, 1 failed" });
  });
  test("exits 1 when a slow test fails", async () => {
    expect(await runGates({ slow: bad + good })).toEqual({ code: 1, last: "2 passed, 1 failed" });
  });
  test("exits 1 when the installation or a gate fails, after running the tests of both lanes", async () => {
    expect(await runGates({ installs: false })).toEqual({ code: 1, last: "2 passed, 0 failed" });
    expect(await runGates({ gates: "false" })).toEqual({ code: 1, last: "2 passed, 0 failed" });
  });
  test("counts a lane that ends without its closing line as a failure", async () => {
    expect(await runGates({ slow: `process.kill(process.ppid, "SIGKILL");\n` })).toEqual({ code: 1, last: "1 passed, 1 failed" });
  });
  test("exits 0 when the gates and both lanes pass, and adds up what was skipped", async () => {
    expect(await runGates({ quick: `${good}test.skip("a", () => {});`, slow: `${good}test.skip("b", () => {});` })).toEqual({
      code: 0,
      last: "2 passed, 0 failed, 2 skipped",
    });
  });
});
