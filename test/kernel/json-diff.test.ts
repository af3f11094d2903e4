import fc from "fast-check";
import fastJsonPatch from "fast-json-patch";
import { applyPatch as rfc6902Apply } from "rfc6902";
import { describe, expect, it } from "vitest";
import { deepFreeze, type Json } from "../../packages/throughline/src/kernel/json.ts";
import { diff } from "../../packages/throughline/src/kernel/json-diff.ts";
import { applyPatch } from "../../packages/throughline/src/kernel/json-patch.ts";
import { document, json } from "./arbitraries.ts";
import { cpuMs } from "../setup/cpu-time.ts";

const rows = (count: number): { readonly id: number; readonly text: string }[] =>
  Array.from({ length: count }, (_, id) => ({ id, text: `row ${id}` }));

describe("the differ finds", () => {
  const cases: readonly [name: string, before: Json, after: Json, operations: unknown][] = [
    ["nothing between equal values", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    ["a changed member", { a: "a long text that stays", b: 1 }, { a: "a long text that stays", b: 2 }, [{ op: "replace", path: "/b", value: 2 }]],
    [
      "an added and a removed member",
      { a: 1, kept: "x".repeat(99) },
      { b: 2, kept: "x".repeat(99) },
      [
        { op: "remove", path: "/a" },
        { op: "add", path: "/b", value: 2 },
      ],
    ],
    ["an appended element", { list: rows(9) }, { list: [...rows(9), { id: 9 }] }, [{ op: "add", path: "/list/-", value: { id: 9 } }]],
    ["an element put in front", { list: rows(9) }, { list: [{ id: -1 }, ...rows(9)] }, [{ op: "add", path: "/list/0", value: { id: -1 } }]],
    ["an element taken out of the middle", { list: rows(9) }, { list: rows(9).toSpliced(4, 1) }, [{ op: "remove", path: "/list/4" }]],
    [
      "a changed element, by its member",
      { list: rows(9) },
      { list: rows(9).with(4, { id: 4, text: "!" }) },
      [{ op: "replace", path: "/list/4/text", value: "!" }],
    ],
    [
      "escaped names",
      { "a/b": { "c~d": 1, kept: "x".repeat(99) } },
      { "a/b": { "c~d": 2, kept: "x".repeat(99) } },
      [{ op: "replace", path: "/a~1b/c~0d", value: 2 }],
    ],
    ["another type", { a: [1], kept: "x".repeat(99) }, { a: { 0: 1 }, kept: "x".repeat(99) }, [{ op: "replace", path: "/a", value: { 0: 1 } }]],
    ["a text that becomes null", "x", null, [{ op: "replace", path: "", value: null }]],
  ];

  it.each(cases)("%s", (_name, before, after, operations) => {
    expect(diff(before, after)).toEqual(operations);
  });
});

describe("the differ", () => {
  it("replaces a value when describing the change takes more than the value", () => {
    expect(diff({ a: [1, 2, 3, 4] }, { a: [4, 3, 2, 1] })).toEqual([{ op: "replace", path: "/a", value: [4, 3, 2, 1] }]);
    expect(diff({ a: 1, b: 2, c: 3 }, { d: 4 })).toEqual([{ op: "replace", path: "", value: { d: 4 } }]);
    const before = { kept: "x".repeat(500), list: rows(50) };
    expect(diff(before, { ...before, list: [] })).toEqual([{ op: "replace", path: "/list", value: [] }]);
  });

  it("never goes through a key that patches refuse, and replaces what holds it", () => {
    const words = { kept: "x".repeat(500), count: { constructor: 1, filler: "y".repeat(200) } };
    const operations = diff(words, { ...words, count: { ...words.count, constructor: 2 } });
    expect(operations).toEqual([{ op: "replace", path: "/count", value: { constructor: 2, filler: "y".repeat(200) } }]);
    expect(diff(words, { ...words, count: { filler: "y".repeat(200) } })).toEqual([
      { op: "replace", path: "/count", value: { filler: "y".repeat(200) } },
    ]);
  });

  it("puts a prefix in front of its paths", () => {
    expect(diff("a", "b", "/field")).toEqual([{ op: "replace", path: "/field", value: "b" }]);
  });

  it("does not read what is the same reference", () => {
    const unread = new Proxy({}, { ownKeys: () => expect.fail("it was read") }) as Json;
    const kept = "x".repeat(99);
    expect(diff({ kept, a: 1, unread }, { kept, a: null, unread })).toEqual([{ op: "replace", path: "/a", value: null }]);
  });

  it("takes milliseconds for one push on 10,000 rows", () => {
    const before = rows(10_000);
    const started = cpuMs();
    expect(diff(before, [...before, { id: -1, text: "new" }])).toEqual([{ op: "add", path: "/-", value: { id: -1, text: "new" } }]);
    expect(diff(before, [...structuredClone(before), { id: -1, text: "new" }])).toHaveLength(1);
    expect(cpuMs() - started).toBeLessThan(500);
  });

  it("stays linear when every row has changed", () => {
    const before = rows(10_000);
    const after = before.map((row) => ({ ...row, text: `${row.text}!` }));
    const started = cpuMs();
    const operations = diff(before, after);
    expect(cpuMs() - started).toBeLessThan(1_000);
    expect(applyPatch(before, operations)).toEqual(after);
  });
});

describe("laws of diff and apply", () => {
  it("apply(before, diff(before, after)) is after, with our applier", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(applyPatch(deepFreeze(before), diff(before, after))).toEqual(after);
      }),
      { numRuns: 1_000 },
    );
  });

  it("… with fast-json-patch and with rfc6902", () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        const operations = diff(before, after) as never;
        expect(fastJsonPatch.applyPatch(structuredClone(before), structuredClone(operations)).newDocument).toEqual(after);
        // rfc6902 works in place, so it gets the document below a root that it can replace.
        const held = { root: structuredClone(before) };
        rfc6902Apply(held, structuredClone(diff(before, after, "/root")) as never);
        expect(held.root).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  it("applies what fast-json-patch finds", () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        const operations = fastJsonPatch.compare(before as object, after as object);
        expect(applyPatch(before, operations as never)).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  it("a value does not differ from itself, nor from its copy", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(diff(value, value)).toEqual([]);
        expect(diff(value, structuredClone(value))).toEqual([]);
      }),
    );
  });

  it("a patch is never much longer than the value it leads to", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(JSON.stringify(diff(before, after)).length).toBeLessThanOrEqual(2 * JSON.stringify(after).length + 80);
      }),
    );
  });
});
