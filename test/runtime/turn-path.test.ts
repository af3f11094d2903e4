/** What a turn asks of its store, and that what a process hears of its own turns is what the log says. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  append,
  defineAgent,
  defineState,
  input,
  loaded,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  turn,
  type Agent,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { counting } from "../setup/counting-store.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { emptyStore, started } from "./harness.ts";

const Fields = defineState({
  message: input(z.string()),
  count: reduced(z.number(), { show: "output" }),
  log: reduced(z.array(z.string()), { reduce: append(), show: "public" }),
  note: turn(z.string(), { show: "output" }),
  held: loaded(z.string(), { show: "output" }),
});

const pieces = scripted((_request, call) => ({ text: [`one ${call} `, "and another"] }));

function agentWith(run: (message: string) => object, model = pieces): Agent {
  const work = stage("work", { state: Fields, writes: ["count", "log", "note"] }, ({ state }) => run(state.message));
  return defineAgent({ name: "path", version: 1, state: Fields, stages: [work], reply: loop({ model }) });
}
const plain = (): Agent => agentWith((message) => ({ count: 1, log: message, note: `noted ${message}` }));

test("a plain turn on SQLite is at most 9 store calls, 40 statements and 3 commits", async () => {
  const folder = await mkdtemp(join(tmpdir(), "throughline-"));
  let statements = 0;
  const below = await openStore(join(folder, "test.db"), { onStatement: () => void (statements += 1) });
  onTestFinished(async () => {
    await below.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { store, calls } = counting(below);
  // Nothing but the turn: no poll, no renewal.
  const { sessions } = await started({ store, agents: [plain()], pollMs: 3_600_000, leaseMs: 3_600_000, heartbeatMs: 1_800_000 });
  const session = await sessions.create({ agent: "path" });
  await session.send("first");
  for (const text of ["a", "b", "c"]) {
    calls.length = 0;
    statements = 0;
    const { status } = await session.send(text);
    await expect.poll(() => calls.at(-1)).toBe("writeDraft");
    expect(status).toBe("completed");
    expect(calls).toEqual(["open", "commit", "claim", "load", "commit", "writeDraft", "writeDraft", "commit", "writeDraft"]);
    expect(statements).toBeLessThanOrEqual(40);
  }
});

describe("what a process hears of a turn that ends in it", () => {
  const failing = agentWith(() => {
    throw new Error("not today");
  });
  const silent = agentWith(
    () => ({}),
    scripted(() => " "),
  );
  const speaking = agentWith(() => ({ messages: [{ role: "assistant", text: "Let me see." }], note: "looked" }));
  test.each([
    ["a plain reply", plain()],
    ["a failed stage", failing],
    ["a blank reply", silent],
    ["a stage that says something before", speaking],
  ])("is what its log says: %s", async (_what, agent) => {
    const { sessions, store } = await started({ kind: "sqlite", agents: [agent] });
    const session = await sessions.create({ agent: "path" });
    const other = await started({ store, agents: [agent], work: false });
    const reader = await other.sessions.get(session.id);
    for (const text of ["a", "b"]) {
      const heard = await session.send(text);
      expect(heard).toEqual(await reader.outcome(heard.offset));
      expect(heard).toEqual(await reader.outcome(heard.turn_id ?? "").then((result) => ({ ...result, offset: heard.offset })));
    }
  });

  test("is what its log says also when somebody else has changed the state before the end", async () => {
    const agent = agentWith(() => ({ count: 1 }));
    const below = await emptyStore("memory");
    const before: { edit?: () => Promise<unknown> } = {};
    const store: Store = {
      ...forwarding(below),
      // The stage's change is on disk before the end, which rests on no state.
      commit: async (commit) => {
        if (commit.session?.end_turns !== undefined) await before.edit?.();
        return below.commit(commit);
      },
    };
    const { sessions } = await started({ store, agents: [agent] });
    const session = await sessions.create({ agent: "path" });
    const other = await (await started({ store: below, agents: [agent], work: false })).sessions.get(session.id);
    before.edit = () => other.edit({ count: 7 });
    const heard = await session.send("a");
    expect(heard.output).toMatchObject({ count: 7 });
    expect(heard).toEqual(await session.outcome(heard.offset));
  });

  test("messages that one turn answers each have it as their outcome", async () => {
    const { sessions } = await started({ store: await emptyStore("sqlite"), agents: [plain()] });
    const session = await sessions.create({ agent: "path" });
    const results = await Promise.all(["a", "b", "c"].map((text) => session.send(text)));
    for (const result of results) expect(result).toEqual(await session.outcome(result.offset));
  });
});
