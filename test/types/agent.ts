/** What the compiler knows of an agent, all of it inferred from the declaration of its state. Checked by `npm run check`, never run. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  clear,
  defineAgent,
  defineState,
  exitOn,
  input,
  loop,
  persona,
  recentMessages,
  reduced,
  replace,
  scripted,
  section,
  stage,
  stateFields,
  turn,
  using,
  variable,
  variables,
  withControl,
  type Metadata,
  type PromptPart,
  type SectionContext,
  type SessionId,
  type TypedAgent,
  type Variables,
} from "../../packages/throughline/src/index.ts";
import type { StageDelta } from "../../packages/throughline/src/agent.ts";

const state = defineState({ message: input(z.string()), count: reduced(z.number()), tags: reduced(z.array(z.string())), note: turn(z.string()) });
const reply = loop({ model: scripted([]) });

// A stage reads every field and may return the updates of the fields it declares, and nothing else.
stage("reads", { state, writes: [] }, (context) => {
  expectTypeOf(context.state.message).toEqualTypeOf<string>();
  expectTypeOf(context.state.count).toEqualTypeOf<number | undefined>();
  expectTypeOf(context.state.tags).toEqualTypeOf<readonly string[] | undefined>();
  expectTypeOf(context.context.variables).toEqualTypeOf<Variables>();
  // @ts-expect-error: state is read-only
  context.state.count = 1;
});
stage("writes", { state, writes: ["count", "tags"] }, () => ({ count: 1, tags: "one" }));
stage("writes a list", { state, writes: ["tags"] }, async () => ({ tags: ["one", "two"] }));
stage("asks", { state, writes: ["note"] }, () => withControl({ mode: "manual" }, { note: "x" }));
// @ts-expect-error: `note` is not declared
stage("undeclared", { state, writes: ["count"] }, () => ({ note: "x" }));
// @ts-expect-error: a number is wanted
stage("wrong type", { state, writes: ["count"] }, () => ({ count: "one" }));
// @ts-expect-error: the state has no such field
stage("unknown", { state, writes: ["cuont"] }, () => undefined);
// @ts-expect-error: an input field cannot be written
stage("input", { state, writes: ["message"] }, () => undefined);

// Literals, tuples and messages keep their types: they need no `as const`, also in `async` functions and in one return of several.
const exact = defineState({
  message: input(z.string()),
  pair: reduced(z.tuple([z.string(), z.number()])),
  role: reduced(z.enum(["user", "admin"])),
  notes: reduced(z.array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() }))),
});
stage("literals", { state: exact, writes: ["pair", "role", "notes"] }, ({ state: { pair } }) => {
  if (pair === undefined) return { pair: ["a", 1] };
  if (pair[1] > 1) return;
  return { role: "user", notes: { role: "user", text: "x" } };
});
stage("later", { state: exact, writes: ["pair", "role", "notes"] }, async ({ state: { pair } }) => {
  if (pair === undefined) return { pair: ["a", 1] };
  if (pair[1] > 1) return withControl({ mode: "manual" }, { role: "admin" });
  if (pair[1] < 0) return withControl({ mode: "manual" });
  return { role: "user", notes: [{ role: "assistant", text: "x" }] };
});
stage("clears", { state: exact, writes: ["role", "notes"] }, () => ({ role: clear(), notes: using(replace(), []) }));
const given: StageDelta<typeof exact, "role"> = { role: "user" };
stage("given", { state: exact, writes: ["role"] }, () => given);
loop({ state: exact, model: ({ role }) => scripted([role === "admin" ? "x" : "y"]) });
exitOn.when((_step, _calls, { pair }) => pair?.[1] === 1, { state: exact });

// An agent takes stages and sections of its own state.
const other = defineState({ message: input(z.string()), place: reduced(z.string()) });
defineAgent({
  name: "a",
  version: 1,
  state,
  reply,
  sections: [variables, section<{ readonly count?: number }>("count", ({ state: { count } }) => String(count))],
});
// A section reads fields that the state has. With `state` the compiler knows them; without, it knows those that are named.
section(
  "count",
  (context) => {
    expectTypeOf(context.state.count).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: the state has no such field
    return String(context.state.cuont);
  },
  { state },
);
declare const parts: readonly PromptPart[];
const known = section("tags", ({ state: { tags } }) => tags?.join(", "), { state });
defineAgent({
  name: "a",
  version: 1,
  state,
  reply,
  sections: [known, persona("x"), stateFields("x", ["count"]), recentMessages, recentMessages({})],
});
defineAgent({ name: "a", version: 1, state, reply, sections: [...parts, variables] });
// @ts-expect-error: the state has no such field
defineAgent({ name: "a", version: 1, state, reply, sections: [persona("x"), stateFields("x", ["count", "cuont"])] });
// @ts-expect-error: the state has no such field
defineAgent({ name: "a", version: 1, state, reply, sections: [recentMessages({ summary: "cuont" })] });
// @ts-expect-error: a field of another type
defineAgent({ name: "a", version: 1, state, reply, sections: [section<{ readonly count?: string }>("x", (given) => given.state.count)] });
// @ts-expect-error: a section of another state
defineAgent({ name: "a", version: 1, state: other, reply, sections: [section("x", (given) => String(given.state.count), { state })] });
// A variant takes what an agent takes, but another state.
const agent = defineAgent({ name: "a", version: 1, state, reply });
expectTypeOf(agent.with({ budget: { steps: 3 } })).toEqualTypeOf<typeof agent>();
expectTypeOf(agent.with({ name: "b" })).toEqualTypeOf<TypedAgent<typeof state, "b">>();
// @ts-expect-error: an unknown option
agent.with({ budgets: { steps: 3 } });
// @ts-expect-error: another state
agent.with({ state });
// @ts-expect-error: a stage of another state
defineAgent({ name: "a", version: 1, state, reply, stages: [stage("s", { state: other, writes: ["place"] }, () => ({ place: "x" }))] });
// @ts-expect-error: a reply is wanted
defineAgent({ name: "a", version: 1, state });

// An agent needs a name and a model. Without a state it has the conversation alone.
const model = scripted(["x"]);
expectTypeOf(defineAgent({ name: "a", model }).name).toEqualTypeOf<"a">();
expectTypeOf(defineAgent({ name: "a", model }).state.fields).toHaveProperty("messages");
expectTypeOf(defineAgent({ name: "a", model, state })).toEqualTypeOf<typeof agent>();
// @ts-expect-error: a model or a reply is wanted
defineAgent({ name: "a" });
// @ts-expect-error: the state, which has the conversation alone, has no such field
defineAgent({ name: "a", model, sections: [stateFields("x", ["count"])] });

// Metadata and variables cannot be taken for each other, and no section can be given metadata.
expectTypeOf<Metadata>().not.toExtend<Variables>();
expectTypeOf<Variables>().not.toExtend<Metadata>();
declare const metadata: Metadata;
// @ts-expect-error: metadata is not what a section reads
const _context: SectionContext = { state: {}, variables: metadata };

// A variable's refresh function is told whose it is, and nothing of the integration's; an agent's own is told of nobody.
variable("orders", {
  refresh: (context) => {
    expectTypeOf(context.customer).toEqualTypeOf<{ readonly id: string; readonly name?: string } | undefined>();
    expectTypeOf(context.session_id).toEqualTypeOf<SessionId>();
    // @ts-expect-error: metadata is not among it
    return context.metadata as null;
  },
});
variable("motto", {
  scope: "agent",
  refresh: ({ customer, session_id }) => {
    expectTypeOf(customer).toEqualTypeOf<undefined>();
    expectTypeOf(session_id).toEqualTypeOf<undefined>();
    return "be kind";
  },
});
// @ts-expect-error: a date is no JSON
variable("since", { refresh: () => new Date(0) });
// @ts-expect-error: there is no such scope
variable("since", { scope: "global", refresh: () => 1 });
// @ts-expect-error: an age or a cron expression, not both
variable("since", { refresh: () => 1, fresh: { maxAgeMs: 1, cron: "* * * * *" } });
