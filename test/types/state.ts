/** The types that a declaration infers, checked by the compiler. */
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { applyDelta } from "../../packages/throughline/src/state/apply.ts";
import {
  type DeltaOf,
  defineState,
  type InputOf,
  type OutputOf,
  type PublicOf,
  type StartOf,
  type StateOf,
} from "../../packages/throughline/src/state/define.ts";
import type { StateValues } from "../../packages/throughline/src/state/document.ts";
import { input, loaded, reduced, turn } from "../../packages/throughline/src/state/field.ts";
import type { MessageValue } from "../../packages/throughline/src/state/messages-field.ts";
import { clear, defineReducer, noChange, using } from "../../packages/throughline/src/state/reducer.ts";
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

const Row = z.object({ id: z.string(), n: z.number() });
const addDigits = defineReducer({
  name: "addDigits",
  version: 1,
  reduce: (current: number | undefined, update: string) => (current ?? 0) + update.length,
});
const Diary = defineState({
  message: input(z.string()),
  locale: input(z.string().default("en"), { show: "output" }),
  channel: input(z.enum(["web", "voice"]).optional()),
  user_name: reduced(z.string(), { show: "public", start: true }),
  notes: reduced(z.array(z.string()), { initial: [], show: "public" }),
  tags: reduced(v.array(v.string()), { reduce: appendUnique() }),
  rows: reduced(z.array(Row), { reduce: upsertBy("id"), initial: () => [] }),
  total: reduced(z.number(), { reduce: counter(), show: "output", start: true }),
  digits: reduced(z.number(), { reduce: addDigits }),
  profile: reduced(z.object({ name: z.string(), address: z.object({ city: z.string() }) }), { reduce: mergeDeep() }),
  either: reduced(z.union([z.string(), z.array(z.string())]), { reduce: replace() }),
  maybe: reduced(z.array(z.number()).nullable()),
  born: reduced(z.date(), { codec: { encode: (date) => date.toISOString(), decode: (json) => new Date(json as string) } }),
  memory: loaded(z.array(z.object({ text: z.string() }))),
  timings: turn(z.record(z.string(), z.number()), { reduce: merge(), initial: {} }),
  pair: turn(z.tuple([z.string(), z.number()])),
  anything: turn(z.any()),
});
type D = typeof Diary;
type S = StateOf<D>;
type Delta = DeltaOf<D>;

expectTypeOf<S["message"]>().toEqualTypeOf<string>();
expectTypeOf<S["locale"]>().toEqualTypeOf<string>();
expectTypeOf<S["channel"]>().toEqualTypeOf<"web" | "voice" | undefined>();
expectTypeOf<S["user_name"]>().toEqualTypeOf<string | undefined>();
expectTypeOf<S["notes"]>().toEqualTypeOf<readonly string[]>();
expectTypeOf<S["tags"]>().toEqualTypeOf<readonly string[] | undefined>();
expectTypeOf<S["rows"]>().toEqualTypeOf<readonly { readonly id: string; readonly n: number }[]>();
expectTypeOf<S["born"]>().toEqualTypeOf<Date | undefined>();
expectTypeOf<S["profile"]>().toEqualTypeOf<{ readonly name: string; readonly address: { readonly city: string } } | undefined>();
expectTypeOf<S["pair"]>().toEqualTypeOf<readonly [string, number] | undefined>();
expectTypeOf<S["messages"]>().toEqualTypeOf<readonly MessageValue[]>();
// @ts-expect-error -- a state is read only
export const assign = (state: S): void => void (state.message = "x");
// @ts-expect-error -- at every depth
export const push = (state: S): void => void (state.notes[0] = "x");
// @ts-expect-error -- an undeclared field cannot be read
export const read = (state: S): unknown => state.user_nmae;

type Value<Name extends keyof Delta> = Exclude<Delta[Name], ReturnType<typeof clear> | typeof noChange | undefined | { readonly update: unknown }>;
expectTypeOf<Value<"notes">>().toEqualTypeOf<string | readonly string[]>();
expectTypeOf<Value<"tags">>().toEqualTypeOf<string | readonly string[]>();
expectTypeOf<Value<"total">>().toEqualTypeOf<number>();
expectTypeOf<Value<"digits">>().toEqualTypeOf<string>();
expectTypeOf<Value<"either">>().toEqualTypeOf<string | readonly string[]>();
expectTypeOf<Value<"maybe">>().toEqualTypeOf<number | readonly number[] | null>();
expectTypeOf<Value<"pair">>().toEqualTypeOf<readonly [string, number]>();
expectTypeOf<Value<"born">>().toEqualTypeOf<Date>();
expectTypeOf<Value<"messages">>().toEqualTypeOf<MessageValue | readonly MessageValue[]>();

const deltas = (delta: Delta): Delta => delta;
deltas({ notes: "one", rows: { id: "a", n: 1 }, profile: { address: { city: "Oslo" } }, timings: { triage: 3 }, memory: [{ text: "x" }] });
deltas({ notes: clear(), total: noChange, tags: undefined, user_name: using(replace(), "x"), rows: using(append(), { id: "a", n: 1 }) });
// @ts-expect-error -- unknown field
deltas({ user_nmae: "x" });
// @ts-expect-error -- input fields are not written
deltas({ message: "x" });
// @ts-expect-error -- wrong element type
deltas({ notes: 42 });
// @ts-expect-error -- the update type, not the value type
deltas({ digits: 42 });
// @ts-expect-error -- a loaded field is not cleared
deltas({ memory: clear() });
// @ts-expect-error -- an override for another type of value
deltas({ user_name: using(counter(), 1) });
// @ts-expect-error -- unknown member of a merge
deltas({ profile: { nmae: "x" } });

expectTypeOf<InputOf<D>>().toEqualTypeOf<{
  readonly message: string;
  readonly locale?: string | undefined;
  readonly channel?: "web" | "voice" | undefined;
}>();
expectTypeOf<StartOf<D>>().toEqualTypeOf<{
  readonly message: string;
  readonly locale?: string | undefined;
  readonly channel?: "web" | "voice" | undefined;
  readonly user_name?: string | undefined;
  readonly total?: number | undefined;
}>();
expectTypeOf<OutputOf<D>>().toEqualTypeOf<{
  readonly locale: string;
  readonly notes: readonly string[];
  readonly user_name?: string;
  readonly total?: number;
}>();
expectTypeOf<PublicOf<D>>().toEqualTypeOf<{ readonly notes: readonly string[]; readonly user_name?: string }>();

// @ts-expect-error -- a list or something else must name its reducer
reduced(z.union([z.string(), z.array(z.string())]));
// @ts-expect-error -- also when there are other options
reduced(z.union([z.string(), z.array(z.string())]), { show: "public" });
// @ts-expect-error -- a reducer for another type of value
reduced(z.string(), { reduce: counter() });
// @ts-expect-error -- a key that the elements do not have
reduced(z.array(Row), { reduce: upsertBy("idd") });
// @ts-expect-error -- a default of another type
reduced(z.string(), { initial: 42 });
// @ts-expect-error -- input fields have no reducer
input(z.string(), { reduce: replace() });
// @ts-expect-error -- the option is spelled `reduce`
reduced(z.string(), { reducer: replace() });
// @ts-expect-error -- only reduced fields can be given when a turn begins
turn(z.string(), { start: true });
// @ts-expect-error -- not a schema
reduced("string");
// @ts-expect-error -- messages must be a list of messages
defineState({ messages: reduced(z.string()) });

reduced(z.array(z.string()), { reduce: lastN(3) });
reduced(z.array(z.string()), { reduce: union() });
reduced(z.string(), { reduce: max() });
turn(z.string(), {
  reduce: defineReducer({
    name: "dash",
    version: 1,
    reduce: (current: string | undefined, update: string) => (current === undefined ? update : `${current}-${update}`),
  }),
});

const { state, patch } = applyDelta(Diary, {} as S, { notes: "x" });
expectTypeOf(state).toEqualTypeOf<S>();
expectTypeOf(patch.durable[0]?.path).toEqualTypeOf<string | undefined>();
export const any: StateValues = state;
