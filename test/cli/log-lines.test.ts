/** What a process tells while it runs. */
import { describe, expect, test } from "vitest";
import { type LogOptions, logLines } from "../../packages/server/src/cli/commands/service-commands.ts";
import type { Logger } from "../../packages/throughline/src/kernel/log.ts";

function logging(options: Partial<LogOptions> = {}): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
  return { log: logLines((line) => lines.push(line), { level: "info", format: "json", clock, ...options }), lines };
}

describe("log lines", () => {
  test("are one JSON document each, with the time first, and its fields beside it", () => {
    const { log, lines } = logging();
    log.warn("turn failed\nat once", { request_id: "r-1", code: "model.failed", level: "loud", nested: { n: [1] } });
    expect(lines).toEqual([
      '{"time":"2026-01-02T03:04:05.006Z","level":"warn","message":"turn failed\\nat once","request_id":"r-1","code":"model.failed","nested":{"n":[1]}}',
    ]);
  });

  test("are one line each for a person", () => {
    const { log, lines } = logging({ format: "text" });
    log.warn("turn failed\nat once", { code: "model.failed", tries: 2, nested: { n: [1] } });
    expect(lines).toEqual(['warning: turn failed at once code=model.failed tries=2 nested={"n":[1]}']);
  });

  test.each([
    ["debug", 4],
    ["info", 3],
    ["warn", 2],
    ["error", 1],
    ["silent", 0],
  ] as const)("of level %s: %i of four", (level, count) => {
    const { log, lines } = logging({ level });
    for (const weight of ["debug", "info", "warn", "error"] as const) log[weight]("x");
    expect(lines).toHaveLength(count);
  });

  test("hold no secret by its name, none that is hidden, and no long text", () => {
    const { log, lines } = logging({ hide: (text) => text.replaceAll("hunter2", "***") });
    log.error("no hunter2", {
      password: "canary",
      api_key: "canary",
      headers: { Authorization: "canary", "set-cookie": "canary" },
      tokens: ["hunter2"],
      input_tokens: 5,
      text: "x".repeat(10_000),
      escape: "\u001b[2J",
    });
    const line = lines[0] ?? "";
    expect(line).not.toMatch(/canary|hunter2/);
    expect(line.length).toBeLessThan(1_000);
    expect(JSON.parse(line)).toMatchObject({ message: "no ***", password: "***", tokens: ["***"], input_tokens: 5 });
    expect(line).not.toContain("\u001b");
  });
});

describe("thrown errors in log lines", () => {
  const thrown = new TypeError("no price for socks");

  test.each(["json", "text"] as const)("are left out by default (%s)", (format) => {
    const { log, lines } = logging({ format, level: "debug" });
    log.error("turn failed", { code: "stage.failed" }, thrown);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("socks");
  });

  test("are written with their stacks, and without secrets, where that is asked for", () => {
    const hide = (text: string): string => text.replaceAll("socks", "***");
    for (const format of ["json", "text"] as const) {
      const { log, lines } = logging({ format, thrown: true, hide });
      log.error("turn failed", { code: "stage.failed" }, thrown);
      log.error("no error");
      expect(lines).toHaveLength(2);
      expect(lines[0]).toContain("TypeError: no price for ***");
      expect(lines[0]).toContain("log-lines.test.ts");
    }
  });
});
