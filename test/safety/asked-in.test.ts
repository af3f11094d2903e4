/** What a reply has asked about safety, read from its words. */
import { describe, expect, test } from "vitest";
import { packs, phrases } from "../../packages/companion/src/companion-gate.ts";
import { askedIn } from "../../packages/throughline/src/safety/turn/gate.ts";
import type { SafetyPhrases } from "../../packages/throughline/src/safety/reply/safety-phrases.ts";
import { createScreen } from "../../packages/throughline/src/safety/screen/screen.ts";

const screen = createScreen(packs);
const asked = (reply: string, inDanger = false): string | undefined => askedIn(screen, reply, { inDanger });

test.each<readonly [string, string | undefined]>([
  ["That sounds heavy. Are you thinking about suicide?", "suicide"],
  ["Are you having thoughts of ending your life? I am here either way.", "suicide"],
  ["Are you thinking about suicide? Do you feel safe right now?", "suicide"],
  ["Do you have a plan to kill yourself?", "plan"],
  ["Are you thinking about suicide? You can tell me anything.\n\nOr shall we go on with the exercise?", undefined],
  ['You could ask him directly: "Are you thinking about suicide?"', undefined],
  ["Thoughts of suicide are more common than people think. What did you do today?", undefined],
  ["Do you have a plan for the weekend?", undefined],
  ["When would you do that?", undefined],
  ["I hear you.", undefined],
  ["", undefined],
])("%s: %s", (reply, question) => {
  expect(asked(reply)).toBe(question);
});

test("how and when are about safety once danger was spoken of", () => {
  const how = "Have you thought about how you would do it?";
  expect([asked(how), asked(how, true)]).toEqual([undefined, "plan"]);
});

test("of a long row of questions the last ones are read", () => {
  const row = "Really? ".repeat(10_000);
  expect([asked(`Are you thinking about suicide? ${row}`), asked(`${row}Are you thinking about suicide? You can tell me.`)]).toEqual([
    undefined,
    "suicide",
  ]);
});

describe.each(phrases.map((one) => [one.language, one] as const))("sentences of the gate's replies in %s", (_language, one: SafetyPhrases) => {
  test.each(one.ask_directly)("%s", (sentence) => {
    expect(asked(sentence)).toBe("suicide");
  });

  test("a reply that asks nothing of the plan is not read as if it did", () => {
    const others = [
      one.ask_location,
      one.human_care,
      one.ai_limits,
      one.nobody_watching,
      one.apology,
      one.failed ?? "",
      one.limit ?? "",
      one.stopped ?? "",
      one.disclosure,
      ...one.stay,
      ...one.opening,
    ];
    for (const sentence of [...others, ...one.heard, ...one.opening_imminent, ...one.resources_again]) expect(asked(sentence, true)).toBeUndefined();
  });
});
