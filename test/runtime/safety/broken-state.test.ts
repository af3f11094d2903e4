/** What a gate has found is answered also where the agent's own state takes none of it. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineState, input, openStore, reduced, replace } from "../../../packages/throughline/src/index.ts";
import { safetyFields } from "../../../packages/throughline/src/safety.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { collect, started } from "../harness.ts";
import { assessments, calm, gated, saying } from "./harness.ts";

/** A field that the gate writes, of a shape that takes nothing of it. */
const refusing = () =>
  defineState({
    message: input(z.string()),
    ...safetyFields(),
    safety_plan: reduced(z.strictObject({ nothing: z.literal(true) }), { reduce: replace() }),
  });

test.each([
  ["a classifier's level 3", saying({ level: 3, reason_code: "act", risk_types: ["suicide"] }), "Everything is sorted now", 3, /emergency/iu],
  [
    "a classifier's level 2",
    saying({ level: 2, reason_code: "ideation" }),
    "Everything is sorted now",
    2,
    /suicide|ending your life|killing yourself/iu,
  ],
  ["the screen's level 3", calm, "I took all my pills an hour ago, goodbye everyone", 3, /emergency/iu],
] as const)("%s is answered as what it is", async (_what, classifier, text, level, said) => {
  const { agent, requests } = gated({ classifier }, { state: refusing() as never, stages: [], prompt: {} });
  const { store, sessions } = await started({ agents: [agent] });
  const session = await sessions.create({ agent: "companion" });
  const { reply, status } = await session.send(text);
  expect({ status, asked: requests.length }).toEqual({ status: "completed", asked: 0 });
  expect(reply).toMatch(said);
  expect(await assessments(store)).toMatchObject([{ level, path: "screen_error", quality: "degraded", action: "static_reply" }]);
  expect((await collect(session, { kinds: ["assessment"] })).map(({ data }) => data)).toMatchObject([{ level }]);
});

test("a plan that the state does not take after the reply takes no reply away", async () => {
  let asked = 0;
  const once = z.custom<object>(() => asked < 2);
  const state = defineState({ message: input(z.string()), ...safetyFields(), safety_plan: reduced(once, { reduce: replace() }) });
  const model = (): string => {
    asked = 2;
    return "I am glad you told me. Have you thought about how you would do it?";
  };
  const { agent } = gated({}, { state: state as never, stages: [], prompt: {}, answer: model });
  const { store, sessions } = await started({ agents: [agent] });
  const session = await sessions.create({ agent: "companion" });
  const { reply, status } = await session.send("I want to die");
  expect({ status, reply: reply?.split("\n")[0] }).toEqual({ status: "completed", reply: "I am glad you told me." });
  expect(await assessments(store)).toMatchObject([{ level: 2, action: "crisis_reply", reply_completed: true }]);
});

test("a turn that was judged and cannot end is answered as what it was judged to be", async () => {
  const inner = await openStore(":memory:");
  let fails = true;
  const store = {
    ...forwarding(inner),
    commit: async (commit: Parameters<typeof inner.commit>[0]) => {
      if (!fails || commit.session?.end_turns === undefined) return inner.commit(commit);
      fails = false;
      throw new TypeError("undefined is not a row");
    },
  };
  const { agent } = gated({ classifier: saying({ level: 3, reason_code: "act" }) }, { answer: () => "I am here. Is somebody with you?" });
  const { sessions } = await started({ agents: [agent], store });
  const session = await sessions.create({ agent: "companion" });
  const { reply, status } = await session.send("Everything is sorted now");
  expect({ status, urges: /emergency/iu.test(reply ?? "") }).toEqual({ status: "failed", urges: true });
  expect(await assessments(inner)).toMatchObject([{ level: 3 }]);
});
