import { defineAgent, defineState, input, loop, type Model, persona, recentMessages, reduced, rules, stage, stateFields } from "throughline";
import { z } from "zod";

/** What the agent knows in a conversation. It is typed, stored, and still there after a restart. */
const Chat = defineState({
  message: input(z.string()),
  name: reduced(z.string(), { show: "output" }),
});

/** Runs before each reply. What it returns becomes part of the state; undefined changes nothing. */
const introduce = stage("introduce", { state: Chat, writes: ["name"] }, ({ state }) => ({
  name: /\b(?:I'm|I am|my name is) (\w+)/i.exec(state.message)?.[1],
}));

const Known = z.object({ name: z.string().optional() });

/** Replies without a key and without a network. It is not a language model: the first rule that returns a text replies. */
export const offline: Model = rules(
  [
    (asked) => {
      const { name } = Known.parse(JSON.parse(asked.section("known") ?? "{}"));
      if (/\bmy name\?/i.test(asked.text)) return name === undefined ? "You have not told me your name." : `Your name is ${name}.`;
      return name === undefined ? "Hello. What is your name?" : `I am listening, ${name}.`;
    },
  ],
  { name: "chat rules (offline, no language model)" },
);

/** The agent, with the model that replies. */
export const chat = (model: Model) =>
  defineAgent({
    name: "chat",
    version: 1,
    state: Chat,
    stages: [introduce],
    sections: [persona("You are friendly, and you answer in one or two sentences."), stateFields("known", ["name"]), recentMessages],
    reply: loop({ model }),
  });
