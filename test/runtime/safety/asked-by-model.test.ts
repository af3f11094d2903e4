/** The agent's own model has asked about suicide in ordinary talk: what is said next is an answer to that. */
import { expect, test } from "vitest";
import { started } from "../harness.ts";
import { assessments, gated } from "./harness.ts";

const asks = "That sounds like a heavy week. Are you having thoughts of suicide?";

/** Levels and plan after messages to an agent whose model always says this. */
async function told(answer: string, messages: readonly string[]) {
  const { agent } = gated({}, { answer: () => answer });
  const { store, ...runtime } = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  const replies: (string | undefined)[] = [];
  for (const message of messages) replies.push((await session.send(message)).reply);
  const { document } = await session.state();
  const records = (await assessments(store)).toSorted((one, other) => one.at - other.at);
  return { replies, plan: document["safety_plan"], records, levels: records.map(({ level }) => level) };
}

test("yes is a disclosure, and the crisis goes on from there without the question again", async () => {
  const { replies, plan, records } = await told(asks, ["It was a long week", "yes"]);
  expect(records).toMatchObject([{ level: 0 }, { level: 2, subject: "self", reason_code: "ideation" }]);
  expect(plan).toMatchObject({ highest: 2, answers: { suicide: "yes" }, heard: "suicide", last_asked: "plan" });
  expect(replies[0]).toBe(asks);
});

test("no is an answer, and nothing is opened by it", async () => {
  const { plan, levels } = await told(asks, ["It was a long week", "no, just tired"]);
  expect({ plan, levels }).toEqual({ plan: undefined, levels: [0, 0] });
});

test("what goes past the question is asked about, by the gate itself", async () => {
  const { plan, levels } = await told(asks, ["It was a long week", "whatever"]);
  expect(levels).toEqual([0, 1]);
  expect(plan).toMatchObject({ answers: { suicide: "evaded" }, asked: ["someone"], last_asked: "someone" });
});

test("yes to anything else stays ordinary, and so does what is said after the answer", async () => {
  expect((await told("Shall we look at it together?", ["It was a long week", "yes"])).levels).toEqual([0, 0]);
  expect((await told("Do you have a plan for the weekend?", ["It was a long week", "yes", "on Sunday at eight"])).levels).toEqual([0, 0, 0]);
});

test("the gate's own replies are not read for more than what they have asked", async () => {
  const { agent } = gated({ replyBy: "static" });
  const { store, ...runtime } = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  for (const message of ["I want to die", "no", "yes", "no"]) await session.send(message);
  const records = (await assessments(store)).toSorted((one, other) => one.at - other.at);
  // The third answers the question for a country, which says nothing of danger.
  expect(records.map(({ level }) => level)).toEqual([2, 1, 1, 1]);
});
