import { describe, expect, it } from "vitest";
import { rules, scripted } from "../../packages/throughline/src/model/scripted.ts";
import type { Model, ModelPart, ModelRequest } from "../../packages/throughline/src/model/model-port.ts";

const request = (text: string): ModelRequest => ({ sections: [{ name: "known", text: "name: Ada" }], messages: [{ role: "user", text }], tools: [] });
const ask = (model: Model, text: string, signal = new AbortController().signal): Promise<ModelPart[]> =>
  Array.fromAsync(model.stream(request(text), { signal }));
const textOf = (parts: readonly ModelPart[]): string => parts.map((part) => (part.type === "text_delta" ? part.text : "")).join("");

describe("the rules model", () => {
  const model = rules([
    ({ text }) => (/hello/i.test(text) ? "Hello there, friend." : undefined),
    (input) => `I know ${input.section("known") ?? "nothing"}.`,
  ]);
  it("says what it is", () => expect(model.name).toMatch(/no language model/));
  it("lets the first rule that answers win, and streams word by word", async () => {
    const parts = await ask(model, "hello");
    expect(parts.map((part) => part.type)).toEqual(["text_delta", "text_delta", "text_delta", "finish"]);
    expect(textOf(parts)).toBe("Hello there, friend.");
  });
  it("reads only what a language model would be sent", async () => expect(textOf(await ask(model, "what?"))).toBe("I know name: Ada."));
  it("counts usage in words", async () =>
    expect((await ask(model, "hello")).at(-1)).toMatchObject({ reason: "stop", usage: { input: 3, output: 3 } }));
  it("fails when no rule answers", () => expect(ask(rules([() => undefined]), "x")).rejects.toMatchObject({ code: "model.failed" }));
  it("stops in the middle when it is aborted", async () => {
    const stop = new AbortController();
    const slow = rules([() => "one two three"], { pace: 5 });
    const got: string[] = [];
    await expect(
      (async () => {
        for await (const part of slow.stream(request("x"), { signal: stop.signal })) {
          if (part.type === "text_delta") got.push(part.text);
          stop.abort(new Error("enough"));
        }
      })(),
    ).rejects.toThrow("enough");
    expect(got).toEqual(["one "]);
  });
});

describe("the scripted model", () => {
  it("plays a list once, keeps what it was asked, and then says that it is over", async () => {
    const model = scripted(["one", { text: ["t", "wo"], usage: { output: 2 } }]);
    expect([textOf(await ask(model, "a")), textOf(await ask(model, "b"))]).toEqual(["one", "two"]);
    expect(model.requests.map((asked) => asked.messages[0])).toEqual([request("a").messages[0], request("b").messages[0]]);
    await expect(ask(model, "c")).rejects.toMatchObject({ code: "model.script_exhausted" });
  });
  it("can fail after its text, call tools, and say why it ended", async () => {
    const call = { call_id: "1", name: "look", arguments: {} };
    expect((await ask(scripted([{ calls: [call] }]), "x")).at(-1)).toMatchObject({ reason: "tool_calls" });
    expect((await ask(scripted([{ text: "half", finish: "length" }]), "x")).at(-1)).toMatchObject({ reason: "length" });
    await expect(ask(scripted([{ text: "half", error: new Error("cut") }]), "x")).rejects.toThrow("cut");
  });
});
