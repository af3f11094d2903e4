/** A crisis, and what people do to its conversation: take words back, fork, erase. */
import { expect, test } from "vitest";
import type { CrisisPlan } from "../../../packages/throughline/src/safety.ts";
import type { Session } from "../../../packages/throughline/src/index.ts";
import { started } from "../harness.ts";
import { assessments, gated } from "./harness.ts";

const ideation = "I want to die";

const planOf = async (session: Session): Promise<CrisisPlan | undefined> =>
  ((await session.state()).document as { readonly safety_plan?: CrisisPlan }).safety_plan;

test("who takes back that they want to die is still asked about it, as if nothing had been asked or given", async () => {
  const { agent } = gated({ replyBy: "static" });
  const { store, sessions } = await started({ agents: [agent] });
  const session = await sessions.create({ agent: "companion" });
  await session.send("We baked bread");
  const { offset, reply: first } = await session.send(`${ideation}. I live in Canada.`);
  expect(first).toContain("988");
  await session.withdraw({ from: offset });
  expect(await planOf(session)).toMatchObject({ highest: 2, asked: [], given: [], regions: [], answers: {}, replies: 0 });
  const { reply, output } = await session.send("Never mind, we baked bread");
  expect(output).toMatchObject({ crisis: { level: 1 } });
  expect(reply).toMatch(/\?/u);
  expect(reply).not.toMatch(/listed|gave you/u);
  expect(await planOf(session)).toMatchObject({ highest: 2 });
  // What was found stays on record, whatever is taken back.
  expect((await assessments(store)).map(({ level }) => level)).toEqual(expect.arrayContaining([0, 1, 2]));
});

test("taking back what showed no danger leaves the state as it was before it", async () => {
  const { agent } = gated({ replyBy: "static" });
  const { sessions } = await started({ agents: [agent] });
  const session = await sessions.create({ agent: "companion" });
  await session.send(ideation);
  const before = await session.state();
  const { offset } = await session.send("no");
  await session.withdraw({ from: offset });
  expect((await session.state()).document).toEqual(before.document);
});

test("a fork of a conversation in a crisis is in it too, and one of the time before is not", async () => {
  const { agent } = gated({ replyBy: "static" });
  const { sessions } = await started({ agents: [agent] });
  const session = await sessions.create({ agent: "companion" });
  await session.send("We baked bread");
  const { head } = await session.info();
  await session.send(ideation);
  const [after, before] = [await session.fork(), await session.fork({ at: head })];
  expect([await planOf(after), await planOf(before)]).toEqual([await planOf(session), undefined]);
  expect((await after.send("We baked bread again")).output).toMatchObject({ crisis: { level: 1 } });
  expect((await before.send("We baked bread again")).output).toMatchObject({ crisis: { level: 0 } });
});

test("erasing a person in a crisis leaves assessments of nobody, and nothing to tell whose they were", async () => {
  const { agent } = gated({ replyBy: "static" });
  const { store, sessions, customers } = await started({ agents: [agent] });
  const session = await sessions.open({ agent: "companion", customer: "ann" });
  await session.send(ideation);
  const secrets = await store.list({ of: "records", kind: "assessment_secret", limit: 10 });
  expect(secrets.items).toHaveLength(1);
  await customers.delete("ann");
  expect((await store.list({ of: "records", kind: "assessment_secret", limit: 10 })).items).toEqual([]);
  expect(await assessments(store)).toMatchObject([{ level: 2 }]);
  // The same person anew is another one to the audit.
  const anew = await sessions.open({ agent: "companion", customer: "ann" });
  await anew.send(ideation);
  expect(new Set((await assessments(store)).map(({ subject_ref }) => subject_ref)).size).toBe(2);
});
