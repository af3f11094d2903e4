/** The state over the life of a turn: stored, begun, loaded, replayed, rebased. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { deepFreeze } from "../../packages/throughline/src/kernel/json.ts";
import { foldPatches, type PatchOperation } from "../../packages/throughline/src/kernel/json-patch.ts";
import { applyDelta } from "../../packages/throughline/src/state/apply.ts";
import { defineState, type StateOf } from "../../packages/throughline/src/state/define.ts";
import { decodeState, encodeState, initialState, rebaseState } from "../../packages/throughline/src/state/document.ts";
import { input, loaded, reduced, turn } from "../../packages/throughline/src/state/field.ts";
import { clear } from "../../packages/throughline/src/state/reducer.ts";
import { counter, merge } from "../../packages/throughline/src/state/reducers.ts";
import { beginTurn, replayTransient, setLoaded, withMessages } from "../../packages/throughline/src/state/state-turn.ts";
import { codeOf, errorOf } from "./support.ts";

const date = { encode: (value: Date) => value.toISOString(), decode: (json: unknown) => new Date(json as string) };
let stamp = 0;
const Diary = defineState({
  message: input(z.string()),
  locale: input(z.string().default("en")),
  channel: input(z.enum(["web", "voice"]).optional()),
  mood: input(z.string().nullable(), { initial: null }),
  at: input(z.date(), { codec: date, initial: new Date(0) }),
  name: reduced(z.string(), { start: true }),
  total: reduced(z.number(), { reduce: counter(), start: true, initial: 0 }),
  notes: reduced(v.array(v.string()), { initial: [] }),
  born: reduced(z.date(), { codec: date }),
  memory: loaded(z.array(z.string())),
  facts: loaded(z.array(z.string()), { initial: [] }),
  draft: turn(z.string()),
  stamp: turn(z.number(), { initial: () => ++stamp }),
  timings: turn(z.record(z.string(), z.number()), { reduce: merge(), initial: {} }),
});
type Diary = StateOf<typeof Diary>;
const stored = (): Diary => decodeState(Diary, initialState(Diary));

describe("a stored state", () => {
  it("begins with the declared defaults of what survives", () => {
    expect(initialState(Diary)).toEqual({ total: 0, notes: [] });
    expect(Object.isFrozen(initialState(Diary))).toBe(true);
  });

  it("is decoded and validated; nothing else has a value yet, and there are no messages", () => {
    const state = decodeState(Diary, { total: 1, notes: ["a"], born: "1970-01-01T00:00:00.000Z" });
    expect({ ...state }).toEqual({ messages: [], total: 1, notes: ["a"], born: new Date(0) });
    expect([state, state.notes].every(Object.isFrozen)).toBe(true);
  });

  it("encodes to the very document it came from", () => {
    const document = deepFreeze({ total: 1, notes: ["a"], born: "1970-01-01T00:00:00.000Z", retired: { kept: true } });
    const state = decodeState(Diary, document);
    expect(encodeState(Diary, state)).toBe(document);
    expect(state.notes).toBe(document.notes);
  });

  it("leaves a document that is not frozen as it is", () => {
    const document = { total: 1, notes: ["a"] };
    decodeState(Diary, document);
    expect(Object.isFrozen(document.notes)).toBe(false);
  });

  it.each([
    ["a wrong type", { notes: "a" }, "/notes"],
    ["a codec that cannot read it", { born: "yesterday" }, "/born"],
    ["a wrong element", { notes: ["a", 1] }, "/notes"],
  ])("that is corrupt names its field: %s", (_name, document, path) => {
    expect(errorOf(() => decodeState(Diary, document as never))).toMatchObject({ code: "state.corrupt", details: { path } });
  });

  it.each([null, [], "state", { total: Number.NaN }])("that is no JSON object is corrupt: %s", (document) => {
    expect(codeOf(() => decodeState(Diary, document as never))).toBe("state.corrupt");
  });

  it("reads a field that the log does not know of at its default, and stores it with its first write", () => {
    const state = decodeState(Diary, {});
    expect([state.notes, state.total, encodeState(Diary, state)]).toEqual([[], 0, {}]);
    const { patch, state: after } = applyDelta(Diary, state, { notes: "a", total: 2 });
    expect(patch.durable).toEqual([
      { op: "add", path: "/notes", value: ["a"] },
      { op: "add", path: "/total", value: 2 },
    ]);
    expect(encodeState(Diary, after)).toEqual({ notes: ["a"], total: 2 });
  });

  it("reads what its schema has learned since, and changes the document only where it is written", () => {
    const Grown = defineState({ profile: reduced(z.object({ name: z.string(), theme: z.string().default("light") }), { reduce: merge() }) });
    const document = { profile: { name: "Ada" } };
    const state = decodeState(Grown, document);
    expect([state.profile, encodeState(Grown, state)]).toEqual([{ name: "Ada", theme: "light" }, document]);
    const { patch } = applyDelta(Grown, state, { profile: { name: "Bea" } });
    expect(foldPatches(document, [patch.durable])).toEqual({ profile: { name: "Bea", theme: "light" } });
  });
});

describe("a turn begins", () => {
  it("with its inputs, fresh turn fields and nothing loaded", () => {
    const { state, patch } = beginTurn(Diary, stored(), { input: { message: "hi" } });
    expect({ ...state }).toEqual({
      messages: [],
      message: "hi",
      locale: "en",
      mood: null,
      at: new Date(0),
      total: 0,
      notes: [],
      facts: [],
      stamp,
      timings: {},
    });
    expect(patch.durable).toEqual([]);
    expect(patch.transient.map(({ op, path }) => `${op} ${path}`)).toEqual([
      "add /message",
      "add /locale",
      "add /mood",
      "add /at",
      "add /facts",
      "add /stamp",
      "add /timings",
    ]);
  });

  it("without anything of the turn before", () => {
    const first = beginTurn(Diary, stored(), { input: { message: "one", channel: "web" } }).state;
    const worked = applyDelta(Diary, first, { draft: "d", timings: { a: 1 }, memory: ["m"], notes: "kept" }).state;
    const second = beginTurn(Diary, worked, { input: { message: "two" } }).state;
    expect(second).toMatchObject({ message: "two", timings: {}, notes: ["kept"] });
    expect(["draft", "memory", "channel"].filter((name) => name in second)).toEqual([]);
    expect(second.stamp).toBeGreaterThan(first.stamp);
  });

  it("with start fields applied through their reducers", () => {
    const before = applyDelta(Diary, stored(), { total: 40, name: "Ada" }).state;
    const { state, patch } = beginTurn(Diary, before, { input: { message: "hi" }, start: { total: 2, name: "Bea" } });
    expect(state).toMatchObject({ total: 42, name: "Bea" });
    expect(patch.durable).toEqual([
      { op: "replace", path: "/total", value: 42 },
      { op: "replace", path: "/name", value: "Bea" },
    ]);
  });

  it.each([
    ["a missing input", {}, "state.invalid_value"],
    ["a wrong input", { input: { message: 1 } }, "state.invalid_value"],
    ["an undeclared input", { input: { message: "m", mesage: "x" } }, "state.unknown_field"],
    ["a reduced field as an input", { input: { message: "m", name: "x" } }, "state.undeclared_write"],
    ["a reduced field that cannot be given", { input: { message: "m" }, start: { notes: "x" } }, "state.undeclared_write"],
    ["an input among the start fields", { input: { message: "m" }, start: { locale: "x" } }, "state.undeclared_write"],
    ["a wrong start value", { input: { message: "m" }, start: { total: "x" } }, "state.reducer_mismatch"],
    ["inputs that are no object", { input: "hi" }, "input.invalid"],
  ])("not with %s", (_name, given, code) => {
    expect(codeOf(() => beginTurn(Diary, stored(), given as never))).toBe(code);
  });

  it.each(["input", "start"])("and names what is no object: %s", (part) => {
    expect(errorOf(() => beginTurn(Diary, stored(), { input: { message: "m" }, [part]: [] })).message).toContain(`\`${part}\``);
  });

  it("and names the input that is missing", () => {
    expect(errorOf(() => beginTurn(Diary, stored())).details).toMatchObject({ path: "/message" });
  });
});

describe("within a turn", () => {
  const begun = (): Diary => beginTurn(Diary, stored(), { input: { message: "hi" } }).state;

  it("loaded fields are set, and set again", () => {
    const { state, patch } = setLoaded(Diary, begun(), { memory: ["a"] });
    expect([state.memory, patch.transient]).toEqual([["a"], [{ op: "add", path: "/memory", value: ["a"] }]]);
    expect(setLoaded(Diary, state, { memory: ["b"] }).state.memory).toEqual(["b"]);
    expect(codeOf(() => setLoaded(Diary, state, { name: "x" }))).toBe("state.undeclared_write");
    expect(codeOf(() => setLoaded(Diary, state, { memory: clear() }))).toBe("state.not_clearable");
  });

  it("messages are put in as they are", () => {
    const messages = [{ role: "user", text: "hi", offset: 3 }];
    const state = withMessages(Diary, begun(), messages);
    expect(state.messages).toBe(messages);
    expect(encodeState(Diary, state)).toEqual(initialState(Diary));
    expect(applyDelta(Diary, state, { messages: { role: "assistant", text: "ho" } }).messages).toEqual([{ role: "assistant", text: "ho" }]);
  });

  it("journaled operations bring back what stages did, without running a reducer", () => {
    const state = begun();
    const worked = applyDelta(Diary, state, { draft: "d", timings: { a: 1 }, memory: ["m"] });
    const more = applyDelta(Diary, worked.state, { timings: { b: 2 }, draft: clear() });
    const replayed = replayTransient(Diary, state, [...worked.patch.transient, ...more.patch.transient]);
    expect(replayed).toEqual(more.state);
    expect(replayed).toMatchObject({ timings: { a: 1, b: 2 }, memory: ["m"] });
    expect("draft" in replayed).toBe(false);
    expect(replayTransient(Diary, state, [])).toBe(state);
    expect(replayed.at).toBe(state.at);
  });

  it("journaled operations are decoded where a codec stands between", () => {
    const replayed = replayTransient(Diary, begun(), [{ op: "replace", path: "/at", value: "1970-01-02T00:00:00.000Z" }]);
    expect(replayed.at).toEqual(new Date(86_400_000));
  });

  it.each<readonly [name: string, operation: PatchOperation, code: string]>([
    ["a wrong value", { op: "add", path: "/draft", value: 1 }, "state.corrupt"],
    ["another state's", { op: "replace", path: "/draft", value: "x" }, "patch.path_missing"],
    ["an undeclared field", { op: "add", path: "/zz", value: 1 }, "state.unknown_field"],
    ["a field that survives", { op: "add", path: "/name", value: "x" }, "patch.invalid"],
    ["the whole state", { op: "replace", path: "", value: null }, "patch.invalid"],
  ])("journaled operations are refused: %s", (_name, operation, code) => {
    expect(codeOf(() => replayTransient(Diary, begun(), [operation]))).toBe(code);
  });

  it("journaled operations on a field that survives are refused by its name", () => {
    expect(errorOf(() => replayTransient(Diary, begun(), [{ op: "add", path: "/name", value: "x" }])).details).toEqual({ field: "name" });
  });

  it("moves to a newer stored state, keeping what belongs to the turn", () => {
    const worked = withMessages(Diary, applyDelta(Diary, begun(), { draft: "d", notes: "mine", total: 1 }).state, [{ role: "user", text: "hi" }]);
    const rebased = rebaseState(Diary, worked, { notes: ["theirs"], total: 10 });
    expect(rebased).toMatchObject({ message: "hi", draft: "d", notes: ["theirs"], total: 10, messages: [{ text: "hi" }] });
    const { state, patch } = applyDelta(Diary, rebased, { notes: "mine", total: 1, draft: "e" });
    expect(encodeState(Diary, state)).toEqual({ notes: ["theirs", "mine"], total: 11 });
    expect(patch.transient).toEqual([{ op: "replace", path: "/draft", value: "e" }]);
  });

  it("works on a state that was put together by hand", () => {
    const state = {
      messages: [],
      message: "hi",
      notes: ["a"],
      total: 1,
      born: new Date(0),
      locale: "en",
      mood: null,
      at: new Date(0),
      facts: [],
      stamp: 1,
      timings: {},
    } as Diary;
    expect(encodeState(Diary, state)).toEqual({ notes: ["a"], total: 1, born: "1970-01-01T00:00:00.000Z" });
    expect(applyDelta(Diary, state, { notes: "b" })).toMatchObject({
      state: { notes: ["a", "b"] },
      patch: { durable: [{ op: "add", path: "/notes/-", value: "b" }] },
    });
    expect(state.notes).toEqual(["a"]);
  });
});
