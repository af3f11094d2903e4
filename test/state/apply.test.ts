import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { foldPatches } from "../../packages/throughline/src/kernel/json-patch.ts";
import { applyDelta } from "../../packages/throughline/src/state/apply.ts";
import { type DeltaOf, defineState, type StateDefinition } from "../../packages/throughline/src/state/define.ts";
import { decodeState, encodeState, initialState } from "../../packages/throughline/src/state/document.ts";
import { input, loaded, reduced, turn } from "../../packages/throughline/src/state/field.ts";
import { clear, defineReducer, noChange, using } from "../../packages/throughline/src/state/reducer.ts";
import { append, appendUnique, counter, lastN, merge, replace, union, upsertBy } from "../../packages/throughline/src/state/reducers.ts";
import { codeOf, errorOf } from "./support.ts";
import { cpuMs } from "../setup/cpu-time.ts";

const date = { encode: (value: Date) => value.toISOString(), decode: (json: unknown) => new Date(json as string) };
const map = {
  encode: (value: ReadonlyMap<string, number>) => Object.fromEntries(value),
  decode: (json: unknown) => new Map(Object.entries(json as Record<string, number>)),
};

const Diary = defineState({
  message: input(z.string()),
  name: reduced(z.string()),
  nick: reduced(z.string().nullable(), { initial: null }),
  notes: reduced(z.array(z.string()), { initial: [] }),
  tags: reduced(v.array(v.string())),
  rows: reduced(z.array(z.object({ id: z.string(), n: z.number() })), { reduce: upsertBy("id"), initial: [] }),
  recent: reduced(z.array(z.number()), { reduce: lastN(3), initial: [] }),
  count: reduced(z.number().int().max(10), { reduce: counter(), initial: 0 }),
  profile: reduced(z.object({ name: z.string(), city: z.string().optional() }), { reduce: merge() }),
  born: reduced(z.date(), { codec: date }),
  scores: reduced(z.map(z.string(), z.number()), { codec: map }),
  maybe: reduced(z.array(z.number()).nullable()),
  found: loaded(z.array(z.string())),
  draft: turn(z.string()),
  timings: turn(z.record(z.string(), z.number()), { reduce: merge(), initial: {} }),
});
const empty = decodeState(Diary, initialState(Diary));
const untyped = <Definition extends StateDefinition>(definition: Definition, delta: unknown) =>
  applyDelta(definition, decodeState(definition, initialState(definition)), delta as never);

describe("a delta", () => {
  it("turns into operations on the encoded state, those that survive apart from those that do not", () => {
    const { state, patch } = applyDelta(Diary, empty, {
      name: "Ada",
      notes: ["a", "b"],
      born: new Date(0),
      draft: "d",
      timings: { triage: 3 },
      found: ["x"],
    });
    expect(state).toMatchObject({ name: "Ada", notes: ["a", "b"], born: new Date(0), draft: "d", timings: { triage: 3 }, found: ["x"] });
    expect(patch.durable).toEqual([
      { op: "add", path: "/name", value: "Ada" },
      { op: "add", path: "/notes/-", value: "a" },
      { op: "add", path: "/notes/-", value: "b" },
      { op: "add", path: "/born", value: "1970-01-01T00:00:00.000Z" },
    ]);
    expect(patch.transient).toEqual([
      { op: "add", path: "/draft", value: "d" },
      { op: "add", path: "/timings", value: { triage: 3 } },
      { op: "add", path: "/found", value: ["x"] },
    ]);
    expect(encodeState(Diary, state)).toEqual({ ...initialState(Diary), name: "Ada", notes: ["a", "b"], born: "1970-01-01T00:00:00.000Z" });
  });

  it("names what it changes and nothing else", () => {
    const long = "x".repeat(200);
    const before = applyDelta(Diary, empty, {
      rows: [
        { id: "a", n: 1 },
        { id: long, n: 1 },
      ],
      recent: [1, 2, 3],
      profile: { name: long },
    }).state;
    const { patch } = applyDelta(Diary, before, { rows: { id: long, n: 2 }, recent: 4, profile: { city: "Oslo" }, count: 2 });
    expect(patch.durable).toEqual([
      { op: "replace", path: "/rows/1/n", value: 2 },
      { op: "remove", path: "/recent/0" },
      { op: "add", path: "/recent/-", value: 4 },
      { op: "add", path: "/profile/city", value: "Oslo" },
      { op: "replace", path: "/count", value: 2 },
    ]);
  });

  it("shares what it does not touch, and freezes all of it", () => {
    const before = applyDelta(Diary, empty, {
      rows: [
        { id: "a", n: 1 },
        { id: "b", n: 1 },
      ],
      notes: "n",
    }).state;
    const after = applyDelta(Diary, before, { rows: { id: "b", n: 2 } }).state;
    expect(after.notes).toBe(before.notes);
    expect(after.rows[0]).toBe(before.rows[0]);
    expect([after, after.rows, after.rows[1]].every(Object.isFrozen)).toBe(true);
    expect(before.rows[1]).toEqual({ id: "b", n: 1 });
  });

  it.each<readonly [name: string, delta: DeltaOf<typeof Diary> | undefined]>([
    ["nothing at all", undefined],
    ["an empty delta", {}],
    ["undefined", { name: undefined }],
    ["noChange", { name: noChange }],
    ["an equal scalar", { name: "Ada" }],
    ["an equal object", { profile: { name: "Ada" } }],
    ["an equal date", { born: new Date(0) }],
    ["an equal map", { scores: new Map([["a", 1]]) }],
    ["an empty list to append", { notes: [] }],
    ["zero to count", { count: 0 }],
    ["an equal row", { rows: { n: 1, id: "a" } }],
    ["clearing what is absent", { draft: clear() }],
    ["clearing what is at its default", { nick: clear() }],
    ["replacing a list by an equal one", { notes: using(replace(), ["a"]) }],
  ])("that changes nothing gives the same state back: %s", (_name, delta) => {
    const before = applyDelta(Diary, empty, {
      name: "Ada",
      profile: { name: "Ada" },
      born: new Date(0),
      scores: new Map([["a", 1]]),
      notes: "a",
      rows: { id: "a", n: 1 },
    }).state;
    const { state, patch } = applyDelta(Diary, before, delta);
    expect(state).toBe(before);
    expect(patch).toEqual({ durable: [], transient: [] });
  });

  it("tells absent, null, no change and clear() apart", () => {
    const set = applyDelta(Diary, empty, { nick: "A", name: "Ada" }).state;
    expect(applyDelta(Diary, set, { nick: undefined }).state.nick).toBe("A");
    expect(applyDelta(Diary, set, { nick: noChange }).state.nick).toBe("A");
    expect(applyDelta(Diary, set, { nick: null })).toMatchObject({
      state: { nick: null },
      patch: { durable: [{ op: "replace", path: "/nick", value: null }] },
    });
    expect(applyDelta(Diary, set, { nick: clear() }).state.nick).toBe(null);
    const cleared = applyDelta(Diary, set, { name: clear() });
    expect(cleared.patch.durable).toEqual([{ op: "remove", path: "/name" }]);
    expect("name" in cleared.state).toBe(false);
    expect(codeOf(() => untyped(Diary, { name: null }))).toBe("state.invalid_value");
  });

  it("a nullable list appends, null replaces it, and the next element begins a new one", () => {
    const one = applyDelta(Diary, empty, { maybe: 1 }).state;
    const two = applyDelta(Diary, one, { maybe: [2] }).state;
    expect(two.maybe).toEqual([1, 2]);
    const none = applyDelta(Diary, two, { maybe: null });
    expect([none.state.maybe, none.patch.durable]).toEqual([null, [{ op: "replace", path: "/maybe", value: null }]]);
    expect(applyDelta(Diary, none.state, { maybe: 3 }).state.maybe).toEqual([3]);
  });

  it("takes another reducer for one write", () => {
    const before = applyDelta(Diary, empty, { notes: ["a", "b"], count: 3 }).state;
    const after = applyDelta(Diary, before, { notes: using(lastN(2), "c"), count: using(replace(), 9) }).state;
    expect([after.notes, after.count]).toEqual([["b", "c"], 9]);
    expect(codeOf(() => untyped(Diary, { count: using(append() as never, 1) }))).toBe("state.reducer_mismatch");
  });

  it("leaves out members that are undefined, as JSON does", () => {
    const { state, patch } = untyped(Diary, { profile: { name: "Ada", city: undefined } });
    expect(Object.keys(state.profile ?? {})).toEqual(["name"]);
    expect(patch.durable).toEqual([{ op: "add", path: "/profile", value: { name: "Ada" } }]);
    const Loose = defineState({ any: reduced(z.any()) });
    expect(untyped(Loose, { any: { a: 1, b: undefined } }).patch.durable).toEqual([{ op: "add", path: "/any", value: { a: 1 } }]);
  });

  it("reads zero for negative zero, which JSON does not have", () => {
    const { state } = untyped(defineState({ n: reduced(z.number()) }), { n: -0 });
    expect(Object.is(state["n" as never], 0)).toBe(true);
  });
});

describe("what is refused leaves the state as it is", () => {
  const refusals: readonly [name: string, delta: unknown, code: string, path?: string][] = [
    ["an unknown field", { nmae: "x" }, "state.unknown_field"],
    ["an inherited name", { toString: "x" }, "state.unknown_field"],
    ["__proto__", JSON.parse('{"__proto__":{"name":"x"}}'), "state.unknown_field"],
    ["an input field", { message: "x" }, "state.undeclared_write"],
    ["another type", { name: 42 }, "state.invalid_value", "/name"],
    ["a wrong element", { notes: ["a", 1] }, "state.invalid_value", "/notes/1"],
    ["a wrong member of an element", { rows: { id: "a", n: "x" } }, "state.invalid_value", "/rows/0/n"],
    ["a result that its schema refuses", { count: 11 }, "state.invalid_value", "/count"],
    ["an update that its reducer refuses", { count: "x" }, "state.reducer_mismatch"],
    ["null for a list", { notes: null }, "state.reducer_mismatch"],
    ["clearing a loaded field", { found: clear() }, "state.not_clearable"],
    ["no object", "name", "input.invalid"],
    ["a promise", Promise.resolve({}), "input.invalid"],
    ["a list", [], "input.invalid"],
  ];

  it.each(refusals)("%s", (_name, delta, code, path) => {
    const before = applyDelta(Diary, empty, { name: "Ada", notes: "a" }).state;
    const copy = structuredClone({ ...before });
    const error = errorOf(() =>
      applyDelta(
        Diary,
        before,
        (typeof delta === "object" && !Array.isArray(delta) && !(delta instanceof Promise)
          ? { draft: "first", ...(delta as object) }
          : delta) as never,
      ),
    );
    expect(error.code).toBe(code);
    if (path !== undefined) expect(error.details["path"]).toBe(path);
    expect({ ...before }).toEqual(copy);
  });

  it("names the value seen, and suggests", () => {
    expect(errorOf(() => untyped(Diary, { rows: [{ id: "a", n: "many" }] })).message).toMatch(/^\/rows\/0\/n: .*; saw "many"\.$/);
    expect(errorOf(() => untyped(Diary, { profil: {} })).hint).toBe("Did you mean `profile`?");
  });

  it.each([
    ["below null", [{ message: "no such city", path: ["a", "b"] }], "/field/a/b: no such city; saw undefined."],
    ["without an issue", [], `/field: refused; saw {"a":null}.`],
  ])("names what a schema refuses %s", (_name, issues, message) => {
    const refusing = { "~standard": { version: 1, vendor: "test", validate: () => ({ issues }) } };
    const definition = defineState({ field: reduced(refusing as never) });
    expect(errorOf(() => untyped(definition, { field: { a: null } }))).toMatchObject({ code: "state.invalid_value", message });
  });

  it("keeps the hint and the cause of a reducer that refuses its update", () => {
    const cause = new ThroughlineError("state.reducer_mismatch", "The reducer picky takes numbers.", { hint: "Give a number." });
    const picky = defineReducer({
      name: "picky",
      version: 1,
      reduce: (): number => {
        throw cause;
      },
    });
    const definition = defineState({ field: reduced(z.number(), { reduce: picky as never }) });
    expect(errorOf(() => untyped(definition, { field: 1 }))).toMatchObject({
      message: "/field: The reducer picky takes numbers.",
      hint: "Give a number.",
      details: { field: "field" },
      cause,
    });
  });

  it("a field that the writer has not declared", () => {
    expect(codeOf(() => applyDelta(Diary, empty, { name: "x", draft: "d" }, { writes: ["draft"] }))).toBe("state.undeclared_write");
    expect(applyDelta(Diary, empty, { name: undefined, draft: "d" }, { writes: ["draft"] }).state.draft).toBe("d");
    expect(codeOf(() => applyDelta(Diary, empty, { draft: "d" }, { writes: [] }))).toBe("state.undeclared_write");
  });

  it("a value that is not JSON", () => {
    const Loose = defineState({ any: reduced(z.any()), list: reduced(z.array(z.any())) });
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const values: unknown[] = [
      new Date(0),
      new Map(),
      () => 1,
      Symbol("x"),
      1n,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      [undefined],
      Array(2),
      cyclic,
      JSON.parse('{"__proto__":1}'),
    ];
    for (const value of values) {
      expect(codeOf(() => untyped(Loose, { any: { value } }))).toBe("state.not_json");
      expect(codeOf(() => untyped(Loose, { list: [{ value }] }))).toBe("state.not_json");
    }
    expect(errorOf(() => untyped(Loose, { any: { a: [1, new Date(0)] } })).details).toMatchObject({ path: "/any/a/1", seen: "an instance of Date" });
  });

  it("a schema that does not accept, or does not keep, what it returns", () => {
    const lengths = defineState({
      n: reduced(z.string().transform((text) => text.length)) as never,
      list: reduced(z.array(z.string().transform(Number)), { reduce: append() as never }),
    });
    expect(errorOf(() => untyped(lengths, { n: "abc" }))).toMatchObject({
      code: "state.schema_not_idempotent",
      details: { field: "n", path: "/n" },
    });
    expect(codeOf(() => untyped(lengths, { list: "1" }))).toBe("state.schema_not_idempotent");
    const growing = defineState({ text: reduced(z.string().transform((text) => `${text}!`)) });
    expect(codeOf(() => untyped(growing, { text: "a" }))).toBe("state.schema_not_idempotent");
    const settled = defineState({ text: reduced(z.string().trim()), made: reduced(z.object({ a: z.number().default(1) })) });
    expect(untyped(settled, { text: " a ", made: {} }).state).toMatchObject({ text: "a", made: { a: 1 } });
  });

  it("an asynchronous schema", () => {
    const late = defineState({ text: reduced(z.string().refine(() => Promise.resolve(true))) });
    expect(codeOf(() => untyped(late, { text: "a" }))).toBe("schema.async");
  });

  it("messages are never rewritten, only added", () => {
    const { state, messages, patch } = applyDelta(Diary, empty, { messages: { role: "user", text: "hi" } });
    expect([state.messages, messages, patch]).toEqual([
      [{ role: "user", text: "hi" }],
      [{ role: "user", text: "hi" }],
      { durable: [], transient: [] },
    ]);
    const more = applyDelta(Diary, state, { messages: [{ role: "assistant", text: "ho" }] });
    expect(more.messages).toEqual([{ role: "assistant", text: "ho" }]);
    expect(encodeState(Diary, more.state)).not.toHaveProperty("messages");
    expect(codeOf(() => applyDelta(Diary, state, { messages: clear() }))).toBe("state.reducer_mismatch");
    expect(codeOf(() => applyDelta(Diary, state, { messages: using(replace(), []) }))).toBe("state.reducer_mismatch");
    expect(errorOf(() => untyped(Diary, { messages: "hi" }))).toMatchObject({ code: "state.invalid_value" });
    expect(codeOf(() => untyped(Diary, { messages: { role: "robot", text: "hi" } }))).toBe("state.invalid_value");
  });
});

describe("a reducer of one's own", () => {
  const own = (reduce: (current: never, update: never) => unknown) => {
    const definition = defineState({
      field: reduced(z.object({ list: z.array(z.number()) }), { reduce: defineReducer({ name: "own", version: 1, reduce: reduce as never }) }),
    });
    const before = applyDelta(definition, decodeState(definition, { field: { list: [1] } }), {}).state;
    return { before, apply: (update: unknown) => applyDelta(definition, before, { field: update } as never) };
  };

  it("that throws fails with its cause", () => {
    const cause = new Error("boom");
    const { apply } = own(() => {
      throw cause;
    });
    expect(errorOf(() => apply(1))).toMatchObject({ code: "state.reducer_failed", cause, details: { field: "field", reducer: "own" } });
  });

  it("that changes the current value fails and changes nothing", () => {
    const { before, apply } = own((current: { list: number[] }) => {
      current.list.push(2);
      return current;
    });
    const error = errorOf(() => apply(1));
    expect(error.code).toBe("state.reducer_failed");
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(before).toMatchObject({ field: { list: [1] } });
  });

  it("that changes its update changes only its own copy", () => {
    const update = { list: [2] };
    const { apply } = own((_current: unknown, given: { list: number[] }) => {
      given.list.push(3);
      return given;
    });
    expect(codeOf(() => apply(update))).toBe("state.reducer_failed");
    expect(update).toEqual({ list: [2] });
  });

  it.each([
    ["undefined", () => undefined, "state.reducer_failed"],
    ["a promise", () => Promise.reject(new Error("nobody waits")), "state.reducer_failed"],
    ["a wrong value", () => ({ list: "x" }), "state.invalid_value"],
  ])("that returns %s is refused", (_name, reduce, code) => {
    expect(codeOf(() => own(reduce).apply(1))).toBe(code);
  });

  it("may answer noChange or clear()", () => {
    const same = own(() => noChange);
    expect(same.apply(1).state).toBe(same.before);
    expect(own(() => clear()).apply(1).patch.durable).toEqual([{ op: "remove", path: "/field" }]);
  });

  it("yields operations for what it changed", () => {
    const { before, apply } = own((current: { list: readonly number[] }, update: number) => ({ list: [...current.list, update] }));
    const { state, patch } = apply(2);
    expect(patch.durable).toEqual([{ op: "add", path: "/field/list/-", value: 2 }]);
    expect([state, before]).toMatchObject([{ field: { list: [1, 2] } }, { field: { list: [1] } }]);
  });

  it("works on a private copy of a value behind a codec", () => {
    const scores = defineReducer({
      name: "rude",
      version: 1,
      reduce: (current: ReadonlyMap<string, number> | undefined, update: string) => (current as Map<string, number>).set(update, 1),
    });
    const before = applyDelta(Diary, empty, { scores: new Map([["a", 1]]) }).state;
    const { state, patch } = applyDelta(Diary, before, { scores: using(scores, "b") });
    expect(before.scores).toEqual(new Map([["a", 1]]));
    expect(state.scores).toEqual(
      new Map([
        ["a", 1],
        ["b", 1],
      ]),
    );
    expect(patch.durable).toEqual([{ op: "add", path: "/scores/b", value: 1 }]);
  });
});

describe("depth", () => {
  const nested = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((inner) => ({ inner }), 1);
  const Deep = defineState({ value: reduced(z.any()) });

  it("of 256 levels can be stored and read back; more is refused before anything overflows", () => {
    const { state } = untyped(Deep, { value: nested(256) });
    expect(decodeState(Deep, JSON.parse(JSON.stringify(encodeState(Deep, state))) as never)).toEqual(state);
    expect(codeOf(() => untyped(Deep, { value: nested(257) }))).toBe("state.not_json");
    expect(codeOf(() => untyped(Deep, { value: nested(100_000) }))).toBe("state.not_json");
  });
});

describe("elements behind a codec", () => {
  const dates = {
    encode: (value: Date[]) => value.map((one) => one.getTime()),
    decode: (json: unknown) => (json as number[]).map((ms) => new Date(ms)),
  };
  const Rows = z.array(z.object({ id: z.string(), at: z.date() }));
  const rows = {
    encode: (value: z.infer<typeof Rows>) => value.map(({ id, at }) => ({ id, at: at.getTime() })),
    decode: (json: unknown) => (json as { id: string; at: number }[]).map(({ id, at }) => ({ id, at: new Date(at) })),
  };

  it("append, and are replaced by key even where their JSON says nothing", () => {
    const Log = defineState({ dates: reduced(z.array(z.date()), { codec: dates }), rows: reduced(Rows, { codec: rows, reduce: upsertBy("id") }) });
    const one = untyped(Log, { dates: new Date(1), rows: { id: "a", at: new Date(1) } }).state;
    const { state, patch } = applyDelta(Log, one, { dates: [new Date(2)], rows: [{ id: "a", at: new Date(2) }] });
    expect(state).toMatchObject({ dates: [new Date(1), new Date(2)], rows: [{ id: "a", at: new Date(2) }] });
    expect(foldPatches(encodeState(Log, one), [patch.durable])).toEqual({ dates: [1, 2], rows: [{ id: "a", at: 2 }] });
  });

  it("are not taken for equal by reducers that compare JSON", () => {
    for (const reduce of [union<Date>(), appendUnique<Date>()]) {
      const Log = defineState({ dates: reduced(z.array(z.date()), { codec: dates, reduce }) });
      expect(codeOf(() => untyped(Log, { dates: [new Date(1), new Date(2)] }))).toBe("state.reducer_mismatch");
    }
  });
});

describe("cost", () => {
  it("of an append is that of what is appended: old elements are neither validated nor read", () => {
    let validated = 0;
    const counted = z.object({ n: z.number() }).refine(() => ++validated > 0);
    const Log = defineState({ list: reduced(z.array(counted), { initial: [] }) });
    let { state } = applyDelta(Log, decodeState(Log, initialState(Log)), { list: Array.from({ length: 10_000 }, (_, n) => ({ n })) });
    validated = 0;
    const started = cpuMs();
    for (let n = 0; n < 100; n++) ({ state } = applyDelta(Log, state, { list: { n } }));
    expect(validated).toBe(100);
    expect(cpuMs() - started).toBeLessThan(1_000);
    expect(state.list).toHaveLength(10_100);
  });
});
