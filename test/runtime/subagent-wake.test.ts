/** A parent that nobody wakes, because who was to do it died before: it looks after its child by itself. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTool, loop, openStore, scripted, subagent, type Session, type Store } from "../../packages/throughline/src/index.ts";
import type { Commit } from "../../packages/throughline/src/store/port.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { collect, gate, outline, started } from "./harness.ts";
import { calling } from "./loop/harness.ts";
import { askOnce, childOf, parentState } from "./subagent-harness.ts";

const minute = 60_000;
const isWake = ({ session }: Commit): boolean => session?.wake === true && session.events === undefined;

/** A parent whose child waits for an approval, on a clock that stands still and a store that can be changed. */
async function waiting(change: (store: Store) => Partial<Store> = () => ({})) {
  const clock = fixedClock();
  const below = await openStore(":memory:", { clock });
  const commits: Commit[] = [];
  const changed = { ...forwarding(below), ...change(below) };
  const store: Store = { ...changed, commit: (commit) => (commits.push(commit), changed.commit(commit)) };
  const paid: number[] = [];
  const pay = defineTool({
    ...{ name: "pay", description: "Pays.", parameters: z.object({ euros: z.number() }), effects: "once", approval: {} },
    execute: ({ euros }) => (paid.push(euros), "paid"),
  });
  const childModel = scripted((request) => (request.messages.at(-1)?.role === "tool" ? "child: paid" : calling(["pay", { euros: 5 }])));
  const payer = childOf(childModel, { name: "payer", reply: loop({ model: childModel, tools: [pay] }) });
  const research = subagent({ agent: payer, name: "research", description: "Pays." });
  const agent = defineAgent({
    ...{ name: "desk", version: 1, state: parentState },
    reply: loop({ model: scripted(askOnce("done", "pay")), tools: [research] }),
  });
  const runtime = await started({ store, agents: [agent], clock });
  const session = await runtime.sessions.create({ agent: "desk" });
  const { offset, pending = [] } = await session.send("go");
  const child = await runtime.sessions.get(pending[0]?.child ?? "");
  return { clock, commits, store, paid, session, child, offset };
}

async function approve(session: Session): Promise<void> {
  const [call] = (await session.pending()).calls;
  const { call_id = "", arguments_hash = "", index = 0 } = call ?? {};
  await session.decide({ call_id, arguments_hash, index, decision: "approve" });
}

test("a parent whose wake is lost goes on within a minute, not when its questions are too old", async () => {
  const { clock, paid, session, child, offset, store } = await waiting((below) => ({
    commit: async (commit) => {
      if (isWake(commit)) throw new Error("The process is gone.");
      return below.commit(commit);
    },
  }));
  await approve(child);
  await expect.poll(async () => (await child.pending()).turns).toEqual([]);
  expect(paid).toEqual([5]);
  const claim = (): ReturnType<Store["claim"]> => store.claim({ kind: "session", session_id: session.id, worker: "w", lease_ms: 1000 });
  clock.advance(minute - 1);
  expect(await claim()).toBeUndefined();
  clock.advance(1);
  expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "done" });
});

test("a parent that looks and finds nothing new is parked again: one commit without events, and no more until the next look", async () => {
  const { clock, commits, session, offset } = await waiting();
  const before = outline(await collect(session));
  expect(before.filter((entry) => entry === "turn:paused")).toHaveLength(1);
  for (let look = 1; look <= 3; look += 1) {
    commits.length = 0;
    clock.advance(minute);
    await expect.poll(() => commits.length).toBe(1);
    expect(await session.outcome(offset)).toMatchObject({ status: "paused", pending: [{ name: "pay" }] });
    expect(commits.map(({ session: written }) => [written?.events, written?.park])).toEqual([[[], { turn: 1, until: clock.now() + minute }]]);
  }
  expect(outline(await collect(session))).toEqual(before);
});

test("a word that comes while a parked turn is looked at is not slept through", async () => {
  const [looked, decided] = [gate(), gate()];
  let held = false;
  const { clock, session, offset, paid } = await waiting((below) => ({
    claim: async (request) => {
      const claim = await below.claim(request);
      if (claim !== undefined && request.kind !== "renew" && claim.turn.started_offset !== undefined) held = true;
      return claim;
    },
    load: async (request) => {
      const loaded = await below.load(request);
      // The last that the turn looks at before it is parked again is its child.
      if (!held || loaded === undefined || loaded.session.agent !== "payer") return loaded;
      held = false;
      looked.open();
      await decided.opened;
      return loaded;
    },
  }));
  const [call] = (await session.pending()).calls;
  const { call_id = "", arguments_hash = "", index = 0 } = call ?? {};
  clock.advance(minute);
  await looked.opened;
  await session.decide({ call_id, arguments_hash, index, decision: "approve" });
  decided.open();
  expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "done" });
  expect(paid).toEqual([5]);
});
