import { scripted, type ModelPart } from "throughline";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask } from "../../packages/companion/src/dispatch/ask-model.ts";

const schema = z.object({ route: z.enum(["a", "b"]), note: z.string().max(5).catch("") });
const question = { name: "dispatch", schema, instructions: "Decide.", text: "secret words", signal: new AbortController().signal } as const;

describe("a structured call", () => {
  it("sends the schema under the name of the call, and reads the answer", async () => {
    const model = scripted(['{"route":"a","note":"x"}']);
    expect(await ask(model, question)).toEqual({ route: "a", note: "x" });
    expect(model.requests[0]).toMatchObject({
      tools: [],
      response_format: { title: "dispatch", type: "object" },
      messages: [{ role: "user", text: "secret words" }],
    });
  });
  it("reads an answer that is wrapped as code, and one whose details do not fit", async () =>
    expect(await ask(scripted(['```json\n{"route":"b","note":"far too long"}\n```']), question)).toEqual({ route: "b", note: "" }));
  it("reads an answer with words around it", async () =>
    expect(await ask(scripted(['Sure! {"route":"b"} I hope this helps.']), question)).toEqual({ route: "b", note: "" }));
  it.each([["no JSON at all: secret words"], ['{"route":"secret words"}'], [""], ["null"], ["[]"]])(
    "refuses %j without quoting it",
    async (answer) => {
      const failure = await ask(scripted([answer, answer]), question).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "model.invalid_response" });
      expect(String(failure)).not.toContain("secret");
    },
  );
  it("throws what the model throws", async () => {
    const error = new Error("gone");
    await expect(ask(scripted([{ error }]), question)).rejects.toBe(error);
  });
  it("does not wait for a model that does not heed the signal", async () => {
    const deaf = {
      name: "deaf",
      stream: async function* (): AsyncIterable<ModelPart> {
        await new Promise(() => {});
        yield { type: "text_delta", text: "" };
      },
    };
    await expect(ask(deaf, { ...question, withinMs: 20 })).rejects.toMatchObject({ name: "TimeoutError" });
    const turn = new AbortController();
    const asked = ask(deaf, { ...question, signal: turn.signal });
    turn.abort(new Error("stopped"));
    await expect(asked).rejects.toThrow("stopped");
  });
});
