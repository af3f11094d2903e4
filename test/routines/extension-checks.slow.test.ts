/** Routines pass the checks of the extension port: a crash at every commit, a withdrawal, an erasure and failing points. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, defineTool, input, loop, reduced, scripted } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { extensionChecks } from "../../packages/throughline/src/testing.ts";

const State = defineState({ message: input(z.string()), order: reduced(z.string().nullable(), { initial: null }), ...routineFields() });

const note = defineTool({
  name: "note",
  description: "Notes a text.",
  parameters: z.object({ text: z.string() }),
  effects: "idempotent",
  execute: ({ text }) => ({ noted: text }),
});

const talk = defineRoutine({
  id: "talk",
  title: "Talk",
  state: State,
  conditions: [{ value: "state.message", set: true }],
  nodes: {
    ask: { chat: { instructions: "Ask." }, next: "note" },
    note: { tool: { name: "note", arguments: { text: { from: "state.message" } }, result: { order: { from: "result.noted" } } }, next: "judge" },
    judge: { branch: {}, next: [{ to: "say", when: "They said more." }, { to: "end" }] },
    say: { chat: { instructions: "Say it." }, next: "end" },
  },
});

describe("the extension port", () => {
  for (const { name, run } of extensionChecks())
    it(
      name,
      async () => {
        await run({
          extension: () => routines({ routines: [talk], tools: [note] }),
          agent: (extensions) =>
            defineAgent({
              ...{ name: "shop", state: State, extensions },
              reply: loop({
                model: scripted(({ tools, messages }) =>
                  tools[0]?.name === "talk__judge__next"
                    ? { calls: [{ call_id: "1", name: tools[0].name, arguments: { choice: "1" } }] }
                    : `re:${messages.findLast(({ role }) => role === "user")?.text ?? ""}`,
                ),
              }),
            }),
          messages: ["one quagmarinth", "two", "three"],
        });
        expect(name).not.toBe("");
      },
      120_000,
    );
});
