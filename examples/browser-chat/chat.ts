/** The agent and the routes of its chat, for each of the servers next to this file. */
import { chatHandler } from "@throughline/adapters/ai-sdk";
import { createRuntime, defineAgent, defineState, defineTool, input, loop, openStore, rules } from "throughline";
import { z } from "zod";

const lookUp = defineTool({
  name: "order_status",
  description: "Looks up an order",
  parameters: z.object({ order: z.string() }),
  effects: "none",
  execute: ({ order }) => `Order ${order} is on its way.`,
});

const support = defineAgent({
  name: "support",
  version: 1,
  state: defineState({ message: input(z.string()) }),
  // A model of rules needs no key. Put a real one here.
  reply: loop({ model: rules([({ text }) => `You said: ${text}`]), tools: [lookUp] }),
});

const store = await openStore(process.env["DATABASE"] ?? "./chat.db");

/** The runtime of the chat's agent. */
export const runtime = await createRuntime({ store, agents: [support] });

/** Answers `/api/chat` and everything below it. */
export const chat = chatHandler({
  visibleTools: ["order_status"],
  async open(request, id) {
    // Replace this with your authentication: who sends the request decides which sessions it can open.
    const user = request.headers.get("x-user");
    return user === null ? undefined : { session: await runtime.sessions.open({ agent: "support", customer: user, key: id }) };
  },
});

/** Closes the runtime and its store. */
export async function close(): Promise<void> {
  await runtime.close({ drainMs: 0 });
  await store.close();
}
