import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { State } from "../../packages/throughline/src/state/standalone-state.ts";
import { reduced } from "../../packages/throughline/src/state/field.ts";
import { type AnyReducer, clear, defineReducer, isReducer, noChange, type Reducer, using } from "../../packages/throughline/src/state/reducer.ts";
import {
  append,
  appendUnique,
  counter,
  lastN,
  max,
  merge,
  mergeDeep,
  replace,
  union,
  upsertBy,
} from "../../packages/throughline/src/state/reducers.ts";
import { codeOf, errorOf } from "./support.ts";

/** A reducer's name, a current value, an update, and what they make. */
type Row = readonly [reducer: AnyReducer, current: unknown, update: unknown, result: unknown];

const rows: readonly Row[] = [
  [replace(), [1], [2], [2]],
  [append(), undefined, [], []],
  [append(), [1], [1], [1, 1]],
  [appendUnique(), [1, { a: 1, b: 2 }], [{ b: 2, a: 1 }, 2, 2], [1, { a: 1, b: 2 }, 2]],
  [appendUnique(), undefined, "x", ["x"]],
  [appendUnique(), [1], "1", [1, "1"]],
  [
    appendUnique<{ id: number; text: string }>({ by: "id" }),
    [{ id: 1, text: "a" }],
    [
      { id: 1, text: "b" },
      { id: 2, text: "c" },
    ],
    [
      { id: 1, text: "a" },
      { id: 2, text: "c" },
    ],
  ],
  [union(), [3, 1], [2, 3], [3, 1, 2]],
  [union(), [1, 1, { a: 1 }], [{ a: 1 }], [1, { a: 1 }]],
  [
    upsertBy<{ id: string; n: number }>("id"),
    [
      { id: "a", n: 1 },
      { id: "b", n: 1 },
    ],
    { id: "a", n: 2 },
    [
      { id: "a", n: 2 },
      { id: "b", n: 1 },
    ],
  ],
  [
    upsertBy<{ id: string; n: number }>("id"),
    undefined,
    [
      { id: "a", n: 1 },
      { id: "a", n: 2 },
    ],
    [{ id: "a", n: 2 }],
  ],
  [lastN(3), [1, 2], [3, 4], [2, 3, 4]],
  [lastN(3), [1, 2, 3], [4, 5, 6, 7], [5, 6, 7]],
  [lastN(3), undefined, 1, [1]],
  [merge(), { a: 1, b: { x: 1 } }, { b: { y: 2 }, c: undefined }, { a: 1, b: { y: 2 } }],
  [merge(), { a: 1, b: 2 }, { a: clear(), b: null }, { b: null }],
  [merge(), undefined, { a: 1 }, { a: 1 }],
  [merge(), null, { a: 1 }, { a: 1 }],
  [merge(), {}, { constructor: 1, toString: 2 }, { constructor: 1, toString: 2 }],
  [mergeDeep(), { a: { x: 1, list: [1] }, b: 1 }, { a: { y: 2, list: [2] }, b: { z: 3 } }, { a: { x: 1, y: 2, list: [2] }, b: { z: 3 } }],
  [mergeDeep(), { a: { x: 1, y: 1 } }, { a: { x: clear() } }, { a: { y: 1 } }],
  [mergeDeep(), undefined, { a: { b: clear(), c: 1 } }, { a: { c: 1 } }],
  [counter(), undefined, 2, 2],
  [counter(), 2, -3, -1],
  [max(), undefined, 0, 0],
  [max(), 1, 2, 2],
  [max(), "2026-01-02", "2026-01-10", "2026-01-10"],
];

describe("the stock reducers", () => {
  it.each(rows.map((row) => [row[0].name, ...row] as const))("%s", (_name, reducer, current, update, result) => {
    expect(reducer.reduce(current, update)).toEqual(result);
  });

  it("keep what they have when there is nothing to do", () => {
    expect(max<number>().reduce(2, 1)).toBe(noChange);
    const list = Object.freeze([{ id: 1 }]);
    for (const reducer of [append<object>(), appendUnique<object>(), union<object>(), lastN<object>(2)]) expect(reducer.reduce(list, [])).toBe(list);
    for (const reducer of [appendUnique<object>(), union<object>(), upsertBy<{ id: number }>("id") as Reducer<readonly object[], object>]) {
      expect(reducer.reduce(list, [{ id: 1 }])).toBe(list);
    }
  });

  it.each<readonly [name: string, reducer: AnyReducer, current: unknown, update: unknown]>([
    ["counter", counter(), 1, "1"],
    ["counter", counter(), 1, Number.NaN],
    ["counter", counter(), "1", 1],
    ["max", max(), 1, "2"],
    ["max", max(), 1, Number.NaN],
    ["max", max(), undefined, {}],
    ["merge", merge(), { a: 1 }, [1]],
    ["merge", merge(), [1], { a: 1 }],
    ["merge", merge(), { a: 1 }, null],
    ["merge", merge(), {}, JSON.parse('{"__proto__":{"polluted":1}}')],
    ["mergeDeep", mergeDeep(), { a: 1 }, "x"],
    ["mergeDeep", mergeDeep(), { a: {} }, JSON.parse('{"a":{"__proto__":{"polluted":1}}}')],
    ["upsertBy", upsertBy<{ id: string }>("id"), [], { name: "no id" }],
    ["appendUnique", appendUnique<{ id: string }>({ by: "id" }), [], { name: "no id" }],
    ["append", append(), [], undefined],
  ])("%s refuses an update that does not fit it", (name, reducer, current, update) => {
    const error = errorOf(() => reducer.reduce(current, update));
    expect(error.code).toBe("state.reducer_mismatch");
    expect(error.message).toContain(name);
  });

  it.each([0, -1, 1.5, Number.NaN, "3"])("lastN(%s) is refused", (count) => {
    expect(codeOf(() => lastN(count as number))).toBe("state.definition_invalid");
  });

  it("are told apart by name, version and options", () => {
    expect(
      [append(), lastN(3), upsertBy<{ id: string }>("id"), appendUnique<{ id: string }>({ by: "id" })].map(({ name, version, options }) => ({
        name,
        version,
        options,
      })),
    ).toEqual([
      { name: "append", version: 1, options: undefined },
      { name: "lastN", version: 1, options: { count: 3 } },
      { name: "upsertBy", version: 1, options: { key: "id" } },
      { name: "appendUnique", version: 1, options: { by: "id" } },
    ]);
  });

  it("change neither argument", () => {
    for (const [reducer, current, update] of rows) {
      const before = JSON.stringify([current, update]);
      reducer.reduce(current, update);
      expect(JSON.stringify([current, update])).toBe(before);
    }
  });
});

describe("laws", () => {
  const lists = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 6 });

  it("append is associative, and [] is its neutral element", () => {
    const reducer = append<number>();
    const reduce = (current: number[] | undefined, update: number[]) => reducer.reduce(current, update) as number[];
    fc.assert(
      fc.property(lists, lists, lists, (a, b, c) => {
        expect(reduce(reduce(a, b), c)).toEqual(reduce(a, reduce(b, c)));
        expect([reduce(a, []), reduce(undefined, a)]).toEqual([a, a]);
      }),
    );
  });

  it.each([
    ["appendUnique", appendUnique<number>()],
    ["union", union<number>()],
  ])("%s is idempotent and does not depend on how writes are grouped", (_name, reducer) => {
    const reduce = (current: readonly number[] | undefined, update: number[]) => reducer.reduce(current, update) as readonly number[];
    fc.assert(
      fc.property(lists, lists, (a, b) => {
        const once = reduce(reduce(undefined, a), b);
        expect(reduce(once, b)).toEqual(once);
        expect(new Set(once).size).toBe(once.length);
        expect(reduce(undefined, [...a, ...b])).toEqual(once);
      }),
    );
  });

  it("max does not depend on the order of its updates, nor counter on theirs", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4], { minLength: 1 }), (updates) => {
        const state = new State({ highest: reduced(z.number(), { reduce: max() }), total: reduced(z.number(), { reduce: counter() }) });
        for (const update of updates) {
          state.set("highest", update);
          state.set("total", update);
        }
        expect(state.data).toEqual({ messages: undefined, highest: Math.max(...updates), total: updates.reduce((a, b) => a + b) });
      }),
    );
  });

  it("lastN keeps the end of what append would have kept", () => {
    fc.assert(
      fc.property(lists, lists, fc.integer({ min: 1, max: 4 }), (a, b, count) => {
        expect(lastN<number>(count).reduce(a, b)).toEqual([...a, ...b].slice(-count));
      }),
    );
  });
});

describe("reducers of one's own", () => {
  const valid = { name: "mine", version: 1, reduce: (_current: unknown, update: unknown) => update };

  it("are frozen values that know their name", () => {
    const reducer = defineReducer(valid);
    expect(reducer).toMatchObject({ name: "mine", version: 1, validates: "result" });
    expect([Object.isFrozen(reducer), isReducer(reducer), isReducer({ ...reducer })]).toEqual([true, true, false]);
  });

  it.each([
    ["a stock name", { ...valid, name: "append" }],
    ["no name", { ...valid, name: "" }],
    ["no version", { ...valid, version: undefined }],
    ["version 0", { ...valid, version: 0 }],
    ["a function that is none", { ...valid, reduce: "append" }],
    ["an option that does not exist", { ...valid, reducer: 1 }],
    ["no object", null],
  ])("are refused with %s", (_name, options) => {
    expect(codeOf(() => defineReducer(options as never))).toBe("state.definition_invalid");
  });

  it("using() takes reducers only", () => {
    expect(codeOf(() => using((() => 1) as never, 1 as never))).toBe("input.invalid");
  });
});
