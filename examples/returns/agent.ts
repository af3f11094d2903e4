/**
 * A shop that takes parcels back, as a routine: it asks for the order, looks it up, asks the staff about expensive ones, sends a label, waits for the parcel, and
 * refunds once.
 *
 *     const shop = session.extension(returnsRoutines);
 *     await session.send("I want to return order 1007");
 *     await shop.event("parcel.arrived", { order: "1007" });
 */
import { defineAgent, defineState, defineTool, input, loop, reduced, scripted, type Agent } from "throughline";
import { defineRoutine, routineFields, routines } from "throughline/routines";
import { z } from "zod";

/** What the routine does outside. */
export interface Shop {
  find(order: string): { readonly amount: number; readonly delivered: boolean } | undefined;
  sendLabel(order: string, key: string): void;
  refund(order: string, amount: number, key: string): void;
}

const State = defineState({
  message: input(z.string()),
  order: reduced(z.string().nullable(), { initial: null }),
  amount: reduced(z.number().nullable(), { initial: null }),
  delivered: reduced(z.boolean(), { initial: false }),
  ...routineFields(),
});

export const returns = defineRoutine({
  id: "returns",
  title: "Return a parcel",
  description: "Takes goods back and refunds them.",
  state: State,
  conditions: [({ state }) => /\breturn\b/iu.test(state.message)],
  output: z.object({ order: z.string(), refunded: z.boolean() }),
  nodes: {
    ask: {
      chat: { instructions: "Ask for the number of the order, and note it.", tools: ["note_order"] },
      next: [{ to: "find", when: { value: "state.order", set: true } }],
    },
    find: {
      tool: {
        name: "find_order",
        arguments: ({ state }) => ({ order: state.order }),
        result: { amount: { from: "result.amount" }, delivered: { from: "result.delivered" } },
      },
      next: "decide",
      error: "unknown",
    },
    decide: {
      branch: {},
      next: [
        { to: "refuse", when: { value: "state.delivered", equals: false } },
        { to: "approve", when: ({ state }) => (state.amount ?? 0) >= 50 },
        { to: "label" },
      ],
    },
    approve: {
      approve: { question: "Take this order back?", details: { order: { from: "state.order" }, amount: { from: "state.amount" } } },
      next: [{ to: "label", when: { value: "result.approved", equals: true } }, { to: "refuse" }],
    },
    label: { tool: { name: "send_label", arguments: { order: { from: "state.order" } } }, next: "parcel", error: "colleague" },
    parcel: {
      wait: { event: "parcel.arrived", seconds: 14 * 86_400 },
      next: [{ to: "late", when: { value: "result.timeout", equals: true } }, { to: "refund" }],
    },
    refund: {
      tool: { name: "refund", arguments: { order: { from: "state.order" }, amount: { from: "state.amount" } } },
      next: "emit",
      error: "colleague",
    },
    emit: { emit_output: { output: ({ state }) => ({ order: state.order, refunded: true }) }, next: "tell" },
    tell: { chat: { instructions: "Say that the money is on its way." }, next: "end" },
    late: { chat: { instructions: "Say that the parcel did not arrive in time." }, next: "end" },
    refuse: { chat: { instructions: "Say that this order cannot be returned." }, next: "end" },
    unknown: { chat: { instructions: "Say that there is no such order." }, next: "end" },
    colleague: { chat: { instructions: "Say that a colleague will check the return." }, next: "end" },
  },
});

/** Stands in for a language model, offline: it notes the number of an order, and otherwise says what it is told to. */
const model = scripted(({ messages, sections, tools }) => {
  const number = /\b\d{4}\b/u.exec(messages.findLast(({ role }) => role === "user")?.text ?? "")?.[0];
  if (number !== undefined && tools.some(({ name }) => name === "note_order"))
    return { calls: [{ call_id: "1", name: "note_order", arguments: { order: number } }] };
  return sections.find(({ name }) => name === "routine")?.text.split("\n")[1] ?? "How can I help?";
});

/** Makes the agent of a shop, and its routines, which callers pass to `session.extension`. */
export function createReturns(shop: Shop) {
  const order = z.object({ order: z.string() });
  const noteOrder = defineTool({
    ...{ name: "note_order", description: "Notes the number of the order.", parameters: order, state: State, effects: "none" },
    outputsToState: { order: { source: "order" } },
    execute: ({ order: number }) => ({ order: number }),
  });
  const findOrder = defineTool({
    ...{ name: "find_order", description: "Finds an order.", parameters: order, effects: "none" },
    execute: ({ order: number }) => {
      const found = shop.find(number);
      if (found === undefined) throw new Error("There is no such order.");
      return found;
    },
  });
  const sendLabel = defineTool({
    ...{ name: "send_label", description: "Sends a label for the parcel.", parameters: order, effects: "idempotent" },
    execute: ({ order: number }, { key }) => shop.sendLabel(number, key),
  });
  const refund = defineTool({
    ...{ name: "refund", description: "Refunds an order.", parameters: z.object({ order: z.string(), amount: z.number() }), effects: "once" },
    execute: ({ order: number, amount }, { key }) => shop.refund(number, amount, key),
  });
  const extension = routines({ routines: [returns], tools: [noteOrder, findOrder, sendLabel, refund] });
  const agent: Agent = defineAgent({
    ...{ name: "returns", state: State, extensions: [extension], onMessageWhilePaused: "wait" },
    reply: loop({ model }),
  });
  return { agent, extension };
}

const orders: Readonly<Record<string, { readonly amount: number; readonly delivered: boolean }>> = {
  1007: { amount: 120, delivered: true },
  1008: { amount: 20, delivered: true },
  1009: { amount: 20, delivered: false },
};

const demo = createReturns({ find: (order) => orders[order], sendLabel: () => {}, refund: () => {} });

export const { agent, extension: returnsRoutines } = demo;
