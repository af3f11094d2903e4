/** What the compiler knows of an agent, all of it inferred from the declaration of its state. Checked by `npm run check`, never run. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  input,
  loop,
  reduced,
  scripted,
  section,
  stage,
  turn,
  variable,
  variables,
  withControl,
  type Metadata,
  type SectionContext,
  type SessionId,
  type Variables,
} from "../../packages/throughline/src/index.ts";

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

// An agent takes stages and sections of its own state.
const other = defineState({ message: input(z.string()), place: reduced(z.string()) });
defineAgent({
  name: "a",
  version: 1,
  state,
  reply,
  sections: [variables, section<{ readonly count?: number }>("count", ({ state: { count } }) => String(count))],
});
// @ts-expect-error: a stage of another state
defineAgent({ name: "a", version: 1, state, reply, stages: [stage("s", { state: other, writes: ["place"] }, () => ({ place: "x" }))] });
// @ts-expect-error: a reply is wanted
defineAgent({ name: "a", version: 1, state });

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
