/** An act that is not named: any plan of everyday, unless something else says that it is a danger. */
import { describe, expect, test } from "vitest";
import { packs } from "../../../packages/companion/src/companion-gate.ts";
import { createScreen } from "../../../packages/throughline/src/safety/screen/screen.ts";

const screen = createScreen(packs);

/** Each with a twin: the same words, and one sign more. */
const plans: readonly (readonly [plan: string, danger: string, level: number])[] = [
  ["I'll do it on thursday", "I'll do it on thursday, nobody will miss me", 3],
  ["ok, I'll do it on friday", "I'm hopeless, I'll do it tonight", 3],
  ["I'll do it tonight", "I'll do it tonight with the pills", 3],
  ["I do it tomorrow at my desk", "I do it tomorrow, on the bridge", 2],
  ["ich mache es morgen", "ich mache es heute nacht, ich hab mich entschieden", 2],
  ["ich mach es heute abend", "ich mach es heute abend, allein", 2],
  ["lo haré esta noche", "lo haré esta noche con las pastillas", 2],
  ["lo voy a hacer hoy", "lo hago esta noche. ya está decidido", 2],
  ["je vais le faire ce soir", "je vais le faire cette nuit. c'est décidé", 2],
  ["vou fazer isso hoje à noite", "vou fazer isso hoje sozinho", 2],
  ["我今晚就做", "今晚就做。决定了。就想有个人知道", 2],
];

describe("a plan without a name", () => {
  test.each(plans)("%s is no danger, and %s is one", (plan, danger, level) => {
    expect(screen(plan)).toMatchObject({ level: 0, matches: [] });
    expect(screen(danger).level).toBeGreaterThanOrEqual(level);
  });
  test.each(plans)("%s is one after such talk, or as an answer to the question", (plan) => {
    expect(screen(plan, { highest: 2 }).level).toBeGreaterThanOrEqual(2);
    expect(screen(plan, { asked: "time" }).level).toBeGreaterThanOrEqual(2);
    expect(screen(plan, { asked: "suicide" }).level).toBeGreaterThanOrEqual(1);
    expect(screen(plan, { unclear: 1 }).level).toBeGreaterThanOrEqual(2);
  });
  test.each(["I'm going to do it tonight", "tonight I'm doing it", "I will finally do it tonight", "ich werde es heute nacht tun"])(
    "%s sounds like a resolve",
    (text) => expect(screen(text).level).toBe(3),
  );
});
