/** The listed cases of the described system's State, A to E; where the better behaviour differs, the title says so. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { State } from "../../packages/throughline/src/state/standalone-state.ts";
import { assertProjectedMessages, defineState, type FieldRecord } from "../../packages/throughline/src/state/define.ts";
import { type Field, reduced } from "../../packages/throughline/src/state/field.ts";
import { defineReducer } from "../../packages/throughline/src/state/reducer.ts";
import { append, replace } from "../../packages/throughline/src/state/reducers.ts";
import { codeOf, errorOf } from "./support.ts";

const anyList = z.array(z.any());
const anyObject = z.record(z.string(), z.any());
const stock = () => ({ numbers: reduced(anyList), metadata: reduced(anyObject), name: reduced(z.string()) });
type Row = Readonly<Record<string, unknown>>;
const untyped = (fields: unknown): FieldRecord => fields as FieldRecord;

describe("A. reducers", () => {
  it("A1 append joins two lists into a new one and leaves both as they are", () => {
    const current = Object.freeze([1, 2, 3]);
    const update = Object.freeze([4, 5, 6]);
    expect(append<number>().reduce(current, update)).toEqual([1, 2, 3, 4, 5, 6]);
    expect([current, update]).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it("A3 append wraps what is no list, on either side", () => {
    expect(append<number>().reduce(1 as never, 2)).toEqual([1, 2]);
    expect(append<number>().reduce([1], 2)).toEqual([1, 2]);
    expect(append<number>().reduce(1 as never, [2])).toEqual([1, 2]);
  });

  it("A5 append begins a new list with the same elements when there is none", () => {
    const element = { id: 1 };
    const update = [element];
    for (const absent of [undefined, null as never]) {
      const list = append<object>().reduce(absent, update) as readonly object[];
      expect(list).not.toBe(update);
      expect(list[0]).toBe(element);
    }
  });

  it("append refuses null instead of adding it; an element null is given in a list", () => {
    const error = errorOf(() => append<unknown>().reduce([1], null));
    expect(error.code).toBe("state.reducer_mismatch");
    expect(error.hint).toContain("[null]");
    expect(codeOf(() => append<unknown>().reduce(undefined, null))).toBe("state.reducer_mismatch");
    expect(append<unknown>().reduce([1], [null])).toEqual([1, null]);
    const state = new State({ list: reduced(anyList), numbers: reduced(z.array(z.number()).nullable()) }, { list: [1], numbers: [1] });
    expect(codeOf(() => state.set("list", null))).toBe("state.reducer_mismatch");
    state.set("list", [null]);
    expect(state.get("list")).toEqual([1, null]);
  });

  it("a list given to a list of lists is one element", () => {
    const state = new State({ pairs: reduced(z.array(z.tuple([z.number(), z.number()]))) });
    state.set("pairs", [1, 2]);
    state.set("pairs", [
      [3, 4],
      [5, 6],
    ]);
    expect(state.get("pairs")).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  });

  it("A10 replace returns the update itself", () => {
    const update = {};
    expect(replace<object>().reduce({}, update)).toBe(update);
  });
});

describe("B. schemas and default reducers", () => {
  class Note {
    readonly text: string;
    constructor(text: string) {
      this.text = text;
    }
  }
  const note = { encode: (value: Note) => value.text, decode: (json: unknown) => new Note(json as string) };
  const set = { encode: (value: ReadonlySet<number>) => [...value], decode: (json: unknown) => new Set(json as number[]) };

  const accepted: readonly [name: string, field: Field, reducer: string][] = [
    ["B1 a string", reduced(z.string()), "replace"],
    ["B1 an integer", reduced(z.int()), "replace"],
    ["B1 a number", reduced(z.number()), "replace"],
    ["B1 a boolean", reduced(z.boolean()), "replace"],
    ["B1 an object", reduced(anyObject), "replace"],
    ["B1 a list", reduced(anyList), "append"],
    ["B1, B11 a tuple", reduced(z.tuple([z.number(), z.string()])), "replace"],
    ["an optional string", reduced(z.string().optional()), "replace"],
    ["a union of scalars", reduced(z.union([z.string(), z.number()])), "replace"],
    ["a literal, where the described system refuses one", reduced(z.literal("a")), "replace"],
    ["an enumeration", reduced(z.enum(["a", "b"])), "replace"],
    ["a nullable list keeps append, where the described system replaces", reduced(z.array(z.int()).nullable()), "append"],
    ["an optional list keeps append", reduced(z.array(z.int()).optional()), "append"],
    ["B3, B11 a class, by value, because no JSON Schema tells", reduced(z.instanceof(Note), { codec: note }), "by_value"],
    ["B1, B11 a set, by value", reduced(z.set(z.number()), { codec: set }), "by_value"],
    ["B1 a list of a library without JSON Schema, by value", reduced(v.array(v.number())), "by_value"],
  ];

  it.each(accepted)("%s is accepted", (_name, field, reducer) => {
    expect(defineState({ field }).fields.field.reducer.name).toBe(reducer);
  });

  it("B3, B11 a class and a set are replaced, a list of a class is appended to", () => {
    const state = new State({
      note: reduced(z.instanceof(Note), { codec: note }),
      set: reduced(z.set(z.number()), { codec: set }),
      notes: reduced(z.array(z.instanceof(Note)), {
        codec: { encode: (value) => value.map(note.encode), decode: (json) => (json as string[]).map(note.decode) },
      }),
    });
    for (const text of ["a", "b"]) {
      state.set("note", new Note(text));
      state.set("notes", new Note(text));
    }
    state.set("set", new Set([1]));
    state.set("set", new Set([2]));
    expect(state.data).toEqual({ note: new Note("b"), notes: [new Note("a"), new Note("b")], set: new Set([2]) });
  });

  it.each([42, "string", [1, 2, 3], { a: 1 }, true, null, undefined, new Note("x"), () => 1, z, z.union, Note])(
    "B5, B6 %s is no schema",
    (schema) => {
      expect(codeOf(() => reduced(schema as never))).toBe("state.definition_invalid");
    },
  );

  it("a union of a list and something else must name its reducer, at definition where the schema tells", () => {
    const union = z.union([z.array(z.number()), z.string()]);
    expect(codeOf(() => reduced(union as never))).toBe("state.reducer_ambiguous");
    expect(codeOf(() => reduced(z.union([z.array(z.number()), z.tuple([z.string()])]) as never))).toBe("state.reducer_ambiguous");
    expect(reduced(union, { reduce: replace() }).reducer.name).toBe("replace");
  });

  it("… and at the write where it does not", () => {
    const state = new State({ either: reduced(v.union([v.array(v.number()), v.string()]) as v.GenericSchema<string>) });
    state.set("either", "a");
    state.set("either", "b");
    expect(state.get("either")).toBe("b");
    expect(codeOf(() => state.set("either", [1] as never))).toBe("state.reducer_ambiguous");
    const list = new State({ either: reduced(v.union([v.array(v.number()), v.string()]) as v.GenericSchema<string>) }, { either: [1] as never });
    expect(codeOf(() => list.set("either", "b"))).toBe("state.reducer_ambiguous");
  });

  it("B11 a tuple of a library without JSON Schema is not silently appended to", () => {
    const state = new State({ pair: reduced(v.tuple([v.number(), v.string()])) }, { pair: [1, "a"] });
    expect(codeOf(() => state.set("pair", [2, "b"]))).toBe("state.reducer_ambiguous");
    const named = new State({ pair: reduced(v.tuple([v.number(), v.string()]), { reduce: replace() }) }, { pair: [1, "a"] });
    named.set("pair", [2, "b"]);
    expect(named.get("pair")).toEqual([2, "b"]);
  });
});

describe("C. definitions", () => {
  it("C1 lists, objects and scalars are accepted", () => {
    expect(Object.keys(defineState(stock()).fields)).toEqual(["numbers", "metadata", "name", "messages"]);
  });

  it("`messages` is added, appends, and has no value yet", () => {
    const state = new State({ user_id: reduced(z.string()) });
    expect(state.schema.messages.reducer.name).toBe("append");
    expect([state.has("messages"), state.get("messages"), state.get("messages", [])]).toEqual([false, undefined, []]);
    state.set("messages", { role: "user", text: "hello" });
    state.set("messages", [{ role: "assistant", text: "hi" }]);
    expect(state.get("messages")?.map(({ text }) => text)).toEqual(["hello", "hi"]);
    state.set("messages", [{ role: "user", text: "new" }], { reduce: replace() as never });
    expect(state.get("messages")?.map(({ text }) => text)).toEqual(["new"]);
    expect(errorOf(() => state.set("messages", 3 as never, { reduce: replace() as never })).message).toContain("expected a list of messages");
  });

  it("C3 a field without a schema is refused by name", () => {
    const error = errorOf(() => defineState(untyped({ test: { handler: () => 1 } })));
    expect(error.code).toBe("state.definition_invalid");
    expect(error.message).toContain('"test"');
  });

  it.each([
    ["a text", reduced(z.string())],
    ["a list of texts", reduced(z.array(z.string()))],
    ["a list of anything", reduced(anyList)],
    ["a nullable list", reduced(z.array(z.object({ role: z.string() })).nullable())],
    ["a tuple", reduced(z.tuple([z.object({ role: z.string() })]))],
    ["a list or a text that is not empty", reduced(z.union([z.array(z.looseObject({})), z.string().min(1)]), { reduce: replace() as never })],
    ["a list of messages or texts, cleanly", reduced(z.array(z.union([z.object({ role: z.string() }), z.string()])))],
  ])("%s cannot be `messages`", (_name, messages) => {
    const error = errorOf(() => defineState(untyped({ messages })));
    expect(error.code).toBe("state.definition_invalid");
    expect(error.message).toContain('"messages"');
  });

  it("C5 a reducer that is null or undefined means the default", () => {
    expect(reduced(anyList, { reduce: null as never }).reducer.name).toBe("append");
    expect(reduced(anyList, { reduce: undefined as never }).reducer.name).toBe("append");
  });

  it("C6 a list of messages, or of a richer kind of message, can be `messages`", () => {
    const message = z.object({ role: z.enum(["user", "assistant"]), text: z.string() });
    for (const element of [message, message.extend({ mood: z.string() })]) {
      expect(defineState({ messages: reduced(z.array(element)) }).fields.messages.reducer.name).toBe("append");
    }
  });

  it.each([42, "append", {}, () => 1])("the reducer %s is refused", (reduce) => {
    expect(codeOf(() => reduced(anyList, { reduce: reduce as never }))).toBe("state.definition_invalid");
  });

  it("C10 a reducer of `messages` is kept, and refused where the log is the messages", () => {
    const newest = defineReducer({ name: "newest", version: 1, reduce: (_current: readonly Row[] | undefined, update: readonly Row[]) => update });
    const definition = defineState({ messages: reduced(z.array(z.looseObject({})), { reduce: newest }) });
    expect(definition.fields.messages.reducer).toBe(newest);
    expect(codeOf(() => assertProjectedMessages(definition))).toBe("agent.invalid");
    expect(() => assertProjectedMessages(defineState({}))).not.toThrow();
  });

  it("C11 the declaration is not changed, and changing it later changes nothing", () => {
    const fields: Record<string, Field> = { a: reduced(z.string()) };
    const definition = defineState(fields);
    expect(Object.keys(fields)).toEqual(["a"]);
    fields["b"] = reduced(z.string());
    expect(Object.keys(definition.fields)).toEqual(["a", "messages"]);
    expect(Object.isFrozen(definition.fields)).toBe(true);
  });

  it.each([null, [], "string", undefined])("a field that is %s is refused cleanly", (field) => {
    expect(codeOf(() => defineState(untyped({ a: field })))).toBe("state.definition_invalid");
    expect(codeOf(() => defineState(field as never))).toBe("state.definition_invalid");
  });
});
