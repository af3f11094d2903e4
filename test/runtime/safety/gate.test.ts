import { expect, test } from "vitest";
import { ThroughlineError } from "../../../packages/throughline/src/index.ts";
import { collect, started } from "../harness.ts";
import { assessments, calm, gated, saying } from "./harness.ts";

const imminent = "I took all my pills an hour ago, goodbye everyone";
const ideation = "I want to die";

test("an ordinary message is answered as ever, and its assessment is kept", async () => {
  const { agent, requests } = gated();
  const { store, ...runtime } = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  const { reply, output, status } = await session.send("The rain has stopped at last");
  expect({ reply, status }).toEqual({ reply: "I hear you.", status: "completed" });
  expect(output).toMatchObject({ crisis: { level: 0, needs_crisis_response: false } });
  expect(requests).toHaveLength(1);
  const [record, ...others] = await assessments(store);
  expect(others).toEqual([]);
  expect(record).toMatchObject({ level: 0, path: "union", action: "none", reply_completed: true, agent: "companion" });
  expect(JSON.stringify(record)).not.toContain("rain");
});

test("case 10: a plain level 3 is answered from sentences at once, without any model, and no stage of the agent's own runs", async () => {
  let asked = 0;
  const never = saying(() => (asked++, new Promise(() => {})));
  const { agent, requests } = gated({ classifier: never });
  const { store, ...runtime } = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  const { reply, status } = await session.send(imminent);
  expect(status).toBe("completed");
  expect(reply).toMatch(/emergency/iu);
  expect({ asked, requests: requests.length }).toEqual({ asked: 0, requests: 0 });
  const { document: state } = await session.state();
  expect(state).toMatchObject({ count: 1, ordinary: [], safety_plan: { highest: 3 } });
  expect(await assessments(store)).toMatchObject([{ level: 3, path: "static", action: "static_reply", reply_completed: true }]);
});

test("level 2: the model writes the reply without tools, told what to do; numbers come from the table alone", async () => {
  const { agent, requests } = gated(
    {},
    { answer: () => "I am glad you told me. Call 1-800-555-0199 now. [[resources]] Have you thought about how you would do it?" },
  );
  const { store, ...runtime } = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  const { reply } = await session.send(`${ideation}. I live in Canada.`);
  expect(reply).not.toContain("555");
  expect(reply).toContain("988");
  expect(requests).toHaveLength(1);
  expect(requests[0]?.tools).toEqual([]);
  expect(requests[0]?.sections.map(({ name }) => name)).toContain("safety");
  const [record] = await assessments(store);
  expect(record).toMatchObject({ level: 2, action: "crisis_reply", region: "CA", lookup_status: "found", guarded: ["number", "missing_help"] });
  expect(record?.resources_shown.length).toBeGreaterThan(0);
});

test("a model that is dead leaves the static reply; a classifier that is dead leaves the screen's verdict", async () => {
  const { agent } = gated(
    { classifier: saying(new Error("down")) },
    {
      answer: () => {
        throw new ThroughlineError("model.failed", "down");
      },
    },
  );
  const { store, ...runtime } = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  const { reply, status } = await session.send(ideation);
  expect(status).toBe("completed");
  expect(reply).toMatch(/take it seriously|means a lot|glad you told/iu);
  expect(await assessments(store)).toMatchObject([{ level: 2, path: "llm_error", action: "static_reply", quality: "degraded" }]);
});

test("a message of somebody in danger supersedes the turn at work, whatever that has shown", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { agent } = gated(
    { classifier: calm },
    {
      model: {
        name: "slow",
        async *stream() {
          yield { type: "text_delta", text: "Let me think. " };
          await held;
          yield { type: "finish", reason: "stop", usage: { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 } };
        },
      },
    },
  );
  const runtime = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  const first = session.send("How was your day?");
  first.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  const second = await session.send(imminent);
  release();
  expect(second.reply).toMatch(/emergency/iu);
  expect((await first).reply).toBe(second.reply);
});

test("where people have the session, the assessment is committed with the message, with an alert to them", async () => {
  const { agent } = gated();
  const { store, ...runtime } = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "companion" });
  await session.setMode("manual");
  await session.post("Thanks for taking over");
  const { offset } = await session.post(imminent);
  expect(await session.outcome(offset)).toMatchObject({ status: "waiting" });
  const events = await collect(session, { kinds: ["assessment"] });
  expect(events.map(({ data }) => data)).toMatchObject([{ level: 0 }, { level: 3 }]);
  expect((await session.info()).handover).toMatchObject({ alert: 300 });
  expect((await assessments(store)).map(({ action }) => action)).toEqual(["manual", "manual"]);
});
