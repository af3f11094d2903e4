/** Readers that die, and the judge of what they saw: each forged trace here breaks the promise in one way. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Event } from "../../packages/throughline/src/index.ts";
import { eventIdOf, type SessionId, type TraceId } from "../../packages/throughline/src/kernel/id.ts";
import { Trace, judgeTrace, noteOf } from "./reader.ts";

const session_id = "ses_00000000000000000000000000" as SessionId;
const eventAt = (offset: number, value = offset): Event => ({
  ...{ session_id, offset, id: eventIdOf(session_id, offset), created_at: 1, trace_id: "1".repeat(32) as TraceId },
  kind: "custom",
  source: "system",
  data: { value },
});
const log = [0, 1, 2, 3].map((offset) => eventAt(offset));
const notes = log.map((event) => noteOf(event));
const [zero = "", one = "", two = "", three = ""] = notes;

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "throughline-reader-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "reader", "s1");
}

describe("a trace", () => {
  test("goes on after a death where its last whole line ends", () => {
    const path = newPath();
    const first = new Trace(path);
    expect(first.next).toBe(0);
    first.note(eventAt(0));
    first.note(eventAt(1));
    writeFileSync(path, `${readFileSync(path, "utf8")}2 abc`);
    const second = new Trace(path);
    expect([second.next, second.lines]).toEqual([2, [zero, one]]);
    second.note(eventAt(2));
    expect(readFileSync(path, "utf8")).toBe(`${zero}\n${one}\n${two}\n`);
  });

  test("of nothing but half a line begins anew", () => {
    const path = newPath();
    expect(new Trace(path).lines).toEqual([]);
    writeFileSync(path, "0");
    expect([new Trace(path).next, new Trace(path).lines]).toEqual([0, []]);
  });
});

describe("the judge of readers", () => {
  test("has nothing to say about every event once, in order", () => {
    expect(judgeTrace(notes, log)).toEqual([]);
    expect(judgeTrace([], [])).toEqual([]);
  });

  const broken: readonly (readonly [name: string, lines: readonly string[], seen: RegExp])[] = [
    ["an event that was missed", [zero, one, three], /offset 3 was delivered before 2/],
    ["a later event before an earlier one", [zero, two, one, three], /offset 2 was delivered before 1[\s\S]*offset 1 was delivered after 2/],
    ["an event that came twice", [zero, one, one, two, three], /offset 1 was delivered twice/],
    ["an event that came again after a restart", [zero, one, two, one, two, three], /offset 1 was delivered after 2/],
    ["a log that was not read to its end", [zero, one, two], /the last offset delivered is 2, the log ends at 3/],
    ["a beginning that was left out", [one, two, three], /offset 1 was delivered before 0/],
    ["an event that the log does not have", [...notes, noteOf(eventAt(4))], /offset 4 was delivered and is not in the log/],
    [
      "an event that was something else when it was delivered",
      [zero, noteOf(eventAt(1, 7)), two, three],
      /offset 1 was delivered with another content/,
    ],
    ["a line that is none", [zero, "?", two, three], /is not in the log/],
  ];
  test.each(broken)("sees %s", (_name, lines, seen) => {
    expect(judgeTrace(lines, log).join("\n")).toMatch(seen);
  });
});
