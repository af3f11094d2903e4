/** A service with an agent that pays, asks for approval and fails, for tests of actions in the inspector. */
import { z } from "zod";
import { counter, defineAgent, defineState, defineTool, input, loop, reduced, scripted, stage } from "../../packages/throughline/src/index.ts";
import { type InspectorWorld, startWorld, type WorldDatabase } from "./inspector-world.ts";

const state = defineState({
  message: input(z.string()),
  topic: reduced(z.string()),
  count: reduced(z.number(), { reduce: counter() }),
  mood: reduced(z.enum(["calm", "worried", "glad"])),
  nickname: reduced(z.string().nullable()),
  vip: reduced(z.boolean()),
  tags: reduced(z.array(z.string())),
  profile: reduced(
    z.object({
      city: z.string(),
      age: z.number().int().min(0).optional(),
      pets: z.array(z.object({ name: z.string(), kind: z.enum(["cat", "dog"]) })),
    }),
  ),
  extra: reduced(z.record(z.string(), z.number())),
});

/** What a test controls. */
export interface ActionWorld extends InspectorWorld {
  /** What the tool `pay` was called with. */
  readonly paid: readonly number[];
}

/** Starts a service. A message `pay` pays at once, `wire` waits for an approval, `book` asks a question, and `fail` fails once. */
export async function startActions(database: WorldDatabase = "SQLite"): Promise<ActionWorld> {
  const paid: number[] = [];
  let failures = 1;
  const parameters = z.object({ amount: z.number() });
  const pay = defineTool({
    ...{ name: "pay", description: "Pays.", parameters, effects: "once" },
    execute: ({ amount }) => {
      paid.push(amount);
      return `paid ${amount}`;
    },
  });
  const wire = defineTool({
    ...{ name: "wire", description: "Wires.", parameters, effects: "once", approval: true },
    execute: ({ amount }) => `wired ${amount}`,
  });
  const book = defineTool({
    ...{ name: "book", description: "Books.", parameters: z.object({ day: z.string() }), effects: "none" },
    execute: async ({ day }, { interrupt }) => `booked ${day} for ${JSON.stringify(await interrupt({ ask: "How many seats?" }))}`,
  });
  const world = await startWorld(database, (waits) => {
    const model = scripted(({ messages }) => {
      const last = messages.at(-1);
      const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
      if (last?.role === "tool") return `Result: ${last.text}`;
      if (text === "pay" || text === "wire") return { calls: [{ call_id: "", name: text, arguments: { amount: 5 } }] };
      if (text === "book") return { calls: [{ call_id: "", name: "book", arguments: { day: "Friday" } }] };
      if (text === "fail" && failures > 0) {
        failures -= 1;
        return { error: new Error("The model is away.") };
      }
      return { text: ["You said ", `${text}.`], wait: waits() };
    });
    return defineAgent({
      ...{ name: "desk", version: 1, state, keepRequests: true },
      stages: [stage("sort", { state, writes: ["topic", "count"] }, ({ state: { message } }) => ({ topic: message.slice(0, 200), count: 1 }))],
      reply: loop({ model, tools: [pay, wire, book] }),
    });
  });
  return { ...world, paid };
}
