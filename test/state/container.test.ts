/** The stand-alone State: reads, writes and serialisation, cases D and E. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { State } from "../../packages/throughline/src/state/standalone-state.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input, loaded, reduced, turn } from "../../packages/throughline/src/state/field.ts";
import { clear, defineReducer, noChange } from "../../packages/throughline/src/state/reducer.ts";
import { append, counter, upsertBy } from "../../packages/throughline/src/state/reducers.ts";
import { codeOf, errorOf } from "./support.ts";

const anyList = z.array(z.any());
const stock = () => ({ numbers: reduced(anyList), metadata: reduced(z.record(z.string(), z.any())), name: reduced(z.string()) });
const sortedUnique = defineReducer({
  name: "sortedUnique",
  version: 1,
  reduce: (current: readonly number[] | undefined, update: readonly number[]) =>
    [...new Set([...(current ?? []), ...update])].toSorted((a, b) => a - b),
});

describe("D. reads and writes", () => {
  it("D1 a new state is empty", () => {
    expect(new State(stock()).data).toEqual({});
  });

  it("a state begins with the data given, and with declared defaults", () => {
    const state = new State({ ...stock(), seen: reduced(z.number(), { initial: 0 }) }, { name: "Alice" });
    expect(state.data).toEqual({ name: "Alice", seen: 0 });
  });

  it("D3 get gives the value, undefined or the fallback", () => {
    const state = new State(stock(), { name: "test" });
    const get = (name: string, fallback?: unknown): unknown => state.get(name as never, fallback);
    expect([get("name"), get("nope"), get("nope", "default"), get("numbers")]).toEqual(["test", undefined, "default", undefined]);
  });

  it("has tells whether there is a value, not whether there is a field", () => {
    const state = new State(stock(), { name: "" });
    expect([state.has("name"), state.has("numbers"), state.has("nope"), state.has("toString")]).toEqual([true, false, false, false]);
  });

  it("D5 a reducer of one's own joins every write", () => {
    const state = new State({ numbers: reduced(z.array(z.number()), { reduce: sortedUnique }) });
    state.set("numbers", [3, 2, 1]);
    expect(state.get("numbers")).toEqual([1, 2, 3]);
    state.set("numbers", [6, 5, 4]);
    expect(state.get("numbers")).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("D6 one write may be joined differently", () => {
    const state = new State(stock());
    state.set("name", "first");
    state.set("name", "second", { reduce: (current, update: string) => (current === undefined ? update : `${current}-${update}`) });
    expect(state.get("name")).toBe("first-second");
    state.set("name", "third");
    expect(state.get("name")).toBe("third");
  });

  it("lists append and everything else is replaced", () => {
    const state = new State(stock(), { numbers: [1], metadata: { a: 1 }, name: "a" });
    state.set("numbers", [2, 3]);
    state.set("metadata", { b: 2 });
    state.set("name", "b");
    expect(state.data).toEqual({ numbers: [1, 2, 3], metadata: { b: 2 }, name: "b" });
  });

  it("D8 an unknown field is refused by name, with the nearest one there is, override or not", () => {
    const error = errorOf(() => new State({}).set("any_key" as never, 1 as never));
    expect(error).toMatchObject({ code: "state.unknown_field", details: { field: "any_key" } });
    expect(error.message).toContain('"any_key"');
    expect(errorOf(() => new State(stock()).set("nmae" as never, 1, { reduce: () => 1 as never }))).toMatchObject({
      code: "state.unknown_field",
      hint: "Did you mean `name`?",
    });
  });

  it("D10 an element given to a list is wrapped", () => {
    const state = new State(stock());
    state.set("numbers", "not_a_list");
    expect(state.get("numbers")).toEqual(["not_a_list"]);
    state.set("numbers", [1, 2]);
    expect(state.get("numbers")).toEqual(["not_a_list", 1, 2]);
  });

  it("D11 a reducer may join at depth", () => {
    const concatenate = defineReducer({
      name: "perKeyConcat",
      version: 1,
      reduce: (current: Readonly<Record<string, readonly number[]>> = {}, update: Readonly<Record<string, readonly number[]>>) => ({
        ...current,
        ...Object.fromEntries(Object.entries(update).map(([key, list]) => [key, [...(current[key] ?? []), ...list]])),
      }),
    });
    const state = new State({ complex: reduced(z.record(z.string(), z.array(z.number())), { reduce: concatenate }) });
    state.set("complex", { a: [1, 2], b: [3, 4] });
    state.set("complex", { b: [5, 6], c: [7, 8] });
    expect(state.get("complex")).toEqual({ a: [1, 2], b: [3, 4, 5, 6], c: [7, 8] });
  });

  it("D13 null is a value", () => {
    const state = new State({ maybe: reduced(z.string().nullable()) });
    state.set("maybe", null);
    expect([state.has("maybe"), state.get("maybe", "D")]).toEqual([true, null]);
  });

  it("D15 initial data is what the first write is joined to", () => {
    const state = new State({ a: reduced(anyList) }, { a: [1] });
    state.set("a", [2]);
    expect(state.get("a")).toEqual([1, 2]);
  });

  it("initial data must be declared and valid, where the described system takes anything", () => {
    expect(codeOf(() => new State(stock(), { zz: 1 } as never))).toBe("state.unknown_field");
    expect(errorOf(() => new State(stock(), { name: 42 as never }))).toMatchObject({ code: "state.invalid_value", details: { path: "/name" } });
    expect(codeOf(() => new State(stock(), "data" as never))).toBe("input.invalid");
  });

  it("a value that is changed after it was written changes nothing here", () => {
    const given = { deep: { list: [1] } };
    const state = new State(stock());
    state.set("metadata", given);
    given.deep.list.push(2);
    expect(state.get("metadata")).toEqual({ deep: { list: [1] } });
    expect(Object.isFrozen(given)).toBe(false);
  });

  it("the initial object is neither kept nor changed", () => {
    for (const initial of [{ name: "Alice", numbers: [1] }, {}]) {
      const before = structuredClone(initial);
      const state = new State(stock(), initial);
      state.set("numbers", [2]);
      expect(initial).toEqual(before);
      expect(Object.isFrozen(initial)).toBe(false);
    }
  });

  it("a reducer that changes what it was given, or throws, changes nothing", () => {
    const vandal = (current: { list: number[] } | undefined, update: string): never => {
      current?.list.push(2);
      throw new Error(update);
    };
    const state = new State({ field: reduced(z.object({ list: z.array(z.number()) })) }, { field: { list: [1] } });
    const { data } = state;
    const error = errorOf(() => state.set("field", "boom", { reduce: vandal as never }));
    expect(error.code).toBe("state.reducer_failed");
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(state.data).toBe(data);
    expect(state.get("field")).toEqual({ list: [1] });
  });

  it.each([42, "append", {}, null])("D23 the override %s is refused", (reducer) => {
    expect(codeOf(() => new State(stock()).set("name", "a", { reduce: reducer as never }))).toBe("input.invalid");
  });

  it("D25 a fallback is copied", () => {
    const fallback: number[] = [];
    const found = new State(stock()).get("numbers", fallback);
    expect(found).toEqual([]);
    expect(found).not.toBe(fallback);
    expect(Object.isFrozen(fallback)).toBe(false);
  });

  it("reads do not copy, so there is nothing that cannot be copied", () => {
    const state = new State(stock(), { metadata: { a: { b: 1 } } });
    expect(state.get("metadata")).toBe(state.get("metadata"));
    expect(Object.isFrozen(state.get("metadata")?.["a"])).toBe(true);
    expect(codeOf(() => state.set("metadata", { lock: () => 1 }))).toBe("state.not_json");
  });

  it("its data is a value: later writes do not change it", () => {
    const state = new State(stock(), { name: "a" });
    const { data } = state;
    state.set("name", "b");
    expect(data).toEqual({ name: "a" });
    expect(() => Object.assign(data, { name: "c" })).toThrow(TypeError);
  });

  it("clear() and noChange work on single writes", () => {
    const state = new State({ name: reduced(z.string()), count: reduced(z.number(), { initial: 7 }) }, { name: "a", count: 8 });
    state.set("name", noChange);
    expect(state.get("name")).toBe("a");
    state.set("name", clear());
    state.set("count", clear());
    expect(state.data).toEqual({ count: 7 });
  });

  it("fields of every lifecycle can be written, except inputs", () => {
    const state = new State({ message: input(z.string()), found: loaded(z.array(z.string())), note: turn(z.string()) }, { message: "hi" });
    state.set("found", ["x"]);
    state.set("found", ["y"]);
    state.set("note", "n");
    expect(state.data).toEqual({ message: "hi", found: ["y"], note: "n" });
    expect(codeOf(() => state.set("message" as never, "x" as never))).toBe("state.undeclared_write");
  });

  it("takes a definition as well as fields", () => {
    const state = new State(defineState(stock()), { name: "a" });
    expect(state.get("name")).toBe("a");
    expect("messages" in state.schema).toBe(true);
  });
});

describe("E. serialisation", () => {
  const definition = defineState({
    numbers: reduced(anyList),
    d: reduced(z.record(z.string(), z.any())),
    total: reduced(z.number(), { reduce: counter() }),
  });
  const through = (state: { toJSON(): unknown }): unknown => JSON.parse(JSON.stringify(state));

  it("E1 says of each field what its values look like and by name and version how they are joined", () => {
    const json = new State(definition, { numbers: [1] }).toJSON();
    expect(json).toMatchObject({
      format: 1,
      fields: {
        numbers: { lifecycle: "reduced", show: "internal", reducer: { name: "append", version: 1 }, json_schema: { type: "array" } },
        d: { reducer: { name: "replace", version: 1 }, json_schema: { type: "object" } },
        total: { reducer: { name: "counter", version: 1 } },
        messages: { reducer: { name: "append", version: 1 } },
      },
      data: { numbers: [1] },
    });
  });

  it("E3 comes back equal, and joins as before", () => {
    const state = new State(definition, { numbers: [1], d: { a: null }, total: 2 });
    state.set("messages", { role: "user", text: "hi" });
    const back = State.fromJSON(through(state), definition);
    expect(back.data).toEqual(state.data);
    back.set("total", 3);
    back.set("numbers", 2);
    expect(back.data).toMatchObject({ total: 5, numbers: [1, 2] });
  });

  it("E5 leaves out what is not wanted; `messages` is back in the schema, without a value", () => {
    const state = new State(definition, { numbers: [1] });
    state.set("messages", { role: "user", text: "hi" });
    const json = state.serialize({ omit: ["messages", "nope"] });
    expect(json.fields).not.toHaveProperty("messages");
    const back = State.fromJSON(json, definition);
    expect(["messages" in back.schema, back.has("messages"), back.get("numbers")]).toEqual([true, false, [1]]);
  });

  it("E6, E8 nothing is lost on the way: what is not JSON is refused when it is written, with its path", () => {
    const state = new State({ good: reduced(z.number()), bad: reduced(z.record(z.string(), z.any())) }, { good: 1 });
    expect(errorOf(() => state.set("bad", { ok: 1, at: new Date(0) }))).toMatchObject({
      code: "state.not_json",
      details: { path: "/bad/at", seen: "an instance of Date" },
    });
    expect(codeOf(() => state.set("bad", { ok: 1, bytes: new Uint8Array(2) }))).toBe("state.not_json");
    expect(state.data).toEqual({ good: 1 });
  });

  it("E10 a reducer of one's own comes back by name and version, never by import", () => {
    const fields = { numbers: reduced(z.array(z.number()), { reduce: sortedUnique }) };
    const json = through(new State(fields, { numbers: [2, 1] }));
    expect(json).toMatchObject({ fields: { numbers: { reducer: { name: "sortedUnique", version: 1 } } } });
    const plain = { numbers: reduced(z.array(z.number())) };
    expect(codeOf(() => State.fromJSON(json, plain))).toBe("state.reducer_unknown");
    const newer = defineReducer({
      name: "sortedUnique",
      version: 2,
      reduce: (_current: readonly number[] | undefined, update: readonly number[]) => update,
    });
    expect(errorOf(() => State.fromJSON(json, plain, { reducers: [newer] }))).toMatchObject({
      details: { field: "numbers", reducer: "sortedUnique", version: 1 },
    });
    const back = State.fromJSON(json, plain, { reducers: [newer, sortedUnique] });
    back.set("numbers", [0]);
    expect(back.get("numbers")).toEqual([0, 1, 2]);
  });

  it("E10 the options of a stock reducer are part of what it is", () => {
    const rows = z.array(z.object({ id: z.string(), slug: z.string() }));
    const json = through(new State({ rows: reduced(rows, { reduce: upsertBy("id") }) }));
    expect(codeOf(() => State.fromJSON(json, { rows: reduced(rows, { reduce: upsertBy("slug") }) }))).toBe("state.reducer_unknown");
    expect(State.fromJSON(json, { rows: reduced(rows, { reduce: upsertBy("id") }) }).schema.rows.reducer.options).toEqual({ key: "id" });
  });

  it("E11 values that are not JSON come back through their codec", () => {
    const fields = {
      tags: reduced(z.set(z.string()), { codec: { encode: (set) => [...set], decode: (json) => new Set(json as string[]) } }),
      mixed: reduced(anyList),
    };
    const state = new State(fields, { tags: new Set(["a", "b"]), mixed: [1, "a", null, { k: [1.5, true] }] });
    const back = State.fromJSON(through(state), fields);
    expect(back.data).toEqual({ tags: new Set(["a", "b"]), mixed: [1, "a", null, { k: [1.5, true] }] });
  });

  it("E13 no data is no data", () => {
    expect(State.fromJSON({ format: 1, fields: {}, data: {} }, definition).data).toEqual({});
  });

  it.each([
    ["E15 nothing", undefined],
    ["E15 an empty object", {}],
    ["no data", { format: 1, fields: {} }],
    ["another format", { format: 2, fields: {}, data: {} }],
    ["a field that is not declared", { format: 1, fields: { zz: { reducer: { name: "replace", version: 1 } } }, data: {} }],
    ["a value of a field that is not described", { format: 1, fields: {}, data: { numbers: [1] } }],
    ["a field without a reducer", { format: 1, fields: { numbers: {} }, data: {} }],
    ["a list for an object", { format: 1, fields: [], data: {} }],
  ])("%s is malformed", (_name, json) => {
    expect(codeOf(() => State.fromJSON(json, definition))).toBe("state.serialized_invalid");
  });

  it("E15 a value that its schema refuses is refused", () => {
    const json = through(new State(definition, { total: 1 })) as { data: Record<string, unknown> };
    json.data["total"] = "one";
    expect(codeOf(() => State.fromJSON(json, definition))).toBe("state.invalid_value");
  });

  it("E16 the definition is code: optional, nullable and union fields come back as declared", () => {
    const fields = {
      a: reduced(z.string().nullable()),
      b: reduced(z.union([z.string(), z.number()])),
      c: reduced(z.array(z.object({ id: z.string() })), { reduce: append() }),
    };
    const back = State.fromJSON(through(new State(fields, { a: null, b: 1, c: [{ id: "x" }] })), fields);
    expect(back.data).toEqual({ a: null, b: 1, c: [{ id: "x" }] });
    expect(back.schema.a).toBe(fields.a);
  });
});
