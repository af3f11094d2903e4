/** Real graphs with our store beside our saver: what a run remembers, a run on another thread and in another process knows. */
import { Annotation, END, START, StateGraph, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ThroughlineSaver, type ThroughlineStore } from "@throughline/adapters/langgraph";

const folder = mkdtempSync(join(tmpdir(), "throughline-interop-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const Talk = Annotation.Root({ user: Annotation<string>(), fact: Annotation<string | undefined>(), known: Annotation<readonly string[]>() });

/** Remembers the fact of a run, and returns what it knows of the user. */
async function remember({ user, fact }: typeof Talk.State, { store }: LangGraphRunnableConfig): Promise<Partial<typeof Talk.State>> {
  if (store === undefined) throw new Error("The graph has no store.");
  if (fact !== undefined) await store.put(["memories", user], fact, { fact });
  const items = await store.search(["memories", user]);
  return { known: items.map(({ key }) => key) };
}

const graphOn = (checkpointer: ThroughlineSaver, store: ThroughlineStore) =>
  new StateGraph(Talk).addNode("remember", remember).addEdge(START, "remember").addEdge("remember", END).compile({ checkpointer, store });

test("threads share what they remember, users do not, and a restart keeps it", async () => {
  const location = join(folder, "memories.db");
  const first = await ThroughlineSaver.open(location);
  const graph = graphOn(first.saver, first.store);
  const thread = (thread_id: string) => ({ configurable: { thread_id } });
  await graph.invoke({ user: "ada", fact: "likes tea" }, thread("one"));
  expect((await graph.invoke({ user: "ada", fact: "has a cat" }, thread("two"))).known).toEqual(["has a cat", "likes tea"]);
  expect((await graph.invoke({ user: "bob", fact: undefined }, thread("three"))).known).toEqual([]);
  await first.close();
  const second = await ThroughlineSaver.open(location);
  const again = graphOn(second.saver, second.store);
  expect((await again.invoke({ user: "ada", fact: undefined }, thread("four"))).known).toEqual(["has a cat", "likes tea"]);
  expect((await again.getState(thread("one"))).values).toMatchObject({ known: ["likes tea"] });
  expect(await second.store.listNamespaces({ prefix: ["memories"] })).toEqual([["memories", "ada"]]);
  await second.close();
});
