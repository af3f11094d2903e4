import { expect, test } from "vitest";
import { packs } from "../../../packages/companion/src/companion-gate.ts";
import { createScreen } from "../../../packages/throughline/src/safety/screen/screen.ts";

const screen = createScreen(packs);

test.each(["goodbye", "Bye!", "ok goodbye", "thanks goodbye", "Goodbye and thank you", "good bye", "再见", "好的，再见", "adiós", "auf wiedersehen"])(
  "%s is how one leaves",
  (text) => expect(screen(text).level).toBe(0),
);

test.each([
  ["I can't do this anymore. Goodbye.", 2],
  ["I want to die. bye", 3],
  ["Goodbye forever", 2],
  ["This is goodbye.", 2],
  ["goodbye, I love you all", 1],
  ["I'm sorry. Goodbye.", 1],
  ["我撑不下去了。再见。", 2],
])("%s is more than that", (text, level) => expect(screen(text).level).toBeGreaterThanOrEqual(level));

test("after something grave a goodbye is one that is asked about", () => expect(screen("goodbye", { highest: 1 }).level).toBe(1));
