/**
 * A friend who remembers: what is said in one conversation is found in the next, with its day, and the person says what of it stays.
 *
 *     throughline chat --agent examples/friend/agent.ts --customer ada --new
 *
 * Say something, leave with Ctrl-C, start again, and ask about it; then ask what it remembers, and to forget it. `/why` tells how it was found.
 *
 * It needs no key and no network: rules answer, in place of a language model, from the same prompt that one would be sent.
 */
import { defineAgent, defineState, input, loop, persona, recentMessages, rules, stage, withControl, type RuleInput } from "throughline";
import { memory, memoryControl, proceduralRules, recalledMemory, recallToggle, sessionMemory } from "throughline/memory";
import { z } from "zod";

const Friend = defineState({ message: input(z.string()) });

/** Comes first: what is said in danger is answered at once, and not remembered. */
const care = stage("care", { state: Friend, writes: [] }, ({ state }) =>
  /\b(?:kill|hurt|harm) myself\b|\bsuicid|\bend my life\b/iu.test(state.message)
    ? withControl({
        reply: "I am a program and cannot keep you safe. Please call your local emergency number now, or somebody you trust.",
        memory: "skip",
      })
    : undefined,
);

/** The pieces that the prompt has of the memory: each begins with the day on which it was said. */
const remembered = (asked: RuleInput): readonly string[] =>
  (asked.section("memory") ?? "").split("\n").filter((line) => /^\d{4}-\d\d-\d\d /u.test(line));

const answers = [
  (asked: RuleInput) => {
    const known = remembered(asked);
    return known.length === 0 ? undefined : `I remember:\n${known.map((line) => `- ${line}`).join("\n")}`;
  },
  ({ text }: RuleInput) => (text.trim().endsWith("?") ? "I do not remember anything about that." : "I will remember that."),
];

export const agent = defineAgent({
  name: "friend",
  version: 1,
  state: Friend,
  memory: memory(),
  stages: [care, memoryControl({ state: Friend })],
  sections: [persona("You are a friend who remembers."), recalledMemory(), sessionMemory(), proceduralRules(), recallToggle(), recentMessages],
  reply: loop({ model: rules(answers, { name: "friend rules (offline, no language model)" }) }),
});
