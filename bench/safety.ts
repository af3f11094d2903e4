/** What the screen of the gate costs: on what people write, on the longest texts that are read whole, and on texts that were made to hold it up. */
import { arabicPack } from "../agents/companion/safety/packs/ar.ts";
import { germanPack } from "../agents/companion/safety/packs/de.ts";
import { englishPack } from "../agents/companion/safety/packs/en.ts";
import { spanishPack } from "../agents/companion/safety/packs/es.ts";
import { frenchPack } from "../agents/companion/safety/packs/fr.ts";
import { chinesePack } from "../agents/companion/safety/packs/zh.ts";
import * as hindi from "../agents/companion/safety/packs/hi.ts";
import * as indonesian from "../agents/companion/safety/packs/id.ts";
import * as portuguese from "../agents/companion/safety/packs/pt.ts";
import { createScreen, type RulePack, type Screen } from "../src/safety.ts";
import { type Figure, median, quantile, round } from "./figures.ts";

const isPack = (value: unknown): value is RulePack => typeof value === "object" && value !== null && "concepts" in value;
const packs = [
  ...[englishPack, spanishPack, frenchPack, germanPack, arabicPack, chinesePack],
  ...[hindi, indonesian, portuguese].flatMap((module) => Object.values(module).filter(isPack)),
];

const read = 4_000;
const filled = (text: string): string => text.repeat(Math.ceil(read / text.length)).slice(0, read);

const ordinary = [
  "I went to the market with my sister and we bought apples, bread and cheese before it rained. ",
  "Work was long today, my boss moved the deadline again, and I only want to sleep and see my friends on Friday. ",
  "Ayer fui al mercado con mi hermana y compramos pan antes de que lloviera. ",
  "Gestern war ich mit meiner Schwester auf dem Markt, und dann hat es geregnet. ",
];
const hostile = [
  ...[
    "i want to want to kill ",
    "i ",
    "a",
    "iwanttodie",
    "e\u0301\u0301\u0301",
    "\"'«“([",
    "k i l l ",
    "s*** k*** ",
    "kill myself ",
    "i do not want to die ",
  ],
  ...["🔪", "suiciide ", "die\n", "im u r ", "死", "我想死不想活了", "أريد أن أموت ", "मैं मरना चाहता हूँ ", "k1ll d13 "],
];

/** Milliseconds of each of so many readings, the first ones left out: code that is read by the machine for the first time is no measure. */
function timesOf(screen: Screen, text: string, rounds: number): readonly number[] {
  for (let round = 0; round < rounds; round += 1) screen(text);
  return Array.from({ length: rounds }, () => {
    const began = performance.now();
    screen(text);
    return performance.now() - began;
  });
}

/** Milliseconds that the screen takes. Of a hostile text its middle time counts: what else the machine does is not what the text costs. */
export function screenCost(quick: boolean): readonly Figure[] {
  const rounds = quick ? 20 : 100;
  const began = performance.now();
  const screen = createScreen(packs);
  const compiled = performance.now() - began;
  const long = ordinary.flatMap((text) => timesOf(screen, filled(text), rounds));
  const short = ordinary.flatMap((text) => timesOf(screen, text, rounds));
  const worst = hostile
    .map((text) => ({ text, time: median(timesOf(screen, filled(text), rounds)) }))
    .toSorted((one, other) => other.time - one.time);
  const about = `${packs.length} packs`;
  return [
    {
      id: "safety.screen_message",
      what: `half of the messages of a sentence, ${about}`,
      value: round(quantile(short, 0.5)),
      unit: "ms",
      limit: 0.5,
      timing: true,
    },
    {
      ...{
        id: "safety.screen_4000",
        what: `99 of 100 texts of ${read.toLocaleString("en")} characters, ${about}`,
        value: round(quantile(long, 0.99)),
        unit: "ms",
      },
      ...{ limit: 5, timing: true, details: { p50: round(quantile(long, 0.5)), compiled_ms: round(compiled) } },
    },
    {
      ...{
        id: "safety.screen_hostile",
        what: `the slowest of ${hostile.length} hostile texts of that length`,
        value: round(worst[0]?.time ?? 0),
        unit: "ms",
      },
      ...{ limit: 20, timing: true, details: { text: JSON.stringify(worst[0]?.text.slice(0, 24)) } },
    },
  ];
}
