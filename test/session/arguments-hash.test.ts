import { expect, test } from "vitest";
import { argumentsHash } from "../../packages/throughline/src/session/pending-calls.ts";

test("equal arguments have one hash, in whatever order their keys come", () => {
  const hash = argumentsHash({ to: "a@example.org", body: { text: "hi", cc: [1, { x: null, y: true }] } });
  expect(argumentsHash({ body: { cc: [1, { y: true, x: null }], text: "hi" }, to: "a@example.org" })).toBe(hash);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

test("whatever differs in the arguments differs in the hash", () => {
  const all = [
    {},
    { a: 1 },
    { a: "1" },
    { a: null },
    { a: [1] },
    { a: { 0: 1 } },
    { a: [1, 2] },
    { a: [2, 1] },
    { b: 1 },
    { a: 1, b: 1 },
    { a: false },
  ];
  expect(new Set(all.map(argumentsHash)).size).toBe(all.length);
});
