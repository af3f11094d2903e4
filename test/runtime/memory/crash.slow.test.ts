/** A process is killed while it closes an episode, forgets, or makes vectors: nothing is half-written, another finishes it, and what was to go leaves no trace. */
import { copyFile, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRuntime, type Store } from "../../../packages/throughline/src/index.ts";
import type { EmbeddingProvider } from "../../../packages/throughline/src/memory.ts";
import { vectorEntryId } from "../../../packages/throughline/src/memory/entry.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { mortalStore, type Death } from "../../../packages/throughline/src/testing/mortal-store.ts";
import { newSqliteFile } from "../../setup/database.ts";
import { emptyStore, started } from "../harness.ts";
import { remembering } from "./harness.ts";
import { customer, perform, phraseExtractor, rememberingRuntime, type Deed } from "./pair/deeds.ts";
import { memoryProcess } from "./pair/process.ts";

/** `MEMORY_KILLS=all` for every statement. */
const everywhere = process.env["MEMORY_KILLS"] === "all";
const said = ["I live in townx.", "I like teax and cake.", "I hide gemstonex under the floor."];
const secret = "gemstonex";
/** Long after whoever held something has died. */
const later = () => fixedClock(Date.now() + 3_600_000);

/** What an owner's memory holds, by kind. */
async function counted(store: Store): Promise<Readonly<Record<string, number>>> {
  const { items } = await store.list({ of: "customers" });
  const rows = await store.entries({ owner_id: items[0]?.owner_id ?? ("none" as never), limit: 10_000 });
  const live = new Map(rows.map(({ entry_id, kind, data }) => [entry_id, data === null ? "removed" : kind]));
  const counts: Record<string, number> = {};
  for (const kind of live.values()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** A database with a conversation that has ended; what it leaves in memory is written, if that is wanted. */
async function talkedIn(location: string, { closed }: { readonly closed: boolean }): Promise<string> {
  const { runtime, close } = await rememberingRuntime(location);
  await runtime.customers.create({ id: customer });
  const session = await runtime.sessions.open({ agent: "friend", customer, key: "1" });
  for (const text of said) await session.send(text);
  await close();
  // One that runs turns would write it by itself.
  const idle = await rememberingRuntime(location, { work: false });
  await (await idle.runtime.sessions.get(session.id)).endEpisode();
  if (closed) await idle.runtime.closeEpisodes({ session: session.id });
  await idle.close();
  return session.id;
}

/** All bytes that a database has on disk. */
async function bytesOf(file: string): Promise<Buffer> {
  const names = (await readdir(dirname(file))).filter((name) => name.startsWith(basename(file)));
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(dirname(file), name)))));
}

/** Kills a process at a statement of what it does, on a copy of a database; whether it came so far. */
async function killedAt(file: string, death: number, deed: Deed): Promise<boolean> {
  const victim = await memoryProcess(file, { death });
  const outcome = await victim.perform(deed).then(
    () => "done",
    (error: unknown) => (error as Error).message,
  );
  expect(["done", "died"]).toContain(outcome);
  if (outcome === "done") await victim.close();
  return outcome === "died";
}

/** Each place where it may be killed, or some of them. */
async function atEach(file: string, some: readonly number[], check: (copy: string, death: number) => Promise<boolean>): Promise<number> {
  let deaths = 0;
  for (let index = 0; index < (everywhere ? 10_000 : some.length); index++) {
    const death = everywhere ? index + 1 : (some[index] ?? 1);
    const copy = `${file}-${death}.db`;
    await copyFile(file, copy);
    const died = await check(copy, death);
    if (died) deaths += 1;
    else if (everywhere) break;
  }
  return deaths;
}

const timeout = everywhere ? 600_000 : 30_000;

describe("kill -9", () => {
  test("while an episode is closed: all of it is written or nothing, and another process finishes it", { timeout }, async () => {
    const file = newSqliteFile();
    const session = await talkedIn(file, { closed: false });
    const deaths = await atEach(file, [2, 12, 24], async (copy, death) => {
      const died = await killedAt(copy, death, { type: "close", session });
      const { runtime, store, close } = await rememberingRuntime(copy, { work: false, clock: later() });
      const before = await counted(store);
      expect([undefined, 3], `killed at ${death}`).toContain(before["fact"]);
      expect(before["arc"]).toBe(before["fact"] === undefined ? undefined : 1);
      await runtime.closeEpisodes({ session });
      expect(await counted(store), `killed at ${death}`).toMatchObject({ fact: 3, arc: 1, turn: 3 });
      expect((await store.list({ of: "records", kind: "memory.closing" })).items).toEqual([]);
      expect(await runtime.closeEpisodes({ session })).toEqual([]);
      // Whoever comes next reads what was written.
      expect((await runtime.customers.memory(customer).find("townx")).map(({ kind }) => kind).toSorted()).toEqual(["arc", "fact"]);
      await close();
      return died;
    });
    expect(deaths).toBeGreaterThan(1);
  });

  test("while something is forgotten with its messages: it can be forgotten again, and is in no byte of the file", { timeout }, async () => {
    const file = newSqliteFile();
    await talkedIn(file, { closed: true });
    expect((await bytesOf(file)).includes(secret)).toBe(true);
    const deaths = await atEach(file, [2, 12, 24, 40], async (copy, death) => {
      const died = await killedAt(copy, death, { type: "forget", find: secret, messages: true });
      const { runtime, store, close } = await rememberingRuntime(copy, { work: false });
      await perform(runtime, { type: "forget", find: secret, messages: true });
      expect(await counted(store), `killed at ${death}`).toMatchObject({ fact: 2, turn: 2, arc: 1 });
      expect(await runtime.customers.memory(customer).find("teax")).not.toEqual([]);
      await close();
      expect((await bytesOf(copy)).includes(secret), `killed at ${death}`).toBe(false);
      return died;
    });
    expect(deaths).toBeGreaterThan(1);
  });
});

const letters: EmbeddingProvider = {
  ...{ id: "test:length@2", dimensions: 2, maxBatch: 2 },
  embed: async (texts) => texts.map((text) => new Float32Array([Math.cos(text.length), Math.sin(text.length)])),
};

describe("a process that dies at a commit", () => {
  const deaths: readonly Death[] = [1, 2, 3].flatMap((commit): readonly Death[] => [
    { at: "before", commit },
    { at: "after", commit },
  ]);

  test.each(deaths)("while vectors are made ($at commit $commit): the next makes what is missing, one for each", async (death) => {
    const store = await emptyStore("memory");
    const { agent } = remembering({ extractor: phraseExtractor });
    const plain = await started({ agents: [agent], store });
    const session = await plain.sessions.open({ agent: "friend", customer, key: "1" });
    for (const text of said) await session.send(text);
    await plain.close();
    const embedding = () => remembering({ extractor: phraseExtractor, embedding: letters }).agent;
    const mortal = mortalStore(store, death);
    // It is never closed: nobody closes what is dead.
    const dying = await createRuntime({ store: mortal.store, agents: [embedding()], pollMs: 20 });
    void dying.customers.memory(customer).remember({ quote: "I like fudge", object: "fudge", predicate: "LIKES" });
    await mortal.died;
    const { vector: made = 0, fact: facts = 0 } = await counted(store);
    expect(made).toBeLessThanOrEqual(4 + facts);
    const next = await started({ agents: [embedding()], store, pollMs: 20 });
    await next.customers.memory(customer).remember({ quote: "I like plums", object: "plums", predicate: "LIKES" });
    await expect.poll(async () => counted(store)).toMatchObject({ vector: 4 + facts });
    const { owner_id } = await next.customers.get(customer);
    const rows = await store.entries({ owner_id, limit: 1_000 });
    const wanted = rows.filter(({ kind }) => kind === "fact" || kind === "turn").map(({ entry_id }) => vectorEntryId(entry_id));
    expect(
      rows
        .filter(({ kind }) => kind === "vector")
        .map(({ entry_id }) => entry_id)
        .toSorted(),
    ).toEqual(wanted.toSorted());
  });
});
