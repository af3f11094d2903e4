import { describe, expect, test } from "vitest";
import { styleOf, triageOf } from "./support.ts";
import { inFlows, ordinary, requests } from "./utterances.ts";

describe("triage of the offline rules", () => {
  test.each(requests)("%s", async (text, expected) => {
    expect(await triageOf(text)).toMatchObject(expected);
  });

  test.each(ordinary)("ordinary talk stays where it is: %s", async (text) => {
    expect(await triageOf(text)).toMatchObject({ route: "therapeutic", confidence: "high", clarification_needed: false, memory_action_type: null });
  });

  test.each(inFlows)("case 41 %s, while open: %s", async (text, flow, expected) => {
    expect(await triageOf(text, { flow })).toMatchObject(expected);
  });
});

describe("style of the offline rules", () => {
  test.each(ordinary)("%s is %s, %s", async (text, response_style, therapeutic_approach) => {
    expect(await styleOf(text)).toMatchObject({ response_style, therapeutic_approach });
  });
});
