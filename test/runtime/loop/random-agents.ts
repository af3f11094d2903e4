/** Random agents: tools of every kind, hooks, a budget, and what the model and the people around it say. */
import fc from "fast-check";
import { z } from "zod";
import {
  approveTools,
  defineAgent,
  defineTool,
  hook,
  loop,
  scripted,
  type Agent,
  type Hook,
  type Tool,
} from "../../../packages/throughline/src/index.ts";
import { stepsOf } from "../../../packages/throughline/src/execution.ts";
import type { ScriptedReply } from "../../../packages/throughline/src/model.ts";
import { toolState } from "./harness.ts";

export const toolKind = fc.record({
  effects: fc.constantFrom("none" as const, "idempotent" as const, "once" as const),
  uses: fc.constantFrom("nothing", "writes", "writes", "reads", "both", "takes"),
  does: fc.constantFrom("returns", "returns", "returns", "waits", "throws", "wrong", "no json", "asks"),
  approval: fc.boolean(),
});

const call = fc.record({ tool: fc.nat({ max: 5 }), fits: fc.integer({ min: 0, max: 4 }) });
const reply = fc.record({
  calls: fc.array(call, { maxLength: 4 }),
  text: fc.constantFrom("", "", "Some prose.", " \n"),
  finish: fc.constantFrom(undefined, undefined, undefined, undefined, "length" as const, "content_filter" as const, "error" as const),
  usage: fc.record({ input: fc.nat({ max: 20 }), output: fc.nat({ max: 20 }) }),
  fails: fc.integer({ min: 0, max: 9 }),
});

const hookKind = fc.record({
  does: fc.constantFrom(
    "stops",
    "stops calls",
    "blocks",
    "rewrites",
    "waives",
    "goes on",
    "saves",
    "delta",
    "withholds",
    "approval",
    "masks",
    "drops calls",
  ),
  at: fc.integer({ min: 1, max: 4 }),
  tool: fc.nat({ max: 3 }),
});

export const world = fc.record({
  tools: fc.array(toolKind, { minLength: 1, maxLength: 4 }),
  script: fc.array(reply, { minLength: 1, maxLength: 6 }),
  hooks: fc.array(hookKind, { maxLength: 3 }),
  steps: fc.integer({ min: 1, max: 7 }),
  tokens: fc.option(fc.integer({ min: 1, max: 150 }), { nil: undefined }),
  words: fc.array(fc.constantFrom("approve", "approve", "reject", "edit", "answer", "nonsense"), { minLength: 1, maxLength: 6 }),
  conflicts: fc.constantFrom("last" as const, "last" as const, "error" as const),
  finalAnswer: fc.boolean(),
});
export type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

/** A run of a tool: its call, its tool, and which try. */
export interface Ran {
  readonly key: string;
  readonly name: string;
}

const nameOf = (index: number): string => `tool_${index}`;

function toolOf(kind: World["tools"][number], index: number, ran: Ran[]): Tool {
  const { effects, uses, does, approval } = kind;
  const reads = uses === "reads" || uses === "both";
  const writes = uses === "writes" || uses === "both";
  return defineTool({
    ...{ name: nameOf(index), description: "A tool.", state: toolState, effects, approval, takesState: uses === "takes" },
    parameters: z.object({ n: z.number(), ...(reads ? { docs: z.array(z.string()).optional() } : {}) }),
    ...(reads ? { inputsFromState: { docs: "docs" } as never } : {}),
    ...(writes ? { outputsToState: { docs: { source: "docs" }, name: { source: "name" } } as never } : {}),
    execute: async (_args, context) => {
      const { key, call_id } = context;
      ran.push({ key, name: nameOf(index) });
      if (uses === "takes") (context.state as unknown as { set(name: string, value: unknown): void }).set("docs", [call_id]);
      if (does === "waits") await new Promise((resolve) => setImmediate(resolve));
      if (does === "throws") throw new Error("It is broken.");
      if (does === "no json") return { docs: new Map() };
      if (does === "asks") await context.interrupt("Which?");
      return does === "wrong" ? { docs: 5, name: {} } : { docs: [call_id], name: call_id };
    },
  });
}

function hookOf({ does, at, tool }: World["hooks"][number], index: number, count: number): Hook {
  const name = `hook_${index}`;
  const tools = [nameOf(tool % count)];
  switch (does) {
    case "stops":
      return hook(name, { beforeStep: ({ execution }) => (stepsOf(execution).length >= at ? { stop: { message: "Enough." } } : undefined) });
    case "stops calls":
      return hook(name, { tools, beforeTool: () => ({ stop: { message: "Not a single one." } }) });
    case "blocks":
      return hook(name, { tools, beforeTool: () => ({ block: "Not this one." }) });
    case "rewrites":
      return hook(name, { tools, beforeTool: () => ({ arguments: { n: at } }) });
    case "waives":
      return hook(name, {
        onStop: ({ stop, execution }) => (stepsOf(execution).length < at ? { continue: { waives: [stop.reason] } } : undefined),
      });
    case "goes on":
      return hook(name, { afterStep: ({ execution }) => (stepsOf(execution).length < at ? { continue: true } : undefined) });
    case "saves":
      return hook(name, { onError: () => (at > 2 ? { fallback: "Something else." } : { retry: true }) });
    case "delta":
      return hook(name, { state: toolState, writes: ["total"], afterTool: () => ({ delta: { total: at } }) });
    case "withholds":
      return hook(name, { beforeModel: ({ request }) => ({ request: { tools: request.tools.filter((one) => !tools.includes(one.name)) } }) });
    case "approval":
      return approveTools(tools, "May it?", { name });
    case "masks":
      return hook(name, {
        tools,
        afterTool: ({ result }) => ({ result: result.type === "ok" ? { ...result, shown: [{ type: "text", text: "***" }] } : result }),
      });
    default:
      return hook(name, {
        afterModel: ({ answer, execution }) => (stepsOf(execution).length === at ? { answer: { text: answer.text, calls: [] } } : undefined),
      });
  }
}

/** The agent of a world, what its tools did, and what its model was asked. `others`: hooks besides those of the world. */
export function agentOf(
  { tools, script, hooks, steps, tokens, conflicts, finalAnswer }: World,
  others: readonly Hook[] = [],
): {
  readonly agent: Agent;
  readonly model: ReturnType<typeof scripted>;
  readonly ran: readonly Ran[];
} {
  const ran: Ran[] = [];
  const arguments_ = [{ n: 1 }, { n: 2 }, { n: "two" }, {}, { n: 3, m: 4 }] as const;
  const played = script.map(({ calls, text, finish, usage, fails }): ScriptedReply => ({
    ...{ text, usage, ...(finish === undefined ? {} : { finish }), ...(fails === 0 ? { error: new Error("The line is dead.") } : {}) },
    calls: calls.map((one, index) => ({
      ...{ call_id: `m${index % 2}`, name: one.tool < tools.length ? nameOf(one.tool) : (["ghost", "constructor"][one.tool % 2] ?? "ghost") },
      arguments: arguments_[one.fits] as never,
    })),
  }));
  const model = scripted((_request, asked) => played[asked] ?? "The end.");
  const settings = {
    ...{ model, conflicts, finalAnswer, concurrency: 2, tools: tools.map((kind, index) => toolOf(kind, index, ran)) },
    hooks: [...hooks.map((kind, index) => hookOf(kind, index, tools.length)), ...others],
  };
  const budget = { steps, ...(tokens === undefined ? {} : { tokens }) };
  return { model, ran, agent: defineAgent({ name: "a1", version: 1, state: toolState, reply: loop(settings), budget }) };
}
