import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFrameReader, type Frame } from "../../packages/client/src/event-frames.ts";

const framesOf = (...pieces: readonly string[]): readonly Frame[] => {
  const read = createFrameReader();
  return pieces.flatMap((piece) => read(piece));
};

describe("frames of a stream", () => {
  test.each<readonly [string, string, readonly Frame[]]>([
    ["an event with an id", "id: 7\nevent: message\ndata: {}\n\n", [{ event: "message", data: "{}", id: "7" }]],
    ["data over several lines", "data: a\ndata: b\n\n", [{ event: "", data: "a\nb" }]],
    ["lines that end in carriage returns", "data: a\r\rdata: b\r\n\r\n", ["a", "b"].map((data) => ({ event: "", data }))],
    ["a field without a space, and one with two", "data:a\ndata:  b\n\n", [{ event: "", data: "a\n b" }]],
    ["a field without a colon", "data\n\n", [{ event: "", data: "" }]],
    ["an id alone", "id: 9\n\n", [{ event: "", data: "", id: "9" }]],
    ["an id that holds a NUL", "id: 9\0\ndata: a\n\n", [{ event: "", data: "a" }]],
    [
      "a comment, in the middle of a frame",
      "id: 9\n: next_offset=10\n\n",
      [
        { event: "", data: "", comment: "next_offset=10" },
        { event: "", data: "", id: "9" },
      ],
    ],
    ["the time to come back after", "retry: 1000\n\n", [{ event: "", data: "" }]],
    ["a field that nobody knows", "color: red\ndata: a\n\n", [{ event: "", data: "a" }]],
    ["a colon in the data", "data: a: b\n\n", [{ event: "", data: "a: b" }]],
    ["what was cut off", "data: a\n\ndata: b\n", [{ event: "", data: "a" }]],
    ["nothing but empty lines", "\n\n\n", []],
  ])("%s", (_title, text, frames) => expect(framesOf(text)).toEqual(frames));

  test("are the same however the text is cut", () => {
    const line = fc.constantFrom("data: a", "data", "id: 4", "event: message", ": hello", "", 'data: {"text":"ä"}', "retry: 5");
    const text = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 20 }).map((lines) => `${lines.flat().join("")}\n\n`);
    fc.assert(
      fc.property(text, fc.array(fc.nat(400), { maxLength: 12 }), (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).toSorted((left, right) => left - right), whole.length];
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
        expect(framesOf(...pieces)).toEqual(framesOf(whole));
      }),
      { numRuns: 300 },
    );
  });
});
