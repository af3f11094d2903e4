import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import * as v from "valibot";
import { z } from "zod";
import { defineState, isStateDefinition } from "../../packages/throughline/src/state/define.ts";
import { input, loaded, reduced, turn } from "../../packages/throughline/src/state/field.ts";
import { defineReducer } from "../../packages/throughline/src/state/reducer.ts";
import { replace } from "../../packages/throughline/src/state/reducers.ts";
import { nearest } from "../../packages/throughline/src/state/document.ts";
import { codeOf, errorOf } from "./support.ts";

describe("a definition", () => {
  it("is a frozen value that is told from others", () => {
    const definition = defineState({ name: reduced(z.string()) });
    expect([Object.isFrozen(definition), Object.isFrozen(definition.fields.name)]).toEqual([true, true]);
    expect([isStateDefinition(definition), isStateDefinition({ ...definition }), isStateDefinition(null)]).toEqual([true, false, false]);
  });

  it("takes any name but those that reach a prototype", () => {
    const names = ["tools", "step_count", "context", "état", "a/b~c", "0", "hasOwnProperty"];
    const definition = defineState(Object.fromEntries(names.map((name) => [name, reduced(z.string())])));
    expect(Object.keys(definition.fields).toSorted()).toEqual([...names, "messages"].toSorted());
    for (const name of ["", "__proto__", "constructor", "prototype"]) {
      const fields = Object.fromEntries([[name, reduced(z.string())]]);
      expect(errorOf(() => defineState(fields))).toMatchObject({ code: "state.definition_invalid", details: { field: name } });
    }
  });

  it("refuses a field that no builder made", () => {
    const real = reduced(z.string());
    expect(codeOf(() => defineState({ a: { ...real } }))).toBe("state.definition_invalid");
  });

  it("refuses a declared default that its schema refuses, saying where and why", () => {
    const error = errorOf(() => defineState({ profile: reduced(z.object({ name: z.string() }), { initial: { name: 42 } as never }) }));
    expect(error).toMatchObject({ code: "state.definition_invalid", details: { field: "profile" } });
    expect(error.message).toContain("/profile/name");
    expect(error.message).toContain("42");
    const throwing = (): never => {
      throw new Error("no default today");
    };
    expect(errorOf(() => defineState({ a: reduced(z.string(), { initial: throwing }) })).message).toContain("no default today");
    expect(codeOf(() => defineState({ a: reduced(z.date() as never, { initial: new Date(0) as never }) }))).toBe("state.definition_invalid");
  });

  it("refuses asynchronous schemas", () => {
    const late = v.pipeAsync(
      v.string(),
      v.checkAsync(() => Promise.resolve(true)),
    );
    expect(errorOf(() => defineState({ late: reduced(late as never) })).message).toContain('"late"');
    expect(codeOf(() => defineState({ late: reduced(late as never) }))).toBe("schema.async");
  });

  it("refuses two functions under one name and version", () => {
    const make = (version: number) => defineReducer({ name: "mine", version, reduce: (_current: string | undefined, update: string) => update });
    const one = make(1);
    expect(() =>
      defineState({ a: reduced(z.string(), { reduce: one }), b: reduced(z.string(), { reduce: one }), c: reduced(z.string(), { reduce: make(2) }) }),
    ).not.toThrow();
    expect(errorOf(() => defineState({ a: reduced(z.string(), { reduce: one }), b: reduced(z.string(), { reduce: make(1) }) })).message).toContain(
      '"b"',
    );
  });
});

describe("a field", () => {
  it("is internal, cannot be given at start and has its default reducer unless it says otherwise", () => {
    expect(reduced(z.string())).toMatchObject({ lifecycle: "reduced", show: "internal", start: false, reducer: { name: "replace" } });
    expect([input(z.string()).lifecycle, loaded(z.string()).lifecycle, turn(z.string()).lifecycle]).toEqual(["input", "loaded", "turn"]);
    expect([loaded(z.array(z.string())).reducer.name, turn(z.array(z.string())).reducer.name]).toEqual(["replace", "append"]);
  });

  it.each([
    ["reduced", () => reduced(z.string(), { reducer: replace() } as never)],
    ["turn", () => turn(z.string(), { reducer: replace() } as never)],
    ["input", () => input(z.string(), { reducer: replace() } as never)],
  ])("%s() says how the option `reducer` is spelled, where there is such an option", (name, declare) => {
    const { hint } = errorOf(declare);
    expect(hint?.includes("`reduce`")).toBe(name !== "input");
  });

  it.each([
    ["an unknown option", () => reduced(z.string(), { shwo: "public" } as never)],
    ["a reducer on an input", () => input(z.string(), { reduce: replace() } as never)],
    ["a reducer on a loaded field", () => loaded(z.string(), { reduce: replace() } as never)],
    ["a start on a turn field", () => turn(z.string(), { start: true } as never)],
    ["a wrong show", () => reduced(z.string(), { show: "everyone" } as never)],
    ["a start that is no boolean", () => reduced(z.string(), { start: "yes" } as never)],
    ["no codec", () => reduced(z.date(), { codec: null } as never)],
    ["a codec that cannot decode", () => reduced(z.date(), { codec: { encode: () => "" } } as never)],
    ["a codec that cannot encode", () => reduced(z.date(), { codec: { decode: () => "" } } as never)],
    ["a codec whose encode is no function", () => reduced(z.date(), { codec: { encode: "", decode: () => "" } } as never)],
    ["a codec whose decode is no function", () => reduced(z.date(), { codec: { encode: () => "", decode: "" } } as never)],
    ["options that are no object", () => reduced(z.string(), "public" as never)],
    ["no schema", () => reduced(undefined as never)],
  ])("refuses %s", (_name, declare) => {
    expect(codeOf(declare)).toBe("state.definition_invalid");
  });

  it("says which schemas there are where it gets none", () => {
    expect(errorOf(() => reduced(undefined as never)).hint).toContain("Zod");
  });
});

describe("did you mean", () => {
  it.each([
    ["usr_name", "user_name"],
    ["nmae", "name"],
    ["Notes", "notes"],
    ["q", undefined],
    ["something", undefined],
  ])("%s → %s", (name, candidate) => {
    expect(nearest(name, ["user_name", "name", "notes", "x"])).toBe(candidate);
  });
});

describe("importing the state", () => {
  it("loads neither a schema library nor anything else but Node", () => {
    const script = `
      import { registerHooks } from "node:module";
      const foreign = [];
      registerHooks({ resolve(specifier, context, next) { if (!/^(\\.|node:|file:)/.test(specifier)) foreign.push(specifier); return next(specifier, context); } });
      for (const file of ["standalone-state", "state-turn", "views", "migrate-state"]) await import(new URL(\`./packages/throughline/src/state/\${file}.ts\`, "file://" + process.cwd() + "/").href);
      console.log(JSON.stringify(foreign));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
    expect(JSON.parse(output)).toEqual([]);
  });
});
