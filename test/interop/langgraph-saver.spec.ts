/** What LangGraph's suite does not ask of a saver: real graphs, growth, branches, restarts, and writes that come in another order. */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Annotation, Command, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { emptyCheckpoint, uuid6, type CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { ThroughlineSaver } from "@throughline/adapters/langgraph";

const folder = mkdtempSync(join(tmpdir(), "throughline-interop-"));
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(location = ":memory:"): Promise<ThroughlineSaver> {
  const { saver, close } = await ThroughlineSaver.open(location, { durability: "relaxed" });
  closing.push(close);
  return saver;
}

const text = (content: string, length: number): string => `${content} ${"lorem ipsum ".repeat(length)}`.slice(0, length);
const echo = (saver: ThroughlineSaver) =>
  new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec, count: Annotation<number>({ reducer: (one, two) => one + two, default: () => 0 }) }))
    .addNode("answer", ({ messages }) => ({ messages: [new AIMessage({ content: text(`re ${messages.length}`, 600), id: uuid6(1) })], count: 1 }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver });
const thread = (thread_id: string) => ({ configurable: { thread_id } });
const say = (what: string) => ({ messages: [new HumanMessage({ content: text(what, 200), id: uuid6(2) })] });

async function all(tuples: AsyncIterable<CheckpointTuple>): Promise<CheckpointTuple[]> {
  return Array.fromAsync(tuples);
}

describe("a graph with our saver", () => {
  test("goes on after a restart, with messages that are messages", async () => {
    const location = join(folder, "restart.db");
    for (let turn = 0; turn < 3; turn++) {
      const { saver, close } = await ThroughlineSaver.open(location);
      const result = await echo(saver).invoke(say(`turn ${turn}`), thread("t"));
      expect(result.messages).toHaveLength((turn + 1) * 2);
      expect(result.messages.every((message) => HumanMessage.isInstance(message) || AIMessage.isInstance(message))).toBe(true);
      await close();
    }
    expect((await echo(await open(location)).getState(thread("t"))).values).toMatchObject({ count: 3 });
  });

  test("stores of a turn what it adds: no more in the hundredth than in the tenth", async () => {
    const location = join(folder, "growth.db");
    const graph = echo(await open(location));
    const sizes: number[] = [];
    for (let turn = 1; turn <= 120; turn++) {
      await graph.invoke(say(`turn ${turn}`), thread("t"));
      if (turn !== 20 && turn !== 60 && turn !== 100 && turn !== 120) continue;
      const reader = new DatabaseSync(location, { readOnly: true });
      sizes.push(Number(reader.prepare("SELECT sum(length(data)) AS bytes FROM events").get()?.["bytes"]) / turn);
      reader.close();
    }
    const [early = 0, , , late = 0] = sizes;
    expect(late / early).toBeLessThan(1.1);
    expect(late).toBeLessThan(10 * 800);
  }, 60_000);

  test("forks from an old checkpoint and leaves the other branch alone", async () => {
    const graph = echo(await open());
    for (let turn = 0; turn < 4; turn++) await graph.invoke(say(`turn ${turn}`), thread("t"));
    const history = await Array.fromAsync(graph.getStateHistory(thread("t")));
    const old = history.find(({ values, next }) => next.length === 0 && (values as { count: number }).count === 2);
    const before = (await graph.getState(thread("t"))).config;
    const forked = await graph.updateState(old?.config ?? {}, say("another way"));
    expect((await graph.getState(forked)).values).toMatchObject({ count: 2 });
    const result = await graph.invoke(say("and on"), thread("t"));
    expect(result.count).toBe(3);
    expect(result.messages).toHaveLength(4 + 1 + 2);
    expect((await graph.getState(before)).values).toMatchObject({ count: 4 });
    expect(((await graph.getState(before)).values as { messages: unknown[] }).messages).toHaveLength(8);
  });

  test("is interrupted in one process and resumed in another", async () => {
    const build = (saver: ThroughlineSaver) =>
      new StateGraph(Annotation.Root({ answer: Annotation<string> }))
        .addNode("ask", () => ({ answer: interrupt<string, string>("How are you?") }))
        .addEdge(START, "ask")
        .compile({ checkpointer: saver });
    const location = join(folder, "interrupt.db");
    const first = await build(await open(location)).invoke({}, thread("t"));
    expect(first).toMatchObject({ __interrupt__: [{ value: "How are you?" }] });
    expect(await build(await open(location)).invoke(new Command({ resume: "Fine" }), thread("t"))).toEqual({ answer: "Fine" });
  });

  test.each(["sync", "async", "exit"] as const)("keeps every turn with durability %s", async (durability) => {
    const graph = echo(await open());
    for (let turn = 0; turn < 5; turn++) await graph.invoke(say(`turn ${turn}`), { ...thread("t"), durability });
    expect((await graph.getState(thread("t"))).values).toMatchObject({ count: 5 });
  });
});

describe("the saver", () => {
  const meta = { source: "loop" as const, step: 0, parents: {} };
  const checkpoint = (values: Record<string, unknown>) => ({
    ...emptyCheckpoint(),
    id: uuid6(3),
    channel_values: values,
    channel_versions: Object.fromEntries(Object.keys(values).map((name) => [name, 1])),
  });
  const at = (checkpoint_id: string) => ({ configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id } });

  test("writes as many bytes in put 500 as in put 10, for a list that grows, and loads it in another process", async () => {
    const location = join(folder, "puts.db");
    const saver = await open(location);
    const items: string[] = [];
    let config: { configurable: Record<string, unknown> } = thread("t");
    const bytes: number[] = [];
    const reader = new DatabaseSync(location, { readOnly: true });
    const stored = reader.prepare("SELECT sum(length(data)) AS bytes FROM events");
    for (let put = 1; put <= 500; put++) {
      items.push(`${1_000 + put} ${"x".repeat(500)}`);
      const next = { ...checkpoint({ items }), channel_versions: { items: 1_000 + put } };
      const before = Number(stored.get()?.["bytes"] ?? 0);
      config = (await saver.put(config, next, meta, { items: 1_000 + put })) as typeof config;
      bytes.push(Number(stored.get()?.["bytes"]) - before);
    }
    reader.close();
    const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
    expect(median(bytes.slice(480))).toBeLessThan(median(bytes.slice(5, 25)) * 1.1);
    // Windows of the same length have as many parts of the next size class.
    const mean = (from: number): number => bytes.slice(from, from + 96).reduce((sum, one) => sum + one, 0) / 96;
    expect(mean(400)).toBeLessThan(mean(40) * 1.1);
    const other = await open(location);
    expect((await other.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ items });
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ items });
    expect((await all(other.list(thread("t"), { limit: 3 }))).map((tuple) => (tuple.checkpoint.channel_values["items"] as string[]).length)).toEqual([
      500, 499, 498,
    ]);
  }, 60_000);

  test("keeps values that are longer than an event, and a change in their middle", async () => {
    const location = join(folder, "long.db");
    const saver = await open(location);
    const long = `${'"'.repeat(700_000)}${"😀".repeat(400_000)}`;
    const first = checkpoint({ long, other: 1 });
    await saver.put(thread("t"), first, meta, { long: 1, other: 1 });
    const second = checkpoint({ long: `${long.slice(0, 600_000)}middle${long.slice(600_000)}`, other: 1 });
    await saver.put(at(first.id), second, meta, { long: 2 });
    await saver.putWrites(at(second.id), [["long", long]], "task");
    const tuple = await (await open(location)).getTuple(thread("t"));
    expect(tuple?.checkpoint.channel_values).toEqual(second.channel_values);
    expect(tuple?.pendingWrites).toEqual([["task", "long", long]]);
    expect((await (await open(location)).getTuple(at(first.id)))?.checkpoint.channel_values).toEqual(first.channel_values);
  }, 60_000);

  test("finds the newest checkpoint of two writers that did not know of each other", async () => {
    const location = join(folder, "two-writers.db");
    const [left, right] = [await open(location), await open(location)];
    const root = checkpoint({ a: "root" });
    await left.put(thread("t"), root, meta, { a: 1 });
    await right.getTuple(thread("t"));
    const [older, newer] = [checkpoint({ a: "older" }), checkpoint({ a: "newer" })];
    await left.put(at(root.id), newer, meta, { a: 2 });
    await left.putWrites(at(newer.id), [["a", "pending"]], "task");
    await right.put(at(root.id), older, meta, { a: 2 });
    for (let write = 0; write < 100; write++) await right.putWrites(at(older.id), [["a", write]], `task-${write}`);
    for (const saver of [left, right, await open(location)]) {
      const tuple = await saver.getTuple(thread("t"));
      expect(tuple?.checkpoint.channel_values).toEqual({ a: "newer" });
      expect(tuple?.pendingWrites).toEqual([["task", "a", "pending"]]);
    }
  });

  test("gives writes that came before their checkpoint", async () => {
    const saver = await open();
    const first = checkpoint({ a: 1 });
    const second = checkpoint({ a: 2 });
    await saver.put(thread("t"), first, meta, { a: 1 });
    await saver.putWrites(at(second.id), [["a", "early"]], "task");
    await saver.put(at(first.id), second, meta, { a: 2 });
    expect((await saver.getTuple(thread("t")))?.pendingWrites).toEqual([["task", "a", "early"]]);
  });

  test("keeps a task's first writes, and the last of its errors and interrupts", async () => {
    const saver = await open();
    const first = checkpoint({});
    await saver.put(thread("t"), first, meta, {});
    await saver.putWrites(
      at(first.id),
      [
        ["a", 1],
        ["__error__", "first"],
      ],
      "task",
    );
    await saver.putWrites(
      at(first.id),
      [
        ["a", 2],
        ["__error__", "second"],
      ],
      "task",
    );
    await saver.putWrites(at(first.id), [["a", 3]], "other");
    const expected = [
      ["task", "a", 1],
      ["task", "__error__", "second"],
      ["other", "a", 3],
    ];
    expect((await saver.getTuple(thread("t")))?.pendingWrites).toEqual(expected);
    expect((await saver.getTuple(at(first.id)))?.pendingWrites).toEqual(expected);
  });

  test("the newest checkpoint is the one with the greatest id, whatever came last", async () => {
    const saver = await open();
    const older = checkpoint({ a: "older" });
    const newer = checkpoint({ a: "newer" });
    await saver.put(thread("t"), newer, meta, { a: 1 });
    await saver.put(thread("t"), older, meta, { a: 1 });
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ a: "newer" });
    expect((await saver.getTuple(at(older.id)))?.checkpoint.channel_values).toEqual({ a: "older" });
  });

  test("keeps values that are not JSON, and names that look like something else", async () => {
    const saver = await open();
    const values = { bytes: new Uint8Array([0, 1, 255]), set: new Set([1, 2]), map: new Map([["a", { b: 1 }]]), "a/b~c": [undefined, null], "": 0 };
    const first = checkpoint(values);
    await saver.put(thread("t"), first, meta, Object.fromEntries(Object.keys(values).map((name) => [name, 1])));
    const read = (await saver.getTuple(thread("t")))?.checkpoint.channel_values;
    expect(read).toMatchObject({ bytes: values.bytes, set: values.set, map: values.map, "": 0 });
    const odd = { __proto__x: 1, constructor: 2 };
    await saver.put(at(first.id), checkpoint(odd), meta, { __proto__x: 1, constructor: 1 });
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual(odd);
  });

  test("lists newest first, over namespaces and threads, and not what was deleted by another", async () => {
    const location = join(folder, "list.db");
    const [saver, other] = [await open(location), await open(location)];
    const ids: string[] = [];
    for (const [thread_id, checkpoint_ns] of [
      ["a", ""],
      ["b", ""],
      ["a", "child"],
      ["a", ""],
    ]) {
      const one = checkpoint({ n: ids.length });
      ids.push(one.id);
      await saver.put({ configurable: { thread_id, checkpoint_ns } }, one, { ...meta, step: ids.length }, { n: 1 });
    }
    const listed = async (config: object, options?: object) =>
      (await all(other.list(config, options))).map((tuple) => ids.indexOf(tuple.checkpoint.id));
    expect(await listed({})).toEqual([3, 2, 1, 0]);
    expect(await listed(thread("a"))).toEqual([3, 2, 0]);
    expect(await listed({ configurable: { thread_id: "a", checkpoint_ns: "" } }, { limit: 1 })).toEqual([3]);
    expect(await listed({}, { before: { configurable: { checkpoint_id: ids[2] } } })).toEqual([1, 0]);
    expect(await listed({}, { filter: { step: 3 } })).toEqual([2]);
    await saver.deleteThread("a");
    expect(await listed({})).toEqual([1]);
    expect(await other.getTuple(thread("a"))).toBeUndefined();
    expect(await listed(thread("nobody"))).toEqual([]);
  });

  test("goes on with a thread that another process has deleted, and begun again", async () => {
    const location = join(folder, "again.db");
    const [saver, other] = [await open(location), await open(location)];
    const [first, second, third] = [checkpoint({ a: 1 }), checkpoint({ a: 2 }), checkpoint({ a: 3 })];
    await saver.put(thread("t"), first, meta, { a: 1 });
    await other.deleteThread("t");
    await saver.put(thread("t"), second, meta, { a: 1 });
    expect((await saver.getTuple(thread("t")))?.checkpoint.id).toBe(second.id);
    expect(await saver.getTuple(at(first.id))).toBeUndefined();
    await other.deleteThread("t");
    await other.put(thread("t"), third, meta, { a: 1 });
    expect((await saver.getTuple(thread("t")))?.checkpoint.id).toBe(third.id);
    await other.deleteThread("t");
    await saver.putWrites(at(third.id), [["a", 1]], "task");
    expect(await saver.getTuple(thread("t"))).toBeUndefined();
  });

  test("finds a thread that another process has begun since", async () => {
    const location = join(folder, "later.db");
    const [saver, other] = [await open(location), await open(location)];
    expect(await other.getTuple(thread("t"))).toBeUndefined();
    const first = checkpoint({ a: 1 });
    await saver.put(thread("t"), first, meta, { a: 1 });
    expect((await other.getTuple(thread("t")))?.checkpoint.id).toBe(first.id);
    await other.putWrites(at(first.id), [["a", 2]], "task");
    expect((await saver.getTuple(thread("t")))?.pendingWrites).toEqual([["task", "a", 2]]);
  });
});
