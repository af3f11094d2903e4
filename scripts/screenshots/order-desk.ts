/** The agent of the screenshots: a desk for orders with a stage, two tools and a scripted model. It is the same in every process and every run. */
import { z } from "zod";
import { defineRoutine, routineFields, routines } from "throughline/routines";
import {
  type Agent,
  counter,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  persona,
  recentMessages,
  reduced,
  scripted,
  stage,
} from "throughline";

const state = defineState({
  message: input(z.string()),
  topic: reduced(z.enum(["delivery", "refund", "address", "other"])),
  order: reduced(z.object({ number: z.string(), status: z.string() })),
  address: reduced(z.string()),
  questions: reduced(z.number(), { reduce: counter() }),
});

const orderOf = (text: string): string | undefined => /\b\d{4}\b/.exec(text)?.[0];
const addressOf = (text: string): string | undefined => /\b\d+ [A-Z]\w+ (?:Road|Street)\b/.exec(text)?.[0];

function topicOf(text: string): "delivery" | "refund" | "address" | "other" {
  if (addressOf(text) !== undefined) return "address";
  if (/broken|refund/i.test(text)) return "refund";
  return /where|arrive/i.test(text) ? "delivery" : "other";
}

const sort = stage("sort", { state, writes: ["topic", "order", "address", "questions"] }, ({ state: { message } }) => {
  const [number, address] = [orderOf(message), addressOf(message)];
  return {
    topic: topicOf(message),
    questions: 1,
    ...(number === undefined ? {} : { order: { number, status: "delivered" } }),
    ...(address === undefined ? {} : { address }),
  };
});

const lookUp = defineTool({
  name: "look_up_order",
  description: "Reads an order.",
  parameters: z.object({ number: z.string() }),
  effects: "none",
  execute: ({ number }) => ({ number, status: "delivered", on: "2026-10-30", total: "48.00 EUR" }),
});
const refund = defineTool({
  name: "refund",
  description: "Pays an amount back.",
  parameters: z.object({ number: z.string(), amount: z.string() }),
  effects: "once",
  approval: true,
  execute: ({ amount }) => ({ paid: amount, receipt: "R-2207" }),
});

/** Creates the agent. With `pause`, the model waits for it before a piece of its text, the first of which has the index 1. */
export function orderDesk(pause: (piece: number) => Promise<void> = async () => {}): Agent {
  const model = scripted(({ messages }) => {
    const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
    let piece = 0;
    const say = (...pieces: readonly string[]) => ({ text: pieces, wait: () => pause(++piece) });
    if (messages.at(-1)?.role === "tool")
      return topicOf(text) === "refund"
        ? say("Your 48.00 EUR ", "are on their way back to you. ", "I am sorry about the lamp.")
        : say(`Order ${orderOf(text) ?? ""} was delivered `, "on Friday, 30 October.");
    const number = orderOf(text) ?? "4711";
    if (topicOf(text) === "delivery") return { calls: [{ call_id: "", name: "look_up_order", arguments: { number } }] };
    if (topicOf(text) === "refund") return { calls: [{ call_id: "", name: "refund", arguments: { number, amount: "48.00 EUR" } }] };
    if (topicOf(text) === "address") return say("I have noted your new address: ", `${addressOf(text)}. `, "Your next order ", "goes there.");
    return say("Happy to help. ", "Which order is it about?");
  });
  return defineAgent({
    name: "order-desk",
    version: 1,
    state,
    stages: [sort],
    reply: loop({ model, tools: [lookUp, refund] }),
    sections: [persona("You help customers of a lamp shop with their orders."), recentMessages({ window: 12 })],
    keepRequests: true,
  });
}

const parcelState = defineState({ message: input(z.string()), ...routineFields() });

const parcel = defineRoutine({
  id: "parcel",
  title: "Wait for a parcel to come back",
  state: parcelState,
  autonomous: { timeout_seconds: 7_200 },
  input: z.object({ order: z.string() }),
  output: z.object({ arrived: z.boolean() }),
  nodes: {
    sort: { branch: {}, next: [{ to: "arrival", when: { value: "input.order", set: true } }, { to: "emit" }] },
    arrival: { wait: { event: "parcel.arrived", seconds: 3_600 }, next: "emit", error: "end" },
    emit: { emit_output: { output: () => ({ arrived: true }) } },
  },
});

/** Creates an agent whose runs wait for parcels. */
export const warehouse = (): Agent =>
  defineAgent({
    name: "warehouse",
    version: 1,
    state: parcelState,
    extensions: [routines({ routines: [parcel] })],
    reply: loop({ model: scripted(() => "") }),
  });
