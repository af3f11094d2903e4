import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { defaultLogger, describeThrown, quietLogger } from "../../packages/throughline/src/kernel/log.ts";
import { root } from "../../scripts/root.ts";

/** What the default logger writes for one failure, in an environment. */
function written(env: NodeJS.ProcessEnv, isTTY: boolean): string {
  let text = "";
  const logger = defaultLogger({ env, stderr: { isTTY, write: (more) => void (text += more) } });
  logger.error("turn failed", { turn_id: "t1" }, new Error("boom"));
  logger.info("nothing was thrown");
  return text;
}

describe("the default logger", () => {
  test.each<[string, NodeJS.ProcessEnv, boolean, boolean]>([
    ["in development", {}, false, true],
    ["in development at a terminal", { NODE_ENV: "development" }, true, true],
    ["in tests", { NODE_ENV: "test" }, false, true],
    ["in production", { NODE_ENV: "production" }, false, false],
    ["in production at a terminal", { NODE_ENV: "production" }, true, true],
    ["in production, switched on", { NODE_ENV: "production", THROUGHLINE_ERRORS: "on" }, false, true],
    ["at a terminal, switched off", { THROUGHLINE_ERRORS: "off" }, true, false],
  ])("%s", (_where, env, isTTY, reports) => {
    const text = written(env, isTTY);
    expect(text.includes("Error: boom\n")).toBe(reports);
    expect(text === "").toBe(!reports);
  });

  test("of a program is used without any option, on stderr only", () => {
    const program = `
      import { createRuntime, defineAgent, defineState, loop, openStore, scripted, stage } from "throughline";
      const state = defineState({});
      const price = stage("price", { state, writes: [] }, function readPrice() { throw new TypeError("no price for socks"); });
      const agent = defineAgent({ name: "shop", version: 1, state, stages: [price], reply: loop({ model: scripted([]) }) });
      const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent] });
      const session = await runtime.sessions.create({ agent: "shop" });
      await session.send("hi");
      await runtime.close();`;
    const run = (env: NodeJS.ProcessEnv) => {
      const { THROUGHLINE_ERRORS: _errors, NODE_ENV: _env, ...rest } = process.env;
      const options = { cwd: join(root, "test"), env: { ...rest, ...env }, encoding: "utf8", input: program } as const;
      const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module-typescript"], options);
      expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
      return stderr;
    };
    const report = run({});
    expect(report).toMatch(
      /^\[throughline\] turn failed\. Stage "price" failed\. \(stage\.failed\)\n {2}at agent shop, session ses_\w+, turn \S+, stage price\n/,
    );
    expect(report).toMatch(/TypeError: no price for socks\n {6}at \S*readPrice /);
    expect(report.split("no price for socks")).toHaveLength(2);
    expect(run({ NODE_ENV: "production" })).toBe("");
  });
});

describe("a report", () => {
  test("has the causes, the hint of the code, and no control characters", () => {
    const error = new Error("outer\u001b[2J", { cause: new TypeError("inner") });
    const text = describeThrown("turn failed", {}, new ThroughlineError("turn.failed", undefined, { cause: error }));
    expect(text).toContain("Error: outer[2J\n");
    expect(text).toContain("caused by TypeError: inner");
    expect(text).toContain("hint: ");
    expect(text).not.toContain("\u001b");
  });

  test.each<[string, unknown, string]>([
    ["a text", "no socks", '"no socks"'],
    ["an object", { code: 5 }, '{"code":5}'],
    ["null", null, "null"],
    [
      "an error whose members throw",
      Object.defineProperty(new Error("x"), "stack", {
        get: () => {
          throw new Error("hostile");
        },
      }),
      "a value that cannot be shown",
    ],
  ])("of %s", (_what, thrown, expected) => {
    expect(describeThrown("turn failed", {}, thrown)).toContain(expected);
  });

  test("of an error that is its own cause ends, and a huge one is cut", () => {
    const error = new Error("round");
    error.cause = error;
    expect(describeThrown("turn failed", {}, error).split("round")).toHaveLength(2);
    expect(describeThrown("turn failed", {}, new Error("x".repeat(100_000))).length).toBeLessThan(20_000);
  });
});

test("a logger gets an error once per turn, also inside another one, and its own errors stay inside", () => {
  const seen: unknown[] = [];
  const logger = quietLogger({
    ...{ debug() {}, info() {}, warn() {} },
    error(_message, _fields, thrown) {
      seen.push(thrown);
      throw new Error("of the logger");
    },
  });
  const error = new Error("boom");
  logger.error("one", { turn_id: "t1" }, error);
  logger.error("two", { turn_id: "t1" }, new ThroughlineError("turn.failed", undefined, { cause: error }));
  logger.error("three", { turn_id: "t2" }, error);
  expect(seen).toEqual([error, undefined, error]);
});
