import fc from "fast-check";
import fastJsonPatch from "fast-json-patch";
import { applyPatch as rfc6902Apply } from "rfc6902";
import { describe, expect, it } from "vitest";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { deepFreeze, type Json, type JsonObject, escapeSegment, formatPointer, parsePointer } from "../../packages/throughline/src/kernel/json.ts";
import { applyPatch, foldPatches, parseOperations, type PatchOperation } from "../../packages/throughline/src/kernel/json-patch.ts";
import { document } from "./arbitraries.ts";
import { cpuMs } from "../setup/cpu-time.ts";

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (ThroughlineError.is(error)) return error.code;
    throw error;
  }
  return "no error";
};

describe("the examples of RFC 6902, appendix A", () => {
  const examples: readonly [name: string, document: Json, operations: readonly PatchOperation[], result: Json][] = [
    ["A.1 adding an object member", { foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { baz: "qux", foo: "bar" }],
    ["A.2 adding an array element", { foo: ["bar", "baz"] }, [{ op: "add", path: "/foo/1", value: "qux" }], { foo: ["bar", "qux", "baz"] }],
    ["A.3 removing an object member", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
    ["A.4 removing an array element", { foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/1" }], { foo: ["bar", "baz"] }],
    ["A.5 replacing a value", { baz: "qux", foo: "bar" }, [{ op: "replace", path: "/baz", value: "boo" }], { baz: "boo", foo: "bar" }],
    [
      "A.6 moving a value",
      { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
      [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
      { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
    ],
    [
      "A.7 moving an array element",
      { foo: ["all", "grass", "cows", "eat"] },
      [{ op: "move", from: "/foo/1", path: "/foo/3" }],
      { foo: ["all", "cows", "eat", "grass"] },
    ],
    [
      "A.8 testing a value: success",
      { baz: "qux", foo: ["a", 2, "c"] },
      [
        { op: "test", path: "/baz", value: "qux" },
        { op: "test", path: "/foo/1", value: 2 },
      ],
      { baz: "qux", foo: ["a", 2, "c"] },
    ],
    [
      "A.10 adding a nested member object",
      { foo: "bar" },
      [{ op: "add", path: "/child", value: { grandchild: {} } }],
      { foo: "bar", child: { grandchild: {} } },
    ],
    ["A.14 ~ escape ordering", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
    ["A.16 adding an array value", { foo: ["bar"] }, [{ op: "add", path: "/foo/-", value: ["abc", "def"] }], { foo: ["bar", ["abc", "def"]] }],
    ["adding replaces an existing member", { foo: 1 }, [{ op: "add", path: "/foo", value: 2 }], { foo: 2 }],
    ["adding at the whole document replaces it", { foo: 1 }, [{ op: "add", path: "", value: [2] }], [2]],
    ["removing the whole document leaves null", { foo: 1 }, [{ op: "remove", path: "" }], null],
    ["an empty key is a key", { "": { "": 1 } }, [{ op: "replace", path: "//", value: 2 }], { "": { "": 2 } }],
    ["testing ignores the order of members", { a: { x: 1, y: 2 } }, [{ op: "test", path: "/a", value: { y: 2, x: 1 } }], { a: { x: 1, y: 2 } }],
    ["moving a value onto itself changes nothing", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
    ["moving the only element along", { a: [1] }, [{ op: "move", from: "/a/0", path: "/a/-" }], { a: [1] }],
    ["moving to a longer name that begins alike", { a: 1 }, [{ op: "move", from: "/a", path: "/ab" }], { ab: 1 }],
    [
      "a copy does not change with its source",
      { a: [1] },
      [
        { op: "add", path: "/a/-", value: 2 },
        { op: "copy", from: "/a", path: "/b" },
        { op: "add", path: "/a/-", value: 3 },
        { op: "add", path: "/b/-", value: 4 },
      ],
      { a: [1, 2, 3], b: [1, 2, 4] },
    ],
    [
      "a copy of a container that holds changed ones neither",
      { a: { list: [1] } },
      [
        { op: "add", path: "/a/list/-", value: 2 },
        { op: "copy", from: "/a", path: "/b" },
        { op: "add", path: "/a/list/-", value: 3 },
      ],
      { a: { list: [1, 2, 3] }, b: { list: [1, 2] } },
    ],
  ];

  it.each(examples)("%s", (_name, before, operations, after) => {
    const frozen = deepFreeze(structuredClone(before));
    expect(applyPatch(frozen, operations)).toEqual(after);
    expect(frozen).toEqual(before);
  });
});

describe("what is refused", () => {
  const refusals: readonly [name: string, operation: PatchOperation, code: string][] = [
    ["A.9 a test that finds another value", { op: "test", path: "/baz", value: "bar" }, "patch.test_failed"],
    ["A.12 adding to a target that does not exist", { op: "add", path: "/nope/bat", value: 1 }, "patch.path_missing"],
    ["A.15 a text where a number is", { op: "test", path: "/n", value: "10" }, "patch.test_failed"],
    ["removing what is not there", { op: "remove", path: "/nope" }, "patch.path_missing"],
    ["replacing what is not there", { op: "replace", path: "/nope", value: 1 }, "patch.path_missing"],
    ["an index past the end", { op: "add", path: "/list/3", value: 1 }, "patch.path_missing"],
    ["an index with a leading zero", { op: "remove", path: "/list/01" }, "patch.path_missing"],
    ["an index that is no number", { op: "remove", path: "/list/1e0" }, "patch.path_missing"],
    ["a negative index", { op: "remove", path: "/list/-1" }, "patch.path_missing"],
    ["the end of an array, except to add", { op: "replace", path: "/list/-", value: 1 }, "patch.path_missing"],
    ["an array's length", { op: "replace", path: "/list/length", value: 0 }, "patch.path_missing"],
    ["going through a text", { op: "add", path: "/baz/0", value: 1 }, "patch.path_missing"],
    ["an inherited member", { op: "remove", path: "/toString" }, "patch.path_missing"],
    ["a path without a leading slash", { op: "remove", path: "baz" }, "patch.invalid"],
    ["a lone ~", { op: "remove", path: "/b~z" }, "patch.invalid"],
    ["__proto__", { op: "add", path: "/__proto__/polluted", value: 1 }, "patch.invalid"],
    ["constructor", { op: "add", path: "/constructor/prototype/polluted", value: 1 }, "patch.invalid"],
    ["prototype, at the end too", { op: "add", path: "/prototype", value: 1 }, "patch.invalid"],
    ["moving a value into itself", { op: "move", from: "/list", path: "/list/0" }, "patch.invalid"],
    ["moving from __proto__", { op: "move", from: "/__proto__", path: "/baz" }, "patch.invalid"],
    ["copying what is not there", { op: "copy", from: "/nope", path: "/baz" }, "patch.path_missing"],
  ];

  it.each(refusals)("%s", (_name, operation, code) => {
    const before = deepFreeze({ baz: "qux", n: 10, list: [1, 2] });
    expect(codeOf(() => applyPatch(before, [operation]))).toBe(code);
  });

  it("names the operation and its path", () => {
    const operations: PatchOperation[] = [
      { op: "add", path: "/a", value: 1 },
      { op: "remove", path: "/b/c" },
    ];
    expect(() => applyPatch({}, operations)).toThrow(/^Operation 1, "remove" at "\/b\/c", finds no "b" in an object\.$/);
  });

  it("an operation that nobody knows", () => {
    expect(codeOf(() => applyPatch({}, [{ op: "prune", path: "/a" } as unknown as PatchOperation]))).toBe("patch.invalid");
  });

  it("leaves the document alone when a later operation fails", () => {
    const before: JsonObject = { list: [1, 2] };
    const operations: PatchOperation[] = [
      { op: "add", path: "/list/-", value: 3 },
      { op: "remove", path: "/nope" },
    ];
    expect(codeOf(() => applyPatch(before, operations))).toBe("patch.path_missing");
    expect(before).toEqual({ list: [1, 2] });
  });
});

describe("applying", () => {
  it("shares what the patch does not touch, and freezes the result", () => {
    const before = deepFreeze({ kept: { deep: [1] }, changed: { a: 1 } });
    const after = applyPatch(before, [{ op: "replace", path: "/changed/a", value: 2 }]) as typeof before;
    expect(after.kept).toBe(before.kept);
    expect(Object.isFrozen(after.changed)).toBe(true);
    expect(applyPatch(before, [])).toBe(before);
  });

  it("does not change the values of the operations later on", () => {
    const value = { list: [1] };
    const operations: PatchOperation[] = [
      { op: "add", path: "/a", value },
      { op: "add", path: "/a/list/-", value: 2 },
    ];
    expect(applyPatch({}, operations)).toEqual({ a: { list: [1, 2] } });
    expect(value).toEqual({ list: [1] });
  });

  it("folds 30,000 appends in milliseconds", () => {
    const patches = Array.from({ length: 30_000 }, (_, index): PatchOperation[] => [{ op: "add", path: "/list/-", value: { index } }]);
    const started = cpuMs();
    const folded = foldPatches(deepFreeze({ list: [] }), patches);
    // Copying the list for each of them would take a minute.
    expect(cpuMs() - started).toBeLessThan(2_000);
    expect((folded["list"] as readonly Json[]).length).toBe(30_000);
  });

  it("folds patches to the same value as applying them one by one", () => {
    fc.assert(
      fc.property(document, fc.array(fc.array(operation, { maxLength: 3 }), { maxLength: 5 }), (base, patches) => {
        const frozen = deepFreeze(structuredClone(base));
        const oneByOne = attempt(() => patches.reduce((value, patch) => applyPatch(value, patch), frozen as Json));
        const folded = attempt(() => foldPatches(frozen, patches));
        if (isObject(oneByOne)) expect(folded).toEqual(oneByOne);
        else expect(folded).toBeUndefined();
        expect(frozen).toEqual(base);
      }),
    );
  });
});

const isObject = (value: Json | undefined): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const attempt = (run: () => Json): Json | undefined => {
  try {
    return run();
  } catch {
    return undefined;
  }
};

const pointer = fc.array(fc.constantFrom("a", "b", "c", "d/e", "f~g", "0", "1", "-"), { maxLength: 3 }).map(formatPointer);
const leaf = fc.constantFrom<Json>(null, 0, "x", [1, { a: [] }], { a: { b: [] } });
const operation: fc.Arbitrary<PatchOperation> = fc.oneof(
  fc.record({ op: fc.constantFrom("add" as const, "replace" as const), path: pointer, value: leaf }),
  fc.record({ op: fc.constant("remove" as const), path: pointer }),
  fc.record({ op: fc.constantFrom("move" as const, "copy" as const), from: pointer, path: pointer }),
);

describe("against other implementations", () => {
  // Both take patches that the RFC refuses, such as an index that is no number, so only one direction can hold.
  it("agrees with rfc6902 wherever ours applies", () => {
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 4 }), (before, operations) => {
        fc.pre(operations.every((item) => item.path !== "" && (!("from" in item) || (item.from !== "" && item.from !== item.path))));
        const ours = attempt(() => applyPatch(before, operations));
        fc.pre(ours !== undefined);
        const theirs = structuredClone(before);
        expect(rfc6902Apply(theirs, JSON.parse(JSON.stringify(operations)) as never)).toEqual(operations.map(() => null));
        expect(theirs).toEqual(ours);
      }),
      { numRuns: 500 },
    );
  });

  it("agrees with fast-json-patch wherever ours applies", () => {
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 4 }), (before, operations) => {
        fc.pre(operations.every((item) => item.path !== "" && (!("from" in item) || item.from !== item.path)));
        const ours = attempt(() => applyPatch(before, operations));
        fc.pre(ours !== undefined);
        expect(fastJsonPatch.applyPatch(structuredClone(before), JSON.parse(JSON.stringify(operations)) as never).newDocument).toEqual(ours);
      }),
      { numRuns: 500 },
    );
  });
});

describe("untrusted operations", () => {
  it("are returned without members that nobody asked for", () => {
    expect(parseOperations([{ op: "remove", path: "/a", value: 1, extra: true }])).toEqual([{ op: "remove", path: "/a" }]);
    expect(parseOperations([{ op: "move", from: "/a", path: "/b" }])).toEqual([{ op: "move", from: "/a", path: "/b" }]);
    expect(parseOperations([{ op: "add", path: "", value: null }])).toEqual([{ op: "add", path: "", value: null }]);
  });

  it.each([
    ["no list", { op: "remove", path: "/a" }],
    ["an operation that is no object", ["remove"]],
    ["an unknown operation", [{ op: "prune", path: "/a" }]],
    ["no path", [{ op: "remove" }]],
    ["a path that is no text", [{ op: "remove", path: 1 }]],
    ["no value", [{ op: "add", path: "/a" }]],
    ["an undefined value", [{ op: "add", path: "/a", value: undefined }]],
    ["a value that is not JSON", [{ op: "test", path: "/a", value: [new Date(0)] }]],
    ["no from", [{ op: "copy", path: "/a" }]],
    ["a from through __proto__", [{ op: "copy", from: "/__proto__/x", path: "/a" }]],
    ["a malformed pointer", [{ op: "remove", path: "/a~2" }]],
  ])("are refused with %s", (_name, value) => {
    expect(codeOf(() => parseOperations(value))).toBe("patch.invalid");
  });
});

describe("pointers", () => {
  it("escape ~ and /, in that order", () => {
    expect(escapeSegment("a/b~c~1")).toBe("a~1b~0c~01");
    expect(parsePointer("/a~1b~0c~01/")).toEqual(["a/b~c~1", ""]);
    expect(formatPointer([])).toBe("");
  });

  it("read back what was written", () => {
    fc.assert(
      fc.property(fc.array(fc.string().filter((segment) => !["__proto__", "constructor", "prototype"].includes(segment))), (segments) => {
        expect(parsePointer(formatPointer(segments))).toEqual(segments);
      }),
    );
  });
});
