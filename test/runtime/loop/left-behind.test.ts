/** Results that an attempt has put on record and not into the state: the next one does. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../packages/throughline/src/index.ts";
import { calling, conversation, toolState } from "./harness.ts";

test("a result that was there before a pause enters the state after it", async () => {
  const note = defineTool({
    ...{ name: "note", description: "Notes.", parameters: z.object({ text: z.string() }), state: toolState, effects: "once" },
    outputsToState: { docs: { source: "docs" } },
    execute: ({ text }) => ({ docs: [text] }),
  });
  const ask = defineTool({
    ...{ name: "ask", description: "Asks.", state: toolState, effects: "none", outputsToState: { docs: { source: "docs" } } },
    execute: async (_args, { interrupt }) => ({ docs: [JSON.stringify(await interrupt("Which?"))] }),
  });
  const { session } = await conversation([calling(["note", { text: "before" }], ["ask"]), "done"], { loop: { tools: [note, ask] } });
  const { offset } = await session.post("go");
  await expect.poll(async () => (await session.pending()).calls.length).toBe(1);
  const [call] = (await session.pending()).calls;
  const { call_id = "", index = 0, arguments_hash = "" } = call ?? {};
  expect((await session.messages()).at(-1)).toMatchObject({
    call_id,
    missing: true,
    text: `{"pending":{"reason":"This call has not returned yet."}}`,
  });
  await session.decide({ call_id, index, arguments_hash, decision: "answer", answer: "after" });
  expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "done" });
  expect((await session.state()).document).toEqual({ docs: ["before", JSON.stringify("after")] });
});
