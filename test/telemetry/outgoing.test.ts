/** The trace goes on in the services that a turn calls: model servers, providers of the AI SDK, MCP servers. And it costs no commit. */
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { aiSdk } from "../../packages/throughline/src/ai.ts";
import {
  defineAgent,
  defineState,
  input,
  loop,
  openaiCompatible,
  openStore,
  scripted,
  type Model,
  type Store,
  type Tool,
} from "../../packages/throughline/src/index.ts";
import type { Declared } from "../../packages/throughline/src/extension.ts";
import { connectMcp } from "../../packages/throughline/src/mcp.ts";
import { telemetry } from "../../packages/throughline/src/telemetry.ts";
import { answers, startProvider } from "../model/provider-server.ts";
import { started } from "../runtime/harness.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { serve, stateless } from "../tools/mcp/http.ts";
import { idOf, recordSpans, traceOf, type RecordedSpans } from "./harness.ts";

/** Has one turn answered, with telemetry. */
async function answered(model: Model, tools: readonly Tool[] = []): Promise<RecordedSpans> {
  const spans = recordSpans();
  onTestFinished(() => spans.end());
  const agent = defineAgent({ name: "desk", version: 1, state: defineState({ message: input(z.string()) }), reply: loop({ model, tools }) });
  const { sessions } = await started({ agents: [agent], extensions: [await telemetry()] });
  expect(await (await sessions.create({ agent: "desk" })).send("Hi")).toMatchObject({ status: "completed" });
  return spans;
}

const headerOf = (spans: RecordedSpans, name: string): string => {
  const span = spans.one(name);
  return `00-${traceOf(span)}-${idOf(span)}-01`;
};

it("a model server gets the header of the model call, unless the program sets one", async () => {
  const { baseURL, asked, host } = await startProvider(answers("Hello."));
  const spans = await answered(openaiCompatible({ baseURL, model: "m-1" }));
  expect(asked[0]?.headers["traceparent"]).toBe(headerOf(spans, "chat m-1"));
  expect(spans.one("chat").attributes).toMatchObject({ "gen_ai.provider.name": host, "gen_ai.request.model": "m-1" });
  await spans.end();
  await answered(openaiCompatible({ baseURL, model: "m-1", headers: { traceparent: "mine" } }));
  expect(asked[1]?.headers["traceparent"]).toBe("mine");
});

it("a provider of the AI SDK gets it among its headers", async () => {
  const sent: unknown[] = [];
  const model = aiSdk(
    {
      specificationVersion: "v4",
      provider: "amazon-bedrock",
      modelId: "m-2",
      doStream: async ({ headers }: { readonly headers?: unknown }) => {
        sent.push(headers);
        const parts = [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: "Hello." },
          { type: "text-end", id: "1" },
        ];
        const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
        return { stream: ReadableStream.from([...parts, { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } }]) };
      },
    } as never,
    { headers: { "x-own": "1" } },
  );
  const spans = await answered(model);
  expect(sent).toEqual([{ traceparent: headerOf(spans, "chat m-2"), "x-own": "1" }]);
  expect(spans.one("chat").attributes["gen_ai.provider.name"]).toBe("aws.bedrock");
});

it("an MCP server gets it as _meta of the call", async () => {
  const calls: unknown[] = [];
  const answer = stateless("/dev/null");
  const { url } = await serve(async (request) => {
    const text = await request.clone().text();
    if (text.includes('"tools/call"')) calls.push(JSON.parse(text));
    return answer(request);
  });
  const server = await connectMcp({ url });
  onTestFinished(() => server.close());
  const model = scripted([{ calls: [{ call_id: "1", name: "save", arguments: { note: "a" } }] }, "Saved."]);
  const spans = await answered(model, server.tools);
  expect(calls).toMatchObject([{ params: { name: "save", _meta: { traceparent: headerOf(spans, "execute_tool save") } } }]);
});

it("a turn makes as many commits as without telemetry, and reads nothing more where its message was accepted", async () => {
  const count = async (extensions: readonly Declared[]): Promise<Readonly<Record<string, number>>> => {
    const counts: Record<string, number> = { commit: 0, list: 0 };
    const store = await openStore(":memory:");
    const counting: Store = {
      ...forwarding(store),
      commit: (commit) => ((counts["commit"] = (counts["commit"] ?? 0) + 1), store.commit(commit)),
      list: (query) => ((counts["list"] = (counts["list"] ?? 0) + 1), store.list(query)),
    };
    const agent = defineAgent({
      name: "desk",
      version: 1,
      state: defineState({ message: input(z.string()) }),
      reply: loop({ model: scripted(["Hello."]) }),
    });
    const { sessions } = await started({ store: counting, agents: [agent], extensions });
    const session = await sessions.create({ agent: "desk" });
    counts["commit"] = 0;
    counts["list"] = 0;
    await session.send("Hi");
    return { ...counts };
  };
  const spans = recordSpans();
  onTestFinished(() => spans.end());
  const plain = await count([]);
  expect(plain["commit"]).toBe(3);
  expect(await count([await telemetry()])).toEqual(plain);
});
