/** When a message counts as one that the store has failed on, and when it does not. */
import { expect, test } from "vitest";
import { openStore, ThroughlineError, type ErrorCode, type Store } from "../../../packages/throughline/src/index.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { collect, started } from "../harness.ts";
import { assessments, gated } from "./harness.ts";

const never = new Promise<never>(() => {});

test.each<readonly [ErrorCode, boolean]>([
  ["store.unreachable", true],
  ["store.closed", true],
  ["encryption.key_missing", true],
  ["session.conflict", true],
  ["internal", true],
  ["session.not_found", false],
  ["session.idempotency_mismatch", false],
  ["input.invalid", false],
])("%s when a message is accepted: a reply %s", async (code, answered) => {
  const inner = await openStore(":memory:");
  let down = false;
  const store: Store = {
    ...forwarding(inner),
    load: (request) => (down ? Promise.reject(new ThroughlineError(code)) : inner.load(request)),
  };
  const { sessions } = await started({ store, agents: [gated().agent] });
  const session = await sessions.create({ agent: "companion" });
  down = true;
  const sent = session.send("I want to die");
  if (answered) expect(await sent).toMatchObject({ status: "failed", saved: false, reply: expect.stringMatching(/\?/u) as string });
  else await expect(sent).rejects.toMatchObject({ code });
});

test("who stops waiting hears that, not that the store has failed, and the message is answered", async () => {
  let go: () => void = () => {};
  const gone = new Promise<void>((resolve) => (go = resolve));
  const model = {
    name: "slow",
    async *stream() {
      await gone;
      yield { type: "text_delta" as const, text: "I hear you." };
      yield { type: "finish" as const, reason: "stop" as const, usage: { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 } };
    },
  };
  const { store, sessions } = await started({ agents: [gated({}, { model }).agent] });
  const session = await sessions.create({ agent: "companion" });
  const given = new AbortController();
  const sent = session.send("We baked bread", { signal: given.signal });
  await expect.poll(async () => (await session.pending()).turns.length).toBe(1);
  given.abort(new DOMException("The user has left.", "AbortError"));
  await expect(sent).rejects.toThrow("The user has left.");
  go();
  await expect.poll(async () => (await session.messages()).at(-1)?.text).toBe("I hear you.");
  expect(await assessments(store)).toMatchObject([{ level: 0 }]);
});

test("with people, an answer is read as one to what was asked before they came, and a state that does not fold keeps nothing from them", async () => {
  const inner = await openStore(":memory:");
  let corrupt = false;
  const broken = [
    { offset: 1, version: 1, bytes: 1, data: { patch: [{ op: "remove", path: "/nothing/there" }], writer: { type: "input" }, definition: 1 } },
  ];
  const store: Store = {
    ...forwarding(inner),
    load: async (request) => {
      const loaded = await inner.load(request);
      return loaded === undefined || !corrupt ? loaded : { ...loaded, patches: broken };
    },
  };
  const { sessions } = await started({ store, agents: [gated({ replyBy: "static" }).agent] });
  const session = await sessions.create({ agent: "companion" });
  await session.send("I can't go on like this, everyone would be better off without me");
  await session.setMode("manual");
  await session.post("yes");
  corrupt = true;
  await session.post("I want to die");
  corrupt = false;
  const manual = (await assessments(inner)).filter(({ action }) => action === "manual").map(({ level }) => level);
  expect(manual).toEqual([2, 2]);
  expect((await collect(session, { kinds: ["message"] })).filter(({ source }) => source === "customer")).toHaveLength(3);
});

test("a store that hangs on what nobody in danger has written is waited for half a minute, and no longer", async () => {
  const { virtualClock } = await import("../../chaos/gate/virtual-clock.ts");
  await import("../../chaos/gate/loaded.ts");
  const { openMemoryStore } = await import("../../../packages/throughline/src/store/in-memory/in-memory-store.ts");
  const timing = virtualClock();
  const inner = openMemoryStore({ clock: timing.storeClock });
  let down = false;
  const store: Store = { ...forwarding(inner), load: (request) => (down ? never : inner.load(request)) };
  const { sessions } = await started({ store, agents: [gated().agent], clock: timing.clock, work: false });
  const session = await timing.run(sessions.create({ agent: "companion" }), 60_000);
  down = true;
  const at = timing.elapsed();
  expect(await timing.run(session.send("We baked bread"), 60_000)).toMatchObject({ saved: "unknown", reply: expect.stringMatching(/\S/u) as string });
  expect(timing.elapsed() - at).toBe(30_000);
});
