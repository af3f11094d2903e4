/** A memory that cannot be read: what a conversation does without it. */
import { describe, expect, it } from "vitest";
import { loop, scripted, type ModelRequest, type Store } from "../../../packages/throughline/src/index.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { emptyStore, gate, started } from "../harness.ts";
import { remembering, rowsOf, State } from "./harness.ts";
import { memoryControl } from "../../../packages/throughline/src/memory/turn/memory-control.ts";

type Trouble = "none" | "throws" | "hangs";

/** A store whose memories can be made unreadable. */
async function troubled() {
  const store = await emptyStore("memory");
  const trouble: { now: Trouble } = { now: "none" };
  const entries: Store["entries"] = async (...given) => {
    if (trouble.now === "throws") throw new Error("the disk says: sister Ana");
    return trouble.now === "hangs" ? new Promise(() => {}) : store.entries(...given);
  };
  const warned: unknown[] = [];
  const logger = { debug: () => {}, info: () => {}, warn: (...given: unknown[]) => void warned.push(given), error: () => {} };
  return { store: { ...store, entries }, trouble, warned, logger };
}

async function talking(more: Parameters<typeof remembering>[1] = {}) {
  const { store, trouble, warned, logger } = await troubled();
  const { agent, requests } = remembering({ readDeadlineMs: 40 }, more);
  const first = await started({ agents: [agent], store });
  await (await first.sessions.open({ agent: "friend", customer: "ada", key: "1" })).send("My sister Ana plays the cello.");
  const other = await first.sessions.open({ agent: "friend", customer: "ada", key: "2" });
  await other.send("I had porridge for breakfast.");
  await first.close();
  // Another process, which has read nothing yet.
  const runtime = await started({ agents: [agent], store, logger });
  return { runtime, session: await runtime.sessions.open({ agent: "friend", customer: "ada", key: "2" }), requests, trouble, warned };
}

describe("a memory that cannot be read", () => {
  it.each([
    ["throws", "skipped_after_read_error", "internal"],
    ["hangs", "skipped_after_read_timeout", "memory.late"],
  ] as const)("a store that %s: the turn goes on with nothing recalled, says so, and is not remembered", async (how, path, code) => {
    const { runtime, session, requests, trouble, warned } = await talking();
    trouble.now = how;
    const turn = await session.send("What does my sister Ana play?");
    expect(turn).toMatchObject({ status: "completed", reply: "ok" });
    expect(turn.diagnostics).toMatchObject({ retrieval_path: path, semantic_hits: 0, semantic_store_size: 0 });
    expect(JSON.stringify(warned)).toContain(code);
    expect(JSON.stringify(warned)).not.toContain("sister");
    expect(JSON.stringify(requests.at(-1))).not.toContain("cello");
    trouble.now = "none";
    expect((await rowsOf(runtime, "ada")).map(({ data }) => data?.["text"])).toEqual([
      "My sister Ana plays the cello.",
      "I had porridge for breakfast.",
    ]);
  });

  it("a read that never comes to its end is waited for until it is lost, and then done anew", async () => {
    const { store, trouble, logger } = await troubled();
    const { agent, requests } = remembering({ readDeadlineMs: 1_000 });
    const first = await started({ agents: [agent], store });
    await (await first.sessions.open({ agent: "friend", customer: "ada", key: "1" })).send("My sister Ana plays the cello.");
    await first.close();
    const clock = fixedClock();
    const runtime = await started({ agents: [agent], store, logger, clock, pollMs: 3_600_000, leaseMs: 6_000_000, heartbeatMs: 1_000 });
    const session = await runtime.sessions.open({ agent: "friend", customer: "ada", key: "2" });
    trouble.now = "hangs";
    const ended = new AbortController();
    const sent = session.send("What does my sister Ana play?").finally(() => ended.abort());
    while (!ended.signal.aborted) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await sent).diagnostics).toMatchObject({ retrieval_path: "skipped_after_read_timeout" });
    trouble.now = "none";
    clock.advance(31_000);
    expect((await session.send("What does my sister Ana play?")).diagnostics).toMatchObject({ semantic_hits: 1 });
    expect(JSON.stringify(requests.at(-1))).toContain("cello");
  });

  it("a model is shown the message alone then: what was forgotten of the conversation is known to the memory only", async () => {
    const { session, requests, trouble } = await talking();
    trouble.now = "throws";
    await session.send("And now?");
    expect(JSON.stringify(requests.at(-1))).not.toContain("porridge");
    trouble.now = "none";
    await session.send("And what does my sister Ana play?");
    expect(JSON.stringify(requests.at(-1))).toMatch(/And now\?.*my sister/);
    expect(JSON.stringify(requests.at(-1))).toContain("plays the cello");
  });

  it("case 10: a turn that a gate keeps out of memory needs none of it", async () => {
    const { session, trouble } = await talking();
    trouble.now = "throws";
    expect(await session.send("crisis: I cannot go on")).toMatchObject({ status: "completed", reply: "ok" });
  });

  it("a wish for privacy is not answered before it is kept: its turn waits", async () => {
    const { runtime, session, trouble } = await talking();
    trouble.now = "throws";
    await expect(session.send("Please don't save anything from this conversation.")).rejects.toMatchObject({ code: "store.unreachable" });
    expect((await session.pending()).turns).toHaveLength(1);
    expect((await session.messages()).at(-1)?.role).toBe("user");
    trouble.now = "none";
    expect(await rowsOf(runtime, "ada")).toHaveLength(2);
  });

  it("a message that is no command passes by the control of the memory; one that is fails, and does nothing", async () => {
    const requests: ModelRequest[] = [];
    const { session, trouble, runtime } = await talking({
      stages: [memoryControl({ state: State })],
      reply: loop({ model: scripted((request) => (requests.push(request), "ok")) }),
    });
    trouble.now = "throws";
    expect(await session.send("I slept badly.")).toMatchObject({ status: "completed", reply: "ok" });
    expect(await session.send("yes")).toMatchObject({ status: "completed", reply: "ok" });
    const asked = requests.length;
    expect(await session.send("forget everything you know about me")).toMatchObject({ status: "failed" });
    expect(requests).toHaveLength(asked);
    trouble.now = "none";
    expect(await rowsOf(runtime, "ada")).toHaveLength(2);
  });
});

it("an extractor that never answers, and does not listen, does not hold up the end of the process", async () => {
  const asked = gate();
  const extract = async (): Promise<never> => {
    asked.open();
    return new Promise(() => {});
  };
  const { agent } = remembering({ extractor: { name: "hangs@1", extract } });
  const runtime = await started({ agents: [agent] });
  const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
  await session.send("My sister Ana plays the cello.");
  await session.endEpisode();
  const closing = runtime.closeEpisodes({ session: session.id });
  await asked.opened;
  await runtime.close({ drainMs: 0 });
  expect(await closing).toEqual([]);
});
