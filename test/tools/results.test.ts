/** I and J: what a result writes to the state, and what a model reads of it. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json } from "../../packages/throughline/src/kernel/json.ts";
import { resultText } from "../../packages/throughline/src/session/session-messages.ts";
import { State } from "../../packages/throughline/src/state/standalone-state.ts";
import { defineState, type FieldRecord, type StateDefinition } from "../../packages/throughline/src/state/define.ts";
import { reduced } from "../../packages/throughline/src/state/field.ts";
import { defineReducer, overrideOf } from "../../packages/throughline/src/state/reducer.ts";
import { replace } from "../../packages/throughline/src/state/reducers.ts";
import { defineTool } from "../../packages/throughline/src/tools/define-tool.ts";
import { deltaOf, resultOf } from "../../packages/throughline/src/tools/results.ts";
import { applyDelta } from "../../packages/throughline/src/state/apply.ts";
import { decodeState } from "../../packages/throughline/src/state/document.ts";
import { codeOf, errorOf } from "../state/support.ts";

const declare = (options: object) => defineTool({ name: "weather", description: "Tells the weather.", execute: () => 1, ...options });
const fields = {
  weather: reduced(z.string()),
  temperature: reduced(z.union([z.number(), z.string()])),
  docs: reduced(z.array(z.string())),
  maybe: reduced(z.array(z.string()).nullable()),
  note: reduced(z.string().nullable()),
  whole: reduced(z.any(), { reduce: replace() }),
};
const definition = defineState(fields);
const asText = defineReducer<number | string, number>({ name: "asText", version: 1, reduce: (_current, update) => String(update) });

/** The state after a result, beginning with `start`. */
function written(outputsToState: object, returned: unknown, start: Record<string, Json> = {}): unknown {
  const tool = declare({ outputsToState });
  const { value } = resultOf(tool, returned, definition);
  const { messages: _messages, ...state } = applyDelta(definition, decodeState(definition, start), deltaOf(tool, value, definition) as never).state;
  return state;
}

describe("I. what a result writes", () => {
  const full = { weather: "sunny", temperature: 14 };

  it("I1 a result without members, where one is wanted, is an error and not silence", () => {
    const error = errorOf(() => written({ weather: { source: "weather" } }, "test"));
    expect(error.code).toBe("tool.output_invalid");
    expect(error.message).toContain('has no member "weather" for the field "weather": it is "test"');
    for (const result of [["weather"], 7, null, undefined])
      expect(codeOf(() => written({ weather: { source: "weather" } }, result))).toBe(error.code);
  });
  it.each<readonly [unknown, unknown]>([
    ["test", "test"],
    [14, 14],
    [["a"], ["a"]],
    [full, full],
    [null, null],
    [undefined, null],
  ])("I1 a whole result of any kind is stored: %j", (result, value) => expect(written({ whole: {} }, result)).toEqual({ whole: value }));
  it("I3 one member", () => expect(written({ weather: { source: "weather" } }, full)).toEqual({ weather: "sunny" }));
  it("several members", () => expect(written({ weather: { source: "weather" }, temperature: { source: "temperature" } }, full)).toEqual(full));
  it("I5 through a reducer of the map", () =>
    expect(written({ temperature: { source: "temperature", reduce: asText } }, full)).toEqual({ temperature: "14" }));
  it("I6 a member that is not there writes nothing", () => {
    expect(written({ docs: { source: "docs" } }, {}, { docs: ["d1"] })).toEqual({ docs: ["d1"] });
    expect(written({ docs: { source: "docs" } }, { docs: undefined }, { docs: ["d1"] })).toEqual({ docs: ["d1"] });
    expect(written({ docs: { source: "toString" } }, {}, { docs: ["d1"] })).toEqual({ docs: ["d1"] });
  });
  it("a list is appended to", () =>
    expect(written({ docs: { source: "docs" } }, { docs: ["d2"] }, { docs: ["d1"] })).toEqual({ docs: ["d1", "d2"] }));
  it("I8 null is written", () => expect(written({ note: { source: "note" } }, { note: null }, { note: "x" })).toEqual({ note: null }));
  it("null is never added to a list: it replaces one that may be null, and is refused by any other", () => {
    expect(written({ maybe: { source: "docs" } }, { docs: null }, { maybe: ["d1"] })).toEqual({ maybe: null });
    expect(codeOf(() => written({ docs: { source: "docs" } }, { docs: null }, { docs: ["d1"] }))).toBe("state.reducer_mismatch");
  });
  it("what fits is not written beside what does not", () => {
    const tool = declare({ outputsToState: { weather: { source: "x" }, docs: { source: "bad" } } });
    const state = decodeState(definition, { weather: "old" });
    const delta = deltaOf(tool, { x: "new", bad: 7 }, definition);
    expect(codeOf(() => applyDelta(definition, state, delta as never))).toBe("state.invalid_value");
    expect(state.weather).toBe("old");
  });
  it("I13 a reducer of the map stands in for the field's", () => {
    expect(written({ docs: { source: "docs", reduce: replace() } }, { docs: ["d2"] }, { docs: ["d1"] })).toEqual({ docs: ["d2"] });
    const delta = deltaOf(declare({ outputsToState: { docs: { reduce: replace() } } }), ["d2"]);
    expect(overrideOf(delta["docs"])?.reducer.name).toBe("replace");
  });
  it("what a tool returns is not kept: it is a frozen copy", () => {
    const returned = { docs: ["a"] };
    const { value } = resultOf(declare({}), returned);
    returned.docs.push("b");
    expect(value).toEqual({ docs: ["a"] });
    expect(Object.isFrozen(value)).toBe(true);
  });
});

describe("values that are not JSON", () => {
  const days: FieldRecord = {
    born: reduced(z.date(), { codec: { encode: (date) => date.toISOString(), decode: (json) => new Date(json as string) } }),
    seen: reduced(z.map(z.string(), z.number()), { codec: { encode: (map) => [...map], decode: (json) => new Map(json as [string, number][]) } }),
  };
  const state: StateDefinition = defineState(days);
  const tool = declare({ state, outputsToState: { born: { source: "day" }, seen: { source: "counts" } } });

  it("are stored as the field's codec writes them, and read back for the state", () => {
    const { value } = resultOf(tool, { day: new Date(0), counts: new Map([["a", 1]]) });
    expect(value).toEqual({ day: "1970-01-01T00:00:00.000Z", counts: [["a", 1]] });
    expect(deltaOf(tool, value)).toEqual({ born: new Date(0), seen: new Map([["a", 1]]) });
    expect(deltaOf(tool, { day: "1970-01-01T00:00:00.000Z" })).toEqual({ born: new Date(0) });
    expect(codeOf(() => deltaOf(tool, { counts: 7 }))).toBe("tool.output_invalid");
  });
  it.each<readonly [unknown, string]>([
    [{ a: [1, () => 1] }, "/a/1"],
    [{ a: Number.NaN }, "/a"],
    [{ a: new Map() }, "/a"],
    [[undefined], "/0"],
    [{ a: 1n }, "/a"],
    [Symbol("x"), ""],
    [JSON.parse('{"__proto__":1}'), ""],
  ])("are refused elsewhere, with the path (%#)", (returned, path) => {
    const error = errorOf(() => resultOf(declare({}), returned));
    expect([error.code, error.details["path"]]).toEqual(["tool.output_invalid", path]);
  });
  it("a circle is refused", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(codeOf(() => resultOf(declare({}), circle))).toBe("tool.output_invalid");
  });
});

describe("J. what the model reads", () => {
  const text = (options: object, returned: unknown): string => resultText(resultOf(declare(options), returned));

  it.each<readonly [unknown, string]>([
    ["hello", "hello"],
    [42, "42"],
    [3.14, "3.14"],
    [true, "true"],
    [null, "null"],
    [undefined, "null"],
    ["", ""],
  ])("J1 %j", (returned, expected) => expect(text({}, returned)).toBe(expected));
  it("lists and objects as JSON, whatever the script", () => {
    expect(text({}, { city: "東京", list: [1, "ß"], none: undefined })).toBe('{"city":"東京","list":[1,"ß"]}');
  });
  it("J3 what says itself how it is written", () => {
    expect(text({}, { at: new Date(0), url: new URL("https://example.org/") })).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","url":"https://example.org/"}',
    );
    expect(text({}, { toJSON: () => ({ plain: 1 }) })).toBe('{"plain":1}');
  });
  it("what the tool shows, as a text or in parts", () => {
    expect(text({ show: (value: { n: number }) => `${value.n} found` }, { n: 3 })).toBe("3 found");
    const parts = [
      { type: "text", text: "Found:" },
      { type: "json", value: [1] },
    ];
    expect(text({ show: () => parts }, { n: 3 })).toBe("Found:\n[1]");
    expect(resultOf(declare({ show: () => parts }), { n: 3 })).toEqual({ type: "ok", value: { n: 3 }, shown: parts });
  });
  it.each<readonly [string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["answers later", async () => "late"],
    ["is no part", () => [{ type: "chart" }]],
    ["is no list", () => 7],
    ["is nothing", () => undefined],
  ])("J5, J6 a rendering that %s is no failure: the model reads the result", (_title, show) => {
    expect(resultOf(declare({ show }), { n: 3 })).toEqual({ type: "ok", value: { n: 3 } });
  });
  it("a member that is missing is not shown as null: the whole result is", () =>
    expect(text({ outputsToState: { docs: { source: "x" } } }, {})).toBe("{}"));
});

it("a state of its own takes the same deltas", () => {
  const state = new State(fields, { docs: ["d1"] });
  const delta = deltaOf(declare({ outputsToState: { docs: { source: "docs" } } }), { docs: ["d2"] });
  state.set("docs", delta["docs"] as string[]);
  expect(state.get("docs")).toEqual(["d1", "d2"]);
});
