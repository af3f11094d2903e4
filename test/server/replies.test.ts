/** The agent's replies alone: `kinds=message&source=ai_agent`. */
import { expect, it } from "vitest";
import { z } from "zod";
import { recentMessages } from "../../packages/throughline/src/context/section.ts";
import { scripted } from "../../packages/throughline/src/model/scripted.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input } from "../../packages/throughline/src/state/field.ts";
import { defineTool } from "../../packages/throughline/src/tools/define-tool.ts";
import { pageIn } from "../setup/event-reader.ts";
import { startServer } from "../setup/server.ts";

const look = defineTool({ name: "look", description: "Looks.", parameters: z.object({}), effects: "none", execute: () => "seen" });

it("has neither text on the way to a reply nor a message that only calls tools", async () => {
  const answers = [
    { text: "Let me look.", calls: [{ call_id: "c0", name: "look", arguments: {} }] },
    { calls: [{ call_id: "c1", name: "look", arguments: {} }] },
    "Here it is.",
  ];
  let step = 0;
  const agent = defineAgent({
    name: "a1",
    version: 1,
    state: defineState({ message: input(z.string()) }),
    reply: loop({ model: scripted(() => answers[step++] ?? "Done."), tools: [look] }),
    sections: [recentMessages],
  });
  const { request, runtime } = await startServer({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "a1" });
  expect((await session.send("Find it")).status).toBe("completed");
  const textsOf = async (query: string) =>
    pageIn(await request("GET", `/v1/sessions/${session.id}/events?${query}`)).items.flatMap((event) =>
      event.kind === "message" ? [event.data.parts.flatMap((part) => (part.type === "text" ? part.text : []))] : [event.kind],
    );
  expect(await textsOf("kinds=message&source=ai_agent")).toEqual([["Here it is."]]);
  expect(await textsOf("kinds=message&source=ai_agent&wait=1")).toEqual([["Here it is."]]);
  expect(await textsOf("kinds=message,tool&source=ai_agent")).toEqual(expect.arrayContaining([["Let me look."], [], ["Here it is."], "tool"]));
});
