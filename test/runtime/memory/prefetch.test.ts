/** The vector of what was said, asked for beside the stages. */
import { describe, expect, it } from "vitest";
import { stage, withControl } from "../../../packages/throughline/src/index.ts";
import type { EmbeddingProvider } from "../../../packages/throughline/src/memory.ts";
import { started } from "../harness.ts";
import { remembering, State } from "./harness.ts";

const ana = { quote: "my sister Ana plays the cello", predicate: "KNOWS", object: { type: "Person", id: "Ana" } } as const;

interface Played {
  /** How the provider answers; at once by default. */
  readonly answer?: (signal: AbortSignal | undefined) => Promise<void>;
  readonly incognito?: boolean;
  readonly prefetch?: boolean;
  /** What the stage before recall does, with what was asked of the provider so far. */
  readonly during?: (asked: readonly string[]) => Promise<ReturnType<typeof withControl> | void> | void;
}

/** One turn; what the provider was asked for in it, when, and what the recall came to. */
async function turn({ answer = async () => {}, incognito = false, prefetch = true, during = () => {} }: Played) {
  const asked: string[] = [];
  const gaveUp: string[] = [];
  let began = false;
  const embedding: EmbeddingProvider = {
    ...{ id: "test", dimensions: 2, maxBatch: 8 },
    embed: async (texts, { signal, kind }) => {
      if (kind === "query" && began) asked.push(...texts);
      signal?.addEventListener("abort", () => gaveUp.push(...texts));
      if (kind === "query" && began) await answer(signal);
      return texts.map(() => new Float32Array([1, 0]));
    },
  };
  const triage = stage("triage", { state: State, writes: [] }, async () => (await during(asked)) ?? undefined);
  const { agent } = remembering({ embedding, prefetch, embedDeadlineMs: 50 }, { stages: [triage] });
  const runtime = await started({ agents: [agent] });
  const session = await runtime.sessions.open({ agent: "friend", customer: "ada", incognito });
  await runtime.customers.memory("ada").remember(ana);
  began = true;
  const { diagnostics, reply } = await session.send("How is my sister Ana?");
  return { asked, gaveUp, diagnostics, reply };
}

/** Until the provider was asked, or for two seconds. */
async function once(asked: readonly string[]): Promise<void> {
  for (let waited = 0; asked.length === 0 && waited < 2_000; waited += 5) await soon();
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe("prefetch", () => {
  it("asks while the stages run, once, and recall has it", async () => {
    let before: readonly string[] = [];
    const { asked, diagnostics } = await turn({
      during: async (all) => {
        await once(all);
        before = [...all];
      },
    });
    expect(before).toEqual(["How is my sister Ana?"]);
    expect(asked).toHaveLength(1);
    expect(diagnostics).toMatchObject({ retrieval_path: "hybrid_rrf", semantic_hits: 1 });
  });

  it("has time as long as the stages take, and no longer than any vector after them", async () => {
    const slow = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));
    const during = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));
    expect((await turn({ answer: slow, during })).diagnostics).toMatchObject({ retrieval_path: "hybrid_rrf" });
    expect((await turn({ answer: slow, during, prefetch: false })).diagnostics).toMatchObject({ retrieval_path: "token_recall_after_embed_timeout" });
    const never = (): Promise<void> => new Promise(() => {});
    const { diagnostics, gaveUp } = await turn({ answer: never });
    expect(diagnostics).toMatchObject({ retrieval_path: "token_recall_after_embed_timeout", semantic_hits: 1 });
    expect(gaveUp).toEqual(["How is my sister Ana?"]);
  });

  it("is given up where a stage answers by itself", async () => {
    const { reply, gaveUp, diagnostics } = await turn({
      answer: () => new Promise(() => {}),
      during: async (all) => {
        await once(all);
        return withControl({ reply: "By rules." }, {});
      },
    });
    expect([reply, gaveUp]).toEqual(["By rules.", ["How is my sister Ana?"]]);
    expect(diagnostics).not.toHaveProperty("retrieval_path");
  });

  it("that fails costs the turn its vectors, and nothing else", async () =>
    expect((await turn({ answer: () => Promise.reject(new Error("away")) })).diagnostics).toMatchObject({
      ...{ retrieval_path: "token_recall_after_embed_error", semantic_hits: 1 },
    }));

  it.each([
    ["in an incognito session", { incognito: true }],
    ["unless it is wanted", { prefetch: false, during: soon }],
  ])("asks for nothing %s before recall does", async (_, options) => {
    let before: readonly string[] = ["?"];
    await turn({
      ...options,
      during: async (all) => {
        await soon();
        before = [...all];
      },
    });
    expect(before).toEqual([]);
  });
});
