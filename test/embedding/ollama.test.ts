import { describe, expect, it, onTestFinished } from "vitest";
import { ollamaEmbedding } from "../../packages/throughline/src/memory.ts";
import { embeddingChecks, embeddingFaults } from "../../packages/throughline/src/testing.ts";
import { startEmbeddingServer, type Wire } from "./embedding-server.ts";

const wire: Wire = { dimensions: 64, answer: (embeddings, { body }) => ({ model: body["model"], embeddings, total_duration: 1 }) };
const model = { model: "nomic-embed-text", dimensions: 64 };

describe("embeddings of Ollama", () => {
  it.each(embeddingChecks().map(({ name, run }) => [name, run] as const))("%s", (_name, run) =>
    run(async () => {
      const server = await startEmbeddingServer(wire);
      return {
        open: (limits) => ollamaEmbedding({ ...model, ...limits, baseURL: server.origin, apiKey: "sk-Zx81hunter2", retries: 0 }),
        misbehave: server.misbehave,
        faults: embeddingFaults,
        sent: () => server.asked.map(({ body }) => body.input.length),
        secret: "sk-Zx81hunter2",
        close: server.close,
      };
    }),
  );
  it("are asked for by the server's own path, cut to what the model reads", async () => {
    const server = await startEmbeddingServer(wire);
    onTestFinished(() => server.close());
    await ollamaEmbedding({ ...model, baseURL: server.origin, keepAlive: "30m", shorten: true, parameters: { num_ctx: 512 } }).embed(["one"], {
      kind: "query",
    });
    expect(server.asked[0]?.path).toBe("/api/embed");
    expect(server.asked[0]?.body).toEqual({
      model: "nomic-embed-text",
      input: ["one"],
      truncate: true,
      dimensions: 64,
      keep_alive: "30m",
      options: { num_ctx: 512 },
    });
  });
  it("have an id that is not that of the same name elsewhere", () => expect(ollamaEmbedding(model).id).toBe("ollama:nomic-embed-text@64"));
});
