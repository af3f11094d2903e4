/** K: in which order the calls of one reply run. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { reduced } from "../../packages/throughline/src/state/field.ts";
import { append, replace } from "../../packages/throughline/src/state/reducers.ts";
import { schedule, type StateUse, writeConflicts } from "../../packages/throughline/src/tools/schedule.ts";

const use = (reads: string, writes: string, takesState = false): StateUse => ({
  reads: reads === "" ? [] : reads.split(" "),
  writes: writes === "" ? [] : writes.split(" "),
  takesState,
});
const R = use("docs", "");
const W = use("", "docs");
const RW = use("docs", "docs");
const P = use("", "");
const S = use("", "", true);

describe("K. batches", () => {
  const cases: readonly (readonly [string, readonly StateUse[], readonly (readonly number[])[]])[] = [
    ["K1 nothing", [], []],
    ["K1 one that writes", [W], [[0]]],
    ["two that read", [R, R], [[0, 1]]],
    ["K3 different fields", [use("", "a"), use("b", "")], [[0, 1]]],
    ["one that writes, one that reads", [W, R], [[0], [1]]],
    ["K5 whoever reads waits, whatever the order", [R, W], [[1], [0]]],
    ["K6 two that write", [W, W], [[0, 1]]],
    ["a chain", [use("b", ""), use("a", "b"), use("", "a")], [[2], [1], [0]]],
    ["K8 the state itself", [use("a", ""), S, use("", "b")], [[2], [1], [0]]],
    ["two that take the state", [S, S], [[0], [1]]],
    ["K10 a reader waits for all that write", [W, W, R], [[0, 1], [2]]],
    [
      "K11 readers and writers in turn",
      [R, W, R, W],
      [
        [1, 3],
        [0, 2],
      ],
    ],
    ["one that reads what it writes", [RW], [[0]]],
    ["K13 which waits for others that write it", [RW, W], [[1], [0]]],
    ["a circle is run one by one", [RW, RW], [[0], [1]]],
    ["K15 what uses no state shares with one that takes it", [P, S], [[0, 1]]],
    ["K15 in either order", [S, P], [[0, 1]]],
    ["K15 but two never share", [S, P, S], [[1], [0], [2]]],
    ["a reader waits for a whole circle", [R, RW, RW], [[1], [2], [0]]],
    ["also behind another", [use("b", ""), use("docs", "b"), RW, RW], [[2], [3], [1], [0]]],
    ["a circle of three", [use("c", "a"), use("a", "b"), use("b", "c")], [[0], [1], [2]]],
    ["a circle that waits for a circle", [use("a b", "a"), use("a b", "a"), use("b", "b"), use("b", "b")], [[2], [3], [0], [1]]],
    ["a call whose input comes from a later one", [use("dep", "shared"), use("", "shared"), use("", "dep")], [[1, 2], [0]]],
    ["one that writes before one that takes the state", [S, W], [[1], [0]]],
    ["K20 five that take the state, one by one", [S, S, S, S, S], [[0], [1], [2], [3], [4]]],
  ];
  it.each(cases)("%s", (_title, calls, batches) => expect(schedule(calls)).toEqual(batches));
});

describe("laws of scheduling", () => {
  const fields = fc.subarray(["a", "b", "c", "d"]);
  const call = fc.record({ reads: fields, writes: fields, takesState: fc.constant(false) });
  const taking = fc.constant(S);
  const calls = fc.array(fc.oneof({ arbitrary: call, weight: 8 }, { arbitrary: taking, weight: 1 }), { maxLength: 9 });
  const reads = (reader: StateUse, writer: StateUse): boolean =>
    reader.takesState || writer.takesState
      ? (reader.takesState || reader.reads.length > 0) && (writer.takesState || writer.writes.length > 0)
      : reader.reads.some((field) => writer.writes.includes(field));
  /** Whether one call waits for another, perhaps through others. */
  const closure = (all: readonly StateUse[]): boolean[][] => {
    const waits = all.map((reader, i) => all.map((writer, j) => i !== j && reads(reader, writer)));
    for (const k of all.keys()) for (const i of all.keys()) for (const j of all.keys()) waits[i]![j] ||= waits[i]![k]! && waits[k]![j]!;
    return waits;
  };

  it("every call runs once, and the order is always the same", () => {
    fc.assert(
      fc.property(calls, (all) => {
        const batches = schedule(all);
        expect(batches.flat().toSorted((a, b) => a - b)).toEqual([...all.keys()]);
        expect(batches.every((batch) => batch.length > 0)).toBe(true);
        expect(schedule(structuredClone(all))).toEqual(batches);
      }),
    );
  });

  it("a reader runs after everyone who writes what it reads, unless they wait for it too; then still not beside it", () => {
    fc.assert(
      fc.property(calls, (all) => {
        const batches = schedule(all);
        const at = all.map((_call, index) => batches.findIndex((batch) => batch.includes(index)));
        const waits = closure(all);
        for (const reader of all.keys())
          for (const writer of all.keys()) {
            if (reader === writer || !reads(all[reader]!, all[writer]!)) continue;
            expect(at[reader]).not.toBe(at[writer]);
            if (!waits[writer]![reader]) expect(at[reader]).toBeGreaterThan(at[writer]!);
          }
      }),
    );
  });

  it("whoever takes the state runs beside nobody who uses it", () => {
    fc.assert(
      fc.property(calls, (all) => {
        for (const batch of schedule(all)) {
          const using = batch.filter((index) => all[index]!.takesState || all[index]!.reads.length + all[index]!.writes.length > 0);
          if (using.some((index) => all[index]!.takesState)) expect(using).toHaveLength(1);
        }
      }),
    );
  });
});

describe("conflicts", () => {
  const state = defineState({ topic: reduced(z.string()), notes: reduced(z.array(z.string())), any: reduced(z.any()) });
  const writing = (field: string, options: { readonly reads?: string; readonly reduce?: ReturnType<typeof append> } = {}) => ({
    ...use(options.reads ?? "", field),
    tool: { outputsToState: { [field]: options.reduce === undefined ? {} : { reduce: options.reduce } } },
  });

  it("are pairs of calls that replace one field", () => {
    expect(writeConflicts([writing("topic"), writing("notes"), writing("topic")], state)).toEqual([{ first: 0, second: 2, field: "topic" }]);
    expect(writeConflicts([writing("topic"), writing("topic"), writing("topic")], state)).toHaveLength(3);
    expect(writeConflicts([writing("any"), writing("any")], state)).toHaveLength(1);
  });
  it("are none where values are joined, unless a call replaces them for once", () => {
    expect(writeConflicts([writing("notes"), writing("notes")], state)).toEqual([]);
    expect(writeConflicts([writing("notes"), writing("notes", { reduce: replace() as never })], state)).toHaveLength(1);
    expect(writeConflicts([writing("topic", { reduce: append() }), writing("topic", { reduce: append() })], state)).toEqual([]);
  });
  it("are none where one call has read what the other wrote", () => {
    expect(writeConflicts([writing("topic", { reads: "topic" }), writing("topic")], state)).toEqual([]);
    expect(writeConflicts([{ ...S, tool: undefined }, writing("topic")], state)).toEqual([]);
  });
});
