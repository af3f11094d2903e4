import { describe, expect, it } from "vitest";
import { packs } from "../../../packages/companion/src/gate-data.ts";
import { createScreen } from "../../../packages/throughline/src/safety.ts";

const screen = createScreen(packs);

describe("said plainly", () => {
  it.each([
    "我刚把整瓶都吃了",
    "整瓶药我都吞下去了",
    "It's my last message. Thank you for listening.",
    "I want to be with my dead wife, soon",
    "I just want to be with my late husband again",
    "since my son died I only want to follow him",
    "ich will zu meiner verstorbenen Frau",
    "quiero irme con mi difunta esposa",
    "je veux rejoindre ma femme décédée",
    "quero ir com minha mãe falecida",
    "saari goliyan mere saamne rakhi hain",
    "सारी गोलियाँ मेरे सामने रखी हैं",
    "I don't think I can keep myself safe tonight",
    "vodka and all of my xanax tonight",
    "from this balcony I can fly, I know it",
  ])("is grave: %s", (text) => {
    expect(screen(text).level).toBeGreaterThanOrEqual(2);
  });

  it.each(["الجميع أفضل بدوني", "I'm going to Switzerland, one way"])("is asked about: %s", (text) => {
    expect(screen(text).level).toBe(1);
  });

  it.each([
    "what did we talk about last time?",
    "worüber haben wir letztes Mal gesprochen?",
    "filling out my tax form, I give up",
    "I have my gun license exam tomorrow",
    "my cat wants to die lol every time I shave him",
    "Me mato de trabajar",
    "me mato estudiando para el examen",
    "me toca trabajar por la noche",
    "غدا سأقفز بالمظلة",
    "from the balcony we can fly a drone",
    "a whole bottle of juice, and I drank it all",
    "整瓶可乐都喝了",
  ])("is nothing: %s", (text) => {
    expect(screen(text).level).toBe(0);
  });
});
