import fc from "fast-check";
import { expect, test } from "vitest";
import { guard, guardStream } from "../../../packages/throughline/src/safety/guard/guard.ts";

const through = (parts: readonly string[]) => {
  const stream = guardStream({ level: 0 });
  const shown: string[] = parts.map((part) => stream.push(part));
  const rest = stream.end();
  return { shown, rest, all: shown.join("") + rest.text };
};

test("sentences leave one by one, those with a number or a link never", () => {
  const { shown, rest } = through(["Hi the", "re. Call 98", "8 now! It is 10", ".5 km. I am", " here.\nVisit foo.com. Bye"]);
  expect(shown).toEqual(["", "Hi there. ", "", "It is 10.5 km. ", "I am here.\n"]);
  expect(rest).toEqual({ text: "Bye", removed: ["number", "link"], blocked: [] });
});

test("from a sentence that must not be said on, nothing is shown", () => {
  const { all, rest } = through(["I hear you. ", "I won't tell anyone. ", "You are safe."]);
  expect(all).toBe("I hear you. ");
  expect(rest.blocked).toEqual(["secrecy_promise"]);
});

test("what is shown is the same however the text is cut, and what a guard of the whole leaves", () => {
  const sentences = [
    "I hear you. ",
    "Call 988 now. ",
    "See foo.com! ",
    "Breathe 4-7-8.\n",
    "It was 10.5 km? ",
    "你好。",
    "Ring +44 20 7946 0958. ",
    "1. Sit.\n",
    "Why? ",
  ];
  const text = fc.array(fc.constantFrom(...sentences), { maxLength: 8 }).map((chosen) => chosen.join(""));
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 30 }), (whole, sizes) => {
      const parts: string[] = [];
      for (let at = 0, index = 0; at < whole.length; index += 1) {
        const size = (sizes[index % sizes.length] ?? 0) + 1;
        parts.push(whole.slice(at, at + size));
        at += size;
      }
      expect(through(parts).all.trim()).toBe(guard(whole, { level: 0 }).text);
    }),
    { numRuns: 200 },
  );
});

test("a text without an end of a sentence is not held for ever", () => {
  const { shown } = through(Array.from({ length: 100 }, () => "word ".repeat(20)));
  expect(shown.join("").length).toBeGreaterThan(5_000);
});
