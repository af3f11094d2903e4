/** The types that a tool's declaration infers, checked by the compiler. */
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input, reduced, turn } from "../../packages/throughline/src/state/field.ts";
import { counter, replace } from "../../packages/throughline/src/state/reducers.ts";
import { defineTool } from "../../packages/throughline/src/tools/define-tool.ts";
import type { Tool } from "../../packages/throughline/src/tools/tool.ts";

const Document = z.object({ title: z.string() });
const Desk = defineState({
  message: input(z.string()),
  user_name: reduced(z.string()),
  documents: reduced(z.array(Document)),
  found: reduced(z.number(), { reduce: counter() }),
  report: turn(z.object({ text: z.string() })),
});
const rest = { name: "search", description: "Searches." };

const search = defineTool({
  ...rest,
  state: Desk,
  parameters: z.object({ query: z.string(), limit: z.number().default(3), user: z.string().optional(), documents: z.array(Document).optional() }),
  inputsFromState: { user_name: "user", documents: "documents", found: "limit" },
  outputsToState: { documents: { source: "results" }, found: { source: "count", reduce: replace() } },
  overridable: ["user"],
  async execute(args, context) {
    expectTypeOf(args).toEqualTypeOf<{
      query: string;
      limit: number;
      user?: string | undefined;
      documents?: { title: string }[] | undefined;
    }>();
    expectTypeOf(context.state.documents).toEqualTypeOf<readonly { readonly title: string }[] | undefined>();
    expectTypeOf(context.state.message).toEqualTypeOf<string>();
    // @ts-expect-error -- the state is read only
    context.state.found = 1;
    return { results: [{ title: args.query }], count: 1 };
  },
  show: (value) => {
    expectTypeOf(value).toEqualTypeOf<{ results: { title: string }[]; count: number }>();
    return `${value.count} found`;
  },
});
expectTypeOf(search).toEqualTypeOf<Tool<typeof Desk>>();
expectTypeOf(defineTool({ ...rest, execute: () => 1 })).toEqualTypeOf<Tool>();

// What a whole result is written to must take it.
defineTool({ ...rest, state: Desk, outputsToState: { report: {} }, execute: () => ({ text: "x" }) });
defineTool({ ...rest, state: Desk, outputsToState: { report: { reduce: replace() }, found: { source: "n" } }, execute: () => ({ text: "x", n: 1 }) });
defineTool({ ...rest, state: Desk, outputsToState: { documents: {} }, execute: async (): Promise<{ title: string }[]> => [] });
defineTool({ ...rest, state: Desk, outputsToState: { report: {} }, execute: (): unknown => "checked when it runs" });
// @ts-expect-error -- a whole result of another type
defineTool({ ...rest, state: Desk, outputsToState: { found: {} }, execute: () => "three" });
// @ts-expect-error -- a whole result that may be left out, which counts as null
defineTool({ ...rest, state: Desk, outputsToState: { found: {} }, execute: (): number | undefined => undefined });
// @ts-expect-error -- of this result only a member fits
defineTool({ ...rest, state: Desk, outputsToState: { found: {} }, execute: () => ({ n: 1 }) });
// A valibot schema says nothing of its JSON Schema; its types are known all the same.
defineTool({ ...rest, parameters: v.object({ city: v.string() }), execute: ({ city }) => city.length });
// @ts-expect-error -- a field that the state does not have
defineTool({ ...rest, state: Desk, parameters: z.object({ user: z.string() }), inputsFromState: { user_nmae: "user" }, execute: () => 1 });
// @ts-expect-error -- a parameter that the tool does not have
defineTool({ ...rest, state: Desk, parameters: z.object({ user: z.string() }), inputsFromState: { user_name: "usr" }, execute: () => 1 });
// @ts-expect-error -- a parameter of another type
defineTool({ ...rest, state: Desk, parameters: z.object({ user: z.number() }), inputsFromState: { user_name: "user" }, execute: () => 1 });
// @ts-expect-error -- a field that cannot be written
defineTool({ ...rest, state: Desk, outputsToState: { message: {} }, execute: () => "x" });
// @ts-expect-error -- a member that the result does not have
defineTool({ ...rest, state: Desk, outputsToState: { documents: { source: "docs" } }, execute: () => ({ results: [{ title: "x" }] }) });
// @ts-expect-error -- a member of another type than the field's updates
defineTool({ ...rest, state: Desk, outputsToState: { found: { source: "results" } }, execute: () => ({ results: [{ title: "x" }] }) });
// @ts-expect-error -- a reducer for values of another type
defineTool({ ...rest, state: Desk, outputsToState: { user_name: { source: "n", reduce: counter() } }, execute: () => ({ n: 1 }) });
// @ts-expect-error -- a misspelt option of an output
defineTool({ ...rest, state: Desk, outputsToState: { found: { sorce: "n" } }, execute: () => ({ n: 1 }) });
// @ts-expect-error -- only bound parameters can be overridden, and this is none at all
defineTool({ ...rest, parameters: z.object({ a: z.string() }), overridable: ["b"], execute: () => 1 });
// @ts-expect-error -- an effect that there is not
defineTool({ ...rest, effects: "twice", execute: () => 1 });
// @ts-expect-error -- a misspelt option
defineTool({ ...rest, timeout: 3, execute: () => 1 });

// A tool that takes the state writes what the fields take.
defineTool({
  ...rest,
  state: Desk,
  takesState: true,
  execute(_args, { state }) {
    expectTypeOf(state.get("found")).toEqualTypeOf<number | undefined>();
    expectTypeOf(state.get("found", 0)).toEqualTypeOf<number>();
    state.set("found", 1);
    state.set("documents", { title: "x" });
    // @ts-expect-error -- a value of another type
    state.set("found", "one");
    // @ts-expect-error -- an input field
    state.set("message", "x");
  },
});

// A JSON Schema that is written down is read.
defineTool({
  ...rest,
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, unit: { enum: ["c", "f"] }, days: { type: "array", items: { type: "integer" } } },
    required: ["city"],
  },
  inputsFromState: { anything: "unit" },
  execute({ city, unit, days }) {
    expectTypeOf(city).toEqualTypeOf<string>();
    expectTypeOf(unit).toEqualTypeOf<"c" | "f" | undefined>();
    expectTypeOf(days).toEqualTypeOf<number[] | undefined>();
    return city;
  },
});
declare const fetched: { readonly type: "object"; readonly properties: Readonly<Record<string, { readonly type: "string" }>> };
defineTool({ ...rest, parameters: fetched, execute: (args) => expectTypeOf(args["x"]).toEqualTypeOf<unknown>() });
// @ts-expect-error -- a tool without parameters has none
defineTool({ ...rest, execute: ({ city }: { city: string }) => city });
