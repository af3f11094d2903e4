/** What the screen of the gate costs: on what people write, on the longest texts that are read whole, and on texts that were made to hold it up. */
import { packs } from "../packages/companion/src/companion-gate.ts";
import { ownMessages } from "../eval/safety/labelled.ts";
import { createScreen, type Screen } from "../packages/throughline/src/safety.ts";
import { type Figure, median, quantile, round } from "./figures.ts";

const read = 4_000;
const filled = (text: string): string => text.repeat(Math.ceil(read / text.length)).slice(0, read);

const messages = ownMessages();

/** Long texts, each of different messages of all languages and levels, in an order that is always the same. */
function longTexts(many: number): readonly string[] {
  const step = 37;
  return Array.from({ length: many }, (_, text) => {
    let all = "";
    for (let place = text * step; all.length < read; place += step) all += `${messages[place % messages.length]?.text ?? ""}\n`;
    return all.slice(0, read);
  });
}

const hostile = [
  ...["i want to want to kill ", "i ", "a", "iwanttodie", "e\u0301\u0301\u0301", "\"'«“([", "k i l l ", "s*** k*** ", "kill myself "],
  ...["i do not want to die ", "🔪", "suiciide ", "die\n", "im u r ", "死", "我想死不想活了", "أريد أن أموت ", "मैं मरना चाहता हूँ ", "k1ll d13 "],
  ...[
    "1 ",
    "a b ",
    "买了刀片 ",
    "我不想死。",
    "为了小说。想死。",
    "i die no kill not ",
    "I want to die. in the novel. ",
    "lol die. ",
    "no me mato. ",
  ],
];

/** Milliseconds of each of so many readings, the first ones left out: code that is read by the machine for the first time is no measure. */
function timesOf(screen: Screen, text: string, rounds: number): readonly number[] {
  for (let time = 0; time < rounds; time += 1) screen(text);
  return Array.from({ length: rounds }, () => {
    const began = performance.now();
    screen(text);
    return performance.now() - began;
  });
}

/** Milliseconds of what is done once. */
function timeOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/**
 * Milliseconds that the screen takes. Of a long text the best of a few readings counts, and of a hostile one the middle time: what else the machine does is
 * not what the text costs.
 */
export function screenCost(quick: boolean): readonly Figure[] {
  const rounds = quick ? 20 : 60;
  const compiled = timeOf(() => createScreen(packs));
  const screen = createScreen(packs);
  const first = timeOf(() => screen("I feel so low today and I do not know why."));
  const long = longTexts(quick ? 50 : 200).map((text) => timesOf(screen, text, 5));
  const best = long.map((times) => Math.min(...times));
  const short = messages.filter((_, place) => place % 10 === 0).map(({ text }) => Math.min(...timesOf(screen, text, 3)));
  const worst = hostile
    .map((text) => ({ text, time: median(timesOf(screen, filled(text), rounds)) }))
    .toSorted((one, other) => other.time - one.time);
  const about = `${packs.length} packs`;
  const figure = (id: string, what: string, value: number, limit: number): Figure => ({
    id: `safety.${id}`,
    what: `${what}, ${about}`,
    value: round(value),
    unit: "ms",
    limit,
    timing: true,
  });
  const all = long.flat();
  return [
    { ...figure("compile", "packs made ready, once in a process", compiled, 400), details: { first_message_ms: round(first) } },
    figure("screen_message", "half of the messages", quantile(short, 0.5), 0.5),
    {
      ...figure("screen_4000", `99 of 100 texts of ${read.toLocaleString("en")} characters`, quantile(best, 0.99), 5),
      details: { p50: round(quantile(best, 0.5)), p99_of_all_readings: round(quantile(all, 0.99)) },
    },
    {
      ...figure("screen_hostile", `the slowest of ${hostile.length} hostile texts of that length`, worst[0]?.time ?? 0, 20),
      details: { text: JSON.stringify(worst[0]?.text.slice(0, 24)) },
    },
  ];
}
