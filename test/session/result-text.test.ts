import { expect, it } from "vitest";
import type { ToolResult } from "../../packages/throughline/src/session/event.ts";
import { resultText } from "../../packages/throughline/src/session/session-messages.ts";

it.each([
  [null, "null"],
  [true, "true"],
  [false, "false"],
  [3, "3"],
  [1.5, "1.5"],
  ["s", "s"],
  ["", ""],
  [{ a: 1 }, '{"a":1}'],
  [[1, "x"], '[1,"x"]'],
])("158: a value of %j reads %s", (value, text) => expect(resultText({ type: "ok", value })).toBe(text));

it("a tool may render its value itself", () =>
  expect(
    resultText({
      type: "ok",
      value: { rows: 900 },
      shown: [
        { type: "text", text: "900 rows" },
        { type: "json", value: [1] },
      ],
    }),
  ).toBe("900 rows\n[1]"));

it.each<[Partial<ToolResult>, unknown]>([
  [{}, { rows: 900 }],
  [{ shown: [{ type: "text", text: "900 rows" }] }, "900 rows"],
])("what could not be stored is told as done, and why: %j", (shown, done) =>
  expect(
    JSON.parse(
      resultText({
        type: "ok",
        value: { rows: 900 },
        not_stored: { code: "tool.output_invalid", message: "too large", hint: "" },
        ...shown,
      } as ToolResult),
    ),
  ).toEqual({
    done,
    not_stored: { reason: expect.stringContaining("Do not repeat it") as string, code: "tool.output_invalid", message: "too large" },
  }),
);

it.each<[ToolResult, unknown]>([
  [
    { type: "error", error: { code: "tool.arguments_invalid", message: "no city", hint: "for developers", details: { path: "/city" } } },
    { error: { code: "tool.arguments_invalid", message: "no city", details: { path: "/city" } } },
  ],
  [{ type: "error", error: { code: "tool.failed", message: "x", hint: "h" } }, { error: { code: "tool.failed", message: "x" } }],
  [{ type: "blocked", by: "policy", reason: "not at night" }, { blocked: { by: "policy", reason: "not at night" } }],
  [{ type: "skipped", reason: "stopped" }, { skipped: { reason: "stopped" } }],
  [{ type: "unknown" }, { unknown: { reason: expect.stringContaining("may have happened") as string } }],
])("136, 170: what is no value is told with its reason: %j", (result, told) => expect(JSON.parse(resultText(result))).toEqual(told));
