import { describe, expect, it } from "vitest";
import { rulePacks as packs } from "../../../packages/companion/src/safety/rule-packs.ts";
import { createScreen } from "../../../packages/throughline/src/safety.ts";
import { compilePacks } from "../../../packages/throughline/src/safety/screen/rule-pack.ts";
import { find, sequenceOf } from "../../../packages/throughline/src/safety/screen/matcher.ts";
import { tokenize } from "../../../packages/throughline/src/safety/screen/screen-tokens.ts";
import { readWords } from "../../../packages/throughline/src/safety/screen/spelling.ts";

const compiled = compilePacks(packs);

/** A list that counts how often something is taken from it: work is counted in looks at words, which no other load of the machine changes. */
function counted<Item extends object>(items: readonly Item[]): { readonly items: readonly Item[]; readonly looks: () => number } {
  let looks = 0;
  const get = (target: readonly Item[], key: string | symbol, receiver: unknown): unknown => {
    if (typeof key === "string" && key >= "0" && key < ":") looks += 1;
    return Reflect.get(target, key, receiver);
  };
  return { items: new Proxy(items, { get }), looks: () => looks };
}

const filled = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** Looks at words while a text is taken apart, and while everything that any pack knows is looked for in it. */
function looksAt(text: string): number {
  const tokens = counted(tokenize(text));
  const words = readWords(tokens.items, compiled.vocabulary, { text, offset: 0 });
  const sequence = sequenceOf(words, compiled.vocabulary.index);
  const seen = counted(words);
  const open = new Uint8Array(words.length);
  const every = { blocked: packs.map(() => open), skipped: [] };
  for (const anchored of [compiled.negations, compiled.patterns]) find({ ...sequence, words: seen.items }, anchored, every);
  return tokens.looks() + seen.looks();
}

/** Looks for each character of a text that was made to hold the screen up, at the most. */
const mostLooks = 20;
const hostile = [
  ...["die ", "kill ", "i ", "tonight pills ", "i want to want to kill ", "i do not want to die ", "end it tonight ", "not no never die kill "],
  ...["iwanttodie", "k i l l ", "1 ", "1 2 ! ", "s*** k*** ", "k1ll d13 ", "suiciide ", "a", "im u r ", "\"'«“([", "die. ", "die\n\n"],
  ...[
    "e\u0301\u0301\u0301",
    "\u200B",
    "k\u200Bi\u200Bll ",
    "🔪",
    "👩‍👩‍👧 ",
    "\u202Edie\u202C ",
    "أريد أن أموت ",
    "मैं मरना चाहता हूँ ",
    "死",
    "我想死不想活了",
    "買了刀片 ",
  ],
];
const written = packs.flatMap(({ concepts, words }) =>
  Object.values(concepts)
    .flat()
    .filter((_, place) => place % 240 === 0)
    .map((one) =>
      (typeof one === "string" ? one : one.pattern)
        .replaceAll(/\{(\w+)\}/g, (_, name: string) => words[name]?.[0] ?? "")
        .replaceAll(/\|\S+|~\d|[\^$?*]/g, "")
        .replaceAll("_", " "),
    ),
);

describe("work on a text", () => {
  it.each([...hostile, ...written])("is so much for each of its characters, however long it is: %j", (text) => {
    const looks = [500, 4_000].map((length) => looksAt(filled(`${text} `, length)) / length);
    expect(Math.max(...looks)).toBeLessThan(mostLooks);
  });

  it("is done on both ends of a long one, and on nothing between", () => {
    const [read, length] = [4_000, 100_000];
    const { matches, quality } = createScreen(packs.filter(({ language }) => language === "en"))(filled("I want to die. ", length));
    expect(quality).toBe("degraded");
    expect(matches.length).toBeGreaterThan(0);
    for (const { span } of matches) expect(span[1] <= read || span[0] >= length - read).toBe(true);
  });

  it("is not done again for words that were read lately, of which so many are kept", () => {
    const read = (text: string) => readWords(tokenize(text), compiled.vocabulary, { text, offset: 0 });
    const [before, after] = [read("Tomorrow their kittns sleep"), read("their kittns sleep tomorrow")];
    expect(after.map(({ forms }) => forms)).toEqual([1, 2, 3, 0].map((place) => before[place]?.forms));
    for (const [place, { forms }] of after.entries()) expect(forms).toBe(before[[1, 2, 3, 0][place] ?? -1]?.forms);
    expect(after.map(({ from }) => from)).toEqual([0, 6, 13, 19]);
    read(Array.from({ length: 9_000 }, (_, at) => `w${at.toString(26)}q`).join(" "));
    expect(compiled.vocabulary.readings.size).toBeLessThanOrEqual(4_096);
    expect(read("their").map(({ forms }) => forms)).toEqual([before[1]?.forms]);
  });
});
