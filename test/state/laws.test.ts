/** Laws of the state, on random sequences of random deltas. */
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Json, jsonEqual } from "../../packages/throughline/src/kernel/json.ts";
import { diff } from "../../packages/throughline/src/kernel/json-diff.ts";
import { applyPatch, foldPatches } from "../../packages/throughline/src/kernel/json-patch.ts";
import { applyDelta } from "../../packages/throughline/src/state/apply.ts";
import { type DeltaOf, defineState } from "../../packages/throughline/src/state/define.ts";
import { decodeState, encodeState, initialState, rebaseState } from "../../packages/throughline/src/state/document.ts";
import { input, loaded, reduced, turn } from "../../packages/throughline/src/state/field.ts";
import { type AnyReducer, clear, defineReducer, noChange, using } from "../../packages/throughline/src/state/reducer.ts";
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
import { beginTurn, replayTransient } from "../../packages/throughline/src/state/state-turn.ts";

const Row = z.object({ id: z.enum(["a", "b", "c"]), n: z.number(), tags: z.array(z.string()).optional() });
const Tree = z.record(z.string(), z.any());
const shuffle = defineReducer({
  name: "shuffle",
  version: 1,
  reduce: (current: readonly number[] = [], update: number) =>
    update < 0 ? noChange : update > 90 ? clear() : [update, ...current].toSorted((a, b) => (a % 7) - (b % 7)),
});

const Everything = defineState({
  message: input(z.string().default("hi")),
  plain: reduced(z.any()),
  text: reduced(z.string(), { initial: "" }),
  list: reduced(z.array(z.any()), { initial: [] }),
  nullable: reduced(z.array(z.number()).nullable()),
  by_value: reduced(v.array(v.number())),
  unique: reduced(z.array(z.any()), { reduce: appendUnique() }),
  set: reduced(v.array(v.any()), { reduce: union() }),
  rows: reduced(z.array(Row), { reduce: upsertBy("id") }),
  recent: reduced(z.array(z.number()), { reduce: lastN(3) }),
  members: reduced(Tree, { reduce: merge() }),
  tree: reduced(Tree, { reduce: mergeDeep() }),
  count: reduced(z.number(), { reduce: counter(), initial: 0 }),
  highest: reduced(z.number(), { reduce: max() }),
  own: reduced(z.array(z.number()), { reduce: shuffle }),
  dates: reduced(z.array(z.date()), {
    codec: { encode: (dates) => dates.map((date) => date.getTime()), decode: (json) => (json as number[]).map((ms) => new Date(ms)) },
  }),
  lookup: reduced(z.map(z.string(), z.any()), { codec: { encode: (map) => [...map] as Json, decode: (json) => new Map(json as [string, Json][]) } }),
  found: loaded(z.array(z.string())),
  draft: turn(z.any()),
  timings: turn(z.record(z.string(), z.number()), { reduce: merge(), initial: {} }),
});
type Delta = DeltaOf<typeof Everything>;

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 0, 1, "", "x"),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c/d", "~", "constructor"), tie("json"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const scalarOrObject = json.filter((value) => !Array.isArray(value));
const items = <Item>(item: fc.Arbitrary<Item>) => fc.oneof(item, fc.array(item, { maxLength: 4 }));
const number = fc.integer({ min: -9, max: 99 });
const row = fc.record(
  { id: fc.constantFrom("a" as const, "b" as const, "c" as const), n: number, tags: fc.array(fc.string(), { maxLength: 2 }) },
  { requiredKeys: ["id", "n"] },
);
const object = fc.dictionary(fc.constantFrom("a", "b", "c/d", "constructor"), fc.oneof(json, fc.constant(clear())), {
  maxKeys: 3,
  noNullPrototype: true,
});
const element = json.filter((value) => value !== null && !Array.isArray(value));
const sentinel = fc.constantFrom(clear(), noChange, undefined);

const delta = fc.record(
  {
    plain: fc.oneof(scalarOrObject, sentinel),
    text: fc.oneof(fc.string(), sentinel),
    list: fc.oneof(
      items(element),
      sentinel,
      items(element).map((update) => using(lastN<unknown>(2), update)),
    ),
    nullable: fc.oneof(items(number), fc.constant(null), sentinel),
    by_value: fc.oneof(
      items(number),
      sentinel,
      fc.array(number).map((update) => using(replace(), update)),
    ),
    unique: items(element),
    set: items(element),
    rows: items(row),
    recent: items(number),
    members: object,
    tree: object,
    count: number,
    highest: number,
    own: number,
    dates: fc.oneof(items(number.map((ms) => new Date(ms))), fc.constant(clear())),
    lookup: fc.dictionary(fc.constantFrom("a", "b"), json, { noNullPrototype: true }).map((map) => new Map(Object.entries(map))),
    found: fc.array(fc.string(), { maxLength: 2 }),
    draft: fc.oneof(scalarOrObject, sentinel),
    timings: fc.dictionary(fc.constantFrom("a", "b"), number, { noNullPrototype: true }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Delta>;
const deltas = fc.array(delta, { minLength: 1, maxLength: 6 });

const begin = () => beginTurn(Everything, decodeState(Everything, initialState(Everything))).state;

/** All deltas in order, with what each of them led to. */
function run(given: readonly Delta[]) {
  let state = begin();
  return given.map((one) => {
    const applied = applyDelta(Everything, state, one);
    const before = state;
    state = applied.state;
    return { before, ...applied };
  });
}

const deeplyFrozen = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  value instanceof Date ||
  value instanceof Map ||
  (Object.isFrozen(value) && Object.values(value).every(deeplyFrozen));

describe("for any deltas", () => {
  it("the log alone, without a reducer, gives the state", () => {
    fc.assert(
      fc.property(deltas, (given) => {
        const steps = run(given);
        const { state } = steps.at(-1)!;
        const document = foldPatches(
          initialState(Everything),
          steps.map(({ patch }) => patch.durable),
        );
        expect(document).toEqual(encodeState(Everything, state));
        const replayed = replayTransient(
          Everything,
          rebaseState(Everything, begin(), document),
          steps.flatMap(({ patch }) => patch.transient),
        );
        expect(replayed).toEqual(state);
      }),
      { numRuns: 400 },
    );
  });

  it("what is stored survives JSON and reads back as it was", () => {
    fc.assert(
      fc.property(deltas, (given) => {
        const { state } = run(given).at(-1)!;
        const document = JSON.parse(JSON.stringify(encodeState(Everything, state))) as never;
        const decoded = decodeState(Everything, document);
        expect(encodeState(Everything, decoded)).toEqual(document);
        for (const [name, { lifecycle }] of Object.entries(Everything.fields)) {
          if (lifecycle === "reduced") expect(decoded[name as never]).toEqual(state[name as never]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("states are frozen at every depth, and unchanged fields are shared", () => {
    fc.assert(
      fc.property(deltas, (given) => {
        for (const { before, state, patch } of run(given)) {
          expect(deeplyFrozen(state)).toBe(true);
          const touched = new Set([...patch.durable, ...patch.transient].map(({ path }) => path.split("/")[1]));
          for (const name of Object.keys(Everything.fields)) {
            if (!touched.has(name)) expect(state[name as never]).toBe(before[name as never]);
          }
          if (touched.size === 0) expect(state).toBe(before);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("a delta that fails changes nothing, wherever in it the fault is", () => {
    fc.assert(
      fc.property(
        delta,
        delta,
        fc.constantFrom({ zz: 1 }, { text: 42 }, { count: "x" }, { own: using(replace() as never, "x") }, { rows: { id: "z" } }),
        fc.boolean(),
        (first, second, fault, early) => {
          const { state } = applyDelta(Everything, begin(), first);
          const before = JSON.stringify([encodeState(Everything, state), Object.keys(state)]);
          const given = early ? { ...fault, ...second, ...fault } : { ...second, ...fault };
          expect(() => applyDelta(Everything, state, given as never)).toThrow();
          expect(JSON.stringify([encodeState(Everything, state), Object.keys(state)])).toBe(before);
        },
      ),
    );
  });

  it("a delta is left as it was given", () => {
    fc.assert(
      fc.property(delta, (given) => {
        const before = JSON.stringify(given);
        applyDelta(Everything, begin(), given);
        expect(JSON.stringify(given)).toBe(before);
        for (const update of Object.values(given)) {
          if (Array.isArray(update)) expect(Object.isFrozen(update)).toBe(false);
        }
      }),
    );
  });
});

describe("the operations that a stock reducer knows lead where the differ's do", () => {
  const value = fc.array(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.record({ id: fc.constantFrom("a", "b"), n: fc.integer({ min: 0, max: 2 }) })), {
    maxLength: 6,
  });
  const reducers: readonly (readonly [name: string, reducer: AnyReducer])[] = [
    ["append", append()],
    ["appendUnique", appendUnique()],
    ["union", union()],
    ["lastN", lastN(4)],
  ];
  it.each(reducers)("%s", (_name, reducer) => {
    fc.assert(
      fc.property(value, value, (current, update) => {
        const next = reducer.reduce(current, update) as Json;
        const known = reducer.operations?.(current, next) ?? diff(current, next);
        expect(applyPatch(current, known)).toEqual(next);
        expect(applyPatch(current, diff(current, next))).toEqual(next);
        if (jsonEqual(current, next)) expect(known).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
