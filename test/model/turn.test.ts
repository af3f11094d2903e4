/** Whole turns with adapters: what live readers see, what the log holds, and what does not leak. */
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createRuntime,
  defineAgent,
  loop,
  openaiCompatible,
  openStore,
  persona,
  type JsonObject,
  type Logger,
  type Model,
  type Session,
} from "../../packages/throughline/src/index.ts";
import { collect, echoState, outline } from "../runtime/harness.ts";
import { fastClock } from "./asking.ts";
import { choice, startProvider, type Script } from "./provider-server.ts";

const apiKey = "sk-proj-Zx81hunter2";

async function sessionWith(model: Model): Promise<{ readonly session: Session; readonly logged: readonly unknown[] }> {
  const logged: unknown[] = [];
  const note = (message: string, fields?: JsonObject): void => void logged.push([message, fields]);
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  const agent = defineAgent({
    name: "web",
    version: 1,
    state: echoState,
    sections: [persona("You are kind.")],
    reply: loop({ model }),
    apology: "Sorry.",
  });
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent], logger });
  onTestFinished(() => runtime.close({ drainMs: 0 }));
  return { session: await runtime.sessions.create({ agent: "web" }), logged };
}

const speaks: Script = async (reply) => {
  for (const text of ["Good ", "evening, ", "Ada."]) {
    reply.text(text);
    await reply.pause(20);
  }
  reply.finish("stop", {
    prompt_tokens: 20,
    completion_tokens: 9,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 4 },
  });
};

describe("a turn with a model behind a server", () => {
  it("shows the reply as it comes, and keeps what it cost", async () => {
    const provider = await startProvider(speaks);
    const { session } = await sessionWith(openaiCompatible({ baseURL: provider.baseURL, model: "m-1", apiKey }));
    const drafts: string[] = [];
    const watching = (async () => {
      for await (const item of session.live()) {
        if ("type" in item && item.type === "draft.delta") drafts.push(item.text);
        if ("kind" in item && item.kind === "turn" && item.data.type === "ended") return;
      }
    })();
    const { reply, status } = await session.send("hello");
    await watching;
    expect({ reply, status }).toEqual({ reply: "Good evening, Ada.", status: "completed" });
    expect(drafts.join("")).toBe("Good evening, Ada.");
    expect(drafts.length).toBeGreaterThan(1);
    const events = await collect(session);
    const step = events.find((event) => event.kind === "turn" && event.data.type === "step");
    const ended = events.find((event) => event.kind === "turn" && event.data.type === "ended");
    expect(step?.data).toMatchObject({ usage: { input: 12, cache_read: 8, output: 5, reasoning: 4 }, finish_reason: "stop" });
    expect(ended?.data).toMatchObject({ diagnostics: { tokens: 29 } });
    expect(provider.asked[0]?.body.messages).toEqual([
      { role: "system", content: "# persona\nYou are kind." },
      { role: "user", content: "hello" },
    ]);
    expect(JSON.stringify(events)).not.toContain(apiKey);
  });
  it.each<[string, Script, string]>([
    ["that refuses", (reply) => reply.refuse(401, { error: { message: `bad key ${apiKey}, you said: my secret` } }), "model.failed"],
    [
      "that breaks off",
      (reply) => {
        reply.text("Good ");
        reply.end();
      },
      "model.invalid_response",
    ],
    ["that filters everything", (reply) => reply.refuse(400, { error: { code: "content_filter" } }), "model.filtered"],
    [
      "that asks for a tool in the wrong way",
      (reply) => {
        reply.send(choice({ tool_calls: [{ index: 0, id: "a", function: { name: "x", arguments: "{" } }] }));
        reply.finish("tool_calls");
      },
      "model.invalid_response",
    ],
  ])("%s is answered with the apology, and nothing leaks", async (_name, script, code) => {
    const provider = await startProvider(script);
    const { session, logged } = await sessionWith(openaiCompatible({ baseURL: provider.baseURL, model: "m-1", apiKey, clock: fastClock(60) }));
    const result = await session.send("my secret");
    expect(result).toMatchObject({ status: "failed", error: { code } });
    const events = await collect(session);
    expect(outline(events)).toContain("agent:Sorry.");
    const shown = inspect([events, logged, result], { depth: 20 });
    expect(shown).not.toContain(apiKey);
    expect(shown).not.toContain("you said");
    expect(inspect([logged, result.error], { depth: 20 })).not.toContain("my secret");
  });
  it("that is stopped closes the connection", async () => {
    const provider = await startProvider((reply) => reply.text("Good "));
    const { session } = await sessionWith(openaiCompatible({ baseURL: provider.baseURL, model: "m-1" }));
    const sent = session.send("hello");
    for await (const item of session.live()) if ("type" in item && item.type === "draft.delta") break;
    await session.stop("enough");
    await provider.asked[0]?.left;
    expect(await sent).toMatchObject({ status: "stopped" });
  });
});
