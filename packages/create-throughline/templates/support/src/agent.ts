import { defineAgent, defineState, defineTool, input, loop, type Model, persona, recentMessages, reduced, scripted, stateFields } from "throughline";
import { z } from "zod";
import type { Shop } from "./shop.ts";

/** What the agent knows in a conversation. It is typed, stored, and still there after a restart. */
const Desk = defineState({
  message: input(z.string()),
  tickets: reduced(z.array(z.string()), { show: "output" }),
});

const order = z.string().describe("The number of the order, such as A-17.");

/** Tools of the desk. `effects` says what happens to a call if the process dies in the middle of it. */
const toolsOf = (shop: Shop) => [
  defineTool({
    name: "open_ticket",
    description: "Opens a ticket about a problem with an order.",
    parameters: z.object({ order, problem: z.string() }),
    state: Desk,
    outputsToState: { tickets: { source: "ticket" } },
    // After a crash it never runs again, because a second ticket would be wrong. The model is told that the result is unknown.
    effects: "once",
    execute: ({ order, problem }) => ({ ticket: shop.openTicket(order, problem) }),
    show: ({ ticket }) => `Ticket ${ticket} is open.`,
  }),
  defineTool({
    name: "refund",
    description: "Pays money back for an order.",
    parameters: z.object({ order, euros: z.number().positive() }),
    // After a crash it runs again with the same key, by which the payment service recognizes it.
    effects: "idempotent",
    // The turn pauses until a person decides, also across restarts.
    approval: true,
    execute: ({ order, euros }, { key }) => {
      shop.refund(order, euros, key);
      return `${euros} euros for order ${order} have been refunded.`;
    },
  }),
];

/** Replies without a key and without a network. It is not a language model: rules choose the calls that a model would make. */
export const offline: Model = {
  ...scripted(({ messages }) => {
    const last = messages.findLastIndex(({ role }) => role === "user");
    const said = messages[last]?.text ?? "";
    const result = messages.slice(last + 1).findLast(({ role }) => role === "tool");
    if (result !== undefined) return result.text.startsWith('{"blocked"') ? "I am sorry, that was not approved." : result.text;
    const number = /\b[A-Z]-\d+\b/.exec(said)?.[0];
    if (number === undefined) return "Which order is it about? Order numbers look like A-17.";
    if (/refund|money back/i.test(said)) return { calls: [{ call_id: "refund", name: "refund", arguments: { order: number, euros: 40 } }] };
    return { calls: [{ call_id: "ticket", name: "open_ticket", arguments: { order: number, problem: said } }] };
  }),
  name: "support rules (offline, no language model)",
};

/** The agent, with the model that replies and the shop that its tools use. */
export const support = (model: Model, shop: Shop) =>
  defineAgent({
    name: "support",
    version: 1,
    state: Desk,
    sections: [persona("You work at the support desk of a shop. You are brief."), stateFields("tickets", ["tickets"]), recentMessages],
    reply: loop({ model, tools: toolsOf(shop) }),
  });
