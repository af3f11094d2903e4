import { expect, test } from "vitest";
import { scripted, type Store } from "../../packages/throughline/src/index.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { echoAgent, emptyStore, gate, started, until } from "./harness.ts";

test("a message that comes while a drive is about to end is answered at once, not at the next look of the poll", async () => {
  const [asked, go] = [gate(), gate()];
  let holds = false;
  const below = await emptyStore("memory");
  const store: Store = {
    ...forwarding(below),
    // The last that a drive asks which has found nothing to run.
    open: async (selector) => {
      const session = await below.open(selector);
      if (!holds) return session;
      holds = false;
      asked.open();
      await go.opened;
      return session;
    },
  };
  const runtime = await started({ store, pollMs: 3_600_000 });
  const session = await runtime.sessions.create({ agent: "a1" });
  const { offset } = await session.send("one");
  holds = true;
  const idle = session.outcome(offset);
  await asked.opened;
  await session.post("two");
  go.open();
  await idle;
  await expect.poll(async () => (await session.pending()).waiting).toEqual([]);
  expect((await session.messages()).at(-1)).toMatchObject({ text: "re:two" });
});

test("a message that joins a drive which fails at the turn before is answered all the same", async () => {
  const [ended, go] = [gate(), gate()];
  let fails = 0;
  const below = await emptyStore("memory");
  const store: Store = {
    ...forwarding(below),
    // The end of a turn is written, and neither that nor its failure can be told.
    commit: async (commit) => {
      const result = await below.commit(commit);
      if (fails === 0 || commit.session?.end_turns === undefined) return result;
      fails -= 1;
      ended.open();
      await go.opened;
      throw new TypeError("undefined is not a row");
    },
  };
  const runtime = await started({ store, pollMs: 3_600_000 });
  const session = await runtime.sessions.create({ agent: "a1" });
  await session.send("one");
  fails = 2;
  const second = session.send("two");
  await ended.opened;
  const third = session.send("three");
  await expect.poll(async () => (await session.pending()).waiting.length).toBe(1);
  go.open();
  expect(await second).toMatchObject({ status: "completed", reply: "re:two" });
  expect(await third).toMatchObject({ status: "completed", reply: "re:three" });
});

test("a stop whose answer comes late does not end the turn after the one that it stopped", async () => {
  const [written, go] = [gate(), gate()];
  let holds = false;
  const below = await emptyStore("memory");
  const store: Store = {
    ...forwarding(below),
    // The stop is in the log, and the process that asked for it hears of it late.
    commit: async (commit) => {
      const result = await below.commit(commit);
      if (!holds || commit.session?.fence !== true) return result;
      holds = false;
      written.open();
      await go.opened;
      return result;
    },
  };
  const reply = gate();
  const model = scripted((request) => {
    const text = request.messages.findLast((message) => message.role === "user")?.text ?? "";
    return { text: `re:${text}`, wait: () => (text === "one" ? new Promise(() => {}) : reply.opened) };
  });
  const runtime = await started({ store, agents: [echoAgent({ model })] });
  const session = await runtime.sessions.create({ agent: "a1" });
  await session.post("one");
  await until(() => model.requests.length === 1);
  holds = true;
  const stopping = session.stop();
  await written.opened;
  const second = session.send("two");
  // The first turn is aborted by its lease, and the session goes on to the next one.
  await until(() => model.requests.length === 2);
  go.open();
  await stopping;
  reply.open();
  const result = await second;
  expect(result).toMatchObject({ status: "completed", reply: "re:two" });
  expect(result.diagnostics).not.toHaveProperty("attempt");
  expect(model.requests).toHaveLength(2);
});
