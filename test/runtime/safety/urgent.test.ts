/** Who is in danger waits behind nobody: not behind the turns of others, nor behind those of their own session. */
import { expect, test } from "vitest";
import type { Agent, Runtime, Session } from "../../../packages/throughline/src/index.ts";
import { emptyStore, gate, started } from "../harness.ts";
import { calm, gated } from "./harness.ts";

const imminent = "I took all my pills an hour ago, goodbye everyone";
const ideation = "I want to die";
const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 };

/** An agent whose model hangs, whatever it is told, on every message with "slow" in it, until `go`. */
function hanging(more: Parameters<typeof gated>[1] = {}) {
  const go = gate();
  const hung = gate();
  const { agent } = gated(
    { classifier: calm },
    {
      ...more,
      model: {
        name: "scripted",
        async *stream({ messages }) {
          if (messages.findLast(({ role }) => role === "user")?.text.includes("slow") === true) {
            hung.open();
            await go.opened;
          }
          yield { type: "text_delta", text: "I hear you." };
          yield { type: "finish", reason: "stop", usage };
        },
      },
    },
  );
  return { agent, hung: hung.opened, go: () => go.open() };
}

/** A process with one place, which a turn holds that hangs. */
async function full(options: Partial<Parameters<typeof started>[0]> = {}, more: Parameters<typeof gated>[1] = {}) {
  const { agent, hung, go } = hanging(more);
  const runtime = await started({ agents: [agent], concurrency: 1, pollMs: 3_600_000, ...options });
  const busy = await opened(runtime);
  await busy.post("A slow day");
  await hung;
  return { agent, runtime, go };
}

const opened = (runtime: Pick<Runtime, "sessions">): Promise<Session> => runtime.sessions.create({ agent: "companion" });
const lastOf = async (session: Session): Promise<string | undefined> => (await session.messages()).findLast(({ role }) => role === "assistant")?.text;

test.each([imminent, ideation])("with no place free, %s is answered at once, whether somebody waits for it or not", async (text) => {
  const { runtime } = await full();
  const [waiting, posting] = [await opened(runtime), await opened(runtime)];
  expect((await waiting.send(text)).status).toBe("completed");
  await posting.post(text);
  await expect.poll(() => lastOf(posting)).toBeDefined();
});

test("the others still wait for the place: an urgent turn that has ended gives none away", async () => {
  const { runtime, go } = await full();
  const [first, urgent, second] = [await opened(runtime), await opened(runtime), await opened(runtime)];
  await first.post("Hello");
  await urgent.send(imminent);
  await second.post("Hello");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([(await first.pending()).turns, (await second.pending()).turns]).toMatchObject([[{ status: "queued" }], [{ status: "queued" }]]);
  go();
  await expect.poll(async () => [await lastOf(first), await lastOf(second)]).toEqual(["I hear you.", "I hear you."]);
});

test("a session that waits for a place already is let in when its person is in danger", async () => {
  const { runtime } = await full();
  const session = await opened(runtime);
  await session.post("Hello");
  await session.post(imminent);
  await expect.poll(() => lastOf(session)).toMatch(/emergency/iu);
});

test("a process without a free place takes up an urgent turn that another has queued, and no other one", async () => {
  const store = await emptyStore("memory");
  const { agent } = await full({ store, pollMs: 20 });
  const front = await started({ store, agents: [agent], work: false });
  const [ordinary, urgent] = [await opened(front), await opened(front)];
  await ordinary.post("Hello");
  await urgent.post(imminent);
  await expect.poll(() => lastOf(urgent)).toMatch(/emergency/iu);
  expect((await ordinary.pending()).turns).toMatchObject([{ status: "queued" }]);
});

test("a session that waits for a place, and whose urgent message another process has taken, is let in by the next look", async () => {
  const store = await emptyStore("memory");
  const { agent, runtime } = await full({ store, pollMs: 20 });
  const front = await started({ store, agents: [agent], work: false });
  const session = await opened(runtime);
  await session.post("Hello");
  await (await front.sessions.get(session.id)).post(imminent);
  await expect.poll(() => lastOf(session)).toMatch(/emergency/iu);
});

test("without a gate a full process asks for no turn: there is none that is urgent", async () => {
  const asked = await claimsOfFull((agent) => ({ ...agent, extensions: [] }));
  expect(asked).toEqual([]);
});

test("with one it asks for urgent turns alone", async () => {
  const asked = await claimsOfFull((agent) => agent);
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked)).toEqual(new Set([true]));
});

/** What a full process asks the queue for: whether for urgent turns alone, for each time it looks. */
async function claimsOfFull(change: (agent: Agent) => Agent): Promise<readonly (true | undefined)[]> {
  const store = await emptyStore("memory");
  const looks: (true | undefined)[] = [];
  const { agent, hung } = hanging();
  const runtime = await started({
    store: { ...store, claim: (request) => (request.kind === "next" && looks.push(request.urgent), store.claim(request)) },
    agents: [change(agent)],
    concurrency: 1,
    pollMs: 5,
  });
  await (await opened(runtime)).post("A slow day");
  await hung;
  looks.length = 0;
  await new Promise((resolve) => setTimeout(resolve, 50));
  return looks;
}

test("a message of somebody in danger is refused by no count of those that wait", async () => {
  const store = await emptyStore("memory");
  const { agent } = gated({}, { waitingLimit: 2 });
  const runtime = await started({ store, agents: [agent], work: false });
  const session = await opened(runtime);
  for (const text of ["one", "two"]) await session.post(text);
  await expect(session.post("three")).rejects.toMatchObject({ code: "session.too_many_waiting" });
  const { turn_id } = await session.post(imminent);
  expect(turn_id).toBeDefined();
});

test("a message that supersedes an urgent turn is answered as urgently", async () => {
  const store = await emptyStore("memory");
  const { agent } = gated({}, { onNewMessage: "supersede" });
  const runtime = await started({ store, agents: [agent], work: false });
  const session = await opened(runtime);
  await session.post(imminent);
  await store.claim({ kind: "next", worker: "gone", lease_ms: 60_000 });
  await session.post("Are you there?");
  const claim = await store.claim({ kind: "next", worker: "w", lease_ms: 60_000, urgent: true });
  expect(claim?.turn).toMatchObject({ number: 2, urgent: true });
});
