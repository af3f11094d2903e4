/** The first program that a newcomer reads: how long it is, what it asks them to learn, and that it keeps its word. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conceptsOf, libraryNames } from "../../scripts/concepts/count.ts";
import { limits, linesOf, quickstart } from "../../scripts/concepts/quickstart.ts";
import { root } from "../../scripts/root.ts";
import { newFolder, run } from "../cli/run-cli.ts";

const code = quickstart();

describe("the quickstart", () => {
  let program = "";
  beforeAll(() => {
    mkdirSync(join(root, ".snippets"), { recursive: true });
    program = join(mkdtempSync(join(root, ".snippets", "quickstart-")), "quickstart.ts");
    writeFileSync(program, code);
  });
  afterAll(() => rmSync(join(program, ".."), { recursive: true, force: true }));
  const said = (cwd: string, text: string): string => {
    const { THROUGHLINE_DB: _elsewhere, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, text], { cwd, env, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    return stdout.trim();
  };

  test("has at most 12 lines and 6 concepts", () => {
    expect(linesOf(code).length).toBeLessThanOrEqual(limits.lines);
    expect([...conceptsOf(code).keys()]).toEqual(["store", "agent", "model", "session", "send"]);
    expect(limits).toEqual({ lines: 12, concepts: 6 });
  });
  test("continues its conversation in the next process, in the database of the command line", () => {
    const cwd = newFolder();
    expect(said(cwd, "tea")).toBe("On your list: tea.");
    expect(said(cwd, "cups")).toBe("On your list: tea, cups.");
    expect(existsSync(join(cwd, ".throughline/throughline.db"))).toBe(true);
    expect(run(["sessions", "show"], { cwd }).out).toContain("On your list: tea, cups.");
  });
});

describe("what is counted", () => {
  const program = (body: string): string =>
    `import { defineAgent, createRuntime } from "throughline";\nimport { z } from "zod";\nconst agent = defineAgent({ name: "a", model });\n${body}`;

  test("imports, options and members of the library, whatever they are called here", () => {
    const names = libraryNames(
      program("const { sessions: all } = await createRuntime({ agents: [agent] });\nfor await (const p of all.open({ key: 1 })) p.text;"),
    );
    expect(names.toSorted()).toEqual(["agents", "createRuntime", "defineAgent", "key", "model", "name", "open", "sessions", "text"]);
  });
  test("nothing of other libraries", () => {
    expect(libraryNames(program("z.object({ city: z.string() });\nfetch(url, { method: 1 });"))).toEqual([
      "defineAgent",
      "createRuntime",
      "name",
      "model",
    ]);
  });
  test("a name that belongs to no known concept is one more", () => {
    const names = [...conceptsOf(program("")).keys()];
    expect([...conceptsOf(program(`defineAgent({ hooks: [], episodeSilenceMs: 1 });`)).keys()]).toEqual([...names, "hooks", "episodeSilenceMs"]);
  });
});
