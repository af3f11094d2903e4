/** A crisis goes on while its store is away, and when it is back. */
import { expect, test } from "vitest";
import { openStore, ThroughlineError, type Store } from "../../../packages/throughline/src/index.ts";
import { knownPlans } from "../../../packages/throughline/src/safety/audit/gate-shared.ts";
import { planWith } from "../../safety/plan-with.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { started } from "../harness.ts";
import { assessments, gated } from "./harness.ts";

async function conversation() {
  const inner = await openStore(":memory:");
  const store = { down: false };
  const failing: Store = {
    ...forwarding(inner),
    load: (request) => (store.down ? Promise.reject(new ThroughlineError("store.unreachable")) : inner.load(request)),
  };
  const { sessions } = await started({ store: failing, agents: [gated({ replyBy: "static" }).agent] });
  const session = await sessions.create({ agent: "companion" });
  const say = async (text: string): Promise<string> => (await session.send(text)).reply ?? "";
  return { inner, store, session, say };
}

test("a step that was begun while there was a store goes on without one, and the place that is named then counts", async () => {
  const { store, say } = await conversation();
  await say("I want to die");
  store.down = true;
  expect(await say("yes")).toMatch(/emergency/iu);
  expect(await say("I am in Germany")).toMatch(/Thank you for telling me where you are[^]*112/u);
});

test("what was said while there was no store is answered, and holds when it is back", async () => {
  const { inner, store, session, say } = await conversation();
  store.down = true;
  await say("I want to die");
  const second = await say("no");
  expect(second).not.toMatch(/could not put together/u);
  expect(second).toMatch(/may not have been saved/u);
  store.down = false;
  await say("ok");
  expect((await assessments(inner)).at(-1)).toMatchObject({ level: 1 });
  expect((await session.state()).document).toMatchObject({ safety_plan: { highest: 2 } });
});

test("what another process has gone on with meanwhile is not taken back", async () => {
  const { inner, store, session, say } = await conversation();
  store.down = true;
  await say("We are out of hope, what's the point");
  await say("I want to die");
  store.down = false;
  const other = await (await started({ store: inner, agents: [gated({ replyBy: "static" }).agent] })).sessions.get(session.id);
  await other.send("I took all my pills");
  await say("ok");
  expect((await session.state()).document).toMatchObject({ safety_plan: { highest: 3 } });
});

test("who was never in a crisis is told that nothing was saved, and nothing else", async () => {
  const { store, say } = await conversation();
  await say("We baked bread");
  store.down = true;
  const reply = await say("and ate it");
  expect(reply).toMatch(/may not have been saved/u);
  expect(reply).not.toMatch(/\bsuicide|directories/u);
});

test("a process knows so many crises, and gives up the one that it heard of longest ago", () => {
  const plans = knownPlans();
  const plan = planWith({ highest: 2 });
  for (let at = 0; at < 1_000; at++) plans.set(`ses_${at}`, { plan, saved: true });
  plans.set("ses_0", { plan, saved: false });
  plans.set("ses_new", { plan, saved: true });
  expect(plans.get("ses_0")).toEqual({ plan, saved: false });
  expect(plans.get("ses_1")).toBeUndefined();
});
