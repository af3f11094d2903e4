/** What the compiler knows of a hook: what each point gets, and that it may return nothing else. Checked by `npm run check`, never run. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  approveTools,
  blockTools,
  defineState,
  hook,
  input,
  reduced,
  stopOnFinishReason,
  stopWhen,
  turn,
  type Hook,
  type ModelRequest,
  type ToolCall,
  type ToolResult,
} from "../../packages/throughline/src/index.ts";
import type { HookContext } from "../../packages/throughline/src/agent.ts";
import { remaining, stepCount } from "../../packages/throughline/src/execution.ts";

const state = defineState({ message: input(z.string()), count: reduced(z.number()), tags: reduced(z.array(z.string())), note: turn(z.string()) });

// Every point is given the typed state, the turn and the execution, and what is its own.
hook("reads", {
  state,
  writes: ["count", "tags"],
  beforeExecution: (given) => {
    expectTypeOf(given.state.count).toEqualTypeOf<number | undefined>();
    expectTypeOf(given.state.message).toEqualTypeOf<string>();
    expectTypeOf(given.execution.execution.phase).toEqualTypeOf<"running">();
    expectTypeOf(given.signal).toEqualTypeOf<AbortSignal>();
    // @ts-expect-error: state is read-only
    given.state.count = 1;
    // @ts-expect-error: there is no request yet
    return void given.request;
  },
  beforeModel: (given) => {
    expectTypeOf(given.request).toEqualTypeOf<ModelRequest>();
    return { request: { messages: [] }, delta: { count: 1 } };
  },
  beforeTool: (given) => {
    expectTypeOf(given.call).toEqualTypeOf<ToolCall>();
    return given.block === undefined ? { approval: true, arguments: {} } : undefined;
  },
  afterTool: async (given) => {
    expectTypeOf(given.result).toEqualTypeOf<ToolResult>();
    return { result: { type: "ok", value: 1 }, delta: { tags: "one" } };
  },
  afterStep: (given) => (given.step.response?.text === "" ? { continue: true } : undefined),
  onStop: (given) => (given.stop.reason === "steps_limit" ? { continue: { waives: ["steps_limit"] } } : undefined),
  onError: (given) => (given.error.retryable ? { retry: true } : { fallback: "Later." }),
  afterExecution: (given) => {
    expectTypeOf(given.execution.execution.phase).toEqualTypeOf<"done">();
    return { delta: { count: given.execution.execution.steps.length } };
  },
});
hook("stops", {
  beforeStep: ({ execution, budget }) =>
    stepCount(execution) > 2 || (remaining(budget).steps ?? 1) === 0 ? { stop: { reason: "retry_limit", message: "x" } } : undefined,
});
hook("nothing", { beforeStep: () => {}, afterStep: async () => {} });

// Literals and tuples need no `as const`.
const exact = defineState({ pair: reduced(z.tuple([z.string(), z.number()])), role: reduced(z.enum(["user", "admin"])) });
hook("literals", {
  state: exact,
  writes: ["pair", "role"],
  beforeStep: () => ({ delta: { pair: ["a", 1], role: "user" } }),
  onStop: async ({ state: { role } }) => (role === "user" ? { continue: { waives: ["steps_limit"] } } : { delta: { pair: ["b", 2] } }),
  afterTool: async ({ call }) => {
    if (call.name === "x") return { result: { type: "ok", value: 1 } };
    return { delta: { role: "admin" } };
  },
});

// @ts-expect-error: `note` is not declared
hook("undeclared", { state, writes: ["count"], beforeStep: () => ({ delta: { note: "x" } }) });
// @ts-expect-error: `note` is not declared, beside a field that is
hook("undeclared", { state, writes: ["count"], beforeStep: () => ({ delta: { count: 1, note: "x" } }) });
// @ts-expect-error: nothing is declared
hook("undeclared", { state, beforeStep: () => ({ delta: { count: 1 } }) });
// @ts-expect-error: a number is wanted
hook("wrong type", { state, writes: ["count"], beforeStep: () => ({ delta: { count: "one" } }) });
// @ts-expect-error: the state has no such field
hook("unknown", { state, writes: ["cuont"], beforeStep: () => undefined });
// @ts-expect-error: an input field cannot be written
hook("input", { state, writes: ["message"], beforeStep: () => undefined });

// What one point may return, another may not.
// @ts-expect-error: a step has no request
hook("other", { beforeStep: () => ({ request: {} }) });
// @ts-expect-error: a request cannot be blocked
hook("other", { beforeModel: () => ({ block: "no" }) });
// @ts-expect-error: beside something that it may return
hook("other", { beforeModel: () => ({ request: {}, block: "no" }) });
// @ts-expect-error: a result is there only after the call
hook("other", { beforeTool: () => ({ result: { type: "ok", value: 1 } }) });
// @ts-expect-error: a call that has run cannot be blocked
hook("other", { afterTool: () => ({ block: "no" }) });
// @ts-expect-error: an execution that has ended cannot be stopped
hook("other", { afterExecution: () => ({ stop: { message: "x" } }) });
// @ts-expect-error: going on after a stop says what it waives
hook("other", { onStop: () => ({ continue: true }) });
// @ts-expect-error: an approval is wanted or not mentioned
hook("other", { beforeTool: () => ({ approval: false }) });
// @ts-expect-error: a reason that is none
hook("other", { beforeStep: () => ({ stop: { reason: "bored", message: "x" } }) });
// @ts-expect-error: there is no such point
hook("misspelt", { beforeModle: () => undefined });

// Guards are hooks, and hooks fit in one list whatever their state.
expectTypeOf([
  blockTools(["a"], "b"),
  approveTools(["a"], ({ name }) => name),
  stopOnFinishReason(["length"]),
  stopWhen("typed", ({ state: { count } }) => (count ?? 0) > 2, { state }),
  hook("own", { state, beforeStep: () => undefined }),
]).toEqualTypeOf<Hook[]>();
// @ts-expect-error: no finish reason
stopOnFinishReason(["done"]);
// @ts-expect-error: the state has no such field
stopWhen("typed", (given) => given.state.cuont === 1, { state });

expectTypeOf<HookContext["execution"]["execution"]["phase"]>().toEqualTypeOf<"running" | "done">();
