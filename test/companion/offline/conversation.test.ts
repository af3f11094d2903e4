import { createRuntime, openStore } from "throughline";
import { expect, onTestFinished, test } from "vitest";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { offlineModel } from "../../../packages/companion/src/offline/offline-model.ts";

type Line = readonly [
  said: string,
  expected: { readonly route?: string; readonly style?: string; readonly approach?: string; readonly reply?: RegExp },
];

/** A person who tries every route: talk, each style, an exercise with side turns, a lookup, and the memory. */
const conversation: readonly Line[] = [
  ["hello", { route: "therapeutic", style: "supportive" }],
  ["my work is a lot these days", { style: "supportive", reply: /work/u }],
  ["every time my boss walks in I make mistakes", { style: "reflective" }],
  ["why does my heart race when he comes in?", { style: "psychoeducation", reply: /alarm/u }],
  ["I can't decide whether to change jobs, how can I find out?", { style: "technique", approach: "motivational_interviewing" }],
  ["it", { style: "clarifying", reply: /\?$/u }],
  ["can we do a breathing exercise?", { style: "guided_exercise", reply: /breathe in/iu }],
  ["what do you mean?", { style: "clarifying" }],
  ["done", { style: "guided_exercise", reply: /hold/iu }],
  ["why does this help?", { style: "psychoeducation" }],
  ["let's stop here", { style: "guided_exercise" }],
  ["look up how much sleep adults need", { route: "grounded_lookup", style: "grounded_lookup", reply: /sources:/iu }],
  ["what do you remember about me?", { route: "memory_control", style: "memory_control" }],
  ["from now on, keep your answers short", { route: "memory_control", reply: /short/u }],
  ["forget what I told you about my boss", { route: "memory_control", reply: /delete/iu }],
  ["my garden is full of snow", { style: "supportive", reply: /nothing was deleted/iu }],
  ["turn off recall", { route: "memory_control" }],
  ["¿por qué me pongo nerviosa con la gente?", { style: "psychoeducation", reply: /cuerpo|mente|siente|preocup/u }],
  ["thanks, that's all for today", { style: "closing" }],
];

test("a person can try every route, each style and the memory without a model or a key", async () => {
  const store = await openStore(":memory:");
  // With a classifier that answers, unclear distress is not asked about: this conversation is about everything else.
  const runtime = await createRuntime({ store, agents: [createCompanion({ models: { classifier: offlineModel() } })] });
  onTestFinished(() => runtime.close());
  const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
  for (const [said, { route, style, approach, reply: pattern }] of conversation) {
    const { status, output, reply = "" } = await session.send(said);
    const seen = { said, status, route: output["route"], style: output["response_style"], approach: output["therapeutic_approach"] };
    expect(seen).toMatchObject({
      said,
      status: "completed",
      ...(route === undefined ? {} : { route }),
      ...(style === undefined ? {} : { style }),
      ...(approach === undefined ? {} : { approach }),
    });
    expect(reply, said).toMatch(pattern ?? /\S/u);
  }
});
